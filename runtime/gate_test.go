package runtime

import (
	"net"
	"net/http"
	"strings"
	"testing"
)

var secretFiles = files{"game.js": "the game's bytes", "sub/index.html": plainPage}

// everyPath is one of each kind of address.
var everyPath = []string{"/", "/index.html", "/game.js", "/sub", "/sub/", "/absent", "/..%2fx", scriptPath, "/__conch/storage",
	"/__conch/log", "/__conch/crashed", "/__conch/absent", "/__conch/net/reason", "/conch.json"}

func gatedServer(t *testing.T) *player {
	s := &Server{
		Bundle: folder(t, secretFiles), SaveStorage: func([]byte) error { return nil }, Console: func(ConsoleLine) {},
	}
	s.Handle("/__conch/net/reason", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("reason")) }))
	return play(t, s)
}

func TestGateRefusesStrangers(t *testing.T) {
	g := gatedServer(t)
	host, cookie := "Host: "+g.launch.host, "Cookie: "+g.cookie
	_, port, _ := net.SplitHostPort(g.launch.host)
	tests := map[string][]string{
		"no cookie":                          {host},
		"empty cookie":                       {host, "Cookie: " + g.launch.cookie + "="},
		"wrong cookie":                       {host, "Cookie: " + g.launch.cookie + "=" + strings.Repeat("0", 64)},
		"cookie cut short":                   {host, cookie[:len(cookie)-1]},
		"cookie of another port":             {host, "Cookie: conch_1=" + g.launch.secret},
		"name in other case":                 {host, strings.ToUpper(cookie[:12]) + cookie[12:]},
		"localhost":                          {"Host: localhost:" + port, cookie},
		"rebound name":                       {"Host: evil.example:" + port, cookie},
		"no port":                            {"Host: 127.0.0.1", cookie},
		"other port":                         {"Host: 127.0.0.1:1", cookie},
		"trailing dot":                       {"Host: 127.0.0.1.:" + port, cookie},
		"other loopback":                     {"Host: 127.0.0.2:" + port, cookie},
		"decimal address":                    {"Host: 2130706433:" + port, cookie},
		"subresource of another port's page": {host, cookie, "Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: no-cors"},
		"subresource of another site":        {host, cookie, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors"},
		"upgrade without origin":             {host, cookie, "Connection: Upgrade", "Upgrade: websocket"},
		"upgrade, other origin":              {host, cookie, "Upgrade: websocket", "Origin: http://127.0.0.1:1"},
		"upgrade, origin null":               {host, cookie, "Upgrade: websocket", "Origin: null"},
		"service worker":                     {host, cookie, "Service-Worker: script", "Sec-Fetch-Dest: serviceworker"},
	}
	for name, headers := range tests {
		t.Run(name, func(t *testing.T) {
			for _, path := range everyPath {
				for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS", "DELETE"} {
					res := g.raw(method+" "+path+" HTTP/1.1", headers...)
					res.want(t, http.StatusForbidden, "")
					res.wantHeader(t, "Set-Cookie", "")
					res.wantHeader(t, "Content-Type", "")
				}
			}
		})
	}
}

func TestGateLetsThePageIn(t *testing.T) {
	g := gatedServer(t)
	tests := map[string][]string{
		"plain":                        nil,
		"among other cookies":          {"Cookie: a=b; " + g.launch.cookie + "=x; c=d"},
		"same origin":                  {"Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: no-cors"},
		"typed address":                {"Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate"},
		"navigation from another site": {"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"},
	}
	for name, headers := range tests {
		t.Run(name, func(t *testing.T) {
			g.get("/game.js", headers...).want(t, http.StatusOK, "the game's bytes")
		})
	}
	g.get("/__conch/net/reason").want(t, http.StatusOK, "reason")
}

func TestInternalEndpointsWantOurOrigin(t *testing.T) {
	g := gatedServer(t)
	tests := []struct {
		name    string
		headers []string
		status  int
	}{
		{"our origin", []string{"Origin: " + g.Origin()}, http.StatusNoContent},
		{"our origin, same site said", []string{"Origin: " + g.Origin(), "Sec-Fetch-Site: same-origin"}, http.StatusNoContent},
		{"no origin", nil, http.StatusForbidden},
		{"null", []string{"Origin: null"}, http.StatusForbidden},
		{"https", []string{"Origin: https://" + g.launch.host}, http.StatusForbidden},
		{"longer", []string{"Origin: " + g.Origin() + "0"}, http.StatusForbidden},
		{"two", []string{"Origin: " + g.Origin(), "Origin: " + g.Origin()}, http.StatusForbidden},
		{"another port's page", []string{"Origin: " + g.Origin(), "Sec-Fetch-Site: same-site"}, http.StatusForbidden},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g.do("POST", "/__conch/storage", "{}", tt.headers...).want(t, tt.status, "*")
		})
	}
	for _, site := range []string{"same-site", "cross-site", "nonsense"} {
		g.get(scriptPath, "Sec-Fetch-Site: "+site, "Sec-Fetch-Mode: navigate").want(t, http.StatusForbidden, "")
	}
}

