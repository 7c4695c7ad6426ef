package consent

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

type decisions struct {
	Unavailable string            `json:"unavailable"`
	Texts       map[Code][]string `json:"texts"`
	Switch      string            `json:"switch"`
	Rows        []struct {
		Name       string  `json:"name"`
		Mode       Mode    `json:"mode"`
		Listed     bool    `json:"listed"`
		AllowAny   bool    `json:"allowAny"`
		Remembered Memory  `json:"remembered"`
		URL        string  `json:"url"`
		Verdict    Verdict `json:"verdict"`
		Code       Code    `json:"code"`
	} `json:"rows"`
}

// The page script's tests read the same file: frontend/test/decisions.test.js.
func TestDecisions(t *testing.T) {
	data, err := os.ReadFile("testdata/decisions.json")
	if err != nil {
		t.Fatal(err)
	}
	var d decisions
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	if unavailable != d.Unavailable {
		t.Errorf("unavailable = %q, want %q", unavailable, d.Unavailable)
	}
	seen := map[Mode]bool{}
	for _, row := range d.Rows {
		seen[row.Mode] = true
		t.Run(row.Name, func(t *testing.T) {
			got := Decide(Facts{Mode: row.Mode, Listed: row.Listed, AllowAny: row.AllowAny, Remembered: row.Remembered, Target: target(t, row.URL)})
			if got.Verdict != row.Verdict || got.Code != row.Code {
				t.Fatalf("got %s %q, want %s %q", got.Verdict, got.Code, row.Verdict, row.Code)
			}
			if (got.Reason != "") != (got.Verdict == VerdictRefuse) {
				t.Errorf("reason %q for %s", got.Reason, got.Verdict)
			}
			for _, part := range d.Texts[row.Code] {
				if !strings.Contains(got.Reason, part) {
					t.Errorf("reason %q lacks %q", got.Reason, part)
				}
			}
			helps := row.Code == NotListed && (row.Mode == Standalone || row.Mode == "")
			if strings.Contains(got.Reason, d.Switch) != helps {
				t.Errorf("reason %q names the switch, or should", got.Reason)
			}
		})
	}
	for mode := range modes {
		if !seen[mode] {
			t.Errorf("no row for mode %q", mode)
		}
	}
}

// An address that no game may reach is not put to the player: a yes could not be kept.
func TestDecideAddresses(t *testing.T) {
	for url, want := range map[string]Code{
		"wss://169.254.169.254/":       BadAddress,
		"wss://0.0.0.0/":               BadAddress,
		"wss://[64:ff9b::7f00:1]/":     BadAddress,
		"wss://[::ffff:169.254.1.1]/":  BadAddress,
		"wss://192.168.1.20/":          "",
		"wss://203.0.113.7/":           "",
		"ws://127.0.0.1:8080/":         "",
		"wss://[2001:db8::1]:8443/":    "",
		"wss://[::ffff:203.0.113.7]/":  "",
		"wss://[::ffff:192.168.1.20]/": "",
	} {
		for _, remembered := range []Memory{NoAnswer, SaidYes} {
			got := Decide(Facts{AllowAny: true, Remembered: remembered, Target: target(t, url)})
			if got.Code != want {
				t.Errorf("%s: %q, want %q", url, got.Code, want)
			}
		}
	}
}

