package session

import (
	"net"
	"net/netip"
	"testing"
	"time"
)

// TestStopListening: the listeners beyond the first close, and those who came from elsewhere leave with a reason.
func TestStopListening(t *testing.T) {
	h := &Host{Open: true}
	if err := h.Start("skiff", "friday", "1.0", AnyPort); err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	other := netip.MustParseAddr("127.0.0.9")
	if err := h.ListenOn(other); err != nil {
		t.Fatal(err)
	}
	all := h.Listening()
	if len(all) != 2 || all[0] != netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(h.Port())) || all[1].Addr() != other {
		t.Fatalf("listening on %v", all)
	}
	h.StopListening("no more")
	if got := h.Listening(); len(got) != 1 || got[0] != all[0] {
		t.Errorf("listening on %v", got)
	}
	if c, err := net.Dial("tcp", all[1].String()); err == nil {
		c.Close()
		t.Error("the other address is still open")
	}
	c, err := net.Dial("tcp", all[0].String())
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

func TestStopListeningTakesStrangersOut(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		n := w.joined(nil) // from 192.168.1.11
		w.host.StopListening("no more")
		w.pass(time.Second)
		if w.host.PeerCount() != 0 || n.c.IsActive() {
			t.Errorf("%d peers, active %v", w.host.PeerCount(), n.c.IsActive())
		}
	})
}

func TestSpawnWithAnID(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		for _, row := range []struct {
			id, want uint64
			ok       bool
		}{{5, 5, true}, {5, 0, false}, {0, 6, true}, {2, 2, true}, {0, 7, true}, {1 << 60, 0, false}} {
			o, err := w.host.Spawn("boat", nil, SpawnOptions{ID: row.id})
			if (err == nil) != row.ok || o.ID != row.want {
				t.Errorf("id %d: got %d, %v", row.id, o.ID, err)
			}
		}
		if err := w.host.Despawn(5); err != nil {
			t.Error(err)
		}
		if _, err := w.host.Spawn("boat", nil, SpawnOptions{ID: 5}); err != nil {
			t.Errorf("a number that is free again: %v", err)
		}
	})
}
