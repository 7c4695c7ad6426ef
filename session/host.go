package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"conch/session/wire"
)

// Ports for Start.
const (
	DefaultPort = -1    // FirstPort, the nine after it, or any free one
	AnyPort     = 0     // any free one
	FirstPort   = 24642 // what players type when they leave the port out
	NoPort      = -2    // no listener: peers come through Accept alone
)

// Host is the session host: the authority over one session, for the time of one session. Set the fields before Start.
// All methods may be called from any goroutine and from handlers; Update is for one goroutine.
type Host struct {
	// Handle gets the events, in Update.
	Handle func(Event)
	// Approve decides about a join request that passed all other checks, on a goroutine of its own. It must return when
	// ctx ends: the client left, 10 s are over, or the host stops. A panic refuses. nil lets everyone in.
	Approve func(ctx context.Context, r ApprovalRequest) Decision
	// LoadScene loads a scene for the host, on a goroutine of its own. ctx ends when another transition replaces this
	// one. nil: the host has nothing to load.
	LoadScene func(ctx context.Context, l SceneLoad) error

	Address       string        // where to listen; "" means 127.0.0.1
	Dedicated     bool          // no player at the host
	MaxPeers      int           // 0 means 16
	MaxPerAddress int           // connections from one address; 0 means 8
	Password      string        // asked of those who join
	Code          string        // asked when there is no password; "" makes one
	Open          bool          // ask nothing when there is no password
	AnyBuild      bool          // other builds may join too; Approve can look at BuildMatches
	AllowedHosts  []string      // host:port values of the Host header beyond our own, for a host behind a proxy or NAT
	Origins       []string      // web pages, as scheme://host[:port], that may connect beyond our own
	MaxArgs       int           // bytes of a call's arguments; 0 means 64 KiB, at most 256 KiB
	TickHz        int           // state updates a second; 0 means 20, at most 60
	SceneDeadline time.Duration // how long a transition waits for its peers; 0 means 30 s
	// KeepOnLoadFailure keeps peers whose scene failed to load; otherwise they are disconnected.
	KeepOnLoadFailure bool
	Rates             Rates
	Restart           *Store // remembers the session for a restart of this program; nil: not
	Debug             bool   // 30 times the patience with silent peers, for breakpoints
	Log               *slog.Logger

	project, session, build string
	key, salt               []byte
	need                    byte
	code                    string
	started                 time.Time
	epoch                   int64 // microseconds since 1970 at started
	queue                   *queue
	handlers                handlers
	updating                atomic.Bool
	ctx                     context.Context // ends when the host stops
	cancel                  context.CancelFunc
	stopping                chan struct{}
	done                    chan struct{}  // everything has ended
	connections             sync.WaitGroup // of serve and the writers
	callbacks               sync.WaitGroup // of Approve and LoadScene
	approvals               chan struct{}  // how many may be undecided
	listening               listening

	mu         sync.Mutex
	phase      phase
	authority  bool
	peers      map[uint64]*peer
	gone       map[uint64]goneInfo
	tokens     map[tokenKey]*peer
	nextID     uint64
	pending    int
	pendingBy  map[netip.Prefix]int
	tries      tries
	sockets    int
	socketsBy  map[netip.Prefix]int
	accepts    bucket
	acceptsBy  map[netip.Prefix]*bucket
	state      hostState
	scenes     hostScenes
	shownScene SceneInstance
	lastTick   time.Time
	lastCheck  time.Time
	lastSave   time.Time
	saving     bool
	savedState uint64 // its version
	restorable map[tokenKey]savedPeer
	restored   bool
}

type phase int

const (
	phaseNew phase = iota
	phaseActive
	phaseStopping
	phaseStopped
)

type goneInfo struct {
	info  PeerInfo
	state *entity
}

// Rates hold peers back. Zero fields mean the defaults.
type Rates struct {
	Frames, FramesBurst int // 120, 240 frames a second
	Bytes, BytesBurst   int // 256 KiB, 512 KiB a second
	Calls, CallsBurst   int // 60, 120 RPC a second
}

// ApprovalRequest is what Approve decides about.
type ApprovalRequest struct {
	ID           uint64 // the connection id it will have
	Build        string
	BuildMatches bool
	Name         string
	Kind         Kind
	Spectator    bool
	UserData     []byte
	Addr         netip.Addr
}

