package main

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

const (
	keepScore = 30 * time.Second // a lost boat may come back for its score within this time
	maxKept   = 256
)

var errRoomFull = errors.New("the room is full")

// peer is the sending side of a client as a room sees it. send never blocks.
type peer interface {
	send(*message)
}

// boat is one vessel in a room. The room's mu guards every field.
type boat struct {
	id       uint16
	name     string
	color    int
	token    string
	peer     peer   // nil for a bot
	pilot    *pilot // nil for a person
	pos      position
	movedAt  time.Time
	score    int
	combo    int
	comboEnd time.Time
}

func (b *boat) member() crewMember {
	return crewMember{ID: b.id, Name: b.name, Color: b.color, Score: b.score, Bot: b.pilot != nil}
}

type keptScore struct {
	score int
	round int
	until time.Time
}

// Room is one sea with its boats. Tick moves it on; nothing happens in between but what clients send.
type Room struct {
	name  string
	limit int
	round time.Duration
	log   *slog.Logger
	now   func() time.Time

	mu       sync.Mutex
	sea      *sea
	buoys    []buoy
	nextBuoy int
	boats    []*boat // by arrival; bots first
	people   int
	nextID   uint16
	kept     map[string]keptScore
	started  time.Time
	ticked   time.Time
	roundEnd time.Time
	rounds   int
	frame    []byte
}

func newRoom(name string, o Options) *Room {
	r := &Room{
		name: name, limit: o.MaxBoats, round: o.Round, log: o.Logger.With("room", name), now: o.now,
		sea: newSea(name), kept: map[string]keptScore{},
	}
	r.started = r.now()
	r.ticked = r.started
	r.roundEnd = r.started.Add(r.round)
	for range buoyCount {
		r.buoys = append(r.buoys, r.sea.newBuoy(r.nextBuoy))
		r.nextBuoy++
	}
	for k := range o.Bots {
		x, y := r.sea.open(80)
		b := r.addLocked(botNames[k%len(botNames)], (k*3+1)%colors, x, y)
		b.pilot = &pilot{target: -1, pace: 150 + 40*r.sea.rng.Float64()}
	}
	return r
}

func (r *Room) windLocked() float64 { return windAt(r.ticked.Sub(r.started)) }

func (r *Room) addLocked(name string, color int, x, y float64) *boat {
	for used := true; used; { // ids wrap after 65535 arrivals
		r.nextID++
		used = r.nextID == 0 || slices.ContainsFunc(r.boats, func(b *boat) bool { return b.id == r.nextID })
	}
	b := &boat{id: r.nextID, name: name, color: color, movedAt: r.now()}
	b.pos = position{X: x, Y: y, Heading: r.sea.rng.Float64() * 2 * math.Pi}
	r.boats = append(r.boats, b)
	return b
}

// join adds a person's boat and sends p the welcome before anything else.
func (r *Room) join(p peer, m inMessage) (*boat, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.boats) >= r.limit {
		return nil, errRoomFull
	}
	name := cleanText(m.Name, maxName)
	if name == "" {
		name = "Sailor"
	}
	color := m.Color
	if color < 0 || color >= colors {
		color = 0
	}
	now := r.now()
	if r.people == 0 {
		// The sea stood still while nobody was there: a whole round for the first one.
		r.ticked = now
		r.roundEnd = now.Add(r.round)
		r.rounds++
		r.clearScoresLocked()
	}
	x, y := r.spawnLocked()
	b := r.addLocked(name, color, x, y)
	if k, ok := r.kept[m.Token]; ok && m.Token != "" {
		delete(r.kept, m.Token)
		if k.round == r.rounds && now.Before(k.until) {
			b.score = k.score
		}
	}
	b.token = rand.Text()
	b.peer = p
	r.people++

	w := welcome{
		Type: "welcome", ID: b.id, Token: b.token, Room: r.name, Size: seaSize,
		Islands: r.sea.islands, Buoys: r.buoys, X: b.pos.X, Y: b.pos.Y, Score: b.score,
		Left: r.leftLocked(now), Round: r.round.Milliseconds(),
	}
	for _, other := range r.boats {
		w.Crew = append(w.Crew, other.member())
	}
	p.send(textMessage(w))
	r.tellLocked(joined{"joined", b.member()}, b)
	return b, nil
}

// spawnLocked finds open water near a bot or another boat, so that nobody starts alone.
func (r *Room) spawnLocked() (x, y float64) {
	if len(r.boats) == 0 {
		return r.sea.open(80)
	}
	near := r.boats[r.sea.rng.IntN(len(r.boats))].pos
	for range 20 {
		a, d := r.sea.rng.Float64()*2*math.Pi, 160+200*r.sea.rng.Float64()
		x, y = math.Round(near.X+math.Cos(a)*d), math.Round(near.Y+math.Sin(a)*d)
		if x > seaBorder && y > seaBorder && x < seaSize-seaBorder && y < seaSize-seaBorder && r.sea.clear(x, y, 60) {
			return x, y
		}
	}
	return r.sea.open(80)
}

