package netsock

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	maxHeadBytes = 64 << 10
	maxHeadLines = 256
	maxInterim   = 5 // 100 and 103 answers skipped before the real one
)

// connect dials and does the handshake with the page's own key, protocols
// and extensions; the browser checks the answer, so no WebSocket code is
// needed here. The only success is 101: redirects and logins are failures.
func (r *Relay) connect(ctx context.Context, dst destination, h http.Header) (leg, answer, error) {
	ctx, cancel := context.WithTimeout(ctx, r.limits.handshake)
	defer cancel()
	far, err := r.dial(ctx, dst)
	if err != nil {
		return nil, answer{}, cause(ctx, err)
	}
	interrupt := context.AfterFunc(ctx, func() { far.SetDeadline(time.Unix(1, 0)) })
	ans, err := exchange(far, request(dst, h))
	if !interrupt() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		far.abort()
		return nil, answer{}, cause(ctx, err)
	}
	return far, ans, nil
}

// cause puts the end of the context in front of the error it made.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	return err
}

func exchange(far leg, request []byte) (answer, error) {
	if _, err := far.Write(request); err != nil {
		return answer{}, err
	}
	br := bufio.NewReader(far)
	ans, err := readAnswer(br)
	if err != nil {
		return answer{}, err
	}
	if ans.status != http.StatusSwitchingProtocols {
		return answer{}, &answerError{ans.refusal()}
	}
	ans.rest, _ = br.Peek(br.Buffered())
	return ans, nil
}

// request writes the upgrade as a browser does, in its order. Of the page's
// own upgrade only what is named here goes on: no cookie, no referrer, none
// of the Sec-Fetch headers that speak of 127.0.0.1.
func request(dst destination, h http.Header) []byte {
	var b bytes.Buffer
	line := func(name, value string) {
		b.WriteString(name + ": " + value + "\r\n")
	}
	copied := func(name string) {
		for _, v := range h[http.CanonicalHeaderKey(name)] {
			line(name, v)
		}
	}
	b.WriteString("GET " + dst.target + " HTTP/1.1\r\n")
	line("Host", dst.hostPort)
	line("Connection", "Upgrade")
	copied("Pragma")
	copied("Cache-Control")
	copied("User-Agent")
	line("Upgrade", "websocket")
	if dst.origin != "" {
		line("Origin", dst.origin)
	}
	line("Sec-WebSocket-Version", "13")
	copied("Accept-Encoding")
	copied("Accept-Language")
	copied("Sec-WebSocket-Key")
	if offerExtensions {
		copied("Sec-WebSocket-Extensions")
	}
	copied("Sec-WebSocket-Protocol")
	b.WriteString("\r\n")
	return b.Bytes()
}

// answer is the server's response head, cut down to what may pass.
type answer struct {
	status int
	text   string
	fields []field // the five headers of an upgrade, in the server's order
	rest   []byte  // bytes behind the head: the first frames
}

type field struct{ name, value string }

// passed are the only response headers the page gets. Set-Cookie above all
// must not: it would land on 127.0.0.1, shared by every port.
var passed = map[string]string{
	"upgrade":                  "Upgrade",
	"connection":               "Connection",
	"sec-websocket-accept":     "Sec-WebSocket-Accept",
	"sec-websocket-protocol":   "Sec-WebSocket-Protocol",
	"sec-websocket-extensions": "Sec-WebSocket-Extensions",
}

var (
	errNotHTTP = &answerError{"not a WebSocket server: its answer is not HTTP"}
	errTooLong = &answerError{"not a WebSocket server: its answer is too long"}
)

// readAnswer reads one response head, skipping interim ones. It takes what
// browsers take: bare line feeds, folded lines, lines without a colon.
func readAnswer(br *bufio.Reader) (answer, error) {
	left := maxHeadBytes
	for range maxInterim + 1 {
		ans, err := readHead(br, &left)
		if err != nil {
			return answer{}, err
		}
		if ans.status/100 != 1 || ans.status == http.StatusSwitchingProtocols {
			return ans, nil
		}
	}
	return answer{}, errTooLong
}

