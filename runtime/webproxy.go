package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	proxyDialTimeout = 20 * time.Second
	maxLoggedHosts   = 200
)

// WebProxy is the http proxy that the webview is given for everything but this game's own ports. It refuses all
// requests, so that no name is looked up and nothing is connected that CSP forgot, except tunnels to the author's web
// hosts. Set the fields, then Listen, Serve and Close.
type WebProxy struct {
	// Allow says whether a tunnel to host:port may be opened. nil: never.
	Allow func(host string, port int) bool
	// Control is asked for every address that is dialled. nil: every address is accepted.
	Control func(addr netip.Addr) error
	Logger  *slog.Logger // nil: discard

	refused atomic.Int64

	mu       sync.Mutex // guards the rest
	listener net.Listener
	http     *http.Server
	logged   map[string]bool
	tunnels  map[io.Closer]struct{}
	served   chan struct{} // closed when Serve has returned; nil before
	closed   bool

	conns   sync.WaitGroup
	piping  sync.WaitGroup
	dialing context.Context
	stop    context.CancelFunc
}

// Listen takes a free port on 127.0.0.1.
func (p *WebProxy) Listen() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil || p.closed {
		return errors.New("listen: the proxy listens already or is closed")
	}
	ln, err := listenLoopback(0)
	if err != nil {
		return err
	}
	p.listener = ln
	p.logged, p.tunnels = map[string]bool{}, map[io.Closer]struct{}{}
	p.dialing, p.stop = context.WithCancel(context.Background())
	p.http = &http.Server{
		Handler:                      http.HandlerFunc(p.serve),
		DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout:            30 * time.Second,
		IdleTimeout:                  time.Minute,
		ErrorLog:                     slog.NewLogLogger(p.log().Handler(), slog.LevelDebug),
		ConnState: func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				p.conns.Add(1)
			case http.StateClosed, http.StateHijacked:
				p.conns.Done()
			}
		},
	}
	return nil
}

// Serve answers until Close, and then returns nil.
func (p *WebProxy) Serve() error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil
	}
	if p.listener == nil || p.served != nil {
		p.mu.Unlock()
		return errors.New("serve: call Listen first, and Serve once")
	}
	p.served = make(chan struct{})
	srv, ln := p.http, p.listener
	p.mu.Unlock()
	defer close(p.served)
	err := srv.Serve(ln)
	srv.Close()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve the web proxy: %w", err)
}

// Close ends the proxy and its tunnels and waits for them.
func (p *WebProxy) Close() error {
	p.mu.Lock()
	p.closed = true
	ln, srv, served := p.listener, p.http, p.served
	for c := range p.tunnels {
		c.Close()
	}
	p.mu.Unlock()
	if ln == nil {
		return nil
	}
	p.stop()
	srv.Close()
	ln.Close()
	if served != nil {
		<-served
	}
	p.conns.Wait()
	p.piping.Wait()
	return nil
}

// URL is what the webview is given as its proxy, "http://127.0.0.1:PORT"; "" before Listen.
func (p *WebProxy) URL() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener == nil {
		return ""
	}
	return "http://" + p.listener.Addr().String()
}

// Refused is the number of requests refused since the start.
func (p *WebProxy) Refused() int64 { return p.refused.Load() }

func (p *WebProxy) log() *slog.Logger {
	if p.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return p.Logger
}

func (p *WebProxy) serve(w http.ResponseWriter, r *http.Request) {
	host, port, ok := connectTarget(r)
	if !ok || p.Allow == nil || !p.Allow(host, port) {
		p.refuse(w, r)
		return
	}
	far, err := p.dial(r.Context(), r.URL.Host)
	if err != nil {
		p.log().Warn("web host not reached", "host", host, "err", err)
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	p.tunnel(w, far)
}

// connectTarget reads the target of a CONNECT request. A user name has no place in one (RFC 9110 section 9.3.6).
func connectTarget(r *http.Request) (host string, port int, ok bool) {
	if r.Method != http.MethodConnect || r.URL.User != nil {
		return "", 0, false
	}
	host, text, err := net.SplitHostPort(r.URL.Host)
	if err != nil || host == "" {
		return "", 0, false
	}
	n, err := strconv.ParseUint(text, 10, 16)
	return host, int(n), err == nil && n != 0
}

// refuse answers 403. The host is logged once; paths and queries never are.
func (p *WebProxy) refuse(w http.ResponseWriter, r *http.Request) {
	p.refused.Add(1)
	host := r.URL.Hostname()
	if host == "" {
		host = (&url.URL{Host: r.Host}).Hostname()
	}
	p.mu.Lock()
	first := !p.logged[host] && len(p.logged) < maxLoggedHosts
	if first {
		p.logged[host] = true
	}
	p.mu.Unlock()
	if first {
		p.log().Info("the page may not reach this host", "host", host)
	}
	w.WriteHeader(http.StatusForbidden)
}

// dial connects to the host, asking Control for each address before it is tried.
func (p *WebProxy) dial(ctx context.Context, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, proxyDialTimeout)
	defer cancel()
	defer context.AfterFunc(p.dialing, cancel)()
	return (&net.Dialer{ControlContext: controlAddr(p.Control)}).DialContext(ctx, "tcp", address)
}

// controlAddr makes a net.Dialer's control function of a rule on addresses.
func controlAddr(rule func(netip.Addr) error) func(context.Context, string, string, syscall.RawConn) error {
	return func(_ context.Context, _, address string, _ syscall.RawConn) error {
		if rule == nil {
			return nil
		}
		ap, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return rule(ap.Addr().Unmap())
	}
}

// tunnel copies bytes both ways until both have ended.
func (p *WebProxy) tunnel(w http.ResponseWriter, far net.Conn) {
	defer far.Close()
	p.piping.Add(1)
	defer p.piping.Done()
	near, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		p.log().Warn("tunnel not opened", "err", err)
		return
	}
	defer near.Close()
	if !p.keep(near, far) {
		return
	}
	defer p.forget(near, far)
	if _, err := io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		io.Copy(far, buffered.Reader) // what the client sent early comes first
		closeWrite(far)
	}()
	io.Copy(near, far)
	closeWrite(near)
	<-done
}

func closeWrite(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok && tcp.CloseWrite() == nil {
		return
	}
	c.Close()
}

// keep notes a tunnel's ends for Close; false when the proxy is closed.
func (p *WebProxy) keep(ends ...io.Closer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	for _, c := range ends {
		p.tunnels[c] = struct{}{}
	}
	return true
}

func (p *WebProxy) forget(ends ...io.Closer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range ends {
		delete(p.tunnels, c)
	}
}
