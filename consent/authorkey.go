package consent

import (
	"context"
	"crypto/cipher"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/zalando/go-keyring"
	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/chacha20poly1305"
)

// An author's Ed25519 key signs games (see docs/authors.md). It is kept in the system's key store, one for each
// account, or in a file that a passphrase protects.
const (
	authorService = "conch.author"
	authorUser    = "v1"
	authorText    = "conch-author-v1:" // in front of the secret in the key store
)

// ErrNoAuthorKey means that the key store works and has no author key.
var ErrNoAuthorKey = errors.New("no author key in the system's key store")

// ErrAuthorKeyExists means that the key store has an author key, which is never overwritten: players' saves belong to it.
var ErrAuthorKeyExists = errors.New("there is an author key in the system's key store already")

// ErrPassphrase means that a key file does not open with this passphrase, or was damaged; the two look the same.
var ErrPassphrase = errors.New("wrong passphrase, or the key file is damaged")

// AuthorKeys is the author's key in the system's key store. Every call ends within a few seconds.
type AuthorKeys struct{}

// Load returns the key, or ErrNoAuthorKey.
func (AuthorKeys) Load(ctx context.Context) (ed25519.PrivateKey, error) {
	text, err := keyringGet(ctx, authorService, authorUser)
	if errors.Is(err, keyring.ErrNotFound) {
		return nil, ErrNoAuthorKey
	}
	if err != nil {
		return nil, err
	}
	encoded, ok := strings.CutPrefix(text, authorText)
	seed, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("key store: the entry %q is not an author key of this version", authorService)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// Save stores a key where there is none. When there is one, or it cannot be found out, nothing is changed.
func (k AuthorKeys) Save(ctx context.Context, key ed25519.PrivateKey) error {
	_, err := k.Load(ctx)
	if err == nil {
		return ErrAuthorKeyExists
	}
	if !errors.Is(err, ErrNoAuthorKey) {
		return err
	}
	return keyringSet(ctx, authorService, authorUser, authorText+base64.StdEncoding.EncodeToString(key.Seed()))
}

// The key file is PEM: public key, salt, nonce and the seed sealed with XChaCha20-Poly1305 under a key that Argon2id
// makes of the passphrase. What is not sealed is authenticated with it. The cost is the second recommendation of RFC
// 9106 section 4; it is fixed, so that no file can ask for more memory.
const (
	authorBlock  = "CONCH AUTHOR KEY"
	authorSeal   = "conch-author-key-v1\n"
	authorSalt   = 16
	authorPasses = 3
	authorMemory = 64 << 10 // KiB
	authorLanes  = 4
	authorFile   = 64 << 10 // bytes that are read of a key file
)

// SealAuthorKey writes a key as the text of a key file.
func SealAuthorKey(key ed25519.PrivateKey, passphrase []byte) ([]byte, error) {
	public := key.Public().(ed25519.PublicKey)
	salt, nonce := make([]byte, authorSalt), make([]byte, chacha20poly1305.NonceSizeX)
	rand.Read(salt)
	rand.Read(nonce)
	aead, err := authorCipher(passphrase, salt)
	if err != nil {
		return nil, err
	}
	body := append(append([]byte(nil), public...), salt...)
	sealed := aead.Seal(nil, nonce, key.Seed(), append([]byte(authorSeal), body...))
	body = append(append(body, nonce...), sealed...)
	return pem.EncodeToMemory(&pem.Block{Type: authorBlock, Bytes: body}), nil
}

// OpenAuthorKey reads the text of a key file. The error wraps ErrPassphrase when the passphrase does not fit.
func OpenAuthorKey(text, passphrase []byte) (ed25519.PrivateKey, error) {
	block, _ := pem.Decode(text)
	const fixed = ed25519.PublicKeySize + authorSalt
	if block == nil || block.Type != authorBlock ||
		len(block.Bytes) != fixed+chacha20poly1305.NonceSizeX+ed25519.SeedSize+chacha20poly1305.Overhead {
		return nil, errors.New("not an author key file (made by conch keygen --out)")
	}
	head, rest := block.Bytes[:fixed], block.Bytes[fixed:]
	aead, err := authorCipher(passphrase, head[ed25519.PublicKeySize:])
	if err != nil {
		return nil, err
	}
	nonce, sealed := rest[:chacha20poly1305.NonceSizeX], rest[chacha20poly1305.NonceSizeX:]
	seed, err := aead.Open(nil, nonce, sealed, append([]byte(authorSeal), head...))
	if err != nil {
		return nil, ErrPassphrase
	}
	key := ed25519.NewKeyFromSeed(seed)
	if !key.Public().(ed25519.PublicKey).Equal(ed25519.PublicKey(head[:ed25519.PublicKeySize])) {
		return nil, ErrPassphrase
	}
	return key, nil
}

func authorCipher(passphrase, salt []byte) (cipher.AEAD, error) {
	return chacha20poly1305.NewX(argon2.IDKey(passphrase, salt, authorPasses, authorMemory, authorLanes, chacha20poly1305.KeySize))
}

// WriteAuthorKey makes a key file that only its owner can read. A file that is there already is left alone.
func WriteAuthorKey(path string, key ed25519.PrivateKey, passphrase []byte) error {
	text, err := SealAuthorKey(key, passphrase)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("key file: %w", err)
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path)
		return fmt.Errorf("key file: %w", err)
	}
	return nil
}

// ReadAuthorKey opens a key file.
func ReadAuthorKey(path string, passphrase []byte) (ed25519.PrivateKey, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, authorFile))
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	key, err := OpenAuthorKey(text, passphrase)
	if err != nil {
		return nil, fmt.Errorf("key file %s: %w", path, err)
	}
	return key, nil
}
