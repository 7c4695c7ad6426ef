package bundle

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
)

func TestSignedGame(t *testing.T) {
	f := unsignedGame()
	withJunk := signed(t, f, authorKey(1)).with(".DS_Store", "mac").with("js/._main.js", "mac").with("Thumbs.db", "win").with(".git/config", "")
	eachKind(t, withJunk, func(t *testing.T, b *Bundle) {
		want := Fingerprint(authorKey(1).Public().(ed25519.PublicKey))
		if b.Signer() != want {
			t.Errorf("signer %q, want %q", b.Signer(), want)
		}
		identity, err := b.Identity(t.Context())
		if err != nil || identity != "key:"+want+":com.example.game" {
			t.Errorf("identity %q, %v", identity, err)
		}
		for name, text := range f {
			if got := read(t, b.FS, name); got != text {
				t.Errorf("%s: got %d bytes, want %d", name, len(got), len(text))
			}
		}
		for _, name := range []string{signatureName, "CONCH.SIG", ".DS_Store", "js/._main.js", "Thumbs.db", ".git", ".git/config", "js/none.js", "../index.html"} {
			if _, err := b.FS.Open(name); err == nil {
				t.Errorf("%s can be opened", name)
			}
			if _, err := fs.Stat(b.FS, name); err == nil {
				t.Errorf("%s is there", name)
			}
		}
		checkFS(t, b.FS, sortedKeys(f))
		if err := fstest.TestFS(b.FS, sortedKeys(f)...); err != nil {
			t.Error(err)
		}
		if r := b.Inspect(); r.Signer != want || r.Verified != SignedList || r.Files != len(f) {
			t.Errorf("report: signer %q, verified %q, %d files", r.Signer, r.Verified, r.Files)
		}
		if err := b.VerifyAll(t.Context(), nil); err != nil {
			t.Error(err)
		}
	})
}

