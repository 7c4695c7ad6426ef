package session

import (
	"bytes"
	"fmt"
	"os"
	"runtime/pprof"
	"strings"
	"testing"
	"time"
)

// TestMain fails the package when a goroutine survives. Inside a synctest bubble the bubble itself does.
func TestMain(m *testing.M) {
	if os.Getenv("CONCH_STEP") == "host" {
		os.Exit(hostProcess())
	}
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
		var b bytes.Buffer
		pprof.Lookup("goroutine").WriteTo(&b, 2)
		var left []string
		for stack := range strings.SplitSeq(b.String(), "\n\n") {
			own := strings.TrimSpace(stack) == ""
			for _, known := range []string{"runtime/pprof.writeGoroutineStacks", "testing.(*F).Fuzz", "testing/internal/", "os/signal.", "internal/fuzz."} {
				own = own || strings.Contains(stack, known)
			}
			if !own {
				left = append(left, stack)
			}
		}
		if len(left) == 0 || time.Now().After(deadline) {
			return strings.Join(left, "\n\n")
		}
		<-tick.C
	}
}
