package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/session/sessiontest"
	"conch/session/wire"
)

// world is a host with clients in virtual time. Everything happens in steps of 10 ms: time passes, then each node that
// is not asleep gets its Update.
type world struct {
	*testing.T
	host    *Host
	log     *logLines
	nodes   []*node
	clients int
	mu      sync.Mutex
	delay   func() time.Duration
}

// node records the events of a host or a client.
type node struct {
	w      *world
	c      *Client
	events []Event
	on     func(Event)
	asleep bool
	conn   *sessiontest.Conn // its end of the latest connection
	away   bool              // cannot dial
}

// inWorld runs a test with a host in a bubble of virtual time.
func inWorld(t *testing.T, set func(*Host), test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t, log: &logLines{}}
		w.startHost(set)
		defer w.close()
		test(w)
	})
}

func (w *world) startHost(set func(*Host)) {
	n := &node{w: w}
	w.host = &Host{Handle: n.handle, Open: true, Log: slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	if set != nil {
		set(w.host)
	}
	if len(w.nodes) == 0 {
		w.nodes = append(w.nodes, n)
	} else {
		w.nodes[0] = n
	}
	if err := w.host.Start("skiff", "friday", "1.0", NoPort); err != nil {
		w.Fatal(err)
	}
}

func (w *world) close() {
	for _, n := range w.nodes[1:] {
		n.c.Close()
	}
	w.host.Close()
	synctest.Wait()
	time.Sleep(time.Second) // the last timers
}

func (n *node) handle(e Event) {
	n.events = append(n.events, e)
	if n.on != nil {
		n.on(e)
	}
}

func request() JoinRequest {
	return JoinRequest{ProjectID: "skiff", BuildHash: "1.0", PlayerName: "Ada"}
}

// join starts a client with an address of its own.
func (w *world) join(set func(*ClientOptions, *JoinRequest)) *node {
	w.Helper()
	w.clients++
	n := &node{w: w}
	addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 168, 1, byte(10 + w.clients)}), 40000)
	r := request()
	o := ClientOptions{Handle: n.handle, Log: w.host.Log, Dial: func(ctx context.Context, a Address) (Conn, error) { return n.dial(addr) }}
	if set != nil {
		set(&o, &r)
	}
	var err error
	if n.c, err = Join(o, r, "192.168.1.1"); err != nil {
		w.Fatal(err)
	}
	w.nodes = append(w.nodes, n)
	return n
}

func (n *node) dial(addr netip.AddrPort) (Conn, error) {
	n.w.mu.Lock()
	defer n.w.mu.Unlock()
	if n.away {
		return nil, errors.New("no route to host")
	}
	client, host := sessiontest.Pair(sessiontest.Options{Client: addr, Delay: n.w.delay})
	n.conn = client
	if err := n.w.host.Accept(host); err != nil {
		return nil, err
	}
	return client, nil
}

// setAway makes dialling fail, or work again.
func (n *node) setAway(away bool) {
	n.w.mu.Lock()
	defer n.w.mu.Unlock()
	n.away = away
}

// link is the client's end of its latest connection.
func (n *node) link() *sessiontest.Conn {
	n.w.mu.Lock()
	defer n.w.mu.Unlock()
	return n.conn
}

// joined is join, and waits until it is in.
func (w *world) joined(set func(*ClientOptions, *JoinRequest)) *node {
	w.Helper()
	n := w.join(set)
	w.pass(200 * time.Millisecond)
	if !n.c.IsActive() {
		w.Fatalf("client has not joined: %v\n%s", n.names(), w.log)
	}
	return n
}

func (n *node) id() uint64 { return n.c.LocalID() }

// pass lets time pass.
func (w *world) pass(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
		w.update()
	}
}

func (w *world) update() {
	for i, n := range w.nodes {
		switch {
		case n.asleep:
		case i == 0:
			w.host.Update(0.01)
		default:
			n.c.Update(0.01)
		}
	}
}

// until lets time pass until done, at most d.
func (w *world) until(d time.Duration, what string, done func() bool) {
	w.Helper()
	for end := time.Now().Add(d); !done(); {
		if time.Now().After(end) {
			w.Fatalf("not in %v: %s\n%s", d, what, w.story())
		}
		w.pass(10 * time.Millisecond)
	}
}

// names are the events so far, each as its name and its numbers and reasons.
func (n *node) names() []string {
	var all []string
	for _, e := range n.events {
		all = append(all, describe(e))
	}
	return all
}

