package netsock

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/internal/wstest"

	"github.com/gorilla/websocket"
)

func srv127(port int) string { return "127.0.0.1:" + strconv.Itoa(port) }

func TestListenNeedsItsFields(t *testing.T) {
	for _, r := range []*Relay{
		{},
		{Policy: policyFunc(allowAll), Origin: testOrigin},
		{Policy: policyFunc(allowAll), Authorize: checkCookie},
		{Authorize: checkCookie, Origin: testOrigin},
	} {
		if err := r.Listen(); err == nil {
			r.Close()
			t.Errorf("Listen: got no error for %+v", r)
		}
	}
}

func TestListenersAreLoopbackOnly(t *testing.T) {
	r, _ := start(t, func(r *Relay) { r.Ports = 0 })
	if got := len(r.PortNumbers()); got != defaultPorts {
		t.Errorf("ports: got %d, want %d", got, defaultPorts)
	}
	for _, l := range r.listeners {
		if ip := l.Addr().(*net.TCPAddr).IP; !ip.Equal(net.IPv4(127, 0, 0, 1)) {
			t.Errorf("listener on %v", ip)
		}
	}
}

func TestCloseWithoutServe(t *testing.T) {
	r := &Relay{Policy: policyFunc(allowAll), Authorize: checkCookie, Origin: testOrigin, Ports: 1}
	if err := r.Listen(); err != nil {
		t.Fatal(err)
	}
	addr := srv127(r.PortNumbers()[0])
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.Serve(); err != nil {
		t.Errorf("Serve after Close: got %v", err)
	}
	if c, err := net.Dial("tcp", addr); err == nil {
		c.Close()
		t.Error("the listener is still open")
	}
}

// Close ends sockets in every state: silent connections, waiting for the
// policy, dialling, open.
func TestCloseEndsEverything(t *testing.T) {
	echo := wstest.Serve(t, wstest.Options{})
	silent := wstest.ServeRaw(t, nil, wstest.Silent)
	r, page := start(t, func(r *Relay) {
		r.Policy = policyFunc(func(ctx context.Context, q Request) (Dial, error) {
			if q.Raw {
				<-ctx.Done()
				return Dial{}, ctx.Err()
			}
			return allowAll(ctx, q)
		})
	})
	idle, err := net.Dial("tcp", srv127(page.Port))
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	open, _, _, err := page.Dial(echo.URL("/echo"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	var wg sync.WaitGroup
	for _, p := range []struct {
		raw    bool
		target string
	}{{true, "ws://waits.test/"}, {false, silent.URL("/")}} {
		wg.Go(func() {
			pp := page
			pp.Raw = p.raw
			if c, _, _, err := pp.Dial(p.target, nil); err == nil {
				c.Close()
				t.Errorf("%s: connected", p.target)
			}
		})
	}
	eventually(t, "three sockets", func() bool { return r.count() == 3 && silent.Opened() == 1 })
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if n := r.count(); n != 0 {
		t.Errorf("sockets after Close: got %d", n)
	}
	if _, _, err := open.ReadMessage(); err == nil {
		t.Error("the open socket is still open")
	}
	if _, err := idle.Read(make([]byte, 1)); err == nil {
		t.Error("the idle connection is still open")
	}
	wg.Wait()
}

// The player may take any time, but not longer than the page waits.
func TestPageGoneWhileDeciding(t *testing.T) {
	srv := wstest.ServeRaw(t, nil, wstest.Silent)
	asked, over := make(chan struct{}), make(chan error, 1)
	r, page := start(t, func(r *Relay) {
		r.Policy = policyFunc(func(ctx context.Context, q Request) (Dial, error) {
			close(asked)
			<-ctx.Done()
			over <- ctx.Err()
			return allowAll(ctx, q) // a yes that comes too late
		})
	})
	cancelled(t, page, srv.URL("/"), asked)
	if err := <-over; !errors.Is(err, context.Canceled) {
		t.Errorf("the policy's context: got %v", err)
	}
	eventually(t, "socket gone", func() bool { return r.count() == 0 })
	if n := srv.Opened(); n != 0 {
		t.Errorf("connections at the server: got %d, want 0", n)
	}
}

func TestPageGoneWhileDialling(t *testing.T) {
	seen, gone := make(chan struct{}), make(chan struct{})
	srv := wstest.ServeRaw(t, nil, func(c *wstest.Conn) {
		close(seen)
		io.Copy(io.Discard, c.Reader)
		close(gone)
	})
	r, page := start(t, nil)
	cancelled(t, page, srv.URL("/"), seen)
	<-gone
	eventually(t, "socket gone", func() bool { return r.count() == 0 })
}

// cancelled opens target and closes the page's connection at when.
func cancelled(t *testing.T, page wstest.Page, target string, when <-chan struct{}) {
	t.Helper()
	query, _ := page.Query(target)
	c, err := net.Dial("tcp", srv127(page.Port))
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(c, "GET /?"+query+" HTTP/1.1\r\nHost: "+srv127(page.Port)+"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nOrigin: "+
		testOrigin+"\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "+wstest.Key+"\r\nCookie: "+testCookie+"\r\n\r\n")
	<-when
	c.Close()
}

func TestBurstIsCapped(t *testing.T) {
	srv := wstest.Serve(t, wstest.Options{})
	r, page := start(t, func(r *Relay) { r.Ports = 16 })
	ports := r.PortNumbers()
	var mu sync.Mutex
	var open []*websocket.Conn
	full, others := 0, 0
	var wg sync.WaitGroup
	for i := range 1000 {
		wg.Go(func() {
			p := page
			p.Port = ports[i%len(ports)]
			c, res, id, err := p.Dial(srv.URL("/echo"), nil)
			reason := r.reasons.get(id) // "" when 512 newer attempts have pushed it out
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				open = append(open, c)
			case res != nil && res.StatusCode == 502 && (reason == "" || reason == "too many sockets: 256 are open or connecting"):
				full++
			default:
				t.Logf("dial: %v, reason %q", err, reason)
				others++
			}
		})
	}
	wg.Wait()
	if len(open) != defaultSockets || full != 1000-defaultSockets || others != 0 {
		t.Errorf("got %d open, %d refused, %d other, want %d, %d, 0", len(open), full, others, defaultSockets, 1000-defaultSockets)
	}
	for _, c := range open {
		c.Close()
	}
	eventually(t, "sockets gone", func() bool { return r.count() == 0 })
	c, _, _, err := page.Dial(srv.URL("/echo"), nil)
	if err != nil {
		t.Fatalf("after the burst: %v", err)
	}
	c.Close()
}

// Eight servers that never answer do not hold up a ninth on the same port.
func TestSlowServersDoNotBlockOthers(t *testing.T) {
	silent := wstest.ServeRaw(t, nil, wstest.Silent)
	srv := wstest.Serve(t, wstest.Options{})
	r, page := start(t, nil)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if c, _, _, err := page.Dial(silent.URL("/"), nil); err == nil {
				c.Close()
			}
		})
	}
	eventually(t, "all wait", func() bool { return silent.Opened() == 8 })
	c, _, _, err := page.Dial(srv.URL("/echo"), nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	r.Close()
	wg.Wait()
}

