package session

import (
	"context"
	"crypto/hmac"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"conch/session/wire"
)

// Accept takes over a connection and lets it join, within the same limits as those that come over the network.
func (h *Host) Accept(c Conn) error {
	release, status := h.enter(c.RemoteAddr().Addr())
	if status != 0 {
		c.CloseNow()
		return fmt.Errorf("no room for a connection from %s: status %d", c.RemoteAddr(), status)
	}
	h.admit(c, release)
	return nil
}

// enter counts a connection in; status is 0 or the HTTP status of the refusal.
func (h *Host) enter(a netip.Addr) (release func(), status int) {
	key := addressKey(a)
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.phase != phaseActive, h.sockets >= h.MaxPeers+8:
		return nil, 503
	case h.socketsBy[key] >= h.MaxPerAddress, !h.acceptLocked(key, time.Now()):
		return nil, 429
	}
	h.sockets++
	h.socketsBy[key]++
	h.connections.Add(1)
	return sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.sockets--
		if h.socketsBy[key]--; h.socketsBy[key] == 0 {
			delete(h.socketsBy, key)
		}
		h.connections.Done()
	}), 0
}

// acceptLocked keeps the rates of connections: one address first, so that it does not use up what is for all.
func (h *Host) acceptLocked(key netip.Prefix, now time.Time) bool {
	b := h.acceptsBy[key]
	if b == nil {
		rate := max(acceptRateEach, h.MaxPerAddress/2)
		fresh := newBucket(rate, 2*rate, now)
		b = &fresh
		h.acceptsBy[key] = b
	}
	return b.take(1, now) && h.accepts.take(1, now)
}

func (h *Host) admit(c Conn, release func()) {
	go func() {
		defer release()
		defer c.CloseNow()
		h.serve(c)
	}()
}

// addressKey is what counts as one address. Of the internet's IPv6 that is the network of a household; on a local
// network all computers share that part.
func addressKey(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := a.BitLen()
	if a.Is6() && PrivateOnly(netip.AddrPortFrom(a, 0)) != nil {
		bits = 64
	}
	p, _ := a.Prefix(bits)
	return p
}

// greeting is a connection before the welcome: several goroutines may end it, once.
type greeting struct {
	conn  Conn
	ended atomic.Bool
	mu    sync.Mutex // of writing
}

func (g *greeting) send(f wire.Frame) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.ended.Load() && g.conn.Write(wire.Append(nil, f)) == nil
}

// end is true for the one who may write from now on. It waits for nobody: h.mu is held.
func (g *greeting) end() bool { return g.ended.CompareAndSwap(false, true) }

