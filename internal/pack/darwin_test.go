package pack

import (
	"archive/zip"
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blacktop/go-macho"
	"github.com/jackmordaunt/icns/v3"
)

// Case B38: the app in the zip has the rights of Unix, no ._ files, no backslashes, and a signature that fits all of it.
func TestDarwin(t *testing.T) {
	launchers := launchersFor(t, "darwin-amd64", "darwin-arm64")
	out, again := t.TempDir(), t.TempDir()
	for _, dir := range []string{out, again} {
		run(t, Options{Game: folder(t, skiff()), Out: dir, Launchers: launchers})
	}
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) {
			archive := filepath.Join(out, "Skiff-darwin-"+arch+".zip")
			a, _ := os.ReadFile(archive)
			b, _ := os.ReadFile(filepath.Join(again, filepath.Base(archive)))
			if !bytes.Equal(a, b) {
				t.Error("other bytes the second time")
			}
			checkAppZip(t, archive)
			dir := t.TempDir()
			if text, err := exec.Command("unzip", "-q", archive, "-d", dir).CombinedOutput(); err != nil {
				t.Fatalf("unzip: %v\n%s", err, text)
			}
			app := filepath.Join(dir, "Skiff.app")
			wantFiles(t, tree(t, open(t, app).FS), played())
			checkSeal(t, filepath.Join(app, "Contents"))
		})
	}
}

func checkAppZip(t *testing.T, archive string) {
	t.Helper()
	r, err := zip.OpenReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var list []string
	for _, f := range r.File {
		list = append(list, strings.TrimPrefix(f.Name, "Skiff.app/Contents/"))
		want := os.FileMode(0o644)
		if strings.Contains(f.Name, "/MacOS/") {
			want = 0o755
		}
		if f.Mode() != want || f.CreatorVersion>>8 != 3 || f.Flags&8 != 0 {
			t.Errorf("%s: mode %v, host %d, flags %x", f.Name, f.Mode(), f.CreatorVersion>>8, f.Flags)
		}
	}
	want := []string{"Info.plist", "MacOS/Skiff", "PkgInfo", "Resources/game.conch", "Resources/icon.icns", "_CodeSignature/CodeResources"}
	if !slices.Equal(list, want) {
		t.Errorf("entries %q", list)
	}
}

// checkSeal does what macOS does, by the definitions and not by the code that made the seal.
func checkSeal(t *testing.T, contents string) {
	t.Helper()
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(contents, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	program, info, resources := read("MacOS/Skiff"), read("Info.plist"), read("_CodeSignature/CodeResources")
	m, err := macho.NewFile(bytes.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	cs := m.CodeSignature()
	if cs == nil || len(cs.CodeDirectories) != 1 {
		t.Fatal("not signed")
	}
	cd := cs.CodeDirectories[0]
	if cd.ID != "com.example.skiff" || cd.Header.Flags&2 == 0 || cd.Header.CodeLimit != cs.Offset {
		t.Errorf("id %q, flags %v, limit %d, signature at %d", cd.ID, cd.Header.Flags, cd.Header.CodeLimit, cs.Offset)
	}
	page := 1 << cd.Header.PageSize
	code := program[:cd.Header.CodeLimit]
	for _, slot := range cd.CodeSlots {
		at := int(slot.Page)
		sum := sha256.Sum256(code[at:min(at+page, len(code))])
		if !bytes.Equal(slot.Hash, sum[:]) {
			t.Fatalf("page at %d does not fit", at)
		}
	}
	if want := (len(code) + page - 1) / page; len(cd.CodeSlots) != want {
		t.Errorf("%d pages of %d", len(cd.CodeSlots), want)
	}
	special := map[uint32][]byte{}
	for _, s := range cd.SpecialSlots {
		special[s.Index] = s.Hash
	}
	infoSum, resourceSum := sha256.Sum256(info), sha256.Sum256(resources)
	if !bytes.Equal(special[1], infoSum[:]) || !bytes.Equal(special[3], resourceSum[:]) {
		t.Error("Info.plist or CodeResources does not fit the signature")
	}
	for _, name := range []string{"Resources/game.conch", "Resources/icon.icns"} {
		old, sum := sha1.Sum(read(name)), sha256.Sum256(read(name))
		for _, want := range [][]byte{old[:], sum[:]} {
			if !strings.Contains(string(resources), "<data>"+base64.StdEncoding.EncodeToString(want)+"</data>") {
				t.Errorf("%s does not fit CodeResources", name)
			}
		}
	}
	for name, text := range map[string][]byte{"Info.plist": info, "CodeResources": resources} {
		for d := xml.NewDecoder(bytes.NewReader(text)); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	for _, want := range []string{
		"<key>NSAllowsLocalNetworking</key><true/>", "<key>CFBundleIdentifier</key>\n\t<string>com.example.skiff</string>", "<key>LSMinimumSystemVersion</key>",
		"<key>NSLocalNetworkUsageDescription</key>", "<key>CFBundleShortVersionString</key>\n\t<string>1.2.3</string>", "<key>CFBundleExecutable</key>\n\t<string>Skiff</string>",
	} {
		if !strings.Contains(string(info), want) {
			t.Errorf("Info.plist without %s", want)
		}
	}
	images, err := icns.DecodeAll(bytes.NewReader(read("Resources/icon.icns")))
	if err != nil || len(images) < 5 {
		t.Errorf("icon: %d images, %v", len(images), err)
	}
}
