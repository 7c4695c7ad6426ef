//go:build e2e

package e2e

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
)

func gzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func brotlied(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := brotli.NewWriter(&b)
	w.Write(data)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// addOne is a WebAssembly module that exports add: i32 -> i32, one more.
var addOne = []byte("\x00asm\x01\x00\x00\x00\x01\x06\x01\x60\x01\x7f\x01\x7f\x03\x02\x01\x00\x07\x07\x01\x03add\x00\x00\x0a\x09\x01\x07\x00\x20\x00\x41\x01\x6a\x0b")

// unityBuild is what a Unity build leaves in Build/: three files, compressed in one of its ways.
func unityBuild(t *testing.T, ext string, compress func(*testing.T, []byte) []byte) (files map[string]string, plain map[string][]byte) {
	t.Helper()
	plain = map[string][]byte{
		"game.framework.js" + ext: []byte("var unityFramework = " + `"` + strings.Repeat("framework ", 400) + `"`),
		"game.data" + ext:         append([]byte("UnityWebData1.0\x00"), noise(200_000)...),
		"game.wasm" + ext:         addOne,
	}
	files = map[string]string{"Build/game.loader.js": "function createUnityInstance(canvas, config) {}"}
	for name, data := range plain {
		files["Build/"+name] = string(compress(t, data))
	}
	return files, plain
}

var unityWays = []struct {
	name, ext, coding string
	compress          func(*testing.T, []byte) []byte
}{
	{"br", ".br", "br", brotlied},
	{"gz", ".gz", "gzip", gzipped},
	{"unityweb gzip", ".unityweb", "gzip", gzipped},
	{"unityweb brotli", ".unityweb", "br", brotlied},
}

// TestUnityBuildsArriveDecoded: the compressed files of a Unity build have the type of what is inside, and the client
// gets the same bytes whether or not it lists the coding.
func TestUnityBuildsArriveDecoded(t *testing.T) {
	kinds := map[string]string{".js": "text/javascript", ".data": "application/octet-stream", ".wasm": "application/wasm"}
	for _, way := range unityWays {
		t.Run(way.name, func(t *testing.T) {
			files, plain := unityBuild(t, way.ext, way.compress)
			_, v := visit(t, newHome(t), folderOf(t, files))
			for name, data := range plain {
				kind := kinds[path.Ext(strings.TrimSuffix(name, way.ext))]
				for _, accepted := range []string{"gzip, deflate", "gzip, deflate, br, zstd", "br", "identity", ""} {
					got := v.get(t, "/Build/"+name, "Accept-Encoding", accepted)
					listed := strings.Contains(accepted, way.coding)
					want := data
					if listed {
						want = []byte(files["Build/"+name])
					}
					if got.status != 200 || !bytes.Equal(got.body, want) || got.header.Get("Content-Type") != kind ||
						(got.header.Get("Content-Encoding") == way.coding) != listed || got.header.Get("Content-Length") != fmt.Sprint(len(want)) ||
						got.header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(strings.Join(got.header["Vary"], ","), "Accept-Encoding") {
						t.Errorf("%s for %q: status %d, %d bytes, %v", name, accepted, got.status, len(got.body), got.header)
					}
				}
				if got := v.get(t, "/Build/"+name, "Accept-Encoding", "identity", "Range", "bytes=3-10"); got.status != 206 || !bytes.Equal(got.body, data[3:11]) {
					t.Errorf("%s: range of the decoded file: status %d, %q", name, got.status, got.body)
				}
			}
		})
	}
}

// TestUnityBuildsLoad: in both engines a page loads such a build as Unity's loader does: the script as a script, the
// WebAssembly streaming, the data by fetch.
func TestUnityBuildsLoad(t *testing.T) {
	inBoth(t, func(t *testing.T, e engine) {
		r := newReporter(t)
		files := map[string]string{"index.html": page(`
const load = async ext => {
  await new Promise((ok, no) => {
    const s = document.createElement('script')
    s.src = ext.dir + '/Build/game.framework.js' + ext.ext; s.onload = ok; s.onerror = () => no(new Error('script ' + s.src))
    document.body.append(s)
  })
  const wasm = await WebAssembly.instantiateStreaming(fetch(ext.dir + '/Build/game.wasm' + ext.ext))
  const data = await (await fetch(ext.dir + '/Build/game.data' + ext.ext)).arrayBuffer()
  return [unityFramework.length, wasm.instance.exports.add(41), data.byteLength].join(' ')
}
for (const ext of [{ dir: 'br', ext: '.br' }, { dir: 'gz', ext: '.gz' }, { dir: 'uwgz', ext: '.unityweb' }, { dir: 'uwbr', ext: '.unityweb' }]) {
  report(ext.dir, await load(ext).catch(String))
}`)}
		dirs := []string{"br", "gz", "uwgz", "uwbr"}
		for i, way := range unityWays {
			build, _ := unityBuild(t, way.ext, way.compress)
			for name, text := range build {
				files[dirs[i]+"/"+name] = text
			}
		}
		e.open(t, newHome(t), r.game(t, ``, nil, files))
		for _, dir := range dirs {
			if got := r.waitString(dir); got != "4000 42 200016" {
				t.Errorf("%s: %s", dir, got)
			}
		}
	})
}
