package session

import (
	"maps"
	"slices"
	"time"

	"conch/session/wire"
)

const (
	deltaTarget  = 48 << 10 // bytes; larger changes are told in several frames
	resyncPause  = time.Second
	namesPerSend = 256
)

// peerSync is how far a peer's picture of the state is. It starts empty on each link.
type peerSync struct {
	live     bool   // has a snapshot
	objects  bool   // gets objects
	seq      uint64 // the state it was brought to
	names    int    // how much of the table of names it has
	resync   bool   // asked for a snapshot
	snapshot time.Time
}

// view is what a peer sees. Peers with the same view share what is encoded.
type view struct {
	objects bool
	viewer  uint64 // whose private objects are seen; 0 when there are none at all
}

func (s *hostState) viewLocked(p *peer) view {
	if s.private == 0 || !p.sync.objects {
		return view{objects: p.sync.objects}
	}
	return view{true, p.id}
}

func (v view) sees(e *entity) bool {
	return e.target.Kind() != wire.KindObject || v.objects && (!e.private || e.owner == v.viewer)
}

// tellObjectLocked sends a change of an object at once to all who see it.
func (h *Host) tellObjectLocked(e *entity, f wire.Frame) {
	frame := wire.Append(nil, f)
	for _, p := range h.peers {
		if p.link != nil && p.sync.live && (view{p.sync.objects, p.id}).sees(e) {
			h.namesLocked(p)
			h.sendBytesLocked(p, frame)
		}
	}
}

// namesLocked tells a peer the names it does not know yet.
func (h *Host) namesLocked(p *peer) {
	for all := h.state.names; p.sync.names < len(all) && p.link != nil; {
		end := min(len(all), p.sync.names+namesPerSend)
		frame := wire.Append(nil, &wire.Names{Base: uint64(p.sync.names), Names: all[p.sync.names:end]})
		p.sync.names = end
		h.sendBytesLocked(p, frame)
	}
}

// snapshotLocked sends all state: what a fresh link, an activation and a resync need.
func (h *Host) snapshotLocked(p *peer) {
	if p.link == nil {
		return
	}
	h.namesLocked(p)
	if p.link == nil {
		return
	}
	s := &h.state
	s.commitLocked()
	p.sync.live, p.sync.seq, p.sync.resync, p.sync.snapshot = true, s.seq, false, time.Now()
	for _, frame := range s.snapshotFramesLocked(s.viewLocked(p)) {
		p.link.sendLarge(frame)
	}
}

func (s *hostState) snapshotFramesLocked(v view) [][]byte {
	if made, ok := s.snapshots[v]; ok && made.version == s.version {
		return made.frames
	}
	content := wire.AppendSnapshot(nil, s.wireLocked(v))
	frames := [][]byte{wire.Append(nil, &wire.SnapBegin{Seq: s.seq, Size: uint64(len(content))})}
	for part := range slices.Chunk(content, wire.MaxPart) {
		frames = append(frames, wire.Append(nil, &wire.SnapPart{Data: part}))
	}
	frames = append(frames, wire.Append(nil, &wire.SnapEnd{CRC: wire.CRC(content)}))
	maps.DeleteFunc(s.snapshots, func(_ view, old sharedSnapshot) bool { return old.version != s.version })
	s.snapshots[v] = sharedSnapshot{s.version, frames}
	return frames
}

func (s *hostState) wireLocked(v view) []wire.Entity {
	var all []wire.Entity
	for _, e := range s.sortedLocked() {
		if v.sees(e) {
			all = append(all, e.wireEntity())
		}
	}
	return all
}

// deltaKey names a delta that several peers need.
type deltaKey struct {
	from uint64
	view view
}

// replicateLocked sends what changed since the last tick. A peer that reads slowly is left out and gets the newest
// values when it has room: a delta from any state is made of what changed since.
func (h *Host) replicateLocked(now time.Time) {
	s := &h.state
	s.commitLocked()
	check := now.Sub(h.lastCheck) >= checkEvery
	if check {
		h.lastCheck = now
	}
	made := map[deltaKey][][]byte{}
	sums := map[view][]byte{}
	for _, p := range h.peers {
		if p.link == nil || !p.sync.live {
			continue
		}
		if p.sync.resync && now.Sub(p.sync.snapshot) >= resyncPause {
			h.snapshotLocked(p)
			continue
		}
		if p.link.lagging(now) {
			continue
		}
		if p.sync.seq < s.seq {
			key := deltaKey{p.sync.seq, s.viewLocked(p)}
			frames, ok := made[key]
			if !ok {
				frames = s.deltaLocked(key)
				made[key] = frames
			}
			h.namesLocked(p)
			p.sync.seq = s.seq
			for _, frame := range frames {
				if p.link != nil {
					p.link.sendLarge(frame) // never more than one at a time: see lagging
				}
			}
		}
		if check && p.sync.objects && p.link != nil {
			v := s.viewLocked(p)
			if sums[v] == nil {
				sums[v] = wire.Append(nil, &wire.Check{Seq: s.seq, CRC: wire.Checksum(s.wireLocked(v))})
			}
			h.sendBytesLocked(p, sums[v])
		}
	}
}

// commitLocked makes a new state of what has changed.
func (s *hostState) commitLocked() {
	if len(s.dirty) == 0 {
		return
	}
	s.before, s.recent, s.dirty = s.seq, s.dirty, map[wire.Target]bool{}
	s.seq++
	s.version++
}

// deltaLocked is what leads from the state key.from to the present one.
func (s *hostState) deltaLocked(key deltaKey) [][]byte {
	var changed []*entity
	if key.from == s.before {
		for t := range s.recent {
			if e := s.entities[t]; e != nil {
				changed = append(changed, e)
			}
		}
		slices.SortFunc(changed, func(a, b *entity) int { return int(a.target) - int(b.target) })
	} else {
		changed = slices.DeleteFunc(s.sortedLocked(), func(e *entity) bool { return e.changed <= key.from })
	}
	var frames [][]byte
	var part wire.Delta
	size := 0
	cutHere := func(seq uint64) {
		part.Prev, part.Seq = key.from, seq
		frames = append(frames, wire.Append(nil, &part))
		part, size = wire.Delta{}, 0
	}
	for _, e := range changed {
		if !key.view.sees(e) {
			continue
		}
		change := wire.Change{Target: e.target}
		for _, f := range e.fields {
			if f.changed <= key.from {
				continue
			}
			change.Fields = append(change.Fields, wire.Field{Name: f.name, Removed: f.removed, Raw: f.raw})
			if size += len(f.raw) + 8; size > deltaTarget {
				part.Changes = append(part.Changes, change)
				change.Fields = nil
				cutHere(key.from)
			}
		}
		size += 16
		if len(change.Fields) > 0 || e.target.Kind() == wire.KindPlayer { // a PlayerState may be new and empty
			part.Changes = append(part.Changes, change)
		}
	}
	cutHere(s.seq)
	return frames
}
