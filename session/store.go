package session

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"conch/session/wire"
)

const (
	saveEvery   = 5 * time.Second
	restartTime = 10 * time.Minute // how old a saved session may be
)

// Store remembers sessions on disk, so that a host that crashed can be started again and its peers resume. It holds
// game state and digests of tokens, never tokens or passwords. It is safe for concurrent use.
type Store struct{ db *sql.DB }

// OpenStore opens or makes the file at path, for this user only.
func OpenStore(path string) (*Store, error) {
	path, err := filepath.Abs(path) // the name below has no place for a relative one
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	name := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")}
	q := url.Values{"mode": {"rw"}, "_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(NORMAL)", "trusted_schema(0)"}}
	db, err := sql.Open("sqlite", name.String()+"?"+q.Encode())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	_, err = db.Exec(`CREATE TABLE IF NOT EXISTS session (
		project TEXT NOT NULL, session TEXT NOT NULL, build TEXT NOT NULL, saved INTEGER NOT NULL, content BLOB NOT NULL,
		PRIMARY KEY (project, session)) STRICT`)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("session store %s: %w", path, err), db.Close())
	}
	return &Store{db}, nil
}

// Close closes the file.
func (s *Store) Close() error { return s.db.Close() }

// savedSession is what survives: the GameState and the peers with their PlayerStates.
type savedSession struct {
	NextID     uint64
	Transition uint64
	Names      []string
	State      []byte // the content of a snapshot
	Peers      []savedPeer
}

type savedPeer struct {
	ID       uint64
	Keys     []tokenKey
	Role     Role
	Name     string
	Kind     Kind
	UserData []byte
	State    map[string]any `json:"-"`
}

func (s *Store) save(project, session, build string, now time.Time, saved savedSession) error {
	content, err := json.Marshal(saved)
	if err != nil {
		return err
	}
	_, err = s.db.Exec("INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?, ?)", project, session, build, now.UnixMilli(), content)
	return err
}

func (s *Store) load(project, session, build string, now time.Time) (saved savedSession, ok bool, err error) {
	if _, err := s.db.Exec("DELETE FROM session WHERE saved < ? OR saved > ?", now.Add(-restartTime).UnixMilli(), now.Add(time.Minute).UnixMilli()); err != nil {
		return saved, false, err
	}
	var content []byte
	err = s.db.QueryRow("SELECT content FROM session WHERE project = ? AND session = ? AND build = ?", project, session, build).Scan(&content)
	if errors.Is(err, sql.ErrNoRows) {
		return saved, false, nil
	}
	if err != nil {
		return saved, false, err
	}
	if err := json.Unmarshal(content, &saved); err != nil {
		return saved, false, err
	}
	return saved, true, nil
}

func (s *Store) forget(project, session string) error {
	_, err := s.db.Exec("DELETE FROM session WHERE project = ? AND session = ?", project, session)
	return err
}

// saveSoonLocked has the next tick save the session.
func (h *Host) saveSoonLocked() { h.lastSave = time.Time{} }

func (h *Host) saveLocked(now time.Time) {
	if h.Restart == nil || h.saving || !h.lastSave.IsZero() && h.savedState == h.state.version {
		return
	}
	h.lastSave, h.savedState = now, h.state.version
	saved := h.savedLocked()
	h.saving = true
	h.connections.Go(func() {
		err := h.Restart.save(h.project, h.session, h.build, time.Now(), saved)
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.saving = false; err != nil {
			h.Log.Error("session could not be saved for a restart", "err", err)
		}
	})
}

func (h *Host) savedLocked() savedSession {
	saved := savedSession{NextID: h.nextID, Transition: h.scenes.last, Names: slices.Clone(h.state.names)}
	saved.State = wire.AppendSnapshot(nil, h.state.wireLocked(view{}))
	for _, p := range h.sortedLocked() {
		one := savedPeer{ID: p.id, Keys: []tokenKey{p.key}, Role: p.role, Name: p.name, Kind: p.kind, UserData: p.userData}
		if p.old != (tokenKey{}) {
			one.Keys = append(one.Keys, p.old)
		}
		saved.Peers = append(saved.Peers, one)
	}
	return saved
}

// forget ends what was saved: an orderly end is not resumed.
func (h *Host) forget() {
	if h.Restart == nil {
		return
	}
	if err := h.Restart.forget(h.project, h.session); err != nil {
		h.Log.Error("saved session could not be removed", "err", err)
	}
}

// restoreLocked takes up what an earlier run of this program left: the GameState now, peers when they resume.
func (h *Host) restoreLocked() {
	if h.Restart == nil {
		return
	}
	saved, ok, err := h.Restart.load(h.project, h.session, h.build, time.Now())
	if err == nil && ok {
		err = h.takeUpLocked(saved)
	}
	if err != nil {
		h.Log.Error("saved session could not be read", "err", err)
	}
}

func (h *Host) takeUpLocked(saved savedSession) error {
	all, err := wire.ParseSnapshot(saved.State)
	if err != nil {
		return err
	}
	h.restored = true
	h.nextID, h.scenes.last = max(h.nextID, saved.NextID), saved.Transition
	players := map[uint64]map[string]any{}
	for _, e := range all {
		fields := map[string]any{}
		for _, f := range e.Fields {
			if f.Name < uint64(len(saved.Names)) {
				fields[saved.Names[f.Name]] = f.Value
			}
		}
		switch e.Target.Kind() {
		case wire.KindPlayer:
			players[e.Target.ID()] = fields
		case wire.KindGame:
			h.state.refillLocked(fields)
		}
	}
	h.restorable = map[tokenKey]savedPeer{}
	for _, p := range saved.Peers {
		p.State = players[p.ID]
		for _, key := range p.Keys {
			h.restorable[key] = p
		}
	}
	return nil
}

func (s *hostState) refillLocked(fields map[string]any) {
	for name, v := range fields {
		raw, value, err := wire.CopyValue(v)
		if err == nil {
			err = s.putLocked(s.entities[wire.GameTarget], name, raw, value, 0)
		}
		if err != nil {
			s.h.Log.Error("saved game state", "err", err)
		}
	}
	s.version++
}

// Restored says whether the GameState is that of a run of this program that did not end in order.
func (h *Host) Restored() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.restored
}

// restorePeerLocked makes a peer of one that an earlier run knew by this token.
func (h *Host) restorePeerLocked(key tokenKey, addr netip.Addr) *peer {
	now := time.Now()
	saved, ok := h.restorable[key]
	if !ok || now.Sub(h.started) > restartTime || len(h.peers)+h.pending >= h.MaxPeers {
		return nil
	}
	for _, k := range saved.Keys {
		delete(h.restorable, k)
	}
	p := &peer{id: saved.ID, role: saved.Role, name: saved.Name, kind: saved.Kind, joined: now, addr: addr, userData: saved.UserData, dropped: now}
	h.equipLocked(p, now)
	h.peers[p.id] = p
	h.state.playerLocked(p.id, saved.State)
	return p
}
