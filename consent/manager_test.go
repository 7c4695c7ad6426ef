package consent

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// asking is one game with its screen.
type asking struct {
	t       testing.TB
	gate    *Gate
	manager *Manager
	screen  *screen
	log     *lines
}

func newAsking(t testing.TB, store *Store) *asking {
	a := &asking{t: t, screen: newScreen(), log: &lines{}}
	a.manager = &Manager{Dialog: a.screen, Log: a.log.logger()}
	a.gate = &Gate{Hosts: hosts(t, "play.example.net"), AllowAny: true, Game: "game-1", Store: store, Prompter: a.manager, Log: a.log.logger()}
	return a
}

// connect starts a connection; its outcome can be read once.
func (a *asking) connect(ctx context.Context, url string) <-chan error {
	to := target(a.t, url)
	done := make(chan error, 1)
	go func() { done <- a.gate.Allow(ctx, to) }()
	return done
}

func codeOf(err error) Code {
	var refused *RefusedError
	if errors.As(err, &refused) {
		return refused.Code
	}
	if err != nil {
		return Code(err.Error())
	}
	return ""
}

func wantCode(t testing.TB, err error, want Code) {
	t.Helper()
	if got := codeOf(err); got != want {
		t.Fatalf("got %q (%v), want %q", got, err, want)
	}
}

// A thousand connects to one host in one tick are one question, and all hear its answer.
func TestThousandConnectsToOneHost(t *testing.T) {
	for _, row := range []struct {
		answer Answer
		want   Code
	}{{Allow, ""}, {Deny, PlayerNo}} {
		synctest.Test(t, func(t *testing.T) {
			a := newAsking(t, nil)
			var all []<-chan error
			for i := range 1000 {
				all = append(all, a.connect(t.Context(), fmt.Sprintf("wss://other.example:%d/%d", 8443+i%3, i)))
			}
			synctest.Wait()
			a.screen.answer(row.answer)
			for _, done := range all {
				wantCode(t, <-done, row.want)
			}
			if got := a.screen.asked(t); len(got) != 1 {
				t.Errorf("asked %q", got)
			}
			a.manager.Close()
		})
	}
}

// C49: of a thousand hosts in one tick eight are put to the player, one at a time; the others are refused at once.
func TestC49ThousandHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAsking(t, nil)
		var all []<-chan error
		for i := range 1000 {
			all = append(all, a.connect(t.Context(), fmt.Sprintf("wss://h%d.example/", i)))
		}
		synctest.Wait()
		atOnce := 0
		for _, done := range all {
			select {
			case err := <-done:
				wantCode(t, err, TooMany)
				atOnce++
			default:
			}
		}
		if atOnce != 1000-maxAsked {
			t.Errorf("%d refused at once, want %d", atOnce, 1000-maxAsked)
		}
		// A listed host is not held up.
		if err := a.gate.Allow(t.Context(), target(t, "wss://play.example.net/")); err != nil {
			t.Error(err)
		}
		for range maxAsked {
			a.screen.answer(Deny)
		}
		synctest.Wait()
		if got := a.screen.asked(t); len(got) != maxAsked || len(slices.Compact(got)) != maxAsked {
			t.Errorf("asked %q", got)
		}
		// The page has had its eight noes. Hosts that got one may be asked about again, new ones not.
		wantCode(t, <-a.connect(t.Context(), "wss://one-more.example/"), TooMany)
		again := a.connect(t.Context(), "wss://"+a.screen.asked(t)[0]+"/")
		synctest.Wait()
		a.screen.answer(Allow)
		wantCode(t, <-again, "")
		// A yes gives its place back, and a new page has eight of its own.
		next := a.connect(t.Context(), "wss://one-more.example/")
		a.screen.answer(Deny)
		wantCode(t, <-next, PlayerNo)
		a.manager.Page().Next()
		next = a.connect(t.Context(), "wss://another.example/")
		a.screen.answer(Deny)
		wantCode(t, <-next, PlayerNo)
		a.manager.Close()
	})
}

// C50: a loop that connects again after each no is slowed down and can be stopped; nothing of it is stored.
func TestC50Loop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAsking(t, nil)
		last := time.Now()
		for i, want := range []time.Duration{0, 0, 2 * time.Second, 10 * time.Second, time.Minute, time.Minute} {
			done := a.connect(t.Context(), "wss://other.example/")
			q := <-a.screen.shown
			if waited := time.Since(last); waited != want {
				t.Errorf("question %d after %s, want %s", i+1, waited, want)
			}
			if q.OfferStop != (i >= 2) {
				t.Errorf("question %d offers to stop: %v", i+1, q.OfferStop)
			}
			time.Sleep(time.Hour) // the player thinks; the wait counts from the answer
			a.screen.press <- reply{answer: Deny}
			wantCode(t, <-done, PlayerNo)
			last = time.Now()
		}
		// Another host does not wait with it.
		other := a.connect(t.Context(), "wss://quick.example/")
		slow := a.connect(t.Context(), "wss://other.example/")
		if q := a.screen.answer(Allow); q.HostPort != "quick.example" || !time.Now().Equal(last) {
			t.Errorf("asked %s after %s", q.HostPort, time.Since(last))
		}
		wantCode(t, <-other, "")
		a.screen.answer(DenyUntilRestart)
		wantCode(t, <-slow, PlayerNo)
		for range 3 {
			wantCode(t, <-a.connect(t.Context(), "wss://other.example/"), Stopped)
		}
		a.manager.Page().Next() // a reload is no restart
		wantCode(t, <-a.connect(t.Context(), "wss://other.example/"), Stopped)
		if list, _ := a.gate.session.List(t.Context()); len(list) != 1 {
			t.Errorf("kept %+v", list)
		}
		a.manager.Close()
	})
}

