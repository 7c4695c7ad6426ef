package session

import (
	"time"

	"conch/session/wire"
)

// run is the host's own goroutine: it keeps all deadlines and sends state, until the host stops.
func (h *Host) run() {
	tick := time.NewTicker(time.Second / time.Duration(h.TickHz))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			h.tick(time.Now())
		case <-h.stopping:
			h.shutdown()
			return
		}
	}
}

func (h *Host) tick(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if gap := now.Sub(h.lastTick); gap > stallGap {
		h.forgiveLocked(gap, now)
	}
	h.lastTick = now
	for _, p := range h.peers {
		h.tickPeerLocked(p, now)
	}
	h.tickScenesLocked(now)
	for key, b := range h.acceptsBy {
		if now.Sub(b.at) > acceptMemory {
			delete(h.acceptsBy, key)
		}
	}
	h.replicateLocked(now)
	if now.Sub(h.lastSave) >= saveEvery {
		h.saveLocked(now)
	}
}

// forgiveLocked moves deadlines by the time that this program stood still, and forgives what has piled up since.
func (h *Host) forgiveLocked(gap time.Duration, now time.Time) {
	h.Log.Warn("the host stood still", "for", gap)
	for _, p := range h.peers {
		p.heard = p.heard.Add(gap)
		p.dropped = p.dropped.Add(gap)
		p.overLast = time.Time{}
		for _, b := range []*bucket{&p.frames, &p.bytes, &p.rpcs} {
			b.at = now
			b.fill()
		}
	}
}

func (h *Host) tickPeerLocked(p *peer, now time.Time) {
	if p.link == nil {
		switch {
		case now.Sub(p.dropped) >= resumeWindow:
			h.removeLocked(p, "connection_lost")
		default:
			h.expireCallsLocked(p, now)
		}
		return
	}
	switch {
	case now.Sub(p.heard) > h.patience(silenceTimeout):
		h.detachLocked(p, CloseTimeout, "timeout", "nothing was heard for too long")
		h.dropLocked(p)
		return
	case now.Sub(p.pinged) >= pingEvery:
		p.pinged = now
		p.pingSeq++
		p.awaited = true
		h.sendLocked(p, &wire.Ping{Seq: p.pingSeq, T0: uint64(h.micros(now))})
	}
	if !p.greeted && now.Sub(p.joined) >= greetTimeout {
		h.greetLocked(p)
	}
	h.expireCallsLocked(p, now)
}

// sendLocked queues a frame. A peer that reads too slowly loses its link, and may resume.
func (h *Host) sendLocked(p *peer, f wire.Frame) { h.sendBytesLocked(p, wire.Append(nil, f)) }

func (h *Host) sendBytesLocked(p *peer, frames []byte) {
	if p.link == nil || p.link.send(frames) {
		return
	}
	h.slowLocked(p)
}

func (h *Host) slowLocked(p *peer) {
	h.Log.Warn("peer reads too slowly", "peer", p.id)
	h.detachLocked(p, CloseSlowConsumer, "slow_consumer", "too much waited to be read")
	h.dropLocked(p)
}

// message handles one message of a peer.
func (h *Host) message(p *peer, l *link, b []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	if p.link != l {
		return // its last words were said
	}
	p.heard = now
	p.bytesIn += uint64(len(b))
	if !p.confirmed {
		p.confirmed = true
		if p.old != (tokenKey{}) {
			delete(h.tokens, p.old)
			p.old = tokenKey{}
			h.saveSoonLocked()
		}
	}
	over := !p.bytes.take(len(b), now)
	if len(b) == 0 {
		h.endLocked(p, CloseProtocol, "protocol_error", "empty message")
		return
	}
	for len(b) > 0 && p.link == l {
		raw, rest, err := wire.Next(b)
		var f wire.Frame
		if err == nil {
			f, err = raw.Parse()
		}
		if err != nil {
			h.Log.Debug("peer broke the protocol", "peer", p.id, "err", err)
			h.endLocked(p, CloseProtocol, "protocol_error", err.Error())
			return
		}
		b = rest
		h.frameLocked(p, raw, f, over, now)
	}
}

func (h *Host) frameLocked(p *peer, raw wire.Raw, f wire.Frame, over bool, now time.Time) {
	switch f := f.(type) {
	case *wire.Result:
		if h.resultLocked(p, f, now) {
			return // asked for, so not counted
		}
	case *wire.Pong:
		if f.Seq == p.pingSeq && p.awaited {
			p.awaited = false
			h.pongLocked(p, f, now)
			return
		}
	}
	over = !p.frames.take(1, now) || over
	if _, isCall := f.(*wire.RPC); isCall {
		over = !p.rpcs.take(1, now) || over
	}
	if h.overLocked(p, over, now) {
		return
	}
	switch f := f.(type) {
	case nil, *wire.Result, *wire.Pong: // may be skipped, or too late
	case *wire.Ping:
		t := uint64(h.micros(now))
		h.sendLocked(p, &wire.Pong{Seq: f.Seq, T0: f.T0, T1: t, T2: t})
	case *wire.Bye:
		h.detachLocked(p, CloseBye, "left", "")
		h.removeLocked(p, "left")
	case *wire.Loaded:
		h.loadedLocked(p, f)
	case *wire.Resync:
		p.sync.resync = p.greeted
	case *wire.RPC:
		h.callFromLocked(p, f, over)
	default:
		h.endLocked(p, CloseProtocol, "protocol_error", "a client does not send this frame")
	}
}

// overLocked keeps the account of a peer above its limits; true when it was ended for that.
func (h *Host) overLocked(p *peer, over bool, now time.Time) bool {
	if !over {
		return false
	}
	if now.Sub(p.overLast) > time.Second {
		p.overSince = now
	}
	p.overLast = now
	if now.Sub(p.overSince) < overLimitTimeout {
		return false
	}
	h.endLocked(p, CloseRateLimited, "rate_limited", "the client sent more than is allowed for too long")
	return true
}

func (h *Host) pongLocked(p *peer, f *wire.Pong, now time.Time) {
	t0 := time.Duration(f.T0) * time.Microsecond
	t3 := time.Duration(h.micros(now)) * time.Microsecond
	t1, t2 := time.Duration(f.T1)*time.Microsecond, time.Duration(f.T2)*time.Microsecond
	p.clock.Sample(t0, t1, t2, t3)
}
