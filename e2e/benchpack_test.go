//go:build e2e

package e2e

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Sizes of the games that are packed: smaller ones to try the benchmarks out, `go test -bench Pack ./e2e -packmb 50`.
var (
	packMB  = flag.Int("packmb", 1000, "MB of the export that BenchmarkPack packs")
	startMB = flag.Int("startmb", 2000, "MB of the game that BenchmarkPackedStart starts")
)

// bigExport is a game of the given size as exports are: half of it media, a quarter code and text that shrink, a quarter
// data that does not.
func bigExport(b *testing.B, size int64) string {
	b.Helper()
	dir := b.TempDir()
	write := func(name string, size int64, fill func(p []byte)) {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		buf := make([]byte, 1<<20)
		for ; size > 0; size -= int64(len(buf)) {
			buf = buf[:min(size, int64(len(buf)))]
			fill(buf)
			if _, err := f.Write(buf); err != nil {
				b.Fatal(err)
			}
		}
	}
	noise := rand.NewChaCha8([32]byte{1})
	random := func(p []byte) { noise.Read(p) }
	words := strings.Fields("function return const let if else for while this length push value index player enemy level draw update")
	text := func(p []byte) {
		var s strings.Builder
		for s.Len() < len(p) {
			fmt.Fprintf(&s, "%s %s_%d ", words[noise.Uint64()%uint64(len(words))], words[noise.Uint64()%uint64(len(words))], noise.Uint64()%5000)
		}
		copy(p, s.String())
	}
	for i := range int64(8) {
		write(fmt.Sprintf("music%d.ogg", i), size/16, random)
		write(fmt.Sprintf("code%d.wasm", i), size/32, text)
		write(fmt.Sprintf("data%d.bin", i), size/32, random)
	}
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte(page("")), 0o644); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "report.js"), nil, 0o644); err != nil {
		b.Fatal(err)
	}
	return dir
}

// BenchmarkPack sets packing beside zip on the same export: time and size.
func BenchmarkPack(b *testing.B) {
	game := bigExport(b, int64(*packMB)*1e6)
	out := b.TempDir()
	commands := map[string][]string{
		"zip -1":     {"zip", "-q", "-1", "-r", filepath.Join(out, "1.zip"), "."},
		"zip -0":     {"zip", "-q", "-0", "-r", filepath.Join(out, "0.zip"), "."},
		"conch pack": {conchBin, "pack", "--no-deb", ".", "-o", out, "--name", "big"},
	}
	variants := []string{"zip -1", "zip -0", "conch pack"}
	got := series{}
	note := rounds(b, variants, func(variant string, measured bool) {
		files, _ := filepath.Glob(filepath.Join(out, "*"))
		for _, f := range files {
			os.Remove(f)
		}
		c := exec.Command(commands[variant][0], commands[variant][1:]...)
		c.Dir = game
		began := time.Now()
		if text, err := c.CombinedOutput(); err != nil {
			b.Fatalf("%s: %v\n%s", variant, err, text)
		}
		took := time.Since(began).Seconds()
		files, _ = filepath.Glob(filepath.Join(out, "*"))
		info, err := os.Stat(files[0])
		if err != nil || len(files) != 1 {
			b.Fatalf("%s: %q, %v", variant, files, err)
		}
		if measured {
			got.add(variant, "time", took)
			got.add(variant, "size", float64(info.Size())/1e6)
		}
	})
	t := ratioTable{title: "Packing", note: fmt.Sprintf("An export of %d MB in 25 files, half of it media, a quarter code, a quarter noise. "+
		"`conch pack` makes the .tar.gz with the program; it reads the export for `inspect` first and each stored file twice. %s", *packMB, note)}
	t.row("program", "time beside zip -1", "size beside zip -1")
	for _, v := range variants {
		t.row(v, fmt.Sprintf("**%.2f** (%.1f s)", got.ratio(v, "zip -1", "time"), got.median(v, "time")),
			fmt.Sprintf("**%.2f** (%.0f MB)", got.ratio(v, "zip -1", "size"), got.median(v, "size")))
	}
	t.print()
}

// BenchmarkPackedStart is the time from the start of the process to the page's first script, of a large packed game, a
// small one, and the large one as a folder.
func BenchmarkPackedStart(b *testing.B) {
	p, r := newProbe(b), newReporter(b)
	make := func(name string, size int64) string {
		game := r.game(b, `"id": "org.example.`+name+`", "window": {"title": "start"}, "network": {"allowedHosts": ALLOWED, "proxy": {"/probe/": "http://`+p.host()+`"}}`,
			[]string{p.host()}, map[string]string{"index.html": startPage})
		f, err := os.Create(filepath.Join(game, "movie.webm"))
		if err == nil {
			_, err = io.CopyN(f, rand.NewChaCha8([32]byte{2}), size)
		}
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
		return game
	}
	large, small := make("large", int64(*startMB)*1e6), make("small", 1e6)
	commands := map[string][]string{
		"large, a folder": {conchBin, "play", large},
		"large, packed":   {filepath.Join(pack(b, large), "e2e")},
		"small, packed":   {filepath.Join(pack(b, small), "e2e")},
	}
	variants := []string{"large, a folder", "large, packed", "small, packed"}
	homes, got := map[string]home{}, series{}
	for _, v := range variants {
		homes[v] = newHome(b)
	}
	note := rounds(b, variants, func(variant string, measured bool) {
		_, script := p.measure(b, homes[variant], commands[variant])
		if measured {
			got.add(variant, "script", script)
		}
	})
	t := ratioTable{title: "Start of a packed game", note: fmt.Sprintf("Time from the start of the process to the first script, with a known profile. "+
		"The large game has %d MB, the small one 1 MB. %s", *startMB, note)}
	t.row("game", "first script", "should be", "")
	bounds := map[string]budget{"large, packed": {most: 1.1}}
	for _, v := range variants {
		ratio := got.ratio(v, "large, a folder", "script")
		t.row(append([]string{v, fmt.Sprintf("**%.2f** (%.0f ms)", ratio, got.median(v, "script"))}, bounds[v].cells(ratio)...)...)
	}
	t.print()
}
