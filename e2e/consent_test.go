//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// askPage connects to the hosts of its address list, one after the report "go" of each, and reports what happens.
const askPage = `
const open = url => {
  const s = net.connect(url)
  s.onOpen = () => { report('open', url); s.send('hello') }
  s.onError = m => report('error', url + ' ' + m)
  s.onClose = code => report('close', url + ' ' + code)
}
addEventListener('keydown', e => report('key', e.key))
window.open_ = open
`

// anyGame is a game with "allow any host" whose page connects to urls at once.
func (r *reporter) anyGame(t *testing.T, title, urls string) string {
	t.Helper()
	return r.game(t, `"id": "org.example.`+title+`", "window": {"title": "`+title+`", "width": 800, "height": 500},
		"network": {"allowedHosts": ALLOWED, "allowAnyHost": true}`, nil,
		map[string]string{"index.html": page(askPage + `for (const url of ` + urls + `) open(url)`)})
}

// waitDialog waits for the question and puts the focus on it.
func waitDialog(t *testing.T) string {
	t.Helper()
	return activate(t, "^Conch$")
}

// allow presses Allow as a player would: one key at a time, never sooner than the quiet second. Keys that came too soon
// did nothing.
func allow(t *testing.T) {
	t.Helper()
	id := windowID(t, "^Conch$")
	eventually(t, "the end of the question", func() bool {
		x(t, "xdotool", "sleep", "2", "key", "Left", "sleep", "0.3", "key", "space", "sleep", "0.3")
		return !strings.Contains(tool("xwininfo", "-id", id), "IsViewable")
	})
}

// TestYesIsRememberedAndNoIsNot: no, then asked again; yes, then never again, also after a restart; forgotten, asked
// again, and the open socket is closed.
func TestYesIsRememberedAndNoIsNot(t *testing.T) {
	r, h, s := newReporter(t), newHome(t), newEcho(t)
	url := fmt.Sprintf("ws://127.0.0.1:%d/x", s.port)
	dir := r.anyGame(t, "remember", `["`+url+`"]`)

	p := play(t, h, dir)
	waitDialog(t)
	screenshot(t, "consent")
	x(t, "xdotool", "key", "Escape")
	if got := r.waitString("error"); !strings.Contains(got, "refused by the player") {
		t.Errorf("after Escape: %s", got)
	}
	r.wait("close")
	p.stop()

	p = play(t, h, dir)
	waitDialog(t)
	allow(t)
	r.wait("open")
	s.next(t)
	p.stop()

	p = play(t, h, dir)
	r.wait("open") // nobody pressed anything
	c := s.next(t)
	if got := c.receive(t); got != "hello" {
		t.Errorf("server got %q", got)
	}
	list := exec.Command(conchBin, "approvals", "list", "--json")
	list.Env = h.env()
	text, err := list.Output()
	if err != nil || !bytes.Contains(text, fmt.Appendf(nil, "127.0.0.1:%d", s.port)) {
		t.Errorf("approvals list: %v %s", err, text)
	}
	forget := exec.Command(conchBin, "approvals", "forget", "--all")
	forget.Env = h.env()
	if out, err := forget.CombinedOutput(); err != nil {
		t.Fatalf("forget: %v %s", err, out)
	}
	r.wait("close")
	p.stop()

	play(t, h, dir)
	waitDialog(t)
	x(t, "xdotool", "key", "Escape")
	r.wait("error")
}

// TestKeysDoNotAnswerTheQuestion: keys that are mashed or held while the dialog comes up, and clicks where Allow will
// be, never allow.
func TestKeysDoNotAnswerTheQuestion(t *testing.T) {
	for _, row := range []struct {
		name string
		do   []string
	}{
		{"mash", strings.Fields("key --delay 60 space Return space Return Left space Right space Tab Return space Left Return space")},
		{"held space", strings.Fields("keydown space sleep 3 keyup space")},
		{"left and space at once", strings.Fields("key Left key space")},
		{"tab and return at once", strings.Fields("key Tab key Return")},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, h, s := newReporter(t), newHome(t), newEcho(t)
			dir := r.anyGame(t, "mash", fmt.Sprintf(`["ws://127.0.0.1:%d/x"]`, s.port))
			play(t, h, dir)
			waitDialog(t)
			x(t, "xdotool", row.do...)
			x(t, "xdotool", "sleep", "0.2", "key", "Escape")
			if got := r.waitString("error"); !strings.Contains(got, "refused by the player") {
				t.Errorf("%s", got)
			}
			select {
			case <-s.conns:
				t.Error("keys allowed the host")
			default:
			}
		})
	}
}

