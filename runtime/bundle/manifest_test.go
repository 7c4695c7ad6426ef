package bundle

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const fullManifest = `{
  // the editor finds the schema here
  "$schema": "../docs/conch.schema.json",
  "format": 1,
  "id": "com.example.mygame",
  "name": "My Game",
  "version": "1.2.3",
  "entry": "index.html",
  "icon": "./icons/icon.png",
  "app": { "company": "Example Games", "copyright": "© Example", "description": "Sail.", "categories": ["ActionGame"] },
  "window": {
    "title": "My Game – beta",
    "width": 960, "height": 600, "minWidth": 320, "minHeight": 200,
    "resizable": false, "fullscreen": true,
    "background": "#1A2b3c", /* behind the page */
  },
  "network": {
    "allowedHosts": ["Play.example.net:8081   # ours", "*.example.net", "# nothing", "localhost:8080"],
    "allowAnyHost": true,
    "origin": "https://game.example.net:443",
    "webHosts": ["cdn.example.net", "*.img.example.net:443"],
    "proxy": { "/socket.io/": "https://play.example.net:8081", "/api/v1/": "HTTP://LOCALHOST:8080" },
  },
  "web": { "isolation": "on", "permissions": ["microphone", "clipboard-read"], "devtools": true, },
  "update": { "feed": "https://Games.example.net:443/my/feed.json" },
}
`

func gameWith(manifest string) files {
	return files{"index.html": plainPage, "icons/icon.png": "png", "conch.json": manifest}
}

func TestManifestFull(t *testing.T) {
	b := open(t, folder(t, gameWith(fullManifest)), Options{})
	want := Manifest{
		Format: 1, ID: "com.example.mygame", Name: "My Game", Version: "1.2.3", Entry: "index.html", Icon: "icons/icon.png",
		App:    App{Company: "Example Games", Copyright: "© Example", Description: "Sail.", Categories: []string{"ActionGame"}},
		Window: Window{Title: "My Game – beta", Width: 960, Height: 600, MinWidth: 320, MinHeight: 200, Fullscreen: true, Background: "#1A2b3c"},
		Network: Network{
			AllowedHosts: []string{"Play.example.net:8081   # ours", "*.example.net", "# nothing", "localhost:8080"},
			AllowAnyHost: true, Origin: "https://game.example.net",
			WebHosts: []string{"cdn.example.net", "*.img.example.net"},
			Proxy:    map[string]string{"/socket.io/": "https://play.example.net:8081", "/api/v1/": "http://localhost:8080"},
		},
		Web:    Web{Isolation: "on", Permissions: []string{"microphone", "clipboard-read"}, Devtools: true},
		Update: Update{Feed: "https://games.example.net/my/feed.json"},
	}
	if !reflect.DeepEqual(b.Manifest, want) || !b.HasManifest {
		t.Errorf("got  %+v\nwant %+v", b.Manifest, want)
	}
	if got := b.Hosts.Patterns(); !slices.Equal(got, []string{"play.example.net:8081", "*.example.net", "localhost:8080"}) {
		t.Errorf("Hosts %q", got)
	}
	if !b.Isolated() {
		t.Error("isolation on is not isolated")
	}
}

func TestManifestDefaults(t *testing.T) {
	for name, f := range map[string]files{"no manifest": {"index.html": plainPage}, "smallest manifest": gameWith(`{"format":1}`)} {
		b := open(t, folder(t, f), Options{})
		want := DefaultManifest()
		want.Entry, want.Window.Title = "index.html", "A game"
		if !reflect.DeepEqual(b.Manifest, want) {
			t.Errorf("%s: got %+v\nwant %+v", name, b.Manifest, want)
		}
		if b.HasManifest != (name != "no manifest") {
			t.Errorf("%s: HasManifest %v", name, b.HasManifest)
		}
		if len(b.Hosts.Patterns()) != 0 {
			t.Errorf("%s: hosts %q", name, b.Hosts.Patterns())
		}
	}
}

func TestManifestHostsAsText(t *testing.T) {
	for _, manifest := range []string{
		`{"format":1,"network":{"allowedHosts":"# ours\r\na.example.net\n*.b.example.net:8081 # x\n"}}`,
		`{"format":1,"network":{"allowedHosts":["# ours\na.example.net","*.b.example.net:8081 # x"]}}`,
		"\ufeff" + `{"format":1,"network":{"allowedHosts":["a.example.net","*.b.example.net:8081"]}}`,
	} {
		b := open(t, folder(t, gameWith(manifest)), Options{})
		if got := b.Hosts.Patterns(); !slices.Equal(got, []string{"a.example.net", "*.b.example.net:8081"}) {
			t.Errorf("%s: %q", manifest, got)
		}
	}
}

