package bundle

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Signer is the fingerprint of the author's key that signed the game, "" when it is not signed.
func (b *Bundle) Signer() string {
	if b.sig == nil {
		return ""
	}
	return Fingerprint(b.sig.key)
}

// Identity is what the player's answers belong to, safe to store and to compare: author key and id of a signed game,
// else the digest of everything in it. A title or an id that nobody signed is never in it. For a signed game it costs
// nothing; for another see Digest.
func (b *Bundle) Identity(ctx context.Context) (string, error) {
	if b.sig != nil {
		return "key:" + b.Signer() + ":" + b.sig.id, nil
	}
	digest, err := b.Digest(ctx)
	if err != nil {
		return "", err
	}
	return "sha256:" + digest, nil
}

// Digest is a SHA-256, in hexadecimal, over the names and contents of all files that the game can use, the same for a
// folder and a zip of it. The whole game is read for it once, at about the speed of the disk and in one MiB of memory;
// the answer is kept. For a signed game it is that of the signed list and reads nothing. A folder is taken as it is
// when it is read.
func (b *Bundle) Digest(ctx context.Context) (string, error) {
	select {
	case b.digesting <- struct{}{}:
	case <-ctx.Done():
		return "", fmt.Errorf("digest of %s: %w", b.Path, ctx.Err())
	}
	defer func() { <-b.digesting }()
	if b.digest != "" {
		return b.digest, nil
	}
	var files []fileDigest
	if b.sig != nil {
		files = b.sig.files
	} else {
		list, strange, err := listFiles(b.FS)
		if err == nil {
			err = digestFiles(ctx, b.FS, list, nil)
		}
		if err == nil {
			list, err = b.addLinks(list, strange)
		}
		if err != nil {
			return "", fmt.Errorf("digest of %s: %w", b.Path, err)
		}
		files = list
	}
	sum := sha256.Sum256(appendFiles([]byte(digestPrefix), files))
	b.digest = hex.EncodeToString(sum[:])
	return b.digest, nil
}

// addLinks puts links to folders of the game into the list, since files are served through them. A slash at the end
// tells them from files.
func (b *Bundle) addLinks(list []fileDigest, strange []strangeFile) ([]fileDigest, error) {
	folder, ok := b.FS.(folderFS)
	for _, s := range strange {
		if !ok || !s.folderLink {
			continue
		}
		target, err := folder.root.Readlink(filepath.FromSlash(s.name))
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256([]byte(filepath.ToSlash(target)))
		list = append(list, fileDigest{name: s.name + "/", pieces: sum[:]})
	}
	sortFiles(list)
	return list, nil
}

// strangeFile is a name in a folder that is no plain file.
type strangeFile struct {
	name, reason string
	folderLink   bool // a link to a folder inside the game
}

// listFiles lists the plain files of a game by name, without their digests, and what else lies there.
func listFiles(fsys fs.FS) (files []fileDigest, strange []strangeFile, err error) {
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case !fs.ValidPath(name):
			strange = append(strange, strangeFile{name, "has a name that is not UTF-8; rename it", false})
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case err != nil:
			return err
		case ignored(name) && d.IsDir():
			return fs.SkipDir
		case ignored(name) || d.IsDir() || name == signatureName:
			return nil
		case d.Type().IsRegular():
			info, err := d.Info()
			if err != nil {
				return err
			}
			files = append(files, fileDigest{name: name, size: info.Size()})
			return nil
		}
		info, err := fs.Stat(fsys, name)
		switch {
		case err == nil && info.Mode().IsRegular():
			files = append(files, fileDigest{name: name, size: info.Size()})
		case err == nil && info.IsDir():
			strange = append(strange, strangeFile{name, "is a link to a folder; put the folder itself there", true})
		case d.Type()&fs.ModeSymlink != 0:
			strange = append(strange, strangeFile{name, "is a link that leads out of the game or nowhere; put the file itself there", false})
		default:
			strange = append(strange, strangeFile{name, "is not a regular file; remove it", false})
		}
		return nil
	})
	sortFiles(files)
	return files, strange, err
}

func sortFiles(files []fileDigest) {
	slices.SortFunc(files, func(a, b fileDigest) int { return strings.Compare(a.name, b.name) })
}

// digestFiles reads the listed files and fills in their pieces. read is called with the size of each piece.
func digestFiles(ctx context.Context, fsys fs.FS, files []fileDigest, read func(n int)) error {
	buf := make([]byte, pieceSize)
	for i := range files {
		pieces, err := digestFile(ctx, fsys, files[i], buf, read)
		if err != nil {
			return fmt.Errorf("%s: %w", files[i].name, err)
		}
		files[i].pieces = pieces
	}
	return nil
}

var errSize = errors.New("its size changed")

func digestFile(ctx context.Context, fsys fs.FS, want fileDigest, buf []byte, read func(n int)) ([]byte, error) {
	f, err := fsys.Open(want.name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	count := pieceCount(want.size)
	pieces := make([]byte, 0, count*sha256.Size)
	for left := want.size; int64(len(pieces)) < count*sha256.Size; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := min(left, pieceSize)
		if _, err := io.ReadFull(f, buf[:n]); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errSize
		} else if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(buf[:n])
		pieces = append(pieces, sum[:]...)
		if left -= n; read != nil {
			read(int(n))
		}
	}
	if n, err := f.Read(buf[:1]); n > 0 {
		return nil, errSize
	} else if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return pieces, nil
}
