package session

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"conch/session/wire"
)

// assembly is what the reading goroutine makes of a connection's state frames before they are queued.
type assembly struct {
	names []string
	open  bool // between SnapBegin and SnapEnd
	seq   uint64
	size  int
	data  []byte
}

// clientState is the state as the game sees it. It changes in Update only.
type clientState struct {
	started  bool // SessionStarted was handed over
	synced   bool // has a snapshot that no delta has missed
	asked    bool // for a snapshot
	seq      uint64
	entities map[wire.Target]*entity
	game     bool            // changed since the last event
	player   bool            // changed since the last event
	objects  map[uint64]bool // changed since the last event
}

func newClientState() clientState {
	return clientState{entities: map[wire.Target]*entity{}, objects: map[uint64]bool{}}
}

// GameState is the replicated state of the session.
func (c *Client) GameState() State { return State{clientSource{c}, wire.GameTarget} }

// PlayerState is the replicated state of one peer; that of LocalID is this client's own.
func (c *Client) PlayerState(id uint64) State { return State{clientSource{c}, wire.PlayerTarget(id)} }

// Players are the ids of all that have a PlayerState, in ascending order.
func (c *Client) Players() []uint64 { return c.ids(wire.KindPlayer) }

// Objects are all objects by id.
func (c *Client) Objects() []Object {
	var all []Object
	for _, id := range c.ids(wire.KindObject) {
		if o, ok := c.Object(id); ok {
			all = append(all, o)
		}
	}
	return all
}

func (c *Client) ids(kind uint64) []uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []uint64
	for t := range c.state.entities {
		if t.Kind() == kind {
			all = append(all, t.ID())
		}
	}
	slices.Sort(all)
	return all
}

// Object is one object; false when there is none with that id.
func (c *Client) Object(id uint64) (Object, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.state.entities[wire.ObjectTarget(id)]
	if e == nil {
		return Object{}, false
	}
	return Object{id, e.class, e.owner, e.persistent, State{clientSource{c}, e.target}}, true
}

type clientSource struct{ c *Client }

func (s clientSource) get(t wire.Target, name string) (any, bool) {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if e := s.c.state.entities[t]; e != nil {
		if f := e.fields[name]; f != nil {
			return f.value, true
		}
	}
	return nil, false
}

func (s clientSource) all(t wire.Target) map[string]any {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if e := s.c.state.entities[t]; e != nil {
		return e.values()
	}
	return nil
}

func (clientSource) set(wire.Target, string, any, bool) error { return ErrNotAuthority }

// stateFrameLocked takes a frame about state, on the reading goroutine: names are resolved and snapshots put together here.
func (c *Client) stateFrameLocked(f wire.Frame) error {
	a := &c.assembly
	switch f := f.(type) {
	case *wire.Names:
		if f.Base != uint64(len(a.names)) {
			return fmt.Errorf("%w: names from %d on", wire.ErrValue, f.Base)
		}
		a.names = append(a.names, f.Names...)
	case *wire.SnapBegin:
		a.open, a.seq, a.size, a.data = true, f.Seq, int(f.Size), nil
	case *wire.SnapPart:
		if !a.open || len(a.data)+len(f.Data) > a.size {
			return fmt.Errorf("%w: part of no snapshot", wire.ErrValue)
		}
		a.data = append(a.data, f.Data...)
	case *wire.SnapEnd:
		return c.snapshotLocked(f)
	case *wire.Delta:
		changes, err := a.changes(f.Changes)
		if err != nil {
			return err
		}
		c.queueStateLocked(sizeOf(changes), func() { c.applyDelta(f.Prev, f.Seq, changes) })
	case *wire.Spawn:
		e, err := a.entity(f.Entity)
		if err != nil {
			return err
		}
		c.queueStateLocked(sizeOf([]*entity{e}), func() { c.applySpawn(e) })
	case *wire.Despawn:
		c.queueStateLocked(0, func() { c.applyDespawn(f.Target) })
	case *wire.Owner:
		c.queueStateLocked(0, func() { c.applyOwner(f) })
	case *wire.Check:
		c.queueStateLocked(0, func() { c.applyCheck(f) })
	default:
		return fmt.Errorf("frame %d: %w", f.Type(), errOutOfPlace)
	}
	return nil
}

