package app

import (
	"errors"
	"net/http"
	"net/url"

	"conch/runtime/bundle"
)

var errTampered = errors.New("the game was stopped: it is not what its author signed")

// stopTampered ends the game for the player when a signed file turns out to be changed while it is read: from then on
// there is only a screen that names the file. The changed bytes were not handed out.
func (a *App) stopTampered(e *bundle.TamperError) {
	if a.Server == nil || !a.tampered.CompareAndSwap(nil, e) { // while it is opened, the error itself is the answer
		return
	}
	a.opts.Logger.Error("the game was stopped", "file", e.File, "err", e)
	a.Server.Stop(a.Bundle.Title + " was stopped: it was changed after its author signed it. The file " + e.File + " " + e.Reason +
		". Get the game again.")
	// Not from here: this is in the middle of an answer to the page.
	a.serving.Go(func() {
		a.manager.Page().Close()
		a.Relay.CloseHost(func(*url.URL) bool { return true })
		a.mu.Lock()
		stop := a.onStop
		a.mu.Unlock()
		if stop != nil {
			stop()
		}
	})
}

// authorizeSocket lets the page's sockets through to the policy.
func (a *App) authorizeSocket(r *http.Request) error {
	if a.tampered.Load() != nil {
		return errTampered
	}
	return a.Server.CheckCookie(r)
}

// OnStop sets what is called when the game is stopped for good: the page must go, and the view shows the crash screen.
func (a *App) OnStop(f func()) {
	a.mu.Lock()
	a.onStop = f
	a.mu.Unlock()
	if a.tampered.Load() != nil {
		f()
	}
}
