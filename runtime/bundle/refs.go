package bundle

import (
	"bytes"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"conch/consent/hostlist"
)

var cssURL = regexp.MustCompile(`url\(\s*(?:"([^"\n]+)"|'([^'\n]+)'|([^"')\s]+))\s*\)|@import\s+["']([^"'\n]+)["']`)

// assetTypes are the extensions by which a quoted text is taken for the name of a file.
var assetTypes = func() map[string]bool {
	m := map[string]bool{}
	for _, ext := range strings.Fields(`png jpg jpeg gif webp svg ico bmp ogg oga mp3 wav m4a flac opus webm mp4 ogv js mjs css json xml txt
		csv tmx tsx fnt ttf otf woff woff2 wasm data pck glb gltf fbx obj mtl bin atlas html htm efkefc rpgmvp rpgmvo rpgmvm png_ ogg_`) {
		m["."+ext] = true
	}
	return m
}()

func cssRefs(text []byte) []ref {
	var refs []ref
	for _, m := range cssURL.FindAllSubmatch(text, -1) {
		for _, g := range m[1:] {
			if len(g) > 0 && len(g) <= 500 {
				refs = append(refs, ref{url: string(g), tag: "css"})
			}
		}
	}
	return refs
}

// refs checks the addresses that a page or a style sheet names.
func (in *inspector) refs(from, base string, refs []ref) {
	for _, r := range refs {
		if host := hostOf(r.url); host != "" {
			if r.loads() {
				in.host(host, "load", from)
			}
			continue
		}
		name, ok := resolve(from, base, r.url)
		if !ok || in.served(name) {
			continue
		}
		if other := in.otherCase(name); other != "" {
			in.caseProblem(from, name, other)
			continue
		}
		if r.loads() && !strings.HasPrefix(r.url, "#") {
			in.missing(from, name, r)
		}
	}
}

// served reports whether the server will find a name of the bundle, or hands it on through network.proxy.
func (in *inspector) served(name string) bool {
	if _, ok := in.exact[name]; ok {
		return true
	}
	for prefix := range in.b.Manifest.Network.Proxy {
		if strings.HasPrefix("/"+name, prefix) {
			return true
		}
	}
	if in.files < inspectFiles {
		return false
	}
	info, err := fs.Stat(in.b.FS, name) // the index is not complete
	return err == nil && !info.IsDir()
}

// otherCase gives the file whose name differs from name only in letter case or in composed accents.
func (in *inspector) otherCase(name string) string {
	if others := in.folded[fold(name)]; len(others) > 0 && !slices.Contains(others, name) {
		return others[0]
	}
	return ""
}

func (in *inspector) caseProblem(from, want, have string) {
	in.add("case", Problem{Level: Warning, File: from,
		Text: fmt.Sprintf("names %q, but the file is %q; it plays here, but not on a web server that tells the letters apart", want, have),
		Fix:  "spell both the same"})
}

func (in *inspector) missing(from, name string, r ref) {
	p := Problem{Level: Warning, File: from, Text: fmt.Sprintf("names %q, which is not in the game", name), Fix: "add the file or remove the reference"}
	if r.tag == "script" {
		p.Level = Error
	}
	switch {
	case r.tag == "css" || hasWord(r.rel, "icon") || hasWord(r.rel, "manifest") || hasWord(r.rel, "apple-touch-icon"):
		p.Level = Note
	case strings.HasPrefix(name, "socket.io/"):
		p.Fix = `the game talks to its own server: map "/socket.io/" to it in network.proxy`
	case in.b.Kind == HTML:
		p.Fix = "open the folder with all files of the export, not only the page"
	case strings.HasPrefix(r.url, "../"):
		p.Fix = `the page reaches above its own folder: open the folder above and set "entry"`
	case strings.HasPrefix(r.url, "/"):
		p.Fix = "the address starts at the top of the site: open the folder that is the site's top, or export with relative paths"
	}
	if from != in.b.Entry && p.Level == Error {
		p.Level = Warning
	}
	in.add("missing", p)
}

