//go:build e2e

package e2e

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// miniBrowser is WebKitGTK's own small browser, of the package libwebkit2gtk-4.1-0: the window's engine without Conch.
var miniBrowser = func() string {
	const pattern = "/usr/lib/*-linux-gnu/webkit2gtk-4.1/MiniBrowser"
	if found, _ := filepath.Glob(pattern); len(found) > 0 {
		return found[0]
	}
	return pattern
}()

// openDirectly shows the folder of a game in the same engine without Conch: a plain file server and a plain browser,
// so that a page's sockets go where they are pointed. extra adds paths to the server.
func openDirectly(t *testing.T, e engine, h home, dir string, extra map[string]http.Handler) {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(dir)))
	for path, handler := range extra {
		mux.Handle(path, handler)
	}
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	browse(t, e, h, srv.URL+"/")
}

// browse opens an address in the engine without Conch.
func browse(t *testing.T, e engine, h home, address string, args ...string) {
	t.Helper()
	if e.name == "chromium" {
		chromium(t, h, address, args...)
		return
	}
	start(t, h.env(), nil, miniBrowser, append(args, address)...)
}

// way is one of the two ways a page's sockets can take.
type way struct {
	name string
	open func(t *testing.T, e engine, h home, dir string)
}

// bothWays are the baseline and the product.
var bothWays = []way{
	{"direct", func(t *testing.T, e engine, h home, dir string) { openDirectly(t, e, h, dir, nil) }},
	{"relayed", func(t *testing.T, e engine, h home, dir string) { e.open(t, h, dir) }},
}

// compareWays runs one measurement directly and through Conch in both engines. What it answers, by name, must be equal.
func compareWays(t *testing.T, run func(t *testing.T, e engine, w way) map[string]string) {
	inBoth(t, func(t *testing.T, e engine) {
		got := map[string]map[string]string{}
		for _, w := range bothWays {
			t.Run(w.name, func(t *testing.T) { got[w.name] = run(t, e, w) })
		}
		if t.Failed() {
			return
		}
		compare(t, got["direct"], got["relayed"])
	})
}

// compare wants the same names with the same values.
func compare(t *testing.T, direct, relayed map[string]string) {
	t.Helper()
	names := maps.Clone(direct)
	maps.Copy(names, relayed)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if direct[name] != relayed[name] {
			t.Errorf("%s:\n  direct  %s\n  relayed %s", name, direct[name], relayed[name])
			continue
		}
		t.Logf("%s: %s", name, direct[name])
	}
}

// testScript reads testdata/name and puts values in place of their placeholders.
func testScript(t *testing.T, name string, values ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer(values...).Replace(string(text))
}

// openedGame is a game in one of the engines: the process of Conch and the one whose output has the page's console.
type openedGame struct{ conch, console *process }

func openGame(t *testing.T, e engine, h home, dir string, args ...string) openedGame {
	t.Helper()
	if e.name != "chromium" {
		p := e.open(t, h, dir, args...)
		return openedGame{p, p}
	}
	s := serve(t, h, dir, args...)
	return openedGame{s.process, chromium(t, h, s.URL, "--enable-logging=stderr")}
}

// stop ends both.
func (g openedGame) stop() {
	g.console.stop()
	g.conch.stop()
}
