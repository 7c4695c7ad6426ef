// Package consent answers one question: may this game talk to that host?
//
// The answer comes from the author's host list first. A host that the list does not name is put to the player when
// the game's author turned "allow any host" on and somebody can be asked; otherwise it is refused with a text that
// names the setting to change. No DNS query is made here or before a yes.
//
//	gate := &consent.Gate{Hosts: list}
//	if err := gate.Allow(ctx, target); err != nil { ... }
package consent

import (
	"context"
	"fmt"

	"conch/consent/hostlist"
)

// Question is what the player is asked: may this game connect to Target's host? It holds nothing a game chose
// beyond the canonical target.
type Question struct {
	Target hostlist.Target
}

// Prompter asks the player in a native dialog that no script can draw or press. Ask waits for the answer, or for
// ctx: true only for a clear yes, an error when nobody could be asked.
type Prompter interface {
	Ask(ctx context.Context, q Question) (bool, error)
}

// RefusedError says why a game may not reach a host, in words for the game's console.
type RefusedError struct {
	Host   string
	Reason string
}

func (e *RefusedError) Error() string { return fmt.Sprintf("%s: %s", e.Host, e.Reason) }

// Gate decides for one game. Its fields are set before the first call and not changed after; Allow may be called
// from any goroutine.
type Gate struct {
	Hosts    hostlist.List // the author's list
	AllowAny bool          // the author's switch "allow any host"
	Prompter Prompter      // nil: nobody can be asked, so an unlisted host is refused
}

// Allow is nil when the game may connect to t. A refusal is a *RefusedError.
func (g *Gate) Allow(ctx context.Context, t hostlist.Target) error {
	if err := t.CheckScheme(); err != nil {
		return &RefusedError{Host: t.HostPort(), Reason: err.Error()}
	}
	if g.Hosts.Match(t) {
		return nil
	}
	if !g.AllowAny {
		return &RefusedError{Host: t.HostPort(),
			Reason: "not in the game's host list; add it to network.allowedHosts in conch.json (Network, Allowed hosts)"}
	}
	if g.Prompter == nil {
		return &RefusedError{Host: t.HostPort(),
			Reason: "not in the game's host list and the player cannot be asked here; add it to network.allowedHosts in conch.json"}
	}
	yes, err := g.Prompter.Ask(ctx, Question{Target: t})
	if err != nil {
		return &RefusedError{Host: t.HostPort(), Reason: "the player could not be asked: " + err.Error()}
	}
	if !yes {
		return &RefusedError{Host: t.HostPort(), Reason: "refused by the player"}
	}
	return nil
}
