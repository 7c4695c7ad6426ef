package pack

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"conch/runtime/bundle"
)

const page = `<!doctype html><title>A game</title><script src="main.js"></script>`

type files map[string]string

func folder(t testing.TB, f files) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range f {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// skiff is a small game with everything in it that packing treats in its own way.
func skiff() files {
	return files{
		"conch.json": `{
  // kept as it is
  "format": 1, "id": "com.example.skiff", "name": "Skiff", "version": "1.2.3", "icon": "icon.png",
  "app": {"company": "Example & Söhne", "copyright": "© Example", "description": "Sail & ram.", "categories": ["ActionGame"]},
}`,
		"index.html": page, "main.js": strings.Repeat("let a = 1\n", 50), "icon.png": picture(300, 200),
		"data/level.bin": strings.Repeat("0123456789abcdef", 60_000), "data/noise.dat": noise(400_000), "music/a.ogg": noise(1000),
		"empty.txt": "", "김종환/노래 🎵.txt": strings.Repeat("la", 100), ".git/config": "secret", "Thumbs.db": "x",
	}
}

func noise(n int) string {
	b := make([]byte, 0, n+32)
	for sum := sha256.Sum256(nil); len(b) < n; sum = sha256.Sum256(sum[:]) {
		b = append(b, sum[:]...)
	}
	return string(b[:n])
}

func picture(w, h int) string {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = byte(i * 7)
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	img.Set(0, 0, color.NRGBA{})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.String()
}

// launchersFor builds a small real program for each target and lists it as `make release` does.
func launchersFor(t testing.TB, targets ...string) string {
	t.Helper()
	dir := t.TempDir()
	src := filepath.Join(dir, "src")
	if err := os.MkdirAll(src, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range (files{"go.mod": "module hello\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() { println(\"hello\") }\n"}) {
		if err := os.WriteFile(filepath.Join(src, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var list strings.Builder
	for _, target := range targets {
		system, arch, _ := strings.Cut(target, "-")
		name := target + "/conch"
		if system == "windows" {
			name += ".exe"
		}
		out := filepath.Join(dir, filepath.FromSlash(name))
		build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", out, ".")
		build.Dir = src
		build.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0", "GOWORK=off")
		if text, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", target, err, text)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		fmt.Fprintf(&list, "%s  %s\n", hex.EncodeToString(sum[:]), name)
	}
	if err := os.WriteFile(filepath.Join(dir, sums), []byte(list.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// run packs and answers the warnings too.
func run(t testing.TB, o Options) (Result, []bundle.Problem) {
	t.Helper()
	var warnings []bundle.Problem
	o.Warn = func(p bundle.Problem) { warnings = append(warnings, p) }
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r, warnings
}

func open(t testing.TB, path string) *bundle.Bundle {
	t.Helper()
	b, err := bundle.Open(path, bundle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// tree reads all files of a game.
func tree(t testing.TB, fsys fs.FS) files {
	t.Helper()
	all := files{}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, name)
		all[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// played is what players get of skiff.
func played() files {
	f := skiff()
	delete(f, ".git/config")
	delete(f, "Thumbs.db")
	return f
}

func wantFiles(t testing.TB, got, want files) {
	t.Helper()
	for name, text := range want {
		if other, ok := got[name]; !ok || other != text {
			t.Errorf("%s: there %t, %d bytes, want %d", name, ok, len(other), len(text))
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is there", name)
		}
	}
}

func wantError(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not contain %q", err, p)
		}
	}
}

// names lists a folder.
func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	slices.Sort(list)
	return list
}

func authorKey() ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
}
