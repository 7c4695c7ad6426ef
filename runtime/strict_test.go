package runtime

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
)

// Pages of the shell's own run nothing inline and stand in no frame, on every kind of answer.
func TestStrictPolicy(t *testing.T) {
	s := &Server{Bundle: folder(t, files{"page.js": "js"}), Strict: true}
	s.Handle("/__conch/panic", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("on purpose") }))
	g := play(t, s)
	sum := sha256.Sum256([]byte(strictStyle))
	for name, a := range map[string]answer{
		"document": g.get("/"), "script": g.get("/page.js"), "crashed": g.get(crashedPath), "404": g.get("/absent"), "500": g.get("/__conch/panic"),
		"403":   g.raw("GET / HTTP/1.1", "Host: "+g.launch.host),
		"entry": g.raw("GET "+strings.TrimPrefix(g.EntryURL(), g.Origin())+" HTTP/1.1", "Host: "+g.launch.host),
	} {
		a.wantHeader(t, "Content-Security-Policy", "default-src 'self'; style-src 'self' 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+
			"'; object-src 'none'; frame-src 'none'; worker-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "+
			"webrtc 'block'; require-trusted-types-for 'script'")
		a.wantHeader(t, "X-Frame-Options", "DENY")
		a.wantHeader(t, "Connection-Allowlist", "(response-origin)")
		if name == "crashed" || name == "entry" {
			if strings.Contains(a.body, "<script") || strings.Contains(a.body, "onclick") || !strings.Contains(a.body, "<style>"+strictStyle+"</style>") {
				t.Errorf("%s: %s", name, a.body)
			}
		}
		if name == "entry" && !strings.Contains(a.body, `content="0;url=/"`) {
			t.Errorf("the entry page does not move on: %s", a.body)
		}
	}
	if a := g.get(crashedPath); !strings.Contains(a.body, `<a href="/">Show it again</a>`) {
		t.Errorf("crashed: %s", a.body)
	}
}

// The crash screen has a link for whoever shows it; nothing answers there.
func TestCrashScreenSettingsLink(t *testing.T) {
	g := play(t, &Server{Bundle: folder(t, nil), Settings: true})
	if a := g.get(crashedPath); !strings.Contains(a.body, `<a href="/__conch/settings">Settings</a>`) {
		t.Errorf("no link: %s", a.body)
	}
	for _, method := range []string{"GET", "POST"} {
		g.do(method, settingsPath, "", "Origin: "+g.Origin()).want(t, http.StatusNotFound, "*")
	}
	if a := play(t, &Server{Bundle: folder(t, nil)}).get(crashedPath); strings.Contains(a.body, "Settings") {
		t.Errorf("a link without settings: %s", a.body)
	}
}

func TestStop(t *testing.T) {
	g := play(t, &Server{Bundle: folder(t, secretFiles), SaveStorage: func([]byte) error { return nil }, Settings: true})
	g.get("/game.js").want(t, http.StatusOK, "the game's bytes")
	g.Stop(`The file <b>"x".js was changed.`)
	g.Stop("another reason")
	for _, path := range []string{"/", "/game.js", scriptPath, "/__conch/storage", "/absent"} {
		g.get(path).want(t, http.StatusGone, "*")
	}
	for _, a := range []answer{g.get(crashedPath), g.get("/", "Sec-Fetch-Dest: document"), g.get("/other.html", "Sec-Fetch-Dest: document")} {
		a.want(t, http.StatusOK, "*")
		if !strings.Contains(a.body, "The file &lt;b&gt;&#34;x&#34;.js was changed.") || strings.Contains(a.body, "<button") || !strings.Contains(a.body, "Settings") {
			t.Errorf("screen: %s", a.body)
		}
	}
	g.raw("GET "+crashedPath+" HTTP/1.1", "Host: "+g.launch.host).want(t, http.StatusForbidden, "")
}