// A signed game that was changed does not start, or the changed file does not open, and the error names it.
func TestTamperedGame(t *testing.T) {
	f := signed(t, unsignedGame(), authorKey(1))
	another := signed(t, unsignedGame().with("conch.json", `{"format":1,"id":"com.example.other","name":"Game"}`), authorKey(1))
	otherKey := signed(t, unsignedGame(), authorKey(2))
	sigWith := func(old, new string) string { return strings.Replace(f[signatureName], old, new, 1) }
	without := func(names ...string) files {
		c := files{}
		for name, text := range f {
			c[name] = text
		}
		for _, name := range names {
			delete(c, name)
		}
		return c
	}
	atOpen, atRead := true, false
	tests := []struct {
		name   string
		files  files
		open   bool   // refused at Open, else when file is read
		file   string // that is named
		reason string
	}{
		{"byte changed", f.with("js/main.js", "main('0ne')"), atRead, "js/main.js", "was changed"},
		{"byte changed in the page", f.with("index.html", strings.Replace(plainPage, "A game", "A Game", 1)), atOpen, "index.html", "was changed"},
		{"byte changed in the manifest", f.with("conch.json", strings.Replace(signedManifest, "Game", "Fame", 1)), atOpen, "conch.json", "was changed"},
		{"byte changed in the last piece", f.with("data/level.bin", f["data/level.bin"][:pieceSize]+"abcde"), atRead, "data/level.bin", "was changed"},
		{"contents swapped", f.with("js/main.js", f["js/other.js"]).with("js/other.js", f["js/main.js"]), atRead, "js/other.js", "was changed"},
		{"contents of other sizes swapped", f.with("js/main.js", f["data/exact.bin"]).with("data/exact.bin", f["js/main.js"]), atOpen, "data/exact.bin", "was changed"},
		{"line ends changed", f.with("conch.json", signedManifest+"\r\n"), atOpen, "conch.json", "was changed"},
		{"cut short", f.with("data/exact.bin", "e"), atOpen, "data/exact.bin", "was changed"},
		{"emptied", f.with("js/main.js", ""), atOpen, "js/main.js", "was changed"},
		{"grown", f.with("data/empty.bin", "x"), atOpen, "data/empty.bin", "was changed"},
		{"added", f.with("js/evil.js", "x"), atOpen, "js/evil.js", "was added"},
		{"added last", f.with("zzz.js", "x"), atOpen, "zzz.js", "was added"},
		{"added in a new folder", f.with("a/b/evil.js", "x"), atOpen, "a/b/evil.js", "was added"},
		{"other letter case added", f.with("js/MAIN.js", "x"), atOpen, "js/MAIN.js", "was added"},
		{"signature in a folder added", f.with("js/conch.sig", f[signatureName]), atOpen, "js/conch.sig", "was added"},
		{"removed", without("js/main.js"), atOpen, "js/main.js", "is missing"},
		{"last removed", without("music/Über/track.ogg"), atOpen, "music/Über/track.ogg", "is missing"},
		{"page removed", without("index.html"), atOpen, "index.html", "is missing"},
		{"renamed", without("js/main.js").with("js/zmain.js", f["js/main.js"]), atOpen, "js/main.js", "is missing"},
		{"accent composed otherwise", without("music/Über/track.ogg").with("music/U\u0308ber/track.ogg", "ogg"), atOpen, "music/U\u0308ber/track.ogg", "was added"},
		{"signature cut off", f.with(signatureName, f[signatureName][:len(f[signatureName])-40]), atOpen, signatureName, "is no signature"},
		{"signature empty", f.with(signatureName, ""), atOpen, signatureName, "is no signature"},
		{"signature of another game", f.with(signatureName, another[signatureName]), atOpen, "conch.json", "was changed"},
		{"signature by another key for other files", f.with(signatureName, sigWith(hexKey(1), hexKey(2))), atOpen, signatureName, "does not fit"},
		{"signature text of another key", f.with(signatureName, sigWith(lastHex(f[signatureName]), lastHex(otherKey[signatureName]))), atOpen, signatureName, "does not fit"},
		{"id changed", f.with(signatureName, sigWith("com.example.game", "com.example.evil")), atOpen, signatureName, "does not fit"},
		{"size changed in the list", f.with(signatureName, sigWith(`"size": 11`, `"size": 12`)).with("js/main.js", "main('one');"), atOpen, signatureName, "does not fit"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, path := range []string{folder(t, tt.files), zipOf(t, tt.files)} {
				b, err := Open(path, Options{})
				if tt.open {
					if err == nil {
						b.Close()
					}
					checkTampered(t, err, tt.file, tt.reason)
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				_, err = fs.ReadFile(b.FS, tt.file)
				checkTampered(t, err, tt.file, tt.reason)
				checkTampered(t, b.VerifyAll(t.Context(), nil), tt.file, tt.reason)
				if got := read(t, b.FS, "data/exact.bin"); got != f["data/exact.bin"] {
					t.Error("another file is not served either")
				}
				b.Close()
			}
		})
	}
}

func checkTampered(t *testing.T, err error, file, reason string) {
	t.Helper()
	wantError(t, err, file+" "+reason)
	var te *TamperError
	if !errors.As(err, &te) {
		t.Errorf("%T is no *TamperError", err)
	}
}

func hexKey(n byte) string {
	return fmt.Sprintf("%x", []byte(authorKey(n).Public().(ed25519.PublicKey)))
}

// lastHex is the signature in a conch.sig.
func lastHex(text string) string {
	_, after, _ := strings.Cut(text, `"signature": "`)
	return strings.TrimRight(after, "\"}\n")
}

// An author whose tool signs another id than the manifest's has made a mistake that players must not pay for.
func TestSignatureOfAnotherID(t *testing.T) {
	f := unsignedGame()
	sig, err := parseSignature([]byte(signed(t, f, authorKey(1))[signatureName]))
	if err != nil {
		t.Fatal(err)
	}
	sig.id = "com.example.other"
	sig.sig = ed25519.Sign(authorKey(1), sig.message())
	text, err := sig.encode()
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(folder(t, f.with(signatureName, string(text))), Options{})
	checkTampered(t, err, signatureName, `is for the id "com.example.other"`)
}

