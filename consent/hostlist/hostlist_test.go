package hostlist

import (
	"encoding/json"
	"errors"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
)

type vectors struct {
	List []struct {
		Name     string   `json:"name"`
		Patterns []string `json:"patterns"`
		URL      string   `json:"url"`
		Match    bool     `json:"match"`
	} `json:"list"`
	Target []struct {
		Case      string `json:"case"`
		URL       string `json:"url"`
		OK        bool   `json:"ok"`
		Canonical string `json:"canonical"`
	} `json:"target"`
}

func readVectors(t testing.TB) vectors {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	if len(v.List) == 0 || len(v.Target) == 0 {
		t.Fatal("vectors.json is empty")
	}
	return v
}

func TestVectorsTarget(t *testing.T) {
	for _, v := range readVectors(t).Target {
		t.Run(v.Case, func(t *testing.T) {
			target, err := ParseTarget(v.URL)
			if (err == nil) != v.OK {
				t.Fatalf("ParseTarget(%q) = %+v, %v; want ok %v", clip(v.URL, 100), target, err, v.OK)
			}
			if err != nil {
				var te *TargetError
				if !errors.As(err, &te) || te.Reason == "" {
					t.Fatalf("error is %#v, want a *TargetError with a reason", err)
				}
				if target != (Target{}) {
					t.Errorf("a refused address left %+v", target)
				}
				if len(err.Error()) > 1500 {
					t.Errorf("error of %d bytes for %d bytes", len(err.Error()), len(v.URL))
				}
				return
			}
			if got := target.URL(); got != v.Canonical {
				t.Errorf("URL() = %q, want %q", got, v.Canonical)
			}
		})
	}
}

func TestVectorsList(t *testing.T) {
	for _, v := range readVectors(t).List {
		t.Run(v.Name, func(t *testing.T) {
			list, err := ParseList(v.Patterns)
			if err != nil {
				t.Fatalf("ParseList(%q): %v", v.Patterns, err)
			}
			target, err := ParseTarget(v.URL)
			if err != nil {
				t.Fatal(err)
			}
			if got := list.Match(target); got != v.Match {
				t.Errorf("list %q, %s: match %v, want %v", v.Patterns, v.URL, got, v.Match)
			}
		})
	}
}

// Cases C8 and C9: a line that would match everybody, or nobody, is an error that names the line.
func TestParseListRefuses(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{"C8 star", "*", "allow every host"},
		{"C8 star with port", "*:443", "*"},
		{"C8 top-level domain", "*.com", "*.example.com"},
		{"C8 public suffix of two labels", "*.co.uk", "anybody can register"},
		{"C8 public suffix by a wildcard rule", "*.anything.ck", "anybody can register"},
		{"C8 upper case and dot do not hide it", "*.CO.UK.", "anybody can register"},
		{"C8 localhost is one label", "*.localhost", "everybody"},
		{"C9 address", "https://x.net/a", `without https:// and without a path: "x.net"`},
		{"C9 wss address", "wss://x.net:8081/ws", `"x.net:8081"`},
		{"C9 path", "x.net/ws", `"x.net"`},
		{"C9 empty port", "x.net:", `for any port write "x.net"`},
		{"C9 star port", "x.net:*", `for any port write "x.net"`},
		{"C9 port too large", "x.net:99999", "1 to 65535"},
		{"C9 port zero", "x.net:0", "1 to 65535"},
		{"C9 signed port", "x.net:+443", "1 to 65535"},
		{"C9 partial star", "*x.net", "only at the start"},
		{"C9 inner star", "a.*.net", "only at the start"},
		{"C9 two stars", "*.*.example.net", "only at the start"},
		{"C9 trailing star", "example.*", "only at the start"},
		{"C9 user", "user@x.net", "user name"},
		{"C9 two hosts", "a.net b.net", "one host per line"},
		{"C9 comma", "a.net,b.net", "one host per line"},
		{"C9 no host", ":8080", "missing"},
		{"C9 dot only", "*.", "missing"},
		{"C9 empty label", "a..net", "empty part"},
		{"C9 IPv6 without brackets", "::1", "[ ]"},
		{"C9 star before an address", "*.127.0.0.1", "not before an address"},
		{"C9 control character", "a\x00b.net", `'\x00'`},
		{"C9 invalid UTF-8", "a\xffb.net", "UTF-8"},
		{"C15 punycode of nothing", "xn--.example.net", "international"},
		{"C19 international letters", "münchen.example", `"xn--mnchen-3ya.example"`},
		{"C19 international wildcard", "*.münchen.example", `"*.xn--mnchen-3ya.example"`},
		{"C26 short IPv4", "127.1", "four decimal parts"},
		{"C30 zone", "[fe80::1%eth0]", "zone"},
		{"C31 NAT64", "[64:ff9b::7f00:1]", "NAT64"},
		{"C31 unspecified", "0.0.0.0", "unspecified"},
		{"C31 metadata", "169.254.169.254", "link-local"},
		{"C35 blocked port", "x.net:25", "blocked"},
		{"C36 label", strings.Repeat("a", 64) + ".net", "longer than 63"},
		{"C36 name", strings.Repeat("a.", 130) + "net", "longer than 253"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list, err := ParseList([]string{"# first", "ok.example.net", tt.line + " # comment"})
			if err == nil {
				t.Fatalf("ParseList(%q) accepted %q", tt.line, list.Patterns())
			}
			var pe *PatternError
			if !errors.As(err, &pe) || pe.Line != 3 {
				t.Fatalf("error %#v, want a *PatternError of line 3", err)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %q does not contain %q", err, tt.want)
			}
			if len(list.Patterns()) != 0 {
				t.Errorf("a refused list kept %q", list.Patterns())
			}
		})
	}
}

