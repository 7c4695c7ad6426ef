package runtime

import (
	"crypto/subtle"
	"io"
	"net/http"
	"sync"
)

// crash decides who may ask for a copy of the saves: the crash screen after a real crash, once. The window says that
// the web process ended; the next top document may be given a token, if it is the crash screen; the token is void as
// soon as any other document is shown. A game cannot be that document, and cannot read it: with its process all its
// frames are gone, and a fetch, a frame or a worker's request is no top document.
type crash struct {
	mu      sync.Mutex // guards the fields below
	crashed bool
	token   string
}

// Crashed tells the server that the web process has ended and the crash screen is about to be shown.
func (s *Server) Crashed() {
	s.crash.mu.Lock()
	defer s.crash.mu.Unlock()
	s.crash.crashed, s.crash.token = true, ""
}

// document notes that a top document was asked for.
func (c *crash) document(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.token = ""
	if path != crashedPath {
		c.crashed = false
	}
}

// copyToken makes the token for the crash screen, "" when r is not the window that shows it after a crash.
func (s *Server) copyToken(r *http.Request) string {
	if s.CopySaves == nil || r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Dest") != "document" {
		return ""
	}
	c := &s.crash
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.crashed {
		return ""
	}
	c.crashed = false
	token, err := randomHex()
	if err != nil {
		return ""
	}
	c.token = token
	return token
}

// spend uses a token up.
func (c *crash) spend(token string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.token == "" || subtle.ConstantTimeCompare([]byte(c.token), []byte(token)) != 1 {
		return false
	}
	c.token = ""
	return true
}

// serveCopySaves answers the button of the crash screen with a sentence for the player.
func (s *Server) serveCopySaves(w http.ResponseWriter, r *http.Request) {
	body, ok := postBody(w, r, 128)
	if !ok {
		return
	}
	if !s.crash.spend(string(body)) {
		s.log().Warn("copy of the saves refused: not asked on the crash screen")
		plainError(w, http.StatusForbidden)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	path, err := s.CopySaves(r.Context())
	if err != nil {
		s.log().Error("copy of the saves", "err", err)
		w.WriteHeader(http.StatusInternalServerError)
		io.WriteString(w, "The copy could not be made: "+err.Error()+".")
		return
	}
	io.WriteString(w, "Saved as "+path+".")
}
