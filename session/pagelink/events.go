package pagelink

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/gorilla/websocket"

	"conch/session"
	"conch/session/wire"
)

const (
	writeTimeout = 5 * time.Second
	readyTimeout = 2 * time.Second
	maxCalls     = 16384 // that the page has not answered
)

// tell queues an event.
func (g *hosting) tell(event ...any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tellLocked(event...)
}

func (g *hosting) tellLocked(event ...any) {
	select {
	case <-g.gone:
		return // the next page gets the state instead
	default:
	}
	g.out = append(g.out, event)
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// flush writes what is queued as one message. Only the pump calls it.
func (g *hosting) flush(ws *websocket.Conn) {
	g.mu.Lock()
	events := g.out
	g.out = nil
	g.mu.Unlock()
	if len(events) == 0 {
		return
	}
	b, err := cbor.Marshal(events)
	if err == nil {
		ws.SetWriteDeadline(time.Now().Add(writeTimeout))
		err = ws.WriteMessage(websocket.BinaryMessage, b)
	}
	if err != nil {
		g.server.log().Debug("event not told to the page", "err", err)
		ws.Close() // the reader notices
	}
}

// handle is session.Host.Handle.
func (g *hosting) handle(e session.Event) {
	h := g.host
	switch e := e.(type) {
	case session.HostPeerConnected:
		ready := make(chan struct{})
		g.mu.Lock()
		g.ready[e.Peer.ID], g.told[e.Peer.ID] = ready, true
		g.tellLocked("connected", info(h.Peer(e.Peer.ID)), fields(h.PlayerState(e.Peer.ID)))
		g.mu.Unlock()
		g.awaitReady(e.Peer.ID, ready)
	case session.HostPeerDisconnected:
		g.mu.Lock()
		delete(g.told, e.ID)
		g.mu.Unlock()
		g.tell("disconnected", info(h.Peer(e.ID)), e.Reason)
	case session.HostPeerDropped:
		g.tell("dropped", info(h.Peer(e.ID)))
	case session.HostPeerResumed:
		g.tell("resumed", info(h.Peer(e.ID)))
	case session.HostPeerSceneLoadComplete:
		g.tell("sceneLoaded", info(h.Peer(e.ID)), e.Transition)
	case session.HostPeerActivatedInScene:
		g.tell("activated", info(h.Peer(e.ID)), e.Transition)
	case session.HostSceneTransitionComplete:
		g.tell("complete", e.Transition)
	case session.HostTransitionAborted:
		g.tell("aborted", e.Transition, e.Reason)
	case session.SessionStopped:
		g.mu.Lock()
		defer g.mu.Unlock()
		g.tellLocked("stopped", cmp.Or(g.reason, e.Reason))
	}
}

// info is what the page hears of a peer.
func info(p session.PeerInfo) map[string]any {
	millis := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	address := ""
	if p.Addr.IsValid() {
		address = p.Addr.Unmap().WithZone("").String()
	}
	data := p.UserData
	if data == nil {
		data = []byte{}
	}
	return map[string]any{"id": p.ID, "state": string(p.State), "role": string(p.Role), "name": p.Name, "kind": string(p.Kind),
		"joinedAt": p.JoinedAt.UnixMilli(), "rtt": millis(p.RTT), "jitter": millis(p.Jitter), "transition": p.Transition,
		"address": address, "userData": data, "bytesIn": p.BytesIn, "bytesOut": p.BytesOut, "queued": p.Queued, "dropped": p.Dropped}
}

// addresses are those where others than this computer reach the host.
func (g *hosting) addresses() []string {
	all := []string{}
	for _, a := range g.host.Listening() {
		if !a.Addr().IsLoopback() {
			all = append(all, a.String())
		}
	}
	return all
}

func (g *hosting) infos() []any {
	all := []any{}
	for _, p := range g.host.Peers() {
		all = append(all, info(p))
	}
	return all
}

func fields(s session.State) []any {
	all := []any{}
	values := s.All()
	for name, v := range values {
		if raw, err := wire.EncodeValue(v); err == nil {
			all = append(all, []any{name, raw})
		}
	}
	return all
}

// stateLocked is the first event of a link: what there is already.
func (g *hosting) stateLocked() []any {
	h := g.host
	entities := []any{[]any{uint64(wire.GameTarget), fields(h.GameState()), "", 0, false, false}}
	peers := []any{}
	for _, p := range h.Peers() {
		if g.told[p.ID] { // of the others it will hear
			entities = append(entities, []any{uint64(wire.PlayerTarget(p.ID)), fields(h.PlayerState(p.ID)), "", 0, false, false})
			peers = append(peers, info(p))
		}
	}
	for _, o := range h.Objects() {
		entities = append(entities, []any{uint64(wire.ObjectTarget(o.ID)), fields(o.State), o.Class, o.Owner, o.Persistent, g.withOwner[o.ID]})
	}
	var scene any
	if s := h.ActiveScene(); s.Transition != 0 {
		scene = []any{s.Transition, s.Scene.UUID, s.Scene.Name}
	}
	return []any{"state", map[string]any{"entities": entities, "scene": scene, "peers": peers}}
}

// request is somebody who waits to be let in.
type request struct {
	event  []any
	answer chan *session.Decision // nil: the callback threw
}

// approve is session.Host.Approve.
func (g *hosting) approve(ctx context.Context, r session.ApprovalRequest) session.Decision {
	data := r.UserData
	if data == nil {
		data = []byte{}
	}
	asked := &request{answer: make(chan *session.Decision, 1)}
	g.mu.Lock()
	g.last++
	number := g.last
	asked.event = []any{"approve", number, map[string]any{"build": r.Build, "buildMatches": r.BuildMatches, "name": r.Name,
		"kind": string(r.Kind), "spectator": r.Spectator, "userData": data, "address": r.Addr.Unmap().WithZone("").String()}}
	g.requests[number] = asked
	g.tellLocked(asked.event...)
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.requests, number)
	}()
	select {
	case d := <-asked.answer:
		if d == nil {
			panic(errors.New("connectionApprovalCallback threw"))
		}
		return *d
	case <-ctx.Done():
		g.tell("forget", number)
		return session.Decision{}
	}
}

