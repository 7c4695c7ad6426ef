//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// Colours that stand for one control each, from frontend/settings/settings.css and runtime/page.go.
var (
	forgetLight = color.NRGBA{0xfb, 0xe9, 0xe7, 0xff}
	forgetDark  = color.NRGBA{0x4a, 0x23, 0x20, 0xff}
	pageLight   = color.NRGBA{0xfa, 0xfa, 0xfa, 0xff}
	crashLink   = color.NRGBA{0x9c, 0xc4, 0xff, 0xff}
)

// settings opens the settings window and answers its process and window.
func settings(t *testing.T, env []string) (*process, string) {
	t.Helper()
	p := start(t, env, nil, conchBin, "settings", "-v")
	return p, windowID(t, "^Conch settings$")
}

// origin is where the settings are served, as they log it.
func (p *process) origin() string {
	p.t.Helper()
	p.waitOutput("origin=http://127.0.0.1:")
	return regexp.MustCompile(`origin=(http://127\.0\.0\.1:\d+)`).FindStringSubmatch(p.output())[1]
}

// spots are the places in a window where at least width pixels of this colour stand beside each other, top to bottom.
func spots(t *testing.T, id string, c color.NRGBA, width int) []image.Point {
	t.Helper()
	cmd := exec.Command("import", "-window", id, "png:-")
	cmd.Env = append(os.Environ(), "DISPLAY="+display)
	text, err := cmd.Output()
	if err != nil {
		return nil
	}
	img, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var found []image.Point
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		run := 0
		for x := b.Min.X; x < b.Max.X; x++ {
			if color.NRGBAModel.Convert(img.At(x, y)) != color.Color(c) {
				run = 0
			} else if run++; run == width {
				found = append(found, image.Pt(x-width/2-b.Min.X, y-b.Min.Y))
			}
		}
	}
	return found
}

// clickOn presses the mouse on the first spot of a colour, as soon as there is one.
func clickOn(t *testing.T, id string, c color.NRGBA, width int) {
	t.Helper()
	var at []image.Point
	eventually(t, fmt.Sprintf("colour %v in the window", c), func() bool { at = spots(t, id, c, width); return len(at) > 0 })
	x(t, "xdotool", "mousemove", "--window", id, fmt.Sprint(at[0].X), fmt.Sprint(at[0].Y+1), "click", "1")
}

type approvalRow struct{ Game, Kind, Name, Host, Protection string }

// approvals are the remembered answers.
func approvals(t *testing.T, h home) []approvalRow {
	t.Helper()
	cmd := exec.Command(conchBin, "approvals", "list", "--json")
	cmd.Env = h.env()
	text, err := cmd.Output()
	var rows []approvalRow
	if err != nil || json.Unmarshal(text, &rows) != nil {
		t.Fatalf("approvals list: %v %s", err, text)
	}
	return rows
}

