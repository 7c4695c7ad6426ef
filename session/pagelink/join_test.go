package pagelink

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"conch/session"
	"conch/session/wire"
)

// farSide is a WebSocket server at the path of a session host, which keeps what it is sent.
type farSide struct {
	url  string
	got  chan []byte
	code chan int
}

// newFarSide answers each message by what reply makes of it; nil ends the connection with 4010.
func newFarSide(t *testing.T, reply func(n int, b []byte) []byte) *farSide {
	f := &farSide{got: make(chan []byte, 100), code: make(chan int, 10)}
	up := websocket.Upgrader{Subprotocols: []string{wire.Subprotocol}, CheckOrigin: func(*http.Request) bool { return true }}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := up.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer ws.Close()
		for n := 0; ; n++ {
			_, b, err := ws.ReadMessage()
			if err != nil {
				f.code <- closeCode(err)
				return
			}
			f.got <- b
			answer := reply(n, b)
			if answer == nil {
				closeNear(ws, 4010)
				return
			}
			if len(answer) > 0 {
				ws.WriteMessage(websocket.BinaryMessage, answer)
			}
		}
	}))
	t.Cleanup(s.Close)
	f.url = "ws" + strings.TrimPrefix(s.URL, "http") + wire.Path
	return f
}

func newJoinSite(t *testing.T, s *Server) string {
	site := httptest.NewServer(http.HandlerFunc(s.ServeJoin))
	t.Cleanup(site.Close)
	t.Cleanup(s.Close)
	return "ws" + strings.TrimPrefix(site.URL, "http")
}

func dialJoin(site, far, project string) (*websocket.Conn, int, error) {
	d := websocket.Dialer{Subprotocols: []string{wire.Subprotocol}}
	ws, res, err := d.Dial(site+"?"+url.Values{"u": {far}, "project": {project}, "n": {"1"}}.Encode(), nil)
	status := 0
	if res != nil {
		status = res.StatusCode
	}
	return ws, status, err
}

func hello(project string) *wire.Hello {
	nonce := [wire.NonceSize]byte{1, 2, 3}
	return &wire.Hello{MinVersion: wire.Version, MaxVersion: wire.Version, Nonce: nonce, Project: wire.ClientProject(nonce, project)}
}

// challenge is how a host of the project answers.
func challenge(t *testing.T, b []byte, project string) []byte {
	h, err := only[*wire.Hello](b)
	if err != nil {
		t.Error(err)
		return nil
	}
	nonce := [wire.NonceSize]byte{9}
	return wire.Append(nil, &wire.Challenge{Version: 1, Nonce: nonce, Project: wire.HostProject(h.Nonce, nonce, project)})
}

func TestJoinIsRefusedBeforeTheUpgrade(t *testing.T) {
	l := httptest.NewServer(http.NotFoundHandler())
	defer l.Close()
	web := "ws" + strings.TrimPrefix(l.URL, "http") + wire.Path
	tests := []struct {
		name, far, project string
		allow              func(context.Context, session.Address) (func(netip.AddrPort) error, error)
		status             int
	}{
		{"no address", "", "skiff", nil, 400},
		{"http", "http://127.0.0.1:1" + wire.Path, "skiff", nil, 400},
		{"another path", "ws://127.0.0.1:1/admin", "skiff", nil, 400},
		{"a query", "ws://127.0.0.1:1" + wire.Path + "?x", "skiff", nil, 400},
		{"a password", "ws://u:p@127.0.0.1:1" + wire.Path, "skiff", nil, 400},
		{"no project", "ws://127.0.0.1:1" + wire.Path, "", nil, 400},
		{"a project that is none", "ws://127.0.0.1:1" + wire.Path, "a\r\nb", nil, 400},
		{"nobody there", "ws://127.0.0.1:1" + wire.Path, "skiff", nil, 502},
		{"a web server", web, "skiff", nil, 502},
		{"the internet", "ws://192.0.2.1:80" + wire.Path, "skiff", nil, 502},
		{"a name for nowhere", "ws://0.0.0.0:1" + wire.Path, "skiff", nil, 502},
		{"the player says no", web, "skiff", func(context.Context, session.Address) (func(netip.AddrPort) error, error) {
			return nil, errors.New("no")
		}, 502},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, status, err := dialJoin(newJoinSite(t, &Server{AllowJoin: test.allow}), test.far, test.project)
			if err == nil || status != test.status {
				t.Errorf("got %d, %v, want %d", status, err, test.status)
			}
		})
	}
}

