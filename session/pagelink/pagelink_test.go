package pagelink

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/gorilla/websocket"

	"conch/session"
	"conch/session/wire"
)

// TestMain fails the package when a goroutine of ours survives.
func TestMain(m *testing.M) {
	code := m.Run()
	tick := time.NewTicker(20 * time.Millisecond)
	for end := time.Now().Add(10 * time.Second); code == 0; <-tick.C {
		var b strings.Builder
		pprof.Lookup("goroutine").WriteTo(&b, 2)
		left := strings.Count(b.String(), "conch/session.(*Host)") + strings.Count(b.String(), "pagelink.(*hosting)")
		if left == 0 {
			break
		}
		if time.Now().After(end) {
			fmt.Fprintf(os.Stderr, "goroutines left behind:\n%s\n", b.String())
			code = 1
		}
	}
	os.Exit(code)
}

// page plays the page's end.
type page struct {
	t     *testing.T
	site  *httptest.Server
	reply reply
	ws    *websocket.Conn
	next  []event
}

type event []any

func newSite(t *testing.T, s *Server) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/host", s.ServeHost)
	mux.HandleFunc("/link", s.ServeLink)
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	t.Cleanup(s.Close)
	return site
}

func post(t *testing.T, site *httptest.Server, body string) (reply, int) {
	t.Helper()
	res, err := http.Post(site.URL+"/host", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var r reply
	if res.StatusCode == http.StatusOK {
		if err := json.NewDecoder(res.Body).Decode(&r); err != nil {
			t.Fatal(err)
		}
	}
	return r, res.StatusCode
}

const startBody = `{"projectId":"skiff","sessionId":"friday","buildHash":"1.0","port":0}`

// host starts a session and opens its link.
func host(t *testing.T, s *Server) *page {
	t.Helper()
	if s.NewHost == nil {
		s.NewHost = func(context.Context, Start) (*session.Host, error) { return &session.Host{Open: true}, nil }
	}
	p := &page{t: t, site: newSite(t, s)}
	p.reply, _ = post(t, p.site, startBody)
	if !p.reply.OK {
		t.Fatal(p.reply.Error)
	}
	p.open()
	return p
}

func (p *page) open() {
	p.t.Helper()
	ws, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(p.site.URL, "http")+"/link?host="+p.reply.Link, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	p.ws, p.next = ws, nil
	p.t.Cleanup(func() { ws.Close() })
}

func (p *page) say(commands ...[]any) {
	p.t.Helper()
	b, err := cbor.Marshal(commands)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.ws.WriteMessage(websocket.BinaryMessage, b); err != nil {
		p.t.Fatal(err)
	}
}

// hear waits for the next event with one of these names, and skips others.
func (p *page) hear(names ...string) event {
	p.t.Helper()
	for {
		for len(p.next) > 0 {
			e := p.next[0]
			p.next = p.next[1:]
			if name, _ := e[0].(string); slices.Contains(names, name) {
				return e
			}
		}
		p.ws.SetReadDeadline(time.Now().Add(20 * time.Second))
		_, b, err := p.ws.ReadMessage()
		if err != nil {
			p.t.Fatalf("waiting for %s: %v", names, err)
		}
		if err := decoding.Unmarshal(b, &p.next); err != nil {
			p.t.Fatal(err)
		}
	}
}

func raw(t testing.TB, v any) []byte {
	b, err := wire.EncodeValue(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// join lets a client join the page's session and updates it until the test ends. The events come one after the other.
func (p *page) join(handlers ...func(*session.Client)) (*session.Client, <-chan session.Event) {
	p.t.Helper()
	events := make(chan session.Event, 1000)
	c, err := session.Join(session.ClientOptions{Handle: func(e session.Event) { events <- e }},
		session.JoinRequest{ProjectID: "skiff", BuildHash: "1.0", PlayerName: "Zoë"}, fmt.Sprintf("127.0.0.1:%d", p.reply.Port))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, h := range handlers {
		h(c)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-c.Wake():
				c.Update(0)
			case <-c.Done():
				c.Update(0)
				return
			}
		}
	}()
	p.t.Cleanup(func() { c.Close(); <-ended })
	return c, events
}

func wait[E session.Event](t *testing.T, events <-chan session.Event) E {
	t.Helper()
	for deadline := time.After(20 * time.Second); ; {
		select {
		case e := <-events:
			if e, ok := e.(E); ok {
				return e
			}
		case <-deadline:
			var none E
			t.Fatalf("no %T", none)
			return none
		}
	}
}

func TestStart(t *testing.T) {
	refuse := errors.New("the player did not allow it")
	tests := []struct {
		name    string
		newHost func(context.Context, Start) (*session.Host, error)
		body    string
		status  int
		err     string
	}{
		{"good", nil, startBody, 200, ""},
		{"no sessions", nil, startBody, 200, "this game has no sessions"},
		{"the player says no", func(context.Context, Start) (*session.Host, error) { return nil, refuse }, startBody, 200, refuse.Error()},
		{"bad id", nil, `{"projectId":"a b","sessionId":"s","buildHash":"b","port":0}`, 200, "project"},
		{"no JSON", nil, `x`, 400, ""},
		{"unknown option", nil, `{"projectId":"a","dedicated":true}`, 400, ""},
		{"too long", nil, `{"projectId":"` + strings.Repeat("a", 20000) + `"}`, 400, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &Server{NewHost: test.newHost}
			if s.NewHost == nil && test.err != "this game has no sessions" {
				s.NewHost = func(context.Context, Start) (*session.Host, error) { return &session.Host{}, nil }
			}
			got, status := post(t, newSite(t, s), test.body)
			if status != test.status || !strings.Contains(got.Error, test.err) || got.OK != (test.err == "" && status == 200) {
				t.Errorf("got %d, %+v", status, got)
			}
			if got.OK && (got.Port == 0 || len(got.JoinCode) != 6 || got.MaxArgs != 64<<10 || got.Link == "" || got.HostMicros == 0) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestOneHostAtATime(t *testing.T) {
	p := host(t, &Server{})
	p.hear("state")
	for _, body := range []string{startBody, strings.Replace(startBody, "friday", "monday", 1)} {
		if again, _ := post(t, p.site, body); again.OK {
			t.Errorf("%s: a second host started", body)
		}
	}
	p.say([]any{"stop"})
	if e := p.hear("stopped"); e[1] != "local_stop" {
		t.Errorf("got %v", e)
	}
	if again, _ := post(t, p.site, startBody); !again.OK {
		t.Errorf("after the end: %s", again.Error)
	}
}

func TestClosingWhileThePlayerThinks(t *testing.T) {
	asked := make(chan struct{})
	s := &Server{NewHost: func(ctx context.Context, _ Start) (*session.Host, error) {
		close(asked)
		<-ctx.Done()
		return &session.Host{}, nil // as if the answer and the end came together
	}}
	ctx, cancel := context.WithCancel(t.Context())
	errs := make(chan error, 2)
	go func() {
		port := 0
		_, err := s.start(ctx, Start{ProjectID: "a", SessionID: "b", BuildHash: "c", Port: &port})
		errs <- err
	}()
	<-asked
	if _, err := s.start(ctx, Start{}); err == nil {
		t.Error("two at once")
	}
	s.Close()
	cancel()
	if err := <-errs; err == nil {
		t.Error("a session began after the end")
	}
}

func TestLinkBelongsToOneHostAndOnePage(t *testing.T) {
	p := host(t, &Server{})
	for _, link := range []string{"", "wrong", p.reply.Link} {
		_, res, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(p.site.URL, "http")+"/link?host="+link, nil)
		if err == nil || res.StatusCode != http.StatusNotFound {
			t.Errorf("link %q: got %v", link, err)
		}
	}
}

func TestPageLoadedAgain(t *testing.T) {
	p := host(t, &Server{})
	p.say([]any{"set", 0, "round", raw(t, int64(7))}, []any{"spawn", 1, "boat", 0, true, true, false, []any{[]any{"x", raw(t, 1.5)}}})
	_, events := p.join()
	number := p.hear("approve")[1]
	p.say([]any{"decide", number, true, "", "", []any{[]any{"hp", raw(t, int64(3))}}})
	p.say([]any{"ready", p.hear("connected")[1].(map[any]any)["id"]})
	wait[session.SessionStarted](t, events)
	p.ws.Close()
	port := p.reply.Port
	for deadline := time.Now().Add(20 * time.Second); ; {
		if p.reply, _ = post(t, p.site, startBody); p.reply.OK {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(p.reply.Error)
		}
	}
	if p.reply.Port != port {
		t.Errorf("port %d, was %d", p.reply.Port, port)
	}
	p.open()
	state := p.hear("state")[1].(map[any]any)
	want := fmt.Sprint([]any{
		[]any{int64(0), []any{[]any{"round", raw(t, int64(7))}}, "", int64(0), false, false},
		[]any{int64(9), []any{[]any{"hp", raw(t, int64(3))}}, "", int64(0), false, false},
		[]any{int64(6), []any{[]any{"x", raw(t, 1.5)}}, "boat", int64(0), true, true},
	})
	if got := fmt.Sprint(state["entities"]); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if peers := state["peers"].([]any); len(peers) != 1 {
		t.Errorf("got %v", peers)
	}
}

func TestPageThatDoesNotComeBack(t *testing.T) {
	p := host(t, &Server{Away: 50 * time.Millisecond})
	_, events := p.join()
	p.say([]any{"decide", p.hear("approve")[1], true, "", "", []any{}})
	wait[session.SessionStarted](t, events)
	p.ws.Close()
	if e := wait[session.SessionStopped](t, events); e.Reason != "host_stopped" {
		t.Errorf("got %s", e.Reason)
	}
}

func TestDecisions(t *testing.T) {
	tests := []struct {
		name   string
		decide []any
		want   string
	}{
		{"refused", []any{false, "no bots", "", []any{}}, "refused: no bots"},
		{"threw", []any{nil, "", "", []any{}}, "approval_error"},
		{"in", []any{true, "", "spectator", []any{[]any{"hp", raw(t, int64(1))}}}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := host(t, &Server{})
			c, events := p.join()
			asked := p.hear("approve")
			if about := asked[2].(map[any]any); about["name"] != "Zoë" || about["kind"] != "launcher" || about["buildMatches"] != true || about["address"] != "127.0.0.1" {
				t.Errorf("got %v", about)
			}
			p.say(append([]any{"decide", asked[1]}, test.decide...))
			if test.want != "" {
				if e := wait[session.ClientJoinFailed](t, events); e.Reason != test.want {
					t.Errorf("got %s, want %s", e.Reason, test.want)
				}
				return
			}
			connected := p.hear("connected")
			if got := fmt.Sprint(connected[2]); got != fmt.Sprint([]any{[]any{"hp", raw(t, int64(1))}}) {
				t.Errorf("got %s", got)
			}
			p.say([]any{"set", 9, "team", raw(t, "red")}, []any{"ready", 2})
			wait[session.SessionStarted](t, events)
			if v, _ := c.PlayerState(2).Get("team"); v != "red" {
				t.Errorf("the first snapshot has %v", v)
			}
			if c.LocalRole() != session.RoleSpectator {
				t.Errorf("role %s", c.LocalRole())
			}
		})
	}
}

func TestRequestIsForgotten(t *testing.T) {
	p := host(t, &Server{})
	c, _ := p.join()
	number := p.hear("approve")[1]
	c.Stop()
	if got := p.hear("forget")[1]; got != number {
		t.Errorf("forgot %v, asked %v", got, number)
	}
	p.say([]any{"decide", number, true, "", "", []any{}}, []any{"ping", 1, 2})
	if e := p.hear("pong"); e[1] != int64(1) || e[2] != int64(2) {
		t.Errorf("got %v", e)
	}
}

func TestCalls(t *testing.T) {
	p := host(t, &Server{})
	c, events := p.join(func(c *session.Client) {
		c.OnRPC("look", func(call *session.Call) { call.Reply(append(call.Args, 9)) })
	})
	p.say([]any{"decide", p.hear("approve")[1], true, "", "", []any{}})
	p.hear("connected")
	p.say([]any{"ready", 2})
	wait[session.SessionStarted](t, events)
	p.say([]any{"call", 70, "look", 0, []byte{1}, []any{2, 3}})
	got := map[any]string{}
	for range 2 {
		e := p.hear("result")
		got[e[2]] = fmt.Sprintf("%v %v %v", e[1], e[3], e[4])
	}
	if got[int64(2)] != "70 ok [1 9]" || got[int64(3)] != "70 peer_gone []" {
		t.Errorf("got %v", got)
	}
	for _, test := range []struct{ status, want string }{{"ok", "ok"}, {"no_handler", "no_handler"}, {"not_owner", "not_owner"}, {"handler_threw", "handler_threw"}} {
		answer := make(chan session.CallResult, 1)
		c.SendRPCToHost("steer", 0, []byte{5}).OnDone(func(r session.CallResult, _ error) { answer <- r })
		e := p.hear("call")
		if fmt.Sprint(e[2:]) != "[2 steer 0 [5] true]" {
			t.Errorf("got %v", e)
		}
		p.say([]any{"reply", e[1], test.status, []byte{7}})
		if r := <-answer; r.Status.String() != test.want || test.status == "ok" && len(r.Value) != 1 {
			t.Errorf("got %v, want %s", r, test.want)
		}
	}
}

func TestScenes(t *testing.T) {
	p := host(t, &Server{})
	for i := range 20 {
		p.say([]any{"scene", "u", fmt.Sprint("scene ", i), i%2 == 0})
	}
	for i := range 20 {
		if got, want := fmt.Sprint(p.hear("load")), fmt.Sprintf("[load %d u scene %d %v false]", i+1, i, i%2 == 0); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	p.say([]any{"loaded", 3, true, ""}, []any{"loaded", 20, true, ""}, []any{"loaded", 20, false, "late"})
	if e := p.hear("complete"); e[1] != int64(20) {
		t.Errorf("got %v", e)
	}
	p.say([]any{"scene", "v", "broken", false}, []any{"loaded", 21, false, "no such file"})
	p.hear("load")
	// what the host says itself and what is handled in its Update are not in one order
	if got := fmt.Sprint(p.hear("load", "aborted"), p.hear("load", "aborted")); got != "[aborted 21 no such file] [load 22 u scene 19 false true]" &&
		got != "[load 22 u scene 19 false true] [aborted 21 no such file]" {
		t.Errorf("got %s", got)
	}
}

func TestWhatIsGoneIsNoMistake(t *testing.T) {
	p := host(t, &Server{})
	p.say([]any{"set", 402, "x", raw(t, int64(1))}, []any{"set", 401, "x", nil}, []any{"despawn", 9}, []any{"owner", 9, 9}, []any{"kick", 9, "x"},
		[]any{"ready", 9}, []any{"reply", 9, "ok", []byte{}}, []any{"decide", 9, true, "", "", []any{}}, []any{"loaded", 9, true, ""},
		[]any{"spawn", 1, "boat", 99, false, true, false, []any{}}, []any{"owner", 1, 98}, []any{"ping", 1, 1})
	p.hear("pong")
	p.say([]any{"call", 1, "x", 1, []byte{}, []any{2}})
	p.hear("result")
}

// badCommands are what no page of ours says.
func badCommands(t testing.TB) map[string][]any {
	return map[string][]any{
		"nothing":                     {},
		"a number":                    {5},
		"unknown":                     {"eval", "x"},
		"set without a value":         {"set", 0, "x"},
		"set of rubbish":              {"set", 0, "x", []byte{0xff}},
		"set of a text":               {"set", 0, "x", "text"},
		"set of nothing":              {"set", 0, "", raw(t, int64(1))},
		"target below zero":           {"set", -1, "x", raw(t, int64(1))},
		"target too large":            {"set", uint64(1) << 60, "x", raw(t, int64(1))},
		"object 0":                    {"spawn", 0, "boat", 0, false, false, false, []any{}},
		"object of no class":          {"spawn", 1, "", 0, false, false, false, []any{}},
		"fields that are none":        {"spawn", 1, "boat", 0, false, false, false, []any{5}},
		"too much for one object":     {"spawn", 1, "boat", 0, false, false, false, []any{[]any{"a", raw(t, strings.Repeat("x", 60000))}, []any{"b", raw(t, strings.Repeat("x", 60000))}, []any{"c", raw(t, strings.Repeat("x", 60000))}}},
		"scene without an id":         {"scene", "", "n", false},
		"scene with a long id":        {"scene", strings.Repeat("u", 200), "n", false},
		"call to the host itself":     {"call", 1, "x", 0, []byte{}, []any{1}},
		"call to no number":           {"call", 1, "x", 0, []byte{}, []any{"2"}},
		"kick of the host":            {"kick", 1, "x"},
		"long reason":                 {"kick", 2, strings.Repeat("x", 600)},
		"decision of another form":    {"decide", 1, "yes", "", "", []any{}},
		"decision with fields gone":   {"decide", 1, true, "", ""},
		"ready without a connection":  {"ready"},
		"ping with a text for a time": {"ping", 1, "now"},
	}
}

func TestBadCommandStopsTheSession(t *testing.T) {
	for name, command := range badCommands(t) {
		t.Run(name, func(t *testing.T) {
			p := host(t, &Server{})
			p.say(command)
			if e := p.hear("stopped"); e[1] != "protocol_error" {
				t.Errorf("got %v", e)
			}
		})
	}
	for name, message := range map[string][]byte{"rubbish": {0xff}, "no list": {0x01}, "empty": {}, "endless": {0x9f}} {
		t.Run(name, func(t *testing.T) {
			p := host(t, &Server{})
			if err := p.ws.WriteMessage(websocket.BinaryMessage, message); err != nil {
				t.Fatal(err)
			}
			if e := p.hear("stopped"); e[1] != "protocol_error" {
				t.Errorf("got %v", e)
			}
		})
	}
}

func FuzzCommands(f *testing.F) {
	for _, command := range badCommands(f) {
		b, err := cbor.Marshal([][]any{command})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	for _, command := range [][]any{{"set", 0, "x", raw(f, int64(1))}, {"spawn", 1, "boat", 0, true, false, true, []any{[]any{"x", raw(f, "y")}}}, {"despawn", 1}, {"owner", 1, 0},
		{"scene", "u", "n", true}, {"loaded", 1, true, ""}, {"call", 1, "x", 0, []byte{1}, []any{2, 3}}, {"reply", 1, "ok", []byte{}}, {"stop"}} {
		b, err := cbor.Marshal([][]any{command})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var commands [][]any
		if decoding.Unmarshal(b, &commands) != nil {
			return
		}
		h := &session.Host{Open: true}
		g := newHosting(&Server{}, h, Start{})
		if err := h.Start("a", "b", "c", session.NoPort); err != nil {
			t.Fatal(err)
		}
		for _, c := range commands {
			if g.command(&args{rest: c}) != nil {
				break
			}
		}
		h.Update(0)
		h.Close()
	})
}

// TestReloadAsksBeforeTheOldLinkEnds: the new page's question may arrive while the old page's link still stands.
func TestReloadAsksBeforeTheOldLinkEnds(t *testing.T) {
	p := host(t, &Server{})
	p.hear("state")
	old := p.ws
	answer := make(chan reply, 1)
	go func() {
		r, _ := post(t, p.site, startBody)
		answer <- r
	}()
	old.Close()
	if r := <-answer; !r.OK || r.Port != p.reply.Port {
		t.Errorf("got %+v", r)
	}
}

// TestNumbersOfObjectsAfterReload: a page that was loaded again does not know of objects that were there and are gone.
func TestNumbersOfObjectsAfterReload(t *testing.T) {
	p := host(t, &Server{})
	p.hear("state")
	p.say([]any{"spawn", 1, "boat", 0, false, false, false, []any{}}, []any{"spawn", 2, "boat", 0, false, false, false, []any{}},
		[]any{"despawn", 2}, []any{"ping", 1, 1})
	p.hear("pong")
	p.ws.Close()
	p.reply, _ = post(t, p.site, startBody)
	if !p.reply.OK {
		t.Fatal(p.reply.Error)
	}
	p.open()
	p.hear("state")
	p.say([]any{"spawn", 2, "raft", 0, false, false, false, []any{}}, []any{"spawn", 3, "raft", 0, false, false, false, []any{}}, []any{"ping", 2, 1})
	p.hear("pong")
	c, events := p.join()
	p.say([]any{"decide", p.hear("approve")[1], true, "", "", []any{}})
	p.hear("connected")
	p.say([]any{"ready", 2})
	wait[session.SessionStarted](t, events)
	for deadline := time.Now().Add(20 * time.Second); len(c.Objects()) != 3; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("objects %v", c.Objects())
		}
	}
	if o, ok := c.Object(2); !ok || o.Class != "raft" {
		t.Errorf("object 2: %+v", o)
	}
}

// TestPageIsToldOfAddresses: where people on the network reach the host, once it listens there.
func TestPageIsToldOfAddresses(t *testing.T) {
	var h *session.Host
	p := host(t, &Server{NewHost: func(context.Context, Start) (*session.Host, error) {
		h = &session.Host{Open: true, Address: "0.0.0.0"} // stands for the network
		return h, nil
	}})
	if got := p.hear("addresses")[1]; !strings.HasSuffix(fmt.Sprint(got), fmt.Sprintf(":%d]", p.reply.Port)) {
		t.Errorf("got %v", got)
	}
}
