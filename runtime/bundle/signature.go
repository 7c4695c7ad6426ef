package bundle

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// signatureName is the file at the top of a game that its author's key signs the others with.
const signatureName = "conch.sig"

// Bounds of a signature. docs/bundle.md has the format.
const (
	maxSignature = 32 << 20 // bytes of conch.sig
	maxSigned    = 200_000  // files it lists
	maxSize      = 1 << 50  // bytes of one file
	pieceSize    = 1 << 20  // bytes that one digest covers
)

// Prefixes of everything that is hashed or signed, so that a digest made for one purpose is of no use for another.
const (
	signaturePrefix = "conch-signature-v1\n"
	digestPrefix    = "conch-digest-v1\n"
)

// signature is the content of a conch.sig.
type signature struct {
	key   ed25519.PublicKey
	id    string
	files []fileDigest // sorted by name
	sig   []byte
}

// fileDigest is one file of a game. pieces holds the SHA-256 of each piece of pieceSize bytes, one after the other;
// the last piece is what remains, and an empty file is one empty piece.
type fileDigest struct {
	name   string
	size   int64
	pieces []byte
}

// pieceCount is the number of digests of a file.
func pieceCount(size int64) int64 { return max(1, (size+pieceSize-1)/pieceSize) }

// Fingerprint names an author's key: the SHA-256 of the public key in hexadecimal.
func Fingerprint(key ed25519.PublicKey) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:])
}

// message is what the author's key signs: one way to write it, no two signatures with the same text.
func (s *signature) message() []byte {
	b := []byte(signaturePrefix)
	b = appendField(b, []byte("ed25519"))
	b = appendField(b, s.key)
	b = appendField(b, []byte(s.id))
	return appendFiles(b, s.files)
}

func (s *signature) valid() bool { return ed25519.Verify(s.key, s.message(), s.sig) }

// appendField writes the length as four bytes, most significant first, and then the bytes.
func appendField(b, field []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(field)))
	return append(b, field...)
}

func appendFiles(b []byte, files []fileDigest) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(len(files)))
	for _, f := range files {
		b = appendField(b, []byte(f.name))
		b = binary.BigEndian.AppendUint64(b, uint64(f.size))
		b = appendField(b, f.pieces)
	}
	return b
}

// encode writes the conch.sig: the same signature always gives the same bytes.
func (s *signature) encode() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n  \"format\": 1,\n  \"algorithm\": \"ed25519\",\n  \"key\": \"%x\",\n  \"id\": \"%s\",\n  \"files\": [\n", []byte(s.key), s.id)
	for i, f := range s.files {
		if i > 0 {
			b.WriteString(",\n")
		}
		b.WriteString(`    {"name": `)
		text := json.NewEncoder(&b)
		text.SetEscapeHTML(false)
		if err := text.Encode(f.name); err != nil {
			return nil, err
		}
		b.Truncate(b.Len() - 1) // the encoder's line end
		fmt.Fprintf(&b, `, "size": %d, "sha256": [`, f.size)
		for j := 0; j < len(f.pieces); j += sha256.Size {
			if j > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, `"%x"`, f.pieces[j:j+sha256.Size])
		}
		b.WriteString("]}")
	}
	fmt.Fprintf(&b, "\n  ],\n  \"signature\": \"%x\"\n}\n", s.sig)
	if b.Len() > maxSignature {
		return nil, fmt.Errorf("%s would be larger than %d MiB; put small files together", signatureName, maxSignature>>20)
	}
	return b.Bytes(), nil
}

// parseSignature reads a conch.sig. Every key must be there once and no other; whether the signature fits is asked
// with valid.
func parseSignature(data []byte) (*signature, error) {
	if len(data) > maxSignature {
		return nil, fmt.Errorf("larger than %d MiB", maxSignature>>20)
	}
	if !utf8.Valid(data) {
		return nil, errors.New("not UTF-8")
	}
	r := &sigReader{data: data}
	s := &signature{}
	r.object([]string{"format", "algorithm", "key", "id", "files", "signature"}, func(key string) {
		switch key {
		case "format":
			if n := r.number(); n > 1 {
				r.fail("written by a newer Conch (format %d)", n)
			} else if n != 1 {
				r.fail("format must be 1")
			}
		case "algorithm":
			if r.text() != "ed25519" {
				r.fail("algorithm must be ed25519")
			}
		case "key":
			s.key = r.hex(ed25519.PublicKeySize)
		case "id":
			if s.id = r.text(); !idPattern.MatchString(s.id) {
				r.fail("id is not one that a manifest may have")
			}
		case "files":
			s.files = r.files()
		case "signature":
			s.sig = r.hex(ed25519.SignatureSize)
		}
	})
	if r.space(); r.err == nil && r.pos != len(data) {
		r.fail("more text after the end")
	}
	return s, r.err
}

func (r *sigReader) files() (files []fileDigest) {
	r.list(func() {
		f := r.file()
		switch n := len(files); {
		case r.err != nil:
		case n == maxSigned:
			r.fail("more than %d files", maxSigned)
		case n > 0 && files[n-1].name >= f.name:
			r.fail("names are not sorted, or one is there twice: %q", clip(f.name, 200))
		}
		files = append(files, f)
	})
	return files
}

