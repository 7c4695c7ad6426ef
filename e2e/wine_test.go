//go:build e2e

package e2e

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Windows programs run under Wine, on the display of the other tests: windowID, x and screenshot work on their windows.
//
//	p := wine(t).start(t, windowsProgram(t, "..", ""), "play", windowsPath(dir))
//	id := windowID(t, "^Conch$")
//	p.waitOutput("...")
//
// Wine has no WebView2 and no 32-bit programs. All tests share one prefix: one Windows player with one keyring, one
// AppData and one drive C. A test that needs its own folders sets LOCALAPPDATA and the like in startEnv.
type winePrefix struct {
	dir    string
	keeper *exec.Cmd // keeps Wine's services up between the programs
}

var thePrefix struct {
	once sync.Once
	at   *winePrefix
	err  error
}

// wine answers the prefix, which the first test that asks makes.
func wine(t testing.TB) *winePrefix {
	t.Helper()
	thePrefix.once.Do(func() {
		thePrefix.at, thePrefix.err = newPrefix()
	})
	if thePrefix.err != nil {
		t.Fatalf("no Wine prefix (`make deps` installs Wine): %v", thePrefix.err)
	}
	return thePrefix.at
}

func newPrefix() (*winePrefix, error) {
	dir, err := os.MkdirTemp("", "conch-wine-")
	if err != nil {
		return nil, err
	}
	w := &winePrefix{dir: dir}
	for _, step := range [][]string{
		{"wineboot", "--init"},
		{"wineserver", "--wait"}, // the registry is on the disk
		{"x86_64-w64-mingw32-gcc", "-Os", "-s", "-shared", "-o", w.c("windows", "system32", "bcryptprimitives.dll"),
			filepath.Join("testdata", "bcryptprimitives.c"), "-ladvapi32"},
	} {
		cmd := exec.Command(step[0], step[1:]...)
		cmd.Env = w.env()
		if out, err := cmd.CombinedOutput(); err != nil {
			os.RemoveAll(dir)
			return nil, fmt.Errorf("%s: %w\n%s", strings.Join(step, " "), err, out)
		}
	}
	w.keeper = exec.Command("wine", "rundll32", "bcryptprimitives.dll,Keep")
	w.keeper.Env = w.env()
	up, err := w.keeper.StdoutPipe()
	if err == nil {
		err = w.keeper.Start()
	}
	if err == nil {
		_, err = bufio.NewReader(up).ReadString('\n')
	}
	return w, err
}

// stopWine ends what still runs in the prefix, its server last, and removes it.
func stopWine() {
	w := thePrefix.at
	if w == nil {
		return
	}
	for _, flag := range []string{"--kill", "--wait"} {
		cmd := exec.Command("wineserver", flag)
		cmd.Env = w.env()
		cmd.Run()
	}
	w.keeper.Wait()
	os.RemoveAll(w.dir)
}

// c is a path on the prefix's drive C, as this system names it.
func (w *winePrefix) c(path ...string) string {
	return filepath.Join(append([]string{w.dir, "prefix", "drive_c"}, path...)...)
}

// env keeps Wine out of the real home folder: no menu entries, and no questions about .NET and a browser engine.
func (w *winePrefix) env() []string {
	return append(home{w.dir}.env(), "WINEPREFIX="+filepath.Join(w.dir, "prefix"), "WINEARCH=win64", "WINEDEBUG=-all",
		"WINEDLLOVERRIDES=mscoree=;mshtml=;winemenubuilder.exe=d")
}

// start runs a Windows program until the test ends. Paths among its arguments are windowsPath's.
func (w *winePrefix) start(t testing.TB, program string, args ...string) *process {
	t.Helper()
	return w.startEnv(t, nil, program, args...)
}

// startEnv is start with further KEY=VALUE of the environment.
func (w *winePrefix) startEnv(t testing.TB, env []string, program string, args ...string) *process {
	t.Helper()
	return start(t, append(w.env(), env...), nil, "wine", append([]string{program}, args...)...)
}

// run runs a Windows program to its end and answers its output and exit code.
func (w *winePrefix) run(t testing.TB, program string, args ...string) (string, int) {
	t.Helper()
	p := w.start(t, program, args...)
	code := p.waitExit()
	return strings.ReplaceAll(p.output(), "\r\n", "\n"), code
}

// windowsPath is how a Windows program names a file of this system.
func windowsPath(path string) string { return `Z:` + strings.ReplaceAll(path, "/", `\`) }

var windowsBuilds sync.Map // package and tags to a func that builds once

// windowsProgram builds a package of this module for Windows, once per test binary: windowsProgram(t, "..", "") is
// conch.exe. In a folder that CONCH_BIN names, a program that is there is taken as it is.
func windowsProgram(t testing.TB, pkg, tags string) string {
	t.Helper()
	build, _ := windowsBuilds.LoadOrStore(pkg+" "+tags, sync.OnceValues(func() (string, error) {
		name := filepath.Base(pkg) + ".exe"
		if pkg == ".." {
			name = "conch.exe"
		}
		program := filepath.Join(filepath.Dir(conchBin), name)
		if _, err := os.Stat(program); err == nil {
			return program, nil
		}
		cmd := exec.Command("go", "build", "-trimpath", "-tags", "desktop,production,"+tags, "-ldflags", "-s -w", "-o", program, pkg)
		cmd.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w\n%s", err, out)
		}
		return program, nil
	}))
	program, err := build.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// TestWindowsProgramStarts: the program starts, answers and reads a bundle on Windows.
func TestWindowsProgramStarts(t *testing.T) {
	w, conch := wine(t), windowsProgram(t, "..", "")
	game := newReporter(t).game(t, `"window": {"title": "Tiny"}`, nil, map[string]string{"index.html": page("")})
	for _, row := range []struct {
		name, want string
		args       []string
	}{
		{"version", "conch ", []string{"version"}},
		{"inspect", "Tiny", []string{"inspect", windowsPath(game)}},
		{"approvals", "no host was allowed", []string{"approvals", "list"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if out, code := w.run(t, conch, row.args...); code != 0 || !strings.Contains(out, row.want) {
				t.Errorf("exit code %d, output without %q:\n%s", code, row.want, out)
			}
		})
	}
}
