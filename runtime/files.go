package runtime

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// file is an open regular file or folder of the bundle.
type file struct {
	fs.File
	info fs.FileInfo
	name string // as the bundle spells it
}

// serveFile answers from the bundle.
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) {
	if r.Header["Upgrade"] != nil {
		notFound(w)
		return
	}
	if !isSafe(r.Method) {
		w.Header().Set("Allow", "GET, HEAD")
		plainError(w, http.StatusMethodNotAllowed)
		return
	}
	name, folder, ok := cleanPath(r.URL.Path)
	if !ok || s.private(name) {
		notFound(w)
		return
	}
	if name == "." {
		if s.Bundle.Entry != "index.html" {
			redirect(w, r, "."+s.entryPath())
			return
		}
		name, folder = s.Bundle.Entry, false
	}
	dropOddRanges(r)
	if !folder && s.sendSmall(w, r, name) {
		return
	}
	f, err := s.open(name)
	if err != nil {
		s.missing(w, name, err)
		return
	}
	defer func() { f.Close() }()
	if f.info.IsDir() {
		if !folder {
			redirect(w, r, (&url.URL{Path: path.Base(name) + "/"}).EscapedPath())
			return
		}
		index, err := s.openIndex(f.name)
		if err != nil {
			s.missing(w, name, err)
			return
		}
		f.Close()
		f = index
	} else if folder {
		notFound(w)
		return
	}
	s.sendFile(w, r, f)
}

func (s *Server) missing(w http.ResponseWriter, name string, err error) {
	switch {
	case !s.names.once(name):
	case errors.Is(err, fs.ErrNotExist):
		s.log().Debug("file not in the game", "file", name)
	default:
		s.log().Warn("file not served", "file", name, "err", err)
	}
	notFound(w)
}

// redirect leads to a place relative to the request's own path, so that no path can lead to another host. It is
// temporary: the next version of the game may have a file there.
func redirect(w http.ResponseWriter, r *http.Request, relative string) {
	if strings.Contains(relative, ":") && !strings.HasPrefix(relative, ".") {
		relative = "./" + relative // "a:b/" alone would be a scheme
	}
	if r.URL.RawQuery != "" {
		relative += "?" + r.URL.RawQuery
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", relative)
	w.WriteHeader(http.StatusFound)
}

// cleanPath turns a decoded URL path into a name in the bundle; folder says that it ended with a slash. Doubled
// slashes count as one, as on common web servers. Names that mean something else on some system (NUL, backslash, dot
// segments) are no names here.
func cleanPath(p string) (name string, folder, ok bool) {
	if !strings.HasPrefix(p, "/") || strings.ContainsAny(p, "\x00\\") || !utf8.ValidString(p) {
		return "", false, false
	}
	folder = strings.HasSuffix(p, "/")
	if strings.Contains(p, "//") {
		parts := strings.FieldsFunc(p, func(r rune) bool { return r == '/' })
		name = strings.Join(parts, "/")
	} else {
		name = strings.Trim(p, "/")
	}
	if name == "" {
		return ".", true, true
	}
	return name, folder, fs.ValidPath(name)
}

// private reports whether the file is the author's and not the page's: dot files (.git, .env), the manifest and the
// signature. The comparison is that of the most forgiving file system.
func (s *Server) private(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part[0] == '.' && part != "." {
			return true
		}
	}
	plain := strings.TrimRight(name, " .")
	manifest := path.Join(path.Dir(s.Bundle.Entry), "conch.json")
	return strings.EqualFold(plain, "conch.json") || strings.EqualFold(plain, "conch.sig") || strings.EqualFold(plain, manifest)
}

// open opens the name exactly as it is, or the file that differs only in letter case or Unicode normal form.
func (s *Server) open(name string) (*file, error) {
	f, err := openFile(s.Bundle.FS, name)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	found, ok := s.names.find(name)
	if !ok || s.private(found) {
		return nil, err
	}
	if f, err = openFile(s.Bundle.FS, found); err == nil && s.names.mismatch(name, found) {
		s.log().Warn("file asked for under another spelling; other computers will not find it", "file", found, "asked", name)
	}
	return f, err
}

// openFile opens a regular file that can seek, or a folder.
func openFile(fsys fs.FS, name string) (*file, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	if _, seeks := f.(io.ReadSeeker); !info.IsDir() && (!seeks || !info.Mode().IsRegular()) {
		f.Close()
		return nil, fmt.Errorf("open %s: not a regular file", name)
	}
	return &file{f, info, name}, nil
}

