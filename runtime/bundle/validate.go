package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/mod/semver"

	"conch/consent/hostlist"
)

// Sizes of a window, in CSS pixels.
const (
	minWindow = 64
	maxWindow = 16384
)

var (
	idPattern         = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$`)
	backgroundPattern = regexp.MustCompile(`^#[0-9A-Fa-f]{6}$`)
	prefixPattern     = regexp.MustCompile(`^/([A-Za-z0-9._~-]+/)+$`)
)

// validate checks what the types cannot say and canonicalises the network settings in place.
func (d *decoder) validate(m *Manifest) hostlist.List {
	if _, ok := d.positions[""]; !ok {
		return hostlist.List{} // not an object; already reported
	}
	switch {
	case !d.has("format"):
		d.add("format", `is missing; write "format": 1`)
	case d.at("format") && m.Format != 1:
		d.add("format", fmt.Sprintf("%d is not known to this Conch; it reads format 1", m.Format))
	}
	if d.at("id") && !idPattern.MatchString(m.ID) {
		d.add("id", `must be letters, digits, dots, hyphens and underscores, at most 100, for example "com.example.mygame"`)
	}
	d.text("name", m.Name, 100)
	d.text("version", m.Version, 64)
	m.Entry = d.file("entry", strings.TrimSuffix(m.Entry, "/"))
	m.Icon = d.file("icon", m.Icon)
	if d.at("icon") && !strings.EqualFold(path.Ext(m.Icon), ".png") {
		d.add("icon", "must be a .png file")
	}
	d.app(m.App)
	d.window(m.Window)
	d.web(m.Web)
	d.update(m)
	return d.network(&m.Network)
}

// has reports whether the setting is there at all.
func (d *decoder) has(setting string) bool {
	_, ok := d.positions[setting]
	return ok
}

func (d *decoder) text(setting, s string, limit int) {
	if !d.at(setting) {
		return
	}
	if n := utf8.RuneCountInString(s); n > limit {
		d.add(setting, fmt.Sprintf("is %d characters long; at most %d", n, limit))
	}
	if cleanTitle(s) != strings.Join(strings.Fields(s), " ") {
		d.add(setting, "contains control or text-direction characters; remove them")
	}
}

