package app

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"conch/internal/wstest"
	gameruntime "conch/runtime"
	"conch/runtime/bundle"
)

func TestGameIsServedToTheEngineThatEntered(t *testing.T) {
	g := start(t, Options{Path: gameFolder(t, "")})
	if g.Server.Port() != g.OwnPort() {
		t.Errorf("port %d, own port %d", g.Server.Port(), g.OwnPort())
	}
	stranger := &browser{t: t, origin: g.Server.Origin()}
	for _, path := range []string{"/", "/index.html", "/game.js", "/__conch/page.js", "/__conch/net/reason?id=a", "/__conch/enter?n=guess"} {
		if res, body := stranger.do(http.MethodGet, path, ""); res.StatusCode != http.StatusForbidden || body != "" {
			t.Errorf("%s without the cookie: status %d, %d bytes", path, res.StatusCode, len(body))
		}
	}
	entry := strings.TrimPrefix(g.Server.EntryURL(), stranger.origin)
	stranger.get(entry)
	if res, _ := stranger.do(http.MethodGet, entry, ""); res.StatusCode != http.StatusForbidden {
		t.Errorf("an entry address worked twice: status %d", res.StatusCode)
	}

	b := enter(t, g)
	if page := b.get("/"); !strings.Contains(page, `<script src="/__conch/page.js"></script>`) || !strings.Contains(page, "My Game") {
		t.Errorf("page: %s", page)
	}
	if text := b.get("/game.js"); text != "play()" {
		t.Errorf("game.js: %s", text)
	}
	res, _ := b.do(http.MethodGet, "/", "")
	policy := res.Header.Get("Content-Security-Policy")
	for _, port := range g.Relay.PortNumbers() {
		if !strings.Contains(policy, fmt.Sprintf("ws://127.0.0.1:%d", port)) {
			t.Errorf("relay port %d is not in %s", port, policy)
		}
	}
}

func TestPageConfig(t *testing.T) {
	g := start(t, Options{Debug: true, Path: gameFolder(t, `{
		"allowedHosts": ["Play.Example.net", "*.example.org:8443 # rooms"], "allowAnyHost": true,
		"proxy": {"/z/": "https://play.example.net", "/a/": "https://play.example.net", "/m/": "https://play.example.net"}}`)})
	got := enter(t, g).config()
	if !slices.Equal(got.RelayPorts, g.Relay.PortNumbers()) || len(got.RelayPorts) == 0 {
		t.Errorf("relay ports %v, want %v", got.RelayPorts, g.Relay.PortNumbers())
	}
	if want := []string{"play.example.net", "*.example.org:8443"}; !slices.Equal(got.AllowedHosts, want) {
		t.Errorf("allowed hosts %q, want %q", got.AllowedHosts, want)
	}
	if want := []string{"/a/", "/m/", "/z/"}; !slices.Equal(got.ProxyPrefixes, want) {
		t.Errorf("prefixes %q, want %q", got.ProxyPrefixes, want)
	}
	if !got.Available || got.Context != "standalone" || !got.AllowAnyHost || !got.Debug || !got.Shadow || got.OwnOrigin != g.Server.Origin() || got.Restore != nil {
		t.Errorf("got %+v", got)
	}
	plain := enter(t, start(t, Options{Path: gameFolder(t, "")}))
	if got := plain.config(); got.AllowAnyHost || got.Debug || got.AllowedHosts == nil || got.ProxyPrefixes == nil {
		t.Errorf("without a manifest: %+v", got)
	}
}

func TestDevtools(t *testing.T) {
	for _, row := range []struct {
		name     string
		manifest string
		debug    bool
		want     bool
	}{
		{"off", `{"format":1}`, false, false},
		{"manifest", `{"format":1,"web":{"devtools":true}}`, false, true},
		{"flag", `{"format":1}`, true, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := gameFolder(t, "")
			put(t, filepath.Join(dir, "conch.json"), row.manifest)
			if g := open(t, Options{Path: dir, Debug: row.debug}); g.Devtools() != row.want || g.Debug() != row.debug {
				t.Errorf("devtools %t, debug %t", g.Devtools(), g.Debug())
			}
		})
	}
}

