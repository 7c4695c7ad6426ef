package netsock

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"conch/internal/wstest"
)

// refusedAddr is a loopback address on which nothing listens.
func refusedAddr(t *testing.T) string {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Each failure gives the page a sentence and nothing else: status 502, no body.
func TestReasons(t *testing.T) {
	ca, other := wstest.NewCA(t), wstest.NewCA(t)
	dns := &fakeDNS{}
	named := func(s *wstest.Raw, host string) string {
		_, port, _ := net.SplitHostPort(s.Addr)
		return strings.Replace(s.URL("/"), "127.0.0.1:"+port, host+":"+port, 1)
	}
	secure := func(cert tls.Certificate) string { return named(wstest.ServeRaw(t, &cert, wstest.HangUp), "game.test") }
	plain := func(h func(*wstest.Conn)) string { return wstest.ServeRaw(t, nil, h).URL("/") }
	noTLS := wstest.Serve(t, wstest.Options{})
	silentTLS := wstest.ServeRaw(t, nil, wstest.Silent)

	tests := []struct{ name, url, want string }{
		{"no such host", "wss://missing.test/", "no such host: missing.test"},
		{"refused", "ws://" + refusedAddr(t) + "/", "connection refused by 127.0.0.1:"},
		{"silent server", plain(wstest.Silent), "timed out: 127.0.0.1:"},
		{"expired", secure(ca.Expired("game.test")), "has expired"},
		{"not valid yet", secure(ca.Future("game.test")), "is not valid yet"},
		{"other name", secure(ca.Cert("other.test")), "is not valid for game.test:"},
		{"unknown authority", secure(other.Cert("game.test")), "signed by an unknown authority"},
		{"wss to a plain server", "wss://" + noTLS.Addr + "/", "does not speak TLS on this port"},
		{"silent tls", "wss://" + silentTLS.Addr + "/", "timed out: 127.0.0.1:"},
		{"forbidden", plain(wstest.Forbidden), "the server answered 403 Forbidden"},
		{"login", plain(wstest.Unauthorized), "the server answered 401 Unauthorized"},
		{"redirect", plain(wstest.Redirect), "the server answered 302 Found: redirects are not followed"},
		{"page", plain(wstest.PlainPage), "the server answered 200 OK: not a WebSocket server at this address"},
		{"odd text", plain(wstest.Answer("HTTP/1.1 418 \xff\xfe" + strings.Repeat("x", 200) + "\r\n\r\n")), "the server answered 418 " + strings.Repeat("x", 78)},
		{"hang up", plain(wstest.HangUp), "closed the connection without an answer"},
		{"not http", plain(wstest.NotHTTP), "not a WebSocket server: its answer is not HTTP"},
		{"endless", plain(wstest.Answer("HTTP/1.1 101 X\r\n" + strings.Repeat("a: b\r\n", 20000))), "not a WebSocket server: its answer is too long"},
		{"userinfo", "wss://user:pass@game.test/", "an address with a user name or password is not allowed"},
		{"policy", "wss://denied.test/", "denied.test is not listed: see network.allowedHosts"},
	}
	r, page := start(t, func(r *Relay) {
		r.RootCAs, r.Resolver = ca.Pool(), dns.resolver()
		r.limits = limits{handshake: 3 * time.Second, tls: 2 * time.Second}
		r.Policy = policyFunc(func(ctx context.Context, q Request) (Dial, error) {
			if strings.Contains(q.URL, "denied") {
				return Dial{}, errors.New("denied.test is not listed: see network.allowedHosts")
			}
			return allowAll(ctx, q)
		})
	})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			x := page.Open(t, tt.url)
			if x.Status != 502 || x.Header.Get("Content-Length") != "0" {
				t.Errorf("answer: got %d %v, want an empty 502", x.Status, x.Header)
			}
			got := reasonFor(t, r, x.ID)
			if got == "" || !strings.Contains(got, tt.want) {
				t.Errorf("reason: got %q, want %q", got, tt.want)
			}
		})
	}
}