func readHead(br *bufio.Reader, left *int) (answer, error) {
	first, err := readLine(br, left)
	if err != nil {
		return answer{}, err
	}
	ans, ok := parseStatus(first)
	if !ok {
		return answer{}, errNotHTTP
	}
	folding := false // the line before was a field that passes
	for range maxHeadLines {
		l, err := readLine(br, left)
		if err != nil {
			return answer{}, err
		}
		if l == "" {
			return ans, nil
		}
		if l[0] == ' ' || l[0] == '\t' {
			if folding {
				f := &ans.fields[len(ans.fields)-1]
				f.value = strings.TrimSpace(f.value + " " + strings.TrimSpace(l))
			}
			continue
		}
		name, value, _ := strings.Cut(l, ":")
		name, folding = passed[strings.ToLower(strings.TrimSpace(name))]
		if folding {
			ans.fields = append(ans.fields, field{name, strings.TrimSpace(value)})
		}
	}
	return answer{}, errTooLong
}

// readLine returns a line without its end. Control characters make the
// answer worthless: what passes is written into a head of our own.
func readLine(br *bufio.Reader, left *int) (string, error) {
	var line []byte
	for {
		part, err := br.ReadSlice('\n')
		if *left -= len(part); *left < 0 {
			return "", errTooLong
		}
		line = append(line, part...)
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			if errors.Is(err, io.EOF) && len(line) > 0 {
				err = io.ErrUnexpectedEOF
			}
			return "", err
		}
	}
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	for _, c := range line {
		if c < ' ' && c != '\t' || c == 0x7f {
			return "", errNotHTTP
		}
	}
	return string(line), nil
}

// parseStatus reads "HTTP/1.1 101 Switching Protocols".
func parseStatus(line string) (answer, bool) {
	rest, ok := strings.CutPrefix(line, "HTTP/1.")
	if !ok || len(rest) < 5 || !digits(rest[:1]) || rest[1] != ' ' {
		return answer{}, false
	}
	code, text, _ := strings.Cut(strings.TrimLeft(rest[2:], " "), " ")
	if len(code) != 3 || !digits(code) || code[0] == '0' {
		return answer{}, false
	}
	status := int(code[0]-'0')*100 + int(code[1]-'0')*10 + int(code[2]-'0')
	return answer{status: status, text: printable(strings.TrimSpace(text), 80)}, true
}

func digits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// refusal is the sentence for any answer but 101.
func (a answer) refusal() string {
	text := a.text
	if text == "" {
		text = http.StatusText(a.status)
	}
	said := strings.TrimSpace(fmt.Sprintf("the server answered %d %s", a.status, text))
	switch {
	case a.status/100 == 3:
		return said + ": redirects are not followed"
	case a.status/100 == 2:
		return said + ": not a WebSocket server at this address"
	}
	return said
}

// head is the 101 the page gets.
func (a answer) head() []byte {
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 101 Switching Protocols\r\n")
	for _, f := range a.fields {
		b.WriteString(f.name + ": " + f.value + "\r\n")
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

func (a answer) get(name string) []string {
	var vs []string
	for _, f := range a.fields {
		if f.name == name {
			vs = append(vs, f.value)
		}
	}
	return vs
}

// fault says why a browser will not accept this 101, or "".
func (a answer) fault(h http.Header) string {
	if !hasToken(a.get("Upgrade"), "websocket") || !hasToken(a.get("Connection"), "upgrade") {
		return "not a WebSocket server: it switched to another protocol"
	}
	if !sameOne(a.get("Sec-WebSocket-Accept"), acceptKey(h.Get("Sec-WebSocket-Key"))) {
		return "not a WebSocket server: its Sec-WebSocket-Accept is wrong"
	}
	chosen := a.get("Sec-WebSocket-Protocol")
	offered := h["Sec-Websocket-Protocol"]
	switch {
	case len(chosen) == 0 && len(offered) > 0:
		return "the server chose none of the offered protocols"
	case len(chosen) > 0 && !hasToken(offered, chosen[0]):
		return "the server chose a protocol that was not offered"
	}
	return ""
}

// acceptKey is the answer to a Sec-WebSocket-Key (RFC 6455 section 4.2.2).
func acceptKey(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}
