package runtime

import (
	"context"
	"io"
	"net"
	"net/http"
)

// gatherSize holds the headers of a response and a small body. What is larger goes out beside it, without a copy.
const gatherSize = 8 << 10

// gatherConn sends a small response in one packet. net/http has a buffer of 4 KiB, so headers and body of most files
// leave it in two writes, and each costs more than all else that is done for such a file.
//
// Only the goroutine that serves the connection touches the fields; Close may come from any and sends nothing.
type gatherConn struct {
	*net.TCPConn
	held []byte // written by net/http and not sent yet
	on   bool   // writes are held until the response has ended
}

type gatherKey struct{}

// gather holds the response to r back until it is complete. Call it only before a response that is in memory: net/http
// says that the response has ended by http.StateIdle, so the connection must be one that is used again.
func gather(r *http.Request) {
	if r.Method != http.MethodGet || r.Close || r.Body != http.NoBody || !r.ProtoAtLeast(1, 1) {
		return
	}
	if c, ok := r.Context().Value(gatherKey{}).(*gatherConn); ok {
		c.on = true
	}
}

// release sends what is held. A connection that does not take it is of no more use.
func (c *gatherConn) release() {
	c.on = false
	if len(c.held) == 0 {
		return
	}
	_, err := c.TCPConn.Write(c.held)
	c.held = c.held[:0]
	if err != nil {
		c.Close()
	}
}

func (c *gatherConn) Write(p []byte) (int, error) {
	if !c.on {
		return c.TCPConn.Write(p)
	}
	if c.held == nil {
		c.held = make([]byte, 0, gatherSize)
	}
	if len(c.held)+len(p) <= cap(c.held) {
		c.held = append(c.held, p...)
		return len(p), nil
	}
	both := net.Buffers{c.held, p}
	before := int64(len(c.held))
	c.on, c.held = false, c.held[:0]
	n, err := both.WriteTo(c.TCPConn)
	return int(max(n-before, 0)), err
}

// ReadFrom keeps sendfile.
func (c *gatherConn) ReadFrom(r io.Reader) (int64, error) {
	c.release()
	return c.TCPConn.ReadFrom(r)
}

// gatherListener makes the connections.
type gatherListener struct{ net.Listener }

func (l gatherListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &gatherConn{TCPConn: c.(*net.TCPConn)}, nil
}

func withGather(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, gatherKey{}, c)
}
