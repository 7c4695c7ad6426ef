package update

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"conch/internal/whole"
	"conch/runtime/bundle"
)

// Program is a file that carries a signed game: a packed program, or the bundle itself.
type Program struct {
	Target  string // "linux-amd64" and the like, or "bundle"
	Signer  string // fingerprint of the author's key
	ID      string
	Version string
	Feed    string // address of the feed that the game follows
	Size    int64
	SHA256  string // of the whole file
}

// Verify reads the whole program at path and checks its signed game byte for byte. It is the one place where this
// package looks into programs.
func Verify(ctx context.Context, path string, progress func(done, total int64)) (Program, error) {
	p := Program{}
	f, err := os.Open(path)
	if err != nil {
		return p, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return p, err
	}
	if p.Target, err = targetOf(f); err != nil {
		return p, fmt.Errorf("%s: %w", path, err)
	}
	sum := sha256.New()
	if p.Size, err = io.Copy(sum, io.NewSectionReader(f, 0, info.Size())); err != nil {
		return p, err
	}
	p.SHA256 = hex.EncodeToString(sum.Sum(nil))
	b, err := bundle.Open(path, bundle.Options{})
	if err != nil {
		return p, err
	}
	defer b.Close()
	p.Signer, p.ID, p.Version, p.Feed = b.Signer(), b.Manifest.ID, b.Manifest.Version, b.Manifest.Update.Feed
	if b.Kind == bundle.HTML || p.Signer == "" {
		return p, fmt.Errorf("%s: %w", path, bundle.ErrUnsigned)
	}
	return p, b.VerifyAll(ctx, progress)
}

// bundleTarget is the target of a bundle by itself, which runs on every system.
const bundleTarget = "bundle"

// targetOf says for which system a program with a game is.
func targetOf(f *os.File) (string, error) {
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("an update is one file, a packed program or a .zip")
	}
	var head [2]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return "", errors.New("not a packed program and not a .zip")
	}
	if string(head[:]) == "PK" {
		return bundleTarget, nil
	}
	x, err := bundle.ReadExecutable(f, info.Size())
	switch {
	case err != nil:
		return "", fmt.Errorf("not a packed program and not a .zip: %w", err)
	case x.Payload == nil || x.Arch == "":
		return "", errors.New("not a packed program and not a .zip")
	case x.Payload.Side:
		return "", errors.New("its game lies in a file beside it, and an update is one file; name no program, so that players get your page")
	}
	return x.System + "-" + x.Arch, nil
}

// targetAt is targetOf for a path.
func targetAt(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return targetOf(f)
}

// managed are places whose files belong to a package manager or a store, which would not learn of a change.
var managed = []struct{ prefix, who string }{
	{"/usr/", "the system's package manager"}, {"/opt/", "the system's package manager"}, {"/snap/", "snap"},
	{"/app/", "Flatpak"}, {"/nix/", "Nix"}, {"/gnu/store/", "Guix"},
}

// replaceable says why the program at path must not be replaced by us, "" when it may.
func replaceable(path string) string {
	slash := filepath.ToSlash(path)
	switch {
	case runtime.GOOS == "darwin":
		return "on macOS an update is an app of its own"
	case os.Getenv("APPIMAGE") != "" && os.Getenv("APPDIR") != "" && strings.HasPrefix(path, os.Getenv("APPDIR")):
		return "it runs from an AppImage"
	case strings.Contains(strings.ToLower(slash), "/windowsapps/"):
		return "it was installed by the Microsoft Store"
	case strings.Contains(strings.ToLower(slash), "/steamapps/"):
		return "it was installed by Steam"
	}
	for _, m := range managed {
		if strings.HasPrefix(slash, m.prefix) {
			return "it was installed by " + m.who
		}
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return "it is not one file"
	}
	if whole.Writable(filepath.Dir(path)) != nil {
		return "its folder cannot be written"
	}
	return ""
}
