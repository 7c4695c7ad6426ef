package netsock

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"
)

const (
	maxReasons      = 512
	reasonAge       = 10 * time.Minute
	maxReasonLength = 500
)

// reasons remembers, per attempt, what the browser does not tell a page. It
// also makes an attempt's id good for one connection only.
type reasons struct {
	now func() time.Time // nil means time.Now

	mu    sync.Mutex
	byID  map[string]*reason
	order []*reason // oldest first
}

type reason struct {
	id   string
	at   time.Time
	text string
}

// open notes a new attempt; false when the id was already used.
func (rs *reasons) open(id string) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if _, used := rs.byID[id]; used {
		return false
	}
	rs.expireLocked(maxReasons - 1)
	rs.addLocked(id, "")
	return true
}

// set keeps the text for an attempt; the last one wins and starts its age
// anew, since a socket may be lost hours after it was opened.
func (rs *reasons) set(id, text string) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if e := rs.byID[id]; e != nil {
		i := slices.Index(rs.order, e)
		rs.order = slices.Delete(rs.order, i, i+1)
	}
	rs.expireLocked(maxReasons - 1)
	rs.addLocked(id, printable(text, maxReasonLength))
}

// note is set for an attempt that has no text yet: what was known first is
// nearest to the cause.
func (rs *reasons) note(id, text string) {
	if rs.get(id) == "" {
		rs.set(id, text)
	}
}

func (rs *reasons) addLocked(id, text string) {
	if rs.byID == nil {
		rs.byID = map[string]*reason{}
	}
	e := &reason{id: id, at: rs.clock(), text: text}
	rs.byID[id] = e
	rs.order = append(rs.order, e)
}

func (rs *reasons) get(id string) string {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.expireLocked(maxReasons)
	if e := rs.byID[id]; e != nil {
		return e.text
	}
	return ""
}

func (rs *reasons) expireLocked(keep int) {
	old := rs.clock().Add(-reasonAge)
	for len(rs.order) > 0 && (len(rs.order) > keep || rs.order[0].at.Before(old)) {
		delete(rs.byID, rs.order[0].id)
		rs.order = rs.order[1:]
	}
}

func (rs *reasons) clock() time.Time {
	if rs.now != nil {
		return rs.now()
	}
	return time.Now()
}

// ServeReason answers GET ?id=... with {"message": "..."}, or 204 when the
// attempt is unknown or nothing went wrong. Whoever mounts it keeps the gate.
func (r *Relay) ServeReason(w http.ResponseWriter, q *http.Request) {
	if q.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	text := r.reasons.get(q.URL.Query().Get("id"))
	if text == "" {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(struct {
		Message string `json:"message"`
	}{text})
}

// controlError is a Dial.Control refusal: its text belongs to the page.
type controlError struct{ err error }

func (e *controlError) Error() string { return e.err.Error() }
func (e *controlError) Unwrap() error { return e.err }

// answerError says what is wrong with the server's answer.
type answerError struct{ text string }

func (e *answerError) Error() string { return e.text }

// explain turns a failed dial or handshake into the sentence for onError.
func explain(err error, host string) string {
	if text := explainTLS(err, host); text != "" {
		return text
	}
	var control *controlError
	var answer *answerError
	var dns *net.DNSError
	switch {
	case errors.As(err, &control):
		return control.Error()
	case errors.As(err, &answer):
		return answer.text
	case errors.As(err, &dns) && !dns.IsTimeout:
		if dns.IsNotFound {
			return "no such host: " + host
		}
		return "the name of " + host + " could not be looked up"
	case errors.Is(err, errRefused):
		return "connection refused by " + host
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return "no network path to " + host
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), isTimeout(err):
		return "timed out: " + host + " did not answer"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, errReset):
		return host + " closed the connection without an answer"
	}
	return "could not connect to " + host
}

func explainTLS(err error, host string) string {
	var invalid x509.CertificateInvalidError
	var name x509.HostnameError
	var authority x509.UnknownAuthorityError
	var verify *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		if time.Now().Before(invalid.Cert.NotBefore) {
			return "the certificate of " + host + " is not valid yet"
		}
		return "the certificate of " + host + " has expired"
	case errors.As(err, &name):
		return "the certificate of the server is not valid for " + host
	case errors.As(err, &authority):
		return "the certificate of " + host + " is signed by an unknown authority"
	case errors.As(err, &invalid), errors.As(err, &verify):
		return "the certificate of " + host + " is not valid"
	case errors.As(err, &record):
		return host + " does not speak TLS on this port"
	case errors.As(err, &alert):
		return "TLS with " + host + " failed: " + alert.Error()
	}
	return ""
}

func isTimeout(err error) bool {
	var ne net.Error
	return errors.As(err, &ne) && ne.Timeout()
}