// Every mistake says where it is, which setting it is, and what to write.
func TestManifestErrors(t *testing.T) {
	in := func(section, body string) string {
		return "{\n  \"format\": 1,\n  \"" + section + "\": {\n    " + body + "\n  }\n}"
	}
	tests := []struct{ name, manifest, want string }{
		{"no format", `{}`, `conch.json:1:1: format: is missing; write "format": 1`},
		{"other format", `{"format": 2}`, "conch.json:1:12: format: 2 is not known"},
		{"format as text", `{"format": "1"}`, `conch.json:1:12: format: must be a whole number without quotes, not "1"`},
		{"not an object", `[1]`, "conch.json:1:1: a manifest is an object"},
		{"empty file", "", "conch.json:1:1: the file is empty"},
		{"comment only", "// soon\n", "conch.json:2:1:"},
		{"syntax", "{\n  \"format\": 1\n  \"name\": \"x\"\n}", "conch.json:3:3:"},
		{"unclosed", "{\n \"format\": 1", "conch.json:2:13:"},
		{"UTF-16", "\xff\xfe{\x00}\x00", "save it as UTF-8"},
		{"Latin-1", "{\"format\":1,\n\"name\": \"T\xfcr\"}", "conch.json:2:11: not valid UTF-8"},
		{"unknown key", `{"format": 1, "nmae": "x"}`, `conch.json:1:15: nmae: unknown setting; did you mean "name"?`},
		{"key in other case", `{"format": 1, "Window": {}}`, `Window: unknown setting; did you mean "window"?`},
		{"key with underscore", in("network", `"allowed_hosts": []`), `conch.json:4:5: network.allowed_hosts: unknown setting; did you mean "network.allowedHosts"?`},
		{"key in the wrong place", `{"format": 1, "width": 3}`, `did you mean "window.width"?`},
		{"key like no other", `{"format": 1, "steam": true}`, "steam: unknown setting; remove it"},
		{"schema inside", in("window", `"$schema": "x"`), "window.$schema: unknown"},
		{"schema not text", `{"format":1,"$schema":1}`, "$schema: must be text"},
		{"twice", `{"format": 1, "name": "a", "name": "b"}`, "conch.json:1:28: name: is set twice"},
		{"null", `{"format": 1, "name": null}`, "leave the key out"},
		{"column counts characters", `{"format": 1, "name": "äöü", "x": 1}`, "conch.json:1:30: x:"},
		{"text for a flag", in("window", `"resizable": "yes"`), `window.resizable: must be true or false, not "yes"`},
		{"list for an object", `{"format":1,"web":[]}`, "web: must be an object: { ... }, not a list"},
		{"fraction", in("window", `"width": 12.5`), "window.width: must be a whole number"},
		{"huge number", in("window", `"width": 99999999999999999999`), "window.width: must be a whole number"},
		{"too small", in("window", `"width": 10`), "conch.json:4:14: window.width: must be from 64 to 16384"},
		{"minimum above size", in("window", `"width": 300, "minWidth": 400`), "window.minWidth: is larger than the width, 300"},
		{"minimum above default", in("window", `"minHeight": 800`), "window.minHeight: is larger than the height, 720"},
		{"colour name", in("window", `"background": "black"`), `must be a colour like "#1a2b3c"`},
		{"control character", in("window", `"title": "a\u0007b"`), "window.title: contains control"},
		{"bidi override in the name", `{"format":1,"name":"a\u202eb"}`, "name: contains control or text-direction"},
		{"long name", `{"format":1,"name":"` + strings.Repeat("n", 101) + `"}`, "at most 100"},
		{"id", `{"format":1,"id":"my game"}`, `for example "com.example.mygame"`},
		{"entry outside", `{"format":1,"entry":"../x.html"}`, "entry: must be a file inside the game"},
		{"entry with backslash", `{"format":1,"entry":"a\\b.html"}`, `write folders with /: "a/b.html"`},
		{"entry absent", `{"format":1,"entry":"start.html"}`, `conch.json:1:21: entry: there is no page "start.html" in the game; pages found: "index.html"`},
		{"icon absent", `{"format":1,"icon":"icon.png"}`, `icon: there is no file "icon.png"`},
		{"icon type", `{"format":1,"icon":"icon.ico"}`, "icon: must be a .png file"},
		{"host list line", in("network", "\"allowedHosts\": [\n      \"ok.example.net\",\n      \"https://x.net/a\"\n    ]"), `conch.json:6:7: network.allowedHosts: "https://x.net/a": this is an address`},
		{"host list text", in("network", `"allowedHosts": "ok.example.net\n*"`), `network.allowedHosts: line 2: "*": * alone`},
		{"host list of numbers", in("network", `"allowedHosts": [1]`), "network.allowedHosts[0]: must be text"},
		{"public suffix", in("network", `"allowedHosts": ["*.co.uk"]`), "anybody can register"},
		{"origin with path", in("network", `"origin": "https://game.example.net/"`), "network.origin: must be like"},
		{"origin over http", in("network", `"origin": "http://game.example.net"`), "write https"},
		{"origin scheme", in("network", `"origin": "file://x"`), `not "file"`},
		{"origin bare", in("network", `"origin": "game.example.net"`), "without a path"},
		{"web host port", in("network", `"webHosts": ["cdn.example.net:8443"]`), `write "cdn.example.net"`},
		{"web host address", in("network", `"webHosts": ["192.168.1.1"]`), "names only"},
		{"web host here", in("network", `"webHosts": ["localhost"]`), "names only"},
		{"web host of one label", in("network", `"webHosts": ["cdn"]`), "full host name"},
		{"web host URL", in("network", `"webHosts": ["https://cdn.example.net"]`), "write only the host"},
		{"proxy prefix", in("network", `"allowedHosts":["a.net"], "proxy": {"socket.io": "https://a.net"}`), "must start and end with /"},
		{"proxy of everything", in("network", `"allowedHosts":["a.net"], "proxy": {"/": "https://a.net"}`), "must start and end with /"},
		{"proxy with dots", in("network", `"allowedHosts":["a.net"], "proxy": {"/a/../b/": "https://a.net"}`), "must start and end with /"},
		{"proxy of our paths", in("network", `"allowedHosts":["a.net"], "proxy": {"/__conch/x/": "https://a.net"}`), "belong to Conch"},
		{"proxy to an unlisted host", in("network", `"proxy": {"/api/": "https://a.example.net:8443"}`), `"a.example.net:8443" is not in network.allowedHosts`},
		{"proxy over http", in("network", `"allowedHosts":["a.net"], "proxy": {"/api/": "http://a.net"}`), "write https"},
		{"proxy with path", in("network", `"allowedHosts":["a.net"], "proxy": {"/api/": "https://a.net/x"}`), "without a path"},
		{"proxy twice", in("network", `"allowedHosts":["a.net"], "proxy": {"/api/": "https://a.net", "/api/": "https://a.net"}`), "is set twice"},
		{"isolation", in("web", `"isolation": true`), "web.isolation: must be text"},
		{"isolation word", in("web", `"isolation": "yes"`), `must be one of "auto", "on", "off"`},
		{"permission", in("web", `"permissions": ["usb"]`), `"usb" is not a permission; there are "camera"`},
		{"gamepad", in("web", `"permissions": ["gamepad"]`), "gamepads always work"},
		{"feed over http", "{\n \"format\": 1, \"version\": \"1.0.0\",\n \"update\": {\"feed\": \"http://a.net/f\"}\n}", "conch.json:3:21: update.feed: needs the form https://host/path"},
		{"feed at an address", `{"format":1,"version":"1.0.0","update":{"feed":"https://10.0.0.1/f"}}`, "update.feed: the host must be a name of the internet"},
		{"feed without version", `{"format":1,"update":{"feed":"https://a.net/f"}}`, `conch.json:1:30: update.feed: with update.feed the version must have three numbers, such as "1.2.0"; it is ""`},
		{"feed with a free version", `{"format":1,"version":"beta 3","update":{"feed":"https://a.net/f"}}`, `conch.json:1:23: version: with update.feed`},
		{"feed with a short version", `{"format":1,"version":"1.2","update":{"feed":"https://a.net/f"}}`, `it is "1.2"`},
		{"feed with v", `{"format":1,"version":"v1.2.0","update":{"feed":"https://a.net/f"}}`, `it is "v1.2.0"`},
		{"permission twice", in("web", `"permissions": ["camera", "camera"]`), "listed twice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := Open(folder(t, gameWith(tt.manifest)), Options{})
			if err == nil {
				b.Close()
			}
			wantError(t, err, tt.want)
			var me *ManifestError
			if !errors.As(err, &me) || me.Line < 1 || me.Column < 1 || me.File != "conch.json" {
				t.Errorf("error %#v is not a *ManifestError with a place", err)
			}
		})
	}
}

