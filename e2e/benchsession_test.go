//go:build e2e

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"conch/session/wire"
)

// fanoutBytes is the length of a message: its time in hexadecimal and filling, all letters, so that servers that pass
// on text need not escape it.
const fanoutBytes = 128

// fanoutWarmup and fanoutTime are what a turn takes.
const (
	fanoutWarmup = time.Second
	fanoutTime   = 4 * time.Second
)

// fanoutServer passes every message of a peer on to all others, in a protocol of its own.
type fanoutServer struct {
	name  string
	start func(b *testing.B, peers int) (p *process, host string)
	join  func(host string) (*websocket.Conn, error)
	// pack makes a message of a payload.
	pack func(payload []byte) (kind int, message []byte)
	// take gives each payload of a message to got, and returns what is to be answered, if anything.
	take func(message []byte, got func(payload []byte)) (answer []byte, err error)
}

var fanoutServers = []fanoutServer{
	{name: "Conch", start: startConchHost, join: joinConch, pack: packConch, take: takeConch},
	{name: "ws", start: nodeFanout("fanout-ws.mjs"), join: func(host string) (*websocket.Conn, error) { return dialFanout("ws://"+host+"/", nil) },
		pack: func(p []byte) (int, []byte) { return websocket.BinaryMessage, p },
		take: func(m []byte, got func([]byte)) ([]byte, error) { got(m); return nil, nil }},
	{name: "Socket.IO", start: nodeFanout("fanout-socketio.mjs"), join: joinSocketIO, pack: packSocketIO, take: takeSocketIO},
	{name: "Colyseus", start: nodeFanout("fanout-colyseus.mjs"), join: joinColyseus, pack: packColyseus, take: takeColyseus},
}

func dialFanout(url string, protocols []string) (*websocket.Conn, error) {
	d := websocket.Dialer{Subprotocols: protocols, ReadBufferSize: 64 << 10, HandshakeTimeout: 30 * time.Second}
	for {
		c, res, err := d.Dial(url, nil)
		if err != nil && res != nil && res.StatusCode == http.StatusTooManyRequests {
			time.Sleep(50 * time.Millisecond) // the host takes so many a second
			continue
		}
		return c, err
	}
}

// startPinned starts a server on the first processor; the load comes from the others. It prints one line with its port.
func startPinned(b *testing.B, name string, args ...string) (*process, string) {
	b.Helper()
	read, write := io.Pipe()
	p := start(b, os.Environ(), write, "taskset", append([]string{"-c", "0", name}, args...)...)
	line := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(read).ReadString('\n')
		line <- text
		io.Copy(io.Discard, read)
	}()
	select {
	case text := <-line:
		return p, "127.0.0.1:" + strings.TrimSpace(text[strings.LastIndexAny(text, " :")+1:])
	case <-p.done:
		b.Fatalf("%s ended: %s", name, p.output())
	case <-time.After(patience):
		b.Fatalf("%s does not listen", name)
	}
	return nil, ""
}

func startConchHost(b *testing.B, peers int) (*process, string) {
	count := strconv.Itoa(peers)
	return startPinned(b, hostBin, "host", "--open", "--port", "0", "--peers", count, "--per-address", count)
}

func nodeFanout(file string) func(*testing.B, int) (*process, string) {
	return func(b *testing.B, _ int) (*process, string) { return startPinned(b, "node", "servers/"+file) }
}

// Conch: docs/protocol.md.

const fanoutProject, fanoutCall = "game", "m"

func joinConch(host string) (*websocket.Conn, error) {
	c, err := dialFanout("ws://"+host+wire.Path, []string{wire.Subprotocol})
	if err != nil {
		return nil, err
	}
	hello := wire.Hello{MinVersion: wire.Version, MaxVersion: wire.Version}
	hello.Project = wire.ClientProject(hello.Nonce, fanoutProject)
	auth := wire.Auth{Build: "1", Kind: wire.KindBot}
	for _, f := range []wire.Frame{&hello, &auth} {
		if err := c.WriteMessage(websocket.BinaryMessage, wire.Append(nil, f)); err != nil {
			return nil, err
		}
		_, answer, err := c.ReadMessage()
		if err != nil {
			return nil, err
		}
		raw, _, err := wire.Next(answer)
		if err != nil || raw.Type == wire.TypeReject {
			return nil, fmt.Errorf("refused: %q, %v", answer, err)
		}
	}
	return c, nil
}

