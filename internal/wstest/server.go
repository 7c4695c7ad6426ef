package wstest

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// Options of a Server. The zero value is plain ws on 127.0.0.1.
type Options struct {
	Cert         *tls.Certificate // nil: plain ws
	Compress     bool             // agree to permessage-deflate and compress
	Subprotocols []string         // in the server's order of preference
	BufferSize   int              // gorilla's read and write buffers; 0 means 4 KiB
}

// Server is a WebSocket server whose behaviour is chosen by path:
//
//	/echo             sends every message back, answers a close with its code
//	/close?code=&reason=  closes at once; code 1005 sends a Close frame without
//	                  a body, 1006 ends TCP without a Close frame
//	/reset            resets TCP right after the handshake
//	/flood?size=      sends binary messages until the connection fails
//	/stuck            reads nothing until Server.Release or Close
//	/bye              says "bye" (text), then a close 1000, in one go
//
// Other paths answer 404.
type Server struct {
	Addr string // host:port on 127.0.0.1

	o        Options
	http     *http.Server
	upgrader websocket.Upgrader
	handlers sync.WaitGroup
	stop     chan struct{}
	release  chan struct{}
	once     sync.Once

	mu       sync.Mutex
	closed   bool
	conns    map[net.Conn]struct{}
	requests []*http.Request
	flooded  int64
}

// Serve starts a server that ends with the test.
func Serve(t testing.TB, o Options) *Server {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Addr: l.Addr().String(), o: o, stop: make(chan struct{}), release: make(chan struct{}),
		conns: map[net.Conn]struct{}{}}
	s.upgrader = websocket.Upgrader{
		CheckOrigin:       func(*http.Request) bool { return true },
		EnableCompression: o.Compress,
		Subprotocols:      o.Subprotocols,
		ReadBufferSize:    o.BufferSize,
		WriteBufferSize:   o.BufferSize,
	}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute, ErrorLog: quiet(),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { s.track(c); return ctx }}
	if o.Cert != nil {
		l = tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{*o.Cert}, NextProtos: []string{"http/1.1"}})
	}
	done := make(chan struct{})
	go func() { defer close(done); s.http.Serve(l) }()
	t.Cleanup(func() { s.Close(); <-done })
	return s
}

// URL is the address of path, with host 127.0.0.1.
func (s *Server) URL(path string) string { return s.URLFor("127.0.0.1", path) }

// URLFor is the address of path under another name of this machine.
func (s *Server) URLFor(host, path string) string {
	scheme := "ws"
	if s.o.Cert != nil {
		scheme = "wss"
	}
	_, port, _ := net.SplitHostPort(s.Addr)
	return scheme + "://" + net.JoinHostPort(host, port) + path
}

// Requests are the upgrade requests seen so far, oldest first.
func (s *Server) Requests() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*http.Request(nil), s.requests...)
}

// Flooded is the number of payload bytes that /flood has written so far.
func (s *Server) Flooded() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.flooded
}

// Release lets /stuck read on and echo from now on.
func (s *Server) Release() { s.once.Do(func() { close(s.release) }) }

// Close ends every connection and waits for their goroutines.
func (s *Server) Close() {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.stop)
	}
	for c := range s.conns {
		c.Close()
	}
	s.mu.Unlock()
	s.http.Close()
	s.handlers.Wait()
}

func (s *Server) track(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns[c] = struct{}{}
	if s.closed {
		c.Close()
	}
}

func (s *Server) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.requests = append(s.requests, q)
	s.handlers.Add(1)
	s.mu.Unlock()
	defer s.handlers.Done()

	behave := map[string]func(*websocket.Conn, *http.Request){
		"/echo": s.echo, "/close": s.closeNow, "/reset": s.reset,
		"/flood": s.flood, "/stuck": s.stuck, "/bye": s.bye,
	}[q.URL.Path]
	if behave == nil {
		http.NotFound(w, q)
		return
	}
	c, err := s.upgrader.Upgrade(w, q, nil)
	if err != nil {
		return
	}
	defer c.Close()
	behave(c, q)
}

func (s *Server) echo(c *websocket.Conn, _ *http.Request) {
	c.SetCloseHandler(func(code int, text string) error {
		body := websocket.FormatCloseMessage(code, text)
		if code == websocket.CloseNoStatusReceived {
			body = nil
		}
		c.WriteControl(websocket.CloseMessage, body, time.Time{})
		return nil
	})
	for {
		kind, data, err := c.ReadMessage()
		if err != nil {
			return
		}
		if err := c.WriteMessage(kind, data); err != nil {
			return
		}
	}
}

func (s *Server) closeNow(c *websocket.Conn, q *http.Request) {
	code, _ := strconv.Atoi(q.URL.Query().Get("code"))
	switch code {
	case websocket.CloseAbnormalClosure:
		return
	case websocket.CloseNoStatusReceived:
		c.WriteControl(websocket.CloseMessage, nil, time.Time{})
	default:
		c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, q.URL.Query().Get("reason")), time.Time{})
	}
	s.drain(c)
}

// drain waits for the peer's Close frame, as the closing handshake wants.
func (s *Server) drain(c *websocket.Conn) {
	for {
		if _, _, err := c.ReadMessage(); err != nil {
			return
		}
	}
}

func (s *Server) reset(c *websocket.Conn, _ *http.Request) {
	if tc, ok := TCP(c.NetConn()); ok {
		tc.SetLinger(0)
		tc.Close()
	}
}

func (s *Server) flood(c *websocket.Conn, q *http.Request) {
	size, _ := strconv.Atoi(q.URL.Query().Get("size"))
	if size <= 0 {
		size = 64 << 10
	}
	data := make([]byte, size)
	for c.WriteMessage(websocket.BinaryMessage, data) == nil {
		s.mu.Lock()
		s.flooded += int64(size)
		s.mu.Unlock()
	}
}

func (s *Server) stuck(c *websocket.Conn, q *http.Request) {
	select {
	case <-s.release:
		s.echo(c, q)
	case <-s.stop:
	}
}

func (s *Server) bye(c *websocket.Conn, _ *http.Request) {
	c.WriteMessage(websocket.TextMessage, []byte("bye"))
	c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1000, "done"), time.Time{})
	s.drain(c)
}

// TCP returns the TCP connection under c, TLS or not.
func TCP(c net.Conn) (*net.TCPConn, bool) {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	tc, ok := c.(*net.TCPConn)
	return tc, ok
}

// Closed returns the code and reason of the Close frame in err: 1005 for one
// without a body, 1006 for none.
func Closed(err error) (int, string) {
	var ce *websocket.CloseError
	if errors.As(err, &ce) {
		return ce.Code, ce.Text
	}
	return websocket.CloseAbnormalClosure, ""
}
