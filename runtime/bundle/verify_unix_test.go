//go:build unix

package bundle

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Links and special files can be neither signed nor slipped into a signed game.
func TestSignedFolderWithLinks(t *testing.T) {
	outside := folder(t, files{"x.js": "x"})
	make := map[string]func(path string) error{
		"link out":             func(p string) error { return os.Symlink(filepath.Join(outside, "x.js"), p) },
		"link nowhere":         func(p string) error { return os.Symlink("nowhere", p) },
		"link to a folder":     func(p string) error { return os.Symlink("../js", p) },
		"link to a folder out": func(p string) error { return os.Symlink(outside, p) },
		"pipe":                 func(p string) error { return syscall.Mkfifo(p, 0o600) },
	}
	for name, put := range make {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, signed(t, unsignedGame(), authorKey(1)))
			if err := put(filepath.Join(dir, "js", "new")); err != nil {
				t.Fatal(err)
			}
			_, err := Open(dir, Options{})
			wantError(t, err, "js/new is ")
			_, err = Sign(t.Context(), dir, authorKey(1), SignOptions{})
			wantError(t, err, "cannot be signed: js/new is ")
		})
	}
	t.Run("link to a file of the game", func(t *testing.T) {
		dir := folder(t, unsignedGame())
		if err := os.Symlink("main.js", filepath.Join(dir, "js", "link.js")); err != nil {
			t.Fatal(err)
		}
		sign(t, dir, authorKey(1))
		if got := read(t, open(t, dir, Options{}).FS, "js/link.js"); got != "main('one')" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("signature is a link out", func(t *testing.T) {
		dir := folder(t, unsignedGame())
		if err := os.Symlink(filepath.Join(outside, "x.js"), filepath.Join(dir, signatureName)); err != nil {
			t.Fatal(err)
		}
		_, err := Open(dir, Options{})
		checkTampered(t, err, signatureName, "cannot be read")
	})
}

// A link to a folder is a part of what an unsigned game is.
func TestDigestCoversLinks(t *testing.T) {
	seen := map[string]bool{}
	for _, target := range []string{"js", "data", "../../outside"} {
		dir := folder(t, unsignedGame())
		if err := os.Symlink(target, filepath.Join(dir, "lib")); err != nil {
			t.Fatal(err)
		}
		seen[identity(t, dir)] = true
	}
	if seen[identity(t, folder(t, unsignedGame()))] = true; len(seen) != 3 {
		t.Errorf("%d identities, want 3: two links, and none or one that leads out", len(seen))
	}
}

// A game is signed through a link to its zip; the link stays one.
func TestSignThroughALink(t *testing.T) {
	real := zipOf(t, unsignedGame())
	link := filepath.Join(t.TempDir(), "game.zip")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	sign(t, link, authorKey(1))
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v, %v", info, err)
	}
	if open(t, real, Options{}).Signer() == "" {
		t.Error("not signed")
	}
}
