package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Options of a Server; the zero value of a field gives the default in brackets.
type Options struct {
	Rooms    []string      // names of the rooms [harbour]; the first one is used when ?room is absent
	Bots     int           // boats sailed by the server in each room [0]
	MaxBoats int           // in one room, bots included [48]
	MaxConns int           // open connections, pings included [512]
	Rate     int           // snapshots a second [25]
	Round    time.Duration // [3 minutes]
	Origins  []string      // Origin headers accepted [any]
	Queue    int           // messages that may wait for one client [128]
	JoinTime time.Duration // a connection on /ws has to join within it [10 s]
	Logger   *slog.Logger  // [discard]

	now func() time.Time
}

func (o *Options) fill() error {
	if len(o.Rooms) == 0 {
		o.Rooms = []string{"harbour"}
	}
	setDefault(&o.MaxBoats, 48)
	setDefault(&o.MaxConns, 512)
	setDefault(&o.Rate, 25)
	setDefault(&o.Round, 3*time.Minute)
	setDefault(&o.Queue, 128)
	setDefault(&o.JoinTime, 10*time.Second)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.now == nil {
		o.now = time.Now
	}
	switch {
	case o.MaxBoats < 1 || o.MaxBoats > 255:
		return fmt.Errorf("max boats %d: want 1 to 255", o.MaxBoats)
	case o.Bots < 0 || o.Bots >= o.MaxBoats:
		return fmt.Errorf("%d bots leave no place in a room of %d", o.Bots, o.MaxBoats)
	case o.Rate < 1 || o.Rate > 60:
		return fmt.Errorf("rate %d: want 1 to 60", o.Rate)
	case o.Round < time.Second:
		return fmt.Errorf("round %v: want at least 1s", o.Round)
	case o.MaxConns < 1:
		return fmt.Errorf("max connections %d: want at least 1", o.MaxConns)
	}
	return nil
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Server is the http.Handler of /ws and /ping. Close ends every connection and waits for all of it.
type Server struct {
	o        Options
	rooms    map[string]*Room
	upgrader websocket.Upgrader
	stop     chan struct{}
	wg       sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	clients map[*client]struct{}
}

// NewServer makes the rooms and starts their clocks.
func NewServer(o Options) (*Server, error) {
	if err := o.fill(); err != nil {
		return nil, err
	}
	s := &Server{o: o, rooms: map[string]*Room{}, stop: make(chan struct{}), clients: map[*client]struct{}{}}
	s.upgrader = websocket.Upgrader{
		HandshakeTimeout:  5 * time.Second,
		ReadBufferSize:    1024,
		WriteBufferSize:   4096,
		WriteBufferPool:   &sync.Pool{},
		EnableCompression: true,
		CheckOrigin:       s.originAllowed,
	}
	for _, name := range o.Rooms {
		s.rooms[name] = newRoom(name, o)
	}
	for _, r := range s.rooms {
		s.wg.Go(func() { s.clock(r) })
	}
	return s, nil
}

func (s *Server) clock(r *Room) {
	t := time.NewTicker(time.Second / time.Duration(s.o.Rate))
	defer t.Stop()
	for {
		select {
		case <-t.C:
			r.tick()
		case <-s.stop:
			return
		}
	}
}

// originAllowed accepts every origin unless the options name some. Which one came is logged per connection.
func (s *Server) originAllowed(r *http.Request) bool {
	return len(s.o.Origins) == 0 || slices.Contains(s.o.Origins, r.Header.Get("Origin"))
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("room")
	if name == "" {
		name = s.o.Rooms[0]
	}
	room := s.rooms[name]
	log := s.o.Logger.With("room", name, "remote", r.RemoteAddr, "origin", r.Header.Get("Origin"))
	switch {
	case room == nil:
		http.Error(w, "no such room", http.StatusNotFound)
		return
	case s.full():
		log.Warn("refused", "err", "too many connections")
		http.Error(w, "too many connections", http.StatusServiceUnavailable)
		return
	}
	conn, err := s.upgrader.Upgrade(w, r, nil)
	if err != nil { // answered by Upgrade
		log.Info("refused", "err", err)
		return
	}
	c := newClient(conn, s.o.Queue, log)
	if !s.add(c) {
		m := websocket.FormatCloseMessage(websocket.CloseGoingAway, "the harbour closes")
		conn.WriteControl(websocket.CloseMessage, m, time.Now().Add(closeWait))
		conn.Close()
		return
	}
	defer s.remove(c)
	if r.URL.Path == "/ping" {
		c.run(&pinger{client: c, room: room})
		return
	}
	log.Info("connected")
	c.run(newSailor(c, room, s.o.JoinTime))
	log.Info("gone", "why", c.why())
}

func (s *Server) full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.clients) >= s.o.MaxConns
}

