package bundle

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// folderFS serves a folder through os.Root: no name and no symbolic link leads out of it. Links that stay inside
// are followed. Only regular files and folders open, so that a pipe in the folder cannot block a request.
type folderFS struct{ root *os.Root }

func (f folderFS) Open(name string) (fs.File, error) {
	local, err := localName("open", name)
	if err != nil {
		return nil, err
	}
	info, err := f.root.Stat(local)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	if err := plain("open", name, info); err != nil {
		return nil, err
	}
	file, err := f.root.Open(local)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return file, nil
}

func (f folderFS) Stat(name string) (fs.FileInfo, error) {
	local, err := localName("stat", name)
	if err != nil {
		return nil, err
	}
	info, err := f.root.Stat(local)
	if err != nil {
		return nil, pathError("stat", name, err)
	}
	return info, plain("stat", name, info)
}

func (f folderFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if _, err := localName("readdir", name); err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(f.root.FS(), name)
	if err != nil {
		return nil, pathError("readdir", name, err)
	}
	return entries, nil
}

// sub is the same folder seen from one of its folders; links may not lead out of that one.
func (f folderFS) sub(dir string) (folderFS, error) {
	local, err := localName("open", dir)
	if err != nil {
		return folderFS{}, err
	}
	root, err := f.root.OpenRoot(local)
	return folderFS{root}, err
}

// pageFS is a single .html file as a file system of its own. The other files of its folder are not part of the game:
// they may be the player's downloads.
type pageFS struct {
	root *os.Root
	file string // the name on disk
}

const pageName = "index.html"

func (p pageFS) Open(name string) (fs.File, error) {
	if name == "." {
		entries, err := p.ReadDir(name)
		return &dirFile{info: dirInfo("."), entries: entries}, err
	}
	info, err := p.Stat(name)
	if err != nil {
		return nil, err
	}
	file, err := p.root.Open(p.file)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return renamedFile{file, info}, nil
}

func (p pageFS) Stat(name string) (fs.FileInfo, error) {
	if name == "." {
		return dirInfo("."), nil
	}
	if name != pageName {
		return nil, notExist("stat", name)
	}
	info, err := p.root.Stat(p.file)
	if err != nil {
		return nil, pathError("stat", name, err)
	}
	return renamedInfo{info, pageName}, plain("stat", name, info)
}

func (p pageFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if name != "." {
		return nil, notExist("readdir", name)
	}
	info, err := p.Stat(pageName)
	if err != nil {
		return nil, err
	}
	return []fs.DirEntry{fs.FileInfoToDirEntry(info)}, nil
}

// renamedFile is an open file that is served under another name.
type renamedFile struct {
	*os.File
	info fs.FileInfo
}

func (f renamedFile) Stat() (fs.FileInfo, error) { return f.info, nil }

type renamedInfo struct {
	fs.FileInfo
	name string
}

func (i renamedInfo) Name() string { return i.name }

// localName turns a slash name into one of this system, or refuses it: on Windows that is also a name with a colon,
// a backslash or a device in it.
func localName(op, name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	local, err := filepath.Localize(name)
	if err != nil {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	return local, nil
}

func plain(op, name string, info fs.FileInfo) error {
	if info.Mode().IsRegular() || info.IsDir() {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: fmt.Errorf("not a regular file: %w", fs.ErrInvalid)}
}

func notExist(op, name string) error {
	if !fs.ValidPath(name) {
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	return &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
}

// pathError names the file as the game knows it, not as the disk does.
func pathError(op, name string, err error) error {
	if pe, ok := err.(*fs.PathError); ok {
		err = pe.Err
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}
