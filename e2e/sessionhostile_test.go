//go:build e2e

package e2e

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
)

// TestGamesWithoutSessionsHaveNone: the author's manifest decides, and the error names its setting. The endpoints are not there.
func TestGamesWithoutSessionsHaveNone(t *testing.T) {
	r := newReporter(t)
	dir := r.game(t, `"window": {"title": "nosessions"}`, nil, map[string]string{"index.html": page(`
try { new conch.NetSessionManager() } catch (e) { report('error', e.message) }
report('alias', typeof globalThis.NetSessionManager)
fetch('/__conch/session/host', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' }).then(a => report('status', a.status))`)})
	play(t, newHome(t), dir)
	if got := r.waitString("error"); !strings.Contains(got, "network.sessions") {
		t.Errorf("the author was told %q", got)
	}
	r.want("alias", `"undefined"`)
	r.want("status", "404")
}

// scanner tries to find out what is on this computer by joining, from the page and from frames that are not the game's origin.
const scanner = `
const PORTS = %s
function tryPort(name, port) {
  const s = new conch.NetSessionManager()
  setInterval(() => s.update(0.02), 20)
  s.onClientJoinFailed.add(why => report('port ' + name, why))
  s.onSessionStarted.add(() => report('port ' + name, 'joined'))
  s.joinSession({ projectId: 'lab', buildHash: '1.0' }, '127.0.0.1:' + port)
}
for (const name of Object.keys(PORTS)) tryPort(name, PORTS[name])
const far = new conch.NetSessionManager()
report('public', [far.joinSession({ projectId: 'lab', buildHash: '1.0' }, '203.0.113.7'), far.lastError.includes('network.allowedHosts')])

const inside = '<script>' + 'const base = "' + location.origin + '";' +
  'const say = (what, value) => parent.postMessage([what, value], "*");' +
  'fetch(base + "/__conch/session/host", { method: "POST", mode: "no-cors", body: JSON.stringify({ projectId: "evil", sessionId: "e", buildHash: "1", port: 0 }) })' +
  '.then(a => say("frame host", a.type + " " + a.status), e => say("frame host", e.name));' +
  'try { const w = new WebSocket(base.replace("http", "ws") + "/__conch/session/link?host=x"); w.onopen = () => say("frame link", "open"); w.onclose = () => say("frame link", "closed") }' +
  'catch (e) { say("frame link", "closed") }' + '</' + 'script>'
addEventListener('message', e => report(e.data[0], e.data[1]))
const frame = document.createElement('iframe')
frame.sandbox = 'allow-scripts'
frame.srcdoc = inside
document.body.append(frame)
`

// TestHostilePageLearnsNothingByJoining: whatever listens on a port of this computer and is no session host of the project, the page
// hears the same; a server gets no word of it. A sandboxed frame reaches no endpoint.
func TestHostilePageLearnsNothingByJoining(t *testing.T) {
	r := newReporter(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Header.Get("Origin") != "" || q.Header.Get("Cookie") != "" || q.URL.Path != "/_conch/session" {
			t.Errorf("a web server got %s %v", q.URL, q.Header)
		}
	}))
	defer web.Close()
	words := make(chan int, 8)
	socket := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		up := websocket.Upgrader{Subprotocols: []string{"conch.session.1"}}
		c, err := up.Upgrade(w, q, nil)
		if err != nil {
			return
		}
		defer c.Close()
		n := 0
		for {
			_, b, err := c.ReadMessage()
			if err != nil {
				words <- n
				return
			}
			if n++; n == 1 {
				c.WriteMessage(websocket.BinaryMessage, b) // a Hello is no Challenge
			}
		}
	}))
	defer socket.Close()
	port := func(a net.Addr) int { return a.(*net.TCPAddr).Port }
	ports := fmt.Sprintf(`{ silent: %d, closed: %d, web: %d }`, port(silent.Addr()), port(closed.Addr()), port(web.Listener.Addr()))
	impostor := fmt.Sprintf("\ntryPort('impostor', %d)", port(socket.Listener.Addr()))
	dir := r.game(t, `"window": {"title": "scanner"}, "network": {"allowedHosts": ALLOWED, "sessions": true}`, nil,
		map[string]string{"index.html": page(fmt.Sprintf(scanner, ports) + impostor)})
	p := play(t, newHome(t), dir)
	for _, name := range []string{"silent", "closed", "web"} {
		r.want("port "+name, `"unreachable"`)
	}
	r.want("port impostor", `"not_a_host"`)
	if n := <-words; n != 1 {
		t.Errorf("the impostor got %d messages, want the Hello alone", n)
	}
	r.want("public", "[false,true]")
	if got := r.waitString("frame host"); got != "opaque 0" && got != "TypeError" {
		t.Errorf("a sandboxed frame was answered: %s", got)
	}
	r.want("frame link", `"closed"`)
	if strings.Contains(p.output(), "session hosted") {
		t.Errorf("a sandboxed frame hosts:\n%s", p.output())
	}
}
