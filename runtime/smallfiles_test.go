package runtime

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The second request is answered from memory and looks like the first.
func TestSmallFilesFromMemory(t *testing.T) {
	f := files{"a.js": "0123456789", "empty.txt": ""}
	test := func(t *testing.T, g *player) {
		first := g.get("/a.js")
		etag := first.header.Get("Etag")
		requests := [][]string{
			nil, {"Range: bytes=2-3"}, {"Range: bytes=20-"}, {"Range: bytes=1-2,4-5"}, {"If-None-Match: " + etag}, {`If-None-Match: "x"`},
			{`If-Match: "x"`}, {"Range: bytes=2-3", `If-Range: "x"`}, {"Sec-Fetch-Dest: worker"}, {"Sec-Fetch-Dest: script"},
		}
		fresh := play(t, &Server{Bundle: g.Bundle, small: smallFiles{age: time.Hour}}) // keeps nothing of a folder
		for _, headers := range requests {
			for _, method := range []string{"GET", "HEAD"} {
				want, got := fresh.do(method, "/a.js", "", headers...), g.do(method, "/a.js", "", headers...)
				for _, name := range append([]string{"Date"}, g.policy.names...) { // known to be there
					want.header.Del(name)
					got.header.Del(name)
				}
				if want.status != got.status || want.body != got.body || fmt.Sprint(want.header) != fmt.Sprint(got.header) {
					t.Errorf("%s %v:\nfrom the file %v\nfrom memory   %v", method, headers, want, got)
				}
			}
		}
		if g.small.byName["a.js"] == nil {
			t.Error("the file was not kept")
		}
		for range 2 {
			g.get("/empty.txt").want(t, http.StatusOK, "")
			g.get("/A.js").want(t, http.StatusOK, "0123456789")
		}
		g.raw("GET /a.js HTTP/1.1", "Host: "+g.launch.host).want(t, http.StatusForbidden, "")
	}
	t.Run("folder", func(t *testing.T) { test(t, play(t, &Server{Bundle: folder(t, f), small: smallFiles{age: 1}})) })
	t.Run("zip", func(t *testing.T) { test(t, play(t, &Server{Bundle: zipped(t, f)})) })
}

func TestSmallFilesFollowTheFolder(t *testing.T) {
	g := play(t, &Server{Bundle: folder(t, files{"a.js": "1"}), small: smallFiles{age: 1}})
	old := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	for i := range 5 {
		text := itoa(i)
		next := filepath.Join(g.Bundle.Path, "next")
		rewrite(t, g.Bundle.Path, "next", text)
		os.Chtimes(next, old, old)
		if err := os.Rename(next, filepath.Join(g.Bundle.Path, "a.js")); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			g.get("/a.js").want(t, http.StatusOK, text)
		}
	}
	os.Remove(filepath.Join(g.Bundle.Path, "a.js"))
	g.get("/a.js").want(t, http.StatusNotFound, "*")
}

func TestSmallFilesAreBounded(t *testing.T) {
	f := files{"large.bin": strings.Repeat("x", maxSmallFile+1)}
	n := maxSmallFiles/maxSmallFile + 8
	for i := range n {
		f[itoa(i)+".bin"] = strings.Repeat("x", maxSmallFile)
	}
	g := play(t, &Server{Bundle: zipped(t, f)})
	g.get("/large.bin").want(t, http.StatusOK, f["large.bin"])
	if g.small.byName["large.bin"] != nil {
		t.Error("a large file was kept")
	}
	for i := range n {
		g.do("HEAD", "/"+itoa(i)+".bin", "")
		if g.small.bytes > maxSmallFiles || g.small.bytes != len(g.small.byName)*maxSmallFile {
			t.Fatalf("%d bytes in %d files", g.small.bytes, len(g.small.byName))
		}
	}
}
