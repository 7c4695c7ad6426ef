// Package saves copies one game's saves out into a file and back.
//
// A game's saves are what the web engine keeps for the game's own origin, and Conch's copy of its localStorage. The
// file (.conchsave) is an ordinary zip: a small manifest, then that data under names that do not depend on the origin,
// so that it can be put back where the game has another port. Cookies, caches, approvals and keys are never in it.
//
// The caller keeps the game from running meanwhile. [Export] alone also works while the engine's database process has
// the files open, as it has on the crash screen: databases are read through SQLite.
package saves

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Format is the version of the file format that this package writes; it reads this one and those before.
const Format = 1

// Limits of a file. Engines let a game keep a few GB at most; what is over these is not somebody's saves.
const (
	maxBytes   = 4 << 30 // of everything in it, unpacked
	maxFiles   = 50_000
	maxName    = 1024
	maxStorage = 12 << 20 // of the copy of localStorage
)

// Names in the file, and in Conch's folder of the game, that do not belong to an engine.
const (
	manifestName = "conch-saves.json"
	storageName  = "localstorage.json"
	restoreName  = "restore.json"
	keptName     = "kept-saves" // folder
	enginePrefix = "engine/"
)

// Place is where one game's saves are on this computer.
type Place struct {
	Engine  Engine
	Profile string // the engine's folder of this game; with Unknown not used
	Data    string // Conch's folder of this game: the copy of localStorage, and what was kept aside
	Origin  string // http://127.0.0.1:PORT
}

// storageFile is the copy of localStorage that the page script sends.
func (p Place) storageFile() string { return filepath.Join(p.Data, storageName) }

// RestoreFile holds localStorage that the page script puts into the engine at the next start, where the engine's own
// files of it could not be taken over.
func (p Place) RestoreFile() string { return filepath.Join(p.Data, restoreName) }

// Manifest says whose saves a file holds.
type Manifest struct {
	Format int    `json:"format"`
	Game   string `json:"game"` // "key:FINGERPRINT:ID" of a signed game, "id:ID", else "content:DIGEST"
	Key    string `json:"key"`  // Conch's name for the game where the file was made
	Name   string `json:"name"`
	Engine Engine `json:"engine"`
	Conch  string `json:"conch"`  // version that wrote the file
	Origin string `json:"origin"` // that the saves belonged to
}

// sameGame reports whether saves of other belong to m's game. A game with neither signature nor id is recognised by
// its content, or as Conch does it: by the place it was played from, which its key names.
func (m Manifest) sameGame(other Manifest) bool {
	if m.Game == other.Game {
		return true
	}
	return m.Key == other.Key && strings.HasPrefix(m.Game, "content:") && strings.HasPrefix(other.Game, "content:")
}

// Errors to compare.
var (
	ErrNothing   = errors.New("the game has no saves yet")
	ErrOtherGame = errors.New("the file holds the saves of another game")
)

// FileError says what is wrong with a file of saves.
type FileError struct{ Problem string }

func (e *FileError) Error() string { return "this is no usable file of saves: " + e.Problem }

func badFile(format string, args ...any) error { return &FileError{fmt.Sprintf(format, args...)} }

// checkName accepts names that mean the same file below a folder on every system.
func checkName(name string) error {
	if len(name) > maxName || !utf8.ValidString(name) || !fs.ValidPath(name) || name == "." {
		return badFile("the name %.80q leaves its folder or is too long", name)
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.ContainsFunc(part, func(r rune) bool { return unicode.IsControl(r) || strings.ContainsRune(`\:*?"<>|`, r) }) ||
			strings.HasSuffix(part, ".") || strings.HasSuffix(part, " ") {
			return badFile("the name %.80q cannot be used on every system", name)
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
