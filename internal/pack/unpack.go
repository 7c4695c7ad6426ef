package pack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/text/unicode/norm"

	"conch/runtime/bundle"
)

// UnpackOptions says what to unpack. Game and Out must be set.
type UnpackOptions struct {
	Game     string // packed program, .conch, .zip, .html or folder
	Out      string // folder for the files; made when it is missing
	Force    bool   // also into a folder that is not empty, replacing what is there
	Progress func(done, total int64)
}

// Unpacked is what Unpack did.
type Unpacked struct {
	Out   string `json:"out"`
	Files int    `json:"files"`
	Bytes int64  `json:"bytes"`
}

// Unpack writes the files of a game into a folder. No name leads out of it: they are opened below it by the system
// itself. A signed game is checked as it is read.
func Unpack(ctx context.Context, o UnpackOptions) (Unpacked, error) {
	b, err := bundle.Open(o.Game, bundle.Options{})
	if err != nil {
		return Unpacked{}, err
	}
	defer b.Close()
	items, _, err := b.Contents()
	if err != nil {
		return Unpacked{}, err
	}
	if err := clash(items); err != nil {
		return Unpacked{}, fmt.Errorf("%s: %w", o.Game, err)
	}
	signature, err := b.SignatureFile()
	if err == nil {
		err = b.CheckArchive(ctx)
	}
	if err != nil {
		return Unpacked{}, err
	}
	root, err := emptyFolder(o)
	if err != nil {
		return Unpacked{}, err
	}
	defer root.Close()
	u := unpacker{ctx: ctx, fsys: b.FS, root: root, force: o.Force, progress: o.Progress}
	for _, it := range items {
		u.total += it.Size
	}
	done := Unpacked{Out: o.Out}
	for _, it := range items {
		if err := u.file(it); err != nil {
			return done, fmt.Errorf("unpack %s: %w", it.Name, err)
		}
		done.Files++
		done.Bytes += it.Size
	}
	if signature != nil {
		err = u.write("conch.sig", strings.NewReader(string(signature)), int64(len(signature)))
		done.Files++
	}
	return done, err
}

// clash finds two names that many disks take for one.
func clash(items []bundle.Item) error {
	seen := map[string]string{}
	for _, it := range items {
		for name := it.Name; name != "."; name = path.Dir(name) {
			folded := strings.ToLower(norm.NFC.String(name))
			other, ok := seen[folded]
			if ok && other != name {
				return fmt.Errorf("%q and %q are the same name on many disks; rename one of them", other, name)
			}
			seen[folded] = name
		}
	}
	return nil
}

func emptyFolder(o UnpackOptions) (*os.Root, error) {
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		return nil, fmt.Errorf("-o: %w", err)
	}
	entries, err := os.ReadDir(o.Out)
	if err != nil {
		return nil, fmt.Errorf("-o: %w", err)
	}
	if len(entries) > 0 && !o.Force {
		return nil, fmt.Errorf("-o: the folder %s is not empty; use another, or --force to replace files in it", o.Out)
	}
	return os.OpenRoot(o.Out)
}

type unpacker struct {
	ctx         context.Context
	fsys        fs.FS
	root        *os.Root
	force       bool
	done, total int64
	progress    func(done, total int64)
}

func (u *unpacker) file(it bundle.Item) error {
	src, err := u.fsys.Open(it.Name)
	if err != nil {
		return err
	}
	defer src.Close()
	return u.write(it.Name, src, it.Size)
}

func (u *unpacker) write(name string, src io.Reader, size int64) error {
	local, err := filepath.Localize(name)
	if err != nil {
		return errors.New("this system cannot hold a file of that name")
	}
	if dir := filepath.Dir(local); dir != "." {
		if err := u.root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if u.force {
		if err := u.root.Remove(local); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	dst, err := u.root.OpenFile(local, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	n, err := io.Copy(dst, contextReader{u.ctx, src})
	if err == nil && n != size {
		err = errChanged
	}
	if err = errors.Join(err, dst.Close()); err != nil {
		u.root.Remove(local)
		return err
	}
	if u.done += n; u.progress != nil {
		u.progress(u.done, u.total)
	}
	return nil
}
