package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"conch/session/wire"
)

// TestStopInEveryStage stops a host while ten clients are in five stages of joining, twice.
func TestStopInEveryStage(t *testing.T) {
	inWorld(t, func(h *Host) {
		h.Approve = func(ctx context.Context, r ApprovalRequest) Decision {
			if r.Name == "waits" {
				<-ctx.Done()
			}
			return Decision{Approved: true}
		}
	}, func(w *world) {
		var joined, waiting []*node
		var silent, greeted []*rawPeer
		for range 2 {
			joined = append(joined, w.joined(nil))
			waiting = append(waiting, w.join(func(_ *ClientOptions, r *JoinRequest) { r.PlayerName, r.Timeout = "waits", time.Minute }))
			p := w.raw("192.168.1.90:1", false)
			defer p.close()
			silent = append(silent, p)
			p = w.raw("192.168.1.91:1", false)
			defer p.close()
			h := p.hello()
			p.send(&h)
			greeted = append(greeted, p)
		}
		w.pass(100 * time.Millisecond)
		away := w.joined(nil)
		away.setAway(true)
		away.link().CloseNow()
		fresh := w.join(nil) // welcomed, not yet started
		fresh.asleep = true
		w.pass(100 * time.Millisecond)
		op := w.host.SendRPCToConnection("x", 0, nil, away.c.welcome.ID) // waits for its return
		w.forget()
		before := w.host.Peers()
		if len(before) != 4 {
			t.Errorf("%d peers, want 4", len(before))
		}
		w.host.Stop()
		w.host.Stop()
		if w.host.IsActive() || w.host.SessionID() != "" || w.host.LocalID() != 0 || !w.host.IsAuthority() {
			t.Error("after Stop the host is still active, or no authority any more before SessionStopped")
		}
		p := w.raw("192.168.1.92:1", false)
		defer p.close()
		if !p.over() {
			t.Error("a stopping host took a connection")
		}
		w.pass(100 * time.Millisecond)
		fresh.asleep = false
		w.pass(2 * time.Second)
		var want []string // in the order of ids, which those who wait have too
		for _, p := range before {
			want = append(want, fmt.Sprintf("HostPeerDisconnected %d host_stopped", p.ID))
		}
		w.hostNode().want(append(want, "SessionStopped local_stop")...)
		for _, n := range joined {
			n.want("SessionStopped host_stopped")
		}
		for _, n := range waiting {
			n.want("ClientJoinFailed host_stopping")
		}
		if n := fresh.count("SessionStopped host_stopped"); n != 1 {
			t.Errorf("fresh: %v", fresh.names())
		}
		for _, p := range append(silent, greeted...) {
			if r := frame[*wire.Reject](p); r == nil || r.Code != "host_stopping" || !p.over() {
				t.Errorf("got %v", r)
			}
		}
		if _, err := result(w, op); !errors.Is(err, ErrNotActive) {
			t.Errorf("call: got %v", err)
		}
		if w.host.IsAuthority() || w.host.Mode() != ModeNone || w.host.PeerCount() != 0 {
			t.Error("the host is still the authority")
		}
		select {
		case <-w.host.Done():
		default:
			t.Error("the host is not done")
		}
		if err := w.host.Start("skiff", "again", "1.0", NoPort); !errors.Is(err, ErrStarted) {
			t.Errorf("second start: %v", err)
		}
		w.pass(21 * time.Second)
		away.want("SessionStopped connection_lost")
	})
}

func TestClientStops(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		op := a.c.SendRPCToHost("x", 0, nil)
		w.forget()
		a.c.Stop()
		a.c.Stop()
		if a.c.IsActive() {
			t.Error("still active")
		}
		w.pass(time.Second)
		a.want("SessionStopped local_stop")
		w.hostNode().want("HostPeerDisconnected 2 left")
		if !done(op) {
			t.Error("the call is not done")
		}
		if err := a.c.NotifySceneLoaded(SceneInstance{Transition: 1}, true, ""); !errors.Is(err, ErrNotActive) {
			t.Errorf("got %v", err)
		}
		if err := a.c.Notify("x", 0, nil); !errors.Is(err, ErrNotActive) {
			t.Errorf("got %v", err)
		}
		if _, err := a.c.SendRPCToHost("x", 0, nil).Result(); !errors.Is(err, ErrNotActive) {
			t.Errorf("got %v", err)
		}
		b := w.join(nil)
		b.c.Stop()
		w.pass(time.Second)
		b.want("ClientJoinFailed cancelled")
		c := w.joined(nil)
		c.setAway(true)
		c.link().CloseNow()
		w.pass(time.Second)
		c.forget()
		c.c.Stop()
		w.pass(time.Second)
		c.want("SessionStopped local_stop")
	})
}