// TestSettingsForgetClosesTheSocket: the list names the host, Forget pressed with the mouse takes the row from the store
// and from the page, closes the running game's socket, and the game asks again.
func TestSettingsForgetClosesTheSocket(t *testing.T) {
	r, h, s := newReporter(t), newHome(t), newEcho(t)
	url := fmt.Sprintf("ws://127.0.0.1:%d/x", s.port)
	dir := r.game(t, `"id": "org.example.forget", "window": {"title": "forget", "width": 500, "height": 300},
		"network": {"allowedHosts": ALLOWED, "allowAnyHost": true}`, nil, map[string]string{"index.html": page(`
let left = 1
const connect = () => {
  const s = net.connect('` + url + `')
  s.onOpen = () => report('open')
  s.onError = m => report('error', m)
  s.onClose = () => { report('close'); if (left-- > 0) setTimeout(connect, 200) }
}
connect()`)})
	play(t, h, dir)
	waitDialog(t)
	allow(t)
	r.wait("open")
	s.next(t)

	p, id := settings(t, h.env())
	eventually(t, "the list is shown", func() bool { return len(spots(t, id, forgetLight, 20)) > 0 })
	screenshot(t, "settings")

	second := start(t, h.env(), nil, conchBin, "settings")
	if code := second.waitExit(); code != 0 || !strings.Contains(second.output(), "raised") {
		t.Errorf("second start: code %d, %s", code, second.output())
	}

	clickOn(t, id, forgetLight, 20)
	if got := r.waitString("error"); !strings.Contains(got, "was taken back") {
		t.Errorf("the socket ended with: %s", got)
	}
	r.wait("close")
	eventually(t, "the row is gone", func() bool { return len(approvals(t, h)) == 0 })
	eventually(t, "the page shows it", func() bool { return len(spots(t, id, forgetLight, 20)) == 0 })
	waitDialog(t)
	screenshot(t, "settings-forgotten")
	x(t, "xdotool", "key", "Escape")
	if got := r.waitString("error"); !strings.Contains(got, "refused by the player") {
		t.Errorf("after Escape: %s", got)
	}
	if text := p.output(); strings.Contains(text, "level=ERROR") || strings.Contains(text, "level=WARN") {
		t.Errorf("the settings complain:\n%s", text)
	}
}

// allowed is a home where a game was allowed to reach a host with the longest name there is, and an echo server.
func allowed(t *testing.T, s *echo) home {
	t.Helper()
	r, h := newReporter(t), newHome(t)
	label := strings.Repeat("a", 62)
	long := strings.Join([]string{label, label, label, strings.Repeat("b", 56), "example"}, ".")
	dir := r.game(t, `"id": "org.example.allowed", "window": {"title": "שלום & <b>Game</b>", "width": 500, "height": 300},
		"network": {"allowedHosts": ALLOWED, "allowAnyHost": true}`, nil, map[string]string{"index.html": page(fmt.Sprintf(`
const far = net.connect('wss://%s/')
far.onClose = () => { const near = net.connect('ws://127.0.0.1:%d/x'); near.onOpen = () => report('open') }`, long, s.port))})
	p := play(t, h, dir)
	waitDialog(t)
	allow(t)
	eventually(t, "the long host is remembered", func() bool { return len(approvals(t, h)) == 1 })
	waitDialog(t)
	allow(t)
	r.wait("open")
	p.stop()
	if n := len(approvals(t, h)); n != 2 {
		t.Fatalf("%d approvals, want 2", n)
	}
	return h
}

// TestSettingsLooks: light, dark and 200 %; the theme is the desktop's, and both hosts can be forgotten in each.
func TestSettingsLooks(t *testing.T) {
	h := allowed(t, newEcho(t))
	for _, row := range []struct {
		name   string
		env    []string
		forget color.NRGBA
	}{
		{"light", nil, forgetLight},
		{"dark", []string{"GTK_THEME=Adwaita:dark"}, forgetDark},
		{"double", []string{"GDK_SCALE=2"}, forgetLight},
		{"double-dark", []string{"GDK_SCALE=2", "GTK_THEME=Adwaita:dark"}, forgetDark},
	} {
		t.Run(row.name, func(t *testing.T) {
			p, id := settings(t, append(h.env(), row.env...))
			eventually(t, "the list is shown", func() bool { return len(spots(t, id, row.forget, 20)) > 0 })
			screenshot(t, "settings-"+row.name)
			p.stop()
		})
	}
}

