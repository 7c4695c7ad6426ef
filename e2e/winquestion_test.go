//go:build e2e

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// windowsQuestion shows the question of the Windows program and waits until it stands in front.
func windowsQuestion(t *testing.T, args ...string) *process {
	t.Helper()
	w, program := wine(t), windowsProgram(t, "./winquestion", "e2e")
	p := w.start(t, program, append(args, "ask", "wss://game.example.org/x")...)
	p.waitOutput("shown")
	focus(t, windowID(t, "^Conch$"))
	return p
}

// focus makes a window the active one. The window manager may be busy with another.
func focus(t *testing.T, id string) {
	t.Helper()
	eventually(t, "the window has the focus", func() bool {
		x(t, "sh", "-c", "xdotool windowactivate "+id+" || true")
		return strings.Contains(x(t, "sh", "-c", "xdotool getactivewindow || true"), id)
	})
}

// button is the middle of a button of the question.
func (p *process) button(label string) (x, y string) {
	p.t.Helper()
	at := regexp.MustCompile(`button (\d+) (\d+) (\d+) (\d+) ` + regexp.QuoteMeta(label)).FindStringSubmatch(p.output())
	if at == nil {
		p.t.Fatalf("no button %q", label)
	}
	var n [4]int
	for i := range n {
		n[i], _ = strconv.Atoi(at[i+1])
	}
	return strconv.Itoa(n[0] + n[2]/2), strconv.Itoa(n[1] + n[3]/2)
}

// otherWindow opens a window that has nothing to do with Conch.
func otherWindow(t *testing.T) string {
	t.Helper()
	start(t, append(newHome(t).env(), "LC_ALL=C"), nil, "xmessage", "-title", "Other", "other")
	return windowID(t, "^Other$")
}

// do is xdotool with one string, in which ALLOW, DENY and STOP are where the buttons are.
func (p *process) do(commands string) {
	p.t.Helper()
	words := strings.Fields(commands)
	for i, word := range words {
		label := map[string]string{"ALLOW": "Allow", "DENY": "Don't allow", "STOP": "Stop asking until I restart this game"}[word]
		if label != "" {
			left, top := p.button(label)
			words[i] = left + " " + top
		}
	}
	x(p.t, "xdotool", strings.Fields(strings.Join(words, " "))...)
}

// TestWindowsQuestionDenies: nothing but a calm press on Allow is a yes: not what is mashed or held while the question
// comes up, not a click where Allow will be, not Escape, Return or the close box.
func TestWindowsQuestionDenies(t *testing.T) {
	other := otherWindow(t)
	for _, row := range []struct {
		name   string
		calm   bool // done when Allow can be pressed; elsewhere while the player waits for that
		closes bool // what is done answers; elsewhere the question is still there, and Escape ends it
		do     string
	}{
		{"escape", false, true, "key Escape"},
		{"close box", false, true, "key alt+F4"},
		{"click on deny", false, true, "mousemove DENY click 1"},
		{"mash", false, false, "key --delay 60 space Return space Return Left space Right space Tab Return space Left Return space a y d n j"},
		{"held return", false, false, "keydown Return sleep 3 keyup Return"},
		{"held space", false, false, "key Tab keydown space sleep 3 keyup space"},
		{"tab and return at once", false, false, "key Tab key Return"},
		{"left and space at once", false, false, "key Left key space"},
		{"click in the delay", false, false, "mousemove ALLOW click 1 sleep 0.3 click 1 sleep 0.3 click --repeat 8 --delay 150 1"},
		{"calm return", true, true, "key Return"},
		{"mnemonics", true, false, "key a key alt+a key y key alt+y key d key n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := windowsQuestion(t)
			if row.calm {
				p.waitOutput("Allow on")
			} else { // on a slow machine the wait may be over by now: it begins anew with this
				question := windowID(t, "^Conch$")
				row.do = "windowactivate --sync " + other + " windowactivate --sync " + question + " " + row.do
			}
			p.do(row.do)
			if !row.closes {
				x(t, "xdotool", "sleep", "0.3")
				if strings.Contains(p.output(), "answer") {
					t.Errorf("was answered: %s", p.output())
				}
				x(t, "xdotool", "key", "Escape")
			}
			p.waitExit()
			if got := p.output(); !strings.Contains(got, "answer deny <nil>") || strings.Contains(got, "game key") {
				t.Errorf("output %s", got)
			}
		})
	}
}

// TestWindowsQuestionAllows: after the quiet second Allow can be pressed, with the mouse and with keys; and the third
// choice stops the asking.
func TestWindowsQuestionAllows(t *testing.T) {
	for _, row := range []struct {
		name, before, do, want string
	}{
		{"mouse", "", "mousemove ALLOW sleep 0.2 click 1", "answer allow <nil>"},
		{"keys", "", "key Left sleep 0.3 key space", "answer allow <nil>"},
		{"after the delay was disturbed", "key a", "key Left sleep 0.3 key space", "answer allow <nil>"},
		{"stop", "", "mousemove STOP sleep 0.2 click 1", "answer deny until restart <nil>"},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := windowsQuestion(t, "-stop")
			screenshot(t, "windows-question")
			if row.before != "" {
				p.do(row.before)
			}
			p.waitOutput("Allow on")
			p.do(row.do)
			p.waitExit()
			if got := p.output(); !strings.Contains(got, row.want) {
				t.Errorf("output %s", got)
			}
		})
	}
}

