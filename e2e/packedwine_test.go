//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// windowsLaunchers is a folder with the real launcher for Windows, as `make release` lays it out.
func windowsLaunchers(t testing.TB) string {
	t.Helper()
	launchers := t.TempDir()
	dir := filepath.Join(launchers, "windows-amd64")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(windowsProgram(t, "..", ""), filepath.Join(dir, "conch.exe")); err != nil {
		t.Fatal(err)
	}
	sums := exec.Command("sh", "-c", "sha256sum */conch.exe >SHA256SUMS")
	sums.Dir = launchers
	if err := sums.Run(); err != nil {
		t.Fatal(err)
	}
	return launchers
}

// packForWindows packs a game with the real launcher for Windows.
func packForWindows(t testing.TB, game string, args ...string) string {
	t.Helper()
	launchers, out := windowsLaunchers(t), t.TempDir()
	args = append([]string{"pack", game, "-o", out, "--launchers", launchers, "--json"}, args...)
	text, err := exec.Command(hostBin, args...).Output()
	if err != nil {
		t.Fatalf("pack: %v\n%s", err, stderrOf(err))
	}
	var made struct{ Files []struct{ Path string } }
	if err := json.Unmarshal(text, &made); err != nil || len(made.Files) != 1 {
		t.Fatalf("pack --json: %v in %s", err, text)
	}
	return made.Files[0].Path
}

// authenticode signs a Windows program with a certificate of its own and verifies it.
func authenticode(t testing.TB, program string) string {
	t.Helper()
	dir := t.TempDir()
	key, cert, signed := filepath.Join(dir, "key.pem"), filepath.Join(dir, "cert.pem"), filepath.Join(dir, filepath.Base(program))
	for _, args := range [][]string{
		{"openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "30", "-subj", "/CN=Conch test"},
		{"osslsigncode", "sign", "-certs", cert, "-key", key, "-in", program, "-out", signed},
		{"osslsigncode", "verify", "-CAfile", cert, signed},
	} {
		if text, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, text)
		}
	}
	return signed
}

// The packed Windows program runs under Wine, as it is and after it was code-signed: it checks itself, says what is
// missing to open a window, and says when it was cut short.
func TestPackedWindowsProgram(t *testing.T) {
	program := packForWindows(t, filepath.Join("..", "examples", "skiff", "game"), "--name", "Skiff 김종환 🎮")
	for name, exe := range map[string]string{"packed": program, "signed": authenticode(t, program)} {
		t.Run(name, func(t *testing.T) {
			w := wine(t)
			out, code := w.run(t, exe, "--self-check")
			if code != 0 || !strings.Contains(out, "all is well") || !strings.Contains(out, `"id": "conch.example.skiff"`) {
				t.Errorf("--self-check: code %d\n%s", code, out)
			}
			if out, code := w.run(t, exe, "--self-check", "--json"); code != 0 || !strings.Contains(out, `"ok": true`) {
				t.Errorf("--self-check --json: code %d\n%s", code, out)
			}
			if out, code := w.run(t, exe, "other"); code != 2 || !strings.Contains(out, "opens nothing else") {
				t.Errorf("with a file: code %d\n%s", code, out)
			}
			if text, err := exec.Command(hostBin, "inspect", exe).CombinedOutput(); err != nil || !strings.Contains(string(text), "(program)") {
				t.Errorf("inspect here: %v\n%s", err, text)
			}
		})
	}
	t.Run("no WebView2", func(t *testing.T) { // which Wine does not have
		p := wine(t).start(t, program)
		endBox(t, p, "^Missing Requirements$", "packed-windows-no-webview")
		if code := p.waitExit(); code == 0 {
			t.Errorf("code %d: %s", code, p.output())
		}
	})
	t.Run("cut short", func(t *testing.T) {
		info, err := os.Stat(program)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(program, info.Size()-1000); err != nil {
			t.Fatal(err)
		}
		p := wine(t).start(t, program)
		endBox(t, p, "^Conch$", "packed-windows-cut-short")
		if code := p.waitExit(); code != 1 || !strings.Contains(p.output(), "incomplete") {
			t.Errorf("code %d: %s", code, p.output())
		}
	})
}

// endBox waits for a box, takes its picture and closes it from the keyboard until its program ends.
func endBox(t *testing.T, p *process, title, picture string) {
	t.Helper()
	id := windowID(t, title)
	screenshot(t, picture)
	eventually(t, "the end of the box", func() bool {
		exec.Command("env", "DISPLAY="+display, "xdotool", "windowactivate", id).Run()
		x(t, "xdotool", "key", "Escape")
		select {
		case <-p.done:
			return true
		default:
			return false
		}
	})
}

// A packed Windows program is served by the conch-host of another system and plays in Chromium.
func TestPackedWindowsProgramServed(t *testing.T) {
	r, h := newReporter(t), newHome(t)
	program := authenticode(t, packForWindows(t, packedGame(t, r, "org.example.windows")))
	s := serve(t, h, program)
	chromium(t, h, s.URL)
	if got := r.waitString("range"); got != "206 0123456789" {
		t.Errorf("range = %s", got)
	}
}

// The Windows program serves a packed, code-signed game under Wine: it plays in Chromium, and its socket reaches its
// server through the relay there.
func TestWindowsProgramServes(t *testing.T) {
	w, r, h, echo := wine(t), newReporter(t), newHome(t), newEcho(t)
	game := r.game(t, `"id": "org.example.wine"`, []string{echo.host()}, map[string]string{
		"index.html": page(fmt.Sprintf(`
const s = net.connect('ws://%s/x')
s.onOpen = () => s.send('over Wine')
s.onMessage = m => report('echo', m)
s.onError = m => report('echo', m)`, echo.host())), "icon.png": ""})
	program := authenticode(t, packForWindows(t, game))
	s := serveBy(t, w.env(), "wine", windowsProgram(t, "..", ""), "serve", "--json", "-v", windowsPath(program))
	chromium(t, h, s.URL)
	c := echo.next(t)
	if got := c.receive(t); got != "over Wine" {
		t.Errorf("the server got %q", got)
	}
	if err := c.send("and back"); err != nil {
		t.Fatal(err)
	}
	if got := r.waitString("echo"); got != "and back" {
		t.Errorf("the game got %s", got)
	}
}

// Three exports that nobody here wrote are packed: the Linux program plays in its window, the Windows one, code-signed,
// is served here and plays in Chromium.
func TestPackedRealExports(t *testing.T) {
	root, err := exportsDir()
	if err != nil {
		t.Fatal(err)
	}
	program := engine{"packed", func(t testing.TB, h home, game string, _ ...string) *process {
		return start(t, h.env(), nil, game, "--verbose")
	}}
	for _, x := range realExports {
		if x.name != "love-threads" && x.name != "farmhand" && x.name != "wasm4" {
			continue
		}
		t.Run(x.name, func(t *testing.T) {
			game := ownCopy(t, filepath.Join(root, filepath.FromSlash(x.path)))
			t.Run("linux", func(t *testing.T) { x.checkRuns(t, program, filepath.Join(pack(t, game, "--name", "Game"), "Game")) })
			t.Run("windows", func(t *testing.T) {
				x.checkRuns(t, engines[1], authenticode(t, packForWindows(t, game, "--name", "Game")))
			})
		})
	}
}
