package session

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"conch/session/wire"
)

func TestResume(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		w.host.PlayerState(a.id()).Set("gold", 7)
		o, _ := w.host.Spawn("ship", map[string]any{"hp": 5}, SpawnOptions{Owner: a.id()})
		w.pass(100 * time.Millisecond)
		id, token := a.id(), a.c.welcome.Token
		w.forget()
		a.setAway(true)
		a.link().CloseNow()
		w.pass(5 * time.Second)
		a.want("ClientConnectionLost")
		w.hostNode().want("HostPeerDropped 2")
		if info := w.host.Peer(id); info.State != PeerReconnecting || w.host.PeerCount() != 1 || !a.c.IsActive() {
			t.Errorf("while away: %s, %d peers, client active %t", info.State, w.host.PeerCount(), a.c.IsActive())
		}
		w.host.GameState().Set("wind", "east") // while it is away
		o2, _ := w.host.Spawn("rock", nil, SpawnOptions{})
		a.setAway(false)
		w.pass(5 * time.Second)
		w.hostNode().want("HostPeerResumed 2")
		a.want("ClientConnectionResumed", "ClientGameStateReplicated", fmt.Sprintf("ClientObjectReplicated %d", o2.ID))
		if a.id() != id || a.c.welcome.Token == token || w.host.Peer(id).State != PeerActive {
			t.Errorf("id %d, token rotated %t, state %s", a.id(), a.c.welcome.Token != token, w.host.Peer(id).State)
		}
		if v, _ := a.c.PlayerState(id).Get("gold"); v != int64(7) {
			t.Errorf("player state: %v", v)
		}
		if got, _ := a.c.Object(o.ID); got.Owner != id {
			t.Errorf("owner: %d", got.Owner)
		}
	})
}

func TestResumeAgainAndAgain(t *testing.T) { // also before the host has ever sent an event, and a second time
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		for range 5 {
			a.link().CloseNow()
			w.pass(time.Second)
		}
		// A client may be back before the host has noticed that it was away.
		h := w.hostNode()
		if a.count("ClientConnectionResumed") != 5 || h.count("HostPeerResumed") != h.count("HostPeerDropped") || h.count("HostPeerConnected") != 1 {
			t.Errorf("%s", w.story())
		}
		w.host.mu.Lock()
		tokens := len(w.host.tokens)
		w.host.mu.Unlock()
		if tokens != 1 {
			t.Errorf("%d tokens are valid, want 1", tokens)
		}
	})
}

func TestResumeComesTooLate(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		w.forget()
		a.setAway(true)
		a.link().CloseNow()
		w.pass(19 * time.Second)
		w.hostNode().want("HostPeerDropped 2")
		w.pass(2 * time.Second)
		w.hostNode().want("HostPeerDisconnected 2 connection_lost")
		a.want("ClientConnectionLost", "SessionStopped connection_lost")
		if a.c.IsActive() || a.c.Mode() != ModeNone || a.c.LocalID() != 0 {
			t.Error("the client is still active")
		}
	})
}

func TestResumeInTheScene(t *testing.T) { // no request to load what is loaded
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		loader(a, within(0))
		w.load(bay, false)
		w.host.Spawn("crab", nil, SpawnOptions{})
		w.pass(200 * time.Millisecond)
		w.forget()
		a.link().CloseNow()
		w.pass(time.Second)
		a.want("ClientConnectionLost", "ClientConnectionResumed")
		w.hostNode().want("HostPeerDropped 2", "HostPeerResumed 2")
		if len(a.c.Objects()) != 1 || w.host.Peer(2).State != PeerActive || a.c.ActiveScene().Scene != bay {
			t.Errorf("%d objects, %s", len(a.c.Objects()), w.host.Peer(2).State)
		}
	})
}

