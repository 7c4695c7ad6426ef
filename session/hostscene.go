package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"conch/session/wire"
)

// SceneLoad is what LoadScene is to load.
type SceneLoad struct {
	Scene      Scene
	Seamless   bool
	Transition uint64
}

type hostScenes struct {
	last    uint64      // the latest transition
	current *transition // running, or the scene that is played; nil: no scene was ever loaded
}

// transition is the way into a scene. Its members are the peers that were there at the start; it is done when the host
// and each member have loaded, left or failed, or at its deadline.
type transition struct {
	id         uint64
	scene      Scene
	seamless   bool
	deadline   time.Time
	members    map[uint64]*peer
	hostLoaded bool
	done       bool
	cancel     context.CancelFunc
	before     *transition // the scene that was played; nil: none
	recovery   bool        // back to before, because another scene did not load
}

// peerScene is where a peer is in the transitions: the latest it was asked to load, has loaded, was activated in, and
// failed to load.
type peerScene struct {
	loading, loaded, active, failed uint64
	by                              time.Time // the end of all patience with its loading
}

func (h *Host) peerStateLocked(p *peer) PeerState {
	t := h.scenes.current
	switch {
	case p.link == nil:
		return PeerReconnecting
	case !p.greeted:
		return PeerConnected
	case t == nil, p.scene.active == t.id && p.scene.loaded == t.id:
		return PeerActive
	case p.scene.active == t.id:
		return PeerStale
	case p.scene.loaded == t.id:
		return PeerLoaded
	case p.scene.loading == t.id:
		return PeerLoading
	}
	return PeerConnected
}

