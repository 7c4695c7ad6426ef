//go:build e2e

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// signedGame is a game of the reporter's, signed with a new key.
func (r *reporter) signedGame(t *testing.T, h home, title string, files map[string]string) string {
	t.Helper()
	dir := r.game(t, `"id": "org.example.`+title+`", "window": {"title": "`+title+`", "width": 700, "height": 400}`, nil, files)
	pass, key := filepath.Join(t.TempDir(), "pass"), filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(pass, []byte("correct horse battery staple\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"keygen", "--out", key, "--passphrase-file", pass},
		{"sign", dir, "--key", key, "--passphrase-file", pass},
	} {
		cmd := exec.Command(hostBin, args...)
		cmd.Env = h.env()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", args[0], err, out)
		}
	}
	return dir
}

// swap changes bytes of a file and not its size.
func swap(t *testing.T, file, old, new string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.Replace(text, []byte(old), []byte(new), 1), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestTamperedGameDoesNotStart: a signed game with one altered script opens no window; a native box names the file.
func TestTamperedGameDoesNotStart(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	dir := r.signedGame(t, h, "tampered", map[string]string{"index.html": page(`import '/game.js'`), "game.js": `report('ran', 'good')`})
	p := play(t, h, dir)
	if got := r.waitString("ran"); got != "good" {
		t.Fatalf("as signed: %s", got)
	}
	p.stop()

	swap(t, filepath.Join(dir, "game.js"), "good", "evil")
	p = play(t, h, dir)
	id := windowID(t, "^Conch$")
	screenshot(t, "tampered")
	if strings.Contains(p.output(), "socket connected") {
		t.Error("the game ran")
	}
	x(t, "xdotool", "windowactivate", "--sync", id)
	x(t, "xdotool", "key", "Escape")
	if code := p.waitExit(); code != 1 || !strings.Contains(p.output(), "game.js was changed") {
		t.Errorf("exit code %d:\n%s", code, p.output())
	}
}

// TestTamperedGameStops: a file that is altered while the game runs is never handed out; the page goes and the crash screen
// names the file.
func TestTamperedGameStops(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	dir := r.signedGame(t, h, "stops", map[string]string{"late.txt": "good", "index.html": page(`
addEventListener('keydown', async () => { const q = await fetch('/late.txt'); report('late', await q.text()) })
setInterval(() => report('alive'), 500)
report('ready')`)})
	p := play(t, h, dir)
	r.wait("ready")
	id := windowID(t, "^stops$")
	x(t, "xdotool", "windowactivate", "--sync", id)
	swap(t, filepath.Join(dir, "late.txt"), "good", "evil")
	x(t, "xdotool", "key", "a")
	p.waitOutput("the game was stopped")
	p.waitOutput("web process ended")
	if !strings.Contains(p.output(), "file=late.txt") {
		t.Errorf("the file is not named:\n%s", p.output())
	}
	eventually(t, "the crash screen is drawn", func() bool { return len(spots(t, id, crashLink, 6)) > 0 })
	screenshot(t, "tampered-stopped")
	for _, m := range append(r.seen, drain(r)...) {
		if m.Name == "late" && strings.Contains(string(m.Value), "evil") {
			t.Error("changed bytes were handed out")
		}
	}
}

// drain takes the reports that have come by now.
func drain(r *reporter) (all []message) {
	for {
		select {
		case m := <-r.ch:
			all = append(all, m)
		default:
			return all
		}
	}
}
