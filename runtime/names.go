package runtime

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const (
	maxFolders     = 4096 // folders whose names are kept; then all are forgotten
	maxWarned      = 1000 // files that are warned about
	maxAlternative = 16   // spellings tried per path
)

// Mismatch is a file that the game asks for under another spelling than its own. It works here, and on the author's
// Windows machine, but not on a plain web server.
type Mismatch struct {
	Asked string `json:"asked"`
	File  string `json:"file"`
}

// names finds files whose spelling differs in letter case or Unicode normal form. Only paths that do not exist as they
// are come here, so an exact name always wins.
type names struct {
	fsys fs.FS

	mu         sync.Mutex // guards the rest
	folders    map[string]folderNames
	mismatches []Mismatch
	warned     map[string]bool
}

type folderNames struct {
	changed time.Time // of the folder when it was read
	byKey   map[string][]string
}

// Mismatches are the files that were asked for under another spelling since the start, in order of appearance.
func (s *Server) Mismatches() []Mismatch {
	s.names.mu.Lock()
	defer s.names.mu.Unlock()
	return slices.Clone(s.names.mismatches)
}

// mismatch notes a file asked for under another spelling and reports whether it is the first time.
func (n *names) mismatch(asked, found string) bool {
	if !n.once(found) {
		return false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.mismatches = append(n.mismatches, Mismatch{Asked: asked, File: found})
	return true
}

// once reports whether something is to be said about the file: a page that asks again and again must not fill the log.
func (n *names) once(file string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.warned[file] || len(n.warned) == maxWarned {
		return false
	}
	if n.warned == nil {
		n.warned = map[string]bool{}
	}
	n.warned[file] = true
	return true
}

// find returns the existing path that name means.
func (n *names) find(name string) (string, bool) {
	budget := maxAlternative
	return n.descend(".", strings.Split(name, "/"), &budget)
}

// descend tries the spellings of the first part, and those of the rest below each.
func (n *names) descend(folder string, parts []string, budget *int) (string, bool) {
	for _, spelling := range n.spellings(folder, parts[0]) {
		if *budget--; *budget < 0 {
			return "", false
		}
		found := path.Join(folder, spelling)
		if len(parts) == 1 {
			return found, true
		}
		if found, ok := n.descend(found, parts[1:], budget); ok {
			return found, true
		}
	}
	return "", false
}

// spellings lists the names in the folder that name can mean, the likeliest first: itself, the same letters in another
// normal form, then another letter case.
func (n *names) spellings(folder, name string) []string {
	all := n.read(folder)[foldKey(name)]
	if len(all) < 2 {
		return all
	}
	composed := norm.NFC.String(name)
	rank := func(s string) int {
		switch {
		case s == name:
			return 0
		case norm.NFC.String(s) == composed:
			return 1
		}
		return 2
	}
	out := slices.Clone(all)
	slices.SortStableFunc(out, func(a, b string) int { return rank(a) - rank(b) })
	return out
}

// read lists a folder; the answer is kept until the folder's time changes.
func (n *names) read(folder string) map[string][]string {
	info, err := fs.Stat(n.fsys, folder)
	if err != nil || !info.IsDir() {
		return nil
	}
	n.mu.Lock()
	known, ok := n.folders[folder]
	n.mu.Unlock()
	if ok && known.changed.Equal(info.ModTime()) {
		return known.byKey
	}
	entries, err := fs.ReadDir(n.fsys, folder)
	if err != nil {
		return nil
	}
	byKey := make(map[string][]string, len(entries))
	for _, e := range entries {
		key := foldKey(e.Name())
		byKey[key] = append(byKey[key], e.Name())
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.folders == nil || len(n.folders) >= maxFolders {
		n.folders = map[string]folderNames{}
	}
	n.folders[folder] = folderNames{info.ModTime(), byKey}
	return byKey
}

// foldKey is equal for names that differ only in letter case or normal form.
func foldKey(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, norm.NFC.String(name))
}
