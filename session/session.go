// Package session is the multiplayer session of a game: a Host that decides, and Clients that join it over WebSocket.
//
// The link is kept here and the game is kept by its owner. Heartbeats, deadlines, back-pressure, the clock, the scene
// barrier and replication run in goroutines of this package, whether or not anybody calls Update; Update only hands over
// what has happened since, in order, on the caller's goroutine. A program without a window calls it whenever Wake says
// so; a page calls it every frame.
//
//	h := &session.Host{Handle: func(e session.Event) { ... }}
//	if err := h.Start("skiff", "friday", "1.0", session.DefaultPort); err != nil { ... }
//	defer h.Close()
//	for range h.Wake() {
//		h.Update(0)
//	}
//
// docs/session.md maps the members of NetSessionManager to this package; docs/protocol.md is what goes over the wire.
package session

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"conch/session/wire"
)

// HostID is the connection id of the host. Clients have 2 and above, never used twice in a session; 0 is nobody.
const HostID = 1

// Node is what a Host and a Client have in common: one of them is what a game holds while it is in a session.
type Node interface {
	ActiveScene() SceneInstance
	IsActive() bool
	IsAuthority() bool
	LocalID() uint64
	LocalRole() Role
	Mode() Mode
	Peer(id uint64) PeerInfo
	PeerCount() int
	Peers() []PeerInfo
	Port() int
	ServerTime() time.Time
	SessionID() string

	GameState() State
	PlayerState(id uint64) State
	Objects() []Object
	Object(id uint64) (Object, bool)

	OnRPC(name string, f Handler)
	SendRPCToHost(name string, object uint64, args []byte) *Op[CallResult]
	SendRPCToConnection(name string, object uint64, args []byte, id uint64) *Op[CallResult]
	SendRPCToOwner(name string, object uint64, args []byte) *Op[CallResult]
	SendRPCMulticast(name string, object uint64, args []byte, ids []uint64) *Op[[]CallResult]

	Update(seconds float64)
	Wake() <-chan struct{}
	Stop()
	Close()
	Done() <-chan struct{}
}

var (
	_ Node = (*Host)(nil)
	_ Node = (*Client)(nil)
)

// Mode says what a node does in the session.
type Mode string

// The modes.
const (
	ModeNone      Mode = "none"
	ModeHost      Mode = "host"
	ModeDedicated Mode = "dedicated"
	ModeClient    Mode = "client"
)

// Role is the part a node plays.
type Role string

// The roles.
const (
	RoleNone      Role = "none"
	RoleAuthority Role = "authority"
	RolePlayer    Role = "player"
	RoleSpectator Role = "spectator"
)

// PeerState is where a peer is between joining and leaving.
type PeerState string

// The states of a peer.
const (
	PeerConnected    PeerState = "connected"    // let in, not yet in a scene
	PeerLoading      PeerState = "loading"      // was asked to load a scene
	PeerLoaded       PeerState = "loaded"       // has loaded it, waits for the others
	PeerActive       PeerState = "active"       // plays
	PeerStale        PeerState = "stale"        // was activated with the others though it still loads
	PeerReconnecting PeerState = "reconnecting" // its connection broke; its seat is kept
	PeerGone         PeerState = "gone"         // only while HostPeerDisconnected is handled
)

// Kind says what program a peer uses.
type Kind string

// The kinds of clients.
const (
	KindLauncher Kind = "launcher"
	KindBrowser  Kind = "browser"
	KindBot      Kind = "bot"
)

var kinds = []Kind{wire.KindLauncher: KindLauncher, wire.KindBrowser: KindBrowser, wire.KindBot: KindBot}

// Scene names a scene of the game.
type Scene struct{ UUID, Name string }

// SceneInstance is a scene that was loaded for a transition. The zero value is no scene.
type SceneInstance struct {
	InstanceID string
	Scene      Scene
	Transition uint64
}

// PeerInfo is what is known of a peer at one moment. The zero value is no peer.
type PeerInfo struct {
	Valid      bool
	ID         uint64
	State      PeerState
	Role       Role
	Name       string // at most 32 code points, no control characters
	Kind       Kind
	JoinedAt   time.Time
	RTT        time.Duration
	Jitter     time.Duration
	Transition uint64 // the last one it was activated in
	Addr       netip.Addr
	UserData   []byte // what its join request carried
	BytesIn    uint64
	BytesOut   uint64
	Queued     int    // bytes that wait to be sent
	Dropped    uint64 // calls without a result that it was not sent
}

// Status is the outcome of a call on one peer.
type Status = wire.Status

