//go:build e2e

package e2e

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// savesPage counts its starts in localStorage and in IndexedDB and reports both.
const savesPage = `
const db = await new Promise((ok, no) => {
  const q = indexedDB.open('save', 1)
  q.onupgradeneeded = () => q.result.createObjectStore('s')
  q.onsuccess = () => ok(q.result); q.onerror = () => no(q.error)
})
const get = k => new Promise((ok, no) => { const q = db.transaction('s').objectStore('s').get(k); q.onsuccess = () => ok(q.result); q.onerror = no })
const put = (k, v) => new Promise((ok, no) => { const t = db.transaction('s', 'readwrite'); t.objectStore('s').put(v, k); t.oncomplete = ok; t.onerror = no })
const a = Number(localStorage.getItem('starts') || 0) + 1
localStorage.setItem('starts', String(a))
const b = Number(await get('starts') || 0) + 1
await put('starts', b)
report('starts', a + ',' + b)
report('origin', location.origin)
`

// TestSavesSurviveRestartRenameAndMove plays one game five times: twice as it is, once after a kill, once with the
// program renamed and moved, once with the game folder moved.
func TestSavesSurviveRestartRenameAndMove(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	dir := r.game(t, `"id": "org.example.saves"`, nil, map[string]string{"index.html": page(savesPage)})

	want := 0
	check := func(what string, bin, game string, end func(*process)) string {
		t.Helper()
		want++
		p := start(t, h.env(), nil, bin, "play", "-v", game)
		if got := r.waitString("starts"); got != fmt.Sprintf("%d,%d", want, want) {
			t.Fatalf("%s: starts = %s, want %d,%d", what, got, want, want)
		}
		origin := r.waitString("origin")
		end(p)
		return origin
	}
	first := check("first start", conchBin, dir, (*process).stop)
	if again := check("second start", conchBin, dir, (*process).kill); again != first {
		t.Errorf("origin %s at the second start, want %s", again, first)
	}
	check("after a kill", conchBin, dir, (*process).stop)

	moved := filepath.Join(t.TempDir(), "my games", "Läunch 김종환")
	if err := os.MkdirAll(filepath.Dir(moved), 0o755); err != nil {
		t.Fatal(err)
	}
	copyFile(t, conchBin, moved)
	check("program renamed and moved", moved, dir, (*process).stop)

	game := filepath.Join(t.TempDir(), "moved game")
	if err := os.Rename(dir, game); err != nil {
		t.Fatal(err)
	}
	check("game moved", conchBin, game, (*process).stop)
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestMovedGameWithoutManifestKeepsSaves: without an id the game is found again by its content.
func TestMovedGameWithoutManifestKeepsSaves(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	dir := t.TempDir()
	game := filepath.Join(dir, "one")
	if err := os.Mkdir(game, 0o755); err != nil {
		t.Fatal(err)
	}
	// No manifest means no hosts, so this page reports through its saves only: the title shows the count.
	text := `<!doctype html><script>
const n = Number(localStorage.getItem('n') || 0) + 1
localStorage.setItem('n', String(n))
const img = new Image(); img.src = '/seen-' + n + '.png'
</script>`
	if err := os.WriteFile(filepath.Join(game, "index.html"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	_ = r
	p := play(t, h, game)
	p.waitOutput("seen-1.png")
	p.stop()
	moved := filepath.Join(dir, "two")
	if err := os.Rename(game, moved); err != nil {
		t.Fatal(err)
	}
	p = play(t, h, moved)
	p.waitOutput("seen-2.png")
}

// TestTwoGamesDoNotShareSaves plays two games of the same name and file name at the same time.
func TestTwoGamesDoNotShareSaves(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	files := map[string]string{"index.html": page(savesPage)}
	one := r.game(t, ``, nil, files)
	two := r.game(t, ``, nil, files)
	play(t, h, one)
	if got := r.waitString("starts"); got != "1,1" {
		t.Fatalf("first game: starts = %s", got)
	}
	a := r.waitString("origin")
	play(t, h, two)
	if got := r.waitString("starts"); got != "1,1" {
		t.Errorf("second game sees the first one's saves: %s", got)
	}
	if b := r.waitString("origin"); a == b {
		t.Errorf("both games have the origin %s", a)
	}
}

// TestPortTaken: another program holds the game's port. The message names it, --any-port starts with a copy of
// localStorage, and the next start is at home again.
func TestPortTaken(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	dir := r.game(t, `"id": "org.example.port"`, nil, map[string]string{"index.html": page(savesPage)})
	p := play(t, h, dir)
	if got := r.waitString("starts"); got != "1,1" {
		t.Fatalf("starts = %s", got)
	}
	home := r.waitString("origin")
	p.stop()

	ln, err := net.Listen("tcp", strings.TrimPrefix(home, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: http.NotFoundHandler()}
	go srv.Serve(ln)
	defer srv.Close()
	closeBox := make(chan struct{})
	p = play(t, h, dir)
	go func() {
		defer close(closeBox)
		windowID(t, "^Conch$")
		screenshot(t, "port-taken")
		dismiss(t, "^Conch$")
	}()
	if code := p.waitExit(); code != 1 {
		t.Errorf("exit code %d with the port taken, want 1", code)
	}
	<-closeBox
	if out := p.output(); !strings.Contains(out, "e2e.test") || !strings.Contains(out, "--any-port") {
		t.Errorf("message names neither the holder nor the way out:\n%s", out)
	}

	p = play(t, h, dir, "--any-port")
	if got := r.waitString("starts"); got != "2,1" {
		t.Errorf("on another port: starts = %s, want 2,1 (localStorage carried over, IndexedDB not)", got)
	}
	if other := r.waitString("origin"); other == home {
		t.Errorf("same origin %s although the port was taken", other)
	}
	p.waitOutput("other saves")
	p.stop()
	srv.Close()

	play(t, h, dir)
	if got := r.waitString("starts"); got != "2,2" {
		t.Errorf("back at home: starts = %s, want 2,2", got)
	}
}

// TestSecondStartRaisesTheFirst: players double-click twice. The second process says so and ends with 0.
func TestSecondStartRaisesTheFirst(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	dir := r.game(t, `"id": "org.example.twice"`, nil, map[string]string{"index.html": page(savesPage)})
	play(t, h, dir)
	r.waitString("starts")
	second := play(t, h, dir)
	if code := second.waitExit(); code != 0 {
		t.Errorf("second start: exit code %d, want 0", code)
	}
	if !strings.Contains(second.output(), "already running") {
		t.Errorf("second start said: %s", second.output())
	}
}
