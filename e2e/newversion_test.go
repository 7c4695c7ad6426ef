//go:build e2e

package e2e

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"conch/internal/wstest"
)

// author makes, signs and publishes versions of one game, with the programs that authors use.
type author struct {
	t    *testing.T
	r    *reporter
	h    home
	dir  string // the author's folder: key, programs, feed
	site *httptest.Server
	ca   string // the file for --ca
	full bool   // the game starts in full screen

	mu    sync.Mutex // guards the rest
	serve map[string]http.HandlerFunc
	hits  map[string]int
}

func newAuthor(t *testing.T) *author {
	t.Helper()
	a := &author{t: t, r: newReporter(t), h: newHome(t), dir: t.TempDir(), serve: map[string]http.HandlerFunc{}, hits: map[string]int{}}
	ca := wstest.NewCA(t)
	a.ca = filepath.Join(a.dir, "ca.pem")
	if err := os.WriteFile(a.ca, ca.PEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	files := http.FileServer(http.Dir(filepath.Join(a.dir, "web")))
	a.site = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		a.mu.Lock()
		a.hits[q.URL.Path]++
		f := a.serve[q.URL.Path]
		a.mu.Unlock()
		if f != nil {
			f(w, q)
			return
		}
		files.ServeHTTP(w, q)
	}))
	a.site.Config.ErrorLog = log.New(a.h, "", 0)
	a.site.TLS = &tls.Config{Certificates: []tls.Certificate{ca.Cert("localhost")}}
	a.site.StartTLS()
	t.Cleanup(a.site.Close)
	a.conch("keygen", "--out", "author.key")
	if err := os.Mkdir(filepath.Join(a.dir, "web"), 0o755); err != nil {
		t.Fatal(err)
	}
	return a
}

// Write drops what a server of the test has to say.
func (home) Write(b []byte) (int, error) { return len(b), nil }

func (a *author) on(path string, f http.HandlerFunc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.serve[path] = f
}

func (a *author) asked(path string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.hits[path]
}

// conch runs a command in the author's folder and answers what it printed.
func (a *author) conch(args ...string) string {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, conchBin, args...)
	cmd.Dir = a.dir
	cmd.Env = append(a.h.env(), "CONCH_PASSPHRASE=correct horse battery")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		a.t.Fatalf("conch %s: %v\n%s%s", strings.Join(args, " "), err, &out, &errs)
	}
	return out.String()
}

func (a *author) address(path string) string {
	return fmt.Sprintf("https://localhost:%d%s", a.site.Listener.Addr().(*net.TCPAddr).Port, path)
}

// build makes and signs a version of the game as a zip and answers its path.
func (a *author) build(version, name string) string {
	a.t.Helper()
	dir := a.r.game(a.t, `"id": "org.example.newver", "version": "`+version+`", "update": {"feed": "`+a.address("/feed.json")+`"},
		"window": {"title": "game of versions", "width": 900, "height": 600, "background": "#205080", "fullscreen": `+fmt.Sprint(a.full)+`}`, nil, map[string]string{
		"index.html": page(`
document.body.style.cssText = 'background:#205080;color:#fff;font:40px sans-serif'
document.body.append('version ` + version + `')
addEventListener('keydown', e => report('key', e.key))
const first = localStorage.getItem('first')
if (!first) localStorage.setItem('first', '` + version + `')
report('version', '` + version + `')
report('saved', first)
requestAnimationFrame(() => requestAnimationFrame(() => report('painted')))
let n = 0
setInterval(() => report('tick', ++n), 200)`)})
	path := filepath.Join(a.dir, name)
	f, err := os.Create(path)
	if err != nil {
		a.t.Fatal(err)
	}
	defer f.Close()
	w := zip.NewWriter(f)
	if err := w.AddFS(os.DirFS(dir)); err != nil {
		a.t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		a.t.Fatal(err)
	}
	a.conch("sign", path, "--key", "author.key")
	return path
}

