package consent

import "time"

// maxAsked is how many hosts without a yes one page may ask about. A page that goes on to new names after each no
// would otherwise never let the player go.
const maxAsked = 8

// patience says how long after the last no a host may be asked about again, by the number of noes so far.
func patience(noes int) time.Duration {
	switch noes {
	case 0, 1:
		return 0
	case 2:
		return 2 * time.Second
	case 3:
		return 10 * time.Second
	}
	return time.Minute
}

// A run of noes to different hosts, over reloads too, slows all questions down: after that many, the wait.
const (
	longRun  = maxAsked
	longWait = 10 * time.Second
)

// machine decides which question comes next and what becomes of its askers. It is pure: it is told what happened
// and when, starts nothing and waits for nothing. Manager drives it under its lock.
//
//	ask -> queued -> opening (waits for other processes, looks again) -> shown -> settled
//
// At most one question is opening or shown, `current`. A question dies when its page goes or its last asker leaves;
// a dead current question stays current until it is settled, so nothing is shown over a dialog that is still closing,
// and its answer is dropped.
type machine struct {
	page    uint64 // generation of the page
	gone    bool   // there is no page
	closed  bool   // the program ends
	asked   map[subject]bool
	queue   []*pending
	current *pending

	noes    map[subject]*noes
	allNoes noes // since the last yes, whatever the host

	nextAsker uint64
}

// pending is one question and everybody who waits for its answer.
type pending struct {
	subject subject
	q       Question
	askers  []uint64
	dead    bool
}

// noes counts the player's noes to one host.
type noes struct {
	count   int
	last    time.Time
	stopped bool // "stop asking until restart"
}

func (n *noes) due() time.Time {
	if wait := patience(n.count); wait > 0 {
		return n.last.Add(wait)
	}
	return time.Time{}
}

// outcome is what an asker hears.
type outcome struct {
	yes    bool
	code   Code // why there was no answer of the player's; "" for a yes or no
	reason string
}

func refusal(code Code, reason string) outcome { return outcome{code: code, reason: reason} }

var cancelled = refusal(Cancelled, "the page went away before the player answered")

// ask takes a question of the page with the given generation. Either it is queued for the asker returned, or it is
// over at once.
func (m *machine) ask(page uint64, q Question) (asker uint64, over *outcome) {
	now := func(o outcome) (uint64, *outcome) { return 0, &o }
	if m.closed || m.gone || page != m.page {
		return now(cancelled)
	}
	s := q.wish().subject(q.Game)
	if n := m.noes[s]; n != nil && n.stopped {
		return now(refusal(Stopped, "the player does not want to be asked about it until the game is started again"))
	}
	p := m.find(s)
	if p == nil {
		if !m.asked[s] && len(m.asked) >= maxAsked {
			return now(refusal(TooMany, "the game asks about too many hosts; add it to "+listSetting))
		}
		p = &pending{subject: s, q: q}
		m.queue = append(m.queue, p)
		if m.asked == nil {
			m.asked = map[subject]bool{}
		}
		m.asked[s] = true
	}
	m.nextAsker++
	p.askers = append(p.askers, m.nextAsker)
	return m.nextAsker, nil
}

func (m *machine) find(s subject) *pending {
	if m.current != nil && !m.current.dead && m.current.subject == s {
		return m.current
	}
	for _, p := range m.queue {
		if p.subject == s {
			return p
		}
	}
	return nil
}

// leave takes an asker away. It reports whether the current question died of it.
func (m *machine) leave(asker uint64) (dismiss bool) {
	if m.current != nil && m.current.remove(asker) {
		m.current.dead = len(m.current.askers) == 0
		return m.current.dead
	}
	for i, p := range m.queue {
		if !p.remove(asker) {
			continue
		}
		if len(p.askers) == 0 {
			m.queue = append(m.queue[:i], m.queue[i+1:]...)
			m.release(p.subject)
		}
		return false
	}
	return false
}

// release gives back the place of a host that never reached the player.
func (m *machine) release(s subject) {
	if m.noes[s] == nil {
		delete(m.asked, s)
	}
}

func (p *pending) remove(asker uint64) bool {
	for i, a := range p.askers {
		if a == asker {
			p.askers = append(p.askers[:i], p.askers[i+1:]...)
			return true
		}
	}
	return false
}

// turn ends the page: every question dies and its askers are returned. gone: no other page follows yet.
func (m *machine) turn(gone bool) (askers []uint64) {
	if !gone {
		m.page++
	}
	m.gone = gone
	m.asked = nil
	if m.current != nil {
		askers = append(askers, m.current.askers...)
		m.current.askers, m.current.dead = nil, true
	}
	for _, p := range m.queue {
		askers = append(askers, p.askers...)
	}
	m.queue = nil
	return askers
}

// open makes the first question that is due the current one. Without one, wait says how long to wait for the first:
// 0 when nothing is queued.
func (m *machine) open(now time.Time) (p *pending, wait time.Duration) {
	if m.current != nil {
		return nil, 0
	}
	for i, p := range m.queue {
		left := m.due(p.subject).Sub(now)
		if left <= 0 {
			m.queue = append(m.queue[:i], m.queue[i+1:]...)
			m.current = p
			return p, 0
		}
		if wait == 0 || left < wait {
			wait = left
		}
	}
	return nil, wait
}

func (m *machine) due(s subject) time.Time {
	var due time.Time
	if n := m.noes[s]; n != nil {
		due = n.due()
	}
	if m.allNoes.count >= longRun {
		if slow := m.allNoes.last.Add(longWait); slow.After(due) {
			due = slow
		}
	}
	return due
}

// show is the last look before the question p goes on screen: ok is false when nobody waits for it any more.
func (m *machine) show(p *pending) (q Question, ok bool) {
	if p.dead {
		return Question{}, false
	}
	q = p.q
	if n := m.noes[p.subject]; n != nil {
		q.OfferStop = n.count >= 2 // the third no can be the last
	}
	return q, true
}

// answered ends the current question with what the player pressed. The answer to a dead question counts for nothing.
func (m *machine) answered(now time.Time, p *pending, a Answer) ([]uint64, outcome) {
	if p.dead {
		return m.settle(p, cancelled)
	}
	if a == Allow {
		return m.settle(p, outcome{yes: true})
	}
	n := m.noes[p.subject]
	if n == nil {
		n = &noes{}
		if m.noes == nil {
			m.noes = map[subject]*noes{}
		}
		m.noes[p.subject] = n
	}
	offered := n.count >= 2
	n.count, n.last = n.count+1, now
	n.stopped = a == DenyUntilRestart && offered
	m.allNoes.count, m.allNoes.last = m.allNoes.count+1, now
	return m.settle(p, outcome{})
}

// settle ends the current question and says who hears what. A yes, the player's or a remembered one, ends the patience
// that noes cost.
func (m *machine) settle(p *pending, o outcome) ([]uint64, outcome) {
	if p.dead {
		o = cancelled
	}
	askers := p.askers
	p.askers = nil
	m.current = nil
	switch {
	case o.yes:
		delete(m.noes, p.subject)
		delete(m.asked, p.subject)
		m.allNoes = noes{}
	case !p.dead && o.code != "":
		m.release(p.subject)
	}
	return askers, o
}
