// Command conch plays exported HTML5 games in a window of their own.
package main

import (
	"os"

	"conch/app/window"
	"conch/internal/cli"
)

func main() {
	program := cli.Program{
		Name: "conch", Window: window.Run, Settings: window.RunSettings, Alert: window.Alert, Dialog: window.Dialog(),
		EngineVersion: window.EngineVersion,
		Updates:       window.UpdateBox(),
	}
	os.Exit(program.Main())
}
