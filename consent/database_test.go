package consent

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// C69: whatever lies where the approvals should be, the list starts empty, works, and the thing is kept aside.
func TestC69UnusableFiles(t *testing.T) {
	raw := func(query string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			db, err := sql.Open("sqlite", path)
			if err == nil {
				_, err = db.Exec(query)
			}
			if err = errors.Join(err, db.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
	edit := func(f func(data []byte) []byte) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			data, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, f(data), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, spoil := range map[string]func(t *testing.T, path string){
		"a view for the table":    raw("ALTER TABLE approvals RENAME TO a; CREATE VIEW approvals AS SELECT * FROM a"),
		"a view beside":           raw("CREATE VIEW v AS SELECT 1"),
		"a trigger":               raw("CREATE TRIGGER t AFTER DELETE ON approvals BEGIN SELECT 1; END"),
		"an index":                raw("CREATE INDEX i ON approvals (mac)"),
		"another table":           raw("CREATE TABLE t (x)"),
		"another column":          raw("ALTER TABLE approvals ADD COLUMN x TEXT"),
		"a table less":            raw("DROP TABLE games"),
		"no identity":             raw("DELETE FROM store"),
		"a strange identity":      raw(fmt.Sprintf("UPDATE store SET uuid = '%-36s'", "\n; delete-keychain")),
		"a huge seal":             raw("PRAGMA ignore_check_constraints = 1; UPDATE approvals SET mac = zeroblob(3000000)"),
		"a huge host":             raw("PRAGMA ignore_check_constraints = 1; UPDATE approvals SET host = printf('%.*c', 1000000, 'x')"),
		"another application":     raw("PRAGMA application_id = 7"),
		"truncated":               edit(func(b []byte) []byte { return b[:len(b)-4096] }),
		"truncated in the header": edit(func(b []byte) []byte { return b[:50] }),
		"empty":                   edit(func([]byte) []byte { return nil }),
		"text":                    edit(func([]byte) []byte { return bytes.Repeat([]byte("hello "), 1000) }),
		"noise after the header":  edit(func(b []byte) []byte { return append(b[:100:100], bytes.Repeat([]byte{0xa5}, 8000)...) }),
		"too large": func(t *testing.T, path string) {
			if err := os.Truncate(path, maxDatabase+1); err != nil {
				t.Fatal(err)
			}
		},
		"a folder": func(t *testing.T, path string) {
			if err := errors.Join(os.Remove(path), os.MkdirAll(filepath.Join(path, "x"), 0o700)); err != nil {
				t.Fatal(err)
			}
		},
		"a link": func(t *testing.T, path string) {
			if err := errors.Join(os.Rename(path, path+".real"), os.Symlink(path+".real", path)); err != nil {
				t.Fatal(err)
			}
		},
		"a link that leads nowhere": func(t *testing.T, path string) {
			if err := errors.Join(os.Remove(path), os.Symlink(path+".none", path)); err != nil {
				t.Fatal(err)
			}
		},
		"a linked log": func(t *testing.T, path string) {
			if err := errors.Join(os.WriteFile(path+".real", nil, 0o600), os.Symlink(path+".real", path+"-wal")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, databaseName)
			s := openStore(t, dir)
			remember(t, s, "g", other)
			closeStore(t, s)
			spoil(t, path)
			spoiled, _ := os.ReadFile(path)

			s, log := openLogged(t, dir)
			wantAllowed(t, s, "g", other, false)
			wantStored(t, s)
			remember(t, s, "g", other)
			closeStore(t, s)
			wantAllowed(t, openStore(t, dir), "g", other, true)
			if n := log.count("start empty"); n != 1 {
				t.Errorf("%d lines: %s", n, log)
			}
			if _, err := os.Lstat(path + ".bad-1"); err != nil {
				t.Error("not kept aside:", err)
			}
			if kept, err := os.ReadFile(path + ".bad-1"); err == nil && !bytes.Equal(kept, spoiled) {
				t.Error("what was kept aside is not what was there")
			}
			if _, err := os.Lstat(path + ".none"); err == nil {
				t.Error("followed a link")
			}
		})
	}
}

func TestAsideNamesAreBounded(t *testing.T) {
	dir := t.TempDir()
	for i := range maxAside + 4 {
		if err := os.WriteFile(filepath.Join(dir, databaseName), []byte(fmt.Sprint("bad ", i)), 0o600); err != nil {
			t.Fatal(err)
		}
		closeStore(t, openStore(t, dir))
	}
	aside, err := filepath.Glob(filepath.Join(dir, "*.bad-*"))
	if err != nil || len(aside) != maxAside {
		t.Errorf("%q, %v", aside, err)
	}
}

// Only a bad file is set aside, never a bad moment or a newer version's file.
func TestNewerVersion(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	remember(t, s, "g", other)
	closeStore(t, s)
	known := migrations
	defer func() { migrations = known }()
	migrations = append(slices.Clone(known), "ALTER TABLE games ADD COLUMN icon TEXT")
	s = openStore(t, dir)
	wantAllowed(t, s, "g", other, true) // forward, and nothing lost
	closeStore(t, s)
	migrations = known
	if s, err := Open(dir, nil); err == nil || !strings.Contains(err.Error(), "newer version") {
		t.Fatalf("%v, %v", s, err)
	}
	if aside, _ := filepath.Glob(filepath.Join(dir, "*.bad-*")); len(aside) != 0 {
		t.Errorf("set aside %q", aside)
	}
}

func TestFilesArePrivate(t *testing.T) {
	brokenKeyring(t)
	dir := filepath.Join(t.TempDir(), "new")
	s := openStore(t, dir)
	remember(t, s, "g", other)
	check := func() {
		t.Helper()
		for name, want := range map[string]os.FileMode{".": 0o700, databaseName: 0o600, databaseName + "-wal": 0o600, databaseName + "-shm": 0o600, keyFileName: 0o600} {
			if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v; want %o", name, info.Mode(), err, want)
			}
		}
	}
	check()
	closeStore(t, s)
	if err := os.Chmod(filepath.Join(dir, databaseName), 0o666); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, dir)
	remember(t, s, "g", "wss://b.example/")
	check()
	wantAllowed(t, s, "g", other, true)
	if left, _ := filepath.Glob(filepath.Join(dir, "*new-*")); len(left) != 0 {
		t.Errorf("left %q", left)
	}
}

// C70: a database inside the game's folder is never looked at: the data folder alone is opened.
func TestC70ApprovalsInsideTheGame(t *testing.T) {
	game, data := t.TempDir(), t.TempDir()
	planted := openStore(t, game)
	remember(t, planted, "g", other)
	closeStore(t, planted)
	t.Chdir(game)
	s := openStore(t, data)
	wantAllowed(t, s, "g", other, false)
	wantStored(t, s)
}
