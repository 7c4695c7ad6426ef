package session

import (
	"reflect"
	"sync"
)

// Event is one of the event types of this package. Events are handled in Update, in order, one after the other.
type Event interface{ isEvent() }

// The events of NetSessionManager.
type (
	// SessionStarted comes once, first. On a client the GameState and its own PlayerState are readable.
	SessionStarted struct{}
	// SessionStopped comes once, last.
	SessionStopped struct{ Reason string }
	// ClientJoinFailed comes instead of SessionStarted: exactly one of the two. Reason is a code, with details after a colon.
	ClientJoinFailed struct{ Reason string }

	// HostPeerConnected comes before anything from that peer. Its handler sets up the PlayerState.
	HostPeerConnected struct{ Peer PeerInfo }
	// HostPeerDisconnected comes once for each HostPeerConnected, after the time for resuming. While it is handled
	// Peer(ID) still tells the last that was known.
	HostPeerDisconnected struct {
		ID     uint64
		Reason string
	}
	// HostPeerSceneLoadComplete comes once per peer and transition.
	HostPeerSceneLoadComplete struct{ ID, Transition uint64 }
	// HostPeerActivatedInScene comes in ascending order of ID when the scene starts, then for each that joins it later.
	HostPeerActivatedInScene struct{ ID, Transition uint64 }
	// HostSceneTransitionComplete comes once, after the former, and never for a transition that another one replaced.
	HostSceneTransitionComplete struct{ Transition uint64 }

	// ClientSceneLoadRequested asks to load a scene and then call NotifySceneLoaded.
	ClientSceneLoadRequested struct {
		Scene      Scene
		Seamless   bool
		Transition uint64
	}
	// ClientSceneActivate comes after this client has loaded the scene and the host has started it.
	ClientSceneActivate struct{ Transition uint64 }
	// ClientGameStateReplicated comes at most once per Update.
	ClientGameStateReplicated struct{ State State }
	// ClientPlayerStateReplicated is about this client's own PlayerState.
	ClientPlayerStateReplicated struct{ State State }
	// ClientObjectReplicated comes when an object appears and when it has changed.
	ClientObjectReplicated struct{ ID uint64 }
)

// Events beyond those of NetSessionManager.
type (
	// HostPeerDropped: the connection broke, the seat is kept.
	HostPeerDropped struct{ ID uint64 }
	// HostPeerResumed: it is back, as if it had not been away.
	HostPeerResumed struct{ ID uint64 }
	// HostTransitionAborted: the host could not load the scene.
	HostTransitionAborted struct {
		Transition uint64
		Reason     string
	}
	// ClientConnectionLost: trying to resume.
	ClientConnectionLost struct{}
	// ClientConnectionResumed: a snapshot follows.
	ClientConnectionResumed struct{}
	// ClientObjectRemoved: the object is gone.
	ClientObjectRemoved struct{ ID uint64 }
)

func (SessionStarted) isEvent()              {}
func (SessionStopped) isEvent()              {}
func (ClientJoinFailed) isEvent()            {}
func (HostPeerConnected) isEvent()           {}
func (HostPeerDisconnected) isEvent()        {}
func (HostPeerSceneLoadComplete) isEvent()   {}
func (HostPeerActivatedInScene) isEvent()    {}
func (HostSceneTransitionComplete) isEvent() {}
func (ClientSceneLoadRequested) isEvent()    {}
func (ClientSceneActivate) isEvent()         {}
func (ClientGameStateReplicated) isEvent()   {}
func (ClientPlayerStateReplicated) isEvent() {}
func (ClientObjectReplicated) isEvent()      {}
func (HostPeerDropped) isEvent()             {}
func (HostPeerResumed) isEvent()             {}
func (HostTransitionAborted) isEvent()       {}
func (ClientConnectionLost) isEvent()        {}
func (ClientConnectionResumed) isEvent()     {}
func (ClientObjectRemoved) isEvent()         {}

func eventName(e Event) string { return reflect.TypeOf(e).Name() }

const (
	maxQueued      = 4096
	maxQueuedBytes = 8 << 20
	itemBytes      = 64 // what an item counts for beyond its payload
)

// item is what Update hands over: an event, or something to run. before and after are called around it, without locks.
type item struct {
	event         Event
	run           func()
	before, after func()
	skip          func() bool // whether it has lost its reason
	bytes         int
	keep          bool // survives discard
	state         bool // replication: dropped when the queue overflows
}

// queue holds what happened since the last Update.
type queue struct {
	wake chan struct{} // gets a token when something was added

	mu     sync.Mutex
	items  []item
	bytes  int
	closed bool
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

func (q *queue) push(it item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pushLocked(it)
}

func (q *queue) pushLocked(it item) {
	if q.closed && !it.keep {
		return
	}
	it.bytes += itemBytes
	q.items = append(q.items, it)
	q.bytes += it.bytes
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// offer is push for what may be refused: it is false when the queue is full.
func (q *queue) offer(it item) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.fullLocked() {
		return false
	}
	q.pushLocked(it)
	return true
}

func (q *queue) full() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.fullLocked()
}

func (q *queue) fullLocked() bool { return len(q.items) >= maxQueued || q.bytes >= maxQueuedBytes }

// take is the oldest item.
func (q *queue) take() (item, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return item{}, false
	}
	it := q.items[0]
	q.items[0] = item{}
	if q.items = q.items[1:]; len(q.items) == 0 {
		q.items = nil
	}
	q.bytes -= it.bytes
	return it, true
}

func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items)
}

// drop removes the items that match.
func (q *queue) drop(match func(item) bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	var kept []item
	q.bytes = 0
	for _, it := range q.items {
		if !match(it) {
			kept = append(kept, it)
			q.bytes += it.bytes
		}
	}
	q.items = kept
}

// discard removes everything but what is to be kept, and takes nothing else from now on.
func (q *queue) discard() {
	q.drop(func(it item) bool { return !it.keep })
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
}
