package session

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"conch/session/wire"
)

const (
	maxStateBytes = 8 << 20   // of all fields
	maxSpawnBytes = 128 << 10 // of a new object's fields
)

// hostState is the state that the host replicates. Its methods whose names end in Locked want h.mu held.
type hostState struct {
	h          *Host
	seq        uint64               // grows with each tick in which a field changed
	before     uint64               // the state before it
	recent     map[wire.Target]bool // what changed between the two
	version    uint64               // grows with every change
	names      []string
	ids        map[string]uint64
	entities   map[wire.Target]*entity
	dirty      map[wire.Target]bool // have fields that changed since seq
	lastObject uint64
	bytes      int
	private    int // objects that only their owners see
	snapshots  map[view]sharedSnapshot
}

// sharedSnapshot is encoded once for all who need it.
type sharedSnapshot struct {
	version uint64
	frames  [][]byte
}

func newHostState(h *Host) hostState {
	s := hostState{h: h, ids: map[string]uint64{}, entities: map[wire.Target]*entity{}, dirty: map[wire.Target]bool{},
		snapshots: map[view]sharedSnapshot{}}
	s.entities[wire.GameTarget] = &entity{target: wire.GameTarget, fields: map[string]*field{}}
	return s
}

// GameState is the state of the session.
func (h *Host) GameState() State { return State{hostSource{h}, wire.GameTarget} }

// PlayerState is the state of one peer, also while its HostPeerDisconnected is handled.
func (h *Host) PlayerState(id uint64) State { return State{hostSource{h}, wire.PlayerTarget(id)} }

// SpawnOptions of an object. The zero value is an object of nobody that goes with its scene.
type SpawnOptions struct {
	Owner            uint64 // a peer or HostID; 0: nobody
	Persistent       bool   // survives seamless transitions
	DespawnWithOwner bool   // goes when its owner leaves; otherwise it becomes the host's
	Private          bool   // only its owner sees it: a hand of cards
	ID               uint64 // one that no object has now; 0: the next
}

// Spawn creates an object.
func (h *Host) Spawn(class string, fields map[string]any, o SpawnOptions) (Object, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := &h.state
	switch {
	case h.phase != phaseActive:
		return Object{}, ErrNotActive
	case class == "" || len(class) > wire.MaxTypeName:
		return Object{}, fmt.Errorf("class %q: want 1 to %d bytes", cut(class, wire.MaxTypeName), wire.MaxTypeName)
	case !h.nodeLocked(o.Owner):
		return Object{}, fmt.Errorf("owner %d is not in the session", o.Owner)
	case o.ID != 0 && (o.ID > wire.MaxUint>>2 || s.entities[wire.ObjectTarget(o.ID)] != nil):
		return Object{}, fmt.Errorf("object %d: the number is taken or too large", o.ID)
	case len(s.entities) >= wire.MaxEntities:
		return Object{}, fmt.Errorf("%d objects: %w", len(s.entities), ErrTooLarge)
	}
	id := o.ID
	if id == 0 {
		id = s.lastObject + 1
	}
	e := &entity{target: wire.ObjectTarget(id), class: class, owner: o.Owner, persistent: o.Persistent,
		withOwner: o.DespawnWithOwner, private: o.Private, fields: map[string]*field{}}
	size := 0
	for name, v := range fields {
		raw, value, err := wire.CopyValue(v)
		if err == nil {
			err = s.putLocked(e, name, raw, value, 0)
		}
		if size += len(raw); err == nil && size > maxSpawnBytes {
			err = fmt.Errorf("fields of a new object: %w", ErrTooLarge)
		}
		if err != nil {
			s.forgetLocked(e)
			return Object{}, err
		}
	}
	s.lastObject = max(s.lastObject, id)
	s.version++
	s.entities[e.target] = e
	if e.private {
		s.private++
	}
	h.tellObjectLocked(e, &wire.Spawn{Entity: e.wireEntity()})
	return h.objectLocked(e), nil
}

