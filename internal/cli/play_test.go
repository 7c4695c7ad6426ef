package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"conch/app"
	"conch/internal/wstest"
)

// place is a game, a data folder and the game's own port, which is free.
type place struct {
	game, data string
	port       int
}

func newPlace(t *testing.T) place {
	t.Helper()
	for top, n := t.TempDir(), 0; ; n++ {
		p := place{game: filepath.Join(top, strconv.Itoa(n)), data: filepath.Join(top, "data")}
		if err := os.Mkdir(p.game, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(p.game, "index.html"), []byte("<!doctype html><title>My Game</title>"), 0o600); err != nil {
			t.Fatal(err)
		}
		g, err := app.New(app.Options{Path: p.game, DataDir: p.data})
		if err != nil {
			t.Fatal(err)
		}
		p.port = g.OwnPort()
		g.Close()
		if ln, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", p.port)); err == nil {
			ln.Close()
			return p
		}
	}
}

// hold is another program on the game's port.
func (p place) hold(t *testing.T) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", p.port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	return ln
}

// desktop is a start without a terminal: what goes wrong is shown in boxes.
type desktop struct {
	*Program
	boxes   []string     // text and buttons of each box
	answers []func() int // what the player does with them
	windows int
}

func newDesktop(t *testing.T, answers ...func() int) *desktop {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	setStderr(t, null)
	d := &desktop{answers: answers}
	d.Program = &Program{
		Name:   "conch",
		Window: func(context.Context, *app.App) error { d.windows++; return nil },
		Alert: func(_ context.Context, title, text string, buttons ...string) int {
			d.boxes = append(d.boxes, fmt.Sprintf("%s: %s %v", title, text, buttons))
			if len(d.answers) == 0 {
				return -1
			}
			answer := d.answers[0]
			d.answers = d.answers[1:]
			return answer()
		},
	}
	return d
}

// setStderr changes the process's standard error for the test.
func setStderr(t *testing.T, f *os.File) {
	t.Helper()
	old := os.Stderr
	os.Stderr = f
	t.Cleanup(func() { os.Stderr = old; f.Close() })
}

func (d *desktop) run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = d.Run(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

const press = 0 // the first button

func TestPortTakenRetry(t *testing.T) {
	p := newPlace(t)
	ln := p.hold(t)
	d := newDesktop(t, func() int { return press }, func() int { ln.Close(); return press })
	if code, _, stderr := d.run(t, "play", "--data", p.data, p.game); code != 0 || d.windows != 1 {
		t.Errorf("code %d, %d windows: %s", code, d.windows, stderr)
	}
	want := fmt.Sprintf("Conch: Port %d of this game is in use by ", p.port)
	if len(d.boxes) != 2 || !strings.HasPrefix(d.boxes[0], want) || !strings.HasSuffix(d.boxes[0], ". [Retry Close]") ||
		!strings.Contains(d.boxes[0], "(process "+strconv.Itoa(os.Getpid())+"); close that program") || !strings.Contains(d.boxes[0], "--any-port") {
		t.Errorf("boxes %q", d.boxes)
	}
}

func TestPortTakenClose(t *testing.T) {
	for name, answer := range map[string]int{"close": 1, "box closed": -1} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.hold(t)
			d := newDesktop(t, func() int { return answer })
			code, stdout, stderr := d.run(t, p.game, "--data", p.data)
			if code != 1 || d.windows != 0 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "in use by") {
				t.Errorf("code %d, %d windows, stdout %q, stderr %q", code, d.windows, stdout, stderr)
			}
			if len(d.boxes) != 1 { // the player has read it
				t.Errorf("boxes %q", d.boxes)
			}
		})
	}
}

// Without a box to show, the same error goes to standard error only.
func TestPortTakenWithoutBoxes(t *testing.T) {
	p := newPlace(t)
	p.hold(t)
	d := newDesktop(t)
	d.Alert = nil
	if code, _, stderr := d.run(t, p.game, "--data", p.data); code != 1 || !strings.Contains(stderr, "--any-port") {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
	var out, errs bytes.Buffer
	host := &Program{Name: "conch-host"}
	if code := host.Run(t.Context(), []string{"serve", "--data", p.data, p.game}, &out, &errs); code != 1 || out.Len() != 0 ||
		!strings.Contains(errs.String(), fmt.Sprintf("port %d of this game is in use by", p.port)) {
		t.Errorf("serve: code %d, stdout %q, stderr %q", code, &out, &errs)
	}
}

func TestOtherErrorsAreShownOnce(t *testing.T) {
	p := newPlace(t)
	for _, row := range []struct {
		name   string
		args   []string
		window error
		want   string
	}{
		{"missing", []string{"play", filepath.Join(p.data, "missing")}, nil, "Conch: Open game: "},
		{"window", []string{p.game, "--data", p.data}, errors.New("the window has no web view"), "Conch: The window has no web view. [Close]"},
		{"port", []string{p.game, "--data", p.data, "--port", "-1"}, nil, "Conch: --port -1: "},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := newDesktop(t)
			d.Window = func(context.Context, *app.App) error { return row.window }
			if code, _, stderr := d.run(t, row.args...); code == 0 || stderr == "" {
				t.Errorf("code %d, stderr %q", code, stderr)
			}
			if len(d.boxes) != 1 || !strings.HasPrefix(d.boxes[0], row.want) {
				t.Errorf("boxes %q", d.boxes)
			}
		})
	}
}

