package pack

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/blacktop/go-macho"
	"github.com/blacktop/go-macho/pkg/codesign"
	codesigntypes "github.com/blacktop/go-macho/pkg/codesign/types"
	"github.com/blacktop/go-macho/types"
	"github.com/jackmordaunt/icns/v3"
)

// buildDarwin makes Name.app in a zip. The game is a file of the app, so nothing is appended to the program, and all of
// it is sealed by an ad-hoc signature: without one macOS calls the app damaged, with one it is an app of an unknown
// developer until its author signs it.
func (g *game) buildDarwin(ctx context.Context, l Launcher, name string) error {
	image, err := l.image()
	if err != nil {
		return err
	}
	sealed, err := g.gameSums(ctx)
	if err != nil {
		return err
	}
	seals := []seal{sealed}
	var icon []byte
	if g.icon != nil {
		picture, err := g.icon.draw(1024)
		if err != nil {
			return err
		}
		var out bytes.Buffer
		if err := icns.NewEncoder(&out).WithAlgorithm(icns.Lanczos3).Encode(picture); err != nil {
			return fmt.Errorf("icon: %w", err)
		}
		icon = out.Bytes()
		seals = append(seals, sealOf("Resources/icon.icns", icon))
	}
	info, resources := g.infoPlist(), codeResources(seals)
	program, err := signAdHoc(image, g.bundleID(), info, resources)
	if err != nil {
		return fmt.Errorf("sign: %w", err)
	}
	f, err := g.out.temp()
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(f, 1<<20)
	w := &appWriter{zip: zip.NewWriter(buffered), compressor: newCompressor(), root: g.file + ".app/Contents/"}
	w.file("Info.plist", 0o644, info)
	w.file("MacOS/"+g.file, 0o755, program)
	w.file("PkgInfo", 0o644, []byte("APPL????"))
	if w.err == nil {
		w.err = w.storeGame(ctx, g, sealed, func(done int64) { g.opts.Progress(l.Target, done, g.size) })
	}
	if icon != nil {
		w.file("Resources/icon.icns", 0o644, icon)
	}
	w.file("_CodeSignature/CodeResources", 0o644, resources)
	if w.err == nil {
		w.err = w.zip.Close()
	}
	if w.err == nil {
		w.err = buffered.Flush()
	}
	if w.err != nil {
		return w.err
	}
	return g.out.rename(f.Name(), name)
}

// appWriter writes the zip of an app. The first error stays in err.
type appWriter struct {
	zip        *zip.Writer
	compressor *compressor
	root       string
	err        error
}

func (w *appWriter) file(name string, mode fs.FileMode, data []byte) {
	if w.err != nil {
		return
	}
	var packed bytes.Buffer
	if w.err = w.compressor.block(&packed, data, true); w.err != nil {
		return
	}
	h := newHeader(w.root+name, zip.Deflate)
	h.SetMode(mode)
	h.CRC32 = crc32.ChecksumIEEE(data)
	h.CompressedSize64, h.UncompressedSize64 = uint64(packed.Len()), uint64(len(data))
	out, err := w.zip.CreateRaw(h)
	if err == nil {
		_, err = out.Write(packed.Bytes())
	}
	w.err = err
}

// storeGame copies the bundle into the archive as it is.
func (w *appWriter) storeGame(ctx context.Context, g *game, sealed seal, progress func(done int64)) error {
	out, err := createStored(w.zip, newHeader(w.root+sealed.name, zip.Store), g.size, sealed.crc)
	if err != nil {
		return err
	}
	return copyAll(ctx, out, g.bundleReader(), g.size, progress)
}

// seal is what a signature says about one file of the app.
type seal struct {
	name         string // below Contents
	sha1, sha256 []byte
	crc          uint32
}

func sealOf(name string, data []byte) seal {
	old, sum := sha1.Sum(data), sha256.Sum256(data)
	return seal{name: name, sha1: old[:], sha256: sum[:]}
}

