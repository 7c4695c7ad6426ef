package wire

import (
	"encoding/binary"
	"unicode/utf8"
)

// coder reads or writes the fields of a frame, so that both directions are told once. After the first error it does
// nothing more.
type coder struct {
	b       []byte // what is left to read, or what was written
	reading bool
	err     error
}

func (c *coder) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.b = nil
}

// take reads n bytes.
func (c *coder) take(n int) []byte {
	if n > len(c.b) {
		c.fail(ErrTruncated)
		return nil
	}
	part := c.b[:n:n]
	c.b = c.b[n:]
	return part
}

// byte reads one byte.
func (c *coder) byte() byte {
	if part := c.take(1); len(part) == 1 {
		return part[0]
	}
	return 0
}

// readUint reads a varuint: seven bits a byte, least significant first, in the shortest form.
func (c *coder) readUint() uint64 {
	v, n := binary.Uvarint(c.b)
	switch {
	case n == 0 && len(c.b) < 8:
		c.fail(ErrTruncated)
		return 0
	case n <= 0, v > MaxUint, n > 1 && c.b[n-1] == 0:
		c.fail(ErrVaruint)
		return 0
	}
	c.b = c.b[n:]
	return v
}

func appendUint(b []byte, v uint64) []byte { return binary.AppendUvarint(b, v) }

func (c *coder) uint(v *uint64) {
	if c.reading {
		*v = c.readUint()
		return
	}
	c.b = appendUint(c.b, *v)
}

func (c *coder) u8(v *byte) {
	if c.reading {
		*v = c.byte()
		return
	}
	c.b = append(c.b, *v)
}

func (c *coder) bool(v *bool) {
	var b byte
	if *v {
		b = 1
	}
	c.u8(&b)
	if b > 1 {
		c.fail(ErrBool)
	}
	*v = b == 1
}

// u32 is four bytes, least significant first.
func (c *coder) u32(v *uint32) {
	if !c.reading {
		c.b = binary.LittleEndian.AppendUint32(c.b, *v)
		return
	}
	if part := c.take(4); len(part) == 4 {
		*v = binary.LittleEndian.Uint32(part)
	}
}

// fixed fills or writes exactly len(v) bytes.
func (c *coder) fixed(v []byte) {
	if c.reading {
		copy(v, c.take(len(v)))
		return
	}
	c.b = append(c.b, v...)
}

// bytes is a length and that many bytes, at most limit.
func (c *coder) bytes(v *[]byte, limit int) {
	if !c.reading {
		c.b = appendUint(c.b, uint64(len(*v)))
		c.b = append(c.b, *v...)
		return
	}
	n := c.readUint()
	if n > uint64(limit) {
		c.fail(ErrTooLong)
		return
	}
	*v = c.take(int(n))
}

// rest is what remains of the body, at most limit bytes.
func (c *coder) rest(v *[]byte, limit int) {
	if !c.reading {
		c.b = append(c.b, *v...)
		return
	}
	if len(c.b) > limit {
		c.fail(ErrTooLong)
		return
	}
	*v = c.take(len(c.b))
}

// text is a length and that many bytes of UTF-8, at most limit.
func (c *coder) text(v *string, limit int) {
	b := []byte(*v)
	c.bytes(&b, limit)
	if !c.reading {
		return
	}
	if !utf8.Valid(b) {
		c.fail(ErrText)
		return
	}
	*v = string(b)
}

// list codes the number of elements, at most limit, and then each of them.
func list[T any](c *coder, v *[]T, limit int, each func(*T)) {
	n := uint64(len(*v))
	c.uint(&n)
	if n > uint64(limit) {
		c.fail(ErrTooLong)
		return
	}
	if !c.reading {
		for i := range *v {
			each(&(*v)[i])
		}
		return
	}
	*v = nil
	for range n {
		var one T
		if each(&one); c.err != nil { // so a large count alone allocates nothing
			return
		}
		*v = append(*v, one)
	}
}