// release publishes a version.
func (a *author) release(version string) []byte {
	a.t.Helper()
	path := a.build(version, "web/game.zip")
	if err := os.WriteFile(filepath.Join(a.dir, "notes.txt"), []byte("Two new levels.\nThe door opens again."), 0o600); err != nil {
		a.t.Fatal(err)
	}
	a.conch("release", path, "--key", "author.key", "--page", "https://games.example.org/newver?from=game", "--notes-file", "notes.txt", "-o", "web/feed.json")
	return read(a.t, path)
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// installed puts version 1.1.0 where a player has games.
func (a *author) installed() string {
	a.t.Helper()
	dir := filepath.Join(a.h.dir, "games 김종환 🎮")
	if err := os.Mkdir(dir, 0o755); err != nil {
		a.t.Fatal(err)
	}
	path := filepath.Join(dir, "My Game.zip")
	if err := os.Rename(a.build("1.1.0", "old.zip"), path); err != nil {
		a.t.Fatal(err)
	}
	return path
}

// choose waits for the box and presses the button that is left steps to the left of Later, as a player would: after
// the moment in which nothing can be pressed.
func (a *author) choose(left int) {
	a.t.Helper()
	id := windowID(a.t, "^New version$")
	x(a.t, "xdotool", "windowactivate", "--sync", id)
	keys := []string{"sleep", "2"}
	for range left {
		keys = append(keys, "key", "Left", "sleep", "0.3")
	}
	x(a.t, "xdotool", append(keys, "key", "space")...)
}

// pack makes a Linux program of a version and answers its path, in the folder that an archiver would make.
func (a *author) pack(version, folder string) string {
	a.t.Helper()
	game := a.build(version, version+".zip")
	a.conch("pack", game, "--target", "linux-amd64", "--name", "My Game", "-o", "dist", "--force")
	archives, err := filepath.Glob(filepath.Join(a.dir, "dist", "*.tar.gz"))
	if err != nil || len(archives) != 1 {
		a.t.Fatalf("archives: %v %v", archives, err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		a.t.Fatal(err)
	}
	x(a.t, "tar", "-xzf", archives[0], "-C", folder)
	return filepath.Join(folder, "My Game", "My Game")
}

const later, now, thePage, skip = 0, 1, 2, 3 // buttons from the right

// state is what Conch remembers about the game's updates.
func (a *author) state(change func(map[string]any)) map[string]any {
	a.t.Helper()
	found := ""
	filepath.WalkDir(a.h.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "update.json" {
			found = path
		}
		return nil
	})
	var s map[string]any
	if err := json.Unmarshal(read(a.t, found), &s); err != nil {
		a.t.Fatal(err)
	}
	if change != nil {
		change(s)
		text, err := json.Marshal(s)
		if err == nil {
			err = os.WriteFile(found, text, 0o600)
		}
		if err != nil {
			a.t.Fatal(err)
		}
	}
	return s
}

// dayLater lets the next start look for a version again.
func (a *author) dayLater() {
	a.state(func(s map[string]any) { s["checked"] = "2020-01-01T00:00:00Z" })
}

// TestNewVersionIsPutInPlace: the box comes over the running game and does not take its keys; the game goes on while
// the new version is fetched; the next start is the new version, with the old one's saves and without the old file.
func TestNewVersionIsPutInPlace(t *testing.T) {
	a := newAuthor(t)
	game := a.installed()
	before, program := read(t, game), a.release("1.2.0")
	fetching, ticked := make(chan bool), make(chan bool)
	a.on("/game.zip", func(w http.ResponseWriter, q *http.Request) {
		fetching <- true
		<-ticked
		w.Write(program)
	})
	p := play(t, a.h, game, "--ca", a.ca)
	if got := a.r.waitString("version"); got != "1.1.0" {
		t.Fatalf("version %s", got)
	}
	x(t, "xdotool", "windowactivate", "--sync", windowID(t, "^game of versions$"))
	windowID(t, "^New version$")
	x(t, "xdotool", "key", "q")
	if got := a.r.waitString("key"); got != "q" {
		t.Errorf("the game got key %q", got)
	}
	screenshot(t, "newversion-box")
	a.choose(now)
	<-fetching
	a.r.seen = nil
	a.r.wait("tick") // the game goes on
	close(ticked)
	p.waitOutput("update fetched")
	windowID(t, "^New version$")
	screenshot(t, "newversion-ready")
	if !bytes.Equal(read(t, game), before) {
		t.Error("the program was replaced while it runs")
	}
	p.stop()
	if !bytes.Equal(read(t, game), program) || !bytes.Equal(read(t, game+".old"), before) {
		t.Error("the new program is not in place, or the old one was not kept")
	}

	p = play(t, a.h, game, "--ca", a.ca)
	for a.r.waitString("version") != "1.2.0" { // reports of the first window may still come
	}
	for a.r.waitString("saved") != "1.1.0" { // the first window had nothing yet
	}
	a.r.seen = nil
	a.r.wait("painted")
	eventually(t, "the old program is gone", func() bool {
		_, err := os.Stat(game + ".old")
		return os.IsNotExist(err)
	})
	screenshot(t, "newversion-started")
	p.stop()
	if n := a.asked("/feed.json"); n != 1 {
		t.Errorf("the feed was asked for %d times within a day", n)
	}
	entries, err := os.ReadDir(filepath.Dir(game))
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the game: %v %v", entries, err)
	}
}

