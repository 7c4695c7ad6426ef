package cli

import (
	"archive/zip"
	"bytes"
	"crypto/ed25519"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/app"
	"conch/internal/update"
	"conch/internal/wstest"
)

// releaseDesk is an author with a key in the key store and a web server, and a player with version 1.1.0.
type releaseDesk struct {
	t             *testing.T
	p             *Program
	web, data, ca string
	feed          string // address
	game          string // the player's
}

func newReleaseDesk(t *testing.T) *releaseDesk {
	t.Helper()
	dir := t.TempDir()
	d := &releaseDesk{t: t, web: filepath.Join(dir, "web"), data: filepath.Join(dir, "data"), ca: filepath.Join(dir, "ca.pem"), game: filepath.Join(dir, "game.zip")}
	if err := os.Mkdir(d.web, 0o755); err != nil {
		t.Fatal(err)
	}
	d.p = &Program{Name: "conch", keys: &memoryKeys{key: ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))}}
	ca := wstest.NewCA(t)
	if err := os.WriteFile(d.ca, ca.PEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.FileServer(http.Dir(d.web)))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{ca.Cert("localhost")}}
	s.StartTLS()
	t.Cleanup(s.Close)
	d.feed = fmt.Sprintf("https://localhost:%d/feed.json", s.Listener.Addr().(*net.TCPAddr).Port)
	d.build(d.game, "1.1.0")
	return d
}

// build makes and signs a version of the game.
func (d *releaseDesk) build(path, version string) string {
	d.t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for file, text := range map[string]string{
		"index.html": "<!doctype html><title>My Game</title>",
		"conch.json": fmt.Sprintf(`{"format":1,"id":"com.example.desk","name":"My Game","version":%q,"update":{"feed":%q}}`, version, d.feed),
	} {
		f, err := w.Create(file)
		if err != nil {
			d.t.Fatal(err)
		}
		io.WriteString(f, text)
	}
	if err := w.Close(); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o755); err != nil {
		d.t.Fatal(err)
	}
	d.run(0, "sign", path)
	return path
}

// run wants an exit code and answers what was printed and said.
func (d *releaseDesk) run(code int, args ...string) (stdout, stderr string) {
	d.t.Helper()
	var out, errs bytes.Buffer
	if got := d.p.Run(d.t.Context(), args, &out, &errs); got != code {
		d.t.Errorf("%q: exit code %d, want %d\n%s%s", args, got, code, &out, &errs)
	}
	return out.String(), errs.String()
}

func (d *releaseDesk) update(code int, args ...string) (stdout, stderr string) {
	d.t.Helper()
	return d.run(code, append([]string{"update", d.game, "--ca", d.ca, "--data", d.data}, args...)...)
}

func contains(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("no %q in:\n%s", w, text)
		}
	}
}

// TestExpiredFeed: a feed that its author did not renew in time is a warning; what it names can still be had.
func TestExpiredFeed(t *testing.T) {
	d := newReleaseDesk(t)
	fresh := d.build(filepath.Join(d.web, "game.zip"), "1.2.0")
	_, text, err := update.Announce(t.Context(), []string{fresh}, ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)), update.Announcement{
		Page: "https://games.example.net/", Date: time.Now().AddDate(0, 0, -9), Lifetime: 24 * time.Hour,
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(d.web, "feed.json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--check"}, {"--json"}, {"--yes"}, {"--check"}} {
		_, errs := d.update(0, args...)
		contains(t, errs, "warning: the feed was to be renewed by ")
	}
}

