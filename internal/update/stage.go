package update

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gofrs/flock"
	"github.com/minio/selfupdate"
)

// ErrBusy means that another process is putting an update of this game in place.
var ErrBusy = errors.New("another update of this game is under way")

// Staged is a program that was fetched and checked and lies beside the old one. Exactly one of Commit and Discard
// ends it.
type Staged struct {
	Version string

	u    *Updater
	path string // of the new program
	lock *flock.Flock
}

// stagedName is where the library that swaps the files wants the new one.
func stagedName(program string) string {
	return filepath.Join(filepath.Dir(program), "."+filepath.Base(program)+".new")
}

// oldName is where the old program is kept until the new one has started once.
func oldName(program string) string { return program + ".old" }

// Stage fetches the program of r to a file beside the old one and checks it: size and digest as the feed says, then the
// game inside, byte for byte: the same author's key, the same id, that version. The old program is not touched, and
// when anything is wrong nothing is left behind. progress may be nil.
func (u *Updater) Stage(ctx context.Context, r *Release, progress func(done, total int64)) (*Staged, error) {
	if !r.Replace || !newer(r.Version, u.Game.Version) {
		return nil, fmt.Errorf("update: %s is not put in place: %s", r.Version, r.Why)
	}
	lock, err := u.lock()
	if err != nil {
		return nil, err
	}
	s := &Staged{Version: r.Version, u: u, path: stagedName(u.Game.Path), lock: lock}
	if err := s.fill(ctx, r, progress); err != nil {
		s.Discard()
		return nil, fmt.Errorf("update to %s: %w", r.Version, err)
	}
	return s, nil
}

// lock keeps every other process from working on the same game's update. It is free when its process ends.
func (u *Updater) lock() (*flock.Flock, error) {
	lock := flock.New(filepath.Join(u.Dir, "stage.lock"))
	ok, err := lock.TryLock()
	if err == nil && !ok {
		err = ErrBusy
	}
	if err != nil {
		lock.Close()
		return nil, fmt.Errorf("update: %w", err)
	}
	return lock, nil
}

func (s *Staged) fill(ctx context.Context, r *Release, progress func(done, total int64)) error {
	kept := readState(s.u.Dir).Old
	if old := oldName(s.u.Game.Path); old != kept {
		if _, err := os.Lstat(old); err == nil {
			return fmt.Errorf("%s is in the way: the old version would be kept under this name; move it away", old)
		}
	}
	if err := s.fetch(ctx, r.target, progress); err != nil {
		return err
	}
	old, err := targetAt(s.u.Game.Path)
	if err != nil {
		return err
	}
	p, err := Verify(ctx, s.path, nil)
	switch g := s.u.Game; {
	case err != nil:
		return fmt.Errorf("check the new program: %w", err)
	case p.SHA256 != r.target.SHA256:
		return errors.New("the new program was changed after it was fetched")
	case p.Target != old:
		return fmt.Errorf("the new program is for %s, the old one for %s", p.Target, old)
	case p.Signer != g.Signer:
		return fmt.Errorf("the new program is signed by another key (%s) than the old one (%s)", p.Signer, g.Signer)
	case p.ID != g.ID:
		return fmt.Errorf("the new program is the game %q, not %q", p.ID, g.ID)
	case p.Version != r.Version:
		return fmt.Errorf("the new program is version %q, and the feed says %s", p.Version, r.Version)
	}
	return nil
}

