package runtime

import (
	"errors"
	"syscall"

	"golang.org/x/sys/windows"
)

// soExclusiveAddrUse is ~SO_REUSEADDR. Without it another program could take over a port that is listened on.
const soExclusiveAddrUse = ^windows.SO_REUSEADDR

func exclusive(_, _ string, c syscall.RawConn) error {
	var failed error
	err := c.Control(func(fd uintptr) {
		failed = windows.SetsockoptInt(windows.Handle(fd), windows.SOL_SOCKET, soExclusiveAddrUse, 1)
	})
	return errors.Join(err, failed)
}

// isTaken also covers ports that Windows keeps for itself (WSAEACCES).
func isTaken(err error) bool {
	return errors.Is(err, windows.WSAEADDRINUSE) || errors.Is(err, windows.WSAEACCES)
}
