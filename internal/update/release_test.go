package update

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const feedAddress = "https://games.example.net/my/feed.json"

func TestAnnounce(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 11, 1, 12, 0, 0, 5, time.UTC)
	game := func(name, version string) string {
		path := filepath.Join(dir, name)
		writeGame(t, path, gameSpec{"author", gameID, version, feedAddress})
		return path
	}
	f, first, err := Announce(t.Context(), []string{game("My Game.conch", "1.0.0")}, keyOf("author"),
		Announcement{Page: "https://games.example.net/my/", Notes: "First.\r\n", Lifetime: 48 * time.Hour, Date: now})
	if err != nil {
		t.Fatal(err)
	}
	if f.Targets["bundle"].URL != "https://games.example.net/my/My%20Game.conch" || f.Notes != "First." || !f.Expires.Equal(f.Date.Add(48*time.Hour)) {
		t.Errorf("%+v", f)
	}
	// The next version: page as before, notes not.
	f, second, err := Announce(t.Context(), []string{game("next.zip", "1.1.0")}, keyOf("author"),
		Announcement{Old: first, Base: "https://cdn.example.net/r/1.1", Date: now.Add(-time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	if f.Page != "https://games.example.net/my/" || f.Notes != "" || f.Expires != nil || f.Targets["bundle"].URL != "https://cdn.example.net/r/1.1/next.zip" {
		t.Errorf("%+v", f)
	}
	if old, _ := ParseFeed(first); !f.Date.After(old.Date) {
		t.Errorf("date %v is not after %v", f.Date, old.Date)
	}
	// The program of another system for the same version joins those that are there.
	withOther, err := ParseFeed(second)
	if err != nil {
		t.Fatal(err)
	}
	withOther.Targets["windows-amd64"] = Target{"https://cdn.example.net/r/1.1/My%20Game.exe", 5, strings.Repeat("0", 64)}
	third, err := withOther.Sign(keyOf("author"))
	if err != nil {
		t.Fatal(err)
	}
	f, _, err = Announce(t.Context(), []string{game("next.zip", "1.1.0")}, keyOf("author"), Announcement{Old: third, Notes: "More.", Date: now})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Targets) != 2 || f.Targets["bundle"].URL != "https://cdn.example.net/r/1.1/next.zip" || f.Notes != "More." {
		t.Errorf("%+v", f)
	}
}

func TestAnnounceRefuses(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	game := func(name string, g gameSpec) string {
		path := filepath.Join(dir, name)
		writeGame(t, path, g)
		return path
	}
	good := game("good.zip", gameSpec{"author", gameID, "1.0.0", feedAddress})
	_, feed, err := Announce(t.Context(), []string{game("v2.zip", gameSpec{"author", gameID, "2.0.0", feedAddress})}, keyOf("author"),
		Announcement{Page: "https://games.example.net/", Date: now})
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := fullFeed().Sign(keyOf("thief"))
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name     string
		programs []string
		old      []byte
		page     string
		want     string
	}{
		{"other key", []string{game("foreign.zip", gameSpec{"thief", gameID, "1.0.0", feedAddress})}, nil, "https://a.net/", "is signed by the key"},
		{"not signed", []string{game("plain.zip", gameSpec{"", gameID, "1.0.0", feedAddress})}, nil, "https://a.net/", "not signed"},
		{"two versions", []string{good, game("b.zip", gameSpec{"author", gameID, "1.0.1", feedAddress})}, nil, "https://a.net/", "one version of one game"},
		{"two games", []string{good, game("c.zip", gameSpec{"author", "com.example.other", "1.0.0", feedAddress})}, nil, "https://a.net/", "one version of one game"},
		{"two for one system", []string{good, good}, nil, "https://a.net/", "both for bundle"},
		{"not a program", []string{script}, nil, "https://a.net/", "not a packed program"},
		{"folder", []string{dir}, nil, "https://a.net/", "an update is one file"},
		{"absent", []string{filepath.Join(dir, "none")}, nil, "https://a.net/", "no such file"},
		{"none", nil, nil, "https://a.net/", "at least one program"},
		{"no page", []string{good}, nil, "", "--page is missing"},
		{"page over http", []string{good}, nil, "http://a.net/", "page: "},
		{"older than the feed", []string{good}, feed, "", "announces 2.0.0 already"},
		{"feed of another key", []string{good}, foreign, "", "signed by another key"},
		{"feed is none", []string{good}, []byte("{}"), "", "--feed: feed: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := Announce(t.Context(), tt.programs, keyOf("author"), Announcement{Old: tt.old, Page: tt.page, Date: now})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}
