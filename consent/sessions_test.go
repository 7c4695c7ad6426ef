package consent

import (
	"context"
	"testing"

	"conch/consent/hostlist"
)

func TestDecideSessions(t *testing.T) {
	const lan, here, far = "ws://192.168.1.20:24642/", "ws://127.0.0.1:24642/", "wss://play.example.org/"
	for _, row := range []struct {
		name    string
		f       Facts
		url     string
		verdict Verdict
		code    Code
	}{
		{"join here", Facts{Kind: Join}, here, VerdictAllow, ""},
		{"join localhost", Facts{Kind: Join}, "ws://localhost:24642/", VerdictAllow, ""},
		{"join on the network", Facts{Kind: Join}, lan, VerdictAsk, ""},
		{"join on the network, said yes", Facts{Kind: Join, Remembered: SaidYes}, lan, VerdictAllow, ""},
		{"join on the network, said no in a play-test", Facts{Kind: Join, Mode: PlayTest, Remembered: SaidNo}, lan, VerdictRefuse, AnsweredNo},
		{"join on the network, listed", Facts{Kind: Join, Listed: true}, lan, VerdictAllow, ""},
		{"join a .local name", Facts{Kind: Join}, "ws://pc.local:24642/", VerdictAsk, ""},
		{"join a name without dots", Facts{Kind: Join}, "ws://pc:24642/", VerdictAsk, ""},
		{"join a link-local address", Facts{Kind: Join}, "ws://169.254.7.7:24642/", VerdictAsk, ""},
		{"join a unique local address", Facts{Kind: Join}, "ws://[fd00::2]:24642/", VerdictAsk, ""},
		{"join elsewhere", Facts{Kind: Join, AllowAny: true}, far, VerdictRefuse, NotListed},
		{"join elsewhere, said yes once", Facts{Kind: Join, Remembered: SaidYes}, "ws://203.0.113.7:24642/", VerdictRefuse, NotListed},
		{"join elsewhere, listed", Facts{Kind: Join, Listed: true}, far, VerdictAllow, ""},
		{"join elsewhere in plain, listed", Facts{Kind: Join, Listed: true}, "ws://play.example.org/", VerdictRefuse, PlainRemote},
		{"join in a room", Facts{Kind: Join, Mode: Room}, here, VerdictRefuse, NoSockets},
		{"host", Facts{Kind: Host}, "", VerdictAsk, ""},
		{"host in a play-test", Facts{Kind: Host, Mode: PlayTest}, "", VerdictAsk, ""},
		{"host, said yes", Facts{Kind: Host, Remembered: SaidYes}, "", VerdictAllow, ""},
		{"host in a server script", Facts{Kind: Host, Mode: StandaloneServer}, "", VerdictRefuse, NoSockets},
		{"host in a mode that is none", Facts{Kind: Host, Mode: "x"}, "", VerdictRefuse, NoSockets},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.url != "" {
				row.f.Target = target(t, row.url)
			}
			if got := Decide(row.f); got.Verdict != row.verdict || got.Code != row.code {
				t.Errorf("got %s %q, want %s %q", got.Verdict, got.Code, row.verdict, row.code)
			}
		})
	}
}

// TestKindsDoNotMix: a yes of one kind is none of another, not for another port, and each is forgotten by its host.
func TestKindsDoNotMix(t *testing.T) {
	s, err := Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx := t.Context()
	to, other := target(t, "ws://192.168.1.20:24642/"), target(t, "ws://192.168.1.20:24643/")
	if err := s.RememberTo(ctx, Join, "g", to); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		kind Kind
		game string
		to   hostlist.Target
		want bool
	}{{Join, "g", to, true}, {Join, "g", other, false}, {Join, "h", to, false}, {Connect, "g", to, false}, {Host, "g", hostlist.Target{}, false}} {
		if got := s.AllowedTo(ctx, row.kind, row.game, row.to); got != row.want {
			t.Errorf("%q for %s to %s: %v", row.kind, row.game, row.to.HostPort(), got)
		}
	}
	if err := s.RememberTo(ctx, Host, "g", hostlist.Target{}); err != nil {
		t.Fatal(err)
	}
	list, err := s.List(ctx)
	if err != nil || len(list) != 2 || list[0].Kind != Join || list[0].Host != "192.168.1.20" || list[0].Port != 24642 ||
		list[1].Kind != Host || list[1].Host != Network || list[1].Port != 0 {
		t.Fatalf("list %+v, %v", list, err)
	}
	if err := s.Forget(ctx, "g", Network); err != nil {
		t.Fatal(err)
	}
	if s.AllowedTo(ctx, Host, "g", hostlist.Target{}) || !s.AllowedTo(ctx, Join, "g", to) {
		t.Error("the wrong one was forgotten")
	}
}

// yes is a Prompter that keeps the questions.
type yes struct{ asked []Question }

func (y *yes) Ask(_ context.Context, q Question) (bool, error) {
	y.asked = append(y.asked, q)
	return true, nil
}

func TestGateAsksOncePerKind(t *testing.T) {
	y := &yes{}
	g := &Gate{Game: "g", Prompter: y}
	if g.MayHost(t.Context()) {
		t.Error("hosting is allowed before anybody was asked")
	}
	for range 2 {
		if err := g.AllowHosting(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := g.AllowJoin(t.Context(), target(t, "ws://192.168.1.20:24642/")); err != nil {
			t.Fatal(err)
		}
	}
	if len(y.asked) != 2 || y.asked[0].Kind != Host || y.asked[1].Kind != Join {
		t.Errorf("asked %v", y.asked)
	}
	g.Forget(Network)
	if g.MayHost(t.Context()) {
		t.Error("hosting is allowed after the yes was taken back")
	}
	if err := (&Gate{Game: "g"}).AllowHosting(t.Context()); err == nil {
		t.Error("allowed without anybody to ask")
	}
}
