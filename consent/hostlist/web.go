package hostlist

import "strings"

// ParseHTTPS reads an https address by the rules of ParseTarget: what two URL parsers could read differently is refused.
// The host is a name of the internet, or one of the three Local ones, which are for tries on one's own computer; no
// address, no .local name and no single label, so that CheckAddr lets it lead to public addresses only. WebURL of the
// Target is the canonical form. The error is a *TargetError.
func ParseHTTPS(raw string) (Target, error) {
	const scheme = "https://"
	refuse := func(reason string) (Target, error) {
		return Target{}, &TargetError{URL: clip(raw, 200), Reason: reason}
	}
	if len(raw) < len(scheme) || lowerASCII(raw[:len(scheme)]) != scheme {
		return refuse("needs the form https://host/path")
	}
	t, reason := parseTarget("wss://" + raw[len(scheme):])
	switch {
	case reason != "":
		return refuse(strings.ReplaceAll(reason, "wss://", scheme))
	case !t.Local() && t.ownNetwork():
		return refuse("the host must be a name of the internet, such as games.example.net")
	}
	return t, nil
}

// WebURL is the canonical https address of a Target that ParseHTTPS made.
func (t Target) WebURL() string { return "https://" + t.HostPort() + t.Path }
