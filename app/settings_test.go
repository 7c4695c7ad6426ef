package app

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/consent"
	"conch/consent/hostlist"
)

const (
	signedGame   = "key:00aa:net.example.skiff"
	unsignedGame = "sha256:00bb"
)

// remember stores yeses of a player in a data folder, without the system's key store.
func remember(t *testing.T, dir string, rows ...[2]string) *consent.Store {
	t.Helper()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
	store, err := consent.Open(ApprovalsDir(dir), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	for _, row := range rows {
		target, err := hostlist.ParseTarget(row[1])
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(store.Remember(t.Context(), row[0], target), store.SetName(t.Context(), row[0], "Skiff")); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

// settingsPage serves the settings of a data folder and enters them.
func settingsPage(t *testing.T, dir string) (*Settings, *browser) {
	t.Helper()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
	s, err := NewSettings(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve() }()
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), <-served); err != nil {
			t.Error(err)
		}
	})
	b := &browser{t: t, origin: s.Server.Origin()}
	res, _ := b.do(http.MethodGet, strings.TrimPrefix(s.Server.EntryURL(), b.origin), "")
	if res.StatusCode != http.StatusOK || len(res.Cookies()) != 1 {
		t.Fatalf("entry: status %d, cookies %v", res.StatusCode, res.Cookies())
	}
	b.cookie = res.Cookies()[0].Name + "=" + res.Cookies()[0].Value
	return s, b
}

func (b *browser) list() (l list) {
	b.t.Helper()
	if err := json.Unmarshal([]byte(b.get(listPath)), &l); err != nil {
		b.t.Fatal(err)
	}
	return l
}

func (l list) hosts() (all []string) {
	for _, row := range l.Approvals {
		all = append(all, row.Game+" "+row.Host)
	}
	return all
}

// forget sends an order as the page does.
func (b *browser) forget(order string) (status int, text string) {
	b.t.Helper()
	return b.send(http.MethodPost, forgetPath, order, map[string]string{"Cookie": b.cookie, "Origin": b.origin, "Content-Type": "application/json"})
}

func (b *browser) send(method, path, body string, headers map[string]string) (status int, text string) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.origin+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	if host := headers["Host"]; host != "" {
		req.Host = host
	}
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return res.StatusCode, string(answer)
}

func TestSettingsPage(t *testing.T) {
	_, b := settingsPage(t, t.TempDir())
	for path, want := range map[string]string{"/": "<title>Conch settings</title>", "/settings.js": "gamesOf", "/model.js": "export function", "/settings.css": "prefers-color-scheme: dark"} {
		if text := b.get(path); !strings.Contains(text, want) || strings.Contains(text, "__conch/page.js") {
			t.Errorf("%s: %.200s", path, text)
		}
	}
	res, _ := b.do(http.MethodGet, "/", "")
	csp := res.Header.Get("Content-Security-Policy")
	if !strings.Contains(csp, "default-src 'self';") || !strings.Contains(csp, "frame-ancestors 'none'") || strings.Contains(csp, "unsafe-") {
		t.Errorf("policy %q", csp)
	}
}

func TestSettingsListAndForget(t *testing.T) {
	dir := t.TempDir()
	remember(t, dir, [2]string{signedGame, "wss://b.example/"}, [2]string{signedGame, "wss://a.example:8443/"},
		[2]string{unsignedGame, "wss://a.example/"}, [2]string{unsignedGame, "ws://[::1]:9000/"}, [2]string{unsignedGame, "wss://203.0.113.7/"})
	_, b := settingsPage(t, dir)
	got := b.list()
	want := []string{signedGame + " a.example", signedGame + " b.example", unsignedGame + " 203.0.113.7:443", unsignedGame + " [::1]:9000", unsignedGame + " a.example"}
	if strings.Join(got.hosts(), "\n") != strings.Join(want, "\n") {
		t.Fatalf("got %q, want %q", got.hosts(), want)
	}
	if a := got.Approvals[0]; a.Name != "Skiff" || a.Since.IsZero() || a.Protection != consent.ByFile || len(got.Running)+len(got.Aside) != 0 {
		t.Errorf("got %+v", got)
	}
	for _, row := range []struct {
		order string
		left  []string
	}{
		{`{"game":"` + unsignedGame + `","host":"[::1]:9000"}`, []string{want[0], want[1], want[2], want[4]}},
		{`{"game":"` + unsignedGame + `","host":"203.0.113.7:443"}`, []string{want[0], want[1], want[4]}},
		{`{"game":"` + signedGame + `","host":"a.example"}`, []string{want[1], want[4]}},
		{`{"game":"` + signedGame + `"}`, []string{want[4]}},
		{`{"all":true}`, nil},
	} {
		if status, text := b.forget(row.order); status != http.StatusNoContent {
			t.Errorf("%s: status %d, %s", row.order, status, text)
		}
		if left := b.list().hosts(); strings.Join(left, "\n") != strings.Join(row.left, "\n") {
			t.Errorf("after %s: %q", row.order, left)
		}
	}
	status, text := b.forget(`{"game":"` + unsignedGame + `","host":"a.example"}`)
	if status != http.StatusInternalServerError || !strings.Contains(text, `"error":"a.example: not among`) {
		t.Errorf("a host that is gone: status %d, %s", status, text)
	}
}

// A host is taken as lists print it, and without its port.
func TestForgetHostAsWritten(t *testing.T) {
	for _, row := range []struct {
		url, host string
		ok        bool
	}{
		{"wss://a.example/", "a.example", true},
		{"wss://a.example:8443/", "a.example", true},
		{"ws://[::1]:9000/", "[::1]:9000", true},
		{"ws://[::1]:9000/", "[::1]", true},
		{"ws://[::1]:9000/", "::1", true},
		{"wss://203.0.113.7/", "203.0.113.7:443", true},
		{"wss://203.0.113.7/", "203.0.113.7", true},
		{"wss://203.0.113.7/", "203.0.113.7:80", false},
		{"wss://a.example/", "b.example", false},
		{"wss://a.example/", "example", false},
	} {
		dir := t.TempDir()
		store := remember(t, dir, [2]string{signedGame, row.url})
		err := Forget(t.Context(), store, dir, signedGame, row.host)
		rows, listErr := Approvals(t.Context(), store)
		if (err == nil) != row.ok || (len(rows) == 0) != row.ok || listErr != nil {
			t.Errorf("%s as %s: %v, left %v, %v", row.url, row.host, err, rows, listErr)
		}
	}
}

// Whatever is not the page's own request changes nothing and tells nothing.
func TestSettingsTakeNoForeignOrders(t *testing.T) {
	dir := t.TempDir()
	store := remember(t, dir, [2]string{signedGame, "wss://a.example/"})
	s, b := settingsPage(t, dir)
	_, other := settingsPage(t, t.TempDir())
	host := strings.TrimPrefix(b.origin, "http://")
	with := func(changes ...string) map[string]string {
		h := map[string]string{"Cookie": b.cookie, "Origin": b.origin, "Content-Type": "application/json"}
		for i := 0; i < len(changes); i += 2 {
			if h[changes[i]] = changes[i+1]; changes[i+1] == "" {
				delete(h, changes[i])
			}
		}
		return h
	}
	const all = `{"all":true}`
	for _, row := range []struct {
		name, method, path, body string
		headers                  map[string]string
		status                   int
	}{
		{"list without the cookie", "GET", listPath, "", with("Cookie", ""), 403},
		{"list with another window's cookie", "GET", listPath, "", with("Cookie", other.cookie), 403},
		{"list with a guessed cookie", "GET", listPath, "", with("Cookie", b.cookie[:len(b.cookie)-2]+"00"), 403},
		{"list from another site", "GET", listPath, "", with("Sec-Fetch-Site", "cross-site"), 403},
		{"list from another port", "GET", listPath, "", with("Sec-Fetch-Site", "same-site"), 403},
		{"list as a navigation from elsewhere", "GET", listPath, "", with("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"), 403},
		{"list by a rebound name", "GET", listPath, "", with("Host", strings.Replace(host, "127.0.0.1", "evil.example", 1)), 403},
		{"list by localhost", "GET", listPath, "", with("Host", strings.Replace(host, "127.0.0.1", "localhost", 1)), 403},
		{"page without the cookie", "GET", "/", "", with("Cookie", ""), 403},
		{"script without the cookie", "GET", "/settings.js", "", with("Cookie", ""), 403},
		{"guessed entry", "GET", "/__conch/enter?n=0", "", with("Cookie", ""), 403},
		{"post to the list", "POST", listPath, all, with(), 405},
		{"forget by GET", "GET", forgetPath + "?all=true", "", with(), 405},
		{"forget by PUT", "PUT", forgetPath, all, with(), 405},
		{"forget without the cookie", "POST", forgetPath, all, with("Cookie", ""), 403},
		{"forget without an origin", "POST", forgetPath, all, with("Origin", ""), 403},
		{"forget from origin null", "POST", forgetPath, all, with("Origin", "null"), 403},
		{"forget from another port", "POST", forgetPath, all, with("Origin", "http://127.0.0.1:1"), 403},
		{"forget from a longer origin", "POST", forgetPath, all, with("Origin", b.origin+"0"), 403},
		{"forget from another port's page", "POST", forgetPath, all, with("Sec-Fetch-Site", "same-site"), 403},
		{"forget by a rebound name", "POST", forgetPath, all, with("Host", "evil.example"), 403},
		{"forget as a form", "POST", forgetPath, "all=true", with("Content-Type", "application/x-www-form-urlencoded"), 415},
		{"forget as text", "POST", forgetPath, all, with("Content-Type", "text/plain"), 415},
		{"forget as text that names JSON", "POST", forgetPath, all, with("Content-Type", "text/plain; application/json"), 415},
		{"forget without a type", "POST", forgetPath, all, with("Content-Type", ""), 415},
		{"no JSON", "POST", forgetPath, "all", with(), 400},
		{"two orders", "POST", forgetPath, all + all, with(), 400},
		{"unknown field", "POST", forgetPath, `{"all":true,"also":1}`, with(), 400},
		{"nothing named", "POST", forgetPath, `{}`, with(), 400},
		{"host without a game", "POST", forgetPath, `{"host":"a.example"}`, with(), 400},
		{"all and a game", "POST", forgetPath, `{"all":true,"game":"` + signedGame + `"}`, with(), 400},
		{"too long", "POST", forgetPath, `{"game":"` + strings.Repeat("a", 5000) + `"}`, with(), 400},
		{"host of another game", "POST", forgetPath, `{"game":"` + unsignedGame + `","host":"a.example"}`, with(), 500},
		{"other endpoint", "POST", "/__conch/approvals/remember", all, with(), 404},
	} {
		status, text := b.send(row.method, row.path, row.body, row.headers)
		if status != row.status || strings.Contains(text, "Skiff") || status == 403 && text != "" {
			t.Errorf("%s: status %d, want %d; %s", row.name, status, row.status, text)
		}
	}
	if rows, err := Approvals(t.Context(), store); err != nil || len(rows) != 1 {
		t.Errorf("left: %v, %v", rows, err)
	}
	if n := s.WebProxy.Refused(); n != 0 {
		t.Errorf("the proxy saw %d requests", n)
	}
}

