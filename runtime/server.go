// Package runtime serves one game to one browser engine over http on 127.0.0.1: the game's files, the page script in
// front of its pages and workers, and a few internal endpoints under /__conch/. Nobody but the engine that was sent to
// [Server.EntryURL] gets a byte of it.
//
// The same package keeps what a game's saves depend on between starts, its port ([State]), and runs the proxy that
// keeps the engine from reaching anything else ([WebProxy]).
package runtime

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"conch/runtime/bundle"
)

// internalPrefix is the part of the address space that belongs to the shell.
const internalPrefix = "/__conch/"

// Server serves one bundle. Set the fields, then call Listen and Serve; Close ends both. The fields are not changed
// after Listen.
type Server struct {
	Bundle *bundle.Bundle

	// Script is the built page script; the token __CONCH_CONFIG__ in it is replaced by the JSON of Config() each time
	// it is sent. nil: pages are served without a page script.
	Script []byte
	Config func() any

	// RelayPorts names the ports that the page's sockets go to, for connect-src. Asked once, when Serve starts.
	RelayPorts func() []int

	// SaveStorage keeps the page's copy of localStorage: a JSON object whose values are strings, at most 12 MiB. It
	// may be called by several requests at once. nil: the endpoint does not exist.
	SaveStorage func([]byte) error

	// CopySaves writes a copy of the game's saves for the player and answers the file's name. It is called only for a
	// press on the crash screen, see Crashed. nil: the screen has no such button.
	CopySaves func(ctx context.Context) (path string, err error)

	// Console receives the page's console lines. It may be called by several requests at once. nil: no endpoint.
	Console func(ConsoleLine)

	// Strict is for pages of the shell's own instead of a game's: nothing inline, in no frame, no features.
	Strict bool

	// Settings gives the crash screen a link to /__conch/settings. Nothing answers there: whoever shows the screen acts
	// on the link.
	Settings bool

	// OnDocument is called before a document is sent to the top of the window: reload, navigation, first page. nil:
	// nobody wants to know.
	OnDocument func()

	// RootCAs is trusted for the hosts of network.proxy; nil: the system's.
	RootCAs *x509.CertPool

	// Control is asked for every address that is dialled for network.proxy; host is the manifest's "host" or
	// "host:port". nil: every address is accepted.
	Control func(host string, addr netip.Addr) error

	Logger *slog.Logger // nil: discard

	launch    launch
	crash     crash
	policy    policy
	names     names
	small     smallFiles
	sizes     decodedSizes
	budget    consoleBudget
	upstreams upstreams
	handlers  map[string]http.Handler
	stopped   atomic.Pointer[string]
	tagSalt   string

	mu       sync.Mutex // guards listener, port, http and closed
	listener net.Listener
	port     int
	http     *http.Server
	closed   bool
	served   chan struct{} // closed when Serve has returned
	conns    sync.WaitGroup
}

// Handle mounts h at an exact path under /__conch/; it runs behind the gate and with the policy headers already set.
// Call it before Serve.
func (s *Server) Handle(path string, h http.Handler) {
	if s.handlers == nil {
		s.handlers = map[string]http.Handler{}
	}
	s.handlers[path] = h
}

// Listen takes the port on 127.0.0.1, 0 for any free one. A port that another program holds is a *PortTakenError.
func (s *Server) Listen(port int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.listener != nil {
		return errors.New("listen: the server listens already or is closed")
	}
	ln, err := listenLoopback(port)
	if err != nil {
		return err
	}
	s.listener, s.port = ln, ln.Addr().(*net.TCPAddr).Port
	s.served = make(chan struct{})
	if err := s.prepareLocked(); err != nil {
		s.listener, s.port = nil, 0
		return errors.Join(err, ln.Close())
	}
	return nil
}

// prepareLocked makes what all requests share.
func (s *Server) prepareLocked() error {
	if err := s.launch.init(s.port); err != nil {
		return err
	}
	s.tagSalt = s.launch.secret[:12]
	s.names.fsys = s.Bundle.FS
	s.budget.now = time.Now
	if err := s.upstreams.init(s); err != nil {
		return err
	}
	s.mountInternal()
	s.http = &http.Server{
		Handler:                      http.HandlerFunc(s.serve),
		DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout:            30 * time.Second,
		IdleTimeout:                  5 * time.Minute,
		ErrorLog:                     slog.NewLogLogger(s.log().Handler(), slog.LevelDebug),
		ConnState:                    s.track,
		ConnContext:                  withGather,
	}
	return nil
}

