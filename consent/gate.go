// Package consent answers one question: may this game talk to that host?
//
// [Decide] holds the rules. The answer comes from the author's host list first. A host that the list does not name is
// put to the player when the game's author turned "allow any host" on and somebody can be asked; otherwise it is
// refused with a text that names the setting to change. No DNS query is made here or before a yes.
//
// A [Gate] joins the parts for one game: a [Manager] puts one question at a time on the screen, and a [Store] keeps
// the yeses, sealed with a key of the system's key store.
//
//	store, err := consent.Open(dataDir, log)
//	manager := &consent.Manager{Dialog: dialog, LockDir: dataDir, Log: log}
//	gate := &consent.Gate{Hosts: list, AllowAny: true, Game: identity, Store: store, Prompter: manager}
//	if err := gate.Allow(ctx, target); err != nil { ... }
package consent

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"conch/consent/hostlist"
)

// Question is what the player is asked: may this game connect to Target's host, join a session there, or let people on
// the network join? It holds nothing a game chose beyond the canonical target.
type Question struct {
	Kind      Kind
	Target    hostlist.Target
	HostPort  string   // Target as a person reads it: host, [v6], and the port when it is not the scheme's own; "" for Host
	Notes     []string // lines to show below it: international letters, own network, this computer
	OfferStop bool     // a third choice: stop asking until restart
	Game      string   // identity of the game, for telling questions apart; never shown

	// What is known by now: a queued question may have been answered elsewhere. nil: nothing.
	recheck func(context.Context) Decision
	// Keeps a yes, before anybody hears of it. nil: nothing to keep.
	commit func(context.Context)
}

// NewQuestion makes the question whether a game may connect to t.
func NewQuestion(game string, t hostlist.Target) Question {
	return Question{Target: t, HostPort: t.HostPort(), Notes: notes(t), Game: game}
}

// Prompter asks the player in a native dialog that no script can draw or press. Ask waits for the answer, or for
// ctx: true only for a clear yes, an error when there was no answer of the player's. An error that is a *RefusedError
// is shown as it is.
type Prompter interface {
	Ask(ctx context.Context, q Question) (bool, error)
}

// Gate decides for one game. Its fields are set before the first call and not changed after; Allow may be called
// from any goroutine. The zero value allows nothing; with Hosts alone, exactly the list is allowed.
type Gate struct {
	Hosts    hostlist.List // the author's list
	AllowAny bool          // the author's switch "allow any host"
	Mode     Mode          // "": Standalone
	Game     string        // identity of the game that a remembered yes belongs to; never its title
	Name     string        // what the game calls itself, for the list of approvals; decides nothing
	Store    *Store        // where a yes is remembered; nil, and always in a play-test: until the program ends
	Prompter Prompter      // nil: nobody can be asked, so an unlisted host is refused
	Log      *slog.Logger  // nil: discard

	mu      sync.Mutex       // guards the fields below
	session *Store           // what is remembered without Store
	noes    map[subject]bool // the noes of a play-test
}

// Allow is nil when the game may connect to t. A refusal is a *RefusedError. It waits for the player when it has to.
func (g *Gate) Allow(ctx context.Context, t hostlist.Target) error {
	return g.allow(ctx, wish{Connect, t})
}

func (g *Gate) allow(ctx context.Context, w wish) error {
	d := g.decide(ctx, w)
	if d.Verdict == VerdictAsk {
		d = g.ask(ctx, w)
	}
	if d.Verdict != VerdictAllow {
		return &RefusedError{Host: w.about(), Code: d.Code, Reason: d.Reason}
	}
	return nil
}

// Forget drops what this run alone knows about a host, "" for all, so that its next connection asks: the noes of a
// play-test, and a yes that could not be written down. The Store's rows are forgotten in the Store.
func (g *Gate) Forget(host string) {
	of := func(s subject) bool { return s.game == g.Game && (host == "" || s.host == host) }
	g.mu.Lock()
	for s := range g.noes {
		if of(s) {
			delete(g.noes, s)
		}
	}
	g.mu.Unlock()
	g.run().drop(of)
	g.memory().drop(of)
}

