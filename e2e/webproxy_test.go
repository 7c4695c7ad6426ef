//go:build e2e

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestProxyLetsOnlyWebHostsThrough: what the author lists in network.webHosts is reached over https at a public
// address; every other host, port and scheme is refused before its name is looked up, and a listed name that leads
// into this computer or the player's network is refused when it is dialled.
func TestProxyLetsOnlyWebHostsThrough(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		r, h := newReporter(t), newHome(t)
		for name, address := range map[string]string{
			"cdn.web.test": "93.184.216.34", "a.files.web.test": "93.184.216.35", "other.web.test": "93.184.216.36", "files.web.test": "93.184.216.37",
			"private.web.test": "192.168.1.10", "nat.web.test": "100.64.0.1", "loop.web.test": "127.0.0.1", "loop5.web.test": "127.0.0.5",
			"meta.web.test": "169.254.169.254", "zero.web.test": "0.0.0.0", "cast.web.test": "224.0.0.251",
		} {
			n.resolve(name, address)
		}
		dir := r.game(t, `"network": {"allowedHosts": ALLOWED, "webHosts": ["cdn.web.test", "*.files.web.test", "private.web.test", "nat.web.test",
			"loop.web.test", "loop5.web.test", "meta.web.test", "zero.web.test", "cast.web.test"]}`, nil, map[string]string{"index.html": page(`
const text = await (await fetch('/__conch/page.js')).text()
report('relays', [Number(location.port)].concat(JSON.parse(text.match(/"relayPorts":(\[[0-9,]*\])/)[1])))
const get = u => fetch(u, { mode: 'no-cors' }).then(() => 'answered', e => e.name)
for (const u of ['https://cdn.web.test/x', 'https://a.files.web.test/x', 'https://other.web.test/x', 'https://files.web.test/x', 'http://cdn.web.test/x',
  'https://cdn.web.test:8443/x', 'https://cdn.web.test./x', 'https://private.web.test/x', 'https://loop.web.test/x', 'https://meta.web.test/x', 'https://93.184.216.34/x']) {
  await get(u)
  await new Promise(ok => { const i = new Image(); i.onload = i.onerror = ok; i.src = u })
}
report('done')`)})
		p := play(t, h, dir)
		var own []int
		if err := json.Unmarshal(r.wait("relays"), &own); err != nil {
			t.Fatal(err)
		}
		r.wait("done")
		proxy := 0
		for _, port := range portsOf(t, p.cmd.Process.Pid) {
			if slices.Contains(own, port) {
				continue
			}
			if status, _ := connect(t, port, "CONNECT cdn.web.test:443 HTTP/1.1\r\nHost: cdn.web.test:443\r\n\r\n"); status == http.StatusOK {
				proxy = port
			}
		}
		if proxy == 0 {
			t.Fatal("no proxy found")
		}
		t.Run("page", func(t *testing.T) {
			got := n.look(append(portsOf(t, p.cmd.Process.Pid), r.Port))
			for _, want := range []string{"dns cdn.web.test", "tcp 93.184.216.34:443", "dns a.files.web.test", "tcp 93.184.216.35:443"} {
				if !slices.Contains(got.strange, want) {
					t.Errorf("listed host not reached: no %q in %v", want, got.strange)
				}
			}
			for _, s := range got.strange {
				kind, what, _ := strings.Cut(s, " ")
				switch {
				case kind == "tcp" && (what == "93.184.216.34:443" || what == "93.184.216.35:443"):
				case kind == "dns" && slices.Contains([]string{"cdn.web.test", "a.files.web.test", "private.web.test", "loop.web.test", "meta.web.test"}, what):
				default:
					t.Errorf("the page reached %s", s)
				}
			}
		})
		t.Run("tunnel", func(t *testing.T) {
			for _, host := range []string{"cdn.web.test", "CDN.web.test", "a.files.web.test"} {
				if status, text := connect(t, proxy, "CONNECT "+host+":443 HTTP/1.1\r\nHost: "+host+":443\r\n\r\n"); status != http.StatusOK || text != reached {
					t.Errorf("tunnel to %s: %d %q", host, status, text)
				}
			}
		})
		t.Run("inner addresses", func(t *testing.T) {
			n.forget()
			for _, host := range []string{"private", "nat", "loop", "loop5", "meta", "zero", "cast"} {
				host += ".web.test"
				if status, text := connect(t, proxy, "CONNECT "+host+":443 HTTP/1.1\r\nHost: "+host+":443\r\n\r\n"); status != http.StatusBadGateway || text != "" {
					t.Errorf("tunnel to %s: %d %q, want 502", host, status, text)
				}
			}
			for _, s := range n.look([]int{proxy}).strange {
				if !strings.HasPrefix(s, "dns ") {
					t.Errorf("dialled %s", s)
				}
			}
		})
		t.Run("everything else", func(t *testing.T) {
			n.forget()
			for _, line := range []string{
				"CONNECT other.web.test:443", "CONNECT files.web.test:443", "CONNECT cdn.web.test:80", "CONNECT cdn.web.test:8443", "CONNECT cdn.web.test:0", "CONNECT cdn.web.test",
				"CONNECT evilcdn.web.test:443", "CONNECT cdn.web.test.evil.test:443", "CONNECT a.cdn.web.test:443", "CONNECT 93.184.216.34:443", "CONNECT 127.0.0.1:443", "CONNECT localhost:443",
				"CONNECT [::1]:443", "CONNECT [::ffff:93.184.216.34]:443", "CONNECT user@cdn.web.test:443", "CONNECT cdn.web.test:443@evil.test:443", "CONNECT :443",
				"GET http://cdn.web.test/", "GET https://cdn.web.test/", "GET http://127.0.0.1:80/", "POST http://cdn.web.test/", "GET /", "HEAD /", "OPTIONS *", "TRACE http://cdn.web.test/", "GET ftp://cdn.web.test/x",
			} {
				status, text := connect(t, proxy, line+" HTTP/1.1\r\nHost: cdn.web.test:443\r\nContent-Length: 0\r\n\r\n")
				if status != http.StatusForbidden && status != http.StatusBadRequest || strings.Contains(text, "reached") {
					t.Errorf("%s: %d %q, want 403", line, status, text)
				}
			}
			if got := n.look([]int{proxy}); len(got.strange) > 0 || len(got.requests) > 0 {
				t.Errorf("went out: %v %v", got.strange, got.requests)
			}
		})
	})
}

// connect sends one request head to a proxy and answers the status and everything that follows.
func connect(t *testing.T, port int, head string) (int, string) {
	t.Helper()
	c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(c, head); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(head, " ")
	in := bufio.NewReader(c)
	res, err := http.ReadResponse(in, &http.Request{Method: method})
	if err != nil {
		return 0, ""
	}
	if method == http.MethodConnect && res.StatusCode == http.StatusOK {
		text, _ := io.ReadAll(in)
		return res.StatusCode, string(text)
	}
	text, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(text)
}
