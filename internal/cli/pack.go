//go:build !launcher

package cli

import (
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"conch/internal/pack"
	"conch/runtime/bundle"
)

// packCommands are what makes programs of games and games of programs.
func (p *Program) packCommands() []*cobra.Command {
	return []*cobra.Command{p.packCommand(), p.unpackCommand()}
}

func (p *Program) packCommand() *cobra.Command {
	var o pack.Options
	var asJSON bool
	c := &cobra.Command{
		Use:   "pack GAME",
		Short: "Make programs for Windows, Linux and macOS of a game",
		Long: "Make programs of a game, one for each target: Name.exe for Windows, a .tar.gz with the program, a desktop file\n" +
			"and icons and a .deb for Linux, a .zip with Name.app for macOS. Players need nothing else; nothing is unpacked when they\n" +
			"start it. Without --target it makes all whose launcher is here: in --launchers, in the folder \"launchers\" beside\n" +
			"this program, or this program itself.\n\n" +
			"A game that `inspect` finds errors in is refused. Sign the game before you pack it.",
		Args: oneGame,
		RunE: func(c *cobra.Command, args []string) error {
			o.Game = args[0]
			o.Warn = p.warn
			show, end := p.stages()
			o.Progress = show
			made, err := pack.Run(c.Context(), o)
			end()
			if err != nil {
				return err
			}
			if asJSON {
				return p.printJSON(made)
			}
			return p.printPacked(made)
		},
	}
	flags := c.Flags()
	flags.StringVarP(&o.Out, "out", "o", "dist", "folder for the results")
	flags.StringArrayVar(&o.Targets, "target", nil, "one of "+strings.Join(pack.Systems, ", ")+"; may be given several times (default: all whose launcher is here)")
	flags.StringVar(&o.Name, "name", "", "name of the program (default: the game's)")
	flags.StringVar(&o.Icon, "icon", "", "a .png or .svg (default: the game's icon)")
	flags.StringVar(&o.Entry, "entry", "", "page to start with, when the game has several")
	flags.StringVar(&o.Launchers, "launchers", "", "folder with launchers and their SHA256SUMS")
	flags.BoolVar(&o.SideFile, "side-file", false, "put the game into a file beside the program; done by itself above 3.9 GB")
	flags.BoolVar(&o.NoDeb, "no-deb", false, "make no .deb beside the .tar.gz for Linux")
	flags.BoolVar(&o.Installer, "installer", false, "make an installer for Windows too; needs NSIS (makensis)")
	flags.StringVar(&o.WebView2, "webview2", pack.WebView2Link, "what the installer does where Microsoft's WebView2 is missing: link (offer its page), skip, or the path of MicrosoftEdgeWebview2Setup.exe")
	flags.BoolVar(&o.Force, "force", false, "replace results that are there")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// warn prints a problem that does not stop the work.
func (p *Program) warn(problem bundle.Problem) {
	where := ""
	if problem.File != "" {
		where = problem.File + ": "
	}
	fmt.Fprintf(p.stderr, "%s: warning: %s%s\n", p.Name, where, problem.Text)
	if problem.Fix != "" {
		fmt.Fprintf(p.stderr, "%s: hint: %s\n", p.Name, problem.Fix)
	}
}

// stages is progress for work in several stages.
func (p *Program) stages() (show func(stage string, done, total int64), end func()) {
	if p.stderr != os.Stderr || !isTerminal(os.Stderr) {
		return nil, func() {}
	}
	last := ""
	show = func(stage string, done, total int64) {
		const width = 24
		percent := 100 * done / max(total, 1)
		bar := strings.Repeat("#", int(percent*width/100))
		if text := fmt.Sprintf("%s: %-14s [%-*s] %3d %%", p.Name, stage, width, bar, percent); text != last {
			last = text
			fmt.Fprintf(p.stderr, "\r%s", text)
		}
	}
	return show, func() {
		if last != "" {
			fmt.Fprint(p.stderr, "\r\x1b[K")
		}
	}
}

func (p *Program) printPacked(made pack.Result) error {
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "game\t%s in %d files\t%s packed\n", byteSize(made.Game.Bytes), made.Game.Files, byteSize(made.Game.Packed))
	for _, f := range made.Files {
		target := f.Target
		if target == "" {
			target = "beside it"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", target, byteSize(f.Size), f.Path)
	}
	return w.Flush()
}

func (p *Program) unpackCommand() *cobra.Command {
	var o pack.UnpackOptions
	var asJSON bool
	c := &cobra.Command{
		Use:   "unpack GAME",
		Short: "Write the files of a packed game into a folder",
		Long:  "Write the files of a packed program, a .conch or a .zip into a folder. A signed game is checked on the way.",
		Args:  oneGame,
		RunE: func(c *cobra.Command, args []string) error {
			if o.Out == "" {
				return wrongUse("unpack needs a folder for the files: -o DIR")
			}
			o.Game = args[0]
			show, end := p.progress("unpacking")
			o.Progress = show
			done, err := pack.Unpack(c.Context(), o)
			end()
			if err != nil {
				return err
			}
			if asJSON {
				return p.printJSON(done)
			}
			_, err = fmt.Fprintf(p.stdout, "%s in %d files in %s\n", byteSize(done.Bytes), done.Files, done.Out)
			return err
		},
	}
	c.Flags().StringVarP(&o.Out, "out", "o", "", "folder for the files")
	c.Flags().BoolVar(&o.Force, "force", false, "write into a folder that is not empty, replacing files of the same name")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
