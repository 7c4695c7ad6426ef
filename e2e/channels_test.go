//go:build e2e

package e2e

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// attack is the hostile game of testdata/channels, made ready for one network.
type attack struct {
	files map[string]string
	names []string // channels
	navs  []string // ways to leave the page
}

var (
	singleName = regexp.MustCompile(`(?m)^  '([a-z-]+)':`)
	navName    = regexp.MustCompile(`(?m)^    '?([a-z-]+)'?: function`)
	hostName   = regexp.MustCompile(`HOST\(([a-z-]+)\)`)
)

// Prefixes of the realms that the attack runs in, and the channels of each.
var (
	frameRealms  = strings.Fields("top finitial fabout fsrcdoc fdata fblob fblobsvg fjs ffile fsvg fxhtml ferror ftext finternal fsandbox fgone nblob")
	workerRealms = strings.Fields("wfile wmodule wshared wblob wdata wnested wnestedblob wservice")
	realmKinds   = strings.Fields("fetch xhr ws es wt import")
	pageKinds    = strings.Fields("img beacon preconnect")
)

func newAttack(t *testing.T) *attack {
	t.Helper()
	a := &attack{files: map[string]string{}}
	list, err := filepath.Glob("testdata/channels/*")
	if err != nil || len(list) == 0 {
		t.Fatalf("no attack: %v", err)
	}
	add := func(names ...string) {
		for _, n := range names {
			if !slices.Contains(a.names, n) {
				a.names = append(a.names, n)
			}
		}
	}
	for _, path := range list {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		a.files[filepath.Base(path)] = string(text)
		for _, m := range hostName.FindAllStringSubmatch(string(text), -1) {
			add(m[1])
		}
	}
	for _, m := range singleName.FindAllStringSubmatch(a.files["page.js"], -1) {
		add(m[1])
	}
	for _, m := range navName.FindAllStringSubmatch(a.files["nav.js"], -1) {
		a.navs = append(a.navs, m[1])
		add("nav-" + m[1])
	}
	for _, realm := range append(slices.Clone(frameRealms), workerRealms...) {
		kinds := realmKinds
		if realm[0] != 'w' {
			kinds = append(slices.Clone(kinds), pageKinds...)
		}
		for _, kind := range kinds {
			add(realm + "-" + kind)
		}
	}
	a.files["media-mov.mov"] = string(referenceMovie("http://HOST(media-mov)/x.mp4"))
	a.files["media-plain.mp4"] = a.files["media-hls.m3u8"] // what it is does not depend on what it is called
	a.files["media-list.mp4"] = "http://HOST(media-list)/x.mp4\n"
	add("media-mov", "media-list", "nav-fence")
	return a
}

// referenceMovie is a QuickTime file that says its film is elsewhere (QuickTime File Format, "reference movies").
func referenceMovie(url string) []byte {
	atom := func(kind string, body ...byte) []byte {
		return append(append(binary.BigEndian.AppendUint32(nil, uint32(8+len(body))), kind...), body...)
	}
	place := append([]byte{0, 0, 0, 0, 'u', 'r', 'l', ' '}, binary.BigEndian.AppendUint32(nil, uint32(len(url)+1))...)
	place = append(append(place, url...), 0)
	return append(atom("ftyp", []byte("qt  \x00\x00\x00\x00qt  ")...), atom("moov", atom("rmra", atom("rmda", atom("rdrf", place...)...)...)...)...)
}

