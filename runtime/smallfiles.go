package runtime

import (
	"bytes"
	"cmp"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"sync"
	"time"
)

const (
	maxSmallFile  = 64 << 10
	maxSmallFiles = 32 << 20 // bytes kept in all; then all are forgotten
)

// smallFiles keeps the content of small files that are sent as they are: they are most of what a game asks for, and to
// open one costs more than to send it. Whether the content is still right is asked at each request.
type smallFiles struct {
	age time.Duration // since a file's last change until it is kept; default 2 s

	mu     sync.RWMutex // guards the rest
	byName map[string]*smallFile
	bytes  int
}

type smallFile struct {
	info    fs.FileInfo // of the moment it was read
	content []byte
	header  http.Header // of the file; shared by all responses, so its slices are never written to
}

// sendSmall answers from memory when it can.
func (s *Server) sendSmall(w http.ResponseWriter, r *http.Request, name string) bool {
	s.small.mu.RLock()
	kept := s.small.byName[name]
	s.small.mu.RUnlock()
	if kept == nil || wantsWorker(r) {
		return false
	}
	info, err := fs.Stat(s.Bundle.FS, name)
	if err != nil || !unchanged(kept.info, info) {
		return false
	}
	h := w.Header()
	for name, values := range kept.header {
		h[name] = values
	}
	for _, conditional := range []string{"Range", "If-None-Match", "If-Match", "If-Range"} {
		if r.Header[conditional] != nil {
			delete(h, "Content-Length")
			delete(h, "Accept-Ranges")
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(kept.content))
			return true
		}
	}
	gather(r)
	w.Write(kept.content)
	return true
}

// keepSmall remembers a file for the next request, if it is one of those. It leaves the file's position at the start.
func (s *Server) keepSmall(f *file, header http.Header) {
	if f.info.Size() > maxSmallFile || !settled(f.info, cmp.Or(s.small.age, 2*time.Second)) {
		return
	}
	src := f.File.(io.ReadSeeker)
	content := make([]byte, f.info.Size())
	_, err := io.ReadFull(src, content)
	if _, seekErr := src.Seek(0, io.SeekStart); err != nil || seekErr != nil {
		return
	}
	kept := &smallFile{info: f.info, content: content, header: http.Header{
		"Content-Length": {strconv.Itoa(len(content))}, "Accept-Ranges": {"bytes"},
	}}
	for _, name := range []string{"Content-Type", "Cache-Control", "Etag", "Vary"} {
		if values := header[name]; len(values) == 1 {
			kept.header[name] = []string{values[0]}
		}
	}
	s.small.mu.Lock()
	defer s.small.mu.Unlock()
	if s.small.byName == nil || s.small.bytes+len(content) > maxSmallFiles {
		s.small.byName, s.small.bytes = map[string]*smallFile{}, 0
	}
	if old := s.small.byName[f.name]; old != nil {
		s.small.bytes -= len(old.content)
	}
	s.small.byName[f.name] = kept
	s.small.bytes += len(content)
}
