//go:build !windows

package cli

// attachConsole has nothing to do: a program has its terminal here.
func attachConsole() {}
