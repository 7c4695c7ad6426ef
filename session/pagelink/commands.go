package pagelink

import (
	"errors"
	"fmt"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/gorilla/websocket"

	"conch/session"
	"conch/session/wire"
)

const maxMessage = 32 << 20

var decoding = func() cbor.DecMode {
	d, err := cbor.DecOptions{
		DupMapKey:        cbor.DupMapKeyEnforcedAPF,
		MaxNestedLevels:  20,
		MaxArrayElements: 1 << 17,
		IndefLength:      cbor.IndefLengthForbidden,
		TagsMd:           cbor.TagsForbidden,
		IntDec:           cbor.IntDecConvertSignedOrFail,
		UTF8:             cbor.UTF8RejectInvalid,
	}.DecMode()
	if err != nil {
		panic(err) // constants
	}
	return d
}()

var errCommand = errors.New("not a command")

// read carries out what the page says, until it says nothing more. Its error is about something that is no command.
func (g *hosting) read(ws *websocket.Conn) error {
	for {
		kind, b, err := ws.ReadMessage()
		if err != nil {
			return nil
		}
		var commands [][]any
		if kind != websocket.BinaryMessage {
			return errCommand
		}
		if err := decoding.Unmarshal(b, &commands); err != nil {
			return err
		}
		for _, c := range commands {
			if err := g.command(&args{rest: c}); err != nil {
				return err
			}
		}
	}
}

// args are the words of a command, taken one after the other. After the first that is not what was asked for all are zero.
type args struct {
	rest []any
	bad  bool
}

func take[T any](a *args) T {
	var none T
	if len(a.rest) == 0 {
		a.bad = true
		return none
	}
	v, ok := a.rest[0].(T)
	a.rest = a.rest[1:]
	if !ok {
		a.bad = true
		return none
	}
	return v
}

func (a *args) number() uint64 {
	n := take[int64](a)
	if n < 0 || n > wire.MaxUint {
		a.bad = true
		return 0
	}
	return uint64(n)
}

func (a *args) text(most int) string {
	s := take[string](a)
	if len(s) > most {
		a.bad = true
		return ""
	}
	return s
}

func (a *args) bytes() []byte { return take[[]byte](a) }

func (a *args) numbers() []uint64 {
	var all []uint64
	for _, v := range take[[]any](a) {
		one := args{rest: []any{v}}
		all = append(all, one.number())
		a.bad = a.bad || one.bad
	}
	return all
}

// value is one encoded value.
func (a *args) value() any {
	v, err := wire.DecodeValue(a.bytes())
	a.bad = a.bad || err != nil
	return v
}

func (a *args) fields() map[string]any {
	all := map[string]any{}
	for _, pair := range take[[]any](a) {
		list, _ := pair.([]any)
		one := args{rest: list}
		name := one.text(wire.MaxTypeName)
		all[name] = one.value()
		a.bad = a.bad || one.bad
	}
	return all
}

// command carries out one. What is about somebody or something that has gone meanwhile does nothing.
func (g *hosting) command(a *args) error {
	h := g.host
	name := a.text(16)
	var run func() error
	switch name {
	case "set":
		target, field := wire.Target(a.number()), a.text(wire.MaxTypeName)
		if len(a.rest) == 1 && a.rest[0] == nil {
			run = func() error { return g.state(target).Delete(field) }
			break
		}
		v := a.value()
		run = func() error { return g.state(target).Set(field, v) }
	case "spawn":
		id, class, owner := a.number(), a.text(wire.MaxTypeName), a.number()
		o := session.SpawnOptions{Owner: owner, Persistent: take[bool](a), DespawnWithOwner: take[bool](a),
			Private: take[bool](a)}
		fields := a.fields()
		run = func() error { return g.spawn(id, class, fields, o) }
	case "despawn":
		id := a.number()
		run = func() error { return h.Despawn(id) }
	case "owner":
		id, owner := a.number(), a.number()
		run = func() error {
			if owner > session.HostID && !h.Peer(owner).Valid {
				return nil
			}
			return h.SetOwner(id, owner)
		}
	case "scene":
		scene := session.Scene{UUID: a.text(wire.MaxID), Name: a.text(wire.MaxID)}
		seamless := take[bool](a)
		run = func() error { return g.beginScene(scene, seamless) }
	case "loaded":
		id, ok, text := a.number(), take[bool](a), a.text(wire.MaxText)
		run = func() error { return g.loaded(id, ok, text) }
	case "call":
		call, name, object, b, to := a.number(), a.text(wire.MaxCallName), a.number(), a.bytes(), a.numbers()
		run = func() error { return g.call(call, name, object, b, to) }
	case "reply":
		number, status, value := a.number(), a.text(32), a.bytes()
		run = func() error { return g.answered(number, status, value) }
	case "decide":
		number := a.number()
		var d *session.Decision
		if len(a.rest) > 0 && a.rest[0] == nil {
			a.rest = a.rest[1:]
		} else {
			d = &session.Decision{Approved: take[bool](a)}
		}
		reason, role, fields := a.text(wire.MaxText), session.Role(a.text(16)), a.fields()
		if d != nil {
			d.Reason, d.Role, d.PlayerState = reason, role, fields
		}
		run = func() error { return g.decided(number, d) }
	case "ready":
		id := a.number()
		run = func() error { return g.isReady(id) }
	case "kick":
		id, reason := a.number(), a.text(wire.MaxText)
		run = func() error { return h.Disconnect(id, reason) }
	case "ping":
		seq, t0 := a.number(), a.number()
		run = func() error {
			now := h.ServerTime().UnixMicro()
			g.tell("pong", seq, t0, now, now)
			return nil
		}
	case "stop":
		run = func() error { h.Stop(); return nil }
	default:
		return fmt.Errorf("%w: %q", errCommand, name)
	}
	if a.bad {
		return fmt.Errorf("%w: %s", errCommand, name)
	}
	err := run()
	if errors.Is(err, session.ErrNoObject) || errors.Is(err, session.ErrNotActive) {
		return nil
	}
	return err
}

