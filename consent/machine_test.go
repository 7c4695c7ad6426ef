package consent

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// FuzzMachine drives the state machine with any order of events and checks what must hold after each:
// one question at a time, one outcome per asker, a yes only from the player's yes for that very host and page.
func FuzzMachine(f *testing.F) {
	for seed := range uint64(64) {
		r := rand.New(rand.NewPCG(seed, 1))
		events := make([]byte, 400)
		for i := range events {
			events[i] = byte(r.Uint32())
		}
		f.Add(events)
	}
	f.Fuzz(func(t *testing.T, events []byte) { newWorld(t).run(events) })
}

type world struct {
	t       *testing.T
	m       machine
	now     time.Time
	askers  map[uint64]subject // who waits, and for what
	pages   map[uint64]uint64  // asker: page it asked from
	showing *pending
	lastNo  map[subject]time.Time
	noes    map[subject]int
}

func newWorld(t *testing.T) *world {
	return &world{t: t, now: time.Unix(1e9, 0), askers: map[uint64]subject{}, pages: map[uint64]uint64{},
		lastNo: map[subject]time.Time{}, noes: map[subject]int{}}
}

func (w *world) run(events []byte) {
	for _, e := range events {
		arg := int(e >> 3)
		switch e & 7 {
		case 0, 1:
			w.ask(arg, w.m.page)
		case 2:
			w.leave(arg)
		case 3:
			w.turn(arg)
		case 4:
			w.now = w.now.Add(time.Duration(arg) * time.Second)
		case 5:
			w.open()
		case 6, 7:
			w.end(arg)
		}
		w.check()
	}
}

func (w *world) ask(arg int, page uint64) {
	if arg == 31 {
		page-- // a document that is gone
	}
	q := Question{Game: "g", Target: target(w.t, fmt.Sprintf("wss://h%d.example/", arg%12))}
	id, over := w.m.ask(page, q)
	if over != nil {
		if over.yes || over.code == "" {
			w.t.Fatalf("over at once with %+v", *over)
		}
		return
	}
	if page != w.m.page || w.m.gone || w.m.closed {
		w.t.Fatal("a page that is not there was heard")
	}
	w.askers[id], w.pages[id] = subjectOf("g", q.Target), page
}

func (w *world) leave(arg int) {
	for id := range w.askers {
		if int(id)%8 == arg%8 {
			w.m.leave(id)
			delete(w.askers, id)
			return
		}
	}
}

func (w *world) turn(arg int) {
	for _, id := range w.m.turn(arg%4 == 0) {
		w.heard(id)
	}
	if len(w.askers) != 0 {
		w.t.Fatalf("the page went, but %d askers still wait", len(w.askers))
	}
}

func (w *world) heard(id uint64) subject {
	s, ok := w.askers[id]
	if !ok {
		w.t.Fatalf("asker %d hears twice, or after it left", id)
	}
	delete(w.askers, id)
	return s
}

func (w *world) open() {
	p, wait := w.m.open(w.now)
	if p == nil {
		if wait == 0 && w.m.current == nil && len(w.m.queue) > 0 {
			w.t.Fatal("questions are queued and nothing happens")
		}
		return
	}
	if w.showing != nil {
		w.t.Fatal("two questions at a time")
	}
	if due := w.lastNo[p.subject].Add(patience(w.noes[p.subject])); w.noes[p.subject] > 0 && w.now.Before(due) {
		w.t.Fatalf("asked again after %s, %d noes", w.now.Sub(w.lastNo[p.subject]), w.noes[p.subject])
	}
	w.showing = p
}

func (w *world) end(arg int) {
	p := w.showing
	if p == nil {
		return
	}
	q, ok := w.m.show(p)
	if ok == p.dead || ok && q.OfferStop != (w.noes[p.subject] >= 2) {
		w.t.Fatalf("shown %v dead %v stop %v after %d noes", ok, p.dead, q.OfferStop, w.noes[p.subject])
	}
	answer := Answer(arg % 4) // one of them is no answer that exists
	dead := p.dead
	askers, o := w.m.answered(w.now, p, answer)
	w.showing = nil
	if o.yes != (answer == Allow && !dead) {
		w.t.Fatalf("answer %d to a question that is dead %v: %+v", answer, dead, o)
	}
	for _, id := range askers {
		if s := w.heard(id); s != p.subject {
			w.t.Fatalf("%+v hears the answer for %+v", s, p.subject)
		}
		if w.pages[id] != w.m.page {
			w.t.Fatal("an answer crossed pages")
		}
	}
	switch {
	case dead:
	case o.yes:
		delete(w.noes, p.subject)
	default:
		w.noes[p.subject]++
		w.lastNo[p.subject] = w.now
	}
}

func (w *world) check() {
	if (w.m.current != nil) != (w.showing != nil) {
		w.t.Fatal("the current question and the shown one differ")
	}
	seen := map[subject]bool{}
	waiting := 0
	for _, p := range w.m.queue {
		if seen[p.subject] || len(p.askers) == 0 || p.dead {
			w.t.Fatalf("queued twice, or for nobody: %+v", p.subject)
		}
		seen[p.subject] = true
		waiting += len(p.askers)
	}
	if p := w.m.current; p != nil && !p.dead {
		if seen[p.subject] {
			w.t.Fatalf("shown and queued: %+v", p.subject)
		}
		waiting += len(p.askers)
	}
	if waiting != len(w.askers) {
		w.t.Fatalf("%d wait, the machine has %d", len(w.askers), waiting)
	}
	if len(w.m.asked) > maxAsked {
		w.t.Fatalf("%d hosts of one page", len(w.m.asked))
	}
}

func TestPatience(t *testing.T) {
	for noes, want := range []time.Duration{0, 0, 2 * time.Second, 10 * time.Second, time.Minute, time.Minute} {
		if got := patience(noes); got != want {
			t.Errorf("after %d noes: %s, want %s", noes, got, want)
		}
	}
}
