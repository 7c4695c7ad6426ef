package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"conch/session/wire"
)

// ClientOptions of Join. The zero value works.
type ClientOptions struct {
	// Handle gets the events, in Update.
	Handle func(Event)
	Kind   Kind // what the host is told; "" means KindLauncher
	// Dial connects; nil means WebSocket.
	Dial func(ctx context.Context, a Address) (Conn, error)
	// Allow decides about each address that is about to be dialled; nil means PrivateOnly.
	Allow func(netip.AddrPort) error
	Debug bool // 30 times the patience with a silent host, for breakpoints
	Log   *slog.Logger
}

// JoinRequest says what to join and who joins.
type JoinRequest struct {
	ProjectID, BuildHash string
	SessionID            string // "" means any
	PlayerName           string
	Password, JoinCode   string
	Spectator            bool
	UserData             []byte        // at most 4 KiB
	Timeout              time.Duration // until the host has let us in: 1 s to 60 s; 0 means 10 s
}

// Client is a peer in somebody else's session, for the time of one session. All methods may be called from any goroutine
// and from handlers; Update is for one goroutine.
type Client struct {
	o        ClientOptions
	request  JoinRequest
	address  Address
	queue    *queue
	handlers handlers
	updating atomic.Bool
	base     time.Time // of the local clock
	ctx      context.Context
	cancel   context.CancelFunc
	done     chan struct{}
	links    sync.WaitGroup // the writers and the ticker

	mu         sync.Mutex
	phase      clientPhase
	stopped    bool // Stop was called
	link       *link
	welcome    wire.Welcome // the latest
	heard      time.Time
	pinged     time.Time
	burst      int // pings that are still to be sent quickly
	pingSeq    uint64
	pings      map[uint64]time.Duration
	clock      Clock
	lastTick   time.Time
	calls      map[uint64]*outgoing
	withheld   []*outgoing
	nextCall   uint64
	bye        *wire.Bye
	assembly   assembly
	overflowed bool
	state      clientState
	scene      clientScene
}

type clientPhase int

const (
	clientJoining clientPhase = iota
	clientActive
	clientStopping
	clientOver
)

// Join starts to join the session at address, as ParseAddress reads it. An error means that nothing was started; otherwise
// exactly one of SessionStarted and ClientJoinFailed comes.
func Join(o ClientOptions, r JoinRequest, address string) (*Client, error) {
	if err := errors.Join(CheckID("project", r.ProjectID), CheckID("build", r.BuildHash)); err != nil {
		return nil, err
	}
	if r.SessionID != "" {
		if err := CheckID("session", r.SessionID); err != nil {
			return nil, err
		}
	}
	if len(r.UserData) > wire.MaxUserData {
		return nil, fmt.Errorf("user data of %d bytes: %w", len(r.UserData), ErrTooLarge)
	}
	a, err := ParseAddress(address)
	if err != nil {
		return nil, err
	}
	if ip, err := netip.ParseAddr(a.Host); err == nil && o.Allow == nil {
		if err := PrivateOnly(netip.AddrPortFrom(ip.Unmap(), uint16(a.Port))); err != nil {
			return nil, err
		}
	}
	r.JoinCode = cmp.Or(r.JoinCode, a.Code)
	if r.Timeout <= 0 {
		r.Timeout = 10 * time.Second
	}
	r.Timeout = min(max(r.Timeout, time.Second), time.Minute)
	if o.Allow == nil {
		o.Allow = PrivateOnly
	}
	if o.Dial == nil {
		o.Dial = func(ctx context.Context, a Address) (Conn, error) { return dialSocket(ctx, a, o.Allow) }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	c := &Client{o: o, request: r, address: a, queue: newQueue(), base: time.Now(), done: make(chan struct{}), pings: map[uint64]time.Duration{},
		calls: map[uint64]*outgoing{}, lastTick: time.Now(), state: newClientState()}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	go c.run()
	return c, nil
}

// Stop leaves the session, or gives up joining. It returns at once and may be called in any state, also twice.
func (c *Client) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped || c.phase >= clientStopping {
		return
	}
	c.stopped = true
	c.queue.discard()
	if c.phase == clientActive {
		c.phase = clientStopping
	}
	if c.link != nil {
		c.link.finish(CloseBye, "left", wire.Append(nil, &wire.Bye{Code: "left"}))
		return // the end of the link ends the client
	}
	c.cancel()
}

