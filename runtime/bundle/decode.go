package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// decoder fills a Manifest from JSON with comments. It goes on after a mistake, so that an author sees all of them
// at once, and remembers where each setting stands for the checks that come later.
type decoder struct {
	src       manifestSource
	positions map[string]int // setting -> offset in src.text
	errs      []*ManifestError
}

// decodeManifest returns the manifest with defaults filled in and the decoder that knows its mistakes.
func decodeManifest(src manifestSource) (Manifest, *decoder) {
	d := &decoder{src: src, positions: map[string]int{}}
	m := DefaultManifest()
	m.Format = 0
	data := src.data
	if rest, ok := bytes.CutPrefix(data, []byte("\xef\xbb\xbf")); ok {
		d.src.start += 3
		data = rest
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		d.addAt(0, "", "the file is UTF-16; save it as UTF-8")
		return m, d
	}
	if i := invalidUTF8(data); i >= 0 {
		d.addAt(i, "", "not valid UTF-8; save the file as UTF-8")
		return m, d
	}
	v, err := hujson.Parse(data)
	if err != nil {
		offset, text := syntaxError(data, err)
		d.addAt(offset, "", text)
		return m, d
	}
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		d.addAt(v.StartOffset, "", "a manifest is an object: { \"format\": 1, ... }")
		return m, d
	}
	d.positions[""] = v.StartOffset
	d.object("", obj, reflect.ValueOf(&m).Elem())
	return m, d
}

// object decodes the members of obj into the fields of dst that carry their names.
func (d *decoder) object(prefix string, obj *hujson.Object, dst reflect.Value) {
	fields := map[string]reflect.Value{}
	for i := range dst.NumField() {
		fields[dst.Type().Field(i).Tag.Get("json")] = dst.Field(i)
	}
	for i := range obj.Members {
		name, value := &obj.Members[i].Name, &obj.Members[i].Value
		key := name.Value.(hujson.Literal).String()
		setting := join(prefix, key)
		if prefix == "" && key == "$schema" {
			d.schemaKey(value)
			continue
		}
		field, ok := fields[key]
		if !ok {
			d.addAt(name.StartOffset, setting, unknownKey(prefix, key))
			continue
		}
		if _, twice := d.positions[setting]; twice {
			d.addAt(name.StartOffset, setting, "is set twice; remove one")
			continue
		}
		d.positions[setting] = value.StartOffset
		d.value(setting, value, field)
	}
}

func (d *decoder) schemaKey(v *hujson.Value) {
	if lit, ok := v.Value.(hujson.Literal); !ok || lit.Kind() != '"' {
		d.addAt(v.StartOffset, "$schema", "must be text in quotes")
	}
}

// value decodes v into dst by dst's kind.
func (d *decoder) value(setting string, v *hujson.Value, dst reflect.Value) {
	lit, _ := v.Value.(hujson.Literal)
	switch dst.Kind() {
	case reflect.Struct:
		obj, ok := v.Value.(*hujson.Object)
		if !ok {
			d.wrongType(setting, v, `an object: { ... }`)
			return
		}
		d.object(setting, obj, dst)
	case reflect.String:
		if lit.Kind() != '"' {
			d.wrongType(setting, v, "text in quotes")
			return
		}
		dst.SetString(lit.String())
	case reflect.Bool:
		if k := lit.Kind(); k != 't' && k != 'f' {
			d.wrongType(setting, v, "true or false")
			return
		}
		dst.SetBool(lit.Bool())
	case reflect.Int:
		n, err := strconv.Atoi(string(lit))
		if lit.Kind() != '0' || err != nil {
			d.wrongType(setting, v, "a whole number without quotes")
			return
		}
		dst.SetInt(int64(n))
	case reflect.Slice:
		d.lines(setting, v, dst)
	case reflect.Map:
		d.textMap(setting, v, dst)
	}
}

// lines decodes a list of texts. allowedHosts may also be one text with a line for each host.
func (d *decoder) lines(setting string, v *hujson.Value, dst reflect.Value) {
	lit, _ := v.Value.(hujson.Literal)
	if setting == "network.allowedHosts" && lit.Kind() == '"' {
		dst.Set(reflect.ValueOf(splitLines(lit.String())))
		return
	}
	arr, ok := v.Value.(*hujson.Array)
	if !ok {
		d.wrongType(setting, v, `a list of texts: ["...", "..."]`)
		return
	}
	list := []string{}
	for i := range arr.Elements {
		el := &arr.Elements[i]
		item := fmt.Sprintf("%s[%d]", setting, len(list))
		lit, _ := el.Value.(hujson.Literal)
		if lit.Kind() != '"' {
			d.wrongType(item, el, "text in quotes")
			continue
		}
		texts := []string{lit.String()}
		if setting == "network.allowedHosts" {
			texts = splitLines(texts[0])
		}
		for _, s := range texts {
			d.positions[fmt.Sprintf("%s[%d]", setting, len(list))] = el.StartOffset
			list = append(list, s)
		}
	}
	dst.Set(reflect.ValueOf(list))
}