func (s *Server) mountInternal() {
	if s.Script != nil {
		s.Handle(scriptPath, http.HandlerFunc(s.serveScript))
	}
	if s.SaveStorage != nil {
		s.Handle(internalPrefix+"storage", http.HandlerFunc(s.serveStorage))
	}
	if s.Console != nil {
		s.Handle(internalPrefix+"log", http.HandlerFunc(s.serveConsole))
	}
	s.Handle(crashedPath, http.HandlerFunc(s.serveCrashed))
	if s.CopySaves != nil {
		s.Handle(internalPrefix+"copy-saves", http.HandlerFunc(s.serveCopySaves))
	}
}

// track counts connections so that Close can wait for their goroutines, and ends what a response gathers.
func (s *Server) track(c net.Conn, state http.ConnState) {
	switch state {
	case http.StateIdle:
		c.(*gatherConn).release()
	case http.StateNew:
		s.conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.conns.Done()
	}
}

// Serve answers requests until Close, and then returns nil.
func (s *Server) Serve() error {
	var ports []int
	if s.RelayPorts != nil {
		ports = s.RelayPorts() // without the lock: it may ask for the port
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	if s.listener == nil || s.policy.names != nil {
		s.mu.Unlock()
		return errors.New("serve: call Listen first, and Serve once")
	}
	if s.Strict {
		s.policy = strictPolicy()
	} else {
		s.policy = newPolicy(s.Bundle, ports)
	}
	srv, ln := s.http, s.listener
	s.mu.Unlock()

	defer close(s.served)
	err := srv.Serve(gatherListener{ln})
	// A connection accepted while Close ran was not there yet to be closed by it.
	srv.Close()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve %s: %w", s.Origin(), err)
}

// Close ends the server and returns after the last request has ended. It may be called more than once.
func (s *Server) Close() error {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	ln, srv, serving := s.listener, s.http, s.policy.names != nil
	s.mu.Unlock()
	if ln == nil || srv == nil {
		return nil
	}
	if first {
		srv.Close()
		ln.Close()
	}
	if serving {
		<-s.served
	}
	s.conns.Wait()
	s.upstreams.close()
	return nil
}

// Stop ends the game for good while the server stays up to say why: documents are a screen with this sentence from now
// on, and everything else is gone. The first sentence counts.
func (s *Server) Stop(text string) { s.stopped.CompareAndSwap(nil, &text) }

// Port is the port listened on, 0 before Listen.
func (s *Server) Port() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.port
}

// Origin is the game's origin, "http://127.0.0.1:PORT".
func (s *Server) Origin() string { return "http://" + s.launch.host }

func (s *Server) log() *slog.Logger {
	if s.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return s.Logger
}

// serve answers one request: headers of the policy, gate, then whoever the path belongs to.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	t := &tracked{ResponseWriter: w}
	defer s.survive(t, r)
	s.policy.apply(w.Header())
	s.route(t, r)
}

func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == enterPath && s.checkHost(r) == nil {
		s.serveEnter(w, r)
		return
	}
	if err := s.admit(r); err != nil {
		s.log().Debug("request refused", "err", err)
		w.WriteHeader(http.StatusForbidden)
		return
	}
	if r.Header.Get("Sec-Fetch-Dest") == "document" {
		s.crash.document(r.URL.Path)
		if s.OnDocument != nil {
			s.OnDocument()
		}
	}
	switch {
	case s.stopped.Load() != nil:
		s.serveStopped(w, r)
	case strings.HasPrefix(r.URL.Path, internalPrefix):
		s.serveInternal(w, r)
	case s.upstreams.serve(w, r):
	default:
		s.serveFile(w, r)
	}
}

func (s *Server) serveInternal(w http.ResponseWriter, r *http.Request) {
	h, ok := s.handlers[r.URL.Path]
	if !ok {
		notFound(w)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	h.ServeHTTP(w, r)
}

// survive answers 500 for a handler that panicked; a response that has begun is cut off instead, so that its receiver
// does not take the half for the whole.
func (s *Server) survive(t *tracked, r *http.Request) {
	cause := recover()
	if cause == nil {
		return
	}
	if cause != http.ErrAbortHandler {
		s.log().Error("request handler panicked", "path", r.URL.Path, "err", fmt.Sprint(cause), "stack", string(debug.Stack()))
	}
	if t.wrote || cause == http.ErrAbortHandler {
		panic(http.ErrAbortHandler)
	}
	clear(t.Header())
	s.policy.apply(t.Header())
	t.WriteHeader(http.StatusInternalServerError)
}

// notFound is the answer for everything that is not there; it is never the entry page.
func notFound(w http.ResponseWriter) { plainError(w, http.StatusNotFound) }

func plainError(w http.ResponseWriter, status int) {
	h := w.Header()
	h.Del("Etag")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintf(w, "%d %s\n", status, strings.ToLower(http.StatusText(status)))
}
