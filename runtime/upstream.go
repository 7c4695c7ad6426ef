package runtime

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxUpstreamCookies bounds the cookies kept for one upstream.
const maxUpstreamCookies = 100

// upstreams are the servers of network.proxy: games that talk http to their own origin reach them under a path. Only
// http goes here; the page script sends upgrades through the relay.
type upstreams struct {
	routes []*upstream // longest prefix first
}

// upstream is one server, seen by it as a browser that has loaded the page from it.
type upstream struct {
	prefix    string
	base      *url.URL // scheme and host only
	proxy     *httputil.ReverseProxy
	transport *http.Transport
	policy    *policy
	log       *slog.Logger

	mu   sync.Mutex // guards jar and kept
	jar  *cookiejar.Jar
	kept map[string]bool // names of cookies in the jar
}

func (u *upstreams) init(s *Server) error {
	for prefix, address := range s.Bundle.Manifest.Network.Proxy {
		base, err := url.Parse(address)
		if err != nil || base.Host == "" || (base.Scheme != "https" && base.Scheme != "http") {
			return fmt.Errorf("network.proxy %q: %q is not an http address", prefix, address)
		}
		route := &upstream{
			prefix: prefix, base: &url.URL{Scheme: base.Scheme, Host: base.Host},
			policy: &s.policy, log: s.log(), kept: map[string]bool{},
		}
		if route.jar, err = cookiejar.New(nil); err != nil {
			return err
		}
		route.transport = s.newTransport(base.Host)
		route.proxy = &httputil.ReverseProxy{
			Rewrite:        route.rewrite,
			Transport:      withoutHints{route.transport},
			FlushInterval:  -1,
			ModifyResponse: route.modify,
			ErrorHandler:   route.fail,
			ErrorLog:       slog.NewLogLogger(s.log().Handler(), slog.LevelDebug),
		}
		u.routes = append(u.routes, route)
	}
	slices.SortFunc(u.routes, func(a, b *upstream) int { return len(b.prefix) - len(a.prefix) })
	return nil
}

// newTransport reaches one upstream: no proxy from the environment, every dialled address asked for, and bodies passed
// on in the coding they come in.
func (s *Server) newTransport(host string) *http.Transport {
	var rule func(netip.Addr) error
	if s.Control != nil {
		rule = func(a netip.Addr) error { return s.Control(host, a) }
	}
	dialer := &net.Dialer{Timeout: 15 * time.Second, ControlContext: controlAddr(rule)}
	return &http.Transport{
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: s.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    15 * time.Second,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 1 << 20,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
	}
}

func (u *upstreams) close() {
	for _, r := range u.routes {
		r.transport.CloseIdleConnections()
	}
}

// serve answers when the path belongs to an upstream. Dot segments do not: they would leave the prefix on the other
// side.
func (u *upstreams) serve(w http.ResponseWriter, r *http.Request) bool {
	for _, route := range u.routes {
		if !strings.HasPrefix(r.URL.Path, route.prefix) {
			continue
		}
		if r.Header["Upgrade"] != nil || r.Method == http.MethodConnect || hasDotSegment(r.URL.Path) {
			notFound(w)
			return true
		}
		route.proxy.ServeHTTP(w, r)
		return true
	}
	return false
}

func hasDotSegment(path string) bool {
	for part := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '\\' }) {
		if part == "." || part == ".." {
			return true
		}
	}
	return false
}

// rewrite makes the request look as if the page had been loaded from the upstream. The page's cookies stay here: those
// of 127.0.0.1 belong to every program that serves there.
func (u *upstream) rewrite(p *httputil.ProxyRequest) {
	out := p.Out
	out.URL.Scheme, out.URL.Host, out.Host = u.base.Scheme, u.base.Host, u.base.Host
	out.URL.RawQuery = p.In.URL.RawQuery // as sent; the library drops what it cannot parse
	out.Header.Del("Cookie")
	if p.In.Header["Origin"] != nil {
		out.Header.Set("Origin", u.origin())
	}
	if p.In.Header["Referer"] != nil {
		out.Header.Set("Referer", u.origin()+"/")
	}
	for name := range out.Header {
		if strings.HasPrefix(name, "Sec-") || strings.HasPrefix(name, "X-Forwarded-") {
			out.Header.Del(name)
		}
	}
	for _, c := range u.cookies(out.URL) {
		out.AddCookie(c)
	}
}

