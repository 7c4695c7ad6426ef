package wire

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write session/testdata/vectors.json")

const vectorsFile = "../testdata/vectors.json"

// vectors is the file that the Go and the JavaScript codec share. Bytes are hex; in values {"$bytes": hex} and
// {"$float": "nan", "inf", "-inf", "-0"} stand for what JSON has no word for.
type vectors struct {
	Messages    []messageVector  `json:"messages"`
	BadMessages []badVector      `json:"badMessages"`
	Values      []valueVector    `json:"values"`
	BadValues   []badVector      `json:"badValues"`
	Snapshots   []snapshotVector `json:"snapshots"`
	Proofs      proofVector      `json:"proofs"`
}

type messageVector struct {
	Name   string           `json:"name"`
	Hex    string           `json:"hex"`
	Frames []map[string]any `json:"frames"`
	// OneWay is set when the bytes are not what an encoder makes of the frames.
	OneWay bool `json:"oneWay,omitempty"`
}

type badVector struct {
	Name string `json:"name"`
	Hex  string `json:"hex"`
}

type valueVector struct {
	Name   string `json:"name"`
	Hex    string `json:"hex"`
	Value  any    `json:"value"`
	OneWay bool   `json:"oneWay,omitempty"`
}

type snapshotVector struct {
	Name     string           `json:"name"`
	Hex      string           `json:"hex"`
	Checksum uint32           `json:"checksum"`
	Entities []map[string]any `json:"entities"`
}

type proofVector struct {
	ClientNonce   string `json:"clientNonce"`
	HostNonce     string `json:"hostNonce"`
	Project       string `json:"project"`
	Secret        string `json:"secret"`
	Salt          string `json:"salt"`
	Iterations    int    `json:"iterations"`
	ClientProject string `json:"clientProject"`
	HostProject   string `json:"hostProject"`
	Key           string `json:"key"`
	ClientProof   string `json:"clientProof"`
	HostProof     string `json:"hostProof"`
}

// plain turns frames and values into what the file says about them.
func plain(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer:
		return plain(v.Elem())
	case reflect.Struct:
		m := map[string]any{}
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if name == "CRC" || name == "UUID" || name == "ID" || name == "OK" {
				name = strings.ToLower(name)
			} else {
				name = strings.ToLower(name[:1]) + name[1:]
			}
			if name == "value" && v.Type() == reflect.TypeFor[Field]() {
				if !v.FieldByName("Removed").Bool() {
					m[name] = plainValue(v.Field(i).Interface())
				}
				continue
			}
			m[name] = plain(v.Field(i))
		}
		return m
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			b := make([]byte, v.Len())
			reflect.Copy(reflect.ValueOf(b), v)
			return hex.EncodeToString(b)
		}
		all := []any{}
		for i := range v.Len() {
			all = append(all, plain(v.Index(i)))
		}
		return all
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		return v.Uint()
	}
	return v.Interface()
}

func plainValue(v any) any {
	switch v := v.(type) {
	case []byte:
		return map[string]any{"$bytes": hex.EncodeToString(v)}
	case float64:
		switch {
		case math.IsNaN(v):
			return map[string]any{"$float": "nan"}
		case math.IsInf(v, 0):
			return map[string]any{"$float": strings.TrimPrefix(strings.ToLower(fmt.Sprint(v)), "+")}
		case v == 0 && math.Signbit(v):
			return map[string]any{"$float": "-0"}
		}
	case []any:
		all := []any{}
		for _, e := range v {
			all = append(all, plainValue(e))
		}
		return all
	case map[string]any:
		m := map[string]any{}
		for k, e := range v {
			m[k] = plainValue(e)
		}
		return m
	}
	return v
}

func plainFrames(frames []Frame) []map[string]any {
	all := []map[string]any{}
	for _, f := range frames {
		m := plain(reflect.ValueOf(f)).(map[string]any)
		m["type"] = uint64(f.Type())
		all = append(all, m)
	}
	return all
}

