package app

import (
	"crypto/ed25519"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/internal/wstest"
	"conch/runtime/bundle"
)

// signedFolder is a signed game with a small and a large file; network as in gameFolder.
func signedFolder(t *testing.T, network string) string {
	t.Helper()
	dir := gameFolder(t, network)
	put(t, filepath.Join(dir, "conch.json"), `{"format":1,"id":"net.example.signed","name":"My Game","network":`+network+`}`)
	put(t, filepath.Join(dir, "data.bin"), strings.Repeat("data", 1000))
	if err := os.WriteFile(filepath.Join(dir, "large.bin"), make([]byte, checkedAtStart), 0o600); err != nil {
		t.Fatal(err)
	}
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bundle.Sign(t.Context(), dir, key, bundle.SignOptions{}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// alter changes one byte and neither size nor anything else.
func alter(t *testing.T, file string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteAt([]byte("!"), 10)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A signed game with one altered file does not start, also when nobody has read the file yet.
func TestTamperedGameDoesNotStart(t *testing.T) {
	for _, name := range []string{"index.html", "game.js", "conch.json", "data.bin", "conch.sig"} {
		dir := signedFolder(t, `{}`)
		alter(t, filepath.Join(dir, name))
		g, err := New(Options{Path: dir, DataDir: t.TempDir()})
		if err == nil {
			err = errors.Join(g.Listen(t.Context()), g.Close())
		}
		var tampered *bundle.TamperError
		if !errors.As(err, &tampered) || tampered.File != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A change that is noticed while the game runs ends it: the page is told to go, its sockets close, and every document is
// a screen that names the file.
func TestTamperedGameStops(t *testing.T) {
	far := wstest.Serve(t, wstest.Options{})
	dir := signedFolder(t, `{"allowedHosts":["`+far.Addr+`"]}`)
	g := start(t, Options{Path: dir})
	stopped := make(chan struct{}, 2)
	g.OnStop(func() { stopped <- struct{}{} })
	b := enter(t, g)
	c, _, _, err := b.page(g).Dial(far.URL("/echo"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()

	alter(t, filepath.Join(dir, "large.bin"))
	if res, text := b.do(http.MethodGet, "/large.bin", ""); res.StatusCode == http.StatusOK || strings.Contains(text, "!") {
		t.Errorf("the changed file: status %d", res.StatusCode)
	}
	<-stopped
	if _, _, err := c.ReadMessage(); err == nil {
		t.Error("the socket is open")
	}
	if _, res, _, err := b.page(g).Dial(far.URL("/echo"), nil); err == nil || res == nil || res.StatusCode != http.StatusForbidden {
		t.Errorf("a new socket: %v", err)
	}
	if screen := b.get("/__conch/crashed"); !strings.Contains(screen, "large.bin") || !strings.Contains(screen, "changed") || strings.Contains(screen, "Restart") {
		t.Errorf("screen: %s", screen)
	}
	for _, path := range []string{"/", "/game.js", "/__conch/page.js", "/large.bin"} {
		if res, _ := b.do(http.MethodGet, path, ""); res.StatusCode != http.StatusGone {
			t.Errorf("%s: status %d", path, res.StatusCode)
		}
	}
	late := 0
	g.OnStop(func() { late++ }) // a window that comes up only now
	if late != 1 {
		t.Errorf("told %d times", late)
	}
}
