package netsock

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"

	"conch/internal/wstest"

	"github.com/gorilla/websocket"
)

func TestRequestAsTheServerSeesIt(t *testing.T) {
	srv := wstest.ServeRaw(t, nil, func(c *wstest.Conn) { io.WriteString(c, c.Switch()) })
	_, page := start(t, func(r *Relay) {
		r.Policy = policyFunc(func(_ context.Context, q Request) (Dial, error) {
			u, err := url.Parse(q.URL)
			return Dial{URL: u, Target: "/a|b^c?q=%20{x}", Origin: gameOrigin}, err
		})
	})
	x := page.Open(t, srv.URL("/"), "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits",
		"Sec-WebSocket-Protocol: v1, v2", "Referer: http://127.0.0.1/", "Sec-Fetch-Site: same-site",
		"X-Other: 1", "Authorization: Basic eA==")
	if x.Status != 101 {
		t.Fatalf("status: got %d, want 101", x.Status)
	}
	want := strings.ReplaceAll(`GET /a|b^c?q=%20{x} HTTP/1.1
Host: `+srv.Addr+`
Connection: Upgrade
Pragma: no-cache
Cache-Control: no-cache
User-Agent: wstest
Upgrade: websocket
Origin: https://game.example
Sec-WebSocket-Version: 13
Accept-Encoding: gzip, deflate, br
Accept-Language: en-GB,en;q=0.9
Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits
Sec-WebSocket-Protocol: v1, v2

`, "\n", "\r\n")
	if !offerExtensions {
		want = strings.Replace(want, "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n", "", 1)
	}
	if got := srv.Heads()[0]; got != want {
		t.Errorf("request:\ngot  %q\nwant %q", got, want)
	}
}

func TestAnswerAsThePageSeesIt(t *testing.T) {
	srv := wstest.ServeRaw(t, nil, wstest.CloseInPacket)
	_, page := start(t, nil)
	x := page.Open(t, srv.URL("/"))
	want := http.Header{"Upgrade": {"websocket"}, "Connection": {"Upgrade"}, "Sec-Websocket-Accept": {wstest.KeyAccept}}
	if x.Status != 101 || len(x.Header) != len(want) {
		t.Errorf("answer: got %d %v, want 101 %v", x.Status, x.Header, want)
	}
	for name := range want {
		if x.Header.Get(name) != want.Get(name) {
			t.Errorf("%s: got %q, want %q", name, x.Header.Get(name), want.Get(name))
		}
	}
	text, err := wstest.ReadFrame(x.Reader)
	if err != nil || string(text.Payload) != "hi" {
		t.Errorf("first frame: got %+v, %v", text, err)
	}
	if f, err := wstest.ReadFrame(x.Reader); err != nil || f.Op != 8 || string(f.Payload) != "\x03\xe8" {
		t.Errorf("close frame: got %+v, %v", f, err)
	}
}

// A refused handshake is 502 and nothing of it reaches the page or is used
// again: no redirect target, no cookie, no login.
func TestFailedHandshakesEndThere(t *testing.T) {
	for name, handle := range map[string]func(*wstest.Conn){"302": wstest.Redirect, "401": wstest.Unauthorized} {
		t.Run(name, func(t *testing.T) {
			elsewhere := wstest.ServeRaw(t, nil, wstest.HangUp)
			srv := wstest.ServeRaw(t, nil, func(c *wstest.Conn) {
				if name == "302" {
					wstest.Answer("HTTP/1.1 302 Found\r\nLocation: " + elsewhere.URL("/") + "\r\n\r\n")(c)
					return
				}
				handle(c)
			})
			_, page := start(t, nil)
			for range 2 {
				x := page.Open(t, srv.URL("/"))
				if x.Status != 502 || x.Header.Get("Set-Cookie") != "" || x.Header.Get("WWW-Authenticate") != "" || x.Header.Get("Location") != "" {
					t.Errorf("answer: got %d %v, want a bare 502", x.Status, x.Header)
				}
				if n := x.Header.Get("Content-Length"); n != "0" {
					t.Errorf("Content-Length: got %q, want 0", n)
				}
			}
			if n := elsewhere.Opened(); n != 0 {
				t.Errorf("connections to the redirect's target: got %d, want 0", n)
			}
			for _, head := range srv.Heads() {
				if strings.Contains(head, "Cookie") || strings.Contains(head, "Authorization") {
					t.Errorf("request carries credentials: %q", head)
				}
			}
		})
	}
}

