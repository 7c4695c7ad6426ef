// Package pagerelay carries the session client of a page to a host somewhere else. The page is not trusted, and the host is
// a stranger: neither gets a word of the other before the host has proved that it plays the client's project.
//
// Whom a page may reach is decided by the caller, which also asks about every address that is dialled.
package pagerelay

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/gorilla/websocket"

	"conch/session/wire"
)

// upgrader is for pages that were let in by the launcher's gate, which has checked Host, Origin and cookie.
var upgrader = websocket.Upgrader{
	HandshakeTimeout: 5 * time.Second, ReadBufferSize: 16 << 10, WriteBufferSize: 16 << 10,
	Subprotocols: []string{wire.Subprotocol},
	CheckOrigin:  func(*http.Request) bool { return true },
	Error:        func(w http.ResponseWriter, _ *http.Request, status int, _ error) { w.WriteHeader(status) },
}

const (
	cutAfter     = 2 * time.Second // for a page that does not take its end
	helloTimeout = 5 * time.Second // for the page's Hello, and for the host's Challenge
	writeTimeout = 5 * time.Second
	maxToHost    = 512 << 10
	maxToPage    = 1 << 20 // one message of the host; it should send at most 512 KiB
	maxQueued    = 8 << 20 // bytes that wait for a page that does not read
)

// Destination is a session host that a page may join.
type Destination struct {
	Host    string // a name, or an IP literal without brackets
	Port    uint16
	TLS     bool
	Control func(netip.Addr) error // asked about every address before it is dialled
	RootCAs *x509.CertPool         // nil: the system's
}

// Far is a connection with a host that has not been talked to.
type Far struct{ ws *websocket.Conn }

// Dial connects to the host, as far as the WebSocket handshake. Nothing that a script chose is sent but Host and Port.
func Dial(ctx context.Context, to Destination) (*Far, error) {
	d := websocket.Dialer{
		Subprotocols: []string{wire.Subprotocol}, ReadBufferSize: 16 << 10, WriteBufferSize: 16 << 10,
		NetDialContext:  func(ctx context.Context, _, _ string) (net.Conn, error) { return dialTCP(ctx, to) },
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: to.RootCAs},
	}
	u := url.URL{Scheme: "ws", Host: net.JoinHostPort(to.Host, strconv.Itoa(int(to.Port))), Path: wire.Path}
	if to.TLS {
		u.Scheme = "wss"
	}
	far, answer, err := d.DialContext(ctx, u.String(), nil)
	if err != nil {
		if answer != nil {
			err = fmt.Errorf("%w: status %d", err, answer.StatusCode)
		}
		return nil, err
	}
	if far.Subprotocol() != wire.Subprotocol {
		far.Close()
		return nil, errors.New("not a session host")
	}
	return &Far{far}, nil
}

func dialTCP(ctx context.Context, to Destination) (net.Conn, error) {
	d := net.Dialer{ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		a, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return to.Control(a.Addr().Unmap())
	}}
	port := strconv.Itoa(int(to.Port))
	if to.Host != "localhost" {
		return d.DialContext(ctx, "tcp", net.JoinHostPort(to.Host, port))
	}
	// Never looked up: RFC 6761 section 6.3.
	c, err := d.DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil && ctx.Err() == nil {
		if c6, err6 := d.DialContext(ctx, "tcp", net.JoinHostPort("::1", port)); err6 == nil {
			return c6, nil
		}
	}
	return c, err
}

// Relay carries one session client of a page to a host.
//
// Until the host has proved that it plays the client's project, the page's only part is a Hello of the right form. After that
// frames pass both ways. The host's Pings are answered here, so that a page that stands still keeps its seat; what the page
// answers to them is dropped.
type Relay struct {
	Project string
	Proved  func()       // called when the host has proved itself; nil: nobody wants to know
	Log     *slog.Logger // nil: discard

	far, page *websocket.Conn
	started   time.Time

	farWrite sync.Mutex

	mu    sync.Mutex // guards the fields below
	queue [][]byte
	bytes int
	ended bool
	code  int // to close the page with; 0: without a word
	text  string
	wake  chan struct{}
}

