package window

import (
	"strings"
	"time"

	"conch/consent"
)

// What the question says, on every system. On Linux the buttons are made in consent_linux.c, with the same words.
const (
	questionTitle = "Conch"
	allowLabel    = "Allow"
	denyLabel     = "Don't allow"
	stopLabel     = "Stop asking until I restart this game"
)

// wordsFor are the sentence of a question and what stands below it, with the host in lines of at most width bytes.
func wordsFor(q consent.Question, width int) (sentence, details string) {
	q.HostPort = fold(q.HostPort, width)
	lines := q.Notes
	if q.HostPort != "" { // there is none in a question about the network
		lines = append([]string{q.HostPort}, q.Notes...)
	}
	return q.Sentence(), strings.Join(lines, "\n")
}

// fold breaks text without spaces into lines of at most width bytes, for labels that wrap at spaces only. The text is
// ASCII: a host and its port.
func fold(text string, width int) string {
	var lines []string
	for len(text) > width {
		lines, text = append(lines, text[:width]), text[width:]
	}
	return strings.Join(append(lines, text), "\n")
}

// quietWait is how long the player must have left the dialog alone before Allow can be pressed.
const quietWait = 1200 * time.Millisecond

// waitCap: a wait that is started again and again is a third as long after this many times its length. A player with
// restless hands gets to Allow, and hands that never rest do not.
const waitCap = 20

// quiet is the wait before Allow can be pressed.
type quiet struct{ end, cap time.Time }

// restart begins the wait anew.
func (q *quiet) restart(now time.Time) {
	if q.cap.IsZero() {
		q.cap = now.Add(waitCap * quietWait)
	}
	q.end = now.Add(quietWait)
	if now.After(q.cap) {
		q.end = now.Add(quietWait / 3)
	}
}

// over reports whether the player has left the dialog alone for long enough. No wait is over before it began.
func (q *quiet) over(now time.Time) bool { return !q.end.IsZero() && !now.Before(q.end) }
