package cli

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"conch/consent"
	"conch/runtime/bundle"
)

func (p *Program) signCommand() *cobra.Command {
	var keyFile, passphraseFile string
	var replace, asJSON bool
	c := &cobra.Command{
		Use:   "sign GAME",
		Short: "Sign a game with its author's key",
		Long: "Sign a folder or a zip with its author's key: every file gets a digest in conch.sig. A changed game no longer\n" +
			"starts, and players' saves and answers follow the key and the id of the manifest from version to version.\n" +
			"The key is the one of the system's key store, or the one in --key.",
		Args: oneGame,
		RunE: func(c *cobra.Command, args []string) error {
			key, err := p.signingKey(c.Context(), keyFile, passphraseFile)
			if err != nil {
				return err
			}
			progress, end := p.progress("signing")
			signed, err := bundle.Sign(c.Context(), args[0], key, bundle.SignOptions{ReplaceKey: replace, Progress: progress})
			end()
			var other *bundle.OtherKeyError
			if errors.As(err, &other) {
				return fmt.Errorf("%w; sign with that key, or use --replace-key", err)
			}
			if err != nil {
				return err
			}
			if asJSON {
				return p.printJSON(map[string]any{
					"id": signed.ID, "signer": signed.Signer, "files": signed.Files, "bytes": signed.Bytes,
				})
			}
			_, err = fmt.Fprintf(p.stdout, "%s signed by %s: %s in %d files\n", signed.ID, signed.Signer, byteSize(signed.Bytes), signed.Files)
			return err
		},
	}
	c.Flags().StringVar(&keyFile, "key", "", "key file made by keygen --out or --backup (default: the key of the system's key store)")
	c.Flags().StringVar(&passphraseFile, "passphrase-file", "", "file whose first line is the passphrase of the key file")
	c.Flags().BoolVar(&replace, "replace-key", false, "sign a game that another key has signed; to players it becomes another game")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (p *Program) signingKey(ctx context.Context, keyFile, passphraseFile string) (ed25519.PrivateKey, error) {
	if keyFile == "" {
		key, err := p.authorKeys().Load(ctx)
		switch {
		case errors.Is(err, consent.ErrNoAuthorKey):
			return nil, fmt.Errorf("%w; make one with `%s keygen`, or name a key file with --key", err, p.Name)
		case err != nil:
			return nil, fmt.Errorf("%w; name a key file with --key (`%s keygen --out FILE` makes one)", err, p.Name)
		}
		return key, nil
	}
	if _, err := os.Stat(keyFile); err != nil { // before anybody types a passphrase
		return nil, fmt.Errorf("--key: %w", err)
	}
	passphrase, err := p.passphrase(ctx, passphraseFile, false)
	if err != nil {
		return nil, err
	}
	return consent.ReadAuthorKey(keyFile, passphrase)
}

// progress shows on a terminal how far a long reading is. end wipes the line.
func (p *Program) progress(what string) (show func(done, total int64), end func()) {
	if p.stderr != os.Stderr || !isTerminal(os.Stderr) {
		return nil, func() {}
	}
	last := int64(-1)
	show = func(done, total int64) {
		if percent := 100 * done / max(total, 1); percent != last {
			last = percent
			fmt.Fprintf(p.stderr, "\r%s: %s %d %%", p.Name, what, percent)
		}
	}
	return show, func() { fmt.Fprint(p.stderr, "\r\x1b[K") }
}
