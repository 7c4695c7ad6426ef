package consent

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strings"
)

// A key id begins with where its key is kept. Keys of one place never vouch for rows of the other.
const (
	inKeychain = "key:"
	inFile     = "file:"
)

const secretSize = 32

// sealKey seals rows. Its id is derived from the key, so a row names the key that it needs and nothing else has to be
// kept beside it.
type sealKey struct {
	kid string
	key []byte
}

func newSealKey(place string, key []byte) *sealKey {
	id := hmac.New(sha256.New, key)
	id.Write([]byte("conch key id"))
	return &sealKey{kid: place + hex.EncodeToString(id.Sum(nil)[:8]), key: key}
}

// approval is one row.
type approval struct {
	subject
	created, seq int64
}

// seal is HMAC-SHA256 over every field that a row grants with. Each field has its length in front, so that no two
// rows have the same bytes.
func (k *sealKey) seal(store string, a approval) []byte {
	mac := hmac.New(sha256.New, k.key)
	mac.Write(sealed(store, k.kid, a))
	return mac.Sum(nil)
}

func (k *sealKey) verify(store string, a approval, mac []byte) bool {
	return hmac.Equal(k.seal(store, a), mac)
}

func sealed(store, kid string, a approval) []byte {
	var b []byte
	for _, field := range []string{"approval-v1", store, kid, a.game, a.host, number(int64(a.port)), a.class, number(a.created), number(a.seq)} {
		b = binary.BigEndian.AppendUint32(b, uint32(len(field)))
		b = append(b, field...)
	}
	return b
}

func number(n int64) string { return string(binary.BigEndian.AppendUint64(nil, uint64(n))) }

func newSecret() []byte {
	b := make([]byte, secretSize)
	rand.Read(b) // never fails
	return b
}

func encodeSecret(secret []byte) string { return base64.StdEncoding.EncodeToString(secret) }

// decodeSecret reads what encodeSecret wrote; ok is false for everything else.
func decodeSecret(text string) (secret []byte, ok bool) {
	secret, err := base64.StdEncoding.Strict().DecodeString(strings.TrimSuffix(text, "\n"))
	return secret, err == nil && len(secret) == secretSize
}

// place is what a key in a file is bound to: a copied folder is void on another machine, for another account and at
// another path.
type place struct{ machine, user, path string }

func (p place) derive(secret []byte, store string) ([]byte, error) {
	var info []byte
	for _, field := range []string{"conch approvals v1", p.machine, p.user, p.path} {
		info = binary.BigEndian.AppendUint32(info, uint32(len(field)))
		info = append(info, field...)
	}
	return hkdf.Key(sha256.New, secret, []byte(store), string(info), secretSize)
}

// parseMachineID reads a machine's identity: 32 hexadecimal digits, with or without the dashes of a UUID.
func parseMachineID(text string) (string, error) {
	id := strings.ToLower(strings.ReplaceAll(strings.TrimSpace(text), "-", ""))
	if raw, err := hex.DecodeString(id); err != nil || len(raw) != 16 || strings.Trim(id, "0") == "" {
		return "", errors.New("no machine identity")
	}
	return id, nil
}
