package runtime

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
)

const (
	scriptPath  = internalPrefix + "page.js"
	configToken = "__CONCH_CONFIG__"
)

// pageScript is the page script with this launch's configuration in it.
func (s *Server) pageScript() ([]byte, error) {
	var config any
	if s.Config != nil {
		config = s.Config()
	}
	b, err := json.Marshal(config)
	if err != nil {
		return nil, fmt.Errorf("page script configuration: %w", err)
	}
	return bytes.Replace(s.Script, []byte(configToken), b, 1), nil
}

func (s *Server) serveScript(w http.ResponseWriter, r *http.Request) {
	if !isSafe(r.Method) {
		plainError(w, http.StatusMethodNotAllowed)
		return
	}
	script, err := s.pageScript()
	if err != nil {
		s.log().Error("page script not served", "err", err)
		plainError(w, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	w.Write(script)
}
