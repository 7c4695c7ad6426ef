//go:build e2e

package e2e

import (
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"conch/internal/wstest"
)

// remote is a wss:// server with an address and a name that are not this computer's.
type remote struct {
	host string // name and port

	mu    sync.Mutex
	paths []string
}

// serveRemote starts one in the test's network. It says hi to every socket.
func serveRemote(t *testing.T, n *network, name string, ca *wstest.CA) *remote {
	t.Helper()
	const address = "203.0.113.10"
	n.resolve(name, address)
	ln, err := net.Listen("tcp", address+":8443")
	if err != nil {
		t.Fatal(err)
	}
	s := &remote{host: name + ":8443"}
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	srv := &http.Server{
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{ca.Cert(name)}, NextProtos: []string{"http/1.1"}},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			s.mu.Lock()
			s.paths = append(s.paths, q.Host+q.URL.Path+" "+q.TLS.ServerName)
			s.mu.Unlock()
			c, err := up.Upgrade(w, q, nil)
			if err != nil {
				return
			}
			defer c.Close()
			c.WriteMessage(websocket.TextMessage, []byte("hi"))
			c.ReadMessage()
		}),
	}
	go srv.ServeTLS(ln, "", "")
	t.Cleanup(func() { srv.Close() })
	return s
}

func (s *remote) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.paths...)
}

// TestRemoteHosts: sockets to servers elsewhere. A game's own WebSocket with ws:// is tried as wss:// and the console
// says so; net.connect wants wss:// written. Names are looked up by Conch, and where they lead is checked.
func TestRemoteHosts(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		ca := wstest.NewCA(t)
		file := filepath.Join(t.TempDir(), "ca.pem")
		if err := os.WriteFile(file, ca.PEM(), 0o644); err != nil {
			t.Fatal(err)
		}
		server := serveRemote(t, n, "play.example.net", ca)
		n.resolve("inside.example.net", "127.0.0.1")
		n.resolve("lan.example.net", "192.168.7.7")
		n.resolve("meta.example.net", "169.254.169.254")
		inBoth(t, func(t *testing.T, e engine) { remoteHosts(t, e, server, file) })
	})
}

func remoteHosts(t *testing.T, e engine, server *remote, ca string) {
	r, h := newReporter(t), newHome(t)
	before := len(server.seen())
	dir := r.game(t, ``, []string{"*.example.net"}, map[string]string{"index.html": page(`
const first = sock => new Promise(ok => {
  sock.onmessage = sock.onMessage = e => { ok([sock.url, e.origin || 'no origin', e.data || e]); sock.close() }
  sock.onError = message => ok(['error ' + message])
  sock.onerror = () => ok(['error'])
})
report('raw', await first(new WebSocket('ws://play.example.net:8443/raw?token=secret')))
report('net', await first(net.connect('wss://play.example.net:8443/net')))
try { net.connect('ws://play.example.net:8443/net'); report('plain', ['nothing']) } catch (e) { report('plain', [e.name + ': ' + e.message]) }
for (const host of ['nowhere', 'inside', 'lan', 'meta']) report(host, await first(net.connect('wss://' + host + '.example.net:8443/')))
report('default port', await first(new WebSocket('ws://play.example.net/default')))
report('unlisted', await first(new WebSocket('ws://play.example.org:8443/')))`)})
	p := openGame(t, e, h, dir, "--debug", "--ca", ca).console

	wantLines(t, "WebSocket to ws://", r.waitLines("raw"),
		[]string{"ws://play.example.net:8443/raw?token=secret", "ws://play.example.net:8443", "hi"})
	wantLines(t, "net.connect to wss://", r.waitLines("net"), []string{"wss://play.example.net:8443/net", "no origin", "hi"})
	wantLines(t, "net.connect to ws://", r.waitLines("plain"), []string{
		"SyntaxError: net.connect: plain ws:// is accepted only to localhost, 127.0.0.1 and [::1]; use wss://play.example.net:8443"})
	wantLines(t, "no such host", r.waitLines("nowhere"), []string{"error no such host: nowhere.example.net:8443"})
	wantLines(t, "a name for this computer", r.waitLines("inside"), []string{
		"error inside.example.net:8443 points to this computer (127.0.0.1); only localhost, 127.0.0.1 and [::1] may do that"})
	wantLines(t, "a name for the player's network", r.waitLines("lan"), []string{
		"error lan.example.net:8443 points into your own network (192.168.7.7); only an address, a .local name or a name without dots may do that"})
	wantLines(t, "a name for a metadata service", r.waitLines("meta"), []string{
		"error meta.example.net:8443: 169.254.169.254 is a link-local address; no game may connect there"})
	// Nobody speaks TLS on 443: that it was tried there is what the console says.
	wantLines(t, "ws:// without a port", r.waitLines("default port"), []string{"error"})
	wantLines(t, "unlisted", r.waitLines("unlisted"), []string{"error"})
	for _, line := range []string{
		"net [game] ws://play.example.net:8443/raw is tried as wss://, since plain ws:// is accepted only to this machine",
		"net [game] ws://play.example.net/default is tried as wss://",
		"net [game] failed ws://play.example.net/default: play.example.net ",
		"net [game] refused ws://play.example.org:8443/: play.example.org:8443 is not an allowed host",
	} {
		p.waitOutput(line)
	}
	const want = "play.example.net:8443/raw play.example.net|play.example.net:8443/net play.example.net"
	if got := strings.Join(server.seen()[before:], "|"); got != want {
		t.Errorf("the server saw %s, want %s", got, want)
	}
}
