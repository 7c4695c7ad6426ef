package consent

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zalando/go-keyring"
)

// C71: the key store does not answer, or with an error. The start does not wait for it, the label is honest, and no
// key is made in it.
func TestC71KeyringErrors(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	remember(t, s, "g", other)
	id := s.id
	closeStore(t, s)
	stored, err := keyring.Get(keyringService, "v1:"+id)
	if err != nil {
		t.Fatal(err)
	}

	brokenKeyring(t)
	s, log := openLogged(t, dir)
	if got := s.Protection(); got != ByFile {
		t.Errorf("protection %q", got)
	}
	if log.count("cannot be used for approvals") != 1 {
		t.Errorf("log %s", log)
	}
	wantAllowed(t, s, "g", other, false)
	remember(t, s, "g", "wss://b.example/")
	wantAllowed(t, s, "g", "wss://b.example/", true)
	closeStore(t, s)

	keyring.MockInit()
	if err := keyring.Set(keyringService, "v1:"+id, stored); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, dir)
	wantAllowed(t, s, "g", other, true) // its row was never touched
	if got, err := keyring.Get(keyringService, "v1:"+id); err != nil || got != stored {
		t.Errorf("the key changed: %v", err)
	}
}

func TestC71KeyringHangs(t *testing.T) {
	dir := t.TempDir()
	keyringTurn <- struct{}{} // a call that never ends
	defer func() { <-keyringTurn }()
	start := time.Now()
	s, log := openLogged(t, dir)
	opened := time.Since(start)
	if got := s.Protection(); got != ByFile {
		t.Errorf("protection %q", got)
	}
	if known := time.Since(start); opened >= keyringLimit || known < keyringLimit || known > 3*keyringLimit {
		t.Errorf("open took %s, the key store was given up after %s", opened, known)
	}
	if log.count("no answer in 3s") != 1 {
		t.Errorf("log %s", log)
	}
	remember(t, s, "g", other)
	wantAllowed(t, s, "g", other, true)
}

// Close does not wait for a key store that hangs.
func TestCloseWhileKeyringHangs(t *testing.T) {
	keyringTurn <- struct{}{}
	defer func() { <-keyringTurn }()
	start := time.Now()
	s := openStore(t, t.TempDir())
	closeStore(t, s)
	if took := time.Since(start); took >= keyringLimit {
		t.Errorf("took %s", took)
	}
}

// Neither key store nor key file: the answer holds for this run, and List and the log say so.
func TestSessionOnly(t *testing.T) {
	brokenKeyring(t)
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, keyFileName, "x"), 0o700); err != nil { // cannot be replaced by a file
		t.Fatal(err)
	}
	a := newAsking(t, openStore(t, dir))
	done := a.connect(t.Context(), other)
	a.screen.answer(Allow)
	wantCode(t, <-done, "")
	wantCode(t, <-a.connect(t.Context(), other), "")
	if a.log.count("cannot be kept") != 1 {
		t.Errorf("log %s", a.log)
	}
	list, err := a.gate.Store.List(t.Context())
	if err != nil || len(list) != 1 || list[0].Protection != BySession || list[0].Host != "other.example" {
		t.Errorf("%+v, %v", list, err)
	}
	a.manager.Close()
	closeStore(t, a.gate.Store)
	wantAllowed(t, openStore(t, dir), "g", other, false)
	if got := (&Store{}).Protection(); got != BySession {
		t.Errorf("protection %q", got)
	}
}

// C72: rows sealed by a file's key grant nothing once the key store works: asked again, never upgraded.
func TestC72KeyringAppears(t *testing.T) {
	brokenKeyring(t)
	dir := t.TempDir()
	s := openStore(t, dir)
	remember(t, s, "g", other, "wss://b.example/")
	wantAllowed(t, s, "g", other, true)
	closeStore(t, s)

	keyring.MockInit()
	s = openStore(t, dir)
	wantAllowed(t, s, "g", other, false)
	wantStored(t, s)
	remember(t, s, "g", other)
	wantAllowed(t, s, "g", other, true)
	wantAllowed(t, s, "g", "wss://b.example/", false)
	if got := s.Protection(); got != ByKeychain {
		t.Errorf("protection %q", got)
	}
	// Forgotten while the key store works, a file's row must not come back when it does not.
	if err := s.Forget(t.Context(), "g", "other.example"); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	if _, err := os.Stat(filepath.Join(dir, keyFileName)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file's key is still there: %v", err)
	}
	brokenKeyring(t)
	s = openStore(t, dir)
	wantAllowed(t, s, "g", other, false)
	wantStored(t, s)
}

// A key file that others can read, that is a link or makes no sense is replaced; its rows are void.
func TestUnusableKeyFile(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"readable":  func(path string) error { return os.Chmod(path, 0o644) },
		"nonsense":  func(path string) error { return os.WriteFile(path, []byte("key"), 0o600) },
		"too short": func(path string) error { return os.WriteFile(path, []byte("AAAA"), 0o600) },
		"a link":    func(path string) error { return errors.Join(os.Rename(path, path+"2"), os.Symlink(path+"2", path)) },
	} {
		t.Run(name, func(t *testing.T) {
			brokenKeyring(t)
			dir := t.TempDir()
			s := openStore(t, dir)
			remember(t, s, "g", other)
			closeStore(t, s)
			if err := spoil(filepath.Join(dir, keyFileName)); err != nil {
				t.Fatal(err)
			}
			s = openStore(t, dir)
			wantAllowed(t, s, "g", other, false)
			remember(t, s, "g", other)
			wantAllowed(t, s, "g", other, true)
			info, err := os.Lstat(filepath.Join(dir, keyFileName))
			if err != nil || !info.Mode().IsRegular() || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
		})
	}
}

// A value in the key store that is no key is nothing that a row can be sealed with.
func TestNonsenseInKeyring(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	remember(t, s, "g", other)
	id := s.id
	closeStore(t, s)
	for _, value := range []string{"", "key", "AAAA", strings.Repeat("A", 44)} {
		if err := keyring.Set(keyringService, "v1:"+id, value); err != nil {
			t.Fatal(err)
		}
		s = openStore(t, dir)
		wantAllowed(t, s, "g", other, false)
		remember(t, s, "g", other)
		wantAllowed(t, s, "g", other, true)
		closeStore(t, s)
	}
}
