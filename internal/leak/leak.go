// Package leak fails the tests of a package when a goroutine survives them.
package leak

import (
	"bytes"
	"fmt"
	"os"
	"runtime/pprof"
	"strings"
	"time"
)

// patience is how long goroutines have to end after the last test.
const patience = 10 * time.Second

// own are parts of the stacks that a test program has by itself.
var own = []string{"runtime/pprof.writeGoroutineStacks", "testing.(*F).Fuzz", "testing/internal/", "os/signal.", "internal/fuzz."}

// Run runs the tests of m, a *testing.M, and answers the exit code: that of the tests, or 1 when goroutines are left behind,
// whose stacks go to standard error.
func Run(m interface{ Run() int }) int {
	code := m.Run()
	if code != 0 {
		return code
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); ; <-tick.C {
		left := strangers()
		switch {
		case left == "":
			return 0
		case time.Now().After(end):
			fmt.Fprintf(os.Stderr, "goroutines left behind:\n%s\n", left)
			return 1
		}
	}
}

// strangers are the stacks of the goroutines that are not the test program's own.
func strangers() string {
	var all bytes.Buffer
	pprof.Lookup("goroutine").WriteTo(&all, 2)
	var left []string
	for stack := range strings.SplitSeq(strings.TrimSpace(all.String()), "\n\n") {
		known := false
		for _, part := range own {
			known = known || strings.Contains(stack, part)
		}
		if !known {
			left = append(left, stack)
		}
	}
	return strings.Join(left, "\n\n")
}
