package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"conch/consent"
	"conch/consent/hostlist"
	"conch/session"
	"conch/session/wire"
)

const sessionGame = `{"sessions":true}`

// answers is a dialog that answers by kind and counts.
type answers struct {
	mu    sync.Mutex
	by    map[consent.Kind]consent.Answer
	asked []consent.Question
}

func (a *answers) Show(_ context.Context, q consent.Question) (consent.Answer, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = append(a.asked, q)
	return a.by[q.Kind], nil
}

func (a *answers) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.asked)
}

// hostJSON asks to host and answers the status and what came.
func (b *browser) hostJSON(body string, header ...string) (status int, reply struct {
	OK       bool
	Error    string
	Port     int
	JoinCode string
	Link     string
}) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.origin+sessionHostPath, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Origin", b.origin)
	if b.cookie != "" {
		req.Header.Set("Cookie", b.cookie)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Del(header[i])
		if header[i+1] != "" {
			req.Header.Set(header[i], header[i+1])
		}
	}
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	json.Unmarshal(text, &reply)
	return res.StatusCode, reply
}

const startJSON = `{"projectId":"skiff","sessionId":"friday","buildHash":"1.0","port":0,"open":true}`

// open is a WebSocket of the page; the status is that of a refusal.
func (b *browser) open(path, protocol string, header ...string) (*websocket.Conn, int) {
	b.t.Helper()
	h := http.Header{"Origin": {b.origin}}
	if b.cookie != "" {
		h.Set("Cookie", b.cookie)
	}
	for i := 0; i < len(header); i += 2 {
		h.Del(header[i])
		if header[i+1] != "" {
			h.Set(header[i], header[i+1])
		}
	}
	d := websocket.Dialer{}
	if protocol != "" {
		d.Subprotocols = []string{protocol}
	}
	c, res, err := d.DialContext(b.t.Context(), "ws"+b.origin[len("http"):]+path, h)
	if err != nil {
		if res == nil {
			b.t.Fatal(err)
		}
		return nil, res.StatusCode
	}
	b.t.Cleanup(func() { c.Close() })
	return c, 0
}

func joinPath(address, project string) string {
	return sessionJoinPath + "?" + url.Values{"u": {"ws://" + address + wire.Path}, "project": {project}, "n": {"1"}}.Encode()
}

// TestSessionEndpointsAreBehindTheGate: no cookie, a foreign origin, a form or a plain request get nothing; a game that does not
// name sessions has no such endpoints.
func TestSessionEndpointsAreBehindTheGate(t *testing.T) {
	g := start(t, Options{Path: gameFolder(t, sessionGame)})
	b := enter(t, g)
	for _, row := range []struct {
		name   string
		header []string
		status int
	}{
		{"no cookie", []string{"Cookie", ""}, 403},
		{"no origin", []string{"Origin", ""}, 403},
		{"evil origin", []string{"Origin", "https://evil.example"}, 403},
		{"evil site", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"form", []string{"Content-Type", "application/x-www-form-urlencoded"}, 415},
		{"text form", []string{"Content-Type", "text/plain"}, 415},
	} {
		t.Run(row.name, func(t *testing.T) {
			if status, _ := b.hostJSON(startJSON, row.header...); status != row.status {
				t.Errorf("host: status %d, want %d", status, row.status)
			}
			if row.status != 403 {
				return
			}
			for _, path := range []string{sessionLinkPath + "?host=x", joinPath("127.0.0.1:24642", "skiff")} {
				if _, status := b.open(path, "", row.header...); status != 403 {
					t.Errorf("%s: status %d", path, status)
				}
			}
		})
	}
	if status, _ := b.hostJSON(`{"projectId":"skiff","unknown":1}`); status != 400 {
		t.Errorf("unknown key: status %d", status)
	}
	if _, status := b.open(sessionLinkPath+"?host=guess", ""); status != 404 {
		t.Errorf("a link that nobody was given: status %d", status)
	}
	plain := start(t, Options{Path: gameFolder(t, `{}`)})
	if status, _ := enter(t, plain).hostJSON(startJSON); status != 404 {
		t.Errorf("a game without sessions: status %d", status)
	}
}

