//go:build e2e

package e2e

import (
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// echo is a server whose connections a test drives by hand.
type echo struct {
	port  int
	conns chan *conn
}

// conn is one accepted socket of a game.
type conn struct {
	ws     *websocket.Conn
	header http.Header
	path   string
	in     chan string
}

func newEcho(t *testing.T) *echo {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &echo{port: ln.Addr().(*net.TCPAddr).Port, conns: make(chan *conn, 64)}
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		ws, err := up.Upgrade(w, q, nil)
		if err != nil {
			return
		}
		c := &conn{ws: ws, header: q.Header, path: q.URL.RequestURI(), in: make(chan string, 256)}
		s.conns <- c
		defer ws.Close()
		defer close(c.in)
		for {
			_, data, err := ws.ReadMessage()
			if err != nil {
				return
			}
			c.in <- string(data)
		}
	})}
	go srv.Serve(ln)
	t.Cleanup(func() { srv.Close() })
	return s
}

func (s *echo) host() string { return fmt.Sprintf("localhost:%d", s.port) }

// next waits for the next socket.
func (s *echo) next(t *testing.T) *conn {
	t.Helper()
	select {
	case c := <-s.conns:
		return c
	case <-time.After(patience):
		t.Fatal("no socket arrived")
		return nil
	}
}

func (c *conn) send(text string) error { return c.ws.WriteMessage(websocket.TextMessage, []byte(text)) }

func (c *conn) receive(t *testing.T) string {
	t.Helper()
	select {
	case text, ok := <-c.in:
		if !ok {
			t.Fatal("socket ended")
		}
		return text
	case <-time.After(patience):
		t.Fatal("no frame arrived")
		return ""
	}
}