func (c *Client) snapshotLocked(f *wire.SnapEnd) error {
	a := &c.assembly
	if !a.open || len(a.data) != a.size || wire.CRC(a.data) != f.CRC {
		return fmt.Errorf("%w: snapshot is not whole", wire.ErrValue)
	}
	all, err := wire.ParseSnapshot(a.data)
	if err != nil {
		return err
	}
	var entities []*entity
	for _, w := range all {
		e, err := a.entity(w)
		if err != nil {
			return err
		}
		entities = append(entities, e)
	}
	seq, size := a.seq, a.size
	a.open, a.data = false, nil
	c.queueStateLocked(size, func() { c.applySnapshot(seq, entities) })
	return nil
}

func (a *assembly) entity(w wire.Entity) (*entity, error) {
	e := &entity{target: w.Target, class: w.Class, owner: w.Owner, persistent: w.Persistent, fields: make(map[string]*field, len(w.Fields))}
	for _, f := range w.Fields {
		if f.Name >= uint64(len(a.names)) {
			return nil, fmt.Errorf("%w: unknown name %d", wire.ErrValue, f.Name)
		}
		// Raw is copied: what was received may be a part of a large message.
		e.fields[a.names[f.Name]] = &field{name: f.Name, raw: bytes.Clone(f.Raw), value: f.Value, removed: f.Removed}
	}
	return e, nil
}

func (a *assembly) changes(all []wire.Change) ([]*entity, error) {
	var changes []*entity
	for _, w := range all {
		e, err := a.entity(wire.Entity{Target: w.Target, Fields: w.Fields})
		if err != nil {
			return nil, err
		}
		changes = append(changes, e)
	}
	return changes, nil
}

func sizeOf(all []*entity) int {
	n := 0
	for _, e := range all {
		n += itemBytes
		for _, f := range e.fields {
			n += itemBytes + len(f.raw)
		}
	}
	return n
}

// queueStateLocked has state applied in Update. When the game does not call it, all queued state is dropped, and the next
// Update asks for a snapshot instead.
func (c *Client) queueStateLocked(size int, apply func()) {
	if c.overflowed {
		return
	}
	if c.queue.offer(item{run: apply, bytes: size, state: true}) {
		return
	}
	c.overflowed = true
	c.queue.drop(func(it item) bool { return it.state })
}

func (c *Client) recoverOverflow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.overflowed {
		c.overflowed = false
		c.state.asked = false
		c.resyncLocked()
	}
}

// resyncLocked asks for a snapshot, once.
func (c *Client) resyncLocked() {
	c.state.synced = false
	if !c.state.asked {
		c.state.asked = true
		c.sendLocked(&wire.Resync{Seq: c.state.seq})
	}
}

func (c *Client) applySnapshot(seq uint64, all []*entity) {
	c.mu.Lock()
	s := &c.state
	old := s.entities
	s.entities = make(map[wire.Target]*entity, len(all))
	s.seq, s.synced, s.asked = seq, true, false
	for _, e := range all {
		s.entities[e.target] = e
		if before := old[e.target]; before == nil || !same(before, e) {
			c.changedLocked(e.target)
		}
	}
	var removed []uint64
	for t := range old {
		if s.entities[t] == nil && t.Kind() == wire.KindObject {
			removed = append(removed, t.ID())
		}
	}
	first := !s.started
	if s.started = true; first {
		s.game, s.player = true, true
		if c.phase == clientJoining {
			c.phase = clientActive
		}
	}
	c.mu.Unlock()
	if first {
		c.emit(SessionStarted{})
		c.emitStates()
	}
	c.emitRemoved(removed)
}

func same(a, b *entity) bool {
	if a.class != b.class || a.owner != b.owner || a.persistent != b.persistent || len(a.fields) != len(b.fields) {
		return false
	}
	for name, f := range a.fields {
		if g := b.fields[name]; g == nil || !bytes.Equal(f.raw, g.raw) {
			return false
		}
	}
	return true
}

