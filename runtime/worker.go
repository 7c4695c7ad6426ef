package runtime

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// maxWorkerScan is how much of a worker's script is searched for import and export statements.
const maxWorkerScan = 256 << 10

// workerPrefix is what goes in front of a worker's script. A classic worker gets the page script itself. A module gets
// an import: imports run before the module's own statements, so the page script must be the first of them. A module
// that is taken for a classic script still works, while the reverse would not load; in doubt it is classic.
func (s *Server) workerPrefix(script []byte) ([]byte, error) {
	if isModule(script) {
		return []byte(`import "` + scriptPath + `";`), nil
	}
	page, err := s.pageScript()
	if err != nil {
		return nil, err
	}
	var b []byte
	if isStrict(script) {
		// The directive counts only as the first statement.
		b = append(b, `"use strict";`...)
	}
	b = append(b, page...)
	return append(b, "\n;\n"...), nil
}

// isStrict reports whether the script begins with "use strict", after comments and other directives.
func isStrict(script []byte) bool {
	j := scanner{t: bytes.TrimPrefix(script, []byte("\xef\xbb\xbf"))}
	for {
		j.skipBlank()
		start := j.i
		if start >= len(j.t) || (j.t[start] != '"' && j.t[start] != '\'') {
			return false
		}
		j.skipString()
		if string(j.t[start+1:max(start+1, j.i-1)]) == "use strict" {
			return true
		}
		j.skipBlank()
		if j.i < len(j.t) && j.t[j.i] == ';' {
			j.i++
		}
	}
}

// isModule reports whether the script has a static import or export at its top level.
func isModule(script []byte) bool {
	j := scanner{t: bytes.TrimPrefix(script, []byte("\xef\xbb\xbf"))}
	return j.findModule()
}

// scanner walks over JavaScript far enough to know what is code and what is text.
type scanner struct {
	t []byte
	i int

	depth    int   // of (, [ and {
	template []int // depths at which a template literal goes on after its }
	value    bool  // the last token ended a value: a slash divides, it does not begin a regular expression
	begin    bool  // a statement may begin here
}

func (j *scanner) findModule() bool {
	j.begin = true
	for {
		newline := j.skipBlank()
		if j.i >= len(j.t) {
			return false
		}
		begin := j.begin || newline
		j.begin = false
		c := j.t[j.i]
		switch {
		case isNameStart(c):
			word := j.word()
			if begin && j.depth == 0 && j.statement(word) {
				return true
			}
			j.value = !beforeExpression[word]
		case c == '"' || c == '\'':
			j.skipString()
			j.value = true
		case c == '`':
			j.i++
			j.skipTemplate()
		case c == '/' && !j.value:
			j.skipRegexp()
			j.value = true
		case '0' <= c && c <= '9':
			j.word()
			j.value = true
		default:
			j.punctuation(c)
		}
	}
}

func (j *scanner) punctuation(c byte) {
	j.i++
	j.value = false
	switch c {
	case '(', '[', '{':
		j.depth++
		j.begin = c == '{'
	case ')', ']':
		j.depth--
		j.value = true
	case '}':
		j.depth--
		j.begin, j.value = true, false
		if n := len(j.template); n > 0 && j.template[n-1] == j.depth {
			j.template = j.template[:n-1]
			j.begin = false
			j.skipTemplate()
		}
	case ';':
		j.begin = true
	}
}

// statement reports whether the word just read begins a static import or export. "import(" and "import.meta" are
// expressions.
func (j *scanner) statement(word string) bool {
	if word != "import" && word != "export" {
		return false
	}
	at := *j
	at.skipBlank()
	if at.i >= len(at.t) {
		return false
	}
	c := at.t[at.i]
	if c == '{' || c == '*' {
		return true
	}
	if word == "import" {
		return c == '"' || c == '\'' || isNameStart(c)
	}
	switch at.word() {
	case "default", "const", "let", "var", "function", "async", "class":
		return true
	}
	return false
}

// beforeExpression are the words after which a slash begins a regular expression.
var beforeExpression = map[string]bool{
	"return": true, "typeof": true, "case": true, "in": true, "of": true, "delete": true, "void": true, "throw": true,
	"new": true, "instanceof": true, "do": true, "else": true, "yield": true, "await": true,
}

// skipBlank passes white space and comments and reports whether a line ended in between.
func (j *scanner) skipBlank() (newline bool) {
	for j.i < len(j.t) {
		rest := j.t[j.i:]
		switch {
		case rest[0] == '\n' || rest[0] == '\r':
			newline = true
			j.i++
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\v' || rest[0] == '\f':
			j.i++
		case bytes.HasPrefix(rest, []byte("//")), j.i == 0 && bytes.HasPrefix(rest, []byte("#!")):
			j.to("\n", 0)
		case bytes.HasPrefix(rest, []byte("/*")):
			from := j.i
			j.i += 2
			j.to("*/", 2)
			newline = newline || bytes.IndexByte(j.t[from:j.i], '\n') >= 0
		case bytes.HasPrefix(rest, []byte("\u00a0")):
			j.i += len("\u00a0")
		default:
			return newline
		}
	}
	return newline
}

// to moves to the next occurrence of mark plus extra bytes, or to the end.
func (j *scanner) to(mark string, extra int) {
	n := bytes.Index(j.t[j.i:], []byte(mark))
	if n < 0 {
		j.i = len(j.t)
		return
	}
	j.i += n + extra
}

func (j *scanner) word() string {
	start := j.i
	for j.i < len(j.t) && (isNameStart(j.t[j.i]) || '0' <= j.t[j.i] && j.t[j.i] <= '9') {
		j.i++
	}
	return string(j.t[start:j.i])
}

func isNameStart(c byte) bool {
	return isLetter(c) || c == '_' || c == '$' || c == '\\' || c == '#' || c == '@' || c >= utf8.RuneSelf
}

func (j *scanner) skipString() {
	quote := j.t[j.i]
	j.i++
	for j.i < len(j.t) {
		switch c := j.t[j.i]; {
		case c == '\\':
			j.i = min(j.i+2, len(j.t))
		case c == quote:
			j.i++
			return
		case c == '\n':
			return // not closed: not a string after all
		default:
			j.i++
		}
	}
}

// skipTemplate passes the text of a template literal up to its end or its next ${.
func (j *scanner) skipTemplate() {
	for j.i < len(j.t) {
		switch {
		case j.t[j.i] == '\\':
			j.i = min(j.i+2, len(j.t))
		case j.t[j.i] == '`':
			j.i++
			j.value = true
			return
		case strings.HasPrefix(string(j.t[j.i:min(j.i+2, len(j.t))]), "${"):
			j.template = append(j.template, j.depth)
			j.depth++
			j.i += 2
			j.value = false
			return
		default:
			j.i++
		}
	}
}

func (j *scanner) skipRegexp() {
	class := false
	for j.i++; j.i < len(j.t); j.i++ {
		switch c := j.t[j.i]; {
		case c == '\\':
			j.i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '\n':
			return // a division after all
		case c == '/' && !class:
			j.i++
			j.word() // flags
			return
		}
	}
	j.i = min(j.i, len(j.t))
}