func TestYesEndsTheDamping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAsking(t, nil)
		for range 3 {
			done := a.connect(t.Context(), "wss://other.example/")
			a.screen.answer(Deny)
			<-done
		}
		done := a.connect(t.Context(), "wss://other.example/")
		a.screen.answer(Allow)
		wantCode(t, <-done, "")
		a.gate.Forget("other.example")
		start := time.Now()
		done = a.connect(t.Context(), "wss://other.example/")
		if q := a.screen.answer(Deny); q.OfferStop || !time.Now().Equal(start) {
			t.Errorf("after a yes: stop %v, waited %s", q.OfferStop, time.Since(start))
		}
		wantCode(t, <-done, PlayerNo)
		a.manager.Close()
	})
}

// "Stop asking" counts only where it was offered.
func TestStopThatWasNotOffered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAsking(t, nil)
		for range 2 {
			done := a.connect(t.Context(), "wss://other.example/")
			a.screen.answer(DenyUntilRestart)
			wantCode(t, <-done, PlayerNo)
		}
		a.manager.Close()
	})
}

// New names and reloads do not get a page around the damping: after a long run of noes every question waits.
func TestEndlessNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAsking(t, nil)
		for i := range 3 * longRun {
			start := time.Now()
			done := a.connect(t.Context(), fmt.Sprintf("wss://h%d.example/", i))
			a.screen.answer(Deny)
			wantCode(t, <-done, PlayerNo)
			want := time.Duration(0)
			if i >= longRun {
				want = longWait
			}
			if got := time.Since(start); got != want {
				t.Errorf("question %d after %s, want %s", i+1, got, want)
			}
			a.manager.Page().Next()
		}
		a.manager.Close()
	})
}

// C51: after a no the player presses Connect again and is asked again.
func TestC51NoThenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAsking(t, nil)
		done := a.connect(t.Context(), "wss://other.example/")
		a.screen.answer(Deny)
		wantCode(t, <-done, PlayerNo)
		done = a.connect(t.Context(), "wss://other.example/")
		a.screen.answer(Allow)
		wantCode(t, <-done, "")
		wantCode(t, <-a.connect(t.Context(), "wss://other.example:9000/"), "")
		if got := a.screen.asked(t); len(got) != 2 {
			t.Errorf("asked %q", got)
		}
		a.manager.Close()
	})
}

// C57: everything but the one clear yes is a no: the close box, an answer nobody knows, an error with a yes.
func TestC57UnclearAnswers(t *testing.T) {
	for _, row := range []struct {
		name  string
		reply reply
		want  Code
	}{
		{"escape, close box", reply{answer: Deny}, PlayerNo},
		{"an unknown answer", reply{answer: 99}, PlayerNo},
		{"a negative answer", reply{answer: -1}, PlayerNo},
		{"C65 the dialog fails", reply{answer: Allow, err: errors.New("no window")}, NobodyToAsk},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAsking(t, nil)
				done := a.connect(t.Context(), "wss://other.example/")
				<-a.screen.shown
				a.screen.press <- row.reply
				err := <-done
				wantCode(t, err, row.want)
				if row.want == NobodyToAsk && (!strings.Contains(err.Error(), "network.allowedHosts") || a.log.count("network.allowedHosts") != 1) {
					t.Errorf("%v, log %s", err, a.log)
				}
				a.manager.Close()
			})
		})
	}
}

// C65: without a display the answer is no, and text and log say how to list the host.
func TestC65NoDisplay(t *testing.T) {
	for _, prompter := range []func(*lines) Prompter{
		func(l *lines) Prompter { return &Manager{Log: l.logger()} },
		func(*lines) Prompter { return nil },
	} {
		log := &lines{}
		g := &Gate{Hosts: hosts(t, "play.example.net"), AllowAny: true, Prompter: prompter(log), Log: log.logger()}
		err := g.Allow(t.Context(), target(t, "wss://other.example/"))
		wantCode(t, err, NobodyToAsk)
		if !strings.Contains(err.Error(), "network.allowedHosts in conch.json") || log.count("list it in network.allowedHosts of conch.json") != 1 {
			t.Errorf("%v; log %s", err, log)
		}
		if err := g.Allow(t.Context(), target(t, "wss://play.example.net/")); err != nil {
			t.Error(err)
		}
	}
}

