package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Bounds of Inspect. What lies beyond them is not looked at, and a note says so.
const (
	inspectFiles = 50_000    // files that are counted and whose names are compared
	inspectTexts = 2_000     // html, css, js and json files that are read
	inspectText  = 2 << 20   // bytes of each of them
	inspectTotal = 128 << 20 // bytes of all of them
	inspectNames = 5_000     // different quoted file names of one of them
	inspectSmall = 20_000    // small files that are looked at for Git LFS pointers
	inspectSame  = 50        // problems of one kind that are listed one by one
)

const lfsMagic = "version https://git-lfs.github.com/spec/v1"

// Levels of a Problem.
const (
	Error   = "error"   // the game does not run as it is
	Warning = "warning" // a part of it will be missing, or may be on some system
	Note    = "note"    // worth knowing, nothing to repair
)

// Values of Report.Verified.
const (
	SignedList = "list" // what Open checks; Inspect goes no further
	SignedAll  = "all"  // VerifyAll found no fault
)

// Problem is one finding of Inspect and what to do about it.
type Problem struct {
	Level string `json:"level"` // Error, Warning or Note
	File  string `json:"file"`  // where, "" for the game as a whole
	Text  string `json:"text"`  // what
	Fix   string `json:"fix"`   // what to change
}

// Host is a name that the game's files mention.
type Host struct {
	Name  string   `json:"name"`  // with :port when there is one
	Use   string   `json:"use"`   // "load": a page or style sheet fetches from it; "socket": a ws(s) address; "text": only written somewhere
	Files []string `json:"files"` // where, at most 10
}

// Report is everything that can be said about a game without running it.
type Report struct {
	Path         string    `json:"path"`
	Kind         string    `json:"kind"`
	Engine       string    `json:"engine"` // name and version, "" when unknown
	Entry        string    `json:"entry"`
	Title        string    `json:"title"`
	Icon         string    `json:"icon"` // file of the icon, "(in the page)", or ""
	Files        int       `json:"files"`
	Bytes        int64     `json:"bytes"` // uncompressed
	HasManifest  bool      `json:"hasManifest"`
	Manifest     Manifest  `json:"manifest"`
	AllowedHosts []string  `json:"allowedHosts"` // canonical patterns
	Isolated     bool      `json:"isolated"`
	Signer       string    `json:"signer"`   // fingerprint of the author's key, "" when not signed
	Verified     string    `json:"verified"` // "": not signed; SignedList: signature, names and sizes; SignedAll: every byte
	Encoded      []string  `json:"encoded"`  // files sent with Content-Encoding
	Hosts        []Host    `json:"hosts"`
	Problems     []Problem `json:"problems"` // errors first
}

// Inspect reads the game's files and reports on them. It is bounded, so that it stays quick for any game: it counts
// 50 000 files, reads the first 2 MiB of at most 2 000 html, css, js and json files (128 MiB together), and looks for
// Git LFS pointers among 20 000 small files. Beyond 50 findings of one kind it gives their number.
func (b *Bundle) Inspect() Report {
	in := &inspector{b: b, exact: map[string]int64{}, bases: map[string]bool{}, folded: map[string][]string{}, hosts: map[string]*Host{}, counts: map[string]int{}, said: map[string]bool{}}
	in.problems = append(in.problems, b.notes...)
	in.walk()
	in.engine = b.Engine().String()
	in.texts()
	in.encodings()
	in.isolation()
	in.hostProblems()
	in.update()
	in.summarise()
	data, icon := b.Icon()
	if data != nil && icon == "" {
		icon = "(in the page)"
	}
	r := Report{
		Path: b.Path, Kind: string(b.Kind), Engine: in.engine, Entry: b.Entry, Title: b.Title, Icon: icon,
		Files: in.files, Bytes: in.bytes, HasManifest: b.HasManifest, Manifest: b.Manifest,
		AllowedHosts: b.Hosts.Patterns(), Isolated: b.Isolated(), Encoded: in.encoded, Signer: b.Signer(),
		Hosts: in.hostList(), Problems: in.problems,
	}
	if b.sig != nil {
		r.Verified = SignedList
	}
	if r.Encoded == nil {
		r.Encoded = []string{}
	}
	if r.Problems == nil {
		r.Problems = []Problem{}
	}
	rank := map[string]int{Error: 0, Warning: 1, Note: 2}
	slices.SortStableFunc(r.Problems, func(a, b Problem) int { return rank[a.Level] - rank[b.Level] })
	return r
}