// fetch writes the program of the feed to the staged file.
func (s *Staged) fetch(ctx context.Context, t Target, progress func(done, total int64)) error {
	info, err := os.Stat(s.u.Game.Path)
	if err != nil {
		return err
	}
	body, size, err := s.u.fetcher().get(ctx, t.URL, "application/octet-stream")
	if err != nil {
		return err
	}
	defer body.Close()
	if size >= 0 && size != t.Size {
		return fmt.Errorf("the server offers %d bytes, and the feed says %d", size, t.Size)
	}
	os.Remove(s.path) // what a process left that was ended in the middle
	f, err := os.OpenFile(s.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	sum := sha256.New()
	count := &counter{total: t.Size, show: progress}
	n, err := io.Copy(io.MultiWriter(f, sum, count), io.LimitReader(body, t.Size+1))
	switch {
	case err != nil:
		err = fmt.Errorf("fetch: %w", err)
	case n < t.Size:
		err = fmt.Errorf("fetch: the server sent %d of %d bytes", n, t.Size)
	case n > t.Size:
		err = fmt.Errorf("fetch: the server sent more than %d bytes", t.Size)
	case hex.EncodeToString(sum.Sum(nil)) != t.SHA256:
		err = errors.New("fetch: the program is not the one that the feed names (sha256)")
	}
	if err == nil {
		err = f.Chmod(info.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

type counter struct {
	done, total int64
	show        func(done, total int64)
}

func (c *counter) Write(p []byte) (int, error) {
	c.done += int64(len(p))
	if c.show != nil {
		c.show(c.done, c.total)
	}
	return len(p), nil
}

// Discard removes the new program and leaves the old one as it is.
func (s *Staged) Discard() error {
	err := os.Remove(s.path)
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, s.lock.Close())
}

// Commit puts the new program in the old one's place and keeps the old one beside it until the new one has started. The
// game must not be open in this process. When it cannot be done the old program is where it was.
func (s *Staged) Commit(ctx context.Context) error {
	program, old := s.u.Game.Path, oldName(s.u.Game.Path)
	err := changeState(ctx, s.u.Dir, func(st *state) { st.Installed, st.Old = s.Version, old })
	if err == nil {
		err = swap(program, s.path, old)
	}
	if err != nil {
		changeState(ctx, s.u.Dir, func(st *state) { st.Installed, st.Old, st.Checked = "", "", st.Checked.Add(-between) })
		return errors.Join(fmt.Errorf("update to %s: %w", s.Version, err), s.Discard())
	}
	return s.lock.Close()
}

// swap replaces program by fresh and keeps it as old. Where the system can do it, the name always has one of the two
// behind it; elsewhere (a running program on Windows, a disk without hard links) the library renames twice and back
// again when the second fails.
func swap(program, fresh, old string) error {
	if runtime.GOOS != "windows" {
		os.Remove(old)
		if os.Link(program, old) == nil {
			err := os.Rename(fresh, program)
			if err != nil {
				os.Remove(old)
			}
			return err
		}
	}
	return swapRenaming(program, old)
}

// swapRenaming takes the new program from stagedName.
func swapRenaming(program, old string) error {
	err := selfupdate.CommitBinary(selfupdate.Options{TargetPath: program, OldSavePath: old})
	if lost := selfupdate.RollbackError(err); lost != nil {
		return fmt.Errorf("%w; the old program is kept as %s: rename it back (%w)", err, old, lost)
	}
	return err
}

// Settle ends what an earlier start began: the old program goes when this is the first start of the new one, and a
// program that was fetched and never put in place is removed. It must be called when the game has really started.
func (u *Updater) Settle(ctx context.Context) error {
	s := readState(u.Dir)
	staged := stagedName(u.Game.Path)
	_, err := os.Lstat(staged)
	left := err == nil
	if s.Installed == "" && !left {
		return nil
	}
	lock, err := u.lock()
	if err != nil {
		return err
	}
	defer lock.Close()
	var errs []error
	if left {
		errs = append(errs, os.Remove(staged))
	}
	// The old one goes only from beside the program that replaced it: another copy of the game says nothing about that.
	if s.Installed == u.Game.Version && s.Old == oldName(u.Game.Path) {
		if err := os.Remove(s.Old); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		} else {
			s.Installed = ""
		}
	}
	errs = append(errs, changeState(ctx, u.Dir, func(st *state) {
		if left { // the player wanted it: it is offered again
			st.Checked = st.Checked.Add(-between)
		}
		if s.Installed == "" {
			st.Installed, st.Old = "", ""
		}
	}))
	return errors.Join(errs...)
}
