//go:build unix

package bundle

import (
	"errors"
	"os"
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

// Nor does a pipe that is given as the game, or that lies where the game of a program should.
func TestPipeIsNoGame(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "x")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(pipe, Options{}); !errors.Is(err, ErrNotGame) {
		t.Errorf("a pipe: %v", err)
	}
	file := filepath.Join(dir, "game")
	if err := os.WriteFile(file, program(images["linux"], Payload{Length: 1, Side: true, SideSize: 3}, []byte("x")), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Open(file, Options{})
	wantError(t, err, "beside the program", "not a regular file")
}
