//go:build e2e

package e2e

import (
	"bytes"
	"compress/zlib"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"conch/internal/wstest"
)

// netGame is a game that goes through every member of net, and the servers it meets.
type netGame struct {
	dir, ca  string
	echo     *wstest.Server
	echoHost string
	failures []failure
	redirect *wstest.Raw // where a redirect points
}

// failure is a connection that cannot be made and what onError says about it.
type failure struct{ name, url, want string }

func newNetGame(t *testing.T, r *reporter) *netGame {
	t.Helper()
	g := &netGame{echo: wstest.Serve(t, wstest.Options{Subprotocols: []string{"v1"}})}
	g.echoHost = g.echo.Addr
	_, echoPort, _ := net.SplitHostPort(g.echo.Addr)
	ca := wstest.NewCA(t)
	g.ca = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(g.ca, ca.PEM(), 0o644); err != nil {
		t.Fatal(err)
	}
	hosts := []string{g.echo.Addr, "localhost:" + echoPort}
	raw := func(name string, handle func(*wstest.Conn), want string) *wstest.Raw {
		s := wstest.ServeRaw(t, nil, handle)
		hosts = append(hosts, s.Addr)
		g.failures = append(g.failures, failure{name, s.URL("/"), strings.ReplaceAll(want, "HOST", s.Addr)})
		return s
	}
	g.redirect = wstest.ServeRaw(t, nil, wstest.Silent)
	hosts = append(hosts, g.redirect.Addr)
	raw("403", wstest.Forbidden, "the server answered 403 Forbidden")
	raw("login", wstest.Unauthorized, "the server answered 401 Unauthorized")
	raw("redirect", wstest.Answer("HTTP/1.1 302 Found\r\nLocation: "+g.redirect.URL("/")+"\r\nContent-Length: 0\r\n\r\n"),
		"the server answered 302 Found: redirects are not followed")
	raw("a web page", wstest.PlainPage, "the server answered 200 OK: not a WebSocket server at this address")
	raw("another protocol", wstest.NotHTTP, "not a WebSocket server: its answer is not HTTP")
	raw("wrong accept", wstest.BadAccept, "not a WebSocket server: its Sec-WebSocket-Accept is wrong")
	raw("hangs up", wstest.HangUp, "HOST closed the connection without an answer")
	stranger, expired, future, other := wstest.NewCA(t).Cert("127.0.0.1"), ca.Expired("127.0.0.1"), ca.Future("127.0.0.1"), ca.Cert("other.example")
	for _, row := range []struct {
		name string
		cert *tls.Certificate
		want string
	}{
		{"unknown authority", &stranger, "the certificate of HOST is signed by an unknown authority"},
		{"expired", &expired, "the certificate of HOST has expired"},
		{"not yet", &future, "the certificate of HOST is not valid yet"},
		{"wrong name", &other, "the certificate of the server is not valid for HOST"},
	} {
		s := wstest.ServeRaw(t, row.cert, wstest.HangUp)
		hosts = append(hosts, s.Addr)
		g.failures = append(g.failures, failure{row.name, s.URL("/"), strings.ReplaceAll(row.want, "HOST", s.Addr)})
	}
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	hosts = append(hosts, plain.Listener.Addr().String())
	g.failures = append(g.failures, failure{"no TLS", "wss://" + plain.Listener.Addr().String() + "/", plain.Listener.Addr().String() + " does not speak TLS on this port"})
	closed, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	hosts = append(hosts, closed.Addr().String())
	g.failures = append(g.failures, failure{"refused", "ws://" + closed.Addr().String() + "/", "connection refused by " + closed.Addr().String()})
	inflated := wstest.ServeRaw(t, nil, sendZlib)
	hosts = append(hosts, inflated.Addr, "play.example.net:443   # the real one", "*.wild.example", "# nothing", "[::1]:9000")

	var list [][]string
	for _, f := range g.failures {
		list = append(list, []string{f.name, f.url})
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	g.dir = r.game(t, `"window": {"title": "net"}`, hosts, map[string]string{
		"index.html": page(testScript(t, "net.js", "ECHO_HOST", g.echoHost, "ZLIB_HOST", inflated.Addr, "FAILURES", string(text)))})
	return g
}

// sendZlib sends three messages, each a zlib stream of its own.
func sendZlib(c *wstest.Conn) {
	io.WriteString(c, c.Switch())
	for _, text := range []string{"first", strings.Repeat("a long world ", 200000), "last"} {
		var b bytes.Buffer
		w := zlib.NewWriter(&b)
		io.WriteString(w, text)
		w.Close()
		io.WriteString(c, wireFrame(0x82, b.String()))
	}
	if _, err := readMessage(c.Reader); err == nil {
		io.WriteString(c, wireClose(1000, ""))
	}
}

// waitLines is one report that is a list of strings.
func (r *reporter) waitLines(name string) []string {
	r.t.Helper()
	var lines []string
	if err := json.Unmarshal(r.wait(name), &lines); err != nil {
		r.t.Fatalf("report %q: %v", name, err)
	}
	return lines
}

func wantLines(t *testing.T, name string, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		g, w := "(nothing)", "(nothing)"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("%s, line %d:\n  got  %s\n  want %s", name, i, g, w)
		}
	}
}