// strings looks at quoted texts of scripts and data. Whether one is a file name cannot be known, so only those are
// reported that name a file in another letter case.
func (in *inspector) strings(from string, text []byte) {
	seen := map[string]bool{}
	for quoted := range quotedTexts(text) {
		if !assetTypes[strings.ToLower(path.Ext(string(quoted)))] || seen[string(quoted)] {
			continue
		}
		s := string(quoted)
		if seen[s] = true; len(seen) > inspectNames {
			break
		}
		if strings.Contains(s, "://") || strings.HasPrefix(s, "//") || !in.bases[fold(path.Base(s))] {
			continue
		}
		var tries []string
		for _, base := range []string{from, in.b.Entry, "index.html"} {
			if name, ok := resolve(base, "", strings.ReplaceAll(s, "%", "%25")); ok {
				tries = append(tries, name)
			}
		}
		if slices.ContainsFunc(tries, in.served) {
			continue
		}
		for _, name := range tries {
			if other := in.otherCase(name); other != "" {
				in.caseProblem(from, name, other)
				break
			}
		}
	}
	if strings.HasPrefix(in.engine, "RPG Maker") {
		in.makerNames(from, text)
	}
}

// quotedTexts yields what stands between two quotes of one line, 3 to 200 bytes long. Where a text begins is not
// known without parsing, so what stands between two texts is yielded as well.
func quotedTexts(text []byte) iter.Seq[[]byte] {
	const quotes = "\"'`\n"
	return func(yield func([]byte) bool) {
		start := -1
		for at := 0; at < len(text); {
			i := bytes.IndexAny(text[at:], quotes)
			if i < 0 {
				return
			}
			end := at + i
			if start >= 0 && end-start >= 3 && end-start <= 200 && !yield(text[start:end]) {
				return
			}
			start, at = end+1, end+1
			if text[end] == '\n' {
				start = -1
			}
		}
	}
}

// RPG Maker names its pictures and sounds without folder and extension, in these places.
var (
	makerName = regexp.MustCompile(`ImageManager\.(?:load|reserve|request)[A-Za-z0-9]+\(\s*["']([^"'\n]+)["']|` +
		`"(?:characterName|faceName|battlerName|parallaxName|battleback[12]Name|title[12]Name)":"([^"]+)"|"name":"([^"]+)","pan":`)
	makerTiles = regexp.MustCompile(`"tilesetNames":\[([^\]]*)\]`)
)

func (in *inspector) makerNames(from string, text []byte) {
	var names []string
	for _, m := range makerName.FindAllSubmatch(text, 20000) {
		names = append(names, string(m[1])+string(m[2])+string(m[3]))
	}
	for _, m := range makerTiles.FindAllSubmatch(text, 2000) {
		for s := range strings.SplitSeq(string(m[1]), ",") {
			names = append(names, strings.Trim(s, `" `))
		}
	}
	stems := in.makerStems()
	for _, name := range names {
		if have := stems[fold(name)]; len(have) > 0 && !slices.Contains(have, name) {
			in.caseProblem(from, name, have[0])
		}
	}
}

// makerStems maps the folded names of the assets, without folder and extension, to their spellings.
func (in *inspector) makerStems() map[string][]string {
	if in.stems != nil {
		return in.stems
	}
	in.stems = map[string][]string{}
	for name := range in.exact {
		top, _, _ := strings.Cut(name, "/")
		if top != "img" && top != "audio" && top != "effects" && top != "movies" {
			continue
		}
		stem := strings.TrimSuffix(path.Base(name), path.Ext(name))
		in.stems[fold(stem)] = append(in.stems[fold(stem)], stem)
	}
	return in.stems
}

// quietHosts and the names below them are written into nearly every script without being contacted: namespaces,
// licences, documentation.
var quietHosts = func() map[string]bool {
	m := map[string]bool{}
	for _, h := range strings.Fields(`w3.org schema.org json-schema.org ns.adobe.com purl.org opensource.org apache.org gnu.org
		mozilla.org mozilla.com github.com githubusercontent.com stackoverflow.com wikipedia.org whatwg.org
		ecma-international.org npmjs.com developer.apple.com developer.chrome.com chromium.org webkit.org
		creativecommons.org mit-license.org example.com example.org example.net docs.unity3d.com godotengine.org
		emscripten.org jquery.com jquery.org reactjs.org vuejs.org caniuse.com khronos.org unicode.org`) {
		m[h] = true
	}
	return m
}()