// TestStopInAHandler: what else was queued is not handed over any more.
func TestStopInAHandler(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		gone := w.joined(nil)
		a.on = func(e Event) {
			if _, ok := e.(ClientSceneLoadRequested); ok {
				a.c.Stop()
			}
		}
		a.asleep = true
		w.load(bay, false)
		w.host.GameState().Set("x", 1)
		w.pass(100 * time.Millisecond)
		w.load(reef, false)
		w.pass(100 * time.Millisecond)
		a.asleep = false
		a.forget()
		w.pass(time.Second)
		a.want("ClientSceneLoadRequested 1", "SessionStopped local_stop")

		w.hostNode().on = func(e Event) {
			if _, ok := e.(HostPeerConnected); ok {
				w.host.Stop()
			}
		}
		w.hostNode().asleep = true
		first := w.join(nil)
		w.pass(100 * time.Millisecond)
		gone.c.Stop()
		second := w.join(nil)
		w.pass(100 * time.Millisecond)
		w.load(bay, false)
		w.forget()
		w.hostNode().asleep = false
		w.pass(2 * time.Second)
		// The end of peer 3 was queued before; of peer 5 the game never heard.
		w.hostNode().want("HostPeerConnected 4", "HostPeerDisconnected 3 left", "HostPeerDisconnected 4 host_stopped", "SessionStopped local_stop")
		first.want("ClientJoinFailed host_stopped")
		second.want("ClientJoinFailed host_stopped")
	})
}

func TestDisconnect(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		reason := strings.Repeat("é", 200) // 400 bytes: more than a close frame holds
		w.host.Relay(HostID, "last", 0, []byte("words"), nil)
		heard := false
		a.c.OnRPC("last", func(*Call) { heard = true })
		if err := w.host.Disconnect(a.id(), reason); err != nil {
			t.Fatal(err)
		}
		w.pass(time.Second)
		if !heard {
			t.Error("what was sent before did not arrive")
		}
		if a.count("SessionStopped kicked: "+reason) != 1 || a.count("ClientConnectionLost") != 0 {
			t.Errorf("got %v", a.names())
		}
		if w.hostNode().count("HostPeerDisconnected 2 kicked: "+reason) != 1 {
			t.Errorf("got %v", w.hostNode().names())
		}
		if err := w.host.Disconnect(2, "again"); err != nil {
			t.Errorf("a peer that has left: %v", err)
		}
		if err := w.host.Disconnect(99, "who"); err != nil {
			t.Errorf("nobody: %v", err)
		}
		if err := w.host.Disconnect(HostID, "me"); err == nil {
			t.Error("the host disconnected itself")
		}
		w.host.Stop()
		if err := w.host.Disconnect(2, ""); !errors.Is(err, ErrNotActive) {
			t.Errorf("after Stop: %v", err)
		}
	})
}

// TestRevokedToken: who was disconnected does not come back by resuming.
func TestRevokedToken(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		first := w.raw("192.168.1.50:1", false)
		defer first.close()
		welcome := first.welcomed()
		w.host.Disconnect(welcome.ID, "out")
		w.pass(100 * time.Millisecond)
		p := w.raw("192.168.1.50:1", false)
		defer p.close()
		h := p.hello()
		p.send(&h)
		w.pass(20 * time.Millisecond)
		p.send(&wire.Auth{Resume: welcome.Token[:]})
		w.pass(20 * time.Millisecond)
		if r := frame[*wire.Reject](p); r == nil || r.Code != "bad_token" {
			t.Errorf("got %v", r)
		}
	})
}

func TestBrokenProtocolEndsOnePeer(t *testing.T) {
	for _, c := range []struct {
		name  string
		bytes []byte
	}{
		{"unknown frame", []byte{200, 0, 0}}, {"cut short", []byte{30, 0, 9}}, {"empty message", []byte{}},
		{"frame of the host", wire.Append(nil, &wire.Activate{Transition: 1})}, {"second hello", wire.Append(nil, &wire.Hello{})},
		{"reserved flag", []byte{6, 4, 2, 1, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, nil, func(w *world) {
				a := w.joined(nil)
				p := w.raw("192.168.1.50:1", false)
				defer p.close()
				p.welcomed()
				p.conn.Write(c.bytes)
				w.pass(100 * time.Millisecond)
				if b := frame[*wire.Bye](p); b == nil || b.Code != "protocol_error" || closeCode(p.err) != CloseProtocol {
					t.Errorf("got %v %v", b, p.err)
				}
				if w.hostNode().count("HostPeerDisconnected 3 protocol_error") != 1 || !a.c.IsActive() {
					t.Errorf("got %v", w.hostNode().names())
				}
			})
		})
	}
}

