package pagelink

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"conch/session"
	"conch/session/wire"
)

const (
	dialTimeout  = 10 * time.Second
	helloTimeout = 5 * time.Second
	maxHello     = 8 << 10
	maxUp        = 512 << 10 // a message of the page; the host says what it takes
	maxJoins     = 16        // connections of one game at once
	// Attempts in a minute: at addresses where no host of this project was met yet, and at the others, where clients come back.
	maxAttempts      = 10
	maxKnownAttempts = 60
)

// joins passes the clients of a game's pages on to their hosts. A page chooses the address, so nothing of it goes out
// before the other side has shown that it is a host of the project, but for the 16 random bytes of a Hello.
type joins struct {
	open     map[*websocket.Conn]session.Conn
	attempts []time.Time // at new addresses, in the last minute
	known    map[string]bool
	again    []time.Time // at known addresses, in the last minute
}

// ServeJoin answers GET /__conch/session/join. It returns when the connection has ended.
func (s *Server) ServeJoin(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	address, err := joinAddress(q.Get("u"))
	project := q.Get("project")
	if err == nil {
		err = session.CheckID("project", project)
	}
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	place := fmt.Sprint(address.Host, " ", address.Port, " ", project)
	if !s.mayTry(place) {
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	far, err := s.dial(r.Context(), address)
	if err != nil {
		s.log().Info("no session host", "host", address.Host, "err", err)
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer far.CloseNow()
	near, err := joinUpgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer near.Close()
	if !s.add(near, far) {
		return
	}
	defer s.remove(near)
	if err := introduce(near, far, project); err != nil {
		s.log().Info("not joined", "host", address.Host, "err", err)
		closeNear(near, closeCode(err))
		return
	}
	s.met(place)
	pass(near, far)
}

var joinUpgrader = websocket.Upgrader{ReadBufferSize: 4 << 10, WriteBufferSize: 4 << 10, Subprotocols: []string{wire.Subprotocol}}

// joinAddress reads what the page's client wants to connect to.
func joinAddress(text string) (session.Address, error) {
	u, err := url.Parse(text)
	if err != nil {
		return session.Address{}, err
	}
	if u.Scheme != "ws" && u.Scheme != "wss" || u.Path != wire.Path || u.User != nil || strings.ContainsAny(text, "?#") {
		return session.Address{}, errors.New("not the address of a session")
	}
	return session.ParseAddress(u.Scheme + "://" + u.Host)
}

func (s *Server) dial(ctx context.Context, a session.Address) (session.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	allow := func(p netip.AddrPort) error { return session.PrivateOnly(p) }
	if s.AllowJoin != nil {
		var err error
		if allow, err = s.AllowJoin(ctx, a); err != nil {
			return nil, err
		}
	}
	return session.Dial(ctx, a, allow)
}

// mayTry counts an attempt.
func (s *Server) mayTry(place string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	list, most := &s.joins.attempts, maxAttempts
	if s.joins.known[place] {
		list, most = &s.joins.again, maxKnownAttempts
	}
	now := time.Now()
	for len(*list) > 0 && now.Sub((*list)[0]) > time.Minute {
		*list = (*list)[1:]
	}
	if len(*list) >= most {
		return false
	}
	*list = append(*list, now)
	return true
}

func (s *Server) met(place string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.joins.known == nil || len(s.joins.known) >= 1000 {
		s.joins.known = map[string]bool{}
	}
	s.joins.known[place] = true
}

func (s *Server) add(near *websocket.Conn, far session.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.joins.open) >= maxJoins {
		return false
	}
	if s.joins.open == nil {
		s.joins.open = map[*websocket.Conn]session.Conn{}
	}
	s.joins.open[near] = far
	return true
}

func (s *Server) remove(near *websocket.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.joins.open, near)
}

// introduce passes a Hello of the project one way and its Challenge the other, as this side writes them.
func introduce(near *websocket.Conn, far session.Conn, project string) error {
	near.SetReadLimit(maxHello)
	near.SetReadDeadline(time.Now().Add(helloTimeout))
	kind, b, err := near.ReadMessage()
	if err != nil {
		return err
	}
	hello, err := only[*wire.Hello](b)
	switch {
	case err != nil:
		return err
	case kind != websocket.BinaryMessage, hello.MinVersion != wire.Version, hello.MaxVersion != wire.Version,
		hello.Project != wire.ClientProject(hello.Nonce, project):
		return errors.New("the page does not greet as a client of its project")
	}
	if err := far.Write(wire.Append(nil, hello)); err != nil {
		return err
	}
	late := time.AfterFunc(helloTimeout, far.CloseNow)
	defer late.Stop()
	if b, err = far.Read(); err != nil {
		return err
	}
	if reject, err := only[*wire.Reject](b); err == nil {
		write(near, wire.Append(nil, reject))
		return &closed{session.CloseRejected}
	}
	challenge, err := only[*wire.Challenge](b)
	if err != nil {
		return err
	}
	if challenge.Project != wire.HostProject(hello.Nonce, challenge.Nonce, project) {
		return errors.New("not a host of the project")
	}
	near.SetReadLimit(maxUp)
	near.SetReadDeadline(time.Time{})
	return write(near, wire.Append(nil, challenge))
}

// only reads a message that is one frame.
func only[F wire.Frame](b []byte) (F, error) {
	var none F
	frames, err := wire.Decode(b)
	if err != nil {
		return none, err
	}
	if len(frames) == 1 {
		if f, ok := frames[0].(F); ok {
			return f, nil
		}
	}
	return none, fmt.Errorf("want one frame of type %d", none.Type())
}

// pass hands messages and the close on, both ways, until both have ended.
func pass(near *websocket.Conn, far session.Conn) {
	up := make(chan struct{})
	go func() {
		defer close(up)
		for {
			kind, b, err := near.ReadMessage()
			if err == nil && kind != websocket.BinaryMessage {
				err = &closed{1003}
			}
			if err == nil {
				err = far.Write(b)
			}
			if err != nil {
				far.Close(closeCode(err), "")
				return
			}
		}
	}()
	for {
		b, err := far.Read()
		if err == nil {
			err = write(near, b)
		}
		if err != nil {
			closeNear(near, closeCode(err))
			break
		}
	}
	near.SetReadDeadline(time.Now()) // the goroutine ends
	<-up
}

func write(ws *websocket.Conn, b []byte) error {
	ws.SetWriteDeadline(time.Now().Add(writeTimeout))
	return ws.WriteMessage(websocket.BinaryMessage, b)
}

// closeNear ends the page's connection; a code that cannot be sent breaks it off.
func closeNear(ws *websocket.Conn, code int) {
	if code != 1005 && code != 1006 {
		ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(time.Second))
	}
}

// closed is an end with a code.
type closed struct{ code int }

func (c *closed) Error() string  { return fmt.Sprint("closed with ", c.code) }
func (c *closed) CloseCode() int { return c.code }

// closeCode is the code that a connection ended with; 1006 when it broke.
func closeCode(err error) int {
	var ws *websocket.CloseError
	var c interface{ CloseCode() int }
	switch {
	case errors.As(err, &ws):
		return ws.Code
	case errors.As(err, &c):
		return c.CloseCode()
	}
	return 1006
}
