package pack

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/flate"
)

// worthwhile says whether the compressed size saves enough to inflate the file at each start: one part in twenty.
func worthwhile(packed, plain int64) bool { return packed < plain-plain/20 }

// compressor deflates blocks, each on its own.
type compressor struct {
	w       *flate.Writer
	letters *flate.Writer // shortens frequent bytes only
}

func newCompressor() *compressor {
	const level = 6
	w, err := flate.NewWriter(nil, level)
	if err != nil {
		panic(err) // the level is a constant
	}
	letters, err := flate.NewWriter(nil, flate.HuffmanOnly)
	if err != nil {
		panic(err)
	}
	return &compressor{w, letters}
}

// block appends plain to out, so that blocks one after the other are one stream: all but the last end on a byte and
// leave the stream open. The library gives up early on what repeats nothing, such as the base64 text of single-page
// exports; there the letters are tried.
func (c *compressor) block(out *bytes.Buffer, plain []byte, last bool) error {
	from := out.Len()
	if err := deflate(c.w, out, plain, last); err != nil || worthwhile(int64(out.Len()-from), int64(len(plain))) {
		return err
	}
	var other bytes.Buffer
	if err := deflate(c.letters, &other, plain, last); err != nil {
		return err
	}
	if other.Len() < out.Len()-from {
		out.Truncate(from)
		out.Write(other.Bytes())
	}
	return nil
}

func deflate(w *flate.Writer, out io.Writer, plain []byte, last bool) error {
	w.Reset(out)
	if _, err := w.Write(plain); err != nil {
		return err
	}
	if last {
		return w.Close()
	}
	return w.Flush()
}
