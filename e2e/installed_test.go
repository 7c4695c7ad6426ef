//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// packedFile packs a game and answers the result with the given end.
func packedFile(t testing.TB, end, program string, args ...string) string {
	t.Helper()
	out := t.TempDir()
	text, err := exec.Command(program, append([]string{"pack", "-o", out, "--json"}, args...)...).Output()
	if err != nil {
		t.Fatalf("pack: %v\n%s", err, stderrOf(err))
	}
	var made struct{ Files []struct{ Path string } }
	if err := json.Unmarshal(text, &made); err != nil {
		t.Fatal(err)
	}
	for _, f := range made.Files {
		if strings.HasSuffix(f.Path, end) {
			return f.Path
		}
	}
	t.Fatalf("no %s in %s", end, text)
	return ""
}

// The Debian package is installed, its desktop file starts the game, and it is removed; the saves stay.
func TestInstalledDeb(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	const name = "org.example.installed"
	deb := packedFile(t, ".deb", conchBin, packedGame(t, r, name))
	dpkg := func(args ...string) {
		t.Helper()
		if os.Getuid() != 0 {
			args = append([]string{"sudo", "dpkg"}, args...)
		} else {
			args = append([]string{"dpkg"}, args...)
		}
		if text, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, text)
		}
	}
	dpkg("--install", deb)
	removed := false
	t.Cleanup(func() {
		if !removed {
			dpkg("--purge", name)
		}
	})
	desktop := "/usr/share/applications/" + name + ".desktop"
	if text, err := exec.Command("desktop-file-validate", desktop).CombinedOutput(); err != nil {
		t.Errorf("desktop file: %v\n%s", err, text)
	}
	if text, err := exec.Command("appstreamcli", "validate", "--no-net", "/usr/share/metainfo/"+name+".metainfo.xml").CombinedOutput(); err != nil {
		t.Errorf("metainfo: %v\n%s", err, text)
	}
	if text, err := exec.Command("/usr/games/"+name, "--self-check").CombinedOutput(); err != nil {
		t.Errorf("self-check: %v\n%s", err, text)
	}
	game := start(t, append(h.env(), "PATH="+os.Getenv("PATH")+":/usr/games"), nil, "sh", "-c", "exec $(sed -n s/^Exec=//p "+desktop+")")
	if got := r.waitString("ready"); got != "e2e" {
		t.Errorf("title = %s", got)
	}
	windowID(t, "^Packed$")
	game.stop()
	dpkg("--purge", name)
	removed = true
	for _, path := range []string{desktop, "/usr/games/" + name, "/usr/lib/" + name} {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
}

// The Windows installer runs silently: the game is there and starts, the uninstaller keeps the saves or deletes them.
func TestInstalledOnWindows(t *testing.T) {
	w := wine(t)
	setup := packedFile(t, "-setup.exe", hostBin, filepath.Join("..", "examples", "skiff", "game"), "--installer",
		"--name", "Skiff 김종환 & $co", "--launchers", windowsLaunchers(t))
	user := onlyUser(t, w)
	local := filepath.Join(user, "AppData", "Local")
	dir := filepath.Join(local, "Programs", "conch.example.skiff")
	program := filepath.Join(dir, "Skiff 김종환 & $co.exe")
	link := filepath.Join(user, "AppData", "Roaming", "Microsoft", "Windows", "Start Menu", "Programs", "Skiff 김종환 & $co.lnk")
	for _, deleteSaves := range []bool{false, true} {
		if out, code := w.run(t, setup, "/S"); code != 0 {
			t.Fatalf("setup: code %d\n%s", code, out)
		}
		if _, err := os.Stat(link); err != nil {
			t.Errorf("start menu: %v", err)
		}
		if out, code := w.run(t, program, "--self-check"); code != 0 || !strings.Contains(out, "all is well") {
			t.Errorf("self-check: code %d\n%s", code, out)
		}
		out, code := w.run(t, program, "saves", "where", "--json")
		var place struct{ Data string }
		if err := json.Unmarshal([]byte(out), &place); err != nil || code != 0 {
			t.Fatalf("saves where: code %d, %v\n%s", code, err, out)
		}
		saved := filepath.Join(w.c(strings.Split(strings.TrimPrefix(place.Data, `C:\`), `\`)...), "localstorage.json")
		if err := os.WriteFile(saved, []byte(`{"level":"7"}`), 0o600); err != nil {
			t.Fatal(err)
		}
		args := []string{"/S"}
		if deleteSaves {
			args = append(args, "/DELETESAVES")
		}
		w.run(t, filepath.Join(dir, "uninstall.exe"), args...) // goes on in a copy of itself
		eventually(t, "the end of the installed game", func() bool { _, err := os.Stat(dir); return err != nil })
		if _, err := os.Stat(link); err == nil {
			t.Error("the start menu still has the game")
		}
		if _, err := os.Stat(saved); (err == nil) == deleteSaves {
			t.Errorf("delete saves %v: %v", deleteSaves, err)
		}
	}
}

func onlyUser(t testing.TB, w *winePrefix) string {
	t.Helper()
	entries, err := os.ReadDir(w.c("users"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "Public" {
			return w.c("users", e.Name())
		}
	}
	t.Fatal("no user in Wine's prefix")
	return ""
}
