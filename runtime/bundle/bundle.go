// Package bundle opens an exported HTML5 game, whatever shape it came in, and tells what it is.
//
// [Open] takes a folder, a single .html file, a .zip or a packed program and gives one [Bundle]: a file system whose files can seek,
// the page to start, and the manifest with its defaults filled in. Nothing is unpacked to disk. A bundle is outside
// input: no name in it reaches a file beyond the game, and what cannot be served safely is refused with a sentence
// that says what to do instead.
package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"conch/consent/hostlist"
)

// Kind is the shape a game came in.
type Kind string

// The kinds of bundle.
const (
	Folder Kind = "folder"
	HTML   Kind = "html"
	Zip    Kind = "zip"

	// Program is a packed game: an executable for Windows or Linux, or a macOS .app folder.
	Program Kind = "program"
)

// Bundle is an open game. All methods and FS may be used from several goroutines until Close.
type Bundle struct {
	Path string // as given to Open
	Kind Kind

	// FS holds the game's files under slash-separated names, as they are spelled in the bundle. Every regular file
	// it opens is an io.ReadSeeker; it implements fs.StatFS and fs.ReadDirFS. Names are compared byte by byte: the
	// fallback for letter case and for composed or decomposed accents belongs to the server. In a Zip or Program, the Sys of a
	// file's FileInfo is its *zip.FileHeader. Of a signed game it holds the signed files and nothing else, and a byte that
	// was changed is never read from it.
	FS fs.FS

	// Entry names the page to start in FS. A single .html file is always "index.html", so that renaming the file
	// does not move the saves of games that key them by path.
	Entry string

	Manifest    Manifest // defaults filled in
	HasManifest bool
	Hosts       hostlist.List // Manifest.Network.AllowedHosts, parsed

	// Title is the manifest's window.title, else its name, else the <title> of the entry, else the file's name.
	Title string

	main      string // the page that an NW.js package.json names, when unwrap followed it
	sig       *signature
	digest    string        // of everything, once it was asked for
	digesting chan struct{} // held while digest is made
	close     func() error
	notes     []Problem // found while opening, reported by Inspect
	page      page
	engine    func() Engine
	isolated  func() bool
	unity     unityFolders
}

// Options changes how Open reads a game. The zero value works.
type Options struct {
	Entry string // page to start, overrides the manifest's entry; default: found by the rules of docs/bundle.md

	// OnTamper is told of each file of a signed game that turns out, while it is read, not to be what was signed; once
	// for each file, by whoever reads. Nil: the reader's error is all there is.
	OnTamper func(*TamperError)

	unsigned bool // leave a signature alone: the game is about to be signed
}

// ErrNotGame is wrapped by Open's error when the file is something that is not a folder, an .html, a .zip or a packed program.
var ErrNotGame = errors.New("not a game")

// EntryError says that the page to start could not be decided.
type EntryError struct {
	Path       string   // the game
	Wanted     string   // Options.Entry when it is not there, else ""
	Candidates []string // pages that could be meant, at most 20, sorted
}

// Error names the candidates and the two settings that choose one.
func (e *EntryError) Error() string {
	const choose = `choose one with --entry or with "entry" in conch.json`
	list := quoteList(e.Candidates)
	switch {
	case e.Wanted != "" && list == "":
		return fmt.Sprintf("%s: there is no page %q, and no other one", e.Path, e.Wanted)
	case e.Wanted != "":
		return fmt.Sprintf("%s: there is no page %q; pages found: %s", e.Path, e.Wanted, list)
	case list == "":
		return fmt.Sprintf("%s: no page to start: a web export has an index.html; was the game exported for the web (HTML5)?", e.Path)
	default:
		return fmt.Sprintf("%s: no index.html, and more than one way to start or none at the top: %s; %s", e.Path, list, choose)
	}
}

// Open opens the game at path. The error of a file that is no game wraps ErrNotGame, of an undecided entry is an
// *EntryError, of a bad manifest joins one *ManifestError for each mistake, and of a signed game that is not as its
// author signed it is a *TamperError. That error can also come from FS later: contents are checked as they are read.
func Open(path string, o Options) (*Bundle, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open game: %w", err)
	}
	b := &Bundle{Path: path, digesting: make(chan struct{}, 1)}
	packed, err := CarriesGame(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("open game: %w", err)
	case packed:
		b.Kind = Program
	case info.IsDir():
		b.Kind = Folder
	default:
		if b.Kind, err = sniff(path, info); err != nil {
			return nil, err
		}
	}
	if err := b.openFS(); err != nil {
		return nil, err
	}
	if err := b.load(o); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

