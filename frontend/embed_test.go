package frontend_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"conch/frontend"
)

var update = flag.Bool("update", false, "rewrite dist from src")

// script is one file of dist.
type script struct {
	entry, built, banner string
	short                bool // with short names inside
}

var (
	pageFile    = script{"src/index.js", "dist/page.js", "// Conch page script, built from frontend/src. Do not edit.", false}
	sessionFile = script{"src/session/standalone.js", "dist/session.js", "// Conch session script, built from frontend/src. Do not edit.", true}
)

// build bundles src the one way that dist is made.
func (s script) build(t *testing.T) []byte {
	t.Helper()
	result := api.Build(api.BuildOptions{
		EntryPoints:       []string{s.entry},
		Bundle:            true,
		Format:            api.FormatIIFE,
		Target:            api.ES2020,
		Platform:          api.PlatformBrowser,
		Charset:           api.CharsetASCII,
		MinifyWhitespace:  true,
		MinifySyntax:      true,
		MinifyIdentifiers: s.short,
		LineLimit:         120,
		TsconfigRaw:       "{}", // not jsconfig.json: with its strict option esbuild begins the file with a directive
		LegalComments:     api.LegalCommentsNone,
		Banner:            map[string]string{"js": s.banner},
	})
	for _, m := range append(result.Errors, result.Warnings...) {
		t.Errorf("esbuild: %s (%+v)", m.Text, m.Location)
	}
	if t.Failed() {
		t.FailNow()
	}
	return result.OutputFiles[0].Contents
}

// check compares the built file with the source, and gives it.
func (s script) check(t *testing.T, embedded []byte) []byte {
	t.Helper()
	want := s.build(t)
	if *update {
		if err := os.WriteFile(s.built, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(s.built)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is stale: run go test ./frontend -update", s.built)
	}
	// Scripts are put in front of others, whose mode they must not change.
	if _, code, _ := bytes.Cut(got, []byte("\n")); !bytes.HasPrefix(code, []byte("(()=>{")) {
		t.Errorf("%s begins with %.20q, want a function", s.built, code)
	}
	if !*update && !bytes.Equal(embedded, got) {
		t.Errorf("what is embedded is not %s", s.built)
	}
	return got
}

func TestPageScript(t *testing.T) {
	got := pageFile.check(t, frontend.PageScript)
	if n := bytes.Count(got, []byte(frontend.Token)); n != 1 {
		t.Errorf("%s has the token %s %d times, want once", pageFile.built, frontend.Token, n)
	}
}

func TestPageScriptOfSessions(t *testing.T) {
	got := sessionFile.check(t, frontend.SessionScript)
	if bytes.Contains(got, []byte(frontend.Token)) {
		t.Errorf("%s has the token %s, which is the page script's", sessionFile.built, frontend.Token)
	}
	for _, word := range []string{"eval(", "Function(", "crypto.subtle", "randomUUID"} {
		if bytes.Contains(got, []byte(word)) {
			t.Errorf("%s has %s, which pages over http on a LAN, or with a CSP, do not have", sessionFile.built, word)
		}
	}
}
