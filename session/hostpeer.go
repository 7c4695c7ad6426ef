package session

import (
	"crypto/sha256"
	"errors"
	"net/netip"
	"time"

	"conch/session/wire"
)

// peer is somebody who was let in.
type peer struct {
	id       uint64
	role     Role
	name     string
	kind     Kind
	joined   time.Time
	addr     netip.Addr
	userData []byte

	link      *link // nil while it reconnects
	dropped   time.Time
	token     [wire.TokenSize]byte
	key, old  tokenKey // old is still good until a frame came over the new link
	confirmed bool
	heard     time.Time
	pinged    time.Time
	pingSeq   uint64
	awaited   bool   // the Pong to it
	clock     Clock  // for its round trips
	queued    bool   // HostPeerConnected is queued
	announced bool   // HostPeerConnected was handled
	greeted   bool   // has its first snapshot
	reason    string // why its link was ended from here

	scene peerScene
	sync  peerSync

	calls    map[uint64]*outgoing
	nextCall uint64
	withheld []*outgoing
	lost     uint64 // calls without a result that were not sent

	frames, bytes, rpcs bucket
	overSince, overLast time.Time
	throws              bucket
	bytesIn             uint64
	bytesOut            uint64 // over links that are gone
}

func (h *Host) infoLocked(p *peer) PeerInfo {
	info := PeerInfo{Valid: true, ID: p.id, State: h.peerStateLocked(p), Role: p.role, Name: p.name, Kind: p.kind, JoinedAt: p.joined,
		Transition: p.scene.active, Addr: p.addr, UserData: p.userData, BytesIn: p.bytesIn, BytesOut: p.bytesOut, Dropped: p.lost}
	info.RTT, info.Jitter = p.clock.RTT()
	if p.link != nil {
		waiting, sent := p.link.waiting()
		info.Queued, info.BytesOut = waiting, info.BytesOut+sent
	}
	return info
}

// welcome makes a peer of a connection.
func (h *Host) welcome(c Conn, g *greeting, s *seat, r ApprovalRequest, d Decision, proof []byte) (*peer, *link, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.phase != phaseActive {
		return nil, nil, refuse("host_stopping", "the host is stopping")
	}
	if !g.end() {
		return nil, nil, errors.New("connection lost")
	}
	h.freeLocked(s)
	now := time.Now()
	p := &peer{id: s.id, role: d.Role, name: r.Name, kind: r.Kind, joined: now, addr: r.Addr, userData: r.UserData}
	if p.role != RolePlayer && p.role != RoleSpectator {
		p.role = RolePlayer
		if r.Spectator {
			p.role = RoleSpectator
		}
	}
	h.equipLocked(p, now)
	h.peers[p.id] = p
	h.state.playerLocked(p.id, d.PlayerState)
	l := h.attachLocked(p, c, now, false, proof)
	h.announceLocked(p)
	h.saveSoonLocked()
	return p, l, nil
}

func (h *Host) announceLocked(p *peer) {
	p.queued = true
	h.queue.push(item{event: HostPeerConnected{h.infoLocked(p)}, after: func() { h.announced(p) }})
}

func (h *Host) equipLocked(p *peer, now time.Time) {
	p.calls = map[uint64]*outgoing{}
	p.frames = newBucket(h.Rates.Frames, h.Rates.FramesBurst, now)
	p.bytes = newBucket(h.Rates.Bytes, h.Rates.BytesBurst, now)
	p.rpcs = newBucket(h.Rates.Calls, h.Rates.CallsBurst, now)
	p.throws = newBucket(1, 10, now)
	h.newTokenLocked(p)
}

// attachLocked gives a peer its link and says welcome.
func (h *Host) attachLocked(p *peer, c Conn, now time.Time, resumed bool, proof []byte) *link {
	l := newLink(c)
	p.link, p.heard, p.pinged, p.confirmed, p.reason = l, now, now, false, ""
	p.sync = peerSync{}
	role := wire.RolePlayer
	if p.role == RoleSpectator {
		role = wire.RoleSpectator
	}
	l.send(wire.Append(nil, &wire.Welcome{ID: p.id, Session: h.session, Token: p.token, Role: role, Resumed: resumed, Proof: proof,
		HostMicros: uint64(h.micros(now)), TickHz: uint64(h.TickHz), Limits: h.limits()}))
	h.connections.Go(func() { l.run(h.done) })
	return l
}

