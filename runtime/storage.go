package runtime

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// maxStorage bounds the copy of localStorage; engines allow a page about 10 MB of it.
const maxStorage = 12 << 20

// serveStorage keeps the page's copy of its localStorage.
func (s *Server) serveStorage(w http.ResponseWriter, r *http.Request) {
	body, ok := postBody(w, r, maxStorage)
	if !ok {
		return
	}
	if err := checkStorage(body); err != nil {
		s.log().Debug("copy of localStorage refused", "err", err)
		plainError(w, http.StatusBadRequest)
		return
	}
	if err := s.SaveStorage(body); err != nil {
		s.log().Warn("copy of localStorage not kept", "err", err)
		plainError(w, http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// postBody reads the body of a POST of at most limit bytes; when it returns false it has answered.
func postBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, bool) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		plainError(w, http.StatusMethodNotAllowed)
		return nil, false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err == nil {
		return body, true
	}
	status := http.StatusBadRequest
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		status = http.StatusRequestEntityTooLarge
	}
	plainError(w, status)
	return nil, false
}

// checkStorage wants one JSON object whose values are all strings. The text itself is kept, so that lone surrogates in
// it survive.
func checkStorage(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errors.New("not a JSON object")
	}
	for d.More() {
		if _, err := d.Token(); err != nil {
			return err
		}
		value, err := d.Token()
		if err != nil {
			return err
		}
		if _, ok := value.(string); !ok {
			return errors.New("a value is not a string")
		}
	}
	if _, err := d.Token(); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one JSON value")
	}
	return nil
}