// A 101 goes to the browser as it is, which knows best whether to take it;
// the reason is there in case it does not.
func TestReasonOfABadSwitch(t *testing.T) {
	ok := "Upgrade: websocket\r\nConnection: Upgrade\r\n"
	accept := "Sec-WebSocket-Accept: " + wstest.KeyAccept + "\r\n"
	tests := []struct{ name, fields, offer, want string }{
		{"wrong accept", ok + "Sec-WebSocket-Accept: x\r\n", "", "its Sec-WebSocket-Accept is wrong"},
		{"no accept", ok, "", "its Sec-WebSocket-Accept is wrong"},
		{"other protocol", "Upgrade: h2c\r\nConnection: Upgrade\r\n" + accept, "", "it switched to another protocol"},
		{"no subprotocol", ok + accept, "a, b", "chose none of the offered protocols"},
		{"odd subprotocol", ok + accept + "Sec-WebSocket-Protocol: c\r\n", "a, b", "that was not offered"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := wstest.ServeRaw(t, nil, wstest.Answer("HTTP/1.1 101 Switching Protocols\r\n"+tt.fields+"\r\n"))
			r, page := start(t, nil)
			var extra []string
			if tt.offer != "" {
				extra = []string{"Sec-WebSocket-Protocol: " + tt.offer}
			}
			x := page.Open(t, srv.URL("/"), extra...)
			if x.Status != 101 {
				t.Fatalf("status: got %d, want 101", x.Status)
			}
			if got := reasonFor(t, r, x.ID); !strings.Contains(got, tt.want) {
				t.Errorf("reason: got %q, want %q", got, tt.want)
			}
			x.Close()
			eventually(t, "socket gone", func() bool { return r.count() == 0 })
			if got := reasonFor(t, r, x.ID); !strings.Contains(got, tt.want) {
				t.Errorf("reason after the end: got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestReasonOfALostConnection(t *testing.T) {
	srv := wstest.Serve(t, wstest.Options{})
	r, page := start(t, nil)
	c, _, id, err := page.Dial(srv.URL("/reset"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _, err = c.ReadMessage()
	if !errors.Is(err, errReset) {
		t.Errorf("the page's read: got %v, want a reset", err)
	}
	if got := reasonFor(t, r, id); got != "the connection was lost" {
		t.Errorf("reason: got %q", got)
	}
}

func TestServeReason(t *testing.T) {
	r := &Relay{}
	r.reasons.open("a")
	r.reasons.set("b", "line one\r\nline two "+strings.Repeat("é", 400))
	tests := []struct {
		method, id string
		status     int
	}{
		{"GET", "a", 204}, {"GET", "b", 200}, {"GET", "c", 204}, {"GET", "", 204}, {"POST", "b", 405},
	}
	for _, tt := range tests {
		w := httptest.NewRecorder()
		r.ServeReason(w, httptest.NewRequest(tt.method, "/?id="+tt.id, nil))
		if w.Code != tt.status {
			t.Errorf("%s %q: got %d, want %d", tt.method, tt.id, w.Code, tt.status)
		}
		if tt.status == http.StatusOK && w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("Cache-Control: got %q", w.Header().Get("Cache-Control"))
		}
	}
	if got := reasonFor(t, r, "b"); len(got) > maxReasonLength || strings.ContainsAny(got, "\r\n") {
		t.Errorf("reason: got %d bytes %q", len(got), got)
	}
}

func TestReasonsAreBounded(t *testing.T) {
	now := time.Unix(1000, 0)
	rs := &reasons{now: func() time.Time { return now }}
	for i := range 2 * maxReasons {
		id := strconv.Itoa(i)
		if !rs.open(id) || rs.open(id) {
			t.Fatalf("id %s: not good for exactly one attempt", id)
		}
		rs.set(id, "text "+id)
	}
	if len(rs.byID) != maxReasons || len(rs.order) != maxReasons {
		t.Errorf("kept: got %d and %d, want %d", len(rs.byID), len(rs.order), maxReasons)
	}
	if got := rs.get("0"); got != "" {
		t.Errorf("oldest: got %q, want none", got)
	}
	last := strconv.Itoa(2*maxReasons - 1)
	if got := rs.get(last); got != "text "+last {
		t.Errorf("newest: got %q", got)
	}
	now = now.Add(reasonAge + time.Second)
	if got := rs.get(last); got != "" || len(rs.byID) != 0 {
		t.Errorf("after %v: got %q and %d entries", reasonAge, got, len(rs.byID))
	}
}

func TestRedact(t *testing.T) {
	tests := []struct{ text, raw, want string }{
		{"bad wss://a/?token=1", "wss://a/?token=1", "bad wss://a/?..."},
		{`"wss://me:pw@a/" has userinfo`, "wss://me:pw@a/", `"wss://...@a/" has userinfo`},
		{"no such host", "wss://a/", "no such host"},
	}
	for _, tt := range tests {
		if got := redact(tt.text, tt.raw); got != tt.want {
			t.Errorf("redact(%q): got %q, want %q", tt.text, got, tt.want)
		}
	}
}
