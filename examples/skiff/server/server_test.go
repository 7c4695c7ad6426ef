package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

const patience = 10 * time.Second

func startServer(t *testing.T, o Options) (*Server, string) {
	t.Helper()
	srv, err := NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(srv)
	t.Cleanup(func() { srv.Close(); web.Close() })
	return srv, "ws" + strings.TrimPrefix(web.URL, "http")
}

// player is a raw test client; every call fails the test after patience.
type player struct {
	*websocket.Conn
	t *testing.T
}

func dial(t *testing.T, url string, header http.Header) *player {
	t.Helper()
	conn, _, err := websocket.DefaultDialer.Dial(url, header)
	if err != nil {
		t.Fatalf("dial %s: %v", url, err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetReadDeadline(time.Now().Add(patience))
	return &player{conn, t}
}

func (p *player) text(format string, args ...any) {
	p.t.Helper()
	if err := p.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, format, args...)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *player) at(pos position) {
	p.t.Helper()
	b := binary.LittleEndian.AppendUint16([]byte{framePosition}, packLength(pos.X))
	b = binary.LittleEndian.AppendUint16(b, packLength(pos.Y))
	b = append(b, angleByte(pos.Heading), byte(pos.Speed/2))
	if err := p.WriteMessage(websocket.BinaryMessage, b); err != nil {
		p.t.Fatal(err)
	}
}

// await reads until a text message of that type comes.
func (p *player) await(kind string) map[string]any {
	p.t.Helper()
	for {
		frame, b, err := p.ReadMessage()
		if err != nil {
			p.t.Fatalf("waiting for %q: %v", kind, err)
		}
		m := map[string]any{}
		if frame == websocket.TextMessage && json.Unmarshal(b, &m) == nil && m["t"] == kind {
			return m
		}
	}
}

// awaitBoat reads snapshots until the boat id satisfies ok.
func (p *player) awaitBoat(id uint16, ok func(x, y float64) bool) {
	p.t.Helper()
	for {
		frame, b, err := p.ReadMessage()
		if err != nil {
			p.t.Fatalf("waiting for boat %d: %v", id, err)
		}
		if frame != websocket.BinaryMessage || b[0] != frameSnapshot {
			continue
		}
		if want := snapshotHead + int(b[6])*snapshotBoat; len(b) != want {
			p.t.Fatalf("snapshot of %d bytes, want %d", len(b), want)
		}
		for r := b[snapshotHead:]; len(r) > 0; r = r[snapshotBoat:] {
			x, y := binary.LittleEndian.Uint16(r[2:]), binary.LittleEndian.Uint16(r[4:])
			if binary.LittleEndian.Uint16(r) == id && ok(float64(x)/16, float64(y)/16) {
				return
			}
		}
	}
}

// awaitClose reads until the connection ends and returns the close code, 0 for none.
func (p *player) awaitClose() int {
	p.t.Helper()
	for {
		_, _, err := p.ReadMessage()
		var closed *websocket.CloseError
		if errors.As(err, &closed) {
			return closed.Code
		}
		var timeout net.Error
		if errors.As(err, &timeout) && timeout.Timeout() {
			p.t.Fatal("the server kept the connection")
		}
		if err != nil {
			return 0
		}
	}
}

func (p *player) join(name string) map[string]any {
	p.t.Helper()
	p.text(`{"t":"join","name":%q,"color":3}`, name)
	return p.await("welcome")
}

func number[T uint16 | float64 | int](m map[string]any, key string) T { return T(m[key].(float64)) }

func TestJoinTalkAndMove(t *testing.T) {
	_, url := startServer(t, Options{Bots: 3})
	ada, bob := dial(t, url+"/ws", nil), dial(t, url+"/ws", nil)
	hello := ada.join("  Ada\tLovelace of the seven seas ")
	if got := len(hello["crew"].([]any)); got != 4 {
		t.Errorf("crew of %d, want 3 bots and Ada", got)
	}
	if len(hello["islands"].([]any)) == 0 || len(hello["buoys"].([]any)) != buoyCount {
		t.Errorf("welcome without a map: %v", hello)
	}
	adaID := number[uint16](hello, "id")
	bobID := number[uint16](bob.join("Bob"), "id")
	if m := ada.await("joined"); m["name"] != "Bob" || number[uint16](m, "id") != bobID {
		t.Errorf("joined: %v", m)
	}

	bob.text(`{"t":"chat","text":"  ahoy\n\u0007 there "}`)
	if m := ada.await("chat"); m["text"] != "ahoy there" || number[uint16](m, "id") != bobID {
		t.Errorf("chat: %v", m)
	}
	ada.text(`{"t":"emote","k":2}`)
	if m := bob.await("emote"); number[int](m, "k") != 2 || number[uint16](m, "id") != adaID {
		t.Errorf("emote: %v", m)
	}
	ada.text(`{"t":"ping","at":12.5}`)
	if m := ada.await("pong"); m["at"] != 12.5 {
		t.Errorf("pong: %v", m)
	}

	x, y := number[float64](hello, "x")+20, number[float64](hello, "y")
	ada.at(position{X: x, Y: y, Heading: 1, Speed: 120})
	bob.awaitBoat(adaID, func(gx, gy float64) bool { return gx == x && gy == y })

	ada.Close()
	if m := bob.await("left"); number[uint16](m, "id") != adaID {
		t.Errorf("left: %v", m)
	}
}

func TestBotsSail(t *testing.T) {
	_, url := startServer(t, Options{Bots: 1, Rate: 60})
	p := dial(t, url+"/ws", nil)
	bot := p.join("Ada")["crew"].([]any)[0].(map[string]any)
	if bot["bot"] != true {
		t.Fatalf("first of the crew is no bot: %v", bot)
	}
	id := number[uint16](bot, "id")
	var x0, y0 float64
	p.awaitBoat(id, func(x, y float64) bool { x0, y0 = x, y; return true })
	p.awaitBoat(id, func(x, y float64) bool { return x != x0 || y != y0 })
}

func TestImpossibleMoveIsWarpedBack(t *testing.T) {
	_, url := startServer(t, Options{})
	p := dial(t, url+"/ws", nil)
	hello := p.join("Ada")
	x, y := number[float64](hello, "x"), number[float64](hello, "y")
	p.at(position{X: seaSize - x, Y: y + 1500})
	if m := p.await("warp"); number[float64](m, "x") != x || number[float64](m, "y") != y {
		t.Errorf("warp to %v, want %v %v", m, x, y)
	}
}

func TestReturnKeepsScore(t *testing.T) {
	srv, url := startServer(t, Options{})
	keeper := dial(t, url+"/ws", nil) // somebody stays, so the round goes on
	keeper.join("Keeper")
	p := dial(t, url+"/ws", nil)
	hello := p.join("Ada")
	room := srv.rooms["harbour"]
	room.mu.Lock()
	room.boats[1].score = 17
	room.mu.Unlock()
	p.Close()
	keeper.await("left")
	p = dial(t, url+"/ws", nil)
	p.text(`{"t":"join","name":"Ada","token":%q}`, hello["token"])
	if got := number[int](p.await("welcome"), "score"); got != 17 {
		t.Errorf("score after coming back: %d, want 17", got)
	}
}

func TestProtocolViolations(t *testing.T) {
	_, url := startServer(t, Options{MaxBoats: 1, JoinTime: 200 * time.Millisecond})
	holder := dial(t, url+"/ws", nil)
	holder.join("Holder")
	tests := []struct {
		name string
		path string
		send func(*player)
		want int
	}{
		{"no join", "/ws", func(*player) {}, closeUnjoined},
		{"chat before join", "/ws", func(p *player) { p.text(`{"t":"chat","text":"x"}`) }, websocket.ClosePolicyViolation},
		{"position before join", "/ws", func(p *player) { p.at(position{}) }, websocket.ClosePolicyViolation},
		{"room full", "/ws", func(p *player) { p.text(`{"t":"join"}`) }, closeRoomFull},
		{"not JSON", "/ws", func(p *player) { p.text("ahoy") }, websocket.ClosePolicyViolation},
		{"unknown type", "/ws", func(p *player) { p.text(`{"t":"sink"}`) }, websocket.ClosePolicyViolation},
		{"frame too big", "/ws", func(p *player) { p.text(`{"t":"%s"}`, strings.Repeat("x", maxMessage)) }, websocket.CloseMessageTooBig},
		{"bad binary", "/ws", func(p *player) { p.WriteMessage(websocket.BinaryMessage, []byte{9}) }, websocket.ClosePolicyViolation},
		{"text on ping", "/ping", func(p *player) { p.text("hi") }, websocket.ClosePolicyViolation},
		{"big ping", "/ping", func(p *player) { p.WriteMessage(websocket.BinaryMessage, make([]byte, maxPing+1)) }, websocket.ClosePolicyViolation},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := dial(t, url+tt.path, nil)
			tt.send(p)
			if got := p.awaitClose(); got != tt.want {
				t.Errorf("close code %d, want %d", got, tt.want)
			}
		})
	}
}

