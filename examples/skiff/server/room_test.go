package main

import (
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

type quietPeer struct{ messages int }

func (p *quietPeer) send(*message) { p.messages++ }

func testRoom(t *testing.T, now *time.Time, o Options) *Room {
	t.Helper()
	o.Logger = slog.New(slog.DiscardHandler)
	o.now = func() time.Time { return *now }
	if err := o.fill(); err != nil {
		t.Fatal(err)
	}
	return newRoom("harbour", o)
}

func TestBuoysComboAndRound(t *testing.T) {
	now := time.Unix(1000, 0)
	room := testRoom(t, &now, Options{Round: time.Minute})
	b, err := room.join(&quietPeer{}, inMessage{Name: "Ada"})
	if err != nil {
		t.Fatal(err)
	}
	take := func(gold bool) {
		room.buoys = []buoy{{ID: 1000, X: b.pos.X, Y: b.pos.Y, Gold: gold}}
		room.tick()
		if room.buoys[0].ID == 1000 {
			t.Fatal("the buoy is still there")
		}
		room.buoys = nil // the next one may lie right here
	}
	take(false) // 1
	take(false) // 2
	take(true)  // 3 * 5
	now = now.Add(comboTime + time.Second)
	take(false) // 1 again
	if b.score != 19 {
		t.Errorf("score %d, want 19", b.score)
	}
	now = now.Add(time.Minute)
	room.tick()
	if b.score != 0 || room.rounds != 2 {
		t.Errorf("after the round: score %d, rounds %d", b.score, room.rounds)
	}
}

func TestBotsStayOnTheWater(t *testing.T) {
	now := time.Unix(1000, 0)
	room := testRoom(t, &now, Options{Bots: 12, Round: time.Hour})
	if _, err := room.join(&quietPeer{}, inMessage{}); err != nil {
		t.Fatal(err)
	}
	best := 0
	for range 25 * 120 {
		now = now.Add(40 * time.Millisecond)
		room.tick()
		for _, b := range room.boats[:12] {
			for _, i := range room.sea.islands {
				if math.Hypot(i.X-b.pos.X, i.Y-b.pos.Y) < i.R {
					t.Fatalf("%s sails over the island at %v", b.name, i)
				}
			}
			best = max(best, b.score)
		}
	}
	if best < 10 {
		t.Errorf("in two minutes the best bot got %d points", best)
	}
}

func TestEmptyRoomStandsStill(t *testing.T) {
	now := time.Unix(1000, 0)
	room := testRoom(t, &now, Options{Bots: 1})
	before := room.boats[0].pos
	now = now.Add(time.Hour)
	room.tick()
	if room.boats[0].pos != before {
		t.Error("a bot sailed for nobody")
	}
	p := &quietPeer{}
	b, err := room.join(p, inMessage{})
	if err != nil {
		t.Fatal(err)
	}
	if got := room.leftLocked(now); got != (3 * time.Minute).Milliseconds() {
		t.Errorf("the first sailor got %d ms of the round", got)
	}
	room.leave(b)
	room.leave(b) // twice is harmless
	if room.people != 0 {
		t.Errorf("%d people in an empty room", room.people)
	}
}

func TestSeaIsTheSameForAName(t *testing.T) {
	a, b := newSea("regatta"), newSea("regatta")
	if len(a.islands) < 8 {
		t.Errorf("only %d islands", len(a.islands))
	}
	for k := range a.islands {
		if a.islands[k] != b.islands[k] {
			t.Fatalf("island %d differs", k)
		}
	}
}

func TestCleanText(t *testing.T) {
	tests := []struct {
		name, in string
		limit    int
		want     string
	}{
		{"plain", "Ada", 16, "Ada"},
		{"spaces", "  a \t b\n ", 16, "a b"},
		{"control", "a\x00b\u202ec", 16, "abc"},
		{"long", strings.Repeat("é", 40), 16, strings.Repeat("é", 16)},
		{"bad utf-8", "a\xffb", 16, "ab"},
		{"thai", "สวัสดี", 16, "สวัสดี"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := cleanText(tt.in, tt.limit); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPositionRoundTrip(t *testing.T) {
	want := position{X: 1234.5, Y: 3999.9375, Heading: math.Pi / 2, Speed: 240}
	frame := append([]byte{framePosition}, appendBoat(nil, 7, want)[2:]...)
	got, err := parsePosition(frame)
	if err != nil || got != want {
		t.Errorf("got %+v %v, want %+v", got, err, want)
	}
}

func FuzzFrames(f *testing.F) {
	f.Add([]byte(`{"t":"join","name":"Ada","color":99}`))
	f.Add([]byte{framePosition, 0, 255, 255, 0, 128, 9})
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, err := parsePosition(b); err == nil && (p.X > 4096 || p.Y > 4096 || p.Speed > 510) {
			t.Errorf("position %+v", p)
		}
		if m, err := parseText(b); err == nil {
			if n := cleanText(m.Name, maxName); utf8.RuneCountInString(n) > maxName || !utf8.ValidString(n) {
				t.Errorf("name %q", n)
			}
		}
	})
}
