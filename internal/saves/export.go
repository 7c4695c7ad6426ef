package saves

import (
	"archive/zip"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"modernc.org/sqlite"
)

// source is one file that goes into the zip.
type source struct {
	name     string
	path     string
	database bool
}

// Export writes the saves at place into w as a zip: the same saves give the same bytes. m's Format, Engine and Origin
// are filled in. ErrNothing means that there was nothing to write.
func Export(ctx context.Context, w io.Writer, place Place, m Manifest) error {
	list, err := place.sources()
	if err != nil {
		return fmt.Errorf("export saves: %w", err)
	}
	if len(list) == 0 {
		return ErrNothing
	}
	temp, err := os.MkdirTemp(place.Data, ".export-*")
	if err != nil {
		return fmt.Errorf("export saves: %w", err)
	}
	defer os.RemoveAll(temp)
	m.Format, m.Engine, m.Origin = Format, place.Engine, place.Origin
	z := zip.NewWriter(w)
	if err := writeManifest(z, m); err != nil {
		return fmt.Errorf("export saves: %w", err)
	}
	left := int64(maxBytes)
	for _, s := range list {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("export saves: %w", err)
		}
		file := s.path
		if s.database {
			file = filepath.Join(temp, "copy.sqlite3")
			if err := copyDatabase(ctx, s.path, file); err != nil {
				return fmt.Errorf("export saves: %s: %w", s.name, err)
			}
		}
		n, err := addFile(z, s.name, file, left)
		if err != nil {
			return fmt.Errorf("export saves: %s: %w", s.name, err)
		}
		left -= n
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("export saves: %w", err)
	}
	return nil
}

// sources lists what belongs into the zip, by name.
func (p Place) sources() ([]source, error) {
	entries, err := p.entries()
	if err != nil {
		return nil, err
	}
	var list []source
	for _, e := range entries {
		root := p.inProfile(e.path)
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // the engine tidied up meanwhile
			}
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			name := e.name
			if rel != "." {
				name += "/" + filepath.ToSlash(rel)
			}
			if p.leftOut(name) {
				return nil
			}
			list = append(list, source{enginePrefix + name, path, p.isDatabase(name)})
			return checkName(name)
		})
		if err != nil {
			return nil, err
		}
	}
	if info, err := os.Lstat(p.storageFile()); err == nil && info.Mode().IsRegular() {
		list = append(list, source{storageName, p.storageFile(), false})
	}
	if len(list) > maxFiles {
		return nil, fmt.Errorf("%d files are more than a file of saves may hold", len(list))
	}
	slices.SortFunc(list, func(a, b source) int { return strings.Compare(a.name, b.name) })
	return list, nil
}

func writeManifest(z *zip.Writer, m Manifest) error {
	w, err := create(z, manifestName)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(m)
}

// create begins a file of the zip; without a time, so that equal saves make equal zips.
func create(z *zip.Writer, name string) (io.Writer, error) {
	h := &zip.FileHeader{Name: name, Method: zip.Deflate}
	h.SetMode(0o600)
	return z.CreateHeader(h)
}

func addFile(z *zip.Writer, name, path string, left int64) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	w, err := create(z, name)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(w, io.LimitReader(f, left+1))
	if err == nil && n > left {
		err = errors.New("the saves are too big for one file")
	}
	return n, err
}

// fileURI names a file for SQLite, whatever characters its path has.
func fileURI(path string) string {
	u := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")}
	return u.String()
}

// copyDatabase copies a database as of one moment, with what is in its log only, also while another process writes to
// it. Pages are copied as they are: what the engine's own collations order is not looked at.
func copyDatabase(ctx context.Context, from, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", fileURI(from)+"?mode=rw&_pragma=busy_timeout(10000)")
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(driver any) error {
		source, ok := driver.(interface {
			NewBackup(uri string) (*sqlite.Backup, error)
		})
		if !ok {
			return errors.New("the database driver cannot copy")
		}
		backup, err := source.NewBackup(fileURI(to))
		if err != nil {
			return err
		}
		_, err = backup.Step(-1)
		return errors.Join(err, backup.Finish())
	})
}
