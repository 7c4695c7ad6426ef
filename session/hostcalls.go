package session

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"conch/session/wire"
)

// OnRPC sets the function that peers may call by name; "" stands for every name without one of its own, nil takes it
// away. On an object only its owner may call it.
func (h *Host) OnRPC(name string, f Handler) { h.handlers.set(name, f, false) }

// OnRPCFromAnyone is OnRPC for a function that every peer may call on every object.
func (h *Host) OnRPCFromAnyone(name string, f Handler) { h.handlers.set(name, f, true) }

// SendRPCToConnection calls a function on a peer, or with HostID here, in the next Update.
func (h *Host) SendRPCToConnection(name string, object uint64, args []byte, id uint64) *Op[CallResult] {
	op := newOp[CallResult](h.opQueue())
	h.send(name, object, args, id, op.settle, op.onCancel)
	return op
}

// SendRPCToOwner calls a function on the owner of an object. Without an owner it fails with ErrNoOwner.
func (h *Host) SendRPCToOwner(name string, object uint64, args []byte) *Op[CallResult] {
	op := newOp[CallResult](h.opQueue())
	h.mu.Lock()
	e := h.state.entities[wire.ObjectTarget(object)]
	h.mu.Unlock()
	switch {
	case e == nil:
		op.settle(CallResult{}, ErrNoObject)
	case e.owner == 0:
		op.settle(CallResult{}, ErrNoOwner)
	default:
		h.send(name, object, args, e.owner, op.settle, op.onCancel)
	}
	return op
}

// SendRPCMulticast calls a function on several peers. It succeeds with one result per peer, in the order given without
// repetitions; failures of some do not fail it.
func (h *Host) SendRPCMulticast(name string, object uint64, args []byte, ids []uint64) *Op[[]CallResult] {
	op := newOp[[]CallResult](h.opQueue())
	var unique []uint64
	for _, id := range ids {
		if !slices.Contains(unique, id) {
			unique = append(unique, id)
		}
	}
	if len(unique) == 0 {
		op.settle([]CallResult{}, nil)
		return op
	}
	results := make([]CallResult, len(unique))
	var mu sync.Mutex
	missing := len(unique)
	for i, id := range unique {
		h.send(name, object, args, id, func(r CallResult, err error) {
			if err != nil {
				op.settle(nil, err)
				return
			}
			mu.Lock()
			results[i] = r
			missing--
			all := missing == 0
			mu.Unlock()
			if all {
				op.settle(results, nil)
			}
		}, nil)
	}
	return op
}

// SendRPCToHost always fails: the session host is here.
func (h *Host) SendRPCToHost(string, uint64, []byte) *Op[CallResult] {
	op := newOp[CallResult](h.opQueue())
	op.settle(CallResult{}, errNotClient)
	return op
}

// Relay sends a call that wants no result to ids, or to all peers but its author when ids is nil. A peer that is not
// ready for it does not get it, and one that reads slowly gets it late or loses its link. author is whose call it was.
func (h *Host) Relay(author uint64, name string, object uint64, args []byte, ids []uint64) error {
	if _, err := checkCall(name, args, wire.MaxArgs); err != nil {
		return err
	}
	if len(args) > h.MaxArgs {
		return ErrTooLarge
	}
	var frame []byte
	if author == HostID {
		frame = wire.Append(nil, &wire.RPC{Object: object, Name: name, Args: args})
	} else {
		frame = wire.Append(nil, &wire.Relayed{From: author, Object: object, Name: name, Args: args})
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.phase != phaseActive {
		return ErrNotActive
	}
	if ids == nil {
		for _, p := range h.peers {
			if p.id != author {
				h.relayLocked(p, object, frame)
			}
		}
		return nil
	}
	for _, id := range ids {
		if p := h.peers[id]; p != nil {
			h.relayLocked(p, object, frame)
		}
	}
	return nil
}

func (h *Host) relayLocked(p *peer, object uint64, frame []byte) {
	if !h.readyLocked(p, object) {
		p.lost++
		return
	}
	h.sendBytesLocked(p, frame)
}

// opQueue is where outcomes are told; before Start nobody will ask.
func (h *Host) opQueue() *queue {
	if h.queue == nil {
		return newQueue()
	}
	return h.queue
}

// send makes one call. done is called once, maybe before send returns, and possibly with h.mu held.
func (h *Host) send(name string, object uint64, args []byte, id uint64, done func(CallResult, error), cancel func(func() bool)) {
	status, err := checkCall(name, args, h.MaxArgs)
	if err != nil {
		done(CallResult{}, err)
		return
	}
	args = bytes.Clone(args)
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.peers[id]
	switch {
	case h.phase != phaseActive:
		done(CallResult{}, ErrNotActive)
	case status != StatusOK:
		done(CallResult{Connection: id, Status: status}, nil)
	case object != 0 && h.state.entities[wire.ObjectTarget(object)] == nil:
		done(CallResult{Connection: id, Status: StatusNoObject}, nil)
	case id == HostID:
		c := &Call{Name: name, Object: object, From: HostID, Args: args, answer: func(s Status, value []byte) {
			done(CallResult{Connection: id, Status: s, Value: value}, nil)
		}}
		h.queueCallLocked(nil, c)
	case p == nil:
		done(CallResult{Connection: id, Status: StatusPeerGone}, nil)
	case len(p.calls)+len(p.withheld) >= maxCallsInFlight:
		done(CallResult{Connection: id, Status: StatusQueueFull}, nil)
	default:
		now := time.Now()
		c := &outgoing{object: object, name: name, args: args, at: now, until: now.Add(callTimeout), done: done}
		if h.readyLocked(p, object) {
			h.startLocked(p, c)
			return
		}
		p.withheld = append(p.withheld, c)
		if cancel != nil {
			cancel(func() bool { return h.cancelCall(p, c) })
		}
	}
}

// readyLocked says whether a peer takes calls on object now: it has its first snapshot, and for objects its scene.
func (h *Host) readyLocked(p *peer, object uint64) bool {
	t := h.scenes.current
	return p.link != nil && p.greeted && (object == 0 || p.sync.objects && (t == nil || p.scene.loaded == t.id))
}

func (h *Host) startLocked(p *peer, c *outgoing) {
	p.nextCall++
	c.id = p.nextCall
	p.calls[c.id] = c
	h.sendLocked(p, &wire.RPC{Call: c.id, Object: c.object, Name: c.name, Args: c.args})
	c.args = nil
}

// flushWithheldLocked makes the calls that a peer was not ready for.
func (h *Host) flushWithheldLocked(p *peer) {
	all := p.withheld
	p.withheld = nil
	for _, c := range all {
		switch {
		case !h.readyLocked(p, c.object):
			p.withheld = append(p.withheld, c)
		case c.object != 0 && h.state.entities[wire.ObjectTarget(c.object)] == nil:
			c.done(CallResult{Connection: p.id, Status: StatusNoObject}, nil)
		default:
			h.startLocked(p, c)
		}
	}
}

func (h *Host) cancelCall(p *peer, c *outgoing) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.Index(p.withheld, c)
	if i < 0 {
		return false
	}
	p.withheld = slices.Delete(p.withheld, i, i+1)
	c.done(CallResult{}, errCancelled)
	return true
}

