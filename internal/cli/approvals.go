package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"conch/app"
	"conch/consent"
)

// approvalsCommand lists and forgets what players allowed.
func (p *Program) approvalsCommand() *cobra.Command {
	var dataDir string
	root := &cobra.Command{Use: "approvals", Short: "List and forget what you allowed games: hosts to reach, sessions to join, hosting on your network"}
	dataFlag(root.PersistentFlags(), &dataDir)

	var asJSON bool
	list := &cobra.Command{
		Use: "list", Short: "What each game may reach because you said yes", Args: nothing,
		RunE: func(c *cobra.Command, _ []string) error {
			return p.withStore(c.Context(), dataDir, func(s *consent.Store, _ string) error { return p.listApprovals(c.Context(), s, asJSON) })
		},
	}
	list.Flags().BoolVar(&asJSON, "json", false, "print JSON")

	var game string
	var all bool
	forget := &cobra.Command{
		Use:   "forget [HOST]",
		Short: "Take a yes back: one host of a game, all of a game, or everything",
		Long: "Take a yes back. Open connections to the host are closed and the game asks again.\n" +
			"  forget HOST --game GAME   one host of one game; \"this network\" for hosting there\n" +
			"  forget --game GAME        all of one game\n" +
			"  forget --all              everything\n" +
			"GAME is the text that `approvals list` prints, or its beginning.",
		RunE: func(c *cobra.Command, args []string) error {
			return p.withStore(c.Context(), dataDir, func(s *consent.Store, dir string) error {
				return p.forgetApprovals(c.Context(), s, dir, game, args, all)
			})
		},
	}
	forget.Flags().StringVar(&game, "game", "", "the game, as `approvals list` prints it")
	forget.Flags().BoolVar(&all, "all", false, "forget everything")
	root.AddCommand(list, forget)
	return root
}

// withStore opens the approvals of a data folder, the player's own when it is "".
func (p *Program) withStore(ctx context.Context, dataDir string, do func(s *consent.Store, dir string) error) error {
	dir, err := stateDir(dataDir)
	if err != nil {
		return err
	}
	store, err := app.OpenApprovals(dir, p.logger(false))
	if err != nil {
		return err
	}
	return errors.Join(do(store, dir), store.Close())
}

func (p *Program) listApprovals(ctx context.Context, s *consent.Store, asJSON bool) error {
	rows, err := app.Approvals(ctx, s)
	if err != nil {
		return err
	}
	if asJSON {
		return p.printJSON(rows)
	}
	if dir, err := app.Portable(); err == nil && dir != "" {
		fmt.Fprintf(p.stderr, "%s: portable: these answers are in %s and hold on this computer, in this place\n", p.Name, dir)
	}
	if len(rows) == 0 {
		fmt.Fprintln(p.stdout, "no host was allowed by you; what a game's author listed is shown by `inspect`")
		return nil
	}
	for _, r := range rows {
		fmt.Fprintf(p.stdout, "%.16s  %-30s %s  since %s, protected by %s\n", r.Game, r.What(), orUnknown(r.Name), r.Since.Local().Format("2006-01-02 15:04"), r.Protection)
	}
	return nil
}

func (p *Program) forgetApprovals(ctx context.Context, s *consent.Store, dataDir, game string, args []string, all bool) error {
	switch {
	case all && (game != "" || len(args) > 0), !all && game == "", len(args) > 1:
		return wrongUse("forget takes --all, or --game GAME and perhaps one HOST")
	case all:
		return app.Forget(ctx, s, dataDir, "", "")
	}
	id, err := theGame(ctx, s, game)
	if err != nil {
		return err
	}
	host := ""
	if len(args) == 1 {
		host = args[0]
	}
	return app.Forget(ctx, s, dataDir, id, host)
}

// theGame finds the one game whose identity begins with prefix.
func theGame(ctx context.Context, s *consent.Store, prefix string) (string, error) {
	approvals, err := s.List(ctx)
	if err != nil {
		return "", err
	}
	found := ""
	for _, a := range approvals {
		if !strings.HasPrefix(a.Game, prefix) || a.Game == found {
			continue
		}
		if found != "" {
			return "", fmt.Errorf("--game %s: more than one game begins so; see `approvals list --json`", prefix)
		}
		found = a.Game
	}
	if found == "" {
		return "", fmt.Errorf("--game %s: no such game; see `approvals list`", prefix)
	}
	return found, nil
}
