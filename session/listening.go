package session

import (
	"net/netip"

	"conch/session/wire"
)

// StopListening closes every listener but the first, and takes those who did not come from this computer out of the
// session.
func (h *Host) StopListening(reason string) {
	h.listening.keepFirst()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.sortedLocked() {
		if h.phase == phaseActive && !p.addr.IsLoopback() {
			h.endLocked(p, CloseKicked, "kicked", cut(reason, wire.MaxText))
		}
	}
}

// Listening are the addresses where the host listens, the first one first.
func (h *Host) Listening() []netip.AddrPort {
	l := &h.listening
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []netip.AddrPort
	for _, n := range l.listeners {
		if a, err := netip.ParseAddrPort(n.Addr().String()); err == nil {
			all = append(all, a)
		}
	}
	return all
}

func (l *listening) keepFirst() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range l.listeners[min(1, len(l.listeners)):] {
		n.Close() // its Serve ends
	}
	l.listeners = l.listeners[:min(1, len(l.listeners))]
}
