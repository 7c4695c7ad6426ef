package pack

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tc-hib/winres"
	"github.com/tc-hib/winres/version"

	"conch/runtime/bundle"
)

// windowsManifest asks for the common controls of the permission question, sharp windows on every monitor, long paths
// and UTF-8 in the interfaces that take bytes.
const windowsManifest = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<assembly xmlns="urn:schemas-microsoft-com:asm.v1" manifestVersion="1.0">
  <compatibility xmlns="urn:schemas-microsoft-com:compatibility.v1">
    <application>
      <supportedOS Id="{8e0f7a12-bfb3-4fe8-b9a5-48fd50a15a9a}"/>
    </application>
  </compatibility>
  <application xmlns="urn:schemas-microsoft-com:asm.v3">
    <windowsSettings>
      <dpiAware xmlns="http://schemas.microsoft.com/SMI/2005/WindowsSettings">true</dpiAware>
      <dpiAwareness xmlns="http://schemas.microsoft.com/SMI/2016/WindowsSettings">permonitorv2,permonitor,system</dpiAwareness>
      <longPathAware xmlns="http://schemas.microsoft.com/SMI/2016/WindowsSettings">true</longPathAware>
      <activeCodePage xmlns="http://schemas.microsoft.com/SMI/2019/WindowsSettings">UTF-8</activeCodePage>
    </windowsSettings>
  </application>
  <trustInfo xmlns="urn:schemas-microsoft-com:asm.v3">
    <security>
      <requestedPrivileges>
        <requestedExecutionLevel level="asInvoker" uiAccess="false"/>
      </requestedPrivileges>
    </security>
  </trustInfo>
  <dependency>
    <dependentAssembly>
      <assemblyIdentity type="win32" name="Microsoft.Windows.Common-Controls" version="6.0.0.0" processorArchitecture="*" publicKeyToken="6595b64144ccf1df" language="*"/>
    </dependentAssembly>
  </dependency>
</assembly>
`

// windowsIcons are the sizes of the program's icon in pixels.
var windowsIcons = []int{256, 128, 64, 48, 40, 32, 24, 20, 16}

// windowsProgram is the launcher with the game's icon and texts, still without the game.
func (g *game) windowsProgram(l Launcher) ([]byte, error) {
	image, err := l.image()
	if err != nil {
		return nil, err
	}
	rs := &winres.ResourceSet{}
	if err := rs.Set(winres.RT_MANIFEST, winres.ID(1), 0x409, []byte(windowsManifest)); err != nil {
		return nil, err
	}
	if g.icon != nil {
		icon, err := g.windowsIcon()
		if err != nil {
			return nil, err
		}
		const windowIcon = winres.ID(3) // where the window looks for it; as the only one it is the file's icon too
		if err := rs.SetIcon(windowIcon, icon); err != nil {
			return nil, fmt.Errorf("icon: %w", err)
		}
	}
	info, err := g.versionInfo()
	if err != nil {
		return nil, err
	}
	rs.SetVersionInfo(info)
	var out bytes.Buffer
	if err := rs.WriteToEXE(&out, bytes.NewReader(image), winres.WithAuthenticode(winres.RemoveSignature)); err != nil {
		return nil, fmt.Errorf("resources: %w", err)
	}
	program := out.Bytes()
	return program, windowsSubsystem(program)
}

func (g *game) windowsIcon() (*winres.Icon, error) {
	images, err := g.icon.images(windowsIcons)
	if err != nil {
		return nil, err
	}
	icon, err := winres.NewIconFromImages(images)
	if err != nil {
		return nil, fmt.Errorf("icon: %w", err)
	}
	return icon, nil
}

// windowsSubsystem makes the program one without a console. The author's conch.exe has one, and so has no need of a
// launcher of its own.
func windowsSubsystem(program []byte) error {
	const subsystem, gui = 24 + 68, 2
	at := int64(binary.LittleEndian.Uint32(program[0x3c:])) + subsystem
	if at+2 > int64(len(program)) {
		return io.ErrUnexpectedEOF
	}
	binary.LittleEndian.PutUint16(program[at:], gui)
	return nil
}

func (g *game) versionInfo() (version.Info, error) {
	var info version.Info
	const english = version.LangDefault
	for _, v := range []struct{ key, value string }{
		{version.FileDescription, g.name}, {version.ProductName, g.name}, {version.CompanyName, g.app.Company},
		{version.LegalCopyright, g.app.Copyright}, {version.Comments, g.app.Description},
		{version.OriginalFilename, g.file + ".exe"}, {version.InternalName, g.id},
	} {
		if v.value == "" {
			continue
		}
		if err := info.Set(english, v.key, v.value); err != nil {
			return info, err
		}
	}
	if g.version != "" {
		info.SetFileVersion(g.version)
		info.SetProductVersion(g.version)
	}
	return info, nil
}

func (g *game) buildWindows(ctx context.Context, l Launcher, name string) error {
	program, err := g.windowsProgram(l)
	if err != nil {
		return err
	}
	f, err := g.out.temp()
	if err != nil {
		return err
	}
	if err := g.writeProgram(ctx, f, l.Target, program); err != nil {
		return err
	}
	if err := checkProgram(f); err != nil {
		return err
	}
	g.windows = f
	return g.out.rename(f.Name(), name)
}

// programSize is how long the launcher is with the game.
func (g *game) programSize(image []byte) int64 {
	before, _, size, after := g.payload(int64(len(image)))
	return int64(len(image)+len(before)+len(after)) + size
}

// writeProgram writes a launcher and the game behind it.
func (g *game) writeProgram(ctx context.Context, w io.Writer, target string, image []byte) error {
	before, game, size, after := g.payload(int64(len(image)))
	for _, part := range [][]byte{image, before} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	err := copyAll(ctx, w, game, size, func(done int64) { g.opts.Progress(target, done, size) })
	if err != nil {
		return err
	}
	_, err = w.Write(after)
	return err
}

// checkProgram makes sure that the game is found in a finished program.
func checkProgram(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	x, err := bundle.ReadExecutable(f, info.Size())
	if err == nil && x.Payload == nil {
		err = errors.New("the finished program has no game in it")
	}
	return err
}
