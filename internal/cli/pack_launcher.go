//go:build launcher

package cli

import "github.com/spf13/cobra"

// packCommands is empty in a launcher: players get no tools for authors, and a program that is 5 MB smaller.
func (p *Program) packCommands() []*cobra.Command { return nil }
