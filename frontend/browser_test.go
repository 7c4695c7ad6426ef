//go:build e2e && linux

package frontend_test

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"conch/frontend"
)

// result is what testdata/smoke.js says about one check.
type result struct{ Name, Problem string }

// TestBrowsers runs testdata/smoke.html in both engines, with a server and a relay of its own.
func TestBrowsers(t *testing.T) {
	engines := []struct {
		name string
		open func(t *testing.T, dir, address string) *exec.Cmd
	}{
		{"chromium", chromium},
		{"webkitgtk", miniBrowser},
	}
	for _, engine := range engines {
		t.Run(engine.name, func(t *testing.T) {
			done := make(chan []result, 1)
			site := newSite(t, done)
			start(t, engine.open(t, t.TempDir(), site+"/smoke.html"))
			select {
			case results := <-done:
				report(t, results)
			case <-time.After(3 * time.Minute):
				t.Fatal("the page did not report")
			}
		})
	}
}

func report(t *testing.T, results []result) {
	t.Helper()
	if len(results) < 20 {
		t.Errorf("%d checks ran, want them all", len(results))
	}
	for _, r := range results {
		t.Run(r.Name, func(t *testing.T) {
			if r.Problem != "" {
				t.Error(r.Problem)
			}
		})
	}
}

func chromium(_ *testing.T, dir, address string) *exec.Cmd {
	return exec.Command("/usr/bin/chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
		"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--user-data-dir="+dir, address)
}

func miniBrowser(t *testing.T, dir, address string) *exec.Cmd {
	display := virtualDisplay(t)
	c := exec.Command("dbus-run-session", "--", "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser", address)
	c.Env = append(os.Environ(), "DISPLAY="+display, "HOME="+dir, "XDG_RUNTIME_DIR="+dir, "GDK_BACKEND=x11",
		"WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS=1", "LIBGL_ALWAYS_SOFTWARE=1")
	return c
}

// virtualDisplay starts an X server that picks a free display number itself.
func virtualDisplay(t *testing.T) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1280x800x24", "-nolisten", "tcp")
	c.ExtraFiles = []*os.File{w}
	start(t, c)
	w.Close()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb gave no display: %v", err)
	}
	return ":" + strings.TrimSpace(line)
}

// start runs c until the test ends, with everything that it starts itself.
func start(t *testing.T, c *exec.Cmd) {
	t.Helper()
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.WaitDelay = 5 * time.Second
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		c.Wait()
		if t.Failed() {
			t.Logf("%s: %s", filepath.Base(c.Path), out.String())
		}
	})
}

