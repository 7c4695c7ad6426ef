package netsock

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"conch/internal/leak"
	"conch/internal/wstest"
)

const (
	testOrigin = "http://127.0.0.1:24000"
	testCookie = "conch=secret"
	gameOrigin = "https://game.example"
)

// TestMain fails the package when a goroutine of a test survives it.
func TestMain(m *testing.M) { os.Exit(leak.Run(m)) }

// policyFunc is a Policy.
type policyFunc func(context.Context, Request) (Dial, error)

func (f policyFunc) Decide(ctx context.Context, r Request) (Dial, error) { return f(ctx, r) }

func allowAll(_ context.Context, r Request) (Dial, error) {
	u, err := url.Parse(r.URL)
	return Dial{URL: u, Origin: gameOrigin}, err
}

func checkCookie(q *http.Request) error {
	if q.Header.Get("Cookie") != testCookie {
		return errors.New("no cookie")
	}
	return nil
}

// start runs a relay that ends with the test; change may alter it before
// Listen.
func start(t testing.TB, change func(*Relay)) (*Relay, wstest.Page) {
	t.Helper()
	r := &Relay{Policy: policyFunc(allowAll), Authorize: checkCookie, Origin: testOrigin, Ports: 2}
	if change != nil {
		change(r)
	}
	if err := r.Listen(); err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- r.Serve() }()
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return r, wstest.Page{Port: r.PortNumbers()[0], Origin: testOrigin, Cookie: testCookie}
}

// reasonFor asks as the page does.
func reasonFor(t testing.TB, r *Relay, id string) string {
	t.Helper()
	w := httptest.NewRecorder()
	r.ServeReason(w, httptest.NewRequest("GET", "/__conch/net/reason?id="+id, nil))
	if w.Code == http.StatusNoContent {
		return ""
	}
	var body struct{ Message string }
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != http.StatusOK {
		t.Fatalf("reason: status %d, body %q, %v", w.Code, w.Body, err)
	}
	return body.Message
}

// eventually waits for a state that other goroutines bring about.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(10 * time.Second); !ok(); {
		select {
		case <-end:
			t.Fatalf("never happened: %s", what)
		case <-tick.C:
		}
	}
}

func (r *Relay) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.sockets)
}

// fakeDNS answers every A question with 127.0.0.1, except that names starting
// with "missing" do not exist, and counts the connections made to it.
type fakeDNS struct{ asked atomic.Int64 }

func (d *fakeDNS) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		d.asked.Add(1)
		client, server := net.Pipe()
		go d.serve(server)
		return client, nil
	}}
}

// serve speaks DNS over a stream: each message with its length in front.
func (d *fakeDNS) serve(c net.Conn) {
	defer c.Close()
	for {
		var length [2]byte
		if _, err := io.ReadFull(c, length[:]); err != nil {
			return
		}
		q := make([]byte, binary.BigEndian.Uint16(length[:]))
		if _, err := io.ReadFull(c, q); err != nil {
			return
		}
		end := 12
		for q[end] != 0 {
			end += int(q[end]) + 1
		}
		end += 5
		kind := q[end-3]
		a := append([]byte{q[0], q[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, q[12:end]...)
		switch {
		case strings.HasPrefix(string(q[13:end]), "missing"):
			a[3] |= 3
		case kind == 1:
			a[7] = 1
			a = append(a, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1)
		}
		if _, err := c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(a))), a...)); err != nil {
			return
		}
	}
}
