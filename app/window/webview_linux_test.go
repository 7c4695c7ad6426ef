package window

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestPermissionBits(t *testing.T) {
	for _, row := range []struct {
		names []string
		want  uint
	}{
		{nil, 0},
		{[]string{"camera"}, 1},
		{[]string{"microphone"}, 2},
		{[]string{"geolocation"}, 4},
		{[]string{"notifications"}, 8},
		{[]string{"clipboard-read"}, 16},
		{[]string{"midi"}, 0}, // the engine has none
		{[]string{"camera", "camera", "microphone"}, 3},
		{[]string{"", "all", "*", "Camera"}, 0},
	} {
		if got := uint(permissionBits(row.names)); got != row.want {
			t.Errorf("%q: got %b, want %b", row.names, got, row.want)
		}
	}
}

func TestNvidia(t *testing.T) {
	dir := t.TempDir()
	if got := nvidia(dir); got != "1" {
		t.Errorf("with the module: %q", got)
	}
	if got := nvidia(filepath.Join(dir, "nvidia")); got != "" {
		t.Errorf("without the module: %q", got)
	}
}

func TestSetDefaultEnv(t *testing.T) {
	const key = "CONCH_TEST_DEFAULT"
	t.Setenv(key, "") // restored at the end
	setDefaultEnv(key, "1")
	if got := os.Getenv(key); got != "" {
		t.Errorf("the player's empty value became %q", got)
	}
	os.Unsetenv(key)
	setDefaultEnv(key, "")
	if _, set := os.LookupEnv(key); set {
		t.Error("no value was set")
	}
	setDefaultEnv(key, "1")
	if got := os.Getenv(key); got != "1" {
		t.Errorf("got %q", got)
	}
}

// TestBrowserEnvironment: what is set for the engine of the game (an isolated page's shared memory, a portable folder) does
// not reach the browser that a link opens in.
func TestBrowserEnvironment(t *testing.T) {
	bin := t.TempDir()
	pipe := filepath.Join(bin, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte("#!/bin/sh\n/usr/bin/env > "+pipe+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	t.Setenv("JSC_useSharedArrayBuffer", "1")
	t.Setenv("XDG_DATA_HOME", filepath.Join(bin, "conch-data", "engine"))
	if err := openInBrowser("https://example.com/"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(pipe)
	if err != nil || len(got) == 0 {
		t.Fatalf("%q, %v", got, err)
	}
	for _, unwanted := range []string{"JSC_useSharedArrayBuffer=1", "conch-data"} {
		if strings.Contains(string(got), unwanted) {
			t.Errorf("the browser got %s", unwanted)
		}
	}
}

func TestDownloadFolder(t *testing.T) {
	home, bin := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("PATH", bin)
	if got, want := downloadFolder(), filepath.Join(home, "Downloads"); got != want {
		t.Errorf("without xdg-user-dir: got %q, want %q", got, want)
	}
	for _, row := range []struct{ says, want string }{
		{"/data/Загрузки", "/data/Загрузки"},
		{home, filepath.Join(home, "Downloads")}, // what it says when nothing is set
		{home + "/", filepath.Join(home, "Downloads")},
		{"relative", filepath.Join(home, "Downloads")},
		{"", filepath.Join(home, "Downloads")},
	} {
		script := "#!/bin/sh\nprintf '%s\\n' '" + row.says + "'\n"
		if err := os.WriteFile(filepath.Join(bin, "xdg-user-dir"), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		if got := downloadFolder(); got != row.want {
			t.Errorf("xdg-user-dir says %q: got %q, want %q", row.says, got, row.want)
		}
	}
}

func TestEngineErrorSaysHowToGetIt(t *testing.T) {
	var err error = &EngineError{Loader: "no such file"}
	var missing *EngineError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "no such file") || !strings.Contains(err.Error(), "apt install") {
		t.Errorf("got %v", err)
	}
	version, err := EngineVersion()
	if err != nil || !strings.HasPrefix(version, "WebKitGTK 2.") {
		t.Errorf("got %q, %v", version, err)
	}
}
