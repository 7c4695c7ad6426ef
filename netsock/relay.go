// Package netsock carries the page's WebSockets to their servers.
//
// The page opens its own native WebSocket to a listener on 127.0.0.1. The
// relay checks that it really is the game's page, asks the Policy, dials the
// server the page named, forwards the page's own handshake and from then on
// copies bytes both ways. It never looks at a frame, so every rule of the
// browser (close codes, fragments, compression, back pressure) stays the
// browser's, and a message of any size costs the same memory.
//
// There are several listeners because Chromium runs one WebSocket handshake
// at a time per address and port: with one port a dead server in a server
// list would hold up every other connection.
package netsock

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"time"
)

const (
	defaultPorts   = 16
	defaultSockets = 256
	maxHeaderBytes = 32 << 10
)

// Request is what the page asks for. Nothing in it is trusted.
type Request struct {
	URL   string // the address as the page's script sent it
	ID    string // the attempt, 1 to 64 of [A-Za-z0-9_-]
	Owner string // the game's label for who opened it, for logs only
	Raw   bool   // the game used window.WebSocket, not net.connect
}

// Dial says where an allowed request goes.
type Dial struct {
	// URL is ws:// or wss:// with a host and no userinfo.
	URL *url.URL
	// Target is the path and query to send, byte for byte, starting with
	// "/". Empty means URL.RequestURI(), which escapes some characters
	// ("|", "^") that a browser sends bare.
	Target string
	// Origin is the Origin header the server sees; empty sends none.
	Origin string
	// Control is asked for every address before it is connected to; an
	// error skips that address. Nil allows all.
	Control func(netip.Addr) error
}

// Policy decides whether the page may reach a server.
type Policy interface {
	// Decide may wait for a person; ctx ends when the page gives up. The
	// text of an error is what the page's onError says. It is called from
	// many goroutines at once.
	Decide(ctx context.Context, r Request) (Dial, error)
}

// Relay is the loopback side of the page's sockets. Set the fields, call
// Listen, then Serve. Policy, Authorize and Origin are required.
type Relay struct {
	Policy    Policy
	Authorize func(*http.Request) error // nil error: the request carries the launch cookie
	Origin    string                    // exact Origin of the game's page
	Ports     int                       // number of listeners; 0 means 16
	Sockets   int                       // open and pending sockets at once; 0 means 256
	RootCAs   *x509.CertPool            // nil means the system's
	Resolver  *net.Resolver             // nil means the system's
	Logger    *slog.Logger              // nil discards

	limits  limits // tests shorten them before Listen
	reasons reasons

	mu        sync.Mutex
	listeners []net.Listener
	server    *http.Server
	ctx       context.Context
	cancel    context.CancelFunc
	sockets   map[*socket]struct{}
	closed    bool

	loops    sync.WaitGroup // accept loops
	conns    sync.WaitGroup // accepted connections that are still plain http
	handlers sync.WaitGroup // sockets, from gate to the last byte
}

// limits are the only clocks of a socket. An open socket has none: a slow or
// paused game must not be cut, TCP keep-alive finds the dead peers.
type limits struct {
	dial, tls, handshake time.Duration
	farLinger            time.Duration // the server's time to finish after the page's FIN
	pageLinger           time.Duration // the page's time to finish after the server's FIN
}

func (l limits) withDefaults() limits {
	set := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	set(&l.dial, 30*time.Second)
	set(&l.tls, 10*time.Second)
	set(&l.handshake, 45*time.Second)
	set(&l.farLinger, 10*time.Second)
	set(&l.pageLinger, 5*time.Second)
	return l
}

