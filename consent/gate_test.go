package consent

import (
	"context"
	"errors"
	"strings"
	"testing"

	"conch/consent/hostlist"
)

type answer struct {
	yes   bool
	err   error
	asked []string
}

func (a *answer) Ask(_ context.Context, q Question) (bool, error) {
	a.asked = append(a.asked, q.Target.HostPort())
	return a.yes, a.err
}

func TestGate(t *testing.T) {
	for _, row := range []struct {
		name  string
		any   bool
		asker *answer
		url   string
		want  string // part of the refusal, "" for yes
		asked int
	}{
		{"listed host never asks", true, &answer{}, "wss://play.example.net/ws", "", 0},
		{"unlisted host with the switch off names the setting", false, &answer{yes: true}, "wss://evil.example/", "network.allowedHosts", 0},
		{"unlisted host asks, yes", true, &answer{yes: true}, "wss://other.example/", "", 1},
		{"unlisted host asks, no", true, &answer{}, "wss://other.example/", "refused by the player", 1},
		{"nobody to ask is a no", true, nil, "wss://other.example/", "cannot be asked", 0},
		{"an error is a no", true, &answer{yes: true, err: errors.New("no display")}, "wss://other.example/", "no display", 1},
		{"plain ws to a listed remote host is refused", false, nil, "ws://play.example.net/", "ws://", 0},
		{"plain ws to a listed loopback host", false, nil, "ws://localhost:8080/", "", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			list, err := hostlist.ParseList([]string{"play.example.net", "localhost:8080"})
			if err != nil {
				t.Fatal(err)
			}
			g := &Gate{Hosts: list, AllowAny: row.any}
			if row.asker != nil {
				g.Prompter = row.asker
			}
			target, err := hostlist.ParseTarget(row.url)
			if err != nil {
				t.Fatal(err)
			}
			err = g.Allow(context.Background(), target)
			if row.want == "" && err != nil {
				t.Fatalf("Allow(%s) = %v, want yes", row.url, err)
			}
			var refused *RefusedError
			if row.want != "" && (!errors.As(err, &refused) || !strings.Contains(err.Error(), row.want)) {
				t.Fatalf("Allow(%s) = %v, want a refusal with %q", row.url, err, row.want)
			}
			if row.asker != nil && len(row.asker.asked) != row.asked {
				t.Errorf("asked %d times, want %d", len(row.asker.asked), row.asked)
			}
		})
	}
}

// A yes that could not be written down is forgotten with the others: one host, or all.
func TestForgetWhatWasNotWritten(t *testing.T) {
	for _, host := range []string{"other.example", ""} {
		store, err := Open(t.TempDir(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Close(); err != nil { // from now on nothing can be written
			t.Fatal(err)
		}
		asker := &answer{yes: true}
		g := &Gate{AllowAny: true, Game: "game-1", Store: store, Prompter: asker}
		other, err := hostlist.ParseTarget("wss://other.example/")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := g.Allow(t.Context(), other); err != nil {
				t.Fatal(err)
			}
		}
		g.Forget("third.example")
		if err := g.Allow(t.Context(), other); err != nil || len(asker.asked) != 1 {
			t.Errorf("asked %d times, want once: %v", len(asker.asked), err)
		}
		g.Forget(host)
		if err := g.Allow(t.Context(), other); err != nil || len(asker.asked) != 2 {
			t.Errorf("after Forget(%q): asked %d times, want 2: %v", host, len(asker.asked), err)
		}
	}
}
