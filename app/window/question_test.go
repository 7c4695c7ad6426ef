package window

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"conch/consent"
	"conch/consent/hostlist"
)

func TestFold(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"short", "abcd", "abcd"},
		{"one more", "abcde", "abcd\ne"},
		{"long", "abcdefghijkl", "abcd\nefgh\nijkl"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := fold(row.text, 4)
			if got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
			if strings.ReplaceAll(got, "\n", "") != row.text {
				t.Errorf("%q lost characters", got)
			}
		})
	}
}

func TestWords(t *testing.T) {
	to, err := hostlist.ParseTarget("ws://192.168.1.20:24642/")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name              string
		q                 consent.Question
		sentence, details string
	}{
		{"connect", consent.NewQuestion("g", to), "This game wants to connect to 192.168.1.20:2464\n2. Allow?",
			"192.168.1.20:2464\n2\nThis address means a computer on your own network."},
		{"join", consent.NewJoinQuestion("g", to), "This game wants to join a game at 192.168.1.20:2464\n2. Allow?",
			"192.168.1.20:2464\n2\nThis address means a computer on your own network."},
		{"host", consent.NewHostQuestion("g"), "This game wants to let people on your network join. Allow?",
			"While it hosts, computers on your network can connect to this game."},
	} {
		t.Run(row.name, func(t *testing.T) {
			sentence, details := wordsFor(row.q, 17)
			if sentence != row.sentence || details != row.details {
				t.Errorf("got %q and %q", sentence, details)
			}
		})
	}
}

func TestQuietWait(t *testing.T) {
	start := time.Unix(1000, 0)
	var q quiet
	if q.over(start) {
		t.Error("over before it began")
	}
	q.restart(start)
	if q.over(start.Add(quietWait - 1)) {
		t.Error("over too soon")
	}
	if !q.over(start.Add(quietWait)) {
		t.Error("never over")
	}
	// Hands that never rest for longer than a fifth of the wait.
	now := start
	for range 200 {
		now = now.Add(quietWait / 5)
		if q.over(now) {
			t.Fatalf("restless hands were let through after %s", now.Sub(start))
		}
		q.restart(now)
	}
	if !q.over(now.Add(quietWait / 3)) {
		t.Error("a player with restless hands never gets to Allow")
	}
}

// TestOneWording: the dialog that is written in C says what the others say.
func TestOneWording(t *testing.T) {
	source, err := os.ReadFile("consent_linux.c")
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{questionTitle, allowLabel, denyLabel, stopLabel} {
		if !strings.Contains(string(source), strconv.Quote(words)) {
			t.Errorf("consent_linux.c does not say %q", words)
		}
	}
}
