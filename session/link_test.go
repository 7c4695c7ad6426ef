package session

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"conch/session/sessiontest"
	"conch/session/wire"
)

// TestOneWriteForAllThatWaits: frames that wait for a peer go out together.
func TestOneWriteForAllThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := pair()
		l := newLink(near)
		stop := make(chan struct{})
		go l.run(stop)
		l.send(wire.Append(nil, &wire.Ping{Seq: 1})) // idle: at once
		synctest.Wait()
		for i := range 50 { // within 2 ms of it
			l.send(wire.Append(nil, &wire.Ping{Seq: uint64(i)}))
		}
		time.Sleep(10 * time.Millisecond)
		for _, want := range []int{1, 50} {
			b, err := far.Read()
			if err != nil {
				t.Fatal(err)
			}
			if all, _ := wire.Decode(b); len(all) != want {
				t.Errorf("a message of %d frames, want %d", len(all), want)
			}
		}
		close(stop)
		<-l.done
		near.CloseNow()
		far.CloseNow()
	})
}

// TestBusyPeersGetFewerWrites: a stream of frames leaves every 2 ms, a dense one every 5 ms.
func TestBusyPeersGetFewerWrites(t *testing.T) {
	for _, c := range []struct {
		name        string
		every       time.Duration
		least, most int
	}{
		{"one frame in 3 ms", 3 * time.Millisecond, 65, 68},
		{"one frame in 1 ms", time.Millisecond, 39, 45},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, far := pair()
				l := newLink(near)
				stop := make(chan struct{})
				go l.run(stop)
				messages := make(chan int)
				go func() {
					n := 0
					for {
						if _, err := far.Read(); err != nil {
							messages <- n
							return
						}
						n++
					}
				}()
				for began := time.Now(); time.Since(began) < 200*time.Millisecond; time.Sleep(c.every) {
					l.send(wire.Append(nil, &wire.Ping{}))
				}
				time.Sleep(busyFlushGap)
				close(stop)
				<-l.done
				near.CloseNow()
				if n := <-messages; n < c.least || n > c.most {
					t.Errorf("%d writes, want %d to %d", n, c.least, c.most)
				}
				far.CloseNow()
			})
		})
	}
}

func TestLongQueuesAreSeveralMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := pair()
		l := newLink(near)
		for range 20 {
			l.send(wire.Append(nil, &wire.RPC{Name: "x", Args: make([]byte, 50000)}))
		}
		stop := make(chan struct{})
		go l.run(stop)
		frames := 0
		for frames < 20 {
			b, err := far.Read()
			if err != nil {
				t.Fatal(err)
			}
			if len(b) > messageTarget {
				t.Errorf("a message of %d bytes", len(b))
			}
			all, err := wire.Decode(b)
			if err != nil {
				t.Fatal(err)
			}
			frames += len(all)
		}
		close(stop)
		<-l.done
		near.CloseNow()
		far.CloseNow()
	})
}

func TestLinkCountsWhatWaits(t *testing.T) {
	l := newLink(nil)
	if !l.send(make([]byte, slowBytes)) || l.send([]byte{1}) {
		t.Error("the limit is not 1 MiB")
	}
	l = newLink(nil)
	l.sendLarge(make([]byte, 3*slowBytes))
	if !l.send([]byte{1}) {
		t.Error("a snapshot counts as waiting")
	}
	if !l.lagging(time.Now()) || newLink(nil).lagging(time.Now()) {
		t.Error("lagging")
	}
}

func TestFinishSaysWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := pair()
		l := newLink(near)
		stop := make(chan struct{})
		go l.run(stop)
		l.send([]byte{1})
		l.finish(CloseKicked, strings.Repeat("é", 100), []byte{2})
		l.finish(CloseTimeout, "second", []byte{3})
		l.send([]byte{4})
		b, err := far.Read()
		if err != nil || string(b) != "\x01\x02" {
			t.Errorf("got %v %v", b, err)
		}
		_, err = far.Read()
		var e *sessiontest.CloseError
		if !errors.As(err, &e) || e.Code != CloseKicked || len(e.Reason) > 123 {
			t.Errorf("got %v", err)
		}
		<-l.done
		far.CloseNow()
		near.CloseNow()
		time.Sleep(time.Second)
		close(stop)
	})
}

// TestFinishDoesNotWaitForADeafPeer: after half a second the connection is cut.
func TestFinishDoesNotWaitForADeafPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := pair()
		l := newLink(near)
		go l.run(nil)
		for range 4 {
			l.send(make([]byte, sessiontest.Buffer/2))
			time.Sleep(10 * time.Millisecond)
		}
		begin := time.Now()
		l.finish(CloseHostStopped, "host_stopped", nil)
		<-l.done
		if took := time.Since(begin); took > flushTimeout+50*time.Millisecond {
			t.Errorf("it took %v", took)
		}
		far.CloseNow()
	})
}

func TestBucket(t *testing.T) {
	now := time.Now()
	b := newBucket(10, 20, now)
	for range 20 {
		if !b.take(1, now) {
			t.Fatal("the burst is not there")
		}
	}
	if b.take(1, now) {
		t.Error("more than the burst")
	}
	now = now.Add(time.Second)
	if !b.take(10, now) || b.take(1, now) {
		t.Error("not ten a second")
	}
	b.fill()
	if !b.take(20, now) {
		t.Error("not full after fill")
	}
}
