//go:build e2e

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// gameByte is in every file of the game that stands behind the gate.
const gameByte = "SECRET-OF-THE-GAME"

// gateGame is a game whose files all hold gameByte; its page reports the ports it was given.
func gateGame(t *testing.T, r *reporter, hosts ...string) string {
	return r.game(t, `"window": {"title": "gate"}`, hosts, map[string]string{
		"secret.txt": gameByte, "game.js": "globalThis.stolen = '" + gameByte + "'", "style.css": "body{--x:'" + gameByte + "'}", "sub/index.html": gameByte,
		"index.html": page(`/* ` + gameByte + ` */
const text = await (await fetch('/__conch/page.js')).text()
report('relays', JSON.parse(text.match(/"relayPorts":(\[[0-9,]*\])/)[1]))
report('seen', {
  html: document.documentElement.outerHTML, cookie: document.cookie, address: location.href, referrer: document.referrer, script: text,
  entries: performance.getEntries().map(e => e.name), history: globalThis.navigation ? navigation.entries().map(e => e.url) : [],
  storage: Object.entries(localStorage).concat(Object.entries(sessionStorage)), caches: await caches.keys()
})
report('ready', self === top)`)})
}

// gated is one running game seen from outside. Only for serve is there an address, and so a cookie.
type gated struct {
	process *process
	port    int
	relays  []int
	cookie  string // "name=value", "" when nobody outside can have it
	echo    *echo
}

func (g *gated) origin() string { return "http://127.0.0.1:" + strconv.Itoa(g.port) }

// gatedGames starts the same game in both ways and runs f with each.
func gatedGames(t *testing.T, f func(t *testing.T, g *gated)) {
	t.Run("serve", func(t *testing.T) {
		r, h, e := newReporter(t), newHome(t), newEcho(t)
		s := serve(t, h, gateGame(t, r, e.host()))
		g := &gated{process: s.process, port: s.Port, relays: s.RelayPorts, echo: e}
		g.cookie = enter(t, s)
		f(t, g)
	})
	t.Run("window", func(t *testing.T) {
		r, h, e := newReporter(t), newHome(t), newEcho(t)
		p := play(t, h, gateGame(t, r, e.host()))
		g := &gated{process: p, echo: e}
		if err := json.Unmarshal(r.wait("relays"), &g.relays); err != nil {
			t.Fatal(err)
		}
		r.wait("ready")
		// The game's port is the one that says so in its policy.
		for _, port := range portsOf(t, p.cmd.Process.Pid) {
			a := askGate(t, port, gateRequest{})
			if strings.Contains(a.header.Get("Content-Security-Policy"), "frame-ancestors") {
				g.port = port
			}
		}
		if g.port == 0 {
			t.Fatal("no port answers like the game's")
		}
		f(t, g)
	})
}

// enter uses up the address that serve printed and answers the cookie.
func enter(t *testing.T, s *served) string {
	t.Helper()
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	a := askGate(t, s.Port, gateRequest{target: u.RequestURI()})
	if a.status != http.StatusOK {
		t.Fatalf("entry address answers %d", a.status)
	}
	cookie, attributes, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
	for _, want := range []string{"HttpOnly", "SameSite=Strict"} {
		if !strings.Contains(attributes, want) {
			t.Errorf("cookie without %s: %s", want, attributes)
		}
	}
	return cookie
}

// gateRequest is one line and its headers, written as they stand: no client in between mends them.
type gateRequest struct {
	method string   // "GET"
	target string   // "/"
	proto  string   // "HTTP/1.1"
	host   string   // "-": none; "": 127.0.0.1:port
	header []string // "Name: value"
	body   string
}

type gateReply struct {
	status int
	header http.Header
	body   string
}