func (s *Server) openIndex(folder string) (*file, error) {
	var first error
	for _, index := range []string{"index.html", "index.htm"} {
		f, err := s.open(path.Join(folder, index))
		if err == nil && f.info.Mode().IsRegular() {
			return f, nil
		}
		if err == nil {
			f.Close()
			err = fs.ErrNotExist
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// dropOddRanges lets requests be answered whole that name a unit other than bytes, as RFC 9110 section 14.2 demands,
// and those for several ranges at once, as it permits: nobody who plays media sends one.
func dropOddRanges(r *http.Request) {
	asked := r.Header.Get("Range")
	if !strings.HasPrefix(asked, "bytes=") || strings.Contains(asked, ",") {
		r.Header.Del("Range")
	}
}

// wantsWorker reports whether the file is asked for as the script of a worker.
func wantsWorker(r *http.Request) bool {
	dest := r.Header.Get("Sec-Fetch-Dest")
	return dest == "worker" || dest == "sharedworker"
}

// sendFile decides what of the file is sent: its bytes, its bytes with the page script put in, or those of the file
// that was compressed into it.
func (s *Server) sendFile(w http.ResponseWriter, r *http.Request, f *file) {
	inner, coding := s.Bundle.Encoding(f.name)
	if coding == "" {
		inner = f.name
	}
	kind := mediaType(inner)
	switch {
	case s.Script != nil && (isHTML(kind) || isXHTML(kind)) && coding == "":
		s.sendDocument(w, r, f, kind)
	case s.Script != nil && isJavaScript(kind) && wantsWorker(r):
		s.sendWorker(w, r, f, coding)
	case coding != "":
		s.sendCoded(w, r, f, kind, coding)
	default:
		s.setFileHeaders(w, f, kind, "")
		if !isHTML(kind) && !isXHTML(kind) {
			s.keepSmall(f, w.Header())
		}
		http.ServeContent(w, r, "", time.Time{}, f.File.(io.ReadSeeker))
	}
}

// setFileHeaders lets the engine keep the file and ask each time whether it is still right. Documents are never kept:
// their headers decide what the page may do, and those change between starts. There is no Last-Modified, since an
// update may bring older files.
func (s *Server) setFileHeaders(w http.ResponseWriter, f *file, kind, variant string) {
	h := w.Header()
	h.Set("Content-Type", kind)
	switch {
	case isHTML(kind) || isXHTML(kind):
		h.Set("Cache-Control", "no-store")
	case isJavaScript(kind):
		// A worker gets the same file with the page script in front.
		h.Set("Vary", "Sec-Fetch-Dest")
		fallthrough
	default:
		h.Set("Cache-Control", "no-cache")
		h.Set("Etag", s.tag(f, variant))
	}
}

// sendDocument puts the page script in when the file is loaded as a document; a page that fetches it as data gets its
// bytes.
func (s *Server) sendDocument(w http.ResponseWriter, r *http.Request, f *file, kind string) {
	src, size := f.File.(io.ReadSeeker), f.info.Size()
	switch r.Header.Get("Sec-Fetch-Dest") {
	case "", "document", "iframe", "frame", "embed", "object", "fencedframe":
	default:
		s.setFileHeaders(w, f, kind, "")
		http.ServeContent(w, r, "", time.Time{}, src)
		return
	}
	head := make([]byte, min(size, maxHead))
	n, err := io.ReadFull(src, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		s.log().Warn("file not served", "file", f.name, "err", err)
		plainError(w, http.StatusInternalServerError)
		return
	}
	in := findInsertion(head[:n], isXHTML(kind))
	s.setFileHeaders(w, f, kind, "")
	if in.charset != "" {
		w.Header().Set("Content-Type", kind+"; charset="+in.charset)
	}
	http.ServeContent(w, r, "", time.Time{}, splice(src, size, int64(n), in))
}

// sendWorker puts the page script in front of a worker's script. It is never kept by the engine: its policy headers
// name this launch's relay ports, and WebKit does not take new ones from a 304.
func (s *Server) sendWorker(w http.ResponseWriter, r *http.Request, f *file, coding string) {
	src, size := f.File.(io.ReadSeeker), f.info.Size()
	if coding != "" {
		d, err := s.decode(r.Context(), f, coding)
		if err != nil {
			s.log().Warn("file not served", "file", f.name, "err", err)
			plainError(w, http.StatusInternalServerError)
			return
		}
		defer d.release()
		src, size = d, d.size
	}
	head := make([]byte, min(size, maxWorkerScan))
	n, err := io.ReadFull(src, head)
	if err == nil || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		var script []byte
		if script, err = s.workerPrefix(head[:n]); err == nil {
			h := w.Header()
			h.Set("Content-Type", "text/javascript; charset=utf-8")
			h.Set("Cache-Control", "no-store")
			http.ServeContent(w, r, "", time.Time{}, splice(src, size, int64(n), insertion{text: script}))
			return
		}
	}
	s.log().Warn("worker script not served", "file", f.name, "err", err)
	plainError(w, http.StatusInternalServerError)
}

// sendCoded serves a file that holds another one compressed: as it is with Content-Encoding when the engine lists the
// coding, else decoded here. A file that turns out not to be compressed goes out untouched.
func (s *Server) sendCoded(w http.ResponseWriter, r *http.Request, f *file, kind, coding string) {
	src := f.File.(io.ReadSeeker)
	if coding == "gzip" && !startsGzip(src) {
		s.setFileHeaders(w, f, kind, "")
		http.ServeContent(w, r, "", time.Time{}, src)
		return
	}
	if accepts(r.Header["Accept-Encoding"], coding) {
		s.setFileHeaders(w, f, kind, coding)
		h := w.Header()
		h.Add("Vary", "Accept-Encoding")
		h.Set("Content-Encoding", coding)
		h.Set("Content-Length", strconv.FormatInt(f.info.Size(), 10))
		http.ServeContent(w, r, "", time.Time{}, src)
		return
	}
	d, err := s.decode(r.Context(), f, coding)
	if err != nil {
		if s.names.once(f.name) {
			s.log().Warn("file is not compressed as its name says, sent as it is", "file", f.name, "err", err)
		}
		if _, err = src.Seek(0, io.SeekStart); err != nil {
			plainError(w, http.StatusInternalServerError)
			return
		}
		s.setFileHeaders(w, f, kind, "")
		w.Header().Add("Vary", "Accept-Encoding")
		http.ServeContent(w, r, "", time.Time{}, src)
		return
	}
	defer d.release()
	s.setFileHeaders(w, f, kind, "plain")
	w.Header().Add("Vary", "Accept-Encoding")
	http.ServeContent(w, r, "", time.Time{}, d)
}