// Version control and mail change line ends; a signature is the same with them.
func TestSignatureWithOtherLineEnds(t *testing.T) {
	f := signed(t, unsignedGame(), authorKey(1))
	f = f.with(signatureName, strings.ReplaceAll(f[signatureName], "\n", "\r\n"))
	eachKind(t, f, func(t *testing.T, b *Bundle) {
		if b.Signer() == "" {
			t.Error("not signed")
		}
	})
}

// What lies in the folder of a single page is not its own, a signature neither.
func TestPageBesideASignature(t *testing.T) {
	dir := folder(t, signed(t, unsignedGame(), authorKey(1)).with("js/main.js", "changed"))
	if b := open(t, filepath.Join(dir, "index.html"), Options{}); b.Signer() != "" {
		t.Error("signed")
	}
}

// Case C73: a game with the same id and title, signed by another key or by none, is another game. Taking the signature
// away gives an unsigned game, which has none of the signed one's rights.
func TestC73SameIDOtherKey(t *testing.T) {
	plain := unsignedGame()
	changed := plain.with("js/main.js", "evil")
	seen := map[string]string{}
	for name, f := range map[string]files{
		"signed": signed(t, plain, authorKey(1)), "other key": signed(t, plain, authorKey(2)), "not signed": plain,
		"other id":               signed(t, plain.with("conch.json", `{"format":1,"id":"com.example.two","name":"Game"}`), authorKey(1)),
		"changed and not signed": changed,
	} {
		id := identity(t, folder(t, f))
		if other, twice := seen[id]; twice {
			t.Errorf("%q and %q share the identity %s", name, other, id)
		}
		seen[id] = name
	}
}

// Case C74: an update by the same author is the same game, whatever changed in it.
func TestC74UpdateOfASignedGame(t *testing.T) {
	first := signed(t, unsignedGame(), authorKey(1))
	manifest := `{"format":1,"id":"com.example.game","name":"Game 2","network":{"allowedHosts":["new.example.net"]}}`
	second := signed(t, unsignedGame().with("conch.json", manifest).with("js/more.js", "x"), authorKey(1))
	if a, b := identity(t, folder(t, first)), identity(t, zipOf(t, second)); a != b {
		t.Errorf("%s became %s", a, b)
	}
}

