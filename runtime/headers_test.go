package runtime

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"conch/runtime/bundle"
)

// Every kind of answer carries the policy, or a page could use the one that does not.
func TestPolicyOnEveryResponse(t *testing.T) {
	s := &Server{
		Bundle:     folder(t, files{"game.js": "js", "song.ogg": "0123456789", "sub/index.html": plainPage}),
		RelayPorts: func() []int { return []int{40001, 40002} },
	}
	s.Handle("/__conch/panic", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("on purpose") }))
	g := play(t, s)
	etag := g.get("/song.ogg").header.Get("Etag")
	answers := map[string]answer{
		"200 document":     g.get("/"),
		"200 script":       g.get("/game.js"),
		"200 worker":       g.get("/game.js", "Sec-Fetch-Dest: worker"),
		"200 page script":  g.get(scriptPath),
		"200 crashed":      g.get("/__conch/crashed"),
		"200 entry":        g.raw("GET "+strings.TrimPrefix(g.EntryURL(), g.Origin())+" HTTP/1.1", "Host: "+g.launch.host),
		"206":              g.get("/song.ogg", "Range: bytes=2-3"),
		"302":              g.get("/sub"),
		"304":              g.get("/song.ogg", "If-None-Match: "+etag),
		"403 gate":         g.raw("GET / HTTP/1.1", "Host: "+g.launch.host),
		"403 entry":        g.raw("GET "+enterPath+" HTTP/1.1", "Host: "+g.launch.host),
		"403 service work": g.get("/game.js", "Service-Worker: script"),
		"404":              g.get("/absent"),
		"404 internal":     g.get("/__conch/absent"),
		"405":              g.do("DELETE", "/game.js", ""),
		"412":              g.get("/song.ogg", `If-Match: "x"`),
		"416":              g.get("/song.ogg", "Range: bytes=99-"),
		"500 panic":        g.get("/__conch/panic"),
	}
	want := map[string]string{
		"Connection-Allowlist":         `(response-origin "*://127.0.0.1:40001" "*://127.0.0.1:40002")`,
		"Referrer-Policy":              "no-referrer",
		"X-Content-Type-Options":       "nosniff",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Cross-Origin-Opener-Policy":   "",
		"Cross-Origin-Embedder-Policy": "",
		"Content-Security-Policy": "default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'; " +
			"script-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval'; worker-src 'self' data: blob:; " +
			"connect-src 'self' data: blob: ws://127.0.0.1:40001 ws://127.0.0.1:40002; " +
			"img-src 'self' data: blob:; media-src 'self' data: blob:; font-src 'self' data: blob:; " +
			"style-src 'self' data: blob: 'unsafe-inline'; frame-src 'self' data: blob:; object-src 'none'; " +
			"base-uri 'self'; form-action 'self'; frame-ancestors 'self'; webrtc 'block'",
	}
	for name, a := range answers {
		t.Run(name, func(t *testing.T) {
			if got := strconv.Itoa(a.status); got != strings.Fields(name)[0] {
				t.Errorf("status: got %s", got)
			}
			for header, value := range want {
				a.wantHeader(t, header, value)
			}
			if !strings.Contains(a.header.Get("Permissions-Policy"), "camera=()") {
				t.Errorf("Permissions-Policy: got %q", a.header.Get("Permissions-Policy"))
			}
		})
	}
}

func bundleWith(t *testing.T, manifest string) *bundle.Bundle {
	return folder(t, files{"conch.json": manifest, "a.js": "js"})
}

// Case A28: the policy lets through what the manifest permits.
func TestWebHostsInPolicy(t *testing.T) {
	g := play(t, &Server{Bundle: bundleWith(t, `{"format":1,"network":{"webHosts":["cdn.example.net","*.img.example.net"]}}`)})
	csp := g.get("/").header.Get("Content-Security-Policy")
	for _, name := range []string{"script-src", "connect-src", "img-src", "media-src", "font-src", "style-src"} {
		if d := directive(csp, name); !strings.Contains(d, " https://cdn.example.net https://*.img.example.net") {
			t.Errorf("%s: got %q", name, d)
		}
	}
	for _, name := range []string{"frame-src", "form-action", "worker-src", "default-src"} {
		if d := directive(csp, name); strings.Contains(d, "example") {
			t.Errorf("%s: got %q", name, d)
		}
	}
}

func directive(csp, name string) string {
	for d := range strings.SplitSeq(csp, "; ") {
		if strings.HasPrefix(d, name+" ") {
			return d
		}
	}
	return ""
}

func TestHostsCannotBreakOutOfPolicy(t *testing.T) {
	got := webSources([]string{"ok.example", "a b", "x;script-src *", "x,y", "'self'", "https://x", "x:8443", "*", "", "é.example", "UP.example"})
	if want := "https://ok.example https://up.example"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPermissionsOfManifest(t *testing.T) {
	p := permissionsPolicy([]string{"camera", "midi", "notifications"})
	for _, want := range []string{"camera=(self)", "midi=(self)", "microphone=()", "geolocation=()", "clipboard-read=()",
		"usb=()", "autoplay=(self)", "fullscreen=(self)", "gamepad=(self)", "screen-wake-lock=(self)"} {
		if !strings.Contains(", "+p+",", ", "+want+",") {
			t.Errorf("%s is missing in %q", want, p)
		}
	}
}

// Case B6, second half: isolation that was turned off is really off, also for files the engine has kept.
func TestIsolationOnAndOff(t *testing.T) {
	g := play(t, &Server{Bundle: bundleWith(t, `{"format":1,"web":{"isolation":"on"}}`)})
	for _, path := range []string{"/", "/a.js", "/absent", scriptPath} {
		res := g.get(path)
		res.wantHeader(t, "Cross-Origin-Opener-Policy", "same-origin")
		res.wantHeader(t, "Cross-Origin-Embedder-Policy", "require-corp")
	}
	isolated := g.get("/a.js").header.Get("Etag")
	path := g.Bundle.Path

	rewrite(t, path, "conch.json", `{"format":1,"web":{"isolation":"off"}}`)
	g = play(t, &Server{Bundle: open(t, path)})
	res := g.get("/a.js", "If-None-Match: "+isolated)
	res.want(t, http.StatusOK, "js")
	res.wantHeader(t, "Cross-Origin-Embedder-Policy", "")
}
