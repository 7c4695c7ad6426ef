package bundle

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// findings lists the problems as "level file: text".
func findings(r Report) []string {
	var list []string
	for _, p := range r.Problems {
		list = append(list, fmt.Sprintf("%s %s: %s", p.Level, p.File, p.Text))
	}
	return list
}

func TestInspect(t *testing.T) {
	lfs := lfsMagic + "\noid sha256:0123456789abcdef\nsize 12345\n"
	tests := []struct {
		name  string
		files files
		want  []string // parts, one for each problem, in order
		fix   string   // part of the first problem's fix
	}{
		{"nothing to say", files{"index.html": `<script src="a.js?v=1#x"></script><img src="img/b%20c.png"><a href="absent.html">x</a>`, "a.js": "", "img/b c.png": ""}, nil, ""},
		{"missing script and picture", files{"index.html": `<script src="a.js"></script><img src="b.png"><link rel=icon href=f.ico>`},
			[]string{`error index.html: names "a.js", which is not in the game`, `warning index.html: names "b.png"`, `note index.html: names "f.ico"`}, "add the file"},
		{"script above the game (A, corpus 1.17)", files{"index.html": `<script src="../phaser.min.js"></script>`}, []string{`error index.html: names "phaser.min.js"`}, "open the folder above"},
		{"script from the top of the site", files{"index.html": `<script src="/assets/a.js"></script>`}, []string{`names "assets/a.js"`}, "top of the site"},
		{"socket.io of the game's own server", files{"index.html": `<script src="/socket.io/socket.io.js"></script>`}, []string{`names "socket.io/socket.io.js"`}, "network.proxy"},
		{"socket.io through the proxy", files{"index.html": `<script src="/socket.io/socket.io.js"></script>`, "conch.json": `{"format":1,"network":{"allowedHosts":["a.net"],"proxy":{"/socket.io/":"https://a.net"}}}`}, nil, ""},
		{"base", files{"index.html": `<base href="app/"><script src="a.js"></script>`, "app/a.js": ""}, nil, ""},
		{"letter case in a page (B14)", files{"index.html": `<img src="img/Hero.PNG">`, "img/hero.png": ""}, []string{`warning index.html: names "img/Hero.PNG", but the file is "img/hero.png"`}, "spell both the same"},
		{"exact case wins (A15)", files{"index.html": `<img src="A.png">`, "A.png": "", "a.png": ""}, nil, ""},
		{"composed accents (B15)", files{"index.html": `<img src="caf&eacute;.png">`, "cafe\u0301.png": ""}, []string{`names "café.png"`}, "spell"},
		{"letter case in a style sheet", files{"index.html": `<link rel=stylesheet href=css/a.css>`, "css/a.css": `@import "B.css"; p { background: url( '../img/X.png' ) } i { background: url(data:image/png;base64,aa) }`, "css/b.css": "", "img/x.png": ""},
			[]string{`warning css/a.css: names "css/B.css"`, `warning css/a.css: names "img/X.png"`}, "spell"},
		{"letter case in a script and in data", files{"index.html": `<script src=js/a.js></script>`, "js/a.js": `load("img/Hero.png"); load('absent.png'); load("img/" + name + ".png")`, "data/d.json": `{"a":"img/HERO.png"}`, "img/hero.png": ""},
			[]string{`warning data/d.json: names "img/HERO.png"`, `warning js/a.js: names "img/Hero.png"`}, "spell"},
		{"RPG Maker names without extension (corpus 1.4)", files{"index.html": `<script src="js/main.js"></script>`, "js/main.js": "", "js/rmmz_core.js": "", "js/rmmz_windows.js": `ImageManager.loadSystem("IconSet"); x("window")`, "img/system/Iconset.png": "", "img/system/Window.png": "",
			"data/System.json": `{"title1Name":"castle","bgm":{"name":"theme1","pan":0},"name":"window"}`, "img/titles1/Castle.png": "", "audio/bgm/Theme1.ogg": "", "data/Tilesets.json": `[{"tilesetNames":["World_a1",""]}]`, "img/tilesets/World_A1.png": ""},
			[]string{`data/System.json: names "castle", but the file is "Castle"`, `data/System.json: names "theme1", but the file is "Theme1"`, `data/Tilesets.json: names "World_a1"`, `js/rmmz_windows.js: names "IconSet", but the file is "Iconset"`}, "spell"},
		{"Git LFS pointers", files{"index.html": `<img src=a.png>`, "a.png": lfs, "b.ogg": lfs, "js/a.js": lfs}, []string{"error a.png: is a Git LFS pointer", "error b.ogg: is", "error js/a.js: is"}, "git lfs pull"},
		{"third-party script (corpus 1.7, 1.8)", files{"index.html": `<script src="//code.jquery.com/jquery.js"></script><link rel=stylesheet href="https://fonts.googleapis.com/css?x">`},
			[]string{"warning index.html: loads from code.jquery.com, which is not reached", "warning index.html: loads from fonts.googleapis.com"}, `"code.jquery.com" in network.webHosts`},
		{"third-party script that is listed", files{"index.html": `<script src="https://cdn.example.org/a.js"></script>`, "conch.json": `{"format":1,"network":{"webHosts":["*.example.org"]}}`}, nil, ""},
		{"socket address", files{"index.html": plainPage, "a.js": `new WebSocket("wss://Play.example.io:8081/ws")`}, []string{"warning a.js: has the socket address of play.example.io:8081"}, `"play.example.io:8081" in network.allowedHosts`},
		{"socket address that is listed", files{"index.html": plainPage, "a.js": `new WebSocket("wss://play.example.io:8081/ws")`, "conch.json": `{"format":1,"network":{"allowedHosts":["*.example.io"]}}`}, nil, ""},
		{"addresses in text", files{"index.html": plainPage, "a.js": `// see https://github.com/x and http://www.w3.org/2000/svg
			fetch("https://config.uca.cloud.unity3d.com/")`}, []string{"note : addresses of other hosts are written in the files: config.uca.cloud.unity3d.com"}, "webHosts"},
		{"public wildcard", files{"index.html": plainPage, "conch.json": `{"format":1,"network":{"allowedHosts":["*.github.io"]}}`}, []string{`warning conch.json: network.allowedHosts: line 1: "*.github.io"`}, "your own"},
		{"threads", files{"index.html": `<script>const GODOT_THREADS_ENABLED = true;</script>`}, []string{"note index.html: the game uses threads"}, "none"},
		{"threads switched off", files{"index.html": `<script>const GODOT_THREADS_ENABLED = true;</script>`, "conch.json": `{"format":1,"web":{"isolation":"off"}}`}, []string{"error index.html: the game uses threads"}, `"isolation": "auto"`},
		{"threads and foreign files", files{"index.html": `<script>const GODOT_THREADS_ENABLED = true;</script><img src="https://cdn.example.org/a.png">`, "conch.json": `{"format":1,"network":{"webHosts":["cdn.example.org"]}}`}, []string{"warning index.html: pages are cross-origin isolated"}, "into the game"},
		{"Unity file that is not compressed", files{"index.html": plainPage, "Build/g.loader.js": unityLoader, "Build/g.data.gz": "UnityWebData1.0", "Build/g.wasm.gz": "\x00asm"},
			[]string{"warning Build/g.data.gz: is part of a Unity build but not compressed", "warning Build/g.wasm.gz"}, "without .gz"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			eachKind(t, tt.files, func(t *testing.T, b *Bundle) {
				r := b.Inspect()
				got := findings(r)
				if len(got) != len(tt.want) {
					t.Fatalf("%d problems, want %d:\n%s", len(got), len(tt.want), strings.Join(got, "\n"))
				}
				for i, part := range tt.want {
					if !strings.Contains(got[i], part) {
						t.Errorf("problem %d is %q, want %q in it", i, got[i], part)
					}
				}
				if len(r.Problems) > 0 && !strings.Contains(r.Problems[0].Fix, tt.fix) {
					t.Errorf("fix %q, want %q in it", r.Problems[0].Fix, tt.fix)
				}
				for _, p := range r.Problems {
					if p.Fix == "" || !slices.Contains([]string{Error, Warning, Note}, p.Level) {
						t.Errorf("problem without a fix or level: %+v", p)
					}
				}
			})
		})
	}
}

