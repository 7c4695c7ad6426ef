package runtime

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockFile waits until no other process holds the file; closing it gives it up.
func lockFile(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, new(windows.Overlapped))
}

// syncDir does nothing: Windows has no such call, renames are in the file system's journal.
func syncDir(string) error { return nil }
