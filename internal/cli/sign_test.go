package cli

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/consent"
)

// memoryKeys is a key store in memory.
type memoryKeys struct {
	key ed25519.PrivateKey
	err error
}

func (m *memoryKeys) Load(context.Context) (ed25519.PrivateKey, error) {
	if m.err != nil {
		return nil, m.err
	}
	if m.key == nil {
		return nil, consent.ErrNoAuthorKey
	}
	return m.key, nil
}

func (m *memoryKeys) Save(_ context.Context, key ed25519.PrivateKey) error {
	if m.err != nil {
		return m.err
	}
	if m.key != nil {
		return consent.ErrAuthorKeyExists
	}
	m.key = key
	return nil
}

// runIn runs one command line with a key store.
func runIn(t *testing.T, keys authorKeys, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	p := &Program{Name: "conch", keys: keys}
	code = p.Run(t.Context(), args, &out, &err)
	return code, out.String(), err.String()
}

func gameZip(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "game.zip")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := zip.NewWriter(f)
	for name, text := range map[string]string{"index.html": "<!doctype html><title>Game</title>", "conch.json": `{"format":1,"id":"com.example.game"}`} {
		out, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(out, text)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// The key of the key store: made once, never overwritten, signs, and can be copied to a file that signs the same.
func TestKeyInTheKeyStore(t *testing.T) {
	keys, game := &memoryKeys{}, gameZip(t)
	t.Setenv(passphraseEnv, "correct horse battery")
	t.Setenv("CONCH_DATA", t.TempDir())
	if code, _, stderr := runIn(t, keys, "sign", game); code != 1 || !strings.Contains(stderr, "make one with `conch keygen`") {
		t.Errorf("sign without a key: %d %s", code, stderr)
	}
	code, fingerprint, stderr := runIn(t, keys, "keygen")
	fingerprint = strings.TrimSpace(fingerprint)
	if code != 0 || len(fingerprint) != 64 || !strings.Contains(stderr, "keygen --backup FILE") {
		t.Fatalf("keygen: %d %q %s", code, fingerprint, stderr)
	}
	first := keys.key
	if code, _, stderr := runIn(t, keys, "keygen"); code != 1 || !strings.Contains(stderr, fingerprint) || !keys.key.Equal(first) {
		t.Errorf("second keygen: %d %s", code, stderr)
	}
	if code, stdout, stderr := runIn(t, keys, "sign", game); code != 0 || !strings.Contains(stdout, "com.example.game signed by "+fingerprint) {
		t.Errorf("sign: %d %s %s", code, stdout, stderr)
	}
	signed, err := os.ReadFile(game)
	if err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := runIn(t, keys, "inspect", "--verify", game); code != 0 || !strings.Contains(stdout, fingerprint+"; every byte") {
		t.Errorf("inspect: %d %s %s", code, stdout, stderr)
	}
	backup := filepath.Join(t.TempDir(), "backup.key")
	if code, stdout, stderr := runIn(t, keys, "keygen", "--backup", backup); code != 0 || strings.TrimSpace(stdout) != fingerprint {
		t.Errorf("backup: %d %s %s", code, stdout, stderr)
	}
	if code, _, stderr := runIn(t, &memoryKeys{err: errors.New("locked")}, "sign", game, "--key", backup); code != 0 {
		t.Errorf("sign with the copy: %d %s", code, stderr)
	}
	if again, err := os.ReadFile(game); err != nil || !bytes.Equal(again, signed) {
		t.Errorf("the copy signs otherwise: %v", err)
	}
}