func TestFloodIsDropped(t *testing.T) {
	_, url := startServer(t, Options{})
	p := dial(t, url+"/ws", nil)
	p.join("Ada")
	for range 400 {
		if p.WriteMessage(websocket.TextMessage, []byte(`{"t":"ping","at":1}`)) != nil {
			break
		}
	}
	if got := p.awaitClose(); got != websocket.ClosePolicyViolation && got != closeTooSlow && got != 0 {
		t.Errorf("close code %d", got)
	}
}

func TestPing(t *testing.T) {
	_, url := startServer(t, Options{Rooms: []string{"harbour", "regatta"}, Bots: 2, MaxBoats: 9})
	p := dial(t, url+"/ping?room=regatta", nil)
	want := []byte{2, 0, 1, 255}
	if err := p.WriteMessage(websocket.BinaryMessage, want); err != nil {
		t.Fatal(err)
	}
	kind, got, err := p.ReadMessage()
	if err != nil || kind != websocket.BinaryMessage || !bytes.Equal(got, want) {
		t.Fatalf("ping answer %d %v %v, want %v", kind, got, err, want)
	}
	m := p.await("harbour")
	if m["room"] != "regatta" || number[int](m, "boats") != 2 || number[int](m, "crew") != 0 || number[int](m, "max") != 9 {
		t.Errorf("info: %v", m)
	}
}

