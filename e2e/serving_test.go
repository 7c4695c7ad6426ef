//go:build e2e

package e2e

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// visitor is a plain HTTP client that was let in by the entry address, so that it has the cookie.
type visitor struct {
	origin string
	client *http.Client
}

// reply is a response with its body as it came over the wire.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// visit serves the game and enters it.
func visit(t *testing.T, h home, game string, args ...string) (*served, *visitor) {
	t.Helper()
	s := serve(t, h, game, args...)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v := &visitor{s.Origin, &http.Client{
		Jar: jar, Transport: &http.Transport{DisableCompression: true}, Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	t.Cleanup(v.client.CloseIdleConnections)
	if got := v.ask(t, "GET", strings.TrimPrefix(s.URL, s.Origin)); got.status != http.StatusOK {
		t.Fatalf("entry address: status %d", got.status)
	}
	return s, v
}

// ask sends one request for an escaped path. header holds names and values by turns.
func (v *visitor) ask(t *testing.T, method, at string, header ...string) reply {
	t.Helper()
	q, err := http.NewRequest(method, v.origin+at, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		q.Header.Set(header[i], header[i+1])
	}
	resp, err := v.client.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, at, err)
	}
	if resp.ContentLength >= 0 && method != "HEAD" && resp.ContentLength != int64(len(body)) {
		t.Errorf("%s %s: Content-Length %d, %d bytes came", method, at, resp.ContentLength, len(body))
	}
	return reply{resp.StatusCode, resp.Header, body}
}

func (v *visitor) get(t *testing.T, at string, header ...string) reply {
	t.Helper()
	return v.ask(t, "GET", at, header...)
}

// escaped is the path of a file's address.
func escaped(name string) string { return "/" + (&url.URL{Path: name}).EscapedPath() }

// put writes a file below dir.
func put(t *testing.T, dir, name string, data []byte) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// folderOf writes files into a new folder with an index.html.
func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, "index.html", []byte("<!doctype html><title>served</title><p>the entry page"))
	for name, text := range files {
		put(t, dir, name, []byte(text))
	}
	return dir
}

// zipped packs a folder, each name with prefix before it.
func zipped(t *testing.T, dir, prefix string, method uint16) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "game.zip")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(f)
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		entry, err := w.CreateHeader(&zip.FileHeader{Name: prefix + name, Method: method})
		if err != nil {
			return err
		}
		_, err = entry.Write(data)
		return err
	})
	if err := errors.Join(err, w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return file
}