func (g *greeting) reject(r refusal) {
	if !g.end() {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	f := wire.Reject{Code: r.code, Text: cut(r.text, wire.MaxText), RetryAfterMillis: uint64(r.retry.Milliseconds())}
	if g.conn.Write(wire.Append(nil, &f)) == nil {
		g.conn.Close(CloseRejected, r.code)
	}
}

// refusal says why somebody may not join.
type refusal struct {
	code, text string
	retry      time.Duration
}

func (r *refusal) Error() string { return r.code + ": " + r.text }

func refuse(code, text string) *refusal { return &refusal{code: code, text: text} }

type message struct {
	bytes []byte
	err   error
}

// serve is one connection from its first to its last message.
func (h *Host) serve(c Conn) {
	g := &greeting{conn: c}
	stopped := context.AfterFunc(h.ctx, func() { g.reject(*refuse("host_stopping", "the host is stopping")) })
	defer stopped()
	c.SetReadLimit(maxFirstMessages)
	p, l, next, err := h.join(c, g)
	if err != nil {
		var r *refusal
		if errors.As(err, &r) {
			h.Log.Debug("join refused", "err", err, "addr", c.RemoteAddr())
			g.reject(*r)
		}
		switch {
		case next != nil:
			<-next
		case r != nil:
			c.Read() // until the other side has read it, or half a second
		}
		return
	}
	h.read(p, l, next)
}

// join leads a connection to its welcome. next delivers the first message after it, and is read to the end also when
// join fails.
func (h *Host) join(c Conn, g *greeting) (p *peer, l *link, next chan message, err error) {
	late := func() { g.reject(*refuse("timeout", "the client did not speak in time")) }
	timer := time.AfterFunc(h.patience(helloTimeout), late)
	defer timer.Stop()
	hello, err := readOne[*wire.Hello](c)
	if err != nil {
		return nil, nil, nil, err
	}
	timer.Reset(h.patience(authTimeout))
	if hello.MinVersion > wire.Version || hello.MaxVersion < wire.Version {
		return nil, nil, nil, refuse("protocol_version", fmt.Sprintf("the host speaks version %d", wire.Version))
	}
	want := wire.ClientProject(hello.Nonce, h.project)
	if !hmac.Equal(hello.Project[:], want[:]) {
		return nil, nil, nil, refuse("wrong_project", "the host plays another game")
	}
	nonce := newToken()
	challenge := wire.Challenge{Version: wire.Version, Nonce: nonce, Project: wire.HostProject(hello.Nonce, nonce, h.project),
		Need: h.need, Salt: h.salt}
	if h.need != wire.NeedNothing {
		challenge.Iterations = keyIterations
	}
	if !g.send(&challenge) {
		return nil, nil, nil, errors.New("connection lost")
	}
	auth, err := readOne[*wire.Auth](c)
	if err != nil {
		return nil, nil, nil, err
	}
	timer.Stop()
	c.SetReadLimit(int64(maxMessage - defaultArgs + h.MaxArgs))
	if len(auth.Resume) > 0 {
		p, l, err = h.resume(c, g, auth)
		return p, l, nil, err
	}
	addr := c.RemoteAddr().Addr()
	if err := h.checkAuth(hello, nonce, auth, addr); err != nil {
		return nil, nil, nil, err
	}
	var proof []byte
	if h.need != wire.NeedNothing {
		proof = wire.HostProof(h.key, hello.Nonce, nonce, h.project)
	}
	s, err := h.reserve(addr)
	if err != nil {
		return nil, nil, nil, err
	}
	defer h.free(s)
	next = make(chan message, 1)
	go func() {
		b, err := c.Read()
		next <- message{b, err}
	}()
	request := ApprovalRequest{ID: s.id, Build: auth.Build, BuildMatches: auth.Build == h.build, Name: cleanName(auth.Name), Kind: KindBrowser,
		Spectator: auth.Spectator, UserData: auth.UserData, Addr: addr}
	if int(auth.Kind) < len(kinds) {
		request.Kind = kinds[auth.Kind]
	}
	decision, err := h.decide(request, next)
	if err != nil {
		return nil, nil, next, err
	}
	p, l, err = h.welcome(c, g, s, request, decision, proof)
	return p, l, next, err
}

// readOne reads a message that is one frame of the wanted type.
func readOne[F wire.Frame](c Conn) (F, error) {
	var none F
	b, err := c.Read()
	if err != nil {
		return none, err
	}
	frames, err := wire.Decode(b)
	if err != nil {
		return none, refuse("protocol_error", err.Error())
	}
	if len(frames) == 1 {
		if f, ok := frames[0].(F); ok {
			return f, nil
		}
	}
	return none, refuse("protocol_error", fmt.Sprintf("want one frame of type %d", none.Type()))
}

func (h *Host) checkAuth(hello *wire.Hello, nonce [wire.NonceSize]byte, a *wire.Auth, addr netip.Addr) error {
	if a.Session != "" && a.Session != h.session {
		return refuse("wrong_session", "the host has another session")
	}
	if !h.AnyBuild && a.Build != h.build {
		return refuse("build_mismatch", fmt.Sprintf("host=%s you=%s", h.build, a.Build))
	}
	if h.need == wire.NeedNothing {
		return nil
	}
	right := hmac.Equal(a.Proof, wire.ClientProof(h.key, hello.Nonce, nonce, h.project))
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	if wait := h.tries.blocked(addressKey(addr), now); wait > 0 {
		return &refusal{"rate_limited", "too many wrong tries", wait}
	}
	if right {
		return nil
	}
	h.tries.wrong(addressKey(addr), now)
	if h.need == wire.NeedPassword {
		return refuse("bad_password", "the password is wrong")
	}
	return refuse("bad_code", "the join code is wrong")
}

// seat is kept for somebody who is not let in yet.
type seat struct {
	id    uint64
	key   netip.Prefix
	freed bool
}

func (h *Host) reserve(addr netip.Addr) (*seat, error) {
	key := addressKey(addr)
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.phase != phaseActive:
		return nil, refuse("host_stopping", "the host is stopping")
	case len(h.peers)+h.pending >= h.MaxPeers:
		return nil, refuse("full", "the session is full")
	case h.queue.full():
		return nil, &refusal{"rate_limited", "the host does not keep up", 5 * time.Second}
	case h.pendingBy[key] >= max(2, h.MaxPerAddress/4):
		return nil, &refusal{"rate_limited", "others from this address wait to be let in", time.Second}
	}
	h.pending++
	h.pendingBy[key]++
	h.nextID++
	return &seat{id: h.nextID - 1, key: key}, nil
}

