package runtime

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	maxConsoleBody = 256 << 10
	maxConsoleText = 8 << 10
	consoleBurst   = 500 // lines at once
	consoleRate    = 100 // lines per second in the long run
)

// ConsoleLine is one line that the page wrote to its console. All of it is the page's own text.
type ConsoleLine struct {
	Level string `json:"level"` // debug, log, info, warn or error; anything else arrives as log
	Text  string `json:"text"`  // at most 8 KiB
	Owner string `json:"owner"` // label of the script instance, may be empty
}

// consoleBudget is a bucket of lines that fills with time: a game that logs every frame must not drown the terminal.
type consoleBudget struct {
	mu      sync.Mutex // guards the rest
	now     func() time.Time
	last    time.Time
	lines   float64
	dropped int
}

// take asks for n lines. It returns how many are granted, and how many were dropped since the last grant.
func (b *consoleBudget) take(n int) (granted, dropped int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if b.last.IsZero() {
		b.lines = consoleBurst
	} else {
		b.lines = min(consoleBurst, b.lines+now.Sub(b.last).Seconds()*consoleRate)
	}
	b.last = now
	granted = min(n, int(b.lines))
	b.lines -= float64(granted)
	if granted > 0 {
		dropped, b.dropped = b.dropped, 0
	}
	b.dropped += n - granted
	return granted, dropped
}

// serveConsole accepts one console line or an array of them. 429 says that none was taken.
func (s *Server) serveConsole(w http.ResponseWriter, r *http.Request) {
	body, ok := postBody(w, r, maxConsoleBody)
	if !ok {
		return
	}
	lines, err := parseConsole(body)
	if err != nil {
		plainError(w, http.StatusBadRequest)
		return
	}
	granted, dropped := s.budget.take(len(lines))
	if dropped > 0 {
		s.log().Warn("console lines of the page dropped, it writes too many", "lines", dropped)
	}
	for _, line := range lines[:granted] {
		s.Console(line)
	}
	if granted == 0 && len(lines) > 0 {
		plainError(w, http.StatusTooManyRequests)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func parseConsole(body []byte) ([]ConsoleLine, error) {
	var lines []ConsoleLine
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		if err := json.Unmarshal(body, &lines); err != nil {
			return nil, err
		}
	} else {
		lines = make([]ConsoleLine, 1)
		if err := json.Unmarshal(body, &lines[0]); err != nil {
			return nil, err
		}
	}
	for i := range lines {
		l := &lines[i]
		l.Text, l.Owner = shorten(l.Text, maxConsoleText), shorten(l.Owner, 128)
		switch l.Level {
		case "debug", "log", "info", "warn", "error":
		default:
			l.Level = "log"
		}
	}
	return lines, nil
}

// shorten cuts a text to n bytes at a character border.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
