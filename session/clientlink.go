package session

import (
	"context"
	"crypto/hmac"
	"errors"
	"fmt"
	"time"

	"conch/session/wire"
)

const (
	clientTick     = 50 * time.Millisecond
	clientBurst    = 8 // pings after a welcome
	clockStall     = 5 * time.Second
	resumeAttempt  = 5 * time.Second
	resumeFirstTry = 100 * time.Millisecond
	resumeMostWait = 2 * time.Second
)

// joinError is a reason of ClientJoinFailed.
type joinError struct {
	code, text string
	err        error
}

func (e *joinError) Error() string {
	switch e.code {
	case "refused", "build_mismatch":
		return e.code + ": " + e.text
	}
	return e.code
}

func (e *joinError) Unwrap() error { return e.err }

// run is the client's life: connect, read, and connect again as long as the seat may be kept.
func (c *Client) run() {
	defer close(c.done)
	defer c.links.Wait()
	defer c.cancel()
	ctx, cancel := context.WithTimeout(c.ctx, c.request.Timeout)
	in, err := c.connect(ctx, nil)
	cancel()
	if err != nil {
		c.o.Log.Info("join failed", "reason", err.Error(), "err", errors.Unwrap(err))
		reason := "local_stop"
		if c.ctx.Err() == nil {
			reason = err.Error()
		}
		c.end(reason)
		return
	}
	c.links.Go(c.tickLoop)
	for {
		reason, final := c.read(in)
		if final {
			c.over(reason)
			return
		}
		if in, reason = c.reconnect(); in == nil {
			c.over(reason)
			return
		}
	}
}

// over ends what waits for the host.
func (c *Client) over(reason string) {
	c.mu.Lock()
	if c.stopped {
		reason = "local_stop"
	}
	if c.phase == clientActive {
		c.phase = clientStopping
	}
	c.failCallsLocked(StatusUnknown, ErrNotActive)
	c.mu.Unlock()
	c.end(reason)
}

// inbox splits messages into frames.
type inbox struct {
	conn Conn
	link *link
	rest []byte
}

// next is the next frame; those that may be skipped are.
func (in *inbox) next() (wire.Frame, error) {
	for {
		for len(in.rest) == 0 {
			b, err := in.conn.Read()
			if err != nil {
				return nil, err
			}
			if len(b) == 0 {
				return nil, wire.ErrTruncated
			}
			in.rest = b
		}
		raw, rest, err := wire.Next(in.rest)
		if err != nil {
			return nil, err
		}
		in.rest = rest
		if f, err := raw.Parse(); f != nil || err != nil {
			return f, err
		}
	}
}

// connect dials and joins, or resumes when token is set.
func (c *Client) connect(ctx context.Context, token []byte) (*inbox, error) {
	conn, err := c.o.Dial(ctx, c.address)
	if err != nil {
		return nil, c.reason(ctx, "unreachable", err)
	}
	stop := context.AfterFunc(ctx, conn.CloseNow)
	in := &inbox{conn: conn}
	w, err := c.handshake(ctx, in, token)
	if !stop() && err == nil {
		err = c.reason(ctx, "timeout", ctx.Err())
	}
	if err != nil {
		conn.CloseNow()
		return nil, err
	}
	if !c.attach(in, w) {
		conn.CloseNow()
		return nil, c.reason(c.ctx, "cancelled", nil)
	}
	return in, nil
}

// reason is the code of a failure, or of the deadline that caused it.
func (c *Client) reason(ctx context.Context, code string, err error) error {
	switch {
	case c.ctx.Err() != nil:
		code = "cancelled"
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		code = "timeout"
	}
	return &joinError{code: code, err: err}
}

