package netsock

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"conch/internal/wstest"

	"github.com/gorilla/websocket"
)

// The benchmark runs server, relay and client as three processes, as they are
// in life, and prints one table: every path does the same work in turn, three
// rounds, the best of each cell. Figures of different runs do not compare;
// the ratios to "direct" of the same run do.

const benchBuffer = 64 << 10

type benchPath struct {
	name   string
	secure bool
	relay  string // role of the process in between: "", "relay" or "gorilla"
}

var benchPaths = []benchPath{
	{"direct", false, ""},
	{"relay", false, "relay"},
	{"gorilla", false, "gorilla"},
	{"tls direct", true, ""},
	{"tls relay", true, "relay"},
	{"tls gorilla", true, "gorilla"},
}

// benchJob sends count messages of size and counts the echoes, with at most
// window on the way. A window of 1 measures the round trip.
type benchJob struct {
	name                string
	size, count, window int
}

var benchJobs = []benchJob{
	{"64 B p50 us", 64, 3000, 1},
	{"64 B kmsg/s", 64, 25000, 256},
	{"64 KiB MB/s", 64 << 10, 2000, 32},
	{"1 MiB MB/s", 1 << 20, 150, 4},
	{"64 MiB MB/s", 64 << 20, 2, 1},
}

func BenchmarkRelay(b *testing.B) {
	for b.Loop() {
		benchTable(b)
	}
}

func benchTable(b *testing.B) {
	best := map[string][]float64{}
	memory, cpu := map[string]int{}, map[string]float64{}
	for range 3 {
		for _, p := range benchPaths {
			row, rss, seconds := benchRun(b, p)
			memory[p.name] = max(memory[p.name], rss)
			if cpu[p.name] == 0 || seconds < cpu[p.name] {
				cpu[p.name] = seconds
			}
			for i, v := range row {
				switch {
				case len(best[p.name]) <= i:
					best[p.name] = append(best[p.name], v)
				case i == 0:
					best[p.name][i] = min(best[p.name][i], v)
				default:
					best[p.name][i] = max(best[p.name][i], v)
				}
			}
		}
	}
	fmt.Print(benchMarkdown(best, memory, cpu))
	for i, unit := range []string{"p50x", "smallx", "64KiBx", "1MiBx", "64MiBx"} {
		b.ReportMetric(best["relay"][i]/best["direct"][i], unit)
		b.ReportMetric(best["tls relay"][i]/best["tls gorilla"][i], "tls-"+unit+"-gorilla")
	}
	b.ReportMetric(float64(memory["relay"]>>10), "RSS-MB")
}

// benchBudget is what the relay is held to, per job: at most for the round
// trip, at least for the rates, beside direct or, over TLS, beside gorilla.
// 0 holds it to nothing.
type benchBudget struct {
	path, base string
	bounds     [5]float64
}

var benchBudgets = []benchBudget{
	{"relay", "direct", [5]float64{3, 0.85, 0.5, 0.5, 0}},
	{"tls relay", "tls gorilla", [5]float64{0, 0, 1, 1, 0}},
}

// benchMarkdown is the table as docs/performance.md holds it, ratios first.
func benchMarkdown(best map[string][]float64, memory map[string]int, cpu map[string]float64) string {
	var out strings.Builder
	row := func(cells ...string) { fmt.Fprintf(&out, "| %s |\n", strings.Join(cells, " | ")) }
	fmt.Fprint(&out, "\n### Relay, client in Go\n\n",
		"> Server, relay and client are three processes. Best of 3 rounds, ratio to direct.\n\n")
	head := []string{"path"}
	for _, j := range benchJobs {
		head = append(head, j.name)
	}
	row(append(head, "peak memory in between", "its CPU time")...)
	fmt.Fprintf(&out, "|%s\n", strings.Repeat("---|", len(head)+2))
	for _, p := range benchPaths {
		base := best["direct"]
		if p.secure {
			base = best["tls direct"]
		}
		cells := []string{p.name}
		for i, v := range best[p.name] {
			cells = append(cells, fmt.Sprintf("**%.2f** (%.*f)", v/base[i], map[bool]int{true: 1}[v < 100], v))
		}
		if p.relay == "" {
			row(append(cells, "", "")...)
			continue
		}
		row(append(cells, fmt.Sprintf("%d MB", memory[p.name]>>10), fmt.Sprintf("%.1f s", cpu[p.name]))...)
	}
	for _, u := range benchBudgets {
		cells := []string{u.path + " to " + u.base + " should be"}
		for i, bound := range u.bounds {
			cells = append(cells, benchVerdict(i, best[u.path][i]/best[u.base][i], bound))
		}
		row(append(cells, "", "")...)
	}
	fmt.Fprintln(&out)
	return out.String()
}

