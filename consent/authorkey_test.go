package consent

import (
	"bytes"
	"crypto/ed25519"
	"encoding/pem"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"
)

func testAuthorKey() ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
}

// mockKeyring puts a key store in memory in place of the system's; err is what each of its calls answers.
func mockKeyring(t *testing.T, err error) {
	t.Helper()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+t.TempDir())
	if err != nil {
		keyring.MockInitWithError(err)
	} else {
		keyring.MockInit()
	}
	t.Cleanup(keyring.MockInit)
}

func TestAuthorKeyInTheKeyStore(t *testing.T) {
	mockKeyring(t, nil)
	var keys AuthorKeys
	if _, err := keys.Load(t.Context()); !errors.Is(err, ErrNoAuthorKey) {
		t.Errorf("empty store: %v", err)
	}
	if err := keys.Save(t.Context(), testAuthorKey()); err != nil {
		t.Fatal(err)
	}
	if got, err := keys.Load(t.Context()); err != nil || !got.Equal(testAuthorKey()) {
		t.Errorf("got %x, %v", got, err)
	}
	_, other, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := keys.Save(t.Context(), other); !errors.Is(err, ErrAuthorKeyExists) {
		t.Errorf("second key: %v", err)
	}
	if got, err := keys.Load(t.Context()); err != nil || !got.Equal(testAuthorKey()) {
		t.Errorf("the first key is gone: %x, %v", got, err)
	}
}

// A key store that does not answer may hold a key: nothing is written to it.
func TestAuthorKeyWithABrokenKeyStore(t *testing.T) {
	broken := errors.New("locked")
	mockKeyring(t, broken)
	var keys AuthorKeys
	if _, err := keys.Load(t.Context()); !errors.Is(err, broken) || errors.Is(err, ErrNoAuthorKey) {
		t.Errorf("load: %v", err)
	}
	if err := keys.Save(t.Context(), testAuthorKey()); !errors.Is(err, broken) {
		t.Errorf("save: %v", err)
	}
}

func TestAuthorKeyEntryOfAnotherKind(t *testing.T) {
	for _, text := range []string{"", "x", authorText, authorText + "!!", authorText + "AAAA", "conch-author-v2:" + strings.Repeat("A", 44)} {
		mockKeyring(t, nil)
		if err := keyring.Set(authorService, authorUser, text); err != nil {
			t.Fatal(err)
		}
		if _, err := (AuthorKeys{}).Load(t.Context()); err == nil || errors.Is(err, ErrNoAuthorKey) {
			t.Errorf("%q: %v", text, err)
		}
		if err := (AuthorKeys{}).Save(t.Context(), testAuthorKey()); err == nil {
			t.Errorf("%q was overwritten", text)
		}
	}
}

func TestAuthorKeyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "author.key")
	if err := WriteAuthorKey(path, testAuthorKey(), []byte("correct horse")); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadAuthorKey(path, []byte("correct horse")); err != nil || !got.Equal(testAuthorKey()) {
		t.Errorf("got %x, %v", got, err)
	}
	for _, wrong := range []string{"", "correct hors", "correct horse\n", "Correct horse"} {
		if _, err := ReadAuthorKey(path, []byte(wrong)); !errors.Is(err, ErrPassphrase) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	if err := WriteAuthorKey(path, testAuthorKey(), []byte("other")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a key file was overwritten: %v", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, testAuthorKey().Seed()) {
		t.Error("the seed is in the file")
	}
	again, err := SealAuthorKey(testAuthorKey(), []byte("correct horse"))
	if err != nil || bytes.Equal(again, text) {
		t.Errorf("two files are the same: %v", err)
	}
	if _, err := OpenAuthorKey(bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")), []byte("correct horse")); err != nil {
		t.Errorf("other line ends: %v", err)
	}
	if info, err := os.Stat(path); err != nil || !privateFile(info) {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// Every part of a key file is protected: public key, salt, nonce, seed and its tag.
func TestDamagedAuthorKeyFile(t *testing.T) {
	text, err := SealAuthorKey(testAuthorKey(), []byte("p"))
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(text)
	for _, at := range []int{0, ed25519.PublicKeySize, ed25519.PublicKeySize + authorSalt, len(block.Bytes) - 20, len(block.Bytes) - 1} {
		changed := bytes.Clone(block.Bytes)
		changed[at] ^= 1
		if _, err := OpenAuthorKey(pem.EncodeToMemory(&pem.Block{Type: authorBlock, Bytes: changed}), []byte("p")); !errors.Is(err, ErrPassphrase) {
			t.Errorf("byte %d changed: %v", at, err)
		}
	}
	for name, text := range map[string][]byte{
		"empty": nil, "text": []byte("hello"), "cut off": text[:len(text)/2],
		"short": pem.EncodeToMemory(&pem.Block{Type: authorBlock, Bytes: block.Bytes[:20]}),
		"other": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: block.Bytes}),
	} {
		if _, err := OpenAuthorKey(text, []byte("p")); err == nil || errors.Is(err, ErrPassphrase) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
