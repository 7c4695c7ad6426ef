package saves

import (
	"archive/zip"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	home  = "http://127.0.0.1:20421"
	other = "http://127.0.0.1:23456"
)

var game = Manifest{Game: "id:org.example.game", Key: "conch-org-example-game-12345678", Name: "Game 김종환", Conch: "1.0"}

func newPlace(t testing.TB, engine Engine, origin string) Place {
	t.Helper()
	dir := t.TempDir()
	p := Place{Engine: engine, Profile: filepath.Join(dir, "pro?file #1%20"), Data: filepath.Join(dir, "data"), Origin: origin}
	for _, d := range []string{p.Profile, p.Data} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// writeDatabase makes a database in WAL mode whose row is in the log only, as an engine that was killed leaves it.
func writeDatabase(t testing.TB, path, value string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(t.TempDir(), "work.sqlite3")
	db, err := sql.Open("sqlite", fileURI(work)+"?_pragma=journal_mode(wal)&_pragma=wal_autocheckpoint(0)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE save (value TEXT); INSERT INTO save VALUES (?)", value); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal"} {
		text, err := os.ReadFile(work + suffix)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path+suffix, string(text))
	}
}

func readDatabase(t testing.TB, path string) string {
	t.Helper()
	db, err := sql.Open("sqlite", fileURI(path)+"?mode=rw")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var value string
	if err := db.QueryRow("SELECT value FROM save").Scan(&value); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return value
}

// play leaves saves as the engine does; word is in each of them.
func play(t testing.TB, p Place, word string) {
	t.Helper()
	write(t, p.storageFile(), `{"word":"`+word+`"}`)
	switch p.Engine {
	case WebKitGTK:
		writeDatabase(t, p.inProfile(p.webkitLocal().path), word)
		writeDatabase(t, p.inProfile(p.webkitDatabases("v1").path+"/ABCD/IndexedDB.sqlite3"), word)
		write(t, p.inProfile(p.webkitDatabases("v1").path+"/ABCD/1.blob"), word)
		write(t, p.inProfile("localstorage/http_127.0.0.1_999.localstorage"), "of another origin")
		write(t, p.inProfile("hsts-storage.sqlite"), "not a save")
		salt, err := p.webkitSalt()
		if err != nil {
			t.Fatal(err)
		}
		write(t, p.inProfile(p.webkitStorage(salt).path+"/FileSystem/Ⅷ save.sqlite3"), word)
		write(t, p.inProfile(p.webkitStorage(salt).path+"/origin"), "origin")
	case WebView2:
		base := p.inProfile("EBWebView/Default")
		write(t, filepath.Join(base, "Local Storage/leveldb/000003.log"), word)
		write(t, filepath.Join(base, "Local Storage/leveldb/LOCK"), "")
		write(t, filepath.Join(base, "IndexedDB/http_127.0.0.1_20421.indexeddb.leveldb/CURRENT"), word)
		write(t, filepath.Join(base, "Network/Cookies"), "secret")
	}
}

// words reads what play wrote, by name.
func words(t testing.TB, p Place) map[string]string {
	t.Helper()
	found := map[string]string{}
	list, err := p.sources()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if s.database {
			found[s.name] = readDatabase(t, s.path)
			continue
		}
		text, err := os.ReadFile(s.path)
		if err != nil {
			t.Fatal(err)
		}
		found[s.name] = string(text)
	}
	return found
}

func export(t testing.TB, p Place, m Manifest) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a"+Extension)
	if err := WriteFile(context.Background(), file, p, m, false); err != nil {
		t.Fatal(err)
	}
	return file
}

func importInto(p Place) Import {
	return Import{Place: p, Game: game, Now: time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC), TakeOrigin: func(string) error { return errors.New("port taken") }}
}

