package app

import (
	"os"
	"path/filepath"
)

// dataHome is the XDG data folder: relative values are ignored, as the specification says.
func dataHome() (string, error) {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "share"), err
}
