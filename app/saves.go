package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"time"

	"conch/internal/saves"
	gameruntime "conch/runtime"
)

// ErrSavesInUse means that the game runs, or that its saves are being copied.
var ErrSavesInUse = errors.New("the game is running; close it first")

const savesLock = "saves.lock"

// SavesPlace is where the game's saves are. The folders may not be there yet.
func (a *App) SavesPlace() (saves.Place, error) {
	engine, profile, err := a.engineFolder()
	if err != nil {
		return saves.Place{}, fmt.Errorf("saves: %w", err)
	}
	return saves.Place{Engine: engine, Profile: profile, Data: a.gameDir(), Origin: a.ownOrigin()}, nil
}

// ownOrigin is the origin that the game's saves belong to.
func (a *App) ownOrigin() string { return "http://127.0.0.1:" + strconv.Itoa(a.port) }

// savesManifest says whose saves a file holds. It names the game as State recognises it.
func (a *App) savesManifest() saves.Manifest {
	id := gameruntime.IdentityOf(a.Bundle)
	game := "content:" + id.EntryDigest
	switch {
	case id.Signer != "":
		game = "key:" + id.Signer + ":" + id.ID
	case id.ID != "":
		game = "id:" + id.ID
	}
	return saves.Manifest{Game: game, Key: a.Key, Name: cmp.Or(a.Bundle.Manifest.Name, a.Bundle.Title), Conch: a.opts.Version}
}

// lockSaves keeps the game from starting, and its saves from being replaced, until unlock. An import that was cut
// short is undone.
func (a *App) lockSaves() (unlock func(), err error) {
	unlock, ok, err := gameruntime.TryLock(filepath.Join(a.gameDir(), savesLock))
	if err != nil {
		return nil, fmt.Errorf("saves: %w", err)
	}
	if !ok {
		return nil, ErrSavesInUse
	}
	place, err := a.SavesPlace()
	if err == nil {
		err = saves.Recover(place)
	}
	if err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// ExportSaves writes the game's saves into a file, which must not be there unless replace is set. The game must not
// run: what a running page is about to write would be missing.
func (a *App) ExportSaves(ctx context.Context, file string, replace bool) error {
	unlock, err := a.lockSaves()
	if err != nil {
		return err
	}
	defer unlock()
	return a.writeSaves(ctx, file, replace)
}

func (a *App) writeSaves(ctx context.Context, file string, replace bool) error {
	place, err := a.SavesPlace()
	if err != nil {
		return err
	}
	return saves.WriteFile(ctx, file, place, a.savesManifest(), replace)
}

// ImportSaves puts the saves of a file in the place of the game's own; with force also those of another game. The
// game must not run.
func (a *App) ImportSaves(ctx context.Context, file string, force bool) (saves.Result, error) {
	unlock, err := a.lockSaves()
	if err != nil {
		return saves.Result{}, err
	}
	defer unlock()
	place, err := a.SavesPlace()
	if err != nil {
		return saves.Result{}, err
	}
	im := saves.Import{Place: place, Game: a.savesManifest(), Force: force, TakeOrigin: a.takeOrigin, Now: time.Now()}
	return im.Run(ctx, file)
}

// DeleteSaves removes what the game has saved on this computer, and the copies that Conch keeps of it. Approvals, the
// game's port and what is known of its updates stay. The game must not run.
func (a *App) DeleteSaves() error {
	unlock, err := a.lockSaves()
	if err != nil {
		return err
	}
	defer unlock()
	place, err := a.SavesPlace()
	if err != nil {
		return err
	}
	return saves.Delete(place)
}

// Running reports whether a window of this game is open, in this process or another, or its saves are being copied.
func (a *App) Running() (bool, error) {
	unlock, ok, err := gameruntime.TryLock(filepath.Join(a.gameDir(), savesLock))
	if ok {
		unlock()
	}
	return !ok, err
}

// takeOrigin gives the game the port of another origin.
func (a *App) takeOrigin(origin string) error {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" || u.Hostname() != "127.0.0.1" || u.Path != "" {
		return fmt.Errorf("%q cannot be a game's origin", origin)
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		return fmt.Errorf("%q cannot be a game's origin", origin)
	}
	state, err := gameruntime.OpenState(a.opts.DataDir)
	if err != nil {
		return err
	}
	if err := state.TakePort(a.Key, port); err != nil {
		return err
	}
	a.port = port
	return nil
}

// Crashed tells the game's server that the web process has ended: the crash screen offers a copy of the saves.
func (a *App) Crashed() { a.Server.Crashed() }

// OnCopy sets who names the file that a copy from the crash screen goes to.
func (a *App) OnCopy(pick func(name string) (path string, err error)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.copyTo = pick
}

// copySaves writes the copy of the crash screen. No page of the game runs then, and this process holds the lock.
func (a *App) copySaves(ctx context.Context) (string, error) {
	a.mu.Lock()
	pick := a.copyTo
	a.mu.Unlock()
	if pick == nil {
		return "", errors.New("there is no download folder")
	}
	m := a.savesManifest()
	path, err := pick(saves.FileName(m.Name))
	if err != nil {
		return "", err
	}
	return path, a.writeSaves(ctx, path, false)
}

// SavesFileName is the usual name of a file with the game's saves.
func (a *App) SavesFileName() string { return saves.FileName(a.savesManifest().Name) }
