package bundle

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
)

// A program with a game is a launcher, zeros up to a multiple of 4096, a header and the game's zip. The header is found
// from the executable's own tables and never from the end of the file: what a code signature adds there does not
// matter. docs/bundle.md has the format.
const (
	payloadAlign  = 4096
	payloadHeader = 64
	payloadMagic  = "\x89CONCH\r\n"
	// maxTable bounds what is read of an executable's tables.
	maxTable = 1 << 20
)

const sideFlag = 1

// Payload is the game of a program.
type Payload struct {
	Offset   int64  // of the zip in the program
	Length   int64  // of the zip, or of the name of the side file
	Side     bool   // the game is in a file beside the program
	SideName string // its name
	SideSize int64  // its length
}

// Executable is what the tables of a program say.
type Executable struct {
	System  string   // "windows" or "linux"; "darwin" programs have no end that could be used
	Arch    string   // as Go calls it, "" when it is another
	End     int64    // first byte behind what the system loads
	Payload *Payload // nil: no game in it
}

// PayloadOffset is where the header of a payload stands in a program whose image ends at end.
func PayloadOffset(end int64) int64 { return (end + payloadAlign - 1) / payloadAlign * payloadAlign }

// Header is what stands in front of the payload.
func (p Payload) Header() []byte {
	h := make([]byte, payloadHeader)
	copy(h, payloadMagic)
	binary.LittleEndian.PutUint32(h[8:], 1)
	if p.Side {
		binary.LittleEndian.PutUint32(h[12:], sideFlag)
	}
	binary.LittleEndian.PutUint64(h[16:], uint64(p.Length))
	binary.LittleEndian.PutUint64(h[24:], uint64(p.SideSize))
	binary.LittleEndian.PutUint32(h[60:], crc32.ChecksumIEEE(h[:60]))
	return h
}

// ProgramError says that the game in a program cannot be read.
type ProgramError struct {
	Path   string
	Reason string
}

// Error is one sentence for a player.
func (e *ProgramError) Error() string {
	return fmt.Sprintf("%s: the program is %s; download it again", e.Path, e.Reason)
}

var errNotExecutable = errors.New("not an executable of a known system")