// gameSums reads the bundle once for all of its sums.
func (g *game) gameSums(ctx context.Context) (seal, error) {
	old, sum, crc := sha1.New(), sha256.New(), crc32.NewIEEE()
	_, err := io.Copy(io.MultiWriter(old, sum, crc), contextReader{ctx, g.bundleReader()})
	return seal{name: "Resources/game.conch", sha1: old.Sum(nil), sha256: sum.Sum(nil), crc: crc.Sum32()}, err
}

// signAdHoc seals a program, its Info.plist and the list of the app's files.
func signAdHoc(image []byte, id string, info, resources []byte) ([]byte, error) {
	m, err := macho.NewFile(bytes.NewReader(image))
	if err != nil {
		return nil, err
	}
	defer m.Close()
	sum := sha256.Sum256(resources)
	err = m.CodeSign(&codesign.Config{ID: id, Flags: codesigntypes.ADHOC, InfoPlist: info, ResourceDirSlotHash: sum[:]})
	if err != nil {
		return nil, err
	}
	var saved bytes.Buffer
	if err := m.SaveBuffer(&saved); err != nil {
		return nil, err
	}
	// The library writes segments one after the other, and linkers leave room between them. Only what signing changes
	// is taken from it: the header with its commands, and the last segment with the signature at its end.
	const header = 32
	commands, last := header+int(m.SizeCommands), m.Segment("__LINKEDIT")
	crowded := slices.ContainsFunc(m.Sections, func(s *types.Section) bool { return s.Offset > 0 && int(s.Offset) < commands })
	if crowded || last == nil || last.Offset > uint64(len(image)) || last.Filesz > uint64(saved.Len()) || commands > int(last.Offset) {
		return nil, errors.New("the launcher is laid out in an unknown way")
	}
	out := slices.Concat(saved.Bytes()[:commands], image[commands:last.Offset], saved.Bytes()[uint64(saved.Len())-last.Filesz:])
	return out, nil
}

// bundleID is the program's name among all programs of macOS: letters, digits, dots and dashes.
func (g *game) bundleID() string { return strings.ReplaceAll(g.id, "_", "-") }

// minMacOS is what the Go release that Conch is built with asks for.
const minMacOS = "12.0"

var versionNumbers = regexp.MustCompile(`^v?(\d{1,9}(?:\.\d{1,9}){0,2})`)

// infoPlist tells macOS what the app is and why it may ask the player for something.
func (g *game) infoPlist() []byte {
	number := "1.0"
	if m := versionNumbers.FindStringSubmatch(g.version); m != nil {
		number = m[1]
	}
	p := newPlist()
	p.text("CFBundleDevelopmentRegion", "en")
	p.text("CFBundleDisplayName", g.name)
	p.text("CFBundleExecutable", g.file)
	if g.icon != nil {
		p.text("CFBundleIconFile", "icon")
	}
	p.text("CFBundleIdentifier", g.bundleID())
	p.text("CFBundleInfoDictionaryVersion", "6.0")
	p.text("CFBundleName", g.name)
	p.text("CFBundlePackageType", "APPL")
	p.text("CFBundleShortVersionString", number)
	p.text("CFBundleVersion", number)
	p.text("LSApplicationCategoryType", "public.app-category.games")
	if g.bundle.Isolated() { // threads of the game share memory
		p.raw("LSEnvironment", "<dict><key>__XPC_JSC_useSharedArrayBuffer</key><string>1</string></dict>")
	}
	p.text("LSMinimumSystemVersion", minMacOS)
	p.raw("NSAppTransportSecurity", "<dict><key>NSAllowsLocalNetworking</key><true/></dict>")
	p.raw("NSHighResolutionCapable", "<true/>")
	if g.app.Copyright != "" {
		p.text("NSHumanReadableCopyright", g.app.Copyright)
	}
	p.text("NSLocalNetworkUsageDescription", g.name+" connects to game servers in your network when you choose one.")
	for _, ask := range []struct{ permission, key, text string }{
		{"camera", "NSCameraUsageDescription", " uses the camera in the game."},
		{"microphone", "NSMicrophoneUsageDescription", " uses the microphone in the game."},
		{"geolocation", "NSLocationUsageDescription", " uses your location in the game."},
	} {
		if slices.Contains(g.bundle.Manifest.Web.Permissions, ask.permission) {
			p.text(ask.key, g.name+ask.text)
		}
	}
	return p.end()
}

