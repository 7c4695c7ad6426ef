package hostlist

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// List is an author's list of allowed hosts, parsed. The zero value matches nothing. A List is immutable.
type List struct {
	patterns []pattern
	warnings []string
}

type pattern struct {
	wildcard bool       // *.host: any name below host, not host itself
	host     string     // canonical, without brackets
	ip       netip.Addr // valid when host is an IP literal
	port     uint16     // 0: any
}

// PatternError says what is wrong with one line of a host list and what to write instead.
type PatternError struct {
	Line   int    // 1 for the first line
	Text   string // the line without its comment, cut after 200 bytes
	Reason string
}

// Error names the line, quotes it and gives the reason.
func (e *PatternError) Error() string {
	return fmt.Sprintf("line %d: %q: %s", e.Line, e.Text, e.Reason)
}

// ParseList reads one pattern per line:
//
//	play.example.net        this host, any port
//	play.example.net:8081   this host, only that port
//	*.example.net           any subdomain, not example.net itself
//	localhost:8080          a server on the player's own machine
//	192.168.1.20, [::1]     addresses
//
// Empty lines are skipped and # starts a comment. A byte order mark before the first line, CRLF, upper case and one
// trailing dot are accepted. A line that could never match, or that would match anybody's host (* alone, a public
// suffix such as *.co.uk), is an error. All bad lines are reported: the error joins one *PatternError for each.
func ParseList(lines []string) (List, error) {
	var list List
	var errs []error
	seen := make(map[pattern]int)
	for i, line := range lines {
		if i == 0 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		line, _, _ = strings.Cut(line, "#")
		line = strings.Trim(line, " \t\r\n")
		if line == "" {
			continue
		}
		p, reason := parsePattern(line)
		if first, ok := seen[p]; ok && reason == "" {
			reason = fmt.Sprintf("the same as line %d; remove one of them", first)
		}
		if reason != "" {
			errs = append(errs, &PatternError{Line: i + 1, Text: clip(line, 200), Reason: reason})
			continue
		}
		seen[p] = i + 1
		list.patterns = append(list.patterns, p)
		if w := p.warning(); w != "" {
			list.warnings = append(list.warnings, fmt.Sprintf("line %d: %q: %s", i+1, p, w))
		}
	}
	if len(errs) > 0 {
		return List{}, errors.Join(errs...)
	}
	return list, nil
}

func parsePattern(s string) (p pattern, reason string) {
	if reason := checkPatternText(s); reason != "" {
		return p, reason
	}
	host, port, hasPort, reason := splitPort(s)
	if reason != "" {
		return p, reason
	}
	if hasPort {
		if p.port, reason = parsePatternPort(host, port); reason != "" {
			return p, reason
		}
	}
	if rest, ok := strings.CutPrefix(host, "*."); ok {
		p.wildcard, host = true, rest
	}
	if strings.Contains(host, "*") {
		return p, "* stands only at the start, as in *.example.net, and for whole names"
	}
	if p.host, p.ip, reason = parseHost(host); reason != "" {
		return p, reason
	}
	if p.ip.IsValid() {
		return p, p.checkIP()
	}
	if p.wildcard {
		return p, checkSuffix(p.host)
	}
	return p, ""
}

// checkPatternText catches what people paste into a host list that is not a host, and says what to write.
func checkPatternText(s string) string {
	if s == "*" || s == "*:*" {
		return `* alone would allow every host; list the hosts, or set "allowAnyHost" and let the player decide`
	}
	if scheme, rest, ok := strings.Cut(s, "://"); ok {
		rest = strings.TrimLeft(rest, "/")
		if i := strings.IndexAny(rest, "/?"); i >= 0 {
			rest = rest[:i]
		}
		return fmt.Sprintf("this is an address; write only the host, without %s:// and without a path: %q", clip(scheme, 20), clip(rest, 100))
	}
	if strings.Contains(s, "@") {
		return "a user name is not allowed; write only the host"
	}
	if i := strings.IndexAny(s, "/?"); i >= 0 {
		return fmt.Sprintf("a path is not allowed; write only the host: %q", clip(s[:i], 100))
	}
	if strings.ContainsAny(s, " \t,;") {
		return "one host per line"
	}
	if !utf8.ValidString(s) {
		return "not valid UTF-8"
	}
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return internationalHint(s)
		}
	}
	return ""
}

func internationalHint(s string) string {
	const text = "a name with international letters is written in its technical form"
	name := strings.TrimPrefix(s, "*.")
	ascii, err := idna.Lookup.ToASCII(name)
	if err != nil || ascii == "" {
		return text + " (xn--...)"
	}
	return fmt.Sprintf("%s: %q", text, s[:len(s)-len(name)]+ascii)
}

func parsePatternPort(host, port string) (uint16, string) {
	if port == "" || port == "*" {
		return 0, fmt.Sprintf("the port is missing; for any port write %q", clip(host, 100))
	}
	n, reason := parsePort(port)
	if reason != "" {
		return 0, reason
	}
	if badPorts[n] {
		return 0, fmt.Sprintf("port %d belongs to another protocol and is blocked, as in browsers", n)
	}
	return n, ""
}

func (p pattern) checkIP() string {
	if p.wildcard {
		return "*. goes before a name, not before an address"
	}
	if class, what := classify(p.ip); class == classNever {
		return fmt.Sprintf("%s is %s; no game may connect there", p.ip, what)
	}
	return ""
}

// checkSuffix refuses *.suffix when anybody can register a name below the suffix.
func checkSuffix(host string) string {
	if !strings.Contains(host, ".") {
		return fmt.Sprintf("*.%s would allow hosts of everybody; name the domain too, as in *.example.%s", host, host)
	}
	if suffix, icann := publicsuffix.PublicSuffix(host); icann && suffix == host {
		return fmt.Sprintf("anybody can register a name under %s; name the domain too, as in *.example.%s", host, host)
	}
	return ""
}

// warning tells about private suffixes: *.github.io is one company's domain but everybody's hosts.
func (p pattern) warning() string {
	if !p.wildcard {
		return ""
	}
	if suffix, icann := publicsuffix.PublicSuffix(p.host); !icann && suffix == p.host {
		return fmt.Sprintf("anybody can get a host under %s; list your own, as in yourname.%s", p.host, p.host)
	}
	return ""
}

// String is the canonical text of the pattern.
func (p pattern) String() string {
	s := bracket(p.host, p.ip)
	if p.wildcard {
		s = "*." + s
	}
	if p.port != 0 {
		s += ":" + strconv.Itoa(int(p.port))
	}
	return s
}

func (p pattern) match(t Target) bool {
	if p.port != 0 && p.port != t.Port {
		return false
	}
	if !p.wildcard {
		return p.host == t.Host
	}
	return !t.IP.IsValid() && strings.HasSuffix(t.Host, "."+p.host)
}

// Match reports whether a pattern names t's host and port. It says nothing about the scheme ([Target.CheckScheme])
// or about the address the name resolves to ([Target.CheckAddr]).
func (l List) Match(t Target) bool {
	for _, p := range l.patterns {
		if p.match(t) {
			return true
		}
	}
	return false
}

// Patterns returns the canonical text of each pattern, in the author's order, without comments. It is never nil, so
// that it marshals to a JSON array.
func (l List) Patterns() []string {
	texts := make([]string, 0, len(l.patterns))
	for _, p := range l.patterns {
		texts = append(texts, p.String())
	}
	return texts
}

// Warnings returns one sentence for each pattern that is allowed but wider than it looks, with its line.
func (l List) Warnings() []string { return append([]string(nil), l.warnings...) }
