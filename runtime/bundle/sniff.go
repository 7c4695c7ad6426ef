package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// opens is the end of every refusal.
const opens = "Conch opens a folder, an .html, a .zip or a packed program"

// foreign lists files that people give as a game, by their first bytes.
var foreign = []struct {
	offset int
	magic  string
	what   string
	fix    string
}{
	{0, "Rar!\x1a\x07", "a RAR archive", "unpack it and open the folder"},
	{0, "7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it and open the folder"},
	{0, "\x1f\x8b", "a gzip file", "unpack it and open the folder"},
	{0, "BZh", "a bzip2 file", "unpack it and open the folder"},
	{0, "\xfd7zXZ\x00", "an xz file", "unpack it and open the folder"},
	{0, "\x28\xb5\x2f\xfd", "a Zstandard file", "unpack it and open the folder"},
	{257, "ustar", "a tar archive", "unpack it and open the folder"},
	{0, "MSCF", "a Windows cabinet", "unpack it and open the folder"},
	{0, "MZ", "a Windows program", "use the game's web (HTML5) export"},
	{0, "\x7fELF", "a Linux program", "use the game's web (HTML5) export"},
	{0, "\xcf\xfa\xed\xfe", "a macOS program", "use the game's web (HTML5) export"},
	{0, "\xca\xfe\xba\xbe", "a macOS program", "use the game's web (HTML5) export"},
	{0, "FWS", "a Flash movie", "use an HTML5 export"},
	{0, "CWS", "a Flash movie", "use an HTML5 export"},
	{0, "ZWS", "a Flash movie", "use an HTML5 export"},
	{0, "%PDF", "a PDF document", ""},
	{0, "\x89PNG", "a picture", ""},
	{0, lfsMagic, "a Git LFS pointer, not the file itself", "run git lfs pull"},
}

// sniff decides the kind of a file by its content; the extension only counts for HTML.
func sniff(path string, info fs.FileInfo) (Kind, error) {
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s: %w: not a regular file; %s", path, ErrNotGame, opens)
	}
	head, err := readHead(path, 1024)
	if err != nil {
		return "", fmt.Errorf("open game: %w", err)
	}
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06")) {
		return Zip, nil
	}
	if bytes.HasPrefix(head, []byte("PK\x07\x08")) {
		return "", fmt.Errorf("%s: %w: a zip in several parts; make one zip of it", path, ErrNotGame)
	}
	for _, f := range foreign {
		if len(head) > f.offset && bytes.HasPrefix(head[f.offset:], []byte(f.magic)) {
			return "", notGame(path, "is "+f.what, f.fix)
		}
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".html", ".htm", ".xhtml":
		return HTML, nil
	}
	text := strings.ToLower(strings.TrimLeftFunc(strings.TrimPrefix(string(head), "\ufeff"), unicode.IsSpace))
	for _, start := range []string{"<!doctype html", "<html", "<head", "<!--", "<meta", "<script"} {
		if strings.HasPrefix(text, start) {
			return HTML, nil
		}
	}
	if len(head) == 0 {
		return "", notGame(path, "is empty", "download it again")
	}
	return "", notGame(path, "is neither", "")
}

func notGame(path, what, fix string) error {
	if fix != "" {
		fix = ": " + fix
	}
	return fmt.Errorf("%s: %w: the file %s; %s%s", path, ErrNotGame, what, opens, fix)
}

func readHead(path string, n int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, n)
	got, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return head[:got], nil
}
