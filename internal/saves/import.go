package saves

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

// Import says how to put saves back.
type Import struct {
	Place Place
	Game  Manifest // Game, Key, Name and Conch of the game here
	Force bool     // also when the file was made by another game

	// TakeOrigin makes origin the game's own here, for engines whose saves cannot change theirs. It is called last
	// before the saves are replaced, and once more with the old one when that fails.
	TakeOrigin func(origin string) error

	Now time.Time // names the kept copy
}

// Result is what Import did.
type Result struct {
	Kept        string // file with the saves from before, "" when there were none
	OnlyStorage bool   // the file comes from another engine: localStorage alone was taken over
}

// Run replaces the game's saves by those in file. The saves from before go into a file of their own first. When Run
// fails, or the computer stops in between and Recover is called later, they are as they were.
func (im Import) Run(ctx context.Context, file string) (Result, error) {
	var res Result
	a, err := openArchive(file)
	if err != nil {
		return res, fmt.Errorf("import saves: %w", err)
	}
	defer a.close()
	if !im.Force && !im.Game.sameGame(a.manifest) {
		return res, fmt.Errorf("import saves: %w: %q (%s)", ErrOtherGame, a.manifest.Name, a.manifest.Game)
	}
	storage, err := a.storage()
	if err != nil {
		return res, fmt.Errorf("import saves: %w", err)
	}
	res.OnlyStorage = a.manifest.Engine != im.Place.Engine
	if res.OnlyStorage && storage == nil {
		return res, fmt.Errorf("import saves: %w", badFile("it was made with another web engine (%s) and has no localStorage, which is all that can be taken over", a.manifest.Engine))
	}
	if res.Kept, err = im.keep(ctx); err != nil {
		return res, err
	}
	s, err := newSwap(im.Place)
	if err != nil {
		return res, fmt.Errorf("import saves: %w", err)
	}
	defer s.cleanUp()
	if err := s.stage(ctx, a, storage, res.OnlyStorage); err != nil {
		return res, fmt.Errorf("import saves: %w", err)
	}
	move := !im.Place.Engine.movesOrigin() && !res.OnlyStorage && a.manifest.Origin != im.Place.Origin
	if move {
		if err := im.TakeOrigin(a.manifest.Origin); err != nil {
			return res, fmt.Errorf("import saves: %w", err)
		}
	}
	if err := s.run(); err != nil {
		if move {
			err = errors.Join(err, im.TakeOrigin(im.Place.Origin))
		}
		return res, fmt.Errorf("import saves: %w", err)
	}
	return res, nil
}

// keep exports the present saves into the folder of kept ones.
func (im Import) keep(ctx context.Context) (string, error) {
	dir := filepath.Join(im.Place.Data, keptName)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("keep the present saves: %w", err)
	}
	stem := im.Game.Key + "-" + im.Now.Format("20060102-150405")
	for n := 1; ; n++ {
		name := filepath.Join(dir, stem+Extension)
		if n > 1 {
			name = filepath.Join(dir, fmt.Sprintf("%s-%d%s", stem, n, Extension))
		}
		err := WriteFile(ctx, name, im.Place, im.Game, false)
		switch {
		case errors.Is(err, ErrNothing):
			return "", nil
		case errors.Is(err, os.ErrExist):
			continue
		case err != nil:
			return "", fmt.Errorf("keep the present saves: %w", err)
		}
		return name, nil
	}
}

// Extension is what names of files of saves end with.
const Extension = ".conchsave"

// FileName is a plain name for a file with the saves of a game called name.
func FileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	if runes := []rune(name); len(runes) > 40 {
		name = string(runes[:40])
	}
	if name = strings.Trim(name, " ."); name == "" {
		name = "game"
	}
	return name + " saves" + Extension
}

// WriteFile exports into a file in one step: it is whole or not there. A file of that name is os.ErrExist, unless
// replace is set.
func WriteFile(ctx context.Context, file string, place Place, m Manifest, replace bool) error {
	if !replace && exists(file) {
		return fmt.Errorf("%s: %w", file, os.ErrExist)
	}
	temp, err := os.CreateTemp(filepath.Dir(file), ".conchsave-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	err = Export(ctx, temp, place, m)
	if err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), file)
}

// stage unpacks the file beside the saves and lists what will be replaced.
func (s *swap) stage(ctx context.Context, a *archive, storage []byte, onlyStorage bool) error {
	old, err := s.place.entries()
	if err != nil {
		return err
	}
	for _, e := range old {
		s.replace(inProfile, e.path, "")
		for _, suffix := range []string{"-wal", "-shm", "-journal"} { // of WebKit's one database without a folder
			if exists(s.place.inProfile(e.path + suffix)) {
				s.replace(inProfile, e.path+suffix, "")
			}
		}
	}
	restore := ""
	if onlyStorage {
		restore = restoreName
		if err := os.WriteFile(filepath.Join(s.dir(inData), restore), storage, 0o600); err != nil {
			return err
		}
	}
	s.replace(inData, restoreName, restore)
	text := ""
	if storage != nil {
		text = storageName
		if err := os.WriteFile(filepath.Join(s.dir(inData), text), storage, 0o600); err != nil {
			return err
		}
	}
	s.replace(inData, storageName, text)
	if onlyStorage {
		return nil
	}
	return s.stageEngine(ctx, a)
}

func (s *swap) stageEngine(ctx context.Context, a *archive) error {
	root, err := os.OpenRoot(s.dir(inProfile))
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range a.files {
		name, ok := strings.CutPrefix(f.Name, enginePrefix)
		if !ok {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		e, rest, ok := s.place.home(name)
		if !ok || s.place.leftOut(name) {
			return badFile("%q does not belong into it", f.Name)
		}
		if err := writeInto(root, path.Join(e.name, rest), func(to *os.File) error { return unpack(f, to, maxBytes) }); err != nil {
			return err
		}
		s.replace(inProfile, e.path, e.name)
		if e.name != "storage" {
			continue
		}
		origin, err := webkitOriginFile(s.place.Origin)
		if err != nil {
			return err
		}
		if err := root.WriteFile("storage/origin", origin, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func writeInto(root *os.Root, name string, fill func(*os.File) error) error {
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = fill(f)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
