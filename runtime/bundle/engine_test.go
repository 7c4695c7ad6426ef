package bundle

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"io"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
)

func containsText(data []byte, s string) bool { return bytes.Contains(data, []byte(s)) }

func gz(t testing.TB, s string) string {
	t.Helper()
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	if _, err := io.WriteString(w, s); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func br(t testing.TB, s string) string {
	t.Helper()
	var buf bytes.Buffer
	w := brotli.NewWriter(&buf)
	if _, err := io.WriteString(w, s); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

const unityLoader = `function createUnityInstance(e,t,r){function n(e){}}`

func unity2020(t testing.TB, ext string, pack func(testing.TB, string) string) files {
	return files{
		"index.html":                     `<script>var buildUrl = "Build"; createUnityInstance(canvas, {})</script>`,
		"Build/web.loader.js":            unityLoader,
		"Build/web.data" + ext:           pack(t, "UnityWebData1.0\x00\x00"+"globalgamemanagers 2020.3.22f1\n"+strings.Repeat("d", 4000)),
		"Build/web.wasm" + ext:           pack(t, "\x00asm\x01\x00\x00\x00"+strings.Repeat("w", 4000)),
		"Build/web.framework.js" + ext:   pack(t, "var unityFramework = (function(){})()"),
		"StreamingAssets/level.json.gz":  gz(t, `{"a":1}`),
		"StreamingAssets/other.data.gz":  gz(t, "x"),
		"TemplateData/style.css":         "",
		"Build/readme.txt" + ext:         pack(t, "x"),
		"TemplateData/web.framework.txt": "",
	}
}

// Case B9 and corpus 1.1, 1.2: Unity's compressed files are encoded, nobody else's.
func TestEncodingUnity(t *testing.T) {
	tests := []struct {
		ext, coding string
		pack        func(testing.TB, string) string
	}{{".br", "br", br}, {".gz", "gzip", gz}, {".unityweb", "gzip", gz}, {".unityweb", "br", br}}
	for _, tt := range tests {
		t.Run(tt.ext+" "+tt.coding, func(t *testing.T) {
			eachKind(t, unity2020(t, tt.ext, tt.pack), func(t *testing.T, b *Bundle) {
				for _, inner := range []string{"Build/web.data", "Build/web.wasm", "Build/web.framework.js"} {
					if got, coding := b.Encoding(inner + tt.ext); got != inner || coding != tt.coding {
						t.Errorf("%s: %q, %q; want %q, %q", inner+tt.ext, got, coding, inner, tt.coding)
					}
				}
				for _, name := range []string{"Build/web.loader.js", "index.html", "StreamingAssets/level.json.gz", "StreamingAssets/other.data.gz", "Build/readme.txt" + tt.ext, "Build/absent.data.gz", "Build/../Build/web.data" + tt.ext} {
					if inner, coding := b.Encoding(name); inner != "" || coding != "" {
						t.Errorf("%s: %q, %q; want nothing", name, inner, coding)
					}
				}
				if got := b.Engine(); got != (Engine{"Unity", "2020.3.22f1"}) {
					t.Errorf("engine %+v", got)
				}
				r := b.Inspect()
				if len(r.Encoded) != 3 || r.Engine != "Unity 2020.3.22f1" {
					t.Errorf("report: encoded %q, engine %q", r.Encoded, r.Engine)
				}
			})
		})
	}
}

func TestEncodingOldUnity(t *testing.T) {
	b := open(t, folder(t, files{
		"index.html":                             `<script src="Build/UnityLoader.js"></script><script>UnityLoader.instantiate("c", "Build/web.json")</script>`,
		"Build/UnityLoader.js":                   "var UnityLoader",
		"Build/web.json":                         "{}",
		"Build/web.data.unityweb":                gz(t, "UnityWebData1.0 2018.3.0a6 "),
		"Build/web.wasm.code.unityweb":           gz(t, "\x00asm"),
		"Build/web.wasm.framework.unityweb":      gz(t, "function(){}"),
		"Build/web.plain.wasm.unityweb":          "\x00asm plain",
		"Build/web.asm.memory.unityweb":          gz(t, "m"),
		"Build/notgzip.data.gz":                  "not gzip at all, but named so",
		"Build/text that is no brotli.data.br":   strings.Repeat("plain text ", 50),
		"Build/data that is unity plain.data.br": "UnityWebData1.0",
	}), Options{})
	tests := map[string][2]string{
		"Build/web.data.unityweb":                {"Build/web.data", "gzip"},
		"Build/web.wasm.code.unityweb":           {"Build/web.wasm", "gzip"},
		"Build/web.wasm.framework.unityweb":      {"Build/web.js", "gzip"},
		"Build/web.asm.memory.unityweb":          {"Build/web.data", "gzip"},
		"Build/web.plain.wasm.unityweb":          {},
		"Build/notgzip.data.gz":                  {}, // case B10
		"Build/text that is no brotli.data.br":   {},
		"Build/data that is unity plain.data.br": {},
	}
	for name, want := range tests {
		inner, coding := b.Encoding(name)
		if [2]string{inner, coding} != want {
			t.Errorf("%s: %q, %q; want %q", name, inner, coding, want)
		}
	}
	if got := b.Engine(); got != (Engine{"Unity", "2018.3.0a6"}) {
		t.Errorf("engine %+v", got)
	}
}

func pck(major, minor, patch uint32) string {
	head := []byte("GDPC")
	for _, n := range []uint32{2, major, minor, patch} {
		head = binary.LittleEndian.AppendUint32(head, n)
	}
	return string(head) + strings.Repeat("\x00", 200)
}

// Corpus 1.1: a Godot game inflates its .gz in the page, so it must arrive as it is.
func TestEncodingLeavesGodotAlone(t *testing.T) {
	b := open(t, folder(t, files{
		"index.html": `<script src="index.js"></script><script src="pako.min.js"></script><script>const GODOT_CONFIG = {}; var engine = new Engine(GODOT_CONFIG)</script>`,
		"index.js":   "var Engine", "pako.min.js": "",
		"index.wasm.gz": gz(t, "\x00asm"), "index.pck.gz": gz(t, pck(3, 2, 3)),
	}), Options{})
	for _, name := range []string{"index.wasm.gz", "index.pck.gz"} {
		if inner, coding := b.Encoding(name); coding != "" {
			t.Errorf("%s: %q, %q", name, inner, coding)
		}
	}
	if got := b.Engine(); got != (Engine{"Godot", "3.2.3"}) {
		t.Errorf("engine %+v", got)
	}
}

func TestEngine(t *testing.T) {
	tests := []struct {
		want  Engine
		files files
	}{
		{Engine{"Godot", "4.6.0"}, files{"index.html": `<script>const GODOT_CONFIG = {"executable":"index"};</script>`, "index.pck": pck(4, 6, 0)}},
		{Engine{"Construct 3", ""}, files{"index.html": `<script src="scripts/c3runtime.js"></script>`}},
		{Engine{"Construct 3", ""}, files{"index.html": `<script type="module" src="scripts/main.js"></script>`, "scripts/main.js": "import './x.js'", "scripts/c3runtime.js": ""}},
		{Engine{"Construct 2", ""}, files{"index.html": `<script src="c2runtime.js"></script>`, "c2runtime.js": ""}},
		{Engine{"GDevelop", "4.0.99"}, files{"index.html": `<script>var game = new gdjs.RuntimeGame(gdjs.projectData)</script>`, "data.js": `gdjs.projectData = {"firstLayout":"","gdVersion":{"build":99,"major":4,"minor":0,"revision":0}}`}},
		{Engine{"GameMaker", ""}, files{"index.html": `<script src="html5game/game.js?x=1"></script>`, "html5game/game.js": ""}},
		{Engine{"Defold", ""}, files{"index.html": `<script src="dmloader.js"></script>`, "dmloader.js": "var EngineLoader"}},
		{Engine{"RPG Maker MV", "1.6.1"}, files{"index.html": `<script src="js/rpg_core.js"></script>`, "js/rpg_core.js": `Utils.RPGMAKER_VERSION = "1.6.1";`}},
		{Engine{"RPG Maker MZ", "1.7.0"}, files{"index.html": `<script src="js/main.js"></script>`, "js/rmmz_core.js": `Utils.RPGMAKER_VERSION = "1.7.0";`}},
		{Engine{"PICO-8", ""}, files{"index.html": `<title>PICO-8 Cartridge</title><script>var pico8_buttons = []; p8_autoplay = true</script>`}},
		{Engine{"TIC-80", ""}, files{"index.html": `<script src="tic80.js"></script>`, "tic80.wasm": ""}},
		{Engine{"WASM-4", "2.7.1"}, files{"index.html": `<meta name="generator" content="WASM-4 2.7.1"><wasm4-app></wasm4-app>`}},
		{Engine{"WASM-4", ""}, files{"index.html": `<script src="wasm4.js"></script><wasm4-app></wasm4-app>`}},
		{Engine{"LÖVE", ""}, files{"index.html": `<script src="game.js"></script><script src="love.js"></script>`, "love.js": "", "love.wasm": ""}},
		{Engine{"PlayCanvas", "1.36.1"}, files{"index.html": `<script src="playcanvas-stable.min.js"></script>`, "playcanvas-stable.min.js": "/* PlayCanvas Engine v1.36.1 */"}},
		{Engine{"Cocos", "3.5.2"}, files{"index.html": `<script src="src/system.bundle.js"></script>`, "cocos-js/cc.js": "", "src/settings.1a2b.json": `{"CocosEngine":"3.5.2"}`}},
		{Engine{"Twine (SugarCube)", "2.37.0"}, files{"index.html": `<tw-storydata name="Chapel" creator="Twine" format="SugarCube" format-version="2.37.0"></tw-storydata>`}},
		{Engine{"Bitsy", "8.10"}, files{"index.html": "<script type=\"text/bitsyGameData\" id=\"exportedGameData\">\n# BITSY VERSION 8.10\n</script>"}},
		{Engine{"ink", ""}, files{"index.html": `<script src="ink.js"></script><script src="story.js"></script>`, "ink.js": ""}},
		{Engine{"Phaser", "3.8.0"}, files{"index.html": `<script src="lib/phaser.min.js"></script>`, "lib/phaser.min.js": `Phaser v3.8.0`}},
		{Engine{"Phaser", "2.8.0"}, files{"index.html": `<script src="p.js"></script>`, "p.js": "/* Phaser CE v2.8.0 */"}},
		{Engine{"melonJS", "2.0.0"}, files{"index.html": `<script src="m.js"></script>`, "m.js": "/* melonJS Game Engine v2.0.0 */"}},
		{Engine{"three.js", "92"}, files{"index.html": `<script src="build/bundle.js"></script>`, "build/bundle.js": `var REVISION = '92'; function WebGLRenderer() {}`}},
		{Engine{"three.js", ""}, files{"index.html": `<script src="three.min.js"></script>`}},
		{Engine{"raylib", ""}, files{"index.html": `<script src="game.js"></script>`, "game.js": `console.log("raylib")`}},
		{Engine{"Go", ""}, files{"index.html": `<script src="wasm_exec.js"></script>`}},
		{Engine{"Emscripten", ""}, files{"index.html": `<script src="a.js"></script>`, "a.js": "var Module = typeof Module !== 'undefined' ? Module : {};"}},
		{Engine{}, files{"index.html": "<canvas id=c></canvas><script>let x = 1</script>"}},
	}
	for _, tt := range tests {
		t.Run(tt.want.String(), func(t *testing.T) {
			b := open(t, folder(t, tt.files), Options{})
			if got := b.Engine(); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

// Corpus 1.5: isolation goes on by itself for threads only.
func TestIsolated(t *testing.T) {
	memory := `new WebAssembly.Memory({"initial":256,"maximum":256,"shared":true})`
	tests := []struct {
		name  string
		files files
		want  bool
	}{
		{"plain page", files{"index.html": plainPage}, false},
		{"LÖVE with threads", files{"index.html": `<script src="love.js"></script>`, "love.js": memory, "love.worker.js": "e.data.wasmMemory"}, true},
		{"LÖVE without threads", files{"index.html": `<script src="love.js"></script>`, "love.js": `new WebAssembly.Memory({"initial":256})`}, false},
		{"minified", files{"index.html": `<script src="a.js"></script>`, "a.js": "new WebAssembly.Memory({initial:256,maximum:512,shared:!0})"}, true},
		{"worker script of Emscripten", files{"index.html": `<script src="a.js"></script>`, "a.js": "", "a.worker.js": `Module["wasmMemory"]=e.data.wasmMemory`}, true},
		{"worker script of the game", files{"index.html": `<script src="a.js"></script>`, "a.js": "", "ai.worker.js": `onmessage = think`}, false},
		{"Emscripten without a worker script", files{"index.html": `<script src="a.js"></script>`, "a.js": `new Worker(u,{name:"em-pthread"})`}, true},
		{"Godot with threads", files{"index.html": `<script>const GODOT_THREADS_ENABLED = true;</script>`}, true},
		{"Godot without threads that could be isolated", files{"index.html": `<script>const GODOT_CONFIG = {"ensureCrossOriginIsolationHeaders":true}; const GODOT_THREADS_ENABLED = false;</script>`}, false},
		{"a script that asks whether there is shared memory", files{"index.html": `<script src="a.js"></script>`, "a.js": `if (typeof SharedArrayBuffer !== "undefined") {}; f({shared: true})`}, false},
		{"coi-serviceworker", files{"index.html": `<script src="coi-serviceworker.js"></script>`, "coi-serviceworker.js": ""}, true},
		{"Unity with threads, compressed", files{"index.html": `<script>createUnityInstance()</script>`, "Build/g.loader.js": unityLoader, "Build/g.framework.js.br": br(t, memory)}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := open(t, folder(t, tt.files), Options{})
			if got := b.Isolated(); got != tt.want {
				t.Errorf("Isolated() = %v, want %v", got, tt.want)
			}
			for setting, want := range map[string]bool{"on": true, "off": false} {
				b := open(t, folder(t, tt.files.with("conch.json", `{"format":1,"web":{"isolation":"`+setting+`"}}`)), Options{})
				if got := b.Isolated(); got != want {
					t.Errorf("isolation %s: %v", setting, got)
				}
			}
		})
	}
}

func icoOf(pictures ...string) string {
	out := []byte{0, 0, 1, 0, byte(len(pictures)), 0}
	offset := 6 + 16*len(pictures)
	for _, p := range pictures {
		out = append(out, 0, 0, 0, 0, 1, 0, 32, 0)
		out = binary.LittleEndian.AppendUint32(out, uint32(len(p)))
		out = binary.LittleEndian.AppendUint32(out, uint32(offset))
		offset += len(p)
	}
	return string(out) + strings.Join(pictures, "")
}

func TestIcon(t *testing.T) {
	small, large, huge := pngOf(t, 16), pngOf(t, 64), pngOf(t, maxIconSide+1)
	tests := []struct {
		name, data, file string
		files            files
	}{
		{"none", "", "", files{"index.html": plainPage}},
		{"manifest", small, "i/a.png", files{"index.html": `<link rel=icon href=b.png>`, "conch.json": `{"format":1,"icon":"i/a.png"}`, "i/a.png": small, "b.png": large}},
		{"manifest icon that is no PNG", large, "b.png", files{"index.html": `<link rel=icon href=b.png>`, "conch.json": `{"format":1,"icon":"a.png"}`, "a.png": "jpeg", "b.png": large}},
		{"link with query", large, "img/my icon.png", files{"index.html": `<link rel="shortcut icon" href="img/my%20icon.png?v=2">`, "img/my icon.png": large}},
		{"the widest of several links", large, "b.png", files{"index.html": `<link rel=apple-touch-icon href=a.png><link rel=icon href=b.png><link rel=icon href=c.svg>`, "a.png": small, "b.png": large, "c.svg": "<svg/>"}},
		{"link beside a deep entry", large, "app/i.png", files{"conch.json": `{"format":1,"entry":"app/index.html"}`, "app/index.html": `<link rel=icon href=i.png>`, "app/i.png": large}},
		{"data address", small, "", files{"index.html": `<link rel=icon href="data:image/png;base64,` + base64.StdEncoding.EncodeToString([]byte(small)) + `">`}},
		{"favicon.png", small, "favicon.png", files{"index.html": plainPage, "favicon.png": small}},
		{"favicon.ico with PNGs", large, "favicon.ico", files{"index.html": plainPage, "favicon.ico": icoOf("bmp data", small, large)}},
		{"favicon.ico without", "", "", files{"index.html": plainPage, "favicon.ico": icoOf("bmp data")}},
		{"cut favicon.ico", "", "", files{"index.html": plainPage, "favicon.ico": icoOf(large)[:60]}},
		{"foreign link", "", "", files{"index.html": `<link rel=icon href="https://cdn.example.net/i.png">`}},
		{"too large", "", "", files{"index.html": plainPage, "favicon.png": huge}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := open(t, folder(t, tt.files), Options{})
			data, file := b.Icon()
			if string(data) != tt.data || file != tt.file {
				t.Errorf("%d bytes of %q, want %d of %q", len(data), file, len(tt.data), tt.file)
			}
		})
	}
}
