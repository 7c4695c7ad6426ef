//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// reachGo is what a hostile page does to talk to the program around it, in any realm: it looks for every object that
// a shell of this kind puts into pages, posts every message of the framework through whatever it finds, and answers
// what that was.
const reachGo = `
function reachGo(g) {
  const found = []
  const calls = []
  const look = (name, get) => {
    try {
      const o = get()
      if (o === undefined || o === null) return
      found.push(name)
      if (typeof o === 'function') calls.push(m => o(m))
      if (typeof o.postMessage === 'function') calls.push(m => o.postMessage(m))
      if (typeof o.invoke === 'function') calls.push(m => o.invoke(m))
    } catch (e) { found.push(name + ' ' + e.name) }
  }
  for (const handler of ['external', 'wails', 'conch', 'invoke', 'ipc']) look('webkit.messageHandlers.' + handler, () => g.webkit?.messageHandlers?.[handler])
  look('WailsInvoke', () => g.WailsInvoke)
  look('wails', () => g.wails)
  look('runtime', () => g.runtime)
  look('go', () => g.go)
  look('ObfuscatedCall', () => g.ObfuscatedCall)
  look('chrome.webview', () => g.chrome?.webview)
  look('external.invoke', () => g.external?.invoke)
  look('external.postMessage', () => g.external?.postMessage)
  look('external.sendMessage', () => g.external?.sendMessage)
  look('require', () => g.require)
  look('process', () => g.process)
  look('__TAURI__', () => g.__TAURI__)
  look('ipc', () => g.ipc)
  const messages = ['C{"name":"main.App.Greet","args":["x"],"callbackID":"main.App.Greet-1"}', 'c{"id":1,"args":[],"callbackID":"1-1"}',
    'C:wails:ClipboardGetText', 'C{"name":":wails:ClipboardGetText","args":[],"callbackID":"1"}', 'C{"name":":wails:ScreenGetAll","args":[],"callbackID":"2"}',
    'EE{"name":"x","data":[]}', 'EXx', 'BO:file:///etc/hostname', 'BO:https://evil.test/', 'WTowned', 'WH', 'WS', 'Wf', 'WF', 'Ws', 'Ws:1:1', 'Wm', 'WM', 'WU', 'Wc',
    'WATP:1', 'Wp:1:1', 'WR:{"r":1,"g":2,"b":3,"a":4}', 'WZ:100:100', 'Wz:100:100', 'Q', 'H', 'S', 'LFfatal', 'LEx', 'LPx', 'LTx', 'LSx', 'DD:1:1:/etc/passwd', 'DD:', 'O:x',
    'drag', 'resize:se-resize', 'resize:', 'wails:drag', 'wails:resize:n', 'wails:showInspector', 'wails:openInspector', 'runtime:ready', 'DomReady', 'TE', '', '\u0000', 'C', 'E', 'W', 'D', 'B']
  for (const call of calls) for (const m of messages) try { call(m) } catch (e) { /* refused */ }
  return found
}`

// realms runs the attack in the page and in frames of every kind and reports what each found.
const realms = reachGo + `
const source = reachGo.toString()
const inside = name => '<script>' + source + ';parent.postMessage({ from: "' + name + '", found: reachGo(self) }, "*")</' + 'script>'
const frames = {
  'same origin': { src: '/frame.html' },
  'srcdoc': { srcdoc: inside('srcdoc') },
  'sandbox': { sandbox: 'allow-scripts', srcdoc: inside('sandbox') },
  'data': { src: 'data:text/html,' + encodeURIComponent(inside('data')) },
  'blob': { src: URL.createObjectURL(new Blob([inside('blob')], { type: 'text/html' })) },
}
addEventListener('message', e => report('from ' + e.data.from, e.data.found))
for (const name of Object.keys(frames)) {
  const f = document.createElement('iframe')
  for (const k of Object.keys(frames[name])) f.setAttribute(k, frames[name][k])
  document.body.append(f)
}
const blank = document.createElement('iframe')
document.body.append(blank)
report('from blank', reachGo(blank.contentWindow))
report('from page', reachGo(window))
const w = new Worker(URL.createObjectURL(new Blob([source + ';postMessage(reachGo(self))'])))
w.onmessage = e => report('from worker', e.data)
`

// schemes tries the framework's own scheme and others that leave the web.
const schemes = `
const local = ['wails://wails/', 'wails://wails/wails/ipc.js', 'wails://wails/wails/runtime.js', 'http://wails.localhost/', 'file:///etc/hostname', 'resource:///org/gnome', 'conch://x/']
for (const u of local) {
  await fetch(u).then(r => report('read', u), () => {})
  await new Promise(ok => { const s = document.createElement('script'); s.src = u; s.onload = () => { report('read', 'script ' + u); ok() }; s.onerror = ok; document.head.append(s) })
  await new Promise(ok => { const x = new XMLHttpRequest(); x.onload = () => { if (x.status !== 404) report('read', 'xhr ' + u); ok() }; x.onerror = ok; try { x.open('GET', u); x.send() } catch (e) { ok() } })
  const f = document.createElement('iframe'); f.src = u; document.body.append(f)
}
// A browser's own tab may leave; the window may not.
for (const u of LEAVE ? ['wails://wails/', 'file:///etc/hostname', 'mailto:a@evil.test', 'tel:1', 'steam://run/1', 'conch:x', 'vscode://x', 'data:text/html,<h1>out', 'http://127.0.0.1:1/'] : []) {
  try { window.open(u) } catch (e) { /* refused */ }
  try { location.href = u } catch (e) { /* refused */ }
  await new Promise(ok => setTimeout(ok, 150))
}
document.title = 'owned'
`

