package app

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"conch/consent"
	"conch/consent/hostlist"
)

// mode is where the game runs, in the terms of the host rules.
func (a *App) mode() consent.Mode {
	if a.opts.Dev {
		return consent.PlayTest
	}
	return consent.Standalone
}

// gateFor is the gate that decides about t. A listed host needs neither store nor identity, so a game that never
// leaves its list starts without them.
func (a *App) gateFor(t hostlist.Target) (*consent.Gate, error) {
	ask := a.Gate.AllowAny || a.mode() == consent.PlayTest
	if a.Gate.Hosts.Match(t) || !ask {
		return a.Gate, nil
	}
	return a.asking()
}

// openAsking makes the gate that remembers and asks. For an unsigned game its identity is the digest of the bundle.
func (a *App) openAsking() (*consent.Gate, error) {
	g := &consent.Gate{
		Hosts: a.Gate.Hosts, AllowAny: a.Gate.AllowAny, Mode: a.Gate.Mode, Name: a.Bundle.Title, Prompter: a.manager, Log: a.opts.Logger,
	}
	defer a.asked.Store(g)
	if a.mode() == consent.PlayTest || a.opts.Dialog == nil {
		return g, nil
	}
	var err error
	if g.Game, err = a.identityOf(a.living); err != nil {
		return nil, err
	}
	store, err := OpenApprovals(a.opts.DataDir, a.opts.Logger)
	if err != nil {
		a.opts.Logger.Warn("approvals cannot be opened: answers hold until the game ends", "err", err)
		return g, nil
	}
	a.mu.Lock()
	a.store = store
	a.mu.Unlock()
	g.Store = store
	return g, nil
}

// digestPause is how long the game loads undisturbed before its digest is made ahead of the first question.
const digestPause = 3 * time.Second

// mayAskPlayer reports whether a question can come whose answer is kept.
func (a *App) mayAskPlayer() bool {
	return (a.Gate.AllowAny || a.sessions != nil) && a.mode() != consent.PlayTest && a.opts.Dialog != nil
}

// identifyAhead finds out the game's identity while it is played, so that the first question does not wait for the whole
// game to be read. A question that comes earlier is not held up by it.
func (a *App) identifyAhead() {
	select {
	case <-a.entered:
	case <-a.living.Done():
		return
	}
	pause := time.NewTimer(digestPause)
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-a.living.Done():
		return
	}
	if _, err := a.identityOf(a.living); err != nil && a.living.Err() == nil {
		a.opts.Logger.Warn("identity of the game", "err", err)
	}
}

func (a *App) identityOf(ctx context.Context) (string, error) {
	id, err := a.Bundle.Identity(ctx)
	if err != nil {
		return "", fmt.Errorf("identity of the game: %w", err)
	}
	a.identity.Store(&id)
	return id, nil
}

// knownIdentity is the game's identity if it is known by now, else "".
func (a *App) knownIdentity() string {
	if id := a.identity.Load(); id != nil {
		return *id
	}
	return ""
}

func (a *App) closeStore() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.store == nil {
		return nil
	}
	return a.store.Close()
}

// ApprovalsDir is where the players' answers are kept.
func ApprovalsDir(dataDir string) string { return dataDir }

// ForgetHost closes the game's open sockets to host and makes its next connection ask again. game is the identity
// whose approval was taken back, "" for every game.
func (a *App) ForgetHost(game, host string) {
	gate := a.asked.Load()
	if gate == nil || game != "" && game != gate.Game {
		return
	}
	gate.Forget(host) // before a page can try again
	a.forgetSessions(host)
	a.Relay.CloseHost(func(to *url.URL) bool {
		t, err := hostlist.ParseTarget(to.String())
		// What the author lists needs no approval and stays open.
		return err == nil && (host == "" || t.Host == host) && !a.Gate.Hosts.Match(t)
	})
}
