package runtime

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/runtime/bundle"
)

func rewrite(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Cases A7, A9, A10, A11: types come from our own table, also for names in capitals.
func TestMediaTypes(t *testing.T) {
	tests := map[string]string{
		"a.js": "text/javascript", "a.mjs": "text/javascript", "A.JS": "text/javascript", "a.wasm": "application/wasm",
		"a.webmanifest": "application/manifest+json", "a.json": "application/json", "a.css": "text/css",
		"a.html": "text/html", "a.ogg": "audio/ogg", "a.opus": "audio/ogg", "a.flac": "audio/flac", "a.m4a": "audio/mp4",
		"a.mp3": "audio/mpeg", "a.webm": "video/webm", "a.mp4": "video/mp4", "a.woff2": "font/woff2", "a.ttf": "font/ttf",
		"a.glb": "model/gltf-binary", "a.gltf": "model/gltf+json", "a.ktx2": "image/ktx2", "a.basis": "image/basis",
		"a.svg": "image/svg+xml", "a.webp": "image/webp", "a.avif": "image/avif", "a.tmx": "text/xml",
		"a.pck": unknownType, "a.data": unknownType, "a.mem": unknownType, "a.unityweb": unknownType, "a.tic": unknownType,
		"a.rpgmvp": unknownType, "a.arcd0": unknownType, "noextension": unknownType, "a.": unknownType, "a.js.map": "application/json",
	}
	for name, want := range tests {
		if got := mediaType(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	kinds(t, files{"a.wasm": "\x00asm", "b.mjs": "js", "c.pck": "GDPC"}, func(t *testing.T, g *player) {
		g.get("/a.wasm").wantHeader(t, "Content-Type", "application/wasm")
		g.get("/b.mjs").wantHeader(t, "Content-Type", "text/javascript")
		g.get("/c.pck").wantHeader(t, "Content-Type", unknownType)
		g.get("/c.pck").wantHeader(t, "Cache-Control", "no-cache")
		g.get("/").wantHeader(t, "Cache-Control", "no-store")
	})
}

// Case A5: what is not there is 404, never the entry page. Case A21: absolute paths start at the game's root.
func TestAbsentFiles(t *testing.T) {
	kinds(t, files{"assets/font.woff2": "font", "empty/x.txt": "x"}, func(t *testing.T, g *player) {
		for _, path := range []string{"/Build/x.js", "/absent", "/absent/", "/assets/", "/empty", "/empty/", "/assets/font.woff2/",
			"/index.html/", "/index.html/x", "/assets/font.woff2/x"} {
			status := http.StatusNotFound
			if path == "/empty" {
				status = http.StatusFound
			}
			res := g.get(path)
			res.want(t, status, "*")
			if strings.Contains(res.body, "<title>") {
				t.Errorf("%s: answered with the entry page", path)
			}
		}
		g.get("/assets/font.woff2").want(t, http.StatusOK, "font")
		g.get("//assets//font.woff2").want(t, http.StatusOK, "font")
	})
}

// Case A20: folder/ serves its index, folder leads there.
func TestFolders(t *testing.T) {
	kinds(t, files{"sub/index.html": plainPage, "a b:c/index.htm": plainPage}, func(t *testing.T, g *player) {
		res := g.get("/sub/")
		res.want(t, http.StatusOK, "*")
		res.wantHeader(t, "Content-Type", "text/html")
		tests := map[string]string{
			"/sub": "sub/", "/sub?a=1&b=%20": "sub/?a=1&b=%20", "//evil.example/..": "", "/a%20b:c": "./a%20b:c/",
			"//sub": "sub/",
		}
		for path, want := range tests {
			res := g.get(path)
			res.wantHeader(t, "Location", want)
			if want != "" {
				res.want(t, http.StatusFound, "")
			}
			base, _ := url.Parse(g.Origin() + "/")
			if to, err := base.Parse(res.header.Get("Location")); err != nil || to.Host != g.launch.host {
				t.Errorf("%s leads to %s", path, to)
			}
		}
		g.get("/a%20b:c/").want(t, http.StatusOK, "*")
	})
}

// Case A16: the entry may be anywhere; the root leads to it.
func TestEntryElsewhere(t *testing.T) {
	dir := t.TempDir()
	os.MkdirAll(filepath.Join(dir, "my game"), 0o755)
	rewrite(t, dir, "my game/play.html", plainPage)
	rewrite(t, dir, "index.html", "other")
	b, err := bundle.Open(dir, bundle.Options{Entry: "my game/play.html"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	g := play(t, &Server{Bundle: b})
	g.get("/?x=1").wantHeader(t, "Location", "./my%20game/play.html?x=1")
	if got := g.entryPath(); got != "/my%20game/play.html" {
		t.Errorf("entry path: got %s", got)
	}
	g.get("/my%20game/play.html").want(t, http.StatusOK, "*")
}

func TestMethods(t *testing.T) {
	kinds(t, files{"a.bin": "0123456789"}, func(t *testing.T, g *player) {
		res := g.do("HEAD", "/a.bin", "")
		res.want(t, http.StatusOK, "")
		res.wantHeader(t, "Content-Length", "10")
		res.wantHeader(t, "Accept-Ranges", "bytes")
		for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "FOO"} {
			res := g.do(method, "/a.bin", "")
			res.want(t, http.StatusMethodNotAllowed, "*")
			res.wantHeader(t, "Allow", "GET, HEAD")
		}
		g.raw("OPTIONS * HTTP/1.1", "Host: "+g.launch.host).want(t, http.StatusForbidden, "")
	})
}

// Cases A24 and B13: no Range gives 200, every Range its exact bytes, also inside compressed zip entries.
func TestRanges(t *testing.T) {
	var song strings.Builder
	for i := range 40_000 {
		song.WriteString(strings.Repeat(string(rune('a'+i%26)), 1+i%7))
	}
	whole := song.String()
	n := len(whole)
	kinds(t, files{"song.ogg": whole, "empty.ogg": ""}, func(t *testing.T, g *player) {
		first := g.get("/song.ogg")
		first.want(t, http.StatusOK, whole)
		etag := first.header.Get("Etag")
		tests := []struct {
			name    string
			headers []string
			status  int
			from    int
			to      int
		}{
			{"middle", []string{"Range: bytes=100-199"}, 206, 100, 200},
			{"first byte", []string{"Range: bytes=0-0"}, 206, 0, 1},
			{"from the start", []string{"Range: bytes=0-"}, 206, 0, n},
			{"tail", []string{"Range: bytes=150000-"}, 206, 150000, n},
			{"suffix", []string{"Range: bytes=-50"}, 206, n - 50, n},
			{"suffix longer than the file", []string{"Range: bytes=-9999999"}, 206, 0, n},
			{"past the end", []string{"Range: bytes=9999999-"}, 416, 0, 0},
			{"backwards", []string{"Range: bytes=5-2"}, 416, 0, 0},
			{"end beyond the file", []string{"Range: bytes=10-9999999"}, 206, 10, n},
			{"a unit of another name", []string{"Range: lines=1-2"}, 200, 0, n},
			{"two ranges", []string{"Range: bytes=0-1,5-6"}, 200, 0, n},
			{"right If-Range", []string{"Range: bytes=1-2", "If-Range: " + etag}, 206, 1, 3},
			{"old If-Range", []string{"Range: bytes=1-2", `If-Range: "old"`}, 200, 0, n},
			{"If-Range by date", []string{"Range: bytes=1-2", "If-Range: Mon, 02 Jan 2006 15:04:05 GMT"}, 200, 0, n},
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				res := g.get("/song.ogg", tt.headers...)
				if tt.status == 416 {
					res.want(t, tt.status, "*")
					return
				}
				res.want(t, tt.status, whole[tt.from:tt.to])
			})
		}
		g.get("/empty.ogg", "Range: bytes=0-").want(t, http.StatusOK, "")
	})
}

// Case A25: the second start asks and gets 304. Case B6: an update with the same size and any time is not missed.
func TestUpdatesAreSeen(t *testing.T) {
	old := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	shapes := map[string]func(t *testing.T, text string, dir string) *bundle.Bundle{
		"folder": func(t *testing.T, text, dir string) *bundle.Bundle {
			rewrite(t, dir, "index.html", plainPage)
			rewrite(t, dir, "game.js", text)
			os.Chtimes(filepath.Join(dir, "game.js"), old, old)
			return open(t, dir)
		},
		"zip": func(t *testing.T, text, _ string) *bundle.Bundle { return zipped(t, files{"game.js": text}) },
	}
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			g := play(t, &Server{Bundle: shape(t, "version 1", dir)})
			etag := g.get("/game.js").header.Get("Etag")
			if !strings.HasPrefix(etag, `"`) {
				t.Fatalf("ETag %q is not strong", etag)
			}
			g.get("/game.js").wantHeader(t, "Last-Modified", "")

			g = play(t, &Server{Bundle: g.Bundle})
			res := g.get("/game.js", "If-None-Match: "+etag)
			res.want(t, http.StatusNotModified, "")
			res.wantHeader(t, "Etag", etag)

			g = play(t, &Server{Bundle: shape(t, "version 2", dir)})
			g.get("/game.js", "If-None-Match: "+etag, "If-Modified-Since: "+time.Now().UTC().Format(http.TimeFormat)).
				want(t, http.StatusOK, "version 2")
		})
	}
}

