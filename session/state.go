package session

import (
	"maps"

	"conch/session/wire"
)

// State is the GameState, a PlayerState or the fields of an object: names with values. A value is nil, a bool, an
// integer within ±(2^53-1), a float64, a string, []byte, []any or map[string]any. A field is replicated as a whole.
// The zero value is empty and cannot be written.
type State struct {
	from   stateSource
	target wire.Target
}

type stateSource interface {
	get(t wire.Target, name string) (any, bool)
	all(t wire.Target) map[string]any
	set(t wire.Target, name string, v any, remove bool) error
}

// Get reads a field. The value must not be changed.
func (s State) Get(name string) (any, bool) {
	if s.from == nil {
		return nil, false
	}
	return s.from.get(s.target, name)
}

// All reads all fields.
func (s State) All() map[string]any {
	if s.from == nil {
		return nil
	}
	return s.from.all(s.target)
}

// Set writes a field, on the host only. The value is copied.
func (s State) Set(name string, v any) error {
	if s.from == nil {
		return ErrNotActive
	}
	return s.from.set(s.target, name, v, false)
}

// Delete removes a field, on the host only.
func (s State) Delete(name string) error {
	if s.from == nil {
		return ErrNotActive
	}
	return s.from.set(s.target, name, nil, true)
}

// Object is a replicated object as it was when asked for; State reads and writes its fields.
type Object struct {
	ID         uint64
	Class      string
	Owner      uint64
	Persistent bool
	State      State
}

// entity is the GameState, a PlayerState or an object, on either side.
type entity struct {
	target     wire.Target
	class      string
	owner      uint64
	persistent bool
	withOwner  bool // host: despawned when its owner leaves
	private    bool // host: only its owner sees it
	fields     map[string]*field
	changed    uint64 // host: the state in which a field last changed
}

type field struct {
	name    uint64 // in the table of names
	raw     []byte
	value   any
	removed bool
	changed uint64 // host: the state in which it last changed; 0: since the beginning
}

func (e *entity) values() map[string]any {
	all := make(map[string]any, len(e.fields))
	for name, f := range e.fields {
		if !f.removed {
			all[name] = f.value
		}
	}
	return all
}

// wireEntity is the whole entity as it is sent.
func (e *entity) wireEntity() wire.Entity {
	w := wire.Entity{Target: e.target, Class: e.class, Owner: e.owner, Persistent: e.persistent}
	for f := range maps.Values(e.fields) {
		if !f.removed {
			w.Fields = append(w.Fields, wire.Field{Name: f.name, Raw: f.raw})
		}
	}
	return w
}
