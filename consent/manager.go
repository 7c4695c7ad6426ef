package consent

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Answer is what the player pressed.
type Answer int

const (
	Deny             Answer = iota // also: Escape, the close box, anything that is not clear
	Allow                          // a clear yes
	DenyUntilRestart               // no, and stop asking; only where the question offered it
)

// Dialog shows one question. Show returns when the player answered or, with any answer, soon after ctx is done: then
// the dialog goes away. An error means that the question could not be shown. Show is never called twice at a time.
type Dialog interface {
	Show(ctx context.Context, q Question) (Answer, error)
}

// Manager puts questions to the player, one at a time. Its exported fields are set before the first call and not
// changed after; the methods may be called from any goroutine.
//
//   - Questions about one subject (game and host, with the port for addresses and the own network) share one answer.
//   - A question belongs to the page that was in the window when it was asked, and to the connection that asked. When
//     either goes, its dialog goes, and an answer that comes later counts for nothing.
//   - A page may ask about 8 hosts that get no yes; more are refused at once.
//   - After the second no to a host it is asked about again after 2 s, then 10 s, then a minute; the third question
//     offers to stop until restart. A yes ends this; it is kept in memory only.
//   - Before a question is shown, the list and the remembered answers are looked at again, with other processes of the
//     same game locked out until the answer is stored: two processes do not ask twice.
//   - The player has all the time in the world.
type Manager struct {
	Dialog  Dialog       // nil: there is no display, every question is denied
	LockDir string       // existing folder for the locks between processes; "": no locks
	Log     *slog.Logger // nil: discard

	mu         sync.Mutex // guards the fields below
	machine    machine
	waiting    map[uint64]chan<- outcome
	dismiss    context.CancelFunc // ends the current question; nil: none
	presenting bool               // present runs
	wake       chan struct{}      // tells present that the queue changed; made with it
	presenters sync.WaitGroup
}

var _ Prompter = (*Manager)(nil)

// Page stands for the document in the window. A Page that was replaced does nothing any more, so events that come
// late for an old document cannot end the questions of the new one.
type Page struct {
	m          *Manager
	generation uint64
}

// Page is the document that is in the window now. A new Manager starts with one.
func (m *Manager) Page() Page {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Page{m, m.machine.page}
}

// Next is called when another document replaces p: reload, navigation, or a new start after Close. Questions of p are
// cancelled.
func (p Page) Next() Page {
	p.turn(false)
	return p.m.Page()
}

// Close is called when the document went away and none follows: crash, window closed. Until Next every question is
// cancelled at once.
func (p Page) Close() { p.turn(true) }

func (p Page) turn(gone bool) {
	p.m.mu.Lock()
	defer p.m.mu.Unlock()
	if p.generation == p.m.machine.page {
		p.m.turnLocked(gone)
	}
}

type pageKey struct{}

// WithPage binds questions asked under ctx to p. Without it a question belongs to the page that is there when Ask is
// called.
func WithPage(ctx context.Context, p Page) context.Context {
	return context.WithValue(ctx, pageKey{}, p)
}

// Ask waits until the player answered. An error is a *RefusedError that says why there was no answer: the page or ctx
// ended, too many hosts, "stop asking", no display.
func (m *Manager) Ask(ctx context.Context, q Question) (bool, error) {
	if m.Dialog == nil {
		return false, refusedBy(q, m.unasked(q, "there is no display to ask the player on"))
	}
	if ctx.Err() != nil {
		return false, refusedBy(q, cancelled)
	}
	asker, answer, over := m.enqueue(ctx, q)
	if over != nil {
		return false, refusedBy(q, *over)
	}
	select {
	case o := <-answer:
		if o.code != "" {
			return false, refusedBy(q, o)
		}
		return o.yes, nil
	case <-ctx.Done():
		m.leave(asker)
		return false, refusedBy(q, cancelled)
	}
}

// Close cancels every question, now and later, and returns when the last dialog is gone.
func (m *Manager) Close() {
	m.mu.Lock()
	m.machine.closed = true
	m.turnLocked(true)
	m.mu.Unlock()
	m.presenters.Wait()
}

func (m *Manager) unasked(q Question, why string) outcome {
	if q.Kind == Host {
		logger(m.Log).Warn("could not ask whether people on the network may join: only this computer can", "err", why)
		return refusal(NobodyToAsk, why)
	}
	logger(m.Log).Warn("could not ask the player about a host; list it in network.allowedHosts of conch.json",
		"host", q.Target.HostPort(), "err", why)
	return refusal(NobodyToAsk, why+"; add it to "+listSetting)
}

