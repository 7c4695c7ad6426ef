//go:build unix

package consent

import (
	"errors"
	"os"
	"strconv"
	"syscall"
)

// openPlain opens a file of the player's own; the last part of path must not be a link.
func openPlain(path string, flag int) (*os.File, error) {
	return os.OpenFile(path, flag|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
}

// ownFile reports whether a file belongs to the player.
func ownFile(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// privateFile reports whether only its owner can read and write a file.
func privateFile(info os.FileInfo) bool { return info.Mode().Perm()&0o077 == 0 }

// tryLock takes the lock of f unless somebody else has it.
func tryLock(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case errors.Is(err, syscall.EINTR):
		default:
			return false, os.NewSyscallError("flock", err)
		}
	}
}

// userID names the player's account on this machine.
func userID() (string, error) { return strconv.Itoa(os.Getuid()), nil }