func (r *sigReader) file() (f fileDigest) {
	r.object([]string{"name", "size", "sha256"}, func(key string) {
		switch key {
		case "name":
			if f.name = r.text(); r.err == nil && signable(f.name) != "" {
				r.fail("%q %s", clip(f.name, 200), signable(f.name))
			}
		case "size":
			if f.size = r.number(); f.size > maxSize {
				r.fail("size is impossible")
			}
		case "sha256":
			r.list(func() { f.pieces = append(f.pieces, r.hex(sha256.Size)...) })
		}
	})
	if r.err == nil && int64(len(f.pieces)) != pieceCount(f.size)*sha256.Size {
		r.fail("%q needs %d digests for its size", clip(f.name, 200), pieceCount(f.size))
	}
	return f
}

// signable says why a file of this name cannot be signed, "" when it can.
func signable(name string) string {
	switch {
	case !fs.ValidPath(name) || name == "." || strings.Contains(name, `\`):
		return "is not a plain relative name"
	case strings.ContainsFunc(name, unicode.IsControl) || strings.ContainsRune(name, utf8.RuneError):
		return "has control or broken characters in its name"
	case name == signatureName:
		return "cannot sign itself"
	case ignored(name):
		return "is a name that systems leave behind, which is never part of a game"
	}
	return ""
}

// ignored reports whether the file is none of the game's: it is not served, not signed, and may come and go. These
// are files and folders that begin with a dot, and what Windows and macOS leave in folders.
func ignored(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part != "." && strings.HasPrefix(part, ".") || part == "__MACOSX" {
			return true
		}
	}
	base := path.Base(name)
	return base == "Thumbs.db" || base == "desktop.ini"
}

// sigReader reads the small part of JSON that a conch.sig is made of. After the first mistake every read gives
// nothing and moves no further.
type sigReader struct {
	data []byte
	pos  int
	err  error
}

func (r *sigReader) fail(format string, args ...any) {
	if r.err == nil {
		line := bytes.Count(r.data[:r.pos], []byte("\n")) + 1
		r.err = fmt.Errorf("line %d: %s", line, fmt.Sprintf(format, args...))
	}
}

func (r *sigReader) space() {
	for r.pos < len(r.data) && strings.IndexByte(" \t\r\n", r.data[r.pos]) >= 0 {
		r.pos++
	}
}

// next reads one character of the syntax if it comes next.
func (r *sigReader) next(c byte) bool {
	r.space()
	if r.err != nil || r.pos == len(r.data) || r.data[r.pos] != c {
		return false
	}
	r.pos++
	return true
}

func (r *sigReader) expect(c byte) {
	if !r.next(c) {
		r.fail("%q is missing; the file was cut off or changed", c)
	}
}

// object reads an object that has exactly these keys, in any order.
func (r *sigReader) object(keys []string, value func(key string)) {
	seen := make([]bool, len(keys))
	r.expect('{')
	for more := !r.next('}'); more && r.err == nil; {
		key := r.text()
		i := slices.Index(keys, key)
		switch {
		case r.err != nil:
			return
		case i < 0:
			r.fail("unknown key %q", clip(key, 60))
			return
		case seen[i]:
			r.fail("%q is there twice", key)
			return
		}
		seen[i] = true
		r.expect(':')
		value(key)
		if more = r.next(','); !more {
			r.expect('}')
		}
	}
	if i := slices.Index(seen, false); i >= 0 {
		r.fail("%q is missing", keys[i])
	}
}

func (r *sigReader) list(element func()) {
	r.expect('[')
	for more := !r.next(']'); more && r.err == nil; {
		element()
		if more = r.next(','); !more {
			r.expect(']')
		}
	}
}

func (r *sigReader) text() string {
	r.expect('"')
	start, escaped := r.pos, false
	for r.err == nil {
		if r.pos == len(r.data) || r.data[r.pos] < ' ' {
			r.fail("a text does not end; the file was cut off or changed")
			break
		}
		c := r.data[r.pos]
		r.pos++
		if c == '"' {
			break
		}
		if c == '\\' && r.pos < len(r.data) {
			escaped = true
			r.pos++
		}
	}
	if r.err != nil {
		return ""
	}
	raw := r.data[start : r.pos-1]
	if !escaped {
		return string(raw)
	}
	var s string
	if err := json.Unmarshal(r.data[start-1:r.pos], &s); err != nil {
		r.fail("a text is not JSON")
	}
	return s
}

func (r *sigReader) number() int64 {
	r.space()
	start := r.pos
	for r.pos < len(r.data) && r.data[r.pos] >= '0' && r.data[r.pos] <= '9' {
		r.pos++
	}
	digits := string(r.data[start:r.pos])
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || len(digits) > 1 && digits[0] == '0' {
		r.fail("a whole number is expected")
	}
	return n
}

// hex reads a text of lower-case hexadecimal digits.
func (r *sigReader) hex(size int) []byte {
	s := r.text()
	b, err := hex.DecodeString(s)
	if r.err == nil && (err != nil || len(b) != size || strings.ToLower(s) != s) {
		r.fail("%d lower-case hexadecimal digits are expected", 2*size)
	}
	return b
}