func TestRoundTrip(t *testing.T) {
	for _, row := range []struct {
		name     string
		engine   Engine
		to       string
		takes    bool // the other computer can give the game the port of the file
		want     string
		wantName []string
	}{
		{"WebKitGTK, same port", WebKitGTK, home, false, "", []string{
			"engine/indexeddb/v1/ABCD/1.blob", "engine/indexeddb/v1/ABCD/IndexedDB.sqlite3", "engine/localstorage.sqlite3",
			"engine/storage/FileSystem/Ⅷ save.sqlite3", "localstorage.json"}},
		{"WebKitGTK, another port", WebKitGTK, other, false, "", nil},
		{"WebView2, same port", WebView2, home, false, "", []string{
			"engine/IndexedDB/http_127.0.0.1_20421.indexeddb.leveldb/CURRENT", "engine/Local Storage/leveldb/000003.log", "localstorage.json"}},
		{"WebView2, another port", WebView2, other, true, "", nil},
		{"WebView2, another port that is taken", WebView2, other, false, "port taken", nil},
		{"no engine's files", Unknown, other, false, "", []string{"localstorage.json"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			from, to := newPlace(t, row.engine, home), newPlace(t, row.engine, row.to)
			play(t, from, "mine")
			play(t, to, "before")
			before := words(t, to)
			if row.wantName != nil {
				if got := slices.Sorted(maps.Keys(words(t, from))); !slices.Equal(got, row.wantName) {
					t.Errorf("names %q, want %q", got, row.wantName)
				}
			}
			im := importInto(to)
			took := ""
			if row.takes {
				im.TakeOrigin = func(origin string) error { took = origin; return nil }
			}
			res, err := im.Run(context.Background(), export(t, from, game))
			if row.want != "" {
				if err == nil || !strings.Contains(err.Error(), row.want) || !maps.Equal(words(t, to), before) {
					t.Errorf("got %v, want %q and the old saves", err, row.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if row.takes && took != home {
				t.Errorf("took the origin %q, want %q", took, home)
			}
			if got, want := words(t, to), words(t, from); !maps.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
			if want := filepath.Join(to.Data, "kept-saves", game.Key+"-20010203-040506.conchsave"); res.Kept != want {
				t.Errorf("kept in %q, want %q", res.Kept, want)
			}
			if _, err := im.Run(context.Background(), res.Kept); err != nil {
				t.Fatal(err)
			}
			if got := words(t, to); !maps.Equal(got, before) {
				t.Errorf("the kept saves: got %q, want %q", got, before)
			}
			noTraces(t, to)
		})
	}
}

// noTraces checks that nothing of an import is left beside the saves.
func noTraces(t *testing.T, p Place) {
	t.Helper()
	for _, dir := range []string{p.Profile, p.Data} {
		list, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			if strings.HasPrefix(d.Name(), ".") || d.Name() == journalName {
				t.Errorf("%s is left in %s", d.Name(), dir)
			}
		}
	}
}

// TestWebKitOrigin: the file that says whose folder it is names the origin here.
func TestWebKitOrigin(t *testing.T) {
	from, to := newPlace(t, WebKitGTK, home), newPlace(t, WebKitGTK, other)
	play(t, from, "mine")
	if _, err := importInto(to).Run(context.Background(), export(t, from, game)); err != nil {
		t.Fatal(err)
	}
	salt, err := to.webkitSalt()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(to.inProfile(to.webkitStorage(salt).path + "/origin"))
	half := "\x04\x00\x00\x00\x01http\x09\x00\x00\x00\x01127.0.0.1\x01\xa0\x5b"
	if err != nil || string(got) != half+half {
		t.Errorf("got %q, %v", got, err)
	}
	// As WebKitGTK 2.50 named it: salt, origin and folder were read from a profile.
	name := Place{Engine: WebKitGTK, Origin: home}.webkitStorage([]byte("\xd3\x0e\x00b\xb8D\xf3>")).path
	const hash = "yODHSmEcZLOkUwBYq39aquslIV9WEWo8-p7lGjF3ggc"
	if name != "storage/"+hash+"/"+hash {
		t.Errorf("folder of the origin: %s", name)
	}
}

func TestExportIsTheSameTwice(t *testing.T) {
	p := newPlace(t, WebKitGTK, home)
	play(t, p, "mine")
	one, err := os.ReadFile(export(t, p, game))
	if err != nil {
		t.Fatal(err)
	}
	two, err := os.ReadFile(export(t, p, game))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one, two) {
		t.Error("two exports of the same saves differ")
	}
}

// TestExportBesideAWriter: a database that another connection is changing is copied as of the last whole change.
func TestExportBesideAWriter(t *testing.T) {
	p := newPlace(t, WebKitGTK, home)
	play(t, p, "mine")
	path := p.inProfile(p.webkitLocal().path)
	db, err := sql.Open("sqlite", fileURI(path)+"?mode=rw&_pragma=journal_mode(wal)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("UPDATE save SET value = 'half'"); err != nil {
		t.Fatal(err)
	}
	file := export(t, p, game)
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	to := newPlace(t, WebKitGTK, home)
	if _, err := importInto(to).Run(context.Background(), file); err != nil {
		t.Fatal(err)
	}
	if got := readDatabase(t, to.inProfile(to.webkitLocal().path)); got != "mine" {
		t.Errorf("got %q, want what was committed", got)
	}
}

func TestExportOfNothing(t *testing.T) {
	p := newPlace(t, WebKitGTK, home)
	file := filepath.Join(t.TempDir(), "a.conchsave")
	if err := WriteFile(context.Background(), file, p, game, false); !errors.Is(err, ErrNothing) || exists(file) {
		t.Errorf("got %v; the file is there: %t", err, exists(file))
	}
	play(t, p, "mine")
	write(t, file, "mine")
	if err := WriteFile(context.Background(), file, p, game, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("an existing file: %v", err)
	}
	if err := WriteFile(context.Background(), file, p, game, true); err != nil {
		t.Error(err)
	}
}

func TestSameGame(t *testing.T) {
	signed, id, content := "key:abc:org.example", "id:org.example", "content:1234"
	for _, row := range []struct {
		name             string
		here, inFile     string
		hereKey, fileKey string
		want             bool
	}{
		{"same id", id, id, "a", "b", true},
		{"another id", id, "id:org.other", "a", "a", false},
		{"same author and id", signed, signed, "a", "b", true},
		{"another author", signed, "key:def:org.example", "a", "a", false},
		{"not signed any more", id, signed, "a", "a", false},
		{"signed since", signed, id, "a", "a", false},
		{"same content", content, content, "a", "b", true},
		{"updated in its place", content, "content:5678", "a", "a", true},
		{"other content elsewhere", content, "content:5678", "a", "b", false},
		{"got an id", id, content, "a", "a", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			from, to := newPlace(t, WebKitGTK, home), newPlace(t, WebKitGTK, home)
			play(t, from, "mine")
			play(t, to, "before")
			before := words(t, to)
			file := export(t, from, Manifest{Game: row.inFile, Key: row.fileKey, Name: "Game"})
			im := importInto(to)
			im.Game = Manifest{Game: row.here, Key: row.hereKey}
			_, err := im.Run(context.Background(), file)
			if row.want != (err == nil) || !row.want && !errors.Is(err, ErrOtherGame) {
				t.Fatalf("got %v", err)
			}
			if err == nil {
				return
			}
			if !maps.Equal(words(t, to), before) {
				t.Error("the saves are not as they were")
			}
			im.Force = true
			if _, err := im.Run(context.Background(), file); err != nil {
				t.Errorf("by force: %v", err)
			}
		})
	}
}

