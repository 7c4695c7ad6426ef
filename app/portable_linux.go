package app

import (
	"os"
	"path/filepath"
)

// UsePortableEngine makes the engine of this process keep everything in a portable folder. It is called before the
// first call of GTK, which reads these variables once. The player's own fonts and themes are still found.
func UsePortableEngine(dir string) error {
	home, err := dataHome()
	if err != nil {
		return err
	}
	dirs := os.Getenv("XDG_DATA_DIRS")
	if dirs == "" {
		dirs = "/usr/local/share:/usr/share"
	}
	for name, value := range map[string]string{
		"XDG_DATA_HOME": filepath.Join(dir, "engine"), "XDG_CACHE_HOME": filepath.Join(dir, "cache"), "XDG_DATA_DIRS": home + ":" + dirs,
	} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}
