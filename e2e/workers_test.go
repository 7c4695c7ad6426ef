//go:build e2e

package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"conch/internal/wstest"
)

// workerKinds are the places a game's script may run in, each with what the page does to start it.
var workerKinds = map[string]string{
	"page":         `probe('page', done)`,
	"classic":      `start(new Worker('classic.js'))`,
	"module":       `start(new Worker('module.js', { type: 'module' }))`,
	"blob":         `start(new Worker(blob('importScripts("' + base + 'probe.js"); probe("blob", m => postMessage(m))')))`,
	"blob-strict":  `start(new Worker(blob('"use strict"; importScripts("' + base + 'probe.js"); probe("blob-strict", m => postMessage(m))')))`,
	"blob-module":  `start(new Worker(blob('import "' + base + 'probe-module.js"; probe("blob-module", m => postMessage(m))'), { type: 'module' }))`,
	"nested":       `start(new Worker('outer.js'))`,
	"nested-blob":  `start(new Worker('outer-blob.js'))`,
	"blob-in-blob": `start(new Worker(blob('const w = new Worker(URL.createObjectURL(new Blob([' + JSON.stringify('importScripts("' + base + 'probe.js"); probe("blob-in-blob", m => postMessage(m))') + ']))); w.onmessage = e => postMessage(e.data)')))`,
	"shared":       `{ const w = new SharedWorker('shared.js'); w.port.onmessage = e => done(e.data); w.onerror = e => report('pageerror', 'shared: ' + e.message) }`,
	"shared-blob":  `{ const w = new SharedWorker(blob('importScripts("' + base + 'probe.js"); onconnect = e => probe("shared-blob", m => e.ports[0].postMessage(m))')); w.port.onmessage = e => done(e.data) }`,
	"frame":        `frame(f => { f.src = 'frame.html' })`,
}

// TestWorkerSocketsGoThroughTheRelay: wherever a game's script runs, its sockets reach listed hosts, with the game's
// Origin, and no others.
func TestWorkerSocketsGoThroughTheRelay(t *testing.T) {
	inBoth(t, func(t *testing.T, e engine) {
		r, h := newReporter(t), newHome(t)
		server := wstest.Serve(t, wstest.Options{})
		unlisted := wstest.ServeRaw(t, nil, wstest.Silent)
		probe := testScript(t, "probe.js", "ECHO_HOST", server.Addr, "UNLISTED_HOST", unlisted.Addr)
		var starts strings.Builder
		for _, code := range workerKinds {
			starts.WriteString(code + "\n")
		}
		extra := `"network": {"allowedHosts": ALLOWED, "origin": "https://games.example"}`
		dir := r.game(t, extra, []string{server.Addr}, map[string]string{
			"probe.js":        probe,
			"probe-module.js": probe + "\nglobalThis.probe = probe",
			"classic.js":      `importScripts('probe.js'); probe('classic', m => postMessage(m))`,
			"module.js":       `import './probe-module.js'; probe('module', m => postMessage(m))`,
			"inner.js":        `importScripts('probe.js'); probe('nested', m => postMessage(m))`,
			"outer.js":        `const w = new Worker('inner.js'); w.onmessage = e => postMessage(e.data)`,
			"outer-blob.js": `const w = new Worker(URL.createObjectURL(new Blob(['importScripts("' + location.origin + '/probe.js"); probe("nested-blob", m => postMessage(m))'])))
w.onmessage = e => postMessage(e.data)`,
			"shared.js":  `importScripts('probe.js'); onconnect = e => probe('shared', m => e.ports[0].postMessage(m))`,
			"frame.html": `<!doctype html><script src="probe.js"></script><script>probe('frame', m => parent.postMessage(m, '*'))</script>`,
			"index.html": `<!doctype html><html><head><script src="report.js"></script><script src="probe.js"></script></head><body><script type="module">
const base = location.origin + '/'
const done = m => report('probe', m)
const blob = code => URL.createObjectURL(new Blob([code], { type: 'text/javascript' }))
const start = w => { w.onmessage = e => done(e.data); w.onerror = e => report('pageerror', 'worker: ' + e.message) }
const frame = set => { const f = document.createElement('iframe'); set(f); document.body.append(f) }
addEventListener('message', e => done(e.data))
` + starts.String() + `</script></body></html>`})
		e.open(t, h, dir)
		for range workerKinds {
			var got struct {
				Who, Raw, Net, Thrown string
				Refused               any
			}
			if err := json.Unmarshal(r.wait("probe"), &got); err != nil {
				t.Fatal(err)
			}
			if want := "hello ws://" + server.Addr + "/echo?raw-" + got.Who; got.Raw != want {
				t.Errorf("%s: WebSocket said %q, want %q", got.Who, got.Raw, want)
			}
			if got.Net != "1,2,3" {
				t.Errorf("%s: net.connect said %q, want 1,2,3", got.Who, got.Net)
			}
			if got.Refused != 1006.0 || got.Thrown != "SecurityError" {
				t.Errorf("%s: unlisted host: WebSocket %v, net.connect %s; want 1006, SecurityError", got.Who, got.Refused, got.Thrown)
			}
			if workerKinds[got.Who] == "" {
				t.Errorf("report of an unknown place %q", got.Who)
			}
		}
		if n := len(server.Requests()); n != 2*len(workerKinds) {
			t.Errorf("%d sockets arrived, want %d", n, 2*len(workerKinds))
		}
		for _, q := range server.Requests() {
			if got := q.Header.Get("Origin"); got != "https://games.example" {
				t.Errorf("%s: Origin %q, want the manifest's", q.URL, got)
			}
		}
		if n := unlisted.Opened(); n != 0 {
			t.Errorf("%d connections to the unlisted host", n)
		}
	})
}
