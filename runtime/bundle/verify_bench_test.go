package bundle

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// benchGames are the same files, unsigned and signed.
func benchGames(b *testing.B, f files, grow map[string]int64) map[string]string {
	games := map[string]string{}
	for _, kind := range []string{"unsigned", "signed"} {
		dir := folder(b, f)
		for name, size := range grow {
			if err := os.Truncate(filepath.Join(dir, name), size); err != nil {
				b.Fatal(err)
			}
		}
		if kind == "signed" {
			sign(b, dir, authorKey(1))
		}
		games[kind] = dir
	}
	return games
}

// BenchmarkOpenSigned compares the start of a game with and without a signature: it grows with the number of files and
// not with their size.
func BenchmarkOpenSigned(b *testing.B) {
	for _, size := range []struct {
		count int
		bytes int64
	}{{10, 10}, {10, 100 << 20}, {1000, 10}, {10_000, 10}} {
		f, grow := files{"index.html": plainPage, "conch.json": signedManifest}, map[string]int64{}
		for i := range size.count {
			name := fmt.Sprintf("assets/%02d/%05d.bin", i%20, i)
			f[name], grow[name] = "x", size.bytes
		}
		for kind, dir := range benchGames(b, f, grow) {
			b.Run(fmt.Sprintf("%dx%d/%s", size.count, size.bytes, kind), func(b *testing.B) {
				for b.Loop() {
					g, err := Open(dir, Options{})
					if err != nil {
						b.Fatal(err)
					}
					g.Close()
				}
			})
		}
	}
}

// BenchmarkReadSigned reads a large file whole, and one small range after another.
func BenchmarkReadSigned(b *testing.B) {
	f := files{"index.html": plainPage, "conch.json": signedManifest, "big.bin": "x"}
	for kind, dir := range benchGames(b, f, map[string]int64{"big.bin": 100 << 20}) {
		g := open(b, dir, Options{})
		buf := make([]byte, 64<<10)
		b.Run("whole/"+kind, func(b *testing.B) {
			b.SetBytes(100 << 20)
			b.ReportAllocs()
			for b.Loop() {
				f, err := g.FS.Open("big.bin")
				if err != nil {
					b.Fatal(err)
				}
				if n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{f}, buf); n != 100<<20 || err != nil {
					b.Fatal(n, err)
				}
				f.Close()
			}
		})
		b.Run("ranges/"+kind, func(b *testing.B) {
			b.SetBytes(64 << 10)
			at := int64(0)
			for b.Loop() {
				f, err := g.FS.Open("big.bin")
				if err != nil {
					b.Fatal(err)
				}
				f.(io.Seeker).Seek(at, io.SeekStart)
				if _, err := io.ReadFull(f, buf); err != nil {
					b.Fatal(err)
				}
				at = (at + 64<<10) % (100 << 20)
				f.Close()
			}
		})
	}
}

// BenchmarkVerifySmallest is what a signed game waits for before it starts: few large files or many small ones.
func BenchmarkVerifySmallest(b *testing.B) {
	for _, size := range []struct {
		count int
		bytes int64
	}{{10, 10_000}, {32, 1 << 20}, {1000, 10_000}, {10_000, 1000}} {
		f, grow := files{"index.html": plainPage, "conch.json": signedManifest}, map[string]int64{}
		for i := range size.count {
			name := fmt.Sprintf("assets/%02d/%05d.bin", i%20, i)
			f[name], grow[name] = "x", size.bytes
		}
		g := open(b, benchGames(b, f, grow)["signed"], Options{})
		b.Run(fmt.Sprintf("%dx%d", size.count, size.bytes), func(b *testing.B) {
			for b.Loop() {
				if err := g.VerifySmallest(b.Context(), 32<<20); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
