package frontend_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"conch/frontend"
)

var update = flag.Bool("update", false, "rewrite dist/page.js from src")

const built = "dist/page.js"

// build bundles src the one way that dist/page.js is made.
func build(t *testing.T) []byte {
	t.Helper()
	result := api.Build(api.BuildOptions{
		EntryPoints:      []string{"src/index.js"},
		Bundle:           true,
		Format:           api.FormatIIFE,
		Target:           api.ES2020,
		Platform:         api.PlatformBrowser,
		Charset:          api.CharsetASCII,
		MinifyWhitespace: true,
		MinifySyntax:     true,
		LineLimit:        120,
		TsconfigRaw:      "{}", // not jsconfig.json: with its strict option esbuild begins the file with a directive
		LegalComments:    api.LegalCommentsNone,
		Banner:           map[string]string{"js": "// Conch page script, built from frontend/src. Do not edit."},
	})
	for _, m := range append(result.Errors, result.Warnings...) {
		t.Errorf("esbuild: %s (%+v)", m.Text, m.Location)
	}
	if t.Failed() {
		t.FailNow()
	}
	return result.OutputFiles[0].Contents
}

func TestPageScript(t *testing.T) {
	want := build(t)
	if *update {
		if err := os.WriteFile(built, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(built)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is stale: run go test ./frontend -update", built)
	}
	if n := bytes.Count(got, []byte(frontend.Token)); n != 1 {
		t.Errorf("%s has the token %s %d times, want once", built, frontend.Token, n)
	}
	// The server puts the script in front of a worker's own, which must keep its mode.
	if _, code, _ := bytes.Cut(got, []byte("\n")); !bytes.HasPrefix(code, []byte("(()=>{")) {
		t.Errorf("%s begins with %.20q, want a function", built, code)
	}
	if !*update && !bytes.Equal(frontend.PageScript, got) {
		t.Errorf("PageScript is not %s", built)
	}
}
