package saves

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"conch/internal/whole"
)

// base is one of the two folders that a game's saves are in; they may be on different disks, and a rename stays on one.
type base string

const (
	inProfile base = "profile"
	inData    base = "data"
)

// step replaces one file or folder.
type step struct {
	Base   base   `json:"base"`
	Target string `json:"target"` // relative to the base
	New    string `json:"new"`    // in the staging folder; "": only taken away
	Aside  string `json:"aside"`  // in the staging folder: where the old one is kept until the end
}

// swap replaces several files and folders so that all are new or all are old. Its journal is on the disk before the
// first rename and gone after the last: whoever finds one undoes what it names.
type swap struct {
	place Place
	steps []step
}

// asideName is what replace gives.
var asideName = regexp.MustCompile(`^old-[0-9]+$`)

const (
	stagingName = ".conch-import"
	journalName = "import.json"
)

func (p Place) folder(b base) string {
	if b == inProfile && p.Engine != Unknown {
		return p.Profile
	}
	return p.Data
}

// dir is the staging folder of a base.
func (s *swap) dir(b base) string { return filepath.Join(s.place.folder(b), stagingName) }

func newSwap(place Place) (*swap, error) {
	s := &swap{place: place}
	if err := s.cleanUp(); err != nil {
		return nil, err
	}
	for _, b := range []base{inProfile, inData} {
		if err := os.MkdirAll(s.dir(b), 0o700); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// cleanUp removes the staging folders.
func (s *swap) cleanUp() error {
	return errors.Join(os.RemoveAll(s.dir(inProfile)), os.RemoveAll(s.dir(inData)))
}

// replace plans a step; for a target that is planned already, it says what comes in its place.
func (s *swap) replace(b base, target, with string) {
	i := slices.IndexFunc(s.steps, func(t step) bool { return t.Base == b && t.Target == target })
	if i < 0 {
		i = len(s.steps)
		s.steps = append(s.steps, step{Base: b, Target: target, Aside: "old-" + strconv.Itoa(i)})
	}
	s.steps[i].New = with
}

func (s *swap) journal() string { return filepath.Join(s.place.Data, journalName) }

func (s *swap) run() error {
	text, err := json.Marshal(s.steps)
	if err != nil {
		return err
	}
	if err := whole.Write(s.journal(), text, 0o600); err != nil {
		return err
	}
	for _, t := range s.steps {
		if err := s.do(t); err != nil {
			return errors.Join(err, s.undo())
		}
	}
	if err := os.Remove(s.journal()); err != nil {
		return errors.Join(err, s.undo())
	}
	return nil
}

func (s *swap) paths(t step) (target, with, aside string) {
	target = filepath.Join(s.place.folder(t.Base), filepath.FromSlash(t.Target))
	return target, filepath.Join(s.dir(t.Base), filepath.FromSlash(t.New)), filepath.Join(s.dir(t.Base), t.Aside)
}

func (s *swap) do(t step) error {
	target, with, aside := s.paths(t)
	if exists(target) {
		if err := os.Rename(target, aside); err != nil {
			return err
		}
	}
	if t.New == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return err
	}
	return os.Rename(with, target)
}

// undo puts everything back, from wherever it stopped, and forgets the journal.
func (s *swap) undo() error {
	for _, t := range slices.Backward(s.steps) {
		target, with, aside := s.paths(t)
		old, moved := exists(aside), t.New != "" && !exists(with)
		if old || moved {
			if err := os.RemoveAll(target); err != nil {
				return err
			}
		}
		if old {
			if err := os.Rename(aside, target); err != nil {
				return err
			}
		}
	}
	if err := os.Remove(s.journal()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Recover undoes an import that was cut short. Call it before the game starts and before its saves are read.
func Recover(place Place) error {
	s := &swap{place: place}
	text, err := os.ReadFile(s.journal())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(text, &s.steps)
	}
	if err != nil {
		return fmt.Errorf("undo an import that was cut short: %w", err)
	}
	for _, t := range s.steps {
		if !place.plans(t.Base, t.Target) || !asideName.MatchString(t.Aside) || t.New != "" && !filepath.IsLocal(filepath.FromSlash(t.New)) {
			return fmt.Errorf("undo an import that was cut short: %s names %q", s.journal(), t.Target)
		}
	}
	if err := s.undo(); err != nil {
		return fmt.Errorf("undo an import that was cut short: %w", err)
	}
	return s.cleanUp()
}

// Delete removes the saves, the copies of them and what an import left.
func Delete(place Place) error {
	if place.Engine == Unknown {
		return errors.New("saves: the web engine keeps those of all games in one folder; clear them in the game")
	}
	errs := []error{os.RemoveAll(place.Profile)}
	for _, name := range []string{storageName, restoreName, keptName, journalName, stagingName} {
		errs = append(errs, os.RemoveAll(filepath.Join(place.Data, name)))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("saves: %w", err)
	}
	return nil
}