// evilZip is an archive with a name that would leave the folder it is unpacked to.
func evilZip(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{"index.html", "../../evil.txt"} {
		if _, err := w.CreateHeader(&zip.FileHeader{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// noise is n bytes that compress to about half, the same at every run.
func noise(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, n)
	for i := range data {
		data[i] = "0123456789abcdef"[r.IntN(16)]
	}
	return data
}

// TestRangesInsideAZip: media elements seek by Range (RFC 9110, section 14); entries of a zip answer as files do, also
// compressed ones.
func TestRangesInsideAZip(t *testing.T) {
	const size = 20 << 20 // more than is kept inflated
	data := noise(size)
	dir := folderOf(t, nil)
	put(t, dir, "song.ogg", data)
	put(t, dir, "short.ogg", data[:300_000])
	for name, method := range map[string]uint16{"stored": zip.Store, "deflated": zip.Deflate} {
		t.Run(name, func(t *testing.T) {
			_, v := visit(t, newHome(t), zipped(t, dir, "", method))
			for _, file := range []struct {
				at   string
				data []byte
			}{{"/short.ogg", data[:300_000]}, {"/song.ogg", data}} {
				checkRanges(t, v, file.at, file.data)
			}
		})
	}
}

func checkRanges(t *testing.T, v *visitor, at string, data []byte) {
	t.Helper()
	size := len(data)
	whole := v.get(t, at)
	etag := whole.header.Get("Etag")
	if whole.status != 200 || !bytes.Equal(whole.body, data) || whole.header.Get("Accept-Ranges") != "bytes" ||
		whole.header.Get("Content-Type") != "audio/ogg" || etag == "" {
		t.Fatalf("%s whole: status %d, %d bytes, %v", at, whole.status, len(whole.body), whole.header)
	}
	for _, row := range []struct {
		ranges   string
		from, to int // half open; -1: refused
		header   []string
	}{
		{"bytes=0-", 0, size, nil},
		{"bytes=100-199", 100, 200, nil},
		{"bytes=0-0", 0, 1, nil},
		{"bytes=-50", size - 50, size, nil},
		{"bytes=250000-", 250_000, size, nil},
		{"bytes=7-99999999", 7, size, nil},
		{"bytes=-99999999", 0, size, nil},
		{fmt.Sprintf("bytes=%d-", size), -1, 0, nil},
		{"bytes=99999999-", -1, 0, nil},
		{"bytes=100-199", 100, 200, []string{"If-Range", etag}},
	} {
		got := v.get(t, at, append([]string{"Range", row.ranges}, row.header...)...)
		if row.from < 0 {
			if want := fmt.Sprintf("bytes */%d", size); got.status != 416 || got.header.Get("Content-Range") != want {
				t.Errorf("%s %s: status %d, Content-Range %q; want 416 and %q", at, row.ranges, got.status, got.header.Get("Content-Range"), want)
			}
			continue
		}
		want := fmt.Sprintf("bytes %d-%d/%d", row.from, row.to-1, size)
		if got.status != 206 || got.header.Get("Content-Range") != want || !bytes.Equal(got.body, data[row.from:row.to]) {
			t.Errorf("%s %s: status %d, Content-Range %q, %d bytes; want 206, %q and those bytes", at, row.ranges, got.status,
				got.header.Get("Content-Range"), len(got.body), want)
		}
	}
	for _, header := range [][]string{
		{"Range", "bytes=0-9,20-29"},                        // nobody who plays media asks for several
		{"Range", "lines=1-2"},                              // not a unit
		{"Range", "bytes=100-199", "If-Range", `"older"`},   // the file is another one by now
		{"Range", "bytes=100-199", "If-Range", "W/" + etag}, // weak tags do not match here
		{"If-None-Match", `"older"`},                        // the engine's copy is old
	} {
		if got := v.get(t, at, header...); got.status != 200 || !bytes.Equal(got.body, data) {
			t.Errorf("%s with %q: status %d, %d bytes; want all of it", at, header, got.status, len(got.body))
		}
	}
	if got := v.get(t, at, "If-None-Match", etag); got.status != 304 || len(got.body) != 0 {
		t.Errorf("%s unchanged: status %d, want 304", at, got.status)
	}
	if got := v.ask(t, "HEAD", at); got.status != 200 || got.header.Get("Content-Length") != fmt.Sprint(size) {
		t.Errorf("HEAD %s: status %d, Content-Length %s", at, got.status, got.header.Get("Content-Length"))
	}
	if got := v.get(t, at, "Range", "bytes=5-2"); got.status == 206 {
		t.Errorf("%s: a range that ends before it begins was answered with %d bytes", at, len(got.body))
	}
}

// TestRawGzipStaysRaw: a .gz that the game itself inflates, as Godot 3 exports do, and one that is no gzip at all,
// arrive untouched.
func TestRawGzipStaysRaw(t *testing.T) {
	inner := noise(100_000)
	files := map[string]string{
		"index.wasm.gz": string(gzipped(t, addOne)), "index.pck.gz": string(gzipped(t, inner)), "save.br": string(inner[:999]),
		"unity/Build/game.loader.js": "function createUnityInstance() {}", "unity/Build/game.data.gz": "this is not gzip",
	}
	_, v := visit(t, newHome(t), folderOf(t, files))
	for name, text := range files {
		got := v.get(t, escaped(name), "Accept-Encoding", "gzip, deflate, br")
		if got.status != 200 || string(got.body) != text || got.header.Get("Content-Encoding") != "" {
			t.Errorf("%s: status %d, %d of %d bytes, %v", name, got.status, len(got.body), len(text), got.header)
		}
	}
}

// TestLetterCaseIsForgivenWithAWarning: games made on Windows ask for files in another letter case.
func TestLetterCaseIsForgivenWithAWarning(t *testing.T) {
	for _, kind := range []string{"folder", "zip"} {
		t.Run(kind, func(t *testing.T) {
			game := folderOf(t, map[string]string{
				"img/hero.png": "hero", "Audio/BGM/Theme.ogg": "theme", "two/A.png": "capital", "two/a.png": "small",
			})
			if kind == "zip" {
				game = zipped(t, game, "", zip.Deflate)
			}
			s, v := visit(t, newHome(t), game)
			for at, want := range map[string]string{
				"/img/Hero.PNG": "hero", "/audio/bgm/theme.OGG": "theme", "/two/A.png": "capital", "/two/a.png": "small",
			} {
				if got := v.get(t, at); got.status != 200 || string(got.body) != want {
					t.Errorf("%s: status %d, %q, want %q", at, got.status, got.body, want)
				}
			}
			s.waitOutput("file=img/hero.png")
			s.waitOutput("file=Audio/BGM/Theme.ogg")
			if strings.Contains(s.output(), "file=two/") {
				t.Errorf("an exact name was warned about:\n%s", s.output())
			}
		})
	}
}

// oddNames are names that games have and servers trip over.
var oddNames = []string{
	"#a b c.mp4", "100%.png", "a b+c#1%41.png", "a%20b.png", "water (9).png", "it's \"quoted\".json", "q?x=1&y=2.json",
	"semi;colon.txt", "back`tick.txt", "[brackets].txt", "{x}|^~.txt", "สวัสดี/เสียง.ogg", "日本語 ファイル.png",
	"emoji 🎮.png", "ẞ.txt", "plus+plus.wasm", "level 1:2.txt", "@home.js", "trailing dot./x.txt", "-dash.txt", "offline.js",
}

// TestOddNamesAreServed: spaces, #, %, +, quotes, Thai and the like, by any client that escapes them rightly, in a
// folder and in a zip, and from pages in both engines.
func TestOddNamesAreServed(t *testing.T) {
	files := map[string]string{}
	for _, name := range oddNames {
		files[name] = "content of " + name
	}
	dir := folderOf(t, files)
	for kind, game := range map[string]string{"folder": dir, "zip": zipped(t, dir, "", zip.Store)} {
		_, v := visit(t, newHome(t), game)
		for name, text := range files {
			for _, query := range []string{"", "?t=1233076863"} {
				if got := v.get(t, escaped(name)+query); got.status != 200 || string(got.body) != text {
					t.Errorf("%s, %s: status %d, %q", kind, escaped(name)+query, got.status, got.body)
				}
			}
		}
	}
	list, err := json.Marshal(oddNames)
	if err != nil {
		t.Fatal(err)
	}
	inBoth(t, func(t *testing.T, e engine) {
		r := newReporter(t)
		files["index.html"] = page(`
const wrong = []
for (const name of ` + string(list) + `) {
  const address = name.split('/').map(encodeURIComponent).join('/')
  const text = await (await fetch(address)).text()
  if (text !== 'content of ' + name) wrong.push(name + ': ' + text)
}
report('wrong', wrong)`)
		e.open(t, newHome(t), r.game(t, ``, nil, files))
		if wrong := string(r.wait("wrong")); wrong != "[]" {
			t.Errorf("not served to a page: %s", wrong)
		}
	})
}

// TestAccentsInEitherFormAreServed: macOS writes names decomposed, pages ask for them composed, and the other way.
func TestAccentsInEitherFormAreServed(t *testing.T) {
	const composed, decomposed = "\u30ac/\u00e9t\u00e9.png", "\u30ab\u3099/e\u0301te\u0301.png"
	for have, ask := range map[string]string{composed: decomposed, decomposed: composed} {
		dir := folderOf(t, map[string]string{have: "summer"})
		for kind, game := range map[string]string{"folder": dir, "zip": zipped(t, dir, "", zip.Deflate)} {
			_, v := visit(t, newHome(t), game)
			for _, name := range []string{have, ask} {
				if got := v.get(t, escaped(name)); got.status != 200 || string(got.body) != "summer" {
					t.Errorf("%s with %+q: asked for %+q: status %d", kind, have, name, got.status)
				}
			}
		}
	}
}

// TestFolderServesItsIndex: folder/ is its index.html, and folder leads there, so that relative addresses work.
func TestFolderServesItsIndex(t *testing.T) {
	dir := folderOf(t, map[string]string{"sub/index.html": "<p>sub", "a b#c/index.html": "<p>odd"})
	for _, game := range []string{dir, zipped(t, dir, "", zip.Deflate)} {
		_, v := visit(t, newHome(t), game)
		for _, folder := range []string{"sub", "a b#c"} {
			at := escaped(folder)
			got := v.get(t, at+"/")
			if got.status != 200 || !bytes.HasSuffix(got.body, []byte("<p>"+strings.NewReplacer("a b#c", "odd").Replace(folder))) {
				t.Errorf("%s/: status %d, %q", at, got.status, got.body)
			}
			moved := v.get(t, at+"?q=1")
			base, _ := url.Parse(v.origin + at)
			target, err := base.Parse(moved.header.Get("Location"))
			if err != nil || moved.status != 302 || target.String() != v.origin+at+"/?q=1" {
				t.Errorf("%s: status %d to %q, want %s/?q=1", at, moved.status, moved.header.Get("Location"), at)
			}
		}
	}
}

// TestAbsentFileIsNeverTheEntryPage: an engine that is handed HTML instead of a script stops with "Unexpected token".
func TestAbsentFileIsNeverTheEntryPage(t *testing.T) {
	game := folderOf(t, map[string]string{"empty/x.txt": "x", ".env": "secret", ".git/config": "secret", "conch.json": `{"format": 1}`})
	for _, game := range []string{game, zipped(t, game, "", zip.Deflate)} {
		_, v := visit(t, newHome(t), game)
		for _, at := range []string{
			"/Build/x.js", "/deep/down/none.html", "/empty/", "/index.html/", "/index.html/x", "/favicon.ico", "/.env", "/.git/config",
			"/conch.json", "/CONCH.JSON", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/empty%5cx.txt",
			"/x%00.txt", "/C:/Windows/win.ini", "/socket.io/?EIO=4", "/__conch/nothing",
		} {
			got := v.get(t, at)
			if got.status != 404 || strings.Contains(got.header.Get("Content-Type"), "html") || bytes.Contains(got.body, []byte("entry page")) {
				t.Errorf("%s: status %d, %s, %q; want 404", at, got.status, got.header.Get("Content-Type"), got.body)
			}
		}
	}
}

// TestLinksLeadNowhereOutside: a symbolic link in the folder does not lead out of the game; one that stays inside works.
func TestLinksLeadNowhereOutside(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret.txt")
	put(t, filepath.Dir(outside), "secret.txt", []byte("secret"))
	dir := folderOf(t, map[string]string{"real.txt": "inside"})
	for name, to := range map[string]string{"out.txt": outside, "up": "../..", "in.txt": "real.txt"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	_, v := visit(t, newHome(t), dir)
	for at, want := range map[string]int{"/out.txt": 404, "/up/": 404, "/up/etc/passwd": 404, "/in.txt": 200} {
		if got := v.get(t, at); got.status != want || bytes.Contains(got.body, []byte("secret")) {
			t.Errorf("%s: status %d, %q; want %d", at, got.status, got.body, want)
		}
	}
}

// TestShapesOfAnExport: however the export was packed, its entry page is found and its files are beside it.
func TestShapesOfAnExport(t *testing.T) {
	inner := map[string]string{"js/main.js": "main", "data/Map001.json": "{}"}
	export := folderOf(t, inner)
	nw := t.TempDir()
	if err := os.CopyFS(filepath.Join(nw, "www"), os.DirFS(export)); err != nil {
		t.Fatal(err)
	}
	put(t, nw, "package.json", []byte(`{"name": "game", "main": "www/index.html", "window": {"title": "x"}}`))
	put(t, nw, "nw.exe", []byte("MZ"))
	put(t, nw, "www/package.json", []byte(`{"name": "game", "main": "index.html"}`))
	single := t.TempDir()
	put(t, single, "My Game (v2).html", []byte("<!doctype html><p>the entry page"))
	put(t, single, "private.txt", []byte("not the game's"))
	one := t.TempDir()
	put(t, one, "bitsy.html", []byte("<!doctype html><p>the entry page"))
	put(t, one, "js/main.js", []byte("main"))
	for _, shape := range []struct {
		name, game, entry string
		files             bool
	}{
		{"folder", export, "/index.html", true},
		{"zip", zipped(t, export, "", zip.Deflate), "/index.html", true},
		{"zip with one folder at the top", zipped(t, export, "My Game v1.2/", zip.Deflate), "/index.html", true},
		{"zip with two", zipped(t, export, "web/build/", zip.Store), "/index.html", true},
		{"NW.js folder", nw, "/index.html", true},
		{"zip of an NW.js folder", zipped(t, nw, "GAME FOLDER/", zip.Deflate), "/index.html", true},
		{"single page", filepath.Join(single, "My Game (v2).html"), "/index.html", false},
		{"page of another name", one, "/bitsy.html", true},
	} {
		t.Run(shape.name, func(t *testing.T) {
			_, v := visit(t, newHome(t), shape.game)
			got := v.get(t, "/")
			if got.status == 302 {
				got = v.get(t, shape.entry)
			}
			if got.status != 200 || !bytes.Contains(got.body, []byte("the entry page")) {
				t.Errorf("entry: status %d, %q", got.status, got.body)
			}
			if got := v.get(t, "/js/main.js"); (got.status == 200) != shape.files {
				t.Errorf("file beside the entry: status %d", got.status)
			}
			if got := v.get(t, "/private.txt"); got.status != 404 {
				t.Errorf("a file of the folder around a single page: status %d", got.status)
			}
		})
	}
}