func refusedBy(q Question, o outcome) error {
	return &RefusedError{Host: q.wish().about(), Code: o.code, Reason: o.reason}
}

func (m *Manager) enqueue(ctx context.Context, q Question) (uint64, <-chan outcome, *outcome) {
	m.mu.Lock()
	defer m.mu.Unlock()
	page := m.machine.page
	if p, ok := ctx.Value(pageKey{}).(Page); ok && p.m == m {
		page = p.generation
	}
	asker, over := m.machine.ask(page, q)
	if over != nil {
		return 0, nil, over
	}
	answer := make(chan outcome, 1)
	if m.waiting == nil {
		m.waiting = map[uint64]chan<- outcome{}
	}
	m.waiting[asker] = answer
	if m.presenting {
		m.wakeLocked()
		return asker, answer, nil
	}
	m.presenting, m.wake = true, make(chan struct{}, 1)
	m.presenters.Go(m.present)
	return asker, answer, nil
}

func (m *Manager) leave(asker uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.waiting, asker)
	if m.machine.leave(asker) && m.dismiss != nil {
		m.dismiss()
	}
	m.wakeLocked()
}

func (m *Manager) turnLocked(gone bool) {
	m.tellLocked(m.machine.turn(gone), cancelled)
	if m.dismiss != nil {
		m.dismiss()
	}
	m.wakeLocked()
}

func (m *Manager) tellLocked(askers []uint64, o outcome) {
	for _, asker := range askers {
		if answer, ok := m.waiting[asker]; ok {
			answer <- o // has room for the one outcome
			delete(m.waiting, asker)
		}
	}
}

func (m *Manager) wakeLocked() {
	if !m.presenting {
		return
	}
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// present shows what is queued, one question after the other, and ends when nothing is left.
func (m *Manager) present() {
	for {
		m.mu.Lock()
		p, wait := m.machine.open(time.Now())
		if p == nil && wait == 0 {
			m.presenting = false
			m.mu.Unlock()
			return
		}
		wake := m.wake
		if p != nil {
			ctx, dismiss := context.WithCancel(context.Background())
			m.dismiss = dismiss
			m.mu.Unlock()
			m.put(ctx, p)
			dismiss()
			continue
		}
		m.mu.Unlock()
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-wake:
			timer.Stop()
		}
	}
}

// put takes one question through to its end. ctx is done when the question died.
func (m *Manager) put(ctx context.Context, p *pending) {
	unlock, err := m.lock(ctx, p.q.Game)
	if err != nil && ctx.Err() == nil {
		logger(m.Log).Warn("another window of this game may ask the same", "err", err)
	}
	defer unlock()
	if p.q.recheck != nil {
		d := p.q.recheck(ctx)
		if d.Verdict == VerdictAllow {
			m.settle(p, outcome{yes: true})
			return
		}
		if d.Verdict == VerdictRefuse {
			m.settle(p, refusal(d.Code, d.Reason))
			return
		}
	}
	m.mu.Lock()
	q, ok := m.machine.show(p)
	m.mu.Unlock()
	if !ok {
		m.settle(p, cancelled)
		return
	}
	answer, err := m.Dialog.Show(ctx, q)
	if err != nil && ctx.Err() == nil {
		m.settle(p, m.unasked(q, "the player could not be asked: "+err.Error()))
		return
	}
	if ctx.Err() != nil {
		answer = Deny
	}
	if answer == Allow && q.commit != nil {
		q.commit(ctx) // before other processes may look, and before a socket opens
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tellLocked(m.machine.answered(time.Now(), p, answer))
	m.dismiss = nil
}

func (m *Manager) settle(p *pending, o outcome) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tellLocked(m.machine.settle(p, o))
	m.dismiss = nil
}

// lockPoll is how often a lock that another process holds is tried again. A blocking wait could not be called off.
const lockPoll = 100 * time.Millisecond

// lock keeps other processes of the game from asking until unlock, which is never nil. Without a lock the question is
// still asked.
func (m *Manager) lock(ctx context.Context, game string) (unlock func(), err error) {
	if m.LockDir == "" {
		return func() {}, nil
	}
	f, err := openLock(m.LockDir, game)
	if err != nil {
		return func() {}, err
	}
	unlock = func() { f.Close() }
	tick := time.NewTicker(lockPoll)
	defer tick.Stop()
	for {
		held, err := tryLock(f)
		if held || err != nil {
			return unlock, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return unlock, ctx.Err()
		}
	}
}
