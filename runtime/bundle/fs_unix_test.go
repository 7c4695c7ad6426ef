//go:build unix

package bundle

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe in the folder must not block whoever opens it.
func TestFolderRefusesPipes(t *testing.T) {
	dir := folder(t, files{"index.html": plainPage})
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.js"), 0o644); err != nil {
		t.Fatal(err)
	}
	b := open(t, dir, Options{})
	if f, err := b.FS.Open("pipe.js"); err == nil {
		f.Close()
		t.Fatal("a pipe was opened")
	}
	found := false
	for _, p := range b.Inspect().Problems {
		found = found || p.File == "pipe.js"
	}
	if !found {
		t.Error("Inspect does not mention the pipe")
	}
}
