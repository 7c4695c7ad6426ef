package session

import (
	"log/slog"
	"runtime/debug"
)

// Wake gets a token when there is something for Update. It is nil before Start.
func (h *Host) Wake() <-chan struct{} {
	if h.queue == nil {
		return nil
	}
	return h.queue.wake
}

// Update hands over what happened before this call: events to Handle, calls to their handlers, outcomes to OnDone. Its
// argument, the seconds since the last call, is not used for any time of the session. A call from a handler does nothing.
func (h *Host) Update(float64) {
	if h.queue == nil || !h.updating.CompareAndSwap(false, true) {
		return
	}
	defer h.updating.Store(false)
	drain(h.queue, h.Handle, h.Log)
}

// Attach gives a running session to another owner: a page that was loaded anew. Events that were not handed over are
// dropped, and so are the handlers of calls; the new owner gets SessionStarted and a HostPeerConnected for each peer, as
// if it had been there from the start. Peers, state and scene stay as they are. It belongs to the goroutine of Update.
func (h *Host) Attach(handle func(Event)) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.phase != phaseActive {
		return ErrNotActive
	}
	h.Handle = handle
	h.handlers.clear()
	h.queue.drop(func(it item) bool { return it.event != nil })
	clear(h.gone)
	h.queue.push(item{event: SessionStarted{}})
	for _, p := range h.sortedLocked() {
		p.announced = false
		h.announceLocked(p)
	}
	return nil
}

func drain(q *queue, handle func(Event), log *slog.Logger) {
	for range q.len() {
		it, ok := q.take()
		if !ok {
			return
		}
		if it.skip != nil && it.skip() {
			continue
		}
		if it.before != nil {
			it.before()
		}
		runItem(it, handle, log)
		if it.after != nil {
			it.after()
		}
	}
}

func runItem(it item, handle func(Event), log *slog.Logger) {
	defer func() {
		if p := recover(); p != nil {
			name := "OnDone"
			if it.event != nil {
				name = eventName(it.event)
			}
			log.Error("handler panicked", "event", name, "err", p, "stack", string(debug.Stack()))
		}
	}()
	if it.run != nil {
		it.run()
	}
	if it.event != nil && handle != nil {
		handle(it.event)
	}
}
