//go:build e2e

package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// The servers and client libraries below were written elsewhere. Each conversation runs directly and through Conch in
// both engines and must read the same.

// installServers installs what e2e/servers/package.json names, once.
var installServers = sync.OnceValue(func() error {
	install := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = "servers"
	if out, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	return nil
})

// installed is a file of an installed package.
func installed(t *testing.T, path string) string {
	t.Helper()
	if err := installServers(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("servers", "node_modules", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// nodeServer starts one of e2e/servers and answers its host and port.
func nodeServer(t *testing.T, name string) string {
	t.Helper()
	if err := installServers(); err != nil {
		t.Fatal(err)
	}
	read, write := io.Pipe()
	p := start(t, os.Environ(), write, "node", filepath.Join("servers", name))
	line := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(read).ReadString('\n')
		line <- text
		io.Copy(io.Discard, read)
	}()
	select {
	case text := <-line:
		return "127.0.0.1:" + strings.TrimSpace(strings.TrimPrefix(text, "listening "))
	case <-p.done:
		t.Fatalf("%s ended: %s", name, p.output())
	case <-time.After(patience):
		t.Fatalf("%s does not listen", name)
	}
	return ""
}

// freePort is a loopback port that nobody holds now, for servers that cannot choose one.
func freePort(t testing.TB) int {
	t.Helper()
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port
}

// waitListening waits until a server accepts connections.
func waitListening(t testing.TB, p *process, address string) {
	t.Helper()
	eventually(t, "a server listens at "+address, func() bool {
		select {
		case <-p.done:
			t.Fatalf("the server ended:\n%s", p.output())
		default:
		}
		c, err := net.Dial("tcp", address)
		if err != nil {
			return false
		}
		c.Close()
		return true
	})
}

// numbered makes lines comparable.
func numbered(lines []string) map[string]string {
	m := map[string]string{}
	for i, line := range lines {
		m[fmt.Sprintf("%03d", i)] = line
	}
	return m
}

// conversation runs a page's script against a server, directly and through Conch.
func conversation(t *testing.T, name string, server func(t *testing.T) (host string), files map[string]string) {
	compareWays(t, func(t *testing.T, e engine, w way) map[string]string {
		host := server(t)
		r, h := newReporter(t), newHome(t)
		all := map[string]string{"index.html": page(testScript(t, name+".js", "SERVER_HOST", host))}
		for path, text := range files {
			all[path] = text
		}
		w.open(t, e, h, r.game(t, ``, []string{host}, all))
		return numbered(r.waitLines(name))
	})
}

func TestServerWS(t *testing.T) {
	conversation(t, "ws", func(t *testing.T) string { return nodeServer(t, "ws.mjs") }, nil)
}

func TestServerNATS(t *testing.T) {
	server := func(t *testing.T) string {
		ws := freePort(t)
		config := filepath.Join(t.TempDir(), "nats.conf")
		text := fmt.Sprintf("listen: 127.0.0.1:-1\nwebsocket { listen: \"127.0.0.1:%d\", no_tls: true, compression: true }\n", ws)
		if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		p := start(t, os.Environ(), nil, "nats-server", "-c", config)
		host := fmt.Sprintf("127.0.0.1:%d", ws)
		waitListening(t, p, host)
		return host
	}
	conversation(t, "nats", server, map[string]string{"nats.mjs": installed(t, "nats.ws/esm/nats.js")})
}

const prosodyConfig = `run_as_root = true
pidfile = "DIR/prosody.pid"
data_path = "DIR"
log = { info = "*console" }
interfaces = { "127.0.0.1" }
c2s_ports = {}
s2s_ports = {}
https_ports = {}
http_ports = { PORT }
http_interfaces = { "127.0.0.1" }
modules_enabled = { "saslauth", "disco", "ping", "websocket", "http" }
modules_disabled = { "s2s", "tls" }
consider_websocket_secure = true
cross_domain_websocket = true
VirtualHost "localhost"
authentication = "anonymous"
`

func TestServerXMPP(t *testing.T) {
	server := func(t *testing.T) string {
		dir, port := t.TempDir(), freePort(t)
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		config := filepath.Join(dir, "prosody.cfg.lua")
		text := strings.NewReplacer("DIR", dir, "PORT", fmt.Sprint(port)).Replace(prosodyConfig)
		if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		p := start(t, os.Environ(), nil, "prosody", "-F", "--config", config)
		// The Host header has to name the virtual host.
		waitListening(t, p, fmt.Sprintf("127.0.0.1:%d", port))
		return fmt.Sprintf("localhost:%d", port)
	}
	conversation(t, "xmpp", server, nil)
}

// TestServerSocketIO talks to the page's own origin, as such games do, first by polling: network.proxy leads there.
func TestServerSocketIO(t *testing.T) {
	client := installed(t, "socket.io-client/dist/socket.io.min.js")
	compareWays(t, func(t *testing.T, e engine, w way) map[string]string {
		host := nodeServer(t, "socketio.mjs")
		r, h := newReporter(t), newHome(t)
		extra := fmt.Sprintf(`"network": {"allowedHosts": ALLOWED, "proxy": {"/socket.io/": "http://%s"}}`, host)
		dir := r.game(t, extra, []string{host}, map[string]string{
			"socket.io.js": client,
			"index.html": `<!doctype html><html><head><meta charset="utf-8"><script src="report.js"></script><script src="socket.io.js"></script></head><body>
<script type="module">` + testScript(t, "socketio.js", "SERVER_HOST", host) + `</script></body></html>`})
		if w.name == "direct" {
			upstream := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: host})
			openDirectly(t, e, h, dir, map[string]http.Handler{"/socket.io/": upstream})
		} else {
			w.open(t, e, h, dir)
		}
		return numbered(r.waitLines("socketio"))
	})
}
