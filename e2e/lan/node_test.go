//go:build e2e

package lan

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"conch/session"
)

// A node is this test program, started once more inside a namespace: a session host, or a client. It reads orders and
// prints reports, one JSON value a line.

// nodeEnv holds the nodeOptions of a node.
const nodeEnv = "CONCH_E2E_NODE"

const (
	project = "lan"
	build   = "1"
	port    = session.FirstPort
)

type nodeOptions struct {
	Name  string
	Join  string // the host's address; "" makes a host
	Store string // the host's, for restarts
}

// order is what a node is told to do.
type order struct {
	Do, Name, Value string
	Count           int
}

// report is what a node tells: events of the session under their names, and answers to orders.
type report struct {
	At    time.Time
	Name  string
	Value json.RawMessage
}

// talked says what became of the calls of a client, by number.
type talked struct{ OK, Unknown, Other []int }

// clockError is how far a client's idea of the session's clock is off.
type clockError struct {
	Samples       int
	P50, P95, Max float64 // milliseconds
	RTT           float64
}

type node struct {
	session.Node
	name  string
	out   *json.Encoder
	tick  *time.Ticker // runs while a client talks
	next  int
	most  int // the number to stop at; 0: until told to hush
	left  int // calls without an outcome
	hush  bool
	calls talked
	taken map[string][]int // host: the numbers that were called, by the caller's name
}

func (n *node) tell(name string, value any) {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	if err := n.out.Encode(report{time.Now(), name, raw}); err != nil {
		os.Exit(1) // the test has ended
	}
}

// handle reports an event. A scene is loaded as soon as it is asked for.
func (n *node) handle(e session.Event) {
	name := reflect.TypeOf(e).Name()
	switch e := e.(type) {
	case session.ClientSceneLoadRequested:
		n.Node.(*session.Client).NotifySceneLoaded(session.SceneInstance{Scene: e.Scene, Transition: e.Transition}, true, "")
	case session.ClientGameStateReplicated:
		n.tell(name, e.State.All())
		return
	case session.ClientPlayerStateReplicated:
		n.tell(name, e.State.All())
		return
	case session.ClientObjectReplicated:
		if o, ok := n.Object(e.ID); ok {
			n.tell(name, o.State.All())
		}
		return
	}
	n.tell(name, e)
}

func runNode(o nodeOptions) error {
	n := &node{name: o.Name, taken: map[string][]int{}, out: json.NewEncoder(os.Stdout), tick: time.NewTicker(time.Hour)}
	n.tick.Stop()
	if err := n.open(o); err != nil {
		return err
	}
	orders := make(chan order)
	go func() {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			var o order
			if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
				panic(err)
			}
			orders <- o
		}
		os.Exit(0) // the test has ended
	}()
	n.tell("Ready", n.Port())
	for {
		select {
		case <-n.Wake():
			n.Update(0)
		case <-n.tick.C:
			n.call()
		case o := <-orders:
			if err := n.obey(o); err != nil {
				return fmt.Errorf("%s: %w", o.Do, err)
			}
		}
	}
}

func (n *node) open(o nodeOptions) error {
	if o.Join != "" {
		c, err := session.Join(session.ClientOptions{Handle: n.handle},
			session.JoinRequest{ProjectID: project, BuildHash: build, PlayerName: o.Name, Timeout: time.Minute}, o.Join)
		n.Node = c
		return err
	}
	h := &session.Host{Handle: n.handle, Address: "0.0.0.0", Open: true, Dedicated: true}
	n.Node = h
	if o.Store != "" {
		s, err := session.OpenStore(o.Store)
		if err != nil {
			return err
		}
		h.Restart = s
	}
	h.OnRPC("count", func(c *session.Call) {
		name, number, _ := strings.Cut(string(c.Args), " ")
		i, err := strconv.Atoi(number)
		if err != nil {
			c.Reject()
			return
		}
		n.taken[name] = append(n.taken[name], i)
	})
	return h.Start(project, "night", build, port)
}

func (n *node) obey(o order) error {
	h, _ := n.Node.(*session.Host)
	switch o.Do {
	case "set": // a field of the GameState
		return h.GameState().Set(o.Name, o.Value)
	case "load":
		_, err := h.HostLoadScene(session.Scene{UUID: o.Value, Name: o.Name}, false)
		return err
	case "spawn":
		_, err := h.Spawn("thing", map[string]any{"name": o.Name}, session.SpawnOptions{})
		return err
	case "taken":
		n.tell("Taken", n.taken[o.Name])
	case "talk":
		n.most, n.hush = 0, false
		if o.Count > 0 {
			n.most = n.next + o.Count
		}
		n.tick.Reset(50 * time.Millisecond)
	case "hush":
		n.quiet()
	case "clock":
		n.tell("Clock", n.clock(o.Count))
	case "stop":
		n.Close()
		n.Update(0)
		n.tell("Stopped", nil)
	default:
		return fmt.Errorf("no such order")
	}
	return nil
}

// call makes the next numbered call.
func (n *node) call() {
	i := n.next
	n.next++
	n.left++
	if n.next == n.most {
		defer n.quiet()
	}
	n.SendRPCToHost("count", 0, fmt.Appendf(nil, "%s %d", n.name, i)).OnDone(func(r session.CallResult, err error) {
		n.left--
		switch {
		case err == nil && r.Status == session.StatusOK:
			n.calls.OK = append(n.calls.OK, i)
		case err == nil && r.Status == session.StatusUnknown:
			n.calls.Unknown = append(n.calls.Unknown, i)
		default:
			n.calls.Other = append(n.calls.Other, i)
		}
		n.talked()
	})
}

func (n *node) quiet() {
	n.tick.Stop()
	n.hush = true
	n.talked()
}

// talked tells the outcomes when all are known.
func (n *node) talked() {
	if n.hush && n.left == 0 {
		n.tell("Talked", n.calls)
	}
}

// clock compares the session's clock with this computer's, which is the host's too. Samples during which this process
// stood still are left out.
func (n *node) clock(count int) clockError {
	var off []float64
	for range count {
		before := time.Now()
		there := n.ServerTime()
		here := time.Now()
		if here.Sub(before) < time.Millisecond {
			off = append(off, there.Sub(here).Abs().Seconds()*1000)
		}
		time.Sleep(10 * time.Millisecond) // between samples
	}
	if len(off) == 0 {
		return clockError{}
	}
	slices.Sort(off)
	at := func(share float64) float64 { return off[int(share*float64(len(off)-1))] }
	return clockError{len(off), at(0.5), at(0.95), off[len(off)-1], n.Node.(*session.Client).RTT().Seconds() * 1000}
}
