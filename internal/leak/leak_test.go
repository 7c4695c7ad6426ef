package leak

import (
	"os"
	"strings"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(Run(m)) }

type tests int

func (t tests) Run() int { return int(t) }

func TestRun(t *testing.T) {
	if got := Run(tests(3)); got != 3 {
		t.Errorf("failed tests: exit code %d", got)
	}
}

func TestStrangers(t *testing.T) {
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		<-stop
	}()
	got := strangers()
	if !strings.Contains(got, "TestStrangers.func1") || strings.Contains(got, "pprof") {
		t.Errorf("got %q", got)
	}
	close(stop)
	<-stopped
}