// TestVectors checks the file against this codec, both ways.
func TestVectors(t *testing.T) {
	want, err := json.MarshalIndent(makeVectors(t), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile(vectorsFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(vectorsFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the codec makes; run go test ./session/wire -update and look at the difference", vectorsFile)
	}
}

func makeVectors(t *testing.T) vectors {
	var all vectors
	for _, m := range goodMessages() {
		var b []byte
		for _, f := range m.frames {
			b = Append(b, f)
		}
		if m.bytes != nil {
			b = m.bytes
		}
		got, err := Decode(b)
		if err != nil {
			t.Fatalf("%s: %v", m.name, err)
		}
		if !reflect.DeepEqual(plainFrames(got), plainFrames(m.frames)) {
			t.Errorf("%s: got %v, want %v", m.name, plainFrames(got), plainFrames(m.frames))
		}
		all.Messages = append(all.Messages, messageVector{m.name, hex.EncodeToString(b), plainFrames(m.frames), m.bytes != nil})
	}
	for _, m := range badMessages() {
		if got, err := Decode(m.bytes); err == nil {
			t.Errorf("%s: got %v, want an error", m.name, got)
		}
		all.BadMessages = append(all.BadMessages, badVector{m.name, hex.EncodeToString(m.bytes)})
	}
	for _, v := range goodValues() {
		b := v.bytes
		if b == nil {
			b = mustEncode(t, v.value)
		}
		got, err := DecodeValue(b)
		if err != nil || !reflect.DeepEqual(plainValue(got), plainValue(v.value)) {
			t.Errorf("%s: got %v, %v, want %v", v.name, got, err, v.value)
		}
		all.Values = append(all.Values, valueVector{v.name, hex.EncodeToString(b), plainValue(v.value), v.bytes != nil})
	}
	for _, v := range badValues() {
		if got, err := DecodeValue(v.bytes); err == nil {
			t.Errorf("%s: got %v, want an error", v.name, got)
		}
		all.BadValues = append(all.BadValues, badVector{v.name, hex.EncodeToString(v.bytes)})
	}
	entities := exampleEntities(t)
	content := AppendSnapshot(nil, entities)
	parsed, err := ParseSnapshot(content)
	if err != nil || !reflect.DeepEqual(parsed, entities) {
		t.Errorf("snapshot: got %v, %v, want %v", parsed, err, entities)
	}
	one := snapshotVector{Name: "two entities", Hex: hex.EncodeToString(content), Checksum: Checksum(parsed)}
	for _, e := range entities {
		one.Entities = append(one.Entities, plain(reflect.ValueOf(e)).(map[string]any))
	}
	all.Snapshots = []snapshotVector{one}
	all.Proofs = exampleProofs(t)
	return all
}

func exampleProofs(t *testing.T) proofVector {
	var c, h [NonceSize]byte
	for i := range c {
		c[i], h[i] = byte(i), byte(0xf0+i)
	}
	p := proofVector{Project: "skiff", Secret: "K7M2QX", Salt: "0011223344556677", Iterations: 4096}
	salt, _ := hex.DecodeString(p.Salt)
	key, err := Key(p.Secret, salt, p.Iterations)
	if err != nil {
		t.Fatal(err)
	}
	cp, hp := ClientProject(c, p.Project), HostProject(c, h, p.Project)
	p.ClientNonce, p.HostNonce = hex.EncodeToString(c[:]), hex.EncodeToString(h[:])
	p.ClientProject, p.HostProject = hex.EncodeToString(cp[:]), hex.EncodeToString(hp[:])
	p.Key = hex.EncodeToString(key)
	p.ClientProof = hex.EncodeToString(ClientProof(key, c, h, p.Project))
	p.HostProof = hex.EncodeToString(HostProof(key, c, h, p.Project))
	return p
}

func mustEncode(t testing.TB, v any) []byte {
	t.Helper()
	b, err := EncodeValue(v)
	if err != nil {
		t.Fatalf("encode %v: %v", v, err)
	}
	return b
}