// load is a scene that the page loads for the host.
type load struct {
	event []any
	done  chan error
}

// loadScene is session.Host.LoadScene.
func (g *hosting) loadScene(ctx context.Context, l session.SceneLoad) error {
	g.scenes.Lock() // a transition that the page began is in asked
	g.mu.Lock()
	one := g.loads[l.Transition]
	if one == nil { // the host goes back
		one = g.loadLocked(l, true)
	}
	g.mu.Unlock()
	g.scenes.Unlock()
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.loads, l.Transition)
	}()
	select {
	case err := <-one.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *hosting) loadLocked(l session.SceneLoad, again bool) *load {
	one := &load{event: []any{"load", l.Transition, l.Scene.UUID, l.Scene.Name, l.Seamless, again}, done: make(chan error, 1)}
	g.loads[l.Transition] = one
	g.tellLocked(one.event...)
	return one
}

// repeatLocked tells a new page what the one before it has not answered.
func (g *hosting) repeatLocked() {
	var latest uint64
	for id := range g.loads {
		latest = max(latest, id)
	}
	if one := g.loads[latest]; one != nil {
		g.out = append(g.out, one.event)
	}
	var numbers []uint64
	for n := range g.requests {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		g.out = append(g.out, g.requests[n].event)
	}
}

// called is the handler of every call of a peer.
func (g *hosting) called(c *session.Call) {
	c.Defer()
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.gone:
		c.Answer(session.StatusQueueFull, nil)
		return
	default:
	}
	g.last++
	if c.WantsReply() {
		if len(g.calls) >= maxCalls {
			c.Answer(session.StatusQueueFull, nil)
			return
		}
		g.calls[g.last] = c
	}
	args := c.Args
	if args == nil {
		args = []byte{}
	}
	g.tellLocked("call", g.last, c.From, c.Name, c.Object, args, c.WantsReply())
}
