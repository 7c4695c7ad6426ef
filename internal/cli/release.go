package cli

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"conch/internal/update"
	"conch/internal/whole"
)

func (p *Program) releaseCommand() *cobra.Command {
	var keyFile, passphraseFile, old, out, notes string
	var a update.Announcement
	var days int
	var asJSON bool
	c := &cobra.Command{
		Use:   "release PROGRAM...",
		Short: "Write the signed feed that tells players of a new version",
		Long: "Write the release feed for programs of one version: packed programs of any system, or a signed .zip. Each is read\n" +
			"and checked as the players' games will check it. Publish the programs first and the feed last, unchanged, at the\n" +
			"address that update.feed in conch.json names.\n\n" +
			"  conch release Game Game.exe --page https://games.example.net/mygame -o feed.json    the first one\n" +
			"  conch release Game Game.exe --feed feed.json -o feed.json --notes-file notes.txt     the ones after it",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return wrongUse("release takes the programs of the new version")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if days < 0 {
				return wrongUse("--expires %d: a number of days", days)
			}
			var err error
			if a.Old, err = smallFile("--feed", old); err != nil {
				return err
			}
			text, err := smallFile("--notes-file", notes)
			if err != nil {
				return err
			}
			a.Notes = string(text)
			key, err := p.signingKey(c.Context(), keyFile, passphraseFile)
			if err != nil {
				return err
			}
			a.Date, a.Lifetime = time.Now(), time.Duration(days)*24*time.Hour
			progress, end := p.progress("checking")
			a.Progress = progress
			feed, text, err := update.Announce(c.Context(), args, key, a)
			end()
			if err != nil {
				return err
			}
			if err := whole.Write(out, text, 0o644); err != nil {
				return fmt.Errorf("-o: %w", err)
			}
			if asJSON {
				return p.printJSON(map[string]any{"id": feed.ID, "version": feed.Version, "signer": feed.Signer(), "targets": feed.Targets, "feed": out})
			}
			fmt.Fprintf(p.stdout, "%s %s announced in %s, signed by %s\n", feed.ID, feed.Version, out, feed.Signer())
			for _, name := range slices.Sorted(maps.Keys(feed.Targets)) {
				fmt.Fprintf(p.stdout, "%-14s %9s  %s\n", name, byteSize(feed.Targets[name].Size), feed.Targets[name].URL)
			}
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&keyFile, "key", "", "key file made by keygen --out or --backup (default: the key of the system's key store)")
	f.StringVar(&passphraseFile, "passphrase-file", "", "file whose first line is the passphrase of the key file")
	f.StringVar(&old, "feed", "", "the feed so far; leave it out for the first release only")
	f.StringVarP(&out, "out", "o", "feed.json", "where the feed is written")
	f.StringVar(&a.Page, "page", "", "https address at which people get the game (default: as in --feed)")
	f.StringVar(&a.Base, "download", "", "https folder in which the programs lie (default: as in --feed, else beside the feed)")
	f.StringVar(&notes, "notes-file", "", "file with what is new, plain text")
	f.IntVar(&days, "expires", 0, "days until which you promise a newer feed, so that a feed held back shows (default: no promise)")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// smallFile reads a file that a flag names, nil for none.
func smallFile(flag, path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	defer f.Close()
	const most = 1 << 20
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && len(text) > most {
		err = fmt.Errorf("%s is larger than 1 MiB", path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return []byte(strings.TrimPrefix(string(text), "\xef\xbb\xbf")), nil
}
