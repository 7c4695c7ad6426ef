package session

import (
	"bytes"
	"slices"
	"time"

	"conch/session/wire"
)

// OnRPC sets the function that the host may call by name; "" stands for every name without one of its own, nil takes it
// away.
func (c *Client) OnRPC(name string, f Handler) { c.handlers.set(name, f, true) }

// SendRPCToHost calls a function on the host, on an object that this client owns or with 0 on the session.
func (c *Client) SendRPCToHost(name string, object uint64, args []byte) *Op[CallResult] {
	op := newOp[CallResult](c.queue)
	c.mu.Lock()
	defer c.mu.Unlock()
	status, err := checkCall(name, args, int(c.welcome.Limits.Args))
	switch {
	case err != nil:
		op.settle(CallResult{}, err)
	case c.phase != clientActive:
		op.settle(CallResult{}, ErrNotActive)
	case status != StatusOK:
		op.settle(CallResult{Connection: HostID, Status: status}, nil)
	case len(c.calls)+len(c.withheld) >= int(c.welcome.Limits.CallsInFlight):
		op.settle(CallResult{Connection: HostID, Status: StatusQueueFull}, nil)
	default:
		now := time.Now()
		o := &outgoing{object: object, name: name, args: bytes.Clone(args), at: now, until: now.Add(callTimeout), done: op.settle}
		if c.link != nil {
			c.startLocked(o)
			break
		}
		c.withheld = append(c.withheld, o)
		op.onCancel(func() bool { return c.cancelCall(o) })
	}
	return op
}

// Notify calls a function on the host without wanting a result. It is lost when there is no connection.
func (c *Client) Notify(name string, object uint64, args []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	status, err := checkCall(name, args, int(c.welcome.Limits.Args))
	switch {
	case err != nil:
		return err
	case c.phase != clientActive:
		return ErrNotActive
	case status != StatusOK:
		return ErrTooLarge
	}
	c.sendLocked(&wire.RPC{Object: object, Name: name, Args: args})
	return nil
}

func (c *Client) hostOnly() *Op[CallResult] {
	op := newOp[CallResult](c.queue)
	op.settle(CallResult{}, ErrNotAuthority)
	return op
}

// SendRPCToConnection always fails: it is for the host.
func (c *Client) SendRPCToConnection(string, uint64, []byte, uint64) *Op[CallResult] {
	return c.hostOnly()
}

// SendRPCToOwner always fails: it is for the host.
func (c *Client) SendRPCToOwner(string, uint64, []byte) *Op[CallResult] { return c.hostOnly() }

// SendRPCMulticast always fails: it is for the host.
func (c *Client) SendRPCMulticast(string, uint64, []byte, []uint64) *Op[[]CallResult] {
	op := newOp[[]CallResult](c.queue)
	op.settle(nil, ErrNotAuthority)
	return op
}

func (c *Client) startLocked(o *outgoing) {
	c.nextCall++
	o.id = c.nextCall
	c.calls[o.id] = o
	c.sendLocked(&wire.RPC{Call: o.id, Object: o.object, Name: o.name, Args: o.args})
	o.args = nil
}

func (c *Client) cancelCall(o *outgoing) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.withheld, o)
	if i < 0 {
		return false
	}
	c.withheld = slices.Delete(c.withheld, i, i+1)
	o.done(CallResult{}, errCancelled)
	return true
}

func (c *Client) resultLocked(f *wire.Result, now time.Time) {
	o := c.calls[f.Call]
	if o == nil {
		return // came too late
	}
	delete(c.calls, f.Call)
	o.done(CallResult{Connection: HostID, Status: told(f.Status), Value: f.Value, RTT: now.Sub(o.at)}, nil)
}

func (c *Client) expireCallsLocked(now time.Time) {
	for id, o := range c.calls {
		if now.After(o.until) {
			delete(c.calls, id)
			o.done(CallResult{Connection: HostID, Status: StatusTimeout}, nil)
		}
	}
	c.withheld = slices.DeleteFunc(c.withheld, func(o *outgoing) bool {
		late := now.After(o.until)
		if late {
			o.done(CallResult{Connection: HostID, Status: StatusNotReady}, nil)
		}
		return late
	})
}

func (c *Client) failCallsLocked(s Status, err error) {
	for id, o := range c.calls {
		delete(c.calls, id)
		o.done(CallResult{Connection: HostID, Status: s}, err)
	}
	if err == nil {
		return
	}
	for _, o := range c.withheld {
		o.done(CallResult{}, err)
	}
	c.withheld = nil
}

// callLocked queues a call of the host.
func (c *Client) callLocked(l *link, f *wire.RPC, from uint64) {
	call := &Call{Name: f.Name, Object: f.Object, From: from, Args: f.Args}
	if f.Call != 0 {
		call.answer = func(s Status, value []byte) {
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.link == l {
				c.sendLocked(&wire.Result{Call: f.Call, Status: s, Value: value})
			}
		}
	}
	if !c.queue.offer(item{bytes: len(f.Args) + len(f.Name), run: func() { c.runCall(call) }}) && f.Call != 0 {
		c.sendLocked(&wire.Result{Call: f.Call, Status: StatusQueueFull})
	}
}

func (c *Client) runCall(call *Call) {
	c.emitObjects()
	f, ok := c.handlers.find(call.Name)
	if !ok {
		call.finish(StatusNoHandler, nil)
		return
	}
	if call.Object != 0 {
		if _, ok := c.Object(call.Object); !ok {
			call.finish(StatusNoObject, nil)
			return
		}
	}
	call.run(f.f, c.o.Log)
}