func TestParseListReportsEveryLine(t *testing.T) {
	_, err := ParseList([]string{"a b", "good.example.net", "GOOD.example.net.", "x.net:"})
	var lines []int
	for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
		var pe *PatternError
		if !errors.As(e, &pe) {
			t.Fatalf("joined error %v is not a *PatternError", e)
		}
		lines = append(lines, pe.Line)
	}
	if want := []int{1, 3, 4}; !slices.Equal(lines, want) {
		t.Errorf("bad lines %v, want %v: %v", lines, want, err)
	}
	if !strings.Contains(err.Error(), "the same as line 2") {
		t.Errorf("duplicate not named: %v", err)
	}
}

func TestListPatternsAndWarnings(t *testing.T) {
	list, err := ParseList([]string{"# mine", "B.example.net:08081", "*.GitHub.io", "[0:0::1]", "", "a.example.net."})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"b.example.net:8081", "*.github.io", "[::1]", "a.example.net"}
	if got := list.Patterns(); !slices.Equal(got, want) {
		t.Errorf("Patterns() = %q, want %q", got, want)
	}
	w := list.Warnings()
	if len(w) != 1 || !strings.Contains(w[0], "line 3") || !strings.Contains(w[0], "*.github.io") {
		t.Errorf("Warnings() = %q", w)
	}
	if got := (List{}).Patterns(); got == nil {
		t.Error("Patterns() of an empty list is nil; it would marshal to null")
	}
}

func TestCheckScheme(t *testing.T) {
	tests := []struct {
		url   string
		local bool
		ok    bool
	}{
		{"ws://localhost/", true, true},
		{"ws://LOCALHOST.:8080/", true, true},
		{"ws://127.0.0.1:8080/", true, true},
		{"ws://[::1]:8080/", true, true},
		{"ws://[::ffff:127.0.0.1]/", true, true},
		{"wss://localhost/", true, true},
		{"wss://play.example.net/", false, true},
		{"ws://play.example.net/", false, false}, // C32
		{"ws://127.0.0.2/", false, false},
		{"ws://game.localhost/", false, false},
		{"ws://192.168.1.20/", false, false},
		{"ws://localhost.example.net/", false, false},
	}
	for _, tt := range tests {
		target, err := ParseTarget(tt.url)
		if err != nil {
			t.Fatal(err)
		}
		if got := target.Local(); got != tt.local {
			t.Errorf("%s: Local() = %v, want %v", tt.url, got, tt.local)
		}
		if err := target.CheckScheme(); (err == nil) != tt.ok {
			t.Errorf("%s: CheckScheme() = %v, want ok %v", tt.url, err, tt.ok)
		}
	}
}

func TestHostPort(t *testing.T) {
	tests := []struct{ url, want string }{ // C91
		{"wss://play.example.net:8081/x", "play.example.net:8081"},
		{"wss://play.example.net:443/x", "play.example.net"},
		{"ws://localhost:80/", "localhost"},
		{"wss://localhost:80/", "localhost:80"},
		{"wss://[2001:db8::1]/", "[2001:db8::1]"},
		{"wss://[2001:db8::1]:9000/", "[2001:db8::1]:9000"},
		{"wss://10.0.0.1:9000/", "10.0.0.1:9000"},
	}
	for _, tt := range tests {
		target, err := ParseTarget(tt.url)
		if err != nil {
			t.Fatal(err)
		}
		if got := target.HostPort(); got != tt.want {
			t.Errorf("%s: HostPort() = %q, want %q", tt.url, got, tt.want)
		}
	}
}

