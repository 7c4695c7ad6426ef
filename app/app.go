// Package app joins the parts of Conch into one running game: the bundle, the loopback server, the relay for the
// page's sockets, the gate that decides about hosts and the proxy that refuses the rest.
//
// An [App] is the same value with a window around it (package app/window), in `conch serve` and in the tests:
//
//	g, err := app.New(app.Options{Path: "game.zip"})
//	...
//	defer g.Close()
//	if err := g.Listen(ctx); err != nil { ... }
//	go g.Serve()
//	fmt.Println(g.Server.EntryURL())
package app

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"conch/consent"
	"conch/consent/hostlist"
	"conch/frontend"
	"conch/internal/saves"
	"conch/internal/whole"
	"conch/netsock"
	gameruntime "conch/runtime"
	"conch/runtime/bundle"
)

// Options says which game to run and how. Path is the only field that must be set.
type Options struct {
	Path     string         // folder, .html or .zip
	Entry    string         // page to start with; "": the manifest's, else found
	Port     int            // loopback port; 0: the game's own, remembered
	AnyPort  bool           // when the port is taken, take any other and carry the copy of localStorage over
	DataDir  string         // where Conch keeps its state; "": the player's data folder
	RootCAs  *x509.CertPool // trusted for the game's sockets and proxied hosts; nil: the system's
	Debug    bool           // one console line per connection, page console on the terminal
	Window   bool           // a window will be opened: one instance per game, WebProxy listens
	Dialog   consent.Dialog // asks the player about unlisted hosts; nil: nobody can be asked
	Dev      bool           // the author's play-test: an unlisted host asks once, files reload, console on the terminal
	Terminal io.Writer      // with Dev: where the page's console goes; nil: nowhere
	Version  string         // of the program, for what it writes
	Logger   *slog.Logger   // nil: discard

	Updates       UpdateBox // tells the player about new versions; nil: the log does
	NoUpdateCheck bool      // do not look for a new version
}

// App is one game, ready to be served. Its fields are set by New and not changed after.
type App struct {
	Key      string // the game's own name for ports, profile and saves; safe as a file name
	Bundle   *bundle.Bundle
	Server   *gameruntime.Server
	Relay    *netsock.Relay
	Gate     *consent.Gate
	WebProxy *gameruntime.WebProxy // nil without a window

	opts     Options
	port     int // the port that belongs to the game
	manager  *consent.Manager
	asking   func() (*consent.Gate, error) // the gate for hosts that somebody is asked about, made at the first one
	asked    atomic.Pointer[consent.Gate]  // that gate; nil before
	changes  *changes                      // nil without Dev
	unlock   func()                        // gives up the lock on the saves; nil without a window
	instance *instance
	serving  sync.WaitGroup
	living   context.Context // ends with Close
	end      context.CancelFunc
	entered  chan struct{} // closed when the first page was asked for
	enter    sync.Once
	identity atomic.Pointer[string] // once it is known
	tampered atomic.Pointer[bundle.TamperError]
	updates  *updates
	sessions *sessions // nil for a game without

	mu      sync.Mutex                                 // guards the fields below
	onStop  func()                                     // nil: nobody shows the game
	store   *consent.Store                             // nil until somebody is asked
	restore json.RawMessage                            // localStorage to carry over, until the page has sent its own copy
	copyTo  func(name string) (path string, err error) // names the file for a copy from the crash screen
	closed  bool                                       // Close was called; nothing starts to serve any more
}

// DataDir is the folder for Conch's own state on this system.
func DataDir() (string, error) {
	if dir := os.Getenv("CONCH_DATA"); dir != "" {
		return dir, nil
	}
	if dir, err := Portable(); dir != "" || err != nil {
		return dir, err
	}
	dir, err := dataHome()
	if err != nil {
		return "", fmt.Errorf("data folder: %w", err)
	}
	return filepath.Join(dir, "conch"), nil
}

// New opens the game and prepares its parts; nothing listens yet. The caller must Close the App.
func New(o Options) (*App, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.DataDir == "" {
		dir, err := DataDir()
		if err != nil {
			return nil, err
		}
		o.DataDir = dir
	}
	a := &App{opts: o, entered: make(chan struct{}), updates: newUpdates()}
	b, err := bundle.Open(o.Path, bundle.Options{Entry: o.Entry, OnTamper: a.stopTampered})
	if err != nil {
		return nil, err
	}
	a.Bundle = b
	if err := a.identify(); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	a.living, a.end = context.WithCancel(context.Background())
	a.build()
	return a, nil
}