// inspector collects the findings of one Inspect.
type inspector struct {
	b        *Bundle
	engine   string
	files    int
	bytes    int64
	exact    map[string]int64    // every file -> its size
	folded   map[string][]string // folded name -> the names in the bundle
	bases    map[string]bool     // folded names without folders
	texty    []string            // files to read, the entry first
	hosts    map[string]*Host
	encoded  []string
	problems []Problem
	counts   map[string]int // kind of problem -> how many
	said     map[string]bool
	stems    map[string][]string // RPG Maker: folded asset name -> spellings, made on demand
}

// add reports a problem once, and only the first inspectSame of its kind.
func (in *inspector) add(kind string, p Problem) {
	key := p.File + "\x00" + p.Text
	if in.said[key] {
		return
	}
	in.said[key] = true
	if in.counts[kind]++; in.counts[kind] <= inspectSame {
		in.problems = append(in.problems, p)
	}
}

func (in *inspector) summarise() {
	for _, kind := range []string{"missing", "case", "lfs", "link", "name"} {
		if n := in.counts[kind] - inspectSame; n > 0 {
			in.problems = append(in.problems, Problem{Level: Note, Text: fmt.Sprintf("%d more findings of the same kind (%s) are not listed", n, kind), Fix: "repair the listed ones and look again"})
		}
	}
}

// fold is what two names have in common that differ only in letter case or in how accents are composed.
func fold(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// walk counts the files, indexes their names and finds Git LFS pointers.
func (in *inspector) walk() {
	small := 0
	err := fs.WalkDir(in.b.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			in.add("link", Problem{Level: Warning, File: name, Text: "cannot be read: " + err.Error(), Fix: "check the permissions"})
			return nil
		}
		if d.IsDir() {
			return nil
		}
		if in.files >= inspectFiles {
			return fs.SkipAll
		}
		info, err := fs.Stat(in.b.FS, name)
		if err != nil || !info.Mode().IsRegular() {
			in.unreadable(name, d, info)
			return nil
		}
		in.files++
		in.bytes += info.Size()
		in.exact[name] = info.Size()
		in.folded[fold(name)] = append(in.folded[fold(name)], name)
		in.bases[fold(d.Name())] = true
		if textKind(name) != "" && name != in.b.Entry {
			in.texty = append(in.texty, name)
		}
		if info.Size() < 1024 && small < inspectSmall {
			small++
			in.pointer(name)
		}
		return nil
	})
	if err != nil {
		in.add("link", Problem{Level: Error, Text: "the game cannot be read: " + err.Error(), Fix: "check the permissions"})
	}
	if in.files >= inspectFiles {
		in.add("limit", Problem{Level: Note, Text: fmt.Sprintf("only the first %d files were looked at", inspectFiles), Fix: "leave out of the game what it does not need"})
	}
	if _, ok := in.exact[in.b.Entry]; !ok && !in.b.has(in.b.Entry) {
		in.add("entry", Problem{Level: Error, File: in.b.Entry, Text: "the page to start is not there", Fix: `choose another with --entry or "entry" in conch.json`})
		return
	}
	in.texty = append([]string{in.b.Entry}, in.texty...)
}

// unreadable tells why a name in a folder is not served.
func (in *inspector) unreadable(name string, d fs.DirEntry, info fs.FileInfo) {
	if !utf8.ValidString(name) {
		in.add("name", Problem{Level: Warning, File: strings.ToValidUTF8(name, "?"), Text: "the name is not UTF-8, so no page can ask for it", Fix: "rename the file"})
		return
	}
	if d.Type()&fs.ModeSymlink != 0 {
		if info != nil && info.IsDir() {
			return
		}
		in.add("link", Problem{Level: Warning, File: name, Text: "the link leads out of the game or nowhere; it is not served", Fix: "put the file itself there"})
		return
	}
	in.add("link", Problem{Level: Warning, File: name, Text: "not a regular file; it is not served", Fix: "remove it"})
}