func TestWindowGetsAGameThatAnswers(t *testing.T) {
	p := newPlace(t)
	d := newDesktop(t)
	d.Window = func(ctx context.Context, g *app.App) error {
		if g.Server.Port() != p.port || g.WebProxy.URL() == "" || ctx.Err() != nil {
			t.Errorf("port %d, want %d; proxy %q", g.Server.Port(), p.port, g.WebProxy.URL())
		}
		if page := browse(t, g.Server.EntryURL(), g.Server.Origin()+"/"); !strings.Contains(page, "My Game") {
			t.Errorf("page: %s", page)
		}
		// A second start while the first runs raises its window and is no failure.
		raised := false
		g.OnRaise(func() { raised = true })
		second := *d.Program
		second.Window = func(context.Context, *app.App) error { t.Error("a second window"); return nil }
		var out, errs bytes.Buffer
		code := second.Run(ctx, []string{p.game, "--data", p.data}, &out, &errs)
		if code != 0 || !raised || out.Len() != 0 || errs.String() != "conch: the game is already running; its window was raised\n" {
			t.Errorf("second start: code %d, raised %t, stdout %q, stderr %q", code, raised, &out, &errs)
		}
		return nil
	}
	if code, _, stderr := d.run(t, p.game, "--data", p.data); code != 0 || stderr != "" || len(d.boxes) != 0 {
		t.Errorf("code %d, stderr %q, boxes %q", code, stderr, d.boxes)
	}
}

// browse opens the entry address and then the page, as the engine does.
func browse(t *testing.T, entry, page string) string {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}
	text := ""
	for _, address := range []string{entry, page} {
		res, err := client.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: status %d, %v", address, res.StatusCode, err)
		}
		text = string(body)
	}
	return text
}

func TestWithPlay(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"game.zip", "inspect", "__x"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	full := filepath.Join(dir, "inspect")
	for _, row := range []struct{ args, window, none []string }{
		{nil, nil, nil},
		{[]string{"game.zip"}, []string{"play", "game.zip"}, []string{"game.zip"}},
		{[]string{"game.zip", "-v"}, []string{"play", "game.zip", "-v"}, []string{"game.zip", "-v"}},
		{[]string{full}, []string{"play", full}, []string{full}},
		{[]string{"."}, []string{"play", "."}, []string{"."}},
		{[]string{"inspect", "game.zip"}, []string{"inspect", "game.zip"}, []string{"inspect", "game.zip"}},
		{[]string{"missing.zip"}, []string{"missing.zip"}, []string{"missing.zip"}},
		{[]string{"--help"}, []string{"--help"}, []string{"--help"}},
		{[]string{"help", "play"}, []string{"help", "play"}, []string{"help", "play"}},
		{[]string{"completion", "bash"}, []string{"completion", "bash"}, []string{"completion", "bash"}},
		{[]string{"__x"}, []string{"__x"}, []string{"__x"}},
		{[]string{""}, []string{""}, []string{""}},
	} {
		with := &Program{Name: "conch", Window: func(context.Context, *app.App) error { return nil }}
		if got := with.withPlay(with.root(), row.args); !slices.Equal(got, row.window) {
			t.Errorf("conch %q: got %q, want %q", row.args, got, row.window)
		}
		without := &Program{Name: "conch-host"}
		if got := without.withPlay(without.root(), row.args); !slices.Equal(got, row.none) {
			t.Errorf("conch-host %q: got %q, want %q", row.args, got, row.none)
		}
	}
}

// firstLine passes on the first line that is written to it.
type firstLine struct {
	mu   sync.Mutex
	text []byte
	line chan string
}

func (f *firstLine) Write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	had := bytes.IndexByte(f.text, '\n') >= 0
	f.text = append(f.text, b...)
	if i := bytes.IndexByte(f.text, '\n'); i >= 0 && !had {
		f.line <- string(f.text[:i])
	}
	return len(b), nil
}

func TestServe(t *testing.T) {
	p := newPlace(t)
	ca := filepath.Join(p.data, "ca.pem")
	if err := os.WriteFile(ca, wstest.NewCA(t).PEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, asJSON := range []bool{false, true} {
		ctx, interrupt := context.WithCancel(t.Context())
		out := &firstLine{line: make(chan string, 1)}
		args := []string{"serve", "--data", p.data, "--ca", ca, p.game}
		if asJSON {
			args = append(args, "--json")
		}
		var errs bytes.Buffer
		ended := make(chan int, 1)
		go func() { ended <- (&Program{Name: "conch-host"}).Run(ctx, args, out, &errs) }()
		var line string
		select {
		case line = <-out.line:
		case code := <-ended:
			t.Fatalf("code %d: %s", code, &errs)
		}
		origin := fmt.Sprintf("http://127.0.0.1:%d", p.port)
		if asJSON {
			var said struct {
				URL, Origin string
				Port, PID   int
				RelayPorts  []int
			}
			if err := json.Unmarshal([]byte(line), &said); err != nil {
				t.Fatal(err)
			}
			if said.Origin != origin || said.Port != p.port || said.PID != os.Getpid() || len(said.RelayPorts) == 0 {
				t.Errorf("got %+v", said)
			}
			line = said.URL
		}
		if page := browse(t, line, origin+"/"); !strings.Contains(page, "My Game") {
			t.Errorf("page: %s", page)
		}
		interrupt()
		if code := <-ended; code != 0 || errs.Len() != 0 {
			t.Errorf("code %d, stderr %q", code, &errs)
		}
	}
}

// A result that cannot be written ends the command.
func TestServeToAClosedPipe(t *testing.T) {
	p := newPlace(t)
	r, w := io.Pipe()
	r.Close()
	var errs bytes.Buffer
	if code := (&Program{Name: "conch-host"}).Run(t.Context(), []string{"serve", "--data", p.data, p.game}, w, &errs); code != 1 {
		t.Errorf("code %d: %s", code, &errs)
	}
}