func TestJoinIsNoPortScanner(t *testing.T) {
	site := newJoinSite(t, &Server{})
	for i := range 12 {
		_, status, _ := dialJoin(site, "ws://127.0.0.1:1"+wire.Path, "skiff")
		if want := map[bool]int{true: 502, false: 429}[i < maxAttempts]; status != want {
			t.Errorf("attempt %d: got %d, want %d", i, status, want)
		}
	}
}

func TestJoinComesBackMoreOften(t *testing.T) {
	far := newFarSide(t, func(_ int, b []byte) []byte { return challenge(t, b, "skiff") })
	site := newJoinSite(t, &Server{})
	for i := range 2 * maxAttempts {
		ws, status, err := dialJoin(site, far.url, "skiff")
		if err != nil {
			t.Fatalf("attempt %d: %d, %v", i, status, err)
		}
		ws.WriteMessage(websocket.BinaryMessage, wire.Append(nil, hello("skiff")))
		if _, _, err := ws.ReadMessage(); err != nil {
			t.Fatal(err)
		}
		ws.Close()
		<-far.got
		<-far.code // so that not too many are open
	}
}

// TestNothingOfThePageGoesOutFirst: what a hostile page sends in place of a Hello, and behind one, reaches nobody.
func TestNothingOfThePageGoesOutFirst(t *testing.T) {
	good := wire.Append(nil, hello("skiff"))
	wrongProject := hello("other")
	oldVersion := hello("skiff")
	oldVersion.MinVersion = 0
	tests := []struct {
		name string
		text bool
		b    []byte
	}{
		{"a request", false, []byte("GET / HTTP/1.1\r\n\r\n")},
		{"a text", true, good},
		{"nothing", false, nil},
		{"another project", false, wire.Append(nil, wrongProject)},
		{"other versions", false, wire.Append(nil, oldVersion)},
		{"a frame behind it", false, wire.Append(bytes.Clone(good), &wire.Bye{Code: "x"})},
		{"an Auth", false, wire.Append(nil, &wire.Auth{Build: "secret"})},
		{"too long", false, make([]byte, maxHello+1)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			far := newFarSide(t, func(int, []byte) []byte { return []byte{} })
			ws, _, err := dialJoin(newJoinSite(t, &Server{}), far.url, "skiff")
			if err != nil {
				t.Fatal(err)
			}
			defer ws.Close()
			kind := websocket.BinaryMessage
			if test.text {
				kind = websocket.TextMessage
			}
			ws.WriteMessage(kind, test.b)
			if _, _, err := ws.ReadMessage(); err == nil {
				t.Error("the page was answered")
			}
			<-far.code
			if len(far.got) > 0 {
				t.Errorf("the far side got %q", <-far.got)
			}
		})
	}
}

