package pack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// output is a folder in which results appear all at once. Until publish everything has a temporary name there, on the
// same disk, so that the end is a rename for each file.
type output struct {
	dir   string
	force bool
	temps []*os.File
	names map[string]string // result -> temporary file
	order []string
}

func newOutput(dir string, force bool) (*output, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("-o: %w", err)
	}
	return &output{dir: dir, force: force, names: map[string]string{}}, nil
}

// free makes sure that a result may take its name.
func (o *output) free(name string) error {
	info, err := os.Lstat(filepath.Join(o.dir, name))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder; move it away", filepath.Join(o.dir, name))
	case !o.force:
		return fmt.Errorf("%s is there already; use --force to replace it", filepath.Join(o.dir, name))
	}
	return nil
}

// temp opens a new temporary file, which ends with the output unless it is renamed.
func (o *output) temp() (*os.File, error) {
	f, err := os.CreateTemp(o.dir, ".conch-pack-*")
	if err != nil {
		return nil, err
	}
	o.temps = append(o.temps, f)
	return f, nil
}

// rename notes which result a temporary file is.
func (o *output) rename(temp, name string) error {
	if _, twice := o.names[name]; twice {
		return fmt.Errorf("two results would have the name %s", name)
	}
	o.names[name] = temp
	o.order = append(o.order, name)
	return nil
}

// publish gives all results their names and answers their sizes.
func (o *output) publish() (map[string]int64, error) {
	sizes := map[string]int64{}
	for _, f := range o.temps {
		if err := f.Sync(); err != nil {
			return nil, err
		}
	}
	for _, name := range o.order {
		temp := o.names[name]
		info, err := os.Stat(temp)
		if err != nil {
			return nil, err
		}
		sizes[name] = info.Size()
		if err := o.closeTemp(temp); err != nil { // Windows renames no open file
			return nil, err
		}
		if err := os.Chmod(temp, 0o644); err != nil {
			return nil, err
		}
		if err := os.Rename(temp, filepath.Join(o.dir, name)); err != nil {
			return nil, err
		}
	}
	return sizes, nil
}

func (o *output) closeTemp(name string) error {
	for i, f := range o.temps {
		if f.Name() == name {
			o.temps = append(o.temps[:i], o.temps[i+1:]...)
			return f.Close()
		}
	}
	return nil
}

// discard removes what got no name.
func (o *output) discard() {
	for _, f := range o.temps {
		f.Close()
		os.Remove(f.Name())
	}
	for _, temp := range o.names {
		os.Remove(temp)
	}
}

// copyAll copies with a look at ctx between large pieces, which the system copies by itself where it can.
func copyAll(ctx context.Context, w io.Writer, r io.Reader, size int64, progress func(done int64)) error {
	const piece = 64 << 20
	for done := int64(0); done < size; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.CopyN(w, r, min(piece, size-done))
		done += n
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		progress(done)
	}
	return nil
}
