package runtime

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"conch/runtime/bundle"
)

// State remembers the games that were started on this computer: which port each has, and under which key its saves are
// kept. It is one file, shared by all processes of the player; the methods may be called by several at once.
type State struct{ dir string }

// Identity is what a game is recognised by.
type Identity struct {
	Signer      string // fingerprint of the author's key, "" when the game is not signed; a signed game has an ID
	ID          string // of the manifest, "" when there is none
	Name        string // for the readable part of the key
	Path        string // of the bundle
	EntryDigest string // of what is in it, "" when unknown
}

// Record is one remembered game.
type Record struct {
	Key         string `json:"key"` // conch-NAME-xxxxxxxx: safe as a file name and as a program name
	Signer      string `json:"signer,omitempty"`
	ID          string `json:"id,omitempty"`
	Path        string `json:"path"` // absolute, links resolved; where it was last started
	EntryDigest string `json:"entryDigest,omitempty"`
	Port        int    `json:"port"`
}

// OpenState prepares the state in a folder of the player's own, which is made when it is missing.
func OpenState(dir string) (*State, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("state folder: %w", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return nil, fmt.Errorf("state folder: %w", err)
	}
	return &State{dir: dir}, nil
}

// Records lists the remembered games, the last started last. A state that cannot be read is empty.
func (s *State) Records() []Record {
	unlock, err := s.lock()
	if err != nil {
		return nil
	}
	defer unlock()
	games, err := s.readLocked()
	if err != nil {
		return nil
	}
	return games
}

// Lookup finds the game's record and notes where it is now, or makes one. A game is the one with the same id; without
// an id, the one at the same path; else one with the same content whose old path is gone, so a moved game keeps its
// saves and a copy gets its own. A game that gets or drops an id in an update stays itself.
//
// A signed game is the one with the same key and id and shares with no other. When its author signs it for the first
// time, it takes the record of the unsigned game in whose place it is: the same path, or the same content whose path is
// gone, with the same id or none. Whatever is put there may use these saves without a signature too, so this gives
// nothing away. There is no way back: an unsigned game, or one of another key, gets a record of its own.
func (s *State) Lookup(game Identity) (Record, error) {
	game.Path = canonicalPath(game.Path)
	unlock, err := s.lock()
	if err != nil {
		return Record{}, fmt.Errorf("state: %w", err)
	}
	defer unlock()
	games, err := s.readLocked()
	if err != nil {
		return Record{}, fmt.Errorf("state: %w", err)
	}
	before := slices.Clone(games)
	var r Record
	if i := find(games, game); i >= 0 {
		r = games[i]
		games = slices.Delete(games, i, i+1)
	} else if r, err = newRecord(games, game); err != nil {
		return Record{}, fmt.Errorf("state: %w", err)
	}
	r.Path, r.EntryDigest = game.Path, cmp.Or(game.EntryDigest, r.EntryDigest)
	r.ID = cmp.Or(game.ID, r.ID)
	r.Signer = game.Signer
	games = append(games, r)
	if slices.Equal(before, games) {
		return r, nil
	}
	if err := s.writeLocked(games); err != nil {
		return Record{}, fmt.Errorf("state: %w", err)
	}
	return r, nil
}

// TakePort gives the game with this key another port: that of saves which belong to it and came from another computer.
func (s *State) TakePort(key string, port int) error {
	if !usablePort(port) {
		return fmt.Errorf("state: port %d cannot be a game's own", port)
	}
	unlock, err := s.lock()
	if err != nil {
		return fmt.Errorf("state: %w", err)
	}
	defer unlock()
	games, err := s.readLocked()
	if err != nil {
		return fmt.Errorf("state: %w", err)
	}
	i := slices.IndexFunc(games, func(r Record) bool { return r.Key == key })
	other := slices.IndexFunc(games, func(r Record) bool { return r.Port == port })
	switch {
	case i < 0:
		return fmt.Errorf("state: no game is called %s", key)
	case other >= 0 && other != i:
		return fmt.Errorf("state: port %d belongs to another game here (%s)", port, games[other].Key)
	}
	games[i].Port = port
	if err := s.writeLocked(games); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	return nil
}

// find returns the index of the game's record, -1 when there is none.
func find(games []Record, game Identity) int {
	if game.Signer != "" {
		return findSigned(games, game)
	}
	if game.ID != "" {
		if i := slices.IndexFunc(games, func(r Record) bool { return r.Signer == "" && r.ID == game.ID }); i >= 0 {
			return i
		}
	}
	for i, r := range slices.Backward(games) {
		if r.Signer == "" && r.Path == game.Path && (r.ID == "" || game.ID == "") {
			return i
		}
	}
	for i, r := range slices.Backward(games) {
		same := r.Signer == "" && r.ID == "" && game.ID == "" && r.EntryDigest == game.EntryDigest
		if same && game.EntryDigest != "" && isGone(r.Path) {
			return i
		}
	}
	return -1
}

func findSigned(games []Record, game Identity) int {
	i := slices.IndexFunc(games, func(r Record) bool { return r.Signer == game.Signer && r.ID == game.ID })
	if i >= 0 {
		return i
	}
	for i, r := range slices.Backward(games) {
		if r.Signer != "" || r.ID != "" && r.ID != game.ID {
			continue
		}
		same := game.EntryDigest != "" && r.EntryDigest == game.EntryDigest
		if r.Path == game.Path || same && isGone(r.Path) {
			return i
		}
	}
	return -1
}

func isGone(path string) bool {
	_, err := os.Lstat(path)
	return os.IsNotExist(err)
}

func newRecord(games []Record, game Identity) (Record, error) {
	seed, name := "path:"+game.Path, game.Name
	if name == "" {
		base := filepath.Base(game.Path)
		name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	if game.ID != "" {
		seed, name = "id:"+game.ID, game.ID
	}
	if game.Signer != "" {
		seed = "signed:" + game.Signer + ":" + game.ID
	}
	r := Record{Key: makeKey(name, seed)}
	// The key of a path may belong to a game that has moved away since.
	for n := 2; slices.ContainsFunc(games, func(g Record) bool { return g.Key == r.Key }); n++ {
		r.Key = makeKey(name, fmt.Sprintf("%s#%d", seed, n))
	}
	var err error
	r.Port, err = derivePort(r.Key, func(port int) bool {
		return slices.ContainsFunc(games, func(g Record) bool { return g.Port == port })
	})
	return r, err
}

// makeKey is "conch-NAME-xxxxxxxx": small ASCII letters, digits and dashes, at most 47 characters.
func makeKey(name, seed string) string {
	const maxName = 32
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		if b.Len() == maxName {
			break
		}
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			b.WriteRune(r)
		} else if b.Len() > 0 && !strings.HasSuffix(b.String(), "-") {
			b.WriteByte('-')
		}
	}
	slug := cmp.Or(strings.Trim(b.String(), "-"), "game")
	sum := sha256.Sum256([]byte(seed))
	return "conch-" + slug + "-" + hex.EncodeToString(sum[:4])
}

// canonicalPath is absolute and without links, as far as that can be found out.
func canonicalPath(p string) string {
	if abs, err := filepath.Abs(p); err == nil {
		p = abs
	}
	if real, err := filepath.EvalSymlinks(p); err == nil {
		p = real
	}
	return p
}

// IdentityOf reads what the game is recognised by. Many exports share the same entry page, so the digest also covers
// the names and sizes of the files, up to a number that costs no time.
func IdentityOf(b *bundle.Bundle) Identity {
	const maxFiles = 1000
	id := Identity{Signer: b.Signer(), ID: b.Manifest.ID, Name: cmp.Or(b.Manifest.Name, b.Title), Path: b.Path}
	h := sha256.New()
	f, err := b.FS.Open(b.Entry)
	if err != nil {
		return id
	}
	defer f.Close()
	if _, err := io.Copy(h, f); err != nil {
		return id
	}
	files := 0
	err = fs.WalkDir(b.FS, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if files++; files > maxFiles {
			return fs.SkipAll
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "\x00%s\x00%d", path, info.Size())
		return nil
	})
	if err == nil {
		id.EntryDigest = hex.EncodeToString(h.Sum(nil))
	}
	return id
}