func askGate(t *testing.T, port int, q gateRequest) gateReply {
	t.Helper()
	or := func(s, otherwise string) string {
		if s == "" {
			return otherwise
		}
		return s
	}
	method := or(q.method, "GET")
	lines := []string{method + " " + or(q.target, "/") + " " + or(q.proto, "HTTP/1.1")}
	if q.host != "-" {
		lines = append(lines, "Host: "+or(q.host, fmt.Sprintf("127.0.0.1:%d", port)))
	}
	lines = append(lines, q.header...)
	if q.body != "" {
		lines = append(lines, "Content-Length: "+strconv.Itoa(len(q.body)))
	}
	c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(c, strings.Join(lines, "\r\n")+"\r\n\r\n"+q.body); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	if err != nil {
		return gateReply{} // closed without a word
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusSwitchingProtocols {
		return gateReply{status: res.StatusCode, header: res.Header}
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, q.target, err)
	}
	return gateReply{res.StatusCode, res.Header, string(body)}
}

// refuse checks that a request got nothing: 403 under the game's policy, or 400 and 405 by the protocol, and no byte of the
// game or of the page script.
func (g *gated) refuse(t *testing.T, what string, port int, q gateRequest) {
	t.Helper()
	a := askGate(t, port, q)
	switch {
	case a.status == http.StatusForbidden:
		if port == g.port && (!strings.Contains(a.header.Get("Content-Security-Policy"), "connect-src") || a.header.Get("X-Content-Type-Options") != "nosniff") {
			t.Errorf("%s: refused without the policy headers: %v", what, a.header)
		}
	case a.status == 0, a.status == http.StatusBadRequest, a.status == http.StatusMethodNotAllowed, a.status == http.StatusNotImplemented:
	default:
		t.Errorf("%s: status %d, want 403", what, a.status)
	}
	if strings.Contains(a.body, gameByte) || len(a.body) > 64 {
		t.Errorf("%s: answered %d bytes: %.100s", what, len(a.body), a.body)
	}
	for _, name := range []string{"Set-Cookie", "Access-Control-Allow-Origin", "Etag", "Last-Modified", "Location"} {
		if v := a.header.Get(name); v != "" {
			t.Errorf("%s: refused with %s: %s", what, name, v)
		}
	}
}

func upgrade(origin ...string) []string {
	all := []string{"Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="}
	for _, o := range origin {
		all = append(all, "Origin: "+o)
	}
	return all
}

var guardedPaths = []string{"/", "/index.html", "/secret.txt", "/game.js", "/sub/", "/none", "/__conch/page.js", "/__conch/enter", "/__conch/enter?n=0",
	"/__conch/net/reason?id=x", "/__conch/storage", "/__conch/log", "/__conch/crashed", "/__conch/", "//secret.txt", "/%2e/secret.txt", "/x/../secret.txt"}

// TestGateRefusesStrangers: without the launch cookie nobody gets a byte, whatever is asked and however.
func TestGateRefusesStrangers(t *testing.T) {
	gatedGames(t, func(t *testing.T, g *gated) {
		name := fmt.Sprintf("conch_%d", g.port)
		cookies := map[string]string{
			"no cookie": "", "empty": name + "=", "wrong": name + "=" + strings.Repeat("0", 64), "short": name + "=0",
			"other name": "conch=" + strings.Repeat("0", 64), "spaces": name + " = x", "many": strings.Repeat(name+"=1; ", 100) + "x=1",
		}
		if g.cookie != "" {
			_, value, _ := strings.Cut(g.cookie, "=")
			cookies["cut"] = name + "=" + value[:len(value)-1]
			cookies["long"] = g.cookie + "0"
			cookies["upper case"] = name + "=" + strings.ToUpper(value)
			cookies["name of another port"] = "conch_1=" + value
			cookies["quoted"] = name + `="` + value + `"`
		}
		for what, cookie := range cookies {
			var header []string
			if cookie != "" {
				header = []string{"Cookie: " + cookie}
			}
			for _, path := range guardedPaths {
				g.refuse(t, what+" "+path, g.port, gateRequest{target: path, header: header})
			}
			for _, method := range []string{"HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get"} {
				g.refuse(t, what+" "+method, g.port, gateRequest{method: method, target: "/secret.txt", header: header})
			}
			g.refuse(t, what+" with range", g.port, gateRequest{target: "/secret.txt", header: append([]string{"Range: bytes=0-3"}, header...)})
			g.refuse(t, what+" if none match", g.port, gateRequest{target: "/secret.txt", header: append([]string{"If-None-Match: *"}, header...)})
			g.refuse(t, what+" upgrade", g.port, gateRequest{target: "/", header: append(upgrade(g.origin()), header...)})
			for _, port := range g.relays {
				g.refuse(t, what+" relay", port, gateRequest{target: relayTarget(g.echo.host()), header: append(upgrade(g.origin()), header...)})
			}
		}
		g.refuse(t, "OPTIONS *", g.port, gateRequest{method: "OPTIONS", target: "*"})
		g.refuse(t, "CONNECT", g.port, gateRequest{method: "CONNECT", target: "127.0.0.1:80"})
		g.refuse(t, "HTTP/1.0", g.port, gateRequest{proto: "HTTP/1.0", host: "-"})
		g.refuse(t, "HTTP/2 preface", g.port, gateRequest{method: "PRI", target: "*", proto: "HTTP/2.0", host: "-"})
		g.reachable(t)
	})
}