func TestHostingIsLimited(t *testing.T) {
	g := start(t, Options{Path: gameFolder(t, sessionGame)})
	b := enter(t, g)
	for _, row := range []struct{ name, body, want string }{
		{"low port", `{"projectId":"a","sessionId":"b","buildHash":"c","port":80}`, "port 80"},
		{"port of nobody", `{"projectId":"a","sessionId":"b","buildHash":"c","port":-2}`, "port -2"},
		{"too many", `{"projectId":"a","sessionId":"b","buildHash":"c","port":0,"maxPeers":257}`, "at most 256"},
		{"bad id", `{"projectId":"a b","sessionId":"b","buildHash":"c","port":0}`, "project"},
		{"long password", `{"projectId":"a","sessionId":"b","buildHash":"c","port":0,"password":"` + strings.Repeat("x", 1025) + `"}`, "password"},
		{"our own port", fmt.Sprintf(`{"projectId":"a","sessionId":"b","buildHash":"c","port":%d}`, g.Server.Port()), "address already in use"},
	} {
		t.Run(row.name, func(t *testing.T) {
			status, reply := b.hostJSON(row.body)
			if status != 200 || reply.OK || !strings.Contains(reply.Error, row.want) {
				t.Errorf("status %d, %+v; want an error with %q", status, reply, row.want)
			}
		})
	}
}

// TestTwoPages: a second page does not get the session of the first while that is there, nor another one; it gets it once the first
// is gone, with the same port.
func TestTwoPages(t *testing.T) {
	g := start(t, Options{Path: gameFolder(t, sessionGame)})
	b := enter(t, g)
	_, first := b.hostJSON(startJSON)
	if !first.OK {
		t.Fatal(first.Error)
	}
	link, status := b.open(sessionLinkPath+"?host="+first.Link, "")
	if link == nil {
		t.Fatalf("link: status %d", status)
	}
	if _, status := b.open(sessionLinkPath+"?host="+first.Link, ""); status != 404 {
		t.Errorf("the link a second time: status %d", status)
	}
	if _, second := b.hostJSON(startJSON); second.OK {
		t.Error("two pages host one session")
	}
	if _, second := b.hostJSON(strings.Replace(startJSON, "friday", "monday", 1)); second.OK {
		t.Error("two pages host at once")
	}
	link.Close()
	_, again := b.hostJSON(startJSON)
	if !again.OK || again.Port != first.Port || again.Link == first.Link {
		t.Errorf("after the reload: %+v, was %+v", again, first)
	}
}

