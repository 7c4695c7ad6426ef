package runtime

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
)

const enterPath = internalPrefix + "enter"

// maxNonces bounds the entry addresses that were made and not used yet; the oldest goes first.
const maxNonces = 32

// Errors of the gate. They are for the log: the answer is 403 without a word for all of them.
var (
	errHost   = errors.New("gate: the Host is not this server")
	errCookie = errors.New("gate: the launch cookie is missing or wrong")
	errOrigin = errors.New("gate: the Origin is missing or not this server")
	errSite   = errors.New("gate: the request was made by another site")
	errWorker = errors.New("gate: service workers are not served")
)

// launch is what proves that a request comes from the engine this process started: the cookie, and the one-time
// addresses that give it.
type launch struct {
	host   string // 127.0.0.1:PORT
	origin string // http://127.0.0.1:PORT
	cookie string // name; one per port, because cookies do not tell ports apart (RFC 6265 section 8.5)
	secret string // 256 random bits, hex

	mu     sync.Mutex // guards nonces
	nonces [][sha256.Size]byte
}

func (l *launch) init(port int) error {
	l.host = loopback(port)
	l.origin = "http://" + l.host
	l.cookie = "conch_" + strconv.Itoa(port)
	var err error
	l.secret, err = randomHex()
	return err
}

func randomHex() (string, error) {
	var b [32]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", fmt.Errorf("random bytes: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}

// EntryURL makes a fresh address that lets whoever opens it first into the game. It is a secret until then: give it to
// the engine or the person who asked, and write it to no log. Call it after Listen.
func (s *Server) EntryURL() string {
	nonce, err := randomHex()
	if err != nil {
		return ""
	}
	l := &s.launch
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.nonces) == maxNonces {
		l.nonces = l.nonces[1:]
	}
	l.nonces = append(l.nonces, sha256.Sum256([]byte(nonce)))
	return l.origin + enterPath + "?n=" + nonce
}

// redeem reports whether the nonce is one that was made and not used, and uses it up. Digests are compared, so the
// time tells nothing about the nonces.
func (l *launch) redeem(nonce string) bool {
	sum := sha256.Sum256([]byte(nonce))
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.nonces {
		if subtle.ConstantTimeCompare(l.nonces[i][:], sum[:]) == 1 {
			l.nonces = append(l.nonces[:i], l.nonces[i+1:]...)
			return true
		}
	}
	return false
}

// serveEnter swaps a nonce for the launch cookie. The answer is a page that moves on, not a redirect: the chain that
// leads here began at another site (the window's start page), and a SameSite=Strict cookie is not sent along such a
// chain. The page's own navigation begins a new one.
func (s *Server) serveEnter(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if r.Method != http.MethodGet || isSpeculative(r) || !s.launch.redeem(r.URL.Query().Get("n")) {
		s.log().Debug("entry refused")
		w.WriteHeader(http.StatusForbidden)
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: s.launch.cookie, Value: s.launch.secret, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	s.writePage(w, http.StatusOK, movingPage(s.Bundle.Title, s.entryPath(), s.Bundle.Manifest.Window.Background))
}

// isSpeculative reports whether nobody asked for the page yet; a prefetch must not use up the nonce.
func isSpeculative(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Sec-Purpose"), "prefetch") || r.Header.Get("Purpose") == "prefetch"
}

// Authorize is the gate for requests to this server: nil when the Host is exactly ours and the launch cookie is
// there.
func (s *Server) Authorize(r *http.Request) error {
	if err := s.checkHost(r); err != nil {
		return err
	}
	return s.CheckCookie(r)
}

func (s *Server) checkHost(r *http.Request) error {
	if r.Host != s.launch.host {
		return errHost
	}
	return nil
}

// CheckCookie is nil when the request carries this launch's cookie. Listeners on other ports of 127.0.0.1 that check
// their own Host use it alone.
func (s *Server) CheckCookie(r *http.Request) error {
	for _, line := range r.Header["Cookie"] {
		for pair := range strings.SplitSeq(line, ";") {
			name, value, _ := strings.Cut(textproto.TrimString(pair), "=")
			if name == s.launch.cookie && subtle.ConstantTimeCompare([]byte(value), []byte(s.launch.secret)) == 1 {
				return nil
			}
		}
	}
	return errCookie
}

// admit is the whole gate for every path but the entry address.
func (s *Server) admit(r *http.Request) error {
	if err := s.Authorize(r); err != nil {
		return err
	}
	if r.Header["Service-Worker"] != nil {
		// A service worker would outlive the launch under this origin and answer in our place.
		return errWorker
	}
	internal := strings.HasPrefix(r.URL.Path, internalPrefix)
	if !s.sameSite(r, internal) {
		return errSite
	}
	switch {
	case r.Header["Upgrade"] != nil, internal && !isSafe(r.Method):
		return s.checkOrigin(r, true)
	case !isSafe(r.Method):
		return s.checkOrigin(r, false)
	}
	return nil
}

// sameSite judges Sec-Fetch-Site, which a page cannot forge. Engines without it send nothing. Navigations to the
// game's own pages may begin elsewhere; internal endpoints and everything embedded may not.
func (s *Server) sameSite(r *http.Request, internal bool) bool {
	switch site := r.Header.Get("Sec-Fetch-Site"); site {
	case "", "same-origin", "none":
		return true
	default:
		return !internal && isSafe(r.Method) && r.Header.Get("Sec-Fetch-Mode") == "navigate"
	}
}

func (s *Server) checkOrigin(r *http.Request, required bool) error {
	origins := r.Header["Origin"]
	if len(origins) == 0 && !required {
		return nil
	}
	if len(origins) != 1 || origins[0] != s.launch.origin {
		return errOrigin
	}
	return nil
}

func isSafe(method string) bool { return method == http.MethodGet || method == http.MethodHead }
