package pack

import (
	"bytes"
	"image"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"conch/runtime/bundle"
)

func TestFileName(t *testing.T) {
	for in, want := range map[string]string{
		"Skiff": "Skiff", "a/b\\c:d": "a-b-c-d", "": "Game", "...": "Game", "-rf": "rf", ".hidden": "hidden", "CON": "CON-game", "con.fig": "con.fig-game",
		"lpt1": "lpt1-game", "console": "console", "김종환 🎮": "김종환 🎮", "a. ": "a", "x\u202egpj": "xgpj", "tab\there": "tabhere", strings.Repeat("é", 60): strings.Repeat("é", 40),
	} {
		if got := fileName(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestProgramID(t *testing.T) {
	for _, row := range []struct{ id, name, want string }{
		{"com.example.a", "A", "com.example.a"}, {"", "My Game", "game.conch.my-game-"}, {"plain", "김", "game.conch.game-"},
	} {
		g := &game{bundle: &bundle.Bundle{Manifest: bundle.Manifest{ID: row.id, Name: row.name}}}
		g.names()
		if !strings.HasPrefix(g.id, row.want) {
			t.Errorf("%+v: %q", row, g.id)
		}
	}
}

func TestDesktopFile(t *testing.T) {
	g := &game{id: "com.example.a", name: `A "quoted" \ $name %f`, file: "A `$x` %f", icon: &icon{}, app: bundle.App{Description: "One\\two", Categories: []string{"ActionGame"}}}
	text := string(g.desktopBeside())
	for _, want := range []string{`Name=A "quoted" \\ $name %f` + "\n", `Comment=One\\two` + "\n", "Categories=Game;ActionGame;\n", "Icon=com.example.a\n",
		"\"A \\\\`\\\\$x\\\\` %%f\" %k\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestMetainfo(t *testing.T) {
	g := &game{id: "com.example.a", name: "A & B", app: bundle.App{Company: "Ex <x>", Description: "Sail & ram the others in the bay."}}
	file := filepath.Join(t.TempDir(), "com.example.a.metainfo.xml")
	if err := os.WriteFile(file, g.metainfo(), 0o644); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command("appstreamcli", "validate", "--no-net", file).CombinedOutput(); err != nil {
		t.Errorf("appstreamcli: %v\n%s\n%s", err, text, g.metainfo())
	}
}

func TestIcon(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return p
	}
	wide := file("wide.png", picture(300, 100))
	svg := file("a.svg", `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10"><circle cx="10" cy="5" r="5" fill="blue"/></svg>`)
	for _, name := range []string{wide, svg} {
		i, err := readIcon(name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := i.png(48)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil || img.Bounds() != image.Rect(0, 0, 48, 48) {
			t.Fatalf("%s: %v %v", name, img.Bounds(), err)
		}
		if _, _, _, alpha := img.At(24, 2).RGBA(); alpha != 0 {
			t.Errorf("%s: the edge is not transparent", name)
		}
		if _, _, _, alpha := img.At(24, 24).RGBA(); alpha != 0xffff {
			t.Errorf("%s: the middle is transparent", name)
		}
	}
	for name, text := range map[string]string{
		"text.svg": `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><text x="1" y="1">hi</text></svg>`, "broken.svg": "<svg", "nobox.svg": `<svg xmlns="http://www.w3.org/2000/svg"/>`,
		"broken.png": "\x89PNG", "icon.ico": "x",
	} {
		if _, err := readIcon(file(name, text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestUnpack(t *testing.T) {
	game := folder(t, skiff())
	signed, err := bundle.Sign(t.Context(), game, authorKey(), bundle.SignOptions{})
	if err != nil {
		t.Fatal(err)
	}
	packed := saved(t, bundleOf(t, game))
	out := filepath.Join(t.TempDir(), "a", "b")
	done, err := Unpack(t.Context(), UnpackOptions{Game: packed, Out: out})
	if err != nil || done.Files != len(played())+1 {
		t.Fatalf("%+v, %v", done, err)
	}
	b := open(t, out)
	if b.Signer() != signed.Signer || b.VerifyAll(t.Context(), nil) != nil {
		t.Error("the signature was lost")
	}
	wantFiles(t, tree(t, b.FS), played())
	if _, err := Unpack(t.Context(), UnpackOptions{Game: packed, Out: out}); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("again: %v", err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	write(t, secret)
	for name, target := range map[string]string{"main.js": secret, "data": filepath.Dir(secret)} { // what lies in the folder leads out of it
		os.RemoveAll(filepath.Join(out, name))
		if err := os.Symlink(target, filepath.Join(out, name)); err != nil {
			t.Fatal(err)
		}
	}
	_, err = Unpack(t.Context(), UnpackOptions{Game: packed, Out: out, Force: true})
	wantError(t, err, "data/level.bin")
	os.Remove(filepath.Join(out, "data"))
	if _, err := Unpack(t.Context(), UnpackOptions{Game: packed, Out: out, Force: true}); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(secret); string(text) != "x" || len(names(t, filepath.Dir(secret))) != 1 {
		t.Errorf("a file outside was changed: %q", text)
	}
}

// TestDamagedArchive: what is not whole is neither unpacked nor packed anew, also where a file is read in place.
func TestDamagedArchive(t *testing.T) {
	const text = "\x89PNG kept as it is"
	data := bundleOf(t, folder(t, files{"index.html": page, "main.js": "", "a.png": text}))
	data[bytes.Index(data, []byte(text))+8] ^= 1
	game := saved(t, data)
	out := filepath.Join(t.TempDir(), "out")
	_, err := Unpack(t.Context(), UnpackOptions{Game: game, Out: out})
	wantError(t, err, "a.png", "checksum")
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("the folder: %v", err)
	}
	_, err = writeBundle(t.Context(), io.Discard, open(t, game), nil)
	wantError(t, err, "a.png", "checksum")
}

// Names that are one on the disks of many players.
func TestUnpackClash(t *testing.T) {
	for name, f := range map[string]files{
		"letter case": {"index.html": page, "main.js": "", "A.png": "1", "a.png": "2"},
		"accents":     {"index.html": page, "main.js": "", "e\u0301.png": "1", "\u00e9.png": "2"},
		"folders":     {"index.html": page, "main.js": "", "A/x.png": "1", "a/y.png": "2"},
	} {
		_, err := Unpack(t.Context(), UnpackOptions{Game: saved(t, bundleOf(t, folder(t, f))), Out: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), "same name") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
