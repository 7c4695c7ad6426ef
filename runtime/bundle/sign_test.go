package bundle

import (
	"archive/zip"
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// authorKey is a key of a test; the same number gives the same key.
func authorKey(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
}

const signedManifest = `{"format":1,"id":"com.example.game","name":"Game"}`

// unsignedGame has small, empty and large files.
func unsignedGame() files {
	return files{
		"index.html":           plainPage,
		"conch.json":           signedManifest,
		"js/main.js":           "main('one')",
		"js/other.js":          "main('two')",
		"data/empty.bin":       "",
		"data/exact.bin":       strings.Repeat("e", pieceSize),
		"data/level.bin":       noise(pieceSize + 5),
		"music/Über/track.ogg": "ogg",
	}
}

// noise is text that does not compress to nothing.
func noise(n int) string {
	out, sum := make([]byte, 0, n+sha256.Size), sha256.Sum256([]byte{byte(n)})
	for len(out) < n {
		sum = sha256.Sum256(sum[:])
		out = append(out, sum[:]...)
	}
	return string(out[:n])
}

func sign(t testing.TB, path string, key crypto.Signer) Signed {
	t.Helper()
	s, err := Sign(t.Context(), path, key, SignOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// signed returns the files together with their conch.sig.
func signed(t testing.TB, f files, key crypto.Signer) files {
	t.Helper()
	dir := folder(t, f)
	sign(t, dir, key)
	text, err := os.ReadFile(filepath.Join(dir, signatureName))
	if err != nil {
		t.Fatal(err)
	}
	return f.with(signatureName, string(text))
}

func TestSignSaysWhatItSigned(t *testing.T) {
	f := unsignedGame()
	var bytes int64
	for _, text := range f {
		bytes += int64(len(text))
	}
	want := Signed{ID: "com.example.game", Signer: Fingerprint(authorKey(1).Public().(ed25519.PublicKey)), Files: len(f), Bytes: bytes}
	for _, path := range []string{folder(t, f), zipOf(t, f)} {
		if got := sign(t, path, authorKey(1)); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

// The same files and key give the same bytes, whatever the clock says and however often they are signed.
func TestSignTwiceIsTheSame(t *testing.T) {
	dir, archive := folder(t, unsignedGame()), zipOf(t, unsignedGame())
	sign(t, dir, authorKey(1))
	sign(t, archive, authorKey(1))
	first, firstZip := onDisk(t, filepath.Join(dir, signatureName)), onDisk(t, archive)
	sign(t, dir, authorKey(1))
	sign(t, archive, authorKey(1))
	if got := onDisk(t, filepath.Join(dir, signatureName)); got != first {
		t.Error("folder: the second signature is another")
	}
	if got := onDisk(t, archive); got != firstZip {
		t.Error("zip: the second archive is another")
	}
	if got := read(t, rawZip(t, firstZip), signatureName); got != first {
		t.Error("the signatures of folder and zip differ")
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(archive), ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("files left behind: %v, %v", left, err)
	}
}

func onDisk(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func rawZip(t testing.TB, data string) *zip.Reader {
	t.Helper()
	r, err := zip.NewReader(strings.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Signing a zip leaves the other entries alone: order, compressed bytes, times, modes, extra fields, comments.
func TestSignCopiesZipEntries(t *testing.T) {
	plain := deflated("js/main.js", strings.Repeat("play()", 100))
	plain.Comment, plain.ExternalAttrs = "by hand", 0o100755<<16
	plain.Extra = []byte{0xfe, 0xca, 2, 0, 'h', 'i'}
	path := zipFile(t, stored("data.bin", noise(5000)), plain, stored("empty/", ""), deflated("index.html", plainPage),
		deflated(signatureName, "an old one"), deflated("conch.json", signedManifest))
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	before := rawZip(t, onDisk(t, path))
	sign(t, path, authorKey(1))
	after := rawZip(t, onDisk(t, path))

	kept := slices.DeleteFunc(before.File, func(f *zip.File) bool { return f.Name == signatureName })
	if len(after.File) != len(kept)+1 || after.File[len(kept)].Name != signatureName {
		t.Fatalf("%d entries, the last %q", len(after.File), after.File[len(after.File)-1].Name)
	}
	for i, f := range kept {
		got := after.File[i]
		if got.Name != f.Name || got.Method != f.Method || got.CRC32 != f.CRC32 || !got.Modified.Equal(f.Modified) ||
			got.Comment != f.Comment || got.ExternalAttrs != f.ExternalAttrs || !bytes.Equal(got.Extra, f.Extra) {
			t.Errorf("got %+v, want %+v", got.FileHeader, f.FileHeader)
		}
		if !bytes.Equal(rawEntry(t, got), rawEntry(t, f)) {
			t.Errorf("%s: other bytes", f.Name)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	open(t, path, Options{})
}

func rawEntry(t *testing.T, f *zip.File) []byte {
	t.Helper()
	r, err := f.OpenRaw()
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The signature lies beside the conch.json, wherever the game is in the zip and however its names are written.
func TestSignFindsTheTop(t *testing.T) {
	tests := []struct {
		name  string
		path  string
		entry string
	}{
		{"lone folder", zipOf(t, files{"game/index.html": plainPage, "game/conch.json": signedManifest}), "game/conch.sig"},
		{"backslashes", zipFile(t, deflated(`game\index.html`, plainPage), deflated(`game\conch.json`, signedManifest)), `game\conch.sig`},
		{"dot in front", zipFile(t, deflated("./index.html", plainPage), deflated("./conch.json", signedManifest)), "conch.sig"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sign(t, tt.path, authorKey(1))
			sign(t, tt.path, authorKey(1))
			entries := rawZip(t, onDisk(t, tt.path)).File
			if got := entries[len(entries)-1].Name; got != tt.entry || len(entries) != 3 {
				t.Errorf("%d entries, the last %q", len(entries), got)
			}
			if b := open(t, tt.path, Options{}); b.Signer() == "" || read(t, b.FS, "index.html") != plainPage {
				t.Error("not signed")
			}
		})
	}
	dir := folder(t, files{"game/index.html": plainPage, "game/conch.json": signedManifest})
	sign(t, dir, authorKey(1))
	if b := open(t, dir, Options{}); b.Signer() == "" {
		t.Error("folder in a folder: not signed")
	}
}

func TestSignRefuses(t *testing.T) {
	elliptic, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	other := folder(t, signed(t, unsignedGame(), authorKey(2)))
	tests := []struct {
		name string
		path string
		key  crypto.Signer
		want string
	}{
		{"no id", folder(t, files{"index.html": plainPage, "conch.json": `{"format":1}`}), authorKey(1), `write "id" into conch.json`},
		{"no manifest", folder(t, files{"index.html": plainPage}), authorKey(1), `write "id" into conch.json`},
		{"single page", diskFile(t, "game.html", []byte(plainPage)), authorKey(1), "put it into a folder or a zip"},
		{"other kind of key", folder(t, unsignedGame()), elliptic, "not an Ed25519 key"},
		{"no game", diskFile(t, "x.txt", []byte("x")), authorKey(1), "not a game"},
		{"mistake in the manifest", folder(t, unsignedGame().with("conch.json", `{"format":1,"id":"a","x":1}`)), authorKey(1), "unknown setting"},
		{"signed by another key", other, authorKey(1), "without their saves"},
		{"control character", zipOf(t, unsignedGame().with("a\nb.js", "")), authorKey(1), "rename it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Sign(t.Context(), tt.path, tt.key, SignOptions{})
			wantError(t, err, tt.want)
		})
	}
	var otherKey *OtherKeyError
	if _, err := Sign(t.Context(), other, authorKey(1), SignOptions{}); !errors.As(err, &otherKey) {
		t.Errorf("got %v", err)
	}
	if s, err := Sign(t.Context(), other, authorKey(1), SignOptions{ReplaceKey: true}); err != nil || open(t, other, Options{}).Signer() != s.Signer {
		t.Errorf("replace: %+v, %v", s, err)
	}
}

// An author who changes the game signs it again; what is there of the old signature does not matter.
func TestSignAgainAfterAChange(t *testing.T) {
	for _, old := range []string{"", "{", strings.Repeat(" ", 1000)} {
		dir := folder(t, unsignedGame().with(signatureName, old))
		sign(t, dir, authorKey(1))
		if err := os.WriteFile(filepath.Join(dir, "js/main.js"), []byte("changed"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, Options{}); err == nil {
			t.Fatal("opened although it was changed")
		}
		sign(t, dir, authorKey(1))
		if b := open(t, dir, Options{}); read(t, b.FS, "js/main.js") != "changed" {
			t.Error("got another file")
		}
	}
}

// The layout that docs/bundle.md describes, written out by hand.
func TestSignatureFormat(t *testing.T) {
	key := authorKey(7)
	text := signed(t, files{"index.html": plainPage, "conch.json": signedManifest, "b/big": noise(pieceSize + 1)}, key)[signatureName]
	big := noise(pieceSize + 1)
	one, two := sha256.Sum256([]byte(big[:pieceSize])), sha256.Sum256([]byte(big[pieceSize:]))
	page, manifest := sha256.Sum256([]byte(plainPage)), sha256.Sum256([]byte(signedManifest))

	var message []byte
	field := func(b []byte) {
		message = append(binary.BigEndian.AppendUint32(message, uint32(len(b))), b...)
	}
	number := func(n uint64) { message = binary.BigEndian.AppendUint64(message, n) }
	message = append(message, "conch-signature-v1\n"...)
	field([]byte("ed25519"))
	field(key.Public().(ed25519.PublicKey))
	field([]byte("com.example.game"))
	number(3)
	for _, f := range []struct {
		name   string
		size   int
		pieces []byte
	}{
		{"b/big", len(big), slices.Concat(one[:], two[:])},
		{"conch.json", len(signedManifest), manifest[:]},
		{"index.html", len(plainPage), page[:]},
	} {
		field([]byte(f.name))
		number(uint64(f.size))
		field(f.pieces)
	}

	var got struct {
		Format                        int
		Algorithm, Key, ID, Signature string
		Files                         []struct {
			Name   string
			Size   int
			SHA256 []string
		}
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if want := hex.EncodeToString(ed25519.Sign(key, message)); got.Signature != want {
		t.Errorf("signature %s, want %s", got.Signature, want)
	}
	if len(got.Files) != 3 || got.Files[0].Name != "b/big" || got.Files[0].Size != len(big) || len(got.Files[0].SHA256) != 2 ||
		got.Files[0].SHA256[1] != hex.EncodeToString(two[:]) || got.Format != 1 || got.Algorithm != "ed25519" || got.ID != "com.example.game" {
		t.Errorf("got %+v", got)
	}
	if want := hex.EncodeToString(key.Public().(ed25519.PublicKey)); got.Key != want {
		t.Errorf("key %s, want %s", got.Key, want)
	}
}

func TestParseSignatureRefuses(t *testing.T) {
	good := signed(t, files{"index.html": plainPage, "conch.json": signedManifest}, authorKey(1))[signatureName]
	if _, err := parseSignature([]byte(good)); err != nil {
		t.Fatal(err)
	}
	edit := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("%q is not in the signature", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	tests := []struct{ name, text, want string }{
		{"empty", "", "is missing"},
		{"cut off", good[:len(good)/2], "line"},
		{"cut off at the end", strings.TrimRight(good, "}\n"), "missing"},
		{"something after it", good + "{}", "more text"},
		{"not an object", "[]", "missing"},
		{"comment", edit("{", "{ // x\n"), "missing"},
		{"trailing comma", edit("\n  ],", ",\n  ],"), "missing"},
		{"key twice", edit(`"format": 1,`, `"format": 1, "format": 1,`), `"format" is there twice`},
		{"key twice in a file", edit(`"size"`, `"size": 1, "size"`), `"size" is there twice`},
		{"key twice, escaped", edit(`"format": 1,`, `"format": 1, "form\u0061t": 1,`), "twice"},
		{"other letter case", edit(`"format"`, `"Format"`), "unknown key"},
		{"unknown key", edit(`"format": 1,`, `"format": 1, "expires": 1,`), "unknown key"},
		{"missing key", edit("  \"algorithm\": \"ed25519\",\n", ""), `"algorithm" is missing`},
		{"newer format", edit(`"format": 1`, `"format": 2`), "newer Conch"},
		{"format zero", edit(`"format": 1`, `"format": 0`), "must be 1"},
		{"format as fraction", edit(`"format": 1`, `"format": 1.0`), "missing"},
		{"format with zeros", edit(`"format": 1`, `"format": 01`), "whole number"},
		{"format negative", edit(`"format": 1`, `"format": -1`), "whole number"},
		{"huge number", edit(`"format": 1`, `"format": 99999999999999999999`), "whole number"},
		{"other algorithm", edit("ed25519", "rsa"), "must be ed25519"},
		{"upper-case digits", edit(`"key": "`, `"key": "A`), "hexadecimal"},
		{"short key", edit(`"key": "8a`, `"key": "`), "hexadecimal"},
		{"bad id", edit("com.example.game", "../x"), "id"},
		{"size that needs more digests", edit(`"size": 36`, `"size": 1048577`), "digests"},
		{"impossible size", edit(`"size": 36`, `"size": 9000000000000000000`), "impossible"},
		{"digest left out", edit(`"sha256": ["`, `"sha256": [], "x": ["`), "unknown key"},
		{"not sorted", edit("index.html", "a.html"), "not sorted"},
		{"file twice", edit("index.html", "conch.json"), "there twice"},
		{"absolute name", edit("index.html", "/index.html"), "plain relative name"},
		{"name that climbs", edit("index.html", "../index.html"), "plain relative name"},
		{"backslash", edit("index.html", `x\\index.html`), "plain relative name"},
		{"control character", edit("index.html", `i\u0000.html`), "control"},
		{"half a character", edit("index.html", `i\ud800.html`), "broken"},
		{"dot file", edit("conch.json", ".conch.json"), "leave behind"},
		{"itself", edit("conch.json", "conch.sig"), "itself"},
		{"not UTF-8", edit("index.html", "i\xff.html"), "UTF-8"},
		{"broken escape", edit("index.html", `i\x.html`), "not JSON"},
		{"line end in a name", edit("index.html", "i\n.html"), "does not end"},
		{"deep nesting", strings.Repeat("[", 1<<20), "missing"},
		{"too large", strings.Repeat(" ", maxSignature+1), "larger"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parseSignature([]byte(tt.text))
			wantError(t, err, tt.want)
		})
	}
}

// The size of a signature is bounded before it is looked into.
func TestHugeSignatureIsBounded(t *testing.T) {
	dir := folder(t, files{"index.html": plainPage, "conch.json": signedManifest, signatureName: ""})
	if err := os.Truncate(filepath.Join(dir, signatureName), 1<<40); err != nil {
		t.Fatal(err)
	}
	_, err := Open(dir, Options{})
	wantError(t, err, signatureName, "larger than")

	var many strings.Builder
	many.WriteString(`{"format": 1, "files": [`)
	for i := range maxSigned + 1 {
		if i > 0 {
			many.WriteByte(',')
		}
		many.WriteString(`{"name":"` + numbered(i) + `","size":0,"sha256":["` + strings.Repeat("00", 32) + `"]}`)
	}
	_, err = parseSignature([]byte(many.String()))
	wantError(t, err, "more than 200000 files")
}

func numbered(i int) string {
	const digits = "0123456789"
	out := make([]byte, 6)
	for k := len(out) - 1; k >= 0; k-- {
		out[k] = digits[i%10]
		i /= 10
	}
	return string(out)
}

// Two different lists never give the same text to sign.
func TestMessageIsUnambiguous(t *testing.T) {
	sum := func(n int) []byte { return bytes.Repeat([]byte{1}, n*sha256.Size) }
	lists := [][]fileDigest{
		{{"a", 1, sum(1)}, {"b", 1, sum(1)}},
		{{"a", 1, sum(1)}},
		{{"a", 1, sum(2)}},
		{{"ab", 1, sum(1)}},
		{{"a", 256, sum(1)}},
		{{"a\x00\x00\x00\x00\x00\x00\x00\x01", 1, sum(1)}},
	}
	seen := map[string]int{}
	for i, files := range lists {
		for _, id := range []string{"x", "xa"} {
			s := signature{key: authorKey(1).Public().(ed25519.PublicKey), id: id, files: files}
			if other, twice := seen[string(s.message())]; twice {
				t.Errorf("lists %d and %d give the same text", i, other)
			}
			seen[string(s.message())] = i
		}
	}
}

// What the reader takes it also writes, with the same text to sign, and encoding/json reads the same from it.
func FuzzSignature(f *testing.F) {
	f.Add([]byte(signed(f, files{"index.html": plainPage, "conch.json": signedManifest, "ü<&>\u2028.js": ""}, authorKey(1))[signatureName]))
	f.Add([]byte(`{"format":1,"algorithm":"ed25519","files":[],"id":"a","key":"` + strings.Repeat("00", 32) + `","signature":"` + strings.Repeat("00", 64) + `"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := parseSignature(data)
		if err != nil {
			return
		}
		text, err := s.encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseSignature(text)
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		if !bytes.Equal(again.message(), s.message()) || !bytes.Equal(again.sig, s.sig) {
			t.Errorf("%q became %q", data, text)
		}
		var plain struct {
			ID    string
			Files []struct {
				Name string
				Size int64
			}
		}
		if err := json.Unmarshal(data, &plain); err != nil || plain.ID != s.id || len(plain.Files) != len(s.files) {
			t.Fatalf("encoding/json: %v, %+v", err, plain)
		}
		for i, f := range plain.Files {
			if f.Name != s.files[i].name || f.Size != s.files[i].size || ignored(f.Name) {
				t.Errorf("encoding/json reads %+v, not %+v", f, s.files[i])
			}
		}
	})
}