func (h *Host) expireCallsLocked(p *peer, now time.Time) {
	for id, c := range p.calls {
		if now.After(c.until) {
			delete(p.calls, id)
			c.done(CallResult{Connection: p.id, Status: StatusTimeout}, nil)
		}
	}
	p.withheld = slices.DeleteFunc(p.withheld, func(c *outgoing) bool {
		late := now.After(c.until)
		if late {
			c.done(CallResult{Connection: p.id, Status: StatusNotReady}, nil)
		}
		return late
	})
}

// failCallsLocked ends the calls that are under way; with err also those that wait.
func (h *Host) failCallsLocked(p *peer, s Status, err error) {
	for id, c := range p.calls {
		delete(p.calls, id)
		c.done(CallResult{Connection: p.id, Status: s}, err)
	}
	if err == nil {
		return
	}
	for _, c := range p.withheld {
		c.done(CallResult{}, err)
	}
	p.withheld = nil
}

// resultLocked takes a result; false when nobody waits for it.
func (h *Host) resultLocked(p *peer, f *wire.Result, now time.Time) bool {
	c := p.calls[f.Call]
	if c == nil {
		return false
	}
	delete(p.calls, f.Call)
	c.done(CallResult{Connection: p.id, Status: told(f.Status), Value: f.Value, RTT: now.Sub(c.at)}, nil)
	return true
}

// callFromLocked takes a peer's call.
func (h *Host) callFromLocked(p *peer, f *wire.RPC, over bool) {
	answer := func(s Status) {
		if f.Call != 0 {
			h.sendLocked(p, &wire.Result{Call: f.Call, Status: s})
		}
	}
	switch {
	case over:
		answer(StatusRateLimited)
		return
	case len(f.Args) > h.MaxArgs:
		answer(StatusTooLarge)
		return
	}
	c := &Call{Name: f.Name, Object: f.Object, From: p.id, Args: f.Args}
	if l := p.link; f.Call != 0 {
		c.answer = func(s Status, value []byte) {
			h.mu.Lock()
			defer h.mu.Unlock()
			if p.link == l {
				h.sendLocked(p, &wire.Result{Call: f.Call, Status: s, Value: value})
			}
		}
	}
	if !h.queueCallLocked(p, c) {
		answer(StatusQueueFull)
	}
}

// queueCallLocked has a call run in Update. p is nil for a call of the host itself.
func (h *Host) queueCallLocked(p *peer, c *Call) bool {
	it := item{bytes: len(c.Args) + len(c.Name), run: func() { h.runCall(p, c) }}
	if p == nil {
		h.queue.push(it)
		return true
	}
	return h.queue.offer(it)
}

func (h *Host) runCall(p *peer, c *Call) {
	f, ok := h.handlers.find(c.Name)
	if !ok {
		c.finish(StatusNoHandler, nil)
		return
	}
	if c.Object != 0 {
		h.mu.Lock()
		e := h.state.entities[wire.ObjectTarget(c.Object)]
		allowed := e != nil && (p == nil || f.anyone || e.owner == p.id)
		h.mu.Unlock()
		switch {
		case e == nil:
			c.finish(StatusNoObject, nil)
			return
		case !allowed:
			c.finish(StatusNotOwner, nil)
			return
		}
	}
	if !c.run(f.f, h.Log) || p == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !p.throws.take(1, time.Now()) {
		h.endLocked(p, CloseKicked, "kicked", "its calls failed too often")
	}
}
