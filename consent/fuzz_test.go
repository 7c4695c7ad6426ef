package consent

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"conch/consent/hostlist"
)

// A file of any content is opened as a list or kept aside, and the list works.
func FuzzOpen(f *testing.F) {
	dir := f.TempDir()
	s, err := Open(dir, nil)
	if err != nil {
		f.Fatal(err)
	}
	to, err := hostlist.ParseTarget(other)
	if err == nil {
		err = s.Remember(context.Background(), "g", to)
	}
	if err = errors.Join(err, s.Close()); err != nil {
		f.Fatal(err)
	}
	good, err := os.ReadFile(filepath.Join(dir, databaseName))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint(0), []byte{})
	f.Add(uint(16), []byte{0, 1})
	f.Add(uint(100), bytes.Repeat([]byte{0xff}, 64))
	f.Add(uint(4096), bytes.Repeat([]byte{0x7f}, 4096))
	f.Add(uint(len(good)-100), []byte("evil.example"))
	f.Fuzz(func(t *testing.T, at uint, patch []byte) {
		data := slices.Clone(good)
		copy(data[at%uint(len(data)):], patch)
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, databaseName), data, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(dir, nil)
		if err != nil {
			return // a newer version's
		}
		defer s.Close()
		// The patch may have left the one row alone; it can never have made another.
		list, err := s.List(t.Context())
		if err != nil {
			return
		}
		for _, a := range list {
			if a.Game != "g" || a.Host != "other.example" {
				t.Errorf("a patch made %+v", a)
			}
		}
		if s.Allowed(t.Context(), "g2", to) {
			t.Error("a patch allowed another game")
		}
	})
}

// No two rows have the same sealed bytes: what moves between fields changes them.
func FuzzSealed(f *testing.F) {
	f.Add("s", "k", "g", "h", uint16(0), "c", int64(1), int64(2), "s", "k", "gh", "", uint16(0), "c", int64(1), int64(2))
	f.Add("", "", "a", "b", uint16(1), "", int64(0), int64(0), "", "a", "", "b", uint16(1), "", int64(0), int64(0))
	f.Fuzz(func(t *testing.T, s1, k1, g1, h1 string, p1 uint16, c1 string, t1, n1 int64,
		s2, k2, g2, h2 string, p2 uint16, c2 string, t2, n2 int64) {
		a := approval{subject{g1, h1, p1, c1}, t1, n1}
		b := approval{subject{g2, h2, p2, c2}, t2, n2}
		same := s1 == s2 && k1 == k2 && a == b
		if bytes.Equal(sealed(s1, k1, a), sealed(s2, k2, b)) != same {
			t.Errorf("%q %q %+v and %q %q %+v", s1, k1, a, s2, k2, b)
		}
	})
}

func FuzzMachineID(f *testing.F) {
	for _, seed := range []string{"3d1219c7c4c5404aaa1f6d2a48adfda4\n", "3D1219C7-C4C5-404A-AA1F-6D2A48ADFDA4", "", "uninitialized\n", strings.Repeat("0", 32), strings.Repeat("a", 31)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, err := parseMachineID(text)
		if (err == nil) != (len(id) == 32) {
			t.Fatalf("%q: %q, %v", text, id, err)
		}
		if again, err2 := parseMachineID(id); err == nil && (again != id || err2 != nil) {
			t.Errorf("%q reads back as %q, %v", id, again, err2)
		}
	})
}

func FuzzSecret(f *testing.F) {
	f.Add(encodeSecret(newSecret()))
	f.Add(encodeSecret(newSecret()) + "\n")
	f.Add("")
	f.Add(strings.Repeat("=", 44))
	f.Fuzz(func(t *testing.T, text string) {
		secret, ok := decodeSecret(text)
		if ok && encodeSecret(secret) != strings.NewReplacer("\r", "", "\n", "").Replace(text) {
			t.Errorf("%q is read as %q", text, encodeSecret(secret))
		}
	})
}