// TestSettingsCrash: the settings' own web process may die; the link on their screen brings them back.
func TestSettingsCrash(t *testing.T) {
	p, id := settings(t, newHome(t).env())
	eventually(t, "the page is shown", func() bool { return len(spots(t, id, pageLight, 200)) > 0 })
	if err := syscall.Kill(childNamed(t, p.cmd.Process.Pid, "WebKitWebProcess"), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.waitOutput("web process ended")
	eventually(t, "the screen is drawn", func() bool { return len(spots(t, id, pageLight, 200)) == 0 && colours(t, id) > 8 })
	screenshot(t, "settings-crash")
	x(t, "xdotool", "windowactivate", "--sync", id)
	eventually(t, "the page is back", func() bool {
		x(t, "xdotool", "key", "Tab", "Return")
		return len(spots(t, id, pageLight, 200)) > 0
	})
}

// TestSettingsOfAPortableProgram: they show the answers that lie beside the program, and keep nothing anywhere else.
func TestSettingsOfAPortableProgram(t *testing.T) {
	h, dir := newHome(t), t.TempDir()
	program := filepath.Join(dir, "conch")
	text, err := os.ReadFile(conchBin)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, text, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "conch.portable"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	p := start(t, h.env(), nil, program, "settings", "-v")
	id := windowID(t, "^Conch settings$")
	eventually(t, "the page is shown", func() bool { return len(spots(t, id, pageLight, 200)) > 0 })
	eventually(t, "the answers are opened beside the program", func() bool {
		_, err := os.Stat(filepath.Join(dir, "conch-data", "approvals.db"))
		return err == nil
	})
	p.stop()
	if found, _ := filepath.Glob(filepath.Join(h.dir, ".local", "share", "conch*")); len(found) != 0 {
		t.Errorf("also kept in %v", found)
	}
	if strings.Contains(p.output(), "key store") {
		t.Errorf("the system's key store was asked:\n%s", p.output())
	}
}

// TestSettingsByKeyboard: everything is in reach of Tab, and "Forget everything" asks once more.
func TestSettingsByKeyboard(t *testing.T) {
	h := allowed(t, newEcho(t))
	_, id := settings(t, h.env())
	eventually(t, "the list is shown", func() bool { return len(spots(t, id, forgetLight, 20)) > 0 })
	x(t, "xdotool", "windowactivate", "--sync", id)
	// A dimmed page shows that the dialog is open.
	open := func(want bool) {
		t.Helper()
		eventually(t, fmt.Sprintf("dialog open: %t", want), func() bool { return (len(spots(t, id, pageLight, 200)) == 0) == want })
	}
	open(false)
	x(t, "xdotool", "key", "Tab", "Tab", "Tab", "Tab", "Return")
	open(true)
	screenshot(t, "settings-sure")
	x(t, "xdotool", "key", "Return") // Keep has the focus
	open(false)
	if n := len(approvals(t, h)); n != 2 {
		t.Fatalf("%d approvals after Keep, want 2", n)
	}
	x(t, "xdotool", "key", "Return")
	open(true)
	x(t, "xdotool", "key", "Escape")
	open(false)
	x(t, "xdotool", "key", "Return")
	open(true)
	x(t, "xdotool", "key", "Tab", "Return")
	eventually(t, "everything is forgotten", func() bool { return len(approvals(t, h)) == 0 })
	open(false)
	screenshot(t, "settings-empty")
}

// settingsAttack tries to read and to drive the settings at TARGET.
const settingsAttack = `
const outcome = {}
const list = 'TARGET/__conch/approvals', forget = list + '/forget'
const order = '{"all":true}'
const json = { 'Content-Type': 'application/json' }
const readable = async q => { const text = await q.text(); if (q.type === 'opaque' || text === '') throw 0; return text }
const tries = {
  'read': async () => readable(await fetch(list, { credentials: 'include' })),
  'read page': async () => readable(await fetch('TARGET/', { credentials: 'include' })),
  'read script': async () => { const m = await import('TARGET/model.js'); return Object.keys(m).join() },
  'forget': async () => readable(await fetch(forget, { method: 'POST', credentials: 'include', headers: json, body: order })),
  'forget simple': async () => readable(await fetch(forget, { method: 'POST', mode: 'no-cors', credentials: 'include', body: order })),
  'beacon': async () => { navigator.sendBeacon(forget, order); throw 0 },
  'socket': () => new Promise((ok, no) => { const s = new WebSocket('TARGET/'.replace('http', 'ws')); s.onopen = () => ok('open'); s.onerror = no }),
  'worker': () => new Promise((ok, no) => { const w = new Worker('TARGET/settings.js', { type: 'module' }); w.onmessage = ok; w.onerror = no }),
  'entry': async () => readable(await fetch('TARGET/__conch/enter?n=0', { credentials: 'include' })),
  'frame': () => new Promise((ok, no) => {
    const f = document.createElement('iframe')
    f.src = 'TARGET/'
    f.onload = () => { try { ok(f.contentDocument.body.innerHTML || no()) } catch (e) { no(e) } }
    setTimeout(no, 3000)
    document.body.append(f)
  }),
  'form': () => new Promise((ok, no) => {
    const sink = Object.assign(document.createElement('iframe'), { name: 'sink' })
    const form = Object.assign(document.createElement('form'), { action: forget, method: 'post', enctype: 'text/plain', target: 'sink' })
    form.append(Object.assign(document.createElement('input'), { name: '{"all":true,"game":"', value: '"}' }))
    document.body.append(sink, form)
    form.submit()
    setTimeout(no, 3000)
  }),
}
for (const name of Object.keys(tries)) {
  try { outcome[name] = String(await tries[name]()) } catch (e) { outcome[name] = 'refused' }
}
report('attacked', outcome)`

// TestSettingsAreOutOfReach: a game in its window and a web page in a browser know the settings' address and can neither
// read nor drive them.
func TestSettingsAreOutOfReach(t *testing.T) {
	s := newEcho(t)
	h := allowed(t, s)
	p, _ := settings(t, h.env())
	attack := strings.ReplaceAll(settingsAttack, "TARGET", p.origin())

	check := func(t *testing.T, r *reporter) {
		t.Helper()
		var outcome map[string]string
		if err := json.Unmarshal(r.wait("attacked"), &outcome); err != nil {
			t.Fatal(err)
		}
		if len(outcome) != 11 {
			t.Errorf("%d tries, want 11", len(outcome))
		}
		for name, got := range outcome {
			if got != "refused" {
				t.Errorf("%s: %s", name, got)
			}
		}
		if n := len(approvals(t, h)); n != 2 {
			t.Errorf("%d approvals left, want 2", n)
		}
	}
	t.Run("game", func(t *testing.T) {
		r := newReporter(t)
		before := strings.Count(p.output(), "request refused")
		play(t, h, r.game(t, `"id": "org.example.attack"`, nil, map[string]string{"index.html": page(attack)}))
		check(t, r)
		if n := strings.Count(p.output(), "request refused") - before; n != 0 {
			t.Errorf("%d requests of the game reached the settings", n)
		}
	})
	t.Run("browser", func(t *testing.T) {
		r := newReporter(t)
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll("<!doctype html><body><script>"+reportJS+"</script><script type=module>"+attack+"</script>", "REPORT_PORT", fmt.Sprint(r.Port))
		srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, text)
		})}
		go srv.Serve(ln)
		t.Cleanup(func() { srv.Close() })
		chromium(t, newHome(t), "http://"+ln.Addr().String()+"/")
		check(t, r)
		p.waitOutput("request refused") // it knew the right address
	})
}