// HostLoadScene starts a transition of everybody into a scene, in place of one that runs. Without
// seamless all objects go, with it those that are not persistent. The GameState and PlayerStates stay. It returns the
// number of the transition.
func (h *Host) HostLoadScene(s Scene, seamless bool) (uint64, error) {
	if s.UUID == "" || len(s.UUID) > wire.MaxID || len(s.Name) > wire.MaxID {
		return 0, fmt.Errorf("scene %q: the UUID has 1 to %d bytes, the name at most as many", cut(s.UUID, wire.MaxID), wire.MaxID)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.phase != phaseActive {
		return 0, ErrNotActive
	}
	return h.beginLocked(s, seamless, false).id, nil
}

func (h *Host) beginLocked(s Scene, seamless, recovery bool) *transition {
	h.scenes.last++
	t := &transition{id: h.scenes.last, scene: s, seamless: seamless, recovery: recovery, members: map[uint64]*peer{},
		deadline: time.Now().Add(h.patience(h.SceneDeadline))}
	if old := h.scenes.current; old != nil {
		if t.before = old; !old.done {
			old.cancel()
			t.before = old.before
		}
		old.before = nil
	}
	h.scenes.current = t
	if !seamless {
		h.shownScene = SceneInstance{}
	}
	h.state.leaveSceneLocked(seamless)
	for _, p := range h.sortedLocked() {
		if p.greeted && p.link != nil {
			t.members[p.id] = p
			h.loadLocked(p, t)
		}
	}
	var ctx context.Context
	ctx, t.cancel = context.WithCancel(h.ctx)
	if h.LoadScene == nil {
		t.hostLoaded = true
		h.checkBarrierLocked()
		return t
	}
	h.callbacks.Go(func() {
		err := h.load(ctx, SceneLoad{s, seamless, t.id})
		h.mu.Lock()
		defer h.mu.Unlock()
		h.hostLoadedLocked(t, err)
	})
	return t
}

func (h *Host) load(ctx context.Context, l SceneLoad) (err error) {
	defer func() {
		if p := recover(); p != nil {
			h.Log.Error("loading a scene panicked", "scene", l.Scene.Name, "err", p)
			err = fmt.Errorf("loading panicked: %v", p)
		}
	}()
	return h.LoadScene(ctx, l)
}

func (h *Host) hostLoadedLocked(t *transition, err error) {
	if h.scenes.current != t || t.done || h.phase != phaseActive {
		return
	}
	if err == nil {
		t.hostLoaded = true
		h.checkBarrierLocked()
		return
	}
	t.cancel()
	h.queue.push(item{event: HostTransitionAborted{t.id, err.Error()}})
	if t.before != nil && !t.recovery {
		h.beginLocked(t.before.scene, false, true)
		return
	}
	h.scenes.current = nil // no scene is left
	for _, p := range h.sortedLocked() {
		if p.greeted && p.link != nil {
			h.bringUpLocked(p)
		}
	}
}

// loadLocked asks a peer to load. It has no objects until it is activated.
func (h *Host) loadLocked(p *peer, t *transition) {
	p.scene.loading, p.scene.by = t.id, time.Now().Add(h.patience(staleDeadline))
	p.sync.objects = false
	h.sendLocked(p, &wire.Load{Transition: t.id, UUID: t.scene.UUID, Name: t.scene.Name, Seamless: t.seamless})
}

// loadedLocked takes a peer's report about its loading. Reports about other transitions are stale.
func (h *Host) loadedLocked(p *peer, f *wire.Loaded) {
	t := h.scenes.current
	if t == nil || f.Transition != t.id || p.scene.loading != t.id || p.scene.loaded == t.id || p.scene.failed == t.id {
		return
	}
	if !f.OK {
		if !h.KeepOnLoadFailure {
			h.endLocked(p, CloseScene, "scene_load_failed", f.Text)
			return
		}
		p.scene.failed = t.id
		h.checkBarrierLocked()
		return
	}
	p.scene.loaded = t.id
	h.queue.push(item{event: HostPeerSceneLoadComplete{p.id, t.id}})
	switch {
	case !t.done:
		h.checkBarrierLocked()
	case p.scene.active == t.id && p.sync.objects: // was stale
		h.flushWithheldLocked(p)
	default:
		h.activateLocked(p, t)
	}
}

// checkBarrierLocked completes the running transition when nobody is missing any more.
func (h *Host) checkBarrierLocked() {
	t := h.scenes.current
	if t == nil || t.done || !t.hostLoaded || h.phase != phaseActive {
		return
	}
	now := time.Now()
	if now.Before(t.deadline) {
		for id, p := range t.members {
			here := h.peers[id] == p && p.scene.loaded != t.id && p.scene.failed != t.id
			if here && (p.link != nil || now.Sub(p.dropped) < missingDeadline) {
				return
			}
		}
	}
	t.done = true
	h.completeLocked(t)
}

// completeLocked activates the scene for the members in the order of their ids, for those who joined since and have
// loaded, and then says that it is complete.
func (h *Host) completeLocked(t *transition) {
	h.queue.push(item{run: func() { h.showScene(t) }})
	all := h.sortedLocked()
	slices.SortStableFunc(all, func(a, b *peer) int {
		return cmp.Compare(rank(t, a), rank(t, b))
	})
	for _, p := range all {
		member := t.members[p.id] == p
		if p.link != nil && p.scene.failed != t.id && (member && p.scene.loading == t.id || p.scene.loaded == t.id) {
			h.activateLocked(p, t)
		}
	}
	h.queue.push(item{event: HostSceneTransitionComplete{t.id}})
	t.cancel()
}

func rank(t *transition, p *peer) int {
	if t.members[p.id] == p {
		return 0
	}
	return 1
}

func (h *Host) showScene(t *transition) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.scenes.current == t || h.scenes.current != nil && h.scenes.current.seamless {
		h.shownScene = SceneInstance{newUUID(), t.scene, t.id}
	}
}

// activateLocked gives a peer the objects and starts its play.
func (h *Host) activateLocked(p *peer, t *transition) {
	first := p.scene.active != t.id
	p.scene.active = t.id
	p.sync.objects = true
	h.snapshotLocked(p)
	h.sendLocked(p, &wire.Activate{Transition: t.id})
	if p.scene.loaded == t.id {
		h.flushWithheldLocked(p)
	}
	if first {
		h.queue.push(item{event: HostPeerActivatedInScene{p.id, t.id}})
	}
}

func (h *Host) tickScenesLocked(now time.Time) {
	t := h.scenes.current
	if t == nil {
		return
	}
	h.checkBarrierLocked()
	for _, p := range h.peers {
		s := p.scene
		if p.link != nil && s.loading == t.id && s.loaded != t.id && s.failed != t.id && now.After(s.by) {
			h.endLocked(p, CloseScene, "scene_load_timeout", "the scene took too long to load")
		}
	}
}