// benchVerdict judges a ratio. The first job is a time, the others are rates.
func benchVerdict(job int, ratio, bound float64) string {
	word, met := "at least", ratio >= bound
	if job == 0 {
		word, met = "at most", ratio <= bound
	}
	switch {
	case bound == 0:
		return ""
	case met:
		return fmt.Sprintf("%s %.2f: met", word, bound)
	}
	return fmt.Sprintf("%s %.2f: **not met** (%.2f)", word, bound, ratio)
}

// benchRun does all jobs over one path with fresh processes and returns a
// figure per job, and the peak RSS in KiB and the CPU seconds of the process
// between.
func benchRun(b *testing.B, p benchPath) (row []float64, rss int, cpu float64) {
	role := "echo"
	if p.secure {
		role = "echo-tls"
	}
	var addr, ca string
	var end func()
	addr, ca, _, end = startRole(b, role, "")
	defer end()
	scheme := map[bool]string{false: "ws", true: "wss"}[p.secure]
	target := scheme + "://" + addr + "/echo"
	d := &websocket.Dialer{ReadBufferSize: benchBuffer, WriteBufferSize: benchBuffer,
		TLSClientConfig: &tls.Config{RootCAs: poolOf(ca)}}
	pid := 0
	open := func() *websocket.Conn {
		c, _, err := d.Dial(target, nil)
		if err != nil {
			b.Fatal(err)
		}
		return c
	}
	switch p.relay {
	case "relay":
		var port string
		port, _, pid, end = startRole(b, "relay", ca)
		defer end()
		n, err := strconv.Atoi(port)
		if err != nil {
			b.Fatal(err)
		}
		page := wstest.Page{Port: n, Origin: testOrigin, Cookie: testCookie}
		open = func() *websocket.Conn {
			c, _, _, err := page.Dial(target, d)
			if err != nil {
				b.Fatal(err)
			}
			return c
		}
	case "gorilla":
		var between string
		between, _, pid, end = startRole(b, "gorilla", ca)
		defer end()
		target = "ws://" + between + "/?u=" + url.QueryEscape(target)
	}
	c := open()
	defer c.Close()
	for _, j := range benchJobs {
		row = append(row, benchOne(b, c, j))
	}
	return row, peakRSS(pid), cpuSeconds(pid)
}

func benchOne(b *testing.B, c *websocket.Conn, j benchJob) float64 {
	data := make([]byte, j.size)
	buf := make([]byte, benchBuffer)
	read := func() {
		_, r, err := c.NextReader()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, r, buf); err != nil {
			b.Fatal(err)
		}
	}
	if j.window == 1 && j.size < 1<<20 {
		times := make([]time.Duration, j.count)
		for i := range times {
			t := time.Now()
			c.WriteMessage(websocket.BinaryMessage, data)
			read()
			times[i] = time.Since(t)
		}
		slices.Sort(times)
		return float64(times[len(times)/2].Nanoseconds()) / 1000
	}
	slots := make(chan struct{}, j.window)
	done := make(chan struct{})
	t := time.Now()
	go func() {
		defer close(done)
		for range j.count {
			slots <- struct{}{}
			c.WriteMessage(websocket.BinaryMessage, data)
		}
	}()
	for range j.count {
		read()
		<-slots
	}
	<-done
	seconds := time.Since(t).Seconds()
	if j.size < 1<<10 {
		return float64(j.count) / seconds / 1000
	}
	return float64(j.count) * float64(j.size) / seconds / 1e6
}