// The outcomes of calls.
const (
	StatusOK           = wire.StatusOK
	StatusNoHandler    = wire.StatusNoHandler
	StatusHandlerThrew = wire.StatusHandlerThrew
	StatusNoObject     = wire.StatusNoObject
	StatusNotOwner     = wire.StatusNotOwner
	StatusRejected     = wire.StatusRejected
	StatusRateLimited  = wire.StatusRateLimited
	StatusQueueFull    = wire.StatusQueueFull
	StatusTooLarge     = wire.StatusTooLarge
	StatusPeerGone     = wire.StatusPeerGone
	StatusNotReady     = wire.StatusNotReady
	StatusTimeout      = wire.StatusTimeout
	StatusUnknown      = wire.StatusUnknown
)

// CallResult is the outcome of a call on one peer.
type CallResult struct {
	Connection uint64
	Status     Status
	Value      []byte
	RTT        time.Duration
}

// Close codes of the session.
const (
	CloseBye          = 4000
	CloseHostStopped  = 4001
	CloseProtocol     = 4002
	CloseRejected     = 4003
	CloseKicked       = 4004
	CloseTimeout      = 4005
	CloseRateLimited  = 4008
	CloseReplaced     = 4009
	CloseSlowConsumer = 4010
	CloseScene        = 4011
)

// Errors of calls on a Host, a Client or their state.
var (
	ErrStarted      = errors.New("session was started before")
	ErrNotActive    = errors.New("session is not active")
	ErrNotAuthority = errors.New("only the session host changes state")
	ErrNoOwner      = errors.New("no_owner")
	ErrNoObject     = errors.New("no such object")
	ErrTooLarge     = errors.New("too large")

	errNotClient = errors.New("not_client")
	errCancelled = errors.New("cancelled")
	errCallName  = errors.New("the name of a call has 1 to 128 bytes")
)

// Times of the protocol. Debug multiplies those that a paused program would miss.
const (
	helloTimeout     = 3 * time.Second
	authTimeout      = 5 * time.Second
	approvalTimeout  = 10 * time.Second
	pingEvery        = 2 * time.Second
	silenceTimeout   = 10 * time.Second
	resumeWindow     = 20 * time.Second
	sceneDeadline    = 30 * time.Second
	staleDeadline    = 120 * time.Second
	missingDeadline  = 5 * time.Second // a barrier waits this long for a peer whose connection broke
	callTimeout      = 10 * time.Second
	flushTimeout     = 500 * time.Millisecond // for the last words
	greetTimeout     = 2 * time.Second        // a peer waits this long for HostPeerConnected to be handled
	checkEvery       = 5 * time.Second
	stallGap         = time.Second // a tick this late means that this program stood still
	overLimitTimeout = 5 * time.Second
	maxCallsInFlight = 256
	maxMessage       = 66 << 10  // to the host
	maxFirstMessages = 8 << 10   // to the host, before the welcome
	maxClientMessage = 512 << 10 // to a client
	defaultArgs      = 64 << 10
	maxIterations    = 1_000_000
	keyIterations    = 4096
	minCode          = 4
	acceptRate       = 50 // connections a second, from everywhere
	acceptRateEach   = 10 // from one address, or half of MaxPerAddress
	acceptMemory     = 10 * time.Second
)

// CheckID says whether s may be a project, session or build id.
func CheckID(what, s string) error {
	if s == "" || len(s) > wire.MaxID {
		return fmt.Errorf("%s %q: want 1 to %d bytes", what, s, wire.MaxID)
	}
	for _, c := range []byte(s) {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("._:+-", c) >= 0) {
			return fmt.Errorf("%s %q: only letters, digits and . _ : + - are allowed", what, s)
		}
	}
	return nil
}

// cleanName takes what could deceive out of a name that others will see: control, format and bidi characters.
func cleanName(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range strings.ToValidUTF8(s, "") {
		if n == 32 {
			break
		}
		if !unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			continue
		}
		b.WriteRune(r)
		n++
	}
	return strings.TrimSpace(b.String())
}

// cut shortens s to at most n bytes of UTF-8.
func cut(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

const codeAlphabet = "23456789ABCDEFGHJKMNPQRSTVWXYZ0L" // 32 letters; 0 and L last, I, O and U never

// NewCode makes a join code of 30 random bits.
func NewCode() string {
	var b [6]byte
	rand.Read(b[:]) // never fails
	for i := range b {
		b[i] = codeAlphabet[b[i]%32]
	}
	return string(b[:])
}

// plainCode is a join code as it is compared: capitals, without spaces and dashes, and with what is often mistaken set right.
func plainCode(s string) string {
	return strings.NewReplacer(" ", "", "-", "", "O", "0", "I", "L", "1", "L", "U", "V").Replace(strings.ToUpper(s))
}

// newUUID is a random one, RFC 9562 version 4.
func newUUID() string {
	b := newToken()
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func newToken() (t [wire.TokenSize]byte) {
	rand.Read(t[:]) // never fails
	return t
}
