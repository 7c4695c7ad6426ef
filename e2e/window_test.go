//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestWindowLooksLikeTheManifest: title, size and background colour.
func TestWindowLooksLikeTheManifest(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	dir := r.game(t, `"window": {"title": "100% Sure %n", "width": 900, "height": 500, "background": "#205080"}`, nil,
		map[string]string{"index.html": page(`report('size', innerWidth + 'x' + innerHeight + ' ' + document.visibilityState)
report('has', [!!document.createElement('canvas').getContext('webgl2'), isSecureContext, navigator.getGamepads().length >= 0].join())`)})
	play(t, h, dir)
	if got := r.waitString("size"); got != "900x500 visible" {
		t.Errorf("page is %s, want 900x500 visible", got)
	}
	if got := r.waitString("has"); got != "true,true,true" {
		t.Errorf("webgl2, secure context, gamepads: %s", got)
	}
	windowID(t, "^100% Sure %n$")
	screenshot(t, "window")
}

// TestFullScreenKeys: F11 and Alt+Enter switch, Escape stays the game's, and an element's own full screen fills the
// screen and comes back.
func TestFullScreenKeys(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	dir := r.game(t, `"window": {"title": "fullscreen", "width": 800, "height": 500}`, nil, map[string]string{"index.html": page(`
addEventListener('keydown', e => { report('key', e.key); if (e.key === 'g') document.documentElement.requestFullscreen().then(() => report('element', 'in'), e => report('element', String(e))) })
document.addEventListener('fullscreenchange', () => report('change', String(!!document.fullscreenElement)))
addEventListener('resize', () => report('size', innerWidth + 'x' + innerHeight))
report('ready', innerWidth + 'x' + innerHeight)`)})
	play(t, h, dir)
	if got := r.waitString("ready"); got != "800x500" {
		t.Fatalf("first size %s", got)
	}
	id := windowID(t, "^fullscreen$")
	x(t, "xdotool", "windowactivate", "--sync", id)
	waitSize := func(what, want string) {
		t.Helper()
		for {
			if got := r.waitString("size"); got == want {
				return
			}
		}
	}
	x(t, "xdotool", "key", "F11")
	waitSize("F11", "1280x800")
	x(t, "xdotool", "key", "Escape")
	if got := r.waitString("key"); got != "Escape" {
		t.Errorf("key %q reached the game, want Escape", got)
	}
	x(t, "xdotool", "key", "alt+Return")
	waitSize("Alt+Enter", "800x500")
	x(t, "xdotool", "key", "g")
	if got := r.waitString("element"); got != "in" {
		t.Fatalf("requestFullscreen: %s", got)
	}
	waitSize("element", "1280x800")
	screenshot(t, "fullscreen")
	x(t, "xdotool", "key", "Escape")
	waitSize("element left", "800x500")
}

// TestBrowserKeysReachTheGame: keys that a browser would act on are the game's and do nothing else.
func TestBrowserKeysReachTheGame(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	dir := r.game(t, `"window": {"title": "keys"}`, nil, map[string]string{"index.html": page(`
addEventListener('keydown', e => report('key', (e.ctrlKey ? 'ctrl+' : '') + e.key))
addEventListener('wheel', e => report('wheel', e.ctrlKey + ' ' + devicePixelRatio))
report('ready')`)})
	p := play(t, h, dir)
	r.wait("ready")
	x(t, "xdotool", "windowactivate", "--sync", windowID(t, "^keys$"))
	for _, key := range []string{"F5", "ctrl+r", "ctrl+w", "BackSpace", "F3", "F7", "ctrl+p", "ctrl+u", "ctrl+f", "ctrl+plus"} {
		x(t, "xdotool", "key", key)
		r.wait("key")
		if strings.HasPrefix(key, "ctrl") {
			r.wait("key")
		}
	}
	x(t, "xdotool", "mousemove", "640", "400", "keydown", "ctrl", "click", "4", "keyup", "ctrl")
	if got := r.waitString("wheel"); got != "true 1" {
		t.Errorf("wheel with ctrl: %s, want true and no zoom", got)
	}
	for _, m := range r.seen {
		if m.Name == "ready" {
			t.Error("a key reloaded the page")
		}
	}
	select {
	case <-p.done:
		t.Error("a key closed the window")
	default:
	}
}