// Cases A12, A14 of names and B15: spaces, marks, Thai, both normal forms.
func TestOddNames(t *testing.T) {
	const composed, decomposed = "\u30ac.png", "\u30ab\u3099.png"
	odd := files{
		"#a b c.mp4": "1", "a b+c#1%41.png": "2", `it's "quoted".png`: "3", "เกม/ไทย.png": "4", composed: "5",
		"water (9).png": "6", "a&b=c;d.png": "7", "a,b@c!.png": "8", "e\u0301.ogg": "9", "100%.txt": "10", "what?.txt": "11", "ab:c.txt": "12",
	}
	kinds(t, odd, func(t *testing.T, g *player) {
		for name, text := range odd {
			path := (&url.URL{Path: "/" + name}).EscapedPath()
			g.get(path).want(t, http.StatusOK, text)
			g.get(path+"?cachebust=1233076863").want(t, http.StatusOK, text)
		}
		if len(g.Mismatches()) != 0 {
			t.Errorf("mismatches of exact names: %v", g.Mismatches())
		}
		g.get("/%23a%20b%20c.mp4").want(t, http.StatusOK, "1")
		g.get("/a%20b+c%231%2541.png").want(t, http.StatusOK, "2")
		g.get("/a%20b%2Bc%231%2541.png").want(t, http.StatusOK, "2")
		g.get("/"+url.PathEscape(decomposed)).want(t, http.StatusOK, "5")
		g.get("/%C3%A9.ogg").want(t, http.StatusOK, "9")
		if got := len(g.Mismatches()); got != 2 {
			t.Errorf("mismatches: got %v", g.Mismatches())
		}
	})
}

