package pack

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The same game gives the same installer, whatever NSIS would take for its own in the game's texts.
func TestInstaller(t *testing.T) {
	launchers := launchersFor(t, "windows-amd64")
	bootstrapper := filepath.Join(t.TempDir(), "MicrosoftEdgeWebview2Setup.exe")
	if err := os.WriteFile(bootstrapper, []byte("MZ"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i, o := range []Options{
		{}, {WebView2: WebView2Skip}, {WebView2: bootstrapper}, {SideFile: true},
		{Name: "a $\"b\" `c` ${NSISDIR} $INSTDIR 김종환 🎮 !include x; #"},
	} {
		o.Launchers, o.Installer = launchers, true
		made := makeInstaller(t, o)
		if len(made) < 50_000 {
			t.Errorf("%+v: %d bytes", o, len(made))
		}
		if i == 0 && !bytes.Equal(made, makeInstaller(t, o)) {
			t.Error("other bytes the second time")
		}
	}
}

func makeInstaller(t testing.TB, o Options) []byte {
	t.Helper()
	o.Game, o.Out = folder(t, skiff()), t.TempDir()
	run(t, o)
	made, err := os.ReadFile(filepath.Join(o.Out, onlyWith(t, names(t, o.Out), "-setup.exe")))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestInstallerNeeds(t *testing.T) {
	if err := checkInstaller(Options{Installer: true, WebView2: "nowhere.exe"}); err == nil || !strings.Contains(err.Error(), "--webview2") {
		t.Errorf("a bootstrapper that is not there: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if err := checkInstaller(Options{Installer: true}); err == nil || !strings.Contains(err.Error(), "nsis") {
		t.Errorf("no makensis: %v", err)
	}
	if err := checkInstaller(Options{}); err != nil {
		t.Errorf("no installer wanted: %v", err)
	}
}

func TestNSISQuote(t *testing.T) {
	for text, want := range map[string]string{
		"plain": `"plain"`, `$x "y"`: `"$$x $\"y$\""`, "a\nb\tc`d": `"a b c'd"`, "${x}": `"$$${U+7B}x}"`, `back\n`: `"back\n"`,
	} {
		if got := nsisQuote(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestFourNumbers(t *testing.T) {
	for version, want := range map[string]string{
		"": "0.0.0.0", "1.2": "1.2.0.0", "v1.02.3-rc4": "1.2.3.4", "99999.1": "65535.1.0.0", "1.2.3.4.5": "1.2.3.4",
	} {
		if got := fourNumbers(version); got != want {
			t.Errorf("%q: %s, want %s", version, got, want)
		}
	}
}
