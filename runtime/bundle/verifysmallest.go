package bundle

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// openCost is what opening a file costs, in bytes that could be checked meanwhile.
const openCost = 16 << 10

// VerifySmallest reads files of a signed game and checks them, the smallest first, as long as they are at most limit bytes
// together, each taken for at least 16 KiB. The error is a *TamperError for the first that is not as signed. A game that is not signed has nothing to
// check. What is left out here is checked when it is read.
func (b *Bundle) VerifySmallest(ctx context.Context, limit int64) error {
	signed, ok := b.FS.(*signedFS)
	if !ok {
		return nil
	}
	files := slices.Clone(b.sig.files)
	slices.SortStableFunc(files, func(x, y fileDigest) int { return cmp.Compare(x.size, y.size) })
	buf := make([]byte, pieceSize)
	for _, f := range files {
		if limit -= max(f.size, openCost); limit < 0 {
			return nil
		}
		pieces, err := digestFile(ctx, signed.inner, f, buf, nil)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("%s: check: %w", b.Path, ctx.Err())
		case err != nil:
			return signed.unreadable(signed.files[f.name], err)
		case !slices.Equal(pieces, f.pieces):
			return b.tampered(f.name, "was changed")
		}
	}
	return nil
}
