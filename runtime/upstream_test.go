package runtime

import (
	"bufio"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

// proxied is a game whose /api/ is the far server.
func proxied(t *testing.T, far *httptest.Server, change ...func(*Server)) *player {
	t.Helper()
	b := folder(t, files{"api.txt": "file"})
	b.Manifest.Network.Proxy = map[string]string{"/api/": far.URL, "/api/v2/": "https://127.0.0.1:1"}
	s := &Server{Bundle: b, Logger: nil}
	if far.Certificate() != nil {
		s.RootCAs = x509.NewCertPool()
		s.RootCAs.AddCert(far.Certificate())
	}
	for _, c := range change {
		c(s)
	}
	return play(t, s)
}

func farServer(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	far := httptest.NewUnstartedServer(h)
	far.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	far.StartTLS()
	t.Cleanup(far.Close)
	return far
}

func TestUpstreamSeesItsOwnPage(t *testing.T) {
	type seen struct {
		method, uri, host, body string
		header                  http.Header
	}
	got := make(chan seen, 1)
	far := farServer(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got <- seen{r.Method, r.RequestURI, r.Host, string(b), r.Header}
		w.WriteHeader(http.StatusCreated)
		io.WriteString(w, "made")
	})
	g := proxied(t, far)
	res := g.do("POST", "/api/socket.io/?EIO=4&t=a;b&x=%zz", "40", "Origin: "+g.Origin(), "Referer: "+g.Origin()+"/secret", "Accept-Encoding: gzip",
		"Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: cors", "X-Forwarded-For: 1.2.3.4", "X-Custom: kept", "Content-Type: text/plain")
	res.want(t, http.StatusCreated, "made")
	s := <-got
	host := strings.TrimPrefix(far.URL, "https://")
	if s.method != "POST" || s.uri != "/api/socket.io/?EIO=4&t=a;b&x=%zz" || s.host != host || s.body != "40" {
		t.Errorf("got %+v", s)
	}
	want := map[string]string{"Origin": far.URL, "Referer": far.URL + "/", "Cookie": "", "X-Forwarded-For": "", "Sec-Fetch-Site": "",
		"X-Custom": "kept", "Accept-Encoding": "gzip", "Content-Type": "text/plain", "Forwarded": ""}
	for name, value := range want {
		if v := s.header.Get(name); v != value {
			t.Errorf("%s: got %q, want %q", name, v, value)
		}
	}
	if strings.Contains(fmt.Sprint(s.header), g.launch.secret) || strings.Contains(fmt.Sprint(s.header), g.launch.host) {
		t.Errorf("the upstream learns of the launch: %v", s.header)
	}

	g.get("/api/x")
	if s := <-got; s.header.Get("Origin") != "" || s.header.Get("Referer") != "" {
		t.Errorf("plain GET: got %v", s.header)
	}
}

func TestUpstreamCannotSpeakForTheOrigin(t *testing.T) {
	bad := map[string]string{
		"Content-Security-Policy": "default-src *", "Content-Security-Policy-Report-Only": "default-src *; report-uri https://evil.example",
		"Access-Control-Allow-Origin": "*", "Strict-Transport-Security": "max-age=1", "Cross-Origin-Resource-Policy": "cross-origin",
		"Cross-Origin-Opener-Policy": "unsafe-none", "Permissions-Policy": "camera=*", "Referrer-Policy": "unsafe-url", "Clear-Site-Data": `"*"`,
		"Link": "<https://evil.example>; rel=preconnect", "Service-Worker-Allowed": "/", "Alt-Svc": `h3=":443"`, "Refresh": "0;url=https://evil.example",
		"Connection-Allowlist": "(*)", "Set-Cookie": "a=b", "X-Content-Type-Options": "x", "Speculation-Rules": `"https://evil.example"`,
		"Www-Authenticate": "Basic", "Nel": "{}", "Report-To": "{}",
	}
	far := farServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "<https://evil.example>; rel=preconnect")
		w.WriteHeader(http.StatusEarlyHints)
		for name, value := range bad {
			w.Header().Set(name, value)
		}
		w.Header().Set("X-Game", "kept")
		w.Header().Set("Etag", `"x"`)
		w.Header().Set("Cache-Control", "max-age=5")
		io.WriteString(w, "body")
	})
	g := proxied(t, far)
	ours := g.get("/api.txt")
	res := g.get("/api/x")
	res.want(t, http.StatusOK, "body")
	for name, value := range bad {
		if got := res.header.Values(name); len(got) > 1 || len(got) == 1 && got[0] == value {
			t.Errorf("%s: got %q", name, got)
		}
	}
	for _, name := range g.policy.names {
		res.wantHeader(t, name, ours.header.Get(name))
	}
	res.wantHeader(t, "X-Game", "kept")
	res.wantHeader(t, "Etag", `"x"`)
	res.wantHeader(t, "Cache-Control", "max-age=5")
}