// Despawn removes an object.
func (h *Host) Despawn(id uint64) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.state.entities[wire.ObjectTarget(id)]
	if e == nil {
		return ErrNoObject
	}
	h.state.removeLocked(e)
	h.tellObjectLocked(e, &wire.Despawn{Target: e.target})
	return nil
}

// SetOwner gives an object to a peer, to HostID, or with 0 to nobody.
func (h *Host) SetOwner(id, owner uint64) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.state.entities[wire.ObjectTarget(id)]
	switch {
	case e == nil:
		return ErrNoObject
	case !h.nodeLocked(owner):
		return fmt.Errorf("owner %d is not in the session", owner)
	case e.owner != owner:
		h.setOwnerLocked(e, owner)
	}
	return nil
}

func (h *Host) setOwnerLocked(e *entity, owner uint64) {
	h.state.version++
	if e.private {
		h.tellObjectLocked(e, &wire.Despawn{Target: e.target})
		e.owner = owner
		h.tellObjectLocked(e, &wire.Spawn{Entity: e.wireEntity()})
		return
	}
	e.owner = owner
	h.tellObjectLocked(e, &wire.Owner{Object: e.target.ID(), Owner: owner})
}

func (h *Host) nodeLocked(id uint64) bool { return id == 0 || id == HostID || h.peers[id] != nil }

// Objects are all objects by id.
func (h *Host) Objects() []Object {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []Object
	for _, e := range h.state.entities {
		if e.target.Kind() == wire.KindObject {
			all = append(all, h.objectLocked(e))
		}
	}
	slices.SortFunc(all, func(a, b Object) int { return int(a.ID) - int(b.ID) })
	return all
}

// Object is one object; false when there is none with that id.
func (h *Host) Object(id uint64) (Object, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.state.entities[wire.ObjectTarget(id)]
	if e == nil {
		return Object{}, false
	}
	return h.objectLocked(e), true
}

func (h *Host) objectLocked(e *entity) Object {
	return Object{e.target.ID(), e.class, e.owner, e.persistent, State{hostSource{h}, e.target}}
}

// hostSource reads and writes the host's state.
type hostSource struct{ h *Host }

func (s hostSource) entityLocked(t wire.Target) *entity {
	if e := s.h.state.entities[t]; e != nil || t.Kind() != wire.KindPlayer {
		return e
	}
	return s.h.gone[t.ID()].state
}

func (s hostSource) get(t wire.Target, name string) (any, bool) {
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	if e := s.entityLocked(t); e != nil {
		if f := e.fields[name]; f != nil && !f.removed {
			return f.value, true
		}
	}
	return nil, false
}

func (s hostSource) all(t wire.Target) map[string]any {
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	if e := s.entityLocked(t); e != nil {
		return e.values()
	}
	return nil
}

func (s hostSource) set(t wire.Target, name string, v any, remove bool) error {
	var raw []byte
	var value any
	if !remove {
		var err error
		if raw, value, err = wire.CopyValue(v); err != nil {
			return fmt.Errorf("field %q: %w", name, err)
		}
	}
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	st := &s.h.state
	if s.h.phase != phaseActive {
		return ErrNotActive
	}
	e := st.entities[t]
	if e == nil {
		return ErrNoObject
	}
	if f := e.fields[name]; f != nil && f.removed == remove && bytes.Equal(f.raw, raw) || f == nil && remove {
		return nil
	}
	if remove {
		f := e.fields[name]
		st.bytes -= len(f.raw)
		f.removed, f.raw, f.value, f.changed = true, nil, nil, st.seq+1
	} else if err := st.putLocked(e, name, raw, value, st.seq+1); err != nil {
		return err
	}
	st.touchLocked(e)
	return nil
}

func (s *hostState) touchLocked(e *entity) {
	e.changed = s.seq + 1
	s.dirty[e.target] = true
	s.version++
}

