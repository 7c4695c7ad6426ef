//go:build e2e

package lan

import (
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"conch/session"
)

// noticing is how long a broken connection may go unnoticed: silence counts after 10 s, the rest is for the machine.
// Without heartbeats TCP would need a quarter of an hour.
const noticing = 20 * time.Second

// since is the time between two reports. Namespaces share the machine's clock.
func since(t *testing.T, what string, from, to time.Time, most time.Duration) {
	t.Helper()
	took := to.Sub(from)
	t.Logf("%s after %.1f s", what, took.Seconds())
	if took > most {
		t.Errorf("%s after %s, want at most %s", what, took, most)
	}
}

// checkCalls compares what became of a client's calls with what the host was called.
func checkCalls(t *testing.T, client, host *process) talked {
	t.Helper()
	c := read[talked](t, client.wait("Talked"))
	host.do(order{Do: "taken", Name: client.name})
	taken := read[[]int](t, host.wait("Taken"))
	times := map[int]int{}
	for _, i := range taken {
		times[i]++
	}
	for i, n := range times {
		if n > 1 {
			t.Errorf("call %d ran %d times", i, n)
		}
	}
	for _, i := range c.OK {
		if times[i] != 1 {
			t.Errorf("call %d is said to have run and ran %d times", i, times[i])
		}
	}
	for _, i := range c.Other {
		if times[i] != 0 {
			t.Errorf("call %d is said not to have run and ran", i)
		}
	}
	if !slices.IsSorted(taken) {
		t.Errorf("calls ran out of order: %v", taken)
	}
	t.Logf("calls: %d ok, %d unknown, %d not made, %d ran", len(c.OK), len(c.Unknown), len(c.Other), len(taken))
	return c
}

// TestCleanLAN: two computers on a switch. The clock is right and every call has a result.
func TestCleanLAN(t *testing.T) {
	n := newNetwork(t)
	hc, cc := n.computer(), n.computer()
	host := hc.host("")
	client := cc.client("anna", hc.address)
	host.waitFor("HostPeerConnected", cc.address)
	client.do(order{Do: "talk", Count: 100})
	if c := checkCalls(t, client, host); len(c.OK) != 100 {
		t.Errorf("%d of 100 calls have a result", len(c.OK))
	}
	client.do(order{Do: "clock", Count: 200})
	checkClock(t, client)
	client.do(order{Do: "stop"})
	host.waitFor("HostPeerDisconnected", `"left"`)
	client.never("ClientConnectionLost")
}

// checkClock logs how far the clock is off. The bound is about being right at all; the figures are for people.
func checkClock(t *testing.T, client *process) {
	t.Helper()
	c := read[clockError](t, client.wait("Clock"))
	t.Logf("clock: off by p50 %.2f ms, p95 %.2f ms, at most %.2f ms in %d samples; round trip %.1f ms", c.P50, c.P95, c.Max, c.Samples, c.RTT)
	if c.Samples == 0 || c.Max > 250 {
		t.Errorf("clock is off: %+v", c)
	}
}

// TestBadLine: 10 ms to 70 ms of delay and every fiftieth packet lost, both ways.
func TestBadLine(t *testing.T) {
	n := newNetwork(t)
	hc, cc := n.computer(), n.bare()
	l := &line{delay: 10 * time.Millisecond, jitter: 60 * time.Millisecond, loss: 0.02}
	address, _ := n.lay(l, hc, cc)
	host := hc.host("")
	client := cc.client("anna", address)
	client.do(order{Do: "talk", Count: 400})
	if c := checkCalls(t, client, host); len(c.OK) != 400 {
		t.Errorf("%d of 400 calls have a result", len(c.OK))
	}
	client.do(order{Do: "clock", Count: 500})
	checkClock(t, client)
	client.never("ClientConnectionLost")
	host.never("HostPeerDropped")
	t.Logf("line: %d packets passed, %d lost", l.passed.Load(), l.lost.Load())
	if l.lost.Load() == 0 {
		t.Error("the line lost nothing")
	}
}

