package consent

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// A page that goes takes its questions along: the dialog goes, nothing is stored, and an answer that comes all the
// same counts for nothing.
func TestPageGoes(t *testing.T) {
	for _, row := range []struct {
		name string
		turn func(a *asking, cancel context.CancelFunc)
		next Code // what a new connection gets; "" if it asks
	}{
		{"reload", func(a *asking, _ context.CancelFunc) { a.manager.Page().Next() }, ""},
		{"window closed", func(a *asking, _ context.CancelFunc) { a.manager.Page().Close() }, Cancelled},
		{"crash, then a new start", func(a *asking, _ context.CancelFunc) {
			p := a.manager.Page()
			p.Close()
			p.Next()
		}, ""},
		{"the connection goes", func(_ *asking, cancel context.CancelFunc) { cancel() }, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAsking(t, nil)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				first := a.connect(ctx, "wss://a.example/")
				<-a.screen.shown
				second := a.connect(ctx, "wss://b.example/") // queued
				synctest.Wait()
				row.turn(a, cancel)
				wantCode(t, <-first, Cancelled)
				wantCode(t, <-second, Cancelled)
				synctest.Wait()
				select {
				case a.screen.press <- reply{answer: Allow}:
					t.Error("the dialog is still there")
				default:
				}
				again := a.connect(t.Context(), "wss://a.example/")
				if row.next != "" {
					wantCode(t, <-again, row.next)
				} else {
					if q := a.screen.answer(Allow); q.HostPort != "a.example" || q.OfferStop {
						t.Errorf("asked %+v", q)
					}
					wantCode(t, <-again, "")
				}
				a.manager.Close()
			})
		})
	}
}

// stubborn is a dialog that stays until it is answered, whatever ctx says.
type stubborn struct {
	shown chan Question
	press chan Answer
}

func (s stubborn) Show(_ context.Context, q Question) (Answer, error) {
	s.shown <- q
	return <-s.press, nil
}

// A late yes from a dialog that outlived its page neither connects nor is kept nor answers the new page's question for
// the same host, and the new page's dialog waits until the old one is gone.
func TestLateAnswerIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAsking(t, nil)
		d := stubborn{make(chan Question), make(chan Answer)}
		a.manager.Dialog = d
		old := a.connect(t.Context(), "wss://other.example/")
		<-d.shown
		a.manager.Page().Next()
		wantCode(t, <-old, Cancelled)
		fresh := a.connect(t.Context(), "wss://other.example/")
		synctest.Wait()
		select {
		case <-d.shown:
			t.Fatal("two dialogs at a time")
		default:
		}
		d.press <- Allow
		<-d.shown
		select {
		case err := <-fresh:
			t.Fatalf("the old answer reached the new page: %v", err)
		default:
		}
		d.press <- Deny
		wantCode(t, <-fresh, PlayerNo)
		if list, _ := a.gate.session.List(t.Context()); len(list) != 0 {
			t.Errorf("kept %+v", list)
		}
		a.manager.Close()
	})
}

// Two hosts asked together: each hears its own answer, whichever way they are given.
func TestTwoHostsTogether(t *testing.T) {
	for _, answers := range [][2]Answer{{Allow, Deny}, {Deny, Allow}} {
		synctest.Test(t, func(t *testing.T) {
			a := newAsking(t, nil)
			want := map[Answer]Code{Allow: "", Deny: PlayerNo}
			given := map[string]Answer{"a.example": answers[0], "b.example": answers[1]}
			done := map[string]<-chan error{}
			for host := range given { // either first
				done[host] = a.connect(t.Context(), "wss://"+host+"/")
			}
			for range given {
				q := <-a.screen.shown
				a.screen.press <- reply{answer: given[q.HostPort]}
			}
			for host, ch := range done {
				wantCode(t, <-ch, want[given[host]])
			}
			a.screen.asked(t)
			a.manager.Close()
		})
	}
}

// Events of an old document do nothing to the new one, and its connections are not heard.
func TestOldPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAsking(t, nil)
		old := a.manager.Page()
		fresh := old.Next()
		done := a.connect(WithPage(t.Context(), fresh), "wss://other.example/")
		<-a.screen.shown
		old.Close()
		if got := old.Next(); got != fresh {
			t.Errorf("the old page was replaced by %+v, want %+v", got, fresh)
		}
		wantCode(t, <-a.connect(WithPage(t.Context(), old), "wss://b.example/"), Cancelled)
		a.screen.press <- reply{answer: Allow}
		wantCode(t, <-done, "")
		a.manager.Close()
	})
}

// One of two connections goes: the question stays for the other.
func TestOneAskerGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAsking(t, nil)
		ctx, cancel := context.WithCancel(t.Context())
		first := a.connect(ctx, "wss://other.example/")
		<-a.screen.shown
		second := a.connect(t.Context(), "wss://other.example/")
		synctest.Wait()
		cancel()
		wantCode(t, <-first, Cancelled)
		a.screen.press <- reply{answer: Allow}
		wantCode(t, <-second, "")
		a.manager.Close()
	})
}

// A queued question is looked at again when its turn comes: another window may have got the answer by then.
func TestAnsweredWhileQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAsking(t, nil)
		first := a.connect(t.Context(), "wss://a.example/")
		<-a.screen.shown
		second := a.connect(t.Context(), "wss://b.example/")
		synctest.Wait()
		if err := a.gate.run().Remember(t.Context(), "game-1", target(t, "wss://b.example/")); err != nil {
			t.Fatal(err)
		}
		a.screen.press <- reply{answer: Deny}
		wantCode(t, <-first, PlayerNo)
		wantCode(t, <-second, "")
		if got := a.screen.asked(t); len(got) != 1 {
			t.Errorf("asked %q", got)
		}
		a.manager.Close()
	})
}

// Quit cancels what is asked and returns when the dialog is gone; later questions are cancelled too.
func TestQuit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAsking(t, nil)
		done := a.connect(t.Context(), "wss://other.example/")
		<-a.screen.shown
		a.manager.Close()
		wantCode(t, <-done, Cancelled)
		wantCode(t, <-a.connect(t.Context(), "wss://other.example/"), Cancelled)
		a.manager.Page().Next()
		wantCode(t, <-a.connect(t.Context(), "wss://other.example/"), Cancelled)
		a.manager.Close()
	})
}

func TestNoTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAsking(t, nil)
		done := a.connect(t.Context(), "wss://other.example/")
		<-a.screen.shown
		time.Sleep(30 * 24 * time.Hour)
		a.screen.press <- reply{answer: Allow}
		wantCode(t, <-done, "")
		a.manager.Close()
	})
}
