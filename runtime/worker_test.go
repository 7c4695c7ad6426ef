package runtime

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

func itoa(n int) string { return strconv.Itoa(n) }

const builtScript = "(()=>{globalThis.conchConfig={\"a\":1}})()"

func TestWorkerScripts(t *testing.T) {
	classic := "importScripts('x.js'); onmessage = () => {}\n"
	module := "import x from './x.js'\nx()\n"
	f := files{"w.js": classic, "m.js": module, "s.js": "/* a */ 'use strict'; x()", "Build/game.loader.js": unityLoader,
		"Build/w.framework.js.gz": gz(classic)}
	s := func(g *player) { g.Config = func() any { return map[string]int{"a": 1} } }
	kinds(t, f, func(t *testing.T, g *player) {
		s(g)
		for _, dest := range []string{"worker", "sharedworker"} {
			res := g.get("/w.js", "Sec-Fetch-Dest: "+dest)
			res.want(t, http.StatusOK, builtScript+"\n;\n"+classic)
			res.wantHeader(t, "Content-Type", "text/javascript; charset=utf-8")
			res.wantHeader(t, "Cache-Control", "no-store")
			res.wantHeader(t, "Etag", "")
			g.get("/m.js", "Sec-Fetch-Dest: "+dest).want(t, http.StatusOK, `import "/__conch/page.js";`+module)
			g.get("/s.js", "Sec-Fetch-Dest: "+dest).want(t, http.StatusOK, `"use strict";`+builtScript+"\n;\n"+f["s.js"])
			g.get("/Build/w.framework.js.gz", "Sec-Fetch-Dest: "+dest, "Accept-Encoding: gzip").
				want(t, http.StatusOK, builtScript+"\n;\n"+classic)
		}
		for _, dest := range []string{"script", "empty", "audioworklet"} {
			g.get("/w.js", "Sec-Fetch-Dest: "+dest).want(t, http.StatusOK, classic)
		}
		etag := g.get("/w.js").header.Get("Etag")
		g.get("/w.js", "Sec-Fetch-Dest: worker", "If-None-Match: "+etag).want(t, http.StatusOK, "*")
		g.get("/w.js", "Service-Worker: script").want(t, http.StatusForbidden, "")
	})
}

func TestModules(t *testing.T) {
	modules := []string{
		`import "x"`, `import x from "x"`, `import{a}from"x"`, `import * as a from 'x'`, `import a, {b} from "x"`,
		"// c\n/* import */\nimport 'x'", "'use strict';import 'x'", "x();import 'x'", "x()\nimport 'x'", "if (a) {}\nimport 'x'",
		`export default 1`, `export{a}`, `export * from "x"`, `export const a = 1`, `export async function f() {}`, `export class A {}`,
		"const r = /[/'\"]/;\nimport 'x'", "const t = `${`}`} '`;\nexport default t", "a = b / c; d = '/';\nexport {a}", "#!x\nimport 'x'",
		"let s = 'it\\'s';\nimport 'x'", "\xef\xbb\xbfimport 'x'", "f(function(){ return /}/ })\nexport {f}",
	}
	for _, text := range modules {
		if !isModule([]byte(text)) {
			t.Errorf("not seen as a module: %q", text)
		}
	}
	scripts := []string{
		"", "importScripts('x')", "import('x')", "import ('x').then()", "x = import('y')", "import.meta.url", "// import 'x'", "/*\nimport 'x'\n*/",
		"'\\\nimport x from y'", "`\nimport 'x'\n`", "`${a}\nimport 'x'\n`", "/import 'x'/", "x.import\n.y", "{ import 'x' }", "function f() {\nexport {a}\n}",
		"exports = {}", "export_ = 1", "_import = 'x'", "$import\n'x'", "a = {\nimport: 'x',\nexport: 'y'\n}", "export = 1",
		"self.exports = 1;\nexported()", "\"import 'x'", "foo(`\nexport default ${1}\n`)",
	}
	for _, text := range scripts {
		if isModule([]byte(text)) {
			t.Errorf("seen as a module: %q", text)
		}
	}
}

func TestStrictMode(t *testing.T) {
	tests := map[string]bool{
		`"use strict"`: true, `'use strict'; x`: true, "// a\n/* b */ 'other'\n'use strict'": true, "\xef\xbb\xbf'use strict'": true,
		"": false, "x; 'use strict'": false, "'use strict": false, "function f() { 'use strict' }": false, `"use\x20strict"`: false,
		"`use strict`": false, "'": false,
	}
	for text, want := range tests {
		if got := isStrict([]byte(text)); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

// No script makes the scan hang or panic.
func FuzzModule(f *testing.F) {
	for _, s := range []string{"import 'x'", "`${`${", "/[", "'\\", "/*", "}}}", "a/b/c", "\\"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		isModule(script)
		isStrict(script)
		if isModule([]byte("/*" + strings.ReplaceAll(string(script), "*/", "") + "*/")) {
			t.Fatal("a comment is no module")
		}
	})
}
