package bundle

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math/rand/v2"
	"path"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// Case B16: what a zip may not hold, and what its author is told.
// TestOverlap: a few MB whose every file is the same bytes are not copied; they may be played.
func TestOverlap(t *testing.T) {
	data := zipBytes(t, deflated("index.html", plainPage), stored("a.bin", "the same bytes"), stored("b.bin", "the same bytes"))
	if err := open(t, diskFile(t, "game.zip", data), Options{}).CheckArchive(t.Context()); err != nil {
		t.Error(err)
	}
	const offset = 42 // in the directory's entry: where the file begins
	entry := func(name string) []byte { return data[bytes.LastIndex(data, []byte(name))-46:] }
	copy(entry("b.bin")[offset:], entry("a.bin")[offset:offset+4])
	err := open(t, diskFile(t, "game.zip", data), Options{}).CheckArchive(t.Context())
	wantError(t, err, "b", "another file's too")
}

func TestZipRefuses(t *testing.T) {
	page := deflated("index.html", plainPage)
	link := stored("link", "/etc/passwd")
	link.SetMode(fs.ModeSymlink | 0o777)
	pipe := stored("pipe", "")
	pipe.SetMode(fs.ModeNamedPipe | 0o644)
	tests := []struct {
		name    string
		entries []entry
		want    string
	}{
		{"zip-slip", []entry{page, deflated("../evil.js", "x")}, ".."},
		{"zip-slip inside", []entry{page, deflated("a/../../evil.js", "x")}, ".."},
		{"dots that stay inside", []entry{page, deflated("a/../evil.js", "x")}, ".."},
		{"absolute", []entry{page, deflated("/etc/passwd", "x")}, "absolute"},
		{"network path", []entry{page, deflated("//host/share", "x")}, "absolute"},
		{"drive letter", []entry{page, deflated("C:/x.js", "x")}, "drive letter"},
		{"drive letter without slash", []entry{page, deflated("c:x.js", "x")}, "drive letter"},
		{"some backslashes", []entry{page, deflated("a/b.js", "x"), deflated(`a\c.js`, "x")}, "backslash"},
		{"only backslashes, zip-slip", []entry{page, deflated(`..\evil.js`, "x")}, ".."},
		{"only backslashes, absolute", []entry{page, deflated(`\evil.js`, "x")}, "absolute"},
		{"only backslashes, drive", []entry{page, deflated(`C:\evil.js`, "x")}, "drive letter"},
		{"only backslashes, network", []entry{page, deflated(`\\host\share`, "x")}, "absolute"},
		{"NUL", []entry{page, deflated("a\x00b.js", "x")}, "NUL"},
		{"empty part", []entry{page, deflated("a//b.js", "x")}, "plain relative name"},
		{"dot part", []entry{page, deflated("a/./b.js", "x")}, "plain relative name"},
		{"empty name", []entry{page, deflated("", "x")}, "plain relative name"},
		{"symbolic link", []entry{page, link}, "symbolic link"},
		{"pipe", []entry{page, pipe}, "regular file"},
		{"twice", []entry{page, deflated("a.js", "1"), deflated("a.js", "2")}, "twice"},
		{"twice by ./", []entry{page, deflated("a.js", "1"), deflated("./a.js", "2")}, "twice"},
		{"file and folder", []entry{page, deflated("a", "1"), deflated("a/b", "2")}, "file and a folder"},
		{"folder and file", []entry{page, deflated("a/b", "2"), deflated("a", "1")}, "twice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := zipFile(t, tt.entries...)
			b, err := Open(path, Options{})
			if err == nil {
				b.Close()
			}
			wantError(t, err, tt.want, path)
		})
	}
}

