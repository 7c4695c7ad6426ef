package bundle

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestOpenFindsEntry(t *testing.T) {
	tests := []struct {
		name  string
		files files
		entry string // "" when the root was entered and holds index.html
		root  string // a file that must be at the root
	}{
		{"index.html", files{"index.html": plainPage, "other.html": ""}, "index.html", "other.html"},
		{"Index.HTML", files{"Index.HTML": plainPage, "other.html": ""}, "Index.HTML", "other.html"},
		{"index.htm", files{"index.htm": plainPage, "other.html": ""}, "index.htm", "other.html"},
		{"the only page (bitsy.html)", files{"bitsy.html": plainPage, "a.js": ""}, "bitsy.html", "a.js"},
		{"one top folder is unwrapped", files{"My Game/index.html": plainPage, "My Game/a.js": ""}, "index.html", "a.js"},
		{"two folders deep", files{"a/b/index.html": plainPage, "a/b/c.js": ""}, "index.html", "c.js"},
		{"system files beside the top folder", files{"g/index.html": plainPage, ".DS_Store": "x", "._g": "x", "Thumbs.db": "x"}, "index.html", "index.html"},
		{"NW.js by package.json", files{"package.json": `{"main":"www/index.html"}`, "www/index.html": plainPage, "www/js/a.js": "", "nw.exe": "MZ", "credits.html": ""}, "index.html", "js/a.js"},
		{"NW.js page with another name", files{"package.json": `{"main":"./app/game.html?x=1"}`, "app/game.html": plainPage, "app/b.html": ""}, "game.html", "b.html"},
		{"NW.js page at the root", files{"package.json": `{"main":"game.html"}`, "game.html": plainPage, "b.html": ""}, "game.html", "b.html"},
		{"www by looking", files{"www/index.html": plainPage, "nw.exe": "MZ", "credits.html": ""}, "index.html", "index.html"},
		{"NW.js folder inside a folder with a space", files{"ELECTRIC GAME/package.json": `{"main":"www/index.html"}`, "ELECTRIC GAME/www/index.html": plainPage, "ELECTRIC GAME/nw.dll": ""}, "index.html", "index.html"},
		{"package.json of a JavaScript project", files{"package.json": `{"main":"server.js"}`, "index.html": plainPage}, "index.html", "package.json"},
		{"broken package.json", files{"package.json": `{`, "a.html": plainPage}, "a.html", "package.json"},
		{"entry of the manifest", files{"conch.json": `{"format":1,"entry":"sub/start.html"}`, "index.html": "", "sub/start.html": plainPage}, "sub/start.html", "index.html"},
		{"entry of the manifest is a folder", files{"conch.json": `{"format":1,"entry":"./app/"}`, "build/a.js": "", "app/index.html": plainPage}, "app/index.html", "build/a.js"},
		{"a manifest beside www keeps the root", files{"conch.json": `{"format":1}`, "www/index.html": plainPage, "nw.exe": ""}, "www/index.html", "nw.exe"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			eachKind(t, tt.files, func(t *testing.T, b *Bundle) {
				if b.Entry != tt.entry || b.Manifest.Entry != tt.entry {
					t.Errorf("entry %q, manifest entry %q, want %q", b.Entry, b.Manifest.Entry, tt.entry)
				}
				if !b.has(tt.root) {
					t.Errorf("%q is not at the root", tt.root)
				}
				if b.Title != "A game" {
					t.Errorf("title %q", b.Title)
				}
			})
		})
	}
}

func TestOpenAsksForEntry(t *testing.T) {
	tests := []struct {
		name       string
		files      files
		option     string
		candidates []string
		text       string
	}{
		{"several pages", files{"repair.html": "", "pang.html": ""}, "", []string{"pang.html", "repair.html"}, "--entry"},
		{"pages only in folders", files{"dist/index.html": "", "src/page.html": ""}, "", []string{"dist/index.html", "src/page.html"}, `"entry" in conch.json`},
		{"no page at all", files{"main.lua": "", "conf.lua": ""}, "", nil, "exported for the web"},
		{"option names nothing", files{"index.html": ""}, "start.html", []string{"index.html"}, `"start.html"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Open(folder(t, tt.files), Options{Entry: tt.option})
			var ee *EntryError
			if !errors.As(err, &ee) {
				t.Fatalf("error %v, want an *EntryError", err)
			}
			if !slices.Equal(ee.Candidates, tt.candidates) {
				t.Errorf("candidates %q, want %q", ee.Candidates, tt.candidates)
			}
			wantError(t, err, tt.text)
			wantError(t, err, tt.candidates...)
		})
	}
}

func TestOpenEntryOption(t *testing.T) {
	dir := folder(t, files{"index.html": "", "a/b.html": plainPage, "app/index.html": "", "conch.json": `{"format":1,"entry":"index.html"}`})
	for option, want := range map[string]string{"a/b.html": "a/b.html", "./a/b.html": "a/b.html", "/a/b.html": "a/b.html", "app": "app/index.html", "app/": "app/index.html"} {
		if b := open(t, dir, Options{Entry: option}); b.Entry != want {
			t.Errorf("--entry %q: %q, want %q", option, b.Entry, want)
		}
	}
	for _, bad := range []string{"../index.html", "a/../../x", `a\b.html`} {
		if _, err := Open(dir, Options{Entry: bad}); err == nil {
			t.Errorf("--entry %q accepted", bad)
		}
	}
}

// Case A17: a wrong archive is named, and what to do with it.
func TestOpenNamesForeignFiles(t *testing.T) {
	tar := strings.Repeat("\x00", 257) + "ustar\x00"
	tests := []struct{ name, data, want string }{
		{"game.rar", "Rar!\x1a\x07\x01\x00", "RAR archive"},
		{"renamed.zip", "Rar!\x1a\x07\x00", "RAR archive"},
		{"game.7z", "7z\xbc\xaf\x27\x1c..", "7-Zip"},
		{"game.exe", "MZ\x90\x00", "Windows program"},
		{"game.x86_64", "\x7fELF\x02", "Linux program"},
		{"game.app", "\xcf\xfa\xed\xfe", "macOS program"},
		{"game.tar.gz", "\x1f\x8b\x08", "gzip"},
		{"game.tar", tar, "tar archive"},
		{"game.swf", "CWS\x0a", "Flash"},
		{"icon.png", "\x89PNG\r\n", "picture"},
		{"game.html", "", "is empty"},
		{"lfs.zip", lfsMagic + "\noid sha256:aa\n", "git lfs pull"},
		{"notes.txt", "hello", "folder, an .html, a .zip or a packed program"},
		{"split.zip", "PK\x07\x08PK", "several parts"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := diskFile(t, tt.name, []byte(tt.data))
			b, err := Open(path, Options{})
			if tt.name == "game.html" && err == nil { // an empty page is still a page
				b.Close()
				return
			}
			wantError(t, err, tt.want, path)
			if !errors.Is(err, ErrNotGame) {
				t.Errorf("error %v does not wrap ErrNotGame", err)
			}
		})
	}
	if _, err := Open(filepath.Join(t.TempDir(), "absent"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent path: %v", err)
	}
	if runtime.GOOS == "linux" {
		if _, err := Open("/dev/null", Options{}); !errors.Is(err, ErrNotGame) {
			t.Errorf("device: %v", err)
		}
	}
}

func TestOpenByContent(t *testing.T) {
	zipped := zipBytes(t, deflated("index.html", plainPage))
	tests := []struct {
		name string
		data []byte
		kind Kind
	}{
		{"game.zip", zipped, Zip},
		{"game.conch", zipped, Zip},
		{"game.html", zipped, Zip},
		{"game.html", []byte(plainPage), HTML},
		{"GAME.HTM", []byte("no tags"), HTML},
		{"download", []byte("\ufeff\n <!DOCTYPE HTML><title>A game</title>"), HTML},
	}
	for _, tt := range tests {
		b := open(t, diskFile(t, tt.name, tt.data), Options{})
		if b.Kind != tt.kind || b.Entry != "index.html" {
			t.Errorf("%s: kind %q, entry %q; want %q, index.html", tt.name, b.Kind, b.Entry, tt.kind)
		}
	}
}

func TestTitle(t *testing.T) {
	tests := []struct{ name, manifest, page, want string }{
		{"window.title first", `{"format":1,"name":"N","window":{"title":"W"}}`, plainPage, "W"},
		{"then name", `{"format":1,"name":"N"}`, plainPage, "N"},
		{"then the page", `{"format":1}`, "<title>\n A &amp; B\t</title><svg><title>no</title></svg>", "A & B"},
		{"then the file", `{"format":1}`, "<title> </title>", "my game.v2"},
		{"no control characters", `{"format":1}`, "<title>a\u202eb\x01c</title>", "abc"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data := zipBytes(t, deflated("index.html", tt.page), deflated("conch.json", tt.manifest))
			b := open(t, diskFile(t, "my game.v2.zip", data), Options{})
			if b.Title != tt.want || b.Manifest.Window.Title != tt.want {
				t.Errorf("title %q, window.title %q, want %q", b.Title, b.Manifest.Window.Title, tt.want)
			}
		})
	}
	if b := open(t, diskFile(t, "Mein Spiel.html", []byte("<p>")), Options{}); b.Title != "Mein Spiel" {
		t.Errorf("title of a page without one: %q", b.Title)
	}
}
