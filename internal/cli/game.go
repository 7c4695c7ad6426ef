package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"conch/runtime/bundle"
)

// ownGame is the running program, or its .app folder, when it carries a game; "" when it does not. The path comes with
// the error of a game that is not whole.
func ownGame() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil
	}
	if runtime.GOOS == "darwin" {
		self = filepath.Dir(filepath.Dir(filepath.Dir(self))) // Name.app/Contents/MacOS/name
	}
	carries, err := bundle.CarriesGame(self)
	var broken *bundle.ProgramError
	if errors.As(err, &broken) {
		return self, err
	}
	if err != nil || !carries {
		return "", nil // it runs, so it can be used without a game
	}
	return self, nil
}

// gameRoot is the command line of a packed game: players start it, so it has few words. broken is what is wrong with
// the game in it, nil when nothing is.
func (p *Program) gameRoot(path string, broken error) *cobra.Command {
	var f gameFlags
	var selfCheck, asJSON, showVersion, look, yes bool
	root := &cobra.Command{
		Use:               p.Name,
		Annotations:       map[string]string{cobra.CommandDisplayNameAnnotation: p.Name}, // which may have spaces
		Short:             "Play the game in this program",
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return wrongUse("%q is not known: this program is a game and opens nothing else", args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case asJSON && !selfCheck && !look:
				return wrongUse("--json goes with --self-check or --update")
			case yes && !look:
				return wrongUse("--yes goes with --update")
			case selfCheck:
				return p.selfCheck(c.Context(), path, broken, asJSON)
			case showVersion:
				return p.gameVersion(path, broken)
			case broken != nil:
				return p.showError(c.Context(), broken)
			case look:
				return p.update(c.Context(), updateFlags{gameFlags: f, yes: yes, json: asJSON}, path)
			case p.Window == nil:
				return p.serve(c.Context(), f, path, false)
			}
			return p.playShown(c.Context(), f, path)
		},
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err.Error()} })
	if p.Settings != nil {
		root.AddCommand(p.settingsCommand()) // the crash screen starts it
	}
	if p.Window != nil && broken == nil {
		root.AddCommand(p.savesCommand(path))
	}
	flags := root.Flags()
	flags.BoolVar(&selfCheck, "self-check", false, "read the whole game, check it and print what it is")
	flags.BoolVar(&asJSON, "json", false, "with --self-check or --update: print JSON")
	flags.BoolVar(&look, "update", false, "look for a new version and ask whether to put it in place")
	flags.BoolVar(&yes, "yes", false, "with --update: put it in place without asking")
	flags.BoolVar(&f.noUpdateCheck, "no-update-check", false, "do not look for a new version")
	flags.BoolVar(&showVersion, "version", false, "print the versions of the game and of Conch")
	flags.BoolVar(&f.anyPort, "any-port", false, "when the game's port is taken, start on another: localStorage is carried over, other saves are not there")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "log everything")
	return root
}

// check is what --self-check prints with --json.
type check struct {
	OK       bool            `json:"ok"`
	Error    string          `json:"error"` // "" when OK
	Path     string          `json:"path"`
	Conch    string          `json:"conch"` // version
	Signer   string          `json:"signer"`
	Files    int             `json:"files"`
	Bytes    int64           `json:"bytes"`
	Entry    string          `json:"entry"`
	Title    string          `json:"title"`
	Manifest bundle.Manifest `json:"manifest"`
}

// selfCheck reads every byte of the game, without a window and without touching the player's data.
func (p *Program) selfCheck(ctx context.Context, path string, broken error, asJSON bool) error {
	c := check{Path: path, Conch: Version(), Manifest: bundle.DefaultManifest()}
	err := broken
	if err == nil {
		err = c.read(ctx, path, p)
	}
	if err != nil {
		c.Error = err.Error()
	}
	c.OK = err == nil
	if asJSON {
		return errors.Join(err, p.printJSON(c))
	}
	if err != nil {
		return err
	}
	manifest, err := json.MarshalIndent(c.Manifest, "", "  ")
	if err != nil {
		return err
	}
	signed := "no; every file fits its checksum"
	if c.Signer != "" {
		signed = "by " + c.Signer + "; every byte was checked"
	}
	_, err = fmt.Fprintf(p.stdout, "game       %s\nversion    %s\nconch      %s\nsigned     %s\nsize       %s in %d files\nentry      %s\nmanifest, defaults filled in:\n%s\nall is well\n",
		c.Title, c.Manifest.Version, c.Conch, signed, byteSize(c.Bytes), c.Files, c.Entry, manifest)
	return err
}

func (c *check) read(ctx context.Context, path string, p *Program) error {
	b, err := bundle.Open(path, bundle.Options{})
	if err != nil {
		return err
	}
	defer b.Close()
	c.Signer, c.Entry, c.Title, c.Manifest = b.Signer(), b.Entry, b.Title, b.Manifest
	items, _, err := b.Contents()
	if err != nil {
		return err
	}
	c.Files = len(items)
	for _, it := range items {
		c.Bytes += it.Size
	}
	show, end := p.progress("checking")
	defer end()
	return b.ReadAll(ctx, show)
}

func (p *Program) gameVersion(path string, broken error) error {
	if broken != nil {
		return broken
	}
	b, err := bundle.Open(path, bundle.Options{})
	if err != nil {
		return err
	}
	defer b.Close()
	_, err = fmt.Fprintf(p.stdout, "%s\nConch %s\n", strings.TrimSpace(b.Title+" "+b.Manifest.Version), Version())
	return err
}

// showError shows a player what went wrong, who has no terminal to read it in.
func (p *Program) showError(ctx context.Context, err error) error {
	var shown *shownError
	if err != nil && !errors.As(err, &shown) && !isTerminal(os.Stderr) {
		p.alert(ctx, "Conch", sentence(err), "Close")
	}
	return err
}