func (d *decoder) textMap(setting string, v *hujson.Value, dst reflect.Value) {
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		d.wrongType(setting, v, `an object: { "/path/": "https://host" }`)
		return
	}
	m := map[string]string{}
	for i := range obj.Members {
		name, value := &obj.Members[i].Name, &obj.Members[i].Value
		key := name.Value.(hujson.Literal).String()
		item := fmt.Sprintf("%s[%q]", setting, key)
		lit, _ := value.Value.(hujson.Literal)
		if lit.Kind() != '"' {
			d.wrongType(item, value, "text in quotes")
			continue
		}
		if _, twice := m[key]; twice {
			d.addAt(name.StartOffset, item, "is set twice; remove one")
			continue
		}
		d.positions[item] = name.StartOffset
		m[key] = lit.String()
	}
	dst.Set(reflect.ValueOf(m))
}

func (d *decoder) wrongType(setting string, v *hujson.Value, want string) {
	got := "something else"
	switch x := v.Value.(type) {
	case *hujson.Object:
		got = "an object"
	case *hujson.Array:
		got = "a list"
	case hujson.Literal:
		got = clip(string(x), 60)
		if x.Kind() == 'n' {
			got = "null; leave the key out for its default"
		}
	}
	d.addAt(v.StartOffset, setting, fmt.Sprintf("must be %s, not %s", want, got))
}

// at reports whether the setting was decoded without a mistake in its type, so that a further check makes sense.
func (d *decoder) at(setting string) bool {
	_, ok := d.positions[setting]
	return ok && !slices.ContainsFunc(d.errs, func(e *ManifestError) bool { return e.Setting == setting })
}

// add reports a mistake at the place of a setting, or of the nearest one around it.
func (d *decoder) add(setting, text string) {
	for at := setting; ; {
		if offset, ok := d.positions[at]; ok {
			d.addAt(offset, setting, text)
			return
		}
		i := strings.LastIndexAny(at, ".[")
		if i < 0 {
			d.addAt(d.positions[""], setting, text)
			return
		}
		at = at[:i]
	}
}

// addAt reports a mistake at an offset of the manifest text.
func (d *decoder) addAt(offset int, setting, text string) {
	before := d.src.text[:min(d.src.start+offset, len(d.src.text))]
	line := bytes.Count(before, []byte("\n")) + 1
	last := bytes.TrimPrefix(before[bytes.LastIndexByte(before, '\n')+1:], []byte("\xef\xbb\xbf"))
	d.errs = append(d.errs, &ManifestError{
		File: d.src.file, Line: line, Column: utf8.RuneCount(last) + 1, Setting: setting, Text: text,
	})
}

// err joins all mistakes in the order of the file.
func (d *decoder) err() error {
	slices.SortStableFunc(d.errs, func(a, b *ManifestError) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	errs := make([]error, len(d.errs))
	for i, e := range d.errs {
		errs[i] = e
	}
	return errors.Join(errs...)
}

// hujsonError is the form of hujson's messages; the position is the only thing in them that is not text.
var hujsonError = regexp.MustCompile(`^hujson: line (\d+), column (\d+): (?s:(.*))$`)

func syntaxError(data []byte, err error) (offset int, text string) {
	m := hujsonError.FindStringSubmatch(err.Error())
	if m == nil {
		return 0, err.Error()
	}
	line, _ := strconv.Atoi(m[1])
	column, _ := strconv.Atoi(m[2])
	for ; line > 1; line-- {
		offset += bytes.IndexByte(data[offset:], '\n') + 1
	}
	offset = min(offset+column-1, len(data))
	if len(bytes.TrimSpace(data)) == 0 {
		return 0, `the file is empty; write { "format": 1 }`
	}
	return offset, m[3]
}

func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

func splitLines(s string) []string {
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(s, "\r\n", "\n"), "\n"), "\n")
}

func join(prefix, key string) string {
	if prefix == "" {
		return key
	}
	return prefix + "." + key
}

// settings lists every setting by its full name, "window.width" and so on.
var settings = func() []string {
	var names []string
	var walk func(prefix string, t reflect.Type)
	walk = func(prefix string, t reflect.Type) {
		for i := range t.NumField() {
			name := join(prefix, t.Field(i).Tag.Get("json"))
			names = append(names, name)
			if t.Field(i).Type.Kind() == reflect.Struct {
				walk(name, t.Field(i).Type)
			}
		}
	}
	walk("", reflect.TypeFor[Manifest]())
	return names
}()

// unknownKey says that a key does not exist and which one was probably meant.
func unknownKey(prefix, key string) string {
	full, plain := join(prefix, key), letters(key)
	best, distance := "", 3
	for _, s := range settings {
		last := s[strings.LastIndexByte(s, '.')+1:]
		same := join(prefix, last) == s
		n := editDistance(plain, letters(last))
		if !same {
			n++ // the right key in the wrong place comes second
		}
		if n < distance && n < len(plain) && s != full {
			best, distance = s, n
		}
	}
	if best == "" {
		return "unknown setting; remove it (docs/bundle.md lists them all)"
	}
	return fmt.Sprintf("unknown setting; did you mean %q?", best)
}

// letters drops case and the separators people put into keys.
func letters(s string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(clip(s, 60)))
}

// editDistance is the Levenshtein distance.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// quoted is the JSON text of s, for messages that show what to write.
func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return strconv.Quote(s)
	}
	return string(b)
}