func describe(e Event) string {
	s := eventName(e)
	v := reflect.ValueOf(e)
	for i := range v.NumField() {
		switch f := v.Field(i).Interface().(type) {
		case uint64:
			s += fmt.Sprintf(" %d", f)
		case string:
			s += " " + f
		case PeerInfo:
			s += fmt.Sprintf(" %d", f.ID)
		}
	}
	return s
}

// want checks the events so far and forgets them.
func (n *node) want(want ...string) {
	n.w.Helper()
	if got := n.names(); !slices.Equal(got, want) {
		n.w.Errorf("events:\n got %s\nwant %s", strings.Join(got, ", "), strings.Join(want, ", "))
	}
	n.events = nil
}

// count is how many events so far begin with prefix.
func (n *node) count(prefix string) int {
	count := 0
	for _, s := range n.names() {
		if strings.HasPrefix(s, prefix) {
			count++
		}
	}
	return count
}

func (n *node) forget() { n.events = nil }

// first is where the first event that begins with prefix stands, or -1.
func (n *node) first(prefix string) int {
	return slices.IndexFunc(n.names(), func(s string) bool { return strings.HasPrefix(s, prefix) })
}

func (w *world) hostNode() *node { return w.nodes[0] }

func (w *world) story() string {
	var b strings.Builder
	for i, n := range w.nodes {
		fmt.Fprintf(&b, "node %d: %s\n", i, strings.Join(n.names(), ", "))
	}
	return b.String() + w.log.String()
}

// result is the outcome of an op that is done.
func result[T any](w *world, op *Op[T]) (T, error) {
	w.Helper()
	select {
	case <-op.Done():
	default:
		w.Errorf("the call is not done")
	}
	return op.Result()
}

func done[T any](op *Op[T]) bool {
	select {
	case <-op.Done():
		return true
	default:
		return false
	}
}

type logLines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// rawPeer speaks frames by hand.
type rawPeer struct {
	w     *world
	conn  *sessiontest.Conn
	mu    sync.Mutex
	got   []wire.Frame
	err   error
	ended bool
}

// raw connects a peer that does only what the test says. It reads everything unless deaf.
func (w *world) raw(addr string, deaf bool) *rawPeer {
	client, host := sessiontest.Pair(sessiontest.Options{Client: netip.MustParseAddrPort(addr)})
	p := &rawPeer{w: w, conn: client}
	if err := w.host.Accept(host); err != nil {
		p.ended, p.err = true, err
		return p
	}
	if !deaf {
		go p.listen()
	}
	return p
}

func (p *rawPeer) listen() {
	for {
		b, err := p.conn.Read()
		var frames []wire.Frame
		if err == nil {
			frames, err = wire.Decode(b)
		}
		p.mu.Lock()
		p.got = append(p.got, frames...)
		if err != nil {
			p.err, p.ended = err, true
			p.mu.Unlock()
			p.conn.CloseNow()
			return
		}
		p.mu.Unlock()
	}
}

func (p *rawPeer) send(frames ...wire.Frame) {
	var b []byte
	for _, f := range frames {
		b = wire.Append(b, f)
	}
	p.conn.Write(b)
}

func (p *rawPeer) over() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

// frame is the last frame of a type that came; nil when none did.
func frame[F wire.Frame](p *rawPeer) F {
	p.mu.Lock()
	defer p.mu.Unlock()
	var last F
	for _, f := range p.got {
		if f, ok := f.(F); ok {
			last = f
		}
	}
	return last
}

func frames[F wire.Frame](p *rawPeer) []F {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []F
	for _, f := range p.got {
		if f, ok := f.(F); ok {
			all = append(all, f)
		}
	}
	return all
}

func (p *rawPeer) hello() wire.Hello {
	h := wire.Hello{MinVersion: 1, MaxVersion: 1, Nonce: [16]byte{1}}
	h.Project = wire.ClientProject(h.Nonce, "skiff")
	return h
}

// welcomed goes through the handshake.
func (p *rawPeer) welcomed() *wire.Welcome {
	p.w.Helper()
	h := p.hello()
	p.send(&h)
	p.w.pass(20 * time.Millisecond)
	p.send(&wire.Auth{Build: "1.0", Name: "raw"})
	p.w.pass(50 * time.Millisecond)
	w := frame[*wire.Welcome](p)
	if w == nil {
		p.w.Fatalf("no welcome: %v %v", p.got, p.err)
	}
	return w
}

func (p *rawPeer) close() { p.conn.CloseNow() }

func pair() (client, host *sessiontest.Conn) { return sessiontest.Pair(sessiontest.Options{}) }

// newDice throws numbers below n, the same for the same seed.
func newDice(seed uint64) func(n int) int {
	var mu sync.Mutex
	r := rand.New(rand.NewPCG(seed, 7))
	return func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return r.IntN(n)
	}
}