// TestNothingFollowsTheHelloToAStranger: an Auth that the page sends at once stays here while the other side has not shown
// that it is a host of the project, and a Hello goes out as this side writes it.
func TestNothingFollowsTheHelloToAStranger(t *testing.T) {
	strangers := map[string]func(t *testing.T, b []byte) []byte{
		"an echo":            func(_ *testing.T, b []byte) []byte { return b },
		"another project":    func(t *testing.T, b []byte) []byte { return challenge(t, b, "other") },
		"rubbish":            func(*testing.T, []byte) []byte { return []byte{1, 2, 3} },
		"a challenge and...": func(t *testing.T, b []byte) []byte { return wire.Append(challenge(t, b, "skiff"), &wire.Bye{}) },
		"a close":            func(*testing.T, []byte) []byte { return nil },
	}
	good := wire.Append(nil, hello("skiff"))
	grown := wire.AppendRaw(nil, wire.Raw{Type: wire.TypeHello, Body: append(bytes.Clone(good[3:]), "smuggled"...)})
	for name, reply := range strangers {
		t.Run(name, func(t *testing.T) {
			far := newFarSide(t, func(_ int, b []byte) []byte { return reply(t, b) })
			ws, _, err := dialJoin(newJoinSite(t, &Server{}), far.url, "skiff")
			if err != nil {
				t.Fatal(err)
			}
			defer ws.Close()
			ws.WriteMessage(websocket.BinaryMessage, grown)
			ws.WriteMessage(websocket.BinaryMessage, wire.Append(nil, &wire.Auth{Build: "secret"}))
			if _, b, err := ws.ReadMessage(); err == nil {
				t.Errorf("the page got %q", b)
			}
			if got := <-far.got; !bytes.Equal(got, good) {
				t.Errorf("the far side got %q, want a Hello alone", got)
			}
			if name != "a close" {
				<-far.code
			}
			if len(far.got) > 0 {
				t.Errorf("the far side got %q", <-far.got)
			}
		})
	}
}

func TestJoinPassesMessagesAndClosesOn(t *testing.T) {
	far := newFarSide(t, func(n int, b []byte) []byte {
		switch {
		case n == 0:
			return challenge(t, b, "skiff")
		case string(b) == "end":
			return nil
		}
		return b
	})
	site := newJoinSite(t, &Server{})
	open := func() *websocket.Conn {
		ws, _, err := dialJoin(site, far.url, "skiff")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ws.Close() })
		ws.WriteMessage(websocket.BinaryMessage, wire.Append(nil, hello("skiff")))
		_, b, err := ws.ReadMessage()
		if _, wrong := only[*wire.Challenge](b); err != nil || wrong != nil {
			t.Fatalf("got %q, %v", b, err)
		}
		<-far.got
		return ws
	}
	ws := open()
	for _, size := range []int{1, 1000, 66 << 10} {
		want := bytes.Repeat([]byte{7}, size)
		ws.WriteMessage(websocket.BinaryMessage, want)
		if _, got, err := ws.ReadMessage(); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes: got %d, %v", size, len(got), err)
		}
		<-far.got
	}
	ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(4000, "left"), time.Now().Add(time.Second))
	if code := <-far.code; code != 4000 {
		t.Errorf("the host got %d, want 4000", code)
	}
	ws = open()
	ws.WriteMessage(websocket.BinaryMessage, []byte("end"))
	if _, _, err := ws.ReadMessage(); closeCode(err) != 4010 {
		t.Errorf("the page got %v, want 4010", err)
	}
}

func TestJoinPassesARejectOn(t *testing.T) {
	far := newFarSide(t, func(int, []byte) []byte {
		return wire.Append(nil, &wire.Reject{Code: "host_stopping", Text: "the host is stopping"})
	})
	ws, _, err := dialJoin(newJoinSite(t, &Server{}), far.url, "skiff")
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	ws.WriteMessage(websocket.BinaryMessage, wire.Append(nil, hello("skiff")))
	_, b, err := ws.ReadMessage()
	if r, wrong := only[*wire.Reject](b); err != nil || wrong != nil || r.Code != "host_stopping" {
		t.Errorf("got %q, %v", b, err)
	}
	if _, _, err := ws.ReadMessage(); closeCode(err) != 4003 {
		t.Errorf("got %v, want 4003", err)
	}
}

func TestCloseEndsJoins(t *testing.T) {
	far := newFarSide(t, func(_ int, b []byte) []byte { return challenge(t, b, "skiff") })
	s := &Server{}
	ws, _, err := dialJoin(newJoinSite(t, s), far.url, "skiff")
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	ws.WriteMessage(websocket.BinaryMessage, wire.Append(nil, hello("skiff")))
	if _, _, err := ws.ReadMessage(); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if _, _, err := ws.ReadMessage(); err == nil {
		t.Error("the connection is still open")
	}
	<-far.code
}
