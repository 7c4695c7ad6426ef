package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSavesOfAProgramsOwnGame: in a program that holds its game, the game is no argument.
func TestSavesOfAProgramsOwnGame(t *testing.T) {
	dir := t.TempDir()
	game := filepath.Join(dir, "game.html")
	if err := os.WriteFile(game, []byte("<!doctype html><title>Own</title>"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CONCH_DATA", filepath.Join(dir, "data"))
	run := func(args ...string) (string, error) {
		var out bytes.Buffer
		p := &Program{Name: "Own", stdout: &out, stderr: &out}
		c := p.savesCommand(game)
		c.SilenceErrors, c.SilenceUsage = true, true
		c.SetArgs(args)
		err := c.ExecuteContext(t.Context())
		return out.String(), err
	}
	if out, err := run("where"); err != nil || !strings.Contains(out, "conch-own-") {
		t.Errorf("where: %v\n%s", err, out)
	}
	if _, err := run("export", "-o", filepath.Join(dir, "a.conchsave")); err == nil || !strings.Contains(err.Error(), "no saves yet") {
		t.Errorf("export: %v", err)
	}
	if _, err := run("import", game); err == nil || !strings.Contains(err.Error(), "no usable file of saves") {
		t.Errorf("import: %v", err)
	}
	for _, args := range [][]string{{"where", game}, {"export", game}, {"import"}, {"import", game, game}} {
		if _, err := run(args...); err == nil || !strings.Contains(err.Error(), "takes") {
			t.Errorf("%v: %v", args, err)
		}
	}
}
