package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"conch/session/wire"
)

// live is the goroutine that calls Update of a host or client in real time.
type live struct{ done chan struct{} }

func pump(update func(float64), wake <-chan struct{}, end <-chan struct{}) *live {
	l := &live{done: make(chan struct{})}
	go func() {
		defer close(l.done)
		for {
			select {
			case <-wake:
				update(0)
			case <-end:
				update(0)
				return
			}
		}
	}()
	return l
}

func startLive(t *testing.T, h *Host, port int) chan Event {
	t.Helper()
	events := make(chan Event, 1000)
	if h.Handle == nil {
		h.Handle = func(e Event) { events <- e }
	}
	if err := h.Start("skiff", "friday", "1.0", port); err != nil {
		t.Fatal(err)
	}
	l := pump(h.Update, h.Wake(), h.Done())
	t.Cleanup(func() {
		h.Close()
		<-l.done
	})
	return events
}

func joinLive(t *testing.T, o ClientOptions, r JoinRequest, address string) (*Client, chan Event) {
	t.Helper()
	events := make(chan Event, 10000)
	o.Handle = func(e Event) { events <- e }
	c, err := Join(o, r, address)
	if err != nil {
		t.Fatal(err)
	}
	l := pump(c.Update, c.Wake(), c.Done())
	t.Cleanup(func() {
		c.Close()
		<-l.done
	})
	return c, events
}

// await waits for an event of type E.
func await[E Event](t *testing.T, events chan Event) E {
	t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		select {
		case e := <-events:
			if e, ok := e.(E); ok {
				return e
			}
			switch e.(type) {
			case SessionStopped, ClientJoinFailed:
				t.Fatalf("got %s", describe(e))
			}
		case <-deadline:
			var want E
			t.Fatalf("no %s", eventName(want))
		}
	}
}

// TestOverWebSocket plays through a real connection: join by code, state, calls, scene, resume, kick.
func TestOverWebSocket(t *testing.T) {
	h := &Host{Code: "K7M2QX"}
	hostEvents := startLive(t, h, AnyPort)
	h.GameState().Set("big", strings.Repeat("x", 60000))
	for i := range 20 {
		h.GameState().Set(fmt.Sprintf("big%d", i), strings.Repeat("x", 60000)) // 1.2 MB: many messages
	}
	h.OnRPC("echo", func(c *Call) { c.Reply(c.Args) })
	c, events := joinLive(t, ClientOptions{}, request(), fmt.Sprintf("http://127.0.0.1:%d/j/k7m2qx", h.Port()))
	await[SessionStarted](t, events)
	peer := await[HostPeerConnected](t, hostEvents).Peer
	if peer.Addr != netip.MustParseAddr("127.0.0.1") || len(c.GameState().All()) != 21 {
		t.Errorf("peer %+v, %d fields", peer, len(c.GameState().All()))
	}
	op := c.SendRPCToHost("echo", 0, make([]byte, 60000))
	<-op.Done()
	if r, err := op.Result(); r.Status != StatusOK || len(r.Value) != 60000 || err != nil {
		t.Errorf("got %v %d bytes %v", r.Status, len(r.Value), err)
	}
	h.HostLoadScene(bay, false)
	e := await[ClientSceneLoadRequested](t, events)
	c.NotifySceneLoaded(SceneInstance{Transition: e.Transition}, true, "")
	await[ClientSceneActivate](t, events)
	await[HostSceneTransitionComplete](t, hostEvents)
	c.mu.Lock()
	c.link.conn.CloseNow()
	c.mu.Unlock()
	await[ClientConnectionLost](t, events)
	await[ClientConnectionResumed](t, events)
	if off := c.ServerTime().Sub(h.ServerTime()).Abs(); off > time.Second {
		t.Errorf("the clock is off by %v", off)
	}
	h.Disconnect(peer.ID, "enough")
	if e := <-nextStop(events); e.Reason != "kicked: enough" {
		t.Errorf("got %q", e.Reason)
	}
}

// nextStop skips to SessionStopped.
func nextStop(events chan Event) chan SessionStopped {
	out := make(chan SessionStopped, 1)
	for e := range events {
		if e, ok := e.(SessionStopped); ok {
			out <- e
			break
		}
	}
	return out
}