// Listen binds the listeners. Their numbers do not change until Close.
func (r *Relay) Listen() error {
	if r.Policy == nil || r.Authorize == nil || r.Origin == "" {
		return errors.New("netsock: listen: Policy, Authorize and Origin must be set")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.server != nil {
		return errors.New("netsock: listen: already listening or closed")
	}
	if r.Logger == nil {
		r.Logger = slog.New(slog.DiscardHandler)
	}
	r.limits = r.limits.withDefaults()
	r.sockets = map[*socket]struct{}{}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	n := r.Ports
	if n <= 0 {
		n = defaultPorts
	}
	var lc net.ListenConfig
	lc.SetMultipathTCP(false) // splice wants plain TCP
	for range n {
		l, err := lc.Listen(r.ctx, "tcp4", "127.0.0.1:0")
		if err != nil {
			r.closeListenersLocked()
			r.cancel()
			return fmt.Errorf("netsock: listen: %w", err)
		}
		r.listeners = append(r.listeners, l)
	}
	r.server = &http.Server{
		Handler:                      http.HandlerFunc(r.serve),
		ReadHeaderTimeout:            10 * time.Second,
		MaxHeaderBytes:               maxHeaderBytes,
		BaseContext:                  func(net.Listener) context.Context { return r.ctx },
		ConnState:                    r.connState,
		ErrorLog:                     slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug),
		DisableGeneralOptionsHandler: true,
	}
	r.server.SetKeepAlivesEnabled(false) // one connection, one socket
	return nil
}

// connState counts the connections that net/http owns, so that Close can
// wait for them, and refuses the one accepted while Close was running.
func (r *Relay) connState(c net.Conn, s http.ConnState) {
	switch s {
	case http.StateNew:
		r.conns.Add(1)
		r.mu.Lock()
		closed := r.closed
		r.mu.Unlock()
		if closed {
			c.Close()
		}
	case http.StateHijacked, http.StateClosed:
		r.conns.Done()
	}
}

// Serve accepts connections until Close and returns nil then.
func (r *Relay) Serve() error {
	r.mu.Lock()
	if r.server == nil {
		r.mu.Unlock()
		return errors.New("netsock: serve: Listen was not called")
	}
	if r.closed {
		r.mu.Unlock()
		return nil
	}
	srv := r.server
	errs := make(chan error, len(r.listeners))
	for _, l := range r.listeners {
		r.loops.Go(func() { errs <- srv.Serve(l) })
	}
	n := len(r.listeners)
	r.mu.Unlock()

	var first error
	for range n {
		if err := <-errs; !errors.Is(err, http.ErrServerClosed) && !r.isClosed() && first == nil {
			first = fmt.Errorf("netsock: serve: %w", err)
		}
	}
	return first
}

func (r *Relay) isClosed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

// Close drops every socket and returns when the last goroutine has ended.
func (r *Relay) Close() error {
	r.mu.Lock()
	r.closed = true
	srv := r.server
	if srv == nil {
		r.mu.Unlock()
		return nil
	}
	r.closeListenersLocked()
	r.cancel()
	for s := range r.sockets {
		s.stop("")
	}
	r.mu.Unlock()

	srv.Close()
	r.loops.Wait()
	srv.Close() // what the loops accepted meanwhile
	r.conns.Wait()
	r.handlers.Wait()
	return nil
}

func (r *Relay) closeListenersLocked() {
	for _, l := range r.listeners {
		l.Close()
	}
}

// PortNumbers returns the loopback ports, in the order they were bound.
func (r *Relay) PortNumbers() []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	ports := make([]int, len(r.listeners))
	for i, l := range r.listeners {
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports
}

// CloseHost drops the sockets, open or still connecting, whose destination
// (the Policy's Dial.URL) match names. It returns how many.
func (r *Relay) CloseHost(match func(to *url.URL) bool) int {
	r.mu.Lock()
	all := make([]*socket, 0, len(r.sockets))
	for s := range r.sockets {
		all = append(all, s)
	}
	r.mu.Unlock()
	n := 0
	for _, s := range all {
		host, to := s.destination()
		if to == nil || !match(to) {
			continue
		}
		s.stop("the permission for " + host + " was taken back")
		n++
	}
	return n
}

// add counts s in, or says why not.
func (r *Relay) add(s *socket) error {
	limit := r.Sockets
	if limit <= 0 {
		limit = defaultSockets
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return errors.New("the game is closing")
	}
	if len(r.sockets) >= limit {
		return fmt.Errorf("too many sockets: %d are open or connecting", limit)
	}
	r.sockets[s] = struct{}{}
	r.handlers.Add(1)
	return nil
}

func (r *Relay) remove(s *socket) {
	r.mu.Lock()
	delete(r.sockets, s)
	r.mu.Unlock()
	r.handlers.Done()
}
