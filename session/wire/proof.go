package wire

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
	"hash/crc32"
	"slices"
)

// ClientProject is Hello.Project: SHA-256 over a label, the client's nonce and the project id.
func ClientProject(clientNonce [NonceSize]byte, project string) [ProofSize]byte {
	return digest("conch.session.1 client", clientNonce[:], []byte(project))
}

// HostProject is Challenge.Project: SHA-256 over a label, both nonces and the project id.
func HostProject(clientNonce, hostNonce [NonceSize]byte, project string) [ProofSize]byte {
	return digest("conch.session.1 host", clientNonce[:], hostNonce[:], []byte(project))
}

func digest(label string, parts ...[]byte) (sum [ProofSize]byte) {
	h := sha256.New()
	h.Write([]byte(label))
	for _, p := range parts {
		h.Write(p)
	}
	h.Sum(sum[:0])
	return sum
}

// Key turns a password or a join code into a key: PBKDF2-HMAC-SHA256, 32 bytes.
func Key(secret string, salt []byte, iterations int) ([]byte, error) {
	return pbkdf2.Key(sha256.New, secret, salt, iterations, ProofSize)
}

// ClientProof is Auth.Proof: HMAC-SHA256 over a label, both nonces and the project id.
func ClientProof(key []byte, clientNonce, hostNonce [NonceSize]byte, project string) []byte {
	return proof(key, "conch.session.1 join", clientNonce, hostNonce, project)
}

// HostProof is Welcome.Proof.
func HostProof(key []byte, clientNonce, hostNonce [NonceSize]byte, project string) []byte {
	return proof(key, "conch.session.1 welcome", clientNonce, hostNonce, project)
}

func proof(key []byte, label string, clientNonce, hostNonce [NonceSize]byte, project string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(label))
	h.Write(clientNonce[:])
	h.Write(hostNonce[:])
	h.Write([]byte(project))
	return h.Sum(nil)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// CRC is CRC-32C, as SnapEnd carries it.
func CRC(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// Checksum is what Check carries: CRC-32C of the content of a snapshot of all, with entities in ascending order of
// their targets and fields in ascending order of their names' positions, without removed fields. It sorts all.
func Checksum(all []Entity) uint32 {
	slices.SortFunc(all, func(a, b Entity) int { return int(a.Target) - int(b.Target) })
	for i := range all {
		slices.SortFunc(all[i].Fields, func(a, b Field) int { return int(a.Name) - int(b.Name) })
	}
	return CRC(AppendSnapshot(nil, all))
}
