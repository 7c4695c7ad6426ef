package app

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	gameruntime "conch/runtime"
)

func readRun(t testing.TB, file string) runFile {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var run runFile
	if err := json.Unmarshal(text, &run); err != nil {
		t.Fatal(err)
	}
	return run
}

func writeRun(t testing.TB, dir string, run runFile) {
	t.Helper()
	text, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "run.json"), string(text))
}

// listening is an instance in a folder of its own that ends with the test.
func listening(t testing.TB) (*instance, string) {
	t.Helper()
	dir := t.TempDir()
	in, err := listenInstance(dir, calls{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(in.close)
	return in, dir
}

func TestSecondStartRaisesTheFirst(t *testing.T) {
	o := Options{Path: gameFolder(t, ""), DataDir: t.TempDir(), Window: true}
	first := start(t, o)
	raised := make(chan struct{}, 2)
	first.OnRaise(func() { raised <- struct{}{} })
	second := open(t, o)
	if err := second.Listen(t.Context()); !errors.Is(err, ErrAlreadyRunning) {
		t.Fatalf("second start: %v", err)
	}
	<-raised // the answer comes after the call
	second.OnRaise(func() { t.Error("the second start has a window") })
	enter(t, first) // it still answers

	o.Window = false
	var taken *gameruntime.PortTakenError
	if err := open(t, o).Listen(t.Context()); !errors.As(err, &taken) {
		t.Errorf("without a window: %v", err)
	}
	if len(raised) != 0 {
		t.Error("a start without a window raised one")
	}
}

func TestRunFile(t *testing.T) {
	g := open(t, Options{Path: gameFolder(t, ""), Window: true})
	file := filepath.Join(g.gameDir(), "run.json")
	if err := g.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	run := readRun(t, file)
	if run.PID != os.Getpid() || run.Port == 0 || len(run.Secret) < 20 {
		t.Errorf("got pid %d, port %d, a secret of %d letters", run.PID, run.Port, len(run.Secret))
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode: %v, %v", info, err)
	}
	if files, _ := filepath.Glob(filepath.Join(g.gameDir(), ".conch-*")); len(files) != 0 {
		t.Errorf("left behind: %v", files)
	}
	g.Close()
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after close: %v", err)
	}
}

func TestRunFileOfAnotherInstanceStays(t *testing.T) {
	in, dir := listening(t)
	other := runFile{PID: 1, Port: 2, Secret: "of another instance"}
	writeRun(t, dir, other)
	in.close()
	if got := readRun(t, filepath.Join(dir, "run.json")); got != other {
		t.Errorf("got %+v", got)
	}
}

func TestRaise(t *testing.T) {
	in, dir := listening(t)
	calls := 0
	in.onRaise(func() { calls++ })
	run := readRun(t, in.file)
	if !raiseRunning(t.Context(), dir) || calls != 1 {
		t.Fatalf("raised %d times", calls)
	}
	for name, bad := range map[string]runFile{
		"wrong secret": {Port: run.Port, Secret: "guess"},
		"no secret":    {Port: run.Port},
		"cut secret":   {Port: run.Port, Secret: run.Secret[:10]},
		"no port":      {Secret: run.Secret},
		"bad port":     {Port: 70000, Secret: run.Secret},
		"odd secret":   {Port: run.Port, Secret: run.Secret + "\r\nX: y"},
	} {
		writeRun(t, dir, bad)
		if raiseRunning(t.Context(), dir) {
			t.Errorf("%s: raised", name)
		}
	}
	put(t, in.file, "{")
	if raiseRunning(t.Context(), dir) {
		t.Error("raised by a file that makes no sense")
	}
	if raiseRunning(t.Context(), t.TempDir()) {
		t.Error("raised without a file")
	}
	if calls != 1 {
		t.Errorf("raised %d times, want once", calls)
	}
}

func TestRaiseBeforeTheWindowIsThere(t *testing.T) {
	_, dir := listening(t)
	if !raiseRunning(t.Context(), dir) {
		t.Error("the first instance did not answer")
	}
}

func TestRaiseTakesAPostWithTheSecret(t *testing.T) {
	in, _ := listening(t)
	in.onRaise(func() { t.Error("raised") })
	for _, method := range []string{http.MethodGet, http.MethodOptions, http.MethodPut} {
		r, w := httptest.NewRequest(method, "/raise", nil), httptest.NewRecorder()
		r.Header.Set(runHeader, in.secret)
		if in.ServeHTTP(w, r); w.Code != http.StatusForbidden || w.Body.Len() != 0 {
			t.Errorf("%s: status %d, %q", method, w.Code, w.Body)
		}
	}
	w := httptest.NewRecorder()
	if in.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/raise", nil)); w.Code != http.StatusForbidden {
		t.Errorf("without the secret: status %d", w.Code)
	}
}

// A run file that a killed instance left behind: another program holds the game's port, and nobody listens at the
// file's port, or somebody else does.
func TestStaleRunFile(t *testing.T) {
	g := open(t, Options{Path: gameFolder(t, ""), Window: true})
	hold(t, g.OwnPort())
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := ln.Addr().(*net.TCPAddr).Port
	ln.Close()
	stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("hello")) }))
	defer stranger.Close()
	_, port, _ := net.SplitHostPort(stranger.Listener.Addr().String())
	other, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []int{dead, other} {
		writeRun(t, g.gameDir(), runFile{PID: 1, Port: p, Secret: "old"})
		var taken *gameruntime.PortTakenError
		if err := g.Listen(t.Context()); !errors.As(err, &taken) {
			t.Errorf("port %d in the file: %v", p, err)
		}
	}
}

// A stale file does not keep a game from starting, and is replaced.
func TestStaleRunFileIsReplaced(t *testing.T) {
	g := open(t, Options{Path: gameFolder(t, ""), Window: true})
	writeRun(t, g.gameDir(), runFile{PID: 1, Port: 2, Secret: "old"})
	if err := g.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	if run := readRun(t, filepath.Join(g.gameDir(), "run.json")); run.PID != os.Getpid() {
		t.Errorf("got %+v", run)
	}
}
