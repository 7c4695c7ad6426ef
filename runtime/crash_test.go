package runtime

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

var shownToken = regexp.MustCompile(`body:"([0-9a-f]{64})"`)

// crashScreen asks for the crash screen with headers and answers the token on it, "" when it has none.
func crashScreen(g *player, headers ...string) string {
	res := g.get(crashedPath, headers...)
	if found := shownToken.FindStringSubmatch(res.body); found != nil {
		return found[1]
	}
	if strings.Contains(res.body, "copy") {
		g.t.Errorf("a copy button without a token: %s", res.body)
	}
	return ""
}

const asDocument = "Sec-Fetch-Dest: document"

func TestOnlyTheCrashScreenCopiesSaves(t *testing.T) {
	copies := 0
	var failure error
	s := &Server{Bundle: folder(t, nil), CopySaves: func(context.Context) (string, error) {
		copies++
		return "/home/me/Downloads/a <b> saves.conchsave", failure
	}}
	g := play(t, s)
	try := func(token string, want, wantCopies int) answer {
		t.Helper()
		res := g.post("/__conch/copy-saves", token)
		if res.status != want || copies != wantCopies {
			t.Errorf("status %d after %d copies, want %d and %d", res.status, copies, want, wantCopies)
		}
		return res
	}
	try("", http.StatusForbidden, 0)
	if token := crashScreen(g, asDocument); token != "" {
		t.Error("a token without a crash")
	}

	s.Crashed()
	try("", http.StatusForbidden, 0)
	for _, headers := range [][]string{nil, {"Sec-Fetch-Dest: empty"}, {"Sec-Fetch-Dest: iframe"}, {"Sec-Fetch-Dest: sharedworker"}} {
		if crashScreen(g, headers...) != "" {
			t.Errorf("%v: a token for what is no top document", headers)
		}
	}
	token := crashScreen(g, asDocument)
	if token == "" {
		t.Fatal("no token on the crash screen")
	}
	if crashScreen(g) != "" {
		t.Error("the token was shown to somebody else")
	}
	try(strings.Repeat("0", 64), http.StatusForbidden, 0)
	try(strings.Repeat("0", 1000), http.StatusRequestEntityTooLarge, 0)
	g.do("POST", "/__conch/copy-saves", token, "Origin: http://127.0.0.1:1").want(t, http.StatusForbidden, "")
	if res := g.get("/__conch/copy-saves"); res.status != http.StatusMethodNotAllowed {
		t.Errorf("GET: status %d", res.status)
	}
	if res := try(token, http.StatusOK, 1); !strings.Contains(res.body, "a <b> saves.conchsave") || !strings.HasPrefix(res.header.Get("Content-Type"), "text/plain") {
		t.Errorf("answer %q as %q", res.body, res.header.Get("Content-Type"))
	}
	try(token, http.StatusForbidden, 1)

	// The game is back before the button was pressed, or before the screen was shown.
	s.Crashed()
	token = crashScreen(g, asDocument)
	g.get("/", asDocument)
	try(token, http.StatusForbidden, 1)
	s.Crashed()
	g.get("/", asDocument)
	if crashScreen(g, asDocument) != "" {
		t.Error("a token after the game was back")
	}

	// A second crash makes the first one's token void.
	s.Crashed()
	first := crashScreen(g, asDocument)
	s.Crashed()
	second := crashScreen(g, asDocument)
	try(first, http.StatusForbidden, 1)
	failure = errors.New("the disk is full")
	if res := try(second, http.StatusInternalServerError, 2); !strings.Contains(res.body, "the disk is full") {
		t.Errorf("answer %q", res.body)
	}
}

// TestNoCopyWithoutAWindow: a server that nobody gave the way to copy has neither button nor endpoint.
func TestNoCopyWithoutAWindow(t *testing.T) {
	s := &Server{Bundle: folder(t, nil)}
	g := play(t, s)
	s.Crashed()
	if crashScreen(g, asDocument) != "" {
		t.Error("a token")
	}
	g.post("/__conch/copy-saves", "").want(t, http.StatusNotFound, "*")
}
