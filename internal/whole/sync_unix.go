//go:build unix

package whole

import (
	"errors"
	"os"
	"syscall"
)

// syncDir makes a rename in the folder durable, where the disk can.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, d.Close())
}
