// Package hostlist decides by text alone which host a game's socket means and whether the author listed it.
//
// A [Target] is made once from a URL and is then the only value used for the match, the question to the player,
// the remembered answer and the dial, so that no two parts can read one address in two ways. A [List] holds the
// author's patterns. Nothing here resolves names or opens connections.
package hostlist

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Lengths above which an address is refused before anything else looks at it.
const (
	maxURL   = 4096 // bytes of a whole URL
	maxName  = 253  // bytes of a DNS name without the trailing dot (RFC 1035 section 2.3.4)
	maxLabel = 63   // bytes of one DNS label
)

// Target is one canonical destination of a game's socket. Two URLs that lead to the same place give equal Targets
// apart from Path, so Target is comparable and may be a map key. The zero value is no destination: it matches
// nothing and may not be dialled.
type Target struct {
	Secure bool       // wss
	Host   string     // lower-case ASCII name without trailing dot, or canonical IP text without brackets
	IP     netip.Addr // valid when Host is an IP literal; never an IPv4-mapped IPv6 address, never with a zone
	Port   uint16     // effective port, 443 or 80 when the URL names none
	Path   string     // path and query as sent, starts with "/"
}

// TargetError says why a text is not the address of a server that a game may ask for.
type TargetError struct {
	URL    string // the text as given, cut after 200 bytes
	Reason string
}

// Error quotes the address and gives the reason.
func (e *TargetError) Error() string { return fmt.Sprintf("address %q: %s", e.URL, e.Reason) }

// ParseTarget reads a WebSocket URL that is already in the plain form which a browser's URL serialiser writes:
// ws://host[:port][/path][?query] in printable ASCII. Everything that two URL parsers are known to read
// differently is refused instead of repaired: user info, fragments, backslashes, percent-encoded or non-ASCII
// hosts, short, octal and hexadecimal IPv4, zone ids, ports of other protocols (the port blocking table of
// WHATWG Fetch) and names that DNS cannot carry. Upper-case letters, zero-padded ports and one trailing dot of the
// name are canonicalised. The error is a *TargetError.
func ParseTarget(raw string) (Target, error) {
	t, reason := parseTarget(raw)
	if reason == "" {
		return t, nil
	}
	return Target{}, &TargetError{URL: clip(raw, 200), Reason: reason}
}

func parseTarget(raw string) (t Target, reason string) {
	if reason := checkText(raw); reason != "" {
		return t, reason
	}
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return t, "needs the form wss://host/path"
	}
	switch lowerASCII(scheme) {
	case "wss":
		t.Secure, t.Port = true, 443
	case "ws":
		t.Port = 80
	default:
		return t, "scheme must be wss (or ws for a server on this computer)"
	}
	authority := rest
	t.Path = "/"
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		authority, t.Path = rest[:i], rest[i:]
		if t.Path[0] == '?' {
			t.Path = "/" + t.Path
		}
	}
	if strings.Contains(authority, "@") {
		return t, "a user name or password is not allowed in the address"
	}
	host, port, hasPort, reason := splitPort(authority)
	if reason != "" {
		return t, reason
	}
	if hasPort && port != "" {
		if t.Port, reason = parsePort(port); reason != "" {
			return t, reason
		}
	}
	if badPorts[t.Port] {
		return t, fmt.Sprintf("port %d belongs to another protocol and is blocked, as in browsers", t.Port)
	}
	t.Host, t.IP, reason = parseHost(host)
	return t, reason
}

func checkText(raw string) string {
	if len(raw) > maxURL {
		return fmt.Sprintf("longer than %d bytes", maxURL)
	}
	if !utf8.ValidString(raw) {
		return "not valid UTF-8"
	}
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c < 0x21 || c == 0x7f:
			return "contains a space or a control character"
		case c >= utf8.RuneSelf:
			return "contains characters outside ASCII; a host is written in its xn-- form and a path percent-encoded, as new URL() does"
		case c == '\\':
			return `contains a backslash`
		case c == '#':
			return "a fragment (#) is not allowed in a socket address"
		}
	}
	return ""
}

// splitPort separates "host:port" and "[v6]:port". The host keeps its brackets.
func splitPort(authority string) (host, port string, hasPort bool, reason string) {
	if strings.HasPrefix(authority, "[") {
		end := strings.IndexByte(authority, ']')
		if end < 0 {
			return "", "", false, "the [ of an IPv6 address is not closed"
		}
		host, rest := authority[:end+1], authority[end+1:]
		if rest == "" {
			return host, "", false, ""
		}
		if rest[0] != ':' {
			return "", "", false, "only a port may follow the ] of an IPv6 address"
		}
		return host, rest[1:], true, ""
	}
	host, port, hasPort = strings.Cut(authority, ":")
	if strings.Contains(port, ":") {
		return "", "", false, "more than one colon after the host; an IPv6 address is written in [ ]"
	}
	return host, port, hasPort, ""
}

func parsePort(s string) (uint16, string) {
	if len(s) > 5 {
		return 0, "the port must be a number from 1 to 65535"
	}
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, "the port must be a number from 1 to 65535"
		}
	}
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || n == 0 {
		return 0, "the port must be a number from 1 to 65535"
	}
	return uint16(n), ""
}

// parseHost canonicalises a host: an IPv6 literal in brackets, a dotted IPv4 literal, or a DNS name.
func parseHost(s string) (host string, ip netip.Addr, reason string) {
	if s == "" {
		return "", ip, "the host is missing"
	}
	if s[0] == '[' {
		return parseIPv6(s)
	}
	if ip, err := netip.ParseAddr(s); err == nil && ip.Is4() {
		return ip.String(), ip, ""
	}
	host, reason = parseName(s)
	return host, netip.Addr{}, reason
}

func parseIPv6(s string) (host string, ip netip.Addr, reason string) {
	inner := strings.TrimSuffix(s[1:], "]")
	if strings.Contains(inner, "%") {
		return "", ip, "an IPv6 address with a zone id is not allowed"
	}
	ip, err := netip.ParseAddr(inner)
	if err != nil || !ip.Is6() {
		return "", netip.Addr{}, "not an IPv6 address between [ and ]"
	}
	ip = ip.Unmap()
	return ip.String(), ip, ""
}

// parseName checks and lower-cases a DNS name. Underscores are accepted because browsers accept them.
func parseName(s string) (name, reason string) {
	for i := 0; i < len(s); i++ {
		if !nameByte(s[i]) {
			return "", fmt.Sprintf("the host contains %s; a host has only letters, digits, - _ and dots", describe(s[i:]))
		}
	}
	name = strings.TrimSuffix(lowerASCII(s), ".")
	if len(name) > maxName {
		return "", fmt.Sprintf("the host is longer than %d characters", maxName)
	}
	labels := strings.Split(name, ".")
	for _, label := range labels {
		if reason := checkLabel(label); reason != "" {
			return "", reason
		}
	}
	if endsInNumber(labels[len(labels)-1]) {
		return "", "the host looks like a number; an IPv4 address is written as four decimal parts, for example 192.168.1.20"
	}
	return name, ""
}

func checkLabel(label string) string {
	if label == "" {
		return "the host has an empty part between dots"
	}
	if len(label) > maxLabel {
		return fmt.Sprintf("a part of the host is longer than %d characters", maxLabel)
	}
	if !strings.HasPrefix(label, "xn--") {
		return ""
	}
	// A label that IDNA cannot decode, or that it would encode in another way, is not one host but several.
	decoded, err := labelProfile.ToUnicode(label)
	if err != nil || decoded == "" || decoded == label {
		return fmt.Sprintf("%q is not a valid international name", label)
	}
	if encoded, err := labelProfile.ToASCII(decoded); err != nil || encoded != label {
		return fmt.Sprintf("%q is not a valid international name", label)
	}
	return ""
}

// labelProfile checks one xn-- label the way UTS 46 does for a registered name.
var labelProfile = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false),
	idna.CheckJoiners(true), idna.BidiRule())

// endsInNumber is the WHATWG URL "ends in a number" check of the last label: a browser reads such a host as IPv4.
func endsInNumber(last string) bool {
	digits := "0123456789"
	if rest, ok := strings.CutPrefix(last, "0x"); ok {
		last, digits = rest, "0123456789abcdef"
	}
	return strings.Trim(last, digits) == ""
}

// URL is the canonical address, with the default port left out and IPv6 in brackets. ParseTarget reads it back to
// the same Target.
func (t Target) URL() string { return t.Scheme() + "://" + t.HostPort() + t.Path }

// Scheme is "wss" or "ws".
func (t Target) Scheme() string {
	if t.Secure {
		return "wss"
	}
	return "ws"
}

// HostPort is what a person reads: host, [v6], and :port only when it is not the scheme's own.
func (t Target) HostPort() string {
	standard := uint16(80)
	if t.Secure {
		standard = 443
	}
	if t.Port == standard {
		return bracket(t.Host, t.IP)
	}
	return bracket(t.Host, t.IP) + ":" + strconv.Itoa(int(t.Port))
}

// Local reports whether the host is localhost, 127.0.0.1 or ::1, the only hosts that ws:// may name. A Local target
// is dialled on the loopback interface without asking DNS.
func (t Target) Local() bool {
	return t.Host == "localhost" || t.Host == "127.0.0.1" || t.Host == "::1"
}

// CheckScheme refuses ws:// to anything but a Local host.
func (t Target) CheckScheme() error {
	if t.Secure || t.Local() {
		return nil
	}
	return fmt.Errorf("ws://%s: plain ws:// is only for localhost, 127.0.0.1 and [::1]; use wss://", t.HostPort())
}

func bracket(host string, ip netip.Addr) string {
	if ip.Is6() {
		return "[" + host + "]"
	}
	return host
}

func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.'
}

// lowerASCII leaves everything but A to Z alone; strings.ToLower would turn the Kelvin sign into k.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, s)
}

// describe quotes the first character of s, escaped where it would not print.
func describe(s string) string {
	r, _ := utf8.DecodeRuneInString(s)
	return strconv.QuoteRuneToASCII(r)
}

// clip cuts s to at most n bytes on a character boundary.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
