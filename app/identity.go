package app

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"

	gameruntime "conch/runtime"
	"conch/runtime/bundle"
)

// identityOf is what a game is recognised by at its next start. The digest covers the entry page and the names and
// sizes beside it: enough to find a game again that was moved, and cheap for a bundle of any size.
func identityOf(b *bundle.Bundle) (gameruntime.Identity, error) {
	id := gameruntime.Identity{ID: b.Manifest.ID, Name: b.Title, Path: b.Path}
	sum := sha256.New()
	f, err := b.FS.Open(b.Entry)
	if err != nil {
		return id, fmt.Errorf("entry: %w", err)
	}
	defer f.Close()
	if _, err := io.Copy(sum, io.LimitReader(f, 16<<20)); err != nil {
		return id, fmt.Errorf("entry %q: %w", b.Entry, err)
	}
	entries, err := fs.ReadDir(b.FS, ".")
	if err != nil {
		return id, fmt.Errorf("bundle: %w", err)
	}
	for _, e := range entries {
		size := int64(-1)
		if info, err := e.Info(); err == nil && !e.IsDir() {
			size = info.Size()
		}
		fmt.Fprintf(sum, "%q %d\n", e.Name(), size)
	}
	id.EntryDigest = hex.EncodeToString(sum.Sum(nil))
	return id, nil
}
