package consent

import (
	"testing"

	"github.com/zalando/go-keyring"
)

// TestOpenWithFile: the answers stay with a folder that is moved between computers' key stores, and the key store is
// never given anything. A copy somewhere else grants nothing.
func TestOpenWithFile(t *testing.T) {
	freshKeyring(t)
	dir := t.TempDir()
	open := func(dir string) *Store {
		s, err := OpenWithFile(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	s := open(dir)
	if got := s.Protection(); got != ByFile {
		t.Errorf("protection %q", got)
	}
	remember(t, s, "g", other)
	wantAllowed(t, s, "g", other, true)
	id := s.id
	closeStore(t, s)
	s = open(dir)
	wantAllowed(t, s, "g", other, true)
	if err := s.ForgetAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantAllowed(t, s, "g", other, false)
	remember(t, s, "g", other)
	closeStore(t, s)
	if _, err := keyring.Get(keyringService, "v1:"+id); err == nil {
		t.Error("the key store has a key")
	}
	copied := t.TempDir()
	copyFiles(t, dir, copied)
	wantAllowed(t, open(copied), "g", other, false)
}
