package runtime

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
)

func gz(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return b.String()
}

func br(s string) string {
	var b bytes.Buffer
	w := brotli.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return b.String()
}

const unityLoader = "function createUnityInstance(canvas, config) { unityFramework }"

// Cases A1, A3, A4 and B9: Unity's compressed files arrive with the inner type and the original's bytes, whether the
// engine knows the coding or not.
func TestUnityTriple(t *testing.T) {
	text := map[string]string{
		"framework.js": strings.Repeat("var unityFramework = function() {}; ", 300),
		"wasm":         "\x00asm" + strings.Repeat("\x01\x02\x03 code", 5000),
		"data":         "UnityWebData1.0\x00" + strings.Repeat("data data data ", 3000),
	}
	kind := map[string]string{"framework.js": "text/javascript", "wasm": "application/wasm", "data": unknownType}
	for _, suffix := range []string{"br", "gz", "unityweb"} {
		pack, coding := gz, "gzip"
		if suffix == "br" {
			pack, coding = br, "br"
		}
		f := files{"Build/game.loader.js": unityLoader}
		for inner, content := range text {
			f["Build/game."+inner+"."+suffix] = pack(content)
		}
		t.Run(suffix, func(t *testing.T) {
			kinds(t, f, func(t *testing.T, g *player) {
				for inner, content := range text {
					path, packed := "/Build/game."+inner+"."+suffix, pack(content)
					coded := g.get(path, "Accept-Encoding: gzip, deflate, br;q=0.5")
					coded.want(t, http.StatusOK, packed)
					coded.wantHeader(t, "Content-Encoding", coding)
					coded.wantHeader(t, "Content-Length", strconv.Itoa(len(packed)))
					var etags []string
					for _, accept := range []string{"Accept-Encoding: identity", "Accept-Encoding: " + coding + ";q=0", "Accept: */*"} {
						plain := g.get(path, accept)
						plain.want(t, http.StatusOK, content)
						plain.wantHeader(t, "Content-Encoding", "")
						plain.wantHeader(t, "Content-Length", strconv.Itoa(len(content)))
						etags = append(etags, plain.header.Get("Etag"))
						for _, res := range []answer{coded, plain} {
							res.wantHeader(t, "Content-Type", kind[inner])
							if !strings.Contains(strings.Join(res.header.Values("Vary"), ","), "Accept-Encoding") {
								t.Errorf("Vary: got %q", res.header.Values("Vary"))
							}
						}
					}
					if etags[0] == coded.header.Get("Etag") || etags[0] != etags[1] {
						t.Errorf("ETags: coded %s, plain %v", coded.header.Get("Etag"), etags)
					}
					g.get(path, "If-None-Match: "+etags[0]).want(t, http.StatusNotModified, "")
					g.get(path, "Range: bytes=10-19").want(t, http.StatusPartialContent, content[10:20])
					g.get(path, "Range: bytes=-7").want(t, http.StatusPartialContent, content[len(content)-7:])
					head := g.do("HEAD", path, "", "Accept-Encoding: "+coding)
					head.want(t, http.StatusOK, "")
					head.wantHeader(t, "Content-Length", strconv.Itoa(len(packed)))
					g.get(strings.TrimSuffix(path, "."+suffix)).want(t, http.StatusNotFound, "*")
				}
			})
		})
	}
}

// Case B10 and corpus: files that the game inflates itself, or that are not what their name says, arrive untouched.
func TestCompressedFilesThatStayRaw(t *testing.T) {
	f := files{
		"index.wasm.gz": gz("\x00asm godot"), "save.br": "not brotli", "data.gz": "not gzip",
		"Build/game.loader.js": unityLoader, "Build/game.data.gz": "not gzip either", "Build/broken.data.br": "\x0b\x02\x80",
	}
	kinds(t, f, func(t *testing.T, g *player) {
		for _, name := range []string{"index.wasm.gz", "save.br", "data.gz", "Build/game.data.gz"} {
			for _, accept := range []string{"gzip, br", "identity"} {
				res := g.get("/"+name, "Accept-Encoding: "+accept)
				res.want(t, http.StatusOK, f[name])
				res.wantHeader(t, "Content-Encoding", "")
			}
		}
		g.get("/Build/broken.data.br").want(t, http.StatusOK, f["Build/broken.data.br"])
	})
}

// A file that is damaged after its beginning is found out when it is decoded, and goes out as it is.
func TestDamagedCompression(t *testing.T) {
	whole := gz(strings.Repeat("0123456789", 100_000) + fmt.Sprint(make([]int, 1000)))
	cut := whole[:len(whole)-20]
	kinds(t, files{"Build/game.loader.js": unityLoader, "Build/game.data.gz": cut}, func(t *testing.T, g *player) {
		res := g.get("/Build/game.data.gz")
		res.want(t, http.StatusOK, cut)
		res.wantHeader(t, "Content-Length", strconv.Itoa(len(cut)))
	})
}

// Content too large to be kept is decoded again for each sending, and ranges of it too.
func TestLargeDecoding(t *testing.T) {
	content := strings.Repeat("0123456789abcdef", 20_000)
	g := play(t, &Server{
		Bundle: folder(t, files{"Build/game.loader.js": unityLoader, "Build/game.data.br": br(content)}),
		sizes:  decodedSizes{keep: 100_000},
	})
	for range 2 {
		g.get("/Build/game.data.br").want(t, http.StatusOK, content)
	}
	g.get("/Build/game.data.br", "Range: bytes=300000-300015").want(t, http.StatusPartialContent, content[300000:300016])
	g.Close() // an answer may arrive before its handler has ended
	if busy := g.sizes.busy.Load(); busy != 0 {
		t.Errorf("%d decodings still count", busy)
	}
}

func TestAcceptEncoding(t *testing.T) {
	tests := []struct {
		header, coding string
		want           bool
	}{
		{"", "br", false}, {"gzip, deflate", "br", false}, {"gzip, deflate", "gzip", true}, {"gzip, deflate, br, zstd", "br", true},
		{"BR", "br", true}, {"br;q=0", "br", false}, {"br;q=0.0", "br", false}, {"br ; q=0.1", "br", true}, {"*", "br", true},
		{"*;q=0", "gzip", false}, {"br;q=0, *", "br", false}, {"*, br;q=0", "br", false}, {"brx", "br", false}, {"x-gzip", "gzip", true},
		{"br;q=x", "br", false},
	}
	for _, tt := range tests {
		if got := accepts([]string{tt.header}, tt.coding); got != tt.want {
			t.Errorf("accepts(%q, %s): got %v", tt.header, tt.coding, got)
		}
	}
}
