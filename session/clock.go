package session

import (
	"slices"
	"time"
)

const (
	clockSamples  = 16
	clockBest     = 4 // whose median is believed
	clockIgnore   = 2 * time.Millisecond
	clockSlew     = 250 * time.Millisecond // a larger error is not slewed
	clockStep     = 2 * time.Second        // a larger error backward is a step
	clockSlewRate = 20                     // one part in 20: 5 %
)

// Clock estimates the session host's clock from round trips. All times are durations on the local monotonic clock or on
// the host's; it reads no clock itself. The zero value knows nothing. It is not safe for concurrent use.
type Clock struct {
	samples []clockSample
	synced  bool
	offset  time.Duration // host = local + offset, at base
	base    time.Duration // local
	goal    time.Duration // what offset moves to
	half    bool          // far ahead: run at half speed
	last    time.Duration // the latest host time told
	steps   int
}

type clockSample struct{ offset, rtt time.Duration }

// Sample takes one round trip: t0 and t3 on the local clock, t1 and t2 on the host's. It says whether the sample was
// believed. A step backward is reported by stepped.
func (c *Clock) Sample(t0, t1, t2, t3 time.Duration) (believed, stepped bool) {
	rtt := (t3 - t0) - (t2 - t1)
	if t0 > t3 || t1 > t2 || rtt < 0 {
		return false, false
	}
	if len(c.samples) >= clockBest && rtt > 3*c.medianRTT()+clockIgnore {
		return false, false
	}
	c.samples = append(c.samples, clockSample{((t1 - t0) + (t2 - t3)) / 2, rtt})
	if len(c.samples) > clockSamples {
		c.samples = c.samples[1:]
	}
	return true, c.aim(c.best(), t3)
}

// Reset forgets the samples, for a burst of new ones after a resume or a sleep. Time told so far stays valid.
func (c *Clock) Reset() { c.samples = nil }

// RTT is the median round trip, and jitter the distance to the shortest.
func (c *Clock) RTT() (rtt, jitter time.Duration) {
	if len(c.samples) == 0 {
		return 0, 0
	}
	rtt = c.medianRTT()
	best := rtt
	for _, s := range c.samples {
		best = min(best, s.rtt)
	}
	return rtt, rtt - best
}

func (c *Clock) medianRTT() time.Duration {
	var all []time.Duration
	for _, s := range c.samples {
		all = append(all, s.rtt)
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// best is the median offset of the samples with the shortest round trip.
func (c *Clock) best() time.Duration {
	all := slices.Clone(c.samples)
	slices.SortStableFunc(all, func(a, b clockSample) int { return int(a.rtt - b.rtt) })
	all = all[:min(clockBest, len(all))]
	slices.SortFunc(all, func(a, b clockSample) int { return int(a.offset - b.offset) })
	if n := len(all); n%2 == 0 {
		return (all[n/2-1].offset + all[n/2].offset) / 2
	}
	return all[len(all)/2].offset
}

// aim makes goal the offset to reach.
func (c *Clock) aim(goal, now time.Duration) (stepped bool) {
	if !c.synced {
		c.synced, c.offset, c.base, c.goal = true, goal, now, goal
		return false
	}
	c.offset, c.base = c.at(now), now
	c.half = false
	switch err := goal - c.offset; {
	case err > -clockIgnore && err < clockIgnore:
		c.goal = c.offset
	case err >= -clockSlew && err <= clockSlew:
		c.goal = goal
	case err > 0:
		c.offset, c.goal = goal, goal
	case err < -clockStep:
		c.offset, c.goal = goal, goal
		c.last = 0
		c.steps++
		return true
	default:
		c.goal, c.half = goal, true
	}
	return false
}

// at is the offset at a local time at or after base.
func (c *Clock) at(now time.Duration) time.Duration {
	most := (now - c.base) / clockSlewRate
	if c.half {
		most = (now - c.base) / 2
	}
	most = max(most, 0)
	return c.offset + min(max(c.goal-c.offset, -most), most)
}

// Now is the host's time at a local time. It never goes back, except for the steps that Sample reports.
func (c *Clock) Now(local time.Duration) time.Duration {
	c.last = max(c.last, local+c.at(local))
	return c.last
}

// Synced says whether a sample was taken.
func (c *Clock) Synced() bool { return c.synced }
