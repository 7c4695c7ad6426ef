//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// demoJS tells where the demo's buttons are, when they can be pressed.
const demoJS = `
const said = new Set()
function once(name, value) {
  if (said.has(name)) return
  said.add(name)
  let frames = 20 // until it is on the screen
  const next = () => (--frames ? requestAnimationFrame(next) : report(name, value))
  next()
}
function spot(name, ...selectors) {
  const all = selectors.map(s => document.querySelector(s))
  if (said.has(name) || all.some(e => !e || e.disabled || !e.getClientRects().length)) return
  all[0].scrollIntoView({ block: 'center' })
  once(name, all.map(e => { const r = e.getBoundingClientRect(); return [Math.round(r.x + r.width / 2), Math.round(r.y + r.height / 2)] }))
}
const other = () => skiff.crew.find(b => !b.me)
const words = selector => document.querySelector(selector).innerText
setInterval(() => { SCRIPT }, 100)
`

// demoGame is a copy of the demo, with a script behind it.
func (r *reporter) demoGame(t *testing.T, title, name, script string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "examples", "skiff", "game"))); err != nil {
		t.Fatal(err)
	}
	edit := func(file string, pairs ...string) {
		path := filepath.Join(dir, file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(pairs); n += 2 {
			if !strings.Contains(string(text), pairs[n]) {
				t.Fatalf("the demo's %s has no %s", file, pairs[n])
			}
		}
		if err := os.WriteFile(path, []byte(strings.NewReplacer(pairs...).Replace(string(text))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	edit("conch.json", `"conch.example.skiff"`, `"org.example.`+title+`"`, `"title": "Skiff"`, `"title": "`+title+`"`,
		`"width": 1280`, `"width": 640`, `"height": 720`, `"height": 720`,
		`"allowedHosts": [`, fmt.Sprintf(`"allowedHosts": ["127.0.0.1:%d", `, r.Port))
	edit("index.html", "</body>", "<script>"+strings.ReplaceAll(reportJS, "REPORT_PORT", strconv.Itoa(r.Port))+
		`</script><script type="module">`+strings.Replace(demoJS, "SCRIPT", script, 1)+"</script></body>")
	edit("src/race.js", "RACE_TIME = 120000", "RACE_TIME = 15000")
	edit("src/main.js", "NAMES[Math.floor(Math.random() * NAMES.length)]", "'"+name+"'")
	return dir
}

// press clicks into a window where the page said that a thing is, the n-th of the report.
func (r *reporter) press(window, name string, n int) {
	r.t.Helper()
	var at [][2]int
	if err := json.Unmarshal(r.wait(name), &at); err != nil || len(at) <= n {
		r.t.Fatalf("%s: %v %v", name, at, err)
	}
	x(r.t, "xdotool", "mousemove", "--window", window, strconv.Itoa(at[n][0]), strconv.Itoa(at[n][1]), "click", "1")
}

// TestDemoAmongFriends: one window of the demo hosts a race, another joins it by its code, with a name of its own; both see two boats in the lobby and
// in the race, the host sees the other one steer, and its boat goes when its player does. A host that is gone is waited for.
func TestDemoAmongFriends(t *testing.T) {
	one, two := newReporter(t), newReporter(t)
	hosting := play(t, newHome(t), one.demoGame(t, "skiffone", "Ada", `
spot('host', '#host')
if (!document.querySelector('#lobby').hidden) once('lobby', [words('#lobby b'), words('#lobby .way')])
if (skiff.boats === 2) once('two', skiff.crew.map(b => b.name))
if (said.has('two')) spot('start', '#lobby .start')
if (said.has('start') && document.querySelector('#lobby').hidden && other()) {
  globalThis.from ??= other()
  once('race', true)
  if (Math.abs(other().h - from.h) > 1 && Math.hypot(other().x - from.x, other().y - from.y) > 20) once('steered', other().name)
}
if (said.has('race') && document.querySelector('#board').getClientRects().length) once('board', document.querySelectorAll('#board li').length)
if (said.has('board') && !document.querySelector('#lobby').hidden && skiff.boats === 1) once('alone', skiff.crew[0].name)
if (said.has('alone') && skiff.boats === 2) once('again', skiff.crew.map(b => b.name))`))
	host := windowID(t, "^(skiffone|Skiff)")
	x(t, "xdotool", "windowmove", host, "0", "0")
	one.press(host, "host", 0)
	var lobby [2]string
	if err := json.Unmarshal(one.wait("lobby"), &lobby); err != nil {
		t.Fatal(err)
	}
	code, isCode := strings.CutPrefix(lobby[0], "Join code ")
	address, _, isHere := strings.Cut(lobby[1], ", this computer only")
	address, isAt := strings.CutPrefix(address, "at ")
	if !isCode || !isHere || !isAt {
		t.Fatalf("the lobby says %q", lobby)
	}
	dismissHostQuestion(t)

	play(t, newHome(t), two.demoGame(t, "skifftwo", "Ada", `
spot('friend', '#friend', '#address', '#code', '#friend button')
if (document.activeElement.id === 'address') once('address', true)
if (document.activeElement.id === 'code') once('code', document.querySelector('#address').value)
if (document.querySelector('#code').value.length >= 6) spot('join', '#friend button')
spot('home', '#lost .home')
if (said.has('home')) spot('name', '#name')
if (document.activeElement.id === 'name') once('naming', true)
if (document.querySelector('#name').value === 'Bo') spot('renamed', '#friend button')
if (skiff.boats === 2) once('two', skiff.crew.map(b => b.name))
if (said.has('two') && document.querySelector('#board').getClientRects().length) once('board', document.querySelectorAll('#board li').length)
if (said.has('board') && skiff.boats === 2) spot('leave', '#lobby .leave')
if (said.has('leave') && words('#friend button') === 'Join') spot('again', '#friend button')
if (document.querySelector('#lost').getClientRects().length) once(words('#lost b'), true)`))
	guest := ""
	eventually(t, "the second window", func() bool {
		for _, id := range strings.Fields(tool("xdotool", "search", "--onlyvisible", "--name", "^(skifftwo|Skiff)")) {
			if id != host {
				guest = id
			}
		}
		return guest != ""
	})
	x(t, "xdotool", "windowmove", guest, "642", "0")
	eventually(t, "the keyboard on the second window", func() bool {
		tool("xdotool", "windowactivate", guest)
		return tool("xdotool", "getactivewindow") == guest
	})
	two.press(guest, "friend", 1)
	two.wait("address") // has the keyboard
	x(t, "xdotool", "type", "--delay", "40", address)
	x(t, "xdotool", "key", "Tab")
	two.want("code", `"`+address+`"`)
	x(t, "xdotool", "type", "--delay", "40", strings.ToLower(code))
	two.press(guest, "join", 0)
	two.wait("Somebody here is called Ada: take another name")
	two.press(guest, "home", 0)
	two.press(guest, "name", 0)
	two.wait("naming")
	x(t, "xdotool", "key", "ctrl+a")
	x(t, "xdotool", "type", "--delay", "40", "Bo")
	two.press(guest, "renamed", 0)
	one.want("two", `["Ada","Bo"]`)
	two.want("two", `["Ada","Bo"]`)
	screenshot(t, "skiff-lobby")

	one.press(host, "start", 0)
	one.wait("race")
	eventually(t, "the keyboard on the second window", func() bool {
		tool("xdotool", "windowactivate", guest)
		return tool("xdotool", "getactivewindow") == guest
	})
	x(t, "xdotool", "keydown", "d")
	defer x(t, "xdotool", "keyup", "d")
	one.want("steered", `"Bo"`)
	screenshot(t, "skiff-race")
	x(t, "xdotool", "keyup", "d")

	one.want("board", "2")
	two.want("board", "2")
	screenshot(t, "skiff-board")
	two.press(guest, "leave", 0)
	one.want("alone", `"Ada"`)
	screenshot(t, "skiff-left")

	two.press(guest, "again", 0)
	one.want("again", `["Ada","Bo"]`)
	hosting.kill()
	two.wait("Reconnecting…")
	screenshot(t, "skiff-reconnecting")
}

// TestDemoWithoutConch: in a browser alone the demo says why nobody hosts or joins there.
func TestDemoWithoutConch(t *testing.T) {
	r := newReporter(t)
	dir := r.demoGame(t, "skiffbare", "Ada", `
once('host', [words('#host-note'), document.querySelector('#host').disabled])
once('friend', [words('#friend-note'), document.querySelector('#friend button').disabled])`)
	site := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(site.Close)
	chromium(t, newHome(t), site.URL)
	for _, entry := range []string{"host", "friend"} {
		r.want(entry, `["Only in Conch: a browser alone cannot do this",true]`)
	}
}