func TestHostStopsOverWebSocket(t *testing.T) {
	h := &Host{Open: true}
	startLive(t, h, AnyPort)
	address, port := fmt.Sprintf("127.0.0.1:%d", h.Port()), h.Port()
	var all []chan Event
	for range 5 {
		_, events := joinLive(t, ClientOptions{}, request(), address)
		await[SessionStarted](t, events)
		all = append(all, events)
	}
	h.Close()
	for _, events := range all {
		if e := <-nextStop(events); e.Reason != "host_stopped" {
			t.Errorf("got %q", e.Reason)
		}
	}
	again := &Host{Open: true}
	startLive(t, again, port) // the port is free again
}

func TestPorts(t *testing.T) {
	a, b := &Host{Open: true}, &Host{Open: true}
	startLive(t, a, DefaultPort)
	startLive(t, b, DefaultPort)
	if a.Port() == 0 || b.Port() == 0 || a.Port() == b.Port() {
		t.Errorf("ports %d and %d", a.Port(), b.Port())
	}
	c := &Host{Open: true}
	if err := c.Start("skiff", "friday", "1.0", a.Port()); err == nil {
		t.Error("a port was bound twice")
		c.Close()
	} else if c.IsActive() || c.Port() != 0 {
		t.Error("a host that could not start is active")
	}
	for _, port := range []int{-3, 65536} {
		if err := c.Start("skiff", "friday", "1.0", port); err == nil {
			t.Errorf("port %d was taken", port)
		}
	}
	for _, ids := range [][3]string{{"", "s", "b"}, {"p", "", "b"}, {"p", "s", ""}, {strings.Repeat("x", 129), "s", "b"}, {"a b", "s", "b"}, {"p", "s/", "b"}} {
		if err := c.Start(ids[0], ids[1], ids[2], AnyPort); err == nil {
			t.Errorf("ids %q were taken", ids)
		}
	}
	c.Stop() // not started
	c.Close()
	if c.Mode() != ModeNone || c.ServerTime().IsZero() {
		t.Error("a host that was not started")
	}
	if l, _ := net.Listen("tcp", "[::1]:0"); l != nil {
		l.Close()
		if err := a.ListenOn(netip.MustParseAddr("::1")); err != nil {
			t.Error(err)
		}
		_, events := joinLive(t, ClientOptions{}, request(), fmt.Sprintf("[::1]:%d", a.Port()))
		await[SessionStarted](t, events)
	}
	if err := c.ListenOn(netip.MustParseAddr("127.0.0.2")); !errors.Is(err, ErrNotActive) {
		t.Errorf("got %v", err)
	}
}

