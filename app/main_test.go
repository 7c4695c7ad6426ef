package app

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"conch/internal/leak"
	"conch/internal/wstest"
)

// TestMain fails the package when a goroutine survives its tests.
func TestMain(m *testing.M) {
	os.Exit(leak.Run(m))
}

// gameFolder writes a game whose own port is free; network is that part of its conch.json, "" for a game without one.
func gameFolder(t testing.TB, network string) string {
	t.Helper()
	for top, n := t.TempDir(), 0; ; n++ {
		dir := filepath.Join(top, strconv.Itoa(n))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, "index.html"), "<!doctype html><title>My Game</title><script src=game.js></script>")
		put(t, filepath.Join(dir, "game.js"), "play()")
		if network != "" {
			put(t, filepath.Join(dir, "conch.json"), `{"format":1,"name":"My Game","network":`+network+`}`)
		}
		g, err := New(Options{Path: dir, DataDir: filepath.Join(top, "state")})
		if err != nil { // the test is about that
			return dir
		}
		port := g.OwnPort() // follows from the path
		g.Close()
		if ln, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			ln.Close()
			return dir
		}
	}
}

func put(t testing.TB, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// open makes an App that ends with the test; nothing listens yet.
func open(t testing.TB, o Options) *App {
	t.Helper()
	if o.DataDir == "" {
		o.DataDir = t.TempDir()
	}
	g, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	if o.AnyPort { // only a taken port makes a difference
		if ln, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", g.OwnPort())); err == nil {
			t.Cleanup(func() { ln.Close() })
		}
	}
	return g
}

// start opens and serves a game.
func start(t testing.TB, o Options) *App {
	t.Helper()
	g := open(t, o)
	if err := g.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	serve(t, g)
	return g
}

func serve(t testing.TB, g *App) {
	t.Helper()
	served := make(chan error, 1)
	go func() { served <- g.Serve() }()
	t.Cleanup(func() {
		g.Close()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
}

// browser is an engine that was let into a game.
type browser struct {
	t      testing.TB
	origin string
	cookie string
}

// enter goes through the entry address.
func enter(t testing.TB, g *App) *browser {
	t.Helper()
	b := &browser{t: t, origin: g.Server.Origin()}
	res, _ := b.do(http.MethodGet, strings.TrimPrefix(g.Server.EntryURL(), b.origin), "")
	if res.StatusCode != http.StatusOK || len(res.Cookies()) != 1 {
		t.Fatalf("entry: status %d, cookies %v", res.StatusCode, res.Cookies())
	}
	c := res.Cookies()[0]
	b.cookie = c.Name + "=" + c.Value
	return b
}

func (b *browser) do(method, path, body string) (*http.Response, string) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.origin+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	if b.cookie != "" {
		req.Header.Set("Cookie", b.cookie)
	}
	if method != http.MethodGet {
		req.Header.Set("Origin", b.origin)
	}
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return res, string(text)
}

// get wants status 200.
func (b *browser) get(path string) string {
	b.t.Helper()
	res, text := b.do(http.MethodGet, path, "")
	if res.StatusCode != http.StatusOK {
		b.t.Fatalf("GET %s: status %d", path, res.StatusCode)
	}
	return text
}

// config is what the page script was told.
type config struct {
	RelayPorts    []int
	Available     bool
	Context       string
	AllowedHosts  []string
	AllowAnyHost  bool
	Debug         bool
	OwnOrigin     string
	ProxyPrefixes []string
	Restore       map[string]string
	Shadow        bool
}

// config reads the configuration out of the page script, as it is sent.
func (b *browser) config() config {
	b.t.Helper()
	script := b.get("/__conch/page.js")
	i := strings.Index(script, `{"allowAnyHost"`)
	if i < 0 {
		b.t.Fatal("no configuration in the page script")
	}
	var c config
	if err := json.NewDecoder(strings.NewReader(script[i:])).Decode(&c); err != nil {
		b.t.Fatal(err)
	}
	return c
}

// page is the page's side of the sockets.
func (b *browser) page(g *App) wstest.Page {
	return wstest.Page{Port: g.Relay.PortNumbers()[0], Origin: b.origin, Cookie: b.cookie}
}

// reason asks why a socket failed, as the page does.
func (b *browser) reason(id string) string {
	b.t.Helper()
	var answer struct{ Message string }
	if err := json.Unmarshal([]byte(b.get("/__conch/net/reason?id="+id)), &answer); err != nil {
		b.t.Fatal(err)
	}
	return answer.Message
}