// TestForgedCommandsEndTheSession: what no honest page says ends the session it is said to, and nothing else.
func TestForgedCommandsEndTheSession(t *testing.T) {
	g := start(t, Options{Path: gameFolder(t, sessionGame)})
	b := enter(t, g)
	_, reply := b.hostJSON(startJSON)
	link, _ := b.open(sessionLinkPath+"?host="+reply.Link, "")
	if link == nil {
		t.Fatal(reply.Error)
	}
	link.WriteMessage(websocket.BinaryMessage, []byte{0x81, 0x82, 0x64, 'k', 'i', 'c', 'k', 0x01})
	link.SetReadDeadline(time.Now().Add(20 * time.Second))
	for {
		if _, _, err := link.ReadMessage(); err != nil {
			break
		}
	}
	eventually(t, "another session", func() bool {
		_, again := b.hostJSON(strings.Replace(startJSON, "friday", "monday", 1))
		return again.OK
	})
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func reachable(a netip.AddrPort) bool {
	c, err := net.DialTimeout("tcp", a.String(), time.Second)
	if err == nil {
		c.Close()
	}
	return err == nil
}

// TestNetworkOnlyAfterAYes: the session listens on this computer alone until the player said yes, and again after the yes was
// taken back.
func TestNetworkOnlyAfterAYes(t *testing.T) {
	lan := netip.MustParseAddr("127.0.0.77") // stands for an address of the network
	hosting := func(t *testing.T, d consent.Dialog, dir string) (*App, netip.AddrPort, *browser) {
		g := open(t, Options{Path: dir, DataDir: dir + "-data", Dialog: d, Logger: slog.New(slog.DiscardHandler)})
		g.sessions.addresses = func() []netip.Addr { return []netip.Addr{lan} }
		if err := g.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		serve(t, g)
		b := enter(t, g)
		_, reply := b.hostJSON(startJSON)
		if !reply.OK {
			t.Fatal(reply.Error)
		}
		return g, netip.AddrPortFrom(lan, uint16(reply.Port)), b
	}
	done := func(g *App) func() bool {
		return func() bool {
			g.sessions.mu.Lock()
			defer g.sessions.mu.Unlock()
			return g.sessions.hosted != nil && !g.sessions.hosted.lan.Load()
		}
	}
	t.Run("no", func(t *testing.T) {
		d := &answers{}
		g, at, _ := hosting(t, d, gameFolder(t, sessionGame))
		eventually(t, "the answer", done(g))
		if reachable(at) || d.count() != 1 {
			t.Errorf("reachable %v, asked %d times", reachable(at), d.count())
		}
	})
	t.Run("nobody to ask", func(t *testing.T) {
		g, at, _ := hosting(t, nil, gameFolder(t, sessionGame))
		eventually(t, "the end of the asking", done(g))
		if reachable(at) {
			t.Error("reachable")
		}
	})
	t.Run("yes, remembered, taken back", func(t *testing.T) {
		d := &answers{by: map[consent.Kind]consent.Answer{consent.Host: consent.Allow}}
		dir := gameFolder(t, sessionGame)
		g, at, _ := hosting(t, d, dir)
		eventually(t, "the network", func() bool { return reachable(at) })
		g.Close()
		if reachable(at) {
			t.Error("reachable after the end")
		}
		g, at, b := hosting(t, d, dir)
		eventually(t, "the network", func() bool { return reachable(at) })
		if d.count() != 1 {
			t.Errorf("asked %d times", d.count())
		}
		testStrangers(t, at)
		store, err := OpenApprovals(dir+"-data", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		rows, err := Approvals(t.Context(), store)
		if err != nil || len(rows) != 1 || rows[0].Kind != "host" || rows[0].Host != consent.Network {
			t.Fatalf("approvals %+v, %v", rows, err)
		}
		if err := Forget(t.Context(), store, dir+"-data", rows[0].Game, consent.Network); err != nil {
			t.Fatal(err)
		}
		g.ForgetHost(rows[0].Game, consent.Network) // what the running window is told
		eventually(t, "the network closed", func() bool { return !reachable(at) })
		if _, again := b.hostJSON(startJSON); !again.OK {
			t.Errorf("the session ended: %s", again.Error)
		}
	})
}

// testStrangers is what others on the network try.
func testStrangers(t *testing.T, at netip.AddrPort) {
	for _, row := range []struct {
		name, host, origin, path string
		status                   int
	}{
		{"rebound name", "evil.example:" + fmt.Sprint(at.Port()), "", wire.Path, 421},
		{"no address", "0.0.0.0:" + fmt.Sprint(at.Port()), "", wire.Path, 421},
		{"page of a website", at.String(), "https://evil.example", wire.Path, 403},
		{"page of a file", at.String(), "null", wire.Path, 403},
		{"page of the game's own port", at.String(), "http://127.0.0.1:10000", wire.Path, 403},
		{"files of the game", at.String(), "", "/index.html", 404},
		{"endpoints of the launcher", at.String(), "", sessionHostPath, 404},
	} {
		t.Run(row.name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at.String()+row.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Host = row.host
			for k, v := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
				"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": wire.Subprotocol} {
				req.Header.Set(k, v)
			}
			if row.origin != "" {
				req.Header.Set("Origin", row.origin)
			}
			res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if res.StatusCode != row.status {
				t.Errorf("status %d, want %d", res.StatusCode, row.status)
			}
		})
	}
}

