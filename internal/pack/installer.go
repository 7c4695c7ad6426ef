package pack

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
)

// What an installer does on a computer without WebView2, besides a path to Microsoft's bootstrapper.
const (
	WebView2Link = "link" // offer Microsoft's download page; the default
	WebView2Skip = "skip" // nothing; the game says what is missing when it starts
)

// maxInstaller is how much NSIS takes, with room for its own tables.
const maxInstaller = 2_000_000_000

//go:embed installer.nsi
var installerText string

var installerTemplate = template.Must(template.New("installer.nsi").Funcs(template.FuncMap{"q": nsisQuote, "in": nsisJoin}).Parse(installerText))

// buildInstaller makes a Windows installer of the program that was finished last, by NSIS: for one player, without an
// administrator.
func (g *game) buildInstaller(ctx context.Context, l Launcher, name string) error {
	total, err := g.windows.Stat()
	if err != nil {
		return err
	}
	size := total.Size()
	if g.sideFile != "" {
		size += g.size
	}
	if size > maxInstaller {
		return fmt.Errorf("--installer: %d bytes are more than the 2 GB that an NSIS installer holds; give players the program itself", size)
	}
	dir, err := os.MkdirTemp("", "conch-installer-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	f, err := g.out.temp()
	if err != nil {
		return err
	}
	script, err := g.installerScript(dir, f.Name(), size)
	if err != nil {
		return err
	}
	if err := runNSIS(ctx, dir, script); err != nil {
		return err
	}
	return g.out.rename(f.Name(), name)
}

func (g *game) installerScript(dir, out string, size int64) ([]byte, error) {
	data := struct {
		Name, Publisher, ID, Version, Numbers string
		Program, ProgramName, Shortcut, Icon  string
		Side, SideName                        string
		Bootstrapper, Out                     string
		Link                                  bool
		KiB                                   int64
	}{
		Name: g.name, Publisher: g.publisher(), ID: g.id, Version: g.version, Numbers: fourNumbers(g.version),
		Program: g.windows.Name(), ProgramName: g.file + ".exe", Shortcut: g.file, Out: out, KiB: (size + 1023) / 1024,
		Link: g.opts.WebView2 == "" || g.opts.WebView2 == WebView2Link,
	}
	if g.sideFile != "" {
		data.Side, data.SideName = g.packed.Name(), g.sideFile
	}
	if !data.Link && g.opts.WebView2 != WebView2Skip {
		data.Bootstrapper = g.opts.WebView2
	}
	if g.icon != nil {
		icon, err := g.windowsIcon()
		if err != nil {
			return nil, err
		}
		data.Icon = filepath.Join(dir, "icon.ico")
		f, err := os.Create(data.Icon)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if err := icon.SaveICO(f); err != nil {
			return nil, fmt.Errorf("icon: %w", err)
		}
	}
	for _, file := range []*string{&data.Program, &data.Side, &data.Icon, &data.Bootstrapper, &data.Out} {
		if *file == "" {
			continue
		}
		abs, err := filepath.Abs(*file)
		if err != nil {
			return nil, err
		}
		*file = abs
	}
	var b bytes.Buffer
	b.WriteString("\ufeff") // NSIS reads the script as UTF-8
	err := installerTemplate.Execute(&b, data)
	return b.Bytes(), err
}

// checkInstaller finds out before the work what an installer would lack at its end.
func checkInstaller(o Options) error {
	if !o.Installer {
		return nil
	}
	if _, err := exec.LookPath("makensis"); err != nil {
		return errors.New("--installer needs NSIS: install the package nsis (Debian, Ubuntu), makensis (Homebrew) or NSIS from nsis.sourceforge.io, so that makensis is found")
	}
	switch o.WebView2 {
	case "", WebView2Link, WebView2Skip:
		return nil
	}
	if info, err := os.Stat(o.WebView2); err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("--webview2 %q: write %s, %s or the path of MicrosoftEdgeWebview2Setup.exe", o.WebView2, WebView2Link, WebView2Skip)
	}
	return nil
}

// runNSIS compiles a script. The time in the installer is that of all packed files.
func runNSIS(ctx context.Context, dir string, script []byte) error {
	file := filepath.Join(dir, "installer.nsi")
	if err := os.WriteFile(file, script, 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "makensis", "-V2", "-WX", "-NOCD", file)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", longAgo.Unix()), "LC_ALL=C.UTF-8")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("makensis: %w\n%s", err, bytes.TrimSpace(out))
	}
	return nil
}

// nsisQuote writes a text as one argument of an NSIS script, with nothing in it that NSIS would take for its own.
func nsisQuote(s string) string { return `"` + nsisText(s) + `"` }

// nsisJoin writes one argument that has a text between two parts of the script.
func nsisJoin(before, text string, after ...string) string {
	return `"` + before + nsisText(text) + strings.Join(after, "") + `"`
}

func nsisText(s string) string {
	return strings.NewReplacer("${", "$$${U+7B}", "$", "$$", `"`, `$\"`, "\n", " ", "\r", " ", "\t", " ", "`", "'").Replace(s)
}

var numbers = regexp.MustCompile(`\d{1,5}`)

// fourNumbers is a version in the form that Windows keeps beside the text.
func fourNumbers(version string) string {
	found := append(numbers.FindAllString(version, 4), "0", "0", "0", "0")
	for i, n := range found[:4] {
		found[i] = strings.TrimLeft(n, "0")
		if found[i] == "" {
			found[i] = "0"
		}
		if len(found[i]) == 5 && found[i] > "65535" {
			found[i] = "65535"
		}
	}
	return strings.Join(found[:4], ".")
}
