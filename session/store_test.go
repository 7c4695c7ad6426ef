package session

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a folder", "sessions.db")
	if _, err := OpenStore(path); err == nil {
		t.Error("a store in no folder")
	}
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := OpenStore(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	now := time.Now()
	if err := s.save("p", "s", "b", now, savedSession{NextID: 7, Peers: []savedPeer{{ID: 2, Name: "Ada"}}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		project string
		session string
		build   string
		now     time.Time
		want    bool
	}{
		{"the same", "p", "s", "b", now, true}, {"another project", "q", "s", "b", now, false}, {"another session", "p", "t", "b", now, false},
		{"another build", "p", "s", "c", now, false}, {"after nine minutes", "p", "s", "b", now.Add(9 * time.Minute), true},
		{"after eleven minutes", "p", "s", "b", now.Add(11 * time.Minute), false},
	} {
		got, ok, err := s.load(c.project, c.session, c.build, c.now)
		if err != nil || ok != c.want || ok && (got.NextID != 7 || got.Peers[0].Name != "Ada") {
			t.Errorf("%s: got %+v %t %v", c.name, got, ok, err)
		}
	}
	if err := s.save("p", "s", "b", now, savedSession{}); err != nil {
		t.Fatal(err)
	}
	if err := s.forget("p", "s"); err != nil {
		t.Fatal(err)
	}
	if _, ok, _ := s.load("p", "s", "b", now); ok {
		t.Error("a session that was forgotten is there")
	}
}

func TestStoreOfAnotherKind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("not a database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := OpenStore(path); err == nil {
		s.Close()
		t.Error("a text was opened")
	}
}

// TestHostCrashes: the store is what a killed program leaves; the next one takes its peers back.
func TestHostCrashes(t *testing.T) {
	dir := t.TempDir()
	s, err := OpenStore(filepath.Join(dir, "sessions.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h := &Host{Open: true, Restart: s}
	startLive(t, h, AnyPort)
	port := h.Port()
	h.GameState().Set("wind", "east")
	c, events := joinLive(t, ClientOptions{}, request(), fmt.Sprintf("127.0.0.1:%d", port))
	await[SessionStarted](t, events)
	id := c.LocalID()
	h.PlayerState(id).Set("gold", 7)
	h.mu.Lock()
	saved := h.savedLocked()
	h.mu.Unlock()
	c.mu.Lock()
	token := c.welcome.Token
	c.mu.Unlock()
	if !savedKnows(saved, token) {
		t.Error("what is saved does not know the token")
	}
	if strings.Contains(fmt.Sprint(saved), fmt.Sprint(token)) {
		t.Error("the token itself is saved")
	}
	// A crash: the program is gone without a word, and its file is as it was.
	<-crash(h)
	if err := s.save("skiff", "friday", "1.0", time.Now(), saved); err != nil {
		t.Fatal(err)
	}
	again := &Host{Open: true, Restart: s}
	hostEvents := startLive(t, again, port)
	if !again.Restored() {
		t.Fatal("nothing was restored")
	}
	await[ClientConnectionLost](t, events)
	await[ClientConnectionResumed](t, events)
	if e := await[HostPeerConnected](t, hostEvents); e.Peer.ID != id || c.LocalID() != id {
		t.Errorf("id %d, want %d", e.Peer.ID, id)
	}
	if v, _ := again.PlayerState(id).Get("gold"); v != int64(7) {
		t.Errorf("player state: %v", v)
	}
	again.Close()
	if _, ok, err := s.load("skiff", "friday", "1.0", time.Now()); ok || err != nil {
		t.Errorf("an orderly end left a session behind: %v", err)
	}
}

func savedKnows(s savedSession, token [16]byte) bool {
	for _, p := range s.Peers {
		for _, k := range p.Keys {
			if k == keyOf(token) {
				return true
			}
		}
	}
	return false
}

// crash cuts all connections of a host as the end of its process would, and then stops it unheard.
func crash(h *Host) <-chan struct{} {
	h.mu.Lock()
	for _, p := range h.peers {
		if p.link != nil {
			p.link.conn.CloseNow()
		}
	}
	h.phase = phaseStopping
	h.queue.discard()
	close(h.stopping)
	h.mu.Unlock()
	return h.done
}
