package app

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/internal/saves"
	"conch/runtime/bundle"
)

// TestSavesOfARunningGame: a game that runs is neither exported nor imported into; and while that happens, it does not
// start.
func TestSavesOfARunningGame(t *testing.T) {
	o := Options{Path: gameFolder(t, ""), DataDir: t.TempDir(), Window: true}
	g := start(t, o)
	other := open(t, o)
	file := filepath.Join(t.TempDir(), "a.conchsave")
	if err := other.ExportSaves(t.Context(), file, false); !errors.Is(err, ErrSavesInUse) {
		t.Errorf("export: %v", err)
	}
	if _, err := other.ImportSaves(t.Context(), file, false); !errors.Is(err, ErrSavesInUse) {
		t.Errorf("import: %v", err)
	}
	g.Close()
	if err := other.ExportSaves(t.Context(), file, false); !errors.Is(err, saves.ErrNothing) {
		t.Errorf("export of a closed game: %v", err)
	}
	unlock, err := other.lockSaves()
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if err := open(t, o).Listen(t.Context()); err == nil || !strings.Contains(err.Error(), "being copied") {
		t.Errorf("start during a copy: %v", err)
	}
}

// TestImportFromAnotherEngine: what the file has of localStorage is handed to the page until the page has sent its own.
func TestImportFromAnotherEngine(t *testing.T) {
	place := saves.Place{Engine: saves.Unknown, Data: t.TempDir(), Origin: "http://127.0.0.1:12346"}
	put(t, filepath.Join(place.Data, "localstorage.json"), `{"level":"7"}`)
	o := Options{Path: gameFolder(t, ""), DataDir: t.TempDir()}
	g := open(t, o)
	file := filepath.Join(t.TempDir(), "a.conchsave")
	if err := saves.WriteFile(t.Context(), file, place, g.savesManifest(), false); err != nil {
		t.Fatal(err)
	}
	res, err := g.ImportSaves(t.Context(), file, false)
	if err != nil {
		t.Fatal(err)
	}
	g.Close()
	if here, _, _ := g.engineFolder(); res.OnlyStorage != (here != saves.Unknown) {
		t.Errorf("got %+v", res)
	}
	g = start(t, o)
	b := enter(t, g)
	if got := b.config().Restore["level"]; got != "7" {
		t.Errorf("to restore: %q", got)
	}
	if err := g.saveStorage([]byte(`{"level":"8"}`)); err != nil {
		t.Fatal(err)
	}
	if b.config().Restore != nil {
		t.Error("still to restore after the page sent its own")
	}
	g.Close()
	if got := enter(t, start(t, o)).config().Restore; got != nil {
		t.Errorf("to restore at the next start: %v", got)
	}
}

// TestLinksAreNoSaves: a folder of state from a stranger, as a portable program may have, hands no other file to a page or
// into a file of saves.
func TestLinksAreNoSaves(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret.json")
	put(t, secret, `{"token":"secret"}`)
	o := Options{Path: gameFolder(t, ""), DataDir: t.TempDir()}
	g := open(t, o)
	for _, file := range []string{g.restoreFile(), g.storageFile()} {
		if err := os.Symlink(secret, file); err != nil {
			t.Fatal(err)
		}
		g.loadRestore(file)
		if g.restore != nil {
			t.Errorf("%s: the page would get %s", file, g.restore)
		}
	}
	if err := g.ExportSaves(t.Context(), filepath.Join(t.TempDir(), "a.conchsave"), false); !errors.Is(err, saves.ErrNothing) {
		t.Errorf("export: %v", err)
	}
}

func TestWhoseSaves(t *testing.T) {
	for manifest, want := range map[string]string{`{"format":1,"id":"org.example.game","name":"Name"}`: "id:org.example.game", "": "content:"} {
		dir := gameFolder(t, "")
		if manifest != "" {
			put(t, filepath.Join(dir, "conch.json"), manifest)
		}
		g := open(t, Options{Path: dir, Version: "1.2"})
		m := g.savesManifest()
		if !strings.HasPrefix(m.Game, want) || m.Key != g.Key || m.Name == "" || m.Conch != "1.2" {
			t.Errorf("got %+v, want %q", m, want)
		}
	}
}

func TestTakeOrigin(t *testing.T) {
	g := open(t, Options{Path: gameFolder(t, "")})
	for _, origin := range []string{"", "http://127.0.0.1", "https://127.0.0.1:20421", "http://example.com:20421", "http://127.0.0.1:20421/x", "http://127.0.0.1:80", "http://127.0.0.1:x"} {
		if err := g.takeOrigin(origin); err == nil {
			t.Errorf("%q was taken", origin)
		}
	}
	if err := g.takeOrigin("http://127.0.0.1:20421"); err != nil || g.OwnPort() != 20421 {
		t.Errorf("port %d, %v", g.OwnPort(), err)
	}
}

