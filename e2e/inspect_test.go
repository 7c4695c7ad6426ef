//go:build e2e

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// command runs a program to its end.
func command(t *testing.T, h home, name string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = h.env()
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			t.Fatal(err)
		}
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// finding is one problem as inspect reports it; a row of a table gives parts of each text.
type finding struct{ Level, File, Text, Fix string }

const lfsPointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"

// TestInspectNamesProblemsAndTheirFix: what would go wrong with a game is said before it is played, each with what to
// do, for people and for programs.
func TestInspectNamesProblemsAndTheirFix(t *testing.T) {
	unity, _ := unityBuild(t, ".br", brotlied)
	unity["Build/broken.wasm.gz"] = "not compressed"
	for _, row := range []struct {
		name  string
		files map[string]string
		want  []finding
	}{
		{"letter case", map[string]string{"index.html": `<script src="JS/main.js"></script>`, "js/main.js": "load('img/Hero.png')", "img/hero.png": "x"},
			[]finding{{"warning", "index.html", "js/main.js", "spell"}, {"warning", "js/main.js", "img/hero.png", "spell"}}},
		{"missing files", map[string]string{"index.html": `<script src="game.js"></script><img src="logo.png">`},
			[]finding{{"error", "index.html", "game.js", "add the file"}, {"warning", "index.html", "logo.png", "add the file"}}},
		{"a page that reaches above its folder", map[string]string{"index.html": `<script src="../phaser.min.js"></script>`},
			[]finding{{"error", "index.html", "phaser.min.js", "folder above"}}},
		{"scripts of other hosts", map[string]string{"index.html": `<script src="https://cdn.example.net/x.js"></script><script src="//code.example.org/y.js"></script>`},
			[]finding{{"warning", "index.html", "cdn.example.net", "network.webHosts"}, {"warning", "index.html", "code.example.org", "network.webHosts"}}},
		{"socket of a host that is not listed", map[string]string{"index.html": `<script src="net.js"></script>`, "net.js": `new WebSocket("wss://play.example.net/ws")`},
			[]finding{{"warning", "net.js", "play.example.net", "network.allowedHosts"}}},
		{"its own server", map[string]string{"index.html": `<script src="/socket.io/socket.io.js"></script>`},
			[]finding{{"error", "index.html", "socket.io", "network.proxy"}}},
		{"Git LFS pointers", map[string]string{"index.html": `<img src="img/title.png">`, "img/title.png": lfsPointer, "audio/theme.ogg": lfsPointer},
			[]finding{{"error", "audio/theme.ogg", "Git LFS", "git lfs pull"}, {"error", "img/title.png", "Git LFS", "git lfs pull"}}},
		{"a Unity build", unity,
			[]finding{{"note", "Build/", "3 compressed Unity files", ""}, {"warning", "Build/broken.wasm.gz", "not compressed", "build again"}}},
		{"threads without isolation", map[string]string{"index.html": `<script src="game.js"></script>`, "game.js": "new WebAssembly.Memory({initial:1,maximum:1,shared:true})",
			"conch.json": `{"format": 1, "web": {"isolation": "off"}}`},
			[]finding{{"error", "index.html", "SharedArrayBuffer", "isolation|auto"}}},
		{"threads", map[string]string{"index.html": `<script src="game.js"></script>`, "game.js": "new WebAssembly.Memory({initial:1,maximum:1,shared:true})"},
			[]finding{{"note", "index.html", "threads", ""}}},
		{"a host under which everybody lives", map[string]string{"index.html": "", "conch.json": `{"format": 1, "network": {"allowedHosts": ["*.github.io"]}}`},
			[]finding{{"warning", "conch.json", "github.io", ""}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			game, h := folderOf(t, row.files), newHome(t)
			var report struct{ Problems []finding }
			out, errs, code := command(t, h, hostBin, "inspect", "--json", game)
			if err := json.Unmarshal([]byte(out), &report); err != nil || code != 0 {
				t.Fatalf("exit code %d, %v: %s%s", code, err, out, errs)
			}
			text, _, _ := command(t, h, hostBin, "inspect", game)
			for _, want := range row.want {
				i := slices.IndexFunc(report.Problems, func(got finding) bool {
					return got.Level == want.Level && strings.HasPrefix(got.File, want.File) && strings.Contains(got.Text, want.Text) && hasAll(got.Fix, want.Fix)
				})
				if i < 0 {
					t.Errorf("no finding like %q in %s", want, out)
					continue
				}
				got := report.Problems[i]
				if got.Fix == "" {
					t.Errorf("%q comes without a fix", got)
				}
				if !strings.Contains(text, fmt.Sprintf("%-7s %s: %s\n        -> %s\n", got.Level, got.File, got.Text, got.Fix)) {
					t.Errorf("the text does not say %q:\n%s", got, text)
				}
			}
		})
	}
}