// Serve answers the page's handshake and carries its frames until either side or ctx ends. It owns to.
func (r *Relay) Serve(ctx context.Context, w http.ResponseWriter, q *http.Request, to *Far) {
	far := to.ws
	defer far.Close()
	page, err := upgrader.Upgrade(w, q, nil)
	if err != nil {
		return
	}
	defer page.Close()
	if r.Log == nil {
		r.Log = slog.New(slog.DiscardHandler)
	}
	r.far, r.page, r.started, r.wake = far, page, time.Now(), make(chan struct{}, 1)
	for _, c := range []*websocket.Conn{far, page} {
		c.SetPingHandler(func(string) error { return nil }) // heartbeats are frames
		c.SetCloseHandler(func(int, string) error { return nil })
	}
	far.SetReadLimit(maxToPage)
	page.SetReadLimit(maxToHost)
	first, err := r.introduce()
	if err != nil {
		r.Log.Info("session host refused", "err", err)
		closeWith(page, 4002, "not_a_host")
		return
	}
	stop := context.AfterFunc(ctx, func() { far.Close(); page.Close() })
	defer stop()
	var ends sync.WaitGroup
	ends.Go(r.write)
	ends.Go(r.toHost)
	r.post(first)
	r.toPage()
	ends.Wait()
}

// introduce lets the two sides say Hello and checks what they say.
func (r *Relay) introduce() (challenge []byte, err error) {
	deadline := time.Now().Add(helloTimeout)
	r.page.SetReadDeadline(deadline)
	r.far.SetReadDeadline(deadline)
	frame, err := readOne(r.page)
	if err != nil {
		return nil, err
	}
	hello, ok := frame.(*wire.Hello)
	if !ok || hello.Project != wire.ClientProject(hello.Nonce, r.Project) || hello.MinVersion > 255 || hello.MaxVersion > 255 {
		return nil, errors.New("the page did not say Hello")
	}
	r.far.SetWriteDeadline(deadline)
	if err := r.far.WriteMessage(websocket.BinaryMessage, wire.Append(nil, hello)); err != nil {
		return nil, err
	}
	frame, err = readOne(r.far)
	if err != nil {
		return nil, err
	}
	switch f := frame.(type) {
	case *wire.Challenge:
		if f.Project != wire.HostProject(hello.Nonce, f.Nonce, r.Project) {
			return nil, errors.New("the host does not know the project")
		}
	case *wire.Reject: // it plays another game, or has no room; the page hears why, and nothing more is sent
		closeWith(r.far, 4000, "left")
		r.page.SetWriteDeadline(deadline)
		r.page.WriteMessage(websocket.BinaryMessage, wire.Append(nil, f))
		closeWith(r.page, 4003, f.Code)
		return nil, fmt.Errorf("rejected: %s", f.Code)
	default:
		return nil, errors.New("the host did not answer the Hello")
	}
	r.page.SetReadDeadline(time.Time{})
	r.far.SetReadDeadline(time.Time{})
	if r.Proved != nil {
		r.Proved()
	}
	return wire.Append(nil, frame), nil
}

func readOne(c *websocket.Conn) (wire.Frame, error) {
	kind, message, err := c.ReadMessage()
	if err != nil {
		return nil, err
	}
	if kind != websocket.BinaryMessage {
		return nil, errors.New("a text message")
	}
	frames, err := wire.Decode(message)
	if err != nil {
		return nil, err
	}
	if len(frames) != 1 {
		return nil, errors.New("not one frame")
	}
	return frames[0], nil
}

// toHost passes on what the page sends, but for its Pongs.
func (r *Relay) toHost() {
	for {
		kind, message, err := r.page.ReadMessage()
		if err != nil {
			r.end(0, "")
			closeLike(r.far, err)
			return
		}
		out, _, err := sift(kind, message, wire.TypePong)
		if err == nil && len(out) > 0 {
			err = r.sendFar(out)
		}
		if err != nil {
			r.end(4002, "protocol_error")
			r.far.Close()
			return
		}
	}
}