// Decision is the answer. The zero value refuses.
type Decision struct {
	Approved    bool
	Reason      string         // told to the client when refused
	Role        Role           // "" means what was asked for
	PlayerState map[string]any // the first PlayerState
}

// Start opens the session. The port is bound when it returns; SessionStarted comes with the next Update. A Host is started
// once: another session is another Host, with a fresh clock, ids and tokens.
func (h *Host) Start(projectID, sessionID, buildHash string, port int) error {
	if err := errors.Join(CheckID("project", projectID), CheckID("session", sessionID), CheckID("build", buildHash)); err != nil {
		return err
	}
	if port < NoPort || port > 65535 {
		return fmt.Errorf("port %d: want 0 to 65535", port)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.phase != phaseNew {
		return ErrStarted
	}
	if err := h.prepareLocked(projectID, sessionID, buildHash); err != nil {
		return err
	}
	if port != NoPort {
		if err := h.listenLocked(port); err != nil {
			h.cancel()
			return err
		}
	}
	h.phase, h.authority = phaseActive, true
	h.restoreLocked()
	h.queue.push(item{event: SessionStarted{}})
	go h.run()
	return nil
}

func (h *Host) prepareLocked(project, session, build string) error {
	h.project, h.session, h.build = project, session, build
	if h.Log == nil {
		h.Log = slog.New(slog.DiscardHandler)
	}
	secret := h.Password
	switch {
	case secret != "":
		h.need = wire.NeedPassword
	case !h.Open:
		if h.code = h.Code; h.code == "" {
			h.code = NewCode()
		}
		if h.need, secret = wire.NeedCode, plainCode(h.code); len(secret) < minCode {
			return fmt.Errorf("join code %q: want at least %d letters or digits", h.code, minCode)
		}
	}
	if h.need != wire.NeedNothing {
		salt := newToken()
		key, err := wire.Key(secret, salt[:], keyIterations)
		if err != nil {
			return err
		}
		h.key, h.salt = key, salt[:]
	}
	h.setDefaults()
	now := time.Now()
	h.started, h.epoch = now, now.UnixMicro()
	h.lastTick, h.lastCheck, h.lastSave = now, now, now
	h.queue = newQueue()
	h.ctx, h.cancel = context.WithCancel(context.Background())
	h.stopping, h.done = make(chan struct{}), make(chan struct{})
	h.approvals = make(chan struct{}, max(4, h.MaxPeers/4))
	h.peers, h.gone = map[uint64]*peer{}, map[uint64]goneInfo{}
	h.tokens = map[tokenKey]*peer{}
	h.nextID = HostID + 1
	h.pendingBy, h.socketsBy = map[netip.Prefix]int{}, map[netip.Prefix]int{}
	h.accepts, h.acceptsBy = newBucket(acceptRate, acceptRate, now), map[netip.Prefix]*bucket{}
	h.state = newHostState(h)
	return nil
}

func (h *Host) setDefaults() {
	set := func(v *int, most, usual int) {
		if *v <= 0 {
			*v = usual
		}
		*v = min(*v, most)
	}
	const any = 1 << 30
	set(&h.MaxPeers, 2000, 16)
	set(&h.MaxPerAddress, any, 8)
	set(&h.MaxArgs, wire.MaxArgs, defaultArgs)
	set(&h.TickHz, 60, 20)
	set(&h.Rates.Frames, any, 120)
	set(&h.Rates.FramesBurst, any, 240)
	set(&h.Rates.Bytes, any, 256<<10)
	set(&h.Rates.BytesBurst, any, 512<<10)
	set(&h.Rates.Calls, any, 60)
	set(&h.Rates.CallsBurst, any, 120)
	if h.SceneDeadline <= 0 {
		h.SceneDeadline = sceneDeadline
	}
}

// patience is d, or more of it while the author debugs.
func (h *Host) patience(d time.Duration) time.Duration {
	if h.Debug {
		return 30 * d
	}
	return d
}

// Stop ends the session: those who join are refused, peers hear it, and then HostPeerDisconnected for each and
// SessionStopped come. It returns at once and may be called in any state, also twice.
func (h *Host) Stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.phase != phaseActive {
		return
	}
	h.phase = phaseStopping
	h.queue.discard()
	close(h.stopping)
}

// Close is Stop, and waits for everything to end. It must not be called from a handler or callback.
func (h *Host) Close() {
	h.Stop()
	h.mu.Lock()
	started := h.phase != phaseNew
	h.mu.Unlock()
	if started {
		<-h.done
		h.callbacks.Wait()
	}
}

