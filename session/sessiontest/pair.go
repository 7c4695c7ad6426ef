// Package sessiontest connects session nodes in memory, so that their rules can be tested in virtual time. Its Conn has
// the methods of session.Conn.
package sessiontest

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"
)

const (
	// Buffer is how many bytes a direction holds before a Write waits.
	Buffer       = 256 << 10
	writeTimeout = 5 * time.Second
	closeTimeout = 500 * time.Millisecond
)

// Options of a Pair. The zero value is a fast connection from 192.168.1.2.
type Options struct {
	Client netip.AddrPort       // whom the host sees
	Delay  func() time.Duration // of each message, one way; messages keep their order
}

// Conn is one end of a connection in memory.
type Conn struct {
	in, out *pipe
	addr    netip.AddrPort
}

// Pair connects a client with a host.
func Pair(o Options) (client, host *Conn) {
	if !o.Client.IsValid() {
		o.Client = netip.MustParseAddrPort("192.168.1.2:40000")
	}
	up, down := newPipe(o.Delay), newPipe(o.Delay)
	return &Conn{in: down, out: up, addr: netip.MustParseAddrPort("192.168.1.1:24642")}, &Conn{in: up, out: down, addr: o.Client}
}

// CloseError is how a connection ended.
type CloseError struct {
	Code   int
	Reason string
}

func (e *CloseError) Error() string { return fmt.Sprintf("closed with %d %q", e.Code, e.Reason) }

// CloseCode is the code, as session asks for it.
func (e *CloseError) CloseCode() int { return e.Code }

var errTimeout = errors.New("write timed out")

// Read waits for the next message.
func (c *Conn) Read() ([]byte, error) { return c.in.read() }

// Write sends a message, and waits while the other side does not read.
func (c *Conn) Write(message []byte) error { return c.out.write(message) }

// Close tells the other side why. Reading ends within half a second.
func (c *Conn) Close(code int, reason string) {
	if code != 0 {
		c.out.close(&CloseError{code, reason}, false)
	}
	time.AfterFunc(closeTimeout, func() { c.in.close(&CloseError{1006, "closed here"}, true) })
}

// CloseNow ends both directions without a word.
func (c *Conn) CloseNow() {
	c.out.close(&CloseError{1006, "connection lost"}, false)
	c.in.close(&CloseError{1006, "closed here"}, true)
}

// Vanish makes what both sides send from now on disappear, as when a cable is pulled.
func (c *Conn) Vanish() {
	c.in.vanish()
	c.out.vanish()
}

// SetReadLimit refuses longer messages.
func (c *Conn) SetReadLimit(n int64) {
	c.in.mu.Lock()
	defer c.in.mu.Unlock()
	c.in.limit = n
}

// RemoteAddr is the other side's address.
func (c *Conn) RemoteAddr() netip.AddrPort { return c.addr }

// pipe is one direction.
type pipe struct {
	delay func() time.Duration

	mu     sync.Mutex
	cond   *sync.Cond
	queue  []timed
	size   int
	limit  int64
	end    error
	lost   bool
	latest time.Time
}

type timed struct {
	message []byte
	at      time.Time
}

func newPipe(delay func() time.Duration) *pipe {
	p := &pipe{delay: delay}
	p.cond = sync.NewCond(&p.mu)
	return p
}

func (p *pipe) write(message []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	until := time.Now().Add(writeTimeout)
	for p.size > Buffer && p.end == nil && !p.lost {
		if !time.Now().Before(until) {
			return errTimeout
		}
		t := time.AfterFunc(time.Until(until), p.cond.Broadcast)
		p.cond.Wait()
		t.Stop()
	}
	if p.end != nil {
		return p.end
	}
	if p.lost {
		return nil
	}
	at := time.Now()
	if p.delay != nil {
		at = at.Add(p.delay())
	}
	if at.Before(p.latest) {
		at = p.latest
	}
	p.latest = at
	p.queue = append(p.queue, timed{bytes.Clone(message), at})
	p.size += len(message)
	p.cond.Broadcast()
	return nil
}

func (p *pipe) read() ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if len(p.queue) > 0 {
			wait := time.Until(p.queue[0].at)
			if wait <= 0 {
				break
			}
			t := time.AfterFunc(wait, p.cond.Broadcast)
			p.cond.Wait()
			t.Stop()
			continue
		}
		if p.end != nil {
			return nil, p.end
		}
		p.cond.Wait()
	}
	m := p.queue[0].message
	p.queue = p.queue[1:]
	p.size -= len(m)
	p.cond.Broadcast()
	if p.limit > 0 && int64(len(m)) > p.limit {
		return nil, &CloseError{1009, "message is too long"}
	}
	return m, nil
}

// close ends the direction, after what is under way unless now is set.
func (p *pipe) close(err error, now bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now {
		p.queue, p.size = nil, 0
	}
	if p.end == nil && !(p.lost && !now) {
		p.end = err
	}
	p.cond.Broadcast()
}

func (p *pipe) vanish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lost = true
	p.queue, p.size = nil, 0
	p.cond.Broadcast()
}
