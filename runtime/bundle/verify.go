package bundle

import (
	"archive/zip"
	"compress/flate"
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"sync"
	"sync/atomic"
)

// What is checked when: the signature, the file list and all sizes at Open, in a time that grows with the number of
// files and not with their bytes. The bytes are checked piece by piece (1 MiB) as they are read, and what is handed out
// is the very memory that was checked. A file of at most wholeFile bytes is checked whole when it is first opened, so
// that it is refused whole; of a larger one, the first piece. The last pieces read stay in memory, so that a player that
// asks for one small range after another does not hash a piece again each time.
const (
	wholeFile  = 8 << 20
	pieceCache = 16 << 20
)

// TamperError says that a signed game is not what its author signed.
type TamperError struct {
	Path   string // the game
	File   string // in it, "conch.sig" for the signature itself
	Reason string // "is missing", "was changed" and the like
}

// Error names the file and what to do.
func (e *TamperError) Error() string {
	return fmt.Sprintf("%s: the game was changed after its author signed it: %s %s; get it again, or run conch sign if it is your own",
		e.Path, e.File, e.Reason)
}

// ErrUnsigned is VerifyAll's error for a game without a signature.
var ErrUnsigned = errors.New("not signed")

// readSignature reads and checks a conch.sig at the top and from then on lets only signed bytes through FS.
func (b *Bundle) readSignature(o Options) error {
	if b.Kind == HTML {
		return nil // the other files of its folder are none of its own
	}
	data, err := readFile(b.FS, signatureName, maxSignature)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return b.tampered(signatureName, "cannot be read: "+err.Error())
	}
	sig, err := parseSignature(data)
	if err != nil {
		return b.tampered(signatureName, "is no signature: "+err.Error())
	}
	if !sig.valid() {
		return b.tampered(signatureName, "does not fit: its list of files, its key or its signature was changed")
	}
	if err := b.compare(sig); err != nil {
		return err
	}
	b.sig = sig
	b.FS = newSignedFS(b, sig, o.OnTamper)
	return nil
}

func (b *Bundle) tampered(file, reason string) error {
	return &TamperError{Path: b.Path, File: file, Reason: reason}
}

// compare holds the files that are there against the signed list, by name and size.
func (b *Bundle) compare(sig *signature) error {
	got, strange, err := listFiles(b.FS)
	if err != nil {
		return fmt.Errorf("%s: list files: %w", b.Path, err)
	}
	for _, s := range strange {
		return b.tampered(s.name, s.reason)
	}
	want := sig.files
	for len(got) > 0 || len(want) > 0 {
		switch {
		case len(want) == 0 || len(got) > 0 && got[0].name < want[0].name:
			return b.tampered(got[0].name, "was added")
		case len(got) == 0 || want[0].name < got[0].name:
			return b.tampered(want[0].name, "is missing")
		case got[0].size != want[0].size:
			return b.tampered(got[0].name, fmt.Sprintf("was changed: it has %d bytes instead of %d", got[0].size, want[0].size))
		}
		got, want = got[1:], want[1:]
	}
	return nil
}

// checkID holds the id of the manifest, which is signed as a file, against the one of the signature.
func (b *Bundle) checkID() error {
	if b.sig == nil || b.sig.id == b.Manifest.ID {
		return nil
	}
	return b.tampered(signatureName, fmt.Sprintf("is for the id %q, and the manifest says %q", b.sig.id, b.Manifest.ID))
}

// VerifyAll reads every file of a signed game and checks it. The error joins one *TamperError for each file that is
// not as signed, at most 100, or is ErrUnsigned. progress may be nil; it is called after each MiB with the bytes done.
func (b *Bundle) VerifyAll(ctx context.Context, progress func(done, total int64)) error {
	signed, ok := b.FS.(*signedFS)
	if !ok {
		return fmt.Errorf("%s: %w", b.Path, ErrUnsigned)
	}
	var total, done int64
	for _, f := range b.sig.files {
		total += f.size
	}
	read := func(n int) {
		if done += int64(n); progress != nil {
			progress(done, total)
		}
	}
	var errs []error
	buf := make([]byte, pieceSize)
	for _, f := range b.sig.files {
		pieces, err := digestFile(ctx, signed.inner, f, buf, read)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("%s: check: %w", b.Path, ctx.Err())
		case err != nil:
			errs = append(errs, signed.unreadable(signed.files[f.name], err))
		case !slices.Equal(pieces, f.pieces):
			errs = append(errs, b.tampered(f.name, "was changed"))
		}
		if len(errs) == 100 {
			break
		}
	}
	return errors.Join(errs...)
}

