package bundle

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// Engine is the tool that a game was made with, as far as its files tell. Both fields may be "".
type Engine struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// String is the name and, when it is known, the version.
func (e Engine) String() string { return strings.TrimSpace(e.Name + " " + e.Version) }

// Engine guesses the engine from the entry page, the scripts it names and the files beside it. The guess is made
// once, from at most 4 MiB of the page and 1 MiB of each of 24 scripts.
func (b *Bundle) Engine() Engine {
	if b.engine == nil { // not made by Open
		return b.guessEngine()
	}
	return b.engine()
}

// clues is what the guess is made from.
type clues struct {
	b       *Bundle
	dir     string              // folder of the entry
	html    []byte              // start of the entry
	files   map[string]bool     // names beside the entry, folders with a slash at the end
	scripts []string            // local scripts of the page, in order
	texts   map[string][]byte   // their contents, read on demand
	listed  map[string][]string // folder beside the entry -> its names
}

const (
	clueHTML    = 4 << 20
	clueScript  = 1 << 20
	clueScripts = 24
)

func (b *Bundle) clues() *clues {
	c := &clues{b: b, dir: path.Dir(b.Entry), files: map[string]bool{}, texts: map[string][]byte{}, listed: map[string][]string{}}
	c.html, _ = readPrefix(b.FS, b.Entry, clueHTML)
	entries, _ := fs.ReadDir(b.FS, c.dir)
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() {
			name += "/"
		}
		c.files[name] = true
	}
	for _, r := range b.page.refs {
		if name, ok := resolve(b.Entry, b.page.base, r.url); ok && r.tag == "script" && len(c.scripts) < clueScripts {
			c.scripts = append(c.scripts, name)
		}
	}
	return c
}

// has reports whether the page contains one of the texts.
func (c *clues) has(texts ...string) bool {
	for _, t := range texts {
		if bytes.Contains(c.html, []byte(t)) {
			return true
		}
	}
	return false
}

// script names the first script of the page whose base name matches, "" when there is none.
func (c *clues) script(pattern *regexp.Regexp) string {
	for _, s := range c.scripts {
		if pattern.MatchString(strings.ToLower(path.Base(s))) {
			return s
		}
	}
	return ""
}

// text is the start of a file of the bundle; empty when there is none.
func (c *clues) text(name string) []byte {
	if t, ok := c.texts[name]; ok {
		return t
	}
	t, _ := c.b.readText(name, clueScript)
	c.texts[name] = t
	return t
}

// beside is the start of a file named relative to the entry.
func (c *clues) beside(name string) []byte { return c.text(path.Join(c.dir, name)) }

// list names the files of a folder beside the entry.
func (c *clues) list(dir string) []string {
	if l, ok := c.listed[dir]; ok {
		return l
	}
	entries, _ := fs.ReadDir(c.b.FS, path.Join(c.dir, dir))
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	c.listed[dir] = names
	return names
}

// anywhere reports whether the page or one of its scripts contains one of the texts.
func (c *clues) anywhere(texts ...string) bool {
	if c.has(texts...) {
		return true
	}
	for _, s := range c.scripts {
		for _, t := range texts {
			if bytes.Contains(c.text(s), []byte(t)) {
				return true
			}
		}
	}
	return false
}

// in searches the page and then its scripts and returns the pattern's first group.
func (c *clues) in(pattern *regexp.Regexp) (group string, ok bool) {
	texts := [][]byte{c.html}
	for _, s := range c.scripts {
		texts = append(texts, c.text(s))
	}
	return firstGroup(pattern, texts...)
}

func firstGroup(pattern *regexp.Regexp, texts ...[]byte) (group string, ok bool) {
	for _, t := range texts {
		m := pattern.FindSubmatch(t)
		if m == nil {
			continue
		}
		if len(m) > 1 {
			return string(m[1]), true
		}
		return "", true
	}
	return "", false
}

