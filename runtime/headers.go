package runtime

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"conch/runtime/bundle"
)

// policy is the headers of every response, whatever it is: an error, a 304 or a worker script without them would be a
// way out for the page.
type policy struct {
	names  []string
	values [][]string
}

func (p *policy) add(name, value string) {
	p.names = append(p.names, http.CanonicalHeaderKey(name))
	p.values = append(p.values, []string{value})
}

// apply sets the headers. The slices are shared by all responses: each has room for one value, so Set and Add on them
// make new ones.
func (p *policy) apply(h http.Header) {
	for i, name := range p.names {
		h[name] = p.values[i]
	}
}

// has reports whether name is one of the policy's headers.
func (p *policy) has(name string) bool { return slices.Contains(p.names, name) }

func newPolicy(b *bundle.Bundle, relayPorts []int) policy {
	web := webSources(b.Manifest.Network.WebHosts)
	var p policy
	p.add("Content-Security-Policy", contentPolicy(relayPorts, web))
	p.add("Connection-Allowlist", connectionAllowlist(relayPorts, web))
	p.add("Permissions-Policy", permissionsPolicy(b.Manifest.Web.Permissions))
	p.add("Referrer-Policy", "no-referrer")
	p.add("X-Content-Type-Options", "nosniff")
	p.add("Cross-Origin-Resource-Policy", "same-origin")
	if b.Isolated() {
		p.add("Cross-Origin-Opener-Policy", "same-origin")
		p.add("Cross-Origin-Embedder-Policy", "require-corp")
	}
	return p
}

var webHost = regexp.MustCompile(`^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$`)

// webSources turns the manifest's webHosts into CSP sources. What is not a plain host is left out: it could end the
// directive and begin another.
func webSources(hosts []string) []string {
	var out []string
	for _, h := range hosts {
		if h = strings.ToLower(strings.TrimSpace(h)); webHost.MatchString(h) {
			out = append(out, "https://"+h)
		}
	}
	return out
}

// contentPolicy lets a game do everything with its own files that a page may do, and reach nothing but this server,
// the relay and the author's web hosts.
func contentPolicy(relayPorts []int, web []string) string {
	const own = "'self' data: blob:"
	relay := make([]string, len(relayPorts))
	for i, port := range relayPorts {
		relay[i] = "ws://" + loopback(port)
	}
	hosts := strings.Join(web, " ")
	directives := [][]string{
		{"default-src", own, "'unsafe-inline' 'unsafe-eval'"},
		{"script-src", own, "'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval'", hosts},
		{"worker-src", own},
		{"connect-src", own, strings.Join(relay, " "), hosts},
		{"img-src", own, hosts},
		{"media-src", own, hosts},
		{"font-src", own, hosts},
		{"style-src", own, "'unsafe-inline'", hosts},
		{"frame-src", own},
		{"object-src", "'none'"},
		{"base-uri", "'self'"},
		{"form-action", "'self'"},
		{"frame-ancestors", "'self'"},
		{"webrtc", "'block'"},
	}
	var b strings.Builder
	for i, d := range directives {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(strings.Join(slices.DeleteFunc(d, func(s string) bool { return s == "" }), " "))
	}
	return b.String()
}

func loopback(port int) string { return "127.0.0.1:" + strconv.Itoa(port) }

// connectionAllowlist says the same once more for engines that know it; it also covers what CSP does not, such as
// WebRTC and preconnect. The relay is named without a scheme: Chromium 156 compares ws:// addresses as http:// ones,
// and a pattern that says ws:// matches nothing there.
func connectionAllowlist(relayPorts []int, web []string) string {
	var b strings.Builder
	b.WriteString("(response-origin")
	for _, port := range relayPorts {
		b.WriteString(` "*://` + loopback(port) + `"`)
	}
	for _, w := range web {
		b.WriteString(` "` + w + `"`)
	}
	b.WriteString(")")
	return b.String()
}

// powerful are the features that a page gets only when the manifest lists them (named there as here), or never.
var powerful = []string{
	"bluetooth", "browsing-topics", "camera", "captured-surface-control", "clipboard-read", "compute-pressure",
	"display-capture", "geolocation", "hid", "identity-credentials-get", "idle-detection", "local-fonts",
	"magnetometer", "microphone", "midi", "otp-credentials", "payment", "publickey-credentials-create",
	"publickey-credentials-get", "serial", "storage-access", "usb", "window-management",
}

// harmless are the features that every game has, also in frames of its own.
var harmless = []string{
	"accelerometer", "autoplay", "clipboard-write", "cross-origin-isolated", "encrypted-media", "fullscreen", "gamepad",
	"gyroscope", "keyboard-map", "picture-in-picture", "screen-wake-lock", "xr-spatial-tracking",
}

// permissionsPolicy names every powerful feature, because the window's engine grants on some systems what no policy
// refuses.
func permissionsPolicy(granted []string) string {
	var parts []string
	for _, f := range powerful {
		value := "=()"
		if slices.Contains(granted, f) {
			value = "=(self)"
		}
		parts = append(parts, f+value)
	}
	for _, f := range harmless {
		parts = append(parts, f+"=(self)")
	}
	return strings.Join(parts, ", ")
}
