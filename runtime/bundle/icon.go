package bundle

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image/png"
	"net/url"
	"path"
	"strings"
)

// Bounds of an icon; larger ones are as if absent.
const (
	maxIcon     = 4 << 20 // bytes
	maxIconSide = 2048    // pixels
)

// Icon returns the PNG of the game's icon and the name of the file it came from: the manifest's icon, else the
// widest <link rel="icon"> or apple-touch-icon of the page, else favicon.png or favicon.ico beside the entry or at the root. An .ico counts when it
// holds a PNG. The name is "" for a data: address, and the bytes are nil when there is no icon.
func (b *Bundle) Icon() ([]byte, string) {
	if b.Manifest.Icon != "" {
		if data, err := b.iconFile(b.Manifest.Icon); err == nil {
			return data, b.Manifest.Icon
		}
	}
	if data, name := b.linkedIcon(); data != nil {
		return data, name
	}
	for _, dir := range []string{path.Dir(b.Entry), "."} {
		for _, name := range []string{"favicon.png", "favicon.ico", "icon.png"} {
			if data, err := b.iconFile(path.Join(dir, name)); err == nil {
				return data, path.Join(dir, name)
			}
		}
	}
	return nil, ""
}

// linkedIcon is the widest PNG among the icons that the page links.
func (b *Bundle) linkedIcon() (best []byte, from string) {
	widest := 0
	for _, r := range b.page.refs {
		if r.tag != "link" || !hasWord(r.rel, "icon") && !hasWord(r.rel, "apple-touch-icon") {
			continue
		}
		var data []byte
		name, ok := "", true
		if strings.HasPrefix(r.url, "data:") {
			data, _ = dataURL(r.url)
		} else if name, ok = resolve(b.Entry, b.page.base, r.url); ok {
			data, _ = b.iconFile(name)
		}
		if c, err := png.DecodeConfig(bytes.NewReader(data)); err == nil && c.Width > widest {
			best, from, widest = data, name, c.Width
		}
	}
	return best, from
}

func (b *Bundle) iconFile(name string) ([]byte, error) {
	data, err := readFile(b.FS, name, maxIcon)
	if err != nil {
		return nil, err
	}
	return picture(data)
}

// picture returns data when it is a PNG of a sensible size, or the largest such PNG inside an .ico.
func picture(data []byte) ([]byte, error) {
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err == nil && c.Width > 0 && c.Height > 0 && c.Width <= maxIconSide && c.Height <= maxIconSide {
		return data, nil
	}
	// ICONDIR: reserved 0, type 1, count; then 16 bytes for each picture with its size and offset at 8 and 12.
	if len(data) < 6 || !bytes.HasPrefix(data, []byte{0, 0, 1, 0}) {
		return nil, errNoPicture
	}
	var best []byte
	bestWidth := 0
	for i := range int(binary.LittleEndian.Uint16(data[4:])) {
		at := 6 + 16*i
		if at+16 > len(data) {
			break
		}
		size, offset := uint64(binary.LittleEndian.Uint32(data[at+8:])), uint64(binary.LittleEndian.Uint32(data[at+12:]))
		if offset+size > uint64(len(data)) {
			continue
		}
		one := data[offset : offset+size]
		if c, err := png.DecodeConfig(bytes.NewReader(one)); err == nil && c.Width > bestWidth && c.Width <= maxIconSide && c.Height <= maxIconSide {
			best, bestWidth = one, c.Width
		}
	}
	if best == nil {
		return nil, errNoPicture
	}
	return best, nil
}

func dataURL(s string) ([]byte, error) {
	meta, body, ok := strings.Cut(strings.TrimPrefix(s, "data:"), ",")
	if !ok || !strings.HasSuffix(meta, ";base64") || len(body) > maxIcon {
		return nil, errNoPicture
	}
	if plain, err := url.PathUnescape(body); err == nil {
		body = plain
	}
	data, err := base64.StdEncoding.DecodeString(strings.TrimSpace(body))
	if err != nil {
		return nil, err
	}
	return picture(data)
}

func hasWord(list, word string) bool {
	for _, w := range strings.Fields(list) {
		if w == word {
			return true
		}
	}
	return false
}

// resolve turns an address written in a page or style sheet into a name of the bundle. ok is false for addresses of
// other hosts, for data: and the like, and for ones that leave the bundle.
func resolve(from, base, ref string) (name string, ok bool) {
	u, err := url.Parse("http://game/" + (&url.URL{Path: from}).EscapedPath())
	if err != nil {
		return "", false
	}
	for _, next := range []string{base, ref} {
		if next == "" {
			continue
		}
		if u, err = u.Parse(likeBrowser(next)); err != nil {
			return "", false
		}
	}
	if u.Scheme != "http" || u.Host != "game" {
		return "", false
	}
	name = strings.TrimPrefix(path.Clean("/"+u.Path), "/")
	if strings.HasSuffix(u.Path, "/") || name == "" {
		name = path.Join(name, "index.html")
	}
	return name, true
}

// likeBrowser makes an address readable for net/url that browsers read: backslashes as slashes, percent signs that
// begin no escape as themselves.
func likeBrowser(ref string) string {
	ref = strings.TrimSpace(strings.ReplaceAll(ref, `\`, "/"))
	var out strings.Builder
	for i := 0; i < len(ref); i++ {
		if ref[i] == '%' && (i+2 >= len(ref) || !isHex(ref[i+1]) || !isHex(ref[i+2])) {
			out.WriteString("%25")
			continue
		}
		out.WriteByte(ref[i])
	}
	return out.String()
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }
