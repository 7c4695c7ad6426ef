package runtime

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf16"
)

// put returns the document with the tag in it.
func put(t testing.TB, doc string, xhtml bool) (string, insertion) {
	t.Helper()
	head := doc[:min(len(doc), maxHead)]
	in := findInsertion([]byte(head), xhtml)
	b, err := io.ReadAll(splice(strings.NewReader(doc), int64(len(doc)), 0, in))
	if err != nil {
		t.Fatal(err)
	}
	return string(b), in
}

func TestPlaceOfTheScript(t *testing.T) {
	tests := map[string]string{ // | marks the place
		"head":                  `<!DOCTYPE html><html><head>|<script>x</script></head></html>`,
		"attributes":            `<!doctype html><html lang="a>b" class='x>'><head data-x=">">|<meta charset=utf-8>`,
		"capitals":              `<!DOCTYPE HTML><HTML><HEAD>|<TITLE>`,
		"space and newlines":    "\n<!doctype html>\r\n<html>\n\t<head >|\n<title>",
		"comments":              `<!-- saved <head> --><!doctype html><!-- a --><html><!-- <script> --><head>|`,
		"odd comments":          `<!--><!---><!-- x --!><html><head>|`,
		"xml declaration":       `<?xml version="1.0"?><!DOCTYPE html><html><head>|<title>`,
		"no head":               `<!doctype html><html>|<body><script>x</script>`,
		"no html":               `<!doctype html>|<meta charset=utf-8><script>x</script>`,
		"script at once":        `|<script>x</script>`,
		"text at once":          `|hello<head>`,
		"header is not head":    `<!doctype html><html>|<header>`,
		"self-closing head":     `<html><head/>|<script>`,
		"slashes in the tag":    `<html / lang=x/><head/ >|<script>`,
		"conditional comment":   `<!--[if lt IE 9]><script src=x></script><![endif]--><html><head>|`,
		"comment without end":   `<!doctype html>|<!-- <head>`,
		"tag without end":       `<!doctype html>|<html lang="x`,
		"quote without end":     `<!doctype html>|<html lang="x><head>`,
		"empty":                 `|`,
		"only doctype":          `<!doctype html>|`,
		"attribute begins with": `<html =a="><head>"><head =>|<script>`,
		"utf-8 mark":            "\xef\xbb\xbf<!doctype html><head>|<script>",
		"utf-8 mark and script": "\xef\xbb\xbf|<script>",
	}
	for name, marked := range tests {
		t.Run(name, func(t *testing.T) {
			doc := strings.Replace(marked, "|", "", 1)
			got, _ := put(t, doc, false)
			if want := strings.Replace(marked, "|", scriptTag, 1); got != want {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

func TestPlaceInXHTML(t *testing.T) {
	got, _ := put(t, `<?xml version="1.0"?><html xmlns="x"><head><title/></head></html>`, true)
	if !strings.Contains(got, "<head>"+scriptTag) {
		t.Errorf("got %q", got)
	}
	const bare = `<?xml version="1.0"?><html xmlns="x"><body/></html>`
	if got, _ := put(t, bare, true); got != bare {
		t.Errorf("got %q", got)
	}
}

func TestScriptInUTF16(t *testing.T) {
	for _, big := range []bool{false, true} {
		encode := func(s string) string {
			b := []byte("\xff\xfe")
			if big {
				b = []byte("\xfe\xff")
			}
			for _, u := range utf16.Encode([]rune(s)) {
				if big {
					b = append(b, byte(u>>8), byte(u))
				} else {
					b = append(b, byte(u), byte(u>>8))
				}
			}
			return string(b)
		}
		got, in := put(t, encode("<!doctype html><html><head><title>ゲーム"), false)
		if want := encode("<!doctype html><html><head>" + scriptTag + "<title>ゲーム"); got != want {
			t.Errorf("big endian %v: got %q", big, got)
		}
		if want := map[bool]string{false: "utf-16le", true: "utf-16be"}[big]; in.charset != want {
			t.Errorf("charset: got %q, want %q", in.charset, want)
		}
	}
}

func TestDeclaredCharset(t *testing.T) {
	pad := strings.Repeat(" ", 980)
	tests := map[string]string{
		`<meta charset=utf-8>`:   "utf-8",
		`<META CHARSET="UTF-8">`: "utf-8",
		`<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">`: "shift_jis",
		`<meta content='text/html;charset="euc-kr"' http-equiv=content-type>`:     "euc-kr",
		`<meta content="text/html; charset=euc-kr">`:                              "",
		`<meta name=x content="charset=x"><meta charset=gbk>`:                     "gbk",
		`<!-- <meta charset=gbk> --><meta charset=big5>`:                          "big5",
		`<script>"<meta charset=gbk>"</script><meta charset=big5>`:                "gbk", // as engines do
		`<link title="<meta charset=gbk>"><meta charset=big5>`:                    "big5",
		`<meta charset=utf-16le>`:                                                 "utf-8",
		`<meta charset=x-user-defined>`:                                           "windows-1252",
		"<meta charset='a b'>":                                                    "",
		"<meta charset='x\r\nSet-Cookie: a=b'>":                                   "",
		`<meta charset=`:                                                          "",
		`<meta charset=utf-8`:                                                     "",
		`<metacharset=utf-8>`:                                                     "",
		`</p x="<meta charset=gbk>"><title>`:                                      "",
		`<`:                                                                       "",
		"\xef\xbb\xbf<meta charset=gbk>":                                          "utf-8",
		`<html><head>` + pad + `<meta charset=utf-8>`:                             "utf-8",
		`<html><head>` + pad + pad + `<meta charset=utf-8>`:                       "",
	}
	for doc, want := range tests {
		if in := findInsertion([]byte(doc), false); in.charset != want {
			t.Errorf("%.60q: got %q, want %q", doc, in.charset, want)
		}
	}
}

func TestDocuments(t *testing.T) {
	page := `<!doctype html><html><head><meta charset="utf-8"><script>game()</script></head></html>`
	withTag := strings.Replace(page, "<head>", "<head>"+scriptTag, 1)
	huge := page + strings.Repeat("x", 3<<20)
	kinds(t, files{"index.html": page, "huge.htm": huge, "a.xhtml": "<html><head></head></html>"}, func(t *testing.T, g *player) {
		for _, dest := range []string{"document", "iframe", "frame", "embed"} {
			res := g.get("/", "Sec-Fetch-Dest: "+dest)
			res.want(t, http.StatusOK, withTag)
			res.wantHeader(t, "Content-Type", "text/html; charset=utf-8")
		}
		g.get("/").want(t, http.StatusOK, withTag)
		g.get("/", "Sec-Fetch-Dest: empty").want(t, http.StatusOK, page) // fetched as data
		g.get("/", "Range: bytes=25-29").want(t, http.StatusPartialContent, withTag[25:30])
		g.do("HEAD", "/", "").wantHeader(t, "Content-Length", itoa(len(withTag)))
		g.get("/huge.htm").want(t, http.StatusOK, strings.Replace(huge, "<head>", "<head>"+scriptTag, 1))
		g.get("/a.xhtml").wantHeader(t, "Content-Type", "application/xhtml+xml")
	})
}

// Taking the tag out of what is served gives the author's bytes, and every part of it is the same as that part of the
// whole.
func FuzzInject(f *testing.F) {
	for _, s := range []string{"", "<html><head>", "<!doctype html><html lang='>'><head a=\"", "\xff\xfe<\x00h\x00", "\xfe\xff\x00<", "\xef\xbb\xbf<!--", "<meta charset=", "<?", "<!-->x"} {
		f.Add([]byte(s), false, uint16(3))
	}
	f.Fuzz(func(t *testing.T, doc []byte, xhtml bool, cut uint16) {
		in := findInsertion(doc[:min(len(doc), maxHead)], xhtml)
		if in.at < 0 || in.at > int64(len(doc)) {
			t.Fatalf("place %d of %d", in.at, len(doc))
		}
		whole, err := io.ReadAll(splice(bytes.NewReader(doc), int64(len(doc)), 0, in))
		if err != nil {
			t.Fatal(err)
		}
		if len(whole) != len(doc)+len(in.text) || !bytes.Equal(whole[in.at:in.at+int64(len(in.text))], in.text) {
			t.Fatal("the tag is not where it should be")
		}
		if got := append(bytes.Clone(whole[:in.at]), whole[in.at+int64(len(in.text)):]...); !bytes.Equal(got, doc) {
			t.Fatalf("without the tag: got %q, want %q", got, doc)
		}
		s := splice(bytes.NewReader(doc), int64(len(doc)), 0, in)
		from := int64(cut) % int64(len(whole)+1)
		s.Seek(from, io.SeekStart)
		if rest, err := io.ReadAll(s); err != nil || !bytes.Equal(rest, whole[from:]) {
			t.Fatalf("from %d: %v", from, err)
		}
		if strings.ContainsAny(in.charset, " \r\n;,") {
			t.Fatalf("charset %q", in.charset)
		}
	})
}
