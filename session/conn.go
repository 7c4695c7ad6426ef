package session

import (
	"errors"
	"net/netip"
	"sync"
	"time"
)

// Conn carries whole messages, in order. One goroutine reads and one writes; the others may be called by any.
type Conn interface {
	// Read waits for the next message, which the caller may keep. Its error has a method CloseCode() int when the
	// other side closed with a code.
	Read() ([]byte, error)
	// Write sends a message in one go, does not keep it, and gives up after 5 s.
	Write(message []byte) error
	// Close tells the other side why, and ends Read within half a second. It is called by the writing goroutine.
	Close(code int, reason string)
	// CloseNow ends Read and Write at once and frees everything.
	CloseNow()
	// SetReadLimit refuses longer messages from the next Read on.
	SetReadLimit(n int64)
	RemoteAddr() netip.AddrPort
}

// closeCode is the code that a Read ended with; 1006 when the connection broke without one.
func closeCode(err error) int {
	var c interface{ CloseCode() int }
	if errors.As(err, &c) {
		return c.CloseCode()
	}
	return 1006
}

// resumable says whether a client whose connection ended with code may come back for its seat.
func resumable(code int) bool {
	switch code {
	case 1001, 1005, 1006, CloseTimeout, CloseSlowConsumer:
		return true
	}
	return false
}

const (
	flushGap        = 2 * time.Millisecond // between two writes, unless nothing was written for longer
	busyFlushGap    = 5 * time.Millisecond // the same while more than a frame in 2 ms is sent: writes are what costs
	messageTarget   = 256 << 10            // messages are cut at the first frame beyond it
	lagBytes        = 64 << 10             // more waiting: no deltas
	lagTime         = 100 * time.Millisecond
	slowBytes       = 1 << 20 // more waiting: the end
	keptBufferBytes = 64 << 10
)

// link is the writing half of a Conn: a queue of frames and the goroutine that sends all that wait in one message.
type link struct {
	conn Conn
	wake chan struct{}
	done chan struct{} // closed when the writer has ended

	mu       sync.Mutex
	queue    []byte
	cuts     []int // where messages end inside the queue
	since    time.Time
	sends    int // how many made the queue
	extra    int // of the queue: snapshots, which may be large
	writing  int // bytes under way
	spare    []byte
	end      *ending
	endTimer *time.Timer
	sent     uint64
}

type ending struct {
	code int
	text string
}

func newLink(c Conn) *link {
	return &link{conn: c, wake: make(chan struct{}, 1), done: make(chan struct{})}
}

// send queues one or more whole frames. It is false when too much waits already: the link is then ending as a slow one.
func (l *link) send(frames []byte) bool { return l.enqueue(frames, 0) }

// sendLarge is send for a part of a snapshot or delta, which may be large and does not count as waiting.
func (l *link) sendLarge(frame []byte) { l.enqueue(frame, len(frame)) }

func (l *link) enqueue(frames []byte, extra int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.end != nil {
		return true
	}
	if len(l.queue) == 0 {
		l.since = time.Now()
	}
	last := 0
	if n := len(l.cuts); n > 0 {
		last = l.cuts[n-1]
	}
	if waiting := len(l.queue) - last; waiting > 0 && waiting+len(frames) > messageTarget {
		l.cuts = append(l.cuts, len(l.queue))
	}
	l.queue = append(l.queue, frames...)
	l.sends++
	l.extra += extra
	l.signal()
	return len(l.queue)-l.extra+l.writing <= slowBytes
}

func (l *link) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// finish sends what waits, closes with code, and cuts the connection if that takes longer than half a second.
func (l *link) finish(code int, text string, lastWords []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.end != nil {
		return
	}
	if code == CloseSlowConsumer {
		l.queue, l.cuts = nil, nil // it would not be read
	}
	l.queue = append(l.queue, lastWords...)
	l.end = &ending{code, cut(text, 123)} // RFC 6455 section 5.5: a control frame holds 125 bytes
	l.endTimer = time.AfterFunc(flushTimeout, l.conn.CloseNow)
	l.signal()
}

// lagging says whether deltas should wait.
func (l *link) lagging(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue)+l.writing > lagBytes || len(l.queue) > 0 && now.Sub(l.since) > lagTime
}

func (l *link) waiting() (bytes int, sent uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue) + l.writing, l.sent
}

// run is the writer. It ends after finish, when a write fails, or when stop is closed.
func (l *link) run(stop <-chan struct{}) {
	defer close(l.done)
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.endTimer != nil {
			l.endTimer.Stop()
		}
		if l.end == nil {
			l.end = &ending{} // nothing is queued any more
		}
		l.queue, l.spare = nil, nil
	}()
	var last time.Time
	gap := flushGap
	for {
		select {
		case <-l.wake:
		case <-stop:
			return
		}
		if pause := gap - time.Since(last); pause > 0 {
			time.Sleep(pause)
		}
		now := time.Now()
		sends, end, err := l.flush()
		gap = flushGap
		if sends > int(now.Sub(last)/flushGap) {
			gap = busyFlushGap
		}
		last = time.Now()
		if err != nil {
			l.conn.CloseNow()
			return
		}
		if end != nil {
			l.conn.Close(end.code, end.text)
			return
		}
	}
}

// flush writes all that waits and says how many sends that was.
func (l *link) flush() (sends int, end *ending, err error) {
	l.mu.Lock()
	batch, cuts, sends, end := l.queue, l.cuts, l.sends, l.end
	l.queue, l.cuts, l.sends, l.spare = l.spare[:0], nil, 0, nil
	l.writing, l.extra = len(batch)-l.extra, 0
	l.mu.Unlock()
	start := 0
	for _, cut := range append(cuts, len(batch)) {
		if start == cut {
			continue
		}
		if err := l.conn.Write(batch[start:cut]); err != nil {
			return sends, nil, err
		}
		start = cut
	}
	l.mu.Lock()
	l.writing = 0
	l.sent += uint64(len(batch))
	if cap(batch) <= keptBufferBytes && l.spare == nil {
		l.spare = batch
	}
	l.mu.Unlock()
	return sends, end, nil
}
