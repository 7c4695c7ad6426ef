package app

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"conch/consent"
	"conch/internal/whole"
)

// PortableFile is the name of the file that makes the program beside it portable, and portableFolder where everything
// then is.
const (
	PortableFile   = "conch.portable"
	portableFolder = "conch-data"
)

// Portable is the folder that everything is kept in when a file conch.portable lies beside the program: Conch's own
// state and the engine's profiles. "": the program is not portable, or CONCH_DATA names a folder.
func Portable() (string, error) {
	if os.Getenv("CONCH_DATA") != "" {
		return "", nil
	}
	exe, err := os.Executable()
	if err != nil {
		return "", nil
	}
	if real, err := filepath.EvalSymlinks(exe); err == nil {
		exe = real
	}
	return portableIn(filepath.Dir(exe))
}

// portableIn is Portable for a program in dir. The data folder is made, and tried, so that a folder which cannot be
// written is said before a game was played for nothing.
func portableIn(dir string) (string, error) {
	_, err := os.Lstat(filepath.Join(dir, PortableFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	data := filepath.Join(dir, portableFolder)
	if err == nil {
		err = whole.Writable(data)
	}
	if err != nil {
		return "", fmt.Errorf("portable mode: %s cannot be written (%w); move the program's folder to a disk that can be written, or remove %s beside it", data, err, PortableFile)
	}
	return data, nil
}

// isPortable reports whether dataDir is the portable one.
func isPortable(dataDir string) bool {
	dir, err := Portable()
	return err == nil && dir != "" && dir == dataDir
}

// OpenApprovals opens the players' answers in a data folder. Those of a portable program are sealed with a key in a
// file beside them: the system's key store would not travel with them.
func OpenApprovals(dataDir string, log *slog.Logger) (*consent.Store, error) {
	if isPortable(dataDir) {
		return consent.OpenWithFile(ApprovalsDir(dataDir), log)
	}
	return consent.Open(ApprovalsDir(dataDir), log)
}