func packConch(payload []byte) (int, []byte) {
	return websocket.BinaryMessage, wire.Append(nil, &wire.RPC{Name: fanoutCall, Args: payload})
}

func takeConch(message []byte, got func([]byte)) (answer []byte, err error) {
	for len(message) > 0 {
		raw, rest, err := wire.Next(message)
		if err != nil {
			return nil, err
		}
		message = rest
		switch raw.Type {
		case wire.TypeRelayed, wire.TypePing, wire.TypeBye:
		default:
			continue
		}
		frame, err := raw.Parse()
		if err != nil {
			return nil, err
		}
		switch f := frame.(type) {
		case *wire.Relayed:
			got(f.Args)
		case *wire.Ping:
			answer = wire.Append(answer, &wire.Pong{Seq: f.Seq, T0: f.T0, T1: f.T0, T2: f.T0})
		case *wire.Bye:
			return nil, fmt.Errorf("%s: %s", f.Code, f.Text)
		}
	}
	return answer, nil
}

// Socket.IO: the Engine.IO and Socket.IO protocols, https://socket.io/docs/v4/engine-io-protocol/.

const socketIOStart = `42["m","`

func joinSocketIO(host string) (*websocket.Conn, error) {
	c, err := dialFanout("ws://"+host+"/socket.io/?EIO=4&transport=websocket", nil)
	if err != nil {
		return nil, err
	}
	for _, step := range []struct{ begins, answer string }{{"0{", "40"}, {"40{", ""}} {
		_, m, err := c.ReadMessage()
		if err == nil && !bytes.HasPrefix(m, []byte(step.begins)) {
			err = fmt.Errorf("got %q", m)
		}
		if err == nil && step.answer != "" {
			err = c.WriteMessage(websocket.TextMessage, []byte(step.answer))
		}
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

func packSocketIO(payload []byte) (int, []byte) {
	return websocket.TextMessage, fmt.Appendf(nil, `%s%s"]`, socketIOStart, payload)
}

func takeSocketIO(message []byte, got func([]byte)) (answer []byte, err error) {
	if rest, ok := bytes.CutPrefix(message, []byte(socketIOStart)); ok {
		got(bytes.TrimSuffix(rest, []byte(`"]`)))
		return nil, nil
	}
	if string(message) == "2" {
		return []byte("3"), nil
	}
	return nil, fmt.Errorf("got %q", message)
}

// Colyseus: a seat by POST, then a socket, on which the client answers JOIN_ROOM (10); ROOM_DATA is 13.

var colyseusStart = []byte{13, 0xa1, 'm', 0xd9, fanoutBytes} // "m" and the head of a text, as MessagePack has them

func joinColyseus(host string) (*websocket.Conn, error) {
	res, err := http.Post("http://"+host+"/matchmake/joinOrCreate/fanout", "application/json", strings.NewReader("{}"))
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var seat struct{ SessionID, RoomID, ProcessID string }
	if err := json.NewDecoder(res.Body).Decode(&seat); err != nil || seat.RoomID == "" {
		return nil, fmt.Errorf("no seat: %s, %v", res.Status, err)
	}
	c, err := dialFanout(fmt.Sprintf("ws://%s/%s/%s?sessionId=%s", host, seat.ProcessID, seat.RoomID, seat.SessionID), nil)
	if err != nil {
		return nil, err
	}
	_, m, err := c.ReadMessage()
	if err == nil && (len(m) == 0 || m[0] != 10) {
		err = fmt.Errorf("got %q", m)
	}
	if err == nil {
		err = c.WriteMessage(websocket.BinaryMessage, []byte{10})
	}
	return c, err
}

func packColyseus(payload []byte) (int, []byte) {
	return websocket.BinaryMessage, append(slices.Clone(colyseusStart), payload...)
}

func takeColyseus(message []byte, got func([]byte)) (answer []byte, err error) {
	rest, ok := bytes.CutPrefix(message, colyseusStart)
	if !ok {
		return nil, fmt.Errorf("got %q", message)
	}
	got(rest)
	return nil, nil
}

// fanoutPeer is one connection of the load.
type fanoutPeer struct {
	ws      *websocket.Conn
	writing sync.Mutex
	millis  []float64 // what the messages took that came while it was measured; of the reader until it has ended
	err     error     // why the reader ended
}

// fanoutRun is one turn.
type fanoutRun struct {
	server    fanoutServer
	pause     time.Duration
	measuring atomic.Bool
	ending    chan struct{}
	peers     []*fanoutPeer
	sent      atomic.Int64
}

func (r *fanoutRun) read(p *fanoutPeer) {
	var m bytes.Buffer // one for all messages: the load should not be what is measured
	for {
		m.Reset()
		kind, message, err := p.ws.NextReader()
		if err == nil {
			_, err = m.ReadFrom(message)
		}
		if err != nil {
			p.err = err
			return
		}
		now := time.Now().UnixNano()
		measuring := r.measuring.Load()
		answer, err := r.server.take(m.Bytes(), func(payload []byte) {
			if !measuring {
				return
			}
			sent, err := strconv.ParseInt(string(payload[:16]), 16, 64)
			if err != nil || len(payload) != fanoutBytes {
				panic(fmt.Sprintf("got %q", payload))
			}
			p.millis = append(p.millis, float64(now-sent)/1e6)
		})
		if err == nil && answer != nil {
			p.writing.Lock()
			err = p.ws.WriteMessage(kind, answer)
			p.writing.Unlock()
		}
		if err != nil {
			p.err = err
			return
		}
	}
}

// talk sends at the rate of the run, out of step with the others.
func (r *fanoutRun) talk(p *fanoutPeer) {
	first := time.NewTimer(rand.N(r.pause))
	defer first.Stop()
	tick := first.C
	payload := bytes.Repeat([]byte{'x'}, fanoutBytes)
	for {
		select {
		case <-tick:
		case <-r.ending:
			return
		}
		if tick == first.C {
			ticker := time.NewTicker(r.pause)
			defer ticker.Stop()
			tick = ticker.C
		}
		copy(payload, fmt.Sprintf("%016x", time.Now().UnixNano()))
		kind, m := r.server.pack(payload)
		p.writing.Lock()
		err := p.ws.WriteMessage(kind, m)
		p.writing.Unlock()
		if err != nil {
			return // the reader tells
		}
		if r.measuring.Load() {
			r.sent.Add(1)
		}
	}
}

// fanout lets peers talk through one server and adds what came of it to got.
func fanout(b *testing.B, s fanoutServer, peers int, got series, variant string, measured bool) {
	b.Helper()
	server, host := s.start(b, peers)
	defer end(b, server)
	r := &fanoutRun{server: s, pause: time.Second / 30, ending: make(chan struct{})}
	var reading, talking sync.WaitGroup
	for range peers {
		ws, err := s.join(host)
		if err != nil {
			b.Fatalf("%s: %v", s.name, err)
		}
		p := &fanoutPeer{ws: ws}
		r.peers = append(r.peers, p)
		reading.Go(func() { r.read(p) })
	}
	for _, p := range r.peers {
		talking.Go(func() { r.talk(p) })
	}
	time.Sleep(fanoutWarmup) // the load's time, as the next
	cpu, own, began := groupCPU(server.cmd.Process.Pid), ownCPU(), time.Now()
	r.measuring.Store(true)
	time.Sleep(fanoutTime)
	r.measuring.Store(false)
	cpu, own = groupCPU(server.cmd.Process.Pid)-cpu, ownCPU()-own
	took := time.Since(began)
	memory := groupMemory(server.cmd.Process.Pid)
	close(r.ending)
	talking.Wait()
	for _, p := range r.peers {
		p.ws.Close()
	}
	reading.Wait()
	if !measured {
		return
	}
	var all []float64
	dropped := 0
	for _, p := range r.peers {
		all = append(all, p.millis...)
		if !strings.Contains(p.err.Error(), "use of closed network connection") {
			dropped++
			b.Logf("%s: a peer ended: %v", s.name, p.err)
		}
	}
	if len(all) == 0 {
		b.Fatalf("%s delivered nothing", s.name)
	}
	slices.Sort(all)
	got.add(variant, "deliveries/s", float64(len(all))/took.Seconds())
	got.add(variant, "share", float64(len(all))/float64(r.sent.Load()*int64(peers-1)))
	got.add(variant, "cpu", cpu*1e6/float64(len(all)))
	got.add(variant, "cores", cpu/took.Seconds())
	got.add(variant, "load", own/took.Seconds())
	got.add(variant, "p50", all[len(all)/2])
	got.add(variant, "p99", all[len(all)*99/100])
	got.add(variant, "dropped", float64(dropped))
	got.add(variant, "memory", memory)
}

// ownCPU is the CPU time in seconds that this program has used.
func ownCPU() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// groupMemory is the resident memory of a process group in MB.
func groupMemory(group int) (pages float64) {
	for _, fields := range groupStats(group) {
		v, _ := strconv.ParseFloat(fields[21], 64)
		pages += v
	}
	return pages * float64(os.Getpagesize()) / 1e6
}

// pinLoad keeps this program off the processor of the servers, if there is another.
func pinLoad(b *testing.B) {
	b.Helper()
	all, err := exec.Command("taskset", "-cp", strconv.Itoa(os.Getpid())).Output()
	if err != nil {
		b.Fatalf("taskset: %v", err)
	}
	_, list, _ := strings.Cut(strings.TrimSpace(string(all)), ": ")
	set := func(list string) {
		if out, err := exec.Command("taskset", "-acp", list, strconv.Itoa(os.Getpid())).CombinedOutput(); err != nil {
			b.Fatalf("taskset: %v\n%s", err, out)
		}
	}
	if list == "0" {
		return
	}
	last := list[strings.LastIndexAny(list, "-,")+1:]
	set("1-" + last)
	b.Cleanup(func() { set(list) })
}

// BenchmarkSession sets the session host beside the servers that games use: everybody talks to everybody.
func BenchmarkSession(b *testing.B) {
	if err := installServers(); err != nil {
		b.Fatal(err)
	}
	pinLoad(b)
	got := series{}
	scenarios := []int{32, 64}
	var names []string
	byName := map[string]fanoutServer{}
	for _, s := range fanoutServers {
		names = append(names, s.name)
		byName[s.name] = s
	}
	load := rounds(b, names, func(name string, measured bool) {
		for _, peers := range scenarios {
			fanout(b, byName[name], peers, got, fmt.Sprint(name, peers), measured)
		}
	})
	t := ratioTable{title: "Session", note: "Every peer sends 30 messages of 128 bytes a second and gets those of all others. Server on one processor, load on the others. CPU beside Conch is the median of the rounds' own ratios. " + load}
	t.row("peers", "server", "deliveries/s", "delivered", "CPU a delivery", "CPU beside Conch", "should be", "", "server's core in use", "load's", "p50", "p99", "peers dropped", "memory")
	for _, peers := range scenarios {
		conch := fmt.Sprint("Conch", peers)
		for _, name := range names {
			v := fmt.Sprint(name, peers)
			m := func(metric string) float64 { return got.median(v, metric) }
			var o budget
			if peers == 64 && (name == "Socket.IO" || name == "Colyseus") {
				o.least = 3
			}
			ratio := got.ratio(v, conch, "cpu")
			cells := []string{strconv.Itoa(peers), name, fmt.Sprintf("%.0f", m("deliveries/s")), fmt.Sprintf("%.0f %%", 100*m("share")),
				fmt.Sprintf("%.1f µs", m("cpu")), fmt.Sprintf("**%.2f**", ratio)}
			cells = append(cells, o.cells(ratio)...)
			p99 := fmt.Sprintf("%.1f ms", m("p99"))
			dropped := fmt.Sprintf("%.0f", slices.Max(got[v+"/dropped"]))
			if name == "Conch" && peers == 64 {
				p99 += ", under 50 ms: " + verdict(m("p99") < 50)
				dropped += ", none: " + verdict(dropped == "0")
			}
			t.row(append(cells, fmt.Sprintf("%.0f %%", 100*m("cores")), fmt.Sprintf("%.0f %%", 100*m("load")), fmt.Sprintf("%.1f ms", m("p50")), p99, dropped, fmt.Sprintf("%.0f MB", m("memory")))...)
		}
	}
	t.print()
}
