package app

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"conch/consent"
)

// sayYes is a player who allows everything.
type sayYes struct{}

func (sayYes) Show(context.Context, consent.Question) (consent.Answer, error) {
	return consent.Allow, nil
}

// The identity of a game that may ask is made ahead, some time after its first page; of another game never.
func TestIdentityIsMadeAhead(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
	g := open(t, Options{Path: gameFolder(t, `{"allowedHosts":[],"allowAnyHost":true}`), Dialog: sayYes{}})
	synctest.Test(t, func(t *testing.T) {
		// What the bubble's goroutines wait on must be made in it.
		g.entered = make(chan struct{})
		g.living, g.end = context.WithCancel(t.Context())
		go g.identifyAhead()
		time.Sleep(time.Hour)
		synctest.Wait()
		if g.knownIdentity() != "" {
			t.Error("made before the first page")
		}
		g.Server.OnDocument()
		g.Server.OnDocument()
		time.Sleep(digestPause - 1)
		synctest.Wait()
		if g.knownIdentity() != "" {
			t.Error("made while the game loads")
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if !strings.HasPrefix(g.knownIdentity(), "sha256:") {
			t.Errorf("identity %q", g.knownIdentity())
		}

		// A game that ends first is not held up.
		g.identity.Store(nil)
		for _, entered := range []bool{false, true} {
			g.entered = make(chan struct{})
			if g.living, g.end = context.WithCancel(t.Context()); entered {
				close(g.entered)
			}
			ended := make(chan struct{})
			go func() { g.identifyAhead(); close(ended) }()
			synctest.Wait()
			g.end()
			<-ended
			if g.knownIdentity() != "" {
				t.Error("made after the end")
			}
		}
	})
}

func TestWhoMayAsk(t *testing.T) {
	for _, row := range []struct {
		name, network string
		o             Options
		want          bool
	}{
		{"any host", `{"allowedHosts":[],"allowAnyHost":true}`, Options{Dialog: sayYes{}}, true},
		{"listed hosts only", `{"allowedHosts":["a.example"]}`, Options{Dialog: sayYes{}}, false},
		{"no network", "", Options{Dialog: sayYes{}}, false},
		{"nobody to ask", `{"allowedHosts":[],"allowAnyHost":true}`, Options{}, false},
		{"play-test", `{"allowedHosts":[],"allowAnyHost":true}`, Options{Dialog: sayYes{}, Dev: true}, false},
	} {
		row.o.Path = gameFolder(t, row.network)
		if got := open(t, row.o).mayAskPlayer(); got != row.want {
			t.Errorf("%s: got %t", row.name, got)
		}
	}
}