func TestHandshake(t *testing.T) {
	_, url := startServer(t, Options{Origins: []string{"https://game.example"}})
	tests := []struct {
		name, path, origin string
		want               int
	}{
		{"listed origin", "/ws", "https://game.example", http.StatusSwitchingProtocols},
		{"other origin", "/ws", "https://other.example", http.StatusForbidden},
		{"no such room", "/ws?room=nowhere", "https://game.example", http.StatusNotFound},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			conn, answer, err := websocket.DefaultDialer.Dial(url+tt.path, http.Header{"Origin": {tt.origin}})
			if err == nil {
				defer conn.Close()
			}
			if answer == nil || answer.StatusCode != tt.want {
				t.Errorf("answer %v (%v), want %d", answer, err, tt.want)
			}
		})
	}
}

func TestFullServerRefuses(t *testing.T) {
	_, url := startServer(t, Options{MaxConns: 1})
	dial(t, url+"/ws", nil).join("Ada")
	_, answer, err := websocket.DefaultDialer.Dial(url+"/ping", nil)
	if err == nil || answer == nil || answer.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("answer %v (%v), want 503", answer, err)
	}
}

// A client that stops reading is dropped once its queue is full; the others do not notice.
func TestSlowClientIsDropped(t *testing.T) {
	srv, url := startServer(t, Options{Queue: 24, Rate: 60})
	quick := dial(t, url+"/ws", nil)
	quick.join("Quick")
	slow := dial(t, url+"/ws", nil)
	slow.NetConn().(*net.TCPConn).SetReadBuffer(1 << 10)
	slowID := number[uint16](slow.join("Slow"), "id")
	quick.await("joined")

	// More than the socket's buffers hold: the writer is stuck, and snapshots fill the queue behind it.
	room := srv.rooms["harbour"]
	room.mu.Lock()
	room.boats[1].peer.send(prepare(websocket.BinaryMessage, make([]byte, 16<<20)))
	room.mu.Unlock()
	if m := quick.await("left"); number[uint16](m, "id") != slowID {
		t.Errorf("left: %v, want boat %d", m, slowID)
	}
	quick.text(`{"t":"ping","at":1}`)
	quick.await("pong")
}

