package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// hosting runs `conch-host host` until the test ends, and returns its address and what it prints.
func hosting(t *testing.T, args ...string) (address string, printed func() string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	var stderr bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		p := &Program{Name: "conch-host"}
		ended <- p.Run(ctx, append([]string{"host", "--port", "0"}, args...), w, &stderr)
		w.Close()
	}()
	var mu sync.Mutex
	var all strings.Builder
	first := make(chan string, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for lines := bufio.NewScanner(r); lines.Scan(); {
			mu.Lock()
			all.WriteString(lines.Text() + "\n")
			mu.Unlock()
			select {
			case first <- lines.Text():
			default:
			}
		}
		close(first)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		if code := <-ended; code != 0 {
			t.Errorf("host ended with %d: %s", code, stderr.String())
		}
	})
	line := <-first
	m := regexp.MustCompile(`^listening on (\S+?)(, join code \S+)?$`).FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("got %q", line)
	}
	return m[1], func() string {
		mu.Lock()
		defer mu.Unlock()
		return all.String()
	}
}

func runBots(t *testing.T, args ...string) (r botReport, code int, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	p := &Program{Name: "conch-host"}
	code = p.Run(context.Background(), append([]string{"bots", "--json"}, args...), &out, &errs)
	if code == 0 {
		if err := json.Unmarshal(out.Bytes(), &r); err != nil {
			t.Fatalf("%v: %s", err, out.String())
		}
	}
	return r, code, errs.String()
}

// TestHostAndBots: every call of every bot reaches every other bot.
func TestHostAndBots(t *testing.T) {
	password := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, []byte("pearl of great price\nsecond line\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name       string
		host, bots []string
	}{
		{"open", []string{"--open"}, nil},
		{"code", []string{"--code", "K7M2QX"}, []string{"--code", "k7m2qx"}},
		{"password", []string{"--password-file", password}, []string{"--password-file", password}},
		{"other ids and a store", []string{"--open", "--project", "skiff", "--build", "2", "--session", "s", "--store", filepath.Join(t.TempDir(), "s.db")},
			[]string{"--project", "skiff", "--build", "2", "--session", "s"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			address, printed := hosting(t, c.host...)
			r, code, stderr := runBots(t, append([]string{address, "--count", "4", "--rate", "20", "--time", "1s", "--join-rate", "50"}, c.bots...)...)
			if code != 0 || r.Joined != 4 || r.Dropped != 0 || r.Sent == 0 || r.Received != r.Expected || r.Expected != 3*r.Sent || r.P50 <= 0 || r.Max < r.P50 {
				t.Errorf("code %d, %+v, %s", code, r, stderr)
			}
			if n := strings.Count(printed(), `" bot 127.0.0.1`); n != 4 {
				t.Errorf("%d joins are printed:\n%s", n, printed())
			}
		})
	}
}

func TestBotsThatDoNotGetIn(t *testing.T) {
	address, _ := hosting(t, "--peers", "2", "--open")
	r, code, _ := runBots(t, address, "--count", "3", "--time", "100ms", "--join-rate", "5")
	if code != 0 || r.Joined != 2 || r.Reasons["full"] != 1 {
		t.Errorf("code %d, %+v", code, r)
	}
	locked, _ := hosting(t)
	if _, code, stderr := runBots(t, locked, "--count", "1", "--time", "100ms"); code != 1 || !strings.Contains(stderr, "no bot got in: map[bad_code:1]") {
		t.Errorf("code %d, %s", code, stderr)
	}
}

func TestHostAndBotsMisuse(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"bots"}, 2, "bots takes one address"},
		{[]string{"bots", "127.0.0.1", "--size", "8"}, 2, "--size 16"},
		{[]string{"bots", "127.0.0.1", "--rate", "NaN"}, 2, "--rate"},
		{[]string{"bots", "8.8.8.8"}, 1, "not on the local network"},
		{[]string{"bots", "127.0.0.1", "--project", "a b"}, 1, "only letters"},
		{[]string{"bots", "127.0.0.1", "--password-file", empty}, 1, "first line is empty"},
		{[]string{"host", "--port", "-1"}, 2, "--port"},
		{[]string{"host", "--port", "70000"}, 1, "port 70000"},
		{[]string{"host", "--session", ""}, 1, "session"},
		{[]string{"host", "--password-file", "nowhere"}, 1, "--password-file"},
		{[]string{"host", "--open", "--code", "x"}, 1, "none of the others can be"},
		{[]string{"host", "--address", "192.0.2.1"}, 1, "192.0.2.1"},
		{[]string{"host", "--store", filepath.Join(empty, "x")}, 1, "--store"},
		{[]string{"host", "extra"}, 2, "takes no arguments"},
	} {
		var out, errs bytes.Buffer
		p := &Program{Name: "conch-host"}
		if code := p.Run(context.Background(), c.args, &out, &errs); code != c.code || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%v: code %d, %s", c.args, code, errs.String())
		}
	}
}

func TestHistogram(t *testing.T) {
	var h histogram
	for i := range 1000 {
		h.record(time.Duration(i+1) * time.Millisecond)
	}
	for share, want := range map[float64]float64{0.5: 500, 0.95: 950, 0.99: 990, 1: 1000} {
		if got := h.at(share); got < want*0.96 || got > want*1.04 {
			t.Errorf("share %v: got %.1f, want about %.0f", share, got, want)
		}
	}
	if h.most != 1000 {
		t.Errorf("most %v", h.most)
	}
	h.record(-time.Second) // clocks may jump
	h.record(1000 * time.Hour)
	if got := (&histogram{}).at(0.5); got != 0 {
		t.Errorf("empty: %v", got)
	}
}