func (h *Host) limits() wire.Limits {
	r := h.Rates
	return wire.Limits{Args: uint64(h.MaxArgs), Message: uint64(maxMessage - defaultArgs + h.MaxArgs),
		Frames: uint64(r.Frames), FramesBurst: uint64(r.FramesBurst), Bytes: uint64(r.Bytes), BytesBurst: uint64(r.BytesBurst),
		Calls: uint64(r.Calls), CallsBurst: uint64(r.CallsBurst), PingMillis: uint64(pingEvery.Milliseconds()),
		TimeoutMillis: uint64(h.patience(silenceTimeout).Milliseconds()), ResumeMillis: uint64(resumeWindow.Milliseconds()),
		CallsInFlight: maxCallsInFlight}
}

// announced runs when HostPeerConnected was handled: the PlayerState is set up now.
func (h *Host) announced(p *peer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p.announced = true
	h.greetLocked(p)
}

// greetLocked gives a peer its first snapshot and, if there is one, the scene.
func (h *Host) greetLocked(p *peer) {
	if p.link == nil || p.greeted || h.peers[p.id] != p || h.phase != phaseActive {
		return
	}
	p.greeted = true
	h.bringUpLocked(p)
}

// bringUpLocked tells a peer with a fresh link where the session is.
func (h *Host) bringUpLocked(p *peer) {
	switch t := h.scenes.current; {
	case p.sync.objects: // has all
	case t == nil: // a session without scenes
		p.sync.objects = true
		h.snapshotLocked(p)
		h.flushWithheldLocked(p)
	case t.done && p.scene.loaded == t.id: // resumed in the scene
		h.activateLocked(p, t)
	default:
		h.snapshotLocked(p)
		if p.scene.loaded != t.id {
			h.loadLocked(p, t)
		}
		h.flushWithheldLocked(p)
	}
}

// resume gives a peer its new connection.
func (h *Host) resume(c Conn, g *greeting, a *wire.Auth) (*peer, *link, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.phase != phaseActive {
		return nil, nil, refuse("host_stopping", "the host is stopping")
	}
	var token [wire.TokenSize]byte
	copy(token[:], a.Resume)
	key := keyOf(token) // a digest, so that the time of the lookup tells nothing about tokens
	p := h.tokens[key]
	if p == nil && len(a.Resume) == wire.TokenSize {
		p = h.restorePeerLocked(key, c.RemoteAddr().Addr())
	}
	if p == nil || len(a.Resume) != wire.TokenSize {
		return nil, nil, refuse("bad_token", "the host does not know this player any more")
	}
	if h.queue.full() {
		return nil, nil, &refusal{"rate_limited", "the host does not keep up", time.Second}
	}
	if !g.end() {
		return nil, nil, errors.New("connection lost")
	}
	now := time.Now()
	away := p.link == nil
	if !away {
		h.detachLocked(p, CloseReplaced, "replaced", "the player came back over another connection")
	}
	h.rotateLocked(p, key)
	l := h.attachLocked(p, c, now, true, nil)
	switch {
	case !p.queued: // of an earlier run of this program
		h.announceLocked(p)
	case away:
		h.queue.push(item{event: HostPeerResumed{p.id}})
	}
	h.saveSoonLocked()
	if p.greeted {
		h.loadedLocked(p, &wire.Loaded{Transition: a.Loaded, OK: true}) // the frame may have got lost
		h.bringUpLocked(p)
	}
	return p, l, nil
}

// tokenKey is the digest of a token. Tokens themselves are in Welcomes only.
type tokenKey [sha256.Size]byte

func keyOf(token [wire.TokenSize]byte) tokenKey { return sha256.Sum256(token[:]) }

func (h *Host) newTokenLocked(p *peer) {
	p.token = newToken()
	p.key = keyOf(p.token)
	h.tokens[p.key] = p
}

// rotateLocked makes a new token. The one that was used stays good until the new link was heard from.
func (h *Host) rotateLocked(p *peer, used tokenKey) {
	if p.key != used {
		delete(h.tokens, p.key) // the welcome with it got lost
	}
	p.old = used
	h.tokens[used] = p
	h.newTokenLocked(p)
}

