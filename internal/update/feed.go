package update

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/mod/semver"

	"conch/consent/hostlist"
	"conch/runtime/bundle"
)

// Bounds of a feed. docs/bundle.md has the format.
const (
	maxFeed    = 64 << 10 // bytes of the file
	maxNotes   = 4000     // characters of the notes
	maxTargets = 32
	maxProgram = 16 << 30 // bytes of one program
)

// feedPrefix begins everything that a feed's signature covers, so that no other signature of the author fits a feed
// and a feed's fits nothing else.
const feedPrefix = "conch-feed-v1\n"

// Feed is the newest release of a game as its author announces it. The text of a feed has one form only: what Sign
// gives for it.
type Feed struct {
	Format  int               `json:"format"` // 1
	Key     string            `json:"key"`    // the author's public key, hexadecimal
	ID      string            `json:"id"`
	Version string            `json:"version"`
	Date    time.Time         `json:"date"`              // when it was released, whole seconds of UTC
	Expires *time.Time        `json:"expires,omitempty"` // when a newer feed is to be expected at the latest; nil: never
	Page    string            `json:"page"`              // where people get it, https
	Notes   string            `json:"notes"`             // plain text
	Targets map[string]Target `json:"targets"`           // by "linux-amd64" and the like, or "bundle"
	Sig     string            `json:"signature"`         // Ed25519, hexadecimal
}

// Target is one program of a release.
type Target struct {
	URL    string `json:"url"` // https
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// targetPattern is the name of a target: the kinds that targetOf knows, and those that other systems may get.
var targetPattern = regexp.MustCompile(`^(bundle|[a-z0-9]{2,16}-[a-z0-9]{2,16})$`)

// Signer is the fingerprint of the key that signed the feed.
func (f *Feed) Signer() string {
	key, _ := hex.DecodeString(f.Key)
	return bundle.Fingerprint(key)
}

// ParseFeed reads a feed and checks its signature. Whose signature it is, is for the caller to ask.
func ParseFeed(text []byte) (*Feed, error) {
	if len(text) > maxFeed {
		return nil, fmt.Errorf("feed: larger than %d KiB", maxFeed>>10)
	}
	if !utf8.Valid(text) {
		return nil, errors.New("feed: not UTF-8")
	}
	var version struct {
		Format int `json:"format"`
	}
	if json.Unmarshal(text, &version) == nil && version.Format > 1 {
		return nil, fmt.Errorf("feed: written by a newer Conch (format %d)", version.Format)
	}
	var f Feed
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("feed: not the text of a release feed: %w", err)
	}
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("feed: %w", err)
	}
	key, sig, err := f.keyAndSignature()
	if err != nil {
		return nil, fmt.Errorf("feed: %w", err)
	}
	// One release has one text: nothing is there twice, in another letter case, or beside what was signed.
	if again, err := f.encode(); err != nil || !bytes.Equal(again, text) {
		return nil, errors.New("feed: not as conch release wrote it; publish the file unchanged, without other line ends")
	}
	if !ed25519.Verify(key, f.message(), sig) {
		return nil, errors.New("feed: the signature does not fit; it was changed after its author signed it")
	}
	return &f, nil
}

func (f *Feed) keyAndSignature() (ed25519.PublicKey, []byte, error) {
	key, err := lowerHex(f.Key, ed25519.PublicKeySize)
	if err != nil {
		return nil, nil, fmt.Errorf("key: %w", err)
	}
	sig, err := lowerHex(f.Sig, ed25519.SignatureSize)
	if err != nil {
		return nil, nil, fmt.Errorf("signature: %w", err)
	}
	return key, sig, nil
}

func lowerHex(s string, size int) ([]byte, error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != size || strings.ToLower(s) != s {
		return nil, fmt.Errorf("must be %d lower-case hexadecimal digits", 2*size)
	}
	return b, nil
}

