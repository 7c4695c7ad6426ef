package cli

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/app"
)

func TestSettingsCommand(t *testing.T) {
	data := t.TempDir()
	d := newDesktop(t)
	opened := 0
	d.Settings = func(ctx context.Context, s *app.Settings) error {
		opened++
		res, err := http.Get(s.Server.EntryURL())
		if err != nil {
			return err
		}
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Errorf("entry: status %d", res.StatusCode)
		}
		// A second start while the first is open.
		if code, _, stderr := d.run(t, "settings", "--data", data); code != 0 || !strings.Contains(stderr, "already; their window was raised") || opened != 1 {
			t.Errorf("second start: code %d, %s", code, stderr)
		}
		return nil
	}
	if code, _, stderr := d.run(t, "settings", "--data", data); code != 0 || opened != 1 {
		t.Errorf("code %d, opened %d times: %s", code, opened, stderr)
	}
	d.Settings = func(context.Context, *app.Settings) error { return errors.New("no display") }
	if code, _, _ := d.run(t, "settings", "--data", data); code != 1 || len(d.boxes) != 1 || d.boxes[0] != "Conch: No display. [Close]" {
		t.Errorf("code %d, boxes %q", code, d.boxes)
	}
	file := filepath.Join(data, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := d.run(t, "settings", "--data", file); code != 1 || !strings.Contains(stderr, file) {
		t.Errorf("a file as data folder: code %d, %s", code, stderr)
	}
	if code, _, stderr := d.run(t, "settings", "everything"); code != 2 || stderr == "" {
		t.Errorf("with an argument: code %d, %s", code, stderr)
	}
}

// A packed game has the settings too: the crash screen of its window opens them.
func TestSettingsOfAPackedGame(t *testing.T) {
	for _, broken := range []error{nil, errors.New("the program is incomplete")} {
		d := newDesktop(t)
		d.game, d.gameBroken = "My Game.exe", broken
		opened := 0
		d.Settings = func(context.Context, *app.Settings) error { opened++; return nil }
		if code, _, stderr := d.run(t, "settings", "--data", t.TempDir()); code != 0 || opened != 1 || d.windows != 0 {
			t.Errorf("code %d, opened %d times: %s", code, opened, stderr)
		}
		d.game, d.gameBroken = "My Game.exe", broken
		if code, _, stderr := d.run(t, "other"); code != 2 || !strings.Contains(stderr, "is not known") {
			t.Errorf("another word: code %d, %s", code, stderr)
		}
	}
}

// The help of a packed game calls it by its whole name.
func TestHelpOfAPackedGame(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"saves", "--help"}, {"saves", "where", "--help"}} {
		d := newDesktop(t)
		d.game = "My Game.exe"
		code, out, stderr := d.run(t, args...)
		if code != 0 || !strings.Contains(out, "\n  My Game ") || strings.Contains(strings.ReplaceAll(out, "My Game", ""), "My") {
			t.Errorf("%q: code %d, %s%s", args, code, out, stderr)
		}
	}
}

// Without a window there is nothing to ask a player with, so there is nothing to set.
func TestNoSettingsWithoutAWindow(t *testing.T) {
	if code, _, stderr := runIn(t, nil, "settings"); code != 2 || !strings.Contains(stderr, `"settings" is neither a command nor a file here`) {
		t.Errorf("code %d, %s", code, stderr)
	}
}
