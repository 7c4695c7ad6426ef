//go:build e2e

package e2e

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/internal/wstest"
)

// TestServerSeesTheFramesOfABrowser: a server that looks at the wire sees the request and the frames that this engine
// sends without Conch, fragment by fragment.
func TestServerSeesTheFramesOfABrowser(t *testing.T) {
	compareWays(t, func(t *testing.T, e engine, w way) map[string]string {
		r, h := newReporter(t), newHome(t)
		got := make(chan [2]string, 64)
		server := wstest.ServeRaw(t, nil, func(c *wstest.Conn) {
			got <- [2]string{"request", requestLines(c)}
			io.WriteString(c, c.Switch())
			for {
				m, err := readMessage(c.Reader)
				if err != nil {
					got <- [2]string{"end", "of stream"}
					return
				}
				got <- [2]string{fmt.Sprintf("op%d %d bytes", m.op, len(m.payload)), m.shape()}
				if m.op == 8 {
					io.WriteString(c, wireClose(1000, ""))
					return
				}
				io.WriteString(c, wireText("next"))
			}
		})
		dir := r.game(t, ``, []string{server.Addr}, map[string]string{"index.html": page(`
const ws = new WebSocket('ws://` + server.Addr + `/a%20b|c?d=1&e=%C3%A9')
const all = [100, 125, 126, 5000, 65535, 65536, 70000, 200000, 1 << 20].map(n => new Uint8Array(n)).concat('', 'é', 'x'.repeat(1 << 20), new Blob(['blob']), new DataView(new ArrayBuffer(9), 2, 3))
ws.onopen = ws.onmessage = () => { if (all.length) ws.send(all.shift()); else ws.close(1000) }`)})
		w.open(t, e, h, dir)
		seen := map[string]string{}
		for {
			select {
			case one := <-got:
				for seen[one[0]] != "" {
					one[0] += "'"
				}
				seen[one[0]] = one[1]
				if strings.HasPrefix(one[0], "op8") {
					return seen
				}
			case <-time.After(patience):
				t.Fatalf("no more frames after %v", seen)
			}
		}
	})
}

// requestLines is a handshake as the server sees it, without what names the page's place or this one attempt.
func requestLines(c *wstest.Conn) string {
	var lines []string
	for _, line := range strings.Split(strings.TrimSpace(c.Head), "\r\n") {
		name, _, _ := strings.Cut(line, ":")
		switch {
		case name == "Sec-WebSocket-Key", name == "Origin", name == "Host":
			line = name + ": ..."
		case strings.HasPrefix(name, "Sec-Fetch-"):
			continue // of the page's way to its own machine; not passed on
		}
		lines = append(lines, line)
	}
	slices.Sort(lines[1:]) // WebKitGTK has an order of its own
	return strings.Join(lines, "; ")
}

// wireMessage is one message or control frame with the frames it came in.
type wireMessage struct {
	op      byte
	payload []byte
	frames  []wstest.Frame
}

func readMessage(r io.Reader) (wireMessage, error) {
	var m wireMessage
	for {
		f, err := wstest.ReadFrame(r)
		if err != nil {
			return m, err
		}
		if len(m.frames) == 0 {
			m.op = f.Op
		}
		m.payload = append(m.payload, f.Payload...)
		m.frames = append(m.frames, f)
		if f.Fin {
			return m, nil
		}
	}
}

// maxFragment is the most a browser puts into one frame when it fragments. Where Chromium cuts within that depends on
// how fast its own processes hand the message over.
const maxFragment = 128 << 10

func (m wireMessage) shape() string {
	if len(m.frames) == 1 {
		f := m.frames[0]
		return fmt.Sprintf("1 frame rsv%d masked=%t", f.RSV, f.Masked)
	}
	for i, f := range m.frames {
		if len(f.Payload) > maxFragment || !f.Masked || f.RSV != 0 || (i > 0) != (f.Op == 0) {
			return fmt.Sprintf("fragments, number %d is op%d rsv%d masked=%t of %d bytes", i, f.Op, f.RSV, f.Masked, len(f.Payload))
		}
	}
	return "fragments"
}

