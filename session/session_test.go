package session

import (
	"bytes"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestParseAddress(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Address
		bad  bool
	}{
		{in: "192.168.1.20", want: Address{Host: "192.168.1.20", Port: 24642}},
		{in: " 192.168.1.20:5000 ", want: Address{Host: "192.168.1.20", Port: 5000}},
		{in: "host.local", want: Address{Host: "host.local", Port: 24642}},
		{in: "::1", want: Address{Host: "::1", Port: 24642}},
		{in: "[::1]", want: Address{Host: "::1", Port: 24642}},
		{in: "[fe80::1]:77", want: Address{Host: "fe80::1", Port: 77}},
		{in: "ws://a:1", want: Address{Host: "a", Port: 1}},
		{in: "wss://a.example", want: Address{Host: "a.example", Port: 443, TLS: true}},
		{in: "WS://a/", want: Address{Host: "a", Port: 24642}},
		{in: "ws://a:1/_conch/session", want: Address{Host: "a", Port: 1}},
		{in: "http://192.168.1.20:5000/j/K7M2QX", want: Address{Host: "192.168.1.20", Port: 5000, Code: "K7M2QX"}},
		{in: "", bad: true}, {in: ":5000", bad: true}, {in: "a:0", bad: true}, {in: "a:65536", bad: true}, {in: "a:+1", bad: true},
		{in: "a:b:c", bad: true}, {in: "ftp://a", bad: true}, {in: "a/path", bad: true}, {in: "user@a", bad: true}, {in: "a b", bad: true},
		{in: "a?x", bad: true}, {in: "a#x", bad: true}, {in: "a\r\nHost: b", bad: true}, {in: "fe80::1%eth0", bad: true}, {in: "%61", bad: true},
		{in: strings.Repeat("a", 300), bad: true}, {in: "http://a/j/x/y", bad: true}, {in: "münchen", bad: true},
	} {
		got, err := ParseAddress(c.in)
		if (err != nil) != c.bad || got != c.want {
			t.Errorf("%q: got %+v %v, want %+v", c.in, got, err, c.want)
		}
	}
}

func TestJoinMisuse(t *testing.T) {
	for name, change := range map[string]func(*JoinRequest){
		"no project": func(r *JoinRequest) { r.ProjectID = "" }, "no build": func(r *JoinRequest) { r.BuildHash = "" },
		"bad session": func(r *JoinRequest) { r.SessionID = "a b" }, "long data": func(r *JoinRequest) { r.UserData = make([]byte, 5000) },
	} {
		r := request()
		change(&r)
		if _, err := Join(ClientOptions{}, r, "127.0.0.1"); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := Join(ClientOptions{}, request(), "no address!"); err == nil {
		t.Error("no error")
	}
}

func TestCleanName(t *testing.T) {
	for in, want := range map[string]string{
		"Ada": "Ada", " Zoë 🐚 ": "Zoë 🐚", "a\x00b\nc": "abc", "a\u202Egpj": "agpj", "\u200Bx\u2028y": "xy", "\xff\xfe": "",
		strings.Repeat("ä", 50): strings.Repeat("ä", 32), "": "",
	} {
		if got := cleanName(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// TestDocumentedTestsExist keeps the tables of docs/session.md true.
func TestDocumentedTestsExist(t *testing.T) {
	doc, err := os.ReadFile("../docs/session.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	networks, err := filepath.Glob("../e2e/lan/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var code []byte
	for _, name := range append(files, networks...) {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		code = append(code, b...)
	}
	for _, name := range regexp.MustCompile(`\b(Test|Fuzz)[A-Z]\w+`).FindAllString(string(doc), -1) {
		if !bytes.Contains(code, []byte("func "+name+"(")) {
			t.Errorf("docs/session.md names %s, which is not there", name)
		}
	}
}

func TestAddressKey(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"192.168.1.2", "192.168.1.2", true}, {"192.168.1.2", "192.168.1.3", false}, {"::ffff:10.0.0.1", "10.0.0.1", true},
		{"fe80::1%eth0", "fe80::1", true}, {"fe80::1", "fe80::2", false}, {"fd00::1", "fd00::2", false}, {"::1", "::1", true},
		{"2001:db8::1", "2001:db8::2", true}, {"2001:db8::1", "2001:db8:0:1::1", false},
	} {
		if got := addressKey(netip.MustParseAddr(c.a)) == addressKey(netip.MustParseAddr(c.b)); got != c.same {
			t.Errorf("%s and %s: got %t, want %t", c.a, c.b, got, c.same)
		}
	}
}

func TestCodesAndIDs(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		code := NewCode()
		if len(code) != 6 || plainCode(strings.ToLower(code)) != code {
			t.Fatalf("code %q", code)
		}
		seen[code] = true
	}
	if len(seen) < 990 {
		t.Errorf("only %d of 1000 codes are different", len(seen))
	}
	if id := newUUID(); !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(id) {
		t.Errorf("uuid %q", id)
	}
	if got := cut("aé", 2); got != "a" {
		t.Errorf("got %q", got)
	}
}
