package pack

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// names decides what the program is called.
func (g *game) names() {
	g.name = strings.Join(strings.Fields(g.opts.Name), " ")
	for _, s := range []string{g.bundle.Manifest.Name, g.bundle.Title} {
		if g.name == "" {
			g.name = s
		}
	}
	g.file = fileName(g.name)
	g.id = g.bundle.Manifest.ID
	if !strings.Contains(g.id, ".") {
		// Desktops want a reverse domain name. One that no other game has comes from the name and the id.
		sum := sha256.Sum256([]byte(g.id + "\x00" + g.name))
		g.id = "game.conch." + slug(g.name) + "-" + hex.EncodeToString(sum[:4])
	}
}

// fileName makes a name fit for a file on every system: without what Windows forbids, without a dot or a dash in front,
// at most 80 bytes.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`<>:"/\|?*`, r):
			return '-'
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == utf8.RuneError:
			return -1
		}
		return r
	}, name)
	const most = 80
	for len(name) > most {
		_, n := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-n]
	}
	name = strings.TrimRight(strings.TrimLeft(name, ".-~ "), ". ")
	base, _, _ := strings.Cut(strings.ToUpper(name), ".")
	if name == "" {
		return "Game"
	}
	if devices[strings.TrimSpace(base)] {
		return name + "-game"
	}
	return name
}

// devices are names that Windows keeps for itself, with any extension.
var devices = func() map[string]bool {
	m := map[string]bool{"CON": true, "PRN": true, "AUX": true, "NUL": true, "CONIN$": true, "CONOUT$": true}
	for i := range 10 {
		m[fmt.Sprintf("COM%d", i)], m[fmt.Sprintf("LPT%d", i)] = true, true
	}
	return m
}()

// slug is a name in small ASCII letters, digits and dashes; "game" when none is left.
func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			b.WriteRune(r)
		} else if b.Len() > 0 && !strings.HasSuffix(b.String(), "-") {
			b.WriteByte('-')
		}
	}
	if s := strings.Trim(b.String(), "-"); s != "" {
		return s
	}
	return "game"
}