// codeResources lists the app's files with their digests and the rules by which they are listed. The rules are those
// that Apple's codesign writes.
func codeResources(seals []seal) []byte {
	slices.SortFunc(seals, func(a, b seal) int { return strings.Compare(a.name, b.name) })
	var files, files2 strings.Builder
	for _, s := range seals {
		old, sum := base64.StdEncoding.EncodeToString(s.sha1), base64.StdEncoding.EncodeToString(s.sha256)
		fmt.Fprintf(&files, "<key>%s</key><data>%s</data>", s.name, old)
		fmt.Fprintf(&files2, "<key>%s</key><dict><key>hash</key><data>%s</data><key>hash2</key><data>%s</data></dict>", s.name, old, sum)
	}
	const (
		optional = `<dict><key>optional</key><true/><key>weight</key><real>%d</real></dict>`
		omit     = `<dict><key>omit</key><true/><key>weight</key><real>%d</real></dict>`
	)
	lproj := "<key>^Resources/.*\\.lproj/</key>" + fmt.Sprintf(optional, 1000) +
		"<key>^Resources/.*\\.lproj/locversion.plist$</key>" + fmt.Sprintf(omit, 1100) +
		"<key>^Resources/Base\\.lproj/</key><dict><key>weight</key><real>1010</real></dict>"
	p := newPlist()
	p.raw("files", "<dict>"+files.String()+"</dict>")
	p.raw("files2", "<dict>"+files2.String()+"</dict>")
	p.raw("rules", "<dict><key>^Resources/</key><true/>"+lproj+"<key>^version.plist$</key><true/></dict>")
	p.raw("rules2", "<dict><key>.*\\.dSYM($|/)</key><dict><key>weight</key><real>11</real></dict>"+
		"<key>^(.*/)?\\.DS_Store$</key>"+fmt.Sprintf(omit, 2000)+
		"<key>^.*</key><true/>"+
		"<key>^(Frameworks|SharedFrameworks|PlugIns|Plug-ins|XPCServices|Helpers|MacOS|Library/(Automator|Spotlight|LoginItems))/</key>"+
		"<dict><key>nested</key><true/><key>weight</key><real>10</real></dict>"+
		"<key>^Info\\.plist$</key>"+fmt.Sprintf(omit, 20)+
		"<key>^PkgInfo$</key>"+fmt.Sprintf(omit, 20)+
		"<key>^Resources/</key><dict><key>weight</key><real>20</real></dict>"+lproj+
		"<key>^[^/]+$</key><dict><key>nested</key><true/><key>weight</key><real>10</real></dict>"+
		"<key>^embedded\\.provisionprofile$</key><dict><key>weight</key><real>20</real></dict>"+
		"<key>^version\\.plist$</key><dict><key>weight</key><real>20</real></dict></dict>")
	return p.end()
}

// plist writes a property list of one dictionary.
type plist struct{ bytes.Buffer }

func newPlist() *plist {
	p := &plist{}
	p.WriteString(xml.Header + "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<plist version=\"1.0\">\n<dict>\n")
	return p
}

func (p *plist) text(key, value string) {
	var text strings.Builder
	xml.EscapeText(&text, []byte(value))
	p.raw(key, "<string>"+text.String()+"</string>")
}

func (p *plist) raw(key, value string) { fmt.Fprintf(p, "\t<key>%s</key>\n\t%s\n", key, value) }

func (p *plist) end() []byte {
	p.WriteString("</dict>\n</plist>\n")
	return p.Bytes()
}