// TestCableBack: a cable is pulled and put back within the time for resuming. State that changed meanwhile is there
// afterwards, and no call runs twice.
func TestCableBack(t *testing.T) {
	n := newNetwork(t)
	hc, cc := n.computer(), n.computer()
	host := hc.host("")
	host.do(order{Do: "load", Name: "cave", Value: "1"})
	host.do(order{Do: "set", Name: "word", Value: "before"})
	client := cc.client("anna", hc.address)
	client.wait("ClientSceneActivate")
	client.waitFor("ClientGameStateReplicated", "before")
	id := read[session.HostPeerConnected](t, host.wait("HostPeerConnected")).Peer.ID
	client.do(order{Do: "talk", Count: 20})
	checkCalls(t, client, host)
	client.do(order{Do: "talk"})
	cc.pull()
	pulled := time.Now()
	host.do(order{Do: "set", Name: "word", Value: "meanwhile"})
	host.do(order{Do: "spawn", Name: "lamp"})
	since(t, "client's ClientConnectionLost", pulled, client.wait("ClientConnectionLost").At, noticing)
	dropped := host.wait("HostPeerDropped")
	since(t, "host's HostPeerDropped", pulled, dropped.At, noticing)
	cc.plug()
	resumed := client.wait("ClientConnectionResumed")
	since(t, "client's ClientConnectionResumed", pulled, resumed.At, 30*time.Second+noticing)
	if got := read[session.HostPeerResumed](t, host.wait("HostPeerResumed")).ID; got != id {
		t.Errorf("peer %d came back as %d", id, got)
	}
	client.waitFor("ClientGameStateReplicated", "meanwhile")
	client.waitFor("ClientObjectReplicated", "lamp")
	client.do(order{Do: "hush"})
	before := checkCalls(t, client, host)
	client.do(order{Do: "talk", Count: 20})
	if after := checkCalls(t, client, host); len(after.OK) != len(before.OK)+20 {
		t.Errorf("%d of 20 calls after the resume have a result", len(after.OK)-len(before.OK))
	}
	host.never("HostPeerDisconnected")
	client.never("SessionStopped")
}

// TestCablePulled: a pulled cable ends both sides, and other peers stay.
func TestCablePulled(t *testing.T) {
	n := newNetwork(t)
	hc, cc, oc := n.computer(), n.computer(), n.computer()
	host := hc.host("")
	client := cc.client("anna", hc.address)
	other := oc.client("bert", hc.address)
	cc.pull()
	pulled := time.Now()
	lost := client.wait("ClientConnectionLost")
	since(t, "client's ClientConnectionLost", pulled, lost.At, noticing)
	dropped := host.wait("HostPeerDropped")
	since(t, "host's HostPeerDropped", pulled, dropped.At, noticing)
	stopped := client.waitFor("SessionStopped", "connection_lost")
	since(t, "client's SessionStopped", lost.At, stopped.At, 20*time.Second+noticing)
	gone := host.waitFor("HostPeerDisconnected", "connection_lost")
	since(t, "host's HostPeerDisconnected", dropped.At, gone.At, 20*time.Second+noticing)
	other.do(order{Do: "talk", Count: 10})
	if c := checkCalls(t, other, host); len(c.OK) != 10 {
		t.Errorf("the other peer: %d of 10 calls have a result", len(c.OK))
	}
	other.never("ClientConnectionLost")
}

// TestOneWayPartition: packets arrive in one direction only. Both sides notice; when the other direction is back in
// time the client resumes, and otherwise both end.
func TestOneWayPartition(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		hostDeaf bool
		heals    bool
	}{
		{"client hears nothing, heals", false, true},
		{"client hears nothing", false, false},
		{"host hears nothing, heals", true, true},
		{"host hears nothing", true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := newNetwork(t)
			hc, cc := n.computer(), n.computer()
			host := hc.host("")
			host.do(order{Do: "set", Name: "word", Value: "before"})
			client := cc.client("anna", hc.address)
			client.waitFor("ClientGameStateReplicated", "before")
			deaf := cc
			if c.hostDeaf {
				deaf = hc
			}
			deaf.deafen()
			cut := time.Now()
			host.do(order{Do: "set", Name: "word", Value: "meanwhile"})
			since(t, "client's ClientConnectionLost", cut, client.wait("ClientConnectionLost").At, noticing)
			since(t, "host's HostPeerDropped", cut, host.wait("HostPeerDropped").At, noticing)
			if !c.heals {
				since(t, "client's SessionStopped", cut, client.waitFor("SessionStopped", "connection_lost").At, 30*time.Second+noticing)
				since(t, "host's HostPeerDisconnected", cut, host.wait("HostPeerDisconnected").At, 30*time.Second+noticing)
				return
			}
			deaf.hear()
			since(t, "client's ClientConnectionResumed", cut, client.wait("ClientConnectionResumed").At, 30*time.Second+noticing)
			host.wait("HostPeerResumed")
			client.waitFor("ClientGameStateReplicated", "meanwhile")
			host.never("HostPeerDisconnected")
		})
	}
}