func TestManifestReportsAllMistakes(t *testing.T) {
	_, err := Open(folder(t, gameWith("{\n\"formt\": 1,\n\"entry\": \"x.html\",\n\"window\": {\"width\": \"wide\", \"background\": \"red\"},\n\"web\": {\"permissions\": [\"usb\"]}\n}")), Options{})
	wantError(t, err, "conch.json:1:1: format", "conch.json:2:1: formt", "conch.json:3:10: entry", "conch.json:4:21: window.width", "conch.json:4:43: window.background", "conch.json:5:25: web.permissions[0]")
	if n := strings.Count(err.Error(), "\n"); n != 5 {
		t.Errorf("%d lines in %q", n+1, err)
	}
}

func TestManifestInsideThePage(t *testing.T) {
	page := func(body string) []byte {
		return []byte("<!doctype html>\n<title>Solo</title>\n<script>var a = '<script>'</script>\n<script type=\"application/conch+json\">\n" + body + "\n</script><p>")
	}
	b := open(t, diskFile(t, "solo.html", page(`{"format":1, "name":"Inside", "network":{"allowedHosts":["a.example.net"],},}`)), Options{})
	if !b.HasManifest || b.Title != "Inside" || len(b.Hosts.Patterns()) != 1 {
		t.Errorf("manifest %+v", b.Manifest)
	}
	_, err := Open(diskFile(t, "solo.html", page("{\"format\":1,\n \"nam\":\"x\"}")), Options{})
	wantError(t, err, `index.html:6:2: nam: unknown setting; did you mean "name"?`)
	_, err = Open(diskFile(t, "solo.html", page(`{"format":1,"entry":"index.html"}`)), Options{})
	wantError(t, err, "index.html:5:21: entry: a manifest inside a page cannot choose the entry")
	_, err = Open(diskFile(t, "solo.html", page("")), Options{})
	wantError(t, err, "index.html:4:39: the file is empty")

	b = open(t, folder(t, files{"index.html": string(page(`{"format":1,"name":"Inside"}`)), "conch.json": `{"format":1,"name":"Beside"}`}), Options{})
	if b.Title != "Beside" {
		t.Errorf("title %q", b.Title)
	}
	if p := b.Inspect().Problems; len(p) != 1 || !strings.Contains(p[0].Text, "is not read") {
		t.Errorf("problems %+v", p)
	}
}