// TestOtherEngine: localStorage is all that can cross over; the page script restores it at the next start.
func TestOtherEngine(t *testing.T) {
	from, to := newPlace(t, WebView2, home), newPlace(t, WebKitGTK, other)
	play(t, from, "mine")
	play(t, to, "before")
	res, err := importInto(to).Run(context.Background(), export(t, from, game))
	if err != nil || !res.OnlyStorage {
		t.Fatalf("got %+v, %v", res, err)
	}
	want := map[string]string{"localstorage.json": `{"word":"mine"}`}
	if got := words(t, to); !maps.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if text, err := os.ReadFile(to.RestoreFile()); err != nil || string(text) != want["localstorage.json"] {
		t.Errorf("to restore: %q, %v", text, err)
	}
	if err := os.Remove(from.storageFile()); err != nil {
		t.Fatal(err)
	}
	var bad *FileError
	if _, err := importInto(to).Run(context.Background(), export(t, from, game)); !errors.As(err, &bad) {
		t.Errorf("without localStorage: %v", err)
	}
	// The engine's own saves end what is waiting to be restored.
	same := newPlace(t, WebKitGTK, home)
	play(t, same, "again")
	if _, err := importInto(to).Run(context.Background(), export(t, same, game)); err != nil || exists(to.RestoreFile()) {
		t.Errorf("%v; still to restore: %t", err, exists(to.RestoreFile()))
	}
}