// detectors are asked in this order: engines that others build on come last. Each gives the version it found, or "".
var detectors = []struct {
	name   string
	detect func(*clues) (version string, ok bool)
}{
	{"Unity", detectUnity},
	{"Godot", detectGodot},
	{"Construct 3", func(c *clues) (string, bool) {
		v, _ := firstGroup(c3Version, c.html)
		return v, c.files["c3runtime.js"] || c.has("c3runtime.js", "c3main.js") || bytes.Contains(c.beside("scripts/main.js"), []byte("c3runtime")) || c.anyFile("scripts", "c3runtime.js")
	}},
	{"Construct 2", func(c *clues) (string, bool) {
		return "", c.files["c2runtime.js"] || c.has("c2runtime.js", "cr_createRuntime")
	}},
	{"GDevelop", detectGDevelop},
	{"GameMaker", func(c *clues) (string, bool) {
		return "", c.files["html5game/"] || c.has("GameMaker_Init", "html5game/")
	}},
	{"Defold", func(c *clues) (string, bool) {
		v, _ := firstGroup(defoldVersion, c.beside("dmloader.js"))
		return v, c.files["dmloader.js"] || c.has("dmloader.js", "DMLoader", "archive_files.json")
	}},
	{"RPG Maker MZ", rpgMaker("js/rmmz_core.js")},
	{"RPG Maker MV", rpgMaker("js/rpg_core.js")},
	{"PICO-8", func(c *clues) (string, bool) {
		return "", c.has("pico8_buttons", "pico-8", "PICO-8") && c.has("p8_", "pico8_")
	}},
	{"TIC-80", func(c *clues) (string, bool) {
		return "", c.files["tic80.wasm"] || c.files["tic80.js"] || c.has("tic80.js", "TIC-80 tiny computer")
	}},
	{"WASM-4", func(c *clues) (string, bool) { return firstGroup(wasm4Version, c.html) }},
	{"LÖVE", func(c *clues) (string, bool) {
		return "", c.files["love.js"] || c.files["love.wasm"] || c.has("love.js")
	}},
	{"PlayCanvas", func(c *clues) (string, bool) {
		v, ok := c.in(playCanvas)
		return v, ok || c.files["__settings__.js"] || c.files["playcanvas-stable.min.js"]
	}},
	{"Cocos", detectCocos},
	{"Twine", detectTwine},
	{"Bitsy", func(c *clues) (string, bool) {
		v, versioned := firstGroup(bitsyVersion, c.html)
		return v, versioned || c.has("exportedGameData", "bitsyGameData")
	}},
	{"ink", func(c *clues) (string, bool) { return "", c.anywhere("new inkjs.Story") || c.script(inkScript) != "" }},
	{"Ren'Py", func(c *clues) (string, bool) { return "", c.files["renpy.wasm"] || c.has("renpy.js", "renpy-pre.js") }},
	{"Scratch", func(c *clues) (string, bool) { return "", c.has("TurboWarp Packager", "packager.turbowarp.org") }},
	{"Phaser", func(c *clues) (string, bool) { return c.library(phaserVersion, phaserScript) }},
	{"melonJS", func(c *clues) (string, bool) { return c.library(melonVersion, melonScript) }},
	{"LittleJS", func(c *clues) (string, bool) { return c.library(littleVersion, littleScript) }},
	{"Babylon.js", func(c *clues) (string, bool) { return c.library(babylonVersion, babylonScript) }},
	{"three.js", func(c *clues) (string, bool) {
		v, ok := c.in(threeVersion)
		return v, ok && c.anywhere("WebGLRenderer", "THREE") || c.script(threeScript) != ""
	}},
	{"PixiJS", func(c *clues) (string, bool) { return c.library(pixiVersion, pixiScript) }},
	{"raylib", func(c *clues) (string, bool) { return "", c.anywhere("raylib") }},
	{"Go", func(c *clues) (string, bool) { return "", c.script(goScript) != "" || c.files["wasm_exec.js"] }},
	{"Emscripten", func(c *clues) (string, bool) {
		return "", c.anywhere("emscripten", "asmLibraryArg", "wasmImports", "var Module = typeof Module", "var Module=typeof Module")
	}},
}

