// Package pack makes programs of games: for each system one launcher, the resources that the system shows, and the
// game, which is read in place and never unpacked.
//
// [Run] does the whole of it. What it writes appears under its name at once and whole, or not at all, and the same
// game, launchers and options give the same bytes.
package pack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"conch/runtime/bundle"
)

// MaxInside is the size of a bundle in bytes up to which it goes into the program. Windows does not start programs of
// 4 GB and more.
const MaxInside = 3_900_000_000

// Options says what to pack. Game and Out must be set.
type Options struct {
	Game      string   // folder, .html, .zip or packed program
	Entry     string   // page to start with; "": the manifest's, else found
	Targets   []string // "windows-amd64" and the like; none: all whose launcher is there
	Out       string   // folder for the results; made when it is missing
	Name      string   // name of the program; "": the game's
	Icon      string   // PNG or SVG file; "": the game's icon
	Launchers string   // folder with launchers; "": see Launchers
	SideFile  bool     // put the game into a file beside the program, whatever its size
	NoDeb     bool     // no Debian package beside the .tar.gz
	Installer bool     // an NSIS installer for each Windows program too; needs makensis
	WebView2  string   // what the installer does where WebView2 is missing: WebView2Link, WebView2Skip or a path of Microsoft's bootstrapper; "": WebView2Link
	Force     bool     // replace what is there

	Progress func(stage string, done, total int64) // called often; nil: nobody looks
	Warn     func(bundle.Problem)                  // told of what does not stop the packing; nil: nobody listens

	maxInside int64 // 0: MaxInside
}

// File is one result.
type File struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	Target string `json:"target"` // "" for a file that several targets need
}

// Result is what Run made.
type Result struct {
	Name    string   `json:"name"`
	ID      string   `json:"id"`
	Version string   `json:"version"`
	Signer  string   `json:"signer"` // fingerprint of the author's key, "" when the game is not signed
	Files   []File   `json:"files"`
	Game    Contents `json:"game"`
}

// Contents are the sizes of what was packed.
type Contents struct {
	Files  int   `json:"files"`
	Bytes  int64 `json:"bytes"`  // as they were
	Packed int64 `json:"packed"` // of the bundle
}

// RefusedError says that a game was not packed because it would not run.
type RefusedError struct{ Problems []bundle.Problem }

// Error names the problems and their fixes, one a line.
func (e *RefusedError) Error() string {
	lines := []string{"the game was not packed, because it would not run:"}
	for _, p := range e.Problems {
		where := ""
		if p.File != "" {
			where = p.File + ": "
		}
		lines = append(lines, "  "+where+p.Text+"\n    -> "+p.Fix)
	}
	return strings.Join(lines, "\n")
}

// game is what all targets have in common.
type game struct {
	opts     Options
	bundle   *bundle.Bundle
	app      bundle.App
	name     string // for people
	file     string // for file names: the name without what a system forbids
	id       string // reverse domain name of the program; never ""
	version  string
	icon     *icon    // nil: there is none
	packed   *os.File // the bundle, at its end
	size     int64    // of packed
	sideFile string   // name of the file beside the program; "": the game is in it
	windows  *os.File // the Windows program that was finished last
	out      *output
}

// Run packs a game for all targets.
func Run(ctx context.Context, o Options) (Result, error) {
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	if o.Warn == nil {
		o.Warn = func(bundle.Problem) {}
	}
	if o.maxInside == 0 {
		o.maxInside = MaxInside
	}
	if err := checkInstaller(o); err != nil {
		return Result{}, err
	}
	launchers, err := chooseLaunchers(o)
	if err != nil {
		return Result{}, err
	}
	b, err := bundle.Open(o.Game, bundle.Options{Entry: o.Entry})
	if err != nil {
		return Result{}, err
	}
	defer b.Close()
	if err := check(b, o); err != nil {
		return Result{}, err
	}
	g := &game{opts: o, bundle: b, app: b.Manifest.App, version: b.Manifest.Version}
	g.names()
	if g.icon, err = g.findIcon(); err != nil {
		return Result{}, err
	}
	if g.out, err = newOutput(o.Out, o.Force); err != nil {
		return Result{}, err
	}
	defer g.out.discard()
	return g.run(ctx, launchers)
}

func (g *game) run(ctx context.Context, launchers []Launcher) (Result, error) {
	for _, l := range launchers { // before the work: does a result lie in the way?
		for _, r := range g.results(l) {
			if err := g.out.free(r.name); err != nil {
				return Result{}, err
			}
		}
	}
	packed, did, err := g.makeBundle(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("pack %s: %w", g.opts.Game, err)
	}
	g.packed, g.size = packed, did.Packed
	r := Result{Name: g.name, ID: g.bundle.Manifest.ID, Version: g.version, Signer: g.bundle.Signer(), Game: did}
	for _, l := range launchers {
		g.opts.Progress(l.Target, 0, 1)
		for _, result := range g.results(l) {
			if err := result.build(ctx, l, result.name); err != nil {
				return Result{}, fmt.Errorf("pack %s for %s: %w", g.opts.Game, l.Target, err)
			}
			r.Files = append(r.Files, File{Path: result.name, Target: l.Target})
		}
	}
	if g.sideFile != "" && slices.ContainsFunc(launchers, func(l Launcher) bool { return l.System == "windows" }) {
		if err := g.out.rename(packed.Name(), g.sideFile); err != nil {
			return Result{}, err
		}
		r.Files = append(r.Files, File{Path: g.sideFile})
	}
	sizes, err := g.out.publish()
	for i := range r.Files {
		r.Files[i].Size = sizes[r.Files[i].Path]
		r.Files[i].Path = filepath.Join(g.opts.Out, r.Files[i].Path)
	}
	return r, err
}