// changedLocked notes that an event is due.
func (c *Client) changedLocked(t wire.Target) {
	s := &c.state
	switch {
	case t.Kind() == wire.KindGame:
		s.game = true
	case t == wire.PlayerTarget(c.welcome.ID):
		s.player = true
	case t.Kind() == wire.KindObject:
		s.objects[t.ID()] = true
	}
}

func (c *Client) applyDelta(prev, seq uint64, changes []*entity) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.state
	if !s.synced {
		return
	}
	if prev != s.seq {
		c.resyncLocked()
		return
	}
	s.seq = seq
	for _, change := range changes {
		e := s.entities[change.target]
		if e == nil {
			if change.target.Kind() == wire.KindObject {
				continue
			}
			e = &entity{target: change.target, fields: map[string]*field{}}
			s.entities[e.target] = e
			c.changedLocked(e.target)
		}
		if e.merge(change.fields) {
			c.changedLocked(e.target)
		}
	}
}

// merge takes over fields and says whether any is different: what changed while a snapshot was made is told twice.
func (e *entity) merge(fields map[string]*field) (changed bool) {
	for name, f := range fields {
		old := e.fields[name]
		switch {
		case f.removed && old != nil:
			delete(e.fields, name)
			changed = true
		case !f.removed && (old == nil || !bytes.Equal(old.raw, f.raw)):
			e.fields[name] = f
			changed = true
		}
	}
	return changed
}

func (c *Client) applySpawn(e *entity) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.state.synced {
		return
	}
	c.state.entities[e.target] = e
	c.changedLocked(e.target)
}

func (c *Client) applyDespawn(t wire.Target) {
	c.mu.Lock()
	e := c.state.entities[t]
	delete(c.state.entities, t)
	c.mu.Unlock()
	if e != nil && t.Kind() == wire.KindObject {
		c.emitRemoved([]uint64{t.ID()})
	}
}

func (c *Client) applyOwner(f *wire.Owner) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.state.entities[wire.ObjectTarget(f.Object)]; e != nil {
		e.owner = f.Owner
		c.changedLocked(e.target)
	}
}

func (c *Client) applyCheck(f *wire.Check) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.state.synced || f.Seq != c.state.seq {
		return
	}
	var all []wire.Entity
	for _, e := range c.state.entities {
		all = append(all, e.wireEntity())
	}
	if wire.Checksum(all) != f.CRC {
		c.o.Log.Warn("the replicated state has drifted; asking for it anew")
		c.resyncLocked()
	}
}

// emitRemoved tells that objects are gone, and forgets that they had changed.
func (c *Client) emitRemoved(ids []uint64) {
	slices.Sort(ids)
	for _, id := range ids {
		c.mu.Lock()
		delete(c.state.objects, id)
		c.mu.Unlock()
		c.emit(ClientObjectRemoved{id})
	}
}

// emitObjects tells which objects have changed, unless their scene is still being loaded.
func (c *Client) emitObjects() {
	c.mu.Lock()
	if c.scene.load.Transition != 0 && !c.scene.loaded {
		c.mu.Unlock()
		return
	}
	ids := slices.Sorted(maps.Keys(c.state.objects))
	clear(c.state.objects)
	c.mu.Unlock()
	for _, id := range ids {
		c.emit(ClientObjectReplicated{id})
	}
}

// emitChanges tells what has changed in this Update.
func (c *Client) emitChanges() {
	c.emitStates()
	if c.IsActive() {
		c.emitObjects()
	}
}

func (c *Client) emitStates() {
	c.mu.Lock()
	game, player, id := c.state.game, c.state.player, c.welcome.ID
	over := c.phase != clientActive
	c.state.game, c.state.player = false, false
	c.mu.Unlock()
	if over {
		return
	}
	if game {
		c.emit(ClientGameStateReplicated{c.GameState()})
	}
	if player {
		c.emit(ClientPlayerStateReplicated{c.PlayerState(id)})
	}
}