// TestImportCutShort stops an import after every rename, as a power cut does, and lets Recover find it.
func TestImportCutShort(t *testing.T) {
	from := newPlace(t, WebKitGTK, home)
	play(t, from, "mine")
	file := export(t, from, game)
	for n := 0; ; n++ {
		to := newPlace(t, WebKitGTK, home)
		play(t, to, "before")
		before := words(t, to)
		a, err := openArchive(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := newSwap(to)
		if err == nil {
			err = s.stage(context.Background(), a, []byte(`{}`), false)
		}
		if err != nil {
			t.Fatal(err)
		}
		a.close()
		text, err := json.Marshal(s.steps)
		if err != nil {
			t.Fatal(err)
		}
		write(t, s.journal(), string(text))
		renames := 0
		for _, step := range s.steps {
			target, with, aside := s.paths(step)
			if renames < n && exists(target) {
				if err := os.Rename(target, aside); err != nil {
					t.Fatal(err)
				}
				renames++
			}
			if renames < n && step.New != "" {
				if err := os.Rename(with, target); err != nil {
					t.Fatal(err)
				}
				renames++
			}
		}
		if err := Recover(to); err != nil {
			t.Fatal(err)
		}
		if got := words(t, to); !maps.Equal(got, before) {
			t.Fatalf("after %d renames: got %q, want %q", renames, got, before)
		}
		noTraces(t, to)
		if renames < n {
			break
		}
	}
}

// TestImportFails: a step that cannot be done undoes those before it.
func TestImportFails(t *testing.T) {
	from, to := newPlace(t, WebKitGTK, home), newPlace(t, WebKitGTK, other)
	play(t, from, "mine")
	play(t, to, "before")
	if err := os.RemoveAll(to.inProfile("databases")); err != nil {
		t.Fatal(err)
	}
	write(t, to.inProfile("databases/indexeddb/v0"), "a file is not in the way")
	before := words(t, to)
	write(t, to.inProfile("databases/indexeddb/v1"), "a file in the way")
	if _, err := importInto(to).Run(context.Background(), export(t, from, game)); err == nil {
		t.Fatal("no error")
	}
	if err := os.Remove(to.inProfile("databases/indexeddb/v1")); err != nil {
		t.Fatal(err)
	}
	if got := words(t, to); !maps.Equal(got, before) {
		t.Errorf("got %q, want %q", got, before)
	}
	noTraces(t, to)

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := importInto(to).Run(ctx, export(t, from, game)); !errors.Is(err, context.Canceled) {
		t.Errorf("ended: %v", err)
	}
	if got := words(t, to); !maps.Equal(got, before) {
		t.Errorf("got %q, want %q", got, before)
	}
}

// TestJournalStaysInside: a journal that somebody edited moves nothing outside the game's folders.
func TestJournalStaysInside(t *testing.T) {
	p := newPlace(t, WebKitGTK, home)
	victim := filepath.Join(filepath.Dir(p.Data), "victim")
	write(t, victim, "still here")
	for _, s := range []step{
		{inData, "../victim", "x", "old-0"}, {inData, storageName, "../../victim", "old-0"}, {inData, storageName, "", "../../victim"},
		{inData, victim, "x", "old-0"}, {"", "../victim", "x", "old-0"},
	} {
		text, err := json.Marshal([]step{s})
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(p.Data, journalName), string(text))
		if err := Recover(p); err == nil || !exists(victim) {
			t.Errorf("%+v: %v; victim there: %t", s, err, exists(victim))
		}
	}
}

// TestJournalOfAStranger: a portable program's folder comes with links out of it and a journal that names what lies there.
func TestJournalOfAStranger(t *testing.T) {
	for _, engine := range []Engine{WebKitGTK, WebView2, Unknown} {
		p := newPlace(t, engine, home)
		victim := t.TempDir()
		write(t, filepath.Join(victim, "papers/letter"), "still here")
		if err := os.MkdirAll(p.Profile, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(victim, filepath.Join(p.Profile, "link")); err != nil {
			t.Fatal(err)
		}
		linked := p
		linked.Profile = filepath.Join(t.TempDir(), "profile")
		if err := os.Symlink(victim, linked.Profile); err != nil {
			t.Fatal(err)
		}
		staging := newPlace(t, engine, home)
		if err := os.Symlink(victim, filepath.Join(staging.Data, stagingName)); err != nil {
			t.Fatal(err)
		}
		for name, where := range map[string]Place{"link/papers": p, "papers": linked, "EBWebView/Default/papers": p, storageName: staging} {
			s := step{inProfile, name, "gone", "old-0"}
			if name == storageName {
				s = step{inData, name, "", "papers"}
			}
			text, err := json.Marshal([]step{s})
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(where.Data, journalName), string(text))
			if err := Recover(where); err == nil || !exists(filepath.Join(victim, "papers/letter")) {
				t.Errorf("%s, %s: %v; letter there: %t", engine, name, err, exists(filepath.Join(victim, "papers/letter")))
			}
		}
	}
}