// reachable proves that the refusals of a test were not those of a dead server.
func (g *gated) reachable(t *testing.T) {
	t.Helper()
	if g.cookie == "" {
		if a := askGate(t, g.port, gateRequest{}); a.status != http.StatusForbidden {
			t.Errorf("the window's server answers %d in the end, want 403", a.status)
		}
		return
	}
	header := []string{"Cookie: a=b; " + g.cookie}
	if a := askGate(t, g.port, gateRequest{target: "/secret.txt", header: header}); a.status != http.StatusOK || a.body != gameByte {
		t.Errorf("with the cookie: %d %q", a.status, a.body)
	}
	a := askGate(t, g.relays[0], gateRequest{target: relayTarget(g.echo.host()), header: append(upgrade(g.origin()), header...)})
	if a.status != http.StatusSwitchingProtocols {
		t.Errorf("relay with everything right: %d, want 101", a.status)
		return
	}
	if c := g.echo.next(t); c.header.Get("Cookie") != "" || strings.Contains(fmt.Sprint(c.header, c.path), strings.Split(g.cookie, "=")[1]) {
		t.Errorf("the game server was sent %v", c.header)
	}
}

func relayTarget(host string) string {
	return "/?u=" + url.QueryEscape("ws://"+host+"/gate") + "&id=gate&o=game"
}

// TestGateRefusesOtherHosts: the right cookie under another name of this computer, as after DNS rebinding, is nothing.
func TestGateRefusesOtherHosts(t *testing.T) {
	gatedGames(t, func(t *testing.T, g *gated) {
		cookie := g.cookie
		if cookie == "" {
			cookie = "conch=none"
		}
		header := []string{"Cookie: " + cookie}
		port := strconv.Itoa(g.port)
		for _, host := range []string{"evil.test", "evil.test:" + port, "localhost:" + port, "localhost", "127.0.0.1", "127.0.0.1.:" + port,
			"127.0.0.1:" + port + ".", "127.0.0.1:0" + port, "127.0.0.1:1", "127.1:" + port, "2130706433:" + port, "0.0.0.0:" + port, "[::1]:" + port,
			"[::ffff:127.0.0.1]:" + port, "127.0.0.1:" + port + ":80", "x@127.0.0.1:" + port, "127.0.0.1:" + port + ",evil.test", "-"} {
			for _, path := range []string{"/secret.txt", "/__conch/page.js", "/__conch/enter?n=0"} {
				g.refuse(t, "Host "+host+" "+path, g.port, gateRequest{target: path, host: host, header: header})
			}
			g.refuse(t, "upgrade with Host "+host, g.port, gateRequest{host: host, header: append(upgrade(g.origin()), header...)})
			g.refuse(t, "relay with Host "+host, g.relays[0], gateRequest{target: relayTarget(g.echo.host()), host: host, header: append(upgrade(g.origin()), header...)})
		}
		forwarded := []string{"Cookie: " + cookie, "X-Forwarded-Host: 127.0.0.1:" + port, "Forwarded: host=127.0.0.1:" + port, "X-Original-Host: 127.0.0.1:" + port}
		g.refuse(t, "forwarded Host", g.port, gateRequest{target: "/secret.txt", host: "evil.test", header: forwarded})
		g.refuse(t, "absolute target of another host", g.port, gateRequest{target: "http://evil.test/secret.txt", header: header})
		g.refuse(t, "two Hosts", g.port, gateRequest{target: "/secret.txt", header: append([]string{"Host: evil.test"}, header...)})
		g.refuse(t, "relay with the game's Host", g.relays[0], gateRequest{target: relayTarget(g.echo.host()), host: "127.0.0.1:" + port, header: append(upgrade(g.origin()), header...)})
		g.reachable(t)
	})
}