// signedFS lets exactly the signed files through, and only their signed bytes.
type signedFS struct {
	inner    fs.FS
	game     string
	files    map[string]*signedFile
	dirs     map[string]bool
	pieces   *pieces
	onTamper func(*TamperError)
}

type signedFile struct {
	*fileDigest
	opened   atomic.Bool // its first look was good
	reported atomic.Bool
}

func newSignedFS(b *Bundle, sig *signature, onTamper func(*TamperError)) *signedFS {
	s := &signedFS{
		inner: b.FS, game: b.Path, onTamper: onTamper, pieces: newPieces(),
		files: make(map[string]*signedFile, len(sig.files)), dirs: map[string]bool{".": true},
	}
	for i := range sig.files {
		f := &sig.files[i]
		s.files[f.name] = &signedFile{fileDigest: f}
		for dir := path.Dir(f.name); !s.dirs[dir]; dir = path.Dir(dir) {
			s.dirs[dir] = true
		}
	}
	return s
}

func (s *signedFS) Open(name string) (fs.File, error) {
	if s.dirs[name] {
		info, err := fs.Stat(s.inner, name)
		if err != nil {
			return nil, err
		}
		entries, err := s.ReadDir(name)
		return &dirFile{info: info, entries: entries}, err
	}
	f, ok := s.files[name]
	if !ok {
		return nil, notExist("open", name)
	}
	src, err := s.inner.Open(name)
	if err != nil {
		return nil, s.unreadable(f, err)
	}
	info, err := src.Stat()
	if err == nil {
		err = s.sameSize(f, info)
	}
	seeker, ok := src.(io.ReadSeeker)
	if err == nil && !ok {
		err = fmt.Errorf("open %s: not a file that can seek", name)
	}
	if err != nil {
		src.Close()
		return nil, err
	}
	c := &checkedFile{fsys: s, file: f, src: src, seeker: seeker, info: signedInfo{info, f.fileDigest}, loaded: -1}
	if !f.opened.Load() {
		if err := c.firstLook(); err != nil {
			src.Close()
			return nil, err
		}
		f.opened.Store(true)
	}
	return c, nil
}

func (s *signedFS) Stat(name string) (fs.FileInfo, error) {
	f, ok := s.files[name]
	if !ok && !s.dirs[name] {
		return nil, notExist("stat", name)
	}
	info, err := fs.Stat(s.inner, name)
	if err != nil || !ok {
		return info, err
	}
	return signedInfo{info, f.fileDigest}, s.sameSize(f, info)
}

func (s *signedFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if !s.dirs[name] {
		return nil, notExist("readdir", name)
	}
	entries, err := fs.ReadDir(s.inner, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		full := path.Join(name, e.Name())
		return !s.dirs[full] && s.files[full] == nil
	}), err
}

func (s *signedFS) sameSize(f *signedFile, info fs.FileInfo) error {
	if info.Mode().IsRegular() && info.Size() == f.size {
		return nil
	}
	return s.report(f, "was changed")
}

// unreadable tells damage to the game from trouble with the disk.
func (s *signedFS) unreadable(f *signedFile, err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s.report(f, "is missing")
	case errors.Is(err, errSize), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &corrupt),
		errors.Is(err, zip.ErrChecksum), errors.Is(err, zip.ErrFormat):
		return s.report(f, "was changed")
	}
	return fmt.Errorf("%s: %s cannot be read: %w", s.game, f.name, err)
}

// report makes the error and tells it once for each file.
func (s *signedFS) report(f *signedFile, reason string) error {
	err := &TamperError{Path: s.game, File: f.name, Reason: reason}
	if s.onTamper != nil && f.reported.CompareAndSwap(false, true) {
		s.onTamper(err)
	}
	return err
}

// signedInfo adds to a file's info what was signed.
type signedInfo struct {
	fs.FileInfo
	file *fileDigest
}

