package runtime

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
)

const (
	scriptTag = `<script src="` + scriptPath + `"></script>`

	// maxHead is how much of a document is read to find the place for the tag. Single-file exports have tens of
	// megabytes; the place is before any of them.
	maxHead = 64 << 10

	// maxPrescan is where engines stop looking for <meta charset> (WHATWG HTML section 13.2.3.2).
	maxPrescan = 1024
)

// insertion is text to be put into a file at a byte offset, and what the file says about its own encoding.
type insertion struct {
	at      int64
	text    []byte
	charset string // from a byte order mark or <meta>, "" when the document does not say
}

// findInsertion finds the place for the page script in a document that begins with head: before everything that could
// run, so right after <head> when that is the first thing in the document, else before the first thing that is
// neither doctype, comment, <html> nor space. In XHTML only <head> will do, since text around it is an error there.
//
// The encoding goes into the Content-Type because the tag may push <meta charset> past the part of the document that
// engines search for it.
func findInsertion(head []byte, xhtml bool) insertion {
	text, unit, skip, charset := asBytes(head)
	place, ok := scanHead(text)
	if xhtml && !ok {
		return insertion{charset: charset}
	}
	tag := []byte(scriptTag)
	if unit == 2 {
		tag = asUTF16(scriptTag, charset == "utf-16be")
	}
	if charset == "" {
		charset = prescan(text[:min(len(text), maxPrescan)])
	}
	return insertion{at: int64(skip + place*unit), text: tag, charset: charset}
}

// asBytes looks at the byte order mark. It returns the markup as one byte per code unit (those beyond ASCII do not
// matter to the scan), the bytes per unit, the length of the mark and the encoding it stands for.
func asBytes(head []byte) (text []byte, unit, skip int, charset string) {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		return head[3:], 1, 3, "utf-8"
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		order, charset = binary.LittleEndian, "utf-16le"
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		order, charset = binary.BigEndian, "utf-16be"
	default:
		return head, 1, 0, ""
	}
	text = make([]byte, (len(head)-2)/2)
	for i := range text {
		if u := order.Uint16(head[2+2*i:]); u < 0x80 {
			text[i] = byte(u)
		} else {
			text[i] = 0x80
		}
	}
	return text, 2, 2, charset
}

func asUTF16(s string, bigEndian bool) []byte {
	b := make([]byte, 0, 2*len(s))
	for i := range len(s) {
		if bigEndian {
			b = append(b, 0, s[i])
		} else {
			b = append(b, s[i], 0)
		}
	}
	return b
}

// scanHead walks over what may stand before the first element that matters. ok says that the place is right behind a
// <head> tag.
func scanHead(t []byte) (place int, ok bool) {
	i := 0
	for {
		i += spaces(t[i:])
		rest := t[i:]
		var n int
		switch {
		case bytes.HasPrefix(rest, []byte("<!--")):
			n = commentLength(rest)
		case bytes.HasPrefix(rest, []byte("<!")), bytes.HasPrefix(rest, []byte("<?")):
			n = bytes.IndexByte(rest, '>') + 1
		case isTag(rest, "html"):
			n = tagLength(rest)
		case isTag(rest, "head"):
			n = tagLength(rest)
			return i + n, n > 0
		}
		if n <= 0 {
			return i, false
		}
		i += n
	}
}

func spaces(t []byte) int { return len(t) - len(bytes.TrimLeft(t, "\t\n\f\r ")) }

// commentLength is the length of the comment that t begins with, 0 when it does not end. "<!-->" and "<!--->" are
// whole comments, and "--!>" ends one too.
func commentLength(t []byte) int {
	for _, short := range []string{"<!-->", "<!--->"} {
		if bytes.HasPrefix(t, []byte(short)) {
			return len(short)
		}
	}
	plain := bytes.Index(t[4:], []byte("-->"))
	banged := bytes.Index(t[4:], []byte("--!>"))
	switch {
	case banged >= 0 && (plain < 0 || banged < plain):
		return 4 + banged + 4
	case plain >= 0:
		return 4 + plain + 3
	}
	return 0
}