func TestManifestTooLarge(t *testing.T) {
	_, err := Open(folder(t, gameWith(`{"format":1}`+strings.Repeat(" ", maxManifest))), Options{})
	wantError(t, err, "larger than")
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte(fullManifest))
	f.Add([]byte(`{"format":1,"network":{"allowedHosts":"a\nb"},"x":[{}]}`))
	f.Add([]byte("{\"format\":1,\"format\":2}"))
	f.Add([]byte("\xef\xbb\xbf{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		src := manifestSource{file: "conch.json", text: append([]byte("<x>\n"), data...), data: data, start: 4}
		m, d := decodeManifest(src)
		hosts := d.validate(&m)
		for _, e := range d.errs {
			if e.Line < 2 || e.Column < 1 || e.Text == "" {
				t.Fatalf("mistake without a place: %+v", e)
			}
		}
		if d.err() != nil {
			return
		}
		if m.Format != 1 || m.Window.Width < minWindow || m.Window.MinWidth > m.Window.Width || !slices.Contains(Isolations, m.Web.Isolation) {
			t.Fatalf("accepted %+v", m)
		}
		if m.Network.AllowedHosts == nil || m.Network.WebHosts == nil || m.Network.Proxy == nil || m.Web.Permissions == nil {
			t.Fatalf("nil list in %+v", m)
		}
		// What was accepted is accepted again in its canonical form.
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var loose map[string]any
		if err := json.Unmarshal(text, &loose); err != nil {
			t.Fatal(err)
		}
		for _, k := range []string{"id", "entry", "icon"} {
			if loose[k] == "" {
				delete(loose, k)
			}
		}
		text, _ = json.Marshal(loose)
		again, d := decodeManifest(manifestSource{file: "conch.json", text: text, data: text})
		hosts2 := d.validate(&again)
		if err := d.err(); err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		if !reflect.DeepEqual(again, m) || !slices.Equal(hosts.Patterns(), hosts2.Patterns()) {
			t.Fatalf("%+v\n%+v", m, again)
		}
	})
}
