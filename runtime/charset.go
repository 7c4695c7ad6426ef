package runtime

import (
	"bytes"
	"strings"
)

// prescan finds the encoding that a document declares with <meta> (WHATWG HTML section 13.2.3.2); "" when it does not.
func prescan(t []byte) string {
	for i := 0; i < len(t); {
		rest := t[i:]
		switch {
		case rest[0] != '<':
			if n := bytes.IndexByte(rest, '<'); n > 0 {
				i += n
				continue
			}
			return ""
		case bytes.HasPrefix(rest, []byte("<!--")):
			n := commentLength(rest)
			if n == 0 {
				return ""
			}
			i += n
		case isTag(rest, "meta"):
			a := attributes{t: rest, i: 5}
			if label := metaCharset(&a); label != "" {
				return label
			}
			i += min(a.i+1, len(rest))
		case len(rest) > 1 && isLetter(rest[1]), len(rest) > 2 && rest[1] == '/' && isLetter(rest[2]):
			end := bytes.IndexAny(rest, "\t\n\f\r >")
			if end < 0 {
				return ""
			}
			a := attributes{t: rest, i: end}
			for more := true; more; {
				_, _, more = a.next()
			}
			i += min(a.i+1, len(rest))
		case len(rest) > 1 && (rest[1] == '!' || rest[1] == '/' || rest[1] == '?'):
			n := bytes.IndexByte(rest, '>')
			if n < 0 {
				return ""
			}
			i += n + 1
		default:
			i++
		}
	}
	return ""
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// metaCharset reads one <meta> tag. <meta content> counts only beside http-equiv=content-type.
func metaCharset(a *attributes) string {
	seen := map[string]bool{}
	pragma, needPragma, label := false, false, ""
	for {
		name, value, more := a.next()
		if !more {
			break
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		switch name {
		case "http-equiv":
			pragma = strings.EqualFold(value, "content-type")
		case "content":
			if found := contentCharset(value); found != "" && label == "" {
				label, needPragma = found, true
			}
		case "charset":
			label, needPragma = value, false
		}
	}
	if a.i >= len(a.t) || (needPragma && !pragma) {
		return ""
	}
	return plainLabel(label)
}

// contentCharset extracts the encoding from "text/html; charset=x".
func contentCharset(v string) string {
	lower := strings.ToLower(v)
	for {
		i := strings.Index(lower, "charset")
		if i < 0 {
			return ""
		}
		lower = strings.TrimLeft(lower[i+len("charset"):], "\t\n\f\r ")
		if !strings.HasPrefix(lower, "=") {
			continue
		}
		lower = strings.TrimLeft(lower[1:], "\t\n\f\r ")
		if lower == "" {
			return ""
		}
		if q := lower[0]; q == '"' || q == '\'' {
			inner, _, closed := strings.Cut(lower[1:], string(q))
			if !closed {
				return ""
			}
			return inner
		}
		if end := strings.IndexAny(lower, "\t\n\f\r ;"); end >= 0 {
			return lower[:end]
		}
		return lower
	}
}

// plainLabel is the label as it may stand in a header. A declared UTF-16 is UTF-8, since the declaration could be read.
func plainLabel(label string) string {
	label = strings.ToLower(strings.TrimSpace(label))
	if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_:.+") != "" {
		return ""
	}
	switch {
	case strings.HasPrefix(label, "utf-16"), strings.HasPrefix(label, "utf16"), label == "unicode", label == "ucs-2":
		return "utf-8"
	case label == "x-user-defined":
		return "windows-1252"
	}
	return label
}