// TestGateRefusesOtherOrigins: an upgrade needs exactly our Origin, a change needs it too, and what another site's page
// asks for is refused even when the browser sends the cookie along.
func TestGateRefusesOtherOrigins(t *testing.T) {
	gatedGames(t, func(t *testing.T, g *gated) {
		cookie := g.cookie
		if cookie == "" {
			cookie = "conch=none"
		}
		header := []string{"Cookie: " + cookie}
		port := strconv.Itoa(g.port)
		origins := map[string][]string{
			"no Origin": nil, "null": {"null"}, "other port": {"http://127.0.0.1:1"}, "no port": {"http://127.0.0.1"}, "localhost": {"http://localhost:" + port},
			"https": {"https://127.0.0.1:" + port}, "longer": {g.origin() + ".evil.test"}, "slash": {g.origin() + "/"}, "upper case": {strings.ToUpper(g.origin())},
			"two": {g.origin(), "http://evil.test"}, "list": {g.origin() + " http://evil.test"}, "empty": {""}, "evil": {"http://evil.test"}, "relay": {"http://127.0.0.1:" + strconv.Itoa(g.relays[0])},
		}
		for what, values := range origins {
			g.refuse(t, "upgrade with Origin "+what, g.port, gateRequest{header: append(upgrade(values...), header...)})
			g.refuse(t, "relay with Origin "+what, g.relays[0], gateRequest{target: relayTarget(g.echo.host()), header: append(upgrade(values...), header...)})
			if what == "no Origin" {
				continue // for files alone that is a plain form of old engines
			}
			post := slices.Clone(header)
			for _, o := range values {
				post = append(post, "Origin: "+o)
			}
			g.refuse(t, "POST with Origin "+what, g.port, gateRequest{method: "POST", target: "/__conch/storage", header: post, body: `{"evil":"1"}`})
			g.refuse(t, "POST to a file with Origin "+what, g.port, gateRequest{method: "POST", target: "/secret.txt", header: post, body: "x"})
		}
		g.refuse(t, "POST without Origin", g.port, gateRequest{method: "POST", target: "/__conch/storage", header: header, body: `{"evil":"1"}`})
		for _, site := range []string{"cross-site", "same-site"} {
			for _, mode := range []string{"no-cors", "cors", "websocket", "same-origin"} {
				g.refuse(t, site+" "+mode, g.port, gateRequest{target: "/secret.txt", header: append([]string{"Sec-Fetch-Site: " + site, "Sec-Fetch-Mode: " + mode}, header...)})
			}
			g.refuse(t, site+" navigation to an internal page", g.port, gateRequest{target: "/__conch/page.js", header: append([]string{"Sec-Fetch-Site: " + site, "Sec-Fetch-Mode: navigate"}, header...)})
		}
		g.refuse(t, "service worker", g.port, gateRequest{target: "/game.js", header: append([]string{"Service-Worker: script"}, header...)})
		for what, q := range map[string]gateRequest{
			"path": {target: "/x" + relayTarget(g.echo.host()), header: upgrade(g.origin())}, "absolute": {target: "http://evil.test" + relayTarget(g.echo.host()), header: upgrade(g.origin())},
			"no upgrade": {target: relayTarget(g.echo.host()), header: []string{"Origin: " + g.origin()}}, "HEAD": {method: "HEAD", target: relayTarget(g.echo.host()), header: upgrade(g.origin())},
			"POST": {method: "POST", target: relayTarget(g.echo.host()), header: upgrade(g.origin()), body: "x"}, "OPTIONS": {method: "OPTIONS", target: relayTarget(g.echo.host()), header: upgrade(g.origin())},
			"TRACE": {method: "TRACE", target: relayTarget(g.echo.host()), header: upgrade(g.origin())}, "version": {target: relayTarget(g.echo.host()), header: append([]string{"Sec-WebSocket-Version: 8"}, upgrade(g.origin())...)},
		} {
			q.header = append(q.header, header...)
			g.refuse(t, "relay with other "+what, g.relays[0], q)
		}
		g.reachable(t)
	})
}

