package pagerelay

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"conch/session"
	"conch/session/wire"
)

const patience = 30 * time.Second

// relayed is a launcher that carries a page to the host at address.
type relayed struct {
	*testing.T
	page   *websocket.Conn
	proved chan struct{}
	ended  chan struct{}
}

func dialTo(t *testing.T, address string) Destination {
	t.Helper()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := strconv.ParseUint(port, 10, 16)
	return Destination{Host: host, Port: uint16(n), Control: func(a netip.Addr) error {
		if !a.IsLoopback() {
			return errors.New("not this computer")
		}
		return nil
	}}
}

// relay lets a page join the host at address.
func relay(t *testing.T, address string) *relayed {
	t.Helper()
	r := &relayed{T: t, proved: make(chan struct{}, 1), ended: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	launcher := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		defer close(r.ended)
		far, err := Dial(q.Context(), dialTo(t, address))
		if err != nil {
			t.Error(err)
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		one := Relay{Project: "skiff", Proved: func() { r.proved <- struct{}{} }}
		one.Serve(ctx, w, q, far)
	}))
	d := websocket.Dialer{Subprotocols: []string{wire.Subprotocol}}
	var err error
	r.page, _, err = d.Dial("ws"+launcher.URL[len("http"):], nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		r.page.Close()
		<-r.ended
		launcher.Close()
	})
	return r
}

var nonce = [wire.NonceSize]byte{1, 2, 3}

func hello(project string) *wire.Hello {
	return &wire.Hello{MinVersion: 1, MaxVersion: 1, Nonce: nonce, Project: wire.ClientProject(nonce, project)}
}

func send(t *testing.T, c *websocket.Conn, frames ...wire.Frame) {
	t.Helper()
	var b []byte
	for _, f := range frames {
		b = wire.Append(b, f)
	}
	if err := c.WriteMessage(websocket.BinaryMessage, b); err != nil {
		t.Fatal(err)
	}
}

// frames reads until one frame of the type of F has come.
func next[F wire.Frame](t *testing.T, c *websocket.Conn) F {
	t.Helper()
	c.SetReadDeadline(time.Now().Add(patience))
	for {
		_, b, err := c.ReadMessage()
		if err != nil {
			t.Fatalf("waiting for a frame: %v", err)
		}
		all, err := wire.Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range all {
			if f, ok := f.(F); ok {
				return f
			}
		}
	}
}

// closed reads until the end and answers its code.
func closed(t *testing.T, c *websocket.Conn) (int, string) {
	t.Helper()
	c.SetReadDeadline(time.Now().Add(patience))
	for {
		if _, _, err := c.ReadMessage(); err != nil {
			var e *websocket.CloseError
			if errors.As(err, &e) {
				return e.Code, e.Text
			}
			return 1006, ""
		}
	}
}

func startHost(t *testing.T, set func(*session.Host)) *session.Host {
	t.Helper()
	h := &session.Host{Open: true}
	if set != nil {
		set(h)
	}
	if err := h.Start("skiff", "friday", "1.0", session.AnyPort); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-h.Wake():
				h.Update(0)
			case <-h.Done():
				return
			}
		}
	}()
	t.Cleanup(func() { h.Close(); <-ended })
	return h
}

// join goes through the handshake as an honest page does.
func (r *relayed) join() *wire.Welcome {
	r.Helper()
	send(r.T, r.page, hello("skiff"))
	next[*wire.Challenge](r.T, r.page)
	send(r.T, r.page, &wire.Auth{Build: "1.0", Name: "Ada"})
	return next[*wire.Welcome](r.T, r.page)
}

func TestPageJoins(t *testing.T) {
	h := startHost(t, nil)
	h.OnRPC("echo", func(c *session.Call) { c.Reply(c.Args) })
	r := relay(t, h.Addr().String())
	if w := r.join(); w.ID != 2 || w.Session != "friday" {
		t.Errorf("welcome %+v", w)
	}
	<-r.proved
	send(t, r.page, &wire.RPC{Call: 1, Name: "echo", Args: []byte("moo")})
	if got := next[*wire.Result](t, r.page); got.Status != wire.StatusOK || string(got.Value) != "moo" {
		t.Errorf("result %+v", got)
	}
}

// TestPingsAreAnsweredForThePage: a page that stands still keeps its seat, since nobody waits for its answer.
func TestPingsAreAnsweredForThePage(t *testing.T) {
	h := startHost(t, nil)
	r := relay(t, h.Addr().String())
	r.join()
	deadline := time.Now().Add(patience)
	for h.Peer(2).RTT == 0 {
		if time.Now().After(deadline) {
			t.Fatal("no ping of the host was answered")
		}
		time.Sleep(20 * time.Millisecond)
	}
	ping := next[*wire.Ping](t, r.page) // it hears them, as a sign of life
	send(t, r.page, &wire.Pong{Seq: ping.Seq, T0: ping.T0, T1: 1, T2: 1})
	if !h.Peer(2).Valid {
		t.Error("the peer is gone")
	}
}