func TestCloseSaysGoodbye(t *testing.T) {
	srv, url := startServer(t, Options{})
	p, idle := dial(t, url+"/ws", nil), dial(t, url+"/ping", nil)
	p.join("Ada")
	idle.WriteMessage(websocket.BinaryMessage, []byte{1})
	idle.await("harbour")
	done := make(chan struct{})
	go func() { srv.Close(); close(done) }()
	for name, c := range map[string]*player{"player": p, "pinger": idle} {
		if got := c.awaitClose(); got != websocket.CloseGoingAway {
			t.Errorf("%s: close code %d, want %d", name, got, websocket.CloseGoingAway)
		}
	}
	<-done
	if conn, _, err := websocket.DefaultDialer.Dial(url+"/ws", nil); err == nil {
		defer conn.Close()
		if _, _, err := conn.ReadMessage(); err == nil {
			t.Error("a closed server took a client")
		}
	}
}

// The whole program: both listeners, the authority's file, the game's files, and a stop by context.
func TestRun(t *testing.T) {
	dir, game := filepath.Join(t.TempDir(), "ca"), t.TempDir()
	if err := os.WriteFile(filepath.Join(game, "index.html"), []byte("<title>x</title>"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, in := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, []string{"-addr", "127.0.0.1:0", "-tls-addr", "127.0.0.1:0", "-ca", dir, "-game", game}, in)
		in.Close()
	}()
	urls := make(chan string, 2)
	go func() {
		defer close(urls)
		log := make([]byte, 0, 4096)
		found := 0
		for chunk := make([]byte, 512); ; {
			n, err := out.Read(chunk)
			log = append(log, chunk[:n]...)
			for all := strings.Split(string(log), "url="); found < 2 && found+1 < len(all); found++ {
				if url, _, whole := strings.Cut(strings.NewReplacer("\n", " ").Replace(all[found+1]), "/ws"); whole {
					urls <- url
				}
			}
			if err != nil {
				return
			}
		}
	}()
	plain, secure := <-urls, <-urls
	if plain == "" || secure == "" {
		t.Fatalf("the server did not start: %v", <-done)
	}

	answer, err := http.Get("http" + strings.TrimPrefix(plain, "ws") + "/")
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("game files: %v %v", answer, err)
	}
	answer.Body.Close()
	dial(t, plain+"/ws", nil).join("Ada")

	ca, err := os.ReadFile(filepath.Join(dir, "ca.pem"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	dialer := websocket.Dialer{TLSClientConfig: &tls.Config{RootCAs: roots}}
	conn, _, err := dialer.Dial(secure+"/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, _, err := websocket.DefaultDialer.Dial(secure+"/ws", nil); err == nil {
		t.Error("a client without the authority got in")
	}

	stop()
	p := &player{conn, t}
	conn.SetReadDeadline(time.Now().Add(patience))
	if got := p.awaitClose(); got != websocket.CloseGoingAway {
		t.Errorf("close code %d, want %d", got, websocket.CloseGoingAway)
	}
	if err := <-done; err != nil {
		t.Errorf("run: %v", err)
	}
}

func TestFlags(t *testing.T) {
	tests := []struct{ name, args, want string }{
		{"nothing to listen on", "-addr=", "nothing to listen on"},
		{"stray argument", "harbour", `unexpected argument "harbour"`},
		{"too many bots", "-bots=48", "leave no place"},
		{"short round", "-round=1ms", "want at least 1s"},
		{"bad rate", "-rate=1000", "want 1 to 60"},
		{"bad address", "-addr=300.0.0.1:x", "listen ws"},
		{"no game", "-game=/no/such/folder", "game folder"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := run(t.Context(), strings.Fields(tt.args), io.Discard)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