// game writes the attack as a game. Files that name their hosts come in two forms, by name and by address.
func (a *attack) game(t *testing.T, r *reporter, hosts []string, replace ...string) string {
	t.Helper()
	names, _ := json.Marshal(a.names)
	navs, _ := json.Marshal(a.navs)
	fill := strings.NewReplacer(append([]string{"CHANNEL_NAMES", string(names), "NAV_KINDS", string(navs)}, replace...)...)
	files := map[string]string{"x.png": "", "x.mp4": ""}
	for file, text := range a.files {
		if !hostName.MatchString(text) {
			files[file] = fill.Replace(text)
			continue
		}
		ext := filepath.Ext(file)
		stem := strings.TrimSuffix(file, ext)
		kind, of := stem, ""
		if k, o, ok := strings.Cut(stem, "-"); ok {
			kind, of = k, "-"+o
		}
		for mode, address := range map[string]func(i int) string{
			"name": func(i int) string { return a.names[i] + nameSuffix },
			"ip":   func(i int) string { return byAddress(i).String() },
		} {
			files[kind+"-"+mode+of+ext] = hostName.ReplaceAllStringFunc(text, func(m string) string {
				return address(slices.Index(a.names, hostName.FindStringSubmatch(m)[1]))
			})
		}
	}
	return r.game(t, `"window": {"title": "hostile"}`, hosts, files)
}

// attacked waits until the page has begun everything and answers the names that were tried one by one.
func (a *attack) attacked(t *testing.T, r *reporter) (worker string) {
	t.Helper()
	if got := r.waitString("waited"); got != "all" {
		t.Logf("not every frame and worker said that it had begun: %s", got)
	}
	worker = r.waitString("service worker")
	var tried, missing []string
	if err := json.Unmarshal(r.wait("tried"), &tried); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(r.wait("missing"), &missing); err != nil {
		t.Fatal(err)
	}
	for _, m := range singleName.FindAllStringSubmatch(a.files["page.js"], -1) {
		if !slices.Contains(tried, m[1]) {
			t.Errorf("channel %s was not tried", m[1])
		}
	}
	t.Logf("not there in this engine: %v", missing)
	return worker
}

// plainServer serves a folder as any web server would: no gate, no headers.
func plainServer(t *testing.T, dir string) int {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: http.FileServer(http.Dir(dir))}
	go srv.Serve(ln)
	t.Cleanup(func() { srv.Close() })
	return ln.Addr().(*net.TCPAddr).Port
}

// loopbackVictims opens listeners on other addresses of this computer.
func loopbackVictims(n *network) string {
	hosts, _ := json.Marshal([]string{
		n.victim("127.0.0.1", "127.0.0.1"), n.victim("127.0.0.1", "localhost"), n.victim("127.0.0.5", "127.0.0.5"),
		n.victim("::1", "[::1]"), n.victim("0.0.0.0", "0.0.0.0"),
	})
	return string(hosts)
}

// TestNoChannelLeavesTheWindow: a hostile game tries every way that an engine has to reach another host, by name and
// by address, and every way to leave the page. From the window not one packet goes anywhere and no name is looked up.
// The same page without Conch shows that the ways are ways.
func TestNoChannelLeavesTheWindow(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		a := newAttack(t)
		n.names = a.names
		loopback := loopbackVictims(n)
		var plain, browser, inWindow, served, older seen

		t.Run("WebKitGTK without Conch", func(t *testing.T) {
			n.forget()
			r, h := newReporter(t), newHome(t)
			port := plainServer(t, a.game(t, r, nil, "LOOPBACK_HOSTS", loopback, "AFTER", "popups"))
			start(t, h.env(), nil, miniBrowser, "--autoplay-policy=allow", fmt.Sprintf("http://127.0.0.1:%d/", port))
			a.attacked(t, r)
			n.shows(t, []int{r.Port, port}, leaksInWebKit)
			n.quiet()
			plain = n.look([]int{r.Port, port})
		})
		t.Run("Chromium without Conch", func(t *testing.T) {
			n.forget()
			r, h := newReporter(t), newHome(t)
			port := plainServer(t, a.game(t, r, nil, "LOOPBACK_HOSTS", loopback, "AFTER", "popups"))
			chromium(t, h, fmt.Sprintf("http://127.0.0.1:%d/", port), "--disable-popup-blocking")
			a.attacked(t, r)
			a.left(r)
			n.shows(t, []int{r.Port, port}, leaksInChromium)
			n.quiet()
			browser = n.look([]int{r.Port, port})
		})
		t.Run("window", func(t *testing.T) {
			n.forget()
			inWindow = windowUnderAttack(t, n, a, loopback)
			if len(inWindow.hits) > 0 || len(inWindow.strange) > 0 || len(inWindow.requests) > 0 {
				t.Errorf("left the window: %v; %v; requests %v", inWindow.hits, inWindow.strange, inWindow.requests)
			}
		})
		t.Run("window whose page became a blob", func(t *testing.T) {
			n.forget()
			r, h := newReporter(t), newHome(t)
			p := play(t, h, a.game(t, r, nil, "LOOPBACK_HOSTS", loopback, "AFTER", "blob"))
			p.waitOutput("host=nav-blob" + nameSuffix)
			n.quiet()
			if got := n.look(append(portsOf(t, p.cmd.Process.Pid), r.Port)); len(got.hits) > 0 || len(got.strange) > 0 {
				t.Errorf("left the window: %v; %v", got.hits, got.strange)
			}
		})
		t.Run("Chromium with serve", func(t *testing.T) {
			served = servedUnderAttack(t, n, a, loopback)
			if got := served.channels(); len(got) > 0 {
				t.Errorf("channels that leave Chromium with `conch serve`: %s; want none", strings.Join(got, " "))
			}
		})
		t.Run("browser without Connection-Allowlist with serve", func(t *testing.T) {
			older = servedUnderAttack(t, n, a, loopback, "--disable-features=ConnectionAllowlists")
			for _, name := range older.channels() {
				if !documented(name, older.hits[name]) {
					t.Errorf("channel %s leaves a browser of `conch serve` by %v and is not documented", name, older.hits[name])
				}
			}
		})
		t.Log(table(a.names, []string{"WebKitGTK", "Chromium", "window", "serve", "serve, older"}, plain, browser, inWindow, served, older))
	})
}

