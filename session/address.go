package session

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"conch/session/wire"
)

// Address is where a session host is.
type Address struct {
	Host string // a name or an IP literal without brackets
	Port int
	TLS  bool
	Code string // a join code that came with an invitation
}

// ParseAddress reads what players type and what invitations hold: host, host:port, [v6]:port, ws:// and wss:// with
// these, and http://host:port/j/CODE.
func ParseAddress(s string) (Address, error) {
	a := Address{Port: FirstPort}
	wrong := func(why string) (Address, error) { return Address{}, fmt.Errorf("address %q: %s", cut(s, 200), why) }
	rest := strings.TrimSpace(s)
	if scheme, after, ok := strings.Cut(rest, "://"); ok {
		rest = after
		switch strings.ToLower(scheme) {
		case "ws", "http":
		case "wss", "https":
			a.TLS, a.Port = true, 443
		default:
			return wrong("want host:port, ws:// or wss://")
		}
	}
	rest, path, _ := strings.Cut(rest, "/")
	switch code, invited := strings.CutPrefix(path, "j/"); {
	case invited && len(code) <= 16 && !strings.ContainsAny(code, "/?#"):
		a.Code = code
	case path != "" && "/"+path != wire.Path:
		return wrong("no path is allowed")
	}
	host, port := rest, ""
	if ip, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(rest, "["), "]")); err == nil {
		host = ip.String()
	} else if strings.Contains(rest, ":") {
		if host, port, err = net.SplitHostPort(rest); err != nil {
			return wrong("want host:port")
		}
	}
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return wrong("the port is not 1 to 65535")
		}
		a.Port = int(n)
	}
	if host == "" || len(host) > 253 || strings.ContainsFunc(host, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(".-:", r))
	}) {
		return wrong("that is no name of a computer")
	}
	a.Host = host
	return a, nil
}

// PrivateOnly allows loopback, private and link-local addresses: the player's own computer and network.
func PrivateOnly(p netip.AddrPort) error {
	if a := p.Addr(); a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() {
		return nil
	}
	return fmt.Errorf("%s is not on the local network", p.Addr())
}
