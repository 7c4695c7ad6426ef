package app

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"conch/internal/update"
	"conch/internal/wstest"
	"conch/runtime/bundle"
)

// fakeBox is the player: it answers as it is told and keeps what it was shown.
type fakeBox struct {
	answer UpdateAnswer
	asked  chan UpdateOffer
	told   chan string
	pages  chan string
	wait   bool // until the game is closed
}

func (b *fakeBox) Ask(ctx context.Context, o UpdateOffer) (UpdateAnswer, error) {
	b.asked <- o
	if b.wait {
		<-ctx.Done()
		return UpdateLater, ctx.Err()
	}
	return b.answer, nil
}
func (b *fakeBox) Tell(text string)           { b.told <- text }
func (b *fakeBox) OpenPage(link string) error { b.pages <- link; return nil }

func newBox(answer UpdateAnswer) *fakeBox {
	return &fakeBox{answer: answer, asked: make(chan UpdateOffer, 9), told: make(chan string, 9), pages: make(chan string, 9)}
}

// market is a player's computer with version 1.1.0 of a signed game, and its author's server with version 1.2.0.
type market struct {
	dir, game string
	program   []byte // version 1.2.0
	roots     *x509.CertPool
	feeds     atomic.Int32 // how often the feed was asked for
}

func newMarket(t *testing.T) *market {
	t.Helper()
	m := &market{dir: t.TempDir()}
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	ca := wstest.NewCA(t)
	m.roots = ca.Pool()
	var feed []byte
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/feed.json" {
			m.feeds.Add(1)
			w.Write(feed)
			return
		}
		w.Write(m.program)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{ca.Cert("localhost")}}
	s.StartTLS()
	t.Cleanup(s.Close)
	feedAt := fmt.Sprintf("https://localhost:%d/feed.json", s.Listener.Addr().(*net.TCPAddr).Port)
	build := func(name, version string) string {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for file, text := range map[string]string{
			"index.html": "<!doctype html><title>My Game</title>",
			"conch.json": fmt.Sprintf(`{"format":1,"id":"com.example.%x","name":"My Game","version":%q,"update":{"feed":%q}}`, sha256.Sum256([]byte(t.Name())), version, feedAt),
		} {
			f, err := w.Create(file)
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(f, text)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(m.dir, name)
		put(t, path, b.String())
		if _, err := bundle.Sign(t.Context(), path, key, bundle.SignOptions{}); err != nil {
			t.Fatal(err)
		}
		return path
	}
	m.game = build("game.zip", "1.1.0")
	fresh := build("new.zip", "1.2.0")
	var err error
	if _, feed, err = update.Announce(t.Context(), []string{fresh}, key, update.Announcement{Page: "https://games.example.net/", Date: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if m.program, err = os.ReadFile(fresh); err != nil {
		t.Fatal(err)
	}
	return m
}

// start opens the game as a window would, waits until it has looked for a version, and answers how to close it.
func (m *market) start(t *testing.T, o Options) *App {
	t.Helper()
	o.DataDir, o.RootCAs = filepath.Join(m.dir, "state"), m.roots
	if o.Path == "" {
		o.Path = m.game
	}
	g, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	g.Shown()
	g.Shown() // a window that comes up again looks no second time
	return g
}

func (m *market) version(t *testing.T) string {
	t.Helper()
	b, err := bundle.Open(m.game, bundle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	return b.Manifest.Version
}

func TestNewVersionAnswers(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answer  UpdateAnswer
		version string
		page    string
	}{
		{"later", UpdateLater, "1.1.0", ""},
		{"page", UpdatePage, "1.1.0", "https://games.example.net/"},
		{"skip", UpdateSkip, "1.1.0", ""},
		{"now", UpdateNow, "1.2.0", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, box := newMarket(t), newBox(tt.answer)
			g := m.start(t, Options{Updates: box})
			g.updates.running.Wait()
			if o := <-box.asked; o.Version != "1.2.0" || o.Have != "1.1.0" || o.Name != "My Game" || !o.CanReplace {
				t.Errorf("offer %+v", o)
			}
			if got := m.version(t); got != "1.1.0" {
				t.Errorf("version %s while the game runs", got)
			}
			if tt.answer == UpdateNow && !strings.HasPrefix(<-box.told, "Version 1.2.0 is ready.") {
				t.Error("the player was not told")
			}
			if err := g.Close(); err != nil {
				t.Error(err)
			}
			if got := m.version(t); got != tt.version {
				t.Errorf("version %s after the game", got)
			}
			if tt.page != "" && <-box.pages != tt.page {
				t.Error("another page")
			}
			// Within a day nobody is asked again, and a version in place settles at its first start.
			g = m.start(t, Options{Updates: box})
			g.updates.running.Wait()
			if err := g.Close(); err != nil {
				t.Error(err)
			}
			if n := m.feeds.Load(); n != 1 || len(box.asked) != 0 {
				t.Errorf("the feed was asked for %d times, the player %d times more", n, len(box.asked))
			}
			if _, err := os.Stat(m.game + ".old"); !os.IsNotExist(err) {
				t.Errorf("old program: %v", err)
			}
		})
	}
}

// TestNobodyAsksForNewVersions: the ways to play without a word to the author's server.
func TestNobodyAsksForNewVersions(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, m *market, o *Options)
	}{
		{"flag", func(_ *testing.T, _ *market, o *Options) { o.NoUpdateCheck = true }},
		{"setting", func(t *testing.T, m *market, _ *Options) {
			if err := update.SetAutomatic(filepath.Join(m.dir, "state"), false); err != nil {
				t.Fatal(err)
			}
		}},
		{"setting of the game", func(t *testing.T, m *market, _ *Options) {
			g, err := New(Options{Path: m.game, DataDir: filepath.Join(m.dir, "state")})
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			u, err := g.Updater()
			if err == nil {
				err = u.SetOff(t.Context(), true)
			}
			if err != nil {
				t.Fatal(err)
			}
		}},
		{"play-test", func(_ *testing.T, _ *market, o *Options) { o.Dev = true }},
		{"folder", func(t *testing.T, m *market, o *Options) {
			o.Path = filepath.Join(m.dir, "folder")
			r, err := zip.OpenReader(m.game)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if err := os.CopyFS(o.Path, r); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, box := newMarket(t), newBox(UpdateNow)
			o := Options{Updates: box}
			tt.do(t, m, &o)
			g := m.start(t, o)
			g.updates.running.Wait()
			if err := g.Close(); err != nil {
				t.Error(err)
			}
			if n := m.feeds.Load(); n != 0 || len(box.asked) != 0 {
				t.Errorf("the feed was asked for %d times, the player %d times", n, len(box.asked))
			}
		})
	}
}

