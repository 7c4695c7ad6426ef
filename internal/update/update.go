// Package update learns of the next version of a signed game from its author's release feed, and puts it in place.
//
// The manifest, which the author's key signs, names the feed. What a feed says counts only when the same key signed
// it for the same game; a program is put in place only when the feed names its size and digest and the game inside is
// signed by that key and newer than what is there. Until the very last step nothing of the old program is touched, and
// it is kept until the new one has started once.
package update

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"conch/runtime/bundle"
)

// between is the time between two checks that nobody asked for.
const between = 20 * time.Hour

// ErrNotOffered is wrapped when a game has no updates to look for; the text says why.
var ErrNotOffered = errors.New("no updates")

// Updater looks for the next version of one game. The zero value of every field but Game and Dir works. Its methods
// may be called by several goroutines and processes.
type Updater struct {
	Game    Game
	Dir     string           // Conch's folder for this game: what is remembered, and the locks
	RootCAs *x509.CertPool   // trusted besides names: when set, feeds and programs may come from this computer too; nil: the system's
	Now     func() time.Time // nil: the clock

	limits limits // zero: the usual ones
}

// Game is what is being played.
type Game struct {
	Path    string // the program or the bundle, links resolved
	Name    string // for people
	Feed    string
	Signer  string // fingerprint of the author's key
	ID      string
	Version string
}

// GameOf reads what an update must fit. The error wraps ErrNotOffered for a game that has none.
func GameOf(b *bundle.Bundle) (Game, error) {
	switch {
	case b.Manifest.Update.Feed == "":
		return Game{}, fmt.Errorf(`%w: the game's author names no release feed ("update" in conch.json)`, ErrNotOffered)
	case b.Signer() == "":
		return Game{}, fmt.Errorf("%w: the game is not signed, so nothing says whose updates to take", ErrNotOffered)
	case b.Kind == bundle.Folder || b.Kind == bundle.HTML:
		return Game{}, fmt.Errorf("%w: a folder is not replaced; updates are for packed games and for .zip", ErrNotOffered)
	}
	path, err := filepath.Abs(b.Path)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return Game{}, fmt.Errorf("update: %w", err)
	}
	return Game{
		Path: path, Name: b.Title, Feed: b.Manifest.Update.Feed, Signer: b.Signer(), ID: b.Manifest.ID, Version: b.Manifest.Version,
	}, nil
}

// Release is what a feed offers.
type Release struct {
	Version string    // of the feed
	Newer   bool      // than the game
	Skipped bool      // the player does not want to hear of it
	Date    time.Time // of the release
	Page    string    // https
	Notes   string
	Replace bool   // Stage can put it in place
	Why     string // why not

	target Target
}

func (u *Updater) now() time.Time {
	if u.Now != nil {
		return u.Now()
	}
	return time.Now()
}

func (u *Updater) fetcher() *fetcher {
	f := &fetcher{roots: u.RootCAs, limits: u.limits}
	if f.limits == (limits{}) {
		f.limits = usual
	}
	return f
}

// Due reports whether a check that nobody asked for may be made now: not more often than every 20 hours, and not when
// the player switched it off.
func (u *Updater) Due() bool {
	s := readState(u.Dir)
	passed := u.now().Sub(s.Checked)
	return !s.Off && (passed >= between || passed < 0)
}

// Off reports whether the player wants no checks for this game.
func (u *Updater) Off() bool { return readState(u.Dir).Off }

// SetOff remembers whether the player wants no checks for this game.
func (u *Updater) SetOff(ctx context.Context, off bool) error {
	return changeState(ctx, u.Dir, func(s *state) { s.Off = off })
}

// Skip makes the player hear of no version up to this one.
func (u *Updater) Skip(ctx context.Context, version string) error {
	return changeState(ctx, u.Dir, func(s *state) { s.Skipped = version })
}

// RollbackError says that a feed is older than one that was seen before: somebody serves an old copy, or the author
// took a release back.
type RollbackError struct{ Version, Seen string }

func (e *RollbackError) Error() string {
	return fmt.Sprintf("the feed names version %s, and a newer feed (%s) was seen before: it is an old copy and is not believed", e.Version, e.Seen)
}

// ExpiredError says that the feed's author promised a newer one by now.
type ExpiredError struct{ Since time.Time }

func (e *ExpiredError) Error() string {
	return "the feed was to be renewed by " + e.Since.Format(time.DateOnly) + " and was not: newer versions may be held back"
}

// Check asks the feed and answers the newest release. What a good feed said is remembered: an older one is a
// *RollbackError afterwards, whoever serves it. A feed past its time gives a release and an *ExpiredError.
func (u *Updater) Check(ctx context.Context) (*Release, error) {
	// Noted before the answer, so that a server that hangs is not asked at every start.
	if err := changeState(ctx, u.Dir, func(s *state) { s.Checked = u.now().UTC() }); err != nil {
		return nil, err
	}
	f, err := u.fetcher().feed(ctx, u.Game.Feed)
	if err != nil {
		return nil, err
	}
	switch {
	case f.Signer() != u.Game.Signer:
		return nil, fmt.Errorf("feed: signed by another key (%s) than the game (%s)", f.Signer(), u.Game.Signer)
	case f.ID != u.Game.ID:
		return nil, fmt.Errorf("feed: for the game %q, not for %q", f.ID, u.Game.ID)
	}
	var seen state
	err = changeState(ctx, u.Dir, func(s *state) {
		seen = *s
		if !older(f, s) {
			s.Highest, s.Date = f.Version, f.Date
		}
	})
	if err != nil {
		return nil, err
	}
	if older(f, &seen) {
		return nil, &RollbackError{f.Version, seen.Highest}
	}
	r := &Release{
		Version: f.Version, Newer: newer(f.Version, u.Game.Version), Date: f.Date, Page: f.Page, Notes: f.Notes,
		Skipped: seen.Skipped != "" && !newer(f.Version, seen.Skipped),
	}
	r.target, r.Why = u.targetFor(f)
	r.Replace = r.Why == ""
	if f.Expires != nil && u.now().After(*f.Expires) {
		return r, &ExpiredError{*f.Expires}
	}
	return r, nil
}

// older reports whether f goes back behind what was seen: in version, or in date for the same version.
func older(f *Feed, s *state) bool {
	if s.Highest == "" || newer(f.Version, s.Highest) {
		return false
	}
	return newer(s.Highest, f.Version) || f.Date.Before(s.Date)
}

// targetFor finds the program in the feed that takes the place of the one that is played, or says why there is none.
func (u *Updater) targetFor(f *Feed) (Target, string) {
	kind, err := targetAt(u.Game.Path)
	if err != nil {
		return Target{}, "it is not one file"
	}
	t, ok := f.Targets[kind]
	if !ok {
		return Target{}, "the release has no program to put in its place (" + kind + ")"
	}
	return t, replaceable(u.Game.Path)
}