// A list that cannot be opened is said, and read once it can be.
func TestSettingsSayWhatIsWrong(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	_, b := settingsPage(t, dir)
	moved := dir + "-moved"
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "in the way")
	res, text := b.do(http.MethodGet, listPath, "")
	if res.StatusCode != http.StatusInternalServerError || !strings.Contains(text, `"error":"approvals: `) {
		t.Errorf("status %d, %s", res.StatusCode, text)
	}
	if err := errors.Join(os.Remove(dir), os.Rename(moved, dir)); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "approvals.db"), strings.Repeat("no database ", 20))
	got := b.list()
	if len(got.Approvals) != 0 || len(got.Aside) != 1 || filepath.Base(got.Aside[0]) != "approvals.db.bad-1" {
		t.Errorf("got %+v", got)
	}
}

func TestSettingsOpenOnce(t *testing.T) {
	dir := t.TempDir()
	first, _ := settingsPage(t, dir)
	raised := 0
	first.OnRaise(func() { raised++ })
	second, err := NewSettings(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Listen(t.Context()); !errors.Is(err, ErrAlreadyRunning) || raised != 1 {
		t.Errorf("second start: %v, raised %d times", err, raised)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	// An order for games is none for the settings.
	if _, status := tellRunning(t.Context(), first.ownDir(), "/forget", nil); status != http.StatusNotFound || raised != 1 {
		t.Errorf("forget: status %d, raised %d times", status, raised)
	}
}

// Games that run are named by their identity, and a host that is forgotten reaches them.
func TestRunningGames(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
	g := start(t, Options{Path: gameFolder(t, `{"allowedHosts":[],"allowAnyHost":true}`), DataDir: dir, Window: true, Dialog: sayYes{}})
	start(t, Options{Path: gameFolder(t, ""), DataDir: dir, Window: true}) // its identity is never needed
	if got := RunningGames(t.Context(), dir); len(got) != 0 {
		t.Errorf("before anybody knows: %q", got)
	}
	id, err := g.identityOf(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := RunningGames(t.Context(), dir); len(got) != 1 || got[0] != id {
		t.Errorf("got %q, want %q", got, id)
	}
	remember(t, dir, [2]string{id, "wss://a.example/"})
	_, b := settingsPage(t, dir)
	if got := b.list(); len(got.Running) != 1 || got.Running[0] != id {
		t.Errorf("running: %q, want %q", got.Running, id)
	}
}