// identify finds the game's key and port in the state file.
func (a *App) identify() error {
	state, err := gameruntime.OpenState(a.opts.DataDir)
	if err != nil {
		return err
	}
	record, err := state.Lookup(gameruntime.IdentityOf(a.Bundle))
	if err != nil {
		return err
	}
	a.Key, a.port = record.Key, record.Port
	if a.opts.Port != 0 {
		a.port = a.opts.Port
	}
	return os.MkdirAll(a.gameDir(), 0o700)
}

func (a *App) build() {
	log := a.opts.Logger.With("game", a.Key)
	a.opts.Logger = log
	a.Gate = &consent.Gate{Hosts: a.Bundle.Hosts, AllowAny: a.Bundle.Manifest.Network.AllowAnyHost, Mode: a.mode(), Log: log}
	a.manager = &consent.Manager{Dialog: a.opts.Dialog, LockDir: ApprovalsDir(a.opts.DataDir), Log: log}
	a.asking = sync.OnceValues(a.openAsking)
	a.Server = &gameruntime.Server{
		Bundle: a.Bundle, Script: frontend.PageScript, Config: a.pageConfig, Logger: log,
		RelayPorts:  a.socketPorts,
		SaveStorage: a.saveStorage, RootCAs: a.opts.RootCAs, Control: upstreamControl,
		OnDocument: func() {
			a.enter.Do(func() { close(a.entered) })
			a.manager.Page().Next()
		},
		Settings: a.opts.Window,
	}
	if a.opts.Window {
		a.Server.CopySaves = a.copySaves
	}
	if a.opts.Dev {
		a.Server.Console = a.console
		a.changes = &changes{root: a.Bundle.Path, log: log}
		a.Server.Handle("/__conch/changes", a.changes)
	}
	a.Relay = &netsock.Relay{
		Policy: socketPolicy{a}, Authorize: a.authorizeSocket, RootCAs: a.opts.RootCAs, Logger: log,
	}
	a.Server.Handle("/__conch/net/reason", http.HandlerFunc(a.Relay.ServeReason))
	if a.Bundle.Manifest.Network.Sessions {
		a.buildSessions()
	}
	if a.opts.Window {
		a.WebProxy = &gameruntime.WebProxy{Allow: a.webHostAllowed, Control: publicOnly, Logger: log}
	}
}

// checkedAtStart bounds the bytes of a signed game that are checked before it starts, its smallest files first: its scripts
// and pages, in some 50 ms. The rest is checked as it is read.
const checkedAtStart = 32 << 20

// Listen takes the game's port and the relay's. A signed game that is found to be changed does not start: the error is a
// *bundle.TamperError. A port held by another program is a *gameruntime.PortTakenError; a second start of the same game
// raises the first window and is ErrAlreadyRunning.
func (a *App) Listen(ctx context.Context) error {
	if err := a.Bundle.VerifySmallest(ctx, checkedAtStart); err != nil {
		return err
	}
	err := a.Server.Listen(a.port)
	var taken *gameruntime.PortTakenError
	if errors.As(err, &taken) && a.opts.Window && raiseRunning(ctx, a.gameDir()) {
		return ErrAlreadyRunning
	}
	if taken != nil && a.opts.AnyPort {
		err = a.Server.Listen(0)
	}
	if err != nil {
		return err
	}
	if a.opts.Window {
		if a.unlock, err = a.lockSaves(); errors.Is(err, ErrSavesInUse) {
			if raiseRunning(ctx, a.gameDir()) {
				return ErrAlreadyRunning
			}
			return errors.New("the game is just closing, or its saves are being copied; start it again in a moment")
		}
		if err != nil {
			return err
		}
	}
	if a.Server.Port() == a.port {
		a.loadRestore(a.restoreFile())
	} else {
		a.loadRestore(a.storageFile())
		a.opts.Logger.Warn("started on another port: localStorage was carried over, other saves (IndexedDB) stay with the game's own port",
			"port", a.Server.Port(), "own", a.port)
	}
	a.Relay.Origin = a.Server.Origin()
	if err := a.Relay.Listen(); err != nil {
		return err
	}
	if a.WebProxy == nil {
		return nil
	}
	if err := a.WebProxy.Listen(); err != nil {
		return err
	}
	a.instance, err = listenInstance(a.gameDir(), calls{
		forget: a.ForgetHost, identity: a.knownIdentity,
	})
	return err
}

