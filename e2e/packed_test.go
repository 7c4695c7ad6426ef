//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// pack makes the Linux program of a game from conch itself and unpacks the folder that a player gets.
func pack(t testing.TB, game string, args ...string) string {
	t.Helper()
	out := t.TempDir()
	text, err := exec.Command(conchBin, append([]string{"pack", game, "-o", out, "--json"}, args...)...).Output()
	if err != nil {
		t.Fatalf("pack: %v\n%s", err, stderrOf(err))
	}
	var made struct{ Files []struct{ Path string } }
	if err := json.Unmarshal(text, &made); err != nil || len(made.Files) == 0 {
		t.Fatalf("pack --json: %v in %s", err, text)
	}
	player := t.TempDir()
	if text, err := exec.Command("tar", "xzf", made.Files[0].Path, "-C", player).CombinedOutput(); err != nil {
		t.Fatalf("tar: %v\n%s", err, text)
	}
	entries, err := os.ReadDir(player)
	if err != nil || len(entries) != 1 {
		t.Fatalf("unpacked: %v, %v", entries, err)
	}
	return filepath.Join(player, entries[0].Name())
}

func stderrOf(err error) string {
	if exit, ok := err.(*exec.ExitError); ok {
		return string(exit.Stderr)
	}
	return ""
}

const packedPage = `
const video = await fetch('/data/song.bin', { headers: { Range: 'bytes=700000-700009' } })
report('range', video.status + ' ' + await video.text())
report('ready', document.title)`

// packedGame is a game with a file that is packed in blocks.
func packedGame(t testing.TB, r *reporter, id string) string {
	song := strings.Repeat("0123456789", 100_000)
	return r.game(t, `"id": "`+id+`", "window": {"title": "Packed"}`, nil, map[string]string{
		"index.html": page(packedPage), "data/song.bin": song, "icon.png": "", "노래/🎵.txt": "x",
	})
}

// readOnly makes a folder one that nobody can write into, also for root: a read-only mount in a namespace of its own
// that the program then lives in. It answers the words in front of the program's.
func readOnly(t testing.TB, dir string) []string {
	t.Helper()
	if os.Getuid() != 0 {
		if err := exec.Command("chmod", "-R", "a-w", dir).Run(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { exec.Command("chmod", "-R", "u+w", dir).Run() })
		return nil
	}
	return []string{"unshare", "-m", "sh", "-c", `mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && ! touch "$0/x" 2>/dev/null && exec "$@"`, dir}
}

// Cases B39, B40 and B44: a packed game is renamed and starts from a read-only folder with spaces, Korean letters and
// emoji; it unpacks nothing; a second start raises the first.
func TestPackedGame(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	dir := filepath.Join(t.TempDir(), "my 김종환 🎮 game")
	if err := os.Rename(pack(t, packedGame(t, r, "org.example.packed"), "--name", "Packed: the game"), dir); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "다른 이름 (1)")
	if err := os.Rename(filepath.Join(dir, "Packed- the game"), program); err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	env := append(h.env(), "TMPDIR="+temp)
	command := append(readOnly(t, dir), program, "--verbose")
	first := start(t, env, nil, command[0], command[1:]...)
	if got := r.waitString("range"); got != "206 0123456789" {
		t.Errorf("range = %s", got)
	}
	if got := r.waitString("ready"); got != "e2e" {
		t.Errorf("title = %s", got)
	}
	windowID(t, "^Packed$")
	screenshot(t, "packed")
	second := start(t, env, nil, command[0], command[1:]...)
	if code := second.waitExit(); code != 0 {
		t.Errorf("second start: exit code %d", code)
	}
	second.waitOutput("its window was raised")
	first.stop()
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("in TMPDIR: %v, %v", left, err)
	}
}

// The program is started as a file manager does it, by its desktop file.
func TestPackedByDesktopFile(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	dir := filepath.Join(t.TempDir(), "김 $HOME 'q' 🎮")
	if err := os.Rename(pack(t, packedGame(t, r, "org.example.desktop"), "--name", "It's 100% `fun`"), dir); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.desktop"))
	if err != nil || len(files) != 1 {
		t.Fatalf("desktop files %q, %v", files, err)
	}
	launch := exec.Command("gio", "launch", files[0])
	launch.Dir, launch.Env = dir, h.env()
	var out bytes.Buffer
	launch.Stdout, launch.Stderr = &out, &out
	launch.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := launch.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(-launch.Process.Pid, syscall.SIGKILL); launch.Wait() })
	if got := r.waitString("ready"); got != "e2e" {
		t.Errorf("title = %s\n%s", got, &out)
	}
	id := windowID(t, "^Packed$")
	pid, err := strconv.Atoi(x(t, "xdotool", "getwindowpid", id))
	if err != nil {
		t.Fatal(err)
	}
	syscall.Kill(pid, syscall.SIGTERM)
	eventually(t, "the end of the game", func() bool { return syscall.Kill(pid, 0) != nil })
}

// A program that was cut short says so in a native box when nobody sees its standard error, and its exit code is not 0.
func TestPackedCutShort(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	program := filepath.Join(pack(t, packedGame(t, r, "org.example.cut")), "e2e")
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(program, info.Size()-1000); err != nil {
		t.Fatal(err)
	}
	p := start(t, h.env(), nil, program)
	endBox(t, p, "^Conch$", "packed-cut-short")
	if code := p.waitExit(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	if out := p.output(); !strings.Contains(out, "incomplete") || !strings.Contains(out, "download it again") {
		t.Errorf("output %s", out)
	}
}

// The demo is packed and plays in its window; saves follow the game's id, from the folder to the program.
func TestPackedDemo(t *testing.T) {
	h := newHome(t)
	demo := filepath.Join("..", "examples", "skiff", "game")
	program := filepath.Join(pack(t, demo), "Skiff")
	for _, args := range [][]string{{"--self-check"}, {"--version"}} {
		if text, err := exec.Command(program, args...).CombinedOutput(); err != nil || !strings.Contains(string(text), "Skiff") {
			t.Errorf("%q: %v\n%s", args, err, text)
		}
	}
	p := start(t, h.env(), nil, program, "--verbose")
	windowID(t, "^Skiff$")
	eventually(t, "the demo's copy of its saves", func() bool {
		found, _ := filepath.Glob(filepath.Join(h.dir, ".local", "share", "conch", "games", "*skiff*", "run.json"))
		return len(found) == 1
	})
	screenshot(t, "packed-demo")
	p.stop()
	one := inspectKey(t, h, program)
	if two := inspectKey(t, h, demo); one != two {
		t.Errorf("saves of the program %s, of the folder %s", one, two)
	}
}

func inspectKey(t testing.TB, h home, game string) string {
	t.Helper()
	c := exec.Command(hostBin, "inspect", "--json", game)
	c.Env = h.env()
	text, err := c.Output()
	if err != nil {
		t.Fatalf("inspect: %v %s", err, stderrOf(err))
	}
	var in struct {
		Key  string
		Port int
	}
	if err := json.Unmarshal(text, &in); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s on %d", in.Key, in.Port)
}
