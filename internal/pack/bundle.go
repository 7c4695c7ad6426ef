package pack

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"conch/runtime/bundle"
)

// stored are the endings of files that deflate cannot make smaller, and of media that players seek in.
var stored = map[string]bool{
	".png": true, ".jpg": true, ".jpeg": true, ".gif": true, ".webp": true, ".avif": true, ".jxl": true, ".ktx2": true, ".basis": true,
	".mp3": true, ".ogg": true, ".oga": true, ".opus": true, ".m4a": true, ".aac": true, ".flac": true, ".weba": true,
	".mp4": true, ".m4v": true, ".webm": true, ".ogv": true, ".mov": true,
	".woff": true, ".woff2": true, ".zip": true, ".gz": true, ".br": true, ".zst": true, ".7z": true, ".xz": true, ".unityweb": true,
}

// tally is what writeBundle did.
type tally struct {
	Files  int
	Plain  int64 // bytes of all files
	Packed int64 // bytes they take
}

// writeBundle writes the game as a zip: names sorted, one fixed time, nothing in it but the names and the contents, so
// that the same game gives the same bytes on every system. Files are compressed on all processors.
func writeBundle(ctx context.Context, out io.Writer, b *bundle.Bundle, progress func(done, total int64)) (tally, error) {
	items, _, err := b.Contents()
	if err != nil {
		return tally{}, err
	}
	signature, err := b.SignatureFile()
	if err == nil {
		err = b.CheckArchive(ctx)
	}
	if err != nil {
		return tally{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	w := &zipWriter{fsys: b.FS, zip: nil, progress: progress}
	for _, it := range items {
		w.total += it.Size
	}
	buffered := bufio.NewWriterSize(out, 1<<20)
	w.zip = zip.NewWriter(buffered)
	f := newFeeder(ctx, b.FS)
	go f.run(items, signature)
	for j := range f.ordered {
		if err == nil {
			err = w.take(ctx, j)
		}
		if err != nil {
			cancel()
			j.wait() // the workers end before writeBundle does
		}
	}
	cancel()
	f.workers.Wait()
	if err = cmpErr(err, f.err); err != nil {
		return tally{}, err
	}
	if err := w.zip.Close(); err != nil {
		return tally{}, err
	}
	return w.tally, buffered.Flush()
}

// cmpErr prefers the error that is not the consequence of the other.
func cmpErr(a, b error) error {
	if a == nil || errors.Is(a, context.Canceled) && b != nil {
		return b
	}
	return a
}

// job is a piece of a file on its way through a worker.
type job struct {
	name        string
	size        int64 // of the whole file
	first, last bool  // piece of the file
	blockSize   int64 // 0: the file has one piece
	store       bool  // the file is stored: the worker makes its checksum, the writer copies it
	plain       []byte
	packed      bytes.Buffer
	crc         uint32 // of plain, or of the whole file when it is stored
	err         error
	done        chan struct{}
}

func (j *job) wait() { <-j.done }

// feeder reads the files in order and hands their pieces to the workers. ordered gives the pieces in the order of the
// files; it holds as many as keep the workers busy.
type feeder struct {
	ctx     context.Context
	fsys    fs.FS
	jobs    chan *job
	ordered chan *job
	workers sync.WaitGroup
	err     error // set before ordered is closed
}

func newFeeder(ctx context.Context, fsys fs.FS) *feeder {
	n := runtime.GOMAXPROCS(0)
	f := &feeder{ctx: ctx, fsys: fsys, jobs: make(chan *job), ordered: make(chan *job, 2*n)}
	for range n {
		f.workers.Go(func() {
			c := newCompressor()
			for j := range f.jobs {
				f.work(c, j)
				close(j.done)
			}
		})
	}
	return f
}

func (f *feeder) run(items []bundle.Item, signature []byte) {
	defer close(f.ordered)
	defer close(f.jobs)
	const signatureName = "conch.sig"
	if signature != nil {
		items = append(slices.Clone(items), bundle.Item{Name: signatureName, Size: int64(len(signature))})
		slices.SortFunc(items, func(a, b bundle.Item) int { return strings.Compare(a.Name, b.Name) })
	}
	for _, it := range items {
		var err error
		if signature != nil && it.Name == signatureName {
			err = f.send(&job{name: it.Name, size: it.Size, first: true, last: true, plain: signature})
		} else {
			err = f.file(it)
		}
		if err != nil {
			f.err = fmt.Errorf("%s: %w", it.Name, err)
			return
		}
	}
}

// send passes a piece on, first to the writer's queue so that the order holds.
func (f *feeder) send(j *job) error {
	j.done = make(chan struct{})
	select {
	case f.ordered <- j:
	case <-f.ctx.Done():
		return f.ctx.Err()
	}
	select {
	case f.jobs <- j:
		return nil
	case <-f.ctx.Done():
		j.err = f.ctx.Err()
		close(j.done)
		return j.err
	}
}

var errChanged = errors.New("changed while it was packed")

func (f *feeder) file(it bundle.Item) error {
	if stored[strings.ToLower(path.Ext(it.Name))] {
		return f.send(&job{name: it.Name, size: it.Size, first: true, last: true, store: true})
	}
	src, err := f.fsys.Open(it.Name)
	if err != nil {
		return err
	}
	defer src.Close()
	block := bundle.BlockSizeFor(it.Size)
	if it.Size <= bundle.BlockSize {
		plain := make([]byte, it.Size)
		if err := readExactly(src, plain); err != nil {
			return err
		}
		if err := ends(src); err != nil {
			return err
		}
		return f.send(&job{name: it.Name, size: it.Size, first: true, last: true, plain: plain})
	}
	seeker, ok := src.(io.ReadSeeker)
	if block == 0 || !ok {
		return f.send(&job{name: it.Name, size: it.Size, first: true, last: true, store: true})
	}
	shrinks, err := sample(seeker, it.Size)
	if err != nil {
		return err
	}
	if !shrinks {
		return f.send(&job{name: it.Name, size: it.Size, first: true, last: true, store: true})
	}
	for at := int64(0); at < it.Size; at += block {
		plain := make([]byte, min(block, it.Size-at))
		if err := readExactly(src, plain); err != nil {
			return err
		}
		last := at+block >= it.Size
		if last {
			if err := ends(src); err != nil {
				return err
			}
		}
		if err := f.send(&job{name: it.Name, size: it.Size, first: at == 0, last: last, blockSize: block, plain: plain}); err != nil {
			return err
		}
	}
	return nil
}

func readExactly(r io.Reader, b []byte) error {
	_, err := io.ReadFull(r, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errChanged
	}
	return err
}

// ends makes sure that a file is not longer than it was.
func ends(r io.Reader) error {
	n, err := r.Read(make([]byte, 1))
	if n > 0 {
		return errChanged
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// sample tries three pieces of a large file: does it shrink?
func sample(r io.ReadSeeker, size int64) (bool, error) {
	const piece = 64 << 10
	c, packed := newCompressor(), bytes.Buffer{}
	plain := make([]byte, piece)
	for _, at := range []int64{0, size / 2, size - piece} {
		if _, err := r.Seek(at, io.SeekStart); err != nil {
			return false, err
		}
		if err := readExactly(r, plain); err != nil {
			return false, err
		}
		if err := c.block(&packed, plain, true); err != nil {
			return false, err
		}
	}
	_, err := r.Seek(0, io.SeekStart)
	return worthwhile(int64(packed.Len()), 3*piece), err
}

func (f *feeder) work(c *compressor, j *job) {
	if j.store {
		j.crc, j.err = f.checksum(j)
		return
	}
	j.crc = crc32.ChecksumIEEE(j.plain)
	if j.blockSize == 0 && len(j.plain) == 0 {
		return
	}
	j.err = c.block(&j.packed, j.plain, j.last)
}

// checksum reads a file that will be stored: its CRC stands in front of it.
func (f *feeder) checksum(j *job) (uint32, error) {
	src, err := f.fsys.Open(j.name)
	if err != nil {
		return 0, err
	}
	defer src.Close()
	h := crc32.NewIEEE()
	n, err := io.Copy(h, contextReader{f.ctx, src})
	if err == nil && n != j.size {
		err = errChanged
	}
	return h.Sum32(), err
}

type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// zipWriter puts the pieces into the archive.
type zipWriter struct {
	tally
	fsys     fs.FS
	zip      *zip.Writer
	progress func(done, total int64)
	total    int64

	header *zip.FileHeader // of the file being written
	out    io.Writer
	crc    uint32
	blocks []bundle.Block
}

func (w *zipWriter) take(ctx context.Context, j *job) error {
	j.wait()
	if j.err != nil {
		return fmt.Errorf("%s: %w", j.name, j.err)
	}
	var err error
	switch {
	case j.store:
		err = w.storeFile(ctx, j)
	case j.blockSize == 0:
		err = w.small(j)
	default:
		err = w.block(j)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", j.name, err)
	}
	if j.last {
		w.Files++
		w.Packed += int64(w.header.CompressedSize64)
	}
	return nil
}

func (w *zipWriter) did(n int64) {
	w.Plain += n
	if w.progress != nil {
		w.progress(w.Plain, w.total)
	}
}

// newHeader has the parts that are the same for every file: rights 0644 as on Unix, and the first time a zip can hold.
func newHeader(name string, method uint16) *zip.FileHeader {
	h := &zip.FileHeader{Name: name, Method: method, ReaderVersion: 20}
	h.SetMode(0o644)
	h.CreatorVersion |= 20
	const firstDay = 1<<5 | 1 // 1 January 1980
	//lint:ignore SA1019 CreateRaw takes the time from here and adds no field for it
	h.ModifiedDate = firstDay
	if strings.ContainsFunc(name, func(r rune) bool { return r >= 0x80 }) {
		h.Flags |= 0x800 // the name is UTF-8
	}
	return h
}

func (w *zipWriter) setSizes(packed, plain int64) {
	h := w.header
	h.CompressedSize64, h.UncompressedSize64 = uint64(packed), uint64(plain)
	const most = 1<<32 - 1
	//lint:ignore SA1019 package zip writes them behind the data
	h.CompressedSize, h.UncompressedSize = uint32(min(h.CompressedSize64, most)), uint32(min(h.UncompressedSize64, most))
}

func (w *zipWriter) small(j *job) error {
	data, method := j.packed.Bytes(), zip.Deflate
	if !worthwhile(int64(len(data)), j.size) {
		data, method = j.plain, zip.Store
	}
	w.header = newHeader(j.name, method)
	w.header.CRC32, w.header.CompressedSize64, w.header.UncompressedSize64 = j.crc, uint64(len(data)), uint64(j.size)
	out, err := w.zip.CreateRaw(w.header)
	if err == nil {
		_, err = out.Write(data)
	}
	w.did(j.size)
	return err
}

// createStored begins a stored entry with size and checksum in front of it. Sizes beyond 32 bits need a field of their
// own there; package zip writes the one at the end of the archive by itself.
func createStored(z *zip.Writer, h *zip.FileHeader, size int64, crc uint32) (io.Writer, error) {
	h.CRC32, h.CompressedSize64, h.UncompressedSize64 = crc, uint64(size), uint64(size)
	if size >= 1<<32-1 {
		const zip64 = 1
		h.Extra = []byte{zip64, 0, 16, 0}
		h.Extra = binary.LittleEndian.AppendUint64(h.Extra, uint64(size))
		h.Extra = binary.LittleEndian.AppendUint64(h.Extra, uint64(size))
	}
	out, err := z.CreateRaw(h)
	h.Extra = nil
	return out, err
}

func (w *zipWriter) storeFile(ctx context.Context, j *job) error {
	w.header = newHeader(j.name, zip.Store)
	out, err := createStored(w.zip, w.header, j.size, j.crc)
	if err != nil {
		return err
	}
	src, err := w.fsys.Open(j.name)
	if err != nil {
		return err
	}
	defer src.Close()
	h, buf := crc32.NewIEEE(), make([]byte, 1<<20)
	for left := j.size; left > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := buf[:min(left, int64(len(buf)))]
		if err := readExactly(src, part); err != nil {
			return err
		}
		h.Write(part)
		if _, err := out.Write(part); err != nil {
			return err
		}
		left -= int64(len(part))
		w.did(int64(len(part)))
	}
	if h.Sum32() != j.crc {
		return errChanged
	}
	return nil
}

// block writes one block of a large file. Its sizes and checksum follow the data, as in any zip that was written in
// one go; the index of the blocks goes into the central directory.
func (w *zipWriter) block(j *job) error {
	if j.first {
		w.header = newHeader(j.name, zip.Deflate)
		w.header.Flags |= 8
		w.crc, w.blocks = 0, nil
		var err error
		if w.out, err = w.zip.CreateRaw(w.header); err != nil {
			return err
		}
	}
	if _, err := w.out.Write(j.packed.Bytes()); err != nil {
		return err
	}
	w.crc = crc32.Update(w.crc, crc32.IEEETable, j.plain)
	w.blocks = append(w.blocks, bundle.Block{Compressed: uint32(j.packed.Len()), CRC32: j.crc})
	w.did(int64(len(j.plain)))
	if j.last {
		packed := int64(0)
		for _, b := range w.blocks {
			packed += int64(b.Compressed)
		}
		w.setSizes(packed, j.size)
		w.header.CRC32 = w.crc
		w.header.Extra = bundle.BlockIndex(j.blockSize, w.blocks)
	}
	return nil
}
