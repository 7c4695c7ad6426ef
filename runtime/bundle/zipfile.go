package bundle

import (
	"archive/zip"
	"container/list"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
)

// Bounds of what an open zip keeps in memory, whatever is in it:
//
//   - Stored entries are read in place and cost nothing. Their checksum is not verified, since a range is read alone.
//   - A deflated entry with a block index (see blocks.go) costs one block and a decoder for each open file, wherever it
//     is read. The rest is about entries without one:
//   - A deflated entry read from the start is inflated as it is read, about 75 KB for each open file.
//   - A deflated entry of at most cacheFile bytes that is read from elsewhere is inflated whole; the most recent such
//     entries stay, up to cacheTotal bytes, and one entry at a time is being inflated.
//   - In a larger one a read further on skips forward and a read further back starts again. Up to idleMax streams of
//     closed files stay where they stopped, so that a player that asks for one range after another goes through the
//     entry once instead of once for each range.
const (
	cacheFile  = 8 << 20
	cacheTotal = 32 << 20
	idleMax    = 8
)

// openEntry opens a file of the archive. The result is an io.ReadSeeker, an io.ReaderAt when the entry is stored, and
// is used by one goroutine at a time.
func (z *zipFS) openEntry(e *zipEntry) (fs.File, error) {
	index := readBlockIndex(&e.file.FileHeader)
	if e.file.Method != zip.Store && index == nil {
		return &deflatedFile{zip: z, entry: e, size: int64(e.file.UncompressedSize64)}, nil
	}
	offset, err := e.file.DataOffset()
	if err != nil {
		return nil, fmt.Errorf("zip entry damaged: %w", err)
	}
	size := int64(e.file.CompressedSize64)
	if offset < 0 || size > z.size-offset {
		return nil, errors.New("zip entry damaged: it reaches beyond the end of the archive")
	}
	data := io.NewSectionReader(z.src, offset, size)
	if index != nil {
		return &blockFile{index: index, src: data, info: e.info(), size: int64(e.file.UncompressedSize64), loaded: -1}, nil
	}
	return &storedFile{data, e.info()}, nil
}

type storedFile struct {
	*io.SectionReader
	info fs.FileInfo
}

func (f *storedFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *storedFile) Close() error               { return nil }

// deflatedFile gives a compressed entry a position. Seek only notes where to go; Read goes there.
type deflatedFile struct {
	zip    *zipFS
	entry  *zipEntry
	size   int64
	pos    int64
	whole  []byte  // the inflated entry when it came from the cache
	stream *stream // else a decoder that has read up to stream.pos
	closed bool
}

func (f *deflatedFile) Stat() (fs.FileInfo, error) { return f.entry.info(), nil }

func (f *deflatedFile) Close() error {
	if f.closed {
		return fs.ErrClosed
	}
	f.closed = true
	if f.stream != nil {
		f.zip.idle.park(f.entry, f.stream)
		f.stream = nil
	}
	f.whole = nil
	return nil
}

func (f *deflatedFile) Seek(offset int64, whence int) (int64, error) {
	pos, err := seek(f.pos, f.size, offset, whence)
	if err == nil {
		f.pos = pos
	}
	return pos, err
}

func (f *deflatedFile) Read(p []byte) (int, error) {
	if f.closed {
		return 0, fs.ErrClosed
	}
	if len(p) == 0 {
		return 0, nil
	}
	if f.pos >= f.size {
		return 0, io.EOF
	}
	if err := f.reach(); err != nil {
		return 0, fmt.Errorf("inflate: %w", err)
	}
	if f.whole != nil {
		n := copy(p, f.whole[f.pos:])
		f.pos += int64(n)
		return n, nil
	}
	if rest := f.size - f.pos; int64(len(p)) > rest {
		p = p[:rest]
	}
	n, err := f.stream.Read(p)
	f.pos += int64(n)
	if err == nil && f.pos == f.size {
		err = f.stream.finish()
	}
	if errors.Is(err, io.EOF) {
		err = nil // the next Read says so
		if f.pos < f.size {
			err = io.ErrUnexpectedEOF
		}
	}
	if err != nil {
		return n, fmt.Errorf("inflate: %w", err)
	}
	return n, nil
}

