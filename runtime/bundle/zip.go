package bundle

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// maxZipEntries bounds the index held in memory.
const maxZipEntries = 500_000

// zipFS serves a zip in place. Names, kinds and methods of all entries are checked once by openZip, so everything in
// the index can be served.
type zipFS struct {
	src   io.ReaderAt
	size  int64
	files map[string]*zipEntry     // slash name -> entry, files and folders
	dirs  map[string][]fs.DirEntry // folder -> its entries, sorted by name
	cache *inflated
	idle  *idleStreams
	notes []Problem
	root  string // "." or the folder that was unwrapped
}

// zipEntry is one file or folder of the index.
type zipEntry struct {
	name string    // full slash name
	file *zip.File // nil for a folder that only its files imply
	dir  bool
}

// openZip reads the directory of the zip in src. It refuses the whole archive, naming the first offender, when an
// entry could not be served safely or at all.
func openZip(src io.ReaderAt, size int64) (*zipFS, error) {
	r, err := zip.NewReader(src, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // names are checked below
		if errors.Is(err, zip.ErrFormat) {
			return nil, fmt.Errorf("read zip: the end of the archive is missing or damaged; download or make it again: %w", err)
		}
		return nil, fmt.Errorf("read zip: %w", err)
	}
	if len(r.File) > maxZipEntries {
		return nil, fmt.Errorf("read zip: %d entries; at most %d are supported", len(r.File), maxZipEntries)
	}
	z := &zipFS{
		src: src, size: size, root: ".",
		files: map[string]*zipEntry{".": {name: ".", dir: true}},
		cache: newInflated(), idle: newIdleStreams(),
	}
	names, oldNames := entryNames(r.File)
	for i, f := range r.File {
		if err := z.add(names[i], f); err != nil {
			return nil, err
		}
	}
	z.index()
	if oldNames != "" {
		z.notes = append(z.notes, Problem{Level: Warning, File: oldNames,
			Text: "the zip holds names that are not UTF-8; they were read as code page 437",
			Fix:  "if files are missing, make the zip again with a program that writes UTF-8 names"})
	}
	return z, nil
}

