package hostlist

import (
	"fmt"
	"net/netip"
	"strings"
)

// addrClass is what an IP address means for the question "may a game reach it".
type addrClass int

const (
	classPublic   addrClass = iota
	classPrivate            // RFC 1918, ULA, carrier-grade NAT: the player's own network
	classLoopback           // the player's own computer
	classNever              // no game server can live there
)

// neverRanges are refused for every target. NAT64, 6to4 and the other wrappers are here because they carry an IPv4
// address of any class inside a public-looking IPv6 one.
var neverRanges = []struct {
	prefix netip.Prefix
	what   string
}{
	{netip.MustParsePrefix("0.0.0.0/8"), "an unspecified address"},
	{netip.MustParsePrefix("::/128"), "an unspecified address"},
	{netip.MustParsePrefix("224.0.0.0/4"), "a multicast address"},
	{netip.MustParsePrefix("ff00::/8"), "a multicast address"},
	{netip.MustParsePrefix("255.255.255.255/32"), "the broadcast address"},
	{netip.MustParsePrefix("240.0.0.0/4"), "a reserved address"},
	{netip.MustParsePrefix("169.254.0.0/16"), "a link-local address"},
	{netip.MustParsePrefix("fe80::/10"), "a link-local address"},
	{netip.MustParsePrefix("fec0::/10"), "a site-local address"},
	{netip.MustParsePrefix("fd00:ec2::254/128"), "a cloud metadata address"},
	{netip.MustParsePrefix("64:ff9b::/96"), "a NAT64 address"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "a NAT64 address"},
	{netip.MustParsePrefix("2002::/16"), "a 6to4 address"},
	{netip.MustParsePrefix("2001::/32"), "a Teredo address"},
	{netip.MustParsePrefix("::ffff:0:0:0/96"), "an IPv4-translated address"},
}

var (
	carrierNAT     = netip.MustParsePrefix("100.64.0.0/10")
	ipv4Compatible = netip.MustParsePrefix("::/96")
)

func classify(a netip.Addr) (class addrClass, what string) {
	if a.IsLoopback() {
		return classLoopback, "this computer"
	}
	for _, r := range neverRanges {
		if r.prefix.Contains(a) {
			return classNever, r.what
		}
	}
	if ipv4Compatible.Contains(a) {
		return classNever, "an IPv4-compatible address"
	}
	if a.IsPrivate() || carrierNAT.Contains(a) {
		return classPrivate, "a computer on your own network"
	}
	return classPublic, ""
}

// CheckAddr says whether t may be dialled at a. It is called with every address that is about to be dialled, after
// name resolution and for each retry, because a name can change its mind.
//
//   - Unspecified, multicast, broadcast, link-local (so also 169.254.169.254), reserved, NAT64, 6to4, Teredo: never.
//   - Loopback: only when t is Local or itself a loopback literal; localhost goes to 127.0.0.1 and ::1 only.
//   - Private (RFC 1918, ULA, carrier-grade NAT): only when t is an IP literal, a .local name or a single label.
//   - An IP literal goes to exactly that address.
//
// IPv4-mapped addresses count as the IPv4 address inside.
func (t Target) CheckAddr(a netip.Addr) error {
	if !a.IsValid() || a.Zone() != "" {
		return fmt.Errorf("%s: refusing to dial an address without a plain form", t.HostPort())
	}
	a = a.Unmap()
	if t.IP.IsValid() && a != t.IP {
		return fmt.Errorf("%s: refusing to dial %s instead", t.HostPort(), a)
	}
	class, what := classify(a)
	switch {
	case class == classNever:
		return fmt.Errorf("%s: %s is %s; no game may connect there", t.HostPort(), a, what)
	case t.Host == "localhost":
		if a == netip.AddrFrom4([4]byte{127, 0, 0, 1}) || a == netip.IPv6Loopback() {
			return nil
		}
		return fmt.Errorf("%s: %s is not this computer", t.HostPort(), a)
	case class == classLoopback && !t.IP.IsValid():
		return fmt.Errorf("%s points to this computer (%s); only localhost, 127.0.0.1 and [::1] may do that", t.HostPort(), a)
	case class == classPrivate && !t.ownNetwork():
		return fmt.Errorf("%s points into your own network (%s); only an address, a .local name or a name without dots may do that", t.HostPort(), a)
	}
	return nil
}

// ownNetwork reports whether the text of the host already says that it means the player's network.
func (t Target) ownNetwork() bool {
	return t.IP.IsValid() || strings.HasSuffix(t.Host, ".local") || t.Host != "" && !strings.Contains(t.Host, ".")
}

// badPorts is the port blocking table of WHATWG Fetch (83 ports).
var badPorts = func() map[uint16]bool {
	m := make(map[uint16]bool)
	for _, p := range []uint16{
		0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
		109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526,
		530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045,
		4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
	} {
		m[p] = true
	}
	return m
}()
