package app

import (
	"path/filepath"

	"conch/internal/saves"
)

// engineHome is where WebKitGTK keeps a folder per program name, and so per game.
func engineHome() (string, error) {
	if dir, err := Portable(); dir != "" || err != nil {
		return filepath.Join(dir, "engine"), err
	}
	return dataHome()
}

// engineFolder is the engine's folder of this game.
func (a *App) engineFolder() (saves.Engine, string, error) {
	home, err := engineHome()
	return saves.WebKitGTK, filepath.Join(home, a.Key), err
}