// servedUnderAttack opens the attack in headless Chromium by `conch serve`, second windows allowed.
func servedUnderAttack(t *testing.T, n *network, a *attack, loopback string, args ...string) seen {
	n.forget()
	r, h := newReporter(t), newHome(t)
	s := serve(t, h, a.game(t, r, nil, "LOOPBACK_HOSTS", loopback, "AFTER", "popups"))
	chromium(t, h, s.URL, append(args, "--disable-popup-blocking")...)
	if got := a.attacked(t, r); got == "registered" {
		t.Error("a service worker was registered")
	}
	a.left(r)
	n.quiet()
	got := n.look(append(portsOf(t, s.cmd.Process.Pid), r.Port))
	checkSecrets(t, s, got)
	return got
}

// left waits until every second window has said that it leaves.
func (a *attack) left(r *reporter) {
	r.t.Helper()
	r.wait("popups")
	for range a.navs {
		r.wait("leaves")
	}
}

// windowUnderAttack opens the attack in the real window and has it try every way to leave, one after the other.
func windowUnderAttack(t *testing.T, n *network, a *attack, loopback string) seen {
	r, h, commands := newReporter(t), newHome(t), newEcho(t)
	dir := a.game(t, r, []string{commands.host()}, "LOOPBACK_HOSTS", loopback, "AFTER", "commands", "COMMANDS", commands.host())
	p := play(t, h, dir)
	if got := a.attacked(t, r); got == "registered" {
		t.Error("a service worker was registered")
	}
	c := commands.next(t)
	for _, kind := range a.navs {
		if kind == "blob" {
			continue // leaves the page that listens: has its own window
		}
		if err := c.send(kind); err != nil {
			t.Fatal(err)
		}
		r.wait("outcome")
		fence := "host=nav-fence" + nameSuffix
		before, polls := strings.Count(p.output(), fence), 0
		eventually(t, "a page that goes on after nav-"+kind, func() bool {
			// The engine drops a navigation that another one overtakes, so the fence is asked for again now and then.
			if polls++; polls%100 == 1 {
				if err := c.send("fence"); err != nil {
					t.Fatal(err)
				}
			}
			return strings.Count(p.output(), fence) > before
		})
	}
	n.quiet()
	screenshot(t, "hostile-end")
	own := append(portsOf(t, p.cmd.Process.Pid), r.Port, commands.port)
	return n.look(own)
}