func TestUpstreamCookiesStayHere(t *testing.T) {
	cookies := make(chan string, 1)
	far := farServer(t, func(w http.ResponseWriter, r *http.Request) {
		cookies <- r.Header.Get("Cookie")
		if r.URL.Path == "/api/login" {
			http.SetCookie(w, &http.Cookie{Name: "sid", Value: "42", Path: "/api/", Secure: true, HttpOnly: true})
			for i := range 300 {
				http.SetCookie(w, &http.Cookie{Name: "n" + itoa(i), Value: "x", Path: "/api/flood"})
			}
		}
	})
	g := proxied(t, far)
	if res := g.get("/api/login", "Cookie: page=1"); res.header["Set-Cookie"] != nil {
		t.Errorf("the page got %v", res.header["Set-Cookie"])
	}
	if got := <-cookies; got != "" {
		t.Errorf("first request carried %q", got)
	}
	g.get("/api/play")
	if got := <-cookies; got != "sid=42" {
		t.Errorf("got %q", got)
	}
	g.get("/api/flood")
	if got := strings.Count(<-cookies, "="); got != maxUpstreamCookies {
		t.Errorf("%d cookies kept", got)
	}
}

func TestUpstreamRedirects(t *testing.T) {
	var target string
	far := farServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Location"] = []string{target}
		w.WriteHeader(http.StatusFound)
	})
	g := proxied(t, far)
	host := strings.TrimPrefix(far.URL, "https://")
	tests := map[string]string{
		far.URL + "/api/next?a=1#f": "/api/next?a=1#f", "/api/next": "/api/next", "next": "/api/next", "//" + host + "/api/next": "/api/next",
		far.URL + "//evil.example/x": "/evil.example/x", "https://evil.example/x": "https://evil.example/x", "http://" + host + "/x": "http://" + host + "/x",
		"https://user@" + host + "/x": "/x", far.URL: "/",
	}
	for location, want := range tests {
		target = location
		res := g.get("/api/x")
		res.want(t, http.StatusFound, "*")
		res.wantHeader(t, "Location", want)
	}
}

func TestWhatDoesNotGoUpstream(t *testing.T) {
	far := farServer(t, func(http.ResponseWriter, *http.Request) { t.Error("the upstream was reached") })
	g := proxied(t, far)
	g.get("/api/ws", "Connection: Upgrade", "Upgrade: websocket", "Origin: "+g.Origin()).want(t, http.StatusNotFound, "*")
	for _, path := range []string{"/api/../x", "/api/%2e%2e/x", "/api/..%2fx", "/api/..%5cx", "/api/./x", "/api", "/apix", "/Api/x"} {
		g.get(path).want(t, http.StatusNotFound, "*")
	}
	g.get("/api.txt").want(t, http.StatusOK, "file")
	g.raw("GET /api/x HTTP/1.1", "Host: "+g.launch.host).want(t, http.StatusForbidden, "")
	g.do("POST", "/api/x", "x", "Origin: http://127.0.0.1:1").want(t, http.StatusForbidden, "")
	g.do("POST", "/api/x", "x", "Origin: null").want(t, http.StatusForbidden, "")
	g.get("/api/x", "Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: no-cors").want(t, http.StatusForbidden, "")
}

func TestUpstreamThatIsNotThere(t *testing.T) {
	far := farServer(t, func(http.ResponseWriter, *http.Request) {})
	g := proxied(t, far)
	g.get("/api/v2/x?token=secret").want(t, http.StatusBadGateway, "") // the longer prefix wins
	if log := g.log.String(); strings.Contains(log, "token") || !strings.Contains(log, "127.0.0.1:1") {
		t.Errorf("log: %s", log)
	}
	untrusted := proxied(t, far, func(s *Server) { s.RootCAs = x509.NewCertPool() })
	untrusted.get("/api/x").want(t, http.StatusBadGateway, "")

	var asked string
	refused := proxied(t, far, func(s *Server) {
		s.Control = func(host string, a netip.Addr) error { asked = host + " " + a.String(); return errors.New("no") }
	})
	refused.get("/api/x").want(t, http.StatusBadGateway, "")
	if want := strings.TrimPrefix(far.URL, "https://") + " 127.0.0.1"; asked != want {
		t.Errorf("asked %q, want %q", asked, want)
	}
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	proxied(t, far).get("/api/x").want(t, http.StatusOK, "")
}

// A long poll's parts arrive when they are sent, and the upstream hears when the page gives up.
func TestUpstreamStreams(t *testing.T) {
	more, gone := make(chan bool), make(chan bool)
	far := farServer(t, func(w http.ResponseWriter, r *http.Request) {
		for i := 0; ; i++ {
			fmt.Fprintf(w, "part %d\n", i)
			http.NewResponseController(w).Flush()
			select {
			case <-more:
			case <-r.Context().Done():
				close(gone)
				return
			}
		}
	})
	g := proxied(t, far)
	r, _ := http.NewRequest("GET", g.Origin()+"/api/poll", nil)
	r.Header.Set("Cookie", g.cookie)
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(res.Body)
	for i := range 3 {
		if line, err := lines.ReadString('\n'); line != fmt.Sprintf("part %d\n", i) || err != nil {
			t.Errorf("got %q, %v", line, err)
		}
		if i < 2 {
			more <- true
		}
	}
	res.Body.Close()
	<-gone
}

func TestBadUpstream(t *testing.T) {
	for _, address := range []string{"", "ftp://x", "https://", "x", "https://a b"} {
		b := folder(t, nil)
		b.Manifest.Network.Proxy = map[string]string{"/x/": address}
		s := &Server{Bundle: b}
		if err := s.Listen(0); err == nil {
			t.Errorf("%q was accepted", address)
		}
		if s.Port() != 0 {
			t.Errorf("%q: the port is still held", address)
		}
		s.Close()
	}
}
