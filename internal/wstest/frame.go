package wstest

import (
	"encoding/binary"
	"errors"
	"io"
)

// Frame is one WebSocket frame as it was on the wire, unmasked.
type Frame struct {
	Fin, Masked bool
	RSV         byte // the three reserved bits; 4 is permessage-deflate
	Op          byte
	Payload     []byte
}

// ReadFrame reads one frame (RFC 6455 section 5.2) of at most 64 MiB.
func ReadFrame(r io.Reader) (Frame, error) {
	var h [8]byte
	if _, err := io.ReadFull(r, h[:2]); err != nil {
		return Frame{}, err
	}
	f := Frame{Fin: h[0]&0x80 != 0, RSV: h[0] >> 4 & 7, Op: h[0] & 15, Masked: h[1]&0x80 != 0}
	n := uint64(h[1] & 0x7f)
	switch n {
	case 126:
		if _, err := io.ReadFull(r, h[:2]); err != nil {
			return Frame{}, err
		}
		n = uint64(binary.BigEndian.Uint16(h[:2]))
	case 127:
		if _, err := io.ReadFull(r, h[:8]); err != nil {
			return Frame{}, err
		}
		n = binary.BigEndian.Uint64(h[:8])
	}
	if n > 64<<20 {
		return Frame{}, errors.New("wstest: frame too long")
	}
	var mask [4]byte
	if f.Masked {
		if _, err := io.ReadFull(r, mask[:]); err != nil {
			return Frame{}, err
		}
	}
	f.Payload = make([]byte, n)
	if _, err := io.ReadFull(r, f.Payload); err != nil {
		return Frame{}, err
	}
	if f.Masked {
		for i := range f.Payload {
			f.Payload[i] ^= mask[i%4]
		}
	}
	return f, nil
}

// Sniff accepts a WebSocket and sends every frame it reads to frames. The
// channel is not closed; a frame that nobody takes ends with the server.
func Sniff(frames chan<- Frame) func(*Conn) {
	return func(c *Conn) {
		io.WriteString(c, c.Switch())
		for {
			f, err := ReadFrame(c.Reader)
			if err != nil {
				return
			}
			select {
			case frames <- f:
			case <-c.Done:
				return
			}
		}
	}
}