// checkSecrets: what reaches others holds neither a cookie nor, in the Referer, where it came from.
func checkSecrets(t *testing.T, s *served, got seen) {
	t.Helper()
	for _, q := range got.requests {
		if v := q.header.Get("Referer"); strings.Contains(v, strings.TrimPrefix(s.Origin, "http://")) {
			t.Errorf("%s%s was sent Referer: %s", q.host, q.target, v)
		}
		if v := q.header.Get("Cookie"); v != "" {
			t.Errorf("%s%s was sent Cookie: %s", q.host, q.target, v)
		}
	}
}

// table shows per channel how it was seen in each run; what no engine does is listed in one line.
func table(names []string, columns []string, runs ...seen) string {
	var b, dead strings.Builder
	fmt.Fprintf(&b, "%-26s", "channel")
	for _, c := range columns {
		fmt.Fprintf(&b, "%-14s", c)
	}
	all := slices.Clone(names)
	for _, run := range runs {
		for name := range run.hits {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	slices.Sort(all)
	for _, name := range all {
		line, any := fmt.Sprintf("\n%-26s", name), false
		for _, run := range runs {
			how := strings.Join(run.hits[name], " ")
			any = any || how != ""
			if how == "" {
				how = "-"
			}
			line += fmt.Sprintf("%-14s", how)
		}
		if any {
			b.WriteString(line)
		} else {
			dead.WriteString(" " + name)
		}
	}
	for i, run := range runs {
		slices.Sort(run.strange)
		fmt.Fprintf(&b, "\n%s, other: %s", columns[i], strings.Join(slices.Compact(run.strange), "; "))
	}
	return b.String() + "\nin no run:" + dead.String()
}

// leaksInWebKit and leaksInChromium are seen from a page without Conch; the lists are short of what is seen on one
// machine, so that another version of an engine may differ in corners.
var (
	leaksInWebKit = strings.Fields(`fetch xhr beacon eventsource ws wss img css-background css-import css-font
		link-stylesheet link-preload link-modulepreload link-preconnect link-icon audio video video-poster media-mov script
		script-module script-import worklet-audio svg-image object embed iframe frame-form frame-location a-ping
		static-dns static-preconnect fabout-fetch fabout-ws fsrcdoc-ws fdata-ws fblob-ws ffile-ws ferror-ws fsandbox-ws
		wfile-ws wfile-fetch wmodule-ws wshared-ws wblob-ws wblob-import wnested-ws wservice-fetch wservice-ws xml-stylesheet
		loopback-127.0.0.1 loopback-localhost loopback-127.0.0.5`)
	leaksInChromium = append(strings.Fields(`link-dns link-prefetch link-manifest media-hls rtc-stun rtc-turn webtransport
		ws-stream payment fedcm nav-location nav-meta nav-open nav-form-post nav-frame-top nav-blob`), slices.DeleteFunc(
		slices.Clone(leaksInWebKit), func(name string) bool { return name == "media-mov" })...)
)

// browserLimits are the channels that leave a browser which a player opened for `conch serve` when the browser does
// not know the header Connection-Allowlist, and how far each gets; docs/security.md lists them. Nothing leaves the
// window on Linux, and nothing leaves a browser that knows the header.
var browserLimits = []struct {
	channel *regexp.Regexp
	how     string
}{
	{regexp.MustCompile(`^nav-form-`), "dns tcp"}, // form-action stops the request, a connection is made ahead of it
	{regexp.MustCompile(`^nav-`), "dns tcp http"},
	{regexp.MustCompile(`^(static-)?iframe$|^frame-`), "dns tcp"}, // as with forms
	{regexp.MustCompile(`-preconnect(-https)?$|-dns$`), "dns tcp"},
	{regexp.MustCompile(`^rtc-`), "dns tcp udp"},
	{regexp.MustCompile(`^loopback-`), "tcp"}, // a frame's connection ahead of time
}

func documented(channel string, how []string) bool {
	for _, limit := range browserLimits {
		if limit.channel.MatchString(channel) {
			return !slices.ContainsFunc(how, func(h string) bool { return !slices.Contains(strings.Fields(limit.how), h) })
		}
	}
	return false
}
