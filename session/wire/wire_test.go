package wire

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
)

type message struct {
	name   string
	frames []Frame
	bytes  []byte // set when they are not what Append makes
}

func goodMessages() []message {
	nonce := [NonceSize]byte{1, 2, 3}
	project := ClientProject(nonce, "skiff")
	one, text := []byte{1}, []byte{0x62, 'h', 'i'}
	return []message{
		{name: "hello", frames: []Frame{&Hello{1, 1, nonce, project}}},
		{name: "challenge", frames: []Frame{&Challenge{Version: 1, Nonce: nonce, Project: project, Need: NeedCode, Salt: []byte("salt"), Iterations: 4096}}},
		{name: "auth", frames: []Frame{&Auth{Build: "1.0", Name: "Zoë", Kind: KindBrowser, Spectator: true, UserData: []byte{0, 255}, Proof: project[:]}}},
		{name: "auth that resumes", frames: []Frame{&Auth{Build: "1.0", Session: "s", Resume: nonce[:], Loaded: 3}}},
		{name: "welcome", frames: []Frame{&Welcome{ID: 2, Session: "s", Token: nonce, Role: RoleSpectator, Resumed: true, Proof: project[:], HostMicros: 1_790_000_000_000_000,
			TickHz: 20, Limits: Limits{65536, 67584, 120, 240, 262144, 524288, 60, 120, 2000, 10000, 20000, 256}}}},
		{name: "reject", frames: []Frame{&Reject{"full", "The game is full.", 5000}}},
		{name: "ping and pong in one message", frames: []Frame{&Ping{1, 1000}, &Pong{1, 1000, 2000, 2001}}},
		{name: "bye", frames: []Frame{&Bye{"kicked", "be nice"}}},
		{name: "load", frames: []Frame{&Load{7, "6f1c0a52-0000-4000-8000-000000000001", "harbour", true}}},
		{name: "loaded", frames: []Frame{&Loaded{7, false, "no such file"}}},
		{name: "activate", frames: []Frame{&Activate{7}}},
		{name: "names", frames: []Frame{&Names{2, []string{"x", "Größe"}}}},
		{name: "snapshot frames", frames: []Frame{&SnapBegin{9, 5}, &SnapPart{[]byte("hello")}, &SnapEnd{CRC([]byte("hello"))}}},
		{name: "delta", frames: []Frame{&Delta{8, 9, []Change{
			{GameTarget, []Field{{Name: 0, Raw: one, Value: int64(1)}, {Name: 1, Removed: true}}},
			{PlayerTarget(2), []Field{{Name: 300, Raw: text, Value: "hi"}}}}}}},
		{name: "spawn", frames: []Frame{&Spawn{Entity{ObjectTarget(5), "boat", 2, true, []Field{{Name: 0, Raw: one, Value: int64(1)}}}}}},
		{name: "despawn", frames: []Frame{&Despawn{ObjectTarget(5)}, &Despawn{PlayerTarget(2)}}},
		{name: "owner", frames: []Frame{&Owner{5, 3}}},
		{name: "resync", frames: []Frame{&Resync{8}}},
		{name: "check", frames: []Frame{&Check{9, 0xdeadbeef}}},
		{name: "rpc", frames: []Frame{&RPC{1, 5, "fire", []byte{1, 2, 3}}}},
		{name: "rpc without a result", frames: []Frame{&RPC{0, 0, "say", nil}}},
		{name: "result", frames: []Frame{&Result{1, StatusOK, []byte("yes")}}},
		{name: "relayed", frames: []Frame{&Relayed{2, 5, "fire", []byte{1}}}},
		{name: "largest number", frames: []Frame{&Activate{MaxUint}}},
		{name: "body that grew", frames: []Frame{&Activate{7}}, bytes: []byte{12, 0, 3, 7, 1, 2}},
		{name: "unknown frame that may be skipped", frames: []Frame{&Activate{7}}, bytes: []byte{200, 1, 2, 9, 9, 12, 0, 1, 7}},
		{name: "known frame with the skippable flag", frames: []Frame{&Activate{7}}, bytes: []byte{12, 1, 1, 7}},
	}
}

