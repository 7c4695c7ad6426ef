//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// guideGame is the game of docs/session.md, as it stands there, with script behind it.
func (r *reporter) guideGame(t *testing.T, title, script string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", "session.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := func(kind string) string {
		_, rest, found := strings.Cut(string(text), "```"+kind+"\n")
		code, _, ended := strings.Cut(rest, "```")
		if !found || !ended {
			t.Fatalf("docs/session.md has no %s", kind)
		}
		return code
	}
	dir := r.game(t, "", nil, map[string]string{
		"index.html": block("html") + `<script src="/report.js"></script><script type="module">` + script + `</script>`})
	// its own manifest, and the reporter besides
	manifest := strings.Replace(block("json"), `"sessions": true`, fmt.Sprintf(`"sessions": true, "allowedHosts": ["127.0.0.1:%d"]`, r.Port), 1)
	manifest = strings.NewReplacer("org.example.dots", "org.example."+title, "Dots", title).Replace(manifest)
	if err := os.WriteFile(filepath.Join(dir, "conch.json"), []byte(manifest), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestGuideGame plays the game of the guide in two windows: the client moves its dot with a key, and the host sees it.
func TestGuideGame(t *testing.T) {
	one, two := newReporter(t), newReporter(t)
	play(t, newHome(t), one.guideGame(t, "dotsone", `
part('host').click()
report('code', s.joinCode)
report('port', s.hostPort)
setInterval(() => { const dot = dots().find(d => d.owner === 2); if (dot && dot.get('x') > 340) report('moved', dots().length) }, 50)`))
	code := one.waitString("code")
	port := string(one.wait("port"))
	dismissHostQuestion(t)
	play(t, newHome(t), two.guideGame(t, "dotstwo", `
part('address').value = '127.0.0.1:`+port+`'
part('code').value = '`+strings.ToLower(code)+`'
part('join').click()
const wait = setInterval(() => { if (s.isSessionActive && dots().length === 2) { clearInterval(wait); document.activeElement.blur(); report('ready') } }, 50)`))
	two.wait("ready")
	x(t, "xdotool", "windowmove", windowID(t, "^dotsone$"), "0", "0")
	activate(t, "^dotstwo$")
	x(t, "xdotool", "keydown", "Right")
	defer x(t, "xdotool", "keyup", "Right")
	one.want("moved", "2")
	screenshot(t, "session-guide")
}
