//go:build e2e && wpt

package e2e

import (
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// What the public tests expect of the other side: the handlers of websockets/handlers, by path.

// wptHelper answers the tests' plain requests.
func wptHelper(w http.ResponseWriter, q *http.Request) {
	switch q.URL.Path {
	case "/wpt/trickle":
		seconds, _ := strconv.Atoi(strings.Trim(q.URL.RawQuery, "()"))
		time.Sleep(time.Duration(seconds) * time.Second)
		fmt.Fprint(w, "<!doctype html>")
	case "/wpt/check":
		if q.Header.Get("Sec-WebSocket-Key") != "" {
			fmt.Fprint(w, "FAIL")
			return
		}
		fmt.Fprint(w, "PASS")
	default:
		http.NotFound(w, q)
	}
}

// wptSocket answers one socket of the tests.
func wptSocket(w http.ResponseWriter, q *http.Request) {
	name := strings.TrimPrefix(q.URL.Path, "/")
	if raw := wptRaw[name]; raw != nil {
		answerRaw(w, q, raw)
		return
	}
	handle := wptHandlers[name]
	if handle == nil || !websocket.IsWebSocketUpgrade(q) {
		http.NotFound(w, q)
		return
	}
	switch name {
	case "basic_auth":
		if q.Header.Get("Authorization") != "Basic Zm9vOmJhcg==" {
			w.Header().Set("WWW-Authenticate", `Basic realm="camelot"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
	case "handshake_sleep_2":
		time.Sleep(2 * time.Second)
	case "sleep_10_v13":
		time.Sleep(10 * time.Second)
	}
	up := websocket.Upgrader{
		CheckOrigin:       func(*http.Request) bool { return true },
		EnableCompression: name != "echo_raw" && name != "handshake_no_extensions" && name != "receive-many-with-backpressure",
	}
	header := http.Header{}
	offered := q.Header.Get("Sec-WebSocket-Protocol")
	first, _, _ := strings.Cut(offered, ",")
	switch {
	case name == "echo":
		up.Subprotocols = []string{"echo"}
	case name == "protocol" && offered != "":
		header.Set("Sec-WebSocket-Protocol", offered)
	case name == "protocol_array" && offered != "":
		header.Set("Sec-WebSocket-Protocol", strings.TrimSpace(first))
	}
	c, err := up.Upgrade(w, q, header)
	if err != nil {
		return
	}
	defer c.Close()
	c.SetCloseHandler(func(code int, text string) error {
		if name == "delayed-passive-close" {
			time.Sleep(time.Second)
		}
		body := websocket.FormatCloseMessage(code, text)
		if code == websocket.CloseNoStatusReceived {
			body = nil
		}
		return c.WriteControl(websocket.CloseMessage, body, time.Time{})
	})
	if !handle(c, q) {
		return // the page ended it
	}
	c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""), time.Time{})
	for {
		if _, _, err := c.ReadMessage(); err != nil {
			return
		}
	}
}

// Each handler answers whether the server closes, with 1000, after it.
var wptHandlers = map[string]func(*websocket.Conn, *http.Request) bool{
	"echo":                           func(c *websocket.Conn, _ *http.Request) bool { return wptEcho(c, true) },
	"echo_exit":                      func(c *websocket.Conn, _ *http.Request) bool { return wptEcho(c, false) },
	"echo_close_data":                func(c *websocket.Conn, _ *http.Request) bool { return wptEcho(c, false) },
	"basic_auth":                     func(*websocket.Conn, *http.Request) bool { return true },
	"echo-query":                     func(c *websocket.Conn, q *http.Request) bool { return wptSay(c, q.URL.RawQuery) },
	"echo-query_v13":                 func(c *websocket.Conn, q *http.Request) bool { return wptSay(c, q.URL.RawQuery) },
	"origin":                         func(c *websocket.Conn, q *http.Request) bool { return wptSay(c, q.Header.Get("Origin")) },
	"protocol":                       func(c *websocket.Conn, _ *http.Request) bool { return wptSay(c, c.Subprotocol()) },
	"protocol_array":                 func(c *websocket.Conn, _ *http.Request) bool { return wptSay(c, c.Subprotocol()) },
	"sleep_10_v13":                   func(c *websocket.Conn, _ *http.Request) bool { return wptEcho(c, true) },
	"echo_raw":                       wptEchoRaw,
	"empty-message":                  wptEmpty,
	"referrer":                       wptReferrer,
	"receive-many-with-backpressure": wptBackpressure,
	"handshake_no_extensions":        func(*websocket.Conn, *http.Request) bool { return true },
	"handshake_no_protocol":          func(*websocket.Conn, *http.Request) bool { return true },
	"handshake_sleep_2":              func(*websocket.Conn, *http.Request) bool { return true },
	"delayed-passive-close": func(c *websocket.Conn, _ *http.Request) bool {
		c.ReadMessage()
		return false
	},
}

func wptSay(c *websocket.Conn, text string) bool {
	c.WriteMessage(websocket.TextMessage, []byte(text))
	return true
}

func wptEcho(c *websocket.Conn, back bool) bool {
	for {
		kind, data, err := c.ReadMessage()
		if err != nil {
			return false
		}
		if back {
			c.WriteMessage(kind, data)
		}
		if kind == websocket.TextMessage && string(data) == "Goodbye" {
			return true
		}
	}
}

func wptEchoRaw(c *websocket.Conn, _ *http.Request) bool {
	for {
		_, data, err := c.ReadMessage()
		if err != nil {
			return false
		}
		if string(data) == "exit" {
			return true
		}
		c.NetConn().Write(data)
	}
}

func wptEmpty(c *websocket.Conn, _ *http.Request) bool {
	_, data, err := c.ReadMessage()
	if err != nil {
		return false
	}
	if len(data) > 0 {
		return wptSay(c, "fail")
	}
	return wptSay(c, "pass")
}

func wptReferrer(c *websocket.Conn, q *http.Request) bool {
	if r := q.Header.Get("Referer"); r != "" {
		return wptSay(c, r)
	}
	return wptSay(c, "MISSING AS PER FETCH")
}

// wptBackpressure is slow on purpose, so that the page's messages pile up.
func wptBackpressure(c *websocket.Conn, _ *http.Request) bool {
	for {
		time.Sleep(100 * time.Millisecond)
		_, data, err := c.ReadMessage()
		if err != nil {
			return false
		}
		wptSay(c, strconv.Itoa(len(data)))
	}
}

// wptRaw are the answers that are no right handshake, or one with frames in the same packet. ACCEPT is the right key.
var wptRaw = map[string]func(accept string) string{
	"invalid": func(string) string { return "FOO BAR BAZ\r\n\r\n" },
	"wrong_accept_key": func(string) string {
		return "HTTP/1.1 101 Switching Protocols:\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n" +
			"Sec-WebSocket-Accept: thisisawrongacceptkey\r\n\r\n\x81\x04test"
	},
	"handshake_protocol": func(accept string) string {
		return wptSwitch(accept, "Sec-WebSocket-Protocol: foobar\r\n") + "\x88\x02\x03\xe8"
	},
	"simple_handshake": func(accept string) string {
		return wptSwitch(accept, "Set-Cookie: ws_test=test\r\n") + "\x88\x06\x03\xe9PASS"
	},
}

func wptSwitch(accept, extra string) string {
	return "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Accept: " + accept + "\r\n" + extra + "\r\n"
}

func answerRaw(w http.ResponseWriter, q *http.Request, text func(accept string) string) {
	sum := sha1.Sum([]byte(q.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	io.WriteString(conn, text(base64.StdEncoding.EncodeToString(sum[:])))
	if q.URL.Path == "/invalid" || q.URL.Path == "/wrong_accept_key" {
		return
	}
	readMessage(rw.Reader) // the page's Close
}