// Serve answers until Close and returns nil then; when a part fails, it returns that failure at once and the others
// go on until Close.
func (a *App) Serve() error {
	parts := []func() error{a.Server.Serve, a.Relay.Serve}
	if a.WebProxy != nil {
		parts = append(parts, a.WebProxy.Serve)
	}
	a.mu.Lock()
	if a.closed {
		a.mu.Unlock()
		return nil
	}
	errs := make(chan error, len(parts))
	for _, serve := range parts {
		a.serving.Go(func() { errs <- serve() })
	}
	if a.mayAskPlayer() {
		a.serving.Go(a.identifyAhead)
	}
	a.mu.Unlock()
	for range parts {
		if err := <-errs; err != nil {
			return err
		}
	}
	return nil
}

// Close ends the game's servers, waits for them, closes the bundle and puts a fetched update in place.
func (a *App) Close() error {
	a.updates.stop()
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.end()
	if a.instance != nil {
		a.instance.close()
	}
	a.manager.Close()
	sessionsErr := a.closeSessions()
	if a.changes != nil {
		a.changes.close()
	}
	errs := []error{sessionsErr, a.Relay.Close(), a.Server.Close(), a.closeStore()}
	if a.WebProxy != nil {
		errs = append(errs, a.WebProxy.Close())
	}
	a.serving.Wait()
	errs = append(errs, a.Bundle.Close(), a.updates.finish(context.Background()))
	if a.unlock != nil {
		a.unlock() // after the update: what starts next is the new version, and nothing has the old one open
	}
	return errors.Join(errs...)
}

// Logger is the game's log.
func (a *App) Logger() *slog.Logger { return a.opts.Logger }

// OwnPort is the loopback port that belongs to the game: its origin, and so its saves, depend on it.
func (a *App) OwnPort() int { return a.port }

// Debug reports whether the page's console goes to the terminal.
func (a *App) Debug() bool { return a.opts.Debug && !a.opts.Dev }

// Devtools reports whether the engine's inspector may be opened.
func (a *App) Devtools() bool { return a.Bundle.Manifest.Web.Devtools || a.opts.Debug || a.opts.Dev }

// OnRaise sets what a second start of the same game calls.
func (a *App) OnRaise(f func()) {
	if a.instance != nil {
		a.instance.onRaise(f)
	}
}

// StateDir is where Conch keeps its state for this run.
func (a *App) StateDir() string { return a.opts.DataDir }

// gameDir holds what Conch keeps about this game.
func (a *App) gameDir() string { return filepath.Join(a.opts.DataDir, "games", a.Key) }

// ProfileDir is where an engine that asks for a folder keeps the game's saves.
func (a *App) ProfileDir() string { return filepath.Join(a.gameDir(), "profile") }

// pageConfig is what the page script is told; nothing in it is secret from the page.
func (a *App) pageConfig() any {
	prefixes := make([]string, 0, len(a.Bundle.Manifest.Network.Proxy))
	for prefix := range a.Bundle.Manifest.Network.Proxy {
		prefixes = append(prefixes, prefix)
	}
	slices.Sort(prefixes)
	a.mu.Lock()
	restore := a.restore
	a.mu.Unlock()
	return map[string]any{
		"relayPorts": a.Relay.PortNumbers(), "available": true, "context": string(a.mode()),
		"allowedHosts": a.Bundle.Hosts.Patterns(), "allowAnyHost": a.Bundle.Manifest.Network.AllowAnyHost,
		"debug": a.Devtools(), "ownOrigin": a.Server.Origin(), "proxyPrefixes": prefixes,
		"restore": restore, "shadow": true, "dev": a.opts.Dev, "session": a.sessions != nil,
	}
}

// maxStorage bounds the copy of localStorage: engines allow 5 to 10 MB of it.
const maxStorage = 12 << 20

func (a *App) storageFile() string { return filepath.Join(a.gameDir(), "localstorage.json") }

// restoreFile is left by an import that could not write the engine's own files.
func (a *App) restoreFile() string { return saves.Place{Data: a.gameDir()}.RestoreFile() }

func (a *App) saveStorage(text []byte) error {
	if len(text) > maxStorage {
		return fmt.Errorf("localStorage copy: %d bytes", len(text))
	}
	a.mu.Lock()
	a.restore = nil // else what the game deletes would come back at its next page
	a.mu.Unlock()
	if err := whole.Write(a.storageFile(), text, 0o600); err != nil {
		return err
	}
	if err := os.Remove(a.restoreFile()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func (a *App) loadRestore(file string) {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxStorage {
		return // a link could lead to any file of the player's, which the page would get
	}
	text, err := os.ReadFile(file)
	if err != nil || !json.Valid(text) || !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return
	}
	a.restore = text
}

// upstreamControl checks an address dialled for network.proxy by the rules of the host named there.
func upstreamControl(host string, addr netip.Addr) error {
	t, err := hostlist.ParseTarget("wss://" + host + "/")
	if err != nil {
		return err
	}
	return t.CheckAddr(addr)
}