// TestNewVersionOfAPackedGame: the program that players start is replaced, launcher and all, and the new one starts by
// itself. The old one is started through `conch play`, for a packed program trusts the system's certificates alone.
func TestNewVersionOfAPackedGame(t *testing.T) {
	a := newAuthor(t)
	program := a.pack("1.1.0", filepath.Join(a.h.dir, "games 김종환 🎮"))
	before := read(t, program)
	fresh := a.pack("1.2.0", filepath.Join(a.dir, "web"))
	a.conch("release", fresh, "--key", "author.key", "--page", "https://games.example.org/newver", "--download", a.address("/My%20Game"), "-o", "web/feed.json")
	p := play(t, a.h, program, "--ca", a.ca)
	if got := a.r.waitString("version"); got != "1.1.0" {
		t.Fatalf("version %s", got)
	}
	a.choose(now)
	p.waitOutput("update fetched")
	p.stop()
	if !bytes.Equal(read(t, program), read(t, fresh)) || !bytes.Equal(read(t, program+".old"), before) {
		t.Error("the new program is not in place, or the old one was not kept")
	}
	p = start(t, a.h.env(), nil, program, "-v")
	for a.r.waitString("version") != "1.2.0" { // reports of the first window may still come
	}
	for a.r.waitString("saved") != "1.1.0" {
	}
	a.r.seen = nil
	a.r.wait("painted")
	eventually(t, "the old program is gone", func() bool {
		_, err := os.Stat(program + ".old")
		return os.IsNotExist(err)
	})
	screenshot(t, "newversion-packed")
	p.stop()
	check := exec.Command(program, "--self-check")
	check.Env = a.h.env()
	if out, err := check.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("1.2.0")) {
		t.Errorf("self-check: %v\n%s", err, out)
	}
	look := exec.Command(program, "--update")
	look.Env = a.h.env()
	if out, err := look.CombinedOutput(); err == nil || !bytes.Contains(out, []byte("updates do not come from this computer")) {
		t.Errorf("--update: %v\n%s", err, out)
	}
}

