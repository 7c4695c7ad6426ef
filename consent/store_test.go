package consent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"conch/consent/hostlist"
)

const other = "wss://other.example/"

func openStore(t testing.TB, dir string) *Store {
	t.Helper()
	s, _ := openLogged(t, dir)
	return s
}

func openLogged(t testing.TB, dir string) (*Store, *lines) {
	t.Helper()
	log := &lines{}
	s, err := Open(dir, log.logger())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, log
}

func closeStore(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func remember(t testing.TB, s *Store, game string, urls ...string) {
	t.Helper()
	for _, url := range urls {
		if err := s.Remember(t.Context(), game, target(t, url)); err != nil {
			t.Fatal(err)
		}
	}
}

func wantAllowed(t testing.TB, s *Store, game, url string, want bool) {
	t.Helper()
	if got := s.Allowed(t.Context(), game, target(t, url)); got != want {
		t.Errorf("%s %s: allowed %v, want %v", game, url, got, want)
	}
}

func wantStored(t testing.TB, s *Store, want ...string) {
	t.Helper()
	list, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, a := range list {
		got = append(got, fmt.Sprintf("%s %s:%d", a.Game, a.Host, a.Port))
	}
	if !slices.Equal(got, append([]string{}, want...)) {
		t.Errorf("stored %q, want %q", got, want)
	}
}

// freshKeyring is another machine, or another account: its key store is empty.
func freshKeyring(t testing.TB) {
	keyring.MockInit()
	t.Cleanup(keyring.MockInit)
}

// brokenKeyring answers every call with an error that is not "not found".
func brokenKeyring(t testing.TB) {
	keyring.MockInitWithError(errors.New("failed to unlock correct collection"))
	t.Cleanup(keyring.MockInit)
}

// rowsIn counts what is in the file, whatever it is worth.
func rowsIn(t testing.TB, s *Store) (n int) {
	t.Helper()
	if err := s.db.QueryRowContext(t.Context(), "SELECT count(*) FROM approvals").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func alter(t testing.TB, s *Store, query string, args ...any) {
	t.Helper()
	if _, err := s.db.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatal(err)
	}
}

func copyFiles(t testing.TB, from, to string) {
	t.Helper()
	if err := os.MkdirAll(to, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{databaseName, databaseName + "-wal", keyFileName} {
		os.Remove(filepath.Join(to, name))
		data, err := os.ReadFile(filepath.Join(from, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// C52, C53, C54, C73, C76: what a restart, another game and a changed game know of the answers.
func TestRestart(t *testing.T) {
	for _, row := range []struct {
		name   string
		answer Answer
		game   string // after the restart
		title  string
		asks   bool
	}{
		{"C52 a no is asked again", Deny, "author-key-1", "Skiff", true},
		{"C53 a yes is not", Allow, "author-key-1", "Skiff", false},
		{"C53 nor after a rename or an update", Allow, "author-key-1", "Skiff Deluxe", false},
		{"C54 another game asks", Allow, "author-key-2", "Lantern", true},
		{"C73 the same title by another author asks", Allow, "author-key-2", "Skiff", true},
		{"C76 an unsigned game that changed by one byte asks", Allow, "digest-of-other-bytes", "Skiff", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			a := newAsking(t, openStore(t, dir))
			a.gate.Game, a.gate.Name = "author-key-1", "Skiff"
			done := a.connect(t.Context(), other)
			a.screen.answer(row.answer)
			<-done
			if n := rowsIn(t, a.gate.Store); (n == 1) != (row.answer == Allow) {
				t.Errorf("%d rows after answer %d", n, row.answer)
			}
			a.manager.Close()
			closeStore(t, a.gate.Store)

			a = newAsking(t, openStore(t, dir))
			a.gate.Game, a.gate.Name = row.game, row.title
			done = a.connect(t.Context(), other)
			if row.asks {
				a.screen.answer(Deny)
				wantCode(t, <-done, PlayerNo)
			} else {
				wantCode(t, <-done, "")
			}
			a.manager.Close()
		})
	}
}

// A yes of a thousand connections is one row, written before the first of them hears it.
func TestThousandConnectsOneRow(t *testing.T) {
	a := newAsking(t, openStore(t, t.TempDir()))
	var all []<-chan error
	for range 1000 {
		all = append(all, a.connect(t.Context(), other))
	}
	a.screen.answer(Allow)
	for _, done := range all {
		wantCode(t, <-done, "")
	}
	wantStored(t, a.gate.Store, "game-1 other.example:0")
	a.manager.Close()
}

// "Allow any host" off in the version that runs: a row that is there grants nothing, and is kept.
func TestSwitchOff(t *testing.T) {
	a := newAsking(t, openStore(t, t.TempDir()))
	remember(t, a.gate.Store, "game-1", other)
	a.gate.AllowAny = false
	wantCode(t, <-a.connect(t.Context(), other), NotListed)
	wantStored(t, a.gate.Store, "game-1 other.example:0")
	a.manager.Close()
}

func TestStoreSubjects(t *testing.T) {
	s := openStore(t, t.TempDir())
	remember(t, s, "g", "wss://other.example:8443/a", "wss://192.168.1.20:9000/", "ws://localhost:8080/")
	wantAllowed(t, s, "g", "wss://OTHER.example.:1234/b", true)
	wantAllowed(t, s, "g", "wss://x.other.example/", false)
	wantAllowed(t, s, "g", "wss://192.168.1.20:9000/", true)
	wantAllowed(t, s, "g", "wss://192.168.1.20:9001/", false)
	wantAllowed(t, s, "g", "ws://localhost:8080/", true)
	wantAllowed(t, s, "g", "ws://localhost:8081/", false)
	wantAllowed(t, s, "g", "ws://127.0.0.1:8080/", false)
	wantAllowed(t, s, "", "wss://other.example/", false)
	if err := s.Remember(t.Context(), "", target(t, other)); err == nil {
		t.Error("kept an answer for a game without identity")
	}
}

func TestList(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	if list, err := s.List(t.Context()); err != nil || list == nil || len(list) != 0 {
		t.Errorf("empty list: %#v, %v", list, err)
	}
	before := time.Now().Add(-time.Second)
	remember(t, s, "g2", "wss://b.example/")
	remember(t, s, "g1", "wss://a.example/", "wss://[2001:db8::1]:9000/")
	for game, name := range map[string]string{"g1": " Zebra\u202e\n\x00 ", "g2": strings.Repeat("é", 300)} {
		if err := s.SetName(t.Context(), game, name); err != nil {
			t.Fatal(err)
		}
	}
	list, err := s.List(t.Context())
	if err != nil || len(list) != 3 {
		t.Fatalf("%+v, %v", list, err)
	}
	want := []Approval{
		{Game: "g1", Name: "Zebra", Host: "2001:db8::1", Port: 9000, Protection: ByKeychain},
		{Game: "g1", Name: "Zebra", Host: "a.example", Protection: ByKeychain},
		{Game: "g2", Name: strings.Repeat("é", 100), Host: "b.example", Protection: ByKeychain},
	}
	for i, got := range list {
		if got.Since.Before(before) || got.Since.After(time.Now()) {
			t.Errorf("since %s", got.Since)
		}
		got.Since = time.Time{}
		if got != want[i] {
			t.Errorf("got %+v, want %+v", got, want[i])
		}
	}
	if got := s.Protection(); got != ByKeychain {
		t.Errorf("protection %q", got)
	}
	if err := s.ForgetGame(t.Context(), "g2"); err != nil {
		t.Fatal(err)
	}
	wantStored(t, s, "g1 2001:db8::1:9000", "g1 a.example:0")
	if err := s.ForgetAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantStored(t, s)
	var names int
	if err := s.db.QueryRow("SELECT count(*) FROM games").Scan(&names); err != nil || names != 0 {
		t.Errorf("%d names left, %v", names, err)
	}
}

// A row grants exactly what its seal says: whatever is changed in it, it counts for nothing and goes, with one line.
func TestForgedRows(t *testing.T) {
	for name, change := range map[string]string{
		"moved to another game": "UPDATE approvals SET game = 'g2'",
		"moved to another host": "UPDATE approvals SET host = 'evil.example'",
		"another port":          "UPDATE approvals SET port = 443",
		"another class":         "UPDATE approvals SET class = 'network'",
		"another time":          "UPDATE approvals SET created = created + 1",
		"another number":        "UPDATE approvals SET seq = seq + 1",
		"another key":           "UPDATE approvals SET kid = 'key:0123456789abcdef'",
		"a file's key":          "UPDATE approvals SET kid = 'file:' || substr(kid, 5)",
		"another seal":          "UPDATE approvals SET mac = randomblob(32)",
		"no seal":               "UPDATE approvals SET mac = zeroblob(32)",
	} {
		t.Run(name, func(t *testing.T) {
			s, log := openLogged(t, t.TempDir())
			remember(t, s, "g1", other)
			alter(t, s, change)
			for range 2 {
				for _, game := range []string{"g1", "g2"} {
					for _, url := range []string{other, "wss://evil.example/"} {
						wantAllowed(t, s, game, url, false)
					}
				}
			}
			wantStored(t, s)
			visited := !slices.Contains([]string{"another port", "another class", "a file's key"}, name)
			if n := log.count("seal is wrong"); visited != (n == 1) || visited != (rowsIn(t, s) == 0) {
				t.Errorf("%d lines, %d rows", n, rowsIn(t, s))
			}
			remember(t, s, "g1", other)
			wantAllowed(t, s, "g1", other, true)
		})
	}
}

// C67: the file on another machine, or for another account, asks again.
func TestC67CopiedToAnotherMachine(t *testing.T) {
	here, there := t.TempDir(), t.TempDir()
	s := openStore(t, here)
	remember(t, s, "g", other)
	closeStore(t, s)
	copyFiles(t, here, there)
	freshKeyring(t)
	s = openStore(t, there)
	wantStored(t, s)
	wantAllowed(t, s, "g", other, false)
	remember(t, s, "g", "wss://new.example/")
	wantStored(t, s, "g new.example:0")
}

// C67 with a key in a file: the whole folder, key included, is void anywhere else.
func TestC67CopiedFolder(t *testing.T) {
	brokenKeyring(t)
	here, there := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	s := openStore(t, here)
	remember(t, s, "g", other)
	wantAllowed(t, s, "g", other, true)
	closeStore(t, s)
	copyFiles(t, here, there)
	wantAllowed(t, openStore(t, there), "g", other, false)
	wantAllowed(t, openStore(t, here), "g", other, true)

	secret := newSecret()
	home := place{"m", "1000", "/a"}
	want, _ := home.derive(secret, "s")
	for _, away := range []place{{"n", "1000", "/a"}, {"m", "1001", "/a"}, {"m", "1000", "/b"}, {"m1", "000", "/a"}} {
		if got, err := away.derive(secret, "s"); err != nil || bytes.Equal(got, want) {
			t.Errorf("%+v has the key of %+v, %v", away, home, err)
		}
	}
}

// C68: a row was forgotten, then the old file is put back: asked again. What was not forgotten stays.
func TestC68OldFileRestored(t *testing.T) {
	for name, setUp := range map[string]func(testing.TB){ByKeychain: freshKeyring, ByFile: brokenKeyring} {
		t.Run(name, func(t *testing.T) {
			setUp(t)
			dir, old := t.TempDir(), t.TempDir()
			s := openStore(t, dir)
			if got := s.Protection(); got != name {
				t.Fatalf("protection %q", got)
			}
			remember(t, s, "g", other, "wss://kept.example/")
			closeStore(t, s)
			copyFiles(t, dir, old)
			os.Remove(filepath.Join(old, keyFileName)) // who can restore the key too can do anything

			s = openStore(t, dir)
			if err := s.Forget(t.Context(), "g", "other.example"); err != nil {
				t.Fatal(err)
			}
			wantAllowed(t, s, "g", other, false)
			wantAllowed(t, s, "g", "wss://kept.example/", true)
			closeStore(t, s)
			s = openStore(t, dir)
			wantAllowed(t, s, "g", "wss://kept.example/", true)
			closeStore(t, s)

			key, _ := os.ReadFile(filepath.Join(dir, keyFileName))
			copyFiles(t, old, dir)
			if len(key) > 0 {
				if err := os.WriteFile(filepath.Join(dir, keyFileName), key, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s = openStore(t, dir)
			wantAllowed(t, s, "g", other, false)
			wantStored(t, s)
		})
	}
}

// C68 for the other two ways to forget.
func TestForgetGameAndAllAreForGood(t *testing.T) {
	for name, forget := range map[string]func(*Store) error{
		"game": func(s *Store) error { return s.ForgetGame(context.Background(), "g") },
		"all":  func(s *Store) error { return s.ForgetAll(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, old := t.TempDir(), t.TempDir()
			s := openStore(t, dir)
			remember(t, s, "g", other)
			closeStore(t, s)
			copyFiles(t, dir, old)
			s = openStore(t, dir)
			if err := forget(s); err != nil {
				t.Fatal(err)
			}
			closeStore(t, s)
			copyFiles(t, old, dir)
			wantAllowed(t, openStore(t, dir), "g", other, false)
		})
	}
}

// C92: the disk is full after a yes: connected for this session, not remembered, one line.
func TestC92DiskFull(t *testing.T) {
	dir := t.TempDir()
	a := newAsking(t, openStore(t, dir))
	alter(t, a.gate.Store, "PRAGMA max_page_count = 1") // stays at what the file has now
	long := func(i int) string { return fmt.Sprintf("wss://h%d%s.example/", i, strings.Repeat(".xxxxxxxxx", 20)) }
	full := 0
	for ; full < 200; full++ {
		if err := a.gate.Store.write(t.Context(), subjectOf("game-1", target(t, long(full)))); err != nil {
			if !strings.Contains(err.Error(), "full") {
				t.Fatal(err)
			}
			break
		}
	}
	done := a.connect(t.Context(), long(full))
	a.screen.answer(Allow)
	wantCode(t, <-done, "")
	wantCode(t, <-a.connect(t.Context(), long(full)), "")
	if got := a.screen.asked(t); len(got) != 1 || a.log.count("cannot be kept") != 1 || rowsIn(t, a.gate.Store) != full {
		t.Errorf("asked %q, log %s", got, a.log)
	}
	a.manager.Close()
	closeStore(t, a.gate.Store)
	wantAllowed(t, openStore(t, dir), "game-1", long(full), false)
}

// C94: a host that was forgotten asks at its next connection; the game's other hosts do not.
func TestC94ForgetThenAsk(t *testing.T) {
	a := newAsking(t, openStore(t, t.TempDir()))
	remember(t, a.gate.Store, "game-1", other, "wss://kept.example/")
	wantCode(t, <-a.connect(t.Context(), other), "")
	if err := a.gate.Store.Forget(t.Context(), "game-1", "other.example"); err != nil {
		t.Fatal(err)
	}
	wantCode(t, <-a.connect(t.Context(), "wss://kept.example/"), "")
	done := a.connect(t.Context(), other)
	a.screen.answer(Deny)
	wantCode(t, <-done, PlayerNo)
	a.manager.Close()
}

// Two processes with one folder: each sees at once what the other writes and forgets, through the change of key.
func TestTwoProcesses(t *testing.T) {
	for name, setUp := range map[string]func(testing.TB){ByKeychain: freshKeyring, ByFile: brokenKeyring} {
		t.Run(name, func(t *testing.T) {
			setUp(t)
			dir := t.TempDir()
			one, two := openStore(t, dir), openStore(t, dir)
			remember(t, one, "g", other, "wss://kept.example/")
			wantAllowed(t, two, "g", other, true)
			remember(t, two, "g", "wss://b.example/")
			if err := two.Forget(t.Context(), "g", "other.example"); err != nil {
				t.Fatal(err)
			}
			wantAllowed(t, one, "g", other, false)
			wantAllowed(t, one, "g", "wss://kept.example/", true)
			remember(t, one, "g", "wss://c.example/")
			for _, s := range []*Store{one, two} {
				wantStored(t, s, "g b.example:0", "g c.example:0", "g kept.example:0")
			}
		})
	}
}

// Many writers, readers and forgetters on one folder lose nothing that was not forgotten.
func TestStoreStress(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for n := range 4 {
		s := openStore(t, dir)
		all.Go(func() {
			for i := range 15 {
				game := fmt.Sprintf("g%d", n)
				url := fmt.Sprintf("wss://h%d.example/", i)
				to, err := hostlist.ParseTarget(url)
				if err == nil {
					err = s.Remember(context.Background(), game, to)
				}
				if err != nil {
					t.Error(err)
					return
				}
				if !s.Allowed(context.Background(), game, to) {
					t.Errorf("%s %s is gone", game, url)
				}
				if i%3 == 2 {
					if err := s.Forget(context.Background(), game, fmt.Sprintf("h%d.example", i-1)); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	list, err := openStore(t, dir).List(t.Context())
	if err != nil || len(list) != 4*10 {
		t.Errorf("%d rows, %v; want 40", len(list), err)
	}
}

func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		s, err := Open(dir, nil)
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}

func BenchmarkAllowed(b *testing.B) {
	s := openStore(b, b.TempDir())
	to := target(b, other)
	if err := s.Remember(b.Context(), "g", to); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if !s.Allowed(b.Context(), "g", to) {
			b.Fatal("not allowed")
		}
	}
}