// TestEntryAddressWorksOnce: whoever opens it first gets the cookie; nothing but a plain GET of a person uses it up.
func TestEntryAddressWorksOnce(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	s := serve(t, h, gateGame(t, r))
	g := &gated{port: s.Port}
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	for what, q := range map[string]gateRequest{
		"HEAD": {method: "HEAD"}, "POST": {method: "POST", body: "x"}, "OPTIONS": {method: "OPTIONS"}, "other host": {host: "localhost:" + strconv.Itoa(s.Port)},
		"prefetch": {header: []string{"Sec-Purpose: prefetch"}}, "prerender": {header: []string{"Sec-Purpose: prefetch;prerender"}}, "old prefetch": {header: []string{"Purpose: prefetch"}},
	} {
		q.target = u.RequestURI()
		g.refuse(t, what, s.Port, q)
	}
	enter(t, s)
	g.refuse(t, "second use", s.Port, gateRequest{target: u.RequestURI()})
}

var secretText = regexp.MustCompile(`[0-9a-f]{64}`)

// TestSecretsStayOutOfThePage: nonce and cookie are in no log, no HTML, no document.cookie, no history, no Referer.
func TestSecretsStayOutOfThePage(t *testing.T) {
	inBoth(t, func(t *testing.T, e engine) {
		r, h := newReporter(t), newHome(t)
		dir := gateGame(t, r)
		var p *process
		nonce := ""
		if e.name == "webkitgtk" {
			p = play(t, h, dir)
		} else {
			s := serve(t, h, dir)
			p, nonce = s.process, s.URL[strings.Index(s.URL, "n=")+2:]
			chromium(t, h, s.URL)
		}
		var seen struct {
			HTML, Cookie, Address, Referrer, Script string
			Entries, History, Caches                []string
			Storage                                 [][]string
		}
		if err := json.Unmarshal(r.wait("seen"), &seen); err != nil {
			t.Fatal(err)
		}
		if seen.Cookie != "" || seen.Referrer != "" {
			t.Errorf("page has cookie %q and referrer %q", seen.Cookie, seen.Referrer)
		}
		r.wait("ready")
		for where, text := range map[string]string{
			"HTML": seen.HTML, "script": seen.Script, "address": seen.Address, "timing": strings.Join(seen.Entries, " "), "history": strings.Join(seen.History, " "),
			"storage": fmt.Sprint(seen.Storage, seen.Caches), "log": p.output(),
		} {
			if m := secretText.FindString(text); m != "" {
				t.Errorf("%s holds what looks like a secret: %s", where, m)
			}
			if strings.Contains(text, "/enter") || nonce != "" && strings.Contains(text, nonce) {
				t.Errorf("%s holds the entry address: %s", where, text)
			}
		}
	})
}

// TestSecondBrowserGetsNothing: another profile that opens the printed address after the first one sees a gateReply, and
// so does a browser that comes under a name which someone pointed at this computer.
func TestSecondBrowserGetsNothing(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	s := serve(t, h, gateGame(t, r))
	chromium(t, h, s.URL)
	r.wait("ready")
	for _, address := range []string{s.URL, s.Origin + "/", s.Origin + "/secret.txt", strings.Replace(s.URL, "127.0.0.1", "rebound.test", 1), fmt.Sprintf("http://rebound.test:%d/secret.txt", s.Port)} {
		p := chromium(t, newHome(t), address, "--dump-dom", "--host-resolver-rules=MAP rebound.test 127.0.0.1")
		if code := p.waitExit(); code != 0 {
			t.Errorf("dump of %s: exit code %d", address, code)
		}
		if out := p.output(); strings.Contains(out, gameByte) || !strings.Contains(out, "403") {
			t.Errorf("second browser at %s shows %s", address, out)
		}
	}
	for _, m := range r.seen {
		if m.Name == "ready" {
			t.Error("the game ran in the second browser")
		}
	}
}