// crashed plays a game and kills its web process: the window shows the crash screen.
func crashed(t *testing.T, h home, title, script string) (r *reporter, p *process, id string) {
	t.Helper()
	r = newReporter(t)
	dir := r.game(t, `"window": {"title": "`+title+`", "width": 800, "height": 500}`, nil, map[string]string{"index.html": page(script + `
report('ready')`)})
	p = play(t, h, dir)
	t.Cleanup(func() { syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM) }) // what it started stays in its group
	r.wait("ready")
	id = windowID(t, "^"+title+"$")
	if err := syscall.Kill(childNamed(t, p.cmd.Process.Pid, "WebKitWebProcess"), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.waitOutput("web process ended")
	return r, p, id
}

// TestCrashScreenOpensTheSettings: a click on the link of the crash screen opens them in a process of their own.
func TestCrashScreenOpensTheSettings(t *testing.T) {
	_, p, id := crashed(t, newHome(t), "crashlink", "")
	eventually(t, "the link is drawn", func() bool { return len(spots(t, id, crashLink, 6)) > 0 })
	screenshot(t, "crash-settings")
	x(t, "xdotool", "windowactivate", "--sync", id)
	clickOn(t, id, crashLink, 6)
	p.waitOutput("settings opened")
	id = windowID(t, "^Conch settings$")
	eventually(t, "the settings are drawn", func() bool { return colours(t, id) > 8 })
	screenshot(t, "crash-settings-open")
}

