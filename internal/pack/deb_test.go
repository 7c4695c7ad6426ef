package pack

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// dpkg-deb reads the package: fields, sums, files, owners and modes.
func TestDeb(t *testing.T) {
	out := t.TempDir()
	run(t, Options{Game: folder(t, skiff()), Out: out, Launchers: launchersFor(t, "linux-amd64")})
	deb := filepath.Join(out, onlyWith(t, names(t, out), ".deb"))
	for field, want := range map[string]string{
		"Architecture": "amd64", "Section": "games", "Depends": "libc6 (>= 2.17), libgtk-3-0, libwebkit2gtk-4.1-0",
	} {
		if got := dpkgDeb(t, "--field", deb, field); got != want {
			t.Errorf("%s: %q, want %q", field, got, want)
		}
	}
	name := dpkgDeb(t, "--field", deb, "Package")
	dir := t.TempDir()
	dpkgDeb(t, "--raw-extract", deb, dir)
	check := exec.Command("md5sum", "--check", "--strict", "DEBIAN/md5sums")
	check.Dir = dir
	if text, err := check.CombinedOutput(); err != nil {
		t.Errorf("md5sums: %v\n%s", err, text)
	}
	command := filepath.Join(dir, "usr", "games", name)
	if text, err := exec.Command(command).CombinedOutput(); err != nil || string(text) != "hello\n" {
		t.Errorf("the installed program runs: %v %s", err, text)
	}
	program, err := filepath.EvalSymlinks(command)
	if err != nil {
		t.Fatal(err)
	}
	wantFiles(t, tree(t, open(t, program).FS), played())
	desktop, err := os.ReadFile(onlyWith(t, glob(t, dir, "usr/share/applications/*"), ".desktop"))
	if err != nil || !strings.Contains(string(desktop), "\nExec="+name+"\n") {
		t.Errorf("desktop file: %v\n%s", err, desktop)
	}
	for _, line := range strings.Split(dpkgDeb(t, "--contents", deb), "\n") {
		f := strings.Fields(line)
		if f[1] != "0/0" && f[1] != "root/root" || f[0] != "drwxr-xr-x" && f[0] != "-rw-r--r--" && f[0] != "-rwxr-xr-x" && f[0][0] != 'l' {
			t.Errorf("owner or mode: %s", line)
		}
	}
}

// A game in a file of its own is installed beside the program.
func TestDebSideFile(t *testing.T) {
	out := t.TempDir()
	run(t, Options{Game: folder(t, skiff()), Out: out, Launchers: launchersFor(t, "linux-amd64"), SideFile: true})
	deb := filepath.Join(out, onlyWith(t, names(t, out), ".deb"))
	dir := t.TempDir()
	dpkgDeb(t, "--raw-extract", deb, dir)
	program, err := filepath.EvalSymlinks(filepath.Join(dir, "usr", "games", dpkgDeb(t, "--field", deb, "Package")))
	if err != nil {
		t.Fatal(err)
	}
	wantFiles(t, tree(t, open(t, program).FS), played())
}

func TestNoDeb(t *testing.T) {
	out := t.TempDir()
	run(t, Options{Game: folder(t, skiff()), Out: out, Launchers: launchersFor(t, "linux-amd64"), NoDeb: true})
	if got := names(t, out); !slices.Equal(got, []string{"Skiff-linux-amd64.tar.gz"}) {
		t.Errorf("results %q", got)
	}
}

func dpkgDeb(t testing.TB, args ...string) string {
	t.Helper()
	text, err := exec.Command("dpkg-deb", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("dpkg-deb %q: %v\n%s", args, err, text)
	}
	return strings.TrimSpace(string(text))
}

func onlyWith(t testing.TB, names []string, suffix string) string {
	t.Helper()
	found := slices.DeleteFunc(slices.Clone(names), func(s string) bool { return !strings.HasSuffix(s, suffix) })
	if len(found) != 1 {
		t.Fatalf("%d of %q end with %s", len(found), names, suffix)
	}
	return found[0]
}

func glob(t testing.TB, dir, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestDebVersion(t *testing.T) {
	for version, want := range map[string]string{
		"1.2.3": "1.2.3", "v1.2": "1.2", "1.0.0-rc.1": "1.0.0~rc.1", "1.0.0-rc.1+5": "1.0.0~rc.1+5", "": "0.0",
		"beta 3": "0.beta.30", "1.0 (final)": "1.0..final.", "2026-11-30": "2026.11.30", "Ж": "0..0",
	} {
		got := debVersion(version)
		if got != want {
			t.Errorf("%q: %q, want %q", version, got, want)
		}
		if text, err := exec.Command("dpkg", "--validate-version", got).CombinedOutput(); err != nil {
			t.Errorf("%q: %s", got, text)
		}
	}
}

func TestDebName(t *testing.T) {
	for id, want := range map[string]string{
		"com.example.skiff": "com.example.skiff", "Com.Example.My_Game": "com.example.my-game", "-x.y-": "x.y",
	} {
		g := &game{id: id}
		if got := g.debName(); got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
		if text, err := exec.Command("dpkg", "--validate-pkgname", g.debName()).CombinedOutput(); err != nil {
			t.Errorf("%q: %s", g.debName(), text)
		}
	}
}
