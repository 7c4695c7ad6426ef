package session

import (
	"testing"
	"time"

	"conch/session/wire"
)

func TestTooManyCallsUnderWay(t *testing.T) {
	inWorld(t, func(h *Host) { h.Rates.CallsBurst, h.Rates.FramesBurst = 1000, 1000 }, func(w *world) {
		a := w.joined(nil)
		a.c.OnRPC("x", (*Call).Defer)
		w.host.OnRPC("x", (*Call).Defer)
		for i := range maxCallsInFlight + 1 {
			for name, op := range map[string]*Op[CallResult]{"up": a.c.SendRPCToHost("x", 0, nil), "down": w.host.SendRPCToConnection("x", 0, nil, a.id())} {
				if full := done(op); full != (i == maxCallsInFlight) {
					t.Fatalf("%s %d: done %t", name, i, full)
				} else if r, _ := op.Result(); full && r.Status != StatusQueueFull {
					t.Errorf("%s: got %v", name, r.Status)
				}
			}
		}
	})
}

func TestCallsAreLimited(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		w.host.OnRPC("x", func(*Call) {})
		var ops []*Op[CallResult]
		for range 200 {
			ops = append(ops, a.c.SendRPCToHost("x", 0, nil))
		}
		w.pass(200 * time.Millisecond)
		counts := map[Status]int{}
		for _, op := range ops {
			r, _ := result(w, op)
			counts[r.Status]++
		}
		if counts[StatusOK] < 100 || counts[StatusOK] > 140 || counts[StatusOK]+counts[StatusRateLimited] != 200 {
			t.Errorf("got %v", counts)
		}
		if !a.c.IsActive() {
			t.Error("one burst ended the peer")
		}
	})
}

func TestFloodOfAnswersEnds(t *testing.T) { // to a Ping that was answered before
	inWorld(t, nil, func(w *world) {
		p := w.raw("192.168.1.50:1", false)
		defer p.close()
		p.welcomed()
		w.pass(3 * time.Second)
		seq := frame[*wire.Ping](p).Seq
		for i := 0; i < 800 && !p.over(); i++ {
			for range 20 {
				p.send(&wire.Pong{Seq: seq, T0: 1, T1: 1, T2: 1})
			}
			w.pass(10 * time.Millisecond)
		}
		if b := frame[*wire.Bye](p); b == nil || b.Code != "rate_limited" {
			t.Errorf("got %v", b)
		}
	})
}

func TestFloodEnds(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		w.host.OnRPC("x", func(*Call) {})
		begin := time.Now()
		for range 1000 {
			for range 20 {
				a.c.Notify("x", 0, nil)
			}
			if w.pass(10 * time.Millisecond); a.count("SessionStopped") > 0 {
				break
			}
		}
		if took := time.Since(begin); took < 5*time.Second || took > 8*time.Second {
			t.Errorf("ended after %v, want a little more than 5 s", took)
		}
		if a.count("SessionStopped rate_limited") != 1 || w.hostNode().count("HostPeerDisconnected 2 rate_limited") != 1 {
			t.Errorf("got %v", a.names())
		}
	})
}

// TestHostThatStoodStillForgives: frames that pile up while the host does not run are not held against the peers.
func TestHostThatStoodStillForgives(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := w.joined(nil)
		w.host.OnRPC("x", func(*Call) {})
		for range 130 {
			a.c.Notify("x", 0, nil)
		}
		w.pass(20 * time.Millisecond)
		w.host.mu.Lock()
		before := w.host.peers[2].rpcs.have
		w.host.mu.Unlock()
		w.host.tick(time.Now().Add(30 * time.Second))
		w.host.mu.Lock()
		p := w.host.peers[2]
		after, linked := p.rpcs.have, p.link != nil
		w.host.mu.Unlock()
		if before > 10 || after != 120 || !linked {
			t.Errorf("calls left before %v, after %v, linked %t", before, after, linked)
		}
	})
}

func TestCallsWhenUpdateIsNotCalled(t *testing.T) {
	inWorld(t, func(h *Host) { h.Rates = Rates{1 << 20, 1 << 20, 1 << 30, 1 << 30, 1 << 20, 1 << 20} }, func(w *world) {
		p := w.raw("192.168.1.50:1", false)
		defer p.close()
		p.welcomed()
		w.host.OnRPC("x", func(*Call) {})
		w.hostNode().asleep = true
		for i := range maxQueued + 100 {
			p.send(&wire.RPC{Call: uint64(i + 1), Name: "x"})
		}
		w.pass(time.Second)
		full := 0
		for _, r := range frames[*wire.Result](p) {
			if r.Status == StatusQueueFull {
				full++
			}
		}
		if full < 90 || full > 110 {
			t.Errorf("%d calls were refused, want about 100", full)
		}
		w.hostNode().asleep = false
		w.pass(time.Second)
		if got := len(frames[*wire.Result](p)); got != maxQueued+100 {
			t.Errorf("%d results, want %d: no call stays without an answer", got, maxQueued+100)
		}
	})
}