// TestOtherSitesInTheSameBrowserGetNothing: while the game runs in a browser tab, a page of another loopback server in
// the same profile reads nothing of it, runs nothing of it, changes nothing and gets no socket. From 127.0.0.1 the
// browser even sends the cookie along, for cookies know no ports; from localhost it does not.
func TestOtherSitesInTheSameBrowserGetNothing(t *testing.T) {
	for _, from := range []string{"127.0.0.1", "localhost"} {
		t.Run(from, func(t *testing.T) {
			r, h, e := newReporter(t), newHome(t), newEcho(t)
			data := t.TempDir()
			s := serve(t, h, gateGame(t, r, e.host()), "--data", data)
			site := newAttacker(t, s, r, e)
			chromium(t, h, fmt.Sprintf("http://%s:%d/", from, site.port), "--disable-popup-blocking")
			r.wait("ready") // the game, in a window that the other site opened
			close(site.begin)
			var got map[string]string
			if err := json.Unmarshal(r.wait("attacked"), &got); err != nil {
				t.Fatal(err)
			}
			for what, outcome := range got {
				if outcome != "refused" {
					t.Errorf("%s: %s", what, outcome)
				}
			}
			if len(got) < 12 {
				t.Errorf("only %d attacks came to an end: %v", len(got), got)
			}
			if len(e.conns) > 0 {
				t.Error("the other site got a socket to the game's server")
			}
			files, _ := filepath.Glob(filepath.Join(data, "games", "*", "*"))
			for _, f := range files {
				if text, err := os.ReadFile(f); err == nil && strings.Contains(string(text), "evil") {
					t.Errorf("the other site wrote %s: %s", f, text)
				}
			}
			for _, m := range r.seen {
				if m.Name == "ready" && string(m.Value) == "false" {
					t.Error("the game ran in a frame of the other site")
				}
			}
			if sent := site.cookies(); (sent != "") != (from == "127.0.0.1") {
				t.Errorf("cookie sent to the other site: %q; docs/security.md says only from 127.0.0.1", sent)
			}
		})
	}
}

// attacker is another web site on this computer.
type attacker struct {
	port  int
	begin chan struct{}
	seen  chan string
}

func (a *attacker) cookies() string {
	all := ""
	for {
		select {
		case c := <-a.seen:
			all += c
		default:
			return all
		}
	}
}

func newAttacker(t *testing.T, s *served, r *reporter, e *echo) *attacker {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := &attacker{port: ln.Addr().(*net.TCPAddr).Port, begin: make(chan struct{}), seen: make(chan string, 64)}
	fill := strings.NewReplacer("GAME", s.Origin, "ENTRY", s.URL, "WSGAME", "ws"+strings.TrimPrefix(s.Origin, "http"),
		"RELAY", fmt.Sprintf("ws://127.0.0.1:%d%s", s.RelayPorts[0], relayTarget(e.host())), "REPORT_PORT", strconv.Itoa(r.Port))
	mux := http.NewServeMux()
	mux.HandleFunc("/begin", func(w http.ResponseWriter, q *http.Request) {
		select {
		case <-a.begin:
		case <-q.Context().Done():
		}
	})
	mux.HandleFunc("/cookie", func(w http.ResponseWriter, q *http.Request) { a.seen <- q.Header.Get("Cookie") })
	mux.HandleFunc("/", func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, fill.Replace("<!doctype html><body><script>"+reportJS+"</script><script type=module>"+attackerPage+"</script>"))
	})
	srv := &http.Server{Handler: mux}
	go srv.Serve(ln)
	t.Cleanup(func() { srv.Close() })
	return a
}