var (
	unityVersion   = regexp.MustCompile(`\b((?:5|20\d\d|6000)\.\d{1,2}\.\d{1,3}[abfp]\d{1,3})\b`)
	c3Version      = regexp.MustCompile(`Construct 3 (r\d+(?:\.\d+)?)`)
	defoldVersion  = regexp.MustCompile(`engine_version["']?\s*[:=]\s*["'](\d+\.\d+\.\d+)`)
	gdVersion      = regexp.MustCompile(`gdVersion"?:\s*\{\s*"?build"?:\s*(\d+),\s*"?major"?:\s*(\d+),\s*"?minor"?:\s*(\d+)`)
	makerVersion   = regexp.MustCompile(`RPGMAKER_VERSION\s*=\s*["'](\d+\.\d+\.\d+)`)
	playCanvas     = regexp.MustCompile(`PlayCanvas Engine v(\d+\.\d+\.\d+)`)
	cocosVersion   = regexp.MustCompile(`"CocosEngine"\s*:\s*"(\d+\.\d+\.\d+)"|"engineVersion"\s*:\s*"(\d+\.\d+\.\d+)"`)
	twineFormat    = regexp.MustCompile(`<tw-storydata[^>]*?\bformat="([^"]*)"`)
	twineVersion   = regexp.MustCompile(`<tw-storydata[^>]*?\bformat-version="([^"]*)"`)
	wasm4Version   = regexp.MustCompile(`<meta name="generator" content="WASM-4 ([\d.]+)">|<wasm4-app>`)
	bitsyVersion   = regexp.MustCompile(`# BITSY VERSION (\d+\.\d+)`)
	inkScript      = regexp.MustCompile(`^ink(js)?(\.min|-full)?\.js$`)
	phaserVersion  = regexp.MustCompile(`Phaser(?:\.VERSION\s*[:=]\s*["']| CE v?| v|\s*-\s*v?)(\d+\.\d+\.\d+)`)
	phaserScript   = regexp.MustCompile(`^phaser([.-].*)?\.js$`)
	melonVersion   = regexp.MustCompile(`melonJS(?: Game Engine)?\s*(?:-\s*)?v(\d+\.\d+\.\d+)`)
	melonScript    = regexp.MustCompile(`^melonjs([.-].*)?\.js$`)
	littleVersion  = regexp.MustCompile(`(?s)LittleJS.{0,400}?engineVersion\s*=\s*['"](\d+\.\d+\.\d+)`)
	littleScript   = regexp.MustCompile(`^littlejs([.-].*)?\.js$`)
	babylonVersion = regexp.MustCompile(`Babylon\.js v(\d+\.\d+\.\d+)`)
	babylonScript  = regexp.MustCompile(`^babylon([.-].*)?\.js$`)
	threeVersion   = regexp.MustCompile(`REVISION\s*[=:]\s*["'](\d+(?:dev)?)["']`)
	threeScript    = regexp.MustCompile(`^three([.-].*)?\.js$`)
	pixiVersion    = regexp.MustCompile(`ixi\.js - v(\d+\.\d+\.\d+)`)
	pixiScript     = regexp.MustCompile(`^pixi([.-].*)?\.js$`)
	goScript       = regexp.MustCompile(`^wasm_exec(\.min)?\.js$`)
)

func (b *Bundle) guessEngine() Engine {
	c := b.clues()
	for _, d := range detectors {
		if version, ok := d.detect(c); ok {
			name := d.name
			if format, ok := strings.CutPrefix(version, "format:"); ok { // Twine names its story format
				format, version, _ = strings.Cut(format, " ")
				name = fmt.Sprintf("%s (%s)", name, format)
			}
			return Engine{Name: name, Version: version}
		}
	}
	return Engine{}
}

