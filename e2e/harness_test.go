//go:build e2e

package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// patience is how long an event may take on a loaded two-core machine. Tests wait on events; this only ends a test
// that would hang.
const patience = 90 * time.Second

var (
	conchBin string // the window program
	hostBin  string // conch-host
	display  string // the Xvfb display, ":N"
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "conch-e2e-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	if err := buildPrograms(dir); err != nil {
		return 1, err
	}
	stop, err := startDisplay("1280x800")
	if err != nil {
		return 1, err
	}
	defer stop()
	defer stopWine()
	return m.Run(), nil
}

// buildPrograms builds both programs with the Makefile's own flags; CONCH_BIN names a folder that has them already.
func buildPrograms(dir string) error {
	if ready := os.Getenv("CONCH_BIN"); ready != "" {
		abs, err := filepath.Abs(ready)
		conchBin, hostBin = filepath.Join(abs, "conch"), filepath.Join(abs, "conch-host")
		return err
	}
	conchBin, hostBin = filepath.Join(dir, "conch"), filepath.Join(dir, "conch-host")
	out, err := exec.Command("make", "-C", "..", "build", "BIN="+dir).CombinedOutput()
	if err != nil {
		return fmt.Errorf("make build: %w\n%s", err, out)
	}
	return nil
}

// smallDisplay gives the rest of the test a screen of 1024x768.
func smallDisplay(t *testing.T) {
	t.Helper()
	usual := display
	stop, err := startDisplay("1024x768")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		display = usual
	})
}

// startDisplay starts Xvfb with a window manager, makes it the display and answers how to stop them. The number is a random
// one: Xvfb itself would try them from 0 on, and on its way takes away the socket files of displays that are in use.
func startDisplay(size string) (func(), error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	number := fmt.Sprintf(":%d", 1000+rand.IntN(50000))
	xvfb := exec.Command("Xvfb", number, "-displayfd", "3", "-screen", "0", size+"x24", "-nolisten", "tcp")
	xvfb.ExtraFiles = []*os.File{write}
	if err := xvfb.Start(); err != nil {
		return nil, err
	}
	write.Close()
	line, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("Xvfb: %w", err)
	}
	display = ":" + strings.TrimSpace(line)
	manager := exec.Command("openbox")
	manager.Env = append(os.Environ(), "DISPLAY="+display)
	if err := manager.Start(); err != nil {
		return nil, err
	}
	return func() {
		manager.Process.Kill()
		manager.Wait()
		xvfb.Process.Signal(syscall.SIGTERM)
		xvfb.Wait()
	}, nil
}

// message is one report of a page.
type message struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

func (m message) String() string { return m.Name + "=" + string(m.Value) }

// reporter is the test's own WebSocket server; pages tell it what they see.
type reporter struct {
	t    testing.TB
	Port int
	ch   chan message
	seen []message
}

func newReporter(t testing.TB) *reporter {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &reporter{t: t, Port: ln.Addr().(*net.TCPAddr).Port, ch: make(chan message, 4096)}
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		c, err := up.Upgrade(w, q, nil)
		if err != nil {
			return
		}
		defer c.Close()
		for {
			var m message
			if err := c.ReadJSON(&m); err != nil {
				return
			}
			r.ch <- m
		}
	})}
	go srv.Serve(ln)
	t.Cleanup(func() { srv.Close() })
	return r
}

// wait answers the next report called name; other reports are kept for later waits.
func (r *reporter) wait(name string) json.RawMessage {
	r.t.Helper()
	for i, m := range r.seen {
		if m.Name == name {
			r.seen = append(r.seen[:i], r.seen[i+1:]...)
			return m.Value
		}
	}
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for {
		select {
		case m := <-r.ch:
			if m.Name == name {
				return m.Value
			}
			r.seen = append(r.seen, m)
		case <-timeout.C:
			r.t.Fatalf("no report %q within %s; others: %v", name, patience, r.seen)
		}
	}
}

// waitString is wait for a JSON string.
func (r *reporter) waitString(name string) string {
	r.t.Helper()
	var s string
	if err := json.Unmarshal(r.wait(name), &s); err != nil {
		r.t.Fatalf("report %q: %v", name, err)
	}
	return s
}

