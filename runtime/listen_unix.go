//go:build unix

package runtime

import (
	"errors"
	"syscall"
)

// exclusive has nothing to add here: no second program can take a port that is listened on.
func exclusive(_, _ string, _ syscall.RawConn) error { return nil }

func isTaken(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }
