//go:build e2e

package e2e

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// keptPage counts its starts in localStorage, in IndexedDB (as a record and in a Blob, which is a file of its own) and,
// where the engine has it, in a file of the origin.
const keptPage = `
const db = await new Promise((ok, no) => {
  const q = indexedDB.open('save ✓', 1)
  q.onupgradeneeded = () => q.result.createObjectStore('s')
  q.onsuccess = () => ok(q.result); q.onerror = () => no(q.error)
})
const get = k => new Promise((ok, no) => { const q = db.transaction('s').objectStore('s').get(k); q.onsuccess = () => ok(q.result); q.onerror = no })
const put = (k, v) => new Promise((ok, no) => { const t = db.transaction('s', 'readwrite'); t.objectStore('s').put(v, k); t.oncomplete = ok; t.onerror = no })
const next = text => String(Number(text || 0) + 1)
const a = next(localStorage.getItem('starts'))
localStorage.setItem('starts', a)
const b = next(await get('starts'))
await put('starts', b)
const old = await get('blob')
const c = next(old && await old.text())
await put('blob', new Blob([c]))
let d = c
if (navigator.storage && navigator.storage.getDirectory) {
  const file = await (await navigator.storage.getDirectory()).getFileHandle('save 1', { create: true })
  d = next(await (await file.getFile()).text())
  const w = await file.createWritable(); await w.write(d); await w.close()
  report('opfs', true)
}
report('starts', [a, b, c, d].join())
report('origin', location.origin)
`

// must is command that has to succeed.
func must(t *testing.T, h home, args ...string) (out, rest string) {
	t.Helper()
	out, rest, code := command(t, h, conchBin, args...)
	if code != 0 {
		t.Fatalf("conch %s: exit code %d\n%s%s", strings.Join(args, " "), code, out, rest)
	}
	return out, rest
}

// movePort gives the one game known in h another port, as a computer does where another game has it.
func movePort(t *testing.T, h home) {
	t.Helper()
	file := filepath.Join(h.dir, ".local/share/conch/games.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var state struct {
		Format int              `json:"format"`
		Games  []map[string]any `json:"games"`
	}
	if err := json.Unmarshal(text, &state); err != nil || len(state.Games) != 1 {
		t.Fatalf("games.json: %v\n%s", err, text)
	}
	state.Games[0]["port"] = 23456
	if text, err = json.Marshal(state); err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestSavesExportAndImport takes a game's saves to another computer, where the game has another port, and back.
func TestSavesExportAndImport(t *testing.T) {
	for name, extra := range map[string]string{"with an id": `"id": "org.example.kept"`, "without": ``} {
		t.Run(name, func(t *testing.T) {
			r, here, there := newReporter(t), newHome(t), newHome(t)
			dir := r.game(t, extra, nil, map[string]string{"index.html": page(keptPage)})
			starts := func(what string, h home, want string) (origin string) {
				t.Helper()
				p := play(t, h, dir)
				if got := r.waitString("starts"); got != want {
					t.Fatalf("%s: starts = %s, want %s", what, got, want)
				}
				origin = r.waitString("origin")
				p.stop()
				return origin
			}
			home := starts("first start", here, "1,1,1,1")
			starts("second start", here, "2,2,2,2")
			file := filepath.Join(t.TempDir(), "my 김종환 saves.conchsave")
			must(t, here, "saves", "export", dir, "-o", file)

			must(t, there, "saves", "where", dir)
			movePort(t, there)
			if _, rest := must(t, there, "saves", "import", dir, file); strings.Contains(rest, "kept in") {
				t.Errorf("nothing was there to keep: %s", rest)
			}
			if other := starts("on the other computer", there, "3,3,3,3"); other == home {
				t.Fatalf("the same origin %s on both", home)
			}
			starts("once more there", there, "4,4,4,4")

			back := filepath.Join(t.TempDir(), "back.conchsave")
			must(t, there, "saves", "export", dir, "-o", back)
			starts("meanwhile at home", here, "3,3,3,3")
			_, rest := must(t, here, "saves", "import", dir, back)
			_, kept, ok := strings.Cut(strings.TrimSpace(rest), "kept in ")
			if !ok {
				t.Fatalf("import names no kept saves: %s", rest)
			}
			starts("back at home", here, "5,5,5,5")
			must(t, here, "saves", "import", dir, kept)
			starts("the kept ones again", here, "4,4,4,4")
		})
	}
}

// TestSavesOfARunningGameStay: neither export nor import touches the saves of a game that is open, and no cookie, cache
// or approval is in a file of saves.
func TestSavesOfARunningGameStay(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	dir := r.game(t, `"id": "org.example.running"`, nil, map[string]string{"index.html": page(`
document.cookie = 'secret=1; max-age=99999'
const cache = await caches.open('c')
await cache.put('/x', new Response('cached'))
` + keptPage)})
	p := play(t, h, dir)
	r.wait("starts")
	file := filepath.Join(t.TempDir(), "a.conchsave")
	for _, args := range [][]string{{"export", dir, "-o", file}, {"import", dir, file}} {
		_, rest, code := command(t, h, conchBin, append([]string{"saves"}, args...)...)
		if code != 1 || !strings.Contains(rest, "the game is running; close it first") {
			t.Errorf("saves %s: exit code %d, %s", args[0], code, rest)
		}
	}
	p.stop()
	must(t, h, "saves", "export", dir, "-o", file)
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"cookie", "cached", "secret", "approval", "hsts"} {
			if strings.Contains(f.Name, word) || bytes.Contains(text, []byte(word)) {
				t.Errorf("%s of the file says %q", f.Name, word)
			}
		}
	}
}