func TestSubprotocolAndCompressionEndToEnd(t *testing.T) {
	ca := wstest.NewCA(t)
	cert := ca.Cert("127.0.0.1")
	for name, o := range map[string]wstest.Options{
		"plain": {Compress: true, Subprotocols: []string{"v2"}},
		"tls":   {Compress: true, Subprotocols: []string{"v2"}, Cert: &cert},
	} {
		t.Run(name, func(t *testing.T) {
			srv := wstest.Serve(t, o)
			_, page := start(t, func(r *Relay) { r.RootCAs = ca.Pool() })
			c, res, _, err := page.Dial(srv.URL("/echo"), &websocket.Dialer{EnableCompression: true, Subprotocols: []string{"v1", "v2"}})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if c.Subprotocol() != "v2" {
				t.Errorf("subprotocol: got %q, want v2", c.Subprotocol())
			}
			if got := res.Header.Get("Sec-WebSocket-Extensions"); offerExtensions != strings.HasPrefix(got, "permessage-deflate") {
				t.Errorf("extensions: got %q", got)
			}
			text := strings.Repeat("compress me ", 10000)
			if err := c.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
				t.Fatal(err)
			}
			if _, got, err := c.ReadMessage(); err != nil || string(got) != text {
				t.Errorf("echo: got %d bytes, %v", len(got), err)
			}
		})
	}
}

func TestNoLookupBeforeYes(t *testing.T) {
	srv := wstest.Serve(t, wstest.Options{})
	target := srv.URLFor("game.test", "/echo")
	dns := &fakeDNS{}
	asked, answer := make(chan struct{}), make(chan error)
	_, page := start(t, func(r *Relay) {
		r.Resolver = dns.resolver()
		r.Policy = policyFunc(func(ctx context.Context, q Request) (Dial, error) {
			asked <- struct{}{}
			if err := <-answer; err != nil {
				return Dial{}, err
			}
			return allowAll(ctx, q)
		})
	})
	for _, no := range []error{errors.New("refused by the player"), nil} {
		var wg sync.WaitGroup
		wg.Go(func() {
			c, _, _, err := page.Dial(target, nil)
			if (err == nil) != (no == nil) {
				t.Errorf("dial with answer %v: got %v", no, err)
			}
			if err == nil {
				c.Close()
			}
		})
		<-asked
		if n := dns.asked.Load(); n != 0 {
			t.Errorf("lookups before the answer %v: got %d, want 0", no, n)
		}
		answer <- no
		wg.Wait()
	}
	if dns.asked.Load() == 0 {
		t.Error("no lookup after the yes")
	}
}

func TestControlIsAskedForEveryAddress(t *testing.T) {
	srv := wstest.ServeRaw(t, nil, wstest.Silent)
	_, port, _ := strings.Cut(srv.Addr, ":")
	dns := &fakeDNS{}
	for _, host := range []string{"game.test", "localhost", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]"} {
		t.Run(host, func(t *testing.T) {
			var mu sync.Mutex
			var seen []netip.Addr
			r, page := start(t, func(r *Relay) {
				r.Resolver = dns.resolver()
				r.Policy = policyFunc(func(_ context.Context, q Request) (Dial, error) {
					u, err := url.Parse(q.URL)
					return Dial{URL: u, Control: func(a netip.Addr) error {
						mu.Lock()
						defer mu.Unlock()
						seen = append(seen, a)
						return errors.New("it points into your own network")
					}}, err
				})
			})
			x := page.Open(t, "ws://"+host+":"+port+"/")
			if x.Status != 502 {
				t.Errorf("status: got %d, want 502", x.Status)
			}
			if got := reasonFor(t, r, x.ID); got != "it points into your own network" {
				t.Errorf("reason: got %q", got)
			}
			mu.Lock()
			defer mu.Unlock()
			if len(seen) == 0 {
				t.Error("Control was not asked")
			}
			for _, a := range seen {
				if !a.IsLoopback() || a.Is4In6() {
					t.Errorf("Control was asked for %v", a)
				}
			}
		})
	}
	if n := srv.Opened(); n != 0 {
		t.Errorf("connections at the server: got %d, want 0", n)
	}
}