// TestOneFrameOf64MiB goes there and back whole, and the process that carries it does not hold it.
func TestOneFrameOf64MiB(t *testing.T) {
	inBoth(t, func(t *testing.T, e engine) {
		r, h := newReporter(t), newHome(t)
		server := wstest.ServeRaw(t, nil, func(c *wstest.Conn) {
			io.WriteString(c, c.Switch())
			m, err := readMessage(c.Reader)
			if err != nil {
				return
			}
			head := binary.BigEndian.AppendUint64([]byte{0x80 | m.op, 127}, uint64(len(m.payload)))
			if _, err := c.Write(append(head, m.payload...)); err != nil {
				return
			}
			readMessage(c.Reader) // the page's Close
			io.WriteString(c, wireClose(1000, ""))
		})
		dir := r.game(t, ``, []string{server.Addr}, map[string]string{"index.html": page(`
const sent = new Uint32Array(16 << 20)
for (let i = 0; i < sent.length; i++) sent[i] = Math.imul(i, 2654435761)
const sock = net.connect('ws://` + server.Addr + `/')
sock.onOpen = () => { report('open'); sock.send(sent) }
sock.onMessage = data => {
  const got = new Uint32Array(data)
  let bad = got.length === sent.length ? 0 : -1
  for (let i = 0; i < got.length; i++) if (got[i] !== sent[i]) bad++
  report('echo', [data.byteLength, bad])
  sock.close()
}
sock.onError = m => report('pageerror', m)
sock.onClose = (code, reason, clean) => report('closed', [code, clean])`)})
		pid := openGame(t, e, h, dir).conch.cmd.Process.Pid
		r.wait("open")
		before := residentKiB(t, pid, "VmRSS")
		var got [2]int
		if err := json.Unmarshal(r.wait("echo"), &got); err != nil {
			t.Fatal(err)
		}
		if got != [2]int{64 << 20, 0} {
			t.Errorf("bytes and wrong words: %v, want [%d 0]", got, 64<<20)
		}
		if text := string(r.wait("closed")); text != "[1000,true]" {
			t.Errorf("closed %s, want [1000,true]", text)
		}
		grown := residentKiB(t, pid, "VmHWM") - before
		t.Logf("peak memory grew by %d KiB from %d KiB", grown, before)
		if grown > 16<<10 {
			t.Errorf("peak memory grew by %d KiB, want at most 16 MiB", grown)
		}
	})
}

// residentKiB is one line of /proc/PID/status.
func residentKiB(t *testing.T, pid int, name string) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), name+":")
	if !ok {
		t.Fatalf("no %s of process %d", name, pid)
	}
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Bounds of a stuck connection: what the relay may swallow beyond a direct connection, and where a test stops filling
// an engine that takes everything.
const (
	stuckMargin = 6 << 20
	stuckCap    = 64 << 20
	stuckFor    = 3 * time.Second // no byte moves for so long: stuck
)

// TestStuckPageHoldsBackTheServer: a server that sends faster than the page reads is slowed down, as it is directly.
func TestStuckPageHoldsBackTheServer(t *testing.T) {
	inBoth(t, func(t *testing.T, e engine) {
		taken := map[string]int{}
		for _, w := range []string{"direct", "relayed"} {
			t.Run(w, func(t *testing.T) {
				r, h := newReporter(t), newHome(t)
				result := make(chan int, 1)
				server := wstest.ServeRaw(t, nil, func(c *wstest.Conn) {
					io.WriteString(c, c.Switch())
					if _, err := wstest.ReadFrame(c.Reader); err != nil {
						return
					}
					result <- flood(c)
				})
				// The page asks for this and can do nothing else until it is answered.
				hold := make(chan struct{})
				held := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hold })
				holder := httptest.NewServer(held)
				release := sync.OnceFunc(func() { close(hold) })
				t.Cleanup(holder.Close)
				t.Cleanup(release)
				dir := r.game(t, `"network": {"allowedHosts": ALLOWED, "proxy": {"/hold/": "`+holder.URL+`"}}`,
					[]string{server.Addr, strings.TrimPrefix(holder.URL, "http://")}, map[string]string{"index.html": page(`
const ws = new WebSocket('ws://` + server.Addr + `/')
ws.onopen = () => {
  ws.send('I am busy')
  const held = new XMLHttpRequest()
  held.open('GET', '/hold/', false)
  held.send()
}`)})
				if w == "direct" {
					openDirectly(t, e, h, dir, map[string]http.Handler{"/hold/": held})
				} else {
					e.open(t, h, dir)
				}
				select {
				case taken[w] = <-result:
				case <-time.After(patience):
					t.Fatal("the server never got stuck")
				}
				release()
			})
		}
		checkStuck(t, taken)
	})
}

