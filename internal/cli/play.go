package cli

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"conch/app"
	gameruntime "conch/runtime"
)

// gameFlags are the flags of the commands that run a game.
type gameFlags struct {
	entry   string
	port    int
	anyPort bool
	ca      string
	dataDir string
	debug   bool
	dev     bool
	verbose bool

	noUpdateCheck bool
}

func (f *gameFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.entry, "entry", "", "page to start with, when the game has several")
	flags.IntVar(&f.port, "port", 0, "loopback port (default: the game's own, the same at every start)")
	flags.BoolVar(&f.anyPort, "any-port", false, "when the game's port is taken, start on another: localStorage is carried over, other saves are not there")
	flags.StringVar(&f.ca, "ca", "", "PEM file with certificates to trust for the game's sockets, besides the system's")
	dataFlag(flags, &f.dataDir)
	flags.BoolVar(&f.debug, "debug", false, "inspector on, page console on the terminal, one line per connection")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "log everything")
}

// options turns the flags into the game's options.
func (f *gameFlags) options(p *Program, game string) (app.Options, error) {
	o := app.Options{
		Path: game, Entry: f.entry, Port: f.port, AnyPort: f.anyPort, DataDir: f.dataDir, Debug: f.debug, Dev: f.dev, Terminal: p.stdout,
		Version: Version(),
		Logger:  p.logger(f.verbose || f.debug),
	}
	if f.port < 0 || f.port > 65535 {
		return o, wrongUse("--port %d: a port is between 1 and 65535", f.port)
	}
	if f.ca == "" {
		return o, nil
	}
	pem, err := os.ReadFile(f.ca)
	if err != nil {
		return o, fmt.Errorf("--ca: %w", err)
	}
	if o.RootCAs, err = x509.SystemCertPool(); err != nil {
		o.RootCAs = x509.NewCertPool()
	}
	if !o.RootCAs.AppendCertsFromPEM(pem) {
		return o, fmt.Errorf("--ca %s: no certificate in it; it must be PEM text", f.ca)
	}
	return o, nil
}

func (p *Program) playCommand() *cobra.Command {
	var f gameFlags
	c := &cobra.Command{
		Use:   "play GAME",
		Short: "Open a game in its own window",
		Long:  "Open a game in its own window. GAME is " + gameKinds + ".",
		Args:  oneGame,
		RunE: func(c *cobra.Command, args []string) error {
			return p.playShown(c.Context(), f, args[0])
		},
	}
	f.register(c)
	c.Flags().BoolVar(&f.noUpdateCheck, "no-update-check", false, "do not look for a new version of the game (update --automatic off remembers that)")
	return c
}

// playShown plays and shows what went wrong to a player who has no terminal.
func (p *Program) playShown(ctx context.Context, f gameFlags, game string) error {
	return p.showError(ctx, p.play(ctx, f, game))
}

func (p *Program) play(ctx context.Context, f gameFlags, game string) error {
	o, err := f.options(p, game)
	if err != nil {
		return err
	}
	o.Window, o.Dialog, o.Updates, o.NoUpdateCheck = true, p.Dialog, p.Updates, f.noUpdateCheck
	g, err := app.New(o)
	if err != nil {
		return err
	}
	defer g.Close()
	err = p.listen(ctx, g)
	if errors.Is(err, app.ErrAlreadyRunning) {
		fmt.Fprintf(p.stderr, "%s: %s; its window was raised\n", p.Name, err)
		return nil
	}
	if err != nil {
		return err
	}
	go func() {
		if err := g.Serve(); err != nil {
			g.Logger().Error("the game is served no longer", "err", err)
		}
	}()
	return p.Window(ctx, g)
}

// listen takes the game's port. While another program holds it and the player can be asked, Retry tries again: the
// game's saves belong to that port.
func (p *Program) listen(ctx context.Context, g *app.App) error {
	for {
		err := g.Listen(ctx)
		var taken *gameruntime.PortTakenError
		if !errors.As(err, &taken) {
			return err
		}
		err = fmt.Errorf("%w; close that program, or start with --any-port (localStorage is carried over, other saves are not there)", err)
		if isTerminal(os.Stderr) {
			return err
		}
		if p.alert(ctx, "Conch", sentence(err), "Retry", "Close") != 0 {
			return &shownError{err}
		}
	}
}

// shownError is one that the player has read already.
type shownError struct{ error }

func (e *shownError) Unwrap() error { return e.error }

func (p *Program) alert(ctx context.Context, title, text string, buttons ...string) int {
	if p.Alert == nil {
		return -1
	}
	return p.Alert(ctx, title, text, buttons...)
}

func (p *Program) serveCommand() *cobra.Command {
	var f gameFlags
	var asJSON bool
	c := &cobra.Command{
		Use:   "serve GAME",
		Short: "Serve a game to one browser on this computer, without a window",
		Long: "Serve a game without a window. It prints a one-time address: the browser that opens it first gets the cookie\n" +
			"and plays; nobody else gets a byte. It runs until it is interrupted.",
		Args: oneGame,
		RunE: func(c *cobra.Command, args []string) error { return p.serve(c.Context(), f, args[0], asJSON) },
	}
	f.register(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object with url, origin, port, relayPorts and pid")
	return c
}

func (p *Program) serve(ctx context.Context, f gameFlags, game string, asJSON bool) error {
	o, err := f.options(p, game)
	if err != nil {
		return err
	}
	g, err := app.New(o)
	if err != nil {
		return err
	}
	defer g.Close()
	if err := g.Listen(ctx); err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- g.Serve() }()
	if asJSON {
		err = json.NewEncoder(p.stdout).Encode(map[string]any{
			"url": g.Server.EntryURL(), "origin": g.Server.Origin(), "port": g.Server.Port(),
			"relayPorts": g.Relay.PortNumbers(), "pid": os.Getpid(),
		})
	} else {
		_, err = fmt.Fprintln(p.stdout, g.Server.EntryURL())
	}
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-served:
		return err
	}
}