// TestGate: who may open a WebSocket at all.
func TestGate(t *testing.T) {
	h := &Host{Open: true, AllowedHosts: []string{"game.example:443"}, Origins: []string{"https://game.example"}}
	startLive(t, h, AnyPort)
	own := fmt.Sprintf("127.0.0.1:%d", h.Port())
	local := fmt.Sprintf("localhost:%d", h.Port())
	name, _ := os.Hostname()
	name, _, _ = strings.Cut(name, ".")
	other := fmt.Sprintf("127.0.0.1:%d", h.Port()+1)
	for _, c := range []struct {
		name   string
		host   string
		origin []string
		path   string
		change func(http.Header)
		want   int
	}{
		{name: "no browser", host: own, want: 101},
		{name: "localhost", host: local, want: 101},
		{name: "this computer's name", host: fmt.Sprintf("%s.local:%d", name, h.Port()), want: 101},
		{name: "configured host", host: "game.example:443", want: 101},
		{name: "page of this host", host: own, origin: []string{"http://" + own}, want: 101},
		{name: "configured page", host: own, origin: []string{"https://game.example"}, want: 101},
		{name: "rebound name", host: fmt.Sprintf("evil.test:%d", h.Port()), want: 421},
		{name: "rebound name with its origin", host: fmt.Sprintf("evil.test:%d", h.Port()), origin: []string{fmt.Sprintf("http://evil.test:%d", h.Port())}, want: 421},
		{name: "0.0.0.0", host: fmt.Sprintf("0.0.0.0:%d", h.Port()), want: 421},
		{name: "another address of ours", host: fmt.Sprintf("127.0.0.2:%d", h.Port()), want: 421},
		{name: "another port", host: other, want: 421},
		{name: "no port", host: "127.0.0.1", want: 421},
		{name: "address as a number", host: fmt.Sprintf("2130706433:%d", h.Port()), want: 421},
		{name: "foreign page", host: own, origin: []string{"https://evil.test"}, want: 403},
		{name: "page of another port", host: own, origin: []string{"http://" + other}, want: 403},
		{name: "https page of the same address", host: own, origin: []string{"https://" + own}, want: 403},
		{name: "name that begins like ours", host: own, origin: []string{"http://" + own + ".evil.test"}, want: 403},
		{name: "null origin", host: own, origin: []string{"null"}, want: 403},
		{name: "empty origin", host: own, origin: []string{""}, want: 403},
		{name: "two origins", host: own, origin: []string{"http://" + own, "http://" + own}, want: 403},
		{name: "localhost page at the address", host: own, origin: []string{"http://" + local}, want: 403},
		{name: "another path", host: own, path: "/", want: 404},
		{name: "no subprotocol", host: own, change: func(h http.Header) { h.Del("Sec-WebSocket-Protocol") }, want: 400},
		{name: "another subprotocol", host: own, change: func(h http.Header) { h.Set("Sec-WebSocket-Protocol", "chat") }, want: 400},
		{name: "no upgrade", host: own, change: func(h http.Header) { h.Del("Upgrade") }, want: 426},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := c.path
			if path == "" {
				path = wire.Path
			}
			r, err := http.NewRequest("GET", "http://"+own+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Host = c.host
			r.Header = http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"},
				"Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="}, "Sec-Websocket-Protocol": {wire.Subprotocol}}
			if c.origin != nil {
				r.Header["Origin"] = c.origin
			}
			if c.change != nil {
				c.change(r.Header)
			}
			response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			if response.StatusCode != c.want {
				t.Errorf("got %d, want %d", response.StatusCode, c.want)
			}
			if response.Header.Get("Sec-WebSocket-Extensions") != "" || response.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("headers: %v", response.Header)
			}
		})
	}
}

// TestFloodOfConnections: connections that never finish a handshake are cut when there are too many.
func TestFloodOfConnections(t *testing.T) {
	h := &Host{Open: true, MaxPeers: 2}
	startLive(t, h, AnyPort)
	cut := make(chan bool, 60)
	for range 60 {
		c, err := net.Dial("tcp", h.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		go func() {
			c.SetReadDeadline(time.Now().Add(3 * time.Second)) // the others are cut after 5 s without a header
			_, err := c.Read(make([]byte, 1))
			cut <- !errors.Is(err, os.ErrDeadlineExceeded)
		}()
	}
	n := 0
	for range 60 {
		if <-cut {
			n++
		}
	}
	if n != 40 {
		t.Errorf("of 60 connections %d were cut, want 40", n)
	}
}

func TestMessagesAreBinary(t *testing.T) {
	h := &Host{Open: true}
	hostEvents := startLive(t, h, AnyPort)
	dial := func() *websocket.Conn {
		ws, _, err := (&websocket.Dialer{Subprotocols: []string{wire.Subprotocol}}).Dial(fmt.Sprintf("ws://127.0.0.1:%d%s", h.Port(), wire.Path), nil)
		if err != nil {
			t.Fatal(err)
		}
		hello := wire.Hello{MinVersion: 1, MaxVersion: 1}
		hello.Project = wire.ClientProject(hello.Nonce, "skiff")
		ws.WriteMessage(websocket.BinaryMessage, wire.Append(nil, &hello))
		ws.ReadMessage()
		ws.WriteMessage(websocket.BinaryMessage, wire.Append(nil, &wire.Auth{Build: "1.0"}))
		ws.ReadMessage()
		return ws
	}
	leaver := dial()
	await[HostPeerConnected](t, hostEvents)
	leaver.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(4000, "bye"), time.Now().Add(time.Second))
	var err error
	for err == nil {
		_, _, err = leaver.ReadMessage()
	}
	if !websocket.IsCloseError(err, 4000) {
		t.Errorf("a close was answered by %v", err)
	}
	leaver.Close()
	if e := await[HostPeerDisconnected](t, hostEvents); e.Reason != "left" {
		t.Errorf("got %q", e.Reason)
	}
	for name, send := range map[string]func(*websocket.Conn){
		"text":     func(ws *websocket.Conn) { ws.WriteMessage(websocket.TextMessage, []byte("hi")) },
		"too long": func(ws *websocket.Conn) { ws.WriteMessage(websocket.BinaryMessage, make([]byte, 100000)) },
	} {
		ws := dial()
		await[HostPeerConnected](t, hostEvents)
		send(ws)
		if e := await[HostPeerDisconnected](t, hostEvents); e.Reason != "protocol_error" {
			t.Errorf("%s: got %q", name, e.Reason)
		}
		ws.Close()
	}
}

