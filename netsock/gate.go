package netsock

import (
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

const (
	maxIDLength    = 64
	maxOwnerLength = 128
)

// admit reports whether the request is an upgrade by the game's own page.
// Every check runs whatever the others said, so that neither the answer nor
// its time tells a stranger which one failed.
func (r *Relay) admit(q *http.Request) bool {
	ok := hostMatches(q)
	ok = sameOne(q.Header["Origin"], r.Origin) && ok
	ok = r.Authorize(q) == nil && ok
	ok = isUpgrade(q) && ok
	return ok
}

// hostMatches wants exactly 127.0.0.1 and the port that was connected to: a
// name that resolves to this machine (DNS rebinding) is not ours.
func hostMatches(q *http.Request) bool {
	local, ok := q.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok {
		return false
	}
	want := net.JoinHostPort("127.0.0.1", strconv.Itoa(local.Port))
	return equal(q.Host, want) && q.URL.Host == "" && q.URL.Path == "/"
}

func isUpgrade(q *http.Request) bool {
	return q.Method == http.MethodGet &&
		q.ProtoAtLeast(1, 1) && q.ProtoMajor == 1 &&
		q.ContentLength == 0 &&
		hasToken(q.Header["Connection"], "upgrade") &&
		hasToken(q.Header["Upgrade"], "websocket") &&
		sameOne(q.Header["Sec-Websocket-Version"], "13") &&
		len(q.Header["Sec-Websocket-Key"]) == 1
}

func sameOne(values []string, want string) bool {
	return len(values) == 1 && equal(values[0], want)
}

func equal(a, b string) bool {
	return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}

func hasToken(values []string, want string) bool {
	for _, v := range values {
		for t := range strings.SplitSeq(v, ",") {
			if strings.EqualFold(strings.TrimSpace(t), want) {
				return true
			}
		}
	}
	return false
}

// parseQuery reads the query of the page's upgrade:
// u=<address>&id=<attempt>&o=<owner>&raw=1. u and id are required, nothing
// may come twice, and other keys are refused.
func parseQuery(raw string) (Request, error) {
	var r Request
	seen := map[string]bool{}
	for pair := range strings.SplitSeq(raw, "&") {
		key, value, _ := strings.Cut(pair, "=")
		if seen[key] {
			return Request{}, errors.New("query: a key comes twice")
		}
		seen[key] = true
		text, err := url.QueryUnescape(value)
		if err != nil {
			return Request{}, errors.New("query: bad escape")
		}
		switch key {
		case "u":
			r.URL = text
		case "id":
			r.ID = text
		case "o":
			r.Owner = label(text)
		case "raw":
			if text != "1" {
				return Request{}, errors.New("query: raw is not 1")
			}
			r.Raw = true
		default:
			return Request{}, errors.New("query: unknown key")
		}
	}
	if r.URL == "" || !validID(r.ID) {
		return Request{}, errors.New("query: no address or no id")
	}
	return r, nil
}

func validID(id string) bool {
	if id == "" || len(id) > maxIDLength {
		return false
	}
	for _, c := range []byte(id) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}

// label makes text from outside fit for one line of a log or a message.
func label(text string) string {
	return printable(text, maxOwnerLength)
}

func printable(text string, limit int) string {
	text = strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return -1
		}
		return c
	}, strings.ToValidUTF8(text, ""))
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "")
	}
	return text
}
