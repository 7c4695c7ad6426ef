//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"conch/internal/wstest"
)

// A page's own measurements, by name. A stream is echoed, with at most window messages on the way.
const socketPage = `
const open = () => new Promise((ok, no) => {
  const ws = new WebSocket('ws://ECHO/echo')
  ws.binaryType = 'arraybuffer'
  ws.onopen = () => ok(ws)
  ws.onerror = () => no(new Error('socket failed'))
})
const pings = (ws, size, count) => new Promise(done => {
  const data = new Uint8Array(size), times = []
  let t
  const ping = () => { t = performance.now(); ws.send(data) }
  ws.onmessage = () => { times.push((performance.now() - t) * 1000); times.length === count ? done(times.sort((a, b) => a - b)) : ping() }
  ping()
})
const stream = (ws, size, count, window) => new Promise(done => {
  const data = new Uint8Array(size), t = performance.now()
  let sent = 0, got = 0
  const send = () => { if (sent < count) { ws.send(data); sent++ } }
  ws.onmessage = () => { ++got === count ? done(count / (performance.now() - t) * 1000) : send() }
  while (sent < Math.min(window, count)) send()
})
const ws = await open()
await pings(ws, 64, 300)
const times = await pings(ws, 64, 2000)
report('figures', {
  p50: times[1000], p99: times[1980],
  small: await stream(ws, 64, 15000, 256),
  middle: await stream(ws, 65536, 600, 32) * 65536 / 1e6,
  large: await stream(ws, 1048576, 40, 4) * 1048576 / 1e6,
})`

// BenchmarkPageSockets lets one page measure its socket in both engines, through Conch and without.
func BenchmarkPageSockets(b *testing.B) {
	r := newReporter(b)
	echo := wstest.Serve(b, wstest.Options{BufferSize: 64 << 10})
	// An isolated page has a clock of 5 to 20 microseconds instead of 100 to 1000.
	game := r.game(b, `"window": {"title": "sockets"}, "web": {"isolation": "on"}`, []string{echo.Addr},
		map[string]string{"index.html": page(replaceAll(socketPage, "ECHO", echo.Addr))})
	plain := serveIsolated(b, game)
	homes := map[string]home{}
	got := series{}
	variants := []string{"WebKitGTK direct", "WebKitGTK through Conch", "Chromium direct", "Chromium through Conch"}
	load := rounds(b, variants, func(variant string, measured bool) {
		h, known := homes[variant]
		if !known {
			h = newHome(b)
			homes[variant] = h
		}
		var running []*process
		switch variant {
		case "WebKitGTK direct":
			running = []*process{start(b, h.env(), nil, miniBrowser, plain)}
		case "WebKitGTK through Conch":
			running = []*process{start(b, h.env(), nil, conchBin, "play", game)}
		case "Chromium direct":
			running = []*process{chromium(b, h, plain)}
		case "Chromium through Conch":
			s := serve(b, h, game)
			running = []*process{chromium(b, h, s.URL), s.process}
		}
		var figures map[string]float64
		if err := json.Unmarshal(r.wait("figures"), &figures); err != nil {
			b.Fatal(err)
		}
		for _, p := range running {
			end(b, p)
		}
		if !measured {
			return
		}
		for metric, v := range figures {
			got.add(variant, metric, v)
		}
	})
	t := ratioTable{title: "Sockets in a page", note: "One page with one socket to an echo server, through Conch beside direct in the same engine. " + load}
	t.row("engine", "what", "direct", "through Conch", "ratio should be", "")
	for _, engine := range []string{"WebKitGTK", "Chromium"} {
		for _, m := range []struct {
			metric, what, unit string
			bound              budget
		}{
			{"p50", "64 B there and back, p50", "µs", budget{most: 1.1}},
			{"p99", "64 B there and back, p99", "µs", budget{}},
			{"small", "64 B stream", "messages/s", budget{least: 0.9}},
			{"middle", "64 KiB stream", "MB/s", budget{least: 0.9}},
			{"large", "1 MiB stream", "MB/s", budget{least: 0.9}},
		} {
			direct, through := engine+" direct", engine+" through Conch"
			ratio := got.ratio(through, direct, m.metric)
			t.row(append([]string{engine, m.what, fmt.Sprintf("%.0f %s", got.median(direct, m.metric), m.unit),
				fmt.Sprintf("**%.2f** (%.0f %s)", ratio, got.median(through, m.metric), m.unit)}, m.bound.cells(ratio)...)...)
		}
	}
	t.print()
}

// serveIsolated serves a folder as a plain server does, with the two headers that isolate a page.
func serveIsolated(b *testing.B, dir string) string {
	files := http.FileServer(http.Dir(dir))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
		w.Header().Set("Cache-Control", "no-store")
		files.ServeHTTP(w, q)
	}))
	b.Cleanup(srv.Close)
	return srv.URL + "/"
}
