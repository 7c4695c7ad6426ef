package runtime

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkFile sends one file over one kept connection, from a folder and from a zip.
func BenchmarkFile(b *testing.B) {
	for _, size := range []int{4 << 10, 64 << 10, 100 << 20} {
		text := string(make([]byte, size))
		f := files{"game.bin": text}
		b.Run(fmt.Sprintf("folder/%dKiB", size>>10), func(b *testing.B) {
			fetchOften(b, play(b, &Server{Bundle: folder(b, f)}), "/game.bin", size)
		})
		if size <= 64<<10 {
			b.Run(fmt.Sprintf("zip/%dKiB", size>>10), func(b *testing.B) {
				fetchOften(b, play(b, &Server{Bundle: zipped(b, f)}), "/game.bin", size)
			})
		}
	}
}

// BenchmarkDocument sends a single-file export of 20 MB, with the page script put in.
func BenchmarkDocument(b *testing.B) {
	dir := b.TempDir()
	path := filepath.Join(dir, "game.html")
	page := append([]byte("<!doctype html><html><head><title>x</title></head>"), make([]byte, 20<<20)...)
	if err := os.WriteFile(path, page, 0o644); err != nil {
		b.Fatal(err)
	}
	fetchOften(b, play(b, &Server{Bundle: open(b, path)}), "/", len(page)+len(scriptTag))
}

// fetchOften reads without net/http's client, which would cost more than the server.
func fetchOften(b *testing.B, g *player, path string, size int) {
	c, err := net.Dial("tcp", g.launch.host)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	request := []byte("GET " + path + " HTTP/1.1\r\nHost: " + g.launch.host + "\r\nCookie: " + g.cookie + "\r\n\r\n")
	r := bufio.NewReaderSize(c, 256<<10)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Write(request); err != nil {
			b.Fatal(err)
		}
		for {
			line, err := r.ReadSlice('\n')
			if err != nil {
				b.Fatal(err)
			}
			if len(line) == 2 {
				break
			}
		}
		if n, err := io.CopyN(io.Discard, r, int64(size)); err != nil {
			b.Fatal(n, err)
		}
	}
}
