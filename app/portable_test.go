package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPortableIn(t *testing.T) {
	for _, row := range []struct {
		name    string
		files   map[string]string
		want    string
		wantErr bool
	}{
		{"nothing beside it", nil, "", false},
		{"the file", map[string]string{PortableFile: ""}, portableFolder, false},
		{"the file with text", map[string]string{PortableFile: "yes"}, portableFolder, false},
		{"data only", map[string]string{portableFolder + "/x": ""}, "", false},
		{"no folder can be made", map[string]string{PortableFile: "", portableFolder: "in the way"}, "", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range row.files {
				if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
					t.Fatal(err)
				}
				put(t, filepath.Join(dir, name), text)
			}
			got, err := portableIn(dir)
			if row.wantErr {
				if err == nil || !strings.Contains(err.Error(), PortableFile) || !strings.Contains(err.Error(), "cannot be written") {
					t.Errorf("got %v", err)
				}
				return
			}
			want := row.want
			if want != "" {
				want = filepath.Join(dir, want)
			}
			if got != want || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, want)
			}
			if list, _ := os.ReadDir(got); got != "" && len(list) > 0 {
				t.Errorf("left in the folder: %v", list)
			}
		})
	}
}

// TestPortableProgram: the file is looked for beside the program that runs, and CONCH_DATA comes first.
func TestPortableProgram(t *testing.T) {
	t.Setenv("CONCH_DATA", "")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	beside := filepath.Dir(exe)
	want := makePortable(t, beside)
	if got, err := DataDir(); got != want || err != nil {
		t.Errorf("data folder %q, %v, want %q", got, err, want)
	}
	if !isPortable(want) || isPortable(beside) {
		t.Error("the wrong folder is the portable one")
	}
	t.Setenv("CONCH_DATA", beside)
	if got, err := DataDir(); got != beside || err != nil {
		t.Errorf("with CONCH_DATA: %q, %v", got, err)
	}
	if dir, err := Portable(); dir != "" || err != nil {
		t.Errorf("with CONCH_DATA: portable in %q, %v", dir, err)
	}
}

// makePortable makes the program in dir portable until the test ends, and answers where its data is.
func makePortable(t *testing.T, dir string) string {
	t.Helper()
	put(t, filepath.Join(dir, PortableFile), "")
	data := filepath.Join(dir, portableFolder)
	t.Cleanup(func() {
		os.Remove(filepath.Join(dir, PortableFile))
		os.RemoveAll(data)
	})
	return data
}
