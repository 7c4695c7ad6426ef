//go:build e2e

// Command winupdate shows the box about a new version of a game that can be replaced ("now") or not ("page"), and
// prints the number of the answer.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"conch/app"
	"conch/app/window"
)

func main() {
	o := app.UpdateOffer{
		Name: "My Game", Version: "1.2.0", Have: "1.1.0", CanReplace: os.Args[1] == "now",
		Notes: "100% %n %s & <b>new</b>.\n" + strings.Repeat("Two new levels. The door opens again. ", 30),
	}
	answer, err := window.UpdateBox().Ask(context.Background(), o)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("answer", answer)
}
