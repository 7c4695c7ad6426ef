package session

import (
	"log/slog"
	"sync"
	"time"

	"conch/session/wire"
)

// Call is a call from another node, for a Handler.
type Call struct {
	Name   string
	Object uint64 // 0: the session
	From   uint64 // a connection id
	Args   []byte // the handler may keep it

	mu       sync.Mutex
	deferred bool
	answered bool
	answer   func(Status, []byte) // nil: nobody waits for it
}

// Handler runs in Update. A call that it neither answers nor defers is answered with no value when it returns; one
// whose handler panics is answered with StatusHandlerThrew.
type Handler func(*Call)

// Reply answers with a value of at most 64 KiB. Only the first answer counts.
func (c *Call) Reply(value []byte) {
	if len(value) > wire.MaxReply {
		c.finish(StatusTooLarge, nil)
		return
	}
	c.finish(StatusOK, value)
}

// Reject answers that the call is refused.
func (c *Call) Reject() { c.finish(StatusRejected, nil) }

// Fail answers that the handler failed.
func (c *Call) Fail() { c.finish(StatusHandlerThrew, nil) }

// Defer lets the handler return and answer later, from any goroutine.
func (c *Call) Defer() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deferred = true
}

// WantsReply says whether anybody waits for an answer.
func (c *Call) WantsReply() bool { return c.answer != nil }

func (c *Call) finish(s Status, value []byte) {
	c.mu.Lock()
	answered := c.answered
	c.answered = true
	c.mu.Unlock()
	if !answered && c.answer != nil {
		c.answer(s, value)
	}
}

// handlers are the functions that others may call.
type handlers struct {
	mu  sync.Mutex
	all map[string]handler
}

type handler struct {
	f      Handler
	anyone bool
}

func (h *handlers) set(name string, f Handler, anyone bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all == nil {
		h.all = map[string]handler{}
	}
	if f == nil {
		delete(h.all, name)
		return
	}
	h.all[name] = handler{f, anyone}
}

func (h *handlers) clear() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.all)
}

// find is the handler for name, or the one for every name.
func (h *handlers) find(name string) (handler, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f, ok := h.all[name]
	if !ok {
		f, ok = h.all[""]
	}
	return f, ok
}

// run calls f and says whether it panicked.
func (c *Call) run(f Handler, log *slog.Logger) (threw bool) {
	defer func() {
		if p := recover(); p != nil {
			threw = true
			log.Error("handler of a call panicked", "call", c.Name, "peer", c.From, "err", p)
			c.Fail()
		}
	}()
	f(c)
	c.mu.Lock()
	deferred := c.deferred
	c.mu.Unlock()
	if !deferred {
		c.finish(StatusOK, nil)
	}
	return false
}

// outgoing is a call that waits for its result.
type outgoing struct {
	id     uint64
	object uint64
	name   string
	args   []byte
	at     time.Time // when it was made
	until  time.Time
	done   func(CallResult, error)
}

// told is the status that the other side told. Those that only this side can find out mean nothing from there.
func told(s Status) Status {
	if s > StatusTooLarge {
		return StatusUnknown
	}
	return s
}

// checkCall says what is wrong with a call before it is made. A wrong name is a mistake of the program.
func checkCall(name string, args []byte, most int) (Status, error) {
	if name == "" || len(name) > wire.MaxCallName {
		return 0, errCallName
	}
	if len(args) > most {
		return StatusTooLarge, nil
	}
	return StatusOK, nil
}

// Answer answers with a status of the caller's choice: for those who pass calls on to others who decide.
func (c *Call) Answer(s Status, value []byte) { c.finish(s, value) }
