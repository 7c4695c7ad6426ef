package consent

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/zalando/go-keyring"

	"conch/consent/hostlist"
	"conch/internal/leak"
)

// TestMain keeps the tests away from the machine's own key store and fails the package when a goroutine survives.
func TestMain(m *testing.M) {
	if step := os.Getenv("CONCH_STEP"); step != "" && runStep != nil {
		os.Exit(runStep(step))
	}
	if os.Getenv("CONCH_SILENT_BUS") != "" { // TestSilentBus: the real library, and a call that stays behind
		os.Exit(m.Run())
	}
	keyring.MockInit()
	os.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent") // reachable, as far as anybody looks
	os.Exit(leak.Run(m))
}

// runStep is one step of an end-to-end test, in a process of its own that talks to a real key store.
var runStep func(step string) int

func target(t testing.TB, url string) hostlist.Target {
	t.Helper()
	target, err := hostlist.ParseTarget(url)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

func hosts(t testing.TB, lines ...string) hostlist.List {
	t.Helper()
	list, err := hostlist.ParseList(lines)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// lines is a log that a test reads.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *lines) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// count is how many lines contain text.
func (l *lines) count(text string) int { return strings.Count(l.String(), text) }

// screen is a dialog whose player is the test: shown says what is on the screen, press answers it.
type screen struct {
	shown chan Question
	press chan reply

	mu  sync.Mutex
	now int // dialogs on screen
	all []Question
	bad string
}

type reply struct {
	answer Answer
	err    error
}

func newScreen() *screen { return &screen{shown: make(chan Question), press: make(chan reply)} }

func (s *screen) Show(ctx context.Context, q Question) (Answer, error) {
	s.mu.Lock()
	s.all = append(s.all, q)
	if s.now++; s.now > 1 {
		s.bad = "two dialogs at a time"
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.now--
		s.mu.Unlock()
	}()
	select {
	case s.shown <- q:
	case <-ctx.Done():
		return Deny, ctx.Err()
	}
	select {
	case r := <-s.press:
		return r.answer, r.err
	case <-ctx.Done():
		return Deny, ctx.Err()
	}
}

// asked lists what was shown, and fails on two dialogs at once.
func (s *screen) asked(t testing.TB) []string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bad != "" {
		t.Error(s.bad)
	}
	var all []string
	for _, q := range s.all {
		all = append(all, q.HostPort)
	}
	return all
}

// answer waits for the next question and answers it.
func (s *screen) answer(a Answer) Question {
	q := <-s.shown
	s.press <- reply{answer: a}
	return q
}
