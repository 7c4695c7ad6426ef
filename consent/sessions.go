package consent

import (
	"context"

	"conch/consent/hostlist"
)

// Kind is what a game wants. Each kind has questions and remembered answers of its own: a yes to one is none to another.
type Kind string

// The kinds. The names of Join and Host are also the classes of their rows.
const (
	Connect Kind = ""     // a socket of the game's own, to a host
	Join    Kind = "join" // a session that another computer hosts
	Host    Kind = "host" // let people on the player's network join a session
)

// Network stands for the player's network where other rows have a host. It has a space, so it is no host.
const Network = "this network"

// NewJoinQuestion makes the question whether a game may join a session at t.
func NewJoinQuestion(game string, t hostlist.Target) Question {
	q := NewQuestion(game, t)
	q.Kind = Join
	return q
}

// NewHostQuestion makes the question whether a game may let people on the player's network join.
func NewHostQuestion(game string) Question {
	return Question{Kind: Host, Game: game, Notes: []string{"While it hosts, computers on your network can connect to this game."}}
}

// Sentence is what the question asks, in the same words on every system. Only HostPort in it depends on the game.
func (q Question) Sentence() string {
	switch q.Kind {
	case Host:
		return "This game wants to let people on your network join. Allow?"
	case Join:
		return "This game wants to join a game at " + q.HostPort + ". Allow?"
	}
	return "This game wants to connect to " + q.HostPort + ". Allow?"
}

// wish is a kind and what it is about; Host has no target.
type wish struct {
	kind   Kind
	target hostlist.Target
}

func (w wish) subject(game string) subject {
	s := subjectOf(game, w.target)
	switch w.kind {
	case Host:
		return subject{game: game, host: Network, class: string(Host)}
	case Join:
		s.port, s.class = w.target.Port, string(Join)
	}
	return s
}

// about is what messages say the wish is about.
func (w wish) about() string {
	if w.kind == Host {
		return Network
	}
	return w.target.HostPort()
}

func (w wish) question(game string) Question {
	switch w.kind {
	case Host:
		return NewHostQuestion(game)
	case Join:
		return NewJoinQuestion(game, w.target)
	}
	return NewQuestion(game, w.target)
}

func (q Question) wish() wish { return wish{q.Kind, q.Target} }

// AllowJoin is Allow for joining a session at t, which is on the player's own network or listed. A session on this
// computer needs no question.
func (g *Gate) AllowJoin(ctx context.Context, t hostlist.Target) error {
	return g.allow(ctx, wish{Join, t})
}

// AllowHosting is Allow for letting people on the player's network join.
func (g *Gate) AllowHosting(ctx context.Context) error { return g.allow(ctx, wish{kind: Host}) }

// MayHost reports whether the player's yes to hosting still stands.
func (g *Gate) MayHost(ctx context.Context) bool {
	return g.decide(ctx, wish{kind: Host}).Verdict == VerdictAllow
}

// decideSession applies the rules for Join and Host. The author's switch for unlisted hosts says nothing about sessions.
func decideSession(f Facts) Decision {
	if !modes[f.Mode].sockets {
		return refuse(NoSockets, unavailable)
	}
	if f.Kind == Join {
		if d := decideJoin(f); d.Verdict != VerdictAsk {
			return d
		}
	}
	switch f.Remembered {
	case SaidYes:
		return Decision{Verdict: VerdictAllow}
	case SaidNo:
		return refuse(AnsweredNo, "you said no to it in this play-test; start the play-test again")
	}
	return Decision{Verdict: VerdictAsk}
}

func decideJoin(f Facts) Decision {
	t := f.Target
	switch class := classOf(t); {
	case class == classComputer:
		return Decision{Verdict: VerdictAllow}
	case f.Listed && (t.Secure || class == classNetwork):
		return Decision{Verdict: VerdictAllow}
	case f.Listed:
		return refuse(PlainRemote, "plain ws:// is accepted only on the player's own network; use wss://"+t.HostPort())
	case class == classNetwork, t.IP.IsValid() && t.IP.IsLinkLocalUnicast():
		return Decision{Verdict: VerdictAsk}
	}
	return refuse(NotListed, "not on the player's own network; add it to "+listSetting)
}

// AllowedTo is Allowed for any kind; t is not looked at for Host.
func (s *Store) AllowedTo(ctx context.Context, kind Kind, game string, t hostlist.Target) bool {
	return s.allowed(ctx, wish{kind, t}.subject(game))
}

// RememberTo is Remember for any kind.
func (s *Store) RememberTo(ctx context.Context, kind Kind, game string, t hostlist.Target) error {
	return s.remember(ctx, wish{kind, t}.subject(game))
}

// kind is what a row is about.
func (s subject) kind() Kind {
	switch k := Kind(s.class); k {
	case Join, Host:
		return k
	}
	return Connect
}
