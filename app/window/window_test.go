package window

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wailsapp/wails/v2/pkg/options"

	"conch/app"
)

func TestColour(t *testing.T) {
	for text, want := range map[string]options.RGBA{
		"#000000": {A: 255}, "#1a2B3c": {R: 0x1a, G: 0x2b, B: 0x3c, A: 255}, "#ffffff": {R: 255, G: 255, B: 255, A: 255},
		"": {A: 255}, "#fff": {A: 255}, "#gggggg": {A: 255}, "red": {A: 255}, "#+12345": {A: 255},
	} {
		if got := colour(text); *got != want {
			t.Errorf("%q: got %+v, want %+v", text, *got, want)
		}
	}
}

func TestWindowIsAsTheManifestSays(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"index.html": "<!doctype html>",
		"conch.json": `{"format":1,"name":"My Game","window":{"width":640,"height":360,"minWidth":320,"minHeight":180,"resizable":false,"fullscreen":true,"background":"#102030"}}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	g, err := app.New(app.Options{Path: dir, DataDir: t.TempDir(), Window: true})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	o := windowOptions(g)
	if o.Title != "My Game" || o.Width != 640 || o.Height != 360 || o.MinWidth != 320 || o.MinHeight != 180 || !o.DisableResize ||
		o.WindowStartState != options.Fullscreen || *o.BackgroundColour != *options.NewRGB(16, 32, 48) || o.Linux.ProgramName != g.Key {
		t.Errorf("got %+v", o)
	}
	if len(o.Bind) != 0 {
		t.Errorf("bound to the page: %v", o.Bind)
	}
}

// The framework's own start page shows nothing of the game: it is empty, or moves on to the entry address.
func TestFirstPage(t *testing.T) {
	w := httptest.NewRecorder()
	firstPage(rules{entry: "http://127.0.0.1:1/__conch/enter?n=a"}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if startsByItself && (w.Code != http.StatusOK || w.Body.Len() != 0 || w.Header().Get("Location") != "") {
		t.Errorf("status %d, %q", w.Code, w.Body)
	}
	if !startsByItself && !strings.HasSuffix(w.Header().Get("Location"), "/__conch/enter?n=a") {
		t.Errorf("status %d to %q", w.Code, w.Header().Get("Location"))
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{"plain é": "plain é", "a\x00b": "a?b", "a\xffb": "a?b", "": ""} {
		if got := clean(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
