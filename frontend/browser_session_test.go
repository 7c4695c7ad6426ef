//go:build e2e && linux

package frontend_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"conch/frontend"
	sessions "conch/session"
)

// TestBrowserSessions runs testdata/session.html in both engines, as players without Conch do, against the session host.
func TestBrowserSessions(t *testing.T) {
	engines := []struct {
		name string
		open func(t *testing.T, dir, address string) *exec.Cmd
	}{
		{"chromium", chromium},
		{"webkitgtk", miniBrowser},
	}
	for _, engine := range engines {
		t.Run(engine.name, func(t *testing.T) {
			done := make(chan []result, 1)
			site := newSessionSite(t, done)
			start(t, engine.open(t, t.TempDir(), site))
			select {
			case results := <-done:
				reportSessions(t, results, 16)
			case <-time.After(4 * time.Minute):
				t.Fatal("the page did not report")
			}
		})
	}
}

// newSessionSite serves the page and starts its host.
func newSessionSite(t *testing.T, done chan<- []result) string {
	mux := http.NewServeMux()
	text := func(path, contentType string, body []byte) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.Write(body)
		})
	}
	text("/session.html", "text/html", read(t, "session.html"))
	text("/session.js", "text/javascript", read(t, "session.js"))
	text("/__conch/session.js", "text/javascript", frontend.SessionScript)
	mux.HandleFunc("/done", reported(done))
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)

	h := &sessions.Host{MaxPerAddress: 64, Origins: []string{site.URL}}
	h.Approve = func(_ context.Context, r sessions.ApprovalRequest) sessions.Decision {
		return sessions.Decision{Approved: r.Name != "refused", Reason: "no bots", PlayerState: map[string]any{"hp": 10}}
	}
	h.Handle = func(e sessions.Event) {
		if gone, ok := e.(sessions.HostPeerDisconnected); ok && gone.Reason == "left" {
			h.GameState().Set("left", int64(gone.ID))
		}
	}
	answer(h)
	if err := h.Start("skiff", "friday", "1.0", sessions.AnyPort); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-h.Wake():
				h.Update(0)
			case <-h.Done():
				return
			}
		}
	}()
	t.Cleanup(func() { h.Close(); <-ended })
	err := errors.Join(
		h.GameState().Set("big", map[string]any{"list": []any{int64(1), 2.5, map[string]any{"deep": "yes"}}}),
		h.GameState().Set("bytes", []byte{0, 255}))
	if err != nil {
		t.Fatal(err)
	}
	query := url.Values{"host": {h.Addr().String()}, "code": {h.JoinCode()}, "closed": {closedPort(t)}}
	return site.URL + "/session.html?" + query.Encode()
}

// closedPort is an address where nobody listens.
func closedPort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// answer gives the host the functions that testdata/session.js calls.
func answer(h *sessions.Host) {
	h.OnRPC("echo", func(c *sessions.Call) { c.Reply(c.Args) })
	h.OnRPC("panics", func(*sessions.Call) { panic("on purpose") })
	h.OnRPC("steer", func(*sessions.Call) {})
	h.OnRPCFromAnyone("wave", func(*sessions.Call) {})
	h.OnRPC("set", func(c *sessions.Call) {
		var v any
		_, n := binary.Uvarint(c.Args)
		if json.Unmarshal(c.Args[n:], &v) != nil || h.GameState().Set("value", v) != nil {
			c.Fail()
		}
	})
	h.OnRPC("unset", func(*sessions.Call) { h.GameState().Delete("value") })
	h.OnRPC("spawn", func(c *sessions.Call) {
		count, _ := binary.Uvarint(c.Args)
		for range count {
			o, err := h.Spawn("boat", map[string]any{"x": int64(1)}, sessions.SpawnOptions{Owner: c.From})
			if err != nil {
				c.Fail()
				return
			}
			h.SendRPCToConnection("see", o.ID, nil, c.From)
		}
	})
	h.OnRPC("flag", func(*sessions.Call) { h.Spawn("flag", nil, sessions.SpawnOptions{Persistent: true}) })
	shaken := int64(0)
	h.OnRPC("shake", func(c *sessions.Call) {
		shaken++
		h.GameState().Set("n", shaken)
		h.PlayerState(c.From).Set("s", fmt.Sprint("shaken ", shaken))
		objects := h.Objects()
		o := objects[int(shaken)%len(objects)]
		switch shaken % 4 {
		case 0:
			o.State.Set("x", float64(shaken)+0.5)
		case 1:
			h.SetOwner(o.ID, sessions.HostID)
		case 2:
			o.State.Delete("x")
		default:
			h.Despawn(o.ID)
			h.Spawn("boat", map[string]any{"x": shaken, "n": nil}, sessions.SpawnOptions{})
		}
	})
	h.OnRPC("digest", func(c *sessions.Call) {
		time.AfterFunc(500*time.Millisecond, func() { c.Reply(textArgs(digest(h))) }) // the last tick has gone out
		c.Defer()
	})
	scene := sessions.Scene{UUID: "6f1c0a52-0000-4000-8000-000000000001", Name: "harbour"}
	h.OnRPC("scene", func(*sessions.Call) { h.HostLoadScene(scene, false) })
	h.OnRPC("seamless", func(*sessions.Call) { h.HostLoadScene(scene, true) })
	h.OnRPC("kickMe", func(c *sessions.Call) { c.Defer(); h.Disconnect(c.From, "be nice") })
	h.OnRPC("askAll", func(c *sessions.Call) {
		c.Defer()
		var ids []uint64
		for _, p := range h.Peers() {
			ids = append(ids, p.ID)
		}
		h.SendRPCMulticast("sum", 0, []byte{3, 4}, ids).OnDone(func(all []sessions.CallResult, _ error) {
			var words []string
			for _, r := range all {
				word := fmt.Sprint(r.Connection, " ", r.Status)
				if len(r.Value) == 1 {
					word += " " + strconv.Itoa(int(r.Value[0]))
				}
				words = append(words, word)
			}
			c.Reply(textArgs(strings.Join(words, ", ")))
		})
	})
}

// textArgs is what DataStream.readString reads.
func textArgs(s string) []byte { return append(binary.AppendUvarint(nil, uint64(len(s))), s...) }

// digest is digestOf in testdata/session.js.
func digest(h *sessions.Host) string {
	lines := []string{"game: " + fields(h.GameState())}
	for _, p := range h.Peers() {
		lines = append(lines, fmt.Sprintf("player %d: %s", p.ID, fields(h.PlayerState(p.ID))))
	}
	for _, o := range h.Objects() {
		lines = append(lines, fmt.Sprintf("object %d: %s", o.ID, fields(o.State)))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

var digested = regexp.MustCompile("^[nsx]$")

func fields(s sessions.State) string {
	var all []string
	for name, v := range s.All() {
		if b, err := json.Marshal(v); err == nil && digested.MatchString(name) {
			all = append(all, name+"="+string(b))
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}