// startSession is a host somewhere on this computer.
func startSession(t *testing.T) *session.Host {
	t.Helper()
	h := &session.Host{Open: true}
	if err := h.Start("skiff", "friday", "1.0", session.AnyPort); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

func TestJoinOnThisComputer(t *testing.T) {
	g := start(t, Options{Path: gameFolder(t, sessionGame)})
	b := enter(t, g)
	c, status := b.open(joinPath(startSession(t).Addr().String(), "skiff"), wire.Subprotocol)
	if c == nil {
		t.Fatalf("status %d", status)
	}
	nonce := [wire.NonceSize]byte{7}
	c.WriteMessage(websocket.BinaryMessage, wire.Append(nil, &wire.Hello{MinVersion: 1, MaxVersion: 1, Nonce: nonce, Project: wire.ClientProject(nonce, "skiff")}))
	c.SetReadDeadline(time.Now().Add(20 * time.Second))
	_, message, err := c.ReadMessage()
	if err != nil || len(message) == 0 || wire.Type(message[0]) != wire.TypeChallenge {
		t.Fatalf("%v %v", message, err)
	}
}

// TestJoinIsNoPortScanner: a page hears the same of a closed port, of a server that is no host, of one that says nothing, of a name
// that is not there and of an address it may not ask for; of a server it learns nothing by the time; and ten a minute is all.
func TestJoinIsNoPortScanner(t *testing.T) {
	g := start(t, Options{Path: gameFolder(t, sessionGame), Dialog: &answers{}})
	b := enter(t, g)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	web := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != wire.Path || r.Header.Get("Cookie") != "" || r.Header.Get("Origin") != "" {
			t.Errorf("a server that is no host got %s %v", r.URL, r.Header)
		}
		http.NotFound(w, r)
	})}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go web.Serve(ln)
	defer web.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	var all sync.WaitGroup
	for name, address := range map[string]string{
		"closed": closed.Addr().String(), "silent": silent.Addr().String(), "web server": ln.Addr().String(),
		"the game's own server": strings.TrimPrefix(g.Server.Origin(), "http://"),
		"the relay":             fmt.Sprintf("127.0.0.1:%d", g.Relay.PortNumbers()[0]),
	} {
		all.Go(func() {
			began := time.Now()
			if _, status := b.open(joinPath(address, "skiff"), wire.Subprotocol); status != http.StatusBadGateway {
				t.Errorf("%s: status %d", name, status)
			}
			if took := time.Since(began); took < joinTime {
				t.Errorf("%s: answered after %s", name, took)
			}
		})
	}
	all.Wait()
	for _, address := range []string{"203.0.113.7:24642", "example.org:24642", "169.254.169.254:80", "10.1.2.3:24642"} {
		if _, status := b.open(joinPath(address, "skiff"), wire.Subprotocol); status != http.StatusBadGateway {
			t.Errorf("%s: status %d", address, status)
		}
	}
	host := startSession(t).Addr().String()
	if c, _ := b.open(joinPath(host, "skiff"), wire.Subprotocol); c == nil {
		t.Error("the tenth attempt was refused")
	}
	if c, _ := b.open(joinPath(host, "other"), wire.Subprotocol); c != nil {
		t.Error("the eleventh attempt of a minute was made")
	}
}