// TestEndsPassThrough: both sides hear how the other ended.
func TestEndsPassThrough(t *testing.T) {
	gone := make(chan string, 1)
	h := startHost(t, func(h *session.Host) {
		h.Handle = func(e session.Event) {
			if e, ok := e.(session.HostPeerDisconnected); ok {
				gone <- e.Reason
			}
		}
	})
	t.Run("host", func(t *testing.T) {
		r := relay(t, h.Addr().String())
		id := r.join().ID
		h.Disconnect(id, "because")
		if code, text := closed(t, r.page); code != session.CloseKicked || text != "kicked" {
			t.Errorf("got %d %q", code, text)
		}
		if got := <-gone; got != "kicked: because" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("page", func(t *testing.T) {
		r := relay(t, h.Addr().String())
		r.join()
		closeWith(r.page, 4000, "left")
		if got := <-gone; got != "left" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("page breaks off", func(t *testing.T) {
		r := relay(t, h.Addr().String())
		id := r.join().ID
		r.page.Close()
		deadline := time.Now().Add(patience)
		for h.Peer(id).State != session.PeerReconnecting {
			if time.Now().After(deadline) {
				t.Fatalf("got %q", h.Peer(id).State)
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
}

// stranger is a server that speaks WebSocket with the session's subprotocol and is no host of the project.
type stranger struct {
	url  string
	got  chan []byte // messages
	done chan struct{}
}

func newStranger(t *testing.T, answer func(c *websocket.Conn, hello *wire.Hello)) *stranger {
	t.Helper()
	s := &stranger{got: make(chan []byte, 64), done: make(chan struct{})}
	up := websocket.Upgrader{Subprotocols: []string{wire.Subprotocol}, CheckOrigin: func(*http.Request) bool { return true }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		defer close(s.done)
		c, err := up.Upgrade(w, q, nil)
		if err != nil {
			return
		}
		defer c.Close()
		c.SetReadDeadline(time.Now().Add(patience))
		first := true
		for {
			_, b, err := c.ReadMessage()
			if err != nil {
				return
			}
			s.got <- b
			if first {
				first = false
				frames, err := wire.Decode(b)
				if err == nil && answer != nil {
					h, _ := frames[0].(*wire.Hello)
					answer(c, h)
				}
			}
		}
	}))
	t.Cleanup(server.Close)
	u, _ := url.Parse(server.URL)
	s.url = u.Host
	return s
}

// TestNoWordBeforeTheProof: whatever a page sends, a server that has not proved to be a host of the project gets one Hello
// of the exact form and nothing else; and the page is told nothing that it says.
func TestNoWordBeforeTheProof(t *testing.T) {
	secret := &wire.Auth{Build: "secret", Name: "secret"}
	odd := hello("skiff")
	odd.Project = [32]byte{9}
	long := wire.AppendRaw(nil, wire.Raw{Type: wire.TypeHello, Body: append(wire.Append(nil, hello("skiff"))[3:], "secret"...)})
	wrong := func(c *websocket.Conn, h *wire.Hello) {
		b := wire.Append(nil, &wire.Challenge{Version: 1, Project: wire.HostProject(h.Nonce, [16]byte{}, "other"), Need: wire.NeedNothing})
		c.WriteMessage(websocket.BinaryMessage, b)
	}
	echo := func(c *websocket.Conn, h *wire.Hello) { c.WriteMessage(websocket.BinaryMessage, wire.Append(nil, h)) }
	text := func(c *websocket.Conn, h *wire.Hello) {
		c.WriteMessage(websocket.TextMessage, []byte("SSH-2.0-OpenSSH"))
	}
	for _, row := range []struct {
		name   string
		say    [][]byte
		answer func(*websocket.Conn, *wire.Hello)
		hello  bool // whether a Hello goes out
	}{
		{"another project", [][]byte{wire.Append(nil, hello("skiff")), wire.Append(nil, secret)}, wrong, true},
		{"the Hello comes back", [][]byte{wire.Append(nil, hello("skiff")), wire.Append(nil, secret)}, echo, true},
		{"text", [][]byte{wire.Append(nil, hello("skiff")), wire.Append(nil, secret)}, text, true},
		{"a longer Hello", [][]byte{long, wire.Append(nil, secret)}, wrong, true},
		{"no Hello", [][]byte{wire.Append(nil, secret)}, wrong, false},
		{"Hello and more", [][]byte{wire.Append(wire.Append(nil, hello("skiff")), secret)}, wrong, false},
		{"Hello of another project", [][]byte{wire.Append(nil, hello("other"))}, wrong, false},
		{"Hello with a digest of its own", [][]byte{wire.Append(nil, odd)}, wrong, false},
		{"rubbish", [][]byte{[]byte("GET / HTTP/1.1\r\n\r\n")}, wrong, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newStranger(t, row.answer)
			r := relay(t, s.url)
			for _, b := range row.say {
				r.page.WriteMessage(websocket.BinaryMessage, b)
			}
			if code, text := closed(t, r.page); code != 4002 || text != "not_a_host" {
				t.Errorf("the page heard %d %q", code, text)
			}
			<-s.done
			close(s.got)
			var got [][]byte
			for b := range s.got {
				got = append(got, b)
			}
			switch {
			case row.hello && (len(got) != 1 || !bytes.Equal(got[0], wire.Append(nil, hello("skiff")))):
				t.Errorf("the server got %q, want the Hello alone", got)
			case !row.hello && len(got) > 0:
				t.Errorf("the server got %q", got)
			}
		})
	}
}

// TestRejectionsAreHeard: a host that plays another game, or has no room, may say so.
func TestRejectionsAreHeard(t *testing.T) {
	h := startHost(t, nil)
	s := newStranger(t, func(c *websocket.Conn, _ *wire.Hello) {
		c.WriteMessage(websocket.BinaryMessage, wire.Append(nil, &wire.Reject{Code: "host_stopping", Text: "bye"}))
	})
	_ = h
	r := relay(t, s.url)
	send(t, r.page, hello("skiff"))
	if got := next[*wire.Reject](t, r.page); got.Code != "host_stopping" {
		t.Errorf("got %+v", got)
	}
	if code, _ := closed(t, r.page); code != 4003 {
		t.Errorf("closed with %d", code)
	}
}

// TestPageThatDoesNotReadIsBounded: a host may send as it likes; what a page does not read is not kept without end.
func TestPageThatDoesNotReadIsBounded(t *testing.T) {
	s := newStranger(t, func(c *websocket.Conn, h *wire.Hello) {
		var theirs [wire.NonceSize]byte
		c.WriteMessage(websocket.BinaryMessage, wire.Append(nil, &wire.Challenge{Version: 1, Nonce: theirs, Project: wire.HostProject(h.Nonce, theirs, "skiff")}))
		part := wire.Append(nil, &wire.SnapPart{Data: make([]byte, wire.MaxPart)})
		message := bytes.Repeat(part, 32)
		for c.WriteMessage(websocket.BinaryMessage, message) == nil {
		}
	})
	r := relay(t, s.url)
	send(t, r.page, hello("skiff"))
	<-r.proved
	select {
	case <-r.ended:
	case <-time.After(patience):
		t.Fatal("the relay goes on")
	}
	<-s.done
}

// TestDialChecksEveryAddress: an address that is not allowed is not dialled, and no server that is none is a host.
func TestDialChecksEveryAddress(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Header.Get("Origin") != "" || q.Header.Get("Cookie") != "" {
			t.Errorf("headers %v", q.Header)
		}
		http.Redirect(w, q, "http://127.0.0.1:1/", http.StatusFound)
	}))
	defer plain.Close()
	to := dialTo(t, plain.Listener.Addr().String())
	if _, err := Dial(t.Context(), to); err == nil {
		t.Error("a web server was taken for a host")
	}
	asked := []netip.Addr{}
	to.Host = "localhost"
	to.Control = func(a netip.Addr) error {
		asked = append(asked, a)
		return errors.New("no")
	}
	if _, err := Dial(t.Context(), to); err == nil || len(asked) == 0 {
		t.Errorf("dialled without asking: %v, asked about %v", err, asked)
	}
	bare := websocketServer(t)
	if _, err := Dial(t.Context(), dialTo(t, bare)); err == nil {
		t.Error("a WebSocket server without the subprotocol was taken for a host")
	}
}

func websocketServer(t *testing.T) string {
	up := websocket.Upgrader{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if c, err := up.Upgrade(w, q, nil); err == nil {
			c.Close()
		}
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

func FuzzSift(f *testing.F) {
	f.Add(wire.Append(wire.Append(nil, &wire.Ping{Seq: 1}), &wire.Bye{Code: "left"}))
	f.Add([]byte{6, 0})
	f.Fuzz(func(t *testing.T, message []byte) {
		rest, bodies, err := sift(websocket.BinaryMessage, message, wire.TypePing)
		if err != nil {
			return
		}
		size := len(rest)
		for _, b := range bodies {
			size += len(wire.AppendRaw(nil, wire.Raw{Type: wire.TypePing, Body: b}))
		}
		if size != len(message) {
			t.Errorf("%d bytes of %d are left", size, len(message))
		}
	})
}
