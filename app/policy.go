package app

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"conch/consent/hostlist"
	"conch/netsock"
)

// socketPolicy joins the relay with the consent gate: one canonical target is made from the page's URL and is used
// for the decision, the dial and the check of every address dialled.
type socketPolicy struct{ app *App }

var _ netsock.Policy = socketPolicy{}

func (p socketPolicy) Decide(ctx context.Context, r netsock.Request) (netsock.Dial, error) {
	t, err := hostlist.ParseTarget(r.URL)
	if err != nil {
		return netsock.Dial{}, err
	}
	if t.Local() && t.Port == uint16(p.app.Server.Port()) {
		return p.upstream(t)
	}
	// Games derive the scheme from location.protocol, which is http: here: the same game on a website would use
	// wss, so a plain WebSocket to a remote host is tried that way. net.connect asks for what it gets.
	if r.Raw && !t.Secure && !t.Local() {
		t.Secure = true
		if t.Port == 80 {
			t.Port = 443
		}
	}
	gate, err := p.app.gateFor(t)
	if err != nil {
		return netsock.Dial{}, err
	}
	if err := gate.Allow(ctx, t); err != nil {
		return netsock.Dial{}, err
	}
	return dialTo(t, p.app.SocketOrigin())
}

// upstream maps a socket to the game's own address onto the server that network.proxy names for its path.
func (p socketPolicy) upstream(t hostlist.Target) (netsock.Dial, error) {
	path, query, _ := strings.Cut(t.Path, "?")
	prefix := p.prefixOf(path)
	if prefix == "" {
		return netsock.Dial{}, errors.New("the game's own address has no socket server; name one in network.proxy of conch.json")
	}
	if hasDotSegment(path) {
		return netsock.Dial{}, fmt.Errorf("a path with . or .. could leave %q of network.proxy", prefix)
	}
	u, err := url.Parse(p.app.Bundle.Manifest.Network.Proxy[prefix])
	if err != nil {
		return netsock.Dial{}, fmt.Errorf("network.proxy %q: %w", prefix, err)
	}
	scheme := "wss"
	if u.Scheme == "http" {
		scheme = "ws"
	}
	raw := scheme + "://" + u.Host + path
	if query != "" {
		raw += "?" + query
	}
	up, err := hostlist.ParseTarget(raw)
	if err != nil {
		return netsock.Dial{}, err
	}
	if err := up.CheckScheme(); err != nil {
		return netsock.Dial{}, fmt.Errorf("network.proxy %q: %w", prefix, err)
	}
	if !p.app.Bundle.Hosts.Match(up) {
		return netsock.Dial{}, fmt.Errorf("%s: named in network.proxy but not in network.allowedHosts", up.HostPort())
	}
	return dialTo(up, u.Scheme+"://"+u.Host)
}

// prefixOf is the longest prefix in network.proxy that path begins with, as for the game's http requests; "" for none.
func (p socketPolicy) prefixOf(path string) string {
	longest := ""
	for prefix := range p.app.Bundle.Manifest.Network.Proxy {
		if strings.HasPrefix(path, prefix) && len(prefix) > len(longest) {
			longest = prefix
		}
	}
	return longest
}

// plainSegments undoes the escapes that servers undo before they look at dots and slashes.
var plainSegments = strings.NewReplacer("%2e", ".", "%2E", ".", "%2f", "/", "%2F", "/", "%5c", "/", "%5C", "/")

func hasDotSegment(path string) bool {
	for part := range strings.SplitSeq(plainSegments.Replace(path), "/") {
		if part == "." || part == ".." {
			return true
		}
	}
	return false
}

// dialTo keeps the path as the page sent it: Target carries it byte for byte, whatever net/url thinks of it.
func dialTo(t hostlist.Target, origin string) (netsock.Dial, error) {
	base := t
	base.Path = "/"
	u, err := url.Parse(base.URL())
	if err != nil {
		return netsock.Dial{}, fmt.Errorf("target: %w", err)
	}
	return netsock.Dial{URL: u, Target: t.Path, Origin: origin, Control: t.CheckAddr}, nil
}

// SocketOrigin is the Origin that game servers see: the manifest's, else the game's own stable one, which keeps
// naming the game's own port when another one had to be used.
func (a *App) SocketOrigin() string {
	if o := a.Bundle.Manifest.Network.Origin; o != "" {
		return o
	}
	return a.ownOrigin()
}

// DirectHosts lists the loopback addresses the page itself may reach: the game's server and the relay ports.
func (a *App) DirectHosts() []string {
	hosts := []string{"127.0.0.1:" + strconv.Itoa(a.Server.Port())}
	for _, port := range a.Relay.PortNumbers() {
		hosts = append(hosts, "127.0.0.1:"+strconv.Itoa(port))
	}
	return hosts
}