// file checks the name of a file in the bundle and returns it without a leading "./".
func (d *decoder) file(setting, name string) string {
	if !d.at(setting) {
		return name
	}
	if strings.Contains(name, `\`) {
		d.add(setting, fmt.Sprintf("write folders with /: %s", quoted(strings.ReplaceAll(name, `\`, "/"))))
		return name
	}
	name = strings.TrimPrefix(name, "./")
	if !fs.ValidPath(name) || name == "." {
		d.add(setting, "must be a file inside the game, without .. and without a leading /")
	}
	return name
}

func (d *decoder) app(a App) {
	d.text("app.company", a.Company, 100)
	d.text("app.copyright", a.Copyright, 200)
	d.text("app.description", a.Description, 300)
	d.choices("app.categories", a.Categories, Categories, "category")
}

// choices checks a list of texts that are all of a known set and not there twice.
func (d *decoder) choices(setting string, list, known []string, what string) {
	for i, s := range list {
		item := fmt.Sprintf("%s[%d]", setting, i)
		switch {
		case !slices.Contains(known, s):
			d.add(item, fmt.Sprintf("%q is not a %s; there are %s", clip(s, 60), what, quoteList(known)))
		case slices.Index(list, s) < i:
			d.add(item, fmt.Sprintf("%q is listed twice; remove one", s))
		}
	}
}

func (d *decoder) window(w Window) {
	d.text("window.title", w.Title, 200)
	for _, s := range []struct {
		name        string
		n, smallest int
	}{
		{"window.width", w.Width, minWindow}, {"window.height", w.Height, minWindow},
		{"window.minWidth", w.MinWidth, 0}, {"window.minHeight", w.MinHeight, 0},
	} {
		if d.at(s.name) && (s.n < s.smallest || s.n > maxWindow) {
			d.add(s.name, fmt.Sprintf("must be from %d to %d", s.smallest, maxWindow))
		}
	}
	if d.at("window.minWidth") && w.MinWidth > w.Width {
		d.add("window.minWidth", fmt.Sprintf("is larger than the width, %d", w.Width))
	}
	if d.at("window.minHeight") && w.MinHeight > w.Height {
		d.add("window.minHeight", fmt.Sprintf("is larger than the height, %d", w.Height))
	}
	if d.at("window.background") && !backgroundPattern.MatchString(w.Background) {
		d.add("window.background", `must be a colour like "#1a2b3c"`)
	}
}

func (d *decoder) web(w Web) {
	if d.at("web.isolation") && !slices.Contains(Isolations, w.Isolation) {
		d.add("web.isolation", "must be one of "+quoteList(Isolations))
	}
	if i := slices.Index(w.Permissions, "gamepad"); i >= 0 {
		d.add(fmt.Sprintf("web.permissions[%d]", i), "gamepads always work; remove it")
		return
	}
	d.choices("web.permissions", w.Permissions, Permissions, "permission")
}

// ParseVersion reads the version of a game that takes part in updates: three numbers and perhaps a pre-release and a
// build, as semver.org has them, at most 64 characters. What it returns orders with package semver.
func ParseVersion(s string) (string, error) {
	v := "v" + s
	if len(s) > 64 || !semver.IsValid(v) || semver.Canonical(v)+semver.Build(v) != v {
		return "", fmt.Errorf(`version %q: must have three numbers, such as "1.2.0" or "1.2.0-beta.1"`, clip(s, 64))
	}
	return v, nil
}

func (d *decoder) update(m *Manifest) {
	if !d.at("update.feed") {
		return
	}
	t, err := hostlist.ParseHTTPS(m.Update.Feed)
	var te *hostlist.TargetError
	if errors.As(err, &te) {
		d.add("update.feed", te.Reason)
	} else {
		m.Update.Feed = t.WebURL()
	}
	if _, err := ParseVersion(m.Version); err != nil {
		d.add(d.firstOf("version", "update.feed"), fmt.Sprintf(`with update.feed the version must have three numbers, such as "1.2.0"; it is %s`, quoted(clip(m.Version, 64))))
	}
}

// firstOf is setting when it is there, else the other one.
func (d *decoder) firstOf(setting, other string) string {
	if d.has(setting) {
		return setting
	}
	return other
}

func (d *decoder) network(n *Network) hostlist.List {
	hosts, err := hostlist.ParseList(n.AllowedHosts)
	d.patterns("network.allowedHosts", err)
	if origin, reason := checkOrigin(n.Origin); d.at("network.origin") {
		if reason != "" {
			d.add("network.origin", reason)
		}
		n.Origin = origin
	}
	n.WebHosts = d.webHosts(n.WebHosts)
	for _, prefix := range slices.Sorted(maps.Keys(n.Proxy)) {
		setting := fmt.Sprintf("network.proxy[%q]", prefix)
		to, reason := checkProxy(prefix, n.Proxy[prefix], hosts)
		if reason != "" {
			d.add(setting, reason)
		}
		n.Proxy[prefix] = to
	}
	return hosts
}

// patterns reports the bad lines of a host list, each at its own place.
func (d *decoder) patterns(setting string, err error) {
	for _, e := range unjoin(err) {
		var pe *hostlist.PatternError
		if !errors.As(e, &pe) {
			continue
		}
		item := fmt.Sprintf("%s[%d]", setting, pe.Line-1)
		if _, ok := d.positions[item]; ok {
			d.addItem(item, setting, fmt.Sprintf("%q: %s", pe.Text, pe.Reason))
			continue
		}
		d.add(setting, pe.Error())
	}
}

// addItem reports a mistake at one element but names the setting as the author knows it.
func (d *decoder) addItem(item, setting, text string) {
	d.add(item, text)
	d.errs[len(d.errs)-1].Setting = setting
}

func unjoin(err error) []error {
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		return j.Unwrap()
	}
	return nil
}

// webHosts checks the hosts that pages may load from. They end in a Content-Security-Policy, which can name neither
// addresses nor, for https, any use of another port.
func (d *decoder) webHosts(lines []string) []string {
	hosts := []string{}
	for i, line := range lines {
		item := fmt.Sprintf("network.webHosts[%d]", i)
		list, err := hostlist.ParseList([]string{line})
		var pe *hostlist.PatternError
		if errors.As(err, &pe) {
			d.addItem(item, "network.webHosts", fmt.Sprintf("%q: %s", pe.Text, pe.Reason))
			continue
		}
		for _, p := range list.Patterns() {
			host, reason := webHost(p)
			if reason != "" {
				d.addItem(item, "network.webHosts", fmt.Sprintf("%q: %s", p, reason))
				continue
			}
			hosts = append(hosts, host)
		}
	}
	return hosts
}

func webHost(p string) (host, reason string) {
	if strings.HasPrefix(p, "[") {
		return "", "write a host name; pages load over https from names only"
	}
	host, port, _ := strings.Cut(p, ":")
	bare := strings.TrimPrefix(host, "*.")
	t, err := hostlist.ParseTarget("wss://" + bare)
	switch {
	case err != nil || t.IP.IsValid() || t.Local():
		return "", "write a host name; pages load over https from names only"
	case port != "" && port != "443":
		return "", fmt.Sprintf("pages load over https on port 443 only; write %q", host)
	case !strings.Contains(bare, "."):
		return "", "write the full host name"
	}
	return host, ""
}

// checkOrigin canonicalises network.origin: https://host[:port], or http:// to this computer, without a path.
func checkOrigin(s string) (origin, reason string) {
	const form = `must be like "https://game.example.net", without a path`
	scheme, rest, ok := strings.Cut(s, "://")
	if s == "" {
		return "", ""
	}
	if !ok || strings.ContainsAny(rest, "/?#") {
		return s, form
	}
	t, reason := webTarget(scheme, rest)
	if reason != "" {
		return s, reason
	}
	return strings.ToLower(scheme) + "://" + t.HostPort(), ""
}

// checkProxy checks one entry of network.proxy and canonicalises its server.
func checkProxy(prefix, server string, hosts hostlist.List) (to, reason string) {
	if !prefixPattern.MatchString(prefix) || strings.Contains(prefix, "/./") || strings.Contains(prefix, "/../") {
		return server, `the path must start and end with / and have a name between, for example "/socket.io/"`
	}
	if strings.HasPrefix(prefix, "/__conch/") {
		return server, "paths under /__conch/ belong to Conch"
	}
	scheme, rest, ok := strings.Cut(server, "://")
	if !ok || strings.ContainsAny(rest, "/?#") {
		return server, fmt.Sprintf(`%q must be a server like "https://play.example.net", without a path`, clip(server, 200))
	}
	t, reason := webTarget(scheme, rest)
	if reason != "" {
		return server, reason
	}
	if !hosts.Match(t) {
		return server, fmt.Sprintf("%s is not in network.allowedHosts; add it there", quoted(withPort(t)))
	}
	return strings.ToLower(scheme) + "://" + t.HostPort(), ""
}

// webTarget reads the host of an http(s) address by the rules for sockets, whose default ports are the same.
func webTarget(scheme, host string) (hostlist.Target, string) {
	ws := map[string]string{"https": "wss", "http": "ws"}[strings.ToLower(scheme)]
	if ws == "" {
		return hostlist.Target{}, fmt.Sprintf("the scheme must be https, not %q", clip(scheme, 20))
	}
	t, err := hostlist.ParseTarget(ws + "://" + host)
	var te *hostlist.TargetError
	if errors.As(err, &te) {
		return t, te.Reason
	}
	if t.CheckScheme() != nil {
		return t, "http is only for localhost, 127.0.0.1 and [::1]; write https"
	}
	return t, ""
}

func withPort(t hostlist.Target) string {
	if t.HostPort() == t.Host {
		return t.Host
	}
	host := strings.TrimSuffix(t.HostPort(), ":"+strconv.Itoa(int(t.Port)))
	return host + ":" + strconv.Itoa(int(t.Port))
}
