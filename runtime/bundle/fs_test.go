package bundle

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// Cases A12, B15 and corpus 1.15: odd names stay as they are, composed and decomposed accents are two names.
var oddNames = []string{"a b+c#1%41.png", "#a b c.mp4", "it's \"quoted\".ogg", "water (9).png", "เกม/ภาพ.png", "caf\u00e9.png", "cafe\u0301.png",
	"100%.txt", "カ\u3099.png", "voicy & co/formula 1.webm", "emoji 🎮.json", "data.arcd0"}

func TestOddNames(t *testing.T) {
	f := files{"index.html": plainPage}
	for _, name := range oddNames {
		if runtime.GOOS == "windows" && strings.ContainsAny(name, `"`) {
			continue
		}
		f[name] = "content of " + name
	}
	eachKind(t, f, func(t *testing.T, b *Bundle) {
		for name, text := range f {
			if got := read(t, b.FS, name); got != text {
				t.Errorf("%q: %q", name, got)
			}
			info, err := fs.Stat(b.FS, name)
			if err != nil || info.Size() != int64(len(text)) {
				t.Errorf("%q: stat %v, %v", name, info, err)
			}
		}
		entries, err := fs.ReadDir(b.FS, "เกม")
		if err != nil || len(entries) != 1 || entries[0].Name() != "ภาพ.png" {
			t.Errorf("ReadDir: %v, %v", entries, err)
		}
		if _, err := fs.Stat(b.FS, "INDEX.html"); err == nil && runtime.GOOS == "linux" {
			t.Error("letter case was ignored")
		}
	})
}

func TestFSContract(t *testing.T) {
	f := files{"index.html": plainPage, "a/b/c.txt": "c", "a/d.txt": strings.Repeat("d", 5000), "empty.txt": ""}
	names := sortedKeys(f)
	eachKind(t, f, func(t *testing.T, b *Bundle) {
		if err := fstest.TestFS(b.FS, names...); err != nil {
			t.Error(err)
		}
		checkFS(t, b.FS, names)
	})
	t.Run("html", func(t *testing.T) {
		b := open(t, diskFile(t, "some game.html", []byte(plainPage)), Options{})
		if err := fstest.TestFS(b.FS, "index.html"); err != nil {
			t.Error(err)
		}
		checkFS(t, b.FS, []string{"index.html"})
	})
	t.Run("unwrapped zip", func(t *testing.T) {
		b := open(t, zipFile(t, deflated("top/index.html", plainPage), deflated("top/x/y.js", "1"), deflated("__MACOSX/top/._index.html", "junk")), Options{})
		if err := fstest.TestFS(b.FS, "index.html", "x/y.js"); err != nil {
			t.Error(err)
		}
	})
}

// checkFS checks what the contract of Bundle.FS adds to fs.FS.
func checkFS(t *testing.T, fsys fs.FS, names []string) {
	t.Helper()
	if _, ok := fsys.(fs.StatFS); !ok {
		t.Error("not an fs.StatFS")
	}
	if _, ok := fsys.(fs.ReadDirFS); !ok {
		t.Error("not an fs.ReadDirFS")
	}
	for _, name := range names {
		f, err := fsys.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := f.(io.ReadSeeker); !ok {
			t.Errorf("%s: %T does not seek", name, f)
		}
		f.Close()
	}
	for _, bad := range []string{"../index.html", "/index.html", "a/../index.html", "./index.html", "", "a//d.txt", `..\x`, "a\x00", "a/", "C:/x"} {
		if f, err := fsys.Open(bad); err == nil {
			f.Close()
			t.Errorf("Open(%q) succeeded", bad)
		}
		if _, err := fs.Stat(fsys, bad); err == nil {
			t.Errorf("Stat(%q) succeeded", bad)
		}
	}
}

// A page alone does not carry the rest of its folder along.
func TestPageIsAlone(t *testing.T) {
	dir := folder(t, files{"game.html": plainPage, "private.txt": "secret", "sub/x": "", "index.html": "another"})
	b := open(t, filepath.Join(dir, "game.html"), Options{})
	if got := read(t, b.FS, "index.html"); got != plainPage {
		t.Errorf("index.html is %q", got)
	}
	for _, name := range []string{"private.txt", "game.html", "sub/x", "sub"} {
		if _, err := b.FS.Open(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	entries, err := fs.ReadDir(b.FS, ".")
	if err != nil || len(entries) != 1 || entries[0].Name() != "index.html" {
		t.Errorf("ReadDir: %v, %v", entries, err)
	}
}

// Case B16: links that leave the folder are not followed, links inside are.
func TestFolderLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("links need a privilege here; os.Root is tested by Go itself")
		return
	}
	outside := folder(t, files{"secret.txt": "secret"})
	dir := folder(t, files{"index.html": plainPage, "img/a.png": "a"})
	links := map[string]string{
		"inside.png": "img/a.png", "dir": "img", "abs.txt": filepath.Join(outside, "secret.txt"),
		"up": "..", "out": outside, "img/rel.txt": "../../" + filepath.Base(outside) + "/secret.txt", "loop": "loop",
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	b := open(t, dir, Options{})
	for _, name := range []string{"inside.png", "dir/a.png"} {
		if got := read(t, b.FS, name); got != "a" {
			t.Errorf("%s: %q", name, got)
		}
	}
	for _, name := range []string{"abs.txt", "up/" + filepath.Base(dir) + "/index.html", "out/secret.txt", "out", "img/rel.txt", "loop"} {
		if _, err := fs.ReadFile(b.FS, name); err == nil {
			t.Errorf("%s was followed", name)
		}
		if _, err := fs.Stat(b.FS, name); err == nil {
			t.Errorf("%s has a stat", name)
		}
	}
	report := b.Inspect()
	var reported []string
	for _, p := range report.Problems {
		if strings.Contains(p.Text, "link") {
			reported = append(reported, p.File)
		}
	}
	slices.Sort(reported)
	if want := []string{"abs.txt", "img/rel.txt", "loop", "out", "up"}; !slices.Equal(reported, want) {
		t.Errorf("links reported %q, want %q", reported, want)
	}
}

func TestFolderErrorsNameTheBundle(t *testing.T) {
	dir := folder(t, files{"index.html": plainPage})
	b := open(t, dir, Options{})
	_, err := b.FS.Open("img/x.png")
	if !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "img/x.png") {
		t.Errorf("error %v", err)
	}
}
