// Package cli holds the commands of conch and conch-host.
//
// How the programs speak: results go to standard output, one thing per line, as JSON with --json; everything else
// goes to standard error. An error is one line "conch: ..." in lower case that says what to change; what a player
// sees without a terminal is the same text in a native box. Exit codes: 0 done, 1 failed, 2 wrong use.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"conch/app"
	"conch/consent"
)

// version is set by the linker for releases.
var version = ""

// Program is one of the two programs. The zero value of every field but Name is the headless one.
type Program struct {
	Name          string
	Window        func(ctx context.Context, g *app.App) error                          // opens the game's window; nil: no window
	Settings      func(ctx context.Context, s *app.Settings) error                     // opens the settings' window; set with Window
	Alert         func(ctx context.Context, title, text string, buttons ...string) int // native box: the button pressed or -1
	Dialog        consent.Dialog                                                       // asks the player; nil: nobody can be asked
	EngineVersion func() (string, error)                                               // web engine of the window
	Updates       app.UpdateBox                                                        // tells the player about new versions; nil: the log does

	game           string     // the program itself when it is a packed game
	gameBroken     error      // what is wrong with that game
	keys           authorKeys // nil: the system's key store
	stdout, stderr io.Writer
}

// usageError is wrong use: exit code 2.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func wrongUse(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// Main runs the program on the process's arguments and answers its exit code.
func (p *Program) Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	attachConsole()
	p.game, p.gameBroken = ownGame()
	return p.Run(ctx, os.Args[1:], os.Stdout, os.Stderr)
}

// Run runs one command line.
func (p *Program) Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	p.stdout, p.stderr = stdout, stderr
	root := p.root()
	if p.game != "" {
		p.Name = strings.TrimSuffix(filepath.Base(p.game), filepath.Ext(p.game))
		root = p.gameRoot(p.game, p.gameBroken)
	}
	root.SetArgs(p.withPlay(root, args))
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "%s: %s\n", p.Name, err)
	var usage *usageError
	if errors.As(err, &usage) {
		fmt.Fprintf(stderr, "%s: hint: see `%s --help`\n", p.Name, p.Name)
		return 2
	}
	return 1
}

// withPlay makes `conch GAME`, and a file dropped on the program, mean `conch play GAME`.
func (p *Program) withPlay(root *cobra.Command, args []string) []string {
	if p.Window == nil || p.game != "" || len(args) == 0 || strings.HasPrefix(args[0], "-") || strings.HasPrefix(args[0], "__") {
		return args
	}
	for _, c := range root.Commands() {
		if c.Name() == args[0] || c.HasAlias(args[0]) || args[0] == "help" || args[0] == "completion" {
			return args
		}
	}
	if _, err := os.Stat(args[0]); err != nil {
		return args
	}
	return append([]string{"play"}, args...)
}

func (p *Program) root() *cobra.Command {
	root := &cobra.Command{
		Use:           p.Name,
		Short:         "Conch runs exported HTML5 games",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return wrongUse("%q is neither a command nor a file here", args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err.Error()} })
	if p.Window != nil {
		root.AddCommand(p.playCommand(), p.devCommand(), p.approvalsCommand(), p.settingsCommand(), p.savesCommand(""))
	}
	root.AddCommand(p.serveCommand(), p.hostCommand(), p.botsCommand(), p.inspectCommand(), p.keygenCommand(), p.signCommand(), p.releaseCommand(), p.updateCommand(),
		p.doctorCommand(), p.versionCommand())
	root.AddCommand(p.packCommands()...)
	return root
}

// oneGame checks the single argument of the commands that take a game.
func oneGame(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return wrongUse("%s takes one game: "+gameKinds, c.Name())
	}
	return nil
}

// gameKinds is what the commands take as a game.
const gameKinds = "a folder, an .html, a .zip or a packed program"

// nothing checks that a command without arguments got none.
func nothing(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return wrongUse("%s takes no arguments, got %q", c.Name(), args[0])
	}
	return nil
}

func (p *Program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: nothing,
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintf(p.stdout, "%s %s\n", p.Name, Version())
			return nil
		},
	}
}

// printJSON prints a result for scripts.
func (p *Program) printJSON(v any) error {
	enc := json.NewEncoder(p.stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// dataFlag is --data of the commands that use Conch's state.
func dataFlag(flags interface {
	StringVar(to *string, name, value, usage string)
}, dir *string) {
	flags.StringVar(dir, "data", "", "folder for Conch's state (default: the player's data folder)")
}

// stateDir is the folder that --data named, the player's own when it named none.
func stateDir(flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	return app.DataDir()
}

// Version is the release's version, else what the build recorded of the source.
func Version() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			revision = s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+changes"
		}
	}
	if revision == "" {
		return "development"
	}
	return "development " + revision + dirty
}

// logger writes to standard error: warnings always, everything with --verbose.
func (p *Program) logger(verbose bool) *slog.Logger {
	level := slog.LevelWarn
	if verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: level}))
}
