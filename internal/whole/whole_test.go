package whole

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.json")
	for _, row := range []struct {
		name, text string
		mode       os.FileMode
	}{
		{"new", "one", 0o600}, {"replaced", "two", 0o600}, {"empty", "", 0o600}, {"for everybody", "three", 0o644},
	} {
		if err := Write(path, []byte(row.text), row.mode); err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		got, err := os.ReadFile(path)
		info, _ := os.Stat(path)
		if err != nil || string(got) != row.text || runtime.GOOS != "windows" && info.Mode() != row.mode {
			t.Errorf("%s: got %q with mode %v, %v", row.name, got, info.Mode(), err)
		}
	}
}

// What cannot be written leaves the old file, and nothing beside it.
func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(folder, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{folder, filepath.Join(dir, "missing", "x")} {
		if err := Write(path, []byte("x"), 0o600); err == nil {
			t.Errorf("%s: no error", path)
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("left: %v, %v", list, err)
	}
}

// A link in the place of the file is replaced and not followed.
func TestWriteOverALink(t *testing.T) {
	dir := t.TempDir()
	victim, path := filepath.Join(dir, "victim"), filepath.Join(dir, "state")
	if err := os.WriteFile(victim, []byte("still here"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, path); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != "still here" {
		t.Errorf("the file behind the link: %q, %v", text, err)
	}
}

func TestWritable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := Writable(dir); err != nil {
		t.Error(err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 0 {
		t.Errorf("left: %v, %v", list, err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if Writable(file) == nil || Writable(filepath.Join(file, "x")) == nil {
		t.Error("a file is no folder")
	}
}
