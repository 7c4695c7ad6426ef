//go:build e2e

package e2e

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"conch/internal/wstest"
)

// wireFrame is one unmasked frame with the first byte given, FIN and reserved bits included.
func wireFrame(first byte, payload string) string {
	head := []byte{first}
	switch n := len(payload); {
	case n < 126:
		head = append(head, byte(n))
	case n < 1<<16:
		head = binary.BigEndian.AppendUint16(append(head, 126), uint16(n))
	default:
		head = binary.BigEndian.AppendUint64(append(head, 127), uint64(n))
	}
	return string(head) + payload
}

func wireText(s string) string { return wireFrame(0x81, s) }

func wireClose(code uint16, reason string) string {
	return wireFrame(0x88, string(binary.BigEndian.AppendUint16(nil, code))+reason)
}

// closeCase is one way for a connection to end.
type closeCase struct {
	name    string
	head    func(c *wstest.Conn) string // answer to the handshake; nil: a right 101
	at      string                      // sent in the packet of the head
	then    string                      // sent once the page said "go"
	ends    bool                        // end of TCP after it
	resets  bool                        // reset of TCP after it
	hangsUp bool                        // end of TCP right after the head
	answers string                      // sent when the page's Close came
}

func refusing(line string) func(*wstest.Conn) string {
	return func(*wstest.Conn) string { return "HTTP/1.1 " + line + "\r\nContent-Length: 0\r\n\r\n" }
}

func switching(extra ...string) func(*wstest.Conn) string {
	return func(c *wstest.Conn) string { return c.Switch(extra...) }
}

// gaveUp is the case where the page closes before the handshake: how far it got by then is chance.
const gaveUp = "page-close-connecting"

