// Package whole writes small files that are the old one or the new one, whatever happens in between.
package whole

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write replaces the file at path by text in one step and makes that durable. Only the player's account can read the
// file while it is written, and those that mode names afterwards.
func Write(path string, text []byte, mode fs.FileMode) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".conch-*") // made with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // fails when all went well
	_, err = temp.Write(text)
	if err == nil {
		err = temp.Chmod(mode)
	}
	if err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// Writable makes a folder when it is missing and tries whether files can be made in it.
func Writable(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	probe, err := os.CreateTemp(dir, ".conch-*")
	if err != nil {
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}