// isTag reports whether t begins with the start tag of the element, in any letter case.
func isTag(t []byte, name string) bool {
	n := len(name) + 1
	return len(t) > n && t[0] == '<' && strings.EqualFold(string(t[1:n]), name) &&
		bytes.IndexByte([]byte("\t\n\f\r />"), t[n]) >= 0
}

// tagLength is the length of the tag that t begins with, quoted attribute values and all; 0 when it does not end.
func tagLength(t []byte) int {
	a := attributes{t: t, i: 1 + bytes.IndexAny(t[1:], "\t\n\f\r />")}
	for {
		if _, _, more := a.next(); !more {
			break
		}
	}
	if a.i < len(t) && t[a.i] == '>' {
		return a.i + 1
	}
	return 0
}

// attributes walks over the attributes of a tag (WHATWG HTML section 13.2.3.2, "get an attribute").
type attributes struct {
	t []byte
	i int // at the end: of '>' or of the text
}

func (a *attributes) next() (name, value string, more bool) {
	for a.i < len(a.t) && (isSpace(a.t[a.i]) || a.t[a.i] == '/') {
		a.i++
	}
	if a.i >= len(a.t) || a.t[a.i] == '>' {
		return "", "", false
	}
	start := a.i
	a.i++ // a name may begin with "="
	for a.i < len(a.t) && bytes.IndexByte([]byte("\t\n\f\r />="), a.t[a.i]) < 0 {
		a.i++
	}
	name = string(bytes.ToLower(a.t[start:a.i]))
	a.i += spaces(a.t[a.i:])
	if a.i >= len(a.t) || a.t[a.i] != '=' {
		return name, "", true
	}
	a.i++
	a.i += spaces(a.t[a.i:])
	return name, a.value(), true
}

func (a *attributes) value() string {
	if a.i >= len(a.t) {
		return ""
	}
	if q := a.t[a.i]; q == '"' || q == '\'' {
		a.i++
		n := bytes.IndexByte(a.t[a.i:], q)
		if n < 0 {
			a.i = len(a.t)
			return ""
		}
		v := string(a.t[a.i : a.i+n])
		a.i += n + 1
		return v
	}
	start := a.i
	for a.i < len(a.t) && !isSpace(a.t[a.i]) && a.t[a.i] != '>' {
		a.i++
	}
	return string(a.t[start:a.i])
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

// spliced is a file with text put in, read without a copy of the file.
type spliced struct {
	src  io.ReadSeeker
	size int64 // of src
	in   insertion

	pos   int64 // in the whole
	srcAt int64 // position of src
}

// splice returns src with in put in; srcAt is the position src is at.
func splice(src io.ReadSeeker, size, srcAt int64, in insertion) *spliced {
	return &spliced{src: src, size: size, in: in, srcAt: srcAt}
}

func (s *spliced) Seek(offset int64, whence int) (int64, error) {
	pos, err := seekTo(s.pos, s.size+int64(len(s.in.text)), offset, whence)
	if err == nil {
		s.pos = pos
	}
	return pos, err
}

func (s *spliced) Read(p []byte) (int, error) {
	after := s.in.at + int64(len(s.in.text))
	if s.pos >= s.in.at && s.pos < after {
		n := copy(p, s.in.text[s.pos-s.in.at:])
		s.pos += int64(n)
		return n, nil
	}
	from := s.pos
	if s.pos < s.in.at {
		p = p[:min(int64(len(p)), s.in.at-s.pos)]
	} else {
		from -= int64(len(s.in.text))
	}
	if from >= s.size {
		return 0, io.EOF
	}
	if from != s.srcAt {
		if _, err := s.src.Seek(from, io.SeekStart); err != nil {
			return 0, err
		}
		s.srcAt = from
	}
	n, err := s.src.Read(p)
	s.srcAt += int64(n)
	s.pos += int64(n)
	if err == io.EOF && s.pos < s.in.at {
		err = io.ErrUnexpectedEOF // the file shrank
	}
	return n, err
}
