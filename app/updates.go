package app

import (
	"context"
	"errors"
	"sync"

	"conch/internal/update"
)

// UpdateAnswer is what the player chose in the box about a new version.
type UpdateAnswer int

// The answers. Later is also what closing the box means.
const (
	UpdateLater UpdateAnswer = iota
	UpdatePage
	UpdateNow
	UpdateSkip
)

// UpdateOffer is what the box says. Versions have letters, digits, dots, hyphens and plus signs only.
type UpdateOffer struct {
	Name, Version, Have string
	Notes               string // plain text by the author
	CanReplace          bool   // UpdateNow may be offered
}

// UpdateBox tells the player about new versions in native boxes that no page can draw, press or see.
type UpdateBox interface {
	Ask(ctx context.Context, o UpdateOffer) (UpdateAnswer, error) // waits for the answer, or for the end of ctx
	Tell(text string)                                             // shows a sentence, does not wait
	OpenPage(link string) error                                   // in the system's browser
}

// updates is the work on new versions of one game. It never holds the game up.
type updates struct {
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu     sync.Mutex // guards the fields below
	shown  bool
	staged *update.Staged // waits for the end of the game
}

func newUpdates() *updates {
	ctx, cancel := context.WithCancel(context.Background())
	return &updates{ctx: ctx, cancel: cancel}
}

// Updater looks for new versions of this game. The error wraps update.ErrNotOffered when the game has none.
func (a *App) Updater() (*update.Updater, error) {
	g, err := update.GameOf(a.Bundle)
	if err != nil {
		return nil, err
	}
	return &update.Updater{Game: g, Dir: a.gameDir(), RootCAs: a.opts.RootCAs}, nil
}

// Shown is called once the window is up: from now on there is time to look for a new version. It does not wait.
func (a *App) Shown() {
	u, err := a.Updater()
	if err != nil || a.opts.Dev {
		return
	}
	a.updates.mu.Lock()
	defer a.updates.mu.Unlock()
	if a.updates.shown || a.updates.ctx.Err() != nil {
		return
	}
	a.updates.shown = true
	a.updates.running.Go(func() { a.update(u) })
}

func (a *App) update(u *update.Updater) {
	ctx, log := a.updates.ctx, a.opts.Logger
	if err := u.Settle(ctx); err != nil {
		log.Warn("end of the last update", "err", err)
	}
	if a.opts.NoUpdateCheck || !update.Automatic(a.opts.DataDir) || !u.Due() {
		return
	}
	r, err := u.Check(ctx)
	var expired *update.ExpiredError
	var rollback *update.RollbackError
	switch {
	case errors.As(err, &expired):
		log.Warn("release feed", "err", err)
	case errors.As(err, &rollback):
		log.Warn("release feed", "err", err)
		return
	case err != nil:
		log.Info("no release feed", "err", err) // players are offline now and then
		return
	}
	log.Info("release feed", "version", r.Version, "have", u.Game.Version, "newer", r.Newer, "skipped", r.Skipped)
	if !r.Newer || r.Skipped {
		return
	}
	if a.opts.Updates == nil {
		log.Warn("a new version is out; `conch update GAME`, or --update of a packed game, puts it in place", "version", r.Version, "have", u.Game.Version, "page", r.Page)
		return
	}
	a.offer(ctx, u, r)
}

// offer asks the player about a new version and does what was chosen.
func (a *App) offer(ctx context.Context, u *update.Updater, r *update.Release) {
	box, log := a.opts.Updates, a.opts.Logger
	answer, err := box.Ask(ctx, UpdateOffer{Name: u.Game.Name, Version: r.Version, Have: u.Game.Version, Notes: r.Notes, CanReplace: r.Replace})
	if err != nil {
		log.Info("a new version could not be offered", "err", err)
		return
	}
	switch answer {
	case UpdatePage:
		err = box.OpenPage(r.Page)
	case UpdateSkip:
		err = u.Skip(ctx, r.Version)
	case UpdateNow:
		a.stage(ctx, u, r)
	}
	if err != nil {
		log.Error("new version", "err", err)
	}
}

// stage fetches the new version while the game goes on; it is put in place when the game has ended.
func (a *App) stage(ctx context.Context, u *update.Updater, r *update.Release) {
	s, err := u.Stage(ctx, r, nil)
	if ctx.Err() != nil && err != nil {
		return // the game was closed
	}
	if err != nil {
		a.opts.Logger.Error("update", "err", err)
		a.opts.Updates.Tell("The update to " + r.Version + " did not work, and nothing was changed. You can get it from its page.")
		return
	}
	a.updates.mu.Lock()
	a.updates.staged = s
	a.updates.mu.Unlock()
	a.opts.Logger.Info("update fetched", "version", r.Version)
	a.opts.Updates.Tell("Version " + r.Version + " is ready. It starts the next time you open the game.")
}

// stop ends the work and waits for it.
func (u *updates) stop() {
	u.mu.Lock()
	u.cancel()
	u.mu.Unlock()
	u.running.Wait()
}

// finish puts a fetched version in place; the game's files must be closed.
func (u *updates) finish(ctx context.Context) error {
	if u.staged == nil {
		return nil
	}
	return u.staged.Commit(ctx)
}
