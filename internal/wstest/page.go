package wstest

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/gorilla/websocket"
)

// Key is the Sec-WebSocket-Key every Page sends, and KeyAccept its answer.
const (
	Key       = "dGhlIHNhbXBsZSBub25jZQ=="
	KeyAccept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
)

var attempts atomic.Int64

// Page plays a game's page towards a relay.
type Page struct {
	Port   int
	Origin string
	Cookie string // the whole Cookie header
	Owner  string
	Raw    bool
}

// Query is the query of the relay address for target, with a fresh id.
func (p Page) Query(target string) (query, id string) {
	id = "t" + strconv.FormatInt(attempts.Add(1), 10)
	q := "u=" + url.QueryEscape(target) + "&id=" + id
	if p.Owner != "" {
		q += "&o=" + url.QueryEscape(p.Owner)
	}
	if p.Raw {
		q += "&raw=1"
	}
	return q, id
}

// Dial opens a WebSocket to target through the relay with gorilla. A nil
// dialer has no proxy and the default buffers. The response is gorilla's.
func (p Page) Dial(target string, d *websocket.Dialer) (c *websocket.Conn, res *http.Response, id string, err error) {
	if d == nil {
		d = &websocket.Dialer{}
	}
	query, id := p.Query(target)
	h := http.Header{"Origin": {p.Origin}}
	if p.Cookie != "" {
		h.Set("Cookie", p.Cookie)
	}
	c, res, err = d.Dial("ws://127.0.0.1:"+strconv.Itoa(p.Port)+"/?"+query, h)
	return c, res, id, err
}

// Exchange is the raw client's connection and what the relay answered.
type Exchange struct {
	net.Conn
	Reader *bufio.Reader // what follows the response head
	Status int
	Header http.Header
	ID     string
}

// Open sends a browser-like upgrade for target and reads the answer's head.
// extra are more header lines ("Name: value"). The connection ends with the
// test.
func (p Page) Open(t testing.TB, target string, extra ...string) *Exchange {
	t.Helper()
	query, id := p.Query(target)
	host := "127.0.0.1:" + strconv.Itoa(p.Port)
	lines := []string{
		"GET /?" + query + " HTTP/1.1",
		"Host: " + host,
		"Connection: Upgrade",
		"Pragma: no-cache",
		"Cache-Control: no-cache",
		"User-Agent: wstest",
		"Upgrade: websocket",
		"Origin: " + p.Origin,
		"Sec-WebSocket-Version: 13",
		"Accept-Encoding: gzip, deflate, br",
		"Accept-Language: en-GB,en;q=0.9",
		"Sec-WebSocket-Key: " + Key,
	}
	if p.Cookie != "" {
		lines = append(lines, "Cookie: "+p.Cookie)
	}
	x, err := Send(t, host, append(lines, extra...))
	if err != nil {
		t.Fatal(err)
	}
	x.ID = id
	return x
}

// Send writes a request made of lines to addr and reads the answer's head.
func Send(t testing.TB, addr string, lines []string) (*Exchange, error) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { c.Close() })
	request := ""
	for _, l := range lines {
		request += l + "\r\n"
	}
	if _, err := io.WriteString(c, request+"\r\n"); err != nil {
		return nil, err
	}
	br := bufio.NewReader(c)
	res, err := http.ReadResponse(br, nil)
	if err != nil {
		return nil, err
	}
	return &Exchange{Conn: c, Reader: br, Status: res.StatusCode, Header: res.Header}, nil
}
