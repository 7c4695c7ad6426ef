package runtime

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/andybalholm/brotli"
)

const (
	maxDecodedKept = 32 << 20 // bytes of one decoded file held in memory while it is sent the first time
	maxDecodings   = 2        // first sendings that hold memory at once
	maxDecodedSize = 8 << 30
	maxSizes       = 4096
)

// accepts reports whether an Accept-Encoding header lists the coding with a weight above zero (RFC 9110 section
// 12.5.3).
func accepts(lines []string, coding string) bool {
	star := false
	for _, line := range lines {
		for item := range strings.SplitSeq(line, ",") {
			name, params, _ := strings.Cut(item, ";")
			name = strings.ToLower(strings.TrimSpace(name))
			if name != coding && name != "*" && (coding != "gzip" || name != "x-gzip") {
				continue
			}
			ok := weight(params) > 0
			if name != "*" {
				return ok
			}
			star = ok
		}
	}
	return star
}

func weight(params string) float64 {
	for p := range strings.SplitSeq(params, ";") {
		key, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if strings.EqualFold(key, "q") {
			q, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return 0
			}
			return q
		}
	}
	return 1
}

// startsGzip looks at the first two bytes and leaves the position at the start.
func startsGzip(src io.ReadSeeker) bool {
	var magic [2]byte
	_, err := io.ReadFull(src, magic[:])
	_, seekErr := src.Seek(0, io.SeekStart)
	return err == nil && seekErr == nil && magic == [2]byte{0x1f, 0x8b}
}

// decodedSizes remembers how long files are when decoded; finding out costs a whole pass.
type decodedSizes struct {
	mu    sync.Mutex
	known map[string]int64 // by ETag
	busy  atomic.Int32     // decodings that hold memory
	keep  int              // bytes of one file held in memory; default maxDecodedKept
}

func (d *decodedSizes) get(tag string) (int64, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	size, ok := d.known[tag]
	return size, ok
}

func (d *decodedSizes) set(tag string, size int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known == nil || len(d.known) >= maxSizes {
		d.known = map[string]int64{}
	}
	d.known[tag] = size
}

// decode gives the content of a compressed file, seekable and with its length. The first time the file is decoded to
// learn the length, and what fits in maxDecodedKept is kept for this one sending. The caller must call release.
func (s *Server) decode(ctx context.Context, f *file, coding string) (*decoded, error) {
	d := &decoded{src: f.File.(io.ReadSeeker), coding: coding, ctx: ctx}
	tag := s.tag(f, "plain")
	if size, ok := s.sizes.get(tag); ok {
		d.size = size
		return d, nil
	}
	keep := 0
	if s.sizes.busy.Add(1) <= maxDecodings {
		keep = cmp.Or(s.sizes.keep, maxDecodedKept)
	}
	d.freed = func() { s.sizes.busy.Add(-1) }
	if err := d.measure(keep); err != nil {
		d.release()
		return nil, fmt.Errorf("decode %s: %w", coding, err)
	}
	s.sizes.set(tag, d.size)
	return d, nil
}

// decoded is the content of a compressed file as an io.ReadSeeker. Seeking back starts the decoder again, so a range
// costs the decoding of everything before it.
type decoded struct {
	src    io.ReadSeeker
	coding string
	ctx    context.Context // of the request that the content is for
	size   int64
	kept   []byte // the whole content when it was small enough, else nil
	freed  func()

	pos int64     // where the next Read is to be
	at  int64     // where the decoder is
	r   io.Reader // nil: not started
}

func (d *decoded) release() {
	if d.freed != nil {
		d.freed()
		d.freed = nil
	}
}

func (d *decoded) start() error {
	if _, err := d.src.Seek(0, io.SeekStart); err != nil {
		return err
	}
	d.at = 0
	src := bufio.NewReaderSize(d.src, 64<<10)
	switch d.coding {
	case "gzip":
		r, err := gzip.NewReader(src)
		if err != nil {
			return err
		}
		d.r = r
	case "br":
		d.r = brotli.NewReader(src)
	default:
		return fmt.Errorf("unknown coding %q", d.coding)
	}
	return nil
}

func (d *decoded) measure(keep int) error {
	if err := d.start(); err != nil {
		return err
	}
	var buf bytes.Buffer
	head, err := io.Copy(&buf, io.LimitReader(withContext{d.ctx, d.r}, int64(keep)))
	if err != nil {
		return err
	}
	rest, err := io.Copy(io.Discard, io.LimitReader(withContext{d.ctx, d.r}, maxDecodedSize))
	if err != nil {
		return err
	}
	if rest == maxDecodedSize {
		return errors.New("too large")
	}
	d.size, d.r = head+rest, nil
	if rest == 0 {
		d.kept = buf.Bytes()
	}
	return nil
}

func (d *decoded) Seek(offset int64, whence int) (int64, error) {
	pos, err := seekTo(d.pos, d.size, offset, whence)
	if err == nil {
		d.pos = pos
	}
	return pos, err
}

func (d *decoded) Read(p []byte) (int, error) {
	if d.pos >= d.size {
		return 0, io.EOF
	}
	if d.kept != nil {
		n := copy(p, d.kept[d.pos:])
		d.pos += int64(n)
		return n, nil
	}
	if d.r == nil || d.pos < d.at {
		if err := d.start(); err != nil {
			return 0, err
		}
	}
	if skip := d.pos - d.at; skip > 0 {
		n, err := io.CopyN(io.Discard, withContext{d.ctx, d.r}, skip)
		d.at += n
		if err != nil {
			return 0, err
		}
	}
	n, err := d.r.Read(p)
	d.at += int64(n)
	d.pos = d.at
	return n, err
}

// seekTo is the arithmetic of io.Seeker.
func seekTo(pos, size, offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += pos
	case io.SeekEnd:
		offset += size
	}
	if offset < 0 {
		return pos, errors.New("seek: negative position")
	}
	return offset, nil
}

// withContext stops a long read when nobody waits for it any more.
type withContext struct {
	ctx context.Context
	r   io.Reader
}

func (c withContext) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
