package bundle

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"

	"golang.org/x/net/html"
)

// Bounds of what is read of one page.
const (
	maxPage = 32 << 20 // bytes in which a manifest inside the page is looked for
	topPage = 1 << 20  // bytes in which title, icons and the rest are looked for when there is none
)

// manifestType marks a manifest inside a page: <script type="application/conch+json">.
const manifestType = "application/conch+json"

// page is what a page says about itself.
type page struct {
	title string
	base  string // <base href>
	refs  []ref
}

// ref is one address that a page or style sheet names.
type ref struct {
	url string
	tag string // element, or "css"
	rel string // of a <link>, lower case
}

// loads reports whether the browser fetches the address by itself.
func (r ref) loads() bool {
	if r.tag == "a" {
		return false
	}
	if r.tag != "link" {
		return true
	}
	for _, rel := range strings.Fields(r.rel) {
		switch rel {
		case "stylesheet", "icon", "manifest", "preload", "modulepreload", "apple-touch-icon":
			return true
		}
	}
	return false
}

// readPage reads the entry of a game and the manifest inside it.
func readPage(fsys fs.FS, name string) (page, manifestSource, error) {
	text, err := readPrefix(fsys, name, maxPage)
	if err != nil {
		return page{}, manifestSource{}, err
	}
	if !bytes.Contains(text, []byte(manifestType)) {
		text = text[:min(len(text), topPage)]
	}
	p, start, end := parsePage(text)
	src := manifestSource{file: name}
	if start >= 0 {
		src.text, src.data, src.start = text, text[start:end], start
	}
	return p, src, nil
}

// parsePage walks the tokens of an HTML text. start and end delimit the contents of the manifest script, -1 when
// there is none.
func parsePage(text []byte) (p page, start, end int) {
	start, end = -1, -1
	z := html.NewTokenizer(bytes.NewReader(text))
	offset, inTitle, inManifest := 0, false, false
	for {
		tt := z.Next()
		if tt == html.ErrorToken {
			return p, start, end
		}
		begin := offset
		offset += len(z.Raw())
		switch tt {
		case html.StartTagToken, html.SelfClosingTagToken:
			name, hasAttr := z.TagName()
			tag := string(name)
			attrs := readAttrs(z, hasAttr)
			inTitle = tag == "title" && p.title == ""
			inManifest = tag == "script" && start < 0 && strings.EqualFold(strings.TrimSpace(attrs["type"]), manifestType)
			if inManifest {
				start, end = offset, offset
			}
			p.tag(tag, attrs)
		case html.TextToken:
			if inTitle {
				p.title = string(z.Text())
			}
			if inManifest {
				start, end = begin, offset
			}
			inTitle, inManifest = false, false
		case html.EndTagToken:
			inTitle, inManifest = false, false
		}
	}
}

func readAttrs(z *html.Tokenizer, more bool) map[string]string {
	attrs := map[string]string{}
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		if _, twice := attrs[string(key)]; !twice {
			attrs[string(key)] = string(value)
		}
	}
	return attrs
}

// urlAttrs lists the attributes of each element that hold an address.
var urlAttrs = map[string][]string{
	"script": {"src"}, "link": {"href"}, "img": {"src"}, "audio": {"src"}, "video": {"src", "poster"},
	"source": {"src"}, "track": {"src"}, "iframe": {"src"}, "embed": {"src"}, "object": {"data"},
	"image": {"href", "xlink:href"}, "a": {"href"},
}

func (p *page) tag(tag string, attrs map[string]string) {
	if tag == "base" && p.base == "" {
		p.base = attrs["href"]
	}
	for _, name := range urlAttrs[tag] {
		if url := strings.TrimSpace(attrs[name]); url != "" {
			p.refs = append(p.refs, ref{url: url, tag: tag, rel: strings.ToLower(attrs["rel"])})
		}
	}
}

var errNoPicture = errors.New("no picture")
