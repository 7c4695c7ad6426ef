package session

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"conch/session/wire"
)

func TestStateIsReplicated(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		game := w.host.GameState()
		for name, v := range map[string]any{"n": 1, "f": 1.5, "s": "text", "b": []byte{1}, "t": true, "z": nil,
			"l": []any{int64(1), "two"}, "m": map[string]any{"k": int64(1)}} {
			if err := game.Set(name, v); err != nil {
				t.Fatal(err)
			}
		}
		a.forget()
		w.pass(100 * time.Millisecond)
		want := map[string]any{"n": int64(1), "f": 1.5, "s": "text", "b": []byte{1}, "t": true, "z": nil,
			"l": []any{int64(1), "two"}, "m": map[string]any{"k": int64(1)}}
		if got := a.c.GameState().All(); !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		a.want("ClientGameStateReplicated")
		game.Set("n", 1) // the same
		w.pass(100 * time.Millisecond)
		a.want()
		game.Delete("n")
		w.pass(100 * time.Millisecond)
		if _, ok := a.c.GameState().Get("n"); ok {
			t.Error("a deleted field is still there")
		}
		a.want("ClientGameStateReplicated")
		if _, ok := w.host.GameState().Get("n"); ok {
			t.Error("a deleted field is still there on the host")
		}
	})
}

func TestChangesAreCoalesced(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		o, _ := w.host.Spawn("crab", map[string]any{"x": 0}, SpawnOptions{})
		w.pass(100 * time.Millisecond)
		a.asleep = true
		a.forget()
		for i := range 30 {
			o.State.Set("x", i)
			w.host.GameState().Set("tide", i)
			w.host.PlayerState(a.id()).Set("gold", i)
			w.pass(50 * time.Millisecond)
		}
		a.asleep = false
		w.pass(10 * time.Millisecond)
		a.want("ClientGameStateReplicated", "ClientPlayerStateReplicated", fmt.Sprintf("ClientObjectReplicated %d", o.ID))
	})
}

func TestPlayerStates(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a, b := w.joined(nil), w.joined(nil)
		a.forget()
		w.host.PlayerState(b.id()).Set("gold", 3)
		w.pass(100 * time.Millisecond)
		if v, _ := a.c.PlayerState(b.id()).Get("gold"); v != int64(3) || !slices.Equal(a.c.Players(), []uint64{2, 3}) {
			t.Errorf("other player: %v of %v", v, a.c.Players())
		}
		a.want() // the event is about one's own
		seen := any(nil)
		w.hostNode().on = func(e Event) {
			if e, ok := e.(HostPeerDisconnected); ok {
				seen, _ = w.host.PlayerState(e.ID).Get("gold")
				if info := w.host.Peer(e.ID); info.State != PeerGone || !info.Valid {
					t.Errorf("peer while its end is handled: %+v", info)
				}
			}
		}
		b.c.Stop()
		w.pass(200 * time.Millisecond)
		if seen != int64(3) || w.host.Peer(3).Valid || !slices.Equal(a.c.Players(), []uint64{2}) {
			t.Errorf("state %v, valid %t, players %v", seen, w.host.Peer(3).Valid, a.c.Players())
		}
		if err := w.host.PlayerState(3).Set("gold", 1); !errors.Is(err, ErrNoObject) {
			t.Errorf("state of nobody: %v", err)
		}
	})
}

func TestObjectsOfALeaver(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a, b := w.joined(nil), w.joined(nil)
		kept, _ := w.host.Spawn("ship", nil, SpawnOptions{Owner: b.id()})
		goes, _ := w.host.Spawn("flag", nil, SpawnOptions{Owner: b.id(), DespawnWithOwner: true})
		w.pass(100 * time.Millisecond)
		a.forget()
		w.hostNode().on = func(e Event) {
			if e, ok := e.(HostPeerDisconnected); ok {
				if o, _ := w.host.Object(kept.ID); o.Owner != HostID {
					t.Errorf("in %v the owner is still %d", e, o.Owner)
				}
			}
		}
		b.c.Stop()
		w.pass(200 * time.Millisecond)
		a.want(fmt.Sprintf("ClientObjectRemoved %d", goes.ID), fmt.Sprintf("ClientObjectReplicated %d", kept.ID))
		if o, _ := a.c.Object(kept.ID); o.Owner != HostID {
			t.Errorf("owner %d", o.Owner)
		}
	})
}

