package session

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
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

// hostProcess is a host in a process of its own, for TestHostCrashes to kill. Each run gives every player 7 gold.
func hostProcess() int {
	s, err := OpenStore(os.Getenv("CONCH_STORE"))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	port, _ := strconv.Atoi(os.Getenv("CONCH_PORT"))
	h := &Host{Open: true, Restart: s}
	h.Handle = func(e Event) {
		if e, ok := e.(HostPeerConnected); ok {
			player := h.PlayerState(e.Peer.ID)
			gold, _ := player.Get("gold")
			before, _ := gold.(int64)
			player.Set("gold", before+7)
		}
	}
	if err := h.Start("skiff", "friday", "1.0", port); err != nil {
		fmt.Println(err)
		return 1
	}
	if !h.Restored() {
		h.GameState().Set("wind", "east")
	}
	fmt.Println(h.Port(), h.Restored())
	go func() { // ends with its parent, if that forgets to kill it
		os.Stdin.Read(make([]byte, 1))
		os.Exit(1)
	}()
	for range h.Wake() {
		h.Update(0)
	}
	return 0
}

// startHostProcess answers the port and whether a session was restored.
func startHostProcess(t *testing.T, store string, port int) (c *exec.Cmd, gotPort int, restored bool) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c = exec.Command(self)
	c.Env = append(os.Environ(), "CONCH_STEP=host", "CONCH_STORE="+store, "CONCH_PORT="+strconv.Itoa(port))
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
		in.Close()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if n, scan := fmt.Sscan(line, &gotPort, &restored); n != 2 {
		t.Fatalf("the host says %q: %v %v", line, err, scan)
	}
	return c, gotPort, restored
}

// TestHostCrashes kills a host's process, and starts another one: its peers are back with their ids and states.
func TestHostCrashes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sessions.db")
	first, port, restored := startHostProcess(t, path, AnyPort)
	if restored {
		t.Error("a fresh host restored something")
	}
	c, events := joinLive(t, ClientOptions{}, request(), fmt.Sprintf("127.0.0.1:%d", port))
	await[SessionStarted](t, events)
	id := c.LocalID()
	c.mu.Lock()
	token := c.welcome.Token
	c.mu.Unlock()
	s, err := OpenStore(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for deadline, tick := time.After(30*time.Second), time.NewTicker(20*time.Millisecond); ; {
		saved, ok, err := s.load("skiff", "friday", "1.0", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if ok && savedKnows(saved, token) && bytes.Contains(saved.State, []byte("east")) && slices.Contains(saved.Names, "gold") {
			if content := fmt.Sprint(saved); strings.Contains(content, strings.Trim(fmt.Sprint(token), "[]")) {
				t.Error("the token itself is saved")
			}
			break
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("not saved: %+v", saved)
		}
	}
	first.Process.Kill()
	first.Wait()
	await[ClientConnectionLost](t, events)
	if _, _, restored := startHostProcess(t, path, port); !restored {
		t.Fatal("nothing was restored")
	}
	await[ClientConnectionResumed](t, events)
	e := await[ClientPlayerStateReplicated](t, events)
	wind, _ := c.GameState().Get("wind")
	if gold, _ := e.State.Get("gold"); gold != int64(14) || wind != "east" || c.LocalID() != id {
		t.Errorf("gold %v, wind %v, id %d want %d", gold, wind, c.LocalID(), id)
	}
}

// TestOrderlyEndIsNotRestored: who stops does not want to go on.
func TestOrderlyEndIsNotRestored(t *testing.T) {
	s, err := OpenStore(filepath.Join(t.TempDir(), "sessions.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h := &Host{Open: true, Restart: s}
	startLive(t, h, AnyPort)
	_, events := joinLive(t, ClientOptions{}, request(), fmt.Sprintf("127.0.0.1:%d", h.Port()))
	await[SessionStarted](t, events)
	h.Close()
	if _, ok, err := s.load("skiff", "friday", "1.0", time.Now()); ok || err != nil {
		t.Errorf("a session was left behind: %v", err)
	}
}

func savedKnows(s savedSession, token [16]byte) bool {
	for _, p := range s.Peers {
		if slices.Contains(p.Keys, keyOf(token)) {
			return true
		}
	}
	return false
}