// reportJS gives pages report(name, value) and sleep-free helpers.
const reportJS = `
(function () {
  const queue = []
  let ws = null
  window.report = function (name, value) {
    const text = JSON.stringify({ name, value: value === undefined ? null : value })
    if (ws && ws.readyState === 1) ws.send(text); else queue.push(text)
  }
  ws = new WebSocket('ws://127.0.0.1:REPORT_PORT/report')
  ws.onopen = function () { for (const q of queue.splice(0)) ws.send(q) }
  window.addEventListener('error', e => report('pageerror', String(e.message)))
  window.addEventListener('unhandledrejection', e => report('pageerror', String(e.reason)))
})()
`

// game writes files into a new folder. The manifest allows the reporter and whatever else hosts names; extra is put
// into the manifest's top level as it stands. In every file REPORT_PORT becomes the reporter's port.
func (r *reporter) game(t testing.TB, extra string, hosts []string, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	list, err := json.Marshal(append([]string{fmt.Sprintf("127.0.0.1:%d", r.Port)}, hosts...))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(extra, `"network"`) {
		extra = `"network": {"allowedHosts": ALLOWED},` + extra
	}
	manifest := `{"format": 1, "name": "e2e", ` + strings.TrimSuffix(strings.TrimSpace(extra), ",") + `}`
	all := map[string]string{"conch.json": strings.ReplaceAll(manifest, "ALLOWED", string(list)), "report.js": reportJS}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		text = strings.ReplaceAll(text, "REPORT_PORT", strconv.Itoa(r.Port))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// page wraps a script into a small document that loads report.js first.
func page(script string) string {
	return `<!doctype html><html><head><meta charset="utf-8"><title>e2e</title></head><body>
<script src="/report.js"></script><script type="module">` + script + `</script></body></html>`
}

// home is one player's home folder: saves live in it.
type home struct{ dir string }

func newHome(t testing.TB) home {
	t.Helper()
	dir := t.TempDir()
	// A browser may still write into its profile while it ends: the folder is removed with a second try.
	return home{dir}
}

func (h home) env() []string {
	env := []string{}
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "XDG_") && !strings.HasPrefix(kv, "DBUS_") && !strings.HasPrefix(kv, "HOME=") {
			env = append(env, kv)
		}
	}
	return append(env, "HOME="+h.dir, "DISPLAY="+display, "NO_AT_BRIDGE=1", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent",
		"LIBGL_ALWAYS_SOFTWARE=1")
}

// process is a program under test with its output.
type process struct {
	t    testing.TB
	cmd  *exec.Cmd
	mu   sync.Mutex
	out  bytes.Buffer
	done chan struct{}
	err  error
}

func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.Write(b)
}

// output is everything written so far.
func (p *process) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}

// start runs a program until the test ends.
func start(t testing.TB, env []string, stdout io.Writer, name string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(name, args...), done: make(chan struct{})}
	p.cmd.Env = env
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.Stdout, p.cmd.Stderr = p, p
	if stdout != nil {
		p.cmd.Stdout = stdout
	}
	p.cmd.WaitDelay = 5 * time.Second
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(func() {
		p.stop()
		if t.Failed() {
			t.Logf("output of %s:\n%s", filepath.Base(name), p.output())
		}
	})
	return p
}

// stop asks the process to end, as a closing terminal would, and waits.
func (p *process) stop() {
	select {
	case <-p.done:
		return
	default:
	}
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(patience):
		syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		<-p.done
		p.t.Errorf("process %d did not end on SIGTERM", p.cmd.Process.Pid)
	}
}

// kill ends the process at once, as a task manager would. Its children notice by themselves.
func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.done
}

// waitExit waits until the process ends by itself and answers its exit code.
func (p *process) waitExit() int {
	p.t.Helper()
	select {
	case <-p.done:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		p.t.Fatalf("process did not end within %s:\n%s", patience, p.output())
		return -1
	}
}

