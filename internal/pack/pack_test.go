package pack

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"debug/pe"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/tc-hib/winres"

	"conch/runtime/bundle"
)

func TestRun(t *testing.T) {
	launchers := launchersFor(t, "linux-amd64", "windows-amd64", "windows-arm64")
	game := folder(t, skiff())
	out := filepath.Join(t.TempDir(), "new", "dist")
	r, warnings := run(t, Options{Game: game, Out: out, Launchers: launchers})
	if len(warnings) != 0 {
		t.Errorf("warnings %+v", warnings)
	}
	want := []string{"Skiff-linux-amd64.tar.gz", "Skiff.exe"}
	deb := onlyWith(t, names(t, out), ".deb")
	if got := names(t, out); !slices.Equal(got, []string{"Skiff-arm64.exe", want[0], want[1], deb}) {
		t.Errorf("results %q", got)
	}
	for _, f := range r.Files {
		info, err := os.Stat(f.Path)
		if err != nil || info.Size() != f.Size || f.Size == 0 {
			t.Errorf("%+v: %v", f, err)
		}
	}
	for _, name := range []string{"Skiff.exe", "Skiff-arm64.exe"} {
		wantFiles(t, tree(t, open(t, filepath.Join(out, name)).FS), played())
	}
	linux := untar(t, filepath.Join(out, want[0]))
	program := filepath.Join(linux, "Skiff", "Skiff")
	wantFiles(t, tree(t, open(t, program).FS), played())
	if text, err := exec.Command(program).CombinedOutput(); err != nil || string(text) != "hello\n" {
		t.Errorf("the packed program runs: %v %s", err, text)
	}

	other := t.TempDir()
	run(t, Options{Game: folder(t, skiff()), Out: other, Launchers: launchers})
	for _, name := range names(t, out) {
		a, _ := os.ReadFile(filepath.Join(out, name))
		b, _ := os.ReadFile(filepath.Join(other, name))
		if !bytes.Equal(a, b) {
			t.Errorf("%s: other bytes the second time", name)
		}
	}
}

// untar unpacks a .tar.gz by the system's own tar and checks what is in it.
func untar(t testing.TB, archive string) string {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	gz, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(gz); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		mode := int64(0o644)
		if strings.HasSuffix(h.Name, ".desktop") || strings.Count(h.Name, "/") == 1 && !strings.HasSuffix(h.Name, ".conch") {
			mode = 0o755
		}
		if h.Mode != mode || h.Uid != 0 || h.Gid != 0 || h.Uname != "" || !h.ModTime.Equal(longAgo) {
			t.Errorf("%s: mode %o, owner %d:%d %q, time %v", h.Name, h.Mode, h.Uid, h.Gid, h.Uname, h.ModTime)
		}
	}
	dir := t.TempDir()
	if text, err := exec.Command("tar", "xzf", archive, "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("tar: %v\n%s", err, text)
	}
	return dir
}

