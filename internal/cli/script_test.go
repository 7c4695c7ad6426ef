package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"conch/app"
	"conch/internal/leak"
)

// TestMain lets the scripts run both programs, and fails the package when a goroutine survives its tests.
func TestMain(m *testing.M) {
	testscript.Main(leakChecked{m}, map[string]func(){
		"conch":      func() { os.Exit(windowProgram().Main()) },
		"conch-host": func() { os.Exit((&Program{Name: "conch-host"}).Main()) },
	})
}

// windowProgram is conch with a window and a box made of text.
func windowProgram() *Program {
	p := &Program{Name: "conch", EngineVersion: func() (string, error) { return "Testing 1.0", nil }}
	p.Window = func(_ context.Context, g *app.App) error {
		if g.Bundle.Title == "fail" {
			return errors.New("no window")
		}
		fmt.Fprintf(p.stdout, "window of %s\n", g.Bundle.Title)
		return nil
	}
	p.Alert = func(_ context.Context, _, text string, buttons ...string) int {
		fmt.Fprintf(p.stderr, "box: %s %v\n", text, buttons)
		return -1
	}
	return p
}

type leakChecked struct{ m *testing.M }

func (l leakChecked) Run() int { return leak.Run(l.m) }

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("CONCH_DATA", filepath.Join(e.WorkDir, "data"))
			e.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(e.WorkDir, "no-bus"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": wantCode, "bytes": writeBytes},
	})
}

// wantCode is the script command `code N program args...`: it runs the program and wants that exit code.
func wantCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N program args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// writeBytes is the script command `bytes FILE "Go string"`.
func writeBytes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: bytes FILE \"text\"")
	}
	text, err := strconv.Unquote(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}
