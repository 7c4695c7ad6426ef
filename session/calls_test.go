package session

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"conch/session/wire"
)

func TestRPCToHost(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		mine, _ := w.host.Spawn("ship", nil, SpawnOptions{Owner: a.id()})
		theirs, _ := w.host.Spawn("ship", nil, SpawnOptions{Owner: HostID})
		w.pass(100 * time.Millisecond)
		var from uint64
		w.host.OnRPC("fire", func(c *Call) {
			from = c.From
			c.Reply(append([]byte("hit "), c.Args...))
		})
		w.host.OnRPC("throw", func(*Call) { panic("oh") })
		w.host.OnRPC("no", func(c *Call) { c.Reject() })
		w.host.OnRPC("quiet", func(*Call) {})
		w.host.OnRPC("later", func(c *Call) {
			c.Defer()
			time.AfterFunc(time.Second, func() { c.Reply([]byte("late")) })
		})
		w.host.OnRPC("large", func(c *Call) { c.Reply(make([]byte, 64<<10+1)) })
		w.host.OnRPCFromAnyone("wave", func(c *Call) {})
		for _, c := range []struct {
			name   string
			call   string
			object uint64
			want   Status
			value  string
		}{
			{"session", "fire", 0, StatusOK, "hit x"},
			{"own object", "fire", mine.ID, StatusOK, "hit x"},
			{"object of the host", "fire", theirs.ID, StatusNotOwner, ""},
			{"object of the host, for anyone", "wave", theirs.ID, StatusOK, ""},
			{"no object", "fire", 99, StatusNoObject, ""},
			{"no handler", "fly", 0, StatusNoHandler, ""},
			{"panic", "throw", 0, StatusHandlerThrew, ""},
			{"rejected", "no", 0, StatusRejected, ""},
			{"no reply", "quiet", 0, StatusOK, ""},
			{"later", "later", 0, StatusOK, "late"},
			{"reply too large", "large", 0, StatusTooLarge, ""},
		} {
			op := a.c.SendRPCToHost(c.call, c.object, []byte("x"))
			w.until(3*time.Second, c.name, func() bool { return done(op) })
			r, err := result(w, op)
			if err != nil || r.Status != c.want || string(r.Value) != c.value || r.Connection != HostID {
				t.Errorf("%s: got %v %q %v, want %v %q", c.name, r.Status, r.Value, err, c.want, c.value)
			}
		}
		if from != a.id() {
			t.Errorf("from %d, want %d", from, a.id())
		}
		if !a.c.IsActive() {
			t.Error("a handler that panicked ended the peer")
		}
		w.host.OnRPC("fire", nil)
		op := a.c.SendRPCToHost("fire", 0, nil)
		w.pass(100 * time.Millisecond)
		if r, _ := result(w, op); r.Status != StatusNoHandler {
			t.Errorf("handler taken away: got %v", r.Status)
		}
	})
}

func TestRPCToPeers(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a, b := w.joined(nil), w.joined(nil)
		for _, n := range []*node{a, b} {
			n.c.OnRPC("hail", func(c *Call) { c.Reply(fmt.Appendf(nil, "%d hears %d: %s", n.id(), c.From, c.Args)) })
		}
		w.host.OnRPC("hail", func(c *Call) { c.Reply([]byte("host")) })
		ship, _ := w.host.Spawn("ship", nil, SpawnOptions{Owner: b.id()})
		rock, _ := w.host.Spawn("rock", nil, SpawnOptions{})
		own, _ := w.host.Spawn("rock", nil, SpawnOptions{Owner: HostID})
		args := []byte("ahoy")
		one := w.host.SendRPCToConnection("hail", 0, args, a.id())
		local := w.host.SendRPCToConnection("hail", 0, args, HostID)
		gone := w.host.SendRPCToConnection("hail", 0, args, 99)
		owner := w.host.SendRPCToOwner("hail", ship.ID, args)
		nobody := w.host.SendRPCToOwner("hail", rock.ID, args)
		mine := w.host.SendRPCToOwner("hail", own.ID, args)
		many := w.host.SendRPCMulticast("hail", 0, args, []uint64{b.id(), 99, HostID, a.id(), b.id()})
		none := w.host.SendRPCMulticast("hail", 0, args, nil)
		missing := w.host.SendRPCToConnection("hail", 77, args, a.id())
		copy(args, "XXXX") // taken at the call
		w.pass(200 * time.Millisecond)
		for _, c := range []struct {
			name string
			op   *Op[CallResult]
			want string
		}{
			{"connection", one, "ok 2 hears 1: ahoy"}, {"host itself", local, "ok host"}, {"unknown peer", gone, "peer_gone "},
			{"owner", owner, "ok 3 hears 1: ahoy"}, {"owner is the host", mine, "ok host"}, {"no object", missing, "no_object "},
		} {
			r, err := result(w, c.op)
			if got := fmt.Sprintf("%v %s", r.Status, r.Value); got != c.want || err != nil {
				t.Errorf("%s: got %q %v, want %q", c.name, got, err, c.want)
			}
		}
		if _, err := result(w, nobody); !errors.Is(err, ErrNoOwner) {
			t.Errorf("no owner: got %v", err)
		}
		all, err := result(w, many)
		var got []string
		for _, r := range all {
			got = append(got, fmt.Sprintf("%d %v", r.Connection, r.Status))
		}
		if want := []string{"3 ok", "99 peer_gone", "1 ok", "2 ok"}; !slices.Equal(got, want) || err != nil {
			t.Errorf("multicast: got %v %v, want %v", got, err, want)
		}
		if all, err := result(w, none); len(all) != 0 || err != nil {
			t.Errorf("multicast to nobody: got %v %v", all, err)
		}
	})
}

