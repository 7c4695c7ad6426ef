//go:build e2e

package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNewVersionBoxOnWindows: no is the default, and yes is the better of the two ways.
func TestNewVersionBoxOnWindows(t *testing.T) {
	for _, tt := range []struct {
		name, offer, press, want string
	}{
		{"return", "now", "Return", "answer 0"},
		{"yes to update", "now", "y", "answer 2"},
		{"yes to the page", "page", "y", "answer 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := wine(t).start(t, windowsProgram(t, "./winupdate", "e2e"), tt.offer)
			id := windowID(t, "^New version$")
			screenshot(t, "newversion-windows-"+tt.offer)
			eventually(t, "the answer", func() bool {
				x(t, "sh", "-c", "xdotool windowactivate "+id+" || true")
				x(t, "xdotool", "key", tt.press)
				select {
				case <-p.done:
					return true
				default:
					return false
				}
			})
			if got := strings.TrimSpace(p.output()); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestNewVersionOnWindows: a packed and code-signed Windows program is replaced, under Wine, by the next version of it,
// which the system's own way of swapping files allows.
func TestNewVersionOnWindows(t *testing.T) {
	a, w := newAuthor(t), wine(t)
	make := func(version string) string {
		return authenticode(t, packForWindows(t, a.build(version, version+".zip"), "--name", "My Game"))
	}
	old, fresh := read(t, make("1.1.0")), make("1.2.0")
	program := filepath.Join(t.TempDir(), "김종환 games", "My Game.exe")
	if err := os.Mkdir(filepath.Dir(program), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, old, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(a.dir, "web", "My Game.exe"), read(t, fresh), 0o644); err != nil {
		t.Fatal(err)
	}
	a.conch("release", fresh, "--key", "author.key", "--page", "https://games.example.org/newver", "-o", "web/feed.json")

	conch, ca := windowsProgram(t, "..", ""), windowsPath(a.ca)
	out, code := w.run(t, conch, "update", windowsPath(program), "--ca", ca, "--check")
	if code != 0 || !strings.Contains(out, "is out (1.2.0 of") || !bytes.Equal(read(t, program), old) {
		t.Fatalf("--check: code %d\n%s", code, out)
	}
	out, code = w.run(t, conch, "update", windowsPath(program), "--ca", ca, "--yes")
	if code != 0 || !strings.Contains(out, "is now version 1.2.0") {
		t.Fatalf("--yes: code %d\n%s", code, out)
	}
	if !bytes.Equal(read(t, program), read(t, fresh)) || !bytes.Equal(read(t, program+".old"), old) {
		t.Error("the new program is not in place, or the old one was not kept")
	}
	out, code = w.run(t, windowsPath(program), "--self-check")
	if code != 0 || !strings.Contains(out, "1.2.0") || !strings.Contains(out, "all is well") {
		t.Errorf("--self-check: code %d\n%s", code, out)
	}
}