func TestNewRefusesWhatIsNoGame(t *testing.T) {
	data := t.TempDir()
	if _, err := New(Options{Path: filepath.Join(data, "missing"), DataDir: data}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	text := filepath.Join(data, "notes.txt")
	put(t, text, "hello")
	if _, err := New(Options{Path: text, DataDir: data}); !errors.Is(err, bundle.ErrNotGame) {
		t.Errorf("text: %v", err)
	}
	if _, err := New(Options{Path: gameFolder(t, ""), DataDir: filepath.Join(text, "x")}); err == nil {
		t.Error("a data folder inside a file was accepted")
	}
	if _, err := New(Options{Path: gameFolder(t, `{"allowedHosts":["*"]}`), DataDir: data}); err == nil || !strings.Contains(err.Error(), "network.allowedHosts") {
		t.Errorf("bad list: %v", err)
	}
}

func TestTheGameKeepsItsPortAndKey(t *testing.T) {
	dir, data := gameFolder(t, ""), t.TempDir()
	first := open(t, Options{Path: dir, DataDir: data})
	again := open(t, Options{Path: dir, DataDir: data})
	if first.Key != again.Key || first.OwnPort() != again.OwnPort() {
		t.Errorf("%s %d, then %s %d", first.Key, first.OwnPort(), again.Key, again.OwnPort())
	}
	other := open(t, Options{Path: gameFolder(t, ""), DataDir: data})
	if other.Key == first.Key || other.OwnPort() == first.OwnPort() {
		t.Errorf("another game has key %s and port %d too", other.Key, other.OwnPort())
	}
	if info, err := os.Stat(first.gameDir()); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder of the game: %v, %v", info, err)
	}
}

func TestDataDir(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("CONCH_DATA", dir)
	if got, err := DataDir(); got != dir || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	g, err := New(Options{Path: gameFolder(t, "")})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if !strings.HasPrefix(g.ProfileDir(), dir) {
		t.Errorf("profile in %s", g.ProfileDir())
	}
}

func TestPortTakenByAnotherProgram(t *testing.T) {
	g := open(t, Options{Path: gameFolder(t, "")})
	ln := hold(t, g.OwnPort())
	var taken *gameruntime.PortTakenError
	if err := g.Listen(t.Context()); !errors.As(err, &taken) || taken.Port != g.OwnPort() || taken.PID != os.Getpid() {
		t.Fatalf("got %v", err)
	}
	ln.Close()
	if err := g.Listen(t.Context()); err != nil {
		t.Errorf("after the port was given up: %v", err)
	}
}

// hold is another program on a game's port.
func hold(t testing.TB, port int) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	return ln
}

