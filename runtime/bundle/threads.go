package bundle

import (
	"bytes"
	"path"
	"regexp"
	"strings"
)

// Bounds of the look for threads, which happens at each start.
const (
	threadFile  = 4 << 20  // bytes of one script
	threadFiles = 32       // scripts
	threadTotal = 32 << 20 // bytes of all
)

var (
	godotThreads = regexp.MustCompile(`GODOT_THREADS_ENABLED\s*=\s*true`)
	sharedMemory = regexp.MustCompile(`^WebAssembly\.Memory\(\{[^}]*\bshared["']?\s*:\s*(?:true|!0)`)
)

// needsThreads looks for shared memory in the page, its scripts, the worker scripts of Emscripten beside it and
// Unity's framework.
func (b *Bundle) needsThreads() bool {
	c := b.clues()
	if usesThreads(c.html) || c.has("coi-serviceworker", "coi.serviceworker") {
		return true
	}
	names := append([]string{}, c.scripts...)
	for _, dir := range []string{".", "Build"} {
		for _, n := range c.list(dir) {
			if strings.HasSuffix(n, ".worker.js") || strings.Contains(n, ".framework.js") {
				names = append(names, path.Join(c.dir, dir, n))
			}
		}
	}
	left := threadTotal
	for _, name := range capped(names, threadFiles) {
		text, err := b.readText(name, int64(min(left, threadFile)))
		if err != nil {
			continue
		}
		if left -= len(text); strings.HasSuffix(name, ".worker.js") && bytes.Contains(text, []byte("wasmMemory")) {
			return true
		}
		if usesThreads(text) {
			return true
		}
	}
	return false
}

// usesThreads looks for the marks that Emscripten and engines leave in code with threads. That a script asks whether
// SharedArrayBuffer exists is none.
func usesThreads(text []byte) bool {
	if bytes.Contains(text, []byte("em-pthread")) || bytes.Contains(text, []byte("pthread-main.js")) {
		return true
	}
	for _, mark := range []struct {
		text string
		sure *regexp.Regexp
	}{{"GODOT_THREADS_ENABLED", godotThreads}, {"WebAssembly.Memory(", sharedMemory}} {
		for rest := text; ; {
			i := bytes.Index(rest, []byte(mark.text))
			if i < 0 {
				break
			}
			rest = rest[i:]
			if mark.sure.Match(rest[:min(len(rest), 400)]) {
				return true
			}
			rest = rest[len(mark.text):]
		}
	}
	return false
}
