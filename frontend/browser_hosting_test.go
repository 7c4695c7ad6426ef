//go:build e2e && linux

package frontend_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"conch/frontend"
	sessions "conch/session"
	"conch/session/pagelink"
	"conch/session/pagerelay"
)

// TestBrowserHosting runs testdata/hosting.html in both engines: the host's page and its clients, through the addresses
// that a game's server has for them, and under its policy.
func TestBrowserHosting(t *testing.T) {
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
			start(t, engine.open(t, t.TempDir(), newHostingSite(t, done)))
			select {
			case results := <-done:
				reportSessions(t, results, 11)
			case <-time.After(4 * time.Minute):
				t.Fatal("the page did not report")
			}
		})
	}
}

func reportSessions(t *testing.T, results []result, least int) {
	t.Helper()
	if len(results) < least {
		t.Errorf("%d checks ran, want them all", len(results))
	}
	for _, r := range results {
		t.Run(r.Name, func(t *testing.T) {
			if r.Problem != "" {
				t.Error(r.Problem)
			}
		})
	}
}

// reported takes what a page posts at its end.
func reported(done chan<- []result) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) {
		var results []result
		if err := json.NewDecoder(r.Body).Decode(&results); err != nil {
			results = []result{{"report", err.Error()}}
		}
		select {
		case done <- results:
		default:
		}
	}
}

func newHostingSite(t *testing.T, done chan<- []result) string {
	mux := http.NewServeMux()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'self' 'unsafe-inline'; connect-src 'self'")
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(site.Close)
	config, err := json.Marshal(map[string]any{
		"relayPorts": []int{}, "available": true, "context": "standalone", "allowedHosts": []string{}, "allowAnyHost": false, "debug": false,
		"ownOrigin": site.URL, "proxyPrefixes": []string{}, "restore": nil, "shadow": false, "session": true,
	})
	if err != nil {
		t.Fatal(err)
	}
	script := append(bytes.Replace(frontend.PageScript, []byte(frontend.Token), config, 1), frontend.SessionScript...)
	text := func(path, contentType string, body []byte) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.Write(body)
		})
	}
	text("/hosting.html", "text/html", read(t, "hosting.html"))
	text("/hosting.js", "text/javascript", read(t, "hosting.js"))
	text("/__conch/page.js", "text/javascript", script)
	mux.HandleFunc("/done", reported(done))
	links := &pagelink.Server{NewHost: func(_ context.Context, s pagelink.Start) (*sessions.Host, error) {
		if s.Password != "" {
			return nil, errors.New("no passwords here")
		}
		return &sessions.Host{MaxPerAddress: 64}, nil
	}}
	t.Cleanup(links.Close)
	mux.HandleFunc("/__conch/session/host", links.ServeHost)
	mux.HandleFunc("/__conch/session/link", links.ServeLink)
	mux.HandleFunc("/__conch/session/join", func(w http.ResponseWriter, r *http.Request) {
		to, err := url.Parse(r.URL.Query().Get("u"))
		if err != nil || to.Hostname() != "127.0.0.1" {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		port, _ := strconv.ParseUint(to.Port(), 10, 16)
		far, err := pagerelay.Dial(r.Context(), pagerelay.Destination{Host: to.Hostname(), Port: uint16(port),
			Control: func(netip.Addr) error { return nil }})
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		relay := pagerelay.Relay{Project: r.URL.Query().Get("project")}
		relay.Serve(context.Background(), w, r, far)
	})
	return fmt.Sprint(site.URL, "/hosting.html")
}
