package window

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
)

// startsByItself: the framework's start page moves on to the entry address.
const startsByItself = false

func prepare(string) error { return nil }

// portable has nothing to do: WKWebView's folder cannot be moved.
func portable() error { return nil }

func raiseWindow()       {}
func stopPage()          {}
func notice(_, _ string) {}

// openInBrowser starts the system browser with a URL that externalURL approved.
func openInBrowser(link string) error { return exec.Command("open", link).Run() }

// fitScreen leaves the size to the system, which keeps windows on the screen.
func fitScreen(width, height int) (int, int) { return width, height }

// EngineVersion names the engine; it is part of the system.
func EngineVersion() (string, error) { return "WKWebView", nil }

// attach has nothing to install: the headers of the game's server carry the rules on this system.
func attach(h *hooks, _ rules) { h.attached(true) }

// Alert shows a native box and answers the index of the button pressed, -1 when it was closed. Text and title are
// arguments of the script, never part of it.
func Alert(_ context.Context, title, text string, buttons ...string) int {
	args := []string{"-e", "on run argv", "-e", "set t to item 1 of argv", "-e", "set x to item 2 of argv",
		"-e", "set b to items 3 thru -1 of argv", "-e", "button returned of (display dialog x with title t buttons b)",
		"-e", "end run", title, clean(text)}
	out, err := exec.Command("osascript", append(args, buttons...)...).Output()
	if err != nil {
		return -1
	}
	for i, b := range buttons {
		if string(out) == b+"\n" {
			return i
		}
	}
	return -1
}

func downloadFolder() string {
	home, _ := os.UserHomeDir()
	return filepath.Join(home, "Downloads")
}