func TestCloseAtAnyTime(t *testing.T) {
	for _, row := range []struct {
		name   string
		listen bool
		window bool
	}{{"before listen", false, true}, {"before serve", true, false}, {"before serve, with a window", true, true}} {
		t.Run(row.name, func(t *testing.T) {
			g := open(t, Options{Path: gameFolder(t, ""), Window: row.window})
			if row.listen {
				if err := g.Listen(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			g.Close()
			if err := g.Serve(); err != nil {
				t.Errorf("serve after close: %v", err)
			}
		})
	}
	t.Run("while serve begins", func(t *testing.T) {
		for range 20 {
			g := open(t, Options{Path: gameFolder(t, ""), Window: true})
			if err := g.Listen(t.Context()); err != nil {
				t.Fatal(err)
			}
			served := make(chan error, 1)
			go func() { served <- g.Serve() }()
			if err := g.Close(); err != nil {
				t.Error(err)
			}
			if err := <-served; err != nil {
				t.Error(err)
			}
		}
	})
}

func TestServeReturnsTheFirstFailure(t *testing.T) {
	g := open(t, Options{Path: gameFolder(t, "")})
	if err := g.Server.Listen(0); err != nil { // the relay does not listen
		t.Fatal(err)
	}
	if err := g.Serve(); err == nil {
		t.Error("serve without a relay ended well")
	}
}

// The copy of localStorage is kept, carried over to another port, and carried over no more once the page has sent its
// own: else what the game deletes would come back.
func TestStorageIsCarriedOver(t *testing.T) {
	o := Options{Path: gameFolder(t, ""), DataDir: t.TempDir()}
	const saved = `{"level":"7","odd":"\ud800"}`
	own := start(t, o)
	b := enter(t, own)
	if got := b.config().Restore; got != nil {
		t.Errorf("restore at the game's own port: %v", got)
	}
	if res, _ := b.do(http.MethodPost, "/__conch/storage", saved); res.StatusCode != http.StatusNoContent {
		t.Fatalf("storage: status %d", res.StatusCode)
	}
	if text, err := os.ReadFile(own.storageFile()); string(text) != saved || err != nil {
		t.Fatalf("kept %s, %v", text, err)
	}
	if info, err := os.Stat(own.storageFile()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the copy: %v, %v", info, err)
	}

	o.AnyPort = true
	moved := start(t, o)
	if moved.Server.Port() == moved.OwnPort() || moved.OwnPort() != own.OwnPort() {
		t.Fatalf("port %d, own %d", moved.Server.Port(), moved.OwnPort())
	}
	b = enter(t, moved)
	for range 2 { // a page that is loaded again before it has sent anything
		if got := b.config().Restore; got["level"] != "7" {
			t.Fatalf("restore: %v", got)
		}
	}
	if !strings.Contains(b.get("/__conch/page.js"), saved) {
		t.Error("the copy was changed on its way")
	}
	if res, _ := b.do(http.MethodPost, "/__conch/storage", `{"level":"8"}`); res.StatusCode != http.StatusNoContent {
		t.Fatalf("storage: status %d", res.StatusCode)
	}
	if got := b.config().Restore; got != nil {
		t.Errorf("restore after the page's own copy: %v", got)
	}
}

func TestStorageCopyThatMakesNoSense(t *testing.T) {
	for name, text := range map[string]string{
		"none": "", "cut": `{"level":`, "list": `["a"]`, "null": "null", "huge": `{"a":"` + strings.Repeat("x", maxStorage) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			g := open(t, Options{Path: gameFolder(t, ""), AnyPort: true})
			if name != "none" {
				put(t, g.storageFile(), text)
			}
			if err := g.Listen(t.Context()); err != nil {
				t.Fatal(err)
			}
			if g.restore != nil {
				t.Errorf("%d bytes would be carried over", len(g.restore))
			}
		})
	}
	g := open(t, Options{Path: gameFolder(t, "")})
	if err := g.saveStorage(make([]byte, maxStorage+1)); err == nil {
		t.Error("a copy beyond the limit was kept")
	}
}

func TestWebHosts(t *testing.T) {
	g := open(t, Options{Path: gameFolder(t, `{"webHosts":["cdn.example.net","*.example.org"]}`)})
	for _, row := range []struct {
		host string
		port int
		want bool
	}{
		{"cdn.example.net", 443, true},
		{"CDN.example.net.", 443, true},
		{"cdn.example.net", 80, false},
		{"cdn.example.net", 8443, false},
		{"example.net", 443, false},
		{"a.example.org", 443, true},
		{"example.org", 443, false},
		{"cdn.example.net.evil.example", 443, false},
		{"127.0.0.1", 443, false},
		{"cdn.example.net/x", 443, false},
		{"cdn.example.net:80", 443, false},
		{"", 443, false},
	} {
		if got := g.webHostAllowed(row.host, row.port); got != row.want {
			t.Errorf("%s:%d: %t", row.host, row.port, got)
		}
	}
	none := open(t, Options{Path: gameFolder(t, "")})
	if none.webHostAllowed("cdn.example.net", 443) {
		t.Error("a game without web hosts reaches one")
	}
	for text, ok := range map[string]bool{
		"203.0.113.7": true, "2001:db8::7": true, "127.0.0.1": false, "::1": false, "10.0.0.1": false,
		"192.168.1.1": false, "169.254.169.254": false, "::ffff:10.0.0.1": false, "0.0.0.0": false,
	} {
		err := publicOnly(netip.MustParseAddr(text))
		if (err == nil) != ok || err != nil && strings.Contains(err.Error(), ".invalid") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestUpstreamAddresses(t *testing.T) {
	for _, row := range []struct {
		host, addr string
		ok         bool
	}{
		{"play.example.net", "203.0.113.7", true},
		{"play.example.net:8443", "192.168.1.1", false},
		{"play.example.net", "127.0.0.1", false},
		{"localhost:8080", "127.0.0.1", true},
		{"localhost:8080", "10.0.0.1", false},
		{"[::1]:8080", "::1", true},
		{"192.168.1.20", "192.168.1.20", true},
		{"bad host", "203.0.113.7", false},
	} {
		if err := upstreamControl(row.host, netip.MustParseAddr(row.addr)); (err == nil) != row.ok {
			t.Errorf("%s at %s: %v", row.host, row.addr, err)
		}
	}
}

// The deny-all proxy of the window is part of the game and ends with it.
func TestWindowHasAProxy(t *testing.T) {
	g := start(t, Options{Path: gameFolder(t, ""), Window: true})
	proxy, err := url.Parse(g.WebProxy.URL())
	if err != nil || proxy.Host == "" {
		t.Fatalf("proxy %q: %v", g.WebProxy.URL(), err)
	}
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy), DisableKeepAlives: true}}
	res, err := client.Get("http://web.invalid/")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusForbidden || g.WebProxy.Refused() != 1 {
		t.Errorf("status %d, refused %d", res.StatusCode, g.WebProxy.Refused())
	}
	if start(t, Options{Path: gameFolder(t, "")}).WebProxy != nil {
		t.Error("a game without a window has a web proxy")
	}
}