// mentions collects the hosts of absolute addresses in a text.
func (in *inspector) mentions(from string, text []byte) {
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte("://"))
		if i < 0 {
			return
		}
		before := bytes.ToLower(text[max(at, at+i-5) : at+i])
		at += i + 3
		use := ""
		switch {
		case bytes.HasSuffix(before, []byte("http")), bytes.HasSuffix(before, []byte("https")):
			use = "text"
		case bytes.HasSuffix(before, []byte("ws")), bytes.HasSuffix(before, []byte("wss")):
			use = "socket"
		default:
			continue
		}
		rest := text[at:min(len(text), at+300)]
		end := bytes.IndexFunc(rest, func(r rune) bool { return !strings.ContainsRune(hostChars, r) })
		if end < 0 {
			end = len(rest)
		}
		in.host(strings.TrimRight(strings.ToLower(string(rest[:end])), ".:"), use, from)
	}
}

const hostChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:[]"

// hostOf is the host of an absolute or protocol-relative http(s) or ws(s) address, "" for all others.
func hostOf(ref string) string {
	u, err := url.Parse(likeBrowser(ref))
	if err != nil || u.Host == "" {
		return ""
	}
	switch strings.ToLower(u.Scheme) {
	case "", "http", "https", "ws", "wss":
		return strings.ToLower(u.Host)
	}
	return ""
}

// host notes one place where a host is used. The strongest use wins: load, socket, text.
func (in *inspector) host(name, use, file string) {
	if name == "" || !strings.Contains(name, ".") && !strings.HasPrefix(name, "localhost") && !strings.HasPrefix(name, "[") {
		return
	}
	h, ok := in.hosts[name]
	if !ok {
		if len(in.hosts) >= 1000 || use == "text" && quiet(name) {
			return
		}
		h = &Host{Name: name, Use: use}
		in.hosts[name] = h
	}
	rank := map[string]int{"text": 0, "socket": 1, "load": 2}
	if rank[use] > rank[h.Use] {
		h.Use = use
	}
	if len(h.Files) < 10 && !slices.Contains(h.Files, file) {
		h.Files = append(h.Files, file)
	}
}

func quiet(name string) bool {
	for {
		if quietHosts[name] {
			return true
		}
		_, rest, ok := strings.Cut(name, ".")
		if !ok {
			return false
		}
		name = rest
	}
}

func (in *inspector) hostList() []Host {
	list := []Host{}
	for _, name := range sortedKeys(in.hosts) {
		list = append(list, *in.hosts[name])
	}
	return list
}

// hostProblems compares the hosts found with the ones the manifest allows.
func (in *inspector) hostProblems() {
	web, _ := hostlist.ParseList(in.b.Manifest.Network.WebHosts)
	var text []string
	for _, h := range in.hostList() {
		t, err := hostlist.ParseTarget("wss://" + h.Name)
		switch {
		case err != nil:
		case h.Use == "load" && !web.Match(t):
			in.add("host", Problem{Level: Warning, File: h.Files[0], Text: fmt.Sprintf("loads from %s, which is not reached", h.Name),
				Fix: fmt.Sprintf("put the files into the game, or list %s in network.webHosts", quoted(t.Host))})
		case h.Use == "socket" && !in.b.Hosts.Match(t):
			in.add("host", Problem{Level: Warning, File: h.Files[0], Text: fmt.Sprintf("has the socket address of %s, which is not an allowed host", h.Name),
				Fix: fmt.Sprintf("if the game plays there, list %s in network.allowedHosts", quoted(h.Name))})
		case h.Use == "text" && !web.Match(t) && !in.b.Hosts.Match(t):
			text = append(text, h.Name)
		}
	}
	if len(text) > 0 {
		in.add("host", Problem{Level: Note, Text: "addresses of other hosts are written in the files: " + strings.Join(capped(text, 20), ", "),
			Fix: "if the game needs one of them, list it in network.webHosts (https) or network.allowedHosts (sockets)"})
	}
}
