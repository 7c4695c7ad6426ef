package session

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestSupersededTransition(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		w.load(bay, false)
		w.pass(100 * time.Millisecond)
		w.load(reef, false)
		w.pass(100 * time.Millisecond)
		w.forget()
		a.c.NotifySceneLoaded(SceneInstance{Transition: 1}, true, "") // stale
		w.pass(200 * time.Millisecond)
		a.want()
		w.hostNode().want()
		a.c.NotifySceneLoaded(SceneInstance{Transition: 2}, true, "")
		a.c.NotifySceneLoaded(SceneInstance{Transition: 2}, false, "twice")
		w.pass(200 * time.Millisecond)
		a.want("ClientSceneActivate 2")
		w.hostNode().want("HostPeerSceneLoadComplete 2 2", "HostPeerActivatedInScene 2 2", "HostSceneTransitionComplete 2")
	})
}

func TestSupersededBeforeTheHostHasLoaded(t *testing.T) {
	cancelled := false
	inWorld(t, func(h *Host) {
		h.LoadScene = func(ctx context.Context, l SceneLoad) error {
			if l.Transition > 1 {
				return nil
			}
			<-ctx.Done()
			cancelled = true
			return ctx.Err()
		}
	}, func(w *world) {
		w.load(bay, false)
		w.pass(100 * time.Millisecond)
		w.load(reef, false)
		w.pass(100 * time.Millisecond)
		w.hostNode().want("SessionStarted", "HostSceneTransitionComplete 2")
		if !cancelled {
			t.Error("the first load was not cancelled")
		}
	})
}

func TestLoadFromTheCompleteHandler(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		loader(a, within(0))
		w.hostNode().on = func(e Event) {
			if e, ok := e.(HostSceneTransitionComplete); ok && e.Transition == 1 {
				w.load(reef, false)
			}
		}
		w.load(bay, false)
		w.pass(time.Second)
		if w.hostNode().count("HostSceneTransitionComplete 2") != 1 || a.count("ClientSceneActivate 2") != 1 {
			t.Errorf("the second transition did not run:\n%s", w.story())
		}
	})
}

func TestLoadFails(t *testing.T) {
	for _, keep := range []bool{false, true} {
		inWorld(t, func(h *Host) { h.KeepOnLoadFailure = keep }, func(w *world) {
			a, b := w.joined(nil), w.joined(nil)
			loader(a, within(0))
			w.load(bay, false)
			w.pass(100 * time.Millisecond)
			w.forget()
			b.c.NotifySceneLoaded(SceneInstance{Transition: 1}, false, "no such file")
			w.pass(time.Second)
			if keep {
				w.hostNode().want("HostPeerActivatedInScene 2 1", "HostSceneTransitionComplete 1")
				b.want()
				return
			}
			w.hostNode().want("HostPeerActivatedInScene 2 1", "HostSceneTransitionComplete 1", "HostPeerDisconnected 3 scene_load_failed: no such file")
			b.want("SessionStopped scene_load_failed: no such file")
		})
	}
}

func TestHostCannotLoad(t *testing.T) {
	inWorld(t, func(h *Host) {
		h.LoadScene = func(_ context.Context, l SceneLoad) error {
			switch l.Scene {
			case reef:
				return errors.New("no reef")
			case Scene{UUID: "uuid-panic"}:
				panic("loader")
			}
			return nil
		}
	}, func(w *world) {
		a := w.joined(nil)
		loader(a, within(50*time.Millisecond))
		w.load(bay, false)
		w.pass(500 * time.Millisecond)
		w.forget()
		w.load(reef, false)
		w.pass(time.Second)
		w.hostNode().want("HostTransitionAborted 2 no reef", "HostPeerSceneLoadComplete 2 3", "HostPeerActivatedInScene 2 3", "HostSceneTransitionComplete 3")
		if got := a.c.ActiveScene(); got.Scene != bay || got.Transition != 3 || a.count("ClientSceneActivate 2") != 0 {
			t.Errorf("client: got %+v, %v", got, a.names())
		}
		w.forget()
		w.load(Scene{UUID: "uuid-panic"}, false)
		w.pass(time.Second)
		w.hostNode().want("HostTransitionAborted 4 loading panicked: loader", "HostPeerSceneLoadComplete 2 5", "HostPeerActivatedInScene 2 5", "HostSceneTransitionComplete 5")
	})
}

func TestFirstSceneDoesNotLoad(t *testing.T) {
	inWorld(t, func(h *Host) {
		h.LoadScene = func(context.Context, SceneLoad) error { time.Sleep(time.Second); return errors.New("broken") }
	}, func(w *world) {
		a := w.joined(nil)
		w.load(bay, false)
		w.pass(2 * time.Second)
		if w.hostNode().count("HostTransitionAborted 1 broken") != 1 || w.host.Peer(a.id()).State != PeerActive {
			t.Errorf("%s: %s", w.host.Peer(a.id()).State, w.story())
		}
	})
}
