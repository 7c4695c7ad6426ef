package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"net/netip"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"conch/frontend"
	"conch/session"
	"conch/session/pagelink"
)

// Endpoints of sessions: docs/session-link.md.
const (
	sessionHostPath = "/__conch/session/host"
	sessionLinkPath = "/__conch/session/link"
	sessionJoinPath = "/__conch/session/join"
)

const (
	maxHostPeers = 256  // in a session that a page hosts
	maxPassword  = 1024 // bytes
	maxOrigins   = 16   // web pages that a host lets in
)

// sessions are the game's multiplayer sessions: the one that its page hosts, and the ways of its pages to other hosts.
type sessions struct {
	app       *App
	link      pagelink.Server
	joins     joins
	addresses func() []netip.Addr // of this computer on the player's network

	serving sync.WaitGroup

	mu     sync.Mutex // guards the fields below
	hosted *hosted
	store  *session.Store // of sessions to take up after a crash; nil until one is hosted
	closed bool
}

// hosted is the session that the game's page hosts.
type hosted struct {
	host      *session.Host
	log       *slog.Logger
	living    context.Context // ends with the session
	forgotten chan struct{}   // gets a token when a yes of the player's was taken back
	lan       atomic.Bool     // whether the network is seen to
}

// buildSessions makes the parts of a game that has sessions.
func (a *App) buildSessions() {
	s := &sessions{app: a, addresses: networkAddresses}
	s.link = pagelink.Server{NewHost: s.newHost, Log: a.opts.Logger}
	s.joins = joins{app: a, proved: map[string]bool{}, live: map[*joining]bool{}}
	a.sessions = s
	a.Server.Script = slices.Concat(frontend.PageScript, frontend.SessionScript)
	a.Server.Handle(sessionHostPath, http.HandlerFunc(s.serveHost))
	a.Server.Handle(sessionLinkPath, http.HandlerFunc(s.serveLink))
	a.Server.Handle(sessionJoinPath, http.HandlerFunc(s.joins.serveJoin))
}

// socketPorts are the loopback ports that the page's sockets go to: the relay's, and the game's own where it has sessions.
func (a *App) socketPorts() []int {
	ports := a.Relay.PortNumbers()
	if a.sessions != nil {
		ports = append(ports, a.Server.Port())
	}
	return ports
}

// serveHost answers a page that hosts, at once: the player is asked about the network meanwhile. A form of a web page cannot
// send JSON.
func (s *sessions) serveHost(w http.ResponseWriter, r *http.Request) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		w.WriteHeader(http.StatusUnsupportedMediaType)
		return
	}
	s.link.ServeHost(w, r)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lanLocked() // also for a page that was loaded again: the question went with the page before
}

// serveLink is the link of a page with the session that it hosts.
func (s *sessions) serveLink(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	closed := s.closed
	if !closed {
		s.serving.Add(1)
	}
	s.mu.Unlock()
	if closed {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	defer s.serving.Done()
	s.link.ServeLink(w, r)
}

func checkStart(o pagelink.Start) error {
	switch {
	case o.Port != nil && *o.Port != session.AnyPort && (*o.Port < 1024 || *o.Port > 65535):
		return fmt.Errorf("port %d: choose one from 1024 to 65535", *o.Port)
	case o.MaxPeers < 0 || o.MaxPeers > maxHostPeers:
		return fmt.Errorf("maxPeers %d: a session in the launcher has at most %d", o.MaxPeers, maxHostPeers)
	case len(o.Password) > maxPassword:
		return fmt.Errorf("the password is longer than %d bytes", maxPassword)
	case len(o.Origins) > maxOrigins:
		return fmt.Errorf("more than %d origins", maxOrigins)
	}
	return nil
}

// newHost makes the host that a page asks for.
func (s *sessions) newHost(_ context.Context, start pagelink.Start) (*session.Host, error) {
	if err := checkStart(start); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errors.New("the game is closing")
	}
	log := s.app.opts.Logger.With("session", start.SessionID)
	h := &hosted{log: log, forgotten: make(chan struct{}, 1), host: &session.Host{
		Password: start.Password, Open: start.Open, MaxPeers: start.MaxPeers, AnyBuild: start.AnyBuild, Origins: start.Origins,
		Restart: s.restartLocked(), Debug: s.app.opts.Debug || s.app.opts.Dev, Log: log,
	}}
	s.hosted = h
	return h.host, nil
}

// lanLocked sees to the network for the session, unless that is done.
func (s *sessions) lanLocked() {
	h := s.hosted
	if h == nil || s.closed || !h.host.IsActive() {
		return
	}
	if h.living == nil {
		var end context.CancelFunc
		h.living, end = context.WithCancel(s.app.living)
		h.log.Info("session hosted", "port", h.host.Port())
		s.serving.Go(func() {
			<-h.host.Done()
			end()
			h.log.Info("session ended")
		})
	}
	if h.lan.CompareAndSwap(false, true) {
		s.serving.Go(func() { s.lan(h) })
	}
}

// restartLocked is where sessions are remembered for the case that this program crashes. Without it they are not.
func (s *sessions) restartLocked() *session.Store {
	if s.store != nil || !s.app.opts.Window {
		return s.store
	}
	store, err := session.OpenStore(filepath.Join(s.app.gameDir(), "sessions.db"))
	if err != nil {
		s.app.opts.Logger.Warn("sessions are not remembered for a restart", "err", err)
		return nil
	}
	s.store = store
	return store
}

// forgetSessions ends what sessions do with a permission that was taken back.
func (a *App) forgetSessions(host string) {
	s := a.sessions
	if s == nil {
		return
	}
	s.joins.forget(host)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hosted != nil {
		select {
		case s.hosted.forgotten <- struct{}{}:
		default:
		}
	}
}

// closeSessions ends all sessions and waits.
func (a *App) closeSessions() error {
	s := a.sessions
	if s == nil {
		return nil
	}
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.joins.close()
	s.link.Close()
	s.serving.Wait()
	if s.store == nil {
		return nil
	}
	return s.store.Close()
}
