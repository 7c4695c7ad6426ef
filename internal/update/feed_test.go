package update

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/runtime/bundle"
)

// fullFeed uses every key.
func fullFeed() *Feed {
	until := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	sum := strings.Repeat("0123456789abcdef", 4)
	return &Feed{
		ID: gameID, Version: "1.2.0-beta.1+5", Date: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC), Expires: &until,
		Page: "https://games.example.net/mygame?from=game", Notes: "Für <b>dich</b> & mich:\n\n- \"neue\" Level",
		Targets: map[string]Target{
			"windows-amd64": {"https://cdn.example.net/My%20Game.exe", 2, sum},
			"linux-amd64":   {"https://cdn.example.net/My%20Game", 1, sum},
			"bundle":        {"https://cdn.example.net/game.conch", maxProgram, sum},
		},
	}
}

func TestFeedRoundTrip(t *testing.T) {
	first, err := fullFeed().Sign(keyOf("author"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := ParseFeed(first)
	if err != nil {
		t.Fatal(err)
	}
	again, err := f.Sign(keyOf("author"))
	if err != nil || !bytes.Equal(first, again) {
		t.Errorf("%v\n%s\n%s", err, first, again)
	}
	if f.Notes != fullFeed().Notes || len(f.Targets) != 3 {
		t.Errorf("%+v", f)
	}
}

// TestEveryByteIsSigned: no byte of a feed can be another one.
func TestEveryByteIsSigned(t *testing.T) {
	text, err := fullFeed().Sign(keyOf("author"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range text {
		changed := bytes.Clone(text)
		changed[i] ^= 1
		if f, err := ParseFeed(changed); err == nil {
			t.Fatalf("byte %d (%q) can be %q: %+v", i, text[i], changed[i], f)
		}
	}
}

// TestMessageIsUnambiguous: what moves from one field to the next is another message, and no message of a feed is one
// of a bundle.
func TestMessageIsUnambiguous(t *testing.T) {
	seen := map[string]string{}
	for name, change := range map[string]func(f *Feed){
		"as it is":           func(*Feed) {},
		"page into notes":    func(f *Feed) { f.Notes, f.Page = f.Page+f.Notes, "" },
		"notes into page":    func(f *Feed) { f.Page, f.Notes = f.Page+f.Notes, "" },
		"id into version":    func(f *Feed) { f.ID, f.Version = "", f.ID+f.Version },
		"without expires":    func(f *Feed) { f.Expires = nil },
		"without a target":   func(f *Feed) { delete(f.Targets, "bundle") },
		"address into name":  func(f *Feed) { f.Targets["bundle"+f.Targets["bundle"].URL] = Target{"", maxProgram, ""} },
		"one second earlier": func(f *Feed) { f.Date = f.Date.Add(-time.Second) },
	} {
		f := fullFeed()
		change(f)
		m := string(f.message())
		if other := seen[m]; other != "" {
			t.Errorf("%s and %s have one message", name, other)
		}
		if !strings.HasPrefix(m, "conch-feed-v1\n") {
			t.Errorf("%s: prefix %q", name, m[:20])
		}
		seen[m] = name
	}
}

func TestSignRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(f *Feed)
		want string
	}{
		{"version", func(f *Feed) { f.Version = "1.2" }, "three numbers"},
		{"version of markup", func(f *Feed) { f.Version = "1.2.0-<b>" }, "three numbers"},
		{"version of two lines", func(f *Feed) { f.Version = "1.2.0\nfree" }, "three numbers"},
		{"long version", func(f *Feed) { f.Version = "1.2.0-" + strings.Repeat("a", 60) }, "three numbers"},
		{"id", func(f *Feed) { f.ID = "" }, "id is missing"},
		{"page over http", func(f *Feed) { f.Page = "http://games.example.net/" }, "page: "},
		{"page of a script", func(f *Feed) { f.Page = "javascript:alert(1)" }, "page: "},
		{"page at home", func(f *Feed) { f.Page = "https://192.168.1.1/" }, "page: "},
		{"page in capitals", func(f *Feed) { f.Page = "https://Games.example.net/" }, `write "https://games.example.net/"`},
		{"long notes", func(f *Feed) { f.Notes = strings.Repeat("a", maxNotes+1) }, "at most 4000"},
		{"no date", func(f *Feed) { f.Date = time.Time{} }, "date"},
		{"date of another zone", func(f *Feed) { f.Date = f.Date.In(time.FixedZone("x", 3600)) }, "date"},
		{"expired before it came", func(f *Feed) { e := f.Date; f.Expires = &e }, "expires after date"},
		{"target name", func(f *Feed) { f.Targets["../x"] = f.Targets["bundle"] }, "must be like linux-amd64"},
		{"target address", func(f *Feed) { f.Targets["linux-amd64"] = Target{"ftp://x/", 1, strings.Repeat("0", 64)} }, "target linux-amd64"},
		{"target size", func(f *Feed) {
			f.Targets["bundle"] = Target{"https://a.net/x", maxProgram + 1, strings.Repeat("0", 64)}
		}, "impossible"},
		{"target digest", func(f *Feed) { f.Targets["bundle"] = Target{"https://a.net/x", 1, strings.Repeat("A", 64)} }, "impossible"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := fullFeed()
			tt.do(f)
			if _, err := f.Sign(keyOf("author")); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

// TestNotesArePlain: what could read as something else is gone before it is signed, and refused when it is signed.
func TestNotesArePlain(t *testing.T) {
	f := fullFeed()
	f.Notes = " one\r\ntwo\tthree\x1b[31m \u202egnp.exe\u200b\n\n\n\nfour \x00"
	text, err := f.Sign(keyOf("author"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "one\ntwo three[31m gnp.exe\n\nfour"; f.Notes != want {
		t.Errorf("notes %q, want %q", f.Notes, want)
	}
	if _, err := ParseFeed(text); err != nil {
		t.Error(err)
	}
}

func TestNewer(t *testing.T) {
	order := []string{"0.9.0", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0", "1.0.1", "1.2.0", "1.10.0", "2.0.0"}
	for i, a := range order {
		for j, b := range order {
			if newer(a, b) != (i > j) {
				t.Errorf("newer(%s, %s) = %t", a, b, newer(a, b))
			}
		}
	}
	if newer("1.0.0+2", "1.0.0+1") {
		t.Error("a build number makes no newer version")
	}
}

func TestTargetOf(t *testing.T) {
	dir, game := t.TempDir(), []byte("PK\x03\x04....")
	for _, tt := range []struct {
		name string
		file []byte
		want string
	}{
		{"zip", []byte("PK\x03\x04...."), "bundle"},
		{"Linux", packed(elfHead(elf.EM_X86_64), game), "linux-amd64"},
		{"Linux on ARM", packed(elfHead(elf.EM_AARCH64), game), "linux-arm64"},
		{"Windows", packed(peHead(0x8664), game), "windows-amd64"},
		{"Windows on ARM", packed(peHead(0xaa64), game), "windows-arm64"},
		{"code signed", append(packed(peHead(0x8664), game), make([]byte, 3000)...), "windows-amd64"},
		{"other processor", packed(elfHead(elf.EM_RISCV), game), ""},
		{"program without a game", elfHead(elf.EM_X86_64), ""},
		{"cut off game", packed(elfHead(elf.EM_X86_64), game)[:4100], ""},
		{"game beside it", sidePacked(elfHead(elf.EM_X86_64)), ""},
		{"cut off ELF", []byte("\x7fELF\x02"), ""},
		{"cut off PE", []byte("MZ\x00\x00\x00"), ""},
		{"script", []byte("#!/bin/sh\nrm -rf /\n"), ""},
		{"nothing", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(dir, "file")
			if err := os.WriteFile(path, tt.file, 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := targetAt(path)
			if got != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("%q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

// packed puts a game behind a launcher.
func packed(launcher, game []byte) []byte {
	return withPayload(launcher, bundle.Payload{Length: int64(len(game))}, game)
}

// sidePacked is a program whose game lies in a file beside it.
func sidePacked(launcher []byte) []byte {
	return withPayload(launcher, bundle.Payload{Length: 6, Side: true, SideSize: 10}, []byte("x.game"))
}

func withPayload(launcher []byte, p bundle.Payload, content []byte) []byte {
	b := make([]byte, bundle.PayloadOffset(int64(len(launcher))))
	copy(b, launcher)
	return append(append(b, p.Header()...), content...)
}

func elfHead(m elf.Machine) []byte {
	var b bytes.Buffer
	h := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(m), Version: 1, Ehsize: 64}
	copy(h.Ident[:], "\x7fELF\x02\x01\x01")
	binary.Write(&b, binary.LittleEndian, h)
	return b.Bytes()
}

func peHead(machine uint16) []byte {
	b := make([]byte, 0x200)
	copy(b, "MZ")
	binary.LittleEndian.PutUint32(b[0x3c:], 0x80)
	copy(b[0x80:], "PE\x00\x00")
	binary.LittleEndian.PutUint16(b[0x84:], machine)
	b[0x86] = 1                                       // one section
	binary.LittleEndian.PutUint32(b[0x98+16:], 0x100) // of this size
	binary.LittleEndian.PutUint32(b[0x98+20:], 0x100) // at this place
	return b
}

// FuzzFeed: no text makes the parser fail in another way than with an error, and what it takes has one form.
func FuzzFeed(f *testing.F) {
	text, err := fullFeed().Sign(keyOf("author"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"format":1}`))
	f.Add([]byte(`{"format":1,"key":"","date":"2026-11-01T12:00:00+00:00","targets":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		feed, err := ParseFeed(text)
		if err != nil {
			return
		}
		again, err := feed.encode()
		if err != nil || !bytes.Equal(again, text) {
			t.Errorf("%v: read %q, wrote %q", err, text, again)
		}
	})
}