// startRole runs this test binary as another process and returns what it
// says: an address and, for echo-tls, its authority.
func startRole(b *testing.B, role, ca string) (addr, caPEM string, pid int, end func()) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestBenchRole$")
	cmd.Env = append(os.Environ(), "NETSOCK_BENCH_ROLE="+role, "NETSOCK_BENCH_CA="+ca)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	addr, caPEM, _ = strings.Cut(strings.TrimSpace(line), " ")
	return addr, caPEM, cmd.Process.Pid, func() { in.Close(); cmd.Wait() }
}

// TestBenchRole is a process of the benchmark, not a test: it does nothing
// unless startRole started it, and ends with its standard input.
func TestBenchRole(t *testing.T) {
	ca := os.Getenv("NETSOCK_BENCH_CA")
	o := wstest.Options{BufferSize: benchBuffer}
	switch os.Getenv("NETSOCK_BENCH_ROLE") {
	case "":
		return
	case "echo":
		fmt.Println(wstest.Serve(t, o).Addr)
	case "echo-tls":
		authority := wstest.NewCA(t)
		cert := authority.Cert("127.0.0.1")
		o.Cert = &cert
		fmt.Println(wstest.Serve(t, o).Addr, base64.StdEncoding.EncodeToString(authority.PEM()))
	case "relay":
		r, _ := start(t, func(r *Relay) { r.RootCAs = poolOf(ca) })
		fmt.Println(r.PortNumbers()[0])
	case "gorilla":
		fmt.Println(serveGorilla(t, poolOf(ca)))
	}
	io.Copy(io.Discard, os.Stdin)
}

// serveGorilla is the relay one would write with gorilla, at its best: messages
// are passed on while they arrive. Whole messages (ReadMessage) are slower and
// cost hundreds of MB.
func serveGorilla(t *testing.T, pool *x509.CertPool) string {
	up := websocket.Upgrader{ReadBufferSize: benchBuffer, WriteBufferSize: benchBuffer,
		CheckOrigin: func(*http.Request) bool { return true }}
	d := websocket.Dialer{ReadBufferSize: benchBuffer, WriteBufferSize: benchBuffer, TLSClientConfig: &tls.Config{RootCAs: pool}}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		far, _, err := d.Dial(q.URL.Query().Get("u"), nil)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer far.Close()
		page, err := up.Upgrade(w, q, nil)
		if err != nil {
			return
		}
		defer page.Close()
		done := make(chan struct{})
		go func() { defer close(done); passMessages(far, page); far.Close() }()
		passMessages(page, far)
		page.Close()
		<-done
	}))
	t.Cleanup(srv.Close)
	return srv.Listener.Addr().String()
}

func passMessages(dst, src *websocket.Conn) {
	buf := make([]byte, benchBuffer)
	for {
		kind, r, err := src.NextReader()
		if err != nil {
			return
		}
		w, err := dst.NextWriter(kind)
		if err != nil {
			return
		}
		if _, err := io.CopyBuffer(w, struct{ io.Reader }{r}, buf); err != nil || w.Close() != nil {
			return
		}
	}
}

func poolOf(ca string) *x509.CertPool {
	pool := x509.NewCertPool()
	if pem, err := base64.StdEncoding.DecodeString(ca); err == nil {
		pool.AppendCertsFromPEM(pem)
	}
	return pool
}

// peakRSS is a process's highest resident size in KiB, 0 where unknown.
func peakRSS(pid int) int {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	for l := range strings.Lines(string(status)) {
		if v, ok := strings.CutPrefix(l, "VmHWM:"); ok {
			n, _ := strconv.Atoi(strings.Fields(v)[0])
			return n
		}
	}
	return 0
}

// cpuSeconds is the CPU time a process has used, 0 where unknown. Unlike the
// clock it means the same on a busy machine.
func cpuSeconds(pid int) float64 {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	f := strings.Fields(rest)
	if len(f) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return float64(user+system) / 100 // USER_HZ
}
