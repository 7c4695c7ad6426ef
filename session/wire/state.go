package wire

// Lengths and counts of replicated state.
const (
	MaxNames    = 4096     // field names in a session
	MaxEntities = 65536    // GameState, PlayerStates and objects
	MaxFields   = 1024     // of one entity
	MaxTypeName = 128      // bytes
	MaxPart     = 16 << 10 // of a snapshot
	MaxSnapshot = 16 << 20
	MaxValue    = 64 << 10 // one encoded field
)

// Target names what a change is about: the GameState, the PlayerState of a connection, or an object.
type Target uint64

// Kinds of targets, the two low bits.
const (
	KindGame   = 0
	KindPlayer = 1
	KindObject = 2
)

// GameTarget is the GameState.
const GameTarget Target = KindGame

// PlayerTarget is the PlayerState of a connection.
func PlayerTarget(connection uint64) Target { return Target(connection<<2 | KindPlayer) }

// ObjectTarget is an object.
func ObjectTarget(object uint64) Target { return Target(object<<2 | KindObject) }

// Kind is one of the three kinds.
func (t Target) Kind() uint64 { return uint64(t) & 3 }

// ID is the connection or the object.
func (t Target) ID() uint64 { return uint64(t) >> 2 }

func (t *Target) fields(c *coder) {
	v := uint64(*t)
	c.uint(&v)
	*t = Target(v)
	if t.Kind() > KindObject || t.Kind() == KindGame && t.ID() != 0 {
		c.fail(ErrValue)
	}
}

// Names adds field names to the connection's table, from position Base on.
type Names struct {
	Base  uint64
	Names []string
}

// Field is one field of an entity. Name is a position in the table of names. Raw is the value as it was sent, which
// is what checksums are made of; Value is what it means.
type Field struct {
	Name    uint64
	Removed bool
	Raw     []byte
	Value   any `json:"value,omitempty"`
}

// Entity is a whole GameState, PlayerState or object.
type Entity struct {
	Target     Target
	Class      string // objects: the type's name
	Owner      uint64 // objects: a connection
	Persistent bool   // objects: survives seamless transitions
	Fields     []Field
}

// Change holds the fields of one entity that changed. A PlayerState that the client does not know is new.
type Change struct {
	Target Target
	Fields []Field
}

// SnapBegin announces a snapshot of Size bytes in parts.
type SnapBegin struct{ Seq, Size uint64 }

// SnapPart is the next piece, at most 16 KiB. Other frames may stand between parts.
type SnapPart struct{ Data []byte }

// SnapEnd completes a snapshot. CRC is CRC-32C over all parts.
type SnapEnd struct{ CRC uint32 }

// Delta leads from state Prev to Seq.
type Delta struct {
	Prev, Seq uint64
	Changes   []Change
}

// Spawn creates an object.
type Spawn struct{ Entity Entity }

// Despawn removes an object or a PlayerState.
type Despawn struct{ Target Target }

// Owner gives an object to a connection.
type Owner struct{ Object, Owner uint64 }

// Resync asks for a snapshot. Seq is the last good state.
type Resync struct{ Seq uint64 }

// Check carries the CRC-32C of the state Seq; see Checksum.
type Check struct {
	Seq uint64
	CRC uint32
}

func (*Names) Type() Type     { return TypeNames }
func (*SnapBegin) Type() Type { return TypeSnapBegin }
func (*SnapPart) Type() Type  { return TypeSnapPart }
func (*SnapEnd) Type() Type   { return TypeSnapEnd }
func (*Delta) Type() Type     { return TypeDelta }
func (*Spawn) Type() Type     { return TypeSpawn }
func (*Despawn) Type() Type   { return TypeDespawn }
func (*Owner) Type() Type     { return TypeOwner }
func (*Resync) Type() Type    { return TypeResync }
func (*Check) Type() Type     { return TypeCheck }

func (f *Names) fields(c *coder) {
	c.uint(&f.Base)
	list(c, &f.Names, MaxNames, func(s *string) { c.text(s, MaxTypeName) })
	if f.Base+uint64(len(f.Names)) > MaxNames {
		c.fail(ErrTooLong)
	}
}

func (f *Field) fields(c *coder) {
	key := f.Name << 1
	if f.Removed {
		key |= 1
	}
	c.uint(&key)
	f.Name, f.Removed = key>>1, key&1 == 1
	if !f.Removed {
		c.value(&f.Raw, &f.Value)
	}
}

func (e *Entity) fields(c *coder) {
	e.Target.fields(c)
	if e.Target.Kind() == KindObject {
		c.text(&e.Class, MaxTypeName)
		c.uint(&e.Owner)
		c.bool(&e.Persistent)
	}
	list(c, &e.Fields, MaxFields, func(f *Field) { f.fields(c) })
}

func (f *SnapBegin) fields(c *coder) {
	c.uint(&f.Seq)
	c.uint(&f.Size)
	if f.Size > MaxSnapshot {
		c.fail(ErrTooLong)
	}
}

func (f *SnapPart) fields(c *coder) { c.rest(&f.Data, MaxPart) }

func (f *SnapEnd) fields(c *coder) { c.u32(&f.CRC) }

func (f *Delta) fields(c *coder) {
	c.uint(&f.Prev)
	c.uint(&f.Seq)
	list(c, &f.Changes, MaxEntities, func(change *Change) {
		change.Target.fields(c)
		list(c, &change.Fields, MaxFields, func(f *Field) { f.fields(c) })
	})
}

func (f *Spawn) fields(c *coder) {
	f.Entity.fields(c)
	if f.Entity.Target.Kind() != KindObject {
		c.fail(ErrValue)
	}
}

func (f *Despawn) fields(c *coder) {
	f.Target.fields(c)
	if f.Target.Kind() == KindGame {
		c.fail(ErrValue)
	}
}

func (f *Owner) fields(c *coder) {
	c.uint(&f.Object)
	c.uint(&f.Owner)
}

func (f *Resync) fields(c *coder) { c.uint(&f.Seq) }

func (f *Check) fields(c *coder) {
	c.uint(&f.Seq)
	c.u32(&f.CRC)
}

// AppendSnapshot adds the content of a snapshot: the number of entities, then each.
func AppendSnapshot(b []byte, all []Entity) []byte {
	c := coder{b: b}
	list(&c, &all, MaxEntities, func(e *Entity) { e.fields(&c) })
	return c.b
}

// ParseSnapshot reads the content of a snapshot.
func ParseSnapshot(b []byte) ([]Entity, error) {
	c := coder{b: b, reading: true}
	var all []Entity
	list(&c, &all, MaxEntities, func(e *Entity) { e.fields(&c) })
	return all, c.err
}
