package saves

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Engine is how an engine lays out its profile folder.
type Engine string

const (
	// WebKitGTK names its files after the origin: localstorage/http_HOST_PORT.localstorage,
	// databases/indexeddb/v1/http_HOST_PORT/, and storage/HASH/HASH/ for what came later (files of the origin), where
	// HASH is the SHA-256 of origin and storage/salt. Run with 2.50. Nothing inside the files names the origin, but
	// storage/HASH/HASH/origin, which is written anew.
	WebKitGTK Engine = "webkitgtk"

	// WebView2 is Chromium's layout below EBWebView/Default. Its databases name the origin inside, so they can only be
	// put back under the same port.
	WebView2 Engine = "webview2"

	// Unknown is an engine whose files Conch does not touch: only the copy of localStorage goes in and out.
	Unknown Engine = "other"
)

// entry is one file or folder of saves: where it is in the engine's profile, and its name in the file.
type entry struct {
	name string // below enginePrefix
	path string // relative to the profile, with slashes
}

var (
	webkitVersion   = regexp.MustCompile(`^v[0-9]{1,4}$`)
	chromiumFolders = []string{"Local Storage", "IndexedDB", "File System", "WebStorage"}
)

// movesOrigin reports whether saves of one origin can be put under another.
func (e Engine) movesOrigin() bool { return e != WebView2 }

// entries lists the saves of the game's origin that are there.
func (p Place) entries() ([]entry, error) {
	var list []entry
	switch p.Engine {
	case WebKitGTK:
		list = []entry{p.webkitLocal()}
		versions, err := os.ReadDir(p.inProfile("databases/indexeddb"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, v := range versions {
			if webkitVersion.MatchString(v.Name()) {
				list = append(list, p.webkitDatabases(v.Name()))
			}
		}
		if salt, err := os.ReadFile(p.inProfile("storage/salt")); err == nil {
			list = append(list, p.webkitStorage(salt))
		}
	case WebView2:
		for _, folder := range chromiumFolders {
			list = append(list, entry{folder, "EBWebView/Default/" + folder})
		}
	}
	return slices.DeleteFunc(list, func(e entry) bool { return !exists(p.inProfile(e.path)) }), nil
}

func (p Place) inProfile(path string) string {
	return filepath.Join(p.Profile, filepath.FromSlash(path))
}

// originName is http://127.0.0.1:PORT as WebKit writes it in names.
func (p Place) originName() string {
	u, err := url.Parse(p.Origin)
	if err != nil {
		return "invalid"
	}
	return u.Scheme + "_" + u.Hostname() + "_" + u.Port()
}

func (p Place) webkitLocal() entry {
	return entry{"localstorage.sqlite3", "localstorage/" + p.originName() + ".localstorage"}
}

func (p Place) webkitDatabases(version string) entry {
	return entry{"indexeddb/" + version, "databases/indexeddb/" + version + "/" + p.originName()}
}

// webkitStorage is the folder of the origin as the top page and as its own frame.
func (p Place) webkitStorage(salt []byte) entry {
	sum := sha256.Sum256(append([]byte(p.Origin), salt...))
	hash := base64.RawURLEncoding.EncodeToString(sum[:])
	return entry{"storage", "storage/" + hash + "/" + hash}
}

// saltSize is what WebKit uses.
const saltSize = 8

// webkitSalt reads the salt of the profile's storage folder; with create it makes the first.
func (p Place) webkitSalt() ([]byte, error) {
	file := p.inProfile("storage/salt")
	salt, err := os.ReadFile(file)
	if err == nil && len(salt) == saltSize {
		return salt, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	salt = make([]byte, saltSize)
	rand.Read(salt)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	return salt, os.WriteFile(file, salt, 0o600)
}

// webkitOriginFile is storage/HASH/HASH/origin: the top page's origin and the frame's, each as scheme, host and port.
// A string is its length, a byte that says "Latin-1", and its characters; the port has a byte in front that says it is
// there.
func webkitOriginFile(origin string) ([]byte, error) {
	u, err := url.Parse(origin)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		return nil, fmt.Errorf("origin %s: %w", origin, err)
	}
	var b bytes.Buffer
	for range 2 {
		for _, text := range []string{u.Scheme, u.Hostname()} {
			binary.Write(&b, binary.LittleEndian, uint32(len(text)))
			b.WriteByte(1)
			b.WriteString(text)
		}
		b.WriteByte(1)
		binary.Write(&b, binary.LittleEndian, uint16(port))
	}
	return b.Bytes(), nil
}

// home finds the entry that a name below enginePrefix belongs to, and the rest of the name inside it.
func (p Place) home(name string) (e entry, rest string, ok bool) {
	first, rest, _ := strings.Cut(name, "/")
	switch p.Engine {
	case WebKitGTK:
		switch first {
		case "localstorage.sqlite3":
			return p.webkitLocal(), "", rest == ""
		case "indexeddb":
			version, inner, _ := strings.Cut(rest, "/")
			return p.webkitDatabases(version), inner, webkitVersion.MatchString(version) && inner != ""
		case "storage":
			salt, err := p.webkitSalt()
			return p.webkitStorage(salt), rest, err == nil && rest != "" && rest != "origin"
		}
	case WebView2:
		if slices.Contains(chromiumFolders, first) {
			return entry{first, "EBWebView/Default/" + first}, rest, rest != ""
		}
	}
	return entry{}, "", false
}

// webkitTarget is what an import replaces in WebKitGTK's folder: what webkitLocal, webkitDatabases and webkitStorage give.
var webkitTarget = regexp.MustCompile(`^(localstorage/http_127\.0\.0\.1_[0-9]+\.localstorage(-wal|-shm|-journal)?` +
	`|databases/indexeddb/v[0-9]{1,4}/http_127\.0\.0\.1_[0-9]+|storage/[A-Za-z0-9_-]{43}/[A-Za-z0-9_-]{43})$`)

// plans reports whether an import replaces the target. A journal that came along with a portable program may name
// anything, and the folder it is in may be a link.
func (p Place) plans(b base, target string) bool {
	folder, isChromium := strings.CutPrefix(target, "EBWebView/Default/")
	switch {
	case b == inData:
		return target == storageName || target == restoreName
	case b != inProfile:
		return false
	case p.Engine == WebKitGTK:
		return webkitTarget.MatchString(target)
	}
	return p.Engine == WebView2 && isChromium && slices.Contains(chromiumFolders, folder)
}

// isDatabase reports whether the engine keeps a file through SQLite. What a page calls its own files (FileSystem) says
// nothing about them.
func (p Place) isDatabase(name string) bool {
	if p.Engine != WebKitGTK || strings.HasPrefix(name, "storage/FileSystem/") {
		return false
	}
	return strings.HasSuffix(name, ".sqlite3")
}

// leftOut are files beside the saves that belong to a running engine only.
func (p Place) leftOut(name string) bool {
	base := path.Base(name)
	switch p.Engine {
	case WebKitGTK:
		if strings.HasPrefix(name, "storage/FileSystem/") {
			return false
		}
		// What is in a database's log is copied through SQLite.
		return name == "storage/origin" || strings.HasSuffix(base, ".sqlite3-wal") || strings.HasSuffix(base, ".sqlite3-shm") || strings.HasSuffix(base, ".sqlite3-journal")
	case WebView2:
		return base == "LOCK" || base == "LOG" || base == "LOG.old"
	}
	return false
}
