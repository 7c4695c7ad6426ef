package window

import (
	"context"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// startsByItself: the framework's start page moves on to the entry address.
const startsByItself = false

// prepare has nothing to do: the framework shows its own box when WebView2 is missing.
func prepare(string) error { return nil }

// portable has nothing to do: the profile is in Conch's own folder.
func portable() error { return nil }

func raiseWindow()       {}
func stopPage()          {}
func notice(_, _ string) {}
func openInBrowser(link string) error {
	verb, err := windows.UTF16PtrFromString("open")
	if err != nil {
		return err
	}
	target, err := windows.UTF16PtrFromString(link)
	if err != nil {
		return err
	}
	return windows.ShellExecute(0, verb, target, nil, nil, windows.SW_SHOWNORMAL)
}

// fitScreen leaves the size to the system, which keeps windows on the screen.
func fitScreen(width, height int) (int, int) { return width, height }

// EngineVersion names the engine; its version is known to the system's installer only.
func EngineVersion() (string, error) { return "WebView2", nil }

// attach has nothing to install: the headers of the game's server carry the rules on this system.
func attach(h *hooks, _ rules) { h.attached(true) }

// Alert shows a native box with one or two buttons and answers the index pressed, -1 when it was closed.
func Alert(_ context.Context, title, text string, buttons ...string) int {
	t, err := windows.UTF16PtrFromString(clean(title))
	if err != nil {
		return -1
	}
	x, err := windows.UTF16PtrFromString(clean(text))
	if err != nil {
		return -1
	}
	const retryCancel, retry = 0x5, 4
	if len(buttons) < 2 {
		windows.MessageBox(0, x, t, windows.MB_ICONERROR|windows.MB_OK)
		return 0
	}
	answer, _ := windows.MessageBox(0, x, t, windows.MB_ICONWARNING|retryCancel)
	if answer == retry {
		return 0
	}
	return -1
}

func downloadFolder() string {
	dir, err := windows.KnownFolderPath(windows.FOLDERID_Downloads, 0)
	if err != nil {
		return filepath.Join(".", "Downloads")
	}
	return dir
}
