package main

import (
	"log/slog"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

const (
	writeWait = 5 * time.Second  // for one frame to leave
	closeWait = time.Second      // for the other side to answer a close
	pingEvery = 20 * time.Second // WebSocket pings; a browser answers by itself
	readWait  = 50 * time.Second // without any frame, pongs included, the client is gone
)

// session is what a connection is for. Its methods are called by one goroutine; an error ends the
// connection with 1008 and the error's text.
type session interface {
	binary([]byte) error
	text([]byte) error
	end()
}

// client is one WebSocket connection: run reads, one goroutine of its own writes.
type client struct {
	conn  *websocket.Conn
	out   chan *message
	log   *slog.Logger
	quit  chan struct{} // closed by drop
	ended chan struct{} // closed when reading ended

	dropOnce sync.Once
	code     int // set once, before quit is closed
	reason   string
}

func newClient(conn *websocket.Conn, queue int, log *slog.Logger) *client {
	return &client{
		conn: conn, log: log,
		out:   make(chan *message, queue),
		quit:  make(chan struct{}),
		ended: make(chan struct{}),
	}
}

// send queues m without waiting. A client whose queue is full is too slow and dropped.
func (c *client) send(m *message) {
	select {
	case c.out <- m:
	default:
		c.drop(closeTooSlow, "too slow")
	}
}

// drop ends the connection with a close frame, from any goroutine and at once. The first call counts.
func (c *client) drop(code int, reason string) {
	c.dropOnce.Do(func() {
		c.code, c.reason = code, reason
		// A write that is stuck in the socket is not waited for.
		c.conn.NetConn().SetWriteDeadline(time.Now().Add(closeWait))
		close(c.quit)
	})
}

// why says how the connection ended; valid after run.
func (c *client) why() string { return c.reason }

// run reads until the connection ends and returns after the writer ended too.
func (c *client) run(s session) {
	var writer sync.WaitGroup
	writer.Go(c.write)
	c.read(s)
	close(c.ended)
	s.end()
	writer.Wait()
}

func (c *client) read(s session) {
	c.conn.SetReadLimit(maxMessage)
	c.conn.SetReadDeadline(time.Now().Add(readWait))
	c.conn.SetPongHandler(func(string) error { return c.conn.SetReadDeadline(time.Now().Add(readWait)) })
	frames := bucket{rate: 60, size: 120}
	for {
		kind, b, err := c.conn.ReadMessage()
		if err != nil {
			c.drop(0, err.Error())
			return
		}
		select {
		case <-c.quit:
			continue // only waiting for the answer to our close
		default:
		}
		if !frames.take(time.Now()) {
			c.drop(websocket.ClosePolicyViolation, "too many messages")
			continue
		}
		c.conn.SetReadDeadline(time.Now().Add(readWait))
		handle := s.text
		if kind == websocket.BinaryMessage {
			handle = s.binary
		}
		if err := handle(b); err != nil {
			c.log.Info("dropped", "err", err)
			c.drop(websocket.ClosePolicyViolation, closeText(err))
		}
	}
}

// write is the only writer. After the close frame it waits for the reader to see the answer.
func (c *client) write() {
	defer c.conn.Close()
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		select {
		case <-c.quit:
			c.sayGoodbye()
			return
		case m := <-c.out:
			c.conn.SetWriteDeadline(time.Now().Add(writeWait))
			c.conn.EnableWriteCompression(m.compress)
			if err := c.conn.WritePreparedMessage(m.PreparedMessage); err != nil {
				c.drop(0, err.Error())
				return
			}
		case <-ping.C:
			if err := c.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeWait)); err != nil {
				c.drop(0, err.Error())
				return
			}
		}
	}
}

func (c *client) sayGoodbye() {
	if c.code == 0 {
		return // the other side is gone
	}
	m := websocket.FormatCloseMessage(c.code, c.reason)
	if c.conn.WriteControl(websocket.CloseMessage, m, time.Now().Add(closeWait)) != nil {
		return
	}
	limit := time.NewTimer(closeWait)
	defer limit.Stop()
	select {
	case <-c.ended:
	case <-limit.C:
	}
}

// closeText is the error as a close reason, which has room for 123 bytes.
func closeText(err error) string { return cleanText(err.Error(), 30) }

// bucket allows rate messages a second on average and size of them at once.
type bucket struct {
	rate, size float64
	used       float64
	at         time.Time
}

func (b *bucket) take(now time.Time) bool {
	b.used = max(0, b.used-now.Sub(b.at).Seconds()*b.rate)
	b.at = now
	if b.used+1 > b.size {
		return false
	}
	b.used++
	return true
}
