// Command conch-host is Conch without a window: the same commands for servers, containers and build machines. It is
// built with CGO_ENABLED=0 and has neither Wails nor a web engine in its import graph.
package main

import (
	"os"

	"conch/internal/cli"
)

func main() {
	program := cli.Program{Name: "conch-host"}
	os.Exit(program.Main())
}
