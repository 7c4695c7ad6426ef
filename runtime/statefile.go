package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"github.com/gofrs/flock"

	"conch/internal/whole"
)

const (
	stateName    = "games.json"
	stateLock    = "games.lock"
	stateFormat  = 1
	maxStateSize = 8 << 20
)

type stateFile struct {
	Format int      `json:"format"`
	Games  []Record `json:"games"`
}

var errSymlink = errors.New("is a symbolic link; it must be a plain file")

// lock keeps other processes out between reading and writing.
func (s *State) lock() (unlock func(), err error) {
	l, err := lockAt(filepath.Join(s.dir, stateLock))
	if err != nil {
		return nil, err
	}
	if err := l.Lock(); err != nil {
		return nil, errors.Join(fmt.Errorf("lock: %w", err), l.Close())
	}
	return func() { l.Close() }, nil
}

// TryLock takes the lock in the file at path, which is made when it is missing. ok is false when somebody else has it.
// It is given up by unlock, or with the process.
func TryLock(path string) (unlock func(), ok bool, err error) {
	l, err := lockAt(path)
	if err != nil {
		return nil, false, err
	}
	if ok, err = l.TryLock(); err != nil {
		err = fmt.Errorf("lock: %w", err)
	}
	if !ok {
		return nil, false, errors.Join(err, l.Close())
	}
	return func() { l.Close() }, true, nil
}

// lockAt refuses a link: a portable program's folder may come from a stranger.
func lockAt(path string) (*flock.Flock, error) {
	if err := refuseLink(path); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	return flock.New(path), nil
}

func refuseLink(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s %w", path, errSymlink)
	}
	return nil
}

// readLocked reads the games. A file that makes no sense is kept beside it and the state begins anew; a file of a
// newer version is an error, since writing would lose what that version knows.
func (s *State) readLocked() ([]Record, error) {
	path := filepath.Join(s.dir, stateName)
	if err := refuseLink(path); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxStateSize+1))
	f.Close()
	if err != nil {
		return nil, err
	}
	if len(text) > maxStateSize {
		return nil, s.setAside(path)
	}
	var version struct {
		Format int `json:"format"`
	}
	if json.Unmarshal(text, &version) == nil && version.Format > stateFormat {
		return nil, fmt.Errorf("%s was written by a newer Conch (format %d)", path, version.Format)
	}
	var file stateFile
	if err := json.Unmarshal(text, &file); err != nil || !valid(file) {
		return nil, s.setAside(path)
	}
	return file.Games, nil
}

var keyShape = regexp.MustCompile(`^conch-[a-z0-9-]{1,32}-[0-9a-f]{8}$`)

func valid(f stateFile) bool {
	keys, ports := map[string]bool{}, map[int]bool{}
	for _, r := range f.Games {
		if !keyShape.MatchString(r.Key) || keys[r.Key] || ports[r.Port] || r.Port < 1024 || r.Port > 65535 {
			return false
		}
		keys[r.Key], ports[r.Port] = true, true
	}
	return f.Format == stateFormat
}

// setAside keeps a file that makes no sense under the next free name.
func (s *State) setAside(path string) error {
	for n := 1; ; n++ {
		kept := fmt.Sprintf("%s.corrupt-%d", path, n)
		if _, err := os.Lstat(kept); errors.Is(err, os.ErrNotExist) {
			return os.Rename(path, kept)
		}
	}
}

// writeLocked replaces the file in one step: after a crash there is the old one or the new one.
func (s *State) writeLocked(games []Record) error {
	text, err := json.MarshalIndent(stateFile{stateFormat, games}, "", "  ")
	if err != nil {
		return err
	}
	return whole.Write(filepath.Join(s.dir, stateName), append(text, '\n'), 0o600)
}
