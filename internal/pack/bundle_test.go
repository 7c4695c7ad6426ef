package pack

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"conch/runtime/bundle"
)

func bundleOf(t testing.TB, game string) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := writeBundle(t.Context(), &out, open(t, game), nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func saved(t testing.TB, data []byte) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), "Game.conch")
	if err := os.WriteFile(p, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return p
}

// The bundle holds the game's files as they are, in order, and what shrinks is deflated in blocks.
func TestBundleEntries(t *testing.T) {
	data := bundleOf(t, folder(t, skiff()))
	wantFiles(t, tree(t, open(t, saved(t, data)).FS), played())
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	methods := map[string]uint16{}
	for _, f := range r.File {
		order = append(order, f.Name)
		methods[f.Name] = f.Method
		if f.Mode() != 0o644 || f.CreatorVersion>>8 != 3 || !f.Modified.Equal(longAgo) || strings.Contains(f.Name, `\`) {
			t.Errorf("%s: mode %v, host %d, time %v", f.Name, f.Mode(), f.CreatorVersion>>8, f.Modified)
		}
		if big := f.Name == "data/level.bin"; big != (len(f.Extra) > 0) {
			t.Errorf("%s: extra field of %d bytes", f.Name, len(f.Extra))
		}
	}
	if !slices.IsSorted(order) {
		t.Errorf("order %q", order)
	}
	for name, want := range map[string]uint16{
		"index.html": zip.Store, "main.js": zip.Deflate, "data/level.bin": zip.Deflate, "data/noise.dat": zip.Store, "music/a.ogg": zip.Store,
		"icon.png": zip.Store, "empty.txt": zip.Store, "김종환/노래 🎵.txt": zip.Deflate,
	} {
		if name != "index.html" && methods[name] != want {
			t.Errorf("%s: method %d, want %d", name, methods[name], want)
		}
	}
}

func TestBundleIsTheSameEveryTime(t *testing.T) {
	first := bundleOf(t, folder(t, skiff()))
	again := folder(t, skiff())
	if err := os.Chmod(filepath.Join(again, "main.js"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(again, "main.js"), longAgo, longAgo); err != nil {
		t.Fatal(err)
	}
	for name, game := range map[string]string{"other times and rights": again, "from the bundle itself": saved(t, first)} {
		if !bytes.Equal(bundleOf(t, game), first) {
			t.Errorf("%s: other bytes", name)
		}
	}
}

// Text without any repetition shrinks too: the base64 of a single-page export.
func TestBundleShrinksBase64(t *testing.T) {
	text := base64.StdEncoding.EncodeToString([]byte(noise(900_000)))
	data := bundleOf(t, folder(t, files{"index.html": page, "main.js": text}))
	if len(data) > len(text)*8/10 {
		t.Errorf("%d of %d bytes", len(data), len(text))
	}
	if got := tree(t, open(t, saved(t, data)).FS)["main.js"]; got != text {
		t.Error("it reads otherwise")
	}
}

// Programs that know nothing of Conch read it.
func TestBundleWithUnzip(t *testing.T) {
	game := saved(t, bundleOf(t, folder(t, skiff())))
	if text, err := exec.Command("unzip", "-tq", game).CombinedOutput(); err != nil {
		t.Fatalf("unzip -t: %v\n%s", err, text)
	}
	dir := t.TempDir()
	if text, err := exec.Command("unzip", "-q", game, "-d", dir).CombinedOutput(); err != nil {
		t.Fatalf("unzip: %v\n%s", err, text)
	}
	wantFiles(t, tree(t, os.DirFS(dir)), played())
}

func TestSignedStaysSigned(t *testing.T) {
	game := folder(t, skiff())
	signed, err := bundle.Sign(t.Context(), game, authorKey(), bundle.SignOptions{})
	if err != nil {
		t.Fatal(err)
	}
	data := bundleOf(t, game)
	b := open(t, saved(t, data))
	if b.Signer() != signed.Signer || b.VerifyAll(t.Context(), nil) != nil {
		t.Errorf("signer %q", b.Signer())
	}
	if !bytes.Equal(bundleOf(t, saved(t, data)), data) {
		t.Error("packed again: other bytes")
	}
}

// A packed bundle can still be signed; its blocks stay as they are.
func TestSignPackedBundle(t *testing.T) {
	file := saved(t, bundleOf(t, folder(t, skiff())))
	signed, err := bundle.Sign(t.Context(), file, authorKey(), bundle.SignOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, file)
	if b.Signer() != signed.Signer || b.VerifyAll(t.Context(), nil) != nil {
		t.Errorf("signer %q", b.Signer())
	}
	r, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, f := range r.File {
		if f.Name == "data/level.bin" && len(f.Extra) == 0 {
			t.Error("the index of blocks is gone")
		}
	}
	wantFiles(t, tree(t, b.FS), played())
}

func TestBundleRefuses(t *testing.T) {
	for name, row := range map[string]struct {
		change func(t *testing.T, dir string)
		want   string
	}{
		"a backslash in a name": {func(t *testing.T, dir string) { write(t, filepath.Join(dir, `a\b.js`)) }, "rename it"},
		"a link to a folder": {func(t *testing.T, dir string) {
			if err := os.Symlink("data", filepath.Join(dir, "link")); err != nil {
				t.Fatal(err)
			}
		}, "put the folder itself there"},
		"a control character": {func(t *testing.T, dir string) { write(t, filepath.Join(dir, "a\tb.js")) }, "rename it"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, skiff())
			row.change(t, dir)
			_, err := writeBundle(t.Context(), io.Discard, open(t, dir), nil)
			wantError(t, err, row.want)
		})
	}
}

func write(t testing.TB, name string) {
	t.Helper()
	if err := os.WriteFile(name, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// failing writes n bytes and then fails, as a full disk does.
type failing struct{ n int }

func (f *failing) Write(b []byte) (int, error) {
	if f.n -= len(b); f.n < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(b), nil
}

// A failure in the middle ends all workers and is the error that comes back.
func TestBundleFailures(t *testing.T) {
	game := files{"index.html": page, "main.js": ""}
	for i := range 40 {
		game[string(rune('a'+i%26))+strings.Repeat("x", i)+".bin"] = noise(50_000) + strings.Repeat("y", 300_000)
	}
	dir := folder(t, game)
	_, err := writeBundle(t.Context(), &failing{1 << 19}, open(t, dir), nil)
	wantError(t, err, "no space left")
	ctx, cancel := context.WithCancel(t.Context())
	_, err = writeBundle(ctx, io.Discard, open(t, dir), func(done, _ int64) {
		if done > 2<<20 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	b := open(t, dir)
	_, err = writeBundle(t.Context(), io.Discard, b, func(int64, int64) { os.Remove(filepath.Join(dir, "z"+strings.Repeat("x", 25)+".bin")) })
	wantError(t, err, "no such file")
}

func TestBundleFileGrows(t *testing.T) {
	for name, size := range map[string]int{"small": 1000, "blocks": 900_000, "stored": 5000} {
		t.Run(name, func(t *testing.T) {
			file := map[string]string{"small": "a.txt", "blocks": "a.bin", "stored": "a.mp3"}[name]
			b := open(t, folder(t, files{"index.html": page, file: strings.Repeat("x", size)}))
			items, _, err := b.Contents()
			if err != nil {
				t.Fatal(err)
			}
			for i := range items {
				if items[i].Name == file {
					items[i].Size--
				}
			}
			f := newFeeder(t.Context(), b.FS)
			go f.run(items, nil)
			var got error
			for j := range f.ordered {
				j.wait()
				got = errors.Join(got, j.err)
			}
			f.workers.Wait()
			if err := errors.Join(got, f.err); !errors.Is(err, errChanged) {
				t.Errorf("got %v", err)
			}
		})
	}
}