func (c *Client) handshake(ctx context.Context, in *inbox, token []byte) (*wire.Welcome, error) {
	lost := func(err error) error {
		if code := closeCode(err); code == CloseHostStopped {
			return &joinError{code: "host_stopping", err: err}
		}
		return c.reason(ctx, "unreachable", err)
	}
	notHost := func(err error) error { return c.reason(ctx, "not_a_host", err) }
	project := c.request.ProjectID
	hello := wire.Hello{MinVersion: wire.Version, MaxVersion: wire.Version, Nonce: newToken()}
	hello.Project = wire.ClientProject(hello.Nonce, project)
	if err := in.conn.Write(wire.Append(nil, &hello)); err != nil {
		return nil, lost(err)
	}
	f, err := in.next()
	if err != nil {
		return nil, lost(err)
	}
	challenge, ok := f.(*wire.Challenge)
	if !ok {
		return nil, rejected(f, notHost)
	}
	want := wire.HostProject(hello.Nonce, challenge.Nonce, project)
	if !hmac.Equal(challenge.Project[:], want[:]) || challenge.Version != wire.Version {
		return nil, notHost(errors.New("the challenge is not from a host of this project"))
	}
	auth := wire.Auth{Resume: token}
	var key []byte
	if token != nil {
		auth.Loaded = c.loaded()
	} else {
		if key, err = c.key(challenge); err != nil {
			return nil, notHost(err)
		}
		c.fill(&auth)
		if key != nil {
			auth.Proof = wire.ClientProof(key, hello.Nonce, challenge.Nonce, project)
		}
	}
	if err := in.conn.Write(wire.Append(nil, &auth)); err != nil {
		return nil, lost(err)
	}
	if f, err = in.next(); err != nil {
		return nil, lost(err)
	}
	w, ok := f.(*wire.Welcome)
	if !ok {
		return nil, rejected(f, notHost)
	}
	if key != nil && !hmac.Equal(w.Proof, wire.HostProof(key, hello.Nonce, challenge.Nonce, project)) {
		return nil, notHost(errors.New("the host does not know the password"))
	}
	return w, nil
}

func rejected(f wire.Frame, notHost func(error) error) error {
	if r, ok := f.(*wire.Reject); ok {
		return &joinError{code: r.Code, text: r.Text, err: errors.New(r.Text)}
	}
	return notHost(fmt.Errorf("frame %d out of order", f.Type()))
}

func (c *Client) fill(a *wire.Auth) {
	r := c.request
	a.Build, a.Session, a.Name, a.Spectator, a.UserData = r.BuildHash, r.SessionID, cleanName(r.PlayerName), r.Spectator, r.UserData
	for i, k := range kinds {
		if k == c.o.Kind {
			a.Kind = byte(i)
		}
	}
}

// key is made of what the player typed, if the host needs anything.
func (c *Client) key(ch *wire.Challenge) ([]byte, error) {
	secret := ""
	switch ch.Need {
	case wire.NeedNothing:
		return nil, nil
	case wire.NeedPassword:
		secret = c.request.Password
	case wire.NeedCode:
		secret = plainCode(c.request.JoinCode)
	default:
		return nil, fmt.Errorf("the host needs %d", ch.Need)
	}
	if ch.Iterations == 0 || ch.Iterations > maxIterations {
		return nil, fmt.Errorf("%d iterations", ch.Iterations)
	}
	return wire.Key(secret, ch.Salt, int(ch.Iterations))
}

// attach makes a welcomed connection the client's.
func (c *Client) attach(in *inbox, w *wire.Welcome) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return false
	}
	now := time.Now()
	in.link = newLink(in.conn)
	c.link, c.welcome, c.heard, c.bye = in.link, *w, now, nil
	c.assembly = assembly{}
	c.clock.Reset()
	c.burst, c.pinged = clientBurst, time.Time{}
	l := in.link
	c.links.Go(func() { l.run(c.done) })
	for _, o := range c.withheld {
		c.startLocked(o)
	}
	c.withheld = nil
	return true
}

// read handles frames until the connection ends, and says why and whether that is final.
func (c *Client) read(in *inbox) (reason string, final bool) {
	for {
		f, err := in.next()
		if err == nil {
			err = c.frame(in.link, f)
		}
		if err != nil {
			return c.lost(in, err)
		}
	}
}

var errOutOfPlace = errors.New("a host does not send this frame")

// lost ends a connection.
func (c *Client) lost(in *inbox, err error) (reason string, final bool) {
	code := closeCode(err)
	for _, wrong := range []error{wire.ErrTruncated, wire.ErrUnknown, wire.ErrFlags, wire.ErrVaruint, wire.ErrTooLong, wire.ErrText,
		wire.ErrBool, wire.ErrValue, errOutOfPlace} {
		if errors.Is(err, wrong) {
			code = CloseProtocol
			in.link.finish(code, "protocol_error", wire.Append(nil, &wire.Bye{Code: "protocol_error", Text: cut(err.Error(), wire.MaxText)}))
			in.conn.Read() // until the other side has read it, or half a second
		}
	}
	in.link.finish(0, "", nil)
	in.conn.CloseNow()
	<-in.link.done
	c.mu.Lock()
	defer c.mu.Unlock()
	c.link = nil
	c.failCallsLocked(StatusUnknown, nil)
	if c.stopped {
		return "local_stop", true
	}
	if c.bye != nil {
		code = byeCloses[c.bye.Code]
	}
	if resumable(code) {
		c.o.Log.Info("connection to the host lost", "err", err)
		c.queue.push(item{event: ClientConnectionLost{}})
		return "", false
	}
	return endReason(code, c.bye), true
}