// Case C76: one byte more or less makes another game of one that nobody signed. The shape it comes in does not.
func TestC76DigestOfAnUnsignedGame(t *testing.T) {
	f := unsignedGame()
	want := identity(t, folder(t, f))
	if !strings.HasPrefix(want, "sha256:") {
		t.Fatalf("identity %q", want)
	}
	wrapped := files{}
	for name, text := range f {
		wrapped["game/"+name] = text
	}
	for name, path := range map[string]string{
		"zip": zipOf(t, f), "zip with a lone folder": zipOf(t, wrapped), "with a .DS_Store": folder(t, f.with(".DS_Store", "x")),
	} {
		if got := identity(t, path); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	for name, changed := range map[string]files{
		"byte":     f.with("js/main.js", "main('0ne')"),
		"added":    f.with("js/empty.js", ""),
		"renamed":  f.with("js/zmain.js", f["js/main.js"]),
		"manifest": f.with("conch.json", signedManifest+" "),
		"moved":    f.with("js/main.js", f["js/other.js"]).with("js/other.js", f["js/main.js"]),
	} {
		if got := identity(t, folder(t, changed)); got == want {
			t.Errorf("%s: the same identity", name)
		}
	}
	b := open(t, folder(t, signed(t, f, authorKey(1))), Options{})
	if digest, err := b.Digest(t.Context()); err != nil || "sha256:"+digest != want {
		t.Errorf("digest of the signed game: %s, %v", digest, err)
	}
	page := open(t, diskFile(t, "x.html", []byte(plainPage)), Options{})
	if got, other := identity(t, page.Path), identity(t, folder(t, files{"index.html": plainPage})); got != other {
		t.Errorf("single page %s, in a folder %s", got, other)
	}
}

func identity(t testing.TB, path string) string {
	t.Helper()
	id, err := open(t, path, Options{}).Identity(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestDigestIsKeptAndCanBeCancelled(t *testing.T) {
	dir := folder(t, unsignedGame())
	b := open(t, dir, Options{})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Digest(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	var all sync.WaitGroup
	digests := make([]string, 8)
	for i := range digests {
		all.Go(func() { digests[i], _ = b.Digest(t.Context()) })
	}
	all.Wait()
	if err := os.Remove(filepath.Join(dir, "js/main.js")); err != nil {
		t.Fatal(err)
	}
	kept, err := b.Digest(t.Context())
	for _, d := range digests {
		if d != kept || d == "" || err != nil {
			t.Errorf("got %q and %q, %v", d, kept, err)
		}
	}
}

func TestVerifyAll(t *testing.T) {
	f := signed(t, unsignedGame(), authorKey(1))
	var size int64
	for _, text := range unsignedGame() {
		size += int64(len(text))
	}
	eachKind(t, f, func(t *testing.T, b *Bundle) {
		var last int64
		err := b.VerifyAll(t.Context(), func(done, total int64) {
			if done < last || total != size {
				t.Errorf("%d of %d after %d", done, total, last)
			}
			last = done
		})
		if err != nil || last != size {
			t.Errorf("%v after %d bytes, want %d", err, last, size)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := b.VerifyAll(ended, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	eachKind(t, f.with("js/main.js", "main('0ne')").with("data/level.bin", strings.Repeat("x", pieceSize+5)), func(t *testing.T, b *Bundle) {
		err := b.VerifyAll(t.Context(), nil)
		checkTampered(t, err, "js/main.js", "was changed")
		checkTampered(t, err, "data/level.bin", "was changed")
	})
	eachKind(t, unsignedGame(), func(t *testing.T, b *Bundle) {
		if err := b.VerifyAll(t.Context(), nil); !errors.Is(err, ErrUnsigned) {
			t.Errorf("got %v", err)
		}
	})
}

// countingFS counts the bytes that are read from the files below a signed game.
type countingFS struct {
	folderFS
	bytes *atomic.Int64
}

type countingFile struct {
	fs.File
	bytes *atomic.Int64
}

func (c countingFS) Open(name string) (fs.File, error) {
	f, err := c.folderFS.Open(name)
	return countingFile{f, c.bytes}, err
}

func (c countingFile) Read(p []byte) (int, error) {
	n, err := c.File.Read(p)
	c.bytes.Add(int64(n))
	return n, err
}

func (c countingFile) Seek(offset int64, whence int) (int64, error) {
	return c.File.(io.Seeker).Seek(offset, whence)
}

// In a large file only the pieces are read in which somebody reads, each once, and only a changed piece is refused.
func TestSeekInALargeSignedFile(t *testing.T) {
	const size = 300 << 20
	dir := folder(t, unsignedGame())
	big := filepath.Join(dir, "video.mp4")
	if err := os.WriteFile(big, []byte("start"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, size); err != nil {
		t.Fatal(err)
	}
	sign(t, dir, authorKey(1))
	var told []string
	b := open(t, dir, Options{OnTamper: func(e *TamperError) { told = append(told, e.File) }})
	signed := b.FS.(*signedFS)
	read := new(atomic.Int64)
	signed.inner = countingFS{signed.inner.(folderFS), read}

	f, err := b.FS.Open("video.mp4")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := read.Load(); got != pieceSize {
		t.Errorf("opening read %d bytes, want one piece", got)
	}
	at := func(offset int64) error {
		if _, err := f.(io.Seeker).Seek(offset, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		_, err := io.ReadFull(f, make([]byte, 100))
		return err
	}
	for range 10 {
		for _, offset := range []int64{0, 150<<20 + 77, size - 100} {
			if err := at(offset); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := read.Load(); got != 3*pieceSize {
		t.Errorf("three places read %d bytes, want three pieces", got)
	}

	out, err := os.OpenFile(big, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := out.WriteAt([]byte("x"), 200<<20); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		checkTampered(t, at(200<<20+5000), "video.mp4", "was changed")
	}
	if err := at(199 << 20); err != nil {
		t.Errorf("the piece before: %v", err)
	}
	if err := at(200<<20 - 50); err == nil {
		t.Error("a read went on into the changed piece")
	}
	if len(told) != 1 || told[0] != "video.mp4" {
		t.Errorf("told of %q", told)
	}
}

// A file that changes while the game runs gives what was signed or an error, never a changed byte.
func TestChangeWhileRunning(t *testing.T) {
	dir := folder(t, signed(t, unsignedGame(), authorKey(1)))
	b := open(t, dir, Options{})
	want := unsignedGame()["js/main.js"]
	if got := read(t, b.FS, "js/main.js"); got != want {
		t.Fatalf("got %q", got)
	}
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("js/main.js", "main('0ne')")
	if got, err := fs.ReadFile(b.FS, "js/main.js"); err == nil && string(got) != want {
		t.Errorf("got %q", got)
	}
	put("js/other.js", "main('2wo')")
	_, err := fs.ReadFile(b.FS, "js/other.js")
	checkTampered(t, err, "js/other.js", "was changed")
	put("js/other.js", "longer than it was")
	_, err = fs.ReadFile(b.FS, "js/other.js")
	checkTampered(t, err, "js/other.js", "was changed")
	put("js/new.js", "x")
	if _, err := b.FS.Open("js/new.js"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a new file: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "js/other.js")); err != nil {
		t.Fatal(err)
	}
	_, err = fs.ReadFile(b.FS, "js/other.js")
	checkTampered(t, err, "js/other.js", "is missing")
	put("js/other.js", unsignedGame()["js/other.js"])
	if got := read(t, b.FS, "js/other.js"); got != unsignedGame()["js/other.js"] {
		t.Errorf("the file as it was: %q", got)
	}
}

func TestReadSignedConcurrently(t *testing.T) {
	eachKind(t, signed(t, unsignedGame(), authorKey(1)), func(t *testing.T, b *Bundle) {
		want := unsignedGame()
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				r := rand.New(rand.NewPCG(1, uint64(i)))
				for _, name := range []string{"data/level.bin", "js/main.js", "data/exact.bin", "data/level.bin"} {
					f, err := b.FS.Open(name)
					if err != nil {
						t.Error(err)
						return
					}
					for range 20 {
						at := r.IntN(len(want[name]))
						n := min(r.IntN(5000), len(want[name])-at)
						got := make([]byte, n)
						f.(io.Seeker).Seek(int64(at), io.SeekStart)
						if _, err := io.ReadFull(f, got); err != nil || string(got) != want[name][at:at+n] {
							t.Errorf("%s at %d: %v", name, at, err)
						}
					}
					f.Close()
				}
			})
		}
		all.Wait()
	})
}

// The pieces that are kept take a bounded amount of memory.
func TestPiecesAreBounded(t *testing.T) {
	p := newPieces()
	f := &signedFile{fileDigest: &fileDigest{}}
	for i := range int64(100) {
		p.put(f, i, make([]byte, pieceSize))
	}
	if p.total > pieceCache || p.recent.Len() != len(p.byKey) || p.get(f, 99) == nil || p.get(f, 0) != nil {
		t.Errorf("%d bytes in %d pieces", p.total, p.recent.Len())
	}
}
