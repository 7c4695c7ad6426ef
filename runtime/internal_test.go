package runtime

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestPageScript(t *testing.T) {
	s := &Server{Bundle: folder(t, nil), Script: []byte("const c = __CONCH_CONFIG__;"), Config: func() any {
		return map[string]any{"title": "</script>\u2028", "relayPorts": []int{1, 2}}
	}}
	g := play(t, s)
	res := g.get(scriptPath)
	res.want(t, http.StatusOK, `const c = {"relayPorts":[1,2],"title":"\u003c/script\u003e\u2028"};`)
	res.wantHeader(t, "Content-Type", "text/javascript; charset=utf-8")
	res.wantHeader(t, "Cache-Control", "no-store")
	g.post(scriptPath, "x").want(t, http.StatusMethodNotAllowed, "*")
}

func TestPageScriptConfigurationThatCannotBeSent(t *testing.T) {
	g := play(t, &Server{Bundle: folder(t, files{"w.js": "1"}), Config: func() any { return func() {} }})
	g.get(scriptPath).want(t, http.StatusInternalServerError, "*")
	g.get("/w.js", "Sec-Fetch-Dest: worker").want(t, http.StatusInternalServerError, "*")
}

func TestNoPageScript(t *testing.T) {
	g := &Server{Bundle: folder(t, nil), Script: []byte{}}
	p := play(t, g)
	g.Script = nil
	p.get("/").want(t, http.StatusOK, plainPage)
}

func TestStorageCopy(t *testing.T) {
	var mu sync.Mutex
	var kept string
	fail := false
	g := play(t, &Server{Bundle: folder(t, nil), SaveStorage: func(b []byte) error {
		mu.Lock()
		defer mu.Unlock()
		if fail {
			return errors.New("disk full")
		}
		kept = string(b)
		return nil
	}})
	good := []string{`{}`, `{"a":"b"}`, ` {"a\ud800":"\udfff","":""} `, `{"big":"` + strings.Repeat("x", 1<<20) + `"}`}
	for _, body := range good {
		g.post("/__conch/storage", body).want(t, http.StatusNoContent, "")
		if kept != body {
			t.Errorf("kept %.40q, want %.40q", kept, body)
		}
	}
	kept = ""
	bad := []string{``, `x`, `[]`, `"a"`, `null`, `{"a":1}`, `{"a":null}`, `{"a":{}}`, `{"a":["b"]}`, `{"a":"b"} {}`, `{"a":"b"`, `{"a"`, `{"a":"b",}`}
	for _, body := range bad {
		g.post("/__conch/storage", body).want(t, http.StatusBadRequest, "*")
	}
	g.post("/__conch/storage", `{"a":"`+strings.Repeat("x", maxStorage)+`"}`).want(t, http.StatusRequestEntityTooLarge, "*")
	g.get("/__conch/storage").want(t, http.StatusMethodNotAllowed, "*")
	if kept != "" {
		t.Errorf("kept %.40q", kept)
	}
	fail = true
	g.post("/__conch/storage", `{}`).want(t, http.StatusInternalServerError, "*")
}

func TestConsoleLines(t *testing.T) {
	var mu sync.Mutex
	var got []ConsoleLine
	g := play(t, &Server{Bundle: folder(t, nil), Console: func(l ConsoleLine) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, l)
	}})
	g.post("/__conch/log", `{"level":"warn","text":"one","owner":"enemy"}`).want(t, http.StatusNoContent, "")
	g.post("/__conch/log", `[{"text":"two","more":1},{"level":"fatal","text":"`+strings.Repeat("é", maxConsoleText)+`"}]`).want(t, http.StatusNoContent, "")
	want := []ConsoleLine{{"warn", "one", "enemy"}, {"log", "two", ""}, {"log", strings.Repeat("é", maxConsoleText/2) + "…", ""}}
	if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("got %.200v", got)
	}
	for _, bad := range []string{"x", "1", `{"text":1}`, `[1]`} {
		g.post("/__conch/log", bad).want(t, http.StatusBadRequest, "*")
	}
	g.post("/__conch/log", `"`+strings.Repeat("x", maxConsoleBody)+`"`).want(t, http.StatusRequestEntityTooLarge, "*")
	g.post("/__conch/log", `[]`).want(t, http.StatusNoContent, "")

	got = nil
	flood := "[" + strings.Repeat(`{"text":"x"},`, 599) + `{"text":"x"}]`
	g.post("/__conch/log", flood).want(t, http.StatusNoContent, "")
	if len(got) < 490 || len(got) > consoleBurst {
		t.Errorf("a flood got %d lines through", len(got))
	}
}

