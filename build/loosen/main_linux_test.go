package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// library is linked into program, as WebKitGTK is into conch.
const library = `
int answer_data = 7;
int answer(void) { return 42; }
`

// program works without the library until it calls it. take is a function whose address is asked for at start.
const program = `
#include <dlfcn.h>
#include <stdio.h>
int answer(void);
int (*volatile take)(void) = answer;
int main(int argc, char **argv) {
	if (!dlopen("libconchanswer.so.1", RTLD_NOW | RTLD_GLOBAL)) {
		puts("missing");
		return 0;
	}
	printf("answer %d\n", answer());
	return 0;
}
`

func gcc(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("gcc %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func write(t *testing.T, file, text string) string {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// build makes the library and the program linked to it.
func build(t *testing.T, flags ...string) (exe, libs string) {
	t.Helper()
	dir := t.TempDir()
	libs = filepath.Join(dir, "libs")
	if err := os.Mkdir(libs, 0o700); err != nil {
		t.Fatal(err)
	}
	so := filepath.Join(libs, "libconchanswer.so.1")
	exe = filepath.Join(dir, "program")
	gcc(t, "-shared", "-fPIC", "-Wl,-soname,libconchanswer.so.1", "-o", so, write(t, filepath.Join(dir, "library.c"), library))
	args := append([]string{"-o", exe, write(t, filepath.Join(dir, "program.c"), program), so, "-Wl,-z,lazy", "-ldl"}, flags...)
	gcc(t, args...)
	return exe, libs
}

// run starts the program with the library to be found in libs, "" for nowhere.
func run(exe, libs string) (string, error) {
	cmd := exec.Command(exe)
	cmd.Env = []string{"LD_LIBRARY_PATH=" + libs, "LC_ALL=C"}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestLoosenedProgramStartsWithoutTheLibrary(t *testing.T) {
	for name, flags := range map[string][]string{"position independent": {"-fPIE", "-pie"}, "at a fixed address": {"-fno-pie", "-no-pie"}} {
		t.Run(name, func(t *testing.T) {
			exe, libs := build(t, flags...)
			if out, err := run(exe, libs); err != nil || out != "answer 42\n" {
				t.Fatalf("as linked: %q, %v", out, err)
			}
			if out, err := run(exe, ""); err == nil {
				t.Fatalf("as linked, without the library: %q", out)
			}
			for range 2 { // what is loose already stays so
				if err := loosen(exe); err != nil {
					t.Fatal(err)
				}
				if out, err := run(exe, ""); err != nil || out != "missing\n" {
					t.Errorf("without the library: %q, %v", out, err)
				}
				if out, err := run(exe, libs); err != nil || out != "answer 42\n" {
					t.Errorf("with the library: %q, %v", out, err)
				}
			}
		})
	}
}

func TestWhatCannotBeLoosened(t *testing.T) {
	dir := t.TempDir()
	start := write(t, filepath.Join(dir, "start.c"), "void _start(void) { for (;;); }")
	static, object := filepath.Join(dir, "static"), filepath.Join(dir, "start.o")
	gcc(t, "-static", "-nostdlib", "-no-pie", "-o", static, start)
	gcc(t, "-c", "-o", object, start)
	for name, row := range map[string]struct{ file, want string }{
		"static program": {static, "not a dynamically linked program"},
		"object file":    {object, "not a dynamically linked program"},
		"script":         {write(t, filepath.Join(dir, "script"), "#!/bin/sh\nexit 0\n"), "bad magic"},
		"empty file":     {write(t, filepath.Join(dir, "empty"), ""), ""},
		"cut file":       {write(t, filepath.Join(dir, "cut"), "\x7fELF\x02\x01\x01"), ""},
		"32 bit program": {write(t, filepath.Join(dir, "small"), "\x7fELF\x01\x01\x01"+strings.Repeat("\x00", 9)+"\x02\x00\x03\x00\x01\x00\x00\x00"+strings.Repeat("\x00", 28)), ""},
		"folder":         {dir, ""},
	} {
		t.Run(name, func(t *testing.T) {
			before, _ := os.ReadFile(row.file)
			if err := loosen(row.file); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, want %q", err, row.want)
			}
			if after, _ := os.ReadFile(row.file); string(after) != string(before) {
				t.Error("the file was changed")
			}
		})
	}
	if err := loosen(filepath.Join(dir, "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
}
