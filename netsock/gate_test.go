package netsock

import (
	"strconv"
	"strings"
	"testing"

	"conch/internal/wstest"
)

func TestGate(t *testing.T) {
	srv := wstest.Serve(t, wstest.Options{})
	_, page := start(t, nil)
	host := "127.0.0.1:" + strconv.Itoa(page.Port)
	// good is what a browser sends; a row replaces, drops or adds lines.
	good := []string{
		"Host: " + host,
		"Connection: keep-alive, Upgrade",
		"Upgrade: websocket",
		"Origin: " + testOrigin,
		"Sec-WebSocket-Version: 13",
		"Sec-WebSocket-Key: " + wstest.Key,
		"Cookie: " + testCookie,
	}
	swap := func(name string, lines ...string) []string {
		var out []string
		for _, l := range good {
			if !strings.HasPrefix(l, name+":") {
				out = append(out, l)
			}
		}
		return append(out, lines...)
	}
	tests := []struct {
		name   string
		start  string
		lines  []string
		status int
	}{
		{"the page", "", good, 101},
		{"upper case tokens", "", swap("Upgrade", "Upgrade: WebSocket"), 101},
		{"name for this machine", "", swap("Host", "Host: localhost:"+strconv.Itoa(page.Port)), 403},
		{"rebound name", "", swap("Host", "Host: evil.example:"+strconv.Itoa(page.Port)), 403},
		{"no port", "", swap("Host", "Host: 127.0.0.1"), 403},
		{"other port", "", swap("Host", "Host: 127.0.0.1:1"), 403},
		{"no origin", "", swap("Origin"), 403},
		{"null origin", "", swap("Origin", "Origin: null"), 403},
		{"other origin port", "", swap("Origin", "Origin: http://127.0.0.1:24001"), 403},
		{"origin prefix", "", swap("Origin", "Origin: "+testOrigin+".evil.example"), 403},
		{"upper case origin", "", swap("Origin", "Origin: HTTP://127.0.0.1:24000"), 403},
		{"two origins", "", swap("Origin", "Origin: "+testOrigin, "Origin: "+testOrigin), 403},
		{"foreign page", "", swap("Origin", "Origin: https://evil.example"), 403},
		{"no cookie", "", swap("Cookie"), 403},
		{"old cookie", "", swap("Cookie", "Cookie: conch=old"), 403},
		{"no upgrade", "", swap("Upgrade"), 403},
		{"other upgrade", "", swap("Upgrade", "Upgrade: h2c"), 403},
		{"no connection token", "", swap("Connection", "Connection: close"), 403},
		{"old version", "", swap("Sec-WebSocket-Version", "Sec-WebSocket-Version: 8"), 403},
		{"no key", "", swap("Sec-WebSocket-Key"), 403},
		{"two keys", "", append(swap("Sec-WebSocket-Key"), "Sec-WebSocket-Key: a", "Sec-WebSocket-Key: b"), 403},
		{"body", "", append(swap("x"), "Content-Length: 3"), 403},
		{"post", "POST /?$Q HTTP/1.1", good, 403},
		{"http 1.0", "GET /?$Q HTTP/1.0", good, 403},
		{"other path", "GET /x?$Q HTTP/1.1", good, 403},
		{"absolute form", "GET http://" + host + "/?$Q HTTP/1.1", good, 403},
		{"no query", "GET / HTTP/1.1", good, 403},
		{"no id", "GET /?u=ws://127.0.0.1:1/ HTTP/1.1", good, 403},
		{"bad id", "GET /?u=ws://127.0.0.1:1/&id=a.b HTTP/1.1", good, 403},
		{"unknown key", "GET /?$Q&x=1 HTTP/1.1", good, 403},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			query, _ := page.Query(srv.URL("/echo"))
			line := tt.start
			if line == "" {
				line = "GET /?$Q HTTP/1.1"
			}
			x, err := wstest.Send(t, host, append([]string{strings.ReplaceAll(line, "$Q", query)}, tt.lines...))
			if err != nil {
				t.Fatal(err)
			}
			if x.Status != tt.status {
				t.Fatalf("status: got %d, want %d", x.Status, tt.status)
			}
			if tt.status == 403 {
				if n := x.Header.Get("Content-Length"); n != "0" {
					t.Errorf("Content-Length: got %q, want 0", n)
				}
			}
		})
	}
	if got := len(srv.Requests()); got != 2 {
		t.Errorf("requests that reached the server: got %d, want 2", got)
	}
}

func TestGateUsesIDOnce(t *testing.T) {
	srv := wstest.Serve(t, wstest.Options{})
	_, page := start(t, nil)
	host := "127.0.0.1:" + strconv.Itoa(page.Port)
	query, _ := page.Query(srv.URL("/echo"))
	lines := []string{"GET /?" + query + " HTTP/1.1", "Host: " + host, "Connection: Upgrade", "Upgrade: websocket",
		"Origin: " + testOrigin, "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: " + wstest.Key, "Cookie: " + testCookie}
	for i, want := range []int{101, 403} {
		x, err := wstest.Send(t, host, lines)
		if err != nil {
			t.Fatal(err)
		}
		if x.Status != want {
			t.Errorf("attempt %d: got %d, want %d", i+1, x.Status, want)
		}
	}
}

func TestParseQuery(t *testing.T) {
	tests := []struct {
		raw  string
		want Request
		ok   bool
	}{
		{"u=wss%3A%2F%2Fa.example%2F%3Fx%3D1&id=A-z_9", Request{URL: "wss://a.example/?x=1", ID: "A-z_9"}, true},
		{"id=1&o=my%20ship%0a&u=x&raw=1", Request{URL: "x", ID: "1", Owner: "my ship", Raw: true}, true},
		{"u=x&id=1&o=" + strings.Repeat("%C3%A9", 100), Request{URL: "x", ID: "1", Owner: strings.Repeat("é", 64)}, true},
		{"u=x&u=y&id=1", Request{}, false},
		{"u=x&id=1&id=2", Request{}, false},
		{"u=x&id=" + strings.Repeat("a", 65), Request{}, false},
		{"u=x&id=%", Request{}, false},
		{"u=&id=1", Request{}, false},
		{"u=x", Request{}, false},
		{"u=x&id=1&raw=0", Request{}, false},
		{"u=x&id=1&", Request{}, false},
		{"u=x;id=1", Request{}, false},
		{"", Request{}, false},
	}
	for _, tt := range tests {
		got, err := parseQuery(tt.raw)
		if got != tt.want || (err == nil) != tt.ok {
			t.Errorf("parseQuery(%q): got %+v, %v, want %+v", tt.raw, got, err, tt.want)
		}
	}
}

func FuzzParseQuery(f *testing.F) {
	f.Add("u=wss%3A%2F%2Fa.example%2F&id=a&o=x&raw=1")
	f.Add("u=%zz&id=")
	f.Fuzz(func(t *testing.T, raw string) {
		r, err := parseQuery(raw)
		if err != nil {
			return
		}
		if r.URL == "" || !validID(r.ID) || len(r.Owner) > maxOwnerLength || strings.ContainsAny(r.Owner, "\r\n\x00") {
			t.Errorf("parseQuery(%q): got %+v", raw, r)
		}
	})
}
