package app

import (
	"path/filepath"

	"conch/internal/saves"
)

// engineFolder is the engine's folder of this game.
func (a *App) engineFolder() (saves.Engine, string, error) {
	return saves.WebView2, filepath.Join(a.ProfileDir(), "webview2"), nil
}