func TestPrivateObjects(t *testing.T) { // nobody but the owner gets a byte of them
	inWorld(t, nil, func(w *world) {
		a, b := w.joined(nil), w.joined(nil)
		spy := w.raw("192.168.1.50:1", false)
		defer spy.close()
		spy.welcomed()
		hand, err := w.host.Spawn("hand", map[string]any{"cards": "secret-1"}, SpawnOptions{Owner: a.id(), Private: true})
		if err != nil {
			t.Fatal(err)
		}
		w.pass(100 * time.Millisecond)
		hand.State.Set("cards", "secret-2")
		w.pass(100 * time.Millisecond)
		if o, _ := a.c.Object(hand.ID); len(b.c.Objects()) != 0 || len(a.c.Objects()) != 1 {
			t.Errorf("owner sees %v, the other %v", o, b.c.Objects())
		} else if v, _ := o.State.Get("cards"); v != "secret-2" {
			t.Errorf("owner sees %v", v)
		}
		a.link().CloseNow() // a snapshot for each
		spy.send(&wire.Resync{})
		w.pass(6 * time.Second) // and checksums
		a.forget()
		b.forget()
		w.host.SetOwner(hand.ID, b.id())
		w.pass(100 * time.Millisecond)
		a.want(fmt.Sprintf("ClientObjectRemoved %d", hand.ID))
		b.want(fmt.Sprintf("ClientObjectReplicated %d", hand.ID))
		hand.State.Set("cards", "secret-3")
		w.pass(100 * time.Millisecond)
		b.c.Stop()
		w.pass(100 * time.Millisecond)
		if o, _ := w.host.Object(hand.ID); o.Owner != HostID || len(a.c.Objects()) != 0 {
			t.Errorf("owner %d, others see %v", o.Owner, a.c.Objects())
		}
		spy.mu.Lock()
		defer spy.mu.Unlock()
		for _, f := range spy.got {
			if strings.Contains(string(wire.Append(nil, f)), "secret") || f.Type() == wire.TypeSpawn {
				t.Errorf("the spy got %T", f)
			}
		}
		if s := w.log.String(); strings.Contains(s, "drifted") {
			t.Error("checksums differ")
		}
	})
}

func TestSpawnAndDespawnMisuse(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		for name, err := range map[string]error{
			"no class":      spawnError(w, "", nil, SpawnOptions{}),
			"owner unknown": spawnError(w, "x", nil, SpawnOptions{Owner: 9}),
			"bad value":     spawnError(w, "x", map[string]any{"f": func() {}}, SpawnOptions{}),
			"too large":     spawnError(w, "x", map[string]any{"a": strings.Repeat("x", 60000), "b": strings.Repeat("x", 60000), "c": strings.Repeat("x", 60000)}, SpawnOptions{}),
			"despawn":       w.host.Despawn(9), "owner of nothing": w.host.SetOwner(9, 1),
			"field without a name": w.host.GameState().Set("", 1), "value too long": w.host.GameState().Set("x", strings.Repeat("x", 70000)),
			"integer too large": w.host.GameState().Set("x", int64(1)<<60),
		} {
			if err == nil {
				t.Errorf("%s: no error", name)
			}
		}
		if w.host.state.bytes != 0 || len(w.host.Objects()) != 0 {
			t.Errorf("%d bytes and %d objects are left", w.host.state.bytes, len(w.host.Objects()))
		}
	})
}

func spawnError(w *world, class string, fields map[string]any, o SpawnOptions) error {
	_, err := w.host.Spawn(class, fields, o)
	return err
}

func TestStateHasLimits(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		o, _ := w.host.Spawn("x", nil, SpawnOptions{})
		for i := range wire.MaxFields {
			if err := o.State.Set(fmt.Sprintf("f%d", i), i); err != nil {
				t.Fatal(err)
			}
		}
		if err := o.State.Set("more", 1); !errors.Is(err, ErrTooLarge) {
			t.Errorf("fields: %v", err)
		}
		big := strings.Repeat("x", 60000)
		var err error
		for i := 0; i < 200 && err == nil; i++ {
			err = w.host.GameState().Set(fmt.Sprintf("f%d", i), big)
		}
		if !errors.Is(err, ErrTooLarge) {
			t.Errorf("bytes: %v", err)
		}
	})
}

// TestLargeState: a snapshot and deltas of megabytes arrive whole, and are no reason to call a peer slow.
func TestLargeState(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		big := strings.Repeat("x", 50000)
		for i := range 60 {
			w.host.GameState().Set(fmt.Sprintf("before%d", i), big)
		}
		a := w.joined(nil)
		for i := range 10 {
			w.host.GameState().Set(fmt.Sprintf("after%d", i), big)
		}
		w.pass(2 * time.Second)
		if got := len(a.c.GameState().All()); got != 70 || a.count("ClientConnectionLost") != 0 {
			t.Errorf("%d fields, %v", got, a.names())
		}
		w.sameState(a)
	})
}