// TestNewVersionPageOpensInTheBrowser: only the button does that, and a key held or mashed as the box comes up opens
// and changes nothing.
func TestNewVersionPageOpensInTheBrowser(t *testing.T) {
	opened := fakeOpeners(t)
	a := newAuthor(t)
	game := a.installed()
	before := read(t, game)
	a.release("1.2.0")

	p := play(t, a.h, game, "--ca", a.ca)
	x(t, "xdotool", "windowactivate", "--sync", windowID(t, "^New version$"))
	x(t, "xdotool", "key", "Left", "key", "space", "key", "Left", "key", "Return", "key", "space")
	p.stop()
	if text, err := os.ReadFile(opened); err == nil || !bytes.Equal(read(t, game), before) {
		t.Errorf("mashed keys opened %q or changed the game", text)
	}

	a.dayLater()
	p = play(t, a.h, game, "--ca", a.ca)
	a.choose(thePage)
	eventually(t, "the page is opened", func() bool {
		text, _ := os.ReadFile(opened)
		return strings.HasSuffix(strings.TrimSpace(string(text)), "xdg-open https://games.example.org/newver?from=game")
	})
	p.stop()
	if !bytes.Equal(read(t, game), before) {
		t.Error("the game was changed")
	}
}

// TestNewVersionIsSkipped: over a game in full screen; the player hears of it no more, and of the one after it again.
func TestNewVersionIsSkipped(t *testing.T) {
	a := newAuthor(t)
	a.full = true
	game := a.installed()
	a.release("1.2.0")
	p := play(t, a.h, game, "--ca", a.ca)
	windowID(t, "^New version$")
	screenshot(t, "newversion-fullscreen")
	a.choose(skip)
	eventually(t, "it is remembered", func() bool { return a.state(nil)["skipped"] == "1.2.0" })
	p.stop()
	a.dayLater()
	p = play(t, a.h, game, "--ca", a.ca)
	p.waitOutput("skipped=true")
	p.stop()
	a.dayLater()
	a.conch("release", a.build("1.3.0", "web/game.zip"), "--key", "author.key", "--feed", "web/feed.json", "-o", "web/feed.json")
	p = play(t, a.h, game, "--ca", a.ca)
	a.choose(later)
	p.stop()
}

// TestForgedNewVersionChangesNothing: a program that is not the one of the feed is said not to work, and a feed of
// another key is not even shown.
func TestForgedNewVersionChangesNothing(t *testing.T) {
	a := newAuthor(t)
	game := a.installed()
	before := read(t, game)
	forged := a.release("1.2.0")
	forged[len(forged)/2] ^= 1
	a.on("/game.zip", func(w http.ResponseWriter, q *http.Request) { w.Write(forged) })
	p := play(t, a.h, game, "--ca", a.ca)
	a.choose(now)
	p.waitOutput("sha256")
	eventually(t, "the player is told", func() bool {
		cmd := exec.Command("xdotool", "search", "--onlyvisible", "--name", "^New version$")
		cmd.Env = append(os.Environ(), "DISPLAY="+display)
		out, _ := cmd.Output()
		return len(bytes.Fields(out)) == 1
	})
	screenshot(t, "newversion-failed")
	a.r.seen = nil
	a.r.wait("tick") // the game goes on
	running := exec.Command(conchBin, "update", game, "--ca", a.ca, "--yes")
	running.Env = a.h.env()
	if out, err := running.CombinedOutput(); err == nil || !strings.Contains(string(out), "is running; close it first") {
		t.Errorf("update while it runs: %v %s", err, out)
	}
	p.stop()

	if err := os.Rename(filepath.Join(a.dir, "author.key"), filepath.Join(a.dir, "kept.key")); err != nil {
		t.Fatal(err)
	}
	a.conch("keygen", "--out", "author.key") // somebody else holds the web server
	a.release("9.0.0")
	a.dayLater()
	p = play(t, a.h, game, "--ca", a.ca)
	p.waitOutput("signed by another key")
	p.stop()
	if entries, err := os.ReadDir(filepath.Dir(game)); err != nil || len(entries) != 1 || !bytes.Equal(read(t, game), before) {
		t.Errorf("beside the game: %v %v", entries, err)
	}
}