// For every combination: an allow has one of the three grounds, and nothing but an ask puts up a dialog.
func TestDecideGrounds(t *testing.T) {
	all := []Mode{"", Standalone, StandaloneServer, PlayTest, RoomTrusted, Room, RoomServer, "other"}
	for _, mode := range all {
		for bits := range 4 {
			for _, remembered := range []Memory{NoAnswer, SaidYes, SaidNo, "other"} {
				for _, url := range []string{"wss://a.example/", "ws://a.example/", "wss://localhost/", "ws://localhost/"} {
					f := Facts{Mode: mode, Listed: bits&1 != 0, AllowAny: bits&2 != 0, Remembered: remembered, Target: target(t, url)}
					d := Decide(f)
					standalone := mode == "" || mode == Standalone
					mayAsk := standalone && f.AllowAny || mode == PlayTest
					granted := f.Listed && (standalone || mode == PlayTest || mode == RoomTrusted) || mayAsk && remembered == SaidYes
					if d.Verdict == VerdictAllow && !granted || d.Verdict == VerdictAsk && !mayAsk {
						t.Errorf("%+v: %s", f, d.Verdict)
					}
					if !f.Target.Secure && d.Verdict != VerdictRefuse && (!f.Target.Local() || mode == RoomTrusted) {
						t.Errorf("%+v: plain and %s", f, d.Verdict)
					}
				}
			}
		}
	}
}

func TestQuestion(t *testing.T) {
	const own, this, letters = "own network", "this computer", "international letters"
	for _, row := range []struct {
		name, url, shown string
		notes            []string
		port             uint16
		class            string
	}{
		{"a public name", "wss://Play.Example.NET./ws?x=1", "play.example.net", nil, 0, classPublic},
		{"C91 a public name with a port", "wss://play.example.net:8081/", "play.example.net:8081", nil, 0, classPublic},
		{"C18 punycode", "wss://xn--80ak6aa92e.com/", "xn--80ak6aa92e.com", []string{letters}, 0, classPublic},
		{"punycode inside", "wss://a.xn--mnchen-3ya.example/", "a.xn--mnchen-3ya.example", []string{letters}, 0, classPublic},
		{"xn-- in the middle of a label is no punycode", "wss://axn--b.example/", "axn--b.example", nil, 0, classPublic},
		{"a public address", "wss://203.0.113.7:9000/", "203.0.113.7:9000", nil, 9000, classPublic},
		{"a public IPv6 address", "wss://[2001:db8::1]/", "[2001:db8::1]", nil, 443, classPublic},
		{"localhost", "ws://localhost:8080/", "localhost:8080", []string{this}, 8080, classComputer},
		{"IPv6 loopback", "ws://[::1]:8080/", "[::1]:8080", []string{this}, 8080, classComputer},
		{"another loopback address", "wss://127.0.0.5/", "127.0.0.5", []string{this}, 443, classComputer},
		{"a private address", "wss://192.168.1.20:8443/", "192.168.1.20:8443", []string{own}, 8443, classNetwork},
		{"a mapped private address", "wss://[::ffff:10.0.0.1]/", "10.0.0.1", []string{own}, 443, classNetwork},
		{"a unique local address", "wss://[fd12::1]/", "[fd12::1]", []string{own}, 443, classNetwork},
		{"carrier-grade NAT", "wss://100.64.0.1/", "100.64.0.1", []string{own}, 443, classNetwork},
		{"a .local name", "wss://box.local/", "box.local", []string{own}, 443, classNetwork},
		{"a single label", "wss://box/", "box", []string{own}, 443, classNetwork},
		{"a single punycode label", "wss://xn--mnchen-3ya/", "xn--mnchen-3ya", []string{letters, own}, 443, classNetwork},
	} {
		t.Run(row.name, func(t *testing.T) {
			to := target(t, row.url)
			q := NewQuestion("g", to)
			if q.HostPort != row.shown || q.Target != to || q.OfferStop {
				t.Errorf("got %+v, want %s", q, row.shown)
			}
			if len(q.Notes) != len(row.notes) {
				t.Fatalf("notes %q, want %q", q.Notes, row.notes)
			}
			for i, want := range row.notes {
				if !strings.Contains(q.Notes[i], want) {
					t.Errorf("notes %q, want %q", q.Notes, row.notes)
				}
			}
			want := subject{"g", to.Host, row.port, row.class}
			if got := subjectOf("g", to); got != want {
				t.Errorf("subject %+v, want %+v", got, want)
			}
		})
	}
	if !slices.Equal(notes(target(t, "wss://localhost.example.net/")), nil) {
		t.Error("localhost.example.net is not this computer")
	}
}
