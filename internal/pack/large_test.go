package pack

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"testing"
)

// The header in front of a stored file of more than 4 GB carries its sizes in the field of zip64, so that programs that
// read archives from the start find the next entry.
func TestStoredHeader(t *testing.T) {
	for size, long := range map[int64]bool{5: false, 1<<32 - 2: false, 1<<32 - 1: true, 5_000_000_000: true} {
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		h := newHeader("a.ogg", zip.Store)
		w, err := createStored(z, h, size, 7)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, "x"); err != nil {
			t.Fatal(err)
		}
		if err := z.Flush(); err != nil {
			t.Fatal(err)
		}
		le, b := binary.LittleEndian, out.Bytes()
		packed, plain, extra := le.Uint32(b[18:]), le.Uint32(b[22:]), int(le.Uint16(b[28:]))
		switch {
		case h.Extra != nil || le.Uint16(b[6:])&8 != 0 || le.Uint32(b[14:]) != 7:
			t.Errorf("%d: flags %x, extra %x", size, le.Uint16(b[6:]), h.Extra)
		case !long && (extra != 0 || int64(packed) != size || int64(plain) != size):
			t.Errorf("%d: sizes %d and %d, extra %d", size, packed, plain, extra)
		case long && (extra != 20 || packed != 1<<32-1 || plain != 1<<32-1 || le.Uint64(b[30+5+4:]) != uint64(size) || le.Uint64(b[30+5+12:]) != uint64(size)):
			t.Errorf("%d: sizes %d and %d, extra %x", size, packed, plain, b[35:35+extra])
		}
	}
}
