package runtime

import (
	"archive/zip"
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"conch/runtime/bundle"
)

// files are a game's files by slash name.
type files map[string]string

const plainPage = "<!doctype html>\n<html><head><title>Game</title></head><body></body></html>\n"

// withIndex adds an entry page when there is none.
func (f files) withIndex() files {
	out := files{"index.html": plainPage}
	for name, text := range f {
		out[name] = text
	}
	return out
}

// folder writes the files to a folder of the test and opens it as a game.
func folder(t testing.TB, f files) *bundle.Bundle {
	t.Helper()
	dir := t.TempDir()
	for name, text := range f.withIndex() {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return open(t, dir)
}

// zipped writes the files, compressed, to a zip and opens it as a game.
func zipped(t testing.TB, f files) *bundle.Bundle {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range f.withIndex() {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, text)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "game.zip")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return open(t, path)
}

func open(t testing.TB, path string) *bundle.Bundle {
	t.Helper()
	b, err := bundle.Open(path, bundle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// kinds serves the same files from a folder and from a zip.
func kinds(t *testing.T, f files, test func(t *testing.T, g *player)) {
	t.Run("folder", func(t *testing.T) { test(t, play(t, &Server{Bundle: folder(t, f)})) })
	t.Run("zip", func(t *testing.T) { test(t, play(t, &Server{Bundle: zipped(t, f)})) })
}

// player is a running server and the engine that was let in.
type player struct {
	*Server
	t      testing.TB
	cookie string
	log    *logBuffer
}

// play starts the server on a free port and enters.
func play(t testing.TB, s *Server) *player {
	t.Helper()
	g := &player{Server: s, t: t, log: &logBuffer{}}
	if s.Logger == nil {
		s.Logger = slog.New(slog.NewTextHandler(g.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	if s.Script == nil {
		s.Script = []byte("(()=>{globalThis.conchConfig=__CONCH_CONFIG__})()")
	}
	if err := s.Listen(0); err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve() }()
	t.Cleanup(func() {
		s.Close()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	g.cookie = g.enter()
	return g
}

func (g *player) enter() string {
	g.t.Helper()
	path := strings.TrimPrefix(g.EntryURL(), g.Origin())
	res := g.raw("GET "+path+" HTTP/1.1", "Host: "+g.launch.host)
	cookie, _, _ := strings.Cut(res.header.Get("Set-Cookie"), ";")
	if res.status != http.StatusOK || cookie == "" {
		g.t.Fatalf("enter: got %d, cookie %q", res.status, cookie)
	}
	return cookie
}

// answer is a whole response.
type answer struct {
	status int
	header http.Header
	body   string
}

// get asks for a path, sent exactly as given, with the launch cookie and headers as "Name: value".
func (g *player) get(path string, headers ...string) answer {
	g.t.Helper()
	return g.do("GET", path, "", headers...)
}

func (g *player) do(method, path, body string, headers ...string) answer {
	g.t.Helper()
	headers = append([]string{"Host: " + g.launch.host, "Cookie: " + g.cookie}, headers...)
	if body != "" {
		headers = append(headers, fmt.Sprintf("Content-Length: %d", len(body)))
	}
	return g.rawBody(method+" "+path+" HTTP/1.1", body, headers...)
}

// post sends a body as the page's own script does.
func (g *player) post(path, body string) answer {
	g.t.Helper()
	return g.do("POST", path, body, "Origin: "+g.Origin())
}

func (g *player) raw(line string, headers ...string) answer {
	g.t.Helper()
	return g.rawBody(line, "", headers...)
}

// rawBody sends a request byte by byte, since clients of libraries tidy up what a test wants untidy.
func (g *player) rawBody(line, body string, headers ...string) answer {
	g.t.Helper()
	c, err := net.Dial("tcp", g.launch.host)
	if err != nil {
		g.t.Fatal(err)
	}
	defer c.Close()
	method, _, _ := strings.Cut(line, " ")
	text := line + "\r\n" + strings.Join(append(headers, "Connection: close"), "\r\n") + "\r\n\r\n" + body
	if _, err := io.WriteString(c, text); err != nil {
		g.t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	if err != nil {
		g.t.Fatalf("%s: %v", line, err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		g.t.Fatalf("%s: body: %v", line, err)
	}
	return answer{res.StatusCode, res.Header, string(b)}
}

// want fails the test unless the answer has the status and, when body is not "*", the body.
func (a answer) want(t testing.TB, status int, body string) {
	t.Helper()
	if a.status != status {
		t.Errorf("status: got %d, want %d", a.status, status)
	}
	if body != "*" && a.body != body {
		t.Errorf("body: got %.200q, want %.200q", a.body, body)
	}
}

func (a answer) wantHeader(t testing.TB, name, want string) {
	t.Helper()
	if got := strings.Join(a.header.Values(name), ", "); got != want {
		t.Errorf("%s: got %q, want %q", name, got, want)
	}
}

// logBuffer collects log text from several goroutines.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