// TestWindowsQuestionWaitsInFront: Allow goes off while the question is behind another window, and the wait begins anew
// when it comes back.
func TestWindowsQuestionWaitsInFront(t *testing.T) {
	other, p := otherWindow(t), windowsQuestion(t)
	p.waitOutput("Allow on")
	focus(t, other)
	p.waitOutput("Allow off")
	p.do("sleep 2.5 windowactivate --sync " + windowID(t, "^Conch$") + " mousemove ALLOW click 1 sleep 0.2 key Escape")
	p.waitExit()
	if got := p.output(); strings.Count(got, "Allow on") != 1 || !strings.Contains(got, "answer deny <nil>") {
		t.Errorf("output %s", got)
	}
}

// TestWindowsQuestionGoesWithItsPage: the dialog goes when the question died, and the answer is no.
func TestWindowsQuestionGoesWithItsPage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "gone")
	p := windowsQuestion(t, "-until", windowsPath(file))
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	p.waitExit()
	if got := p.output(); !strings.Contains(got, "answer deny context canceled") {
		t.Errorf("output %s", got)
	}
}

// TestWindowsLongHostFitsTheScreen: the longest and widest name there is stands in the question whole, and its buttons
// are on a screen of 1024x768.
func TestWindowsLongHostFitsTheScreen(t *testing.T) {
	label := strings.Repeat("m", 62)
	host := strings.Join([]string{label, label, label, strings.Repeat("w", 56), "example"}, ".")
	if len(host) != 253 {
		t.Fatalf("host has %d characters", len(host))
	}
	program := windowsProgram(t, "./winquestion", "e2e")
	p := wine(t).start(t, "explorer.exe", "/desktop=small,1024x768", windowsPath(program), "-stop", "ask", "wss://"+host+":8443/")
	p.waitOutput("shown")
	focus(t, windowID(t, "^small"))
	screenshot(t, "windows-question-long")
	if !strings.Contains(p.output(), "screen 1024 768") {
		t.Errorf("not the screen that was asked for: %s", p.output())
	}
	for _, label := range []string{"Allow", "Don't allow", "Stop asking until I restart this game"} {
		var left, top, width, height int
		for _, line := range strings.Split(p.output(), "\n") {
			if strings.HasSuffix(strings.TrimSpace(line), label) {
				fmt.Sscanf(line, "button %d %d %d %d", &left, &top, &width, &height)
			}
		}
		if width == 0 || left < 0 || top < 0 || left+width > 1024 || top+height > 768 {
			t.Errorf("%s at %d,%d with %dx%d is not on the screen", label, left, top, width, height)
		}
	}
	x(t, "xdotool", "key", "Escape")
	p.waitExit()
}

// TestWindowsRemembersInTheCredentialManager: a yes is sealed with a key of the Windows Credential Manager, holds in
// the next process, and is void when the row was edited to name another host.
func TestWindowsRemembersInTheCredentialManager(t *testing.T) {
	w, program, dir := wine(t), windowsProgram(t, "./winquestion", "e2e"), t.TempDir()
	store := func(do, host string) string {
		t.Helper()
		out, code := w.run(t, program, do, windowsPath(dir), "wss://"+host+"/")
		if code != 0 {
			t.Fatalf("%s: exit code %d\n%s", do, code, out)
		}
		return out
	}
	const yes, no = "allowed true by system keychain", "allowed false by system keychain"
	for _, step := range []struct{ do, host, want string }{
		{"check", "good.example.org", no},
		{"remember", "good.example.org", yes},
		{"check", "good.example.org", yes},
		{"check", "evil.example.org", no},
	} {
		if got := store(step.do, step.host); !strings.Contains(got, step.want) {
			t.Errorf("%s %s: %s", step.do, step.host, got)
		}
	}
	edited := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		edited += bytes.Count(text, []byte("good.example.org"))
		return os.WriteFile(path, bytes.ReplaceAll(text, []byte("good.example.org"), []byte("evil.example.org")), 0o600)
	})
	if err != nil || edited == 0 {
		t.Fatalf("%d places edited: %v", edited, err)
	}
	if got := store("check", "evil.example.org"); !strings.Contains(got, no) || !strings.Contains(got, "whose seal is wrong") {
		t.Errorf("an edited row: %s", got)
	}
}

// TestWindowsWithoutWebView2: without the web view, the program offers to install it; after a no it says what is
// missing and ends.
func TestWindowsWithoutWebView2(t *testing.T) {
	game := newReporter(t).game(t, `"window": {"title": "Tiny"}`, nil, map[string]string{"index.html": page("")})
	p := wine(t).start(t, windowsProgram(t, "..", ""), "play", windowsPath(game))
	focus(t, windowID(t, "^Missing Requirements$"))
	screenshot(t, "windows-no-webview2")
	x(t, "xdotool", "key", "Escape")
	focus(t, windowID(t, "^Conch$"))
	screenshot(t, "windows-no-webview2-end")
	x(t, "xdotool", "key", "Return")
	if code := p.waitExit(); code != 1 || !strings.Contains(p.output(), "WebView2 runtime not installed") {
		t.Errorf("exit code %d, output %s", code, p.output())
	}
}