// TestDeleteSaves: the saves and their copies go. What is known of updates is none of them: without it an old feed would be
// believed, and the version before would stay in the way of the next.
func TestDeleteSaves(t *testing.T) {
	g := open(t, Options{Path: gameFolder(t, ""), DataDir: t.TempDir()})
	place, err := g.SavesPlace()
	if err != nil {
		t.Fatal(err)
	}
	if place.Engine == saves.Unknown {
		if err := g.DeleteSaves(); err == nil {
			t.Error("deleted what all games share")
		}
		return
	}
	place.Profile = filepath.Join(t.TempDir(), "profile") // not the player's
	gone := []string{"localstorage.json", "restore.json", "kept-saves/a.conchsave", "import.json", ".conch-import/old-0"}
	for _, name := range append(gone, "update.json") {
		path := filepath.Join(place.Data, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		put(t, path, "{}")
	}
	put(t, place.Profile, "")
	if err := saves.Delete(place); err != nil {
		t.Fatal(err)
	}
	for _, path := range append([]string{place.Profile}, gone...) {
		if !filepath.IsAbs(path) {
			path = filepath.Join(place.Data, path)
		}
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(place.Data, "update.json")); err != nil {
		t.Error(err)
	}
}

// TestRunning: what a crash left says nothing, whoever has its port now.
func TestRunning(t *testing.T) {
	o := Options{Path: gameFolder(t, ""), DataDir: t.TempDir(), Window: true}
	g, other := start(t, o), open(t, o)
	run, err := os.ReadFile(filepath.Join(g.gameDir(), "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := other.Running(); !got || err != nil {
		t.Errorf("a game that runs: %t, %v", got, err)
	}
	g.Close()
	stranger := start(t, Options{Path: gameFolder(t, ""), DataDir: t.TempDir(), Window: true})
	text, err := os.ReadFile(filepath.Join(stranger.gameDir(), "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	var old, now runFile
	if err := errors.Join(json.Unmarshal(run, &old), json.Unmarshal(text, &now)); err != nil {
		t.Fatal(err)
	}
	old.Port = now.Port
	if run, err = json.Marshal(old); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(g.gameDir(), "run.json"), string(run))
	if got, err := other.Running(); got || err != nil {
		t.Errorf("a game that crashed: %t, %v", got, err)
	}
}

// TestCopyFromTheCrashScreen: the copy goes where the window says, and nothing is replaced.
func TestCopyFromTheCrashScreen(t *testing.T) {
	g := start(t, Options{Path: gameFolder(t, ""), Window: true})
	if _, err := g.copySaves(t.Context()); err == nil {
		t.Error("a copy without a folder")
	}
	dir := t.TempDir()
	asked := ""
	g.OnCopy(func(name string) (string, error) { asked = name; return filepath.Join(dir, "a.conchsave"), nil })
	if _, err := g.copySaves(t.Context()); !errors.Is(err, saves.ErrNothing) {
		t.Errorf("of nothing: %v", err)
	}
	if err := g.saveStorage([]byte(`{"level":"8"}`)); err != nil {
		t.Fatal(err)
	}
	path, err := g.copySaves(t.Context())
	if err != nil || path != filepath.Join(dir, "a.conchsave") || asked != g.SavesFileName() {
		t.Errorf("got %q, %v, asked for %q", path, err, asked)
	}
	if _, err := g.copySaves(context.Background()); !errors.Is(err, os.ErrExist) {
		t.Errorf("over a file: %v", err)
	}
}

// TestPortableSaves: all that an export takes is in the portable folder, where the engine's folder can be told.
func TestPortableSaves(t *testing.T) {
	t.Setenv("CONCH_DATA", "")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data := makePortable(t, filepath.Dir(exe))
	place, err := open(t, Options{Path: gameFolder(t, ""), DataDir: data}).SavesPlace()
	if err != nil || !strings.HasPrefix(place.Data, data) || place.Engine != saves.Unknown && !strings.HasPrefix(place.Profile, data) {
		t.Errorf("saves are at %+v, %v", place, err)
	}
}

// TestSavesOfASignedGame: they go to the game of the same author and id, whatever its version, and not without --force
// to an unsigned game that says it has that id.
func TestSavesOfASignedGame(t *testing.T) {
	game := func(version string, seed byte) *App {
		dir := gameFolder(t, "")
		put(t, filepath.Join(dir, "conch.json"), `{"format":1,"id":"org.example.game","version":"`+version+`"}`)
		if seed != 0 {
			key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
			if _, err := bundle.Sign(t.Context(), dir, key, bundle.SignOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		return open(t, Options{Path: dir})
	}
	from := game("1", 1)
	if m := from.savesManifest(); m.Game != "key:"+from.Bundle.Signer()+":org.example.game" {
		t.Errorf("got %+v", m)
	}
	if err := from.saveStorage([]byte(`{"level":"8"}`)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "a.conchsave")
	if err := from.ExportSaves(t.Context(), file, false); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		to   *App
		want error
	}{
		{"a newer version", game("2", 1), nil},
		{"another author", game("1", 2), saves.ErrOtherGame},
		{"nobody's signature", game("1", 0), saves.ErrOtherGame},
	} {
		if _, err := row.to.ImportSaves(t.Context(), file, false); !errors.Is(err, row.want) {
			t.Errorf("%s: got %v, want %v", row.name, err, row.want)
		}
		if text, err := os.ReadFile(row.to.storageFile()); (string(text) == `{"level":"8"}`) != (row.want == nil) {
			t.Errorf("%s: localStorage %q, %v", row.name, text, err)
		}
		if _, err := row.to.ImportSaves(t.Context(), file, true); err != nil {
			t.Errorf("%s, by force: %v", row.name, err)
		}
	}
}