// Case B36: icon and texts are in the program and the game is found; packed again over itself with another icon, the
// game is the same.
func TestWindowsResources(t *testing.T) {
	launchers := launchersFor(t, "windows-amd64")
	out := t.TempDir()
	run(t, Options{Game: folder(t, skiff()), Out: out, Launchers: launchers})
	first := filepath.Join(out, "Skiff.exe")
	before := checkResources(t, first)
	icon := filepath.Join(t.TempDir(), "x.svg")
	if err := os.WriteFile(icon, []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><rect width="10" height="10" fill="#ff0000"/></svg>`), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, Options{Game: first, Out: out, Launchers: launchers, Icon: icon, Force: true})
	if after := checkResources(t, first); bytes.Equal(before, after) {
		t.Error("the icon is the old one")
	}
	wantFiles(t, tree(t, open(t, first).FS), played())
	if got := names(t, out); !slices.Equal(got, []string{"Skiff.exe"}) {
		t.Errorf("left behind: %q", got)
	}
}

// checkResources answers the icon of 16 pixels.
func checkResources(t *testing.T, program string) []byte {
	t.Helper()
	f, err := os.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := pe.NewFile(f)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.OptionalHeader.(*pe.OptionalHeader64).Subsystem; got != pe.IMAGE_SUBSYSTEM_WINDOWS_GUI {
		t.Errorf("subsystem %d", got)
	}
	rs, err := winres.LoadFromEXE(f)
	if err != nil {
		t.Fatal(err)
	}
	manifest := string(rs.Get(winres.RT_MANIFEST, winres.ID(1), 0x409))
	for _, want := range []string{"Common-Controls", "longPathAware", "permonitorv2", "UTF-8", "asInvoker"} {
		if !strings.Contains(manifest, want) {
			t.Errorf("manifest without %s", want)
		}
	}
	icon, err := rs.GetIcon(winres.ID(3))
	if err != nil {
		t.Fatal(err)
	}
	var ico bytes.Buffer
	if err := icon.SaveICO(&ico); err != nil {
		t.Fatal(err)
	}
	if got := int(ico.Bytes()[4]); got != len(windowsIcons) {
		t.Errorf("%d sizes of the icon", got)
	}
	var text string
	rs.WalkType(winres.RT_VERSION, func(_ winres.Identifier, _ uint16, data []byte) bool {
		units := make([]uint16, len(data)/2)
		for i := range units {
			units[i] = uint16(data[2*i]) | uint16(data[2*i+1])<<8
		}
		text = string(utf16.Decode(units))
		return true
	})
	for _, want := range []string{"Skiff", "Example & Söhne", "© Example", "1.2.3", "Skiff.exe"} {
		if !strings.Contains(text, want) {
			t.Errorf("version information without %q", want)
		}
	}
	return ico.Bytes()
}

// Case A68: the program is code-signed after it was packed. The signature holds and the game is found.
func TestSignedAfterPacking(t *testing.T) {
	out := t.TempDir()
	run(t, Options{Game: folder(t, skiff()), Out: out, Launchers: launchersFor(t, "windows-amd64")})
	key, cert, signed := filepath.Join(out, "key.pem"), filepath.Join(out, "cert.pem"), filepath.Join(out, "signed.exe")
	for _, args := range [][]string{
		{"openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "30", "-subj", "/CN=Test"},
		{"osslsigncode", "sign", "-certs", cert, "-key", key, "-in", filepath.Join(out, "Skiff.exe"), "-out", signed},
		{"osslsigncode", "verify", "-CAfile", cert, signed},
	} {
		if text, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, text)
		}
	}
	wantFiles(t, tree(t, open(t, signed).FS), played())
	// Packed again, the old signature is gone and the launcher is the first one.
	run(t, Options{Game: signed, Out: out, Name: "Again", Launchers: launchersFor(t, "windows-amd64")})
	wantFiles(t, tree(t, open(t, filepath.Join(out, "Again.exe")).FS), played())
}

// A launcher that carries a signature or a game already is used without it.
func TestUsedLauncher(t *testing.T) {
	launchers := launchersFor(t, "linux-amd64")
	out := t.TempDir()
	run(t, Options{Game: folder(t, skiff()), Out: out, Launchers: launchers})
	packed, err := os.ReadFile(filepath.Join(untar(t, filepath.Join(out, "Skiff-linux-amd64.tar.gz")), "Skiff", "Skiff"))
	if err != nil {
		t.Fatal(err)
	}
	used := filepath.Join(t.TempDir(), "conch")
	if err := os.WriteFile(used, packed, 0o755); err != nil {
		t.Fatal(err)
	}
	image, err := Launcher{Target: "linux-amd64", System: "linux", Arch: "amd64", Path: used}.image()
	if err != nil {
		t.Fatal(err)
	}
	plain, err := os.ReadFile(filepath.Join(launchers, "linux-amd64", "conch"))
	if err != nil || !bytes.Equal(image, plain) {
		t.Errorf("image of %d bytes, launcher %d, %v", len(image), len(plain), err)
	}
}

func TestSideFile(t *testing.T) {
	launchers := launchersFor(t, "linux-amd64", "windows-amd64")
	for _, o := range []Options{{SideFile: true}, {maxInside: 1000}} {
		o.Game, o.Out, o.Launchers = folder(t, skiff()), t.TempDir(), launchers
		r, warnings := run(t, o)
		if want := !o.SideFile; want != (len(warnings) == 1 && strings.Contains(warnings[0].Text, "beside it")) {
			t.Errorf("warnings %+v", warnings)
		}
		if len(r.Files) != 4 || filepath.Base(r.Files[3].Path) != "Skiff.conch" {
			t.Errorf("results %+v", r.Files)
		}
		linux := untar(t, filepath.Join(o.Out, "Skiff-linux-amd64.tar.gz"))
		for _, program := range []string{filepath.Join(o.Out, "Skiff.exe"), filepath.Join(linux, "Skiff", "Skiff")} {
			wantFiles(t, tree(t, open(t, program).FS), played())
		}
		if err := os.Remove(filepath.Join(o.Out, "Skiff.conch")); err != nil {
			t.Fatal(err)
		}
		_, err := bundle.Open(filepath.Join(o.Out, "Skiff.exe"), bundle.Options{})
		wantError(t, err, "Skiff.conch", "beside the program")
	}
}

func TestRunRefuses(t *testing.T) {
	launchers := launchersFor(t, "linux-amd64")
	damaged := launchersFor(t, "linux-amd64")
	write(t, filepath.Join(damaged, "linux-amd64", "conch"))
	unlisted := launchersFor(t, "linux-amd64")
	write(t, filepath.Join(unlisted, sums))
	wrong := launchersFor(t, "linux-arm64")
	if err := os.Rename(filepath.Join(wrong, "linux-arm64"), filepath.Join(wrong, "linux-amd64")); err != nil {
		t.Fatal(err)
	}
	list, _ := os.ReadFile(filepath.Join(wrong, sums))
	if err := os.WriteFile(filepath.Join(wrong, sums), bytes.ReplaceAll(list, []byte("arm64"), []byte("amd64")), 0o644); err != nil {
		t.Fatal(err)
	}
	lfs := folder(t, files{"index.html": page, "main.js": "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n"})
	small := files{"index.html": page, "main.js": ""}
	good := folder(t, small)
	busy := t.TempDir()
	write(t, filepath.Join(busy, "A game-linux-amd64.tar.gz"))
	for name, row := range map[string]struct {
		o    Options
		want []string
	}{
		"LFS pointer":              {Options{Game: lfs}, []string{"main.js", "Git LFS", "-> run git lfs pull"}},
		"unknown target":           {Options{Game: good, Targets: []string{"beos"}}, []string{"--target beos", "linux-amd64"}},
		"target without launcher":  {Options{Game: good, Targets: []string{"windows-amd64"}}, []string{"--target windows-amd64", "--launchers"}},
		"launcher damaged":         {Options{Game: good, Launchers: damaged}, []string{"is not what SHA256SUMS says"}},
		"launcher not listed":      {Options{Game: good, Launchers: unlisted}, []string{"not listed in SHA256SUMS"}},
		"launcher of another kind": {Options{Game: good, Launchers: wrong}, []string{"is a program for linux-arm64"}},
		"no launchers":             {Options{Game: good, Launchers: t.TempDir()}, []string{"launchers", "SHA256SUMS"}},
		"there already":            {Options{Game: good, Out: busy}, []string{"is there already", "--force"}},
		"no game":                  {Options{Game: filepath.Join(good, "x")}, []string{"no such file"}},
		"other entry": {Options{Game: folder(t, files{"index.html": page, "b.html": page, "main.js": ""}), Entry: "b.html"},
			[]string{`"entry": "b.html"`, "conch.json"}},
		"icon of another kind": {Options{Game: good, Icon: filepath.Join(good, "main.js")}, []string{"--icon", ".png or an .svg"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := row.o
			if o.Out == "" {
				o.Out = t.TempDir()
			}
			if o.Launchers == "" {
				o.Launchers = launchers
			}
			before := names(t, o.Out)
			_, err := Run(t.Context(), o)
			wantError(t, err, row.want...)
			if after := names(t, o.Out); !slices.Equal(after, before) {
				t.Errorf("left behind: %q", after)
			}
		})
	}
}

// An interrupt leaves nothing behind, and the old result where it was.
func TestInterrupt(t *testing.T) {
	launchers, out := launchersFor(t, "linux-amd64"), t.TempDir()
	old := filepath.Join(out, "Skiff-linux-amd64.tar.gz")
	write(t, old)
	for _, stage := range []string{"game", "linux-amd64"} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := Run(ctx, Options{Game: folder(t, skiff()), Out: out, Launchers: launchers, Force: true, Progress: func(s string, _, _ int64) {
			if s == stage {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", stage, err)
		}
		if text, _ := os.ReadFile(old); string(text) != "x" || len(names(t, out)) != 1 {
			t.Errorf("%s: %q, old result %q", stage, names(t, out), text)
		}
	}
}

// Games that most people send: no manifest, a single page, a name in other letters.
func TestOddGames(t *testing.T) {
	launchers := launchersFor(t, "linux-amd64")
	single := filepath.Join(t.TempDir(), "one.html")
	if err := os.WriteFile(single, []byte("<!doctype html><title>\u202eOne: a/b?</title>"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct{ game, option, want string }{
		"single page":   {single, "", "One- a-b-"},
		"other letters": {folder(t, files{"index.html": page, "main.js": ""}), "김종환의 게임 🎮", "김종환의 게임 🎮"},
		"device name":   {folder(t, files{"index.html": page, "main.js": ""}), "aux.", "aux-game"},
	} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			_, warnings := run(t, Options{Game: row.game, Out: out, Launchers: launchers, Name: row.option})
			if !slices.ContainsFunc(warnings, func(p bundle.Problem) bool { return strings.Contains(p.Text, "no id") }) {
				t.Errorf("warnings %+v", warnings)
			}
			program := filepath.Join(untar(t, filepath.Join(out, row.want+"-linux-amd64.tar.gz")), row.want, row.want)
			if b := open(t, program); b.Entry != "index.html" {
				t.Errorf("entry %s", b.Entry)
			}
		})
	}
}