func TestLocalhostIsNeverLookedUp(t *testing.T) {
	srv := wstest.Serve(t, wstest.Options{})
	dns := &fakeDNS{}
	_, page := start(t, func(r *Relay) { r.Resolver = dns.resolver() })
	c, _, _, err := page.Dial(srv.URLFor("localhost", "/echo"), nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if n := dns.asked.Load(); n != 0 {
		t.Errorf("lookups: got %d, want 0", n)
	}
	if got := srv.Requests()[0].Host; !strings.HasPrefix(got, "localhost:") {
		t.Errorf("Host: got %q", got)
	}
}

func TestHostHeader(t *testing.T) {
	tests := []struct{ raw, want string }{
		{"wss://a.example/", "a.example"},
		{"wss://a.example:443/", "a.example"},
		{"wss://a.example:80/", "a.example:80"},
		{"ws://localhost:80/", "localhost"},
		{"ws://[::1]/", "[::1]"},
		{"ws://[::1]:81/", "[::1]:81"},
	}
	for _, tt := range tests {
		u, err := url.Parse(tt.raw)
		if err != nil {
			t.Fatal(err)
		}
		d, err := newDestination(Dial{URL: u})
		if err != nil || d.hostPort != tt.want {
			t.Errorf("%s: got %q, %v, want %q", tt.raw, d.hostPort, err, tt.want)
		}
	}
}

func TestDestinationRefusesWhatIsNotPlain(t *testing.T) {
	ok := &url.URL{Scheme: "ws", Host: "a", Path: "/"}
	for name, d := range map[string]Dial{
		"no url":       {},
		"no host":      {URL: &url.URL{Scheme: "ws", Path: "/"}},
		"http":         {URL: &url.URL{Scheme: "http", Host: "a"}},
		"opaque":       {URL: &url.URL{Scheme: "ws", Opaque: "a"}},
		"userinfo":     {URL: &url.URL{Scheme: "ws", Host: "a", User: url.User("x")}},
		"host newline": {URL: &url.URL{Scheme: "ws", Host: "a\r\nX: y"}},
		"target":       {URL: ok, Target: "/x HTTP/1.1\r\nX: y"},
		"bare target":  {URL: ok, Target: "x"},
		"origin":       {URL: ok, Origin: "https://a\r\nX: y"},
		"query":        {URL: &url.URL{Scheme: "ws", Host: "a", RawQuery: "a b"}},
	} {
		if got, err := newDestination(d); err == nil {
			t.Errorf("%s: got %+v, want an error", name, got)
		}
	}
}

func TestReadAnswer(t *testing.T) {
	tests := []struct {
		name, in string
		status   int
		fields   int
		ok       bool
	}{
		{"plain", "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nSet-Cookie: a\r\n\r\n", 101, 1, true},
		{"bare line feeds", "HTTP/1.1 101 X\nUpgrade: websocket\n\n", 101, 1, true},
		{"no text", "HTTP/1.1 101\r\n\r\n", 101, 0, true},
		{"folded", "HTTP/1.1 101 X\r\nUpgrade:\r\n websocket\r\n\r\n", 101, 1, true},
		{"no colon", "HTTP/1.1 101 X\r\nnonsense\r\nUpgrade: websocket\r\n\r\n", 101, 1, true},
		{"interim", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 101 X\r\n\r\n", 101, 0, true},
		{"too many interim", strings.Repeat("HTTP/1.1 100 C\r\n\r\n", 9), 0, 0, false},
		{"not http", "SSH-2.0\r\n\r\n", 0, 0, false},
		{"http 2", "HTTP/2 101 X\r\n\r\n", 0, 0, false},
		{"bad status", "HTTP/1.1 1x1 X\r\n\r\n", 0, 0, false},
		{"nul", "HTTP/1.1 101 X\r\nUpgrade: web\x00socket\r\n\r\n", 0, 0, false},
		{"inner cr", "HTTP/1.1 101 X\r\nUpgrade: a\rX: b\r\n\r\n", 0, 0, false},
		{"cut", "HTTP/1.1 101 X\r\nUpgrade: websocket\r\n", 0, 0, false},
		{"long line", "HTTP/1.1 101 " + strings.Repeat("x", maxHeadBytes) + "\r\n\r\n", 0, 0, false},
		{"many lines", "HTTP/1.1 101 X\r\n" + strings.Repeat("a: b\r\n", maxHeadLines) + "\r\n", 0, 0, false},
	}
	for _, tt := range tests {
		got, err := readAnswer(bufio.NewReader(strings.NewReader(tt.in)))
		if got.status != tt.status || len(got.fields) != tt.fields || (err == nil) != tt.ok {
			t.Errorf("%s: got %d, %v, %v, want %d and %d fields", tt.name, got.status, got.fields, err, tt.status, tt.fields)
		}
	}
}

func FuzzReadAnswer(f *testing.F) {
	f.Add("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\x88\x00")
	f.Add("HTTP/1.1 100 Continue\n\nHTTP/1.0 404 \n x\n\n")
	f.Fuzz(func(t *testing.T, in string) {
		br := bufio.NewReader(strings.NewReader(in))
		a, err := readAnswer(br)
		if err != nil {
			return
		}
		if a.status < 100 || a.status > 999 {
			t.Errorf("status %d", a.status)
		}
		// What the page gets is one head with the same fields, whatever came.
		again, err := readAnswer(bufio.NewReader(strings.NewReader(string(a.head()))))
		if err != nil || len(again.fields) != len(a.fields) {
			t.Errorf("head %q: got %v, %v, want %v", a.head(), again.fields, err, a.fields)
		}
		rest, _ := io.ReadAll(br)
		if !strings.HasSuffix(in, string(rest)) {
			t.Errorf("bytes behind the head changed")
		}
		a.refusal()
		a.fault(http.Header{})
	})
}