// TestPackedGameOpensTheSettings: the same link in a game that is a program of its own.
func TestPackedGameOpensTheSettings(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	dir := pack(t, r.game(t, `"id": "org.example.packedlink", "window": {"title": "packedlink", "width": 800, "height": 500}`, nil,
		map[string]string{"index.html": page(`report('ready')`)}), "--name", "Packed link")
	p := start(t, h.env(), nil, filepath.Join(dir, "Packed link"), "--verbose")
	t.Cleanup(func() { syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM) })
	r.wait("ready")
	id := windowID(t, "^packedlink$")
	if err := syscall.Kill(childNamed(t, p.cmd.Process.Pid, "WebKitWebProcess"), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the link is drawn", func() bool { return len(spots(t, id, crashLink, 6)) > 0 })
	screenshot(t, "packed-crash")
	x(t, "xdotool", "windowactivate", "--sync", id)
	clickOn(t, id, crashLink, 6)
	id = windowID(t, "^Conch settings$")
	eventually(t, "the settings are drawn", func() bool { return len(spots(t, id, pageLight, 200)) > 0 })
}

// TestGamesDoNotOpenTheSettings: what the crash screen's link does, no page of a game can do: not by script, not with the
// player's click, not on a crash screen that it called up itself.
func TestGamesDoNotOpenTheSettings(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	dir := r.game(t, `"window": {"title": "opener", "width": 800, "height": 500}`, nil, map[string]string{"index.html": page(`
document.body.style.margin = 0
document.body.innerHTML = '<a href="/__conch/settings" style="display:block;height:250px;background:#112233">link</a>'
document.querySelector('a').addEventListener('mousedown', () => report('pressed'))
const q = await fetch('/__conch/settings', { method: 'POST' })
report('posted', String(q.status))
open('/__conch/settings')
location.href = '/__conch/settings'
setTimeout(() => report('ready'), 500)
addEventListener('keydown', () => { location.href = '/__conch/crashed' })`)})
	p := play(t, h, dir)
	t.Cleanup(func() { syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM) })
	if got := r.waitString("posted"); got != "404" {
		t.Errorf("post: status %s, want 404", got)
	}
	r.wait("ready")
	id := windowID(t, "^opener$")
	x(t, "xdotool", "windowactivate", "--sync", id)
	refused := func(n int) {
		t.Helper()
		eventually(t, fmt.Sprintf("refusal %d", n), func() bool { return strings.Count(p.output(), "navigation refused") == n })
	}
	refused(1) // by script
	x(t, "xdotool", "mousemove", "--window", id, "300", "100", "click", "1")
	r.wait("pressed")
	refused(2) // by the player's click
	x(t, "xdotool", "key", "a")
	clickOn(t, id, crashLink, 6)
	refused(3) // on a crash screen without a crash
	if strings.Contains(p.output(), "settings opened") || childOf(p.cmd.Process.Pid, filepath.Base(conchBin), p.cmd.Process.Pid) != 0 {
		t.Errorf("a game opened the settings:\n%s", p.output())
	}
}
