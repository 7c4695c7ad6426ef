package runtime

import (
	"bytes"
	"fmt"
	"os"
	"runtime/pprof"
	"strings"
	"testing"
	"time"
)

// TestMain fails the package when a goroutine survives its tests.
func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 {
		if left := leaked(10 * time.Second); left != "" {
			fmt.Fprintf(os.Stderr, "goroutines left behind:\n%s\n", left)
			code = 1
		}
	}
	os.Exit(code)
}

// leaked waits until only the test's own goroutines run, and returns the stacks of the others if they stay.
func leaked(patience time.Duration) string {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.Now().Add(patience)
	for {
		left := strangers()
		if left == "" || time.Now().After(deadline) {
			return left
		}
		<-tick.C
	}
}

func strangers() string {
	var b bytes.Buffer
	pprof.Lookup("goroutine").WriteTo(&b, 2)
	var left []string
	for stack := range strings.SplitSeq(b.String(), "\n\n") {
		own := false
		for _, known := range []string{"runtime/pprof.writeGoroutineStacks", "testing.(*F).Fuzz", "testing/internal/", "os/signal.", "internal/fuzz."} {
			own = own || strings.Contains(stack, known)
		}
		if !own && strings.TrimSpace(stack) != "" {
			left = append(left, stack)
		}
	}
	return strings.Join(left, "\n\n")
}