func TestReleaseAndUpdate(t *testing.T) {
	d := newReleaseDesk(t)
	feed := filepath.Join(d.web, "feed.json")
	notes := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(notes, []byte("\xef\xbb\xbfNew levels.\r\nMore doors.\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	fresh := d.build(filepath.Join(d.web, "My Game.zip"), "1.2.0")

	_, errs := d.run(1, "release", fresh, "-o", feed)
	contains(t, errs, "--page is missing")
	out, _ := d.run(0, "release", fresh, "--page", "https://games.example.net/", "--notes-file", notes, "--expires", "30", "-o", feed)
	contains(t, out, "com.example.desk 1.2.0 announced in "+feed, "bundle", "/My%20Game.zip")

	out, _ = d.update(0, "--check")
	contains(t, out, "A new version of My Game is out (1.2.0 of ", "you have 1.1.0): https://games.example.net/", "\n  New levels.\n  More doors.\n")
	out, _ = d.update(0, "--json")
	var r updateReport
	if err := json.Unmarshal([]byte(out), &r); err != nil || !r.Newer || !r.Replace || r.Updated || r.Version != "1.2.0" || r.Have != "1.1.0" {
		t.Errorf("%v: %s", err, out)
	}
	_, errs = d.update(0) // no terminal: nothing is done without --yes
	contains(t, errs, "--yes answers for you")
	out, _ = d.update(0, "--yes")
	contains(t, out, "is now version 1.2.0; the old one is kept as")
	out, _ = d.run(0, "inspect", d.game, "--verify", "--data", d.data)
	contains(t, out, "every byte was checked", `"version": "1.2.0"`)
	out, _ = d.update(0)
	contains(t, out, "My Game 1.2.0 is the newest version")

	// The version after it takes page and place of the programs from the feed so far.
	d.build(fresh, "1.3.0")
	d.run(0, "release", fresh, "--feed", feed, "-o", feed)
	out, _ = d.update(0, "--yes", "--json")
	if err := json.Unmarshal([]byte(out), &r); err != nil || !r.Updated || r.Page != "https://games.example.net/" {
		t.Errorf("%v: %s", err, out)
	}
	// An author cannot go back by accident.
	d.build(fresh, "1.2.9")
	_, errs = d.run(1, "release", fresh, "--feed", feed, "-o", feed)
	contains(t, errs, "--feed announces 1.3.0 already")
}

func TestUpdateSaysWhatIsWrong(t *testing.T) {
	d := newReleaseDesk(t)
	_, errs := d.update(1, "--check")
	contains(t, errs, "the server answered 404")
	_, errs = d.run(2, "update")
	contains(t, errs, "update takes one game")
	_, errs = d.run(2, "update", d.game, "--automatic", "perhaps", "--data", d.data)
	contains(t, errs, "on or off")
	_, errs = d.run(2, "release")
	contains(t, errs, "the programs of the new version")
	_, errs = d.run(2, "release", d.game, "--expires", "-1")
	contains(t, errs, "a number of days")
	_, errs = d.run(1, "update", d.game, "--data", d.data) // without --ca
	contains(t, errs, "updates do not come from this computer")
	plain := filepath.Join(t.TempDir(), "game")
	if err := os.Mkdir(plain, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(plain, "index.html"), []byte("<title>x</title>"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, errs = d.run(1, "update", plain, "--data", d.data)
	contains(t, errs, "the game's author names no release feed")
	// A game that lies where it cannot be replaced is shown its page.
	fresh := d.build(filepath.Join(d.web, "g.zip"), "1.2.0")
	d.run(0, "release", fresh, "--page", "https://games.example.net/", "-o", filepath.Join(d.web, "feed.json"))
	steam := filepath.Join(t.TempDir(), "steamapps")
	if err := os.Mkdir(steam, 0o700); err != nil {
		t.Fatal(err)
	}
	moved := filepath.Join(steam, "game.zip")
	if err := os.Rename(d.game, moved); err != nil {
		t.Fatal(err)
	}
	d.game = moved
	out, errs := d.update(1, "--yes")
	contains(t, out, "It cannot be put in place from here: it was installed by Steam.")
	contains(t, errs, "get the new version at https://games.example.net/")
}

// TestAutomatic: the setting of one game and that of all.
func TestAutomatic(t *testing.T) {
	d := newReleaseDesk(t)
	off := func() bool {
		g, err := app.New(app.Options{Path: d.game, DataDir: d.data})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		u, err := g.Updater()
		if err != nil {
			t.Fatal(err)
		}
		return u.Off()
	}
	d.update(0, "--automatic", "off")
	if !off() {
		t.Error("not off")
	}
	d.update(0, "--automatic", "on")
	if off() {
		t.Error("not on")
	}
	d.run(0, "update", "--automatic", "off", "--data", d.data)
	if _, err := os.Stat(filepath.Join(d.data, "no-update-checks")); err != nil {
		t.Error(err)
	}
	d.run(0, "update", "--automatic", "on", "--data", d.data)
	if _, err := os.Stat(filepath.Join(d.data, "no-update-checks")); err == nil {
		t.Error("not on for all")
	}
}

// TestInspectSaysThatAFeedNeedsASignature: an author who forgets to sign reads it before the players do not.
func TestInspectSaysThatAFeedNeedsASignature(t *testing.T) {
	d := newReleaseDesk(t)
	out, _ := d.run(0, "inspect", d.game, "--data", d.data)
	if strings.Contains(out, "update.feed is used") {
		t.Errorf("a signed game: %s", out)
	}
	unsigned := filepath.Join(t.TempDir(), "unsigned")
	if err := os.Mkdir(unsigned, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"index.html": "<title>x</title>", "conch.json": `{"format":1,"version":"1.0.0","update":{"feed":"https://a.net/f"}}`} {
		if err := os.WriteFile(filepath.Join(unsigned, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, _ = d.run(0, "inspect", unsigned, "--data", d.data)
	contains(t, out, "update.feed is used by signed games only", "sign the game with conch sign")
}