func TestResumeWhileLoading(t *testing.T) {
	for _, lost := range []bool{false, true} { // the report got lost with the connection, or comes later
		inWorld(t, nil, func(w *world) {
			a, b := w.joined(nil), w.joined(nil)
			loader(b, within(4*time.Second))
			w.load(bay, false)
			w.pass(time.Second)
			w.forget()
			if lost {
				a.link().Vanish()
				a.c.NotifySceneLoaded(SceneInstance{Transition: 1}, true, "")
			}
			a.link().CloseNow()
			w.pass(time.Second)
			if !lost {
				a.c.NotifySceneLoaded(SceneInstance{Transition: 1}, true, "")
			}
			w.pass(4 * time.Second)
			a.want("ClientConnectionLost", "ClientConnectionResumed", "ClientSceneActivate 1")
			if n := w.hostNode().count("HostPeerSceneLoadComplete 2 1"); n != 1 {
				t.Errorf("lost %t: %d reports", lost, n)
			}
			if n := w.hostNode().count("HostPeerActivatedInScene 2 1"); n != 1 {
				t.Errorf("lost %t: activated %d times", lost, n)
			}
		})
	}
}

func TestTokenTwice(t *testing.T) { // the newest connection wins, until the token is used up
	inWorld(t, nil, func(w *world) {
		first := w.raw("192.168.1.50:1", false)
		defer first.close()
		welcome := first.welcomed()
		resume := func() *rawPeer {
			p := w.raw("192.168.1.51:1", false)
			h := p.hello()
			p.send(&h)
			w.pass(20 * time.Millisecond)
			p.send(&wire.Auth{Resume: welcome.Token[:]})
			w.pass(20 * time.Millisecond)
			return p
		}
		second, third := resume(), resume()
		defer second.close()
		defer third.close()
		for _, p := range []*rawPeer{first, second} {
			if b := frame[*wire.Bye](p); b == nil || b.Code != "replaced" || closeCode(p.err) != CloseReplaced {
				t.Errorf("got %v %v, want replaced", b, p.err)
			}
		}
		got := frame[*wire.Welcome](third)
		if got == nil || got.ID != welcome.ID || !got.Resumed || w.host.PeerCount() != 1 {
			t.Fatalf("got %+v", got)
		}
		third.send(&wire.Ping{Seq: 1})
		w.pass(20 * time.Millisecond)
		fourth := resume()
		defer fourth.close()
		if r := frame[*wire.Reject](fourth); r == nil || r.Code != "bad_token" {
			t.Errorf("used token: got %v", r)
		}
		w.hostNode().want("SessionStarted", "HostPeerConnected 2")
	})
}

func TestCallsAcrossAResume(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		served := 0
		w.host.OnRPC("x", func(c *Call) { served++; c.Defer() })
		a.c.OnRPC("x", func(c *Call) { served++; c.Defer() })
		up, down := a.c.SendRPCToHost("x", 0, nil), w.host.SendRPCToConnection("x", 0, nil, a.id())
		w.pass(100 * time.Millisecond)
		a.setAway(true)
		a.link().CloseNow()
		w.pass(100 * time.Millisecond)
		for name, op := range map[string]*Op[CallResult]{"up": up, "down": down} {
			if r, err := result(w, op); r.Status != StatusUnknown || err != nil {
				t.Errorf("%s: got %v %v", name, r.Status, err)
			}
		}
		w.host.OnRPC("x", func(c *Call) { served++ })
		a.c.OnRPC("x", func(c *Call) { served++ })
		ship, _ := w.host.Spawn("ship", nil, SpawnOptions{Owner: a.id()})
		up, down = a.c.SendRPCToHost("x", 0, nil), w.host.SendRPCToOwner("x", ship.ID, nil)
		cancelled := a.c.SendRPCToHost("x", 0, nil)
		if !cancelled.Cancel() {
			t.Error("a call that waits cannot be cancelled")
		}
		w.pass(time.Second)
		a.setAway(false)
		w.pass(5 * time.Second)
		for name, op := range map[string]*Op[CallResult]{"up": up, "down": down} {
			if r, err := result(w, op); r.Status != StatusOK || err != nil {
				t.Errorf("%s after the resume: got %v %v", name, r.Status, err)
			}
		}
		if served != 4 {
			t.Errorf("served %d, want 4: nothing is sent twice", served)
		}
	})
}

