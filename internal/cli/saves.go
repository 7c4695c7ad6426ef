package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"conch/app"
	"conch/internal/saves"
)

// savesCommand copies a game's saves out and in. own is the game of a program that holds one; "": the first argument
// names the game.
func (p *Program) savesCommand(own string) *cobra.Command {
	var f gameFlags
	root := &cobra.Command{Use: "saves", Short: "Copy a game's saves out and in, say where they are, delete them"}
	dataFlag(root.PersistentFlags(), &f.dataDir)

	var asJSON, force bool
	var out string
	// with opens the game and hands the arguments after it on.
	with := func(c *cobra.Command, args []string, more int, need string, do func(g *app.App, args []string) error) error {
		game := own
		if own == "" && len(args) > 0 {
			game, args = args[0], args[1:]
		}
		if game == "" || len(args) != more {
			return wrongUse("%s", need)
		}
		o, err := f.options(p, game)
		if err != nil {
			return err
		}
		g, err := app.New(o)
		if err != nil {
			return err
		}
		defer g.Close()
		return do(g, args)
	}
	game, needGame := "GAME ", "takes one game: "+gameKinds
	if own != "" {
		game, needGame = "", "takes no arguments"
	}
	where := &cobra.Command{
		Use: "where " + game, Short: "Say in which folders the saves are",
		RunE: func(c *cobra.Command, args []string) error {
			return with(c, args, 0, "where "+needGame, func(g *app.App, _ []string) error { return p.savesWhere(g, asJSON) })
		},
	}
	where.Flags().BoolVar(&asJSON, "json", false, "print JSON")

	export := &cobra.Command{
		Use:   "export " + game,
		Short: "Write the saves into one file",
		Long: "Write the saves into one file, a zip that ends in .conchsave. The game must be closed. Cookies, caches and\n" +
			"approvals are not in it.",
		RunE: func(c *cobra.Command, args []string) error {
			return with(c, args, 0, "export "+needGame, func(g *app.App, _ []string) error { return p.savesExport(c, g, out, force) })
		},
	}
	export.Flags().StringVarP(&out, "out", "o", "", "file to write (default: the game's name here, ending in .conchsave)")
	export.Flags().BoolVar(&force, "force", false, "replace a file of that name")

	importing := &cobra.Command{
		Use:   "import " + game + "FILE",
		Short: "Put the saves of a file in the place of the game's own",
		Long: "Put the saves of a file in the place of the game's own. The game must be closed. The saves from before go into\n" +
			"a file first, whose name is printed.",
		RunE: func(c *cobra.Command, args []string) error {
			return with(c, args, 1, "import takes "+game+"and the FILE that export wrote", func(g *app.App, args []string) error {
				return p.savesImport(c, g, args[0], force)
			})
		},
	}
	importing.Flags().BoolVar(&force, "force", false, "also when the file holds the saves of another game")
	var yes bool
	deleting := &cobra.Command{
		Use:   "delete " + game,
		Short: "Delete the saves from this computer",
		Long:  "Delete the saves from this computer, with the copies that Conch keeps of them. The game must be closed.",
		RunE: func(c *cobra.Command, args []string) error {
			return with(c, args, 0, "delete "+needGame, func(g *app.App, _ []string) error {
				if !yes && !p.confirm("Delete all saves of "+g.Bundle.Title+"? [y/N] ") {
					return errors.New("nothing was deleted")
				}
				return g.DeleteSaves()
			})
		},
	}
	deleting.Flags().BoolVarP(&yes, "yes", "y", false, "delete without asking")
	root.AddCommand(where, export, importing, deleting)
	return root
}

// placeRow is what `saves where --json` prints.
type placeRow struct {
	Game     string       `json:"game"`
	Key      string       `json:"key"`
	Engine   saves.Engine `json:"engine"`
	Profile  string       `json:"profile"` // the engine's folder of this game; "" when it is shared with others
	Data     string       `json:"data"`    // Conch's folder of this game
	Origin   string       `json:"origin"`
	Portable bool         `json:"portable"`
}

func (p *Program) savesWhere(g *app.App, asJSON bool) error {
	place, err := g.SavesPlace()
	if err != nil {
		return err
	}
	portable, err := app.Portable()
	if err != nil {
		return err
	}
	if asJSON {
		return p.printJSON(placeRow{g.Bundle.Title, g.Key, place.Engine, place.Profile, place.Data, place.Origin, portable != ""})
	}
	profile := place.Profile
	if profile == "" {
		profile = "in the web engine's folder, which all games share"
	}
	fmt.Fprintf(p.stdout, "saves     %s\ncopies    %s\norigin    %s\n", profile, place.Data, place.Origin)
	if portable != "" {
		fmt.Fprintln(p.stdout, "portable  yes, because of "+app.PortableFile+" beside the program")
	}
	return nil
}

func (p *Program) savesExport(c *cobra.Command, g *app.App, out string, force bool) error {
	if out == "" {
		out = g.SavesFileName()
	}
	err := g.ExportSaves(c.Context(), out, force)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s is there already; name another file with -o, or replace it with --force", out)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, out)
	return nil
}

func (p *Program) savesImport(c *cobra.Command, g *app.App, file string, force bool) error {
	res, err := g.ImportSaves(c.Context(), file, force)
	if res.Kept != "" {
		fmt.Fprintf(p.stderr, "%s: the saves from before are kept in %s\n", p.Name, res.Kept)
	}
	if errors.Is(err, saves.ErrOtherGame) {
		return fmt.Errorf("%w; --force takes them in any case", err)
	}
	if err != nil {
		return err
	}
	if res.OnlyStorage {
		fmt.Fprintf(p.stderr, "%s: the file comes from another web engine: only what the game kept in localStorage was taken over\n", p.Name)
	}
	fmt.Fprintln(p.stdout, "imported into "+g.Key)
	return nil
}
