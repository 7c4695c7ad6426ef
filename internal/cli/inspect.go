package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"conch/app"
	"conch/runtime/bundle"
)

// inspection is what `inspect` prints: the bundle's report and what the shell adds to it.
type inspection struct {
	bundle.Report
	Key    string `json:"key"`    // the game's own name for its saves
	Port   int    `json:"port"`   // loopback port of its origin
	Origin string `json:"origin"` // Origin header its sockets send
}

func (p *Program) inspectCommand() *cobra.Command {
	var f gameFlags
	var asJSON, verify bool
	c := &cobra.Command{
		Use:   "inspect GAME",
		Short: "Say what a game is, what it may reach and what would go wrong",
		Args:  oneGame,
		RunE: func(c *cobra.Command, args []string) error {
			o, err := f.options(p, args[0])
			if err != nil {
				return err
			}
			g, err := app.New(o)
			if err != nil {
				return err
			}
			defer g.Close()
			in := inspection{Report: g.Bundle.Inspect(), Key: g.Key, Port: g.OwnPort(), Origin: g.SocketOrigin()}
			var fault error
			if verify {
				progress, end := p.progress("checking")
				fault = g.Bundle.VerifyAll(c.Context(), progress)
				end()
				if fault == nil {
					in.Verified = bundle.SignedAll
				}
			}
			if asJSON {
				return errors.Join(fault, p.printJSON(in))
			}
			return errors.Join(fault, in.print(p.stdout))
		},
	}
	c.Flags().StringVar(&f.entry, "entry", "", "page to start with, when the game has several")
	dataFlag(c.Flags(), &f.dataDir)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&verify, "verify", false, "read every file of a signed game and check it")
	return c
}

// signature says in words how far a signed game was checked.
func (in inspection) signature() string {
	switch in.Verified {
	case bundle.SignedAll:
		return "by " + in.Signer + "; every byte was checked"
	case bundle.SignedList:
		return "by " + in.Signer + "; names and sizes were checked, contents are as they are read (--verify checks all)"
	}
	return "no"
}

func (in inspection) print(w io.Writer) error {
	row := func(name, text string) { fmt.Fprintf(w, "%-10s %s\n", name, text) }
	row("game", in.Title)
	row("path", fmt.Sprintf("%s (%s)", in.Path, in.Kind))
	row("signed", in.signature())
	row("engine", orUnknown(in.Engine))
	row("entry", in.Entry)
	row("isolated", fmt.Sprintf("%t (COOP and COEP headers, for threads)", in.Isolated))
	if len(in.Encoded) > 0 {
		row("encoded", strings.Join(in.Encoded, ", "))
	}
	row("size", fmt.Sprintf("%s in %d files", byteSize(in.Bytes), in.Files))
	row("hosts", orNone(strings.Join(in.AllowedHosts, ", ")))
	row("any host", yesNo(in.Manifest.Network.AllowAnyHost))
	row("web hosts", orNone(strings.Join(in.Manifest.Network.WebHosts, ", ")))
	row("origin", in.Origin+" (what its sockets send)")
	row("port", fmt.Sprintf("%d on 127.0.0.1", in.Port))
	row("saves", in.Key)
	manifest, err := json.MarshalIndent(in.Manifest, "", "  ")
	if err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	fmt.Fprintf(w, "manifest, defaults filled in:\n%s\n", manifest)
	if len(in.Problems) == 0 {
		fmt.Fprintln(w, "no problems found")
		return nil
	}
	for _, problem := range in.Problems {
		where := ""
		if problem.File != "" {
			where = problem.File + ": "
		}
		fmt.Fprintf(w, "%-7s %s%s\n", problem.Level, where, problem.Text)
		if problem.Fix != "" {
			fmt.Fprintf(w, "        -> %s\n", problem.Fix)
		}
	}
	return nil
}

func orUnknown(s string) string {
	if s == "" {
		return "not recognised"
	}
	return s
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func yesNo(b bool) string {
	if b {
		return "yes, the player is asked"
	}
	return "no"
}

// byteSize writes a size in the unit a person would use.
func byteSize(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	units, value := "kMGT", float64(n)/1000
	i := 0
	for value >= 1000 && i < len(units)-1 {
		value /= 1000
		i++
	}
	return fmt.Sprintf("%.1f %cB", value, units[i])
}