// A socket from the page to a server with TLS, through all parts.
func TestSocketEndToEnd(t *testing.T) {
	ca := wstest.NewCA(t)
	cert := ca.Cert("localhost", "127.0.0.1")
	far := wstest.Serve(t, wstest.Options{Cert: &cert})
	_, port, _ := net.SplitHostPort(far.Addr)
	network := fmt.Sprintf(`{"allowedHosts":["localhost:%s"],"origin":"https://game.example.net"}`, port)
	g := start(t, Options{Path: gameFolder(t, network), RootCAs: ca.Pool()})
	b := enter(t, g)

	c, _, _, err := b.page(g).Dial(far.URLFor("localhost", "/echo?room=1"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.WriteMessage(websocket.TextMessage, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	if _, got, err := c.ReadMessage(); string(got) != "hello" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	seen := far.Requests()
	if len(seen) != 1 || seen[0].Header.Get("Origin") != "https://game.example.net" || seen[0].URL.RawQuery != "room=1" || seen[0].Header.Get("Cookie") != "" {
		t.Errorf("the server saw %+v", seen)
	}

	_, res, id, err := b.page(g).Dial(far.URL("/echo"), nil) // 127.0.0.1 is not in the list
	if err == nil || res == nil || res.StatusCode != http.StatusBadGateway {
		t.Fatalf("unlisted host: %v, %+v", err, res)
	}
	if text := b.reason(id); !strings.Contains(text, "network.allowedHosts") {
		t.Errorf("reason: %s", text)
	}
	stranger := b.page(g)
	stranger.Cookie = ""
	if _, res, _, err := stranger.Dial(far.URLFor("localhost", "/echo"), nil); err == nil || res == nil || res.StatusCode != http.StatusForbidden {
		t.Errorf("without the cookie: %v, %+v", err, res)
	}
	if n := len(far.Requests()); n != 1 {
		t.Errorf("the server saw %d requests, want 1", n)
	}

	untrusted := start(t, Options{Path: gameFolder(t, network)})
	if _, res, _, err := enter(t, untrusted).page(untrusted).Dial(far.URLFor("localhost", "/echo"), nil); err == nil || res == nil || res.StatusCode != http.StatusBadGateway {
		t.Errorf("a certificate of an unknown authority: %v, %+v", err, res)
	}
}

// network.proxy: a socket to the game's own origin reaches the upstream, byte for byte and with its Origin.
func TestProxiedSocketEndToEnd(t *testing.T) {
	far := wstest.ServeRaw(t, nil, wstest.CloseInPacket)
	g := start(t, Options{Path: gameFolder(t, fmt.Sprintf(
		`{"allowedHosts":["%[1]s"],"origin":"https://game.example.net","proxy":{"/socket.io/":"http://%[1]s"}}`, far.Addr))})
	b := enter(t, g)
	own := "ws" + strings.TrimPrefix(b.origin, "http")
	c, _, _, err := b.page(g).Dial(own+"/socket.io/%zz|x?EIO=4&t=%7c", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, got, err := c.ReadMessage(); string(got) != "hi" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	heads := far.Heads()
	if len(heads) != 1 || !strings.HasPrefix(heads[0], "GET /socket.io/%zz|x?EIO=4&t=%7c HTTP/1.1\r\n") || !strings.Contains(heads[0], "\r\nOrigin: http://"+far.Addr+"\r\n") {
		t.Errorf("the server saw %q", heads)
	}
	if _, _, id, err := b.page(g).Dial(own+"/other", nil); err == nil || !strings.Contains(b.reason(id), "network.proxy") {
		t.Errorf("a path without a server: %v", err)
	}
}