// Digest names the signed content, for use as a strong validator.
func (i signedInfo) Digest() string {
	if len(i.file.pieces) == sha256.Size {
		return hex.EncodeToString(i.file.pieces)
	}
	sum := sha256.Sum256(i.file.pieces)
	return hex.EncodeToString(sum[:])
}

// checkedFile hands out bytes of pieces that were checked. It is used by one goroutine at a time.
type checkedFile struct {
	fsys   *signedFS
	file   *signedFile
	src    fs.File
	seeker io.ReadSeeker // src
	info   fs.FileInfo
	pos    int64
	at     int64 // where src is
	loaded int64 // number of the piece in data, -1 for none
	data   []byte
	closed bool
}

func (c *checkedFile) Stat() (fs.FileInfo, error) { return c.info, nil }

func (c *checkedFile) Close() error {
	if c.closed {
		return fs.ErrClosed
	}
	c.closed, c.data = true, nil
	return c.src.Close()
}

func (c *checkedFile) Seek(offset int64, whence int) (int64, error) {
	pos, err := seek(c.pos, c.file.size, offset, whence)
	if err == nil {
		c.pos = pos
	}
	return pos, err
}

func (c *checkedFile) Read(p []byte) (int, error) {
	switch {
	case c.closed:
		return 0, fs.ErrClosed
	case len(p) == 0:
		return 0, nil
	case c.pos >= c.file.size:
		return 0, io.EOF
	}
	piece := c.pos / pieceSize
	if piece != c.loaded {
		if err := c.load(piece); err != nil {
			return 0, err
		}
	}
	n := copy(p, c.data[c.pos-piece*pieceSize:])
	c.pos += int64(n)
	return n, nil
}

// firstLook checks a small file whole and the beginning of a large one.
func (c *checkedFile) firstLook() error {
	count := pieceCount(c.file.size)
	if c.file.size > wholeFile {
		count = 1
	}
	for piece := range count {
		if err := c.load(piece); err != nil {
			return err
		}
	}
	return nil
}

// load makes data the given piece, checked.
func (c *checkedFile) load(piece int64) error {
	if data := c.fsys.pieces.get(c.file, piece); data != nil {
		c.data, c.loaded = data, piece
		return nil
	}
	start := piece * pieceSize
	if c.at != start {
		if _, err := c.seeker.Seek(start, io.SeekStart); err != nil {
			return c.fsys.unreadable(c.file, err)
		}
	}
	data := make([]byte, min(pieceSize, c.file.size-start))
	n, err := io.ReadFull(c.src, data)
	c.at = start + int64(n)
	if err != nil {
		return c.fsys.unreadable(c.file, err)
	}
	if sum := sha256.Sum256(data); string(sum[:]) != string(c.file.pieces[piece*sha256.Size:(piece+1)*sha256.Size]) {
		return c.fsys.report(c.file, "was changed")
	}
	c.fsys.pieces.put(c.file, piece, data)
	c.data, c.loaded = data, piece
	return nil
}

// pieces keeps the pieces that were read last. What is in it is what was signed, so it is never out of date.
type pieces struct {
	mu     sync.Mutex // guards the rest
	total  int
	recent *list.List // of *keptPiece, most recent first
	byKey  map[pieceKey]*list.Element
}

type pieceKey struct {
	file  *signedFile
	piece int64
}

type keptPiece struct {
	key  pieceKey
	data []byte
}

func newPieces() *pieces {
	return &pieces{recent: list.New(), byKey: map[pieceKey]*list.Element{}}
}

// get returns a piece that the caller must not change, nil when it is not kept.
func (p *pieces) get(f *signedFile, piece int64) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, ok := p.byKey[pieceKey{f, piece}]
	if !ok {
		return nil
	}
	p.recent.MoveToFront(e)
	return e.Value.(*keptPiece).data
}

func (p *pieces) put(f *signedFile, piece int64, data []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := pieceKey{f, piece}
	if _, ok := p.byKey[key]; ok {
		return
	}
	p.byKey[key] = p.recent.PushFront(&keptPiece{key, data})
	for p.total += len(data); p.total > pieceCache; {
		old := p.recent.Remove(p.recent.Back()).(*keptPiece)
		delete(p.byKey, old.key)
		p.total -= len(old.data)
	}
}
