package netsock

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// leg is the connection to the server.
type leg interface {
	io.ReadWriteCloser // Close does not wait and sends nothing but a FIN
	CloseWrite() error // tells the server that no more bytes come
	SetDeadline(time.Time) error
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
	abort() // closes with a reset

	send(page *net.TCPConn) (int64, error)    // copies page to server until EOF
	receive(page *net.TCPConn) (int64, error) // copies server to page until EOF
}

// plainLeg is a ws:// server. Both copies are spliced in the kernel on Linux.
type plainLeg struct{ *net.TCPConn }

func (l plainLeg) send(page *net.TCPConn) (int64, error)    { return io.Copy(l.TCPConn, page) }
func (l plainLeg) receive(page *net.TCPConn) (int64, error) { return io.Copy(page, l.TCPConn) }
func (l plainLeg) abort()                                   { reset(l.TCPConn) }

// reset closes c so that the other end sees a connection reset.
func reset(c *net.TCPConn) {
	c.SetLinger(0)
	c.Close()
}

// Buffers of one direction of a TLS leg: most sockets carry little, so they
// start small and grow when a read fills them.
const (
	minBuffer = 4 << 10
	maxBuffer = 64 << 10
)

func grown(b []byte) []byte {
	if len(b) < maxBuffer {
		return make([]byte, min(4*len(b), maxBuffer))
	}
	return b
}

// tlsLeg is a wss:// server. crypto/tls hands out and sends one record of at
// most 16 KiB at a time. Passing each on alone wakes both neighbours four
// times as often as the traffic needs, which costs a third of the rate, so
// records that are there together travel together.
type tlsLeg struct {
	*tls.Conn
	wire *wire
}

func (l *tlsLeg) abort()       { reset(l.wire.TCPConn) }
func (l *tlsLeg) Close() error { return l.wire.TCPConn.Close() }

// CloseWrite sends close_notify and then the FIN: there are servers that
// wait for one and servers that wait for the other.
func (l *tlsLeg) CloseWrite() error {
	err := l.Conn.CloseWrite()
	return errors.Join(err, l.wire.TCPConn.CloseWrite())
}

func (l *tlsLeg) send(page *net.TCPConn) (total int64, err error) {
	buf := make([]byte, minBuffer)
	for {
		n, rerr := page.Read(buf)
		if n > 0 {
			l.wire.cork()
			_, werr := l.Conn.Write(buf[:n])
			if err := errors.Join(werr, l.wire.uncork()); err != nil {
				return total, err
			}
			total += int64(n)
		}
		if rerr == io.EOF {
			return total, nil
		}
		if rerr != nil {
			return total, rerr
		}
		if n == len(buf) {
			buf = grown(buf)
		}
	}
}

func (l *tlsLeg) receive(page *net.TCPConn) (total int64, err error) {
	buf := make([]byte, minBuffer)
	for {
		n, rerr := l.gather(buf)
		if n > 0 {
			m, err := page.Write(buf[:n])
			total += int64(m)
			if err != nil {
				return total, err
			}
		}
		if rerr == io.EOF || errors.Is(rerr, io.ErrUnexpectedEOF) {
			return total, nil // a FIN without close_notify is common
		}
		if rerr != nil {
			return total, rerr
		}
		if n == len(buf) {
			buf = grown(buf)
		}
	}
}

// gather waits for the first bytes and adds what has already arrived.
func (l *tlsLeg) gather(buf []byte) (int, error) {
	n, err := l.Conn.Read(buf)
	l.wire.dry = true
	for err == nil && n < len(buf) {
		var m int
		m, err = l.Conn.Read(buf[n:])
		n += m
	}
	l.wire.dry = false
	if errors.Is(err, errDry) {
		err = nil
	}
	return n, err
}

// wire is the TCP connection under a TLS leg. It reads ahead, so that gather
// can ask for more without waiting, and holds back records while corked.
type wire struct {
	*net.TCPConn

	// Used by the one goroutine that reads.
	in      []byte
	pending []byte // the part of in that was not handed out
	dry     bool   // do not wait: errDry instead

	mu     sync.Mutex // crypto/tls also writes from its reading side
	corked bool
	out    []byte
}

// errDry is temporary in the sense of net.Error, which crypto/tls takes as
// "try again later", as it does an expired read deadline.
var errDry error = dryError{}

type dryError struct{}

func (dryError) Error() string   { return "nothing has arrived" }
func (dryError) Timeout() bool   { return false }
func (dryError) Temporary() bool { return true }

func (w *wire) Read(p []byte) (int, error) {
	if len(w.pending) == 0 {
		if w.dry {
			return 0, errDry
		}
		if w.in == nil {
			w.in = make([]byte, minBuffer)
		}
		n, err := w.TCPConn.Read(w.in)
		if err != nil {
			return n, err
		}
		w.pending = w.in[:n]
		if n == len(w.in) {
			w.in = grown(w.in)
		}
	}
	n := copy(p, w.pending)
	w.pending = w.pending[n:]
	return n, nil
}

func (w *wire) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.corked {
		return w.TCPConn.Write(p)
	}
	w.out = append(w.out, p...)
	return len(p), nil
}

func (w *wire) cork() {
	w.mu.Lock()
	w.corked = true
	w.mu.Unlock()
}

func (w *wire) uncork() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.corked = false
	_, err := w.TCPConn.Write(w.out)
	w.out = w.out[:0]
	return err
}