func (h *Host) free(s *seat) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.freeLocked(s)
}

func (h *Host) freeLocked(s *seat) {
	if s.freed {
		return
	}
	s.freed = true
	h.pending--
	if h.pendingBy[s.key]--; h.pendingBy[s.key] == 0 {
		delete(h.pendingBy, s.key)
	}
}

// decide asks Approve, until the client leaves, the time is over or the host stops.
func (h *Host) decide(r ApprovalRequest, next chan message) (Decision, error) {
	h.mu.Lock()
	approve := h.Approve
	h.mu.Unlock()
	if approve == nil {
		return Decision{Approved: true}, nil
	}
	ctx, cancel := context.WithTimeout(h.ctx, h.patience(approvalTimeout))
	defer cancel()
	answer := make(chan Decision, 1)
	threw := make(chan any, 1)
	waiting := false
	select {
	case h.approvals <- struct{}{}:
		waiting = true
		h.callbacks.Go(func() {
			defer func() {
				<-h.approvals
				if p := recover(); p != nil {
					threw <- p
				}
			}()
			answer <- approve(ctx, r)
		})
	case m := <-next:
		next <- m
		return Decision{}, errors.New("the client left")
	case <-ctx.Done():
	}
	if waiting {
		select {
		case d := <-answer:
			if !d.Approved {
				reason := d.Reason
				if reason == "" {
					reason = "the host refused"
				}
				return d, refuse("refused", reason)
			}
			return d, nil
		case p := <-threw:
			h.Log.Error("approval failed", "err", p)
			return Decision{}, refuse("approval_error", "the host could not decide")
		case m := <-next:
			next <- m
			return Decision{}, errors.New("the client left")
		case <-ctx.Done():
		}
	}
	if h.ctx.Err() != nil {
		return Decision{}, refuse("host_stopping", "the host is stopping")
	}
	return Decision{}, refuse("approval_timeout", "the host did not answer in time")
}

// tries counts wrong passwords and codes by address.
type tries struct{ by map[netip.Prefix]*try }

type try struct {
	wrong int
	since time.Time
	until time.Time // blocked
}

const (
	triesAllowed  = 3 // a minute
	triesWindow   = time.Minute
	triesBlocked  = time.Minute
	triesRemember = 4096 // addresses
)

func (t *tries) blocked(key netip.Prefix, now time.Time) time.Duration {
	if one := t.by[key]; one != nil && now.Before(one.until) {
		return one.until.Sub(now)
	}
	return 0
}

func (t *tries) wrong(key netip.Prefix, now time.Time) {
	if t.by == nil {
		t.by = map[netip.Prefix]*try{}
	}
	for k, one := range t.by {
		if now.Sub(one.since) > triesWindow && now.After(one.until) || len(t.by) > triesRemember {
			delete(t.by, k)
		}
	}
	one := t.by[key]
	if one == nil {
		one = &try{since: now}
		t.by[key] = one
	}
	if one.wrong++; one.wrong >= triesAllowed {
		one.wrong, one.until = 0, now.Add(triesBlocked)
	}
}
