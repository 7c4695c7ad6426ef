package runtime

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTryLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, ok, err := TryLock(path)
	if !ok || err != nil {
		t.Fatalf("got %t, %v", ok, err)
	}
	if _, ok, err := TryLock(path); ok || err != nil {
		t.Errorf("a second time: %t, %v", ok, err)
	}
	unlock()
	if unlock, ok, err := TryLock(path); !ok || err != nil {
		t.Errorf("after it was given up: %t, %v", ok, err)
	} else {
		unlock()
	}
	if _, ok, err := TryLock(filepath.Join(path, "x")); ok || err == nil {
		t.Errorf("where no file can be: %t, %v", ok, err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(t.TempDir(), "elsewhere"), link); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := TryLock(link); ok || !errors.Is(err, errSymlink) {
		t.Errorf("a link: %t, %v", ok, err)
	}
}

func TestTakePort(t *testing.T) {
	dir := t.TempDir()
	s := state(t, dir)
	a, b := lookup(t, s, Identity{ID: "a", Path: "/a"}), lookup(t, s, Identity{ID: "b", Path: "/b"})
	free := a.Port + 1
	for free == b.Port || !usablePort(free) {
		free++
	}
	for _, row := range []struct {
		name, key string
		port      int
		want      string
	}{
		{"free", a.Key, free, ""},
		{"its own", a.Key, free, ""},
		{"of another game", a.Key, b.Port, b.Key},
		{"well known", a.Key, 25565, "cannot be a game's own"},
		{"low", a.Key, 80, "cannot be a game's own"},
		{"of no game", "conch-x-12345678", free, "no game is called"},
	} {
		err := s.TakePort(row.key, row.port)
		if (row.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v, want %q", row.name, err, row.want)
		}
	}
	if got := lookup(t, state(t, dir), Identity{ID: "a", Path: "/a"}); got.Port != free || got.Key != a.Key {
		t.Errorf("got %+v, want port %d", got, free)
	}
}