// raw writes one entry with a header that zip.Writer would not make by itself.
func raw(t testing.TB, h zip.FileHeader, data []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	page, err := w.Create("index.html")
	if err == nil {
		_, err = io.WriteString(page, plainPage)
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := w.CreateRaw(&h)
	if err == nil {
		_, err = f.Write(data)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestZipRefusesHeaders(t *testing.T) {
	tests := []struct {
		name string
		h    zip.FileHeader
		want string
	}{
		{"encrypted", zip.FileHeader{Name: "x", Flags: 1, Method: zip.Deflate}, "password"},
		{"strongly encrypted", zip.FileHeader{Name: "x", Flags: 0x41}, "password"},
		{"masked", zip.FileHeader{Name: "x", Flags: 0x2000}, "password"},
		{"Deflate64", zip.FileHeader{Name: "x", Method: 9}, "Deflate64"},
		{"LZMA", zip.FileHeader{Name: "x", Method: 14}, "LZMA"},
		{"Zstandard", zip.FileHeader{Name: "x", Method: 93}, "Zstandard"},
		{"unknown", zip.FileHeader{Name: "x", Method: 77}, "method 77"},
		{"two sizes", zip.FileHeader{Name: "x", Method: zip.Store, CompressedSize64: 1, UncompressedSize64: 2}, "damaged"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Open(diskFile(t, "game.zip", raw(t, tt.h, []byte("x"))), Options{})
			wantError(t, err, tt.want, `"x"`)
		})
	}
	data := zipBytes(t, deflated("index.html", plainPage))
	_, err := Open(diskFile(t, "cut.zip", data[:len(data)-30]), Options{})
	wantError(t, err, "download or make it again")
}

func TestZipNames(t *testing.T) {
	t.Run("Windows zip with backslashes only", func(t *testing.T) {
		b := open(t, zipFile(t, stored(`Game\`, ""), deflated(`Game\index.html`, plainPage), deflated(`Game\img\a.png`, "a"), stored(`Game\empty\`, "")), Options{})
		if got := read(t, b.FS, "img/a.png"); got != "a" {
			t.Errorf("img/a.png: %q", got)
		}
		if info, err := fs.Stat(b.FS, "empty"); err != nil || !info.IsDir() {
			t.Errorf("empty folder: %v, %v", info, err)
		}
	})
	t.Run("leading ./", func(t *testing.T) {
		b := open(t, zipFile(t, stored("./", ""), deflated("./index.html", plainPage), deflated("./a/b.js", "b")), Options{})
		if got := read(t, b.FS, "a/b.js"); got != "b" {
			t.Errorf("a/b.js: %q", got)
		}
	})
	t.Run("code page 437", func(t *testing.T) {
		h := zip.FileHeader{Name: "T\x81r.png", NonUTF8: true, Method: zip.Store}
		b := open(t, zipFile(t, deflated("index.html", plainPage), entry{h, "tür"}), Options{})
		if got := read(t, b.FS, "Tür.png"); got != "tür" {
			t.Errorf("Tür.png: %q", got)
		}
		if p := b.Inspect().Problems; len(p) != 1 || !strings.Contains(p[0].Text, "not UTF-8") {
			t.Errorf("problems %+v", p)
		}
	})
	t.Run("Unicode path field", func(t *testing.T) {
		old := "\x83\x51\x81\x5b\x83\x80.png" // Shift-JIS
		field := binary.LittleEndian.AppendUint32([]byte{1}, crc32.ChecksumIEEE([]byte(old)))
		field = append(field, "ゲーム.png"...)
		extra := binary.LittleEndian.AppendUint16([]byte{0x75, 0x70}, uint16(len(field)))
		h := zip.FileHeader{Name: old, NonUTF8: true, Method: zip.Store, Extra: append(extra, field...)}
		b := open(t, zipFile(t, deflated("index.html", plainPage), entry{h, "g"}), Options{})
		if got := read(t, b.FS, "ゲーム.png"); got != "g" {
			t.Errorf("ゲーム.png: %q", got)
		}
	})
	t.Run("macOS resource forks are no files", func(t *testing.T) {
		b := open(t, zipFile(t, deflated("Game/index.html", plainPage), deflated("__MACOSX/._Game", "x"), deflated("__MACOSX/Game/._index.html", "x")), Options{})
		if n := b.Inspect().Files; n != 1 {
			t.Errorf("%d files, want 1", n)
		}
	})
}

// Case B13: ranges of stored and of compressed entries, small and beyond the cache.
func TestZipSeek(t *testing.T) {
	random := rand.NewChaCha8([32]byte{1})
	for _, size := range []int{0, 1, 100_000, cacheFile + 12345} {
		content := make([]byte, size)
		random.Read(content[:size/2]) // the other half compresses well
		for _, method := range []uint16{zip.Store, zip.Deflate} {
			t.Run(fmt.Sprintf("%d by method %d", size, method), func(t *testing.T) {
				e := entry{zip.FileHeader{Name: "a.ogg", Method: method}, string(content)}
				b := open(t, zipFile(t, deflated("index.html", plainPage), e), Options{})
				f, err := b.FS.Open("a.ogg")
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				s := f.(io.ReadSeeker)
				if n, err := s.Seek(0, io.SeekEnd); err != nil || n != int64(size) {
					t.Fatalf("Seek to the end: %d, %v", n, err)
				}
				if n, err := s.Read(make([]byte, 1)); n != 0 || err != io.EOF {
					t.Errorf("Read at the end: %d, %v", n, err)
				}
				if _, err := s.Seek(-1, io.SeekStart); err == nil {
					t.Error("Seek before the start succeeded")
				}
				r := rand.New(rand.NewPCG(1, uint64(size)))
				for range 12 {
					from := r.IntN(size + 1)
					n := min(r.IntN(10_000), size-from)
					if _, err := s.Seek(int64(from), io.SeekStart); err != nil {
						t.Fatal(err)
					}
					got := make([]byte, n)
					if _, err := io.ReadFull(s, got); err != nil {
						t.Fatalf("%d bytes at %d: %v", n, from, err)
					}
					if !bytes.Equal(got, content[from:from+n]) {
						t.Fatalf("%d bytes at %d differ", n, from)
					}
				}
				if _, err := s.Seek(0, io.SeekStart); err != nil {
					t.Fatal(err)
				}
				all, err := io.ReadAll(s)
				if err != nil || !bytes.Equal(all, content) {
					t.Errorf("whole file: %d bytes, %v", len(all), err)
				}
			})
		}
	}
}

// counter counts the bytes that are read of an archive.
type counter struct {
	src io.ReaderAt
	mu  sync.Mutex
	n   int64
}

func (c *counter) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.src.ReadAt(p, off)
	c.mu.Lock()
	c.n += int64(n)
	c.mu.Unlock()
	return n, err
}

// A media player asks for a large song range by range, each on a file of its own: the archive is gone through about
// once, not once for each range.
func TestZipRangesAreNotQuadratic(t *testing.T) {
	content := make([]byte, cacheFile+1<<20)
	rand.NewChaCha8([32]byte{2}).Read(content)
	data := zipBytes(t, deflated("song.ogg", string(content)))
	c := &counter{src: bytes.NewReader(data)}
	z, err := openZip(c, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	defer z.closeIdle()
	const step = 128 << 10
	for from := 0; from < len(content); from += step {
		f, err := z.Open("song.ogg")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.(io.Seeker).Seek(int64(from), io.SeekStart); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, step)
		if _, err := io.ReadFull(f, got); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, content[from:from+step]) {
			t.Fatalf("range at %d differs", from)
		}
		f.Close()
	}
	if limit := int64(len(data)) * 5 / 4; c.n > limit {
		t.Errorf("%d bytes read of an archive of %d", c.n, len(data))
	}
}

func TestZipCacheIsBounded(t *testing.T) {
	var entries []entry
	for i := range 6 {
		entries = append(entries, deflated(fmt.Sprintf("%d.bin", i), strings.Repeat(string(rune('a'+i)), cacheFile)))
	}
	data := zipBytes(t, entries...)
	z, err := openZip(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			f, err := z.Open(fmt.Sprintf("%d.bin", i))
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			got := make([]byte, 3)
			_, err = f.(io.Seeker).Seek(100, io.SeekStart)
			if err == nil {
				_, err = io.ReadFull(f, got)
			}
			if want := strings.Repeat(string(rune('a'+i)), 3); err != nil || string(got) != want {
				t.Errorf("%d.bin: %q, %v", i, got, err)
			}
		})
	}
	wg.Wait()
	if z.cache.total > cacheTotal || z.cache.recent.Len() != len(z.cache.byEntry) {
		t.Errorf("cache holds %d bytes in %d entries", z.cache.total, z.cache.recent.Len())
	}
	for range 3 * idleMax {
		e := z.files["0.bin"]
		s, err := newStream(e)
		if err != nil {
			t.Fatal(err)
		}
		big := *e.file
		big.UncompressedSize64 = cacheFile + 1
		z.idle.park(&zipEntry{name: "big", file: &big}, s)
	}
	if n := len(z.idle.parked); n != idleMax {
		t.Errorf("%d idle streams, want %d", n, idleMax)
	}
	z.closeIdle()
}

// A damaged entry is an error, never wrong bytes with a good end.
func TestZipDamage(t *testing.T) {
	data := zipBytes(t, deflated("index.html", plainPage), deflated("a.js", strings.Repeat("hello ", 1000)))
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	at, err := r.File[1].DataOffset()
	if err != nil {
		t.Fatal(err)
	}
	data[at+3] ^= 0xff
	b := open(t, diskFile(t, "game.zip", data), Options{})
	if _, err := fs.ReadFile(b.FS, "a.js"); err == nil {
		t.Error("a damaged entry was read to its end")
	}
	f, err := b.FS.Open("a.js")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.(io.Seeker).Seek(5000, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(f); err == nil {
		t.Error("a damaged entry was read from the cache")
	}
	claims := zip.FileHeader{Name: "x", Method: zip.Store, CompressedSize64: 1 << 40, UncompressedSize64: 1 << 40}
	b = open(t, diskFile(t, "game.zip", raw(t, claims, []byte("x"))), Options{})
	if _, err := b.FS.Open("x"); err == nil {
		t.Error("an entry that reaches beyond the archive was opened")
	}
}

// sparse is an archive of which long runs of zeros are not kept.
type sparse struct {
	parts map[int64][]byte
	size  int64
}

var zeros = make([]byte, 1<<20)

func (s *sparse) Write(p []byte) (int, error) {
	if len(p) != len(zeros) || &p[0] != &zeros[0] {
		s.parts[s.size] = bytes.Clone(p)
	}
	s.size += int64(len(p))
	return len(p), nil
}

func (s *sparse) ReadAt(p []byte, off int64) (int, error) {
	clear(p)
	for at, part := range s.parts {
		from, to := max(at, off), min(at+int64(len(part)), off+int64(len(p)))
		if from < to {
			copy(p[from-off:to-off], part[from-at:])
		}
	}
	if off+int64(len(p)) > s.size {
		return int(max(0, s.size-off)), io.EOF
	}
	return len(p), nil
}

func TestZip64(t *testing.T) {
	t.Run("a file of 5 GiB", func(t *testing.T) {
		s := &sparse{parts: map[int64][]byte{}}
		w := zip.NewWriter(s)
		const size = 5<<30 + 5
		big, err := w.CreateRaw(&zip.FileHeader{Name: "big.data", Method: zip.Store, CompressedSize64: size, UncompressedSize64: size})
		if err != nil {
			t.Fatal(err)
		}
		w.Flush()
		for range size / len(zeros) {
			if _, err := big.Write(zeros); err != nil {
				t.Fatal(err)
			}
			w.Flush()
		}
		io.WriteString(big, "tail!")
		page, err := w.Create("index.html")
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(page, plainPage)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		z, err := openZip(s, s.size)
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, z, "index.html"); got != plainPage {
			t.Errorf("index.html: %q", got)
		}
		f, err := z.Open("big.data")
		if err != nil {
			t.Fatal(err)
		}
		if n, err := f.(io.Seeker).Seek(-5, io.SeekEnd); err != nil || n != size-5 {
			t.Fatalf("seek: %d, %v", n, err)
		}
		if tail, err := io.ReadAll(f); err != nil || string(tail) != "tail!" {
			t.Errorf("tail %q, %v", tail, err)
		}
	})
	t.Run("70 000 entries", func(t *testing.T) {
		var buf bytes.Buffer
		w := zip.NewWriter(&buf)
		for i := range 70_000 {
			if _, err := w.CreateRaw(&zip.FileHeader{Name: fmt.Sprintf("d%d/%d", i%100, i), Method: zip.Store}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		z, err := openZip(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if entries, err := z.ReadDir("d7"); err != nil || len(entries) != 700 {
			t.Errorf("%d entries, %v", len(entries), err)
		}
	})
}

func FuzzOpenZip(f *testing.F) {
	f.Add(zipBytes(f, deflated("index.html", plainPage), stored("a/b.js", "1")))
	f.Add(zipBytes(f, deflated(`a\index.html`, plainPage)))
	f.Add(zipBytes(f, deflated("../x", "")))
	f.Add(raw(f, zip.FileHeader{Name: "x", Method: zip.Store, CompressedSize64: 1 << 40, UncompressedSize64: 1 << 40}, []byte("x")))
	f.Fuzz(func(t *testing.T, data []byte) {
		z, err := openZip(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		defer z.closeIdle()
		for name, e := range z.files {
			if !fs.ValidPath(name) || strings.Contains(name, `\`) || len(name) > 1 && name[1] == ':' {
				t.Fatalf("unsafe name %q", name)
			}
			if parent, ok := z.files[path.Dir(name)]; !ok || !parent.dir {
				t.Fatalf("%q has no folder", name)
			}
			if e.dir {
				continue
			}
			file, err := z.Open(name)
			if err != nil {
				continue
			}
			io.Copy(io.Discard, io.LimitReader(file, 1<<20))
			file.(io.Seeker).Seek(3, io.SeekStart)
			file.Read(make([]byte, 10))
			file.Close()
		}
		if len(z.files) < 20 {
			var names []string
			for name, e := range z.files {
				if !e.dir {
					names = append(names, name)
				}
			}
			if readable(z, names) {
				if err := fstest.TestFS(z, names...); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// readable reports whether all contents are sound and small, as fstest wants them.
func readable(z *zipFS, names []string) bool {
	for _, name := range names {
		if z.files[name].info().Size() > 1<<20 {
			return false
		}
		if _, err := fs.ReadFile(z, name); err != nil {
			return false
		}
	}
	return len(names) > 0
}