// decide looks memory up only when the answer depends on it.
func (g *Gate) decide(ctx context.Context, w wish) Decision {
	facts := Facts{Kind: w.kind, Mode: g.Mode, Listed: g.Hosts.Match(w.target), AllowAny: g.AllowAny, Target: w.target}
	d := Decide(facts)
	if d.Verdict != VerdictAsk {
		return d
	}
	facts.Remembered = g.recall(ctx, w)
	return Decide(facts)
}

func (g *Gate) recall(ctx context.Context, w wish) Memory {
	g.mu.Lock()
	no := g.noes[w.subject(g.Game)]
	g.mu.Unlock()
	if no {
		return SaidNo
	}
	if g.memory().allowed(ctx, w.subject(g.Game)) {
		return SaidYes
	}
	return NoAnswer
}

func (g *Gate) ask(ctx context.Context, w wish) Decision {
	if g.Prompter == nil {
		return g.nobodyToAsk(w)
	}
	q := w.question(g.Game)
	q.recheck = func(ctx context.Context) Decision { return g.decide(ctx, w) }
	q.commit = func(ctx context.Context) { g.keep(ctx, w) }
	yes, err := g.Prompter.Ask(ctx, q)
	var refused *RefusedError
	switch {
	case errors.As(err, &refused):
		return refuse(refused.Code, refused.Reason)
	case err != nil:
		return refuse(NobodyToAsk, "the player could not be asked: "+err.Error())
	case !yes:
		g.keepNo(w)
		return refuse(PlayerNo, "refused by the player")
	}
	g.keep(ctx, w)
	return Decision{Verdict: VerdictAllow}
}

func (g *Gate) nobodyToAsk(w wish) Decision {
	if w.kind == Host {
		logger(g.Log).Warn("nobody can be asked whether people on the network may join: only this computer can")
		return refuse(NobodyToAsk, "the player cannot be asked here")
	}
	logger(g.Log).Warn("refused a host that nobody can be asked about; list it in network.allowedHosts of conch.json", "host", w.about())
	return refuse(NobodyToAsk, "not in the game's host list and the player cannot be asked here; add it to "+listSetting)
}

// keep remembers a yes. It holds for this run even when it cannot be written down. A Manager has kept it already, and
// many callers may share one question, so what is known is not written again.
func (g *Gate) keep(ctx context.Context, w wish) {
	ctx = context.WithoutCancel(ctx) // the player has answered; a page that goes now changes nothing about it
	if g.memory().allowed(ctx, w.subject(g.Game)) {
		return
	}
	if err := g.memory().remember(ctx, w.subject(g.Game)); err != nil {
		logger(g.Log).Warn("the answer holds until the game ends, but cannot be kept", "host", w.about(), "err", err)
		return
	}
	if err := g.memory().SetName(ctx, g.Game, g.Name); err != nil {
		logger(g.Log).Debug("name not kept", "err", err)
	}
}

// keepNo holds a no until the play-test ends: there, a host is asked about once. Elsewhere a no is never kept.
func (g *Gate) keepNo(w wish) {
	if g.Mode != PlayTest {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.noes == nil {
		g.noes = map[subject]bool{}
	}
	g.noes[w.subject(g.Game)] = true
}

// memory is where a yes of this mode is kept. A play-test neither writes approvals nor uses them.
func (g *Gate) memory() *Store {
	if g.Store != nil && g.Mode != PlayTest {
		return g.Store
	}
	return g.run()
}

func (g *Gate) run() *Store {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.session == nil {
		g.session = &Store{}
	}
	return g.session
}

func logger(l *slog.Logger) *slog.Logger {
	if l == nil {
		return slog.New(slog.DiscardHandler)
	}
	return l
}