// toPage passes on what the host sends, and answers its Pings.
func (r *Relay) toPage() {
	for {
		kind, message, err := r.far.ReadMessage()
		if err != nil {
			code, text := codeOf(err)
			r.end(code, text)
			return
		}
		_, pings, err := sift(kind, message, wire.TypePing)
		for _, body := range pings {
			var f wire.Frame
			if f, err = (wire.Raw{Type: wire.TypePing, Body: body}).Parse(); err != nil {
				break
			}
			ping := f.(*wire.Ping)
			now := uint64(time.Since(r.started).Microseconds()) + 1
			if err = r.sendFar(wire.Append(nil, &wire.Pong{Seq: ping.Seq, T0: ping.T0, T1: now, T2: now})); err != nil {
				break
			}
		}
		if err == nil && !r.post(message) {
			r.end(4010, "slow_consumer")
			r.far.Close()
			return
		}
		if err != nil {
			r.end(4002, "protocol_error")
			r.far.Close()
			return
		}
	}
}

// sift takes the frames of one type out of a message: rest is the message without them.
func sift(kind int, message []byte, t wire.Type) (rest []byte, bodies [][]byte, err error) {
	if kind != websocket.BinaryMessage {
		return nil, nil, errors.New("a text message")
	}
	for len(message) > 0 {
		raw, after, err := wire.Next(message)
		if err != nil {
			return nil, nil, err
		}
		if raw.Type == t {
			bodies = append(bodies, raw.Body)
		} else {
			rest = append(rest, message[:len(message)-len(after)]...)
		}
		message = after
	}
	return rest, bodies, nil
}

func (r *Relay) sendFar(message []byte) error {
	r.farWrite.Lock()
	defer r.farWrite.Unlock()
	r.far.SetWriteDeadline(time.Now().Add(writeTimeout))
	return r.far.WriteMessage(websocket.BinaryMessage, message)
}

// post queues a message for the page; false when too much waits.
func (r *Relay) post(message []byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return true
	}
	if r.bytes+len(message) > maxQueued {
		return false
	}
	r.queue = append(r.queue, message)
	r.bytes += len(message)
	r.wakeLocked()
	return true
}

func (r *Relay) wakeLocked() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// end has the writer close the page, after what waits.
func (r *Relay) end(code int, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return
	}
	r.ended, r.code, r.text = true, code, text
	time.AfterFunc(cutAfter, func() { r.page.Close() })
	r.wakeLocked()
}

func (r *Relay) write() {
	for range r.wake {
		r.mu.Lock()
		queue, ended := r.queue, r.ended
		r.queue = nil
		r.mu.Unlock()
		for _, message := range queue {
			if err := r.page.WriteMessage(websocket.BinaryMessage, message); err != nil {
				r.page.Close()
				break
			}
			r.mu.Lock()
			r.bytes -= len(message)
			r.mu.Unlock()
		}
		if ended {
			if r.code == 0 {
				r.page.Close()
			} else {
				closeWith(r.page, r.code, r.text)
			}
			return
		}
	}
}

// codeOf is what an end is passed on as; 0 for a connection that broke.
func codeOf(err error) (int, string) {
	var c *websocket.CloseError
	if errors.As(err, &c) && c.Code != websocket.CloseNoStatusReceived && c.Code != websocket.CloseAbnormalClosure {
		return c.Code, c.Text
	}
	return 0, ""
}

// closeLike ends c as the other side ended.
func closeLike(c *websocket.Conn, err error) {
	if code, text := codeOf(err); code != 0 {
		closeWith(c, code, text)
		return
	}
	c.Close()
}

// closeWith says why, and gives the other side a moment to read it.
func closeWith(c *websocket.Conn, code int, text string) {
	c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, text), time.Now().Add(time.Second))
	c.SetReadDeadline(time.Now().Add(time.Second))
}