// TestBehindNAT: players in a second network behind a router that translates addresses join, side by side, and hold
// through a change of the router's address, as after a restart.
func TestBehindNAT(t *testing.T) {
	n := newNetwork(t)
	hc, router := n.computer(), n.computer()
	inner := newSegment(t, n, router)
	a, b := inner.computer(), inner.computer()
	host := hc.host("")
	first := a.client("anna", hc.address)
	second := b.client("bert", hc.address)
	for range 2 {
		if p := read[session.HostPeerConnected](t, host.wait("HostPeerConnected")).Peer; p.Addr.String() != router.address {
			t.Errorf("%s comes from %s, want the router's %s", p.Name, p.Addr, router.address)
		}
	}
	first.do(order{Do: "talk", Count: 50})
	if c := checkCalls(t, first, host); len(c.OK) != 50 {
		t.Errorf("%d of 50 calls have a result", len(c.OK))
	}
	// The router comes back with another address: what it translated is gone.
	moved := strings.TrimSuffix(router.address, ".2") + ".99"
	sh(t, "ip -n %[1]s address del %[2]s/24 dev eth0; ip -n %[1]s address add %[3]s/24 dev eth0", router.name, router.address, moved)
	for _, p := range []*process{first, second} {
		p.wait("ClientConnectionLost")
		p.wait("ClientConnectionResumed")
		p.never("SessionStopped")
	}
	second.do(order{Do: "talk", Count: 20})
	if c := checkCalls(t, second, host); len(c.OK) != 20 {
		t.Errorf("%d of 20 calls have a result", len(c.OK))
	}
	host.never("HostPeerDisconnected")
}

// newSegment is a second network behind router.
func newSegment(t *testing.T, outer *network, router *computer) *network {
	t.Helper()
	n := &network{t: t, number: int(networks.Add(1)), gateway: true}
	sh(t, "ip link add %[1]s type bridge; ip link set %[1]s up", n.bridge())
	t.Cleanup(func() { sh(t, "ip link del %s", n.bridge()) })
	sh(t, "ip link add gate%[1]d type veth peer name eth1 netns %[2]s; ip link set gate%[1]d master %[3]s up; ip -n %[2]s address add 10.77.%[1]d.254/24 dev eth1; ip -n %[2]s link set eth1 up; ip netns exec %[2]s sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'; ip netns exec %[2]s nft 'add table ip nat; add chain ip nat out { type nat hook postrouting priority 100; }; add rule ip nat out oifname \"eth0\" masquerade'",
		n.number, router.name, n.bridge())
	return n
}

// TestHostIsKilled: a session host dies at once and is started again; its peers resume with their ids, and the state that
// it had stored is there.
func TestHostIsKilled(t *testing.T) {
	n := newNetwork(t)
	hc, ac, bc := n.computer(), n.computer(), n.computer()
	store := filepath.Join(t.TempDir(), "session.db")
	host := hc.host(store)
	host.do(order{Do: "set", Name: "word", Value: "stored"})
	a := ac.client("anna", hc.address)
	b := bc.client("bert", hc.address)
	ids := map[string]uint64{}
	for range 2 {
		p := read[session.HostPeerConnected](t, host.wait("HostPeerConnected")).Peer
		ids[p.Name] = p.ID
	}
	for _, p := range []*process{a, b} {
		p.waitFor("ClientGameStateReplicated", "stored")
	}
	waitStored(t, store, "anna", "bert")
	host.kill()
	a.wait("ClientConnectionLost")
	b.wait("ClientConnectionLost")
	again := hc.host(store)
	for _, p := range []*process{a, b} {
		p.wait("ClientConnectionResumed")
	}
	for range 2 {
		p := read[session.HostPeerConnected](t, again.wait("HostPeerConnected")).Peer
		if ids[p.Name] != p.ID {
			t.Errorf("%s was %d and is %d", p.Name, ids[p.Name], p.ID)
		}
	}
	again.do(order{Do: "set", Name: "after", Value: "restart"})
	for _, p := range []*process{a, b} {
		if r := p.waitFor("ClientGameStateReplicated", "restart"); !strings.Contains(string(r.Value), "stored") {
			t.Errorf("after the restart the GameState is %s", r.Value)
		}
	}
	a.do(order{Do: "talk", Count: 20})
	if c := checkCalls(t, a, again); len(c.OK) != 20 {
		t.Errorf("%d of 20 calls have a result", len(c.OK))
	}
}

// waitStored waits until a host's store names its peers, and with them the state from before they came.
func waitStored(t *testing.T, store string, names ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", store) // the session package brings the driver
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	deadline := time.Now().Add(patience)
	for {
		var content string
		err := db.QueryRow("SELECT content FROM session").Scan(&content)
		if !slices.ContainsFunc(names, func(name string) bool { return !strings.Contains(content, name) }) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the store has %q, %v", content, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
