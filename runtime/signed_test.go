package runtime

import (
	"bytes"
	"crypto/ed25519"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/runtime/bundle"
)

// signedFolder is a game with a signature, and a way to change it afterwards.
func signedFolder(t *testing.T) (b *bundle.Bundle, dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range (files{"conch.json": `{"format":1,"id":"com.example.game"}`, "a.js": "one", "b.js": "two", "big.mp4": strings.Repeat("m", 10<<20)}).withIndex() {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))
	if _, err := bundle.Sign(t.Context(), dir, key, bundle.SignOptions{}); err != nil {
		t.Fatal(err)
	}
	return open(t, dir), dir
}

// The page gets a signed game's files and neither signature nor manifest; a changed file is not served, and the log
// names it.
func TestServeSignedGame(t *testing.T) {
	b, dir := signedFolder(t)
	if id := IdentityOf(b); id.Signer != b.Signer() || id.Signer == "" || id.ID != "com.example.game" || id.EntryDigest == "" {
		t.Errorf("identity %+v", id)
	}
	g := play(t, &Server{Bundle: b})
	for _, name := range []string{"/conch.sig", "/CONCH.SIG", "/conch.json", "/conch.sig%20"} {
		if res := g.get(name); res.status != http.StatusNotFound {
			t.Errorf("%s: status %d", name, res.status)
		}
	}
	res := g.get("/a.js")
	res.want(t, http.StatusOK, "one")
	if tag := res.header.Get("Etag"); !strings.Contains(tag, "s7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed") {
		t.Errorf("tag %s is not the digest", tag)
	}
	g.get("/big.mp4", "Range: bytes=5000000-5000009").want(t, http.StatusPartialContent, "mmmmmmmmmm")
	if err := os.WriteFile(filepath.Join(dir, "b.js"), []byte("2wo"), 0o644); err != nil {
		t.Fatal(err)
	}
	if res := g.get("/b.js"); res.status != http.StatusNotFound || strings.Contains(res.body, "2wo") {
		t.Errorf("changed file: %d %q", res.status, res.body)
	}
	if log := g.log.String(); !strings.Contains(log, "b.js was changed") {
		t.Errorf("log: %s", log)
	}
}

// Deeper in a game a file of that name is one of its own.
func TestSignatureElsewhereIsAFile(t *testing.T) {
	kinds(t, files{"sub/conch.sig": "data"}, func(t *testing.T, g *player) {
		g.get("/sub/conch.sig").want(t, http.StatusOK, "data")
	})
}
