package cli

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"conch/consent"
	"conch/runtime/bundle"
)

// authorKeys keeps the author's key of this account.
type authorKeys interface {
	Load(ctx context.Context) (ed25519.PrivateKey, error)
	Save(ctx context.Context, key ed25519.PrivateKey) error
}

func (p *Program) authorKeys() authorKeys {
	if p.keys != nil {
		return p.keys
	}
	return consent.AuthorKeys{}
}

func (p *Program) keygenCommand() *cobra.Command {
	var out, backup, passphraseFile string
	c := &cobra.Command{
		Use:   "keygen",
		Short: "Make the key that an author signs games with",
		Long: "Make the key that an author signs games with and print its fingerprint. It is kept in the system's key store, or\n" +
			"with --out in a file that a passphrase protects. The passphrase is asked for on the terminal, or read from\n" +
			"--passphrase-file or " + passphraseEnv + ".\n\n" +
			"Players' saves and answers belong to this key: lose it, and the next version is another game to them.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if backup != "" {
				return p.backupKey(c.Context(), backup, passphraseFile)
			}
			return p.keygen(c.Context(), out, passphraseFile)
		},
	}
	c.Flags().StringVar(&out, "out", "", "make a key file instead of an entry in the system's key store")
	c.Flags().StringVar(&backup, "backup", "", "write the key of the system's key store to a key file")
	c.Flags().StringVar(&passphraseFile, "passphrase-file", "", "file whose first line is the passphrase of the key file")
	c.MarkFlagsMutuallyExclusive("out", "backup")
	return c
}

func (p *Program) keygen(ctx context.Context, out, passphraseFile string) error {
	public, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return fmt.Errorf("make key: %w", err)
	}
	if out != "" {
		if err := p.writeKeyFile(ctx, out, key, passphraseFile); err != nil {
			return err
		}
		fmt.Fprintln(p.stdout, bundle.Fingerprint(public))
		return nil
	}
	err = p.authorKeys().Save(ctx, key)
	if errors.Is(err, consent.ErrAuthorKeyExists) {
		if old, loadErr := p.authorKeys().Load(ctx); loadErr == nil {
			return fmt.Errorf("%w (%s); for another one use --out FILE", err, bundle.Fingerprint(old.Public().(ed25519.PublicKey)))
		}
	}
	if err != nil {
		return fmt.Errorf("%w; to keep the key in a file use --out FILE", err)
	}
	fmt.Fprintln(p.stdout, bundle.Fingerprint(public))
	fmt.Fprintf(p.stderr, "%s: hint: make a copy for the day this computer breaks: `%s keygen --backup FILE`\n", p.Name, p.Name)
	return nil
}

func (p *Program) backupKey(ctx context.Context, file, passphraseFile string) error {
	key, err := p.authorKeys().Load(ctx)
	if err != nil {
		return err
	}
	if err := p.writeKeyFile(ctx, file, key, passphraseFile); err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, bundle.Fingerprint(key.Public().(ed25519.PublicKey)))
	return nil
}

func (p *Program) writeKeyFile(ctx context.Context, file string, key ed25519.PrivateKey, passphraseFile string) error {
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("%s is there already; a key file is never overwritten", file)
	}
	passphrase, err := p.passphrase(ctx, passphraseFile, true)
	if err != nil {
		return err
	}
	const least = 8
	if utf8.RuneCount(passphrase) < least {
		return fmt.Errorf("the passphrase is too short: use at least %d characters, better five words", least)
	}
	return consent.WriteAuthorKey(file, key, passphrase)
}

// passphraseEnv is for builds that run without a person.
const passphraseEnv = "CONCH_PASSPHRASE"

// passphrase takes the first line of a file, the environment, or what is typed on the terminal, twice for a new one.
func (p *Program) passphrase(ctx context.Context, file string, twice bool) ([]byte, error) {
	if file != "" {
		return passphraseLine(file)
	}
	if text := os.Getenv(passphraseEnv); text != "" {
		return []byte(text), nil
	}
	if !isTerminal(os.Stdin) {
		return nil, fmt.Errorf("there is no terminal to ask for the passphrase: use --passphrase-file or set %s", passphraseEnv)
	}
	first, err := p.ask(ctx, "passphrase: ")
	if err != nil || !twice {
		return first, err
	}
	second, err := p.ask(ctx, "again: ")
	if err == nil && !bytes.Equal(first, second) {
		err = errors.New("the two passphrases differ")
	}
	return first, err
}

func passphraseLine(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("--passphrase-file: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 64<<10))
	if err != nil {
		return nil, fmt.Errorf("--passphrase-file: %w", err)
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	if len(line) == 0 {
		return nil, fmt.Errorf("--passphrase-file %s: its first line is empty", file)
	}
	return line, nil
}

// ask reads a line from the terminal without showing it. An interrupt gives the terminal its echo back; the reading
// goroutine ends with the program.
func (p *Program) ask(ctx context.Context, prompt string) ([]byte, error) {
	fd := int(os.Stdin.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return nil, fmt.Errorf("terminal: %w", err)
	}
	fmt.Fprint(p.stderr, prompt)
	defer fmt.Fprintln(p.stderr)
	type line struct {
		text []byte
		err  error
	}
	lines := make(chan line, 1)
	go func() {
		text, err := term.ReadPassword(fd)
		lines <- line{text, err}
	}()
	select {
	case l := <-lines:
		if l.err != nil {
			return nil, fmt.Errorf("passphrase: %w", l.err)
		}
		return l.text, nil
	case <-ctx.Done():
		term.Restore(fd, before)
		return nil, ctx.Err()
	}
}