// sameState checks that a client sees what the host has.
func (w *world) sameState(n *node) {
	w.Helper()
	if got, want := n.c.GameState().All(), w.host.GameState().All(); !reflect.DeepEqual(got, want) {
		w.Errorf("game state differs: got %d fields, want %d", len(got), len(want))
	}
	got, want := n.c.Objects(), w.host.Objects()
	want = slices.DeleteFunc(want, func(o Object) bool {
		e := w.host.state.entities[wire.ObjectTarget(o.ID)]
		return e.private && e.owner != n.id()
	})
	if len(got) != len(want) {
		w.Errorf("objects: got %v, want %v", ids(got), ids(want))
		return
	}
	for i := range got {
		g, h := got[i], want[i]
		if g.ID != h.ID || g.Class != h.Class || g.Owner != h.Owner || g.Persistent != h.Persistent || !reflect.DeepEqual(g.State.All(), h.State.All()) {
			w.Errorf("object %d: got %+v %v, want %+v %v", h.ID, g, g.State.All(), h, h.State.All())
		}
	}
	for _, id := range n.c.Players() {
		if !reflect.DeepEqual(n.c.PlayerState(id).All(), w.host.PlayerState(id).All()) {
			w.Errorf("player %d differs", id)
		}
	}
}

// TestLostDelta: a client whose state has drifted is healed by the checksum, one that missed a delta by the numbers.
func TestLostDelta(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		o, _ := w.host.Spawn("crab", map[string]any{"x": 1.5}, SpawnOptions{})
		w.pass(200 * time.Millisecond)
		a.c.mu.Lock()
		f := a.c.state.entities[wire.ObjectTarget(o.ID)].fields["x"]
		f.value, f.raw = 9.5, []byte{0xf9, 0x48, 0xc0}
		a.c.mu.Unlock()
		w.pass(7 * time.Second)
		w.sameState(a)
		if !strings.Contains(w.log.String(), "drifted") {
			t.Error("the checksum did not find it")
		}
		a.c.mu.Lock()
		a.c.state.seq += 5
		a.c.mu.Unlock()
		o.State.Set("x", 2.5)
		w.pass(3 * time.Second)
		w.sameState(a)
	})
}

func TestChecksumsAgree(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		w.pass(100 * time.Millisecond)
		for i := range 20 {
			o, _ := w.host.Spawn("crab", map[string]any{"x": i, "name": "crab", "hp": 1.25}, SpawnOptions{Owner: a.id()})
			o.State.Set("x", i+1)
			o.State.Delete("hp")
			w.pass(time.Second)
		}
		w.sameState(a)
		if s := w.log.String(); strings.Contains(s, "drifted") {
			t.Errorf("a state that is right was called wrong:\n%s", s)
		}
	})
}

// TestSlowReaderGetsTheNewest: while a peer does not read, deltas wait; then it gets the newest values, not each of them.
func TestSlowReaderGetsTheNewest(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		p := w.raw("192.168.1.50:1", true)
		defer p.close()
		h := p.hello()
		p.send(&h)
		p.conn.Read()
		p.send(&wire.Auth{Build: "1.0"})
		w.pass(100 * time.Millisecond)
		filler := strings.Repeat("x", 20000)
		other := w.joined(nil)
		other.forget()
		for i := range 60 { // 3 s at 20 KB a tick: far more than the connection holds
			w.host.GameState().Set("filler", fmt.Sprint(i)+filler)
			w.host.GameState().Set("n", i)
			w.pass(50 * time.Millisecond)
		}
		if other.count("ClientGameStateReplicated") < 50 {
			t.Errorf("the other peer had to wait: %d", other.count("ClientGameStateReplicated"))
		}
		if w.host.Peer(2).State != PeerActive {
			t.Fatalf("the slow reader is %s", w.host.Peer(2).State)
		}
		go p.listen()
		w.pass(time.Second)
		deltas := frames[*wire.Delta](p)
		if len(deltas) > 30 {
			t.Errorf("%d deltas, want fewer than the 60 states", len(deltas))
		}
		for i := 1; i < len(deltas); i++ {
			if deltas[i].Prev != deltas[i-1].Seq {
				t.Errorf("delta %d leads from %d, want %d", i, deltas[i].Prev, deltas[i-1].Seq)
			}
		}
		if last := deltas[len(deltas)-1]; last.Seq != w.host.state.seq {
			t.Errorf("last state %d, want %d", last.Seq, w.host.state.seq)
		}
	})
}

// TestPeerThatDoesNotRead is dropped after 5 s or 1 MiB, and the others never wait.
func TestPeerThatDoesNotRead(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		p := w.raw("192.168.1.50:1", true)
		defer p.close()
		h := p.hello()
		p.send(&h)
		p.conn.Read()
		p.send(&wire.Auth{Build: "1.0"})
		w.pass(100 * time.Millisecond)
		a := w.joined(nil)
		heard := 0
		a.c.OnRPC("x", func(*Call) { heard++ })
		for range 40 {
			w.host.Relay(HostID, "x", 0, make([]byte, 60000), nil)
			w.pass(100 * time.Millisecond)
		}
		if heard != 40 {
			t.Errorf("the other peer heard %d of 40", heard)
		}
		if w.host.Peer(2).State != PeerReconnecting || w.hostNode().count("HostPeerDropped 2") != 1 {
			t.Errorf("the deaf peer is %s", w.host.Peer(2).State)
		}
	})
}