func (u *upstream) origin() string { return u.base.String() }

func (u *upstream) cookies(to *url.URL) []*http.Cookie {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.jar.Cookies(to)
}

// keepCookies puts an answer's cookies into the jar; the page never sees them.
func (u *upstream) keepCookies(res *http.Response) {
	u.mu.Lock()
	defer u.mu.Unlock()
	var keep []*http.Cookie
	for _, c := range res.Cookies() {
		if !u.kept[c.Name] && len(u.kept) == maxUpstreamCookies {
			continue
		}
		u.kept[c.Name] = true
		keep = append(keep, c)
	}
	u.jar.SetCookies(res.Request.URL, keep)
}

// responseHeaders of an upstream are not passed on: they would speak for the game's origin, keep things beyond the
// launch, wipe its saves, or make the engine connect elsewhere.
var responseHeaders = []string{
	"Accept-Ch", "Alt-Svc", "Clear-Site-Data", "Critical-Ch", "Document-Policy", "Expect-Ct", "Link", "Nel",
	"Origin-Agent-Cluster", "Origin-Trial", "P3p", "Public-Key-Pins", "Refresh", "Report-To", "Reporting-Endpoints",
	"Service-Worker-Allowed", "Set-Cookie", "Set-Cookie2", "Set-Login", "Speculation-Rules", "Strict-Transport-Security",
	"Supports-Loading-Mode", "Timing-Allow-Origin", "Www-Authenticate", "X-Dns-Prefetch-Control", "X-Frame-Options",
}

func (u *upstream) modify(res *http.Response) error {
	u.keepCookies(res)
	for name := range res.Header {
		if u.policy.has(name) || slices.Contains(responseHeaders, name) ||
			strings.HasPrefix(name, "Access-Control-") || strings.HasPrefix(name, "Cross-Origin-") ||
			strings.HasPrefix(name, "Content-Security-Policy") || strings.HasPrefix(name, "Permissions-Policy") ||
			strings.HasPrefix(name, "Sec-") {
			res.Header.Del(name)
		}
	}
	u.moveLocation(res)
	return nil
}

// moveLocation keeps redirects of the upstream to itself under the game's origin. Redirects to anywhere else are left
// as they are; the page's policy refuses them.
func (u *upstream) moveLocation(res *http.Response) {
	location := res.Header.Get("Location")
	if location == "" {
		return
	}
	to, err := res.Request.URL.Parse(location)
	if err != nil || to.Scheme != u.base.Scheme || !strings.EqualFold(to.Host, u.base.Host) {
		return
	}
	to.Scheme, to.Host, to.User = "", "", nil
	// A path that begins with two slashes would name a host.
	to.Path = "/" + strings.TrimLeft(to.Path, "/")
	to.RawPath = ""
	res.Header.Set("Location", to.String())
}

func (u *upstream) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() == nil {
		u.log.Warn("proxied host not reached", "host", u.base.Host, "err", withoutURL(err))
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusBadGateway)
}

// withoutURL takes the address, which may carry a token, out of an error of net/http.
func withoutURL(err error) error {
	if e, ok := err.(*url.Error); ok {
		return e.Err
	}
	return err
}

// withoutHints hides the reverse proxy's wish for informational answers: 103 Early Hints would carry the upstream's
// headers to the engine, and the proxy forgets ours after one.
type withoutHints struct{ next http.RoundTripper }

func (t withoutHints) RoundTrip(r *http.Request) (*http.Response, error) {
	return t.next.RoundTrip(r.WithContext(plainContext{r.Context()}))
}

// plainContext ends with its parent and carries no values.
type plainContext struct{ context.Context }

func (plainContext) Value(any) any { return nil }
