package bundle

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
)

// unityFolders remembers which folders hold a Unity build.
type unityFolders struct {
	mu    sync.Mutex
	known map[string]bool
	codes map[string]string // file -> coding, "" for none
}

// Encoding says whether a file is to be sent with Content-Encoding. inner is the name whose extension gives the
// content's type, coding is "br" or "gzip". Both are "" for every file that is sent as it is.
//
// Only the compressed files of a Unity build qualify: a name ending in .br, .gz or .unityweb, in a folder with a
// Unity loader (UnityLoader.js, or a *.loader.js that speaks of Unity), whose content really is compressed so.
// A .gz of any other game, Godot's above all, is inflated by the game itself and must arrive untouched.
func (b *Bundle) Encoding(name string) (inner, coding string) {
	inner = unityInner(name)
	if inner == "" || !b.unityFolder(path.Dir(name)) {
		return "", ""
	}
	if coding = b.unityCoding(name); coding == "" {
		return "", ""
	}
	return inner, coding
}

// unityInner is the name without the extension of the compression, with the extension of what is inside; "" when
// name is not one that Unity writes.
func unityInner(name string) string {
	ext := path.Ext(name)
	inner := strings.TrimSuffix(name, ext)
	switch ext {
	case ".br", ".gz", ".unityweb":
	default:
		return ""
	}
	for _, old := range [][2]string{ // Unity 2018 and 2019
		{".wasm.code", ".wasm"}, {".wasm.framework", ".js"}, {".asm.code", ".js"}, {".asm.framework", ".js"}, {".asm.memory", ".data"},
	} {
		if stem, ok := strings.CutSuffix(inner, old[0]); ok {
			return stem + old[1]
		}
	}
	switch path.Ext(inner) {
	case ".data", ".wasm", ".js", ".json", ".mem", ".symbols":
		return inner
	}
	return ""
}

func (b *Bundle) unityFolder(dir string) bool {
	u := &b.unity
	u.mu.Lock()
	defer u.mu.Unlock()
	if yes, ok := u.known[dir]; ok {
		return yes
	}
	yes := hasUnityLoader(b.FS, dir)
	if u.known == nil {
		u.known = map[string]bool{}
	}
	if len(u.known) < 1000 {
		u.known[dir] = yes
	}
	return yes
}

func hasUnityLoader(fsys fs.FS, dir string) bool {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		name := e.Name()
		if name == "UnityLoader.js" {
			return true
		}
		if !strings.HasSuffix(name, ".loader.js") {
			continue
		}
		text, err := readPrefix(fsys, path.Join(dir, name), 1<<20)
		if err == nil && (bytes.Contains(text, []byte("createUnityInstance")) || bytes.Contains(text, []byte("unityFramework"))) {
			return true
		}
	}
	return false
}

// unityCoding decides by content and remembers the answer.
func (b *Bundle) unityCoding(name string) string {
	u := &b.unity
	u.mu.Lock()
	defer u.mu.Unlock()
	if coding, ok := u.codes[name]; ok {
		return coding
	}
	coding := ""
	if head, err := readPrefix(b.FS, name, 64<<10); err == nil {
		coding = compression(head, strings.HasSuffix(name, ".gz"))
	}
	if u.codes == nil {
		u.codes = map[string]string{}
	}
	if len(u.codes) < 1000 {
		u.codes[name] = coding
	}
	return coding
}

// compression tells "gzip" and "br" from each other and from neither. Brotli has no magic number, so a little of it
// is decoded.
func compression(head []byte, onlyGzip bool) string {
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		return "gzip"
	}
	if onlyGzip || len(head) == 0 || bytes.HasPrefix(head, []byte("\x00asm")) || bytes.HasPrefix(head, []byte("UnityWebData")) {
		return ""
	}
	var out [64]byte
	n, err := io.ReadFull(brotli.NewReader(bytes.NewReader(head)), out[:])
	if err == nil || n > 0 && err == io.ErrUnexpectedEOF && len(head) < 64<<10 {
		return "br"
	}
	return ""
}

// readText reads the first limit bytes of a file as the browser will see it, so without a Content-Encoding.
func (b *Bundle) readText(name string, limit int64) ([]byte, error) {
	_, coding := b.Encoding(name)
	if coding == "" {
		return readPrefix(b.FS, name, limit)
	}
	f, err := b.FS.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = brotli.NewReader(f)
	if coding == "gzip" {
		z, err := gzip.NewReader(f)
		if err != nil {
			return nil, err
		}
		r = z
	}
	text, err := io.ReadAll(io.LimitReader(r, limit))
	if len(text) > 0 {
		return text, nil // a damaged end does not matter for a look at the start
	}
	return nil, err
}