// entryNames decodes the names of all entries. An archive that only ever uses backslashes was made by a program that
// took Windows paths as they are; its names are turned around before they are checked.
func entryNames(files []*zip.File) (names []string, oldName string) {
	names = make([]string, len(files))
	slash, backslash := false, false
	for i, f := range files {
		name, old := entryName(f)
		if old {
			oldName = name
		}
		names[i] = name
		slash = slash || strings.Contains(name, "/")
		backslash = backslash || strings.Contains(name, `\`)
	}
	if backslash && !slash {
		for i := range names {
			names[i] = strings.ReplaceAll(names[i], `\`, "/")
		}
	}
	return names, oldName
}

// entryName decodes one name: the Unicode path field when it is there and belongs to the name, else UTF-8, else code
// page 437 as the zip format says.
func entryName(f *zip.File) (name string, old bool) {
	if utf8.ValidString(f.Name) {
		return f.Name, false
	}
	for extra := f.Extra; len(extra) >= 4; {
		id, size := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if len(extra) < 4+size {
			break
		}
		field := extra[4 : 4+size]
		if id == 0x7075 && size > 5 && field[0] == 1 && utf8.Valid(field[5:]) &&
			binary.LittleEndian.Uint32(field[1:]) == crc32.ChecksumIEEE([]byte(f.Name)) {
			return string(field[5:]), false
		}
		extra = extra[4+size:]
	}
	var b strings.Builder
	for i := 0; i < len(f.Name); i++ {
		if c := f.Name[i]; c < 0x80 {
			b.WriteByte(c)
		} else {
			b.WriteRune(codePage437[c-0x80])
		}
	}
	return b.String(), true
}

var codePage437 = []rune("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐" +
	"└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0")

// add checks one entry and puts it into the index together with the folders above it.
func (z *zipFS) add(name string, f *zip.File) error {
	clean, dir, err := checkZipName(name)
	if err != nil || clean == "." || clean == "__MACOSX" || strings.HasPrefix(clean, "__MACOSX/") {
		return err // the resource forks that macOS adds are no part of the game
	}
	dir = dir || f.Mode().IsDir()
	if err := checkZipEntry(clean, f, dir); err != nil {
		return err
	}
	if prev, ok := z.files[clean]; ok {
		if !dir || !prev.dir {
			return fmt.Errorf("read zip: %q is in the archive twice; make the zip again", clean)
		}
		prev.file = f
		return nil
	}
	z.files[clean] = &zipEntry{name: clean, file: f, dir: dir}
	for parent := path.Dir(clean); parent != "."; parent = path.Dir(parent) {
		p, ok := z.files[parent]
		if !ok {
			z.files[parent] = &zipEntry{name: parent, dir: true}
			continue
		}
		if !p.dir {
			return fmt.Errorf("read zip: %q is a file and a folder at once; make the zip again", parent)
		}
		break
	}
	return nil
}

// checkZipName refuses names that could mean a place outside the game on any system.
func checkZipName(name string) (clean string, dir bool, err error) {
	refuse := func(why string) (string, bool, error) {
		return "", false, fmt.Errorf("read zip: entry %q: %s; make the zip again from the game's folder", clip(name, 200), why)
	}
	switch {
	case strings.ContainsRune(name, 0):
		return refuse("the name contains NUL")
	case strings.Contains(name, `\`):
		return refuse("the name contains a backslash")
	case len(name) >= 2 && name[1] == ':' && isLetter(name[0]):
		return refuse("the name starts with a drive letter")
	case strings.HasPrefix(name, "/"):
		return refuse("the name is absolute")
	case slices.Contains(strings.Split(name, "/"), ".."):
		return refuse("the name climbs out of the archive with ..")
	}
	clean, dir = strings.CutSuffix(name, "/")
	for strings.HasPrefix(clean, "./") {
		clean = clean[2:]
	}
	if clean == "." {
		return ".", true, nil
	}
	if !fs.ValidPath(clean) {
		return refuse("not a plain relative name")
	}
	return clean, dir, nil
}

// checkZipEntry refuses what cannot be served: special files, encryption, methods other than stored and deflated.
func checkZipEntry(name string, f *zip.File, dir bool) error {
	mode := f.Mode()
	switch {
	case mode&fs.ModeSymlink != 0:
		return fmt.Errorf("read zip: %q is a symbolic link; make the zip with the files themselves (zip without -y)", name)
	case !mode.IsRegular() && !mode.IsDir():
		return fmt.Errorf("read zip: %q is not a regular file", name)
	case dir:
		return nil
	case f.Flags&0x2041 != 0: // encrypted, strong encryption, masked headers
		return fmt.Errorf("read zip: %q is encrypted; make the zip again without a password", name)
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return fmt.Errorf("read zip: %q is compressed with %s; make the zip again with the standard compression (Deflate)", name, methodName(f.Method))
	case f.UncompressedSize64 > 1<<62 || f.CompressedSize64 > 1<<62:
		return fmt.Errorf("read zip: %q has an impossible size", name)
	case f.Method == zip.Store && f.UncompressedSize64 != f.CompressedSize64:
		return fmt.Errorf("read zip: %q has two sizes; the archive is damaged", name)
	}
	return nil
}

func methodName(m uint16) string {
	switch m {
	case 9:
		return "Deflate64"
	case 12:
		return "bzip2"
	case 14:
		return "LZMA"
	case 93:
		return "Zstandard"
	case 95:
		return "xz"
	}
	return fmt.Sprintf("method %d", m)
}

// index lists every folder once, so that ReadDir costs nothing.
func (z *zipFS) index() {
	z.dirs = make(map[string][]fs.DirEntry, 16)
	for name, e := range z.files {
		if e.dir {
			if _, ok := z.dirs[name]; !ok {
				z.dirs[name] = nil
			}
		}
		if name != "." {
			parent := path.Dir(name)
			z.dirs[parent] = append(z.dirs[parent], fs.FileInfoToDirEntry(e.info()))
		}
	}
	for _, entries := range z.dirs {
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
}

// sub is the same archive seen from one of its folders.
func (z *zipFS) sub(dir string) *zipFS {
	s := *z
	s.root = path.Join(z.root, dir)
	return &s
}

func (z *zipFS) find(op, name string) (*zipEntry, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	e, ok := z.files[path.Join(z.root, name)]
	if !ok {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return e, nil
}

func (z *zipFS) Open(name string) (fs.File, error) {
	e, err := z.find("open", name)
	if err != nil {
		return nil, err
	}
	if e.dir {
		return &dirFile{info: e.info(), entries: z.dirs[e.name]}, nil
	}
	f, err := z.openEntry(e)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return f, nil
}

func (z *zipFS) Stat(name string) (fs.FileInfo, error) {
	e, err := z.find("stat", name)
	if err != nil {
		return nil, err
	}
	return e.info(), nil
}

func (z *zipFS) ReadDir(name string) ([]fs.DirEntry, error) {
	e, err := z.find("readdir", name)
	if err != nil {
		return nil, err
	}
	if !e.dir {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.New("not a folder")}
	}
	return slices.Clone(z.dirs[e.name]), nil
}

func (e *zipEntry) info() fs.FileInfo {
	if e.dir {
		return dirInfo(path.Base(e.name))
	}
	return zipInfo{name: path.Base(e.name), file: e.file}
}

type zipInfo struct {
	name string
	file *zip.File
}

func (i zipInfo) Name() string       { return i.name }
func (i zipInfo) Size() int64        { return int64(i.file.UncompressedSize64) }
func (i zipInfo) Mode() fs.FileMode  { return 0o444 }
func (i zipInfo) ModTime() time.Time { return i.file.Modified }
func (i zipInfo) IsDir() bool        { return false }
func (i zipInfo) Sys() any           { return &i.file.FileHeader }

// dirInfo describes a folder of the given base name.
type dirInfo string

func (i dirInfo) Name() string       { return string(i) }
func (i dirInfo) Size() int64        { return 0 }
func (i dirInfo) Mode() fs.FileMode  { return fs.ModeDir | 0o555 }
func (i dirInfo) ModTime() time.Time { return time.Time{} }
func (i dirInfo) IsDir() bool        { return true }
func (i dirInfo) Sys() any           { return nil }

// dirFile is an open folder.
type dirFile struct {
	info    fs.FileInfo
	entries []fs.DirEntry
	next    int
}

func (d *dirFile) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *dirFile) Close() error               { return nil }
func (d *dirFile) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.info.Name(), Err: errors.New("is a folder")}
}

func (d *dirFile) ReadDir(n int) ([]fs.DirEntry, error) {
	rest := d.entries[d.next:]
	if n > 0 && len(rest) == 0 {
		return nil, io.EOF
	}
	if n > 0 && len(rest) > n {
		rest = rest[:n]
	}
	d.next += len(rest)
	return slices.Clone(rest), nil
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
