//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// startPage says by a request of its own when the engine asked for it and when its first script ran. Both are the
// engine's clock in milliseconds since 1970, which is the machine's: the way the request takes does not count.
const startPage = `<!doctype html><html><head><meta charset="utf-8"><title>start</title><script>
const script = Date.now(), n = performance.getEntriesByType('navigation')[0]
new Image().src = '/probe/first.png?script=' + script + '&request=' + (performance.timeOrigin + (n ? n.requestStart : NaN))
</script></head><body>start</body></html>`

// probe is the plain server of the start page; the game reaches its /probe/ through network.proxy.
type probe struct {
	port int
	ch   chan [2]float64 // request, script
}

func newProbe(b *testing.B) *probe {
	b.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	p := &probe{port: ln.Addr().(*net.TCPAddr).Port, ch: make(chan [2]float64, 16)}
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "no-store") // as documents of a game
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, startPage)
	})
	mux.HandleFunc("/probe/first.png", func(w http.ResponseWriter, q *http.Request) {
		request, err1 := strconv.ParseFloat(q.FormValue("request"), 64)
		script, err2 := strconv.ParseFloat(q.FormValue("script"), 64)
		if errors.Join(err1, err2) == nil {
			p.ch <- [2]float64{request, script}
		}
		w.WriteHeader(http.StatusNoContent)
	})
	srv := &http.Server{Handler: mux}
	go srv.Serve(ln)
	b.Cleanup(func() { srv.Close() })
	return p
}

// host is the name under which pages reach the server.
func (p *probe) host() string { return fmt.Sprintf("127.0.0.1:%d", p.port) }

// measure starts a program and answers the milliseconds until its page was asked for and until its first script.
func (p *probe) measure(b *testing.B, h home, command []string) (request, script float64) {
	b.Helper()
	began := time.Now()
	program := start(b, h.env(), nil, command[0], command[1:]...)
	defer end(b, program)
	select {
	case at := <-p.ch:
		zero := float64(began.UnixMicro()) / 1000
		return at[0] - zero, at[1] - zero
	case <-program.done:
		b.Fatalf("%s ended: %s", command[0], program.output())
	case <-time.After(patience):
		b.Fatalf("%s showed no page: %s", command[0], program.output())
	}
	return 0, 0
}

// bareWindow is the program of ./barewindow, built beside the others.
func bareWindow(b *testing.B) string {
	b.Helper()
	dir := filepath.Dir(conchBin)
	path := filepath.Join(dir, "barewindow")
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path
	}
	if out, err := exec.Command("make", "-C", "..", "barewindow", "BIN="+dir).CombinedOutput(); err != nil {
		b.Fatalf("make barewindow: %v\n%s", err, out)
	}
	return path
}

// BenchmarkStart is the time from the start of a process to its page, with the profile of an earlier start and with
// none.
func BenchmarkStart(b *testing.B) {
	p, r := newProbe(b), newReporter(b)
	game := r.game(b, `"window": {"title": "start"}, "network": {"allowedHosts": ALLOWED, "proxy": {"/probe/": "http://`+p.host()+`"}}`,
		[]string{p.host()}, map[string]string{"index.html": startPage})
	page := "http://" + p.host() + "/"
	programs := map[string][]string{
		"conch play":  {conchBin, "play", game},
		"bare Wails":  {bareWindow(b), page},
		"MiniBrowser": {miniBrowser, page},
	}
	variants := []string{"conch play, known profile", "bare Wails, known profile", "MiniBrowser, known profile",
		"conch play, new profile", "bare Wails, new profile", "MiniBrowser, new profile"}
	homes, got := map[string]home{}, series{}
	load := rounds(b, variants, func(variant string, measured bool) {
		program, profile, _ := strings.Cut(variant, ", ")
		if _, known := homes[variant]; !known || profile == "new profile" {
			homes[variant] = newHome(b)
		}
		request, script := p.measure(b, homes[variant], programs[program])
		if measured {
			got.add(variant, "request", request)
			got.add(variant, "script", script)
		}
	})
	t := ratioTable{title: "Start", note: "Time from the start of the process, beside the bare Wails window with the same profile. " + load}
	t.row("program", "page asked for", "first script", "first script should be", "")
	for _, v := range variants {
		program, profile, _ := strings.Cut(v, ", ")
		cells := []string{v}
		for _, metric := range []string{"request", "script"} {
			cells = append(cells, fmt.Sprintf("**%.2f** (%.0f ms)", got.ratio(v, "bare Wails, "+profile, metric), got.median(v, metric)))
		}
		var bound budget
		if program == "conch play" {
			bound.most = 1.1
		}
		t.row(append(cells, bound.cells(got.ratio(v, "bare Wails, "+profile, "script"))...)...)
	}
	t.print()
}