var closeCases = []closeCase{
	{name: "close-empty", then: wireFrame(0x88, ""), ends: true},
	{name: "close-1000", then: wireClose(1000, "bye"), ends: true},
	{name: "close-1001", then: wireClose(1001, ""), ends: true},
	{name: "close-1011-longest-reason", then: wireClose(1011, strings.Repeat("x", 123)), ends: true},
	{name: "close-1012", then: wireClose(1012, ""), ends: true},
	{name: "close-3000-utf8", then: wireClose(3000, "é"), ends: true},
	{name: "close-4001", then: wireClose(4001, "kicked"), ends: true},
	{name: "close-4999", then: wireClose(4999, ""), ends: true},
	{name: "close-without-fin", then: wireClose(1000, "held")},
	{name: "close-1005-on-wire", then: wireClose(1005, "")},
	{name: "close-1006-on-wire", then: wireClose(1006, "")},
	{name: "close-2999", then: wireClose(2999, "")},
	{name: "close-one-byte", then: wireFrame(0x88, "\x03")},
	{name: "close-bad-utf8-reason", then: wireFrame(0x88, "\x03\xe8\xff\xfe")},
	{name: "close-in-two-frames", then: wireFrame(0x08, "\x03\xe8") + wireFrame(0x80, "")},
	{name: "close-too-long", then: wireFrame(0x88, "\x03\xe8"+strings.Repeat("x", 200))},
	{name: "fin-without-close", ends: true},
	{name: "reset", resets: true},
	{name: "data-then-fin", then: wireFrame(0x82, strings.Repeat("d", 70)), ends: true},
	{name: "data-then-close-then-fin", then: wireText("last") + wireClose(1000, "ok"), ends: true},
	{name: "close-then-data", then: wireClose(1000, "") + wireText("too late"), ends: true},
	{name: "close-in-packet-of-101", at: wireText("hi") + wireClose(1000, "quick"), hangsUp: true},
	{name: "bad-utf8-text", then: wireText("\xff\xfe")},
	{name: "reserved-opcode", then: wireFrame(0x83, "x")},
	{name: "reserved-control-opcode", then: wireFrame(0x8b, "x")},
	{name: "reserved-bit-without-extension", then: wireFrame(0xc1, "A")},
	{name: "masked-frame", then: "\x82\x81\x01\x02\x03\x04\x05"},
	{name: "continuation-of-nothing", then: wireFrame(0x80, "x")},
	{name: "text-inside-fragments", then: wireFrame(0x01, "a") + wireFrame(0x81, "b")},
	{name: "fragmented-ping", then: wireFrame(0x09, "a") + wireFrame(0x80, "b")},
	{name: "fragments-with-ping", then: wireFrame(0x01, "\xe2\x82") + wireFrame(0x89, "p") + wireFrame(0x80, "\xac") + wireClose(1000, ""), ends: true},
	{name: "half-a-frame-then-fin", then: "\x82\x7e\x10", ends: true},
	{name: "ping", then: wireFrame(0x89, "abc") + wireClose(1000, ""), ends: true},
	{name: "unasked-pong", then: wireFrame(0x8a, "abc") + wireClose(1000, ""), ends: true},
	{name: "compressed", head: switching("Sec-WebSocket-Extensions: permessage-deflate"), then: deflated("small "+strings.Repeat("z", 500)) + wireClose(1000, ""), ends: true},
	{name: "compressed-garbage", head: switching("Sec-WebSocket-Extensions: permessage-deflate"), then: wireFrame(0xc1, "\xff\xff\xff\xff")},
	{name: "page-close", answers: wireFrame(0x88, "")},
	{name: "page-close-1000", answers: wireClose(1000, "done")},
	{name: "page-close-4001", answers: wireClose(4001, "näh")},
	{name: "page-close-then-more", answers: wireClose(3000, "")},
	{name: "page-close-crossing", then: wireText("now"), answers: wireText("still") + wireClose(1000, "mine")},
	{name: gaveUp},
	{name: "protocol-chosen", head: switching("Sec-WebSocket-Protocol: c"), then: wireClose(1000, ""), ends: true},
	{name: "protocol-not-offered", head: switching("Sec-WebSocket-Protocol: x"), ends: true},
	{name: "protocol-missing", ends: true},
	{name: "protocol-unasked", head: switching("Sec-WebSocket-Protocol: x"), ends: true},
	{name: "extension-unasked", head: switching("Sec-WebSocket-Extensions: x-made-up"), ends: true},
	{name: "status-200", head: refusing("200 OK")},
	{name: "status-302", head: refusing("302 Found\r\nLocation: /elsewhere")},
	{name: "status-401", head: refusing("401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"")},
	{name: "status-403", head: refusing("403 Forbidden")},
	{name: "status-503", head: refusing("503 Service Unavailable")},
	{name: "accept-wrong", head: func(c *wstest.Conn) string {
		return strings.Replace(c.Switch(), c.Accept(), "AAAAAAAAAAAAAAAAAAAAAAAAAAA=", 1)
	}},
	{name: "accept-missing", head: func(c *wstest.Conn) string {
		return strings.Replace(c.Switch(), "Sec-WebSocket-Accept: "+c.Accept()+"\r\n", "", 1)
	}},
	{name: "upgrade-missing", head: func(c *wstest.Conn) string { return strings.Replace(c.Switch(), "Upgrade: websocket\r\n", "", 1) }},
	{name: "not-http", head: func(*wstest.Conn) string { return "SSH-2.0-OpenSSH_9.2\r\n" }, hangsUp: true},
	{name: "hang-up", head: func(*wstest.Conn) string { return "" }, hangsUp: true},
}

// deflated is a text message compressed by RFC 7692.
func deflated(s string) string {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestCompression)
	io.WriteString(w, s)
	w.Flush()
	return wireFrame(0xc1, strings.TrimSuffix(b.String(), "\x00\x00\xff\xff"))
}

// run plays the case on one connection and answers the frames that came from the page.
func (cc closeCase) run(c *wstest.Conn) string {
	c.SetDeadline(time.Now().Add(patience))
	head := c.Switch()
	if cc.head != nil {
		head = cc.head(c)
	}
	io.WriteString(c, head+cc.at)
	var seen []string
	if cc.hangsUp {
		closeWrite(c)
	}
	for {
		f, err := wstest.ReadFrame(c.Reader)
		if err != nil {
			return strings.Join(seen, " ")
		}
		seen = append(seen, frameLine(f))
		switch {
		case f.Op == 1 && len(seen) == 1:
			io.WriteString(c, cc.then)
			cc.end(c)
		case f.Op == 8 && cc.answers != "":
			io.WriteString(c, cc.answers)
			closeWrite(c)
		}
	}
}

func (cc closeCase) end(c *wstest.Conn) {
	tcp, _ := wstest.TCP(c.Conn)
	if cc.resets {
		tcp.SetLinger(0)
		tcp.Close()
	}
	if cc.ends {
		tcp.CloseWrite()
	}
}

func closeWrite(c *wstest.Conn) {
	if tcp, ok := wstest.TCP(c.Conn); ok {
		tcp.CloseWrite()
	}
}

// frameLine is one frame of a browser in a line.
func frameLine(f wstest.Frame) string {
	mask := ""
	if !f.Masked {
		mask = " unmasked"
	}
	body := fmt.Sprintf("%q", f.Payload)
	if f.Op == 8 && len(f.Payload) >= 2 {
		body = fmt.Sprintf("%d %q", binary.BigEndian.Uint16(f.Payload), f.Payload[2:])
	}
	return fmt.Sprintf("[op%d fin=%t rsv=%d %s%s]", f.Op, f.Fin, f.RSV, body, mask)
}

// TestClosesAreThoseOfADirectConnection: every close code, protocol error and failed handshake looks to the page, and
// to the server, as it does without a relay between them.
func TestClosesAreThoseOfADirectConnection(t *testing.T) {
	var names []string
	byPath := map[string]closeCase{}
	for _, cc := range closeCases {
		names = append(names, cc.name)
		byPath["/"+cc.name] = cc
	}
	list, err := json.Marshal(names)
	if err != nil {
		t.Fatal(err)
	}
	compareWays(t, func(t *testing.T, e engine, w way) map[string]string {
		r, h := newReporter(t), newHome(t)
		type record struct{ name, frames string }
		records := make(chan record, 4*len(names))
		server := wstest.ServeRaw(t, nil, func(c *wstest.Conn) {
			path := strings.Fields(c.Head)[1]
			cc, known := byPath[path]
			if !known { // WebKitGTK follows redirects; the relay does not
				closeCase{head: refusing("403 Forbidden")}.run(c)
				return
			}
			records <- record{cc.name, cc.run(c)}
		})
		_, port, _ := net.SplitHostPort(server.Addr)
		dir := r.game(t, ``, []string{server.Addr}, map[string]string{
			"index.html": page(testScript(t, "closes.js", "CASES", string(list), "CASE_PORT", port))})
		w.open(t, e, h, dir)
		got := map[string]string{}
		for range names {
			var one struct{ Name, Events string }
			if err := json.Unmarshal(r.wait("case"), &one); err != nil {
				t.Fatal(err)
			}
			got[one.Name] = one.Events
		}
		frames := map[string]string{}
		for len(frames) < len(names)-1 {
			select {
			case rec := <-records:
				if rec.name != gaveUp {
					frames[rec.name] += " || server: " + rec.frames
				}
			case <-time.After(patience):
				t.Fatalf("%d of %d connections ended", len(frames), len(names)-1)
			}
		}
		for name, text := range frames {
			got[name] += text
		}
		return got
	})
}
