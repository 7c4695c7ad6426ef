// Package pagelink lets the script of a page drive a session.Host, over two addresses of the game's own server:
// docs/session-link.md. The page's end is frontend/src/session/host.js.
//
// The addresses must stand behind the server's gate. Everything that the page says is checked here; the first thing that is
// no command stops the session.
package pagelink

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"conch/session"
)

const (
	awayTimeout = 10 * time.Second
	reloadWait  = time.Second
)

// Start is what a page asks for.
type Start struct {
	ProjectID string `json:"projectId"`
	SessionID string `json:"sessionId"`
	BuildHash string `json:"buildHash"`
	Port      *int   `json:"port"` // nil: the usual ports
	Password  string `json:"password"`
	Open      bool   `json:"open"`
	MaxPeers  int    `json:"maxPeers"`
	AnyBuild  bool   `json:"anyBuild"`
	// Origins are web pages that may join, as scheme://host[:port], besides programs and pages of the host's own address.
	Origins []string `json:"origins"`
}

// reply answers a Start.
type reply struct {
	OK         bool   `json:"ok"`
	Error      string `json:"error"`
	Port       int    `json:"port"`
	JoinCode   string `json:"joinCode"`
	Dedicated  bool   `json:"dedicated"`
	MaxArgs    int    `json:"maxArgs"`
	HostMicros int64  `json:"hostMicros"`
	Link       string `json:"link"`
}

// Server serves the pages of one game. The zero value refuses to host.
type Server struct {
	// NewHost makes the host that a page asks for, not started, within what the launcher allows; it may ask the player. Its
	// error is told to the page: one sentence. The callbacks, Handle, Approve and LoadScene, are set here.
	NewHost func(ctx context.Context, s Start) (*session.Host, error)
	Away    time.Duration // how long a host waits for a page that is loaded again; 0 means 10 s
	Log     *slog.Logger

	starting sync.Mutex // held while a host is made, which may take as long as the player thinks

	mu      sync.Mutex
	current *hosting
	closed  bool
}

// ServeHost answers POST /__conch/session/host.
func (s *Server) ServeHost(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	var start Start
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, 16<<10))
	d.DisallowUnknownFields()
	if err := d.Decode(&start); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	answer, err := s.start(r.Context(), start)
	if err != nil {
		answer = reply{Error: err.Error()}
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(answer)
}

func (s *Server) start(ctx context.Context, start Start) (reply, error) {
	if !s.starting.TryLock() {
		return reply{}, errors.New("a page of this game is starting a session")
	}
	defer s.starting.Unlock()
	if g := s.hosting(); g != nil && g.host.IsActive() {
		if !g.takeOverSoon(ctx, start) {
			return reply{}, errors.New("a page of this game hosts a session already")
		}
		return g.reply(), nil
	}
	if s.NewHost == nil {
		return reply{}, errors.New("this game has no sessions")
	}
	host, err := s.NewHost(ctx, start)
	if err != nil {
		return reply{}, err
	}
	g := newHosting(s, host, start)
	port := session.DefaultPort
	if start.Port != nil {
		port = max(*start.Port, session.AnyPort)
	}
	if err := host.Start(start.ProjectID, start.SessionID, start.BuildHash, port); err != nil {
		return reply{}, err
	}
	g.wait()
	s.mu.Lock()
	closed := s.closed
	s.current = g
	s.mu.Unlock()
	if closed {
		host.Close()
		return reply{}, errors.New("the game is closing")
	}
	return g.reply(), nil
}