// state is what a target names; a state of nothing refuses writes.
func (g *hosting) state(t wire.Target) session.State {
	switch t.Kind() {
	case wire.KindPlayer:
		return g.host.PlayerState(t.ID())
	case wire.KindObject:
		o, _ := g.host.Object(t.ID())
		return o.State
	}
	return g.host.GameState()
}

func (g *hosting) spawn(id uint64, class string, fields map[string]any, o session.SpawnOptions) error {
	if o.Owner > session.HostID && !g.host.Peer(o.Owner).Valid {
		o.Owner = session.HostID // its owner has just left
	}
	if id == 0 {
		return fmt.Errorf("%w: object 0", errCommand)
	}
	o.ID = id // a page that was loaded again does not know of those that are gone
	if _, err := g.host.Spawn(class, fields, o); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if o.DespawnWithOwner {
		g.withOwner[id] = true
	}
	return nil
}

func (g *hosting) beginScene(scene session.Scene, seamless bool) error {
	g.scenes.Lock()
	defer g.scenes.Unlock()
	id, err := g.host.HostLoadScene(scene, seamless)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.loadLocked(session.SceneLoad{Scene: scene, Seamless: seamless, Transition: id}, false)
	return nil
}

func (g *hosting) loaded(id uint64, ok bool, text string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	one := g.loads[id]
	if one == nil {
		return nil
	}
	var err error
	if !ok {
		err = errors.New(text)
	}
	select {
	case one.done <- err:
	default: // said before
	}
	return nil
}

func (g *hosting) call(call uint64, name string, object uint64, b []byte, to []uint64) error {
	for _, id := range to {
		if id == session.HostID {
			return fmt.Errorf("%w: a call of the host to itself", errCommand)
		}
		g.host.SendRPCToConnection(name, object, b, id).OnDone(func(r session.CallResult, err error) {
			if err != nil {
				g.tell("failed", call, err.Error())
				return
			}
			value := r.Value
			if value == nil {
				value = []byte{}
			}
			g.tell("result", call, id, r.Status.String(), value)
		})
	}
	return nil
}

// statuses that a page answers with.
var statuses = map[string]session.Status{"no_handler": session.StatusNoHandler, "handler_threw": session.StatusHandlerThrew,
	"no_object": session.StatusNoObject, "not_owner": session.StatusNotOwner, "rejected": session.StatusRejected,
	"queue_full": session.StatusQueueFull, "too_large": session.StatusTooLarge}

func (g *hosting) answered(number uint64, status string, value []byte) error {
	g.mu.Lock()
	c := g.calls[number]
	delete(g.calls, number)
	g.mu.Unlock()
	if c == nil {
		return nil
	}
	if status == "ok" {
		c.Reply(value)
		return nil
	}
	s, known := statuses[status]
	if !known {
		return fmt.Errorf("%w: status %q", errCommand, status)
	}
	c.Answer(s, nil)
	return nil
}

func (g *hosting) decided(number uint64, d *session.Decision) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r := g.requests[number]; r != nil {
		select {
		case r.answer <- d:
		default:
		}
	}
	return nil
}

func (g *hosting) isReady(id uint64) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if ready := g.ready[id]; ready != nil {
		close(ready)
		delete(g.ready, id)
	}
	return nil
}

// awaitReady returns when the page has set up a new peer, or cannot.
func (g *hosting) awaitReady(id uint64, ready chan struct{}) {
	timer := time.NewTimer(readyTimeout)
	defer timer.Stop()
	g.mu.Lock()
	gone, ws := g.gone, g.ws
	g.mu.Unlock()
	g.flush(ws)
	select {
	case <-ready:
		return
	case <-gone:
	case <-timer.C:
	case <-g.host.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.ready, id)
}
