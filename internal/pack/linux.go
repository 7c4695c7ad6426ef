package pack

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
)

// linuxIcons are the sizes in pixels that desktops look for.
var linuxIcons = []int{16, 24, 32, 48, 64, 128, 256, 512}

// longAgo is the time of every file in an archive: the same game gives the same bytes.
var longAgo = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// buildLinux makes a folder with the program, what desktops want to know about it, and icons, in a .tar.gz.
func (g *game) buildLinux(ctx context.Context, l Launcher, name string) error {
	image, err := l.image()
	if err != nil {
		return err
	}
	f, err := g.out.temp()
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(f, 1<<20)
	t := newTarball(buffered)
	t.file(g.file+"/"+g.file, 0o755, g.programSize(image), func(w io.Writer) error { return g.tarProgram(ctx, t, w, l, image) })
	if g.sideFile != "" {
		t.file(g.file+"/"+g.sideFile, 0o644, g.size, func(w io.Writer) error { return g.tarSide(ctx, t, w, l) })
	}
	t.text(g.file+"/"+g.file+".desktop", 0o755, g.desktopBeside())
	t.text(g.file+"/share/metainfo/"+g.id+".metainfo.xml", 0o644, g.metainfo())
	if g.icon != nil {
		for _, size := range linuxIcons {
			picture, err := g.icon.png(size)
			if err != nil {
				return err
			}
			t.text(g.file+"/share/"+g.iconPath(size), 0o644, picture)
		}
	}
	if err := t.close(); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	return g.out.rename(f.Name(), name)
}

// tarProgram writes the program into a tarball. The game in it is compressed already.
func (g *game) tarProgram(ctx context.Context, t *tarball, w io.Writer, l Launcher, image []byte) error {
	before, game, size, after := g.payload(int64(len(image)))
	if _, err := w.Write(append(image, before...)); err != nil {
		return err
	}
	t.level(gzip.NoCompression)
	err := copyAll(ctx, w, game, size, func(done int64) { g.opts.Progress(l.Target, done, size) })
	t.level(gzip.DefaultCompression)
	if err == nil {
		_, err = w.Write(after)
	}
	return err
}

// tarSide writes the file beside the program into a tarball.
func (g *game) tarSide(ctx context.Context, t *tarball, w io.Writer, l Launcher) error {
	t.level(gzip.NoCompression)
	defer t.level(gzip.DefaultCompression)
	return copyAll(ctx, w, g.bundleReader(), g.size, func(done int64) { g.opts.Progress(l.Target, done, g.size) })
}

// iconPath is where an icon belongs below a share folder.
func (g *game) iconPath(size int) string {
	return path.Join("icons", "hicolor", fmt.Sprintf("%dx%d", size, size), "apps", g.id+".png")
}

// desktopBeside is a desktop file that starts the program beside it, wherever the folder is: %k is the desktop file's
// own place. Launchers that do not know it leave it out, and then it is the current folder.
func (g *game) desktopBeside() []byte {
	return g.desktop(`sh -c "exec \"\$(dirname \"\$2\")/\$1\"" sh ` + execQuote(g.file) + ` %k`)
}

// desktop is the desktop file of the game with the given command.
func (g *game) desktop(command string) []byte {
	var b bytes.Buffer
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s=%s\n", key, desktopEscape(value))
		}
	}
	b.WriteString("[Desktop Entry]\nVersion=1.0\nType=Application\n")
	line("Name", g.name)
	line("Comment", g.app.Description)
	line("Exec", command)
	if g.icon != nil {
		line("Icon", g.id)
	}
	b.WriteString("Terminal=false\n")
	fmt.Fprintf(&b, "Categories=%s;\n", strings.Join(append([]string{"Game"}, g.app.Categories...), ";"))
	return b.Bytes()
}

// desktopEscape writes a value of a desktop file (Desktop Entry Specification 1.5, section 4).
func desktopEscape(s string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\t", `\t`, "\r", `\r`).Replace(s)
}

// execQuote writes one argument of an Exec line (section 7); desktopEscape comes on top.
func execQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`", `$`, `\$`, `%`, `%%`).Replace(s) + `"`
}

// summary is one sentence about the game.
func (g *game) summary() string {
	if g.app.Description != "" {
		return g.app.Description
	}
	return g.name
}

// publisher is who the system names as the game's maker.
func (g *game) publisher() string {
	if g.app.Company != "" {
		return g.app.Company
	}
	return g.name
}

// metainfo tells software centres about the game (AppStream 1.0).
func (g *game) metainfo() []byte {
	summary := g.summary()
	short := strings.TrimRight(summary, ".")
	var b bytes.Buffer
	text := func(tag, s string) {
		fmt.Fprintf(&b, "%s", "  <"+tag+">")
		xml.EscapeText(&b, []byte(s))
		name, _, _ := strings.Cut(tag, " ")
		fmt.Fprintf(&b, "</%s>\n", name)
	}
	b.WriteString(xml.Header + "<component type=\"desktop-application\">\n")
	text("id", g.id)
	text("name", g.name)
	text("summary", short)
	text("metadata_license", "CC0-1.0")
	text("project_license", "LicenseRef-proprietary")
	if g.app.Company != "" {
		fmt.Fprintf(&b, "  <developer id=\"%s\">\n  ", slug(g.app.Company))
		text("name", g.app.Company)
		b.WriteString("  </developer>\n")
	}
	b.WriteString("  <description>\n  ")
	text("p", summary)
	b.WriteString("  </description>\n")
	text(`launchable type="desktop-id"`, g.id+".desktop")
	b.WriteString("  <content_rating type=\"oars-1.1\"/>\n</component>\n")
	return b.Bytes()
}

// tarball writes a .tar.gz. The first error stays and is close's answer.
type tarball struct {
	out io.Writer
	gz  *gzip.Writer
	tar *tar.Writer
	err error
}

func newTarball(out io.Writer) *tarball {
	t := &tarball{out: out}
	t.level(gzip.DefaultCompression)
	t.tar = tar.NewWriter(t)
	return t
}

// Write is the tar writer's way through the gzip writer of the moment.
func (t *tarball) Write(b []byte) (int, error) { return t.gz.Write(b) }

// level goes on with another compression. That begins a new member of the gzip file; readers join them.
func (t *tarball) level(level int) {
	if t.gz != nil && t.err == nil {
		t.err = t.gz.Close()
	}
	gz, err := gzip.NewWriterLevel(t.out, level)
	if t.err == nil {
		t.err = err
	}
	t.gz = gz
}

func (t *tarball) file(name string, mode, size int64, write func(w io.Writer) error) {
	if t.err != nil {
		return
	}
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: size, ModTime: longAgo}
	if t.err = t.tar.WriteHeader(h); t.err != nil {
		return
	}
	if err := write(t.tar); t.err == nil {
		t.err = err
	}
}

func (t *tarball) folder(name string) {
	if t.err == nil {
		t.err = t.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: 0o755, ModTime: longAgo})
	}
}

func (t *tarball) link(name, to string) {
	if t.err == nil {
		t.err = t.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: to, Mode: 0o777, ModTime: longAgo})
	}
}

func (t *tarball) text(name string, mode int64, text []byte) {
	t.file(name, mode, int64(len(text)), func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

func (t *tarball) close() error {
	if t.err == nil {
		t.err = t.tar.Close()
	}
	if t.err == nil {
		t.err = t.gz.Close()
	}
	return t.err
}