func TestCloseHost(t *testing.T) {
	echo := wstest.Serve(t, wstest.Options{})
	silent := wstest.ServeRaw(t, nil, wstest.Silent)
	dns := &fakeDNS{}
	r, page := start(t, func(r *Relay) { r.Resolver = dns.resolver() })
	kept, _, _, err := page.Dial(echo.URL("/echo"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	closed, _, id, err := page.Dial(echo.URLFor("Game.test", "/echo"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer closed.Close()
	pending := make(chan *http.Response)
	go func() {
		_, res, _, _ := page.Dial("ws://game.test:"+silent.Addr[len("127.0.0.1:"):]+"/", nil)
		pending <- res
	}()
	eventually(t, "pending", func() bool { return silent.Opened() == 1 })

	if n := r.CloseHost(func(to *url.URL) bool { return strings.EqualFold(to.Hostname(), "game.test") }); n != 2 {
		t.Errorf("CloseHost: got %d, want 2", n)
	}
	if _, _, err := closed.ReadMessage(); err == nil {
		t.Error("the socket is still open")
	}
	if got := reasonFor(t, r, id); got != "the permission for game.test was taken back" {
		t.Errorf("reason: got %q", got)
	}
	if res := <-pending; res == nil || res.StatusCode != 502 {
		t.Errorf("pending: got %v, want 502", res)
	}
	kept.WriteMessage(websocket.TextMessage, []byte("still here"))
	if _, data, err := kept.ReadMessage(); err != nil || string(data) != "still here" {
		t.Errorf("other host: got %q, %v", data, err)
	}
}

// A fast sender must feel a stuck receiver about as early as without us.
func TestStuckReader(t *testing.T) {
	bothLegs(t, func(t *testing.T, ca *wstest.CA, cert *tls.Certificate) {
		stuck := wstest.ServeRaw(t, cert, func(c *wstest.Conn) {
			io.WriteString(c, c.Switch())
			<-c.Done
		})
		taken := make(chan int64)
		flood := wstest.ServeRaw(t, cert, func(c *wstest.Conn) {
			io.WriteString(c, c.Switch())
			taken <- swallowed(c)
		})
		_, page := start(t, func(r *Relay) { r.RootCAs = ca.Pool() })
		check := func(what string, direct, relay int64) {
			t.Logf("%s: direct %d KiB, relay %d KiB", what, direct>>10, relay>>10)
			if relay > max(2*direct, 10<<20) { // without bounds it is 15 MiB
				t.Errorf("%s: the relay path takes %d KiB, direct %d KiB", what, relay>>10, direct>>10)
			}
		}
		check("page floods", swallowed(dialDirect(t, stuck.Addr, ca, cert != nil)), swallowed(page.Open(t, stuck.URL("/"))))
		dialDirect(t, flood.Addr, ca, cert != nil)
		direct := <-taken
		page.Open(t, flood.URL("/"))
		check("server floods", direct, <-taken)
	})
}

// dialDirect does a handshake with a Raw server and reads nothing.
func dialDirect(t *testing.T, addr string, ca *wstest.CA, secure bool) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err == nil && secure {
		c = tls.Client(c, &tls.Config{RootCAs: ca.Pool(), ServerName: "127.0.0.1"})
	}
	if err == nil {
		_, err = io.WriteString(c, "GET / HTTP/1.1\r\n\r\n")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// swallowed writes until nothing moves for half a second.
func swallowed(c net.Conn) (total int64) {
	chunk := make([]byte, 64<<10)
	for {
		c.SetWriteDeadline(time.Now().Add(500 * time.Millisecond))
		n, err := c.Write(chunk)
		total += int64(n)
		if err != nil {
			return total
		}
	}
}