// TestPortable: with conch.portable beside the program everything is in the program's folder, which can be moved.
func TestPortable(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	stick := filepath.Join(t.TempDir(), "stick ✓ #1")
	if err := os.MkdirAll(stick, 0o755); err != nil {
		t.Fatal(err)
	}
	copyFile(t, conchBin, filepath.Join(stick, "conch"))
	if err := os.WriteFile(filepath.Join(stick, "conch.portable"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	dir := r.game(t, ``, nil, map[string]string{"index.html": page(keptPage)})
	if err := os.CopyFS(filepath.Join(stick, "game"), os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	starts := func(want string) {
		t.Helper()
		p := start(t, h.env(), nil, filepath.Join(stick, "conch"), "play", "-v", filepath.Join(stick, "game"))
		if got := r.waitString("starts"); got != want {
			t.Fatalf("starts = %s, want %s", got, want)
		}
		p.stop()
	}
	starts("1,1,1,1")
	moved := filepath.Join(t.TempDir(), "another disk")
	if err := os.Rename(stick, moved); err != nil {
		t.Fatal(err)
	}
	stick = moved
	starts("2,2,2,2")

	err := filepath.WalkDir(h.dir, func(path string, _ os.DirEntry, err error) error {
		if err == nil && strings.Contains(strings.TrimPrefix(path, h.dir), "conch") {
			t.Errorf("%s is in the player's home", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(stick, "conch-data")
	for _, args := range [][]string{{"doctor"}, {"approvals", "list"}, {"saves", "where", filepath.Join(stick, "game")}} {
		out, rest, code := command(t, h, filepath.Join(stick, "conch"), args...)
		if code != 0 || !strings.Contains(out+rest, "portable") || !strings.Contains(out+rest, data) {
			t.Errorf("conch %s, exit code %d, does not say that it is portable:\n%s%s", args[0], code, out, rest)
		}
	}
}

// TestCrashScreenCopiesSaves: the web process dies, the player presses the copy button, and the file can be imported.
// What the game tries before, and its shared worker after, gets no copy.
func TestCrashScreenCopiesSaves(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	dir := r.game(t, `"id": "org.example.crash", "window": {"title": "crash", "width": 800, "height": 500}`, nil, map[string]string{
		"index.html": page(`
const frame = document.createElement('iframe')
frame.src = '/__conch/crashed'
await new Promise(done => { frame.onload = done; document.body.append(frame) })
const texts = [await (await fetch('/__conch/crashed')).text(), frame.contentDocument.documentElement.outerHTML]
report('token', texts.some(t => t.includes('copy-saves')))
const tries = await Promise.all(['', '0', 'undefined', '0'.repeat(64)].map(body => fetch('/__conch/copy-saves', { method: 'POST', body })))
report('tries', tries.map(t => t.status).join())
if (window.SharedWorker) { globalThis.worker = new SharedWorker('/worker.js'); worker.port.start() }
` + keptPage),
		"worker.js": `
setInterval(async () => {
  const text = await (await fetch('/__conch/crashed')).text()
  const token = /[0-9a-f]{64}/.exec(text)
  const body = token ? token[0] : '0'.repeat(64)
  await fetch('/__conch/copy-saves', { method: 'POST', body })
}, 50)`,
	})
	p := play(t, h, dir)
	if string(r.wait("token")) != "false" {
		t.Error("the game could read the crash screen's token")
	}
	if got := r.waitString("tries"); got != "403,403,403,403" {
		t.Errorf("the game's own tries: %s", got)
	}
	r.wait("starts")
	downloads := filepath.Join(h.dir, "Downloads")
	if list, _ := os.ReadDir(downloads); len(list) > 0 {
		t.Fatalf("a copy was made without a crash: %v", list)
	}
	web := childNamed(t, p.cmd.Process.Pid, "WebKitWebProcess")
	if err := syscall.Kill(web, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.waitOutput("web process ended")
	id := windowID(t, "^crash$")
	file := filepath.Join(downloads, "e2e saves.conchsave")
	var at [2]int
	eventually(t, "the crash screen has two buttons", func() bool {
		var ok bool
		at, ok = lowerButton(t, id)
		return ok
	})
	screenshot(t, "crash-copy")
	if list, _ := os.ReadDir(downloads); len(list) > 0 {
		t.Fatalf("a copy was made without a press: %v", list)
	}
	x(t, "xdotool", "mousemove", "--window", id, strconv.Itoa(at[0]), strconv.Itoa(at[1]), "click", "1")
	eventually(t, "the copy is there", func() bool {
		_, err := os.Stat(file)
		return err == nil
	})
	eventually(t, "the screen says where, which moves the buttons up", func() bool {
		now, ok := lowerButton(t, id)
		return ok && now[1] < at[1]
	})
	screenshot(t, "crash-copied")
	p.stop()
	if list, _ := os.ReadDir(downloads); len(list) != 1 {
		t.Errorf("%d files in the download folder, want 1", len(list))
	}
	other := newHome(t)
	must(t, other, "saves", "import", dir, file)
	play(t, other, dir)
	if got := r.waitString("starts"); got != "2,2,2,2" {
		t.Errorf("after the import: starts = %s, want 2,2,2,2", got)
	}
}

// lowerButton finds the lower of the crash screen's two buttons in a picture of the window.
func lowerButton(t *testing.T, id string) (middle [2]int, ok bool) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "window.png")
	x(t, "import", "-window", id, file)
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	isButton := func(x, y int) bool {
		r, g, b, _ := img.At(x, y).RGBA()
		return r>>8 == 0x2d && g>>8 == 0x2d && b>>8 == 0x35
	}
	// Runs of rows with the button's colour, from above.
	var rows [][2]int
	size := img.Bounds().Size()
	for y := 0; y < size.Y; y++ {
		count := 0
		for x := 0; x < size.X; x++ {
			if isButton(x, y) {
				count++
			}
		}
		if count < 40 {
			continue
		}
		if n := len(rows); n > 0 && rows[n-1][1] == y-1 {
			rows[n-1][1] = y
		} else {
			rows = append(rows, [2]int{y, y})
		}
	}
	if len(rows) < 2 {
		return middle, false
	}
	last := rows[len(rows)-1]
	return [2]int{size.X / 2, (last[0] + last[1]) / 2}, last[1]-last[0] > 10
}

// TestSavesOfAnotherEngine: of a file from Windows, localStorage is there at the next start and the ones after.
func TestSavesOfAnotherEngine(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	dir := r.game(t, `"id": "org.example.crossed"`, nil, map[string]string{"index.html": page(keptPage)})
	starts := func(want string) {
		t.Helper()
		p := play(t, h, dir)
		if got := r.waitString("starts"); got != want {
			t.Fatalf("starts = %s, want %s", got, want)
		}
		p.stop()
	}
	starts("1,1,1,1")
	file := filepath.Join(t.TempDir(), "windows.conchsave")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for name, text := range map[string]string{
		"conch-saves.json":  `{"format": 1, "game": "id:org.example.crossed", "name": "e2e", "engine": "webview2", "origin": "http://127.0.0.1:12346"}`,
		"localstorage.json": `{"starts": "41"}`,
	} {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, rest := must(t, h, "saves", "import", dir, file); !strings.Contains(rest, "another web engine") || !strings.Contains(rest, "kept in") {
		t.Errorf("import said: %s", rest)
	}
	starts("42,1,1,1")
	starts("43,2,2,2")
}
