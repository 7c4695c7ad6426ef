package runtime

import (
	"archive/zip"
	"io/fs"
	"strconv"
	"time"
)

// stamp tells two states of a file apart also when size and modification time are the same.
type stamp struct {
	parts   [3]int64
	changed time.Time // of the last write or rename
}

// tag is the file's strong ETag. It changes with the content also when size and modification time do not, because an
// update may carry any time: files in a zip are told apart by their checksum, files in a folder by what the file
// system notes at every write (change time and inode). Where there is neither, a tag holds for this launch only. Files
// of a signed game are told apart by their digest: it cannot be met on purpose, as a checksum can, by a game that was in
// this place before and left a script of its own in the engine's cache.
//
// It also tells isolated and plain launches of a game apart, so that a kept script never brings the other's headers.
func (s *Server) tag(f *file, variant string) string {
	b := make([]byte, 0, 64)
	b = append(b, '"')
	b = strconv.AppendInt(b, f.info.Size(), 36)
	b = append(b, '-')
	if signed, ok := f.info.(interface{ Digest() string }); ok {
		b = append(b, 's')
		b = append(b, signed.Digest()...)
	} else if h, ok := f.info.Sys().(*zip.FileHeader); ok {
		b = append(b, 'z')
		b = strconv.AppendUint(b, uint64(h.CRC32), 36)
	} else if st, ok := readStamp(f.File, f.info); ok {
		for _, part := range st.parts {
			b = strconv.AppendUint(b, uint64(part), 36)
			b = append(b, '.')
		}
	} else {
		b = append(b, s.tagSalt...)
		b = append(b, '-')
		b = strconv.AppendInt(b, f.info.ModTime().UnixNano(), 36)
	}
	if variant != "" {
		b = append(b, '-')
		b = append(b, variant...)
	}
	if s.policy.has("Cross-Origin-Embedder-Policy") {
		b = append(b, "-i"...)
	}
	b = append(b, '"')
	return string(b)
}

// settled reports whether a change of the file from now on is sure to give it another tag. Clocks of file systems tick
// every few milliseconds: two writes in one tick look like one.
func settled(info fs.FileInfo, age time.Duration) bool {
	if _, ok := info.Sys().(*zip.FileHeader); ok {
		return true
	}
	st, ok := readStamp(nil, info)
	return ok && time.Since(st.changed) > age
}

// unchanged reports whether two looks at a file saw the same state of it.
func unchanged(a, b fs.FileInfo) bool {
	if a.Size() != b.Size() {
		return false
	}
	if h, ok := a.Sys().(*zip.FileHeader); ok {
		other, ok := b.Sys().(*zip.FileHeader)
		return ok && h.CRC32 == other.CRC32
	}
	x, ok := readStamp(nil, a)
	y, also := readStamp(nil, b)
	return ok && also && x.parts == y.parts
}
