package netsock

import (
	"errors"
	"net"
	"os"
	"time"
)

// Kernel buffers. The page sees its socket's own loopback buffers as "sent",
// so they are kept small: a game that paces itself by bufferedAmount is told
// about the server, not about this relay.
const pageBuffer = 64 << 10

func tunePage(c *net.TCPConn) {
	c.SetReadBuffer(pageBuffer)
	c.SetWriteBuffer(pageBuffer)
}

// ended is how an open socket ended.
type ended struct {
	up, down int64 // payload and framing bytes, page to server and back
	lost     bool  // one side was reset
}

// pipe answers the page's upgrade and copies until both directions are done.
// An end of file in one direction is passed on and the other goes on for a
// while: a server closes TCP first after the closing handshake, and a relay
// that then dropped both directions would cut off data in flight.
func (s *socket) pipe(early []byte, ans answer, hostPort string) ended {
	type copied struct {
		n   int64
		err error
	}
	pageDone := make(chan struct{}) // closed once the page has ended its side
	up := make(chan copied, 1)
	go func() {
		n, err := s.up(early)
		if err == nil {
			close(pageDone)
		}
		s.finish(err, s.far, s.page, s.relay.limits.farLinger)
		up <- copied{n, err}
	}()

	down, err := s.down(ans)
	if err == nil {
		select {
		case <-pageDone:
		default:
			s.relay.reasons.note(s.req.ID, hostPort+" closed the connection")
		}
	}
	s.finish(err, s.page, s.far, s.relay.limits.pageLinger)
	u := <-up
	return ended{up: u.n, down: down, lost: !s.isStopped() && (isLoss(u.err) || isLoss(err))}
}

func (s *socket) up(early []byte) (int64, error) {
	if len(early) > 0 {
		if _, err := s.far.Write(early); err != nil {
			return 0, err
		}
	}
	n, err := s.far.send(s.page)
	return n + int64(len(early)), err
}

func (s *socket) down(ans answer) (int64, error) {
	// One write: a Close frame may have come in the packet of the 101.
	if _, err := s.page.Write(append(ans.head(), ans.rest...)); err != nil {
		return 0, err
	}
	n, err := s.far.receive(s.page)
	return n + int64(len(ans.rest)), err
}

// halves is what finish needs of an end.
type halves interface {
	CloseWrite() error
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
}

// finish is called when copying from src to dst has ended. After an end of
// file dst gets it too and has linger to end its own direction; a reset goes
// to both ends at once.
func (s *socket) finish(err error, dst, src halves, linger time.Duration) {
	if err == nil {
		if err = dst.CloseWrite(); err == nil {
			t := time.Now().Add(linger)
			dst.SetReadDeadline(t)
			src.SetWriteDeadline(t)
			return
		}
	}
	if isLoss(err) && !s.isStopped() {
		s.relay.reasons.note(s.req.ID, "the connection was lost")
		s.far.abort()
		reset(s.page)
	}
}

// isLoss tells a broken connection from one that we closed ourselves or that
// used up its linger.
func isLoss(err error) bool {
	return err != nil && !errors.Is(err, net.ErrClosed) && !errors.Is(err, os.ErrDeadlineExceeded)
}
