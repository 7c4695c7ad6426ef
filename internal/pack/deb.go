package pack

import (
	"bufio"
	"bytes"
	"context"
	"crypto/md5"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// buildDeb makes a Debian package (deb(5)): the program in a folder of its own, a command in /usr/games, and what
// desktops want to know. It needs as much memory as a launcher, whatever the size of the game.
func (g *game) buildDeb(ctx context.Context, l Launcher, name string) error {
	image, err := l.image()
	if err != nil {
		return err
	}
	data, err := g.out.temp()
	if err != nil {
		return err
	}
	installed, err := g.debData(ctx, data, l, image)
	if err != nil {
		return err
	}
	control, err := g.debControl(l, image, installed)
	if err != nil {
		return err
	}
	f, err := g.out.temp()
	if err != nil {
		return err
	}
	if err := writeDeb(ctx, f, control, data); err != nil {
		return err
	}
	return g.out.rename(f.Name(), name)
}

// debFile is one installed file. Nothing but the sum is kept of its content.
type debFile struct {
	name string // without the slash in front
	size int64
	md5  string
}

// debData writes data.tar.gz.
func (g *game) debData(ctx context.Context, f *os.File, l Launcher, image []byte) ([]debFile, error) {
	buffered := bufio.NewWriterSize(f, 1<<20)
	t := newTarball(buffered)
	var files []debFile
	folders := map[string]bool{".": true}
	add := func(name string, mode, size int64, write func(w io.Writer) error) {
		t.folders(folders, path.Dir(name))
		sum := md5.New()
		t.file("./"+name, mode, size, func(w io.Writer) error { return write(io.MultiWriter(w, sum)) })
		files = append(files, debFile{name, size, hex.EncodeToString(sum.Sum(nil))})
	}
	text := func(name string, content []byte) {
		add(name, 0o644, int64(len(content)), func(w io.Writer) error {
			_, err := w.Write(content)
			return err
		})
	}
	home := path.Join("usr/lib", g.debName())
	add(path.Join(home, g.file), 0o755, g.programSize(image), func(w io.Writer) error { return g.tarProgram(ctx, t, w, l, image) })
	if g.sideFile != "" {
		add(path.Join(home, g.sideFile), 0o644, g.size, func(w io.Writer) error { return g.tarSide(ctx, t, w, l) })
	}
	t.folders(folders, "usr/games")
	t.link("./usr/games/"+g.debName(), path.Join("../lib", g.debName(), g.file))
	text("usr/share/applications/"+g.id+".desktop", g.desktop(g.debName()))
	text("usr/share/metainfo/"+g.id+".metainfo.xml", g.metainfo())
	text(path.Join("usr/share/doc", g.debName(), "copyright"), []byte(g.debCopyright()))
	if g.icon != nil {
		for _, size := range linuxIcons {
			picture, err := g.icon.png(size)
			if err != nil {
				return nil, err
			}
			text("usr/share/"+g.iconPath(size), picture)
		}
	}
	if err := t.close(); err != nil {
		return nil, err
	}
	return files, buffered.Flush()
}

// debControl writes control.tar.gz.
func (g *game) debControl(l Launcher, image []byte, files []debFile) ([]byte, error) {
	libc, err := glibcVersion(image)
	if err != nil {
		return nil, err
	}
	var kib int64
	var sums bytes.Buffer
	for _, f := range files {
		kib += (f.size + 1023) / 1024
		fmt.Fprintf(&sums, "%s  %s\n", f.md5, f.name)
	}
	var control bytes.Buffer
	for _, line := range [][2]string{
		{"Package", g.debName()}, {"Version", debVersion(g.version)}, {"Architecture", l.Arch},
		{"Maintainer", oneLine(g.publisher())}, {"Installed-Size", fmt.Sprint(kib)},
		{"Depends", "libc6 (>= " + libc + "), libgtk-3-0, libwebkit2gtk-4.1-0"},
		{"Recommends", "gstreamer1.0-plugins-base, gstreamer1.0-plugins-good, gstreamer1.0-libav"},
		{"Section", "games"}, {"Priority", "optional"},
		{"Description", oneLine(g.summary()) + "\n " + oneLine(g.name+", a game by "+g.publisher()) + "."},
	} {
		fmt.Fprintf(&control, "%s: %s\n", line[0], line[1])
	}
	var out bytes.Buffer
	t := newTarball(&out)
	t.text("./control", 0o644, control.Bytes())
	t.text("./md5sums", 0o644, sums.Bytes())
	err = t.close()
	return out.Bytes(), err
}

func (g *game) debCopyright() string {
	notice := g.app.Copyright
	if notice == "" {
		notice = g.publisher()
	}
	return g.name + "\n\n" + notice + "\n\nThe program that runs the game is Conch (MIT license).\n"
}

// debName is the package's name. The id of a game is a good one: no other game has it.
func (g *game) debName() string {
	name := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '.', r == '-', r == '+':
			return r
		}
		return '-'
	}, strings.ToLower(g.id))
	return strings.Trim(name, ".-+")
}

// debVersion is a version as Debian takes it (deb-version(7)), sorting as the author's do: a pre-release comes before
// its release.
func debVersion(version string) string {
	v := strings.TrimPrefix(version, "v")
	if pre := semver.Prerelease("v" + v); pre != "" {
		v = strings.Replace(v, pre, "~"+pre[1:], 1)
	}
	v = strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune(".+~", r):
			return r
		}
		return '.'
	}, v)
	if v == "" || v[0] < '0' || v[0] > '9' {
		return "0." + v + "0"
	}
	return v
}

// glibcVersion is the oldest C library that a program starts with.
func glibcVersion(image []byte) (string, error) {
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return "", err
	}
	symbols, err := f.ImportedSymbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return "", err
	}
	newest := "v2.17"
	for _, s := range symbols {
		if v, ok := strings.CutPrefix(s.Version, "GLIBC_"); ok && semver.Compare("v"+v, newest) > 0 {
			newest = "v" + v
		}
	}
	return newest[1:], nil
}

// writeDeb joins the parts of a package: an ar archive with three members.
func writeDeb(ctx context.Context, w io.Writer, control []byte, data *os.File) error {
	info, err := data.Stat()
	if err != nil {
		return err
	}
	member := func(name string, size int64, content io.Reader) error {
		header := fmt.Sprintf("%-16s%-12d%-6d%-6d%-8s%-10d`\n", name, longAgo.Unix(), 0, 0, "100644", size)
		if _, err := io.WriteString(w, header); err != nil {
			return err
		}
		if err := copyAll(ctx, w, content, size, func(int64) {}); err != nil {
			return err
		}
		_, err := io.WriteString(w, "\n"[:size&1])
		return err
	}
	if _, err := io.WriteString(w, "!<arch>\n"); err != nil {
		return err
	}
	const format = "2.0\n"
	if err := member("debian-binary", int64(len(format)), strings.NewReader(format)); err != nil {
		return err
	}
	if err := member("control.tar.gz", int64(len(control)), bytes.NewReader(control)); err != nil {
		return err
	}
	return member("data.tar.gz", info.Size(), io.NewSectionReader(data, 0, info.Size()))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// folders adds the folders of a path that are not there yet, outermost first.
func (t *tarball) folders(have map[string]bool, dir string) {
	var missing []string
	for ; !have[dir]; dir = path.Dir(dir) {
		have[dir] = true
		missing = append(missing, dir)
	}
	slices.Reverse(missing)
	for _, dir := range missing {
		t.folder("./" + dir + "/")
	}
}
