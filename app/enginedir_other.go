//go:build !linux && !windows

package app

import "conch/internal/saves"

// engineFolder: WKWebView keeps one store for the whole program, which Conch does not touch.
func (a *App) engineFolder() (saves.Engine, string, error) { return saves.Unknown, "", nil }