// waitOutput waits until the output contains text.
func (p *process) waitOutput(text string) {
	p.t.Helper()
	deadline := time.Now().Add(patience)
	for !strings.Contains(p.output(), text) {
		if time.Now().After(deadline) {
			p.t.Fatalf("output without %q:\n%s", text, p.output())
		}
		select {
		case <-p.done:
			if !strings.Contains(p.output(), text) {
				p.t.Fatalf("ended without %q:\n%s", text, p.output())
			}
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// play opens game in the real window.
func play(t testing.TB, h home, game string, args ...string) *process {
	t.Helper()
	return start(t, h.env(), nil, conchBin, append([]string{"play", "-v", game}, args...)...)
}

// served is a running `serve --json`.
type served struct {
	*process
	URL        string `json:"url"`
	Origin     string `json:"origin"`
	Port       int    `json:"port"`
	RelayPorts []int  `json:"relayPorts"`
}

// serve starts conch-host serve and reads its one line.
func serve(t testing.TB, h home, game string, args ...string) *served {
	t.Helper()
	return serveBy(t, h.env(), append([]string{hostBin, "serve", "--json", "-v", game}, args...)...)
}

// serveBy reads the one line of a program that serves.
func serveBy(t testing.TB, env []string, words ...string) *served {
	t.Helper()
	read, write := io.Pipe()
	s := &served{process: start(t, env, write, words[0], words[1:]...)}
	line := make(chan []byte, 1)
	go func() {
		text, _ := bufio.NewReader(read).ReadBytes('\n')
		line <- text
		io.Copy(io.Discard, read)
	}()
	select {
	case text := <-line:
		if err := json.Unmarshal(text, s); err != nil {
			t.Fatalf("serve --json: %v in %q", err, text)
		}
	case <-s.done:
		t.Fatalf("serve ended: %s", s.output())
	case <-time.After(patience):
		t.Fatal("serve printed nothing")
	}
	return s
}

// chromium opens url headless with a fresh profile, or with the profile folder given.
func chromium(t testing.TB, h home, url string, args ...string) *process {
	t.Helper()
	profile := filepath.Join(h.dir, "chromium")
	all := append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
		"--autoplay-policy=no-user-gesture-required", "--enable-unsafe-swiftshader", "--user-data-dir=" + profile}, args...)
	return start(t, h.env(), nil, "chromium", append(all, url)...)
}

// engine names how a test shows its page.
type engine struct {
	name string
	open func(t testing.TB, h home, game string, args ...string) *process
}

// engines are the two real ones: the window (WebKitGTK) and `conch serve` in headless Chromium.
var engines = []engine{
	{"webkitgtk", play},
	{"chromium", func(t testing.TB, h home, game string, args ...string) *process {
		s := serve(t, h, game, args...)
		return chromium(t, h, s.URL)
	}},
}

// inBoth runs one test in both engines.
func inBoth(t *testing.T, f func(t *testing.T, e engine)) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) { f(t, e) })
	}
}

// x runs an X tool on the test's display.
func x(t testing.TB, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "DISPLAY="+display)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// windowID waits for the window with this title and answers its id. Another window may vanish while xdotool looks
// through them, and then it fails: it is asked again.
func windowID(t *testing.T, title string) string {
	t.Helper()
	var ids []string
	eventually(t, "a window titled "+title, func() bool {
		cmd := exec.Command("xdotool", "search", "--onlyvisible", "--name", title)
		cmd.Env = append(os.Environ(), "DISPLAY="+display)
		out, _ := cmd.Output()
		ids = strings.Fields(string(out))
		return len(ids) > 0
	})
	return ids[0]
}

// activate gives the window with this title the keyboard and answers its id. Window and window manager may be at work
// on it or on another one, so it is tried until the keyboard is there.
func activate(t *testing.T, title string) string {
	t.Helper()
	id := ""
	eventually(t, "the keyboard on "+title, func() bool {
		id = windowID(t, title)
		tool("xdotool", "windowactivate", id)
		return tool("xdotool", "getactivewindow") == id
	})
	return id
}

// dismiss closes the box with this title by Escape. The key is pressed once, and again only when the box did not take
// it: a second one could reach the box that comes after it.
func dismiss(t *testing.T, title string) {
	t.Helper()
	id := windowID(t, title)
	var pressed time.Time
	eventually(t, "the end of "+title, func() bool {
		if !strings.Contains(tool("xwininfo", "-id", id), "IsViewable") {
			return true
		}
		switch {
		case time.Since(pressed) < 10*time.Second:
		case tool("xdotool", "getactivewindow") == id:
			tool("xdotool", "key", "Escape")
			pressed = time.Now()
		default:
			tool("xdotool", "windowactivate", id)
		}
		return false
	})
}

// tool runs an X tool that may fail, because windows come and go, and answers what it printed.
func tool(name string, args ...string) string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "DISPLAY="+display)
	out, _ := cmd.Output()
	return strings.TrimSpace(string(out))
}

// screenshot writes the screen to $CONCH_SHOTS/name.png when that folder is given.
func screenshot(t testing.TB, name string) {
	t.Helper()
	dir := os.Getenv("CONCH_SHOTS")
	if dir == "" {
		return
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	x(t, "import", "-window", "root", filepath.Join(dir, name+".png"))
}

// eventually polls for a state that no event announces, such as a file or a window property.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