// leave takes the boat out; its score is kept a while for the same token.
func (r *Room) leave(b *boat) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := slices.Index(r.boats, b)
	if k < 0 {
		return
	}
	r.boats = slices.Delete(r.boats, k, k+1)
	r.people--
	now := r.now()
	for token, old := range r.kept {
		if now.After(old.until) {
			delete(r.kept, token)
		}
	}
	if len(r.kept) < maxKept {
		r.kept[b.token] = keptScore{score: b.score, round: r.rounds, until: now.Add(keepScore)}
	}
	r.tellLocked(left{"left", b.id}, nil)
}

// move takes a position from a client. One that no boat could have reached is answered with a warp.
func (r *Room) move(b *boat, p position) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	reach := 40 + maxSpeed*min(now.Sub(b.movedAt).Seconds(), 2)
	inside := p.X >= 0 && p.Y >= 0 && p.X <= seaSize && p.Y <= seaSize
	if !inside || math.Hypot(p.X-b.pos.X, p.Y-b.pos.Y) > reach {
		b.peer.send(textMessage(warp{"warp", b.pos.X, b.pos.Y}))
		return
	}
	b.pos = p
	b.movedAt = now
}

func (r *Room) say(b *boat, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if text = cleanText(text, maxChat); text != "" {
		r.tellLocked(said{"chat", b.id, text}, nil)
	}
}

func (r *Room) emote(b *boat, kind int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if kind >= 0 && kind < emotes {
		r.tellLocked(emoted{"emote", b.id, kind}, nil)
	}
}

func (r *Room) info() roomInfo {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := roomInfo{Type: "harbour", Room: r.name, Boats: len(r.boats), Crew: r.people, Max: r.limit, Left: r.round.Milliseconds()}
	if r.people > 0 {
		i.Left = r.leftLocked(r.now())
	}
	return i
}

// tick sails the bots, hands out buoys, ends the round and sends one snapshot to everybody.
func (r *Room) tick() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.people == 0 {
		return
	}
	now := r.now()
	dt := min(now.Sub(r.ticked), 250*time.Millisecond)
	r.ticked = now
	for _, b := range r.boats {
		if b.pilot != nil {
			r.sailLocked(b, dt)
		}
	}
	for _, b := range r.boats {
		r.takeLocked(b, now)
	}
	if !now.Before(r.roundEnd) {
		r.endRoundLocked(now)
	}
	r.tellPreparedLocked(prepare(websocket.BinaryMessage, r.snapshotLocked(now)), nil)
}

func (r *Room) takeLocked(b *boat, now time.Time) {
	for k, at := range r.buoys {
		if math.Hypot(at.X-b.pos.X, at.Y-b.pos.Y) > takeRadius {
			continue
		}
		if now.After(b.comboEnd) {
			b.combo = 0
		}
		b.combo = min(b.combo+1, maxCombo)
		b.comboEnd = now.Add(comboTime)
		points := b.combo
		if at.Gold {
			points *= 5
		}
		b.score += points
		r.buoys[k] = r.sea.newBuoy(r.nextBuoy)
		r.nextBuoy++
		if b.pilot != nil {
			b.pilot.target = -1
		}
		r.tellLocked(scored{"score", b.id, at.ID, points, b.combo, b.score, r.buoys[k]}, nil)
	}
}

func (r *Room) endRoundLocked(now time.Time) {
	best := make([]crewMember, 0, len(r.boats))
	for _, b := range r.boats {
		best = append(best, b.member())
	}
	slices.SortStableFunc(best, func(a, b crewMember) int { return cmp.Compare(b.Score, a.Score) })
	best = best[:min(len(best), 5)]
	r.rounds++
	r.roundEnd = now.Add(r.round)
	r.clearScoresLocked()
	clear(r.kept)
	r.log.Info("round over", "boats", len(r.boats), "best", best[0].Score)
	r.tellLocked(roundOver{"round", r.leftLocked(now), best}, nil)
}

func (r *Room) clearScoresLocked() {
	for _, b := range r.boats {
		b.score, b.combo = 0, 0
	}
}

func (r *Room) leftLocked(now time.Time) int64 { return max(r.roundEnd.Sub(now).Milliseconds(), 0) }

func (r *Room) snapshotLocked(now time.Time) []byte {
	b := append(r.frame[:0], frameSnapshot)
	b = binary.LittleEndian.AppendUint32(b, uint32(now.Sub(r.started).Milliseconds()))
	b = append(b, angleByte(r.windLocked()), byte(len(r.boats)))
	for _, other := range r.boats {
		b = appendBoat(b, other.id, other.pos)
	}
	r.frame = b
	return b
}

// tellLocked sends one message to every person but except.
func (r *Room) tellLocked(v any, except *boat) { r.tellPreparedLocked(textMessage(v), except) }

func (r *Room) tellPreparedLocked(m *message, except *boat) {
	for _, b := range r.boats {
		if b.peer != nil && b != except {
			b.peer.send(m)
		}
	}
}

func textMessage(v any) *message {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only our own structs come here
	}
	return prepare(websocket.TextMessage, b)
}

// message is one frame for any number of clients. Only the big ones are worth compressing.
type message struct {
	*websocket.PreparedMessage
	compress bool
}

// prepare copies b, which may be used again after the call.
func prepare(kind int, b []byte) *message {
	m, err := websocket.NewPreparedMessage(kind, slices.Clone(b))
	if err != nil {
		panic(err) // only for a kind that does not exist
	}
	return &message{m, kind == websocket.TextMessage && len(b) > 512}
}
