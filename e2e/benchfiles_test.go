//go:build e2e

package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// nginxConfig is nginx as people run it for files: sendfile, kept connections, no log.
const nginxConfig = `daemon off;
USER
worker_processes auto;
pid DIR/pid;
error_log stderr crit;
events { worker_connections 256; }
http {
	access_log off;
	sendfile on;
	tcp_nopush on;
	keepalive_requests 100000000;
	default_type application/octet-stream;
	client_body_temp_path DIR/body; proxy_temp_path DIR/proxy; fastcgi_temp_path DIR/fastcgi;
	uwsgi_temp_path DIR/uwsgi; scgi_temp_path DIR/scgi;
	server { listen 127.0.0.1:PORT; root ROOT; }
}
`

// startNginx serves root.
func startNginx(b *testing.B, root string) fileServer {
	b.Helper()
	dir, port := b.TempDir(), freePort(b)
	user := ""
	if os.Getuid() == 0 {
		user = "user root;" // else its workers may not read the test's folders
	}
	config := replaceAll(nginxConfig, "USER", user, "DIR", dir, "PORT", fmt.Sprint(port), "ROOT", root)
	path := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		b.Fatal(err)
	}
	p := start(b, os.Environ(), nil, "nginx", "-e", "stderr", "-p", dir, "-c", path)
	address := fmt.Sprintf("127.0.0.1:%d", port)
	waitListening(b, p, address)
	return fileServer{"http://" + address, p}
}

// launchCookie opens the one-time address and answers the cookie that it gives.
func launchCookie(b *testing.B, s *served) string {
	b.Helper()
	res, err := http.Get(s.URL)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	cookie, _, _ := strings.Cut(res.Header.Get("Set-Cookie"), ";")
	if cookie == "" {
		b.Fatalf("no cookie from the entry address: %s", res.Status)
	}
	return cookie
}

// wrkScript sends the cookie, to both servers alike, and prints what the test reads.
const wrkScript = `wrk.headers["Cookie"] = "COOKIE"
function done(s)
  local e = s.errors
  io.write(string.format("RESULT %d %d %d %d\n", s.requests, s.duration, s.bytes, e.connect + e.read + e.write + e.status + e.timeout))
end
`

// fileServer is one of the two that are compared.
type fileServer struct {
	url string
	*process
}

// load is one kind of request.
type load struct {
	file, what, unit string
	size             int
	conns            int
	bound            budget
}

// run is what wrk gets from s in two seconds, a second: requests, or MB of large files. cpu is the server's CPU time for
// one of them in microseconds.
func (l load) run(b *testing.B, script string, s fileServer) (rate, cpu float64) {
	b.Helper()
	before := groupCPU(s.cmd.Process.Pid)
	out, err := exec.Command("wrk", "-t1", fmt.Sprintf("-c%d", l.conns), "-d2s", "-s", script, s.url+"/"+l.file).CombinedOutput()
	cpu = (groupCPU(s.cmd.Process.Pid) - before) * 1e6
	if err != nil {
		b.Fatalf("wrk: %v\n%s", err, out)
	}
	var requests, micros, bytes, failed float64
	_, result, _ := strings.Cut(string(out), "RESULT")
	if _, err := fmt.Sscan(result, &requests, &micros, &bytes, &failed); err != nil || failed > 0 || bytes == 0 {
		b.Fatalf("wrk: %v, %.0f errors\n%s", err, failed, out)
	}
	if l.unit == "MB/s" {
		return bytes / micros, cpu / (bytes / 1e6)
	}
	return requests / micros * 1e6, cpu / requests
}

// BenchmarkFiles sets the game's server beside nginx.
func BenchmarkFiles(b *testing.B) {
	loads := []load{
		{"small.bin", "4 KiB files, 16 connections", "requests/s", 4 << 10, 16, budget{least: 0.5}},
		{"large.bin", "100 MB file, 2 connections", "MB/s", 100e6, 2, budget{least: 0.8}},
	}
	game := map[string]string{"index.html": page("")}
	dir := newReporter(b).game(b, "", nil, game)
	noise := rand.NewChaCha8([32]byte{})
	for _, l := range loads {
		content := make([]byte, l.size)
		noise.Read(content)
		path := filepath.Join(dir, l.file)
		if err := os.WriteFile(path, content, 0o644); err != nil {
			b.Fatal(err)
		}
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(path, old, old); err != nil {
			b.Fatal(err)
		}
	}
	s := serve(b, newHome(b), dir)
	script := filepath.Join(b.TempDir(), "cookie.lua")
	if err := os.WriteFile(script, []byte(replaceAll(wrkScript, "COOKIE", launchCookie(b, s))), 0o600); err != nil {
		b.Fatal(err)
	}
	servers := map[string]fileServer{"nginx": startNginx(b, dir), "conch-host serve": {s.Origin, s.process}}
	got := series{}
	note := rounds(b, []string{"nginx", "conch-host serve"}, func(variant string, measured bool) {
		for _, l := range loads {
			if rate, cpu := l.run(b, script, servers[variant]); measured {
				got.add(variant, l.file, rate)
				got.add(variant, l.file+" cpu", cpu)
			}
		}
	})
	t := ratioTable{title: "Files", note: "wrk on loopback with one thread, the launch cookie sent to both. " + note}
	t.row("what", "nginx", "conch-host serve", "ratio should be", "", "CPU time nginx", "CPU time conch-host")
	for _, l := range loads {
		ratio := got.ratio("conch-host serve", "nginx", l.file)
		per := map[string]string{"requests/s": "request", "MB/s": "MB"}[l.unit]
		cells := append([]string{l.what, fmt.Sprintf("%.0f %s", got.median("nginx", l.file), l.unit),
			fmt.Sprintf("**%.2f** (%.0f %s)", ratio, got.median("conch-host serve", l.file), l.unit)}, l.bound.cells(ratio)...)
		t.row(append(cells, fmt.Sprintf("%.0f µs a %s", got.median("nginx", l.file+" cpu"), per), fmt.Sprintf("**%.2f** (%.0f µs a %s)",
			got.ratio("conch-host serve", "nginx", l.file+" cpu"), got.median("conch-host serve", l.file+" cpu"), per))...)
	}
	t.print()
}