func TestFileName(t *testing.T) {
	for in, want := range map[string]string{
		"My Game":                "My Game saves.conchsave",
		"":                       "game saves.conchsave",
		"../../etc/passwd":       "_.._etc_passwd saves.conchsave",
		"a\x00b\u202ec":          "a_b_c saves.conchsave",
		"김종환 ✓":                  "김종환 ✓ saves.conchsave",
		strings.Repeat("é", 100): strings.Repeat("é", 40) + " saves.conchsave",
	} {
		if got := FileName(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// part is one file of a zip under test.
type part struct {
	name, text string
	mode       fs.FileMode
	size       uint64 // said in the header; 0: the real one
	flags      uint16
}

func zipOf(t testing.TB, parts ...part) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, p := range parts {
		h := &zip.FileHeader{Name: p.name, Method: zip.Store, Flags: p.flags}
		h.SetMode(max(p.mode, 0o600))
		create := z.CreateHeader
		if p.size != 0 {
			h.UncompressedSize64, h.CompressedSize64 = p.size, uint64(len(p.text))
			create = z.CreateRaw
		}
		w, err := create(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(p.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestBadFiles(t *testing.T) {
	text, err := json.Marshal(Manifest{Format: Format, Game: game.Game, Key: game.Key, Name: game.Name, Engine: WebKitGTK, Origin: home})
	if err != nil {
		t.Fatal(err)
	}
	manifest := part{name: manifestName, text: string(text)}
	storage := part{name: storageName, text: `{"word":"mine"}`}
	good := zipOf(t, manifest, storage)
	with := func(parts ...part) []byte { return zipOf(t, append([]part{manifest, storage}, parts...)...) }
	named := func(name string) []byte { return with(part{name: name, text: "x"}) }
	damaged := bytes.Replace(good, []byte(`"mine"`), []byte(`"MINE"`), 1)
	twice := zipOf(t, manifest, part{name: "engine/storage/aaaaaaaa", text: "aaaaaaaa"}, part{name: "engine/storage/bbbbbbbb", text: "bbbbbbbb"})
	for _, row := range []struct {
		name string
		file []byte
		want string
	}{
		{"good", good, ""},
		{"unicode", named("engine/storage/FileSystem/김종환 ✓ é"), ""},
		{"empty", nil, "not a zip"},
		{"text", []byte("hello"), "not a zip"},
		{"truncated", good[:len(good)-30], "not a zip"},
		{"half", good[:len(good)/2], "not a zip"},
		{"damaged", damaged, "damaged"},
		{"no manifest", zipOf(t, storage), "missing"},
		{"empty manifest", zipOf(t, part{name: manifestName}, storage), "makes no sense"},
		{"manifest of another kind", zipOf(t, part{name: manifestName, text: `{"format": "x"}`}), "makes no sense"},
		{"no format", zipOf(t, part{name: manifestName, text: `{"game": "id:x"}`}), "makes no sense"},
		{"newer format", zipOf(t, part{name: manifestName, text: `{"format": 2, "game": ["changed"]}`}), "newer Conch"},
		{"no game", zipOf(t, part{name: manifestName, text: `{"format": 1}`}), "makes no sense"},
		{"huge manifest", zipOf(t, part{name: manifestName, text: `{"format": 1` + strings.Repeat(" ", 1<<20) + `}`}), "bigger"},
		{"out of the folder", named("engine/storage/../../../x"), "leaves its folder"},
		{"out at once", named("../x"), "leaves its folder"},
		{"absolute", named("/etc/x"), "leaves its folder"},
		{"backslash", named(`engine\..\..\x`), "every system"},
		{"drive", named("engine/storage/C:x"), "every system"},
		{"NUL", named("engine/storage/a\x00b"), "every system"},
		{"not UTF-8", named("engine/storage/\xff"), "leaves its folder"},
		{"long name", named("engine/storage/" + strings.Repeat("x", 2000)), "too long"},
		{"dot at the end", named("engine/storage/x."), "every system"},
		{"link", with(part{name: "engine/storage/x", text: "/etc/passwd", mode: fs.ModeSymlink | 0o777}), "link"},
		{"device", with(part{name: "engine/storage/x", mode: fs.ModeDevice | 0o600}), "link"},
		{"folder entry", with(part{name: "engine/storage/x/"}), "leaves its folder"},
		{"same name twice", with(storage), "twice"},
		{"file and folder", with(part{name: "engine/storage/x", text: "x"}, part{name: "engine/storage/x/y", text: "x"}), "a file and a folder"},
		{"encrypted", with(part{name: "engine/storage/x", text: "x", size: 1, flags: 1}), "packed in a way"},
		{"bomb in one", with(part{name: "engine/storage/x", text: "x", size: maxBytes + 1}), "unpack to more"},
		{"bomb in two", with(part{name: "engine/storage/x", text: "x", size: 3 << 30}, part{name: "engine/storage/y", text: "x", size: 3 << 30}), "unpack to more"},
		{"bomb that lies", with(part{name: "engine/storage/x", text: strings.Repeat("x", 100), size: 10}), "damaged"},
		{"overlapping", overlapping(t, twice), "overlap"},
		{"huge localStorage", with(part{name: "localstorage.json2", text: "x"}), "does not belong"},
		{"localStorage of another kind", zipOf(t, manifest, part{name: storageName, text: `[1]`}), "makes no sense"},
		{"localStorage with numbers", zipOf(t, manifest, part{name: storageName, text: `{"a": 1}`}), "makes no sense"},
		{"a stranger beside", named("readme.txt"), "does not belong"},
		{"cookies", named("engine/cookies.sqlite"), "does not belong"},
		{"approvals", named("approvals.db"), "does not belong"},
		{"another origin's", named("engine/localstorage/http_127.0.0.1_1.localstorage"), "does not belong"},
		{"the origin's own name", named("engine/storage/origin"), "does not belong"},
		{"a log of a database", named("engine/indexeddb/v1/A/IndexedDB.sqlite3-wal"), "does not belong"},
		{"no version", named("engine/indexeddb/x/A"), "does not belong"},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := newPlace(t, WebKitGTK, home)
			play(t, p, "before")
			before := words(t, p)
			file := filepath.Join(t.TempDir(), "a.conchsave")
			write(t, file, string(row.file))
			_, err := importInto(p).Run(context.Background(), file)
			if row.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var bad *FileError
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, want %q", err, row.want)
			}
			if got := words(t, p); !maps.Equal(got, before) {
				t.Errorf("saves: got %q, want %q", got, before)
			}
			noTraces(t, p)
		})
	}
	t.Run("a folder", func(t *testing.T) {
		if _, err := importInto(newPlace(t, WebKitGTK, home)).Run(context.Background(), t.TempDir()); err == nil {
			t.Error("no error")
		}
	})
	t.Run("too many files", func(t *testing.T) {
		parts := []part{manifest}
		for i := range maxFiles + 1 {
			parts = append(parts, part{name: fmt.Sprint("engine/storage/", i)})
		}
		file := filepath.Join(t.TempDir(), "a.conchsave")
		write(t, file, string(zipOf(t, parts...)))
		if _, err := openArchive(file); err == nil || !strings.Contains(err.Error(), "too many") {
			t.Errorf("got %v", err)
		}
	})
}

// overlapping makes the directory's entry of …/bbbbbbbb point at the data of …/aaaaaaaa.
func overlapping(t *testing.T, text []byte) []byte {
	t.Helper()
	b := bytes.Clone(text)
	find := func(signature, name string) int {
		for at := 0; ; {
			i := bytes.Index(b[at:], []byte(signature))
			if i < 0 {
				t.Fatalf("no %q of %s", signature, name)
			}
			at += i + 4
			head := 26
			if signature == "PK\x01\x02" {
				head = 42
			}
			if bytes.HasPrefix(b[at+head:], []byte(name)) {
				return at - 4
			}
		}
	}
	a, z := find("PK\x01\x02", "engine/storage/aaaaaaaa"), find("PK\x01\x02", "engine/storage/bbbbbbbb")
	copy(b[z+42:z+46], b[a+42:a+46])
	return b
}

func FuzzArchive(f *testing.F) {
	p := newPlace(f, WebKitGTK, home)
	play(f, p, "mine")
	text, err := os.ReadFile(export(f, p, game))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(text[:len(text)/2])
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	f.Fuzz(func(t *testing.T, text []byte) {
		file := filepath.Join(t.TempDir(), "a.conchsave")
		write(t, file, string(text))
		a, err := openArchive(file)
		if err != nil {
			return
		}
		defer a.close()
		for _, z := range a.files {
			if !filepath.IsLocal(filepath.FromSlash(z.Name)) {
				t.Errorf("accepted the name %q", z.Name)
			}
		}
	})
}
