// Package frontend holds the page script: the first script in every page, frame and worker of a game. It gives the game
// window.conch and window.net and sends its WebSockets to the relay.
//
// The source is in src, as ES modules with JSDoc types; conch.d.ts declares for authors what a game sees. dist/page.js
// is built from it by the test of this package:
//
//	go test ./frontend -update
//
// settings holds the settings page, which is served as it is.
//
// dist/session.js is the other half: NetSessionManager. It stands behind the page script for games that have sessions, and
// by itself in the pages of players without Conch.
//
// Nothing in the script decides anything: netsock and consent enforce what it promises to honest games.
package frontend

import (
	"embed"
	"io/fs"
)

//go:generate go test -run TestPageScript -update .

// Token stands exactly once in PageScript, where the settings of a run belong as a JSON object: relayPorts, available,
// context, allowedHosts, allowAnyHost, debug, ownOrigin, proxyPrefixes, restore, shadow and session (src/types.d.ts, Config).
const Token = "__CONCH_CONFIG__"

// PageScript is the built page script. Callers must not change it.
//
//go:embed dist/page.js
var PageScript []byte

//go:embed settings
var settings embed.FS

// Settings holds the settings page, a page of Conch's own that no game shares an origin or a script with.
func Settings() fs.FS {
	files, err := fs.Sub(settings, "settings")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return files
}

// SessionScript is the built session script. In a game's pages it follows PageScript, whose settings then say
// "session": true. Callers must not change it.
//
//go:embed dist/session.js
var SessionScript []byte