// ReadExecutable reads the tables of a program and the header of its payload. The error of a payload that is not whole
// is a *ProgramError without a path.
func ReadExecutable(r io.ReaderAt, size int64) (Executable, error) {
	x, err := readImage(r, size)
	if err != nil || x.System == "darwin" {
		return x, err
	}
	at := PayloadOffset(x.End)
	if size <= x.End {
		return x, nil
	}
	h := make([]byte, payloadHeader)
	n, err := r.ReadAt(h, at)
	if err != nil && !errors.Is(err, io.EOF) {
		return x, err
	}
	switch {
	case n < payloadHeader && (n == 0 || len(payloadMagic) > n) && !allZero(r, x.End, min(size, at)):
		return x, nil // something else follows the image
	case n < payloadHeader && (n < len(payloadMagic) || string(h[:len(payloadMagic)]) == payloadMagic):
		return x, &ProgramError{Reason: fmt.Sprintf("incomplete: its game begins at byte %d, and it has %d", at+payloadHeader, size)}
	case string(h[:len(payloadMagic)]) != payloadMagic:
		return x, nil
	case binary.LittleEndian.Uint32(h[60:]) != crc32.ChecksumIEEE(h[:60]):
		return x, &ProgramError{Reason: "damaged: the header of its game was changed"}
	case binary.LittleEndian.Uint32(h[8:]) != 1 || binary.LittleEndian.Uint32(h[12:])&^sideFlag != 0:
		return x, &ProgramError{Reason: "of a newer kind: its game has a format that this version does not know"}
	}
	p := &Payload{
		Offset: at + payloadHeader, Length: int64(binary.LittleEndian.Uint64(h[16:])),
		Side: h[12]&sideFlag != 0, SideSize: int64(binary.LittleEndian.Uint64(h[24:])),
	}
	if p.Length < 0 || p.SideSize < 0 || p.Length > 1<<62 {
		return x, &ProgramError{Reason: "damaged: the header of its game was changed"}
	}
	if left := size - p.Offset; left < p.Length {
		return x, &ProgramError{Reason: fmt.Sprintf("incomplete: %d of %d bytes of its game are there", left, p.Length)}
	}
	if p.Side {
		name := make([]byte, min(p.Length, 1024))
		if _, err := r.ReadAt(name, p.Offset); err != nil && !errors.Is(err, io.EOF) {
			return x, err
		}
		p.SideName = string(name)
		if p.SideName == "." || p.SideName == ".." || filepath.Base(p.SideName) != p.SideName || bytes.ContainsAny(name, `/\`) {
			return x, &ProgramError{Reason: "damaged: the name of its side file was changed"}
		}
	}
	x.Payload = p
	return x, nil
}

// allZero reports whether all bytes between from and to are zero; there are fewer than payloadAlign of them.
func allZero(r io.ReaderAt, from, to int64) bool {
	b := make([]byte, to-from)
	n, err := r.ReadAt(b, from)
	return (err == nil || errors.Is(err, io.EOF)) && n == len(b) && len(bytes.Trim(b, "\x00")) == 0
}

// readImage finds system, architecture and end of an executable.
func readImage(r io.ReaderAt, size int64) (Executable, error) {
	head := make([]byte, 64)
	if n, err := r.ReadAt(head, 0); n < len(head) {
		if err == nil || errors.Is(err, io.EOF) {
			err = errNotExecutable
		}
		return Executable{}, err
	}
	var x Executable
	var err error
	switch {
	case bytes.HasPrefix(head, []byte("MZ")):
		x, err = peImage(r, int64(binary.LittleEndian.Uint32(head[0x3c:])))
	case bytes.HasPrefix(head, []byte("\x7fELF\x02\x01")):
		x, err = elfImage(r, head)
	case bytes.HasPrefix(head, []byte("\xcf\xfa\xed\xfe")):
		arch := map[uint32]string{0x01000007: "amd64", 0x0100000c: "arm64"}[binary.LittleEndian.Uint32(head[4:])]
		return Executable{System: "darwin", Arch: arch, End: size}, nil
	default:
		return Executable{}, errNotExecutable
	}
	if err == nil && (x.End <= 0 || x.End > 1<<40) {
		err = errNotExecutable
	}
	if err == nil && x.End > size {
		err = &ProgramError{Reason: fmt.Sprintf("incomplete: %d of at least %d bytes are there", size, x.End)}
	}
	return x, err
}

// table reads a table of an executable, which must lie inside it.
func table(r io.ReaderAt, offset, size int64) ([]byte, error) {
	if offset < 0 || size < 0 || size > maxTable || offset > 1<<40 {
		return nil, errNotExecutable
	}
	b := make([]byte, size)
	if n, err := r.ReadAt(b, offset); n < len(b) {
		if err == nil || errors.Is(err, io.EOF) {
			err = &ProgramError{Reason: fmt.Sprintf("incomplete: it should have at least %d bytes", offset+size)}
		}
		return nil, err
	}
	return b, nil
}

// peImage reads a Windows program: the end is that of the last section's data, or of a symbol table behind it.
func peImage(r io.ReaderAt, at int64) (Executable, error) {
	h, err := table(r, at, 24)
	if err != nil {
		return Executable{}, errNotExecutable // a DOS program
	}
	if string(h[:4]) != "PE\x00\x00" {
		return Executable{}, errNotExecutable
	}
	le := binary.LittleEndian
	x := Executable{System: "windows", Arch: map[uint16]string{0x8664: "amd64", 0xaa64: "arm64", 0x14c: "386"}[le.Uint16(h[4:])]}
	sections := int64(le.Uint16(h[6:]))
	optional := int64(le.Uint16(h[20:]))
	list, err := table(r, at+24+optional, 40*sections)
	if err != nil {
		return Executable{}, err
	}
	for ; len(list) >= 40; list = list[40:] {
		if raw := int64(le.Uint32(list[16:])); raw > 0 {
			x.End = max(x.End, int64(le.Uint32(list[20:]))+raw)
		}
	}
	if symbols := int64(le.Uint32(h[12:])); symbols > 0 {
		end := symbols + 18*int64(le.Uint32(h[16:]))
		length, err := table(r, end, 4)
		if err != nil {
			return Executable{}, err
		}
		x.End = max(x.End, end+int64(le.Uint32(length)))
	}
	return x, nil
}

// elfImage reads a 64-bit Linux program: the end is that of the last segment, section or table.
func elfImage(r io.ReaderAt, h []byte) (Executable, error) {
	le := binary.LittleEndian
	x := Executable{System: "linux", Arch: map[uint16]string{62: "amd64", 183: "arm64"}[le.Uint16(h[18:])]}
	segments, err := table(r, int64(le.Uint64(h[32:])), 56*int64(le.Uint16(h[56:])))
	if err != nil {
		return Executable{}, err
	}
	x.End = max(64, int64(le.Uint64(h[32:]))+int64(len(segments)))
	for ; len(segments) >= 56; segments = segments[56:] {
		x.End = max(x.End, addUp(le.Uint64(segments[8:]), le.Uint64(segments[32:])))
	}
	count := int64(le.Uint16(h[60:]))
	if count == 0 {
		return x, nil
	}
	sections, err := table(r, int64(le.Uint64(h[40:])), 64*count)
	if err != nil {
		return Executable{}, err
	}
	x.End = max(x.End, int64(le.Uint64(h[40:]))+int64(len(sections)))
	const noBits = 8
	for ; len(sections) >= 64; sections = sections[64:] {
		if le.Uint32(sections[4:]) != noBits {
			x.End = max(x.End, addUp(le.Uint64(sections[24:]), le.Uint64(sections[32:])))
		}
	}
	return x, nil
}

// addUp adds an offset and a size; what overflows becomes too large to be believed.
func addUp(offset, size uint64) int64 {
	const most = 1 << 60
	return int64(min(offset, most) + min(size, most))
}

// appGame is where a macOS .app keeps its game.
var appGame = filepath.Join("Contents", "Resources", "game.conch")

// CarriesGame reports whether the program at path, or the .app folder, has a game in it. A game that is not whole is a
// *ProgramError.
func CarriesGame(path string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	if info.IsDir() {
		game, err := os.Stat(filepath.Join(path, appGame))
		return err == nil && game.Mode().IsRegular(), nil
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for somebody who writes
		return false, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	x, err := ReadExecutable(f, info.Size())
	var broken *ProgramError
	if errors.As(err, &broken) {
		broken.Path = path
		return false, broken
	}
	if errors.Is(err, errNotExecutable) {
		return false, nil
	}
	return err == nil && x.Payload != nil, err
}

// openProgram opens the game of a program or .app. The caller closes the file.
func openProgram(path string) (f *os.File, game *io.SectionReader, err error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return openWhole(filepath.Join(path, appGame))
	}
	f, all, err := openWhole(path)
	if err != nil {
		return nil, nil, err
	}
	x, err := ReadExecutable(all, all.Size())
	if err == nil && x.Payload == nil {
		err = &ProgramError{Reason: "without its game"}
	}
	var broken *ProgramError
	if errors.As(err, &broken) {
		broken.Path = path
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	if !x.Payload.Side {
		return f, io.NewSectionReader(f, x.Payload.Offset, x.Payload.Length), nil
	}
	f.Close()
	return openSide(path, x.Payload)
}

func openSide(path string, p *Payload) (*os.File, *io.SectionReader, error) {
	f, all, err := openWhole(filepath.Join(filepath.Dir(path), p.SideName))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: the game is in the file %s, which must lie beside the program: %w", path, p.SideName, err)
	}
	if all.Size() != p.SideSize {
		f.Close()
		return nil, nil, fmt.Errorf("%s: the file %s beside the program is not the one it was made with: it has %d of %d bytes; download both again",
			path, p.SideName, all.Size(), p.SideSize)
	}
	return f, all, nil
}

func openWhole(path string) (*os.File, *io.SectionReader, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, nil, &os.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, io.NewSectionReader(f, 0, info.Size()), nil
}