// attackerPage opens the game in a second window, waits until it runs, and then tries to get at it.
const attackerPage = `
const game = window.open('ENTRY')
await fetch('/begin')
const outcome = {}
const note = (name, text) => { outcome[name] = text }
const tag = (name, make) => new Promise(ok => {
  const e = make()
  e.onload = () => { note(name, 'loaded'); ok() }
  e.onerror = () => { note(name, 'refused'); ok() }
  setTimeout(() => { outcome[name] ??= 'refused'; ok() }, 5000) // some elements say nothing when they are refused
  document.body.append(e)
})
const el = (name, attributes) => Object.assign(document.createElement(name), attributes)
const tries = {
  'fetch': async () => (await fetch('GAME/secret.txt', { credentials: 'include' })).text(),
  'fetch page script': async () => (await fetch('GAME/__conch/page.js', { credentials: 'include' })).text(),
  'read window': async () => game.document.body.innerHTML,
  'read window address': async () => game.location.href,
  'xhr': () => new Promise((ok, no) => { const x = new XMLHttpRequest(); x.open('GET', 'GAME/secret.txt'); x.withCredentials = true; x.onload = () => ok(x.responseText); x.onerror = no; x.send() }),
  'import': async () => { await import('GAME/game.js'); return String(globalThis.stolen) },
  'storage': async () => { const q = await fetch('GAME/__conch/storage', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"evil":"1"}' }); if (q.type === 'opaque') throw 0; return q.type },
  'websocket to the game': () => new Promise((ok, no) => { const s = new WebSocket('WSGAME/'); s.onopen = () => ok('open'); s.onerror = no }),
  'websocket to the relay': () => new Promise((ok, no) => { const s = new WebSocket('RELAY'); s.onopen = () => ok('open'); s.onerror = no }),
  'eventsource': () => new Promise((ok, no) => { const s = new EventSource('GAME/secret.txt', { withCredentials: true }); s.onopen = () => ok('open'); s.onerror = no }),
  'worker': () => new Promise((ok, no) => { const w = new Worker('GAME/game.js'); w.onerror = no; setTimeout(ok, 5000, 'runs') }),
}
for (const name of Object.keys(tries)) {
  try { note(name, String(await tries[name]())) } catch (e) { note(name, 'refused') }
}
await tag('script', () => el('script', { src: 'GAME/game.js' }))
note('script ran', globalThis.stolen ? globalThis.stolen : 'refused')
await tag('module', () => el('script', { type: 'module', src: 'GAME/game.js' }))
await tag('style', () => el('link', { rel: 'stylesheet', href: 'GAME/style.css' }))
await tag('img', () => el('img', { src: 'GAME/secret.txt' }))
await tag('audio', () => el('audio', { src: 'GAME/secret.txt', preload: 'auto' }))
await tag('object', () => el('object', { data: 'GAME/', type: 'text/html' }))
const frame = el('iframe', { src: 'GAME/' })
await new Promise(ok => { frame.onload = ok; setTimeout(ok, 5000); document.body.append(frame) })
try { note('frame', frame.contentDocument.body.innerHTML) } catch (e) { note('frame', 'refused') }
const form = el('form', { action: 'GAME/__conch/storage', method: 'post', enctype: 'text/plain', target: 'sink' })
form.append(el('input', { name: '{"evil":"', value: '1"}' }))
const sink = el('iframe', { name: 'sink' })
document.body.append(sink, form)
await new Promise(ok => { sink.onload = ok; setTimeout(ok, 5000); form.submit() })
await fetch('/cookie')
report('attacked', outcome)`

// TestListensOnLoopbackOnly: a running game, its engine included, can be reached from this computer alone.
func TestListensOnLoopbackOnly(t *testing.T) {
	gatedGames(t, func(t *testing.T, g *gated) {
		loopback := netip.MustParseAddr("127.0.0.1")
		want := append([]int{g.port}, g.relays...)
		var ports []int
		for _, l := range listeners(t, g.process.cmd.Process.Pid) {
			if l.at.Addr() != loopback {
				t.Errorf("listens on %s %s", l.proto, l.at)
			}
			ports = append(ports, int(l.at.Port()))
		}
		for _, port := range want {
			if !slices.Contains(ports, port) {
				t.Errorf("does not listen on %d: the test looks in the wrong place", port)
			}
		}
		extra := 0
		if g.cookie == "" {
			extra = 2 // the window's proxy, and the one by which a second start raises the window
		}
		if len(ports) != len(want)+extra {
			t.Errorf("listens on %d ports, want %d", len(ports), len(want)+extra)
		}
		for _, child := range descendants(g.process.cmd.Process.Pid) {
			for _, l := range listeners(t, child) {
				t.Errorf("child %d listens on %s %s", child, l.proto, l.at)
			}
		}
	})
}
