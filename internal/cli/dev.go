package cli

import (
	"github.com/spf13/cobra"
)

// devCommand is the author's play-test: the same window with the inspector, the console on the terminal, files that
// reload, and hosts that are asked about once.
func (p *Program) devCommand() *cobra.Command {
	var f gameFlags
	c := &cobra.Command{
		Use:   "dev GAME",
		Short: "Try a game out: files reload, the console and sockets show here, unlisted hosts ask once",
		Args:  oneGame,
		RunE: func(c *cobra.Command, args []string) error {
			f.debug, f.dev = true, true
			return p.playShown(c.Context(), f, args[0])
		},
	}
	f.register(c)
	return c
}
