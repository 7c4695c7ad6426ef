package app

import (
	"net"
	"net/netip"
	"time"
)

// lookEvery is how often to look for addresses that came, and whether the yes stands.
const lookEvery = 5 * time.Second

// lan asks the player whether people on the network may join, and listens there after a yes, for as long as the session is
// hosted and the yes stands. The question goes with the page; the next page that takes the session asks again.
func (s *sessions) lan(h *hosted) {
	defer h.lan.Store(false)
	ctx := h.living
	log := h.log
	gate, err := s.app.asking()
	if err == nil {
		err = gate.AllowHosting(ctx)
	}
	if err != nil {
		if ctx.Err() == nil {
			log.Warn("only this computer can join the session", "err", err)
		}
		return
	}
	failed := map[netip.Addr]bool{}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if !gate.MayHost(ctx) {
			if ctx.Err() == nil {
				log.Warn("people on the network may not join any more: the permission was taken back")
				h.host.StopListening("the player of the host took the permission back")
			}
			return
		}
		for _, a := range missing(h.host.Listening(), s.addresses()) {
			if err := h.host.ListenOn(a); err == nil {
				log.Info("people on the network can join", "address", netip.AddrPortFrom(a, uint16(h.host.Port())))
			} else if !failed[a] && ctx.Err() == nil {
				failed[a] = true
				log.Warn("the session cannot be joined over this address", "address", a, "err", err)
			}
		}
		select {
		case <-tick.C:
		case <-h.forgotten:
		case <-ctx.Done():
			return
		}
	}
}

// networkAddresses are this computer's addresses on networks of the player's own: private ones, never public.
func networkAddresses() []netip.Addr {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	var own []netip.Addr
	for _, a := range all {
		if p, err := netip.ParsePrefix(a.String()); err == nil && onNetwork(p.Addr().Unmap()) {
			own = append(own, p.Addr().Unmap())
		}
	}
	return own
}

// onNetwork says whether an address is one of the player's own network: private, or link-local where no zone has to be
// known. The address at which clouds tell secrets is not.
func onNetwork(a netip.Addr) bool {
	return a.IsPrivate() && a != cloudV6 || a.Is4() && a.IsLinkLocalUnicast() && a != cloudV4
}

var cloudV4, cloudV6 = netip.MustParseAddr("169.254.169.254"), netip.MustParseAddr("fd00:ec2::254")

func missing(have []netip.AddrPort, want []netip.Addr) []netip.Addr {
	here := map[netip.Addr]bool{}
	for _, a := range have {
		here[a.Addr().Unmap()] = true
	}
	var left []netip.Addr
	for _, a := range want {
		if !here[a] {
			here[a] = true
			left = append(left, a)
		}
	}
	return left
}