func (s *Server) hosting() *hosting {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

var upgrader = websocket.Upgrader{ReadBufferSize: 4 << 10, WriteBufferSize: 16 << 10}

// ServeLink answers GET /__conch/session/link. It returns when the link has ended.
func (s *Server) ServeLink(w http.ResponseWriter, r *http.Request) {
	g := s.hosting()
	if g == nil || !g.claim(r.URL.Query().Get("host")) {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		g.lost()
		g.wait()
		return
	}
	defer ws.Close()
	g.serve(ws)
}

// Close ends the session of the page, if there is one, and waits for it.
func (s *Server) Close() {
	s.mu.Lock()
	g := s.current
	s.closed = true
	s.mu.Unlock()
	if g != nil {
		g.host.Close()
	}
}

func (s *Server) log() *slog.Logger {
	if s.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return s.Log
}

// hosting is one session, over the pages that drive it.
type hosting struct {
	server *Server
	host   *session.Host
	start  Start
	wake   chan struct{} // gets a token when there is something in out

	scenes sync.Mutex // held while a transition begins, so that its number is known before it loads

	mu        sync.Mutex
	link      string // "" while a page has it
	ws        *websocket.Conn
	reason    string // of the end, when it is not the page's wish
	away      *time.Timer
	out       [][]any // events that go out together
	last      uint64  // the latest number of a request or call
	requests  map[uint64]*request
	calls     map[uint64]*session.Call
	loads     map[uint64]*load
	ready     map[uint64]chan struct{}
	told      map[uint64]bool // peers that a page was told of
	withOwner map[uint64]bool // objects that go with their owner
	gone      chan struct{}   // closed when the page is away
}

func newHosting(s *Server, h *session.Host, start Start) *hosting {
	g := &hosting{server: s, host: h, start: start, wake: make(chan struct{}, 1), requests: map[uint64]*request{},
		calls: map[uint64]*session.Call{}, loads: map[uint64]*load{}, ready: map[uint64]chan struct{}{},
		told: map[uint64]bool{}, withOwner: map[uint64]bool{}, gone: make(chan struct{})}
	close(g.gone)
	h.Handle, h.Approve, h.LoadScene = g.handle, g.approve, g.loadScene
	h.OnRPCFromAnyone("", g.called)
	return g
}

func (g *hosting) reply() reply {
	g.mu.Lock()
	defer g.mu.Unlock()
	most := g.host.MaxArgs
	return reply{OK: true, Port: g.host.Port(), JoinCode: g.host.JoinCode(), Dedicated: g.host.Dedicated, MaxArgs: most,
		HostMicros: g.host.ServerTime().UnixMicro(), Link: g.link}
}

// wait gives the page some time to come.
func (g *hosting) wait() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.link = rand.Text()
	g.away = time.AfterFunc(cmp.Or(g.server.Away, awayTimeout), func() {
		g.server.log().Info("the page of the session's host is gone")
		g.mu.Lock()
		g.reason = "host_script_gone"
		g.mu.Unlock()
		g.host.Stop()
	})
}

// takeOverSoon is takeOver, and waits a moment: a page that is loaded again may ask before the end of its old link is seen.
func (g *hosting) takeOverSoon(ctx context.Context, start Start) bool {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(reloadWait); ; {
		if g.takeOver(start) {
			return true
		}
		select {
		case now := <-tick.C:
			if !g.means(start) || now.After(deadline) {
				return false
			}
		case <-ctx.Done():
			return false
		}
	}
}

func (g *hosting) means(start Start) bool {
	return start.ProjectID == g.start.ProjectID && start.SessionID == g.start.SessionID && start.BuildHash == g.start.BuildHash
}

// takeOver gives the session to a page that was loaded again.
func (g *hosting) takeOver(start Start) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.means(start) || g.link == "" {
		return false
	}
	g.link = rand.Text()
	g.away.Reset(cmp.Or(g.server.Away, awayTimeout))
	return true
}

// claim is true once for each link.
func (g *hosting) claim(link string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if link == "" || link != g.link || !g.away.Stop() {
		return false
	}
	g.link = ""
	g.gone = make(chan struct{})
	return true
}

// serve is one link, from its first message to its end.
func (g *hosting) serve(ws *websocket.Conn) {
	ws.SetReadLimit(maxMessage)
	g.mu.Lock()
	g.ws = ws
	g.out = [][]any{g.stateLocked()}
	g.repeatLocked()
	g.mu.Unlock()
	ended, pumped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer g.lost()
		if err := g.read(ws); err != nil {
			g.server.log().Warn("the page broke the link's protocol", "err", err)
			g.mu.Lock()
			g.reason = "protocol_error"
			g.mu.Unlock()
			g.host.Stop()
			<-pumped // which tells it
		}
	}()
	g.pump(ws)
	close(pumped)
	ws.Close()
	<-ended
	if g.host.IsActive() {
		g.wait()
	}
}

// lost runs when the page can say nothing more.
func (g *hosting) lost() {
	g.mu.Lock()
	calls := g.calls
	g.calls = map[uint64]*session.Call{}
	close(g.gone)
	g.mu.Unlock()
	for _, c := range calls {
		c.Fail()
	}
}

// pump hands events to the page until one of the two ends.
func (g *hosting) pump(ws *websocket.Conn) {
	figures := time.NewTicker(time.Second)
	defer figures.Stop()
	g.mu.Lock()
	gone := g.gone
	g.mu.Unlock()
	g.update(ws)
	var told []string // addresses
	for {
		select {
		case <-g.host.Wake():
			g.update(ws)
		case <-g.wake:
			g.flush(ws)
		case <-figures.C:
			if all := g.infos(); len(all) > 0 {
				g.tell("peers", all)
			}
			if all := g.addresses(); !slices.Equal(all, told) {
				told = all
				g.tell("addresses", all)
			}
		case <-gone:
			return
		case <-g.host.Done():
			g.update(ws)
			return
		}
	}
}

func (g *hosting) update(ws *websocket.Conn) {
	g.flush(ws)
	g.host.Update(0)
	g.flush(ws)
}
