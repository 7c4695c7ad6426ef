package session

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"syscall"
	"time"

	"github.com/gorilla/websocket"

	"conch/session/wire"
)

const (
	writeTimeout = 5 * time.Second
	closeTimeout = 200 * time.Millisecond // for writing a close
	bufferBytes  = 4 << 10
)

// socket is a Conn over WebSocket.
type socket struct {
	ws   *websocket.Conn
	addr netip.AddrPort
}

func newSocket(ws *websocket.Conn) *socket {
	s := &socket{ws: ws}
	if a, ok := ws.RemoteAddr().(*net.TCPAddr); ok {
		p := a.AddrPort()
		s.addr = netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
	}
	ws.SetPingHandler(func(string) error { return nil }) // heartbeats are frames; a Pong here would write from the reader
	ws.SetCloseHandler(func(int, string) error { return nil })
	return s
}

// closeError is the code that a WebSocket ended with.
type closeError struct {
	code int
	err  error
}

func (e *closeError) Error() string  { return e.err.Error() }
func (e *closeError) Unwrap() error  { return e.err }
func (e *closeError) CloseCode() int { return e.code }

func (s *socket) Read() ([]byte, error) {
	kind, b, err := s.ws.ReadMessage()
	var c *websocket.CloseError
	switch {
	case errors.As(err, &c):
		return nil, &closeError{c.Code, err}
	case errors.Is(err, websocket.ErrReadLimit):
		return nil, &closeError{1009, err}
	case err != nil:
		return nil, err
	case kind != websocket.BinaryMessage:
		return nil, &closeError{1003, errors.New("text message")}
	}
	return b, nil
}

func (s *socket) Write(message []byte) error {
	s.ws.SetWriteDeadline(time.Now().Add(writeTimeout))
	return s.ws.WriteMessage(websocket.BinaryMessage, message)
}

func (s *socket) Close(code int, reason string) {
	if code != 0 {
		s.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason), time.Now().Add(closeTimeout))
	}
	s.ws.SetReadDeadline(time.Now().Add(flushTimeout))
}

func (s *socket) CloseNow() {
	c := s.ws.NetConn()
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn() // without TLS's last words, which may have to wait
	}
	c.Close()
}

func (s *socket) SetReadLimit(n int64) { s.ws.SetReadLimit(n) }

func (s *socket) RemoteAddr() netip.AddrPort { return s.addr }

// dialSocket connects to a host at address. allow decides about each address that is about to be dialled.
func dialSocket(ctx context.Context, a Address, allow func(netip.AddrPort) error) (Conn, error) {
	d := websocket.Dialer{
		Subprotocols:     []string{wire.Subprotocol},
		ReadBufferSize:   bufferBytes,
		WriteBufferSize:  bufferBytes,
		HandshakeTimeout: 10 * time.Second,
		NetDialContext: (&net.Dialer{
			ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
				p, err := netip.ParseAddrPort(address)
				if err != nil {
					return err
				}
				return allow(netip.AddrPortFrom(p.Addr().Unmap(), p.Port()))
			},
		}).DialContext,
	}
	u := url.URL{Scheme: "ws", Host: net.JoinHostPort(a.Host, fmt.Sprint(a.Port)), Path: wire.Path}
	if a.TLS {
		u.Scheme = "wss"
	}
	ws, response, err := d.DialContext(ctx, u.String(), nil)
	if err != nil {
		if response != nil {
			err = fmt.Errorf("%w: status %d", err, response.StatusCode)
		}
		return nil, err
	}
	if ws.Subprotocol() != wire.Subprotocol {
		ws.Close()
		return nil, errors.New("not a session host")
	}
	s := newSocket(ws)
	s.SetReadLimit(maxClientMessage)
	return s, nil
}

var upgrader = websocket.Upgrader{
	HandshakeTimeout: 5 * time.Second,
	ReadBufferSize:   bufferBytes,
	WriteBufferSize:  bufferBytes,
	WriteBufferPool:  new(sync.Pool), // most peers write nothing at most times
	Subprotocols:     []string{wire.Subprotocol},
	CheckOrigin:      func(*http.Request) bool { return true }, // checked before, and more strictly
	Error: func(w http.ResponseWriter, _ *http.Request, status int, _ error) {
		w.WriteHeader(status)
	},
}