// TestNetMemberByMember: everything that the documentation of net sockets promises to a script.
func TestNetMemberByMember(t *testing.T) {
	inBoth(t, func(t *testing.T, e engine) {
		r, h := newReporter(t), newHome(t)
		g := newNetGame(t, r)
		p := openGame(t, e, h, g.dir, "--debug", "--ca", g.ca).console
		t.Run("misuse throws and names the setting", func(t *testing.T) { checkMisuse(t, r) })
		t.Run("lists", func(t *testing.T) {
			wantLines(t, "lists", r.waitLines("lists"), []string{"true", "true", "false", "play.example.net:443", "*.wild.example", "[::1]:9000"})
		})
		t.Run("life of a socket", func(t *testing.T) { checkLife(t, r, g) })
		t.Run("closes", func(t *testing.T) { checkCloses(t, r, g) })
		t.Run("failures say why", func(t *testing.T) {
			for _, f := range g.failures {
				wantLines(t, f.name, r.waitLines("failure"), []string{f.name, "error closed: " + f.want, `close closed 1006 "" false`})
			}
			if n := g.redirect.Opened(); n != 0 {
				t.Errorf("a redirect was followed: %d connections", n)
			}
		})
		t.Run("a throw keeps the socket open", func(t *testing.T) {
			wantLines(t, "throws", r.waitLines("throws"), []string{"text one", "text two", "open"})
		})
		t.Run("owners", func(t *testing.T) {
			wantLines(t, "owners", r.waitLines("owners"), []string{
				"Lobby false", "Manager true", "true", "true", "released: closing closing",
				"InvalidStateError: net.connect: the owner Gone was released", "open", "scene: closing,open,closing", "again: open",
				"lobby: open open", "manager: open open | text still here", "gone: open open", "page: open open", "connecting: "})
		})
		t.Run("compressed data", func(t *testing.T) {
			wantLines(t, "compressed", r.waitLines("compressed"), []string{"5 first", "2600000 a long world", "4 last"})
		})
		t.Run("console", func(t *testing.T) { checkConsole(t, p, g) })
	})
}

