package update

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/elf"
	"debug/pe"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

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
	if !info.Mode().IsRegular() {
		return p, fmt.Errorf("%s: an update is one file, a packed program or a .zip", path)
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

// targetOf says for which system a program is, by its own headers.
func targetOf(r io.ReaderAt) (string, error) {
	var head [4]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return "", errors.New("not a program and not a .zip")
	}
	switch {
	case bytes.HasPrefix(head[:], []byte("PK")):
		return bundleTarget, nil
	case string(head[:]) == elf.ELFMAG:
		f, err := elf.NewFile(r)
		if err != nil {
			return "", fmt.Errorf("not a program: %w", err)
		}
		if arch := map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}[f.Machine]; arch != "" {
			return "linux-" + arch, nil
		}
	case bytes.HasPrefix(head[:], []byte("MZ")):
		f, err := pe.NewFile(r)
		if err != nil {
			return "", fmt.Errorf("not a program: %w", err)
		}
		if arch := map[uint16]string{pe.IMAGE_FILE_MACHINE_AMD64: "amd64", pe.IMAGE_FILE_MACHINE_ARM64: "arm64"}[f.Machine]; arch != "" {
			return "windows-" + arch, nil
		}
	}
	return "", errors.New("not a packed program of a known system and not a .zip")
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
	probe, err := os.CreateTemp(filepath.Dir(path), ".conch-*")
	if err != nil {
		return "its folder cannot be written"
	}
	probe.Close()
	os.Remove(probe.Name())
	return ""
}
