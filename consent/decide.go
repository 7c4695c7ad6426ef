package consent

import (
	"fmt"
	"net/netip"
	"strings"

	"conch/consent/hostlist"
)

// Mode is where a script runs, by the names that the page script uses. What each mode may do is the table "Where it
// works" of the net namespace.
type Mode string

const (
	Standalone       Mode = "standalone"        // client scripts of a standalone build; also the meaning of ""
	StandaloneServer Mode = "standalone-server" // server scripts of an offline multiplayer room in one
	PlayTest         Mode = "play-test"         // the author tries the game out
	RoomTrusted      Mode = "room-trusted"      // client scripts in a room of a game published by an admin
	Room             Mode = "room"              // client scripts in a room of any other game
	RoomServer       Mode = "room-server"       // server scripts of a room
)

// Memory is what is known of the player's earlier answer for this game and host.
type Memory string

const (
	NoAnswer Memory = ""
	SaidYes  Memory = "yes"
	SaidNo   Memory = "no" // only a play-test keeps a no, and only until it ends
)

// Verdict is what happens to a connection.
type Verdict string

const (
	VerdictAllow  Verdict = "allow"
	VerdictAsk    Verdict = "ask" // the player is asked
	VerdictRefuse Verdict = "refuse"
)

// Code names the reason of a refusal. The list is append-only: codes cross the wire and are in the shared vectors.
type Code string

const (
	NoSockets   Code = "no-sockets"    // this mode has no sockets at all
	PlainRemote Code = "plain-remote"  // ws:// to another machine
	PlainHere   Code = "plain-here"    // ws:// where only wss:// goes
	BadAddress  Code = "bad-address"   // an IP address that no game may reach; only Go knows these
	NotListed   Code = "not-listed"    // nobody allowed the host
	AnsweredNo  Code = "answered-no"   // the author said no earlier in this play-test
	PlayerNo    Code = "player-no"     // the player said no just now
	NobodyToAsk Code = "nobody-to-ask" // no display, or the dialog cannot be shown
	Cancelled   Code = "cancelled"     // the page, its connection or the window went away first
	TooMany     Code = "too-many"      // the page asks about too many hosts
	Stopped     Code = "stopped"       // the player said "stop asking until restart"
)

const (
	listSetting = "Network > Allowed hosts (network.allowedHosts in conch.json)"
	anySetting  = "Network > Allow any host (network.allowAnyHost in conch.json)"

	// unavailable is the one message of a mode without sockets.
	unavailable = "net: sockets work in standalone builds, the editor play-test, " +
		"and Galatrix rooms of games published by admins (client scripts only)"
)

// Facts is everything a decision depends on.
type Facts struct {
	Kind       Kind
	Mode       Mode
	Listed     bool // the author's list names the host
	AllowAny   bool // the author's switch "allow any host"
	Remembered Memory
	Target     hostlist.Target
}

// Decision is the outcome for one connection. Code and Reason are set when it is VerdictRefuse; Reason names the setting to
// change when there is one.
type Decision struct {
	Verdict Verdict
	Code    Code
	Reason  string
}

// rules says what holds in a mode. Its twin is CONTEXTS in frontend/src/policy.js.
type rules struct {
	sockets  bool
	plain    bool // ws:// to this machine is accepted
	unlisted unlisted
}

// unlisted is what happens to a host that the list does not name.
type unlisted int

const (
	refuseUnlisted unlisted = iota
	askUnlisted             // whatever the switch
	askBySwitch
)

var modes = map[Mode]rules{
	"":               {true, true, askBySwitch},
	Standalone:       {true, true, askBySwitch},
	StandaloneServer: {},
	PlayTest:         {true, true, askUnlisted},
	RoomTrusted:      {true, false, refuseUnlisted},
	Room:             {},
	RoomServer:       {},
}

// Decide applies the rules in their order: has the mode sockets, scheme, address, list, switch, memory. It is pure; a
// mode it does not know has no sockets.
//
// A remembered yes counts only where the player could be asked today: after the author turned the switch off, it
// grants nothing.
func Decide(f Facts) Decision {
	if f.Kind != Connect {
		return decideSession(f)
	}
	mode := modes[f.Mode]
	t := f.Target
	switch {
	case !mode.sockets:
		return refuse(NoSockets, unavailable)
	case !t.Secure && !mode.plain:
		return refuse(PlainHere, "plain ws:// is not accepted here, also not to this machine; use wss://"+t.HostPort())
	case !t.Secure && !t.Local():
		return refuse(PlainRemote, "plain ws:// is accepted only to localhost, 127.0.0.1 and [::1]; use wss://"+t.HostPort())
	}
	if t.IP.IsValid() {
		if err := t.CheckAddr(t.IP); err != nil {
			return refuse(BadAddress, err.Error())
		}
	}
	switch {
	case f.Listed:
		return Decision{Verdict: VerdictAllow}
	case mode.unlisted == askBySwitch && !f.AllowAny:
		return refuse(NotListed, "not in the game's host list; add it to "+listSetting+", or turn on "+anySetting+
			" if the player types the address")
	case mode.unlisted == refuseUnlisted:
		return refuse(NotListed, "not in the game's host list; add it to "+listSetting)
	case f.Remembered == SaidYes:
		return Decision{Verdict: VerdictAllow}
	case f.Remembered == SaidNo && mode.unlisted == askUnlisted:
		return refuse(AnsweredNo, "you said no to it in this play-test; add it to "+listSetting+", or start the play-test again")
	}
	return Decision{Verdict: VerdictAsk}
}

func refuse(code Code, reason string) Decision {
	return Decision{Verdict: VerdictRefuse, Code: code, Reason: reason}
}

// What a yes covers, from the text of the target alone: a public name or address cannot turn into one of the
// player's own network later, because every address that is dialled is checked against the same text.
const (
	classPublic   = "public"
	classNetwork  = "network"
	classComputer = "computer"
)

var carrierNAT = netip.MustParsePrefix("100.64.0.0/10")

func classOf(t hostlist.Target) string {
	switch {
	case t.Local(), t.IP.IsValid() && t.IP.IsLoopback():
		return classComputer
	case t.IP.IsValid() && (t.IP.IsPrivate() || carrierNAT.Contains(t.IP)):
		return classNetwork
	case !t.IP.IsValid() && (strings.HasSuffix(t.Host, ".local") || !strings.Contains(t.Host, ".")):
		return classNetwork
	}
	return classPublic
}

// subject is what one question and one remembered yes are about. A public name is one subject on all its ports; of an
// address, this computer and the own network every port is a server of its own.
type subject struct {
	game, host string
	port       uint16 // 0: any
	class      string
}

func subjectOf(game string, t hostlist.Target) subject {
	s := subject{game: game, host: t.Host, class: classOf(t)}
	if t.IP.IsValid() || s.class != classPublic {
		s.port = t.Port
	}
	return s
}

// notes are the lines that a question shows below the host.
func notes(t hostlist.Target) []string {
	var lines []string
	if strings.HasPrefix(t.Host, "xn--") || strings.Contains(t.Host, ".xn--") {
		lines = append(lines, "This name uses international letters; it is shown in its technical form.")
	}
	switch classOf(t) {
	case classComputer:
		lines = append(lines, "This address means this computer.")
	case classNetwork:
		lines = append(lines, "This address means a computer on your own network.")
	}
	return lines
}

// RefusedError says why a game may not reach a host, in words for the game's console.
type RefusedError struct {
	Host   string
	Code   Code
	Reason string
}

func (e *RefusedError) Error() string { return fmt.Sprintf("%s: %s", e.Host, e.Reason) }