func checkMisuse(t *testing.T, r *reporter) {
	const syntax, hosts = "SyntaxError: net.connect: ", "Network > Allowed hosts (network.allowedHosts in conch.json), or turn on Network > Allow any host (network.allowAnyHost in conch.json) if the player types the address"
	unlisted := func(host string) string {
		return "SecurityError: net.connect: " + host + " is not an allowed host; add it to " + hosts
	}
	got := r.waitLines("misuse")
	want := []string{
		syntax + "'undefined' is not a URL; write wss://host/path",
		syntax + "'nowhere' is not a URL; write wss://host/path",
		syntax + "'/ws' is not a URL; write wss://host/path",
		syntax + "the scheme https:// is not accepted; use wss://play.example.net",
		syntax + "the scheme ftp:// is not accepted; use wss://",
		syntax + "wss://play.example.net/ has a fragment, which a socket URL cannot have",
		syntax + "wss://play.example.net/ has a fragment, which a socket URL cannot have",
		syntax + "wss://play.example.net/ has a user name or password in it; log in with a message instead",
		syntax + "plain ws:// is accepted only to localhost, 127.0.0.1 and [::1]; use wss://play.example.net",
		unlisted("other.example.net"),
		unlisted("example.net"),
		unlisted("play.example.net:8443"),
		unlisted("localhost:1234"),
		"SecurityError: net.connect: no server answers sockets at the game's own address; map /game to one with network.proxy in conch.json",
		"TypeError: net.connect: subprotocols are given as { protocols: ['name'] }",
		"TypeError: net.connect: subprotocols are given as { protocols: ['name'] }",
		"SyntaxError",
		"SyntaxError",
		"TypeError: net.forOwner: the label is a text, not empty",
		"TypeError: net.forOwner: the label is a text, not empty",
	}
	for i := range got {
		// What is wrong with a subprotocol is said by the engine.
		if i < len(want) && want[i] == "SyntaxError" {
			got[i], _, _ = strings.Cut(got[i], ":")
		}
	}
	wantLines(t, "misuse", got, want)
}

func checkLife(t *testing.T, r *reporter, g *netGame) {
	const forms = "TypeError: send: data is a string, an ArrayBuffer, a typed array or a DataView"
	notOpen := func(state string) string { return "InvalidStateError: send: the socket is " + state + ", not open" }
	got := r.waitLines("life")
	want := []string{
		"connecting", "ws://" + g.echoHost + "/echo?life", `""`, "0", notOpen("connecting"), "v1",
		"buffered 5", "buffered 21", forms, forms, forms, forms, forms, forms, forms, "buffered 0",
		"InvalidAccessError", "InvalidAccessError", "InvalidAccessError", "SyntaxError", "open",
		"closing", notOpen("closing"), "nothing", "closed", notOpen("closed"),
		"open open", "text tëxt", "text ", "bytes 9,8", "bytes 1,2,3", "bytes 7", "bytes 0,0,128,63,0,0,0,64", "bytes 2,3", "bytes ",
		`close closed 1000 "" true`,
	}
	for i := range got {
		// Bad codes and reasons are refused by the engine, in its words.
		if i < len(want) && (want[i] == "InvalidAccessError" || want[i] == "SyntaxError") {
			got[i], _, _ = strings.Cut(got[i], ":")
		}
	}
	wantLines(t, "life", got, want)
}

func checkCloses(t *testing.T, r *reporter, g *netGame) {
	for _, want := range [][]string{
		{"default", "open open", `close closed 1000 "" true`},
		{"own code", "open open", `close closed 4321 "böse" true`},
		{"lowest", "open open", `close closed 3000 "" true`},
		{"by server 1000", "open open", "text bye", `close closed 1000 "done" true`},
		{"by server 4001", "open open", `close closed 4001 "kicked" true`},
		{"by server without code", "open open", `close closed 1005 "" true`},
		{"broken off", "open open", "error closed: " + g.echoHost + " closed the connection", `close closed 1006 "" false`},
		{"reset", "open open", "error closed: the connection was lost", `close closed 1006 "" false`},
		{"while connecting", "closing", `close closed 1006 "" false`},
	} {
		wantLines(t, want[0], r.waitLines("closes"), want)
	}
}