func TestDialOnlyPrivateAddresses(t *testing.T) {
	for _, address := range []string{"8.8.8.8", "[2001:4860:4860::8888]:24642", "ws://1.1.1.1"} {
		if _, err := Join(ClientOptions{}, request(), address); err == nil {
			t.Errorf("%s was taken", address)
		}
	}
	_, err := dialSocket(context.Background(), Address{Host: "localhost", Port: 1}, func(p netip.AddrPort) error { return fmt.Errorf("not %s", p.Addr()) })
	if err == nil || !strings.Contains(err.Error(), "not ") {
		t.Errorf("a name that leads to a forbidden address: got %v", err)
	}
	for address, want := range map[string]bool{"127.0.0.1": true, "::1": true, "10.1.2.3": true, "172.20.0.1": true, "192.168.0.1": true, "169.254.1.1": true,
		"fe80::1": true, "fd00::1": true, "8.8.8.8": false, "172.32.0.1": false, "0.0.0.0": false, "::": false, "224.0.0.1": false, "2001:db8::1": false, "255.255.255.255": false} {
		if got := PrivateOnly(netip.AddrPortFrom(netip.MustParseAddr(address), 1)) == nil; got != want {
			t.Errorf("%s: got %t, want %t", address, got, want)
		}
	}
}

func TestUntrustedCertificateIsRefused(t *testing.T) {
	h := &Host{Open: true}
	startLive(t, h, NoPort)
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	s.StartTLS()
	defer s.Close()
	events := make(chan Event, 10)
	c, err := Join(ClientOptions{Handle: func(e Event) { events <- e }}, request(), "wss://"+s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	<-c.Done()
	c.Update(0)
	if e, ok := (<-events).(ClientJoinFailed); !ok || e.Reason != "unreachable" {
		t.Errorf("got %v", e)
	}
}

func TestNobodyAnswers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	events := make(chan Event, 10)
	c, err := Join(ClientOptions{Handle: func(e Event) { events <- e }}, request(), address)
	if err != nil {
		t.Fatal(err)
	}
	<-c.Done()
	c.Update(0)
	if e, ok := (<-events).(ClientJoinFailed); !ok || e.Reason != "unreachable" {
		t.Errorf("got %v", e)
	}
}

// TestManyGoroutines calls everything at once, for the race detector.
func TestManyGoroutines(t *testing.T) {
	h := &Host{Open: true, MaxPerAddress: 100}
	startLive(t, h, AnyPort)
	h.OnRPC("", func(c *Call) { h.Relay(c.From, c.Name, 0, c.Args, nil) })
	address := fmt.Sprintf("127.0.0.1:%d", h.Port())
	var wg sync.WaitGroup
	for range 6 {
		c, events := joinLive(t, ClientOptions{}, request(), address)
		await[SessionStarted](t, events)
		wg.Go(func() {
			for i := range 50 {
				c.Notify("x", 0, []byte{byte(i)})
				c.SendRPCToHost("y", 0, nil)
				c.GameState().All()
				c.Objects()
				c.ServerTime()
				c.ActiveScene()
			}
		})
	}
	wg.Go(func() {
		for i := range 50 {
			o, _ := h.Spawn("crab", map[string]any{"x": i}, SpawnOptions{})
			o.State.Set("x", i+1)
			h.GameState().Set("n", i)
			h.Peers()
			h.ServerTime()
			h.SendRPCMulticast("z", 0, nil, []uint64{2, 3, 4, 5, 6, 7})
			if i%10 == 0 {
				h.HostLoadScene(bay, i%20 == 0)
			}
			h.Despawn(o.ID)
		}
	})
	wg.Wait()
}
