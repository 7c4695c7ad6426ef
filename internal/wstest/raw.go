package wstest

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"crypto/tls"
	"encoding/base64"
	"io"
	"log"
	"net"
	"net/http"
	"net/textproto"
	"strings"
	"sync"
	"testing"
)

// Conn is one connection to a Raw server, after the request head was read.
type Conn struct {
	net.Conn
	Head   string // the request exactly as it came, with the empty line
	Reader *bufio.Reader
	Done   <-chan struct{} // closed when the server is being closed
}

// Header returns one header of the request.
func (c *Conn) Header(name string) string {
	h, _ := c.headers()
	return h.Get(name)
}

func (c *Conn) headers() (http.Header, error) {
	_, rest, _ := strings.Cut(c.Head, "\r\n")
	h, err := textproto.NewReader(bufio.NewReader(strings.NewReader(rest))).ReadMIMEHeader()
	return http.Header(h), err
}

// Accept is the right Sec-WebSocket-Accept for the request.
func (c *Conn) Accept() string {
	sum := sha1.Sum([]byte(c.Header("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// Switch is a right 101 head with extra lines ("Name: value") in it.
func (c *Conn) Switch(extra ...string) string {
	head := "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Accept: " + c.Accept() + "\r\n"
	for _, l := range extra {
		head += l + "\r\n"
	}
	return head + "\r\n"
}

// Raw is a TCP server that does with a handshake whatever the test wants.
type Raw struct {
	Addr string

	secure bool
	mu     sync.Mutex
	conns  map[net.Conn]struct{}
	heads  []string
	opened int
	closed bool
}

// ServeRaw runs handle for every connection, once its request head is there.
// The connection is closed when handle returns. cert nil means no TLS.
func ServeRaw(t testing.TB, cert *tls.Certificate, handle func(*Conn)) *Raw {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Raw{Addr: l.Addr().String(), secure: cert != nil, conns: map[net.Conn]struct{}{}}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if !s.track(c) {
				continue
			}
			wg.Go(func() {
				defer s.forget(c)
				s.serve(c, cert, stop, handle)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		close(stop)
		s.mu.Lock()
		s.closed = true
		for c := range s.conns {
			c.Close()
		}
		s.mu.Unlock()
		wg.Wait()
	})
	return s
}

func (s *Raw) track(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		c.Close()
		return false
	}
	s.conns[c] = struct{}{}
	s.opened++
	return true
}

func (s *Raw) forget(c net.Conn) {
	c.Close()
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
}

func (s *Raw) serve(c net.Conn, cert *tls.Certificate, stop <-chan struct{}, handle func(*Conn)) {
	if cert != nil {
		c = tls.Server(c, &tls.Config{Certificates: []tls.Certificate{*cert}, NextProtos: []string{"http/1.1"}})
	}
	br := bufio.NewReader(c)
	var head bytes.Buffer
	for !bytes.HasSuffix(head.Bytes(), []byte("\r\n\r\n")) {
		b, err := br.ReadByte()
		if err != nil {
			return
		}
		head.WriteByte(b)
	}
	s.mu.Lock()
	s.heads = append(s.heads, head.String())
	s.mu.Unlock()
	handle(&Conn{Conn: c, Head: head.String(), Reader: br, Done: stop})
}

// URL is the address of path on this server.
func (s *Raw) URL(path string) string {
	if s.secure {
		return "wss://" + s.Addr + path
	}
	return "ws://" + s.Addr + path
}

// Heads are the request heads seen so far, byte for byte.
func (s *Raw) Heads() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.heads...)
}

// Opened is the number of TCP connections accepted so far.
func (s *Raw) Opened() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened
}

// Answer writes text as it is and then waits for the peer to close.
func Answer(text string) func(*Conn) {
	return func(c *Conn) {
		io.WriteString(c, text)
		io.Copy(io.Discard, c.Reader)
	}
}

// The handshakes that go wrong, and one that is merely quick.
var (
	Redirect     = Answer("HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:1/elsewhere\r\nContent-Length: 0\r\n\r\n")
	Unauthorized = Answer("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n")
	Forbidden    = Answer("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
	PlainPage    = Answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
	NotHTTP      = Answer("SSH-2.0-OpenSSH_9.2\r\n")
	BadAccept    = Answer("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n")
)

// HangUp closes without an answer.
func HangUp(*Conn) {}

// Silent never answers.
func Silent(c *Conn) { io.Copy(io.Discard, c.Reader) }

// CloseInPacket sends the 101, a text "hi" and a Close 1000 in one packet.
func CloseInPacket(c *Conn) {
	io.WriteString(c, c.Switch("Set-Cookie: a=b", "Server: raw")+"\x81\x02hi\x88\x02\x03\xe8")
	io.Copy(io.Discard, c.Reader)
}

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }
