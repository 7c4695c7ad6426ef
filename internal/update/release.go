package update

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"conch/runtime/bundle"
)

// Announcement is what an author says about a release besides its programs.
type Announcement struct {
	Old      []byte        // the feed so far, nil for the first one
	Page     string        // where people get it; "": as in Old
	Base     string        // folder on the web where the programs lie; "": as in Old, else the folder of the feed
	Notes    string        // plain text; "": as in Old when the version is the same
	Lifetime time.Duration // until a newer feed is promised; 0: none is
	Date     time.Time     // of the release
	Progress func(done, total int64)
}

// Announce makes the signed feed for programs of one version, each of which is read and checked as the player's game
// will check it. Programs of other systems that Old names for the same version stay in it.
func Announce(ctx context.Context, programs []string, key crypto.Signer, a Announcement) (*Feed, []byte, error) {
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok || len(programs) == 0 {
		return nil, nil, errors.New("release: an Ed25519 key and at least one program are needed")
	}
	f := &Feed{Targets: map[string]Target{}, Page: a.Page, Notes: cleanNotes(a.Notes), Date: a.Date.UTC().Truncate(time.Second)}
	names := map[string]string{} // target -> file name, made an address when the folder is known
	feedAt := ""
	for _, path := range programs {
		p, err := Verify(ctx, path, a.Progress)
		if err != nil {
			return nil, nil, fmt.Errorf("release: %w", err)
		}
		switch {
		case p.Signer != bundle.Fingerprint(public):
			return nil, nil, fmt.Errorf("release: %s is signed by the key %s, not by %s", path, p.Signer, bundle.Fingerprint(public))
		case p.Feed == "":
			return nil, nil, fmt.Errorf(`release: %s names no feed; write "update": {"feed": "https://..."} into its conch.json, or its players never learn of the version after it`, path)
		case f.ID != "" && (p.ID != f.ID || p.Version != f.Version || p.Feed != feedAt):
			return nil, nil, fmt.Errorf("release: %s is %s %s, and %s is %s %s: a release is one version of one game with one feed", path, p.ID, p.Version, programs[0], f.ID, f.Version)
		case names[p.Target] != "":
			return nil, nil, fmt.Errorf("release: %s and %s are both for %s", names[p.Target], path, p.Target)
		}
		f.ID, f.Version, feedAt = p.ID, p.Version, p.Feed
		names[p.Target] = filepath.Base(path)
		f.Targets[p.Target] = Target{Size: p.Size, SHA256: p.SHA256}
	}
	base := a.Base
	if a.Old != nil {
		old, err := ParseFeed(a.Old)
		if err != nil {
			return nil, nil, fmt.Errorf("release: --feed: %w", err)
		}
		if err := f.follow(old, names, bundle.Fingerprint(public)); err != nil {
			return nil, nil, err
		}
		if base == "" {
			base = folderOf(old)
		}
	}
	if base == "" {
		base = feedAt[:strings.LastIndexByte(strings.SplitN(feedAt, "?", 2)[0], '/')+1]
	}
	if f.Page == "" {
		return nil, nil, errors.New("release: --page is missing: the https address at which people get the game")
	}
	for target, name := range names {
		t := f.Targets[target]
		t.URL = strings.TrimSuffix(base, "/") + "/" + url.PathEscape(name)
		f.Targets[target] = t
	}
	if a.Lifetime > 0 {
		until := f.Date.Add(a.Lifetime).Truncate(time.Second)
		f.Expires = &until
	}
	text, err := f.Sign(key)
	return f, text, err
}

// follow makes f the successor of old.
func (f *Feed) follow(old *Feed, names map[string]string, signer string) error {
	switch {
	case old.Signer() != signer:
		return fmt.Errorf("release: --feed is signed by another key (%s)", old.Signer())
	case old.ID != f.ID:
		return fmt.Errorf("release: --feed is for the game %q, not for %q", old.ID, f.ID)
	case newer(old.Version, f.Version):
		return fmt.Errorf("release: --feed announces %s already, which is newer than %s: players who saw it would not believe an older one", old.Version, f.Version)
	}
	if !f.Date.After(old.Date) {
		f.Date = old.Date.Add(time.Second) // an author whose clock went back
	}
	if f.Page == "" {
		f.Page = old.Page
	}
	if old.Version != f.Version {
		return nil
	}
	if f.Notes == "" {
		f.Notes = old.Notes
	}
	for target, t := range old.Targets {
		if names[target] == "" {
			f.Targets[target] = t
		}
	}
	return nil
}

// folderOf is the folder that all programs of a feed lie in, "" when there is no such one.
func folderOf(f *Feed) string {
	folder := ""
	for _, t := range f.Targets {
		dir := t.URL[:strings.LastIndexByte(strings.SplitN(t.URL, "?", 2)[0], '/')+1]
		if folder != "" && dir != folder {
			return ""
		}
		folder = dir
	}
	return folder
}