func TestCallsWaitForAResumeInAScene(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a, b := w.joined(nil), w.joined(nil)
		loader(b, within(0))
		a.c.OnRPC("x", func(*Call) {})
		w.load(bay, false)
		crab, _ := w.host.Spawn("crab", nil, SpawnOptions{})
		w.pass(100 * time.Millisecond)
		a.setAway(true)
		a.link().CloseNow()
		w.pass(100 * time.Millisecond)
		session, object := w.host.SendRPCToConnection("x", 0, nil, 2), w.host.SendRPCToConnection("x", crab.ID, nil, 2)
		a.setAway(false)
		w.pass(2 * time.Second)
		if r, _ := result(w, session); r.Status != StatusOK || done(object) {
			t.Errorf("session call %v, object call done %t", r.Status, done(object))
		}
		a.c.NotifySceneLoaded(SceneInstance{Transition: 1}, true, "")
		w.pass(time.Second)
		if r, _ := result(w, object); r.Status != StatusOK {
			t.Errorf("object call %v", r.Status)
		}
	})
}

func TestCablePulled(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a, b := w.joined(nil), w.joined(nil)
		w.forget()
		a.link().Vanish()
		a.setAway(true)
		w.pass(8 * time.Second)
		a.want()
		w.hostNode().want()
		w.pass(2500 * time.Millisecond)
		a.want("ClientConnectionLost")
		w.hostNode().want("HostPeerDropped 2")
		w.pass(21 * time.Second)
		a.want("SessionStopped connection_lost")
		w.hostNode().want("HostPeerDisconnected 2 connection_lost")
		b.want()
	})
}

func TestHostVanishes(t *testing.T) { // its process is killed
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		w.forget()
		a.setAway(true)
		a.link().CloseNow()
		w.pass(21 * time.Second)
		a.want("ClientConnectionLost", "SessionStopped connection_lost")
	})
}

// TestThrottledClientStays: a page whose timers run once a minute, but which answers what it gets.
func TestThrottledClientStays(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		p := w.raw("192.168.1.50:1", true)
		defer p.close()
		go func() { // only answers
			for {
				b, err := p.conn.Read()
				if err != nil {
					return
				}
				all, _ := wire.Decode(b)
				for _, f := range all {
					p.mu.Lock()
					p.got = append(p.got, f)
					p.mu.Unlock()
					if f, ok := f.(*wire.Ping); ok {
						p.send(&wire.Pong{Seq: f.Seq, T0: f.T0, T1: 1, T2: 1})
					}
				}
			}
		}()
		p.welcomed()
		w.pass(5 * time.Minute)
		w.hostNode().want("SessionStarted", "HostPeerConnected 2")
		if w.host.Peer(2).State != PeerActive {
			t.Errorf("got %s", w.host.Peer(2).State)
		}
	})
}

func TestUpdateIsNotCalled(t *testing.T) { // a hidden window keeps its session
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		a.asleep, w.hostNode().asleep = true, true
		w.pass(2 * time.Minute)
		a.asleep, w.hostNode().asleep = false, false
		w.forget()
		w.pass(time.Second)
		if !a.c.IsActive() || w.host.PeerCount() != 1 || len(a.events) != 0 {
			t.Errorf("active %t, peers %d, %v", a.c.IsActive(), w.host.PeerCount(), a.names())
		}
	})
}

func TestDebugIsPatient(t *testing.T) {
	inWorld(t, func(h *Host) { h.Debug = true }, func(w *world) {
		p := w.raw("192.168.1.50:1", false)
		defer p.close()
		p.welcomed()
		w.pass(4 * time.Minute) // silent
		if w.hostNode().count("HostPeerDropped") != 0 {
			t.Errorf("got %v", w.hostNode().names())
		}
		w.pass(2 * time.Minute)
		if w.hostNode().count("HostPeerDropped") != 1 {
			t.Errorf("got %v", w.hostNode().names())
		}
	})
}