// A play-test asks once per run and host, keeps the answer either way, and writes nothing.
func TestPlayTest(t *testing.T) {
	store := openStore(t, t.TempDir())
	for _, row := range []struct {
		answer Answer
		first  Code
		later  Code
	}{{Allow, "", ""}, {Deny, PlayerNo, AnsweredNo}} {
		synctest.Test(t, func(t *testing.T) {
			a := newAsking(t, nil)
			a.gate.Mode, a.gate.AllowAny, a.gate.Store = PlayTest, false, store
			done := a.connect(t.Context(), "wss://other.example/")
			a.screen.answer(row.answer)
			wantCode(t, <-done, row.first)
			a.manager.Page().Next() // files were saved and the page reloaded
			wantCode(t, <-a.connect(t.Context(), "wss://other.example/"), row.later)
			a.gate.Forget("other.example")
			done = a.connect(t.Context(), "wss://other.example/")
			a.screen.answer(Allow)
			wantCode(t, <-done, "")
			a.manager.Close()
		})
	}
	if list, err := store.List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("stored %+v, %v", list, err)
	}
}

// C93: two windows of one game ask at once. A yes in one is the answer in both; after a no the other asks.
func TestC93TwoWindows(t *testing.T) {
	for _, row := range []struct {
		answer Answer
		asks   bool
	}{{Allow, false}, {Deny, true}} {
		dir := t.TempDir()
		var windows []*asking
		for range 2 {
			a := newAsking(t, openStore(t, dir))
			a.manager.LockDir = dir
			windows = append(windows, a)
		}
		first := windows[0].connect(t.Context(), "wss://other.example/")
		<-windows[0].screen.shown
		second := windows[1].connect(t.Context(), "wss://other.example/")
		eventually(t, func() bool {
			windows[1].manager.mu.Lock()
			defer windows[1].manager.mu.Unlock()
			return windows[1].manager.machine.current != nil
		})
		if got := windows[1].screen.asked(t); len(got) != 0 {
			t.Fatalf("both ask: %q", got)
		}
		windows[0].screen.press <- reply{answer: row.answer}
		<-first
		if row.asks {
			windows[1].screen.answer(Allow)
		}
		wantCode(t, <-second, "")
		if got := windows[1].screen.asked(t); (len(got) == 1) != row.asks {
			t.Errorf("the other window asked %q", got)
		}
		list, err := windows[0].gate.Store.List(t.Context())
		if err != nil || len(list) != 1 {
			t.Errorf("stored %+v, %v", list, err)
		}
		for _, w := range windows {
			w.manager.Close()
		}
	}
}

// A window that waits for another one's question can be closed.
func TestCloseWhileAnotherWindowAsks(t *testing.T) {
	dir := t.TempDir()
	holder, err := openLock(dir, "game-1")
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	if held, err := tryLock(holder); !held || err != nil {
		t.Fatal(held, err)
	}
	a := newAsking(t, nil)
	a.manager.LockDir = dir
	done := a.connect(t.Context(), "wss://other.example/")
	eventually(t, func() bool {
		a.manager.mu.Lock()
		defer a.manager.mu.Unlock()
		return a.manager.machine.current != nil
	})
	a.manager.Close()
	wantCode(t, <-done, Cancelled)
	if got := a.screen.asked(t); len(got) != 0 {
		t.Errorf("asked %q", got)
	}
}

// Without a folder for the lock the player is still asked.
func TestNoLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAsking(t, nil)
		a.manager.LockDir = filepath.Join(t.TempDir(), "missing")
		done := a.connect(t.Context(), "wss://other.example/")
		a.screen.answer(Allow)
		wantCode(t, <-done, "")
		if a.log.count("another window") != 1 {
			t.Errorf("log %s", a.log)
		}
		a.manager.Close()
	})
}

// Many pages, hosts and answers at once, for the race detector: every connection ends, one dialog at a time.
func TestManagerStress(t *testing.T) {
	a := newAsking(t, nil)
	stop := make(chan struct{})
	var player sync.WaitGroup
	player.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-a.screen.shown:
			case <-stop:
				return
			}
			select {
			case a.screen.press <- reply{answer: Answer(i % 2)}:
			case <-stop:
				return
			case <-time.After(time.Millisecond): // dismissed
			}
			if i%7 == 0 {
				a.manager.Page().Next()
			}
		}
	})
	var all []<-chan error
	ctx, cancel := context.WithCancel(t.Context())
	for i := range 500 {
		c := t.Context()
		if i%5 == 0 {
			c = ctx
		}
		all = append(all, a.connect(c, fmt.Sprintf("wss://h%d.example/", i%20)))
	}
	cancel()
	a.manager.Page().Next()
	a.manager.Close()
	for _, done := range all {
		<-done
	}
	close(stop)
	player.Wait()
	a.screen.asked(t)
}

// eventually waits until ok holds.
func eventually(t testing.TB, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(30 * time.Second); !ok(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatal("it did not happen")
		}
	}
}
