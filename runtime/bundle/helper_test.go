package bundle

import (
	"archive/zip"
	"bytes"
	"image"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const plainPage = "<!doctype html><title>A game</title>"

// files is the contents of a test bundle: slash name -> text.
type files map[string]string

func (f files) with(name, text string) files {
	c := files{name: text}
	for k, v := range f {
		if k != name {
			c[k] = v
		}
	}
	return c
}

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

// entry is one raw entry of a test zip.
type entry struct {
	zip.FileHeader
	data string
}

func deflated(name, data string) entry {
	return entry{zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(2024, 5, 6, 7, 8, 10, 0, time.UTC)}, data}
}

func stored(name, data string) entry {
	e := deflated(name, data)
	e.Method = zip.Store
	return e
}

func zipBytes(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, e := range entries {
		h := e.FileHeader
		f, err := w.CreateHeader(&h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, e.data); err != nil && e.data != "" {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func zipFile(t testing.TB, entries ...entry) string {
	t.Helper()
	return diskFile(t, "game.zip", zipBytes(t, entries...))
}

func zipOf(t testing.TB, f files) string {
	t.Helper()
	var entries []entry
	for _, name := range sortedKeys(f) {
		if len(f[name]) > 500_000 {
			entries = append(entries, stored(name, f[name]))
			continue
		}
		entries = append(entries, deflated(name, f[name]))
	}
	return zipFile(t, entries...)
}

func diskFile(t testing.TB, name string, data []byte) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(p, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return p
}

func open(t testing.TB, path string, o Options) *Bundle {
	t.Helper()
	b, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func read(t testing.TB, fsys fs.FS, name string) string {
	t.Helper()
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// eachKind runs f over the same files as a folder and as a zip.
func eachKind(t *testing.T, f files, run func(t *testing.T, b *Bundle)) {
	t.Run("folder", func(t *testing.T) { run(t, open(t, folder(t, f), Options{})) })
	t.Run("zip", func(t *testing.T) { run(t, open(t, zipOf(t, f), Options{})) })
}

// pngOf is a picture one pixel high.
func pngOf(t testing.TB, width int) string {
	t.Helper()
	var buf bytes.Buffer
	if err := png.Encode(&buf, image.NewRGBA(image.Rect(0, 0, width, 1))); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

// wantError fails unless err contains all parts.
func wantError(t *testing.T, err error, parts ...string) {
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