// check refuses a game that would not run and tells of everything else.
func check(b *bundle.Bundle, o Options) error {
	var errs []bundle.Problem
	for _, p := range b.Inspect().Problems {
		switch p.Level {
		case bundle.Error:
			errs = append(errs, p)
		case bundle.Warning:
			o.Warn(p)
		}
	}
	if len(errs) > 0 {
		return &RefusedError{errs}
	}
	_, left, err := b.Contents()
	if err != nil {
		return err
	}
	for _, p := range left {
		o.Warn(p)
	}
	if b.Manifest.ID == "" {
		o.Warn(bundle.Problem{Level: bundle.Warning, Text: "the game has no id, so a player who moves the program or gets the next version may lose the saves",
			Fix: `write "id": "com.example.mygame" into conch.json and keep it`})
	}
	return nil
}

// makeBundle writes the game's zip and makes sure that it opens as the game did.
func (g *game) makeBundle(ctx context.Context) (*os.File, Contents, error) {
	f, err := g.out.temp()
	if err != nil {
		return nil, Contents{}, err
	}
	did, err := writeBundle(ctx, f, g.bundle, func(done, total int64) { g.opts.Progress("game", done, total) })
	if err != nil {
		return nil, Contents{}, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, Contents{}, err
	}
	again, err := bundle.Open(f.Name(), bundle.Options{})
	if err != nil {
		return nil, Contents{}, fmt.Errorf("the packed game does not open: %w", err)
	}
	defer again.Close()
	if again.Entry != g.bundle.Entry {
		return nil, Contents{}, fmt.Errorf(`the packed game would start with %s and not with %s; write "entry": %q into conch.json`,
			again.Entry, g.bundle.Entry, g.bundle.Entry)
	}
	if again.Signer() != g.bundle.Signer() {
		return nil, Contents{}, errors.New("the packed game is not signed as the game is")
	}
	if info.Size() > g.opts.maxInside || g.opts.SideFile {
		g.sideFile = g.file + ".conch"
		if err := g.out.free(g.sideFile); err != nil {
			return nil, Contents{}, err
		}
		if !g.opts.SideFile {
			g.opts.Warn(bundle.Problem{Level: bundle.Warning, File: g.sideFile,
				Text: "the game is too large for one program; it lies in a file of its own beside it",
				Fix:  "give players both files in one folder"})
		}
	}
	return f, Contents{Files: did.Files, Bytes: did.Plain, Packed: info.Size()}, nil
}

// result is one file of a target and what makes it.
type result struct {
	name  string
	build func(ctx context.Context, l Launcher, name string) error
}

// results are the files that a target gives, in the order of the work.
func (g *game) results(l Launcher) []result {
	switch l.System {
	case "windows":
		name := g.file
		if l.Arch != "amd64" {
			name += "-" + l.Arch
		}
		all := []result{{name + ".exe", g.buildWindows}}
		if g.opts.Installer {
			all = append(all, result{name + "-setup.exe", g.buildInstaller})
		}
		return all
	case "darwin":
		return []result{{g.file + "-" + l.Target + ".zip", g.buildDarwin}}
	}
	all := []result{{g.file + "-" + l.Target + ".tar.gz", g.buildLinux}}
	if !g.opts.NoDeb {
		all = append(all, result{g.debName() + "_" + debVersion(g.version) + "_" + l.Arch + ".deb", g.buildDeb})
	}
	return all
}

// bundleReader reads the packed bundle from its start.
func (g *game) bundleReader() io.Reader { return io.NewSectionReader(g.packed, 0, g.size) }

// payload is the header in front of the game and what follows it, padded so that a code signature adds no bytes of its
// own between.
func (g *game) payload(imageEnd int64) (before []byte, game io.Reader, size int64, after []byte) {
	p := bundle.Payload{Length: g.size}
	game = g.bundleReader()
	if g.sideFile != "" {
		p = bundle.Payload{Length: int64(len(g.sideFile)), Side: true, SideSize: g.size}
		game = strings.NewReader(g.sideFile)
	}
	at := bundle.PayloadOffset(imageEnd)
	before = append(make([]byte, at-imageEnd), p.Header()...)
	const signatureAlign = 8
	return before, game, p.Length, make([]byte, -p.Length&(signatureAlign-1))
}
