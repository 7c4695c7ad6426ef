package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

const manifestName = "conch.json"

// junk are files that systems leave in folders; they do not count when a lone top folder is looked for.
var junk = map[string]bool{".DS_Store": true, "Thumbs.db": true, "desktop.ini": true, ".git": true, ".gitattributes": true, ".itch.toml": true, ".itch": true}

// unwrap makes the folder that holds the game the root: a lone folder at the top (as most archivers make it) is
// entered, at most four deep, and so is the folder of an NW.js game's page, usually www, unless a conch.json or an
// index.html lies beside it.
func (b *Bundle) unwrap() error {
	for range 4 {
		dir, err := b.loneFolder()
		if err != nil {
			return err
		}
		if dir == "" {
			break
		}
		if err := b.enter(dir); err != nil {
			return err
		}
	}
	if b.has(manifestName) || b.has("index.html") {
		return nil
	}
	main := b.packageMain()
	if dir, rest, ok := strings.Cut(main, "/"); ok && isPage(main) && b.has(main) {
		b.main = rest
		return b.enter(dir)
	}
	if b.has("www/index.html") {
		return b.enter("www")
	}
	return nil
}

// loneFolder names the only entry of the root when that is a folder.
func (b *Bundle) loneFolder() (string, error) {
	if b.Kind == HTML {
		return "", nil
	}
	entries, err := fs.ReadDir(b.FS, ".")
	if err != nil {
		return "", fmt.Errorf("open game: %w", err)
	}
	lone := ""
	for _, e := range entries {
		if junk[e.Name()] || strings.HasPrefix(e.Name(), "._") {
			continue
		}
		if !e.IsDir() || lone != "" {
			return "", nil
		}
		lone = e.Name()
	}
	return lone, nil
}

// enter makes dir the root of FS.
func (b *Bundle) enter(dir string) error {
	switch f := b.FS.(type) {
	case *zipFS:
		b.FS = f.sub(dir)
	case folderFS:
		s, err := f.sub(dir)
		if err != nil {
			return fmt.Errorf("open game: %w", err)
		}
		outer := b.close
		b.FS, b.close = s, func() error { return errors.Join(s.root.Close(), outer()) }
	}
	return nil
}

// packageMain is the "main" of an NW.js package.json, "" when there is none.
func (b *Bundle) packageMain() string {
	data, err := readFile(b.FS, "package.json", 1<<20)
	if err != nil {
		return ""
	}
	var pkg struct {
		Main string `json:"main"`
	}
	if json.Unmarshal(data, &pkg) != nil {
		return ""
	}
	main := strings.TrimPrefix(pkg.Main, "./")
	main, _, _ = strings.Cut(main, "?")
	main, _, _ = strings.Cut(main, "#")
	return main
}

// findEntry decides the page to start: the option, the manifest, index.html, package.json of NW.js, www/index.html,
// the only page at the root; else an *EntryError.
func (b *Bundle) findEntry(o Options, m manifestSource) error {
	if o.Entry != "" {
		return b.wantEntry(o.Entry)
	}
	if m.entry != "" {
		return b.wantEntry(m.entry)
	}
	pages := b.pages(".")
	for _, want := range []string{"index.html", "index.htm"} {
		if slices.Contains(pages, want) {
			b.Entry = want
			return nil
		}
	}
	for _, p := range pages {
		if strings.EqualFold(p, "index.html") || strings.EqualFold(p, "index.htm") {
			b.Entry = p
			return nil
		}
	}
	for _, main := range []string{b.main, b.packageMain()} {
		if isPage(main) && b.has(main) {
			b.Entry = main
			return nil
		}
	}
	if len(pages) == 1 {
		b.Entry = pages[0]
		return nil
	}
	if len(pages) == 0 && b.has("www/index.html") {
		b.Entry = "www/index.html"
		return nil
	}
	if len(pages) == 0 {
		pages = b.deepPages()
	}
	return &EntryError{Path: b.Path, Candidates: capped(pages, 20)}
}

// wantEntry takes the page that somebody named; a folder means its index.html.
func (b *Bundle) wantEntry(name string) error {
	clean := strings.TrimPrefix(strings.TrimPrefix(name, "./"), "/")
	clean = strings.TrimSuffix(clean, "/")
	if clean == "" {
		clean = "index.html"
	}
	if !fs.ValidPath(clean) {
		return fmt.Errorf("%s: entry %q is not a name inside the game: it may not hold .. or a backslash", b.Path, name)
	}
	for _, try := range []string{clean, path.Join(clean, "index.html")} {
		if b.has(try) {
			b.Entry = try
			return nil
		}
	}
	return &EntryError{Path: b.Path, Wanted: name, Candidates: capped(b.deepPages(), 20)}
}

// has reports whether name is a regular file.
func (b *Bundle) has(name string) bool {
	info, err := fs.Stat(b.FS, name)
	return err == nil && info.Mode().IsRegular()
}

// pages lists the HTML files of one folder, sorted.
func (b *Bundle) pages(dir string) []string {
	entries, err := fs.ReadDir(b.FS, dir)
	if err != nil {
		return nil
	}
	var pages []string
	for _, e := range entries {
		if name := path.Join(dir, e.Name()); !e.IsDir() && isPage(name) && !strings.HasPrefix(e.Name(), "._") && b.has(name) {
			pages = append(pages, name)
		}
	}
	return pages
}

// deepPages lists the pages of the root and of two levels of folders, at most 200 folders of them.
func (b *Bundle) deepPages() []string {
	var pages []string
	level := []string{"."}
	seen := 0
	for range 3 {
		var next []string
		for _, dir := range level {
			if seen++; seen > 200 {
				return pages
			}
			pages = append(pages, b.pages(dir)...)
			entries, _ := fs.ReadDir(b.FS, dir)
			for _, e := range entries {
				if e.IsDir() && e.Name() != "node_modules" && !strings.HasPrefix(e.Name(), ".") {
					next = append(next, path.Join(dir, e.Name()))
				}
			}
		}
		level = next
	}
	return pages
}

func isPage(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".htm", ".xhtml":
		return true
	}
	return false
}

// readFile reads at most limit bytes of a file; a longer file is an error.
func readFile(fsys fs.FS, name string, limit int64) ([]byte, error) {
	data, err := readPrefix(fsys, name, limit+1)
	if err == nil && int64(len(data)) > limit {
		return nil, fmt.Errorf("%s: larger than %d bytes", name, limit)
	}
	return data, err
}

// readPrefix reads the first limit bytes of a file.
func readPrefix(fsys fs.FS, name string, limit int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("is a folder")}
	}
	return io.ReadAll(io.LimitReader(f, limit))
}

func capped(list []string, n int) []string {
	if len(list) > n {
		return list[:n]
	}
	return list
}

func quoteList(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(quoted, ", ")
}

// clip cuts s to at most n bytes for a message.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}