// putLocked stores a field within the limits.
func (s *hostState) putLocked(e *entity, name string, raw []byte, value any, changed uint64) error {
	f := e.fields[name]
	if f == nil {
		if len(e.fields) >= wire.MaxFields {
			return fmt.Errorf("field %q: %d fields: %w", cut(name, wire.MaxTypeName), len(e.fields), ErrTooLarge)
		}
		id, err := s.nameLocked(name)
		if err != nil {
			return err
		}
		f = &field{name: id}
	}
	if s.bytes+len(raw)-len(f.raw) > maxStateBytes {
		return fmt.Errorf("field %q: the state has %d bytes: %w", name, s.bytes, ErrTooLarge)
	}
	s.bytes += len(raw) - len(f.raw)
	f.raw, f.value, f.removed, f.changed = raw, value, false, changed
	e.fields[name] = f
	return nil
}

// nameLocked is the position of a field's name in the table of names.
func (s *hostState) nameLocked(name string) (uint64, error) {
	if id, ok := s.ids[name]; ok {
		return id, nil
	}
	if name == "" || len(name) > wire.MaxTypeName {
		return 0, errors.New("the name of a field has 1 to 128 bytes")
	}
	if len(s.names) >= wire.MaxNames {
		return 0, fmt.Errorf("field %q: %d names of fields: %w", name, len(s.names), ErrTooLarge)
	}
	id := uint64(len(s.names))
	s.names = append(s.names, name)
	s.ids[name] = id
	return id, nil
}

func (s *hostState) forgetLocked(e *entity) {
	for _, f := range e.fields {
		s.bytes -= len(f.raw)
	}
}

func (s *hostState) removeLocked(e *entity) {
	s.forgetLocked(e)
	delete(s.entities, e.target)
	delete(s.dirty, e.target)
	s.version++
	if e.private {
		s.private--
	}
}

// playerLocked makes the PlayerState of a new peer. Fields that cannot be stored are logged and left out.
func (s *hostState) playerLocked(id uint64, fields map[string]any) {
	e := &entity{target: wire.PlayerTarget(id), fields: map[string]*field{}}
	s.entities[e.target] = e
	for name, v := range fields {
		raw, value, err := wire.CopyValue(v)
		if err == nil {
			err = s.putLocked(e, name, raw, value, s.seq+1)
		}
		if err != nil {
			s.h.Log.Error("player state of an approval", "peer", id, "err", err)
		}
	}
	s.touchLocked(e)
}

// orphanLocked takes a peer's PlayerState away, and its objects.
func (s *hostState) orphanLocked(id uint64) *entity {
	for _, e := range s.sortedLocked() {
		if e.target.Kind() != wire.KindObject || e.owner != id {
			continue
		}
		if e.withOwner {
			s.removeLocked(e)
			s.h.tellObjectLocked(e, &wire.Despawn{Target: e.target})
			continue
		}
		s.h.setOwnerLocked(e, HostID)
	}
	e := s.entities[wire.PlayerTarget(id)]
	if e == nil {
		return nil
	}
	s.removeLocked(e)
	frame := wire.Append(nil, &wire.Despawn{Target: e.target})
	for _, p := range s.h.peers {
		if p.sync.live {
			s.h.sendBytesLocked(p, frame)
		}
	}
	return e
}

// leaveSceneLocked drops the objects of the old scene. Clients do the same when they get the Load.
func (s *hostState) leaveSceneLocked(seamless bool) {
	for _, e := range s.sortedLocked() {
		if e.target.Kind() == wire.KindObject && !(seamless && e.persistent) {
			s.removeLocked(e)
		}
	}
}

func (s *hostState) sortedLocked() []*entity {
	all := make([]*entity, 0, len(s.entities))
	for _, e := range s.entities {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b *entity) int { return int(a.target) - int(b.target) })
	return all
}