func TestCheckAddr(t *testing.T) {
	never := []string{"0.0.0.0", "0.1.2.3", "::", "224.0.0.1", "ff02::1", "255.255.255.255", "240.0.0.1", "169.254.1.1",
		"169.254.169.254", "fe80::1", "fec0::1", "fd00:ec2::254", "64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1", "2002:7f00:1::1",
		"2001::1", "::127.0.0.1", "::ffff:0:7f00:1", "::ffff:169.254.169.254", "::ffff:0.0.0.0"}
	tests := []struct {
		name, url string
		ok, bad   []string
	}{
		{"a listed public name", "wss://play.example.net/",
			[]string{"93.184.215.14", "2606:2800:21f::1", "::ffff:93.184.215.14", "100.63.255.255", "172.32.0.1"},
			[]string{"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1",
				"fd12::1", "fc00::1", "100.64.0.1", "::ffff:10.0.0.1"}},
		{"C29 localhost never leaves this computer", "ws://localhost:8080/",
			[]string{"127.0.0.1", "::1", "::ffff:127.0.0.1"},
			[]string{"127.0.0.2", "10.0.0.1", "93.184.215.14"}},
		{"a name below localhost is a name", "wss://game.localhost/", nil, []string{"127.0.0.1", "::1"}},
		{"a .local name", "wss://gamebox.local/",
			[]string{"192.168.1.20", "fd12::1", "100.64.0.1", "93.184.215.14"}, []string{"127.0.0.1", "::1"}},
		{"a single label", "wss://gamebox/", []string{"10.0.0.1", "fd12::1"}, []string{"127.0.0.1"}},
		{"a private literal", "wss://192.168.1.20/",
			[]string{"192.168.1.20", "::ffff:192.168.1.20"}, []string{"192.168.1.21", "127.0.0.1"}},
		{"a loopback literal", "wss://127.0.0.5/", []string{"127.0.0.5"}, []string{"127.0.0.1", "::1"}},
		{"the IPv6 loopback literal", "ws://[::1]/", []string{"::1"}, []string{"127.0.0.1"}},
		{"a public literal", "wss://93.184.215.14/", []string{"93.184.215.14"}, []string{"93.184.215.15"}},
		{"C31 a NAT64 literal", "wss://[64:ff9b::7f00:1]/", nil, []string{"64:ff9b::7f00:1"}},
		{"a metadata literal", "wss://169.254.169.254/", nil, []string{"169.254.169.254"}},
		{"an unspecified literal", "wss://0.0.0.0/", nil, []string{"0.0.0.0", "127.0.0.1"}},
		{"a link-local literal", "wss://[fe80::1]/", nil, []string{"fe80::1", "fe80::1%eth0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			target, err := ParseTarget(tt.url)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range tt.ok {
				if err := target.CheckAddr(netip.MustParseAddr(a)); err != nil {
					t.Errorf("%s refused: %v", a, err)
				}
			}
			for _, a := range append(never, tt.bad...) {
				if err := target.CheckAddr(netip.MustParseAddr(a)); err == nil {
					t.Errorf("%s accepted", a)
				}
			}
			if err := target.CheckAddr(netip.Addr{}); err == nil {
				t.Error("the zero address accepted")
			}
		})
	}
}

// The zero Target is no destination.
func TestZeroTarget(t *testing.T) {
	list, err := ParseList([]string{"*.example.net", "localhost"})
	if err != nil {
		t.Fatal(err)
	}
	if list.Match(Target{}) {
		t.Error("a list matched the zero Target")
	}
	for _, a := range []string{"127.0.0.1", "10.0.0.1"} {
		if (Target{}).CheckAddr(netip.MustParseAddr(a)) == nil {
			t.Errorf("the zero Target may be dialled at %s", a)
		}
	}
}

func TestBadPortsTable(t *testing.T) {
	if got := len(badPorts); got != 83 {
		t.Errorf("%d blocked ports, want the 83 of WHATWG Fetch", got)
	}
	for port := range badPorts {
		if port == 80 || port == 443 || port == 8080 {
			t.Errorf("port %d is blocked", port)
		}
	}
}

func FuzzParseTarget(f *testing.F) {
	for _, v := range readVectors(f).Target {
		f.Add(v.URL)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		target, err := ParseTarget(raw)
		if err != nil {
			return
		}
		again, err := ParseTarget(target.URL())
		if err != nil || again != target {
			t.Fatalf("%q -> %+v -> %q -> %+v, %v", raw, target, target.URL(), again, err)
		}
		if target.Host == "" || target.Port == 0 || !strings.HasPrefix(target.Path, "/") {
			t.Fatalf("%q: incomplete target %+v", raw, target)
		}
		for i := 0; i < len(target.URL()); i++ {
			if c := target.URL()[i]; c < 0x21 || c >= 0x7f {
				t.Fatalf("%q: byte %#x in the canonical address", raw, c)
			}
		}
		list, err := ParseList([]string{target.Host})
		if target.IP.IsValid() || err != nil {
			return // literals need brackets in a list, and some may not be listed at all
		}
		if !list.Match(target) {
			t.Fatalf("%q: a list of the host itself does not match", raw)
		}
	})
}

func FuzzParseList(f *testing.F) {
	for _, v := range readVectors(f).List {
		f.Add(strings.Join(v.Patterns, "\n"), v.URL)
	}
	f.Add("*", "wss://a/")
	f.Add("*.com\nhttps://x/", "wss://a.com/")
	f.Fuzz(func(t *testing.T, text, url string) {
		list, err := ParseList(strings.Split(text, "\n"))
		if err != nil {
			return
		}
		again, err := ParseList(list.Patterns())
		if err != nil || !slices.Equal(again.Patterns(), list.Patterns()) {
			t.Fatalf("%q -> %q -> %q, %v", text, list.Patterns(), again.Patterns(), err)
		}
		target, err := ParseTarget(url)
		if err != nil {
			return
		}
		if list.Match(target) != again.Match(target) {
			t.Fatalf("%q and its canonical text disagree about %q", text, url)
		}
	})
}
