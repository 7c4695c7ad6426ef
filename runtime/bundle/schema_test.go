package bundle

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tailscale/hujson"
)

const schemaPath = "../../docs/conch.schema.json"

type schemaNode struct {
	Type                 string                `json:"type"`
	Properties           map[string]schemaNode `json:"properties"`
	AdditionalProperties any                   `json:"additionalProperties"`
	Default              any                   `json:"default"`
	Enum                 []string              `json:"enum"`
	Items                *schemaNode           `json:"items"`
	OneOf                []schemaNode          `json:"oneOf"`
	Description          string                `json:"description"`
}

func readSchema(t *testing.T) schemaNode {
	t.Helper()
	data, err := os.ReadFile(schemaPath)
	if err != nil {
		t.Fatal(err)
	}
	var s schemaNode
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// The published schema and the Go types have the same keys, types and defaults.
func TestSchemaMatchesManifest(t *testing.T) {
	compareSchema(t, "", readSchema(t), reflect.ValueOf(DefaultManifest()))
}

func compareSchema(t *testing.T, prefix string, s schemaNode, v reflect.Value) {
	var want []string
	for i := range v.NumField() {
		key := v.Type().Field(i).Tag.Get("json")
		want = append(want, key)
		node, ok := s.Properties[key]
		if !ok {
			t.Errorf("%s: not in the schema", join(prefix, key))
			continue
		}
		field := v.Field(i)
		if field.Kind() == reflect.Struct {
			compareSchema(t, join(prefix, key), node, field)
			continue
		}
		compareField(t, join(prefix, key), node, field)
	}
	if prefix == "" {
		want = append(want, "$schema")
	}
	for key := range s.Properties {
		if !slices.Contains(want, key) {
			t.Errorf("%s: in the schema but not in Go", join(prefix, key))
		}
	}
	if s.AdditionalProperties != false {
		t.Errorf("%q: the schema allows unknown keys", prefix)
	}
}

func compareField(t *testing.T, name string, node schemaNode, field reflect.Value) {
	types := map[reflect.Kind]string{reflect.String: "string", reflect.Int: "integer", reflect.Bool: "boolean", reflect.Slice: "array", reflect.Map: "object"}
	got := node.Type
	if len(node.OneOf) > 0 {
		got = node.OneOf[0].Type
	}
	if got != "" && got != types[field.Kind()] {
		t.Errorf("%s: schema type %q, Go %s", name, got, field.Kind())
	}
	if node.Default == nil {
		return
	}
	text, _ := json.Marshal(field.Interface())
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(value, node.Default) {
		t.Errorf("%s: schema default %v, Go %v", name, node.Default, value)
	}
}

func TestSchemaEnums(t *testing.T) {
	if got := readSchema(t).Properties["app"].Properties["categories"].Items.Enum; !slices.Equal(got, Categories) {
		t.Errorf("app.categories: schema %q, Go %q", got, Categories)
	}
	web := readSchema(t).Properties["web"]
	if got := web.Properties["isolation"].Enum; !slices.Equal(got, Isolations) {
		t.Errorf("web.isolation: schema %q, Go %q", got, Isolations)
	}
	if got := web.Properties["permissions"].Items.Enum; !slices.Equal(got, Permissions) {
		t.Errorf("web.permissions: schema %q, Go %q", got, Permissions)
	}
}

// An editor that follows the schema and Conch agree about these manifests.
func TestSchemaAgreesWithDecoder(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemaPath)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, manifest string
		ok             bool
	}{
		{"full", fullManifest, true},
		{"smallest", `{"format":1}`, true},
		{"hosts as text", `{"format":1,"network":{"allowedHosts":"a.example.net # x\n"}}`, true},
		{"no format", `{"name":"x"}`, false},
		{"format 2", `{"format":2}`, false},
		{"unknown key", `{"format":1,"x":1}`, false},
		{"unknown window key", `{"format":1,"window":{"size":1}}`, false},
		{"width as text", `{"format":1,"window":{"width":"1280"}}`, false},
		{"width too small", `{"format":1,"window":{"width":1}}`, false},
		{"background", `{"format":1,"window":{"background":"#fff"}}`, false},
		{"entry outside", `{"format":1,"entry":"../index.html"}`, false},
		{"absolute entry", `{"format":1,"entry":"/index.html"}`, false},
		{"icon type", `{"format":1,"icon":"a.ico"}`, false},
		{"origin with path", `{"format":1,"network":{"origin":"https://a.example.net/x"}}`, false},
		{"proxy prefix", `{"format":1,"network":{"allowedHosts":["a.net"],"proxy":{"api":"https://a.net"}}}`, false},
		{"permission", `{"format":1,"web":{"permissions":["usb"]}}`, false},
		{"permission twice", `{"format":1,"web":{"permissions":["midi","midi"]}}`, false},
		{"category", `{"format":1,"app":{"categories":["Game"]}}`, false},
		{"description too long", `{"format":1,"app":{"description":"` + strings.Repeat("x", 301) + `"}}`, false},
		{"isolation", `{"format":1,"web":{"isolation":"yes"}}`, false},
		{"feed", `{"format":1,"version":"1.0.0","update":{"feed":"https://a.net/f.json"}}`, true},
		{"feed over http", `{"format":1,"version":"1.0.0","update":{"feed":"http://a.net/f.json"}}`, false},
		{"feed with user", `{"format":1,"version":"1.0.0","update":{"feed":"https://me@a.net/f.json"}}`, false},
		{"unknown update key", `{"format":1,"version":"1.0.0","update":{"url":"https://a.net/f.json"}}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := Open(folder(t, gameWith(tt.manifest)), Options{})
			if err == nil {
				b.Close()
			}
			if (err == nil) != tt.ok {
				t.Errorf("Open: %v, want ok %v", err, tt.ok)
			}
			text, err := hujson.Standardize([]byte(tt.manifest))
			if err != nil {
				t.Fatal(err)
			}
			var value any
			if err := json.Unmarshal(text, &value); err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); (err == nil) != tt.ok {
				t.Errorf("schema: %v, want ok %v", err, tt.ok)
			}
		})
	}
}

// docs/bundle.md speaks of every setting.
func TestDocsNameEverySetting(t *testing.T) {
	doc, err := os.ReadFile("../../docs/bundle.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range settings {
		if !slices.Contains([]string{"app", "window", "network", "web", "update"}, s) && !containsText(doc, "`"+s+"`") {
			t.Errorf("docs/bundle.md does not describe `%s`", s)
		}
	}
	for _, p := range slices.Concat(Permissions, Isolations, Categories) {
		if !containsText(doc, "`"+p+"`") {
			t.Errorf("docs/bundle.md does not name `%s`", p)
		}
	}
}
