//go:build e2e && wpt

package e2e

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"conch/internal/wstest"
)

// TestWebPlatformTests runs the public WebSocket tests, from the copy that the environment variable WPT names, in a
// plain browser and in Conch, in both engines. What an engine itself gets wrong does not matter; a subtest that passes
// directly and not through Conch fails, unless wptDifferences names it.
//
//	make wpt WPT=/path/to/web-platform-tests
//
// WPT_ONLY is a regular expression for the names of the files to run, all of them by default.
func TestWebPlatformTests(t *testing.T) {
	root := os.Getenv("WPT")
	if root == "" {
		t.Fatal("WPT does not name a copy of the web platform tests")
	}
	for _, variant := range []string{"default", "wss"} {
		t.Run(variant, func(t *testing.T) {
			inBoth(t, func(t *testing.T, e engine) {
				results := map[string]map[string]bool{}
				for _, name := range []string{"direct", "relayed"} {
					t.Run(name, func(t *testing.T) { results[name] = runWPT(t, e, root, variant, name == "relayed") })
				}
				if !t.Failed() {
					compareWPT(t, results["direct"], results["relayed"])
				}
			})
		})
	}
}

// wptDifferences are the pages where Conch differs on purpose.
var wptDifferences = map[string]string{
	"websockets/basic-auth.any":                          "a user name and password in an address are refused",
	"websockets/remove-own-iframe-during-onerror.window": "a frame made of srcdoc has no page script; WebKitGTK throws where Chromium fires error",
}

// wptLeftOut are the files that need something else than WebSocket: history, popups, cookies of the server's host, an
// API nobody ships, an https page, names under localhost. 014 wants a second handshake to wait for the first, which
// several relay ports undo on purpose.
var wptLeftOut = regexp.MustCompile(`back-forward-cache|/stream/|mixed-content|\.https\.|/cookies/|/unload-a-document/|/handlers/|/support/|/resources/|` +
	`opening-handshake/003\.html|constructor/014\.html|Create-protocols-repeated-case-insensitive|url-parsing/(current|incumbent)`)

func compareWPT(t *testing.T, direct, relayed map[string]bool) {
	passed := func(m map[string]bool) (ok, all int) {
		for name, pass := range m {
			if strings.HasSuffix(name, wptHarness) {
				continue
			}
			all++
			if pass {
				ok++
			}
		}
		return ok, all
	}
	directOK, directAll := passed(direct)
	relayedOK, relayedAll := passed(relayed)
	t.Logf("direct %d of %d subtests pass, relayed %d of %d", directOK, directAll, relayedOK, relayedAll)
	for _, name := range slices.Sorted(maps.Keys(direct)) {
		if direct[name] == relayed[name] {
			continue
		}
		why := ""
		for prefix, reason := range wptDifferences {
			if strings.HasPrefix(name, prefix) {
				why = reason
			}
		}
		switch {
		case relayed[name]:
			t.Logf("passes only relayed: %s", name)
		case why != "":
			t.Logf("%s: %s", name, why)
		default:
			t.Errorf("lost through Conch: %s", name)
		}
	}
}

// wptHarness ends the name under which a page as a whole counts.
const wptHarness = " (harness)"

// wptPlace is the part of a subtest's name that is another one at every start.
var wptPlace = regexp.MustCompile(`127\.0\.0\.1:[0-9]+`)

// runWPT runs every page and answers which subtests passed.
func runWPT(t *testing.T, e engine, root, variant string, relayed bool) map[string]bool {
	r, h := newReporter(t), newHome(t)
	ca := wstest.NewCA(t)
	caFile := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(caFile, ca.PEM(), 0o644); err != nil {
		t.Fatal(err)
	}
	cert := ca.Cert("127.0.0.1")
	plain, secure := serveWPT(t, nil), serveWPT(t, &cert)
	helper := httptest.NewServer(http.HandlerFunc(wptHelper))
	t.Cleanup(helper.Close)

	hosts := []string{"127.0.0.1"} // any port: the tests also knock at ports where nobody is
	extra := fmt.Sprintf(`"network": {"allowedHosts": ALLOWED, "proxy": {"/wpt/": %q}}`, helper.URL)
	dir := r.game(t, extra, hosts, map[string]string{"index.html": page(testScript(t, "wpt.js"))})
	list := writeWPT(t, root, dir, variant, strings.NewReplacer("{{host}}", "127.0.0.1",
		"{{ports[ws][0]}}", plain, "{{ports[wss][0]}}", secure, "{{ports[h2][0]}}", secure,
		"{{hosts[alt][www]}}", "127.0.0.1", "{{hosts[alt][]}}", "127.0.0.1"))

	if relayed {
		e.open(t, h, dir, "--ca", caFile)
	} else {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if strings.HasPrefix(q.URL.Path, "/wpt/") {
				wptHelper(w, q)
				return
			}
			if ext := path.Ext(q.URL.Path); ext == ".html" || ext == "" {
				w.Header().Set("Content-Type", "text/html") // the page itself says its encoding
			}
			http.FileServer(http.Dir(dir)).ServeHTTP(w, q)
		}))
		t.Cleanup(srv.Close)
		trust := map[string]string{"chromium": "--ignore-certificate-errors", "webkitgtk": "--ignore-tls-errors"}[e.name]
		browse(t, e, h, srv.URL+"/", trust)
	}
	results := map[string]bool{}
	for range list {
		var one struct {
			URL, Status string
			Tests       []struct {
				Name, Message string
				Status        int
			}
		}
		if err := json.Unmarshal(r.wait("page"), &one); err != nil {
			t.Fatal(err)
		}
		base := strings.TrimPrefix(one.URL, "/")
		results[base+wptHarness] = one.Status == "0"
		for _, sub := range one.Tests {
			name := base + " " + wptPlace.ReplaceAllString(sub.Name, "HOST")
			for _, again := results[name]; again; _, again = results[name] {
				name += "'"
			}
			results[name] = sub.Status == 0
		}
	}
	r.wait("end")
	return results
}