// library recognises a library by its banner with a version, or by the usual name of its file.
func (c *clues) library(version, script *regexp.Regexp) (string, bool) {
	v, ok := c.in(version)
	return v, ok || c.script(script) != ""
}

func (c *clues) anyFile(dir, name string) bool {
	for _, n := range c.list(dir) {
		if n == name {
			return true
		}
	}
	return false
}

// buildFolder is the folder of the Unity files, "" when there is none.
func (c *clues) buildFolder() string {
	for _, dir := range []string{"Build", "build", "Release", "."} {
		if c.b.unityFolder(path.Join(c.dir, dir)) {
			return dir
		}
	}
	return ""
}

func detectUnity(c *clues) (string, bool) {
	dir := c.buildFolder()
	if dir == "" {
		return "", c.has("createUnityInstance", "UnityLoader.instantiate")
	}
	for _, name := range c.list(dir) {
		if strings.Contains(name, ".data") {
			if v, ok := firstGroup(unityVersion, c.beside(path.Join(dir, name))); ok {
				return v, true
			}
		}
	}
	return "", true
}

// detectGodot reads the engine's version out of the pack's header (GDPC, format, major, minor, patch).
func detectGodot(c *clues) (string, bool) {
	if !c.has("GODOT_CONFIG", "Engine.isWebGLAvailable", "Engine.isWebGL2Available") && !(c.has("new Engine(") && c.has("godot", "Godot")) {
		return "", false
	}
	for _, name := range c.list(".") {
		if !strings.HasSuffix(name, ".pck") && !strings.HasSuffix(name, ".pck.gz") {
			continue
		}
		head, err := readPrefix(c.b.FS, path.Join(c.dir, name), 4096)
		if err != nil {
			continue
		}
		if z, err := gzip.NewReader(bytes.NewReader(head)); err == nil {
			plain := make([]byte, 64)
			n, _ := io.ReadFull(z, plain)
			head = plain[:n]
		}
		if len(head) >= 20 && bytes.HasPrefix(head, []byte("GDPC")) {
			n := func(at int) uint32 { return binary.LittleEndian.Uint32(head[at:]) }
			if n(8) < 100 && n(12) < 1000 && n(16) < 1000 {
				return fmt.Sprintf("%d.%d.%d", n(8), n(12), n(16)), true
			}
		}
	}
	return "", true
}

func detectGDevelop(c *clues) (string, bool) {
	if !c.has("gdjs", "GDevelop") && !c.files["gdjs.js"] && c.script(regexp.MustCompile(`^runtimegame\.js$`)) == "" {
		return "", false
	}
	m := gdVersion.FindSubmatch(c.beside("data.js"))
	if m == nil {
		return "", true
	}
	return fmt.Sprintf("%s.%s.%s", m[2], m[3], m[1]), true
}

func rpgMaker(core string) func(*clues) (string, bool) {
	return func(c *clues) (string, bool) {
		v, _ := firstGroup(makerVersion, c.beside(core))
		return v, c.b.has(path.Join(c.dir, core))
	}
}

func detectCocos(c *clues) (string, bool) {
	if !c.files["cocos-js/"] && !c.has("cocos-js", "cocos2d-js") && c.script(regexp.MustCompile(`^cocos2d-`)) == "" {
		return "", false
	}
	for _, name := range c.list("src") {
		if !strings.HasPrefix(name, "settings") {
			continue
		}
		if m := cocosVersion.FindSubmatch(c.beside("src/" + name)); m != nil {
			return string(m[1]) + string(m[2]), true
		}
	}
	return "", true
}

func detectTwine(c *clues) (string, bool) {
	format, ok := firstGroup(twineFormat, c.html)
	if !ok {
		return "", c.has("<tw-storydata")
	}
	if format == "" {
		return "", true
	}
	version, _ := firstGroup(twineVersion, c.html)
	return "format:" + strings.ReplaceAll(format, " ", "-") + " " + version, true
}
