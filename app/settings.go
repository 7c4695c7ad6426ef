package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"conch/consent"
	"conch/frontend"
	gameruntime "conch/runtime"
	"conch/runtime/bundle"
)

// SettingsKey names the settings' window and its profile. Keys of games end in a digest: none is ever this.
const SettingsKey = "conch-settings"

const (
	listPath   = "/__conch/approvals"
	forgetPath = "/__conch/approvals/forget"
)

// Settings is the page where players see and take back what they allowed. It has a port, an origin and a window of its
// own, behind the same gate as a game, and is no game: nothing of one is loaded in it.
type Settings struct {
	Server   *gameruntime.Server
	WebProxy *gameruntime.WebProxy

	dir      string // Conch's state
	log      *slog.Logger
	instance *instance
	serving  sync.WaitGroup

	mu     sync.Mutex // guards the fields below
	store  *consent.Store
	closed bool
}

// NewSettings prepares the settings of a data folder, the player's own when it is ""; nothing listens yet.
func NewSettings(dataDir string, log *slog.Logger) (*Settings, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if dataDir == "" {
		dir, err := DataDir()
		if err != nil {
			return nil, err
		}
		dataDir = dir
	}
	s := &Settings{dir: dataDir, log: log}
	page := &bundle.Bundle{FS: frontend.Settings(), Entry: "index.html", Title: "Conch settings"}
	s.Server = &gameruntime.Server{Bundle: page, Strict: true, Logger: log}
	s.Server.Handle(listPath, http.HandlerFunc(s.serveList))
	s.Server.Handle(forgetPath, http.HandlerFunc(s.serveForget))
	s.WebProxy = &gameruntime.WebProxy{Logger: log}
	return s, os.MkdirAll(s.ownDir(), 0o700)
}

// Listen takes a free port. When the settings are open already, their window is raised and ErrAlreadyRunning returned.
func (s *Settings) Listen(ctx context.Context) error {
	if raiseRunning(ctx, s.ownDir()) {
		return ErrAlreadyRunning
	}
	if err := s.Server.Listen(0); err != nil {
		return err
	}
	if err := s.WebProxy.Listen(); err != nil {
		return err
	}
	s.log.Debug("settings", "origin", s.Server.Origin())
	var err error
	s.instance, err = listenInstance(s.ownDir(), calls{})
	return err
}

// Serve answers until Close and returns nil then, or the first failure of a part.
func (s *Settings) Serve() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	parts := []func() error{s.Server.Serve, s.WebProxy.Serve}
	errs := make(chan error, len(parts))
	for _, serve := range parts {
		s.serving.Go(func() { errs <- serve() })
	}
	s.mu.Unlock()
	for range parts {
		if err := <-errs; err != nil {
			return err
		}
	}
	return nil
}

// Close ends the servers and waits for them.
func (s *Settings) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	if s.instance != nil {
		s.instance.close()
	}
	err := errors.Join(s.Server.Close(), s.WebProxy.Close())
	s.serving.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store != nil {
		err = errors.Join(err, s.store.Close())
		s.store = nil
	}
	return err
}

// Logger is the settings' log.
func (s *Settings) Logger() *slog.Logger { return s.log }

// OnRaise sets what a second start of the settings calls.
func (s *Settings) OnRaise(f func()) {
	if s.instance != nil {
		s.instance.onRaise(f)
	}
}

// ProfileDir is where an engine that asks for a folder keeps what belongs to the page: nothing of worth.
func (s *Settings) ProfileDir() string { return filepath.Join(s.ownDir(), "profile") }

func (s *Settings) ownDir() string { return filepath.Join(s.dir, "settings") }

// opened opens the approvals when they are first asked for, and again after an error: the page is there to show it.
func (s *Settings) opened() (*consent.Store, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store != nil {
		return s.store, nil
	}
	if s.closed {
		return nil, errors.New("the settings are closing")
	}
	store, err := OpenApprovals(s.dir, s.log)
	if err == nil {
		s.store = store
	}
	return store, err
}

func (s *Settings) serveList(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		s.fail(w, http.StatusMethodNotAllowed, errors.New("only GET"))
		return
	}
	store, err := s.opened()
	if err != nil {
		s.fail(w, http.StatusInternalServerError, err)
		return
	}
	rows, err := Approvals(r.Context(), store)
	if err != nil {
		s.fail(w, http.StatusInternalServerError, err)
		return
	}
	list := list{Approvals: rows, Running: []string{}, Aside: []string{}}
	if len(rows) > 0 {
		list.Running = append(list.Running, RunningGames(r.Context(), s.dir)...)
	}
	entries, _ := os.ReadDir(ApprovalsDir(s.dir)) // the store has just been read there
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "approvals.db.bad-") && !strings.HasSuffix(e.Name(), "-wal") && !strings.HasSuffix(e.Name(), "-journal") {
			list.Aside = append(list.Aside, filepath.Join(ApprovalsDir(s.dir), e.Name()))
		}
	}
	answerJSON(w, http.StatusOK, list)
}

// list is what the page shows.
type list struct {
	Approvals []ApprovalRow `json:"approvals"`
	Running   []string      `json:"running"` // identities of games that run, as far as they are known
	Aside     []string      `json:"aside"`   // files that could not be used and were kept
}

// order is what to forget: everything, all of a game, or one host of it.
type order struct {
	All  bool   `json:"all"`
	Game string `json:"game"`
	Host string `json:"host"`
}

func (s *Settings) serveForget(w http.ResponseWriter, r *http.Request) {
	o, status, err := readOrder(w, r)
	if err != nil {
		s.fail(w, status, err)
		return
	}
	store, err := s.opened()
	if err == nil {
		err = Forget(r.Context(), store, s.dir, o.Game, o.Host)
	}
	if err != nil {
		s.fail(w, http.StatusInternalServerError, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// readOrder takes a POST of JSON and nothing else: a form of a web page cannot send that kind.
func readOrder(w http.ResponseWriter, r *http.Request) (o order, status int, err error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return o, http.StatusMethodNotAllowed, errors.New("only POST")
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return o, http.StatusUnsupportedMediaType, errors.New("only application/json")
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, 4096))
	d.DisallowUnknownFields()
	if err := d.Decode(&o); err != nil {
		return o, http.StatusBadRequest, fmt.Errorf("what to forget: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return o, http.StatusBadRequest, errors.New("what to forget: more than one JSON value")
	}
	if o.All == (o.Game != "") || o.Game == "" && o.Host != "" {
		return o, http.StatusBadRequest, errors.New("what to forget: all, or a game and perhaps a host")
	}
	return o, 0, nil
}

func (s *Settings) fail(w http.ResponseWriter, status int, err error) {
	if status >= http.StatusInternalServerError {
		s.log.Error("settings", "err", err)
	}
	answerJSON(w, status, map[string]string{"error": err.Error()})
}

func answerJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value)
}
