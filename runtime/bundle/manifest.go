package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode"
)

// Manifest is the game's conch.json with defaults filled in. docs/bundle.md describes every key and
// docs/conch.schema.json is the same for editors; a test keeps the three together.
type Manifest struct {
	Format  int     `json:"format"`  // 1; required when there is a manifest
	ID      string  `json:"id"`      // reverse domain name or the like; default ""
	Name    string  `json:"name"`    // default ""
	Version string  `json:"version"` // free text; default ""
	Entry   string  `json:"entry"`   // default: found, see docs/bundle.md; Bundle.Entry after Open
	Icon    string  `json:"icon"`    // a PNG in the bundle; default: the page's icon
	App     App     `json:"app"`
	Window  Window  `json:"window"`
	Network Network `json:"network"`
	Web     Web     `json:"web"`
	Update  Update  `json:"update"`
}

// App is what a packed program tells the system about the game.
type App struct {
	Company     string   `json:"company"`     // who publishes the game; default ""
	Copyright   string   `json:"copyright"`   // default ""
	Description string   `json:"description"` // one sentence; default ""
	Categories  []string `json:"categories"`  // of Categories; default none
}

// Categories are the values of app.categories: the kinds of game that Linux menus know.
var Categories = []string{
	"ActionGame", "AdventureGame", "ArcadeGame", "BlocksGame", "BoardGame", "CardGame", "KidsGame", "LogicGame",
	"RolePlaying", "Shooter", "Simulation", "SportsGame", "StrategyGame",
}

// Window is how the game's window starts. Sizes are in CSS pixels of the game's area.
type Window struct {
	Title      string `json:"title"`      // default: name, else the page's title, else the file's name
	Width      int    `json:"width"`      // default 1280
	Height     int    `json:"height"`     // default 720
	MinWidth   int    `json:"minWidth"`   // default 0: none
	MinHeight  int    `json:"minHeight"`  // default 0: none
	Resizable  bool   `json:"resizable"`  // default true
	Fullscreen bool   `json:"fullscreen"` // default false
	Background string `json:"background"` // #rrggbb; default #000000
}

// Network is whom the game may talk to.
type Network struct {
	AllowedHosts []string          `json:"allowedHosts"` // lines of package hostlist, comments included; default none
	AllowAnyHost bool              `json:"allowAnyHost"` // ask the player about unlisted hosts; default false
	Origin       string            `json:"origin"`       // Origin header of the game's sockets; default "": the game's own
	WebHosts     []string          `json:"webHosts"`     // names the pages may load from over https; default none
	Sessions     bool              `json:"sessions"`     // host and join multiplayer sessions; default false
	Proxy        map[string]string `json:"proxy"`        // path prefix on the game's origin -> server; default none
}

// Web is what the game's pages may do.
type Web struct {
	Isolation   string   `json:"isolation"`   // one of Isolations; default "auto"
	Permissions []string `json:"permissions"` // of Permissions; default none
	Devtools    bool     `json:"devtools"`    // the web inspector; default false
}

// Update is where a signed game learns of its next version.
type Update struct {
	Feed string `json:"feed"` // https address of the release feed; default "": the game never asks
}

// Isolations are the values of web.isolation.
var Isolations = []string{"auto", "on", "off"}

// Permissions are the values of web.permissions. Gamepads need none.
var Permissions = []string{"camera", "microphone", "geolocation", "notifications", "clipboard-read", "midi"}

// maxManifest bounds a conch.json in bytes.
const maxManifest = 256 << 10

// DefaultManifest is the manifest of a game without one.
func DefaultManifest() Manifest {
	return Manifest{
		Format: 1,
		App:    App{Categories: []string{}},
		Window: Window{Width: 1280, Height: 720, Resizable: true, Background: "#000000"},
		Network: Network{
			AllowedHosts: []string{}, WebHosts: []string{}, Proxy: map[string]string{},
		},
		Web: Web{Isolation: "auto", Permissions: []string{}},
	}
}

// ManifestError is one mistake in a manifest.
type ManifestError struct {
	File    string // name in the bundle
	Line    int    // 1 for the first
	Column  int    // in characters, 1 for the first
	Setting string // as a person writes it, for example "window.width"; "" for a mistake of the syntax
	Text    string // what is wrong and what to write
}

// Error is file:line:column: setting: text.
func (e *ManifestError) Error() string {
	if e.Setting == "" {
		return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Text)
	}
	return fmt.Sprintf("%s:%d:%d: %s: %s", e.File, e.Line, e.Column, e.Setting, e.Text)
}

// manifestSource is a manifest text and where it stands.
type manifestSource struct {
	file  string // name in the bundle, for messages
	text  []byte // the whole file
	data  []byte // the manifest in it; nil when there is none
	start int    // offset of data in text
	entry string // the entry it names, "" when it names none or not a name in a bundle
}

// readManifest reads the conch.json at the root, if there is one, and its entry setting. Other settings wait until
// the entry is known, so that a mistake in them is reported together with all the others.
func (b *Bundle) readManifest() (manifestSource, error) {
	src := manifestSource{file: manifestName}
	data, err := readFile(b.FS, manifestName, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return src, nil
	}
	if err != nil {
		return src, fmt.Errorf("%s: read manifest: %w", b.Path, err)
	}
	src.text, src.data = data, data
	if src.data == nil {
		src.data = []byte{}
	}
	m, _ := decodeManifest(src)
	if name := strings.TrimSuffix(strings.TrimPrefix(m.Entry, "./"), "/"); fs.ValidPath(name) {
		src.entry = name
	}
	return src, nil
}

// applyManifest decodes and checks the manifest and fills in Manifest, HasManifest and Hosts.
func (b *Bundle) applyManifest(src manifestSource) error {
	b.Manifest = DefaultManifest()
	if src.data == nil {
		return nil
	}
	m, d := decodeManifest(src)
	hosts := d.validate(&m)
	d.checkFiles(b, m, src)
	if err := d.err(); err != nil {
		return err
	}
	b.Manifest, b.HasManifest, b.Hosts = m, true, hosts
	for _, w := range hosts.Warnings() {
		b.notes = append(b.notes, Problem{Level: Warning, File: src.file, Text: "network.allowedHosts: " + w, Fix: "name your own host"})
	}
	return nil
}

// checkFiles checks the settings that name files of the bundle.
func (d *decoder) checkFiles(b *Bundle, m Manifest, src manifestSource) {
	if d.at("entry") && b.Entry == "" {
		d.add("entry", fmt.Sprintf("there is no page %q in the game; pages found: %s", m.Entry, quoteList(capped(b.deepPages(), 20))))
	}
	if m.Entry != "" && src.file != manifestName {
		d.add("entry", "a manifest inside a page cannot choose the entry; remove it or use a conch.json")
	}
	if m.Icon != "" && d.at("icon") && !b.has(m.Icon) {
		d.add("icon", fmt.Sprintf("there is no file %q in the game", m.Icon))
	}
}

// cleanTitle makes a text fit for a title bar: one line, no control or direction characters, at most 200 characters.
func cleanTitle(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 200 {
		s = string(r[:200])
	}
	return s
}
