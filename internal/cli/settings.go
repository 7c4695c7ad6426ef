package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"conch/app"
)

func (p *Program) settingsCommand() *cobra.Command {
	var dataDir string
	var verbose bool
	c := &cobra.Command{
		Use:   "settings",
		Short: "See in a window what games may reach because you said yes, and take it back",
		Args:  nothing,
		RunE: func(c *cobra.Command, _ []string) error {
			return p.showError(c.Context(), p.settings(c.Context(), dataDir, verbose))
		},
	}
	dataFlag(c.Flags(), &dataDir)
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "log everything")
	return c
}

func (p *Program) settings(ctx context.Context, dataDir string, verbose bool) (err error) {
	s, err := app.NewSettings(dataDir, p.logger(verbose))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	err = s.Listen(ctx)
	if errors.Is(err, app.ErrAlreadyRunning) {
		fmt.Fprintf(p.stderr, "%s: the settings are open already; their window was raised\n", p.Name)
		return nil
	}
	if err != nil {
		return err
	}
	go func() {
		if err := s.Serve(); err != nil {
			s.Logger().Error("the settings are served no longer", "err", err)
		}
	}()
	return p.Settings(ctx, s)
}