func TestHiddenClientAsksForASnapshot(t *testing.T) { // its queue overflows while Update is not called
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		o, _ := w.host.Spawn("crab", nil, SpawnOptions{})
		w.pass(100 * time.Millisecond)
		a.asleep = true
		for i := range maxQueued + 200 {
			o.State.Set("x", i)
			w.pass(50 * time.Millisecond)
		}
		if n := a.c.queue.len(); n > maxQueued {
			t.Errorf("%d items are queued", n)
		}
		a.asleep = false
		a.forget()
		w.pass(3 * time.Second)
		w.sameState(a)
		if n := a.count("ClientObjectReplicated"); n < 1 || n > 3 {
			t.Errorf("%d events: %v", n, a.names())
		}
	})
}

// TestStateByChance changes everything at random, with resumes and scenes between, and compares.
func TestStateByChance(t *testing.T) {
	for seed := range uint64(8) {
		inWorld(t, nil, func(w *world) {
			dice := newDice(seed)
			a, b := w.joined(nil), w.joined(nil)
			loader(a, func() time.Duration { return time.Duration(dice(200)) * time.Millisecond })
			loader(b, func() time.Duration { return time.Duration(dice(200)) * time.Millisecond })
			for range 400 {
				all := w.host.Objects()
				switch pick := dice(20); {
				case pick < 4:
					w.host.Spawn("crab", map[string]any{"x": dice(9)}, SpawnOptions{Owner: uint64(dice(4)), Persistent: dice(2) == 0, Private: seed%2 == 0 && dice(3) == 0})
				case pick < 6 && len(all) > 0:
					w.host.Despawn(all[dice(len(all))].ID)
				case pick < 8 && len(all) > 0:
					w.host.SetOwner(all[dice(len(all))].ID, uint64(dice(4)))
				case pick < 12 && len(all) > 0:
					all[dice(len(all))].State.Set(fmt.Sprintf("f%d", dice(5)), dice(100))
				case pick < 13 && len(all) > 0:
					all[dice(len(all))].State.Delete(fmt.Sprintf("f%d", dice(5)))
				case pick < 15:
					w.host.GameState().Set(fmt.Sprintf("g%d", dice(5)), dice(100))
				case pick < 17:
					w.host.PlayerState(uint64(2+dice(2))).Set("gold", dice(100))
				case pick == 17 && dice(5) == 0:
					w.load(bay, dice(2) == 0)
				case pick == 18 && dice(5) == 0:
					a.link().CloseNow()
				}
				w.pass(time.Duration(dice(4)) * 10 * time.Millisecond)
			}
			w.pass(10 * time.Second)
			w.sameState(a)
			w.sameState(b)
			if s := w.log.String(); strings.Contains(s, "drifted") {
				t.Errorf("seed %d: drifted", seed)
			}
		})
	}
}

func TestOverLateConnections(t *testing.T) { // 60 ms with jitter
	inWorld(t, nil, func(w *world) {
		dice := newDice(3)
		w.delay = func() time.Duration { return time.Duration(30+dice(60)) * time.Millisecond }
		a := w.join(nil)
		w.pass(2 * time.Second)
		loader(a, within(0))
		w.load(bay, false)
		for i := range 20 {
			w.host.Spawn("crab", map[string]any{"x": i}, SpawnOptions{})
			w.pass(100 * time.Millisecond)
		}
		w.pass(time.Second)
		w.sameState(a)
		host, client := w.host.ServerTime(), a.c.ServerTime()
		if err := client.Sub(host).Abs(); err > 20*time.Millisecond {
			t.Errorf("the clock is off by %v", err)
		}
		if rtt := w.host.Peer(2).RTT; rtt < 60*time.Millisecond || rtt > 180*time.Millisecond {
			t.Errorf("round trip %v", rtt)
		}
	})
}

func TestStateMaps(t *testing.T) {
	var empty State
	if _, ok := empty.Get("x"); ok || empty.All() != nil || empty.Set("x", 1) == nil || empty.Delete("x") == nil {
		t.Error("the zero State holds something")
	}
	inWorld(t, nil, func(w *world) {
		w.host.GameState().Set("a", map[string]any{"k": int64(1)})
		got := w.host.GameState().All()
		delete(got, "a")
		if names := slices.Collect(maps.Keys(w.host.GameState().All())); !slices.Equal(names, []string{"a"}) {
			t.Errorf("the caller's map is the state: %v", names)
		}
	})
}