func hasAll(text, parts string) bool {
	for part := range strings.SplitSeq(parts, "|") {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}

// TestInspectShowsWhatAGameIs: the manifest with its defaults filled in, the hosts, the Origin, the port. The port is
// the one that the game then has.
func TestInspectShowsWhatAGameIs(t *testing.T) {
	game, h := folderOf(t, map[string]string{"main.js": "x", "conch.json": `{
  "format": 1, "id": "org.example.inspect", "name": "Inspected", // comments are allowed
  "network": {"allowedHosts": "Play.Example.net:443  # the server\n*.eu.example.net", "origin": "https://game.example.net"}
}`}), newHome(t)
	out, errs, code := command(t, h, hostBin, "inspect", "--json", game)
	var got struct {
		Kind, Entry, Title, Key, Origin string
		Files, Port                     int
		Bytes                           int64
		AllowedHosts                    []string
		Manifest                        struct {
			ID     string
			Window struct {
				Width, Height int
				Background    string
			}
			Web struct{ Isolation string }
		}
		Problems []finding
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v: %s%s", code, err, out, errs)
	}
	if got.Kind != "folder" || got.Entry != "index.html" || got.Title != "Inspected" || got.Files != 3 || got.Bytes == 0 ||
		got.Origin != "https://game.example.net" || got.Manifest.ID != "org.example.inspect" || got.Manifest.Window.Width != 1280 ||
		got.Manifest.Window.Height != 720 || got.Manifest.Window.Background != "#000000" || got.Manifest.Web.Isolation != "auto" ||
		!slices.Equal(got.AllowedHosts, []string{"play.example.net:443", "*.eu.example.net"}) || len(got.Problems) != 0 {
		t.Errorf("got %+v", got)
	}
	if s := serve(t, h, game); s.Port != got.Port {
		t.Errorf("the game is at port %d, inspect said %d", s.Port, got.Port)
	}
	text, _, _ := command(t, h, conchBin, "inspect", game)
	for _, want := range []string{"Inspected", "play.example.net:443, *.eu.example.net", "https://game.example.net", fmt.Sprint(got.Port), `"isolation": "auto"`, "no problems found"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestWrongGamesAreRefusedWithAWayOut: what is no game is named, with what is needed instead. Exit code 1, nothing on
// standard output.
func TestWrongGamesAreRefusedWithAWayOut(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"game.rar": "Rar!\x1a\x07\x01\x00", "renamed.zip": "Rar!\x1a\x07\x01\x00", "game.7z": "7z\xbc\xaf\x27\x1c", "game.exe": "MZ\x90\x00",
		"lfs.zip": lfsPointer, "empty.zip": "", "notes.txt": "hello", "half.zip": "PK\x03\x04 and no more",
		"many/a.html": "a", "many/b.html": "b", "none/readme.txt": "x",
		"manifest/index.html": "<p>", "manifest/conch.json": "{\n  \"format\": 1,\n  \"widnow\": {},\n  \"network\": {\"allowedHosts\": [\"https://x.net/a\"]}\n}",
	} {
		put(t, dir, name, []byte(text))
	}
	if err := os.WriteFile(filepath.Join(dir, "slip.zip"), evilZip(t), 0o644); err != nil {
		t.Fatal(err)
	}
	for game, want := range map[string]string{
		"game.rar":    "RAR archive|unpack it and open the folder",
		"renamed.zip": "RAR archive|unpack it and open the folder",
		"game.7z":     "7-Zip archive|unpack it",
		"game.exe":    "Windows program|web (HTML5) export",
		"lfs.zip":     "Git LFS pointer|git lfs pull",
		"empty.zip":   "is empty",
		"notes.txt":   "a folder, an .html, a .zip or a packed program",
		"half.zip":    "half.zip",
		"slip.zip":    "../../evil.txt",
		"absent":      "absent|no such file",
		"many":        `"a.html", "b.html"|--entry|"entry" in conch.json`,
		"none":        "no page to start|exported for the web",
		"manifest":    `conch.json:3:3: widnow: unknown setting; did you mean "window"?|conch.json:4:|"https://x.net/a"`,
	} {
		t.Run(game, func(t *testing.T) {
			for _, verb := range []string{"inspect", "serve"} {
				out, errs, code := command(t, newHome(t), hostBin, verb, filepath.Join(dir, game))
				if code != 1 || out != "" || !strings.HasPrefix(errs, "conch-host: ") || !hasAll(errs, want) {
					t.Errorf("%s: exit code %d, %q, %q; want 1, nothing and %q", verb, code, out, errs, want)
				}
			}
		})
	}
	if out, errs, code := command(t, newHome(t), hostBin, "inspect", "--entry", "b.html", filepath.Join(dir, "many")); code != 0 || !strings.Contains(out, "b.html") {
		t.Errorf("inspect --entry b.html: exit code %d, %s%s", code, out, errs)
	}
}

// TestWrongUseIsSaid: exit code 2 and one line with a hint.
func TestWrongUseIsSaid(t *testing.T) {
	game := folderOf(t, nil)
	for _, args := range [][]string{
		{"inspect"}, {"inspect", game, game}, {"serve", "--nope", game}, {"serve", "--port", "99999", game}, {"serve", "--port", "x", game}, {"fly", game},
	} {
		out, errs, code := command(t, newHome(t), hostBin, args...)
		if code != 2 || out != "" || !strings.Contains(errs, "--help") {
			t.Errorf("%q: exit code %d, %q, %q; want 2 and a hint", args, code, out, errs)
		}
	}
}

// TestDoctorAndVersion: both programs examine this computer, each thing that is missing comes with how to get it.
func TestDoctorAndVersion(t *testing.T) {
	h := newHome(t)
	serve(t, h, folderOf(t, map[string]string{"conch.json": `{"format": 1, "id": "org.example.doctor"}`}))
	for name, bin := range map[string]string{"conch": conchBin, "conch-host": hostBin} {
		out, errs, code := command(t, h, bin, "version")
		if code != 0 || !strings.HasPrefix(out, name+" ") || strings.Count(out, "\n") != 1 {
			t.Errorf("%s version: exit code %d, %q %q", name, code, out, errs)
		}
		out, errs, code = command(t, h, bin, "doctor", "--json")
		var found []struct {
			Name, Text, Fix string
			OK              bool
		}
		if err := json.Unmarshal([]byte(out), &found); err != nil || code != 0 {
			t.Fatalf("%s doctor --json: exit code %d, %v: %s%s", name, code, err, out, errs)
		}
		text, _, _ := command(t, h, bin, "doctor")
		names := map[string]bool{}
		for _, f := range found {
			if names[f.Name] = f.OK; f.Text == "" || !f.OK && f.Fix == "" {
				t.Errorf("%s: %+v says too little", name, f)
			}
			if !strings.Contains(text, f.Text) || !strings.Contains(text, f.Fix) {
				t.Errorf("%s doctor does not say %+v:\n%s", name, f, text)
			}
		}
		for _, want := range []string{"program", "web engine", "display", "sound", "data folder", "port"} {
			if !names[want] {
				t.Errorf("%s: no good word about the %s in %s", name, want, out)
			}
		}
		for _, want := range []string{"GPU", "keyring"} {
			if _, ok := names[want]; !ok {
				t.Errorf("%s: nothing about the %s in %s", name, want, out)
			}
		}
		if !strings.Contains(out, "in use by conch-host") || !strings.Contains(out, "conch-org-example-doctor-") {
			t.Errorf("%s: the running game's port is not named: %s", name, out)
		}
	}
}
