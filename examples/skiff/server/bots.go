package main

import (
	"math"
	"time"
)

var botNames = []string{
	"Marlow", "Pip", "Brine", "Tansy", "Old Cobb", "Wren", "Saltie", "Juno",
	"Kelp", "Odd", "Mabel", "Finn", "Dory", "Nell", "Bosun", "Skua",
}

// pilot steers a boat without a person in it.
type pilot struct {
	target  int // index into the room's buoys, -1: choose
	patient time.Duration
	pace    float64
}

// sail moves one bot by dt. Called with mu held.
func (r *Room) sailLocked(b *boat, dt time.Duration) {
	p := b.pilot
	p.patient -= dt
	if p.target < 0 || p.patient <= 0 {
		p.target = r.chooseLocked(b)
		p.patient = 14 * time.Second
	}
	to := r.buoys[p.target]
	dx, dy := unit(to.X-b.pos.X, to.Y-b.pos.Y)
	for _, i := range r.sea.islands {
		ax, ay := b.pos.X-i.X, b.pos.Y-i.Y
		gap := math.Hypot(ax, ay) - i.shore()
		if gap > 150 {
			continue
		}
		ax, ay = unit(ax, ay)
		push := 1.6 * (1 - max(gap, 0)/150)
		side := 1.0 // go round on the side the bow already points to
		if math.Cos(b.pos.Heading)*-ay+math.Sin(b.pos.Heading)*ax < 0 {
			side = -1
		}
		dx += ax*push - ay*push*side
		dy += ay*push + ax*push*side
	}
	seconds := dt.Seconds()
	turn := math.Remainder(math.Atan2(dy, dx)-b.pos.Heading, 2*math.Pi)
	b.pos.Heading += min(max(turn, -1.9*seconds), 1.9*seconds)
	want := p.pace * windFactor(b.pos.Heading, r.windLocked()) * (1 - 0.45*min(math.Abs(turn), 1))
	b.pos.Speed += (want - b.pos.Speed) * min(1, 1.5*seconds)
	b.pos.X = min(max(b.pos.X+math.Cos(b.pos.Heading)*b.pos.Speed*seconds, 20), seaSize-20)
	b.pos.Y = min(max(b.pos.Y+math.Sin(b.pos.Heading)*b.pos.Speed*seconds, 20), seaSize-20)
}

// chooseLocked picks the nearest of a few random buoys, so that bots spread out.
func (r *Room) chooseLocked(b *boat) int {
	best, bestAt := 0, math.Inf(1)
	for range 5 {
		k := r.sea.rng.IntN(len(r.buoys))
		if d := math.Hypot(r.buoys[k].X-b.pos.X, r.buoys[k].Y-b.pos.Y); d < bestAt {
			best, bestAt = k, d
		}
	}
	return best
}

func unit(x, y float64) (float64, float64) {
	l := math.Hypot(x, y)
	if l == 0 {
		return 0, 0
	}
	return x / l, y / l
}