func TestRestartedHostTakesItsPeersBack(t *testing.T) {
	store, err := OpenStore(t.TempDir() + "/sessions.db")
	if err != nil {
		t.Fatal(err)
	}
	// The database keeps goroutines of its own: outside the bubble its connection is opened once.
	if _, _, err := store.load("p", "s", "b", time.Now()); err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var before savedSession
	var token [wire.TokenSize]byte
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t, log: &logLines{}}
		w.startHost(nil)
		defer w.close()
		a := w.joined(nil)
		w.host.GameState().Set("wind", "east")
		w.host.PlayerState(a.id()).Set("gold", 7)
		w.load(bay, false)
		w.pass(100 * time.Millisecond)
		token = a.c.welcome.Token
		w.host.mu.Lock()
		before = w.host.savedLocked()
		w.host.mu.Unlock()
	})
	if err := store.save("skiff", "friday", "1.0", time.Now(), before); err != nil {
		t.Fatal(err)
	}
	after, ok, err := store.load("skiff", "friday", "1.0", time.Now())
	if err != nil || !ok {
		t.Fatalf("got %t %v", ok, err)
	}
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t, log: &logLines{}}
		w.startHost(nil)
		defer w.close()
		w.host.mu.Lock()
		err := w.host.takeUpLocked(after)
		w.host.mu.Unlock()
		if err != nil {
			t.Fatal(err)
		}
		if v, _ := w.host.GameState().Get("wind"); v != "east" || !w.host.Restored() {
			t.Errorf("game state: %v", v)
		}
		p := w.raw("192.168.1.50:1", false)
		defer p.close()
		h := p.hello()
		p.send(&h)
		w.pass(20 * time.Millisecond)
		p.send(&wire.Auth{Resume: token[:]})
		w.pass(100 * time.Millisecond)
		got := frame[*wire.Welcome](p)
		if got == nil || got.ID != 2 || !got.Resumed {
			t.Fatalf("got %+v, %v", got, frame[*wire.Reject](p))
		}
		if v, _ := w.host.PlayerState(2).Get("gold"); v != int64(7) {
			t.Errorf("player state: %v", v)
		}
		w.hostNode().want("SessionStarted", "HostPeerConnected 2")
		if id := w.load(bay, false); id != 2 {
			t.Errorf("transition %d, want 2: numbers go on", id)
		}
		if b := w.joined(nil); b.id() != 3 {
			t.Errorf("next id %d, want 3", b.id())
		}
	})
}

func TestFreshHostIsFresh(t *testing.T) { // ids, tokens and clock of another session do not carry over
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		token := a.c.welcome.Token
		began := w.host.started
		w.host.Close()
		w.pass(time.Second)
		w.startHost(nil)
		p := w.raw("192.168.1.50:1", false)
		defer p.close()
		h := p.hello()
		p.send(&h)
		w.pass(20 * time.Millisecond)
		p.send(&wire.Auth{Resume: token[:]})
		w.pass(20 * time.Millisecond)
		if r := frame[*wire.Reject](p); r == nil || r.Code != "bad_token" {
			t.Errorf("old token: got %v", r)
		}
		if !w.host.started.After(began) || w.joined(nil).id() != 2 {
			t.Error("clock or ids are old")
		}
	})
}

func TestTwoTabsAreTwoPeers(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		w.joined(nil)
		w.clients = 0
		w.joined(nil)
		var names []string
		for _, p := range w.host.Peers() {
			names = append(names, fmt.Sprintf("%d%s%s", p.ID, p.Name, p.Addr))
		}
		if want := []string{"2Ada192.168.1.11", "3Ada192.168.1.11"}; !slices.Equal(names, want) {
			t.Errorf("got %v", names)
		}
	})
}