func TestConsoleBudget(t *testing.T) {
	now := time.Unix(1000, 0)
	b := consoleBudget{now: func() time.Time { return now }}
	steps := []struct {
		after                       time.Duration
		ask, wantGrant, wantDropped int
	}{
		{0, 400, 400, 0}, {0, 200, 100, 0}, {0, 50, 0, 0}, {time.Second, 100, 100, 150}, {time.Second / 2, 100, 50, 0}, {time.Hour, 1000, consoleBurst, 50},
	}
	for i, s := range steps {
		now = now.Add(s.after)
		if granted, dropped := b.take(s.ask); granted != s.wantGrant || dropped != s.wantDropped {
			t.Errorf("step %d: got %d granted, %d dropped", i, granted, dropped)
		}
	}
}

func TestCrashedPage(t *testing.T) {
	b := folder(t, nil)
	b.Title = `<b>100% "Game"</b>`
	g := play(t, &Server{Bundle: b})
	res := g.get("/__conch/crashed")
	res.want(t, http.StatusOK, "*")
	for _, want := range []string{"Restart", `location.replace("/")`, "&lt;b&gt;100%"} {
		if !strings.Contains(res.body, want) {
			t.Errorf("%q is missing in %s", want, res.body)
		}
	}
	if strings.Contains(res.body, "<b>") || strings.Contains(res.body, scriptPath) {
		t.Errorf("got %s", res.body)
	}
}

// Case B33: a handler that panics is answered 500, and the process goes on.
func TestPanicIsAnswered(t *testing.T) {
	s := &Server{Bundle: folder(t, files{"a.txt": "a"})}
	s.Handle("/__conch/nil", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Half", "done")
		var p *player
		p.cookie = "x"
	}))
	s.Handle("/__conch/late", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		w.Write([]byte("half"))
		http.NewResponseController(w).Flush()
		panic("late")
	}))
	g := play(t, s)
	res := g.get("/__conch/nil?token=secret")
	res.want(t, http.StatusInternalServerError, "")
	res.wantHeader(t, "X-Half", "")
	if log := g.log.String(); !strings.Contains(log, "panicked") || strings.Contains(log, "token=secret") {
		t.Errorf("log: %s", log)
	}
	r, _ := http.NewRequest("GET", g.Origin()+"/__conch/late", nil)
	r.Header.Set("Cookie", g.cookie)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	if res, err := client.Do(r); err == nil {
		b := make([]byte, 100)
		n, err := res.Body.Read(b)
		for err == nil {
			_, err = res.Body.Read(b)
		}
		res.Body.Close()
		if err.Error() == "EOF" {
			t.Errorf("half an answer (%d bytes) looks whole", n)
		}
	}
	g.get("/a.txt").want(t, http.StatusOK, "a")
}

func TestLifecycle(t *testing.T) {
	s := &Server{Bundle: folder(t, nil)}
	if err := s.Serve(); err == nil {
		t.Error("Serve before Listen")
	}
	if err := s.Listen(0); err != nil {
		t.Fatal(err)
	}
	if err := s.Listen(0); err == nil {
		t.Error("Listen twice")
	}
	if s.Port() == 0 || s.Origin() != "http://127.0.0.1:"+itoa(s.Port()) {
		t.Errorf("origin %s, port %d", s.Origin(), s.Port())
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if err := s.Serve(); err != nil {
		t.Errorf("Serve after Close: %v", err)
	}
	if err := new(Server).Close(); err != nil {
		t.Errorf("Close of a server that never listened: %v", err)
	}
}

// Close ends requests that would wait for ever, and returns after them.
func TestCloseWaitsForRequests(t *testing.T) {
	started, ended := make(chan struct{}), make(chan struct{})
	s := &Server{Bundle: folder(t, nil)}
	s.Handle("/__conch/wait", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(started)
		<-r.Context().Done()
		close(ended)
	}))
	g := play(t, s)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	failed := make(chan error, 1)
	go func() {
		r, _ := http.NewRequest("GET", g.Origin()+"/__conch/wait", nil)
		r.Header.Set("Cookie", g.cookie)
		_, err := client.Do(r)
		failed <- err
	}()
	<-started
	s.Close()
	select {
	case <-ended:
	default:
		t.Error("Close returned before the request ended")
	}
	if err := <-failed; err == nil {
		t.Error("the request was answered")
	}
}
