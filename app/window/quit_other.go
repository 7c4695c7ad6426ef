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

func quit() {
	framework.mu.Lock()
	ctx := framework.ctx
	framework.mu.Unlock()
	if ctx != nil {
		runtime.Quit(ctx)
	}
}

// beforeClose leaves the end of the window to the framework.
func beforeClose(context.Context) (prevent bool) { return false }
