package update

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// insideOwnMounts runs the rest of the calling test in a process with mounts of its own, which end with it. It reports
// whether this is that process.
func insideOwnMounts(t *testing.T) bool {
	t.Helper()
	const inside = "CONCH_TEST_OWN_MOUNTS"
	if os.Getenv(inside) == t.Name() {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), inside+"="+t.Name())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

func mount(t *testing.T, source, dir, kind string, flags uintptr, data string) {
	t.Helper()
	if err := syscall.Mount(source, dir, kind, flags, data); err != nil {
		t.Fatalf("mount on %s: %v", dir, err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
}

// TestDiskFull: a disk on which the new program does not fit keeps the old one, and nothing is left on it.
func TestDiskFull(t *testing.T) {
	if !insideOwnMounts(t) {
		return
	}
	mount(t, "none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "")
	s := newShop(t)
	disk := t.TempDir()
	mount(t, "small", disk, "tmpfs", 0, "size=1000k") // the game has 750
	before, err := os.ReadFile(s.program)
	if err != nil {
		t.Fatal(err)
	}
	s.program = filepath.Join(disk, "game.zip")
	if err := os.WriteFile(s.program, before, 0o755); err != nil {
		t.Fatal(err)
	}
	s.u.Game.Path = s.program
	s.release("1.2.0")
	_, err = s.u.Stage(t.Context(), s.check(), nil)
	if err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("%v", err)
	}
	if got, _ := os.ReadFile(s.program); !bytes.Equal(got, before) || !slices.Equal(s.beside(), []string{"game.zip"}) {
		t.Errorf("beside the program: %q", s.beside())
	}
}

// TestReadOnlyFolder: the page is offered instead.
func TestReadOnlyFolder(t *testing.T) {
	if !insideOwnMounts(t) {
		return
	}
	mount(t, "none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "")
	s := newShop(t)
	s.release("1.2.0")
	state := t.TempDir()
	dir := filepath.Dir(s.program)
	mount(t, dir, dir, "", syscall.MS_BIND, "")
	mount(t, dir, dir, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, "")
	s.u.Dir = state
	r := s.check()
	if !r.Newer || r.Replace || r.Why != "its folder cannot be written" {
		t.Errorf("%+v", r)
	}
	if _, err := s.u.Stage(t.Context(), r, nil); err == nil {
		t.Error("staged")
	}
}

func TestReplaceable(t *testing.T) {
	dir := t.TempDir()
	put := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("APPIMAGE", "/home/player/Game.AppImage")
	t.Setenv("APPDIR", filepath.Join(dir, "mounted"))
	for _, tt := range []struct{ name, path, want string }{
		{"folder of the player", put("games/Game"), ""},
		{"package", "/usr/games/game", "package manager"},
		{"opt", "/opt/game/game", "package manager"},
		{"snap", "/snap/game/1/game", "snap"},
		{"Flatpak", "/app/bin/game", "Flatpak"},
		{"AppImage", put("mounted/usr/bin/game"), "AppImage"},
		{"Steam", put("steamapps/common/Game/Game"), "Steam"},
		{"Microsoft Store", put("WindowsApps/x/Game.exe"), "Microsoft Store"},
		{"absent", filepath.Join(dir, "none"), "not one file"},
		{"folder", dir, "not one file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := replaceable(tt.path)
			if got != tt.want && (tt.want == "" || !strings.Contains(got, tt.want)) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "games", ".conch-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
