package session

import "sync"

// Op is the outcome of a call, which may not be known yet. It fails when nothing was sent or the session ended, and
// succeeds with a status when the other side, or this one, found out what became of the call.
type Op[T any] struct {
	done   chan struct{}
	queue  *queue
	cancel func() bool

	mu      sync.Mutex
	settled bool
	result  T
	err     error
	then    []func()
}

func newOp[T any](q *queue) *Op[T] { return &Op[T]{done: make(chan struct{}), queue: q} }

// Done is closed when the outcome is known.
func (o *Op[T]) Done() <-chan struct{} { return o.done }

// Result is the outcome; the zero value before Done.
func (o *Op[T]) Result() (T, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.result, o.err
}

// OnDone has f called once, in Update, also when the outcome is known already.
func (o *Op[T]) OnDone(f func(T, error)) *Op[T] {
	o.mu.Lock()
	defer o.mu.Unlock()
	call := func() { f(o.Result()) }
	if o.settled {
		o.queue.push(item{run: call, keep: true})
	} else {
		o.then = append(o.then, call)
	}
	return o
}

// Cancel gives up a call of which nothing has left this computer; it is false when it may have.
func (o *Op[T]) Cancel() bool {
	o.mu.Lock()
	cancel := o.cancel
	o.mu.Unlock()
	return cancel != nil && cancel()
}

func (o *Op[T]) onCancel(f func() bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.cancel = f
}

func (o *Op[T]) settle(result T, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.settled {
		return
	}
	o.settled, o.result, o.err, o.cancel = true, result, err, nil
	close(o.done)
	for _, f := range o.then {
		o.queue.push(item{run: f, keep: true})
	}
	o.then = nil
}