func badMessages() []message {
	long := append([]byte{5, 0, 2 + MaxCode}, bytes.Repeat([]byte{'a'}, 2+MaxCode)...)
	long[3] = MaxCode + 1
	return []message{
		{name: "empty", bytes: []byte{}},
		{name: "type alone", bytes: []byte{12}},
		{name: "no length", bytes: []byte{12, 0}},
		{name: "body missing", bytes: []byte{12, 0, 1}},
		{name: "body short", bytes: []byte{6, 0, 2, 1, 0x80}},
		{name: "field missing", bytes: []byte{6, 0, 1, 1}},
		{name: "rubbish after a frame", bytes: []byte{12, 0, 1, 7, 12}},
		{name: "type 0", bytes: []byte{0, 0, 0}},
		{name: "unknown frame", bytes: []byte{200, 0, 0}},
		{name: "reserved flag", bytes: []byte{12, 2, 1, 7}},
		{name: "reserved flag on a frame that may be skipped", bytes: []byte{200, 0x81, 0}},
		{name: "varuint not in its shortest form", bytes: []byte{12, 0, 2, 0x87, 0}},
		{name: "length not in its shortest form", bytes: []byte{12, 0, 0x81, 0, 7}},
		{name: "varuint above 2^53-1", bytes: []byte{12, 0, 8, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10}},
		{name: "varuint without an end", bytes: append([]byte{12, 0, 11}, bytes.Repeat([]byte{0xff}, 11)...)},
		{name: "huge length", bytes: []byte{12, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f}},
		{name: "text that is not UTF-8", bytes: []byte{8, 0, 3, 1, 0xff, 0}},
		{name: "text longer than allowed", bytes: long},
		{name: "bool of 2", bytes: []byte{11, 0, 3, 7, 2, 0}},
		{name: "target of an unknown kind", bytes: []byte{25, 0, 1, 3}},
		{name: "second game state", bytes: []byte{23, 0, 5, 0, 1, 1, 4, 0}},
		{name: "spawn of a player", bytes: []byte{24, 0, 2, 9, 0}},
		{name: "despawn of the game", bytes: []byte{25, 0, 1, 0}},
		{name: "call without a name", bytes: []byte{30, 0, 4, 1, 0, 0, 0}},
		{name: "more changes than bytes", bytes: []byte{23, 0, 5, 0, 1, 0xff, 0xff, 3}},
		{name: "more changes than allowed", bytes: []byte{23, 0, 6, 0, 1, 0xff, 0xff, 0x7f, 0}},
		{name: "names beyond the table", bytes: []byte{19, 0, 5, 0x80, 0x20, 1, 1, 'x'}},
		{name: "delta with a bad value", bytes: []byte{23, 0, 7, 0, 1, 1, 0, 1, 0, 0xff}},
		{name: "snapshot larger than allowed", bytes: []byte{20, 0, 5, 0, 0x81, 0x80, 0x80, 0x08}},
		{name: "part larger than allowed", bytes: append([]byte{21, 0, 0x81, 0x80, 1}, make([]byte, MaxPart+1)...)},
	}
}

type valueCase struct {
	name  string
	value any
	bytes []byte // set when they are not what EncodeValue makes
}

func goodValues() []valueCase {
	nested := any(int64(1))
	for range MaxNesting {
		nested = []any{nested}
	}
	return []valueCase{
		{name: "null", value: nil}, {name: "true", value: true}, {name: "false", value: false},
		{name: "zero", value: int64(0)}, {name: "23", value: int64(23)}, {name: "24", value: int64(24)}, {name: "-1", value: int64(-1)},
		{name: "-25", value: int64(-25)}, {name: "65536", value: int64(65536)}, {name: "2^32", value: int64(1 << 32)},
		{name: "largest integer", value: int64(MaxUint)}, {name: "smallest integer", value: int64(-MaxUint)},
		{name: "1.5", value: 1.5}, {name: "0.1", value: 0.1}, {name: "100000.5", value: 100000.5}, {name: "1e300", value: 1e300},
		{name: "not a number", value: math.NaN()}, {name: "infinity", value: math.Inf(1)}, {name: "minus infinity", value: math.Inf(-1)},
		{name: "minus zero", value: math.Copysign(0, -1)},
		{name: "half subnormal", value: 5.960464477539063e-08},
		{name: "1.5 in eight bytes", value: 1.5, bytes: []byte{0xfb, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0}},
		{name: "1.5 in four bytes", value: 1.5, bytes: []byte{0xfa, 0x3f, 0xc0, 0, 0}},
		{name: "integer in more bytes than needed", value: int64(1), bytes: []byte{0x19, 0, 1}},
		{name: "empty text", value: ""}, {name: "text", value: "Zoë 🐚"}, {name: "text of 24 bytes", value: strings.Repeat("a", 24)},
		{name: "bytes", value: []byte{0, 1, 255}}, {name: "empty bytes", value: []byte{}},
		{name: "empty list", value: []any{}}, {name: "list", value: []any{int64(1), "two", nil, 3.5}},
		{name: "empty map", value: map[string]any{}},
		{name: "map", value: map[string]any{"b": int64(1), "a": []any{true}, "aa": map[string]any{"": nil}}},
		{name: "map in another order", value: map[string]any{"a": int64(1), "b": int64(2)}, bytes: []byte{0xa2, 0x61, 'b', 2, 0x61, 'a', 1}},
		{name: "deepest nesting", value: nested},
	}
}

