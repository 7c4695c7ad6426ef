package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layer says which folders of ours a folder may import and which outside packages have their home in it. Files are
// parsed here, not listed by the go command: its answer is cached and stays green on a forbidden import.
type layer struct {
	may     []string // folders of ours; tests may also use testAids
	outside []string // outside packages that only these folders may import
	why     string
}

var layers = map[string]layer{
	"":                      {[]string{"app/window", "internal/cli"}, nil, "main hands the window to the commands"},
	"cmd/conch-host":        {[]string{"internal/cli"}, nil, "the commands without a window: no Wails, no cgo"},
	"app/window":            {[]string{"app", "consent", "consent/hostlist"}, []string{"github.com/wailsapp/wails/v2"}, "the only place that knows the window framework"},
	"app":                   {[]string{"runtime", "runtime/bundle", "netsock", "consent", "consent/hostlist", "frontend", "internal/saves", "internal/update", "internal/whole", "session", "session/pagelink", "session/pagerelay", "session/wire"}, nil, "joins the parts of one game"},
	"internal/cli":          {[]string{"app", "runtime", "runtime/bundle", "consent", "internal/saves", "internal/pack", "internal/update", "internal/whole", "session"}, []string{"github.com/spf13/cobra"}, "the commands"},
	"internal/pack":         {[]string{"runtime/bundle"}, []string{"github.com/tc-hib/winres", "github.com/klauspost/compress", "github.com/fyne-io/oksvg", "github.com/srwiley/rasterx", "golang.org/x/image", "github.com/blacktop/go-macho", "github.com/jackmordaunt/icns/v3", "golang.org/x/mod"}, "makes programs of bundles; starts none"},
	"runtime":               {[]string{"runtime/bundle", "internal/whole"}, []string{"github.com/shirou/gopsutil/v4", "github.com/gofrs/flock"}, "serves one bundle; knows nothing of sockets and consent"},
	"netsock":               {nil, nil, "bytes and handshakes only; whom it may dial is asked through an interface"},
	"consent":               {[]string{"consent/hostlist"}, []string{"github.com/zalando/go-keyring", "modernc.org/sqlite"}, "decides, dials nothing"},
	"internal/saves":        {[]string{"runtime/bundle", "internal/whole"}, []string{"modernc.org/sqlite"}, "copies files of one game; the engine's databases through SQLite, so that a copy is whole"},
	"frontend":              {nil, []string{"github.com/evanw/esbuild"}, "the page's side, embedded; esbuild in its test only"},
	"runtime/bundle":        {[]string{"consent/hostlist"}, []string{"github.com/tailscale/hujson", "golang.org/x/mod"}, "the file format"},
	"internal/update":       {[]string{"runtime/bundle", "consent/hostlist", "internal/whole"}, []string{"github.com/minio/selfupdate", "github.com/gofrs/flock", "golang.org/x/mod"}, "releases of signed games; no window and no page"},
	"session":               {[]string{"session/wire"}, []string{"modernc.org/sqlite"}, "the multiplayer session; knows nothing of games, pages and consent"},
	"session/pagelink":      {[]string{"session", "session/wire"}, []string{"github.com/fxamacker/cbor/v2"}, "a page drives the session's host"},
	"session/pagerelay":     {[]string{"session/wire"}, nil, "carries a page's client to a host; whom it may reach is decided by the caller"},
	"session/sessiontest":   {nil, nil, "connections in memory, for tests"},
	"session/wire":          {nil, []string{"github.com/fxamacker/cbor/v2"}, "bytes of the session protocol"},
	"consent/hostlist":      {nil, []string{"golang.org/x/net/publicsuffix", "golang.org/x/net/idna"}, "rules on text only"},
	"internal/wstest":       {nil, nil, "real peers for tests"},
	"internal/whole":        {nil, nil, "one way to replace a small file"},
	"internal/leak":         {nil, nil, "counts the goroutines of tests"},
	"examples/skiff/server": {nil, nil, "an example stands alone"},
	"build/loosen":          {nil, nil, "a build step stands alone"},
	"e2e/barewindow":        {nil, []string{"github.com/wailsapp/wails/v2"}, "a bare window to measure beside"},
	"e2e/winquestion":       {[]string{"app/window", "consent", "consent/hostlist"}, nil, "the question and the store without a web view"},
	"e2e/winupdate":         {[]string{"app", "app/window"}, nil, "the box about new versions by itself, to try it under Wine"},
	"e2e":                   {[]string{"session/wire"}, nil, "real binaries from outside, and the bytes that are said to them"},
	"e2e/lan":               {[]string{"session"}, nil, "the session library as processes on networks"},
}

// testAids are folders of ours that every test may use.
var testAids = []string{"internal/wstest", "internal/leak", "session", "session/pagelink", "session/pagerelay", "session/sessiontest"}

// gorilla is for the transports of the session and of its page, tests and the example server.
var gorillaHomes = []string{"session", "session/pagelink", "session/pagerelay", "internal/wstest", "examples/skiff/server"}

func TestLayout(t *testing.T) {
	for dir, files := range goFiles(t) {
		rule, known := layers[dir]
		if !known {
			t.Errorf("folder %q is not in the table of layers", dir)
			continue
		}
		for _, file := range files {
			checkImports(t, dir, file, rule)
		}
	}
}

func checkImports(t *testing.T, dir, file string, rule layer) {
	test := strings.HasSuffix(file, "_test.go")
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range f.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		if inner, ours := strings.CutPrefix(path, "conch/"); ours {
			if !slices.Contains(rule.may, inner) && inner != dir && !(test && slices.Contains(testAids, inner)) {
				t.Errorf("%s imports %s: %s", file, path, rule.why)
			}
			if inner == "runtime" && (spec.Name == nil || spec.Name.Name != "gameruntime") {
				t.Errorf("%s imports %s without the name gameruntime", file, path)
			}
			continue
		}
		if path == "runtime" && dir == "runtime" {
			t.Errorf("%s imports Go's runtime: inside package runtime the name would mislead", file)
		}
		if strings.HasPrefix(path, "github.com/gorilla/websocket") && !test && !slices.Contains(gorillaHomes, dir) {
			t.Errorf("%s imports %s, which has its home in %s", file, path, strings.Join(gorillaHomes, ", "))
		}
		for home, other := range layers {
			for _, owned := range other.outside {
				if strings.HasPrefix(path, owned) && !slices.Contains(rule.outside, owned) {
					t.Errorf("%s imports %s, which has its home in %s", file, path, home)
				}
			}
		}
		if strings.HasPrefix(path, "github.com/evanw/esbuild") && !test {
			t.Errorf("%s imports %s outside a test", file, path)
		}
	}
}

func TestOnePackageComment(t *testing.T) {
	for dir, files := range goFiles(t) {
		var with []string
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if f.Doc != nil {
				with = append(with, file)
			}
		}
		if onlyTests := !slices.ContainsFunc(files, func(f string) bool { return !strings.HasSuffix(f, "_test.go") }); onlyTests {
			continue
		}
		if len(with) != 1 {
			t.Errorf("folder %q: package comments in %v, want exactly one", dir, with)
		}
	}
}

// goFiles lists the Go files of the tree by folder.
func goFiles(t *testing.T) map[string][]string {
	files := map[string][]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || path != "." && strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		if !d.IsDir() && strings.HasSuffix(path, ".go") {
			dir := filepath.ToSlash(filepath.Dir(path))
			if dir == "." {
				dir = ""
			}
			files[dir] = append(files[dir], path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
