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

// miniBrowser is WebKitGTK's own small browser: the window's engine without Conch.
const miniBrowser = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser"

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
	if e.name == "chromium" {
		chromium(t, h, srv.URL+"/")
		return
	}
	start(t, h.env(), nil, miniBrowser, srv.URL+"/")
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

// script reads testdata/name and puts values in place of their placeholders.
func script(t *testing.T, name string, values ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer(values...).Replace(string(text))
}
