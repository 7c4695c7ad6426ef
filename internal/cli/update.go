package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"conch/app"
	"conch/internal/update"
)

// updateFlags are those of `update`.
type updateFlags struct {
	gameFlags
	check, yes, json bool
	automatic        string
}

func (p *Program) updateCommand() *cobra.Command {
	var f updateFlags
	c := &cobra.Command{
		Use:   "update [GAME]",
		Short: "Look for a new version of a game and put it in place",
		Long: "Look for a new version of a signed game whose author names a release feed, show it, and put it in place after a\n" +
			"yes. The old version is kept beside it until the new one has started once.\n\n" +
			"  conch update GAME --check            only say whether there is one\n" +
			"  conch update GAME --automatic off    the game no longer looks by itself when it is played\n" +
			"  conch update --automatic off         no game does",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 0 && f.automatic == "" {
				return wrongUse("update takes one game: a packed program or a .zip")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if f.automatic != "" {
				return p.setAutomatic(c.Context(), f, args)
			}
			return p.update(c.Context(), f, args[0])
		},
	}
	c.Flags().BoolVar(&f.check, "check", false, "only say whether there is a new version")
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "put it in place without asking")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON object; asks nothing")
	c.Flags().StringVar(&f.automatic, "automatic", "", "on or off: whether the game, or without GAME every game, looks for new versions when it is played")
	c.Flags().StringVar(&f.ca, "ca", "", "PEM file with certificates to trust besides the system's; the feed may then be on this computer")
	dataFlag(c.Flags(), &f.dataDir)
	return c
}

func (p *Program) setAutomatic(ctx context.Context, f updateFlags, args []string) error {
	if f.automatic != "on" && f.automatic != "off" {
		return wrongUse("--automatic %q: on or off", f.automatic)
	}
	on := f.automatic == "on"
	if len(args) == 0 {
		dir, err := stateDir(f.dataDir)
		if err != nil {
			return err
		}
		return update.SetAutomatic(dir, on)
	}
	g, u, err := p.updaterOf(f, args[0])
	if err != nil {
		return err
	}
	return errors.Join(u.SetOff(ctx, !on), g.Close())
}

func (p *Program) updaterOf(f updateFlags, game string) (*app.App, *update.Updater, error) {
	o, err := f.options(p, game)
	if err != nil {
		return nil, nil, err
	}
	g, err := app.New(o)
	if err != nil {
		return nil, nil, err
	}
	u, err := g.Updater()
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", game, err), g.Close())
	}
	return g, u, nil
}

// updateReport is what --json prints.
type updateReport struct {
	Game    string    `json:"game"`
	ID      string    `json:"id"`
	Have    string    `json:"have"`
	Version string    `json:"version"` // of the feed
	Newer   bool      `json:"newer"`
	Skipped bool      `json:"skipped"`
	Date    time.Time `json:"date"`
	Page    string    `json:"page"`
	Notes   string    `json:"notes"`
	Replace bool      `json:"replace"` // can be put in place
	Why     string    `json:"why"`     // why not
	Updated bool      `json:"updated"` // was put in place
}

func (p *Program) update(ctx context.Context, f updateFlags, game string) error {
	g, u, err := p.updaterOf(f, game)
	if err != nil {
		return err
	}
	closed := false
	shut := func() error {
		if closed {
			return nil
		}
		closed = true
		return g.Close()
	}
	defer shut()
	r, err := u.Check(ctx)
	var expired *update.ExpiredError
	if errors.As(err, &expired) {
		fmt.Fprintf(p.stderr, "%s: warning: %s\n", p.Name, err)
	} else if err != nil {
		return fmt.Errorf("%s: %w", game, err)
	}
	report := updateReport{u.Game.Name, u.Game.ID, u.Game.Version, r.Version, r.Newer, r.Skipped, r.Date, r.Page, r.Notes, r.Replace, r.Why, false}
	if !f.json {
		p.showRelease(report)
	}
	wanted := r.Newer && !f.check && (f.yes || !f.json)
	running, err := g.Running()
	switch {
	case wanted && err != nil:
	case wanted && !r.Replace:
		err = fmt.Errorf("%s cannot be replaced: %s; get the new version at %s", game, r.Why, r.Page)
	case wanted && running:
		err = fmt.Errorf("%s is running; close it first", game)
	case wanted && (f.yes || p.confirm("Put it in place? [y/N] ")):
		var staged *update.Staged
		progress, end := p.progress("fetching")
		staged, err = u.Stage(ctx, r, progress)
		end()
		if err == nil {
			err = errors.Join(shut(), staged.Commit(context.WithoutCancel(ctx)))
		}
		if report.Updated = err == nil; report.Updated && !f.json {
			fmt.Fprintf(p.stdout, "%s is now version %s; the old one is kept as %s.old until it has started once\n", u.Game.Path, r.Version, u.Game.Path)
		}
	}
	if f.json {
		err = errors.Join(err, p.printJSON(report))
	}
	return err
}

func (p *Program) showRelease(r updateReport) {
	if !r.Newer {
		fmt.Fprintf(p.stdout, "%s %s is the newest version\n", r.Game, r.Have)
		return
	}
	fmt.Fprintf(p.stdout, "A new version of %s is out (%s of %s; you have %s): %s\n", r.Game, r.Version, r.Date.Format(time.DateOnly), r.Have, r.Page)
	if r.Notes != "" {
		fmt.Fprintf(p.stdout, "\n  %s\n\n", strings.ReplaceAll(r.Notes, "\n", "\n  "))
	}
	if !r.Replace {
		fmt.Fprintf(p.stdout, "It cannot be put in place from here: %s.\n", r.Why)
	}
}

// confirm asks on the terminal; without one the answer is no.
func (p *Program) confirm(question string) bool {
	if !isTerminal(os.Stdin) {
		fmt.Fprintf(p.stderr, "%s: hint: --yes answers for you\n", p.Name)
		return false
	}
	fmt.Fprint(p.stderr, question)
	var answer string
	fmt.Fscanln(os.Stdin, &answer)
	return strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes")
}