func TestJoinQueries(t *testing.T) {
	good := url.Values{"u": {"ws://192.168.1.20:24642" + wire.Path}, "project": {"skiff"}, "n": {"1"}}.Encode()
	if to, project, err := joinTarget(good); err != nil || project != "skiff" || to.HostPort() != "192.168.1.20:24642" {
		t.Errorf("%v %q %v", to, project, err)
	}
	for name, query := range map[string]string{
		"nothing": "", "no project": "u=ws://localhost:1024" + wire.Path, "twice": good + "&u=x", "another key": good + "&x=1",
		"another path": strings.Replace(good, url.QueryEscape(wire.Path), url.QueryEscape("/admin"), 1),
		"a query":      strings.Replace(good, url.QueryEscape(wire.Path), url.QueryEscape(wire.Path+"?x"), 1),
		"a user":       strings.Replace(good, "192", "user%40192", 1), "http": strings.Replace(good, "ws", "http", 1),
		"a mail server": strings.Replace(good, "24642", "25", 1), "bad project": strings.Replace(good, "skiff", "a+b", 1),
	} {
		if _, _, err := joinTarget(query); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestJoinAddresses: what is dialled is what the text says, whatever a name leads to.
func TestJoinAddresses(t *testing.T) {
	for _, row := range []struct {
		to, addr string
		listed   bool
		ok       bool
	}{
		{"ws://localhost:24642/", "127.0.0.1", false, true},
		{"ws://127.0.0.1:24642/", "127.0.0.1", false, true},
		{"ws://localhost:24642/", "192.168.1.2", false, false},
		{"ws://192.168.1.20:24642/", "192.168.1.20", false, true},
		{"ws://192.168.1.20:24642/", "192.168.1.21", false, false},
		{"ws://10.0.0.2:24642/", "10.0.0.2", false, true},
		{"ws://172.16.0.2:24642/", "172.16.0.2", false, true},
		{"ws://169.254.3.4:24642/", "169.254.3.4", false, true},
		{"ws://169.254.169.254:24642/", "169.254.169.254", false, false},
		{"ws://[fd00::2]:24642/", "fd00::2", false, true},
		{"ws://[fd00:ec2::254]:24642/", "fd00:ec2::254", false, false},
		{"ws://203.0.113.7:24642/", "203.0.113.7", false, false},
		{"wss://203.0.113.7:24642/", "203.0.113.7", true, true},
		{"ws://pc.local:24642/", "192.168.1.20", false, true},
		{"ws://pc:24642/", "192.168.1.20", false, true},
		{"ws://pc.local:24642/", "127.0.0.1", false, false},
		{"ws://pc.local:24642/", "203.0.113.7", false, false},
		{"wss://play.example.org/", "192.168.1.20", true, false},
		{"wss://play.example.org/", "127.0.0.1", true, false},
		{"wss://play.example.org/", "203.0.113.7", true, true},
		{"wss://play.example.org/", "203.0.113.7", false, false},
	} {
		to, err := hostlist.ParseTarget(row.to)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkJoin(to, row.listed, netip.MustParseAddr(row.addr)); (err == nil) != row.ok {
			t.Errorf("%s at %s, listed %v: %v", row.to, row.addr, row.listed, err)
		}
	}
}

// TestJoinAsksThePlayer: an address of the network is asked about like an unlisted host, a yes is kept, a no is not, and a listed
// host is not asked about.
func TestJoinAsksThePlayer(t *testing.T) {
	d := &answers{by: map[consent.Kind]consent.Answer{consent.Join: consent.Deny}}
	dir := gameFolder(t, `{"sessions":true,"allowedHosts":["play.example.org","192.168.1.30"]}`)
	g := start(t, Options{Path: dir, Dialog: d})
	allow := func(raw string) error {
		to, err := hostlist.ParseTarget(raw)
		if err != nil {
			t.Fatal(err)
		}
		return g.sessions.joins.allow(t.Context(), to)
	}
	var refused *consent.RefusedError
	if err := allow("ws://192.168.1.20:24642/"); !errors.As(err, &refused) || refused.Code != consent.PlayerNo || d.count() != 1 {
		t.Errorf("no: %v, asked %d", err, d.count())
	}
	if got := d.asked[0].Sentence(); got != "This game wants to join a game at 192.168.1.20:24642. Allow?" {
		t.Errorf("sentence %q", got)
	}
	d.mu.Lock()
	d.by[consent.Join] = consent.Allow
	d.mu.Unlock()
	for range 2 {
		if err := allow("ws://192.168.1.20:24642/"); err != nil {
			t.Error(err)
		}
	}
	for _, raw := range []string{"wss://play.example.org/", "ws://192.168.1.30:24642/", "ws://127.0.0.1:24642/", "ws://localhost:1024/", "ws://[::1]:1024/"} {
		if err := allow(raw); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
	}
	for _, raw := range []string{"ws://play.example.org/", "wss://example.com/", "ws://203.0.113.7:24642/"} {
		if err := allow(raw); !errors.As(err, &refused) {
			t.Errorf("%s: %v", raw, err)
		}
	}
	if d.count() != 2 {
		t.Errorf("asked %d times: %v", d.count(), d.asked)
	}
	// a yes to joining is none to sockets, nor to another port
	to, _ := hostlist.ParseTarget("wss://192.168.1.20:24642/")
	if gate, err := g.asking(); err != nil || gate.Allow(t.Context(), to) == nil {
		t.Errorf("a socket to the host is allowed too: %v", err)
	}
}