func (in *inspector) pointer(name string) {
	head, err := readPrefix(in.b.FS, name, int64(len(lfsMagic)))
	if err == nil && string(head) == lfsMagic {
		in.add("lfs", Problem{Level: Error, File: name, Text: "is a Git LFS pointer instead of the file", Fix: "run git lfs pull in the checkout and export again"})
	}
}

// textKind is "html", "css", "js" or "json" for the files whose text is read, else "".
func textKind(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".htm", ".xhtml":
		return "html"
	case ".css":
		return "css"
	case ".js", ".mjs":
		return "js"
	case ".json", ".webmanifest":
		return "json"
	}
	return ""
}

// texts reads the text files and looks for hosts and for names that are not there.
func (in *inspector) texts() {
	left := int64(inspectTotal)
	for i, name := range in.texty {
		if i >= inspectTexts || left <= 0 {
			in.add("limit", Problem{Level: Note, Text: fmt.Sprintf("only %d of %d text files were read", i, len(in.texty)), Fix: "none needed"})
			return
		}
		text, err := readPrefix(in.b.FS, name, min(inspectText, left))
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				in.add("link", Problem{Level: Error, File: name, Text: "cannot be read: " + err.Error(), Fix: "make the game's file again"})
			}
			continue
		}
		left -= int64(len(text))
		if bytes.HasPrefix(text, []byte(lfsMagic)) {
			continue
		}
		in.text(name, text)
	}
}

func (in *inspector) text(name string, text []byte) {
	switch textKind(name) {
	case "css":
		in.refs(name, "", cssRefs(text))
		in.mentions(name, text)
	case "js", "json":
		in.mentions(name, text)
		in.strings(name, text)
	default:
		p, _, _ := parsePage(text)
		in.refs(name, p.base, p.refs)
		in.refs(name, p.base, cssRefs(text))
		in.mentions(name, text)
		in.strings(name, text)
	}
}

// encodings lists the files that need a Content-Encoding and the compressed files of a Unity build that do not carry
// what their name says.
func (in *inspector) encodings() {
	for _, name := range sortedKeys(in.exact) {
		ext := path.Ext(name)
		if ext != ".br" && ext != ".gz" && ext != ".unityweb" {
			continue
		}
		if _, coding := in.b.Encoding(name); coding != "" {
			in.encoded = append(in.encoded, name)
			continue
		}
		if ext != ".unityweb" && unityInner(name) != "" && in.b.unityFolder(path.Dir(name)) {
			in.add("encoding", Problem{Level: Warning, File: name, Text: "is part of a Unity build but not compressed as its name says; it is sent as it is", Fix: "build again, or give it its name without " + ext})
		}
	}
	if n := len(in.encoded); n > 0 {
		in.add("encoding", Problem{Level: Note, File: in.encoded[0], Text: fmt.Sprintf("%d compressed Unity files are sent with Content-Encoding", n), Fix: "none needed"})
	}
}

// isolation compares what the export needs with what the manifest says.
func (in *inspector) isolation() {
	needs := in.b.isolated != nil && in.b.isolated()
	foreign := false
	for _, h := range in.hosts {
		foreign = foreign || h.Use == "load"
	}
	switch {
	case needs && in.b.Manifest.Web.Isolation == "off":
		in.add("isolation", Problem{Level: Error, File: in.b.Entry, Text: "the game uses threads (SharedArrayBuffer), which need cross-origin isolation (COOP and COEP), and web.isolation is off", Fix: `set "web": { "isolation": "auto" } or export without threads`})
	case in.b.Isolated() && foreign:
		in.add("isolation", Problem{Level: Warning, File: in.b.Entry, Text: "pages are cross-origin isolated (COOP and COEP); files of other hosts load only when those hosts send Cross-Origin-Resource-Policy", Fix: "put the files into the game"})
	case needs:
		in.add("isolation", Problem{Level: Note, File: in.b.Entry, Text: "the game uses threads; its pages are served cross-origin isolated (COOP and COEP)", Fix: "none needed"})
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// update says what keeps a game with a release feed from using it.
func (in *inspector) update() {
	if in.b.Manifest.Update.Feed == "" {
		return
	}
	if in.b.sig == nil {
		in.add("update", Problem{Level: Warning, File: manifestName, Text: "update.feed is used by signed games only: nothing says whose updates an unsigned one should take",
			Fix: "sign the game with conch sign before you publish it"})
	}
}