// wptPage is one page of the run.
type wptPage struct {
	URL     string `json:"url"`
	Seconds int    `json:"seconds"`
}

var (
	wptScripts = regexp.MustCompile(`(?m)^// META: script=(.*)$`)
	wptGlobals = regexp.MustCompile(`(?m)^// META: global=(.*)$`)
	wptWss     = regexp.MustCompile(`variant.{0,20}\?wss`)
	wptLong    = regexp.MustCompile(`timeout.{0,12}long`)
)

// writeWPT copies the tests into the game's folder, writes the pages that the tests' own server makes up, and lists
// them in list.json.
func writeWPT(t *testing.T, root, dir, variant string, sub *strings.Replacer) []wptPage {
	t.Helper()
	var list []wptPage
	only := regexp.MustCompile(os.Getenv("WPT_ONLY"))
	put := func(name, text string) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		top, _, _ := strings.Cut(name, "/")
		if d.IsDir() || !slices.Contains([]string{"websockets", "resources", "interfaces", "common"}, top) {
			return nil
		}
		bytes, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		text := string(bytes)
		if strings.Contains(name, ".sub.") {
			text = sub.Replace(text)
		}
		if top == "websockets" {
			text = strings.NewReplacer("/common/blank.html?pipe=trickle(d", "/wpt/trickle?(", `"check.py"`, `"/wpt/check"`).Replace(text)
		}
		put(name, text)
		if top != "websockets" || !only.MatchString(name) || wptLeftOut.MatchString("/"+name) || variant == "wss" && !wptWss.MatchString(text) {
			return nil
		}
		for url, html := range wptPages(name, text) {
			if html != "" {
				put(url, html)
			}
			seconds := 20
			if wptLong.MatchString(text) {
				seconds = 40
			}
			if wptWss.MatchString(text) {
				url += "?" + variant
			}
			list = append(list, wptPage{"/" + url, seconds})
		}
		if base, ok := strings.CutSuffix(name, ".any.js"); ok {
			worker := `self.GLOBAL = { isWindow: () => false, isWorker: () => true, isShadowRealm: () => false }` + "\nimportScripts('/resources/testharness.js')\n"
			for _, m := range wptScripts.FindAllStringSubmatch(text, -1) {
				worker += fmt.Sprintf("importScripts(%q)\n", strings.TrimSpace(m[1]))
			}
			put(base+".any.worker.js", worker+fmt.Sprintf("importScripts(%q)\ndone()\n", "/"+name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	parser, err := os.ReadFile(filepath.Join(root, "resources/webidl2/lib/webidl2.js"))
	if err != nil {
		t.Fatal(err)
	}
	put("resources/WebIDLParser.js", string(parser))
	put("resources/testharnessreport.js", testScript(t, "wptreport.js"))
	slices.SortFunc(list, func(a, b wptPage) int { return strings.Compare(a.URL, b.URL) })
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	put("list.json", string(text))
	t.Logf("%d pages", len(list))
	return list
}

// wptPages are the pages of one test file with their text, "" for a file that is a page itself.
func wptPages(name, text string) map[string]string {
	const head = `<!doctype html><meta charset="utf-8">%s<script src="/resources/testharness.js"></script><script src="/resources/testharnessreport.js"></script>%s<div id="log"></div>%s`
	scripts, long := "", ""
	for _, m := range wptScripts.FindAllStringSubmatch(text, -1) {
		scripts += fmt.Sprintf(`<script src="%s"></script>`, strings.TrimSpace(m[1]))
	}
	if wptLong.MatchString(text) {
		long = `<meta name="timeout" content="long">`
	}
	inWorker := func(script string) string {
		return fmt.Sprintf(head, long, "", fmt.Sprintf(`<script>fetch_tests_from_worker(new Worker("%s" + location.search))</script>`, script))
	}
	pages := map[string]string{}
	switch {
	case strings.HasSuffix(name, ".any.js"):
		base := strings.TrimSuffix(name, ".any.js")
		window := `<script>self.GLOBAL = { isWindow: () => true, isWorker: () => false, isShadowRealm: () => false }</script>`
		pages[base+".any.html"] = fmt.Sprintf(head, long+window, scripts, fmt.Sprintf(`<script src="/%s"></script>`, name))
		if m := wptGlobals.FindStringSubmatch(text); m == nil || strings.Contains(m[1], "worker") {
			pages[base+".any.worker.html"] = inWorker("/" + base + ".any.worker.js")
		}
	case strings.HasSuffix(name, ".window.js"):
		base := strings.TrimSuffix(name, ".window.js")
		pages[base+".window.html"] = fmt.Sprintf(head, long, scripts, fmt.Sprintf(`<script src="/%s"></script>`, name))
	case strings.HasSuffix(name, ".worker.js"):
		pages[strings.TrimSuffix(name, ".js")+".html"] = inWorker("/" + name)
	case strings.HasSuffix(name, ".html"):
		pages[name] = ""
	}
	return pages
}

// serveWPT answers the tests' sockets and tells its port.
func serveWPT(t *testing.T, cert *tls.Certificate) string {
	t.Helper()
	srv := httptest.NewUnstartedServer(http.HandlerFunc(wptSocket))
	if cert == nil {
		srv.Start()
	} else {
		srv.TLS = &tls.Config{Certificates: []tls.Certificate{*cert}, NextProtos: []string{"http/1.1"}}
		srv.StartTLS()
	}
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	_, port, _ := net.SplitHostPort(srv.Listener.Addr().String())
	return port
}