// Close is Stop, and waits for everything to end. It must not be called from a handler.
func (c *Client) Close() {
	c.Stop()
	<-c.done
}

// Done is closed when all goroutines have ended.
func (c *Client) Done() <-chan struct{} { return c.done }

// Wake gets a token when there is something for Update.
func (c *Client) Wake() <-chan struct{} { return c.queue.wake }

// Update hands over what happened before this call, in order: state is applied here and nowhere else. Its argument, the
// seconds since the last call, is not used for any time of the session. A call from a handler does nothing.
func (c *Client) Update(float64) {
	if !c.updating.CompareAndSwap(false, true) {
		return
	}
	defer c.updating.Store(false)
	drain(c.queue, c.o.Handle, c.o.Log)
	c.emitChanges()
	c.recoverOverflow()
}

// emit hands over an event from inside Update.
func (c *Client) emit(e Event) { runItem(item{event: e}, c.o.Handle, c.o.Log) }

// IsActive is true from SessionStarted until the session ends, also while the connection is being resumed.
func (c *Client) IsActive() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.phase == clientActive
}

// IsAuthority is false: the host is.
func (c *Client) IsAuthority() bool { return false }

// LocalID is this client's connection id while it is active; a resume does not change it.
func (c *Client) LocalID() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase != clientActive {
		return 0
	}
	return c.welcome.ID
}

// LocalRole is player or spectator while the session is active.
func (c *Client) LocalRole() Role {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.phase != clientActive:
		return RoleNone
	case c.welcome.Role == wire.RoleSpectator:
		return RoleSpectator
	}
	return RolePlayer
}

// Mode is ModeClient from Join until ClientJoinFailed or SessionStopped was handled.
func (c *Client) Mode() Mode {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase == clientOver {
		return ModeNone
	}
	return ModeClient
}

// SessionID is the host's; "" when the session is not active.
func (c *Client) SessionID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase != clientActive {
		return ""
	}
	return c.welcome.Session
}

// Port is 0: only a host listens.
func (c *Client) Port() int { return 0 }

// PeerCount is 0: only the host knows the peers.
func (c *Client) PeerCount() int { return 0 }

// Peers is empty: only the host knows the peers.
func (c *Client) Peers() []PeerInfo { return nil }

// Peer is no peer: only the host knows them.
func (c *Client) Peer(uint64) PeerInfo { return PeerInfo{} }

// ServerTime is the estimate of the host's clock; this computer's before there is one.
func (c *Client) ServerTime() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.clock.Synced() {
		return time.Now()
	}
	return time.UnixMicro(c.clock.Now(time.Since(c.base)).Microseconds())
}

// RTT is the median round trip to the host.
func (c *Client) RTT() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	rtt, _ := c.clock.RTT()
	return rtt
}

// ActiveScene is the scene whose ClientSceneActivate is being or was handled last.
func (c *Client) ActiveScene() SceneInstance {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.scene.shown
}

// end tells the last event: which one depends on what the game has seen.
func (c *Client) end(reason string) {
	c.queue.push(item{keep: true, run: func() {
		c.mu.Lock()
		started := c.state.started
		c.phase = clientOver
		c.scene.shown = SceneInstance{}
		c.mu.Unlock()
		if started {
			c.emit(SessionStopped{reason})
			return
		}
		if reason == "local_stop" {
			reason = "cancelled"
		}
		c.emit(ClientJoinFailed{reason})
	}})
}
