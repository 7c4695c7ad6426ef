package app

import (
	"path/filepath"
	"testing"
)

func TestDataHome(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("CONCH_DATA", "")
	for xdg, want := range map[string]string{
		"": filepath.Join(home, ".local/share/conch"), "relative": filepath.Join(home, ".local/share/conch"), "/data": "/data/conch",
	} {
		t.Setenv("XDG_DATA_HOME", xdg)
		if got, err := DataDir(); got != want || err != nil {
			t.Errorf("XDG_DATA_HOME=%q: got %q, %v", xdg, got, err)
		}
	}
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("HOME", "")
	if got, err := DataDir(); err == nil {
		t.Errorf("without a home: %q", got)
	}
}
