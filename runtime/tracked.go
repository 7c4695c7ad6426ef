package runtime

import (
	"bufio"
	"io"
	"net"
	"net/http"
)

// tracked knows whether a response has begun. It hands ReadFrom through, so that plain files still go out by sendfile.
type tracked struct {
	http.ResponseWriter
	wrote bool
}

func (t *tracked) WriteHeader(status int) {
	t.wrote = t.wrote || status >= 200
	t.ResponseWriter.WriteHeader(status)
}

func (t *tracked) Write(p []byte) (int, error) {
	t.wrote = true
	return t.ResponseWriter.Write(p)
}

func (t *tracked) ReadFrom(r io.Reader) (int64, error) {
	t.wrote = true
	return io.Copy(t.ResponseWriter, r)
}

// Hijack is for WebSocket handshakes, whose library looks for it here.
func (t *tracked) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	t.wrote = true
	return http.NewResponseController(t.ResponseWriter).Hijack()
}

// Unwrap is for http.ResponseController.
func (t *tracked) Unwrap() http.ResponseWriter { return t.ResponseWriter }
