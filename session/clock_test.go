package session

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// line is a network between a local clock and a host's that is ahead of it.
type line struct {
	clock Clock
	now   time.Duration // local
	ahead time.Duration
	drift float64 // of the host's clock
	up    func() time.Duration
	down  func() time.Duration
}

func (l *line) host() time.Duration {
	return l.now + l.ahead + time.Duration(l.drift*float64(l.now))
}

func (l *line) sample() (believed, stepped bool) {
	t0 := l.now
	l.now += l.up()
	t1 := l.host()
	l.now += l.down()
	return l.clock.Sample(t0, t1, t1, l.now)
}

func steady(d time.Duration) func() time.Duration { return func() time.Duration { return d } }

func (l *line) off() time.Duration { return l.clock.Now(l.now) - l.host() }

func TestClockOnALAN(t *testing.T) {
	dice := rand.New(rand.NewPCG(5, 6))
	jitter := func() time.Duration {
		return time.Millisecond + time.Duration(dice.ExpFloat64()*float64(2*time.Millisecond))
	}
	l := line{ahead: time.Hour, drift: 50e-6, up: jitter, down: jitter}
	for range 8 {
		l.sample()
		l.now += 50 * time.Millisecond
	}
	var offs []time.Duration
	last := time.Duration(0)
	for range 1000 {
		for range 20 {
			l.now += 100 * time.Millisecond
			now := l.clock.Now(l.now)
			if now < last {
				t.Fatalf("the clock went back by %v", last-now)
			}
			last = now
			offs = append(offs, l.off().Abs())
		}
		l.sample()
	}
	slices.Sort(offs)
	if p95 := offs[len(offs)*95/100]; p95 > 5*time.Millisecond {
		t.Errorf("p95 of the error is %v, want at most 5 ms", p95)
	}
}

func TestClockOverABadLine(t *testing.T) { // 60 ms of jitter
	dice := rand.New(rand.NewPCG(7, 8))
	jitter := func() time.Duration {
		return 30*time.Millisecond + time.Duration(dice.Int64N(int64(60*time.Millisecond)))
	}
	l := line{ahead: -time.Minute + 3*time.Minute, up: jitter, down: jitter}
	var offs []time.Duration
	for i := range 500 {
		l.sample()
		l.now += 2 * time.Second
		if i > 16 {
			offs = append(offs, l.off().Abs())
		}
	}
	slices.Sort(offs)
	if p95 := offs[len(offs)*95/100]; p95 > 20*time.Millisecond {
		t.Errorf("p95 of the error is %v, want at most 20 ms", p95)
	}
}

func TestClockJumps(t *testing.T) {
	for _, c := range []struct {
		name  string
		jump  time.Duration
		after time.Duration // when the error is to be gone
		steps bool
	}{
		{"a little forward", 100 * time.Millisecond, 3 * time.Second, false},
		{"a little back", -100 * time.Millisecond, 3 * time.Second, false},
		{"far forward", 10 * time.Second, 0, false},
		{"back", -time.Second, 3 * time.Second, false},
		{"far back", -10 * time.Second, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := line{ahead: time.Hour, up: steady(time.Millisecond), down: steady(time.Millisecond)}
			for range 16 {
				l.sample()
			}
			before := l.clock.Now(l.now)
			l.ahead += c.jump
			stepped := false
			for range clockSamples { // a burst: until the new samples are the majority
				_, s := l.sample()
				stepped = stepped || s
			}
			if after := l.clock.Now(l.now); after < before && !c.steps {
				t.Errorf("it went back from %v to %v", before, after)
			}
			l.now += c.after
			l.clock.Now(l.now)
			for range 20 { // and settles
				l.sample()
				l.now += c.after / 20
			}
			if off := l.off().Abs(); off > 3*time.Millisecond || stepped != c.steps {
				t.Errorf("error %v, stepped %t, want %t", off, stepped, c.steps)
			}
		})
	}
}

func TestClockRefuses(t *testing.T) {
	var c Clock
	ms := time.Millisecond
	if believed, _ := c.Sample(10*ms, 0, 0, 5*ms); believed {
		t.Error("a sample that was sent after it came back")
	}
	if believed, _ := c.Sample(0, 9*ms, 5*ms, 20*ms); believed {
		t.Error("a host that answered before it was asked")
	}
	if believed, _ := c.Sample(0, 0, 50*ms, 10*ms); believed {
		t.Error("a host that took longer than the round trip")
	}
	if c.Synced() {
		t.Error("synced by nothing")
	}
	for i := range 8 {
		at := time.Duration(i) * 100 * ms
		c.Sample(at, at+time.Hour+ms, at+time.Hour+ms, at+2*ms)
	}
	if believed, _ := c.Sample(time.Second, time.Hour, time.Hour, 2*time.Second); believed {
		t.Error("a round trip of a second among those of 2 ms")
	}
	if rtt, jitter := c.RTT(); rtt != 2*ms || jitter != 0 {
		t.Errorf("round trip %v, jitter %v", rtt, jitter)
	}
	c.Reset()
	if rtt, _ := c.RTT(); rtt != 0 || !c.Synced() {
		t.Error("Reset forgot the time or kept the samples")
	}
}