func TestInspectPageAlone(t *testing.T) {
	dir := folder(t, files{"game.html": `<script src="game.js"></script>`, "game.js": ""})
	r := open(t, filepath.Join(dir, "game.html"), Options{}).Inspect()
	if len(r.Problems) != 1 || r.Problems[0].Level != Error || !strings.Contains(r.Problems[0].Fix, "open the folder") {
		t.Errorf("problems %+v", r.Problems)
	}
}

func TestInspectEntryGone(t *testing.T) {
	dir := folder(t, files{"index.html": plainPage, "a.js": ""})
	b := open(t, dir, Options{})
	if err := os.Remove(filepath.Join(dir, "index.html")); err != nil {
		t.Fatal(err)
	}
	r := b.Inspect()
	if len(r.Problems) != 1 || r.Problems[0].Level != Error || !strings.Contains(r.Problems[0].Text, "page to start is not there") {
		t.Errorf("problems %+v", r.Problems)
	}
}

func TestInspectReport(t *testing.T) {
	f := files{"index.html": plainPage, "sub/a.js": "12345", "favicon.png": pngOf(t, 16), "conch.json": `{"format":1,"network":{"allowedHosts":["Play.example.net"]}}`}
	var total int64
	for _, text := range f {
		total += int64(len(text))
	}
	eachKind(t, f, func(t *testing.T, b *Bundle) {
		r := b.Inspect()
		if r.Files != 4 || r.Bytes != total || r.Entry != "index.html" || r.Title != "A game" || r.Icon != "favicon.png" || !r.HasManifest || r.Kind != string(b.Kind) || r.Path != b.Path {
			t.Errorf("report %+v", r)
		}
		if !slices.Equal(r.AllowedHosts, []string{"play.example.net"}) {
			t.Errorf("allowed hosts %q", r.AllowedHosts)
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "null") {
			t.Errorf("null in %s", text)
		}
	})
}

// One kind of finding does not drown the others, and the number left out is said.
func TestInspectIsBounded(t *testing.T) {
	var page strings.Builder
	for i := range inspectSame + 7 {
		fmt.Fprintf(&page, "<img src=%d.png>", i)
	}
	page.WriteString(`<script src="a.js"></script>`)
	r := open(t, folder(t, files{"index.html": page.String()}), Options{}).Inspect()
	if n := len(r.Problems); n != inspectSame+1 {
		t.Errorf("%d problems, want %d", n, inspectSame+1)
	}
	last := r.Problems[len(r.Problems)-1]
	if !strings.Contains(last.Text, "8 more findings") {
		t.Errorf("last problem %+v", last)
	}
}

func BenchmarkInspect(b *testing.B) {
	f := files{"index.html": `<script src="0.js"></script>`}
	line := `var a = "img/hero.png", b = 'https://play.example.org/x'; // some code that is a little longer than that` + "\n"
	for i := range 40 {
		f[fmt.Sprintf("%d.js", i)] = strings.Repeat(line, 10_000)
	}
	g := open(b, folder(b, f), Options{})
	b.SetBytes(int64(40 * 10_000 * len(line)))
	for b.Loop() {
		g.Inspect()
	}
}
