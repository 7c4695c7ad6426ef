package main

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"time"
)

const (
	seaSize    = 4000.0 // a square; 16 * seaSize fits a u16
	seaBorder  = 120.0
	maxSpeed   = 400.0 // the fastest boat in a gust, with tolerance
	takeRadius = 48.0
	buoyCount  = 44
	comboTime  = 5 * time.Second
	maxCombo   = 5
)

// island is drawn as a blob around a circle; Seed gives the blob its shape. Shore is how far it can reach.
type island struct {
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	R    float64 `json:"r"`
	Seed uint32  `json:"seed"`
}

func (i island) shore() float64 { return i.R * 1.3 }

type buoy struct {
	ID   int     `json:"id"`
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	Gold bool    `json:"gold,omitempty"`
}

// sea is the map of a room: the same name gives the same islands.
type sea struct {
	islands []island
	rng     *rand.Rand
}

func newSea(name string) *sea {
	sum := fnv.New64a()
	sum.Write([]byte(name))
	s := &sea{rng: rand.New(rand.NewPCG(sum.Sum64(), 7))}
	for try := 0; try < 400 && len(s.islands) < 13; try++ {
		i := island{R: math.Round(90 + 150*s.rng.Float64()*s.rng.Float64() + 30*s.rng.Float64()), Seed: s.rng.Uint32()}
		reach := i.shore() + seaBorder
		i.X = math.Round(reach + s.rng.Float64()*(seaSize-2*reach))
		i.Y = math.Round(reach + s.rng.Float64()*(seaSize-2*reach))
		if s.clear(i.X, i.Y, i.shore()+190) {
			s.islands = append(s.islands, i)
		}
	}
	return s
}

// clear reports whether a disc of radius r around x, y touches no island.
func (s *sea) clear(x, y, r float64) bool {
	for _, i := range s.islands {
		if math.Hypot(i.X-x, i.Y-y) < i.shore()+r {
			return false
		}
	}
	return true
}

// open returns a random place on open water.
func (s *sea) open(room float64) (x, y float64) {
	for range 200 {
		x = seaBorder + s.rng.Float64()*(seaSize-2*seaBorder)
		y = seaBorder + s.rng.Float64()*(seaSize-2*seaBorder)
		if s.clear(x, y, room) {
			break
		}
	}
	return math.Round(x), math.Round(y)
}

func (s *sea) newBuoy(id int) buoy {
	x, y := s.open(40)
	return buoy{ID: id, X: x, Y: y, Gold: s.rng.IntN(7) == 0}
}

// windAt is where the wind blows to, in radians; it turns slowly and comes back.
func windAt(t time.Duration) float64 {
	s := t.Seconds()
	return -0.6 + 0.9*math.Sin(s/47) + 0.5*math.Sin(s/19+1)
}

// windFactor is how well a boat runs on a heading: 1 before the wind, 0.68 against it.
func windFactor(heading, wind float64) float64 {
	return 0.84 + 0.16*math.Cos(heading-wind)
}
