package update

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"conch/internal/whole"
	"conch/runtime/bundle"
)

const (
	stateName = "update.json"
	maxState  = 64 << 10
)

// state is what is remembered about a game's updates between starts.
type state struct {
	Checked   time.Time `json:"checked"`             // when the feed was asked for last
	Highest   string    `json:"highest,omitempty"`   // newest version that a good feed named
	Date      time.Time `json:"date"`                // of that feed
	Skipped   string    `json:"skipped,omitempty"`   // version that the player does not want to hear of
	Off       bool      `json:"off,omitempty"`       // the player wants no checks for this game
	Installed string    `json:"installed,omitempty"` // version put in place whose first start is awaited
	Old       string    `json:"old,omitempty"`       // where the version before it is kept until then
}

// readState reads the state in dir. One that makes no sense is as if absent: it holds nothing but comfort and the
// memory of versions, which begins anew.
func readState(dir string) state {
	var s state
	f, err := os.Open(filepath.Join(dir, stateName))
	if err != nil {
		return s
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxState))
	if err != nil || json.Unmarshal(text, &s) != nil {
		return state{}
	}
	for _, v := range []*string{&s.Highest, &s.Skipped, &s.Installed} {
		if _, err := bundle.ParseVersion(*v); err != nil {
			*v = ""
		}
	}
	return s
}

// changeState reads the state, lets change work on it and writes it, one process at a time.
func changeState(ctx context.Context, dir string, change func(*state)) error {
	lock := flock.New(filepath.Join(dir, "update.lock"))
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return fmt.Errorf("update state: lock: %w", err)
	}
	defer lock.Close()
	s := readState(dir)
	change(&s)
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("update state: %w", err)
	}
	if err := whole.Write(filepath.Join(dir, stateName), append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("update state: %w", err)
	}
	return nil
}

// offName is the file whose presence in Conch's data folder means: no game looks for updates by itself.
const offName = "no-update-checks"

// SetAutomatic remembers whether games look for updates by themselves.
func SetAutomatic(dataDir string, on bool) error {
	path := filepath.Join(dataDir, offName)
	if on {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("update setting: %w", err)
		}
		return nil
	}
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		return fmt.Errorf("update setting: %w", err)
	}
	if err := whole.Write(path, nil, 0o600); err != nil {
		return fmt.Errorf("update setting: %w", err)
	}
	return nil
}

// Automatic reports whether games look for updates by themselves.
func Automatic(dataDir string) bool {
	_, err := os.Lstat(filepath.Join(dataDir, offName))
	return errors.Is(err, os.ErrNotExist)
}