// Cases A14, A15 and B14: letter case does not matter unless it does.
func TestLetterCase(t *testing.T) {
	f := files{"img/hero.png": "hero", "img/System/Iconset.png": "icons", "A.png": "upper", "a.png": "lower", "Sub/Index.html": plainPage}
	kinds(t, f, func(t *testing.T, g *player) {
		g.get("/A.png").want(t, http.StatusOK, "upper")
		g.get("/a.png").want(t, http.StatusOK, "lower")
		g.get("/img/hero.png").want(t, http.StatusOK, "hero")
		if got := g.Mismatches(); len(got) != 0 {
			t.Errorf("mismatches: got %v", got)
		}
		g.get("/img/Hero.PNG").want(t, http.StatusOK, "hero")
		g.get("/IMG/HERO.png").want(t, http.StatusOK, "hero")
		g.get("/IMG/system/IconSet.png").want(t, http.StatusOK, "icons")
		g.get("/sub/").want(t, http.StatusOK, "*")
		g.get("/img/villain.png").want(t, http.StatusNotFound, "*")
		want := []Mismatch{{"img/Hero.PNG", "img/hero.png"}, {"IMG/system/IconSet.png", "img/System/Iconset.png"}}
		got := g.Mismatches()
		if len(got) < 2 || got[0] != want[0] || got[1] != want[1] {
			t.Errorf("mismatches: got %v, want %v", got, want)
		}
		if n := strings.Count(g.log.String(), "img/hero.png"); n != 1 {
			t.Errorf("the log names the file %d times", n)
		}
	})
}

func TestLetterCaseSeesNewFiles(t *testing.T) {
	g := play(t, &Server{Bundle: folder(t, nil)})
	g.get("/NEW.png").want(t, http.StatusNotFound, "*")
	rewrite(t, g.Bundle.Path, "new.png", "new")
	past := time.Now().Add(time.Hour) // coarse clocks of file systems must not decide this test
	os.Chtimes(g.Bundle.Path, past, past)
	g.get("/NEW.png").want(t, http.StatusOK, "new")
}