func TestRPCOnTheWrongSide(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		for name, op := range map[string]*Op[CallResult]{
			"host to host": w.host.SendRPCToHost("x", 0, nil), "client to connection": a.c.SendRPCToConnection("x", 0, nil, 3), "client to owner": a.c.SendRPCToOwner("x", 1, nil),
			"no name": w.host.SendRPCToConnection("", 0, nil, 2), "long name": a.c.SendRPCToHost(strings.Repeat("x", 129), 0, nil),
		} {
			if _, err := result(w, op); err == nil {
				t.Errorf("%s: no error", name)
			}
		}
		if _, err := result(w, a.c.SendRPCMulticast("x", 0, nil, []uint64{2})); !errors.Is(err, ErrNotAuthority) {
			t.Errorf("client multicast: got %v", err)
		}
		if err := a.c.GameState().Set("x", 1); !errors.Is(err, ErrNotAuthority) {
			t.Errorf("client set: got %v", err)
		}
	})
}

func TestOutcomeCallbacks(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		a.c.OnRPC("x", func(*Call) {})
		var early, late int
		op := w.host.SendRPCToConnection("x", 0, nil, a.id()).OnDone(func(r CallResult, err error) {
			if r.Status == StatusOK && err == nil {
				early++
			}
		})
		w.pass(100 * time.Millisecond)
		op.OnDone(func(CallResult, error) { late++ })
		if late != 0 {
			t.Error("a late callback ran outside Update")
		}
		w.pass(100 * time.Millisecond)
		if early != 1 || late != 1 || op.Cancel() {
			t.Errorf("early %d, late %d", early, late)
		}
	})
}

func TestTooLargeIsFoundBeforeSending(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		a.c.OnRPC("x", func(*Call) {})
		w.host.OnRPC("x", func(*Call) {})
		for _, size := range []int{70 << 10, 2 << 20} {
			for name, op := range map[string]*Op[CallResult]{
				"to host": a.c.SendRPCToHost("x", 0, make([]byte, size)), "to peer": w.host.SendRPCToConnection("x", 0, make([]byte, size), a.id()),
			} {
				if r, err := result(w, op); r.Status != StatusTooLarge || err != nil {
					t.Errorf("%s, %d: got %v %v", name, size, r.Status, err)
				}
			}
		}
		up, down := a.c.SendRPCToHost("x", 0, make([]byte, 64<<10)), w.host.SendRPCToConnection("x", 0, make([]byte, 1<<10), a.id())
		w.pass(100 * time.Millisecond)
		for _, op := range []*Op[CallResult]{up, down} {
			if r, err := result(w, op); r.Status != StatusOK || err != nil {
				t.Errorf("the next call: got %v %v", r.Status, err)
			}
		}
		if err := a.c.Notify("x", 0, make([]byte, 70<<10)); !errors.Is(err, ErrTooLarge) {
			t.Errorf("notify: got %v", err)
		}
		if err := w.host.Relay(HostID, "x", 0, make([]byte, 70<<10), nil); !errors.Is(err, ErrTooLarge) {
			t.Errorf("relay: got %v", err)
		}
	})
}