// TestQuestionsComeOneAtATime: two hosts in one tick give two dialogs after each other, and the answer belongs to the
// host that it names.
func TestQuestionsComeOneAtATime(t *testing.T) {
	r, h, a, b := newReporter(t), newHome(t), newEcho(t), newEcho(t)
	one, two := fmt.Sprintf("ws://127.0.0.1:%d/x", a.port), fmt.Sprintf("ws://127.0.0.1:%d/x", b.port)
	// Sockets opened together may arrive in any order: the second comes while the first is asked about.
	dir := r.game(t, `"id": "org.example.two", "window": {"title": "two", "width": 800, "height": 500},
		"network": {"allowedHosts": ALLOWED, "allowAnyHost": true}`, nil, map[string]string{
		"index.html": page(askPage + `open('` + one + `'); setTimeout(() => { open('` + two + `'); report('both') }, 1000)`)})
	play(t, h, dir)
	r.wait("both")
	waitDialog(t)
	if n := len(strings.Fields(x(t, "xdotool", "search", "--onlyvisible", "--name", "^Conch$"))); n != 1 {
		t.Errorf("%d dialogs at once", n)
	}
	x(t, "xdotool", "key", "Escape")
	if got := r.waitString("error"); !strings.HasPrefix(got, one) {
		t.Errorf("the first answer went to %s, want %s", got, one)
	}
	waitDialog(t)
	allow(t)
	if got := r.waitString("open"); got != two {
		t.Errorf("the second answer went to %s, want %s", got, two)
	}
}

// TestQuestionGoesWithItsPage: a page that reloads or goes takes its question with it, and full screen is left for the
// question and given back.
func TestQuestionGoesWithItsPage(t *testing.T) {
	r, h, s := newReporter(t), newHome(t), newEcho(t)
	url := fmt.Sprintf("ws://127.0.0.1:%d/x", s.port)
	dir := r.game(t, `"id": "org.example.goes", "window": {"title": "goes", "width": 800, "height": 500},
		"network": {"allowedHosts": ALLOWED, "allowAnyHost": true}`, nil, map[string]string{"index.html": page(askPage + `
if (!sessionStorage.getItem('again')) { sessionStorage.setItem('again', '1'); open('` + url + `'); setTimeout(() => location.reload(), 3000) }
else report('again')`)})
	play(t, h, dir)
	waitDialog(t)
	r.wait("again")
	eventually(t, "the dialog is gone", func() bool {
		cmd := exec.Command("xdotool", "search", "--onlyvisible", "--name", "^Conch$")
		cmd.Env = append(os.Environ(), "DISPLAY="+display)
		out, _ := cmd.Output()
		return len(strings.TrimSpace(string(out))) == 0
	})
}

// TestLongHostFitsTheScreen: the longest name there is stands in the dialog whole, and the buttons are on the screen.
func TestLongHostFitsTheScreen(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	label := strings.Repeat("a", 62)
	host := strings.Join([]string{label, label, label, strings.Repeat("b", 56), "example"}, ".")
	if len(host) != 253 {
		t.Fatalf("host has %d characters", len(host))
	}
	dir := r.anyGame(t, "long", `["wss://`+host+`/"]`)
	play(t, h, dir)
	id := waitDialog(t)
	screenshot(t, "consent-long")
	var left, top, width, height int
	for _, line := range strings.Split(x(t, "xwininfo", "-id", id), "\n") {
		line = strings.TrimSpace(line)
		fmt.Sscanf(line, "Absolute upper-left X: %d", &left)
		fmt.Sscanf(line, "Absolute upper-left Y: %d", &top)
		fmt.Sscanf(line, "Width: %d", &width)
		fmt.Sscanf(line, "Height: %d", &height)
	}
	if width == 0 || left < 0 || top < 0 || left+width > 1024 || top+height > 768 {
		t.Errorf("dialog at %d,%d with %dx%d does not fit 1024x768", left, top, width, height)
	}
	x(t, "xdotool", "key", "Escape")
	r.wait("error")
}

// TestPlayTestReloadsAndShowsTheConsole: `conch dev` prints the page's console, reloads when a file changes, asks once
// about an unlisted host although the switch is off, and stores nothing.
func TestPlayTestReloadsAndShowsTheConsole(t *testing.T) {
	r, h, s := newReporter(t), newHome(t), newEcho(t)
	url := fmt.Sprintf("ws://127.0.0.1:%d/x", s.port)
	dir := r.game(t, `"id": "org.example.dev", "window": {"title": "dev"}`, nil, map[string]string{
		"index.html": page(askPage + `
console.log('version', 1, { ok: true })
addEventListener('message', () => {})
open('` + url + `')
report('loaded')`)})
	p := start(t, h.env(), nil, conchBin, "dev", dir)
	r.wait("loaded")
	p.waitOutput(`version 1 {"ok":true}`)
	waitDialog(t)
	allow(t)
	r.wait("open")
	text, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("'version', 1"), []byte("'version', 2"), 1)
	if err := os.WriteFile(filepath.Join(dir, "index.html"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	r.wait("loaded")
	r.wait("open") // once per run
	p.waitOutput(`version 2`)
	p.stop()
	list := exec.Command(conchBin, "approvals", "list", "--json")
	list.Env = h.env()
	out, err := list.Output()
	var rows []any
	if err != nil || json.Unmarshal(out, &rows) != nil || len(rows) != 0 {
		t.Errorf("a play-test stored approvals: %v %s", err, out)
	}
}