// add takes c under the server's wing; false once the server is closed or full.
func (s *Server) add(c *client) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.clients) >= s.o.MaxConns {
		return false
	}
	s.clients[c] = struct{}{}
	s.wg.Add(1)
	return true
}

func (s *Server) remove(c *client) {
	s.mu.Lock()
	delete(s.clients, c)
	s.mu.Unlock()
	s.wg.Done()
}

// Close tells every client 1001, waits until they are gone and the clocks stopped. It may be called again.
func (s *Server) Close() error {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.stop)
	}
	for c := range s.clients {
		c.drop(websocket.CloseGoingAway, "the harbour closes")
	}
	s.mu.Unlock()
	s.wg.Wait()
	return nil
}

// sailor is the session of /ws: join first, then a boat in the room.
type sailor struct {
	client *client
	room   *Room
	boat   *boat
	late   *time.Timer
	chats  bucket
}

func newSailor(c *client, room *Room, joinTime time.Duration) *sailor {
	s := &sailor{client: c, room: room, chats: bucket{rate: 2, size: 8}}
	s.late = time.AfterFunc(joinTime, func() { c.drop(closeUnjoined, "no join message") })
	return s
}

func (s *sailor) binary(b []byte) error {
	p, err := parsePosition(b)
	if err != nil {
		return err
	}
	if s.boat == nil {
		return errJoinFirst
	}
	s.room.move(s.boat, p)
	return nil
}

var errJoinFirst = errors.New("join first")

func (s *sailor) text(b []byte) error {
	m, err := parseText(b)
	if err != nil {
		return err
	}
	if m.Type == "join" {
		return s.join(m)
	}
	if s.boat == nil {
		return errJoinFirst
	}
	if m.Type == "ping" {
		s.client.send(textMessage(pong{"pong", m.At}))
		return nil
	}
	if !s.chats.take(time.Now()) {
		return nil // a flood of talk is not heard, the boat sails on
	}
	if m.Type == "chat" {
		s.room.say(s.boat, m.Text)
		return nil
	}
	s.room.emote(s.boat, m.Kind)
	return nil
}

func (s *sailor) join(m inMessage) error {
	if s.boat != nil {
		return errors.New("joined already")
	}
	s.late.Stop()
	b, err := s.room.join(s.client, m)
	if errors.Is(err, errRoomFull) {
		s.client.drop(closeRoomFull, err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	s.boat = b
	s.client.log.Info("joined", "boat", b.id, "name", b.name)
	return nil
}

func (s *sailor) end() {
	s.late.Stop()
	if s.boat != nil {
		s.room.leave(s.boat)
	}
}

// pinger is the session of /ping: every small binary frame comes back, with news of the room behind it.
type pinger struct {
	client *client
	room   *Room
}

func (p *pinger) binary(b []byte) error {
	if len(b) > maxPing {
		return errBadFrame
	}
	p.client.send(prepare(websocket.BinaryMessage, b))
	p.client.send(textMessage(p.room.info()))
	return nil
}

func (p *pinger) text([]byte) error { return errors.New("only binary frames here") }

func (p *pinger) end() {}