// reach makes whole or stream ready to read at pos.
func (f *deflatedFile) reach() error {
	if f.whole != nil || f.stream != nil && f.stream.pos == f.pos {
		return nil
	}
	if f.pos > 0 && f.size <= cacheFile {
		whole, err := f.zip.cache.get(f.entry)
		if err != nil {
			return err
		}
		f.whole = whole
		f.dropStream()
		return nil
	}
	if f.stream == nil || f.stream.pos > f.pos {
		if f.stream != nil {
			f.zip.idle.park(f.entry, f.stream)
		}
		f.stream = f.zip.idle.take(f.entry, f.pos)
	}
	if f.stream == nil {
		s, err := newStream(f.entry)
		if err != nil {
			return err
		}
		f.stream = s
	}
	if err := f.stream.skipTo(f.pos); err != nil {
		f.dropStream()
		return err
	}
	return nil
}

func (f *deflatedFile) dropStream() {
	if f.stream != nil {
		f.stream.src.Close()
		f.stream = nil
	}
}

// stream is a decoder and how far it has come. It checks the entry's checksum when it reaches the end.
type stream struct {
	src io.ReadCloser
	pos int64
	err error
}

func newStream(e *zipEntry) (*stream, error) {
	src, err := e.file.Open()
	if err != nil {
		return nil, err
	}
	return &stream{src: src}, nil
}

func (s *stream) Read(p []byte) (int, error) {
	n, err := s.src.Read(p)
	s.pos += int64(n)
	if err != nil {
		s.err = err
	}
	return n, err
}

// finish reads past the last byte, which makes the decoder check size and checksum.
func (s *stream) finish() error {
	n, err := s.Read(make([]byte, 1))
	if n == 0 && errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		err = zip.ErrFormat
	}
	return err
}

func (s *stream) skipTo(pos int64) error {
	_, err := io.CopyN(io.Discard, s, pos-s.pos)
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// idleStreams keeps the decoders of closed files for whoever reads on.
type idleStreams struct {
	mu     sync.Mutex
	parked []parked // oldest first, at most idleMax
	closed bool
}

type parked struct {
	entry *zipEntry
	s     *stream
}

func newIdleStreams() *idleStreams { return &idleStreams{} }

// park takes ownership of s. Streams of entries that fit the cache, at their end, or broken are not worth keeping.
func (i *idleStreams) park(e *zipEntry, s *stream) {
	i.mu.Lock()
	defer i.mu.Unlock()
	size := int64(e.file.UncompressedSize64)
	if i.closed || s.err != nil || size <= cacheFile || s.pos >= size {
		s.src.Close()
		return
	}
	i.parked = append(i.parked, parked{e, s})
	if len(i.parked) > idleMax {
		i.parked[0].s.src.Close()
		i.parked = append(i.parked[:0], i.parked[1:]...)
	}
}

// take gives the parked decoder of e that is closest before pos, or nil.
func (i *idleStreams) take(e *zipEntry, pos int64) *stream {
	i.mu.Lock()
	defer i.mu.Unlock()
	best := -1
	for n, p := range i.parked {
		if p.entry == e && p.s.pos <= pos && (best < 0 || p.s.pos > i.parked[best].s.pos) {
			best = n
		}
	}
	if best < 0 {
		return nil
	}
	s := i.parked[best].s
	i.parked = append(i.parked[:best], i.parked[best+1:]...)
	return s
}

func (z *zipFS) closeIdle() {
	z.idle.mu.Lock()
	defer z.idle.mu.Unlock()
	for _, p := range z.idle.parked {
		p.s.src.Close()
	}
	z.idle.parked, z.idle.closed = nil, true
}

// inflated is the least-recently-used cache of whole entries.
type inflated struct {
	mu      sync.Mutex // held while inflating, so that memory is bounded by one entry beyond cacheTotal
	total   int64
	recent  *list.List // of *inflatedEntry, most recent first
	byEntry map[*zipEntry]*list.Element
}

type inflatedEntry struct {
	entry *zipEntry
	data  []byte
}

func newInflated() *inflated {
	return &inflated{recent: list.New(), byEntry: map[*zipEntry]*list.Element{}}
}

// get returns the contents of e, which the caller must not change.
func (c *inflated) get(e *zipEntry) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.byEntry[e]; ok {
		c.recent.MoveToFront(el)
		return el.Value.(*inflatedEntry).data, nil
	}
	s, err := newStream(e)
	if err != nil {
		return nil, err
	}
	defer s.src.Close()
	data := make([]byte, e.file.UncompressedSize64)
	if _, err := io.ReadFull(s, data); err != nil {
		return nil, err
	}
	if err := s.finish(); err != nil {
		return nil, err
	}
	c.byEntry[e] = c.recent.PushFront(&inflatedEntry{e, data})
	c.total += int64(len(data))
	for c.total > cacheTotal {
		oldest := c.recent.Back()
		old := c.recent.Remove(oldest).(*inflatedEntry)
		delete(c.byEntry, old.entry)
		c.total -= int64(len(old.data))
	}
	return data, nil
}
