package session

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

var bay, reef = Scene{"uuid-bay", "bay"}, Scene{"uuid-reef", "reef"}

// loader answers each request to load after a time; a negative one never.
func loader(n *node, after func() time.Duration) {
	old := n.on
	n.on = func(e Event) {
		if old != nil {
			old(e)
		}
		if e, ok := e.(ClientSceneLoadRequested); ok {
			if d := after(); d >= 0 {
				time.AfterFunc(d, func() { n.c.NotifySceneLoaded(SceneInstance{Transition: e.Transition}, true, "") })
			}
		}
	}
}

func within(d time.Duration) func() time.Duration { return func() time.Duration { return d } }

func (w *world) load(s Scene, seamless bool) uint64 {
	w.Helper()
	id, err := w.host.HostLoadScene(s, seamless)
	if err != nil {
		w.Fatal(err)
	}
	return id
}

func (w *world) forget() {
	for _, n := range w.nodes {
		n.forget()
	}
}

func TestSceneTransition(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a, b := w.joined(nil), w.joined(nil)
		loader(a, within(300*time.Millisecond))
		loader(b, within(100*time.Millisecond))
		w.forget()
		if id := w.load(bay, false); id != 1 {
			t.Errorf("transition %d, want 1", id)
		}
		w.pass(200 * time.Millisecond)
		if got, want := w.host.Peer(2).State, PeerLoading; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got, want := w.host.Peer(3).State, PeerLoaded; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		w.pass(time.Second)
		w.hostNode().want("HostPeerSceneLoadComplete 3 1", "HostPeerSceneLoadComplete 2 1", "HostPeerActivatedInScene 2 1",
			"HostPeerActivatedInScene 3 1", "HostSceneTransitionComplete 1")
		for _, n := range []*node{a, b} {
			n.want("ClientSceneLoadRequested 1", "ClientSceneActivate 1")
			if got := n.c.ActiveScene(); got.Scene != bay || got.Transition != 1 || got.InstanceID == "" {
				t.Errorf("client: got %+v", got)
			}
		}
		if got := w.host.ActiveScene(); got.Scene != bay || got.Transition != 1 || w.host.Peer(2).State != PeerActive {
			t.Errorf("host: got %+v, peer %s", got, w.host.Peer(2).State)
		}
	})
}

func TestSceneAgainIsANewTransition(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		loader(a, within(0))
		w.load(bay, false)
		w.pass(200 * time.Millisecond)
		w.forget()
		w.load(bay, false)
		w.pass(200 * time.Millisecond)
		a.want("ClientSceneLoadRequested 2", "ClientSceneActivate 2")
	})
}

func TestActiveSceneDuringTransition(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		loader(a, within(0))
		w.load(bay, false)
		w.pass(200 * time.Millisecond)
		loader(a, within(-1))
		a.on = nil
		w.load(reef, true)
		w.pass(100 * time.Millisecond)
		if w.host.ActiveScene().Scene != bay || a.c.ActiveScene().Scene != bay {
			t.Error("seamless: the old scene is not active any more")
		}
		w.load(reef, false)
		w.pass(100 * time.Millisecond)
		if w.host.ActiveScene() != (SceneInstance{}) || a.c.ActiveScene() != (SceneInstance{}) {
			t.Error("not seamless: the old scene is still active")
		}
	})
}

func TestMemberLeavesWhileLoading(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a, b, c := w.joined(nil), w.joined(nil), w.joined(nil)
		loader(a, within(0))
		loader(b, within(0))
		w.load(bay, false)
		w.pass(200 * time.Millisecond)
		w.hostNode().forget()
		c.c.Stop()
		begin := time.Now()
		w.until(time.Second, "complete", func() bool { return w.hostNode().count("HostSceneTransitionComplete") == 1 })
		if took := time.Since(begin); took > 50*time.Millisecond {
			t.Errorf("it took %v, want at most a tick", took)
		}
		w.hostNode().want("HostPeerActivatedInScene 2 1", "HostPeerActivatedInScene 3 1", "HostSceneTransitionComplete 1", "HostPeerDisconnected 4 left")
	})
}