func (b *Bundle) openFS() error {
	switch b.Kind {
	case Folder:
		root, err := os.OpenRoot(b.Path)
		if err != nil {
			return fmt.Errorf("open game: %w", err)
		}
		b.FS, b.close = folderFS{root}, root.Close
	case HTML:
		abs, err := filepath.Abs(b.Path)
		if err != nil {
			return fmt.Errorf("open game: %w", err)
		}
		root, err := os.OpenRoot(filepath.Dir(abs))
		if err != nil {
			return fmt.Errorf("open game: %w", err)
		}
		b.FS, b.close = pageFS{root: root, file: filepath.Base(abs)}, root.Close
	case Zip, Program:
		open := openWhole
		if b.Kind == Program {
			open = openProgram
		}
		f, src, err := open(b.Path)
		if err != nil {
			return fmt.Errorf("open game: %w", err)
		}
		z, err := openZip(src, src.Size())
		if err != nil && b.Kind == Program {
			err = &ProgramError{Path: b.Path, Reason: "damaged: " + err.Error()}
		} else if err != nil {
			err = fmt.Errorf("%s: %w", b.Path, err)
		}
		if err != nil {
			return errors.Join(err, f.Close())
		}
		b.FS, b.close = z, func() error { z.closeIdle(); return f.Close() }
		b.notes = append(b.notes, z.notes...)
	}
	return nil
}

// load finds the root, the signature, the manifest and the entry, in this order, and prepares the answers that are made on demand.
func (b *Bundle) load(o Options) error {
	if err := b.unwrap(); err != nil {
		return err
	}
	if !o.unsigned {
		if err := b.readSignature(o); err != nil {
			return err
		}
	}
	source, err := b.readManifest()
	if err != nil {
		return err
	}
	if err := b.findEntry(o, source); err != nil {
		if merr := b.applyManifest(source); merr != nil {
			return fmt.Errorf("%s: %w", b.Path, merr)
		}
		return err
	}
	var embedded manifestSource
	if b.page, embedded, err = readPage(b.FS, b.Entry); err != nil {
		return fmt.Errorf("%s: read entry: %w", b.Path, err)
	}
	if source.data == nil {
		source = embedded
	} else if embedded.data != nil {
		b.notes = append(b.notes, Problem{Level: Warning, File: b.Entry,
			Text: "the manifest inside the page is not read, because there is a " + manifestName, Fix: "keep one of them"})
	}
	b.engine = sync.OnceValue(b.guessEngine)
	b.isolated = sync.OnceValue(b.needsThreads)
	if err := b.applyManifest(source); err != nil {
		return fmt.Errorf("%s: %w", b.Path, err)
	}
	if err := b.checkID(); err != nil {
		return err
	}
	b.Title = b.title()
	b.Manifest.Entry = b.Entry
	b.Manifest.Window.Title = b.Title
	return nil
}

func (b *Bundle) title() string {
	for _, s := range []string{b.Manifest.Window.Title, b.Manifest.Name, b.page.title} {
		if s = cleanTitle(s); s != "" {
			return s
		}
	}
	name := b.Path
	if abs, err := filepath.Abs(b.Path); err == nil {
		name = abs
	}
	name = filepath.Base(name)
	if b.Kind != Folder {
		name = name[:len(name)-len(filepath.Ext(name))]
	}
	if name = cleanTitle(name); name == "" {
		return "Game"
	}
	return name
}

// Close releases the files. Files opened from FS must not be used afterwards.
func (b *Bundle) Close() error {
	if b.close == nil {
		return nil
	}
	return b.close()
}

// Isolated reports whether the game's pages are served cross-origin isolated: web.isolation when it is "on" or
// "off", else whether the export uses threads (shared memory and workers), which need it.
func (b *Bundle) Isolated() bool {
	switch b.Manifest.Web.Isolation {
	case "on":
		return true
	case "off":
		return false
	}
	if b.isolated == nil { // not made by Open
		return b.needsThreads()
	}
	return b.isolated()
}
