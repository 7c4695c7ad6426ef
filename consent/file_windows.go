package consent

import (
	"errors"
	"os"
	"os/user"

	"golang.org/x/sys/windows"
)

// openPlain opens a file of the player's own; it must not be a link.
func openPlain(path string, flag int) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "open", Path: path, Err: errors.New("is not a plain file")}
	}
	return os.OpenFile(path, flag, 0o600)
}

// ownFile and privateFile: who may use a file in the player's folder is the folder's access list on Windows.
func ownFile(os.FileInfo) bool     { return true }
func privateFile(os.FileInfo) bool { return true }

// tryLock takes the lock of f unless somebody else has it.
func tryLock(f *os.File) (bool, error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, os.NewSyscallError("LockFileEx", err)
}

// userID names the player's account on this machine.
func userID() (string, error) {
	u, err := user.Current()
	if err != nil {
		return "", err
	}
	return u.Uid, nil
}