// Case B16: nothing outside the game, and nothing in it that is the author's.
func TestEscapes(t *testing.T) {
	outside := t.TempDir()
	rewrite(t, outside, "secret.txt", "secret")
	b := folder(t, files{"a/b.txt": "b", ".git/config": "git", "a/.env": "env", "conch.json": `{"format":1}`})
	if err := os.Symlink(outside, filepath.Join(b.Path, "out")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "secret.txt"), filepath.Join(b.Path, "link.txt")); err != nil {
		t.Fatal(err)
	}
	g := play(t, &Server{Bundle: b})
	up := filepath.Base(outside)
	for _, path := range []string{
		"/..%2f" + up + "/secret.txt", "/%2e%2e/" + up + "/secret.txt", "/../" + up + "/secret.txt", "/a/../../" + up + "/secret.txt",
		"/a/..%5c..%5c" + up + "%5csecret.txt", "/..\\..\\secret.txt", "//etc/passwd", "/etc/passwd", "/%2fetc%2fpasswd",
		"/a/b.txt%00.png", "/%00", "/C:/Windows/win.ini", "/C:%5cWindows", "/out/secret.txt", "/out/", "/link.txt", "/OUT/secret.txt",
		"/./a/b.txt", "/a/./b.txt", "/a/%2e/b.txt", "/.git/config", "/a/.env", "/.GIT/config", "/conch.json", "/CONCH.JSON", "/conch.json.",
		"/conch.json%20", "//conch.json", "/%ff", "/a/b.txt/../b.txt", "/a%5cb.txt", "/...",
	} {
		res := g.get(path)
		if res.status != http.StatusNotFound || strings.Contains(res.body, "secret") {
			t.Errorf("%s: got %d %q", path, res.status, res.body)
		}
	}
	g.get("/a%2fb.txt").want(t, http.StatusOK, "b")
}

func TestUpgradesOfFilesAreNotThere(t *testing.T) {
	g := play(t, &Server{Bundle: folder(t, files{"ws": "file"})})
	g.get("/ws", "Upgrade: websocket", "Connection: Upgrade", "Origin: "+g.Origin()).want(t, http.StatusNotFound, "*")
}

// No path makes the server panic, reach outside, or answer a stranger.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{"/", "//", "/a", "/../x", "/..%2f..%2fsecret.txt", "/a\\b", "/\x00", "/C:/x", "/.git", "/sub/../..", "/é", "/sub//"} {
		f.Add(seed)
	}
	dir := f.TempDir()
	os.MkdirAll(filepath.Join(dir, "game", "sub"), 0o755)
	os.WriteFile(filepath.Join(dir, "secret.txt"), []byte("secret"), 0o644)
	os.WriteFile(filepath.Join(dir, "game", "index.html"), []byte(plainPage), 0o644)
	os.WriteFile(filepath.Join(dir, "game", "sub", "a.txt"), []byte("public"), 0o644)
	b := open(f, filepath.Join(dir, "game"))
	s := &Server{Bundle: b}
	s.names.fsys = b.FS
	s.policy = newPolicy(b, nil)
	f.Fuzz(func(t *testing.T, path string) {
		w := &sink{h: http.Header{}}
		s.serveFile(w, &http.Request{Method: "GET", URL: &url.URL{Path: path}, Header: http.Header{}, Host: "x"})
		if strings.Contains(w.b.String(), "secret") {
			t.Fatalf("%q reaches outside", path)
		}
		if w.status == http.StatusInternalServerError {
			t.Fatalf("%q: 500", path)
		}
		if to := w.h.Get("Location"); to != "" {
			base := &url.URL{Scheme: "http", Host: "game.invalid", Path: path}
			if u, err := base.Parse(to); err != nil || u.Host != "game.invalid" {
				t.Fatalf("%q leads to %q", path, to)
			}
		}
	})
}

// sink is a response writer that keeps what it gets.
type sink struct {
	h      http.Header
	status int
	b      strings.Builder
}

func (s *sink) Header() http.Header { return s.h }
func (s *sink) WriteHeader(n int)   { s.status = n }
func (s *sink) Write(p []byte) (int, error) {
	return s.b.Write(p)
}

var _ io.Writer = (*sink)(nil)
