package bundle

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"testing"
)

// blocked writes a zip with one deflated file in blocks of 1<<shift bytes, as pack does; change may spoil its index.
func blocked(t testing.TB, shift int, plain []byte, change func(field []byte) []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	var blocks []Block
	for at := 0; at < len(plain); at += 1 << shift {
		part := plain[at:min(at+1<<shift, len(plain))]
		from := packed.Len()
		w, err := flate.NewWriter(&packed, 5)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(part)
		if at+len(part) == len(plain) {
			w.Close()
		} else {
			w.Flush()
		}
		blocks = append(blocks, Block{Compressed: uint32(packed.Len() - from), CRC32: crc32.ChecksumIEEE(part)})
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	h := &zip.FileHeader{Name: "data.bin", Method: zip.Deflate, CRC32: crc32.ChecksumIEEE(plain),
		CompressedSize64: uint64(packed.Len()), UncompressedSize64: uint64(len(plain))}
	w, err := z.CreateRaw(h)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(packed.Bytes())
	h.Extra = BlockIndex(1<<shift, blocks)
	if change != nil {
		h.Extra = change(h.Extra)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func fourLetters(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.IntN(4)) + 'a' // shrinks to a quarter
	}
	return b
}

func blockedFS(t testing.TB, data []byte) *zipFS {
	t.Helper()
	z, err := openZip(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// Any place of a file in blocks reads as in the file itself, and any other program reads the archive as a plain zip.
func TestBlocksRead(t *testing.T) {
	for _, size := range []int{1, 4095, 4096, 4097, 100_000, 1 << 20} {
		plain := fourLetters(size)
		data := blocked(t, 12, plain, nil)
		z := blockedFS(t, data)
		f, err := z.Open("data.bin")
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := f.(*blockFile); !ok {
			t.Fatalf("%d bytes: opened as %T", size, f)
		}
		r := rand.New(rand.NewPCG(3, 4))
		for range 200 {
			at, n := r.IntN(size), r.IntN(9000)
			n = min(n, size-at)
			if _, err := f.(io.Seeker).Seek(int64(at), io.SeekStart); err != nil {
				t.Fatal(err)
			}
			got := make([]byte, n)
			if _, err := io.ReadFull(f, got); err != nil || !bytes.Equal(got, plain[at:at+n]) {
				t.Fatalf("%d bytes at %d of %d: %v", n, at, size, err)
			}
		}
		f.Close()
		if _, err := f.Read(make([]byte, 1)); err == nil {
			t.Error("read after Close")
		}
		std, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		src, err := std.File[0].Open()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(src)
		if err != nil || !bytes.Equal(got, plain) {
			t.Errorf("as a plain zip: %v", err)
		}
	}
}

// An index that does not fit is as if it were not there.
func TestBlocksFallBack(t *testing.T) {
	plain := fourLetters(20_000)
	for name, change := range map[string]func([]byte) []byte{
		"no index":          func([]byte) []byte { return nil },
		"newer version":     func(f []byte) []byte { f[4] = 2; return f },
		"larger blocks":     func(f []byte) []byte { f[5] = 13; return f },
		"tiny blocks":       func(f []byte) []byte { f[5] = 3; return f },
		"huge blocks":       func(f []byte) []byte { f[5] = 60; return f },
		"length changed":    func(f []byte) []byte { f[6]++; return f },
		"length impossible": func(f []byte) []byte { f[9] = 0xff; return f },
		"cut":               func(f []byte) []byte { return f[:10] },
		"one block fewer":   func(f []byte) []byte { f[2] -= 8; return f[:len(f)-8] },
		"cut in an entry":   func(f []byte) []byte { f[2] -= 4; return f[:len(f)-4] },
	} {
		z := blockedFS(t, blocked(t, 12, plain, change))
		f, err := z.Open("data.bin")
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := f.(*deflatedFile); !ok {
			t.Errorf("%s: opened as %T", name, f)
		}
		if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, plain) {
			t.Errorf("%s: %v", name, err)
		}
		f.Close()
	}
}

func TestBlocksDamage(t *testing.T) {
	plain := fourLetters(20_000)
	z := blockedFS(t, blocked(t, 12, plain, func(f []byte) []byte { f[6+8+4]++; return f })) // checksum of the second block
	f, err := z.Open("data.bin")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.ReadFull(f, make([]byte, 4096)); err != nil {
		t.Errorf("first block: %v", err)
	}
	if _, err := f.Read(make([]byte, 1)); !errors.Is(err, zip.ErrChecksum) {
		t.Errorf("second block: %v", err)
	}
	whole := &Bundle{FS: z} // a look at the whole sees what a player would run into
	if err := whole.ReadAll(t.Context(), nil); !errors.Is(err, zip.ErrChecksum) {
		t.Errorf("all of it: %v", err)
	}
	data := blocked(t, 12, plain, nil)
	for i := 60; i < 1200; i += 37 { // in the compressed data
		bad := bytes.Clone(data)
		bad[i] ^= 0xff
		f, err := blockedFS(t, bad).Open("data.bin")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(f); err == nil && !bytes.Equal(got, plain) {
			t.Fatalf("byte %d: other contents without an error", i)
		}
		f.Close()
	}
}

func TestBlockSizeFor(t *testing.T) {
	for _, row := range []struct{ size, want int64 }{
		{1, BlockSize}, {BlockSize * maxBlocks, BlockSize}, {BlockSize*maxBlocks + 1, 2 * BlockSize}, {100 << 30, 1 << 24}, {1 << 40, 0},
	} {
		if got := BlockSizeFor(row.size); got != row.want {
			t.Errorf("%d: got %d, want %d", row.size, got, row.want)
		}
	}
}

func FuzzBlockIndex(f *testing.F) {
	plain := fourLetters(9000)
	var index []byte
	data := blocked(f, 12, plain, func(field []byte) []byte { index = bytes.Clone(field); return field })
	f.Add(index, uint64(len(data)), uint64(9000))
	f.Add([]byte("CH\x02\x00\x01\x0c"), uint64(0), uint64(0))
	f.Fuzz(func(t *testing.T, extra []byte, packed, size uint64) {
		x := readBlockIndex(&zip.FileHeader{Method: zip.Deflate, Extra: extra, CompressedSize64: packed, UncompressedSize64: size})
		if x == nil {
			return
		}
		if int64(len(x.sums)) != (int64(size)+1<<x.shift-1)>>x.shift || uint64(x.offsets[len(x.offsets)-1]) != packed {
			t.Fatalf("index %+v for %d in %d", x, size, packed)
		}
	})
}
