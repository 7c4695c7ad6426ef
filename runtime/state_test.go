package runtime

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func state(t *testing.T, dir string) *State {
	t.Helper()
	s, err := OpenState(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func lookup(t *testing.T, s *State, game Identity) Record {
	t.Helper()
	r, err := s.Lookup(game)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func touch(t *testing.T, path string) string {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Cases A29 to A31, B1 and B4: a game keeps its port and key, and no two games share them.
func TestPortStaysWithTheGame(t *testing.T) {
	dir, games := filepath.Join(t.TempDir(), "new", "state"), t.TempDir()
	a := Identity{Name: "Game", Path: touch(t, filepath.Join(games, "game.zip")), EntryDigest: "d1"}
	b := Identity{Name: "Game", Path: touch(t, filepath.Join(games, "other.zip")), EntryDigest: "d1"}
	first := lookup(t, state(t, dir), a)
	other := lookup(t, state(t, dir), b)
	if first.Key == other.Key || first.Port == other.Port {
		t.Errorf("two games share %v and %v", first, other)
	}
	if again := lookup(t, state(t, dir), a); again != first {
		t.Errorf("got %v, then %v", first, again)
	}
	if !keyShape.MatchString(first.Key) || !usablePort(first.Port) {
		t.Errorf("got %v", first)
	}
	if got := state(t, dir).Records(); len(got) != 2 || got[1].Key != first.Key {
		t.Errorf("records: %v", got)
	}
}

func TestWhoseGameIsIt(t *testing.T) {
	tests := []struct {
		name   string
		before Identity
		gone   bool // the first path is removed
		after  Identity
		same   bool
	}{
		{"same path, new content", Identity{Path: "a", EntryDigest: "1"}, false, Identity{Path: "a", EntryDigest: "2"}, true},
		{"same path, name changed", Identity{Path: "a", Name: "x"}, false, Identity{Path: "a", Name: "y"}, true},
		{"moved", Identity{Path: "a", EntryDigest: "1"}, true, Identity{Path: "b", EntryDigest: "1"}, true},
		{"copied", Identity{Path: "a", EntryDigest: "1"}, false, Identity{Path: "b", EntryDigest: "1"}, false},
		{"another game after one was removed", Identity{Path: "a", EntryDigest: "1"}, true, Identity{Path: "b", EntryDigest: "2"}, false},
		{"unknown content", Identity{Path: "a"}, true, Identity{Path: "b"}, false},
		{"same id elsewhere", Identity{ID: "net.example.g", Path: "a"}, false, Identity{ID: "net.example.g", Path: "b"}, true},
		{"other id, same path", Identity{ID: "net.example.g", Path: "a"}, false, Identity{ID: "net.example.h", Path: "a"}, false},
		{"id added", Identity{Path: "a", EntryDigest: "1"}, false, Identity{ID: "net.example.g", Path: "a", EntryDigest: "2"}, true},
		{"id dropped", Identity{ID: "net.example.g", Path: "a"}, false, Identity{Path: "a"}, true},
		{"moved, but with an id", Identity{ID: "net.example.g", Path: "a", EntryDigest: "1"}, true, Identity{Path: "b", EntryDigest: "1"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, dir := state(t, t.TempDir()), t.TempDir()
			tt.before.Path = touch(t, filepath.Join(dir, tt.before.Path))
			before := lookup(t, s, tt.before)
			if tt.gone {
				os.Remove(tt.before.Path)
			}
			tt.after.Path = touch(t, filepath.Join(dir, tt.after.Path))
			after := lookup(t, s, tt.after)
			if (after.Key == before.Key) != tt.same || (after.Port == before.Port) != tt.same {
				t.Errorf("got %v, then %v", before, after)
			}
			if after.Path != tt.after.Path {
				t.Errorf("path: got %s", after.Path)
			}
		})
	}
}

// Case C73: the saves of a signed game belong to its author's key and its id. An unsigned game that its author signs
// takes its saves along once, and only where it was.
func TestWhoseSignedGameIsIt(t *testing.T) {
	const id, a, b = "net.example.g", "aaaa", "bbbb"
	tests := []struct {
		name   string
		before Identity
		gone   bool
		after  Identity
		same   bool
	}{
		{"same key elsewhere", Identity{Signer: a, ID: id, Path: "x"}, false, Identity{Signer: a, ID: id, Path: "y"}, true},
		{"update at the same path", Identity{Signer: a, ID: id, Path: "x", EntryDigest: "1"}, false, Identity{Signer: a, ID: id, Path: "x", EntryDigest: "2"}, true},
		{"other key, same id and path", Identity{Signer: a, ID: id, Path: "x", EntryDigest: "1"}, false, Identity{Signer: b, ID: id, Path: "x", EntryDigest: "1"}, false},
		{"other id of the same key", Identity{Signer: a, ID: id, Path: "x"}, false, Identity{Signer: a, ID: "net.example.h", Path: "x"}, false},
		{"signature dropped, same path", Identity{Signer: a, ID: id, Path: "x", EntryDigest: "1"}, false, Identity{ID: id, Path: "x", EntryDigest: "1"}, false},
		{"signature and id dropped, same path", Identity{Signer: a, ID: id, Path: "x", EntryDigest: "1"}, false, Identity{Path: "x", EntryDigest: "1"}, false},
		{"unsigned with the same id elsewhere", Identity{Signer: a, ID: id, Path: "x"}, false, Identity{ID: id, Path: "y"}, false},
		{"unsigned with the same content, path gone", Identity{Signer: a, ID: id, Path: "x", EntryDigest: "1"}, true, Identity{Path: "y", EntryDigest: "1"}, false},
		{"signed in place", Identity{ID: id, Path: "x", EntryDigest: "1"}, false, Identity{Signer: a, ID: id, Path: "x", EntryDigest: "2"}, true},
		{"signed in place, had no id", Identity{Path: "x", EntryDigest: "1"}, false, Identity{Signer: a, ID: id, Path: "x", EntryDigest: "2"}, true},
		{"signed in place, had another id", Identity{ID: "net.example.h", Path: "x"}, false, Identity{Signer: a, ID: id, Path: "x"}, false},
		{"signed and moved", Identity{ID: id, Path: "x", EntryDigest: "1"}, true, Identity{Signer: a, ID: id, Path: "y", EntryDigest: "1"}, true},
		{"signed copy", Identity{ID: id, Path: "x", EntryDigest: "1"}, false, Identity{Signer: a, ID: id, Path: "y", EntryDigest: "1"}, false},
		{"only the id is the same", Identity{ID: id, Path: "x", EntryDigest: "1"}, true, Identity{Signer: a, ID: id, Path: "y", EntryDigest: "2"}, false},
		{"unknown content", Identity{ID: id, Path: "x"}, true, Identity{Signer: a, ID: id, Path: "y"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, dir := state(t, t.TempDir()), t.TempDir()
			tt.before.Path = touch(t, filepath.Join(dir, tt.before.Path))
			before := lookup(t, s, tt.before)
			if tt.gone {
				os.Remove(tt.before.Path)
			}
			tt.after.Path = touch(t, filepath.Join(dir, tt.after.Path))
			after := lookup(t, s, tt.after)
			if (after.Key == before.Key) != tt.same || (after.Port == before.Port) != tt.same {
				t.Errorf("got %v, then %v", before, after)
			}
			if after.Signer != tt.after.Signer || lookup(t, s, tt.after) != after {
				t.Errorf("got %v", after)
			}
			if again := lookup(t, s, tt.before); !tt.same && again.Key != before.Key {
				t.Errorf("the first game lost its record %v for %v", before, again)
			}
		})
	}
}

// The saves move once: who comes second, unsigned or with another key, gets none of them.
func TestUnsignedGameIsClaimedOnce(t *testing.T) {
	s := state(t, t.TempDir())
	game := Identity{ID: "net.example.g", Path: touch(t, filepath.Join(t.TempDir(), "game.zip")), EntryDigest: "1"}
	plain := lookup(t, s, game)
	game.Signer = "aaaa"
	if got := lookup(t, s, game); got.Key != plain.Key {
		t.Errorf("got %v, want the saves of %v", got, plain)
	}
	for _, signer := range []string{"", "bbbb"} {
		game.Signer = signer
		if got := lookup(t, s, game); got.Key == plain.Key {
			t.Errorf("signer %q took the saves back", signer)
		}
	}
	game.Signer = "aaaa"
	if got := lookup(t, s, game); got.Key != plain.Key {
		t.Errorf("got %v, want %v", got, plain)
	}
}

// A game that moved away keeps the key of its first path; a new game there gets another.
func TestNewGameAtAnOldPath(t *testing.T) {
	s, dir := state(t, t.TempDir()), t.TempDir()
	old := Identity{Path: touch(t, filepath.Join(dir, "game")), EntryDigest: "1"}
	first := lookup(t, s, old)
	os.Rename(old.Path, filepath.Join(dir, "moved"))
	if moved := lookup(t, s, Identity{Path: filepath.Join(dir, "moved"), EntryDigest: "1"}); moved.Key != first.Key {
		t.Errorf("got %v, want %v", moved, first)
	}
	touch(t, old.Path)
	if got := lookup(t, s, Identity{Path: old.Path, EntryDigest: "2"}); got.Key == first.Key || got.Port == first.Port {
		t.Errorf("got %v, the same as %v", got, first)
	}
}

func TestLinksLeadToTheSameGame(t *testing.T) {
	s, dir := state(t, t.TempDir()), t.TempDir()
	real := touch(t, filepath.Join(dir, "game"))
	link := filepath.Join(dir, "link")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if a, b := lookup(t, s, Identity{Path: real}), lookup(t, s, Identity{Path: link}); a != b {
		t.Errorf("got %v and %v", a, b)
	}
}

func TestKeys(t *testing.T) {
	tests := map[string]string{
		"My Game!": "conch-my-game-", "com.example.Game": "conch-com-example-game-", "": "conch-game-", "เกม": "conch-game-",
		"../../etc": "conch-etc-", strings.Repeat("x", 100): "conch-" + strings.Repeat("x", 32) + "-", "a" + strings.Repeat(" b", 40): "conch-a-",
		"%n%s": "conch-n-s-", strings.Repeat("x", 31) + " y": "conch-" + strings.Repeat("x", 31) + "-",
	}
	for name, want := range tests {
		got := makeKey(name, "seed")
		if !strings.HasPrefix(got, want) || !keyShape.MatchString(got) {
			t.Errorf("%q: got %s, want %s…", name, got, want)
		}
	}
	if makeKey("a", "1") == makeKey("a", "2") {
		t.Error("the seed does not count")
	}
}

func TestStateFileIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	os.Mkdir(dir, 0o755)
	lookup(t, state(t, dir), Identity{Path: "x"})
	for name, want := range map[string]os.FileMode{".": 0o700, stateName: 0o600, stateLock: 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want %v", name, info.Mode().Perm(), err, want)
		}
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".games-*"))
	if len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestDamagedState(t *testing.T) {
	good, _ := json.Marshal(Record{Key: "conch-a-00000000", Path: "/a", Port: 12001})
	tests := map[string]string{
		"empty": "", "not JSON": "{", "half": `{"format":1,"games":[{"key":"conch-a-00000000","port":12`, "list": "[]",
		"no format": `{"games":[]}`, "bad key": `{"format":1,"games":[{"key":"../x","port":12001}]}`,
		"bad port":  `{"format":1,"games":[{"key":"conch-a-00000000","port":80}]}`,
		"same port": `{"format":1,"games":[` + string(good) + `,{"key":"conch-b-00000000","port":12001}]}`,
		"same key":  `{"format":1,"games":[` + string(good) + `,{"key":"conch-a-00000000","port":12002}]}`,
		"huge":      `{"format":1,"games":[]}` + strings.Repeat(" ", maxStateSize),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for n := 1; n <= 2; n++ {
				rewrite(t, dir, stateName, text)
				lookup(t, state(t, dir), Identity{Path: "x"})
				kept, err := os.ReadFile(filepath.Join(dir, stateName+".corrupt-"+itoa(n)))
				if err != nil || string(kept) != text {
					t.Errorf("the damaged file was not kept: %v", err)
				}
			}
			if got := state(t, dir).Records(); len(got) != 1 {
				t.Errorf("records: %v", got)
			}
		})
	}
}

func TestStateOfANewerVersionIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	const text = `{"format":2,"games":{"new":"shape"}}`
	rewrite(t, dir, stateName, text)
	if _, err := state(t, dir).Lookup(Identity{Path: "x"}); err == nil || !strings.Contains(err.Error(), "newer") {
		t.Errorf("got %v", err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, stateName)); string(got) != text {
		t.Errorf("the file is now %s", got)
	}
}

func TestStateRefusesLinks(t *testing.T) {
	for _, name := range []string{stateName, stateLock} {
		dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "x")
		rewrite(t, filepath.Dir(elsewhere), "x", "mine")
		if err := os.Symlink(elsewhere, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if _, err := state(t, dir).Lookup(Identity{Path: "x"}); err == nil {
			t.Errorf("%s: a link was accepted", name)
		}
		if got, _ := os.ReadFile(elsewhere); string(got) != "mine" {
			t.Errorf("%s: the other file is now %q", name, got)
		}
	}
}

func TestManyGamesAtOnce(t *testing.T) {
	dir, games := t.TempDir(), t.TempDir()
	var wg sync.WaitGroup
	for i := range 40 {
		path := touch(t, filepath.Join(games, itoa(i)))
		wg.Go(func() {
			s, err := OpenState(dir)
			if err == nil {
				_, err = s.Lookup(Identity{Path: path, Name: "game"})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	ports := map[int]bool{}
	for _, r := range state(t, dir).Records() {
		ports[r.Port] = true
	}
	if len(ports) != 40 {
		t.Errorf("%d ports for 40 games", len(ports))
	}
}

func TestIdentityOfBundle(t *testing.T) {
	f := files{"index.html": plainPage, "a.js": "1", "conch.json": `{"format":1,"id":"net.example.game","name":"My Game"}`}
	a := IdentityOf(folder(t, f))
	if a.ID != "net.example.game" || a.Name != "My Game" || len(a.EntryDigest) != 64 {
		t.Errorf("got %+v", a)
	}
	if same := IdentityOf(folder(t, f)); same.EntryDigest != a.EntryDigest || same.Path == a.Path {
		t.Errorf("a copy: got %+v", same)
	}
	if zip := IdentityOf(zipped(t, f)); zip.EntryDigest != a.EntryDigest {
		t.Errorf("a zip of it: got %+v", zip)
	}
	f["a.js"] = "22" // another game made with the same program has the same page
	if other := IdentityOf(folder(t, f)); other.EntryDigest == a.EntryDigest {
		t.Error("other files, same digest")
	}
}