func TestBarrierWaitsForAllMembers(t *testing.T) { // and a dedicated host does not count itself
	inWorld(t, func(h *Host) { h.Dedicated = true }, func(w *world) {
		for range 3 {
			loader(w.joined(nil), within(0))
		}
		last := w.joined(nil)
		w.load(bay, false)
		w.pass(5 * time.Second)
		if n := w.hostNode().count("HostSceneTransitionComplete"); n != 0 {
			t.Errorf("%d complete with one missing", n)
		}
		last.c.NotifySceneLoaded(SceneInstance{Transition: 1}, true, "")
		w.pass(time.Second)
		if n := w.hostNode().count("HostSceneTransitionComplete"); n != 1 {
			t.Errorf("%d complete, want 1", n)
		}
		if w.host.Mode() != ModeDedicated {
			t.Errorf("mode %s", w.host.Mode())
		}
	})
}

func TestClientIsFasterThanTheHost(t *testing.T) {
	inWorld(t, func(h *Host) {
		h.LoadScene = func(ctx context.Context, l SceneLoad) error { time.Sleep(2 * time.Second); return nil }
	}, func(w *world) {
		a := w.joined(nil)
		loader(a, within(10*time.Millisecond))
		w.load(bay, false)
		w.pass(1900 * time.Millisecond)
		if a.count("ClientSceneActivate") != 0 || w.hostNode().count("HostPeerSceneLoadComplete 2 1") != 1 {
			t.Errorf("too early:\n%s", w.story())
		}
		w.pass(200 * time.Millisecond)
		if a.count("ClientSceneActivate 1") != 1 || w.hostNode().count("HostSceneTransitionComplete 1") != 1 {
			t.Errorf("not activated:\n%s", w.story())
		}
	})
}

func TestJoinWhileTheHostLoads(t *testing.T) { // the joiner has every object after its activation
	inWorld(t, func(h *Host) {
		h.LoadScene = func(ctx context.Context, l SceneLoad) error { time.Sleep(2 * time.Second); return nil }
	}, func(w *world) {
		w.load(bay, false)
		for range 20 {
			if _, err := w.host.Spawn("crab", map[string]any{"x": 1.5}, SpawnOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		a := w.join(nil)
		loader(a, within(10*time.Millisecond))
		a.on = chain(a.on, func(e Event) {
			if _, ok := e.(ClientSceneActivate); ok && len(a.c.Objects()) != 20 {
				t.Errorf("%d objects at activation, want 20", len(a.c.Objects()))
			}
		})
		w.pass(3 * time.Second)
		if a.count("ClientSceneActivate") != 1 || a.count("ClientObjectReplicated") != 20 || a.first("ClientObjectReplicated") > a.first("ClientSceneActivate") {
			t.Errorf("got %v", a.names())
		}
	})
}

func chain(fs ...func(Event)) func(Event) {
	return func(e Event) {
		for _, f := range fs {
			if f != nil {
				f(e)
			}
		}
	}
}

func TestLateJoinerIsNoMember(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		w.load(bay, false)
		w.pass(100 * time.Millisecond)
		late := w.joined(nil) // while a loads
		loader(late, within(-1))
		w.hostNode().forget()
		a.c.NotifySceneLoaded(SceneInstance{Transition: 1}, true, "")
		w.pass(200 * time.Millisecond)
		w.hostNode().want("HostPeerSceneLoadComplete 2 1", "HostPeerActivatedInScene 2 1", "HostSceneTransitionComplete 1")
		if got := late.names(); got[len(got)-1] != "ClientSceneLoadRequested 1" {
			t.Errorf("late: got %v", got)
		}
		late.forget()
		late.c.NotifySceneLoaded(SceneInstance{Transition: 1}, true, "")
		w.pass(200 * time.Millisecond)
		w.hostNode().want("HostPeerSceneLoadComplete 3 1", "HostPeerActivatedInScene 3 1")
		late.want("ClientSceneActivate 1")

		third := w.joined(nil) // the scene is active
		loader(third, within(0))
		third.c.NotifySceneLoaded(SceneInstance{Transition: 1}, true, "")
		w.pass(200 * time.Millisecond)
		if third.count("ClientSceneLoadRequested 1") != 1 || third.count("ClientSceneActivate 1") != 1 {
			t.Errorf("third: got %v", third.names())
		}
	})
}