// TestCrashScreen kills the web process of this window, found by its parent: the player sees a screen and can restart.
func TestCrashScreen(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	dir := r.game(t, `"window": {"title": "crash", "width": 800, "height": 500}`, nil, map[string]string{"index.html": page(`report('ready')`)})
	p := play(t, h, dir)
	r.wait("ready")
	web := childNamed(t, p.cmd.Process.Pid, "WebKitWebProcess")
	if err := syscall.Kill(web, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.waitOutput("web process ended")
	id := windowID(t, "^crash$")
	x(t, "xdotool", "windowactivate", "--sync", id)
	eventually(t, "a new web process shows the crash screen", func() bool { return childOf(p.cmd.Process.Pid, "WebKitWebProcess", web) != 0 })
	eventually(t, "the crash screen is drawn", func() bool { return colours(t, id) > 8 })
	screenshot(t, "crash")
	// The restart button has the focus: Enter presses it, again and again until the page is there.
	eventually(t, "the game runs again", func() bool {
		x(t, "xdotool", "windowactivate", "--sync", id, "key", "Return")
		select {
		case m := <-r.ch:
			return m.Name == "ready"
		default:
			return false
		}
	})
}

// colours counts the different colours of a window: a drawn page has many, an empty one a few.
func colours(t *testing.T, id string) int {
	t.Helper()
	n, err := strconv.Atoi(x(t, "import", "-window", id, "-format", "%k", "info:"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func childNamed(t *testing.T, parent int, name string) int {
	t.Helper()
	if pid := childOf(parent, name, 0); pid != 0 {
		return pid
	}
	t.Fatalf("process %d has no child %s", parent, name)
	return 0
}

// childOf finds a descendant of parent by name, other than not. The web process may be started by a helper.
func childOf(parent int, name string, not int) int {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	parents, names := map[int]int{}, map[int]string{}
	for _, file := range stats {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		open, end := strings.IndexByte(string(text), '('), strings.LastIndexByte(string(text), ')')
		fields := strings.Fields(string(text[end+1:]))
		pid, _ := strconv.Atoi(strings.TrimSpace(string(text[:open])))
		if fields[0] == "Z" {
			continue
		}
		parents[pid], _ = strconv.Atoi(fields[1])
		names[pid] = string(text[open+1 : end])
	}
	for pid, n := range names {
		if !strings.HasPrefix(name, n) || pid == not {
			continue
		}
		for up := pid; up > 1; up = parents[up] {
			if up == parent {
				return pid
			}
		}
	}
	return 0
}

// TestDownloadIsSavedWithACleanName: a blob download lands in the player's folder, keeps both files when the name is
// taken, and the player is told where.
func TestDownloadIsSavedWithACleanName(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	dir := r.game(t, `"window": {"title": "download"}`, nil, map[string]string{"index.html": page(`
const a = document.createElement('a'); a.download = '../a/b:c.dat'
a.href = URL.createObjectURL(new Blob(['save file'])); document.body.append(a); a.click()
report('clicked')`)})
	for i, name := range []string{"b_c.dat", "b_c (1).dat"} {
		p := play(t, h, dir)
		r.wait("clicked")
		p.waitOutput("download saved")
		path := filepath.Join(h.dir, "Downloads", name)
		if text, err := os.ReadFile(path); err != nil || string(text) != "save file" {
			found, _ := filepath.Glob(filepath.Join(h.dir, "Downloads", "*"))
			t.Fatalf("download %d: %q %v; folder has %v", i, text, err, found)
		}
		windowID(t, "^Download$")
		screenshot(t, "download")
		p.stop()
	}
}

// TestForeignLinksGoToTheBrowserAfterAClick: a script alone opens nothing; a real click opens http(s) in the system's
// browser, other schemes never; the game stays.
func TestForeignLinksGoToTheBrowserAfterAClick(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	bin := t.TempDir()
	log := filepath.Join(bin, "opened")
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte("#!/bin/sh\necho \"$1\" >> "+log+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	dir := r.game(t, `"window": {"title": "links", "width": 800, "height": 600}`, nil, map[string]string{"index.html": page(`
document.body.style.margin = 0
let step = 0
const acts = [
  () => window.open('https://example.org/shop?a=1&b=2'),
  () => window.open('file:///etc/passwd'),
  () => { location.href = 'mailto:a@example.org' },
  () => window.open('http://127.0.0.1:1/'),
]
addEventListener('mousedown', () => { acts[step++](); setTimeout(() => report('clicked', step), 1200) })
location.href = 'https://example.com/without-click'
window.open('https://example.com/without-click')
const f = document.createElement('iframe'); f.src = 'https://example.com/frame'; document.body.append(f)
setTimeout(() => report('ready'), 300)`)})
	p := start(t, append(h.env(), "PATH="+bin+":"+os.Getenv("PATH")), nil, conchBin, "play", "-v", dir)
	r.wait("ready")
	x(t, "xdotool", "windowactivate", "--sync", windowID(t, "^links$"))
	for range 4 {
		x(t, "xdotool", "mousemove", "640", "500", "click", "1")
		r.wait("clicked")
	}
	p.waitOutput("link refused")
	opened, _ := os.ReadFile(log)
	if string(opened) != "https://example.org/shop?a=1&b=2\n" {
		t.Errorf("opened in the browser: %q, want the one clicked link", opened)
	}
}

// TestPermissionsAreRefusedUnlessListed: camera, microphone, location and notifications.
func TestPermissionsAreRefusedUnlessListed(t *testing.T) {
	inBoth(t, func(t *testing.T, e engine) {
		r, h := newReporter(t), newHome(t)
		dir := r.game(t, ``, nil, map[string]string{"index.html": page(`
const ask = async (name, f) => { try { await f(); report(name, 'granted') } catch (e) { report(name, e.name || String(e)) } }
await ask('camera', () => navigator.mediaDevices.getUserMedia({ video: true }))
await ask('microphone', () => navigator.mediaDevices.getUserMedia({ audio: true }))
await ask('location', () => new Promise((ok, no) => navigator.geolocation.getCurrentPosition(ok, e => no(new Error('refused ' + e.code)))))
await ask('clipboard', () => navigator.clipboard.readText())
await ask('notification', async () => { if (await Notification.requestPermission() !== 'granted') throw new Error('denied') })
report('done')`)})
		e.open(t, h, dir)
		r.wait("done")
		for _, name := range []string{"camera", "microphone", "location", "clipboard", "notification"} {
			if got := r.waitString(name); got == "granted" {
				t.Errorf("%s was granted without being listed", name)
			}
		}
	})
}

// TestSoundWithoutAClick: music at the title screen.
func TestSoundWithoutAClick(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	dir := r.game(t, ``, nil, map[string]string{"index.html": page(`
const ac = new AudioContext()
const state = await Promise.race([ac.resume().then(() => ac.state), new Promise(ok => setTimeout(ok, 20000, 'no answer'))])
report('context', state)
const wav = new Uint8Array(44 + 8000); const v = new DataView(wav.buffer)
const text = (at, s) => { for (let i = 0; i < s.length; i++) wav[at + i] = s.charCodeAt(i) }
text(0, 'RIFF'); v.setUint32(4, 36 + 8000, true); text(8, 'WAVEfmt '); v.setUint32(16, 16, true); v.setUint16(20, 1, true); v.setUint16(22, 1, true)
v.setUint32(24, 8000, true); v.setUint32(28, 8000, true); v.setUint16(32, 1, true); v.setUint16(34, 8, true); text(36, 'data'); v.setUint32(40, 8000, true)
const audio = new Audio(URL.createObjectURL(new Blob([wav], { type: 'audio/wav' })))
try { await audio.play(); report('element', 'plays') } catch (e) { report('element', e.name) }`)})
	play(t, h, dir)
	if got := r.waitString("context"); got != "running" {
		t.Errorf("AudioContext is %s without a click, want running", got)
	}
	if got := r.waitString("element"); got != "plays" {
		t.Errorf("audio element: %s, want plays", got)
	}
}

// TestHiddenWindowKeepsAnswering: a minimised game still receives frames and answers them.
func TestHiddenWindowKeepsAnswering(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	s := newEcho(t)
	dir := r.game(t, `"window": {"title": "hidden"}`, []string{s.host()}, map[string]string{"index.html": page(`
const sock = net.connect('ws://` + s.host() + `/ping-me')
sock.onMessage = data => { sock.send('answer ' + data) }
sock.onOpen = () => report('open')
document.addEventListener('visibilitychange', () => report('visibility', document.visibilityState))`)})
	play(t, h, dir)
	r.wait("open")
	c := s.next(t)
	id := windowID(t, "^hidden$")
	x(t, "xdotool", "windowminimize", "--sync", id)
	for i := range 20 {
		if err := c.send(fmt.Sprintf("keep-alive %d", i)); err != nil {
			t.Fatal(err)
		}
		if got := c.receive(t); got != fmt.Sprintf("answer keep-alive %d", i) {
			t.Fatalf("hidden game answered %q", got)
		}
	}
}

// TestWindowCloseEndsTheProgram: window.close() of the game's own page quits, a frame cannot do it.
func TestWindowCloseEndsTheProgram(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	dir := r.game(t, ``, nil, map[string]string{
		"frame.html": `<!doctype html><script>window.close(); parent.postMessage('tried', '*')</script>`,
		"index.html": page(`
addEventListener('message', () => { report('frame tried'); setTimeout(() => { report('closing'); window.close() }, 500) })
const f = document.createElement('iframe'); f.src = 'frame.html'; document.body.append(f)`)})
	p := play(t, h, dir)
	r.wait("frame tried")
	r.wait("closing")
	if code := p.waitExit(); code != 0 {
		t.Errorf("exit code %d after window.close(), want 0", code)
	}
}

// TestSharedMemoryFromAWorker: a threaded export. The page is isolated by itself and a worker writes shared memory.
func TestSharedMemoryFromAWorker(t *testing.T) {
	inBoth(t, func(t *testing.T, e engine) {
		r, h := newReporter(t), newHome(t)
		dir := r.game(t, `"web": {"isolation": "on"}`, nil, map[string]string{
			"worker.js": `onmessage = e => { const view = new Int32Array(e.data.buffer); view[0] = 42; Atomics.notify(view, 0); postMessage('written') }`,
			"index.html": page(`
const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true })
const w = new Worker('worker.js')
w.onmessage = () => report('shared', crossOriginIsolated + ' ' + new Int32Array(memory.buffer)[0])
w.onerror = e => report('shared', e.message)
w.postMessage(memory)`)})
		e.open(t, h, dir)
		if got := r.waitString("shared"); got != "true 42" {
			t.Errorf("isolated and value: %s, want true 42", got)
		}
	})
}

// TestPointerLock: a click locks the pointer and motion arrives exactly.
func TestPointerLock(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	dir := r.game(t, `"window": {"title": "pointer", "width": 800, "height": 600}`, nil, map[string]string{"index.html": page(`
addEventListener('click', () => document.documentElement.requestPointerLock())
document.addEventListener('pointerlockchange', () => report('lock', String(!!document.pointerLockElement)))
let sum = [0, 0]
addEventListener('mousemove', e => { if (!document.pointerLockElement) return; sum[0] += e.movementX; sum[1] += e.movementY; report('moved', sum) })
report('ready')`)})
	play(t, h, dir)
	r.wait("ready")
	x(t, "xdotool", "windowactivate", "--sync", windowID(t, "^pointer$"))
	x(t, "xdotool", "mousemove", "640", "400", "click", "1")
	if got := r.waitString("lock"); got != "true" {
		t.Fatalf("lock = %s", got)
	}
	x(t, "xdotool", "mousemove_relative", "--", "15", "7")
	for {
		var sum [2]int
		if err := json.Unmarshal(r.wait("moved"), &sum); err != nil {
			t.Fatal(err)
		}
		if sum == [2]int{15, 7} {
			return
		}
	}
}

// TestMissingEngineIsSaid starts the program where the web engine's library cannot be loaded.
func TestMissingEngineIsSaid(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	dir := r.game(t, ``, nil, map[string]string{"index.html": page(`report('ready')`)})
	// A mount namespace with the library hidden behind an empty file: nothing else on the machine changes.
	lib, err := filepath.Glob("/usr/lib/*-linux-gnu/libwebkit2gtk-4.1.so.0")
	if err != nil || len(lib) == 0 {
		t.Fatalf("no engine to hide: %v %v", lib, err)
	}
	real, err := filepath.EvalSymlinks(lib[0])
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, h.env(), nil, "unshare", "--mount", "sh", "-c",
		"mount --bind /dev/null "+real+" && exec "+conchBin+" play "+dir)
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		windowID(t, "^Conch$")
		screenshot(t, "missing-engine")
		dismiss(t, "^Conch$")
	}()
	if code := p.waitExit(); code == 0 {
		t.Error("exit code 0 without an engine")
	}
	<-closed
	if !strings.Contains(p.output(), "libwebkit2gtk-4.1-0") {
		t.Errorf("message does not name the package:\n%s", p.output())
	}
}