// check looks at everything but key and signature.
func (f *Feed) check() error {
	if f.Format != 1 {
		return errors.New("format must be 1")
	}
	if f.ID == "" || len(f.ID) > 100 {
		return errors.New("id is missing")
	}
	if _, err := bundle.ParseVersion(f.Version); err != nil {
		return err
	}
	if !plainTime(f.Date) || f.Expires != nil && (!plainTime(*f.Expires) || !f.Expires.After(f.Date)) {
		return errors.New("date and expires must be whole seconds of UTC, expires after date")
	}
	if err := checkAddress(f.Page); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	if utf8.RuneCountInString(f.Notes) > maxNotes || cleanNotes(f.Notes) != f.Notes {
		return fmt.Errorf("notes must be plain text of at most %d characters", maxNotes)
	}
	if len(f.Targets) > maxTargets || f.Targets == nil {
		return fmt.Errorf("targets must be a list of at most %d programs", maxTargets)
	}
	for name, t := range f.Targets {
		if !targetPattern.MatchString(name) {
			return fmt.Errorf("target %q: must be like linux-amd64", name)
		}
		if err := checkAddress(t.URL); err != nil {
			return fmt.Errorf("target %s: %w", name, err)
		}
		if _, err := lowerHex(t.SHA256, sha256.Size); err != nil || t.Size <= 0 || t.Size > maxProgram {
			return fmt.Errorf("target %s: size or sha256 is impossible", name)
		}
	}
	return nil
}

func plainTime(t time.Time) bool {
	return t.Location() == time.UTC && t.Nanosecond() == 0 && t.Year() >= 2000 && t.Year() < 10000
}

// checkAddress wants the one way to write an address.
func checkAddress(raw string) error {
	t, err := hostlist.ParseHTTPS(raw)
	if err != nil {
		return err
	}
	if t.WebURL() != raw {
		return fmt.Errorf("address %q: write %q", raw, t.WebURL())
	}
	return nil
}

// cleanNotes is the text without what could make it read as something else: control and direction characters, and more
// than one empty line after another.
func cleanNotes(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp), r == utf8.RuneError:
			return -1
		}
		return r
	}, strings.ReplaceAll(s, "\r\n", "\n"))
	return strings.TrimSpace(manyLines.ReplaceAllString(s, "\n\n"))
}

var manyLines = regexp.MustCompile(`\n{3,}`)

// message is what the author's key signs, written as in a conch.sig: every field with its length in front.
func (f *Feed) message() []byte {
	key, _ := hex.DecodeString(f.Key)
	expires := ""
	if f.Expires != nil {
		expires = f.Expires.Format(time.RFC3339)
	}
	b := []byte(feedPrefix)
	for _, s := range []string{"ed25519", string(key), f.ID, f.Version, f.Date.Format(time.RFC3339), expires, f.Page, f.Notes} {
		b = appendField(b, s)
	}
	b = binary.BigEndian.AppendUint64(b, uint64(len(f.Targets)))
	for _, name := range slices.Sorted(maps.Keys(f.Targets)) {
		t := f.Targets[name]
		sum, _ := hex.DecodeString(t.SHA256)
		b = appendField(b, name)
		b = appendField(b, t.URL)
		b = binary.BigEndian.AppendUint64(b, uint64(t.Size))
		b = appendField(b, string(sum))
	}
	return b
}

// appendField writes the length as four bytes, most significant first, and then the bytes.
func appendField(b []byte, s string) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(s)))
	return append(b, s...)
}

// encode is the text of the feed.
func (f *Feed) encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(f)
	return b.Bytes(), err
}

// Sign fills in key and signature and answers the text of the feed. The same release and key give the same text.
func (f *Feed) Sign(key crypto.Signer) ([]byte, error) {
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		return nil, errors.New("feed: the key is not an Ed25519 key")
	}
	f.Format, f.Key, f.Sig = 1, hex.EncodeToString(public), ""
	f.Notes = cleanNotes(f.Notes)
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("feed: %w", err)
	}
	sig, err := key.Sign(rand.Reader, f.message(), crypto.Hash(0))
	if err != nil {
		return nil, fmt.Errorf("feed: sign: %w", err)
	}
	f.Sig = hex.EncodeToString(sig)
	text, err := f.encode()
	if err != nil {
		return nil, fmt.Errorf("feed: %w", err)
	}
	if _, err := ParseFeed(text); err != nil { // a feed that no game would take is not published
		return nil, err
	}
	return text, nil
}

// newer reports whether version a comes after b; both are versions that bundle.ParseVersion takes.
func newer(a, b string) bool { return semver.Compare("v"+a, "v"+b) > 0 }
