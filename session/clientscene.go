package session

import (
	"errors"

	"conch/session/wire"
)

// clientScene is where this client is in the transitions.
type clientScene struct {
	load     wire.Load // the latest; Transition 0: none
	reported bool      // the game has reported on it
	loaded   bool      // with success
	instance SceneInstance
	held     bool // its Activate came
	shown    SceneInstance
}

// loaded is the transition whose scene the game has loaded, for a resume.
func (c *Client) loaded() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.scene.loaded {
		return c.scene.load.Transition
	}
	return 0
}

func (c *Client) applyLoad(f *wire.Load) {
	c.mu.Lock()
	s := &c.scene
	if f.Transition <= s.load.Transition {
		if f.Transition == s.load.Transition && s.reported {
			c.sendLocked(&wire.Loaded{Transition: f.Transition, OK: s.loaded})
		}
		c.mu.Unlock()
		return
	}
	s.load, s.reported, s.loaded, s.held, s.instance = *f, false, false, false, SceneInstance{}
	var removed []uint64
	for t, e := range c.state.entities {
		if t.Kind() == wire.KindObject && !(f.Seamless && e.persistent) {
			delete(c.state.entities, t)
			removed = append(removed, t.ID())
		}
	}
	if !f.Seamless {
		s.shown = SceneInstance{}
	}
	c.mu.Unlock()
	c.emitRemoved(removed)
	c.emit(ClientSceneLoadRequested{Scene{f.UUID, f.Name}, f.Seamless, f.Transition})
}

// NotifySceneLoaded reports that the scene of a ClientSceneLoadRequested is loaded, or with ok false why not. Only the first
// report on the latest transition counts.
func (c *Client) NotifySceneLoaded(i SceneInstance, ok bool, message string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.scene
	switch {
	case c.phase != clientActive:
		return ErrNotActive
	case s.load.Transition == 0:
		return errors.New("no scene was requested")
	case i.Transition != s.load.Transition || s.reported:
		c.o.Log.Debug("stale report on a scene", "scene", i.Scene.Name)
		return nil
	}
	s.reported, s.loaded, s.instance = true, ok, i
	if i.InstanceID == "" {
		s.instance.InstanceID = newUUID()
	}
	s.instance.Scene = Scene{s.load.UUID, s.load.Name}
	c.sendLocked(&wire.Loaded{Transition: i.Transition, OK: ok, Text: cut(message, wire.MaxText)})
	if ok && s.held {
		c.queue.push(item{run: func() { c.applyActivate(i.Transition) }})
	}
	return nil
}

// applyActivate starts a scene when both its Activate and the game's report are there.
func (c *Client) applyActivate(transition uint64) {
	c.mu.Lock()
	s := &c.scene
	if transition != s.load.Transition || s.shown.Transition == transition {
		c.mu.Unlock()
		return
	}
	if s.held = true; !s.loaded {
		c.mu.Unlock()
		return
	}
	c.mu.Unlock()
	c.emitObjects()
	c.mu.Lock()
	s.shown = s.instance
	c.mu.Unlock()
	c.emit(ClientSceneActivate{transition})
}