// byeCloses are the closes that belong to a Bye.
var byeCloses = map[string]int{"host_stopped": CloseHostStopped, "kicked": CloseKicked, "timeout": CloseTimeout,
	"slow_consumer": CloseSlowConsumer, "replaced": CloseReplaced, "rate_limited": CloseRateLimited, "protocol_error": CloseProtocol,
	"scene_load_failed": CloseScene, "scene_load_timeout": CloseScene, "left": CloseBye}

func endReason(code int, bye *wire.Bye) string {
	switch {
	case bye != nil && bye.Text != "" && code != CloseHostStopped && code != CloseReplaced && code != CloseRateLimited:
		return bye.Code + ": " + bye.Text
	case bye != nil && bye.Code != "":
		return bye.Code
	}
	for name, c := range byeCloses {
		if c == code && code != CloseScene {
			return name
		}
	}
	return "connection_lost"
}

// reconnect tries to get the seat back; a nil inbox means that it is gone.
func (c *Client) reconnect() (*inbox, string) {
	c.mu.Lock()
	window := time.Duration(c.welcome.Limits.ResumeMillis) * time.Millisecond
	token := c.welcome.Token
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(c.ctx, window)
	defer cancel()
	for pause := resumeFirstTry; ; pause = min(2*pause, resumeMostWait) {
		attempt, done := context.WithTimeout(ctx, resumeAttempt)
		in, err := c.connect(attempt, token[:])
		done()
		if err == nil {
			c.queue.push(item{event: ClientConnectionResumed{}})
			return in, ""
		}
		var j *joinError
		switch errors.As(err, &j); j.code {
		case "host_stopping":
			return nil, "host_stopped"
		case "unreachable", "timeout", "rate_limited":
		default:
			return nil, "connection_lost"
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, "connection_lost"
		}
	}
}

func (c *Client) tickLoop() {
	tick := time.NewTicker(clientTick)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			c.tick(time.Now())
		case <-c.ctx.Done():
			return
		}
	}
}

func (c *Client) tick(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if gap := now.Sub(c.lastTick); gap > clockStall { // this program stood still: what was measured means nothing
		c.clock.Reset()
		c.burst = clientBurst
		c.heard = c.heard.Add(gap)
	}
	c.lastTick = now
	c.expireCallsLocked(now)
	if c.link == nil {
		return
	}
	silence := time.Duration(c.welcome.Limits.TimeoutMillis) * time.Millisecond
	if c.o.Debug {
		silence *= 30
	}
	if silence > 0 && now.Sub(c.heard) > silence {
		c.link.conn.CloseNow() // reading ends, and resuming begins
		return
	}
	if c.burst > 0 || now.Sub(c.pinged) >= pingEvery {
		c.burst = max(0, c.burst-1)
		c.pinged = now
		c.pingSeq++
		t0 := now.Sub(c.base)
		c.pings[c.pingSeq] = t0
		delete(c.pings, c.pingSeq-16)
		c.sendLocked(&wire.Ping{Seq: c.pingSeq, T0: uint64(t0.Microseconds())})
	}
}

func (c *Client) sendLocked(f wire.Frame) {
	if c.link != nil && !c.link.send(wire.Append(nil, f)) {
		c.link.conn.CloseNow() // the host does not read
	}
}

// frame handles one frame, or queues it for Update.
func (c *Client) frame(l *link, f wire.Frame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.heard = now
	switch f := f.(type) {
	case *wire.Ping:
		t := uint64(now.Sub(c.base).Microseconds())
		c.sendLocked(&wire.Pong{Seq: f.Seq, T0: f.T0, T1: t, T2: t})
	case *wire.Pong:
		c.pongLocked(f, now)
	case *wire.Bye:
		c.bye = f
	case *wire.Result:
		c.resultLocked(f, now)
	case *wire.Load:
		c.queue.push(item{run: func() { c.applyLoad(f) }})
	case *wire.Activate:
		c.queue.push(item{run: func() { c.applyActivate(f.Transition) }})
	case *wire.RPC:
		c.callLocked(l, f, HostID)
	case *wire.Relayed:
		c.callLocked(l, &wire.RPC{Object: f.Object, Name: f.Name, Args: f.Args}, f.From)
	default:
		return c.stateFrameLocked(f)
	}
	return nil
}

func (c *Client) pongLocked(f *wire.Pong, now time.Time) {
	t0, ok := c.pings[f.Seq]
	if !ok {
		return
	}
	delete(c.pings, f.Seq)
	t1, t2 := time.Duration(f.T1)*time.Microsecond, time.Duration(f.T2)*time.Microsecond
	if _, stepped := c.clock.Sample(t0, t1, t2, now.Sub(c.base)); stepped {
		c.o.Log.Warn("the session's clock was set back")
	}
}