func TestUnknownFramesMayBeSkipped(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		p := w.raw("192.168.1.50:1", false)
		defer p.close()
		p.welcomed()
		p.conn.Write(append([]byte{200, 1, 1, 0}, wire.Append(nil, &wire.Ping{Seq: 9})...))
		w.pass(100 * time.Millisecond)
		if f := frame[*wire.Pong](p); f == nil || f.Seq != 9 {
			t.Errorf("got %v", f)
		}
	})
}

func TestClientRefusesABrokenHost(t *testing.T) {
	for name, bytes := range map[string][]byte{
		"unknown frame": {200, 0, 0}, "frame of a client": wire.Append(nil, &wire.Resync{}),
		"part of nothing": wire.Append(nil, &wire.SnapPart{Data: []byte("x")}), "end of nothing": wire.Append(nil, &wire.SnapEnd{}),
		"unknown name":     wire.Append(nil, &wire.Delta{Seq: 1, Changes: []wire.Change{{Fields: []wire.Field{{Name: 99, Raw: []byte{1}}}}}}),
		"names with a gap": wire.Append(nil, &wire.Names{Base: 50, Names: []string{"x"}}),
	} {
		inWorld(t, nil, func(w *world) {
			a := w.joined(nil)
			w.host.mu.Lock()
			w.host.peers[2].link.send(bytes)
			w.host.mu.Unlock()
			w.pass(time.Second)
			if n := a.count("SessionStopped protocol_error"); n != 1 {
				t.Errorf("%s: got %v", name, a.names())
			}
		})
	}
}

func TestHandlersThatPanic(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		w.hostNode().on = func(e Event) {
			if _, ok := e.(HostPeerConnected); ok {
				panic("handler")
			}
		}
		w.joined(nil)
		w.host.HostLoadScene(bay, false)
		w.pass(100 * time.Millisecond)
		if w.hostNode().count("HostPeerConnected") != 1 || !strings.Contains(w.log.String(), "event=HostPeerConnected") {
			t.Errorf("got %v\n%s", w.hostNode().names(), w.log)
		}
	})
}

func TestUpdateFromAHandlerDoesNothing(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		depth, most := 0, 0
		w.hostNode().on = func(Event) {
			depth++
			most = max(most, depth)
			w.host.Update(0)
			depth--
		}
		w.joined(nil)
		if most != 1 {
			t.Errorf("handlers nested %d deep", most)
		}
	})
}

// TestPageLoadedAnew: another owner takes the session over, and the peers notice nothing.
func TestPageLoadedAnew(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a, gone := w.joined(nil), w.joined(nil)
		loader(a, within(0))
		w.host.OnRPC("x", func(*Call) { t.Error("the old owner was called") })
		w.host.GameState().Set("wind", "east")
		w.load(bay, false)
		w.pass(100 * time.Millisecond)
		gone.c.NotifySceneLoaded(SceneInstance{Transition: 1}, true, "")
		w.pass(100 * time.Millisecond)
		w.hostNode().asleep = true // its page is gone
		gone.c.Stop()
		w.pass(5 * time.Second)
		late := w.join(nil)
		op := a.c.SendRPCToHost("x", 0, nil)
		w.pass(time.Second)
		w.forget()
		if err := w.host.Attach(w.hostNode().handle); err != nil {
			t.Fatal(err)
		}
		w.host.OnRPC("x", func(c *Call) { c.Reply([]byte("new")) })
		w.hostNode().asleep = false
		w.pass(time.Second)
		w.hostNode().want("SessionStarted", "HostPeerConnected 2", "HostPeerConnected 4")
		a.want()
		if late.count("SessionStarted") != 1 {
			t.Errorf("late: %v", late.names())
		}
		if r, err := result(w, op); string(r.Value) != "new" || err != nil {
			t.Errorf("got %v %v", r, err)
		}
		if v, _ := w.host.GameState().Get("wind"); v != "east" || w.host.ActiveScene().Scene != bay || w.host.PeerCount() != 2 {
			t.Errorf("wind %v, scene %v, %d peers", v, w.host.ActiveScene(), w.host.PeerCount())
		}
		w.host.Stop()
		w.pass(time.Second)
		w.hostNode().want("HostPeerDisconnected 2 host_stopped", "HostPeerDisconnected 4 host_stopped", "SessionStopped local_stop")
		if err := w.host.Attach(nil); !errors.Is(err, ErrNotActive) {
			t.Errorf("after Stop: %v", err)
		}
	})
}

// TestUpdateDrainsWhatWasThere: handlers that queue more do not keep Update from returning.
func TestUpdateDrainsWhatWasThere(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		calls := 0
		w.host.OnRPC("again", func(*Call) {
			calls++
			w.host.SendRPCToConnection("again", 0, nil, HostID)
		})
		w.host.SendRPCToConnection("again", 0, nil, HostID)
		for range 5 {
			w.host.Update(0)
		}
		if calls > 5 {
			t.Errorf("%d calls in 5 updates", calls)
		}
	})
}