// Done is closed when the session has stopped and all its goroutines have ended, but for callbacks that still run.
func (h *Host) Done() <-chan struct{} { return h.done }

// IsActive is true from Start to Stop.
func (h *Host) IsActive() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.phase == phaseActive
}

// IsAuthority is true from Start until SessionStopped was handled.
func (h *Host) IsAuthority() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.authority
}

// LocalID is HostID while the session is active, then 0.
func (h *Host) LocalID() uint64 {
	if h.IsActive() {
		return HostID
	}
	return 0
}

// LocalRole is RoleAuthority as long as IsAuthority.
func (h *Host) LocalRole() Role {
	if h.IsAuthority() {
		return RoleAuthority
	}
	return RoleNone
}

// Mode is ModeHost or ModeDedicated as long as IsAuthority.
func (h *Host) Mode() Mode {
	switch {
	case !h.IsAuthority():
		return ModeNone
	case h.Dedicated:
		return ModeDedicated
	}
	return ModeHost
}

// SessionID is the id given to Start; "" when the session is not active.
func (h *Host) SessionID() string {
	if h.IsActive() {
		return h.session
	}
	return ""
}

// JoinCode is what players type to join; "" when there is a password or nothing is asked.
func (h *Host) JoinCode() string { return h.code }

// ServerTime is the session's clock: wall clock at the start plus monotonic time.
func (h *Host) ServerTime() time.Time {
	if h.started.IsZero() {
		return time.Now()
	}
	return time.UnixMicro(h.micros(time.Now()))
}

func (h *Host) micros(now time.Time) int64 { return h.epoch + now.Sub(h.started).Microseconds() }

// ActiveScene is the scene whose activation was handled last; the zero value before, and during a transition that keeps nothing.
func (h *Host) ActiveScene() SceneInstance {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.shownScene
}

// Peers are the peers by id, with those that may still resume, without the host and without those not let in.
func (h *Host) Peers() []PeerInfo {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []PeerInfo
	for _, p := range h.sortedLocked() {
		all = append(all, h.infoLocked(p))
	}
	return all
}

// PeerCount is how many there are in Peers.
func (h *Host) PeerCount() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.peers)
}

// Peer tells about one peer; the zero value when there is none.
func (h *Host) Peer(id uint64) PeerInfo {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p := h.peers[id]; p != nil {
		return h.infoLocked(p)
	}
	return h.gone[id].info
}

// SetApprove replaces Approve, for requests that were not handed over yet.
func (h *Host) SetApprove(f func(context.Context, ApprovalRequest) Decision) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.Approve = f
}

func (h *Host) sortedLocked() []*peer {
	all := make([]*peer, 0, len(h.peers))
	for _, p := range h.peers {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *peer) int { return int(a.id) - int(b.id) })
	return all
}

// shutdown runs when the host stops.
func (h *Host) shutdown() {
	h.mu.Lock()
	h.cancel()
	peers := h.sortedLocked()
	for _, p := range peers {
		if p.link != nil {
			p.link.finish(CloseHostStopped, "host_stopped", wire.Append(nil, &wire.Bye{Code: "host_stopped", Text: "the host stopped the session"}))
		}
		h.failCallsLocked(p, StatusUnknown, ErrNotActive)
	}
	h.mu.Unlock()
	h.listening.close()
	h.connections.Wait()
	h.forget()

	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range peers {
		if h.peers[p.id] != p {
			continue // left meanwhile
		}
		info := h.infoLocked(p)
		info.State = PeerGone
		delete(h.peers, p.id)
		h.pushGoneLocked(p, goneInfo{info, h.state.entities[wire.PlayerTarget(p.id)]}, "host_stopped")
	}
	h.phase = phaseStopped
	h.queue.push(item{event: SessionStopped{"local_stop"}, keep: true, before: func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.authority, h.shownScene = false, SceneInstance{}
	}})
	close(h.done)
}

var _ http.Handler = (*Host)(nil)

// Addr is where the host listens first; nil without a listener.
func (h *Host) Addr() net.Addr { return h.listening.addr() }

// Port is the TCP port; 0 when the host does not listen.
func (h *Host) Port() int {
	if a, ok := h.Addr().(*net.TCPAddr); ok && h.IsActive() {
		return a.Port
	}
	return 0
}