func TestLateJoinerWhoLoadsFirstWaits(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		w.load(bay, false)
		w.pass(100 * time.Millisecond)
		late := w.join(nil)
		loader(late, within(0))
		w.pass(time.Second)
		if late.count("ClientSceneActivate") != 0 || w.host.Peer(3).State != PeerLoaded {
			t.Errorf("late: %v, %s", late.names(), w.host.Peer(3).State)
		}
		w.hostNode().forget()
		a.c.NotifySceneLoaded(SceneInstance{Transition: 1}, true, "")
		w.pass(time.Second)
		w.hostNode().want("HostPeerSceneLoadComplete 2 1", "HostPeerActivatedInScene 2 1", "HostPeerActivatedInScene 3 1", "HostSceneTransitionComplete 1")
	})
}

func TestNoScene(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		if w.host.Peer(2).State != PeerActive || a.count("ClientSceneLoadRequested") != 0 {
			t.Errorf("got %s, %v", w.host.Peer(2).State, a.names())
		}
	})
}

func TestNobodyIsThere(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		w.load(bay, false)
		w.pass(50 * time.Millisecond)
		w.hostNode().want("SessionStarted", "HostSceneTransitionComplete 1")
	})
}

func TestSlowMemberIsStale(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a, b := w.joined(nil), w.joined(nil)
		loader(a, within(0))
		w.host.Spawn("crab", nil, SpawnOptions{Persistent: true})
		w.forget()
		w.load(bay, true)
		w.pass(29 * time.Second)
		w.hostNode().want("HostPeerSceneLoadComplete 2 1")
		w.pass(2 * time.Second)
		w.hostNode().want("HostPeerActivatedInScene 2 1", "HostPeerActivatedInScene 3 1", "HostSceneTransitionComplete 1")
		if got := w.host.Peer(3).State; got != PeerStale {
			t.Errorf("got %s, want stale", got)
		}
		if b.count("ClientSceneActivate") != 0 || b.count("ClientObjectReplicated") != 0 {
			t.Errorf("the client is told before it has loaded: %v", b.names())
		}
		b.forget()
		b.c.NotifySceneLoaded(SceneInstance{Transition: 1}, true, "")
		w.pass(100 * time.Millisecond)
		if b.first("ClientSceneActivate 1") < 0 || w.host.Peer(3).State != PeerActive {
			t.Errorf("got %v, %s", b.names(), w.host.Peer(3).State)
		}
		w.hostNode().want("HostPeerSceneLoadComplete 3 1")
	})
}

func TestEndlessLoadingEnds(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		b := w.joined(nil)
		w.load(bay, false)
		w.pass(119 * time.Second)
		if b.count("SessionStopped") != 0 {
			t.Error("ended too early")
		}
		w.pass(2 * time.Second)
		if b.count("SessionStopped scene_load_timeout") != 1 || w.hostNode().count("HostPeerDisconnected 2 scene_load_timeout") != 1 {
			t.Errorf("not ended:\n%s", w.story())
		}
	})
}

func TestSceneDeadlineIsNotExtendedByJoiners(t *testing.T) {
	inWorld(t, func(h *Host) { h.SceneDeadline = 5 * time.Second }, func(w *world) {
		w.joined(nil)
		w.load(bay, false)
		w.pass(4 * time.Second)
		w.joined(nil)
		w.pass(1100 * time.Millisecond)
		if w.hostNode().count("HostSceneTransitionComplete") != 1 {
			t.Errorf("not complete:\n%s", w.story())
		}
	})
}