func badValues() []valueCase {
	return []valueCase{
		{name: "nothing", bytes: []byte{}},
		{name: "two values", bytes: []byte{1, 2}},
		{name: "integer cut short", bytes: []byte{0x19, 1}},
		{name: "text cut short", bytes: []byte{0x62, 'a'}},
		{name: "list cut short", bytes: []byte{0x82, 1}},
		{name: "map without a value", bytes: []byte{0xa1, 0x61, 'a'}},
		{name: "text that is not UTF-8", bytes: []byte{0x61, 0xff}},
		{name: "same key twice", bytes: []byte{0xa2, 0x61, 'a', 1, 0x61, 'a', 2}},
		{name: "same key twice, inside", bytes: []byte{0x81, 0xa2, 0x61, 'a', 1, 0x61, 'a', 2}},
		{name: "key that is a number", bytes: []byte{0xa1, 1, 1}},
		{name: "key that is bytes", bytes: []byte{0xa1, 0x41, 'a', 1}},
		{name: "tag", bytes: []byte{0xc0, 0x61, 'a'}},
		{name: "big number", bytes: []byte{0xc2, 0x41, 1}},
		{name: "list of unknown length", bytes: []byte{0x9f, 1, 0xff}},
		{name: "text of unknown length", bytes: []byte{0x7f, 0x61, 'a', 0xff}},
		{name: "map of unknown length", bytes: []byte{0xbf, 0xff}},
		{name: "undefined", bytes: []byte{0xf7}},
		{name: "simple value 16", bytes: []byte{0xf0}},
		{name: "simple value 255", bytes: []byte{0xf8, 0xff}},
		{name: "break alone", bytes: []byte{0xff}},
		{name: "reserved length", bytes: []byte{0x1c}},
		{name: "2^53", bytes: []byte{0x1b, 0, 0x20, 0, 0, 0, 0, 0, 0}},
		{name: "-2^53", bytes: []byte{0x3b, 0, 0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
		{name: "2^64-1", bytes: []byte{0x1b, 255, 255, 255, 255, 255, 255, 255, 255}},
		{name: "nested too deep", bytes: append(bytes.Repeat([]byte{0x81}, MaxNesting+1), 1)},
		{name: "long list", bytes: append([]byte{0x99, 0x10, 0x01}, make([]byte, MaxElements+1)...)},
		{name: "long map", bytes: []byte{0xb9, 0x10, 0x01, 0x60, 0}},
		{name: "text longer than a value may be", bytes: append([]byte{0x7a, 0, 1, 0, 0}, bytes.Repeat([]byte{'a'}, MaxValue)...)},
	}
}

func exampleEntities(t testing.TB) []Entity {
	return []Entity{
		{Target: GameTarget, Fields: []Field{{Name: 0, Raw: mustEncode(t, "night"), Value: "night"}}},
		{Target: ObjectTarget(5), Class: "boat", Owner: 2, Fields: []Field{{Name: 1, Raw: mustEncode(t, 1.5), Value: 1.5}, {Name: 4, Raw: mustEncode(t, nil), Value: nil}}},
	}
}

func TestChecksumDoesNotDependOnOrder(t *testing.T) {
	a, b := exampleEntities(t), exampleEntities(t)
	b[0], b[1] = b[1], b[0]
	b[0].Fields[0], b[0].Fields[1] = b[0].Fields[1], b[0].Fields[0]
	if got, want := Checksum(b), Checksum(a); got != want {
		t.Errorf("got %x, want %x", got, want)
	}
}

func TestEncodeValueRefuses(t *testing.T) {
	for name, v := range map[string]any{
		"integer above 2^53": int64(1 << 53), "unsigned": uint64(math.MaxUint64), "function": func() {}, "channel": make(chan int),
		"text that is not UTF-8": "\xff", "too deep": deep(MaxNesting + 1), "too long": strings.Repeat("a", MaxValue),
		"key that is a number": map[int]int{1: 2}, "long list": make([]any, MaxElements+1),
	} {
		if b, err := EncodeValue(v); err == nil {
			t.Errorf("%s: got %x, want an error", name, b)
		}
	}
}

func deep(n int) any {
	v := any(1)
	for range n {
		v = []any{v}
	}
	return v
}

func TestDecodeNamesTheProblem(t *testing.T) {
	for _, c := range []struct {
		name  string
		bytes []byte
		want  error
	}{
		{"cut short", []byte{12, 0, 1}, ErrTruncated}, {"unknown", []byte{200, 0, 0}, ErrUnknown}, {"flags", []byte{12, 4, 0}, ErrFlags},
		{"bool", []byte{11, 0, 3, 7, 2, 0}, ErrBool}, {"text", []byte{8, 0, 3, 1, 0xff, 0}, ErrText},
		{"value", []byte{23, 0, 7, 0, 1, 1, 0, 1, 0, 0xff}, ErrValue}, {"varuint", []byte{12, 0, 2, 0x87, 0}, ErrVaruint},
	} {
		if _, err := Decode(c.bytes); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
}

func TestStatusNames(t *testing.T) {
	if got := StatusUnknown.String(); got != "unknown" || len(statusNames) != int(StatusUnknown)+1 {
		t.Errorf("got %q of %d names", got, len(statusNames))
	}
	if got := Status(200).String(); got != "unknown" {
		t.Errorf("got %q", got)
	}
}

// FuzzDecode: no bytes crash the decoder, and what it accepts it writes and reads again as the same.
func FuzzDecode(f *testing.F) {
	for _, m := range goodMessages() {
		var b []byte
		for _, one := range m.frames {
			b = Append(b, one)
		}
		f.Add(b)
	}
	for _, m := range badMessages() {
		f.Add(m.bytes)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		frames, err := Decode(b)
		if err != nil {
			return
		}
		var again []byte
		for _, one := range frames {
			again = Append(again, one)
		}
		if len(frames) == 0 {
			return
		}
		back, err := Decode(again)
		if err != nil {
			t.Fatalf("what was accepted is refused when written again: %v", err)
		}
		var third []byte
		for _, one := range back {
			third = Append(third, one)
		}
		if !bytes.Equal(again, third) {
			t.Fatalf("got %x, want %x", third, again)
		}
	})
}

// FuzzValue: no bytes crash the decoder, and what it accepts has one form.
func FuzzValue(f *testing.F) {
	for _, v := range goodValues() {
		if b := v.bytes; b != nil {
			f.Add(b)
			continue
		}
		f.Add(mustEncode(f, v.value))
	}
	for _, v := range badValues() {
		f.Add(v.bytes)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := DecodeValue(b)
		if err != nil {
			return
		}
		first, err := EncodeValue(v)
		if err != nil {
			t.Fatalf("%x was accepted as %v and cannot be written: %v", b, v, err)
		}
		v, err = DecodeValue(first)
		if err != nil {
			t.Fatal(err)
		}
		if second := mustEncode(t, v); !bytes.Equal(first, second) {
			t.Fatalf("got %x, want %x", second, first)
		}
	})
}

// FuzzSnapshot: no bytes crash the decoder of snapshots.
func FuzzSnapshot(f *testing.F) {
	f.Add(AppendSnapshot(nil, exampleEntities(f)))
	f.Fuzz(func(t *testing.T, b []byte) {
		all, err := ParseSnapshot(b)
		if err != nil {
			return
		}
		if _, err := ParseSnapshot(AppendSnapshot(nil, all)); err != nil {
			t.Fatal(err)
		}
	})
}