// TestSpawnThenCall: the object is there at every call that names it.
func TestSpawnThenCall(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		calls, missing := 0, 0
		known := map[uint64]bool{}
		a.on = func(e Event) {
			if e, ok := e.(ClientObjectReplicated); ok {
				known[e.ID] = true
			}
		}
		a.c.OnRPC("look", func(c *Call) {
			calls++
			o, ok := a.c.Object(c.Object)
			if v, _ := o.State.Get("n"); !ok || v != int64(binary.LittleEndian.Uint64(c.Args)) || !known[c.Object] {
				missing++
			}
		})
		for i := range 1000 {
			o, err := w.host.Spawn("thing", map[string]any{"n": i}, SpawnOptions{Owner: a.id()})
			if err != nil {
				t.Fatal(err)
			}
			if err := w.host.Relay(HostID, "look", o.ID, binary.LittleEndian.AppendUint64(nil, uint64(i)), nil); err != nil {
				t.Fatal(err)
			}
			if err := w.host.Despawn(o.ID); err != nil {
				t.Fatal(err)
			}
			if i%100 == 0 {
				w.pass(10 * time.Millisecond)
			}
		}
		w.pass(100 * time.Millisecond)
		if calls != 1000 || missing != 0 {
			t.Errorf("%d calls, %d without their object", calls, missing)
		}
	})
}

// TestOwnerThenCall: a call on an object that the caller was just given is not refused, and after the change it is.
func TestOwnerThenCall(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		o, _ := w.host.Spawn("ship", nil, SpawnOptions{})
		w.host.OnRPC("steer", func(*Call) {})
		var ops []*Op[CallResult]
		a.on = func(e Event) {
			if e, ok := e.(ClientObjectReplicated); ok {
				if object, _ := a.c.Object(e.ID); object.Owner == a.id() {
					ops = append(ops, a.c.SendRPCToHost("steer", e.ID, nil))
				}
			}
		}
		w.pass(100 * time.Millisecond)
		w.host.SetOwner(o.ID, a.id())
		w.pass(200 * time.Millisecond)
		if len(ops) != 1 {
			t.Fatalf("%d calls", len(ops))
		}
		if r, _ := result(w, ops[0]); r.Status != StatusOK {
			t.Errorf("got %v", r.Status)
		}
		w.host.SetOwner(o.ID, HostID)
		op := a.c.SendRPCToHost("steer", o.ID, nil)
		w.pass(100 * time.Millisecond)
		if r, _ := result(w, op); r.Status != StatusNotOwner {
			t.Errorf("after it was taken away: got %v", r.Status)
		}
	})
}

func TestCallToALoadingPeer(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		served := 0
		a.c.OnRPC("x", func(*Call) { served++ })
		w.load(bay, false)
		o, _ := w.host.Spawn("crab", nil, SpawnOptions{})
		object := w.host.SendRPCToConnection("x", o.ID, nil, a.id())
		free := w.host.SendRPCToConnection("x", 0, nil, a.id())
		given := w.host.SendRPCToConnection("x", o.ID, nil, a.id())
		w.host.Relay(HostID, "x", o.ID, nil, nil)
		w.pass(time.Second)
		if r, _ := result(w, free); r.Status != StatusOK || done(object) {
			t.Errorf("session call %v, object call done %t", r.Status, done(object))
		}
		if !given.Cancel() {
			t.Error("a call that did not leave cannot be cancelled")
		}
		if w.host.Peer(a.id()).Dropped != 1 {
			t.Errorf("%d relayed calls lost, want 1", w.host.Peer(a.id()).Dropped)
		}
		w.pass(7 * time.Second)
		a.c.NotifySceneLoaded(SceneInstance{Transition: 1}, true, "")
		w.pass(time.Second)
		if r, err := result(w, object); r.Status != StatusOK || err != nil || served != 2 {
			t.Errorf("after 8 s of loading: got %v %v, served %d", r.Status, err, served)
		}
		if _, err := result(w, given); err == nil {
			t.Error("the cancelled call succeeded")
		}
		w.load(reef, false)
		o, _ = w.host.Spawn("crab", nil, SpawnOptions{})
		object = w.host.SendRPCToConnection("x", o.ID, nil, a.id())
		w.pass(11 * time.Second)
		if r, _ := result(w, object); r.Status != StatusNotReady {
			t.Errorf("a peer that loads too long: got %v", r.Status)
		}
	})
}

func TestCallTimesOut(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		var calls []*Call
		later := func(c *Call) { c.Defer(); calls = append(calls, c) }
		a.c.OnRPC("x", later)
		w.host.OnRPC("x", later)
		up, down := a.c.SendRPCToHost("x", 0, nil), w.host.SendRPCToConnection("x", 0, nil, a.id())
		w.pass(9900 * time.Millisecond)
		if done(up) || done(down) {
			t.Error("ended too early")
		}
		w.pass(300 * time.Millisecond)
		for _, op := range []*Op[CallResult]{up, down} {
			if r, err := result(w, op); r.Status != StatusTimeout || err != nil {
				t.Errorf("got %v %v", r.Status, err)
			}
		}
		for _, c := range calls {
			c.Reply(nil) // too late, no harm
		}
		w.pass(100 * time.Millisecond)
	})
}

