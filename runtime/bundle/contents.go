package bundle

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
)

// Item is one file of a game.
type Item struct {
	Name string // in FS
	Size int64
}

// Contents lists the files that a copy of the game holds, by name. Names that begin with a dot and other files that
// systems leave behind are not among them. left says what else lies there and is no file of the game's; what a copy
// cannot hold although the game may need it is an error. The conch.sig is not listed: see SignatureFile.
func (b *Bundle) Contents() (items []Item, left []Problem, err error) {
	files, strange, err := listFiles(b.FS)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: list files: %w", b.Path, err)
	}
	for _, s := range strange {
		if s.folderLink {
			err = errors.Join(err, fmt.Errorf("%s: %s %s", b.Path, s.name, s.reason))
			continue
		}
		left = append(left, Problem{Level: Warning, File: clip(s.name, 200), Text: s.reason + "; it is left out", Fix: "see inspect"})
	}
	for _, f := range files {
		if reason := signable(f.name); reason != "" {
			err = errors.Join(err, fmt.Errorf("%s: %q %s; rename it", b.Path, clip(f.name, 200), reason))
		}
		items = append(items, Item{f.name, f.size})
	}
	return items, left, err
}

// SignatureFile is the conch.sig of a signed game, nil of another.
func (b *Bundle) SignatureFile() ([]byte, error) {
	if b.sig == nil {
		return nil, nil
	}
	return b.sig.encode()
}

// ReadAll reads every file of the game as it is read when it is played, so that damage shows: what a zip has a checksum
// for, what a signature has a digest for. progress may be nil.
func (b *Bundle) ReadAll(ctx context.Context, progress func(done, total int64)) error {
	if b.sig != nil {
		return b.VerifyAll(ctx, progress)
	}
	items, _, err := b.Contents()
	if err != nil {
		return err
	}
	var total, done int64
	for _, it := range items {
		total += it.Size
	}
	buf := make([]byte, pieceSize)
	for _, it := range items {
		err := b.readOne(ctx, it, buf, func(n int) {
			if done += int64(n); progress != nil {
				progress(done, total)
			}
		})
		if err != nil {
			return fmt.Errorf("%s: %s: %w", b.Path, it.Name, err)
		}
	}
	return nil
}

// CheckArchive looks at an archive whose files are to be copied. None may share its data with another: a small archive
// would then unpack to any size. An archive without a signature is read whole, since files that are read in place are not
// held against their checksums; a signed one is checked as it is read.
func (b *Bundle) CheckArchive(ctx context.Context) error {
	files := b.FS
	if signed, ok := files.(*signedFS); ok {
		files = signed.inner
	}
	z, ok := files.(*zipFS)
	if !ok {
		return nil
	}
	var all []*zip.File
	for _, e := range z.files {
		if e.file != nil {
			all = append(all, e.file)
		}
	}
	if name := Overlap(all); name != "" {
		return fmt.Errorf("%s: %s: its data is another file's too; make the archive again", b.Path, clip(name, 200))
	}
	if b.sig != nil {
		return nil
	}
	return b.ReadAll(ctx, nil)
}

// Overlap is the name of a file whose bytes in the archive are another's too, or that has none; "" when there is no such
// file.
func Overlap(files []*zip.File) string {
	type span struct {
		from, to uint64
		name     string
	}
	var spans []span
	for _, f := range files {
		from, err := f.DataOffset()
		to := uint64(from) + f.CompressedSize64
		if err != nil || from < 0 || to < uint64(from) {
			return f.Name
		}
		if f.CompressedSize64 > 0 {
			spans = append(spans, span{uint64(from), to, f.Name})
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(spans); i++ {
		if spans[i].from < spans[i-1].to {
			return spans[i].name
		}
	}
	return ""
}

func (b *Bundle) readOne(ctx context.Context, it Item, buf []byte, read func(n int)) error {
	f, err := b.FS.Open(it.Name)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := crc32.NewIEEE() // reading in place compares no checksum of stored files
	var got int64
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := f.Read(buf)
		got += int64(n)
		sum.Write(buf[:n])
		read(n)
		switch {
		case errors.Is(err, io.EOF) && got != it.Size:
			return errSize
		case errors.Is(err, io.EOF):
			return b.checkSum(it, sum.Sum32())
		case err != nil:
			return err
		}
	}
}

// checkSum compares the checksum of a file's contents with the one that a zip has of it.
func (b *Bundle) checkSum(it Item, sum uint32) error {
	z, ok := b.FS.(*zipFS)
	if !ok {
		return nil
	}
	e, err := z.find("open", it.Name)
	if err == nil && e.file.CRC32 != sum {
		err = zip.ErrChecksum
	}
	return err
}
