package saves

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"conch/runtime/bundle"
)

// archive is an open file of saves whose names, kinds and sizes were checked.
type archive struct {
	file     *os.File
	manifest Manifest
	files    []*zip.File // all but the manifest
}

func (a *archive) close() error { return a.file.Close() }

// openArchive opens path and refuses what Export cannot have made.
func openArchive(path string) (*archive, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	a := &archive{file: f}
	if err := a.read(); err != nil {
		f.Close()
		return nil, err
	}
	return a, nil
}

func (a *archive) read() error {
	info, err := a.file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return badFile("it is not a plain file")
	}
	z, err := zip.NewReader(a.file, info.Size())
	if err != nil {
		return badFile("it is not a zip, or a part of it is missing")
	}
	if len(z.File) > maxFiles+1 {
		return badFile("%d files are too many", len(z.File))
	}
	var total uint64
	seen := map[string]bool{}
	for _, f := range z.File {
		if err := checkFile(f); err != nil {
			return err
		}
		if seen[f.Name] {
			return badFile("%q is in it twice", f.Name)
		}
		seen[f.Name] = true
		if f.UncompressedSize64 > maxBytes || total+f.UncompressedSize64 > maxBytes {
			return badFile("it would unpack to more than %d GB", maxBytes>>30)
		}
		total += f.UncompressedSize64
		if f.Name != manifestName {
			a.files = append(a.files, f)
		}
	}
	if bundle.Overlap(z.File) != "" {
		return badFile("files in it overlap")
	}
	for name := range seen {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if seen[dir] {
				return badFile("%q is a file and a folder", dir)
			}
		}
	}
	return a.readManifest(z)
}

func checkFile(f *zip.File) error {
	if err := checkName(f.Name); err != nil {
		return err
	}
	if !f.Mode().IsRegular() {
		return badFile("%q is a link or another special file", f.Name)
	}
	if f.Flags&1 != 0 || f.Method != zip.Deflate && f.Method != zip.Store {
		return badFile("%q is packed in a way that is not used for saves", f.Name)
	}
	switch {
	case f.Name == manifestName, f.Name == storageName && f.UncompressedSize64 <= maxStorage, strings.HasPrefix(f.Name, enginePrefix):
		return nil
	}
	return badFile("%q does not belong into it", f.Name)
}

func (a *archive) readManifest(z *zip.Reader) error {
	i := slices.IndexFunc(z.File, func(f *zip.File) bool { return f.Name == manifestName })
	if i < 0 {
		return badFile("%s is missing; is it a file that `saves export` made?", manifestName)
	}
	text, err := readAll(z.File[i], 64<<10)
	if err != nil {
		return err
	}
	var version struct {
		Format int `json:"format"`
	}
	if json.Unmarshal(text, &version) != nil || version.Format < 1 {
		return badFile("%s makes no sense", manifestName)
	}
	if version.Format > Format {
		return badFile("a newer Conch wrote it (format %d); update Conch", version.Format)
	}
	if err := json.Unmarshal(text, &a.manifest); err != nil || a.manifest.Game == "" {
		return badFile("%s makes no sense", manifestName)
	}
	return nil
}

// storage is the copy of localStorage in the file, nil when there is none.
func (a *archive) storage() ([]byte, error) {
	i := slices.IndexFunc(a.files, func(f *zip.File) bool { return f.Name == storageName })
	if i < 0 {
		return nil, nil
	}
	text, err := readAll(a.files[i], maxStorage)
	if err != nil {
		return nil, err
	}
	var all map[string]string
	if json.Unmarshal(text, &all) != nil || !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return nil, badFile("%s makes no sense", storageName)
	}
	return text, nil
}

func readAll(f *zip.File, limit int64) ([]byte, error) {
	var b bytes.Buffer
	err := unpack(f, &b, limit)
	return b.Bytes(), err
}

// unpack writes the contents of f and checks them against the zip's own size and checksum.
func unpack(f *zip.File, w io.Writer, limit int64) error {
	r, err := f.Open()
	if err != nil {
		return badFile("%q: %s", f.Name, err)
	}
	defer r.Close()
	limit = min(limit, int64(f.UncompressedSize64))
	in := &reading{r: r}
	n, err := io.Copy(w, io.LimitReader(in, limit+1))
	switch {
	case in.err != nil && !errors.Is(in.err, io.EOF):
		return badFile("%q is damaged: %s", f.Name, in.err)
	case err != nil:
		return fmt.Errorf("unpack %q: %w", f.Name, err)
	case n > limit:
		return badFile("%q is bigger than it says", f.Name)
	}
	return nil
}

// reading tells what went wrong in the file from what went wrong on the disk written to.
type reading struct {
	r   io.Reader
	err error
}

func (r *reading) Read(b []byte) (int, error) {
	n, err := r.r.Read(b)
	r.err = err
	return n, err
}