func TestCallsWithoutTheirPeer(t *testing.T) { // a loop of calls to peers that leave at random
	inWorld(t, nil, func(w *world) {
		dice := rand.New(rand.NewPCG(1, 2))
		var peers []*node
		for range 6 {
			n := w.joined(nil)
			n.c.OnRPC("x", func(*Call) {})
			peers = append(peers, n)
		}
		var ops []*Op[[]CallResult]
		for range 60 {
			ops = append(ops, w.host.SendRPCMulticast("x", 0, []byte("hi"), []uint64{2, 3, 4, 5, 6, 7}))
			if i := dice.IntN(len(peers)); dice.IntN(6) == 0 {
				if dice.IntN(2) == 0 {
					peers[i].c.Stop()
				} else {
					w.host.Disconnect(uint64(i+2), "out")
				}
			}
			w.pass(10 * time.Millisecond)
		}
		w.pass(time.Second)
		seen := map[Status]int{}
		for _, op := range ops {
			all, err := result(w, op)
			if err != nil || len(all) != 6 {
				t.Errorf("got %v %v", all, err)
			}
			for _, r := range all {
				seen[r.Status]++
			}
		}
		if seen[StatusOK] == 0 || seen[StatusPeerGone] == 0 || seen[StatusOK]+seen[StatusPeerGone]+seen[StatusUnknown] != 360 {
			t.Errorf("got %v", seen)
		}
	})
}

func TestHandlerThatKeepsFailing(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		w.host.OnRPC("throw", func(*Call) { panic("again") })
		for range 12 {
			a.c.SendRPCToHost("throw", 0, nil)
		}
		w.pass(200 * time.Millisecond)
		if a.count("SessionStopped kicked: its calls failed too often") != 1 {
			t.Errorf("got %v", a.names())
		}
	})
}

func TestRelay(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a, b, c := w.joined(nil), w.joined(nil), w.joined(nil)
		heard := map[uint64][]string{}
		for _, n := range []*node{a, b, c} {
			n.c.OnRPC("", func(call *Call) {
				heard[n.id()] = append(heard[n.id()], fmt.Sprintf("%s from %d %s", call.Name, call.From, call.Args))
				if call.WantsReply() {
					t.Error("a relayed call wants a reply")
				}
			})
		}
		w.host.OnRPC("", func(c *Call) { w.host.Relay(c.From, c.Name, 0, c.Args, nil) })
		a.c.Notify("say", 0, []byte("hi"))
		w.pass(100 * time.Millisecond)
		w.host.Relay(HostID, "bell", 0, nil, []uint64{3, 99})
		w.pass(100 * time.Millisecond)
		want := map[uint64][]string{3: {"say from 2 hi", "bell from 1 "}, 4: {"say from 2 hi"}}
		for id := uint64(2); id <= 4; id++ {
			if !slices.Equal(heard[id], want[id]) {
				t.Errorf("%d heard %v, want %v", id, heard[id], want[id])
			}
		}
	})
}

func TestStatusFromThere(t *testing.T) { // a peer cannot tell what only this side can find out
	inWorld(t, nil, func(w *world) {
		p := w.raw("192.168.1.50:1", false)
		defer p.close()
		p.welcomed()
		w.pass(100 * time.Millisecond)
		for _, c := range []struct{ says, want Status }{{StatusOK, StatusOK}, {StatusTooLarge, StatusTooLarge}, {StatusPeerGone, StatusUnknown}, {200, StatusUnknown}} {
			op := w.host.SendRPCToConnection("x", 0, nil, 2)
			w.pass(50 * time.Millisecond)
			p.send(&wire.Result{Call: frame[*wire.RPC](p).Call, Status: c.says})
			w.pass(50 * time.Millisecond)
			if r, err := result(w, op); r.Status != c.want || err != nil {
				t.Errorf("%d: got %v %v, want %v", c.says, r.Status, err, c.want)
			}
		}
		p.send(&wire.Result{Call: 99}) // of no call
		w.pass(50 * time.Millisecond)
		if p.over() {
			t.Error("a result that came too late ended the peer")
		}
	})
}

func TestNestedCalls(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		a.c.OnRPC("pong", func(c *Call) { c.Reply([]byte("pong")) })
		var inner *Op[CallResult]
		w.host.OnRPC("ping", func(c *Call) { inner = w.host.SendRPCToConnection("pong", 0, nil, c.From) })
		op := a.c.SendRPCToHost("ping", 0, nil)
		w.pass(200 * time.Millisecond)
		if r, _ := result(w, op); r.Status != StatusOK {
			t.Errorf("outer: %v", r.Status)
		}
		if r, _ := result(w, inner); !bytes.Equal(r.Value, []byte("pong")) {
			t.Errorf("inner: %v", r)
		}
	})
}