// newSite serves the page, the page script in front of pages and workers, and what the script asks the launcher.
func newSite(t *testing.T, done chan<- []result) string {
	t.Helper()
	ports := []int{newRelay(t), newRelay(t), newRelay(t)}
	site := httptest.NewUnstartedServer(nil)
	origin := "http://" + site.Listener.Addr().String()
	script := pageScript(t, origin, ports)
	connect := "connect-src 'self' data: blob:"
	for _, port := range ports {
		connect += fmt.Sprintf(" ws://127.0.0.1:%d", port)
	}

	mux := http.NewServeMux()
	text := func(path, contentType string, body func(r *http.Request) []byte) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Content-Security-Policy", connect)
			w.Write(body(r))
		})
	}
	text("/smoke.html", "text/html", func(*http.Request) []byte { return read(t, "smoke.html") })
	text("/smoke.js", "text/javascript", func(*http.Request) []byte { return read(t, "smoke.js") })
	text("/__conch/page.js", "text/javascript", func(*http.Request) []byte { return script })
	text("/plain.html", "text/html", func(*http.Request) []byte { return []byte(page("")) })
	text("/own-net.html", "text/html", func(r *http.Request) []byte { return []byte(page(ownNet[r.URL.RawQuery])) })
	text("/worker.js", "text/javascript", func(*http.Request) []byte {
		_, probe, _ := strings.Cut(string(read(t, "smoke.js")), "const PROBE = `")
		probe, _, _ = strings.Cut(probe, "`")
		return append(append([]byte{}, script...), probe...)
	})
	text("/sloppy.js", "text/javascript", func(*http.Request) []byte {
		return append(append([]byte{}, script...), "postMessage((function () { return typeof this })())"...)
	})
	mux.HandleFunc("/__conch/net/reason", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"message":"refused by the test"}`)
	})

	var mu sync.Mutex // guards the fields below
	saved := []byte("null")
	mux.HandleFunc("/__conch/storage", func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		saved = body
	})
	mux.HandleFunc("/copy", func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		w.Write(saved)
	})
	mux.HandleFunc("/done", func(_ http.ResponseWriter, r *http.Request) {
		var results []result
		if err := json.NewDecoder(r.Body).Decode(&results); err != nil {
			results = []result{{"report", err.Error()}}
		}
		select {
		case done <- results:
		default:
		}
	})
	site.Config.Handler = mux
	site.Start()
	t.Cleanup(site.Close)
	return origin
}

// ownNet are games that declare names of the page script for themselves.
var ownNet = map[string]string{
	"let":       "let net = 'mine'; used = net",
	"const":     "const net = 'mine'; used = net",
	"var":       "var net = 'mine'; used = net",
	"function":  "function net() { return 'mine' } used = net()",
	"class":     "class net {} used = net.name && 'mine'",
	"let-conch": "let conch = 'mine'; used = conch",
}

func page(script string) string {
	return `<!doctype html><script src="/__conch/page.js"></script><script>var used;` + script + `;var loaded = true</script>`
}

func pageScript(t *testing.T, origin string, ports []int) []byte {
	t.Helper()
	config, err := json.Marshal(map[string]any{
		"relayPorts": ports, "available": true, "context": "standalone", "allowedHosts": []string{"play.example.net"},
		"allowAnyHost": false, "debug": false, "ownOrigin": origin, "proxyPrefixes": []string{},
		"restore": map[string]string{"restored": "from the launcher"}, "shadow": true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Replace(frontend.PageScript, []byte(frontend.Token), config, 1)
}

func read(t *testing.T, name string) []byte {
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Error(err)
	}
	return b
}

// newRelay answers as the relay does: an echo for play.example.net, 502 for the rest and for /refuse.
func newRelay(t *testing.T) int {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		far, err := url.Parse(r.URL.Query().Get("u"))
		if err != nil || far.Host != "play.example.net" || far.Path == "/refuse" || r.URL.Query().Get("id") == "" {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		c, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		echo(rw.Reader, c, r.Header)
	}))
	t.Cleanup(s.CloseClientConnections)
	t.Cleanup(s.Close)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	n, _ := strconv.Atoi(port)
	return n
}

// echo accepts the handshake and sends every frame back, the close frame as the last. Frames are short here.
func echo(in *bufio.Reader, out io.Writer, h http.Header) {
	sum := sha1.Sum([]byte(h.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	head := "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
		base64.StdEncoding.EncodeToString(sum[:]) + "\r\n"
	if offered, _, _ := strings.Cut(h.Get("Sec-WebSocket-Protocol"), ","); offered != "" {
		head += "Sec-WebSocket-Protocol: " + offered + "\r\n"
	}
	io.WriteString(out, head+"\r\n")
	for {
		var start struct{ Op, Length uint8 }
		var mask [4]byte
		if binary.Read(in, binary.BigEndian, &start) != nil || start.Length < 0x80 || start.Length > 0x80+125 {
			return
		}
		if _, err := io.ReadFull(in, mask[:]); err != nil {
			return
		}
		frame := make([]byte, start.Length-0x80)
		if _, err := io.ReadFull(in, frame); err != nil {
			return
		}
		for i := range frame {
			frame[i] ^= mask[i%4]
		}
		out.Write(append([]byte{start.Op, uint8(len(frame))}, frame...))
		if start.Op&0xf == 8 {
			return
		}
	}
}
