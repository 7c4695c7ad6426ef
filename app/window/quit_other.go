//go:build !linux

package window

import (
	"context"
	"sync"

	"github.com/wailsapp/wails/v2/pkg/runtime"
)

// framework holds the context that the framework's own calls need; it is known after start only.
var framework struct {
	mu  sync.Mutex // guards ctx
	ctx context.Context
}

func started(ctx context.Context) {
	framework.mu.Lock()
	defer framework.mu.Unlock()
	framework.ctx = ctx
}

func frameworkContext() context.Context {
	framework.mu.Lock()
	defer framework.mu.Unlock()
	return framework.ctx
}

func quit() {
	if ctx := frameworkContext(); ctx != nil {
		runtime.Quit(ctx)
	}
}

// leaveFullscreen leaves the window's full screen, so that nothing of the game hides a question, and answers what
// gives it back.
func leaveFullscreen() (restore func()) {
	ctx := frameworkContext()
	if ctx == nil || !runtime.WindowIsFullscreen(ctx) {
		return func() {}
	}
	runtime.WindowUnfullscreen(ctx)
	return func() { runtime.WindowFullscreen(ctx) }
}

// beforeClose leaves the end of the window to the framework.
func beforeClose(context.Context) (prevent bool) { return false }
