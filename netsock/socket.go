package netsock

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// socket is one attempt of the page, from the gate to the last byte. Its
// handler goroutine owns it.
type socket struct {
	relay  *Relay
	req    Request
	log    *slog.Logger
	cancel context.CancelFunc

	mu      sync.Mutex
	host    string   // once the policy has answered
	to      *url.URL // with host
	page    *net.TCPConn
	far     leg
	stopped bool
}

// serve handles one connection of the page. Until it hijacks, net/http
// watches the connection and ends q.Context() when the page goes away.
func (r *Relay) serve(w http.ResponseWriter, q *http.Request) {
	admitted := r.admit(q)
	req, err := parseQuery(q.URL.RawQuery)
	if !admitted || err != nil || !r.reasons.open(req.ID) {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	ctx, cancel := context.WithCancel(q.Context())
	defer cancel()
	s := &socket{relay: r, req: req, cancel: cancel, log: r.Logger.With("conn", req.ID, "owner", req.Owner)}
	if err := r.add(s); err != nil {
		s.refuse(w, err.Error(), err, rawHost(req.URL))
		return
	}
	defer r.remove(s)
	s.run(ctx, w, q)
}

func (s *socket) run(ctx context.Context, w http.ResponseWriter, q *http.Request) {
	d, err := s.relay.Policy.Decide(ctx, s.req)
	if err != nil {
		s.refuse(w, err.Error(), err, rawHost(s.req.URL))
		return
	}
	dst, err := newDestination(d)
	if err != nil {
		s.refuse(w, err.Error(), err, rawHost(s.req.URL))
		return
	}
	s.mu.Lock()
	s.host, s.to = dst.name, d.URL
	stopped := s.stopped
	s.mu.Unlock()
	if stopped {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	started := time.Now()
	far, ans, err := s.relay.connect(ctx, dst, q.Header)
	if err != nil {
		s.refuse(w, explain(err, dst.hostPort), err, dst.hostPort)
		return
	}
	page, early, err := hijack(w)
	if err != nil || !s.own(page, far) {
		far.abort()
		if page != nil {
			page.Close()
		}
		return
	}
	defer page.Close()
	defer far.Close()
	s.log.Info("socket connected", "host", dst.hostPort, "duration", time.Since(started).Round(time.Millisecond))
	if fault := ans.fault(q.Header); fault != "" {
		// The browser checks the answer itself and will fail the socket;
		// this is the text it does not give the page.
		s.relay.reasons.set(s.req.ID, fault)
	}
	opened := time.Now()
	e := s.pipe(early, ans, dst.hostPort)
	s.log.Info("socket closed", "host", dst.hostPort, "duration", time.Since(opened).Round(time.Millisecond),
		"sent", e.up, "received", e.down, "lost", e.lost)
}

// refuse answers 502 after the reason is stored: the page asks for it as
// soon as it sees the failure.
func (s *socket) refuse(w http.ResponseWriter, text string, err error, host string) {
	s.mu.Lock()
	stopped := s.stopped
	s.mu.Unlock()
	if !stopped { // else stop has stored its own reason
		s.relay.reasons.set(s.req.ID, text)
	}
	s.log.Info("socket refused", "host", host, "err", redact(err.Error(), s.req.URL))
	w.WriteHeader(http.StatusBadGateway)
}

// own stores the two ends for stop; false when stop has already been called.
func (s *socket) own(page *net.TCPConn, far leg) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return false
	}
	s.page, s.far = page, far
	return true
}

// stop ends the socket in whatever state it is and does not wait. The page
// sees a close with code 1006; text, if any, is the reason it can ask for.
func (s *socket) stop(text string) {
	if text != "" {
		s.relay.reasons.set(s.req.ID, text)
	}
	s.mu.Lock()
	s.stopped = true
	page, far := s.page, s.far
	s.mu.Unlock()
	s.cancel()
	if page != nil {
		page.Close()
		far.Close()
	}
}

func (s *socket) isStopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped
}

// destination is nil until the policy has answered.
func (s *socket) destination() (host string, to *url.URL) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.host, s.to
}

// hijack takes the page's connection from net/http, free of deadlines,
// with the bytes that were already read from it.
func hijack(w http.ResponseWriter) (*net.TCPConn, []byte, error) {
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, nil, err
	}
	page := conn.(*net.TCPConn)
	page.SetDeadline(time.Time{})
	tunePage(page)
	early := make([]byte, rw.Reader.Buffered())
	if _, err := io.ReadFull(rw.Reader, early); err != nil {
		return page, nil, err
	}
	return page, early, nil
}

// rawHost is the host of an address that no one has vouched for, for logs.
func rawHost(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return label(u.Host)
}

// redact keeps the query and the userinfo of the page's address out of logs.
func redact(text, raw string) string {
	if _, query, ok := strings.Cut(raw, "?"); ok && query != "" {
		text = strings.ReplaceAll(text, query, "...")
	}
	if _, rest, ok := strings.Cut(raw, "://"); ok {
		authority, _, _ := strings.Cut(rest, "/")
		if i := strings.LastIndexByte(authority, '@'); i > 0 {
			text = strings.ReplaceAll(text, authority[:i], "...")
		}
	}
	return printable(text, maxReasonLength)
}