// detachLocked ends a peer's link with last words and leaves the peer.
func (h *Host) detachLocked(p *peer, code int, bye, text string) {
	l := p.link
	if l == nil {
		return
	}
	p.link = nil
	_, sent := l.waiting()
	p.bytesOut += sent
	l.finish(code, bye, wire.Append(nil, &wire.Bye{Code: bye, Text: cut(text, wire.MaxText)}))
	h.failCallsLocked(p, StatusUnknown, nil)
}

// read handles the messages of one connection.
func (h *Host) read(p *peer, l *link, next chan message) {
	for {
		var m message
		if next != nil {
			m = <-next
			next = nil
		} else {
			m.bytes, m.err = l.conn.Read()
		}
		if m.err != nil {
			h.lost(p, l, m.err)
			<-l.done // its last words are said
			return
		}
		h.message(p, l, m.bytes)
	}
}

// lost runs when a connection has ended.
func (h *Host) lost(p *peer, l *link, err error) {
	code := closeCode(err)
	if code == 1006 { // nobody to say anything to
		l.conn.CloseNow()
		l.finish(0, "", nil)
	} else {
		l.finish(code, "", nil) // RFC 6455 section 5.5.1: a close is answered by a close
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if p.link != l || h.peers[p.id] != p {
		return // ended from here, or replaced
	}
	p.link = nil
	_, sent := l.waiting()
	p.bytesOut += sent
	if h.phase != phaseActive {
		return
	}
	if !resumable(code) {
		reason := "protocol_error"
		if code == 1000 || code == CloseBye {
			reason = "left"
		}
		h.removeLocked(p, reason)
		return
	}
	h.dropLocked(p)
}

// dropLocked starts the time in which a peer may resume.
func (h *Host) dropLocked(p *peer) {
	p.dropped = time.Now()
	h.failCallsLocked(p, StatusUnknown, nil)
	h.queue.push(item{event: HostPeerDropped{p.id}})
	h.checkBarrierLocked()
}

// endLocked ends a peer for good, with a reason that arrives.
func (h *Host) endLocked(p *peer, code int, bye, text string) {
	h.detachLocked(p, code, bye, text)
	reason := bye
	if text != "" {
		reason += ": " + text
	}
	h.removeLocked(p, reason)
}

// removeLocked takes a peer out of the session: first out of the barrier, then its objects, then the event.
func (h *Host) removeLocked(p *peer, reason string) {
	if h.peers[p.id] != p {
		return
	}
	info := h.infoLocked(p)
	info.State = PeerGone
	delete(h.peers, p.id)
	delete(h.tokens, p.key)
	delete(h.tokens, p.old)
	h.failCallsLocked(p, StatusUnknown, nil)
	for _, c := range p.withheld {
		c.done(CallResult{Connection: p.id, Status: StatusPeerGone}, nil)
	}
	p.withheld = nil
	h.checkBarrierLocked()
	state := h.state.orphanLocked(p.id)
	h.pushGoneLocked(p, goneInfo{info, state}, reason)
	h.saveSoonLocked()
}

// pushGoneLocked tells the end of a peer, also when the host stops, if its beginning was told.
func (h *Host) pushGoneLocked(p *peer, last goneInfo, reason string) {
	if !p.queued {
		return
	}
	h.gone[p.id] = last
	h.queue.push(item{event: HostPeerDisconnected{p.id, reason}, keep: true, skip: func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return !p.announced
	}, after: func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.gone, p.id)
	}})
}

// Disconnect ends a peer for good; reason, at most 512 bytes, is told to it. It is no error when the peer has left already.
func (h *Host) Disconnect(id uint64, reason string) error {
	if id == HostID {
		return errors.New("the host cannot disconnect itself: use Stop")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.phase != phaseActive {
		return ErrNotActive
	}
	p := h.peers[id]
	if p == nil {
		h.Log.Debug("disconnect of a peer that is not here", "peer", id)
		return nil
	}
	h.endLocked(p, CloseKicked, "kicked", cut(reason, wire.MaxText))
	return nil
}
