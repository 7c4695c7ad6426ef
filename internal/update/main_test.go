package update

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/internal/leak"
	"conch/internal/wstest"
	"conch/runtime/bundle"
)

// TestMain fails the package when a goroutine survives its tests.
func TestMain(m *testing.M) {
	if os.Getenv("CONCH_TEST_SWAP") != "" { // TestSwapOfTheRunningProgram
		self, err := os.Executable()
		if err == nil {
			err = swap(self, stagedName(self), oldName(self))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(leak.Run(m))
}

// keyOf makes the same author key for the same name each time.
func keyOf(author string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte(author))
	return ed25519.NewKeyFromSeed(seed[:])
}

// gameSpec says what goes into a game.
type gameSpec struct{ author, id, version, feed string }

// writeGame makes a signed game as a zip; an empty author leaves it unsigned.
func writeGame(t testing.TB, path string, g gameSpec) {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range map[string]string{
		"index.html": "<!doctype html><title>My Game</title>" + g.version,
		"conch.json": fmt.Sprintf(`{"format":1,"id":%q,"name":"My Game","version":%q,"update":{"feed":%q}}`, g.id, g.version, g.feed),
		"music.bin":  strings.Repeat(g.version+" la la la ", 50_000),
	} {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(text))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o755); err != nil {
		t.Fatal(err)
	}
	if g.author == "" {
		return
	}
	if _, err := bundle.Sign(t.Context(), path, keyOf(g.author), bundle.SignOptions{}); err != nil {
		t.Fatal(err)
	}
}

// site is the author's server: https on this computer with a certificate of the test's own authority.
type site struct {
	*httptest.Server
	ca   *wstest.CA
	mu   sync.Mutex // guards what follows
	page map[string]http.HandlerFunc
	hits map[string]int
	head []http.Header
}

func newSite(t testing.TB) *site {
	t.Helper()
	s := &site{ca: wstest.NewCA(t), page: map[string]http.HandlerFunc{}, hits: map[string]int{}}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.hits[r.URL.Path]++
		s.head = append(s.head, r.Header.Clone())
		serve := s.page[r.URL.Path]
		s.mu.Unlock()
		if serve == nil {
			http.NotFound(w, r)
			return
		}
		serve(w, r)
	}))
	s.Server.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = tlsConfig(s.ca)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func (s *site) serve(path string, f http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.page[path] = f
}

func (s *site) serveBytes(path string, text []byte) {
	s.serve(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		w.Write(text)
	})
}

func (s *site) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hits[path]
}

// url is the address of a path, by the name localhost.
func (s *site) url(path string) string {
	return fmt.Sprintf("https://localhost:%d%s", s.Listener.Addr().(*net.TCPAddr).Port, path)
}

// shop is a player's computer with version 1.1.0 of a game, and the author's server.
type shop struct {
	t       *testing.T
	site    *site
	program string // the player's file
	u       *Updater
	now     time.Time
}

const gameID = "com.example.game"

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{t: t, site: newSite(t), program: filepath.Join(t.TempDir(), "My Game.conch"), now: time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)}
	writeGame(t, s.program, gameSpec{"author", gameID, "1.1.0", s.site.url("/feed.json")})
	s.u = s.updater()
	return s
}

// updater is what the game, as it lies there now, looks for updates with.
func (s *shop) updater() *Updater {
	s.t.Helper()
	b, err := bundle.Open(s.program, bundle.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	defer b.Close()
	g, err := GameOf(b)
	if err != nil {
		s.t.Fatal(err)
	}
	dir := filepath.Join(filepath.Dir(s.program), "state")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		s.t.Fatal(err)
	}
	return &Updater{
		Game: g, Dir: dir, RootCAs: s.site.ca.Pool(), Now: func() time.Time { return s.now },
		limits: limits{connect: 10 * time.Second, answer: 10 * time.Second, stall: 10 * time.Second},
	}
}

// feedFor describes a program that lies at path.
func (s *shop) feedFor(version string, program []byte) *Feed {
	sum := sha256.Sum256(program)
	return &Feed{
		ID: gameID, Version: version, Date: s.now.Add(-time.Hour), Page: "https://games.example.net/mygame",
		Notes:   "New levels.\n\nMended the door.",
		Targets: map[string]Target{"bundle": {URL: s.site.url("/" + version + ".conch"), Size: int64(len(program)), SHA256: hex.EncodeToString(sum[:])}},
	}
}

// publish signs and serves a feed.
func (s *shop) publish(f *Feed, author string) []byte {
	s.t.Helper()
	text, err := f.Sign(keyOf(author))
	if err != nil {
		s.t.Fatal(err)
	}
	s.site.serveBytes("/feed.json", text)
	return text
}

// release makes a version, serves it and publishes its feed. It answers the program.
func (s *shop) release(version string) []byte {
	s.t.Helper()
	program := s.build(gameSpec{"author", gameID, version, s.site.url("/feed.json")})
	s.site.serveBytes("/"+version+".conch", program)
	s.publish(s.feedFor(version, program), "author")
	return program
}

// build is the file of a game.
func (s *shop) build(g gameSpec) []byte {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), "new.zip")
	writeGame(s.t, path, g)
	text, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	return text
}

// check wants a release without error.
func (s *shop) check() *Release {
	s.t.Helper()
	r, err := s.u.Check(context.Background())
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// beside lists what lies in the program's folder.
func (s *shop) beside() []string {
	s.t.Helper()
	entries, err := os.ReadDir(filepath.Dir(s.program))
	if err != nil {
		s.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.Name() != "state" {
			names = append(names, e.Name())
		}
	}
	return names
}