// flood writes frames until nothing moves any more and answers how many bytes went.
func flood(c net.Conn) int {
	data := []byte(wireFrame(0x82, strings.Repeat("f", 64<<10)))
	total := 0
	for total < stuckCap {
		c.SetWriteDeadline(time.Now().Add(stuckFor))
		n, err := c.Write(data)
		total += n
		if err != nil {
			break
		}
	}
	return total
}

// TestStuckServerHoldsBackThePage: bufferedAmount stays true to a server that does not read.
func TestStuckServerHoldsBackThePage(t *testing.T) {
	inBoth(t, func(t *testing.T, e engine) {
		taken := map[string]int{}
		for _, w := range bothWays {
			t.Run(w.name, func(t *testing.T) {
				r, h := newReporter(t), newHome(t)
				server := wstest.ServeRaw(t, nil, func(c *wstest.Conn) {
					io.WriteString(c, c.Switch())
					<-c.Done
				})
				dir := r.game(t, ``, []string{server.Addr}, map[string]string{"index.html": page(`
const ws = new WebSocket('ws://` + server.Addr + `/')
const chunk = new Uint8Array(65536)
ws.onopen = () => {
  for (let i = 0; i < ` + strconv.Itoa(stuckCap>>16) + `; i++) ws.send(chunk)
  const all = ws.bufferedAmount
  let last = all, since = 0
  const watch = setInterval(() => {
    if (ws.bufferedAmount === all) return // not begun
    if (ws.bufferedAmount !== last) { last = ws.bufferedAmount; since = performance.now(); return }
    if (performance.now() - since < ` + strconv.Itoa(int(stuckFor.Milliseconds())) + `) return
    clearInterval(watch)
    report('left', ws.bufferedAmount)
  }, 100)
}`)})
				w.open(t, e, h, dir)
				var left int
				if err := json.Unmarshal(r.wait("left"), &left); err != nil {
					t.Fatal(err)
				}
				taken[w.name] = stuckCap - left
			})
		}
		checkStuck(t, taken)
	})
}

func checkStuck(t *testing.T, taken map[string]int) {
	t.Helper()
	t.Logf("taken before it was stuck: direct %d KiB, relayed %d KiB", taken["direct"]>>10, taken["relayed"]>>10)
	if taken["relayed"] > taken["direct"]+stuckMargin {
		t.Errorf("relayed took %d KiB, direct %d KiB: want at most %d KiB more", taken["relayed"]>>10, taken["direct"]>>10, stuckMargin>>10)
	}
}

// TestEightSocketsOpenInParallel: a server that answers no handshake before all eight have asked. One handshake at a
// time, or six, would wait for ever.
func TestEightSocketsOpenInParallel(t *testing.T) {
	inBoth(t, func(t *testing.T, e engine) {
		r, h := newReporter(t), newHome(t)
		var all sync.WaitGroup
		all.Add(8)
		server := wstest.ServeRaw(t, nil, func(c *wstest.Conn) {
			all.Done()
			all.Wait()
			io.WriteString(c, c.Switch())
			io.Copy(io.Discard, c.Reader)
		})
		// A list of servers usually has dead ones in it: these never answer and hold up nobody.
		dead := wstest.ServeRaw(t, nil, wstest.Silent)
		dir := r.game(t, ``, []string{server.Addr, dead.Addr}, map[string]string{"index.html": page(`
const list = []
for (let i = 0; i < 3; i++) list.push(new WebSocket('ws://` + dead.Addr + `/' + i))
let open = 0
for (let i = 0; i < 8; i++) {
  const sock = net.connect('ws://` + server.Addr + `/' + i)
  list.push(sock)
  sock.onOpen = () => { if (++open === 8) report('open', open) }
  sock.onError = m => report('pageerror', m)
}`)})
		e.open(t, h, dir)
		if got := string(r.wait("open")); got != "8" {
			t.Errorf("%s sockets open, want 8", got)
		}
	})
}