func TestEntryAddressWorksOnce(t *testing.T) {
	g := gatedServer(t)
	host := "Host: " + g.launch.host
	path := strings.TrimPrefix(g.EntryURL(), g.Origin())

	g.raw("HEAD "+path+" HTTP/1.1", host).want(t, http.StatusForbidden, "")
	g.raw("GET "+path+" HTTP/1.1", host, "Sec-Purpose: prefetch").want(t, http.StatusForbidden, "")
	g.raw("GET "+path+" HTTP/1.1", "Host: localhost").want(t, http.StatusForbidden, "")

	res := g.raw("GET "+path+" HTTP/1.1", host, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate")
	res.want(t, http.StatusOK, "*")
	if !strings.Contains(res.body, `location.replace("/")`) {
		t.Errorf("the page does not move on: %s", res.body)
	}
	if strings.Contains(res.body, g.launch.secret) || strings.Contains(res.body, "the game's bytes") {
		t.Error("the entry page tells more than where to go")
	}
	for _, attribute := range []string{"; Path=/", "; HttpOnly", "; SameSite=Strict"} {
		if got := res.header.Get("Set-Cookie"); !strings.Contains(got, attribute) {
			t.Errorf("cookie %q lacks %q", got, attribute)
		}
	}
	res.wantHeader(t, "Cache-Control", "no-store")

	again := g.raw("GET "+path+" HTTP/1.1", host)
	again.want(t, http.StatusForbidden, "")
	again.wantHeader(t, "Set-Cookie", "")
	for _, bad := range []string{"", "?n=", "?n=x", "?x=1", path[strings.Index(path, "?"):] + "0"} {
		g.raw("GET "+enterPath+bad+" HTTP/1.1", host).want(t, http.StatusForbidden, "")
	}
	if log := g.log.String(); strings.Contains(log, path[len(path)-64:]) || strings.Contains(log, g.launch.secret) {
		t.Error("the log holds a secret")
	}
}

func TestEntryAddressesAreFreshAndBounded(t *testing.T) {
	g := gatedServer(t)
	first := strings.TrimPrefix(g.EntryURL(), g.Origin())
	seen := map[string]bool{}
	for range maxNonces {
		u := g.EntryURL()
		if seen[u] {
			t.Fatalf("twice the same address %s", u)
		}
		seen[u] = true
	}
	g.raw("GET "+first+" HTTP/1.1", "Host: "+g.launch.host).want(t, http.StatusForbidden, "")
	for u := range seen {
		g.raw("GET "+strings.TrimPrefix(u, g.Origin())+" HTTP/1.1", "Host: "+g.launch.host).want(t, http.StatusOK, "*")
	}
}

func TestCookieOfOneLaunchIsNotThatOfTheNext(t *testing.T) {
	a, b := gatedServer(t), gatedServer(t)
	if a.launch.secret == b.launch.secret || len(a.launch.secret) != 64 {
		t.Fatal("the secret is not random")
	}
	r, _ := http.NewRequest("GET", "http://127.0.0.1:1/", nil)
	r.Header.Set("Cookie", a.cookie)
	if err := a.CheckCookie(r); err != nil {
		t.Errorf("CheckCookie on another port: %v", err)
	}
	if err := a.Authorize(r); err == nil {
		t.Error("Authorize takes another Host")
	}
	if err := b.CheckCookie(r); err == nil {
		t.Error("CheckCookie takes the cookie of another launch")
	}
}

// Case B41: nothing listens anywhere but on 127.0.0.1.
func TestListensOnLoopbackOnly(t *testing.T) {
	g := gatedServer(t)
	if got := g.listener.Addr().(*net.TCPAddr).IP.String(); got != "127.0.0.1" {
		t.Errorf("listens on %s", got)
	}
	_, port, _ := net.SplitHostPort(g.launch.host)
	for _, host := range []string{"127.0.0.2", "::1"} {
		if c, err := net.Dial("tcp", net.JoinHostPort(host, port)); err == nil {
			c.Close()
			t.Errorf("%s answers", host)
		}
	}
}
