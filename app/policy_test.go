package app

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"

	"conch/netsock"
)

const policyNetwork = `{
	"allowedHosts": ["play.example.net", "play2.example.net:8443", "localhost:9001", "127.0.0.1:9002"],
	"proxy": {
		"/a/": "https://play.example.net",
		"/a/b/": "https://play2.example.net:8443",
		"/local/": "http://localhost:9001"
	}}`

func TestPolicy(t *testing.T) {
	g := start(t, Options{Path: gameFolder(t, policyNetwork)})
	own := "ws://127.0.0.1:" + strconv.Itoa(g.Server.Port())
	named := "ws://localhost:" + strconv.Itoa(g.Server.Port())
	game := "http://127.0.0.1:" + strconv.Itoa(g.OwnPort())
	for _, row := range []struct {
		name   string
		url    string
		raw    bool
		dial   string // without the path
		path   string
		origin string
		fault  string // part of the refusal instead
	}{
		{"listed", "wss://play.example.net/ws?a=1", false, "wss://play.example.net/", "/ws?a=1", game, ""},
		{"listed, spelled otherwise", "WSS://PLAY.Example.NET.:0443", false, "wss://play.example.net/", "/", game, ""},
		{"path bytes stay", "wss://play.example.net/%zz|^{}/../x?%", false, "wss://play.example.net/", "/%zz|^{}/../x?%", game, ""},
		{"unlisted", "wss://evil.example/", false, "", "", "", "network.allowedHosts"},
		{"unlisted, raw", "wss://evil.example/", true, "", "", "", "network.allowedHosts"},
		{"other port of a listed host", "wss://play2.example.net/", false, "", "", "", "network.allowedHosts"},
		{"not an address", "https://play.example.net/", false, "", "", "", "scheme"},
		{"user name", "wss://me@play.example.net/", false, "", "", "", "user name"},

		{"raw ws becomes wss, 80 becomes 443", "ws://play.example.net/ws", true, "wss://play.example.net/", "/ws", game, ""},
		{"raw ws on 8080 keeps its port", "ws://play.example.net:8080/", true, "wss://play.example.net:8080/", "/", game, ""},
		{"raw ws becomes the listed port only when it has it", "ws://play2.example.net/", true, "", "", "", "network.allowedHosts"},
		{"raw ws unlisted", "ws://evil.example/", true, "", "", "", "network.allowedHosts"},
		{"net.connect's ws is refused", "ws://play.example.net/ws", false, "", "", "", "use wss://"},

		{"raw ws to this computer stays", "ws://localhost:9001/x", true, "ws://localhost:9001/", "/x", game, ""},
		{"ws to this computer", "ws://127.0.0.1:9002/x", false, "ws://127.0.0.1:9002/", "/x", game, ""},
		{"unlisted port of this computer", "ws://127.0.0.1:9003/x", false, "", "", "", "network.allowedHosts"},

		{"own origin, no server for the path", own + "/other", true, "", "", "", "network.proxy"},
		{"own origin, prefix without its slash", own + "/a", true, "", "", "", "network.proxy"},
		{"own origin, mapped", own + "/a/ws?x=1&x=2", true, "wss://play.example.net/", "/a/ws?x=1&x=2", "https://play.example.net", ""},
		{"own origin, mapped, other name", named + "/a/", false, "wss://play.example.net/", "/a/", "https://play.example.net", ""},
		{"own origin, mapped, wss", strings.Replace(own, "ws", "wss", 1) + "/a/", false, "wss://play.example.net/", "/a/", "https://play.example.net", ""},
		{"the longest prefix wins", own + "/a/b/c?", true, "wss://play2.example.net:8443/", "/a/b/c", "https://play2.example.net:8443", ""},
		{"a question mark is no path", own + "/x?/a/", true, "", "", "", "network.proxy"},
		{"own origin, http upstream", own + "/local/", true, "ws://localhost:9001/", "/local/", "http://localhost:9001", ""},
		{"own origin, path bytes stay", own + "/a/%zz|x", true, "wss://play.example.net/", "/a/%zz|x", "https://play.example.net", ""},
		{"own origin, out of the prefix", own + "/a/../x", true, "", "", "", ". or .."},
		{"own origin, out of the prefix, escaped", own + "/a/%2E%2e%2fx", true, "", "", "", ". or .."},
	} {
		t.Run(row.name, func(t *testing.T) {
			for range 20 { // maps have no order
				got, err := socketPolicy{g}.Decide(t.Context(), netsock.Request{URL: row.url, Raw: row.raw})
				if row.fault != "" {
					if err == nil || !strings.Contains(err.Error(), row.fault) {
						t.Fatalf("got %v, %v; want a refusal with %q", got.URL, err, row.fault)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if got.URL.String() != row.dial || got.Target != row.path || got.Origin != row.origin {
					t.Fatalf("got %s, path %q, origin %s; want %s, %q, %s", got.URL, got.Target, got.Origin, row.dial, row.path, row.origin)
				}
			}
		})
	}
}

// The manifest's parser refuses these already; the policy does not rely on it.
func TestPolicyChecksUpstreamsItself(t *testing.T) {
	g := start(t, Options{Path: gameFolder(t, `{"allowedHosts":["play.example.net"]}`)})
	own := "ws://127.0.0.1:" + strconv.Itoa(g.Server.Port())
	for upstream, want := range map[string]string{
		"https://evil.example":    "network.allowedHosts",
		"http://play.example.net": "use wss://",
		"https://b\\c":            "network.proxy",
		"https://bad host":        "network.proxy",
	} {
		g.Bundle.Manifest.Network.Proxy = map[string]string{"/x/": upstream}
		_, err := socketPolicy{g}.Decide(t.Context(), netsock.Request{URL: own + "/x/"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", upstream, err)
		}
	}
}

func TestPolicyChecksEveryAddress(t *testing.T) {
	g := start(t, Options{Path: gameFolder(t, `{"allowedHosts":["play.example.net","localhost","printer.local"],"proxy":{"/x/":"https://play.example.net"}}`)})
	own := "ws://127.0.0.1:" + strconv.Itoa(g.Server.Port())
	for _, row := range []struct {
		url, addr string
		ok        bool
	}{
		{"wss://play.example.net/", "203.0.113.7", true},
		{"wss://play.example.net/", "10.0.0.1", false},
		{"wss://play.example.net/", "127.0.0.1", false},
		{"wss://play.example.net/", "169.254.169.254", false},
		{"wss://play.example.net/", "::ffff:192.168.1.1", false},
		{own + "/x/", "192.168.1.1", false},
		{own + "/x/", "203.0.113.7", true},
		{"ws://localhost/", "127.0.0.1", true},
		{"ws://localhost/", "203.0.113.7", false},
		{"wss://printer.local/", "192.168.1.1", true},
	} {
		d, err := socketPolicy{g}.Decide(t.Context(), netsock.Request{URL: row.url})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Control(netip.MustParseAddr(row.addr)); (err == nil) != row.ok {
			t.Errorf("%s at %s: %v", row.url, row.addr, err)
		}
	}
}

// The server sees the same Origin at every start, whatever port the page runs on.
func TestSocketOrigin(t *testing.T) {
	list := `"allowedHosts":["play.example.net"]`
	for _, row := range []struct {
		name    string
		network string
		any     bool
		want    string // "" for the game's own port
	}{
		{"own port", `{` + list + `}`, false, ""},
		{"another port", `{` + list + `}`, true, ""},
		{"of the manifest", `{` + list + `,"origin":"https://Game.example.net:443"}`, false, "https://game.example.net"},
		{"of the manifest, another port", `{` + list + `,"origin":"https://game.example.net"}`, true, "https://game.example.net"},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := start(t, Options{Path: gameFolder(t, row.network), AnyPort: row.any})
			want := row.want
			if want == "" {
				want = "http://127.0.0.1:" + strconv.Itoa(g.OwnPort())
			}
			d, err := socketPolicy{g}.Decide(t.Context(), netsock.Request{URL: "wss://play.example.net/"})
			if err != nil || d.Origin != want || g.SocketOrigin() != want {
				t.Errorf("got %q and %q, %v; want %q", d.Origin, g.SocketOrigin(), err, want)
			}
			if row.any && g.Server.Port() == g.OwnPort() {
				t.Error("the game runs on its own port")
			}
		})
	}
	g := open(t, Options{Path: gameFolder(t, ""), Port: 23456})
	if got := g.SocketOrigin(); got != "http://127.0.0.1:23456" {
		t.Errorf("with --port: %s", got)
	}
}

func TestDirectHosts(t *testing.T) {
	g := start(t, Options{Path: gameFolder(t, "")})
	got := g.DirectHosts()
	want := []string{"127.0.0.1:" + strconv.Itoa(g.Server.Port())}
	for _, p := range g.Relay.PortNumbers() {
		want = append(want, "127.0.0.1:"+strconv.Itoa(p))
	}
	if !slices.Equal(got, want) || len(got) < 2 {
		t.Errorf("got %v, want %v", got, want)
	}
}