// TestHostilePageCannotReachGo: whatever a page posts, from itself or from a frame of any kind, there is nobody to
// hear it; nothing opens, the window stays as it is, and the game goes on.
func TestHostilePageCannotReachGo(t *testing.T) {
	inBoth(t, func(t *testing.T, e engine) {
		r, h, s := newReporter(t), newHome(t), newEcho(t)
		opened := fakeOpeners(t)
		dir := r.game(t, `"window": {"title": "keeps its title", "width": 640, "height": 480}`, []string{s.host()}, map[string]string{
			"frame.html": `<!doctype html><script>` + reachGo + `; parent.postMessage({ from: 'same origin', found: reachGo(self) }, '*')</script>`,
			"index.html": page(realms + strings.ReplaceAll(schemes, "LEAVE", strconv.FormatBool(e.name == "webkitgtk")) + `
const sock = net.connect('ws://` + s.host() + `/after')
sock.onMessage = data => sock.send('still ' + data)
report('size', innerWidth + 'x' + innerHeight)
report('done')`)})
		p := e.open(t, h, dir)
		for _, where := range []string{"page", "blank", "same origin", "srcdoc", "sandbox", "data", "blob", "worker"} {
			var found []string
			if err := json.Unmarshal(r.wait("from "+where), &found); err != nil {
				t.Fatal(err)
			}
			if len(found) > 0 {
				t.Errorf("%s finds %v", where, found)
			}
		}
		r.wait("done")
		c := s.next(t)
		if err := c.send("here"); err != nil {
			t.Fatal(err)
		}
		if got := c.receive(t); got != "still here" {
			t.Errorf("the game answers %q after the attack", got)
		}
		for _, m := range r.seen {
			if m.Name == "read" {
				t.Errorf("the page read %s", m.Value)
			}
		}
		if text, err := os.ReadFile(opened); err == nil {
			t.Errorf("opened outside: %s", text)
		}
		if e.name != "webkitgtk" {
			return
		}
		id := windowID(t, "^keeps its title$")
		if got := r.waitString("size"); got != "640x480" {
			t.Errorf("window is %s after the attack, want 640x480", got)
		}
		if state := x(t, "xprop", "-id", id, "_NET_WM_STATE"); strings.Contains(state, "FULLSCREEN") || strings.Contains(state, "HIDDEN") || strings.Contains(state, "ABOVE") {
			t.Errorf("window state after the attack: %s", state)
		}
		select {
		case <-p.done:
			t.Errorf("the program ended: %s", p.output())
		default:
		}
		screenshot(t, "hostile")
	})
}

// fakeOpeners puts programs in front of those that open links and files; what they are asked to open is in the file
// answered, which does not exist as long as nothing was.
func fakeOpeners(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	log := filepath.Join(bin, "opened")
	for _, name := range []string{"xdg-open", "gio", "gvfs-open", "exo-open", "kde-open", "sensible-browser", "x-www-browser", "www-browser"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\necho \"$0 $*\" >> "+log+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	return log
}

// TestDialogsOfThePageAnswer: alert, confirm and prompt are shown by the engine, take the player's keys and return
// what was answered.
func TestDialogsOfThePageAnswer(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	dir := r.game(t, `"window": {"title": "dialogs", "width": 800, "height": 500, "background": "#205080"}`, nil, map[string]string{"index.html": page(`
document.body.style.background = '#205080'
const next = () => new Promise(ok => addEventListener('keydown', e => { if (e.key === 'n') ok() }, { once: true }))
const ask = async (name, f) => { await next(); setTimeout(() => report(name, f())); }
report('ready')
await ask('alert', () => String(alert('100% %s %n <b>done</b>')))
await ask('yes', () => confirm('Delete the save?'))
await ask('no', () => confirm('Delete the save?'))
await ask('name', () => prompt('Your name?', 'Player'))
await ask('none', () => prompt('Your name?', 'Player'))`)})
	play(t, h, dir)
	r.wait("ready")
	id := windowID(t, "^dialogs$")
	x(t, "xdotool", "windowactivate", "--sync", id)
	ask := func(name, want string, answers ...[]string) {
		t.Helper()
		before := picture(t, id)
		x(t, "xdotool", "key", "n")
		eventually(t, "dialog of "+name, func() bool { return picture(t, id) != before })
		stable(t, id)
		screenshot(t, "dialog-"+name)
		for _, answer := range answers {
			x(t, "xdotool", answer...)
		}
		if got := string(r.wait(name)); got != want {
			t.Errorf("%s: page was answered %s, want %s", name, got, want)
		}
		eventually(t, "end of the dialog of "+name, func() bool { return picture(t, id) == before })
	}
	key := func(name string) []string { return []string{"key", name} }
	ask("alert", `"undefined"`, key("Return"))
	ask("yes", `true`, key("Return"))
	ask("no", `false`, key("Escape"))
	ask("name", `"Ada"`, key("ctrl+a"), []string{"type", "Ada"}, key("Return"))
	ask("none", `null`, key("Escape"))
}

// picture stands for what a window shows.
func picture(t *testing.T, id string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", "import -window "+id+" -depth 8 rgb:- | cksum")
	cmd.Env = append(os.Environ(), "DISPLAY="+display)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("import: %v", err)
	}
	return string(out)
}

// stable waits until a window shows the same for a moment, such as when an animation has ended.
func stable(t *testing.T, id string) {
	t.Helper()
	last := picture(t, id)
	eventually(t, "a still window", func() bool {
		time.Sleep(200 * time.Millisecond)
		now := picture(t, id)
		same := now == last
		last = now
		return same
	})
}