func TestDroppedMemberIsNotWaitedForLong(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a, b := w.joined(nil), w.joined(nil)
		loader(a, within(0))
		w.load(bay, false)
		w.pass(time.Second)
		b.setAway(true)
		b.link().CloseNow()
		begin := time.Now()
		w.until(10*time.Second, "complete", func() bool { return w.hostNode().count("HostSceneTransitionComplete") == 1 })
		if took := time.Since(begin); took < 4*time.Second || took > 6*time.Second {
			t.Errorf("it took %v, want 5 s", took)
		}
		b.setAway(false)
		loader(b, within(0))
		w.pass(10 * time.Second)
		b.c.NotifySceneLoaded(SceneInstance{Transition: 1}, true, "")
		w.pass(time.Second)
		if b.count("ClientSceneActivate 1") != 1 || b.count("ClientSceneLoadRequested") != 1 {
			t.Errorf("after the resume: %v", b.names())
		}
	})
}

func TestSeamless(t *testing.T) {
	for _, seamless := range []bool{true, false} {
		inWorld(t, nil, func(w *world) {
			a := w.joined(nil)
			loader(a, within(0))
			w.load(bay, false)
			w.pass(200 * time.Millisecond)
			ship, _ := w.host.Spawn("ship", map[string]any{"hp": 5}, SpawnOptions{Owner: a.id(), Persistent: true})
			crab, _ := w.host.Spawn("crab", nil, SpawnOptions{})
			w.host.GameState().Set("wind", "west")
			w.host.PlayerState(a.id()).Set("gold", 7)
			w.pass(200 * time.Millisecond)
			if !slices.Equal(ids(a.c.Objects()), []uint64{ship.ID, crab.ID}) {
				t.Fatalf("before: %v", a.c.Objects())
			}
			a.forget()
			w.load(reef, seamless)
			w.pass(500 * time.Millisecond)
			if v, _ := a.c.GameState().Get("wind"); v != "west" {
				t.Errorf("game state: %v", v)
			}
			if v, _ := a.c.PlayerState(a.id()).Get("gold"); v != int64(7) {
				t.Errorf("player state: %v", v)
			}
			if !seamless {
				a.want("ClientObjectRemoved 1", "ClientObjectRemoved 2", "ClientSceneLoadRequested 2", "ClientSceneActivate 2")
				if len(a.c.Objects()) != 0 || len(w.host.Objects()) != 0 {
					t.Errorf("objects are left: %v", a.c.Objects())
				}
				return
			}
			a.want("ClientObjectRemoved 2", "ClientSceneLoadRequested 2", "ClientSceneActivate 2")
			o, _ := a.c.Object(ship.ID)
			if v, _ := o.State.Get("hp"); v != int64(5) || o.Owner != a.id() || !slices.Equal(ids(a.c.Objects()), []uint64{ship.ID}) {
				t.Errorf("kept object: %+v hp %v, all %v", o, v, a.c.Objects())
			}
		})
	}
}

func ids(all []Object) []uint64 {
	var ids []uint64
	for _, o := range all {
		ids = append(ids, o.ID)
	}
	return ids
}

func TestObjectsWaitForTheScene(t *testing.T) { // spawned while a joiner loads
	inWorld(t, nil, func(w *world) {
		w.load(bay, false)
		a := w.joined(nil)
		for range 5 {
			w.host.Spawn("crab", nil, SpawnOptions{})
			w.pass(100 * time.Millisecond)
		}
		if n := a.count("ClientObjectReplicated"); n != 0 || len(a.c.Objects()) != 0 {
			t.Errorf("%d events and %d objects before the scene is loaded", n, len(a.c.Objects()))
		}
		a.c.NotifySceneLoaded(SceneInstance{Transition: 1}, true, "")
		w.pass(100 * time.Millisecond)
		if n := a.count("ClientObjectReplicated"); n != 5 {
			t.Errorf("%d events, want 5", n)
		}
	})
}

func TestHostLoadSceneMisuse(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		if _, err := w.host.HostLoadScene(Scene{}, false); err == nil {
			t.Error("a scene without UUID was taken")
		}
		a := w.joined(nil)
		if err := a.c.NotifySceneLoaded(SceneInstance{Transition: 1}, true, ""); err == nil {
			t.Error("a report without a request was taken")
		}
		w.host.Stop()
		if _, err := w.host.HostLoadScene(bay, false); !errors.Is(err, ErrNotActive) {
			t.Errorf("after Stop: got %v", err)
		}
	})
}