// TestClosingEndsTheQuestion: a game that is closed while the box is up does not wait for it.
func TestClosingEndsTheQuestion(t *testing.T) {
	m, box := newMarket(t), newBox(UpdateNow)
	box.wait = true
	g := m.start(t, Options{Updates: box})
	<-box.asked
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	g.Shown() // after the end nothing starts
	if got := m.version(t); got != "1.1.0" {
		t.Errorf("version %s", got)
	}
}

// TestNewVersionWithoutABox: systems without a box log it, and a game with nobody to tell goes on.
func TestNewVersionWithoutABox(t *testing.T) {
	m := newMarket(t)
	var text bytes.Buffer
	g := m.start(t, Options{Logger: slog.New(slog.NewTextHandler(&text, nil))})
	g.updates.running.Wait()
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(text.String(), "a new version is out; `conch update GAME`") || !strings.Contains(text.String(), "version=1.2.0") {
		t.Errorf("log: %s", text.String())
	}
}

// TestPageCannotReachUpdates: nothing about versions is served to the page.
func TestPageCannotReachUpdates(t *testing.T) {
	m := newMarket(t)
	g := m.start(t, Options{NoUpdateCheck: true})
	defer g.Close()
	if err := g.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprint(g.pageConfig())
	for _, word := range []string{"feed", "1.1.0", "update"} {
		if strings.Contains(config, word) {
			t.Errorf("the page is told %q: %s", word, config)
		}
	}
}