// checkConsole: every connection, refusal and close is one labelled line on the console, without queries, and so is
// what a handler threw.
func checkConsole(t *testing.T, p *process, g *netGame) {
	at := "ws://" + g.echoHost + "/"
	for _, line := range []string{
		"net [game] connected " + at + "echo",
		"net [game] closed " + at + "close (4001 kicked)",
		"net [game] closed " + at + "echo (1000)",
		"net [game] refused wss://other.example.net/ws: net.connect: other.example.net is not an allowed host",
		"net [game] failed " + g.failures[0].url + ": the server answered 403 Forbidden",
		"net [game] onOpen of " + at + "echo threw:",
		"net [game] onMessage of " + at + "echo threw:",
		"net [game] onClose of " + at + "echo threw:",
		"net [Lobby] connected " + at + "echo",
		"net [Manager] connected " + at + "echo",
		"net [Gone] closed " + at + "echo (1000)",
	} {
		p.waitOutput(line)
	}
	for _, line := range strings.Split(p.output(), "\n") {
		if strings.Contains(line, "net [") && (strings.Contains(line, "secret") || strings.Contains(line, "?life")) {
			t.Errorf("a console line has a query in it: %s", line)
		}
	}
}

// TestWhatServersSeeOfThePlayer: the game's own stable Origin, no cookie in either direction, no referrer, no login.
func TestWhatServersSeeOfThePlayer(t *testing.T) {
	for _, origin := range []string{"", "https://games.example"} {
		t.Run("origin="+origin, func(t *testing.T) {
			inBoth(t, func(t *testing.T, e engine) {
				r, h := newReporter(t), newHome(t)
				server := wstest.ServeRaw(t, nil, func(c *wstest.Conn) {
					io.WriteString(c, c.Switch("Set-Cookie: planted=1; Path=/", "Set-Cookie: hidden=1; HttpOnly")+wireText("hi"))
					readMessage(c.Reader)
				})
				refusing := wstest.ServeRaw(t, nil, wstest.Unauthorized) // sets a cookie as well
				extra := fmt.Sprintf(`"network": {"allowedHosts": ALLOWED, "origin": %q}`, origin)
				dir := r.game(t, extra, []string{server.Addr, refusing.Addr}, map[string]string{"index.html": page(`
document.cookie = 'mine=1'
const refused = Promise.all(['` + refusing.Addr + `/', 'me:secret@` + server.Addr + `/named'].map(to => new Promise(ok => { new WebSocket('ws://' + to).onclose = ok })))
const ask = open => new Promise((ok, no) => { const s = open(); s.onMessage = s.onmessage = () => { s.close(); ok() }; s.onError = s.onerror = no })
await refused
await ask(() => net.connect('ws://` + server.Addr + `/net'))
await ask(() => new WebSocket('ws://` + server.Addr + `/raw'))
report('cookies', [document.cookie])
report('origin', [location.origin])`)})
				for range 2 { // the second start of the game has the same Origin
					s := openGame(t, e, h, dir)
					wantLines(t, "cookies of the page", r.waitLines("cookies"), []string{"mine=1"})
					want := origin
					if own := r.waitLines("origin")[0]; want == "" {
						want = own
					}
					heads := append(server.Heads(), refusing.Heads()...)
					if len(heads) == 0 {
						t.Fatal("nothing arrived")
					}
					for _, head := range heads {
						lines := strings.Split(head, "\r\n")
						if strings.Contains(lines[0], "/named") {
							t.Errorf("an address with a user name was dialled: %s", lines[0])
						}
						if !slices.Contains(lines, "Origin: "+want) {
							t.Errorf("no Origin %s in\n%s", want, head)
						}
						for _, line := range lines {
							name, _, _ := strings.Cut(strings.ToLower(line), ":")
							if name == "cookie" || name == "referer" || strings.HasPrefix(name, "sec-fetch-") || name == "authorization" {
								t.Errorf("the server was told %q", line)
							}
						}
					}
					s.stop()
				}
			})
		})
	}
}
