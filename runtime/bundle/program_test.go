package bundle

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tinyELF is the smallest image that the tables of a Linux program allow, with text behind the headers.
func tinyELF(text string) []byte {
	b := make([]byte, 64+56)
	copy(b, "\x7fELF\x02\x01\x01")
	le := binary.LittleEndian
	le.PutUint16(b[18:], 62) // x86-64
	le.PutUint64(b[32:], 64) // program headers
	le.PutUint16(b[54:], 56)
	le.PutUint16(b[56:], 1)
	le.PutUint32(b[64:], 1)                // PT_LOAD
	le.PutUint64(b[64+8:], uint64(len(b))) // offset
	le.PutUint64(b[64+32:], uint64(len(text)))
	return append(b, text...)
}

// tinyPE is the same for Windows: one section.
func tinyPE(text string) []byte {
	const at, optional = 64, 240
	b := make([]byte, at+24+optional+40)
	copy(b, "MZ")
	le := binary.LittleEndian
	le.PutUint32(b[0x3c:], at)
	copy(b[at:], "PE\x00\x00")
	le.PutUint16(b[at+4:], 0x8664)
	le.PutUint16(b[at+6:], 1)
	le.PutUint16(b[at+20:], optional)
	section := b[at+24+optional:]
	le.PutUint32(section[16:], uint32(len(text)))
	le.PutUint32(section[20:], uint32(len(b)))
	return append(b, text...)
}

// program puts a payload behind an image, as pack does.
func program(image []byte, p Payload, game []byte) []byte {
	b := append([]byte{}, image...)
	b = append(b, make([]byte, PayloadOffset(int64(len(image)))-int64(len(image)))...)
	b = append(b, p.Header()...)
	b = append(b, game...)
	return append(b, make([]byte, -len(b)&7)...)
}

func packed(t testing.TB, image []byte) []byte {
	t.Helper()
	game := zipBytes(t, deflated("conch.json", `{"format":1,"id":"com.example.packed"}`), deflated("index.html", plainPage))
	return program(image, Payload{Length: int64(len(game))}, game)
}

var images = map[string][]byte{"linux": tinyELF("text"), "windows": tinyPE("text"), "windows, aligned": tinyPE(strings.Repeat("x", 4096-64-24-240-40))}

func TestProgramOpens(t *testing.T) {
	for name, image := range images {
		t.Run(name, func(t *testing.T) {
			file := diskFile(t, "김종환 🎮.bin", packed(t, image))
			b := open(t, file, Options{})
			if b.Kind != Program || b.Manifest.ID != "com.example.packed" || read(t, b.FS, "index.html") != plainPage {
				t.Errorf("kind %s, id %q", b.Kind, b.Manifest.ID)
			}
			if carries, err := CarriesGame(file); err != nil || !carries {
				t.Errorf("CarriesGame: %t, %v", carries, err)
			}
		})
	}
}

// What follows the game does not matter: a code signature, or anything that a tool appends.
func TestProgramWithSomethingBehind(t *testing.T) {
	for name, image := range images {
		data := append(packed(t, image), bytes.Repeat([]byte("signature"), 1000)...)
		b := open(t, diskFile(t, "game", data), Options{})
		if got := read(t, b.FS, "index.html"); got != plainPage {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestProgramBroken(t *testing.T) {
	image := images["linux"]
	whole := packed(t, image)
	at := int(PayloadOffset(int64(len(image))))
	change := func(offset int) []byte {
		b := bytes.Clone(whole)
		b[offset] ^= 1
		return b
	}
	length := binary.LittleEndian.Uint64(whole[at+16:])
	directory := at + payloadHeader + int(length) - 22
	tests := []struct {
		name string
		data []byte
		want []string
	}{
		{"cut in the image", whole[:len(image)-1], []string{"incomplete", "bytes are there", "download it again"}},
		{"cut in the padding", whole[:at-10], []string{"incomplete", "download it again"}},
		{"cut in front of the header", whole[:at], []string{"incomplete"}},
		{"cut in the header", whole[:at+20], []string{"incomplete"}},
		{"cut in the magic", whole[:at+4], []string{"incomplete"}},
		{"cut behind the header", whole[:at+payloadHeader], []string{"incomplete", "0 of"}},
		{"cut in the game", whole[:len(whole)-60], []string{"incomplete", "bytes of its game are there"}},
		{"header changed", change(at + 17), []string{"damaged", "header"}},
		{"checksum changed", change(at + 61), []string{"damaged", "header"}},
		{"reserved changed", change(at + 40), []string{"damaged", "header"}},
		{"directory changed", change(directory), []string{"damaged", "zip"}},
		{"side name with a folder", program(image, Payload{Length: 4, Side: true}, []byte("../x")), []string{"damaged", "side file"}},
		{"side name with a backslash", program(image, Payload{Length: 3, Side: true}, []byte(`a\b`)), []string{"damaged", "side file"}},
		{"side file missing", program(image, Payload{Length: 1, Side: true, SideSize: 3}, []byte("x")), []string{"beside the program", "x"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := diskFile(t, "Game.exe", tt.data)
			b, err := Open(file, Options{})
			if err == nil {
				b.Close()
			}
			wantError(t, err, append(tt.want, "Game.exe")...)
		})
	}
}

// A launcher without a game is no game, and says so as any program does.
func TestProgramWithoutGame(t *testing.T) {
	foreign := append(tinyPE("text"), bytes.Repeat([]byte{7}, 9000)...)
	for name, data := range map[string][]byte{
		"plain": tinyELF("text"), "plain windows": tinyPE("text"), "something else behind it": foreign, "a few bytes behind it": append(tinyELF("x"), "hello"...),
		"DOS program": append([]byte("MZ"), make([]byte, 100)...), "short": []byte("MZ"),
	} {
		file := diskFile(t, "x.bin", data)
		if carries, err := CarriesGame(file); carries || err != nil {
			t.Errorf("%s: CarriesGame: %t, %v", name, carries, err)
		}
		if _, err := Open(file, Options{}); !errors.Is(err, ErrNotGame) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The tables of the program that runs this test are real ones.
func TestRealExecutable(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	image, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	x, err := ReadExecutable(bytes.NewReader(image), int64(len(image)))
	if err != nil || x.Payload != nil || x.End > int64(len(image)) || x.End < int64(len(image))*9/10 {
		t.Fatalf("%+v, %v, file of %d", x, err, len(image))
	}
	b := open(t, diskFile(t, "game", packed(t, image[:x.End])), Options{})
	if b.Kind != Program {
		t.Errorf("kind %s", b.Kind)
	}
}

// Case B37: a game of 4.5 GB inside a program, and one beside it. The files have holes; nothing is written.
func TestLargeProgram(t *testing.T) {
	const large = 4_500_000_000
	game := zipBytes(t, deflated("index.html", plainPage))
	image := images["windows"]
	t.Run("inside", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "Game.exe")
		start := PayloadOffset(int64(len(image)))
		withHoles(t, file, start+payloadHeader+large, map[int64][]byte{
			0: image, start: Payload{Length: large}.Header(), start + payloadHeader + large - int64(len(game)): game,
		})
		b := open(t, file, Options{})
		if got := read(t, b.FS, "index.html"); got != plainPage {
			t.Errorf("%q", got)
		}
	})
	t.Run("beside", func(t *testing.T) {
		dir := t.TempDir()
		side := filepath.Join(dir, "김 Game.conch")
		withHoles(t, side, large, map[int64][]byte{large - int64(len(game)): game})
		name := filepath.Base(side)
		data := program(image, Payload{Length: int64(len(name)), Side: true, SideSize: large}, []byte(name))
		file := filepath.Join(dir, "renamed.exe")
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		b := open(t, file, Options{})
		if got := read(t, b.FS, "index.html"); got != plainPage {
			t.Errorf("%q", got)
		}
		if err := os.Truncate(side, large-1); err != nil {
			t.Fatal(err)
		}
		_, err := Open(file, Options{})
		wantError(t, err, "4499999999 of 4500000000", name, "download both again")
	})
}

// withHoles makes a file of the given size with the given parts and holes between them.
func withHoles(t testing.TB, name string, size int64, parts map[int64][]byte) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
	for at, data := range parts {
		if _, err := f.WriteAt(data, at); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAppFolderOpens(t *testing.T) {
	app := filepath.Join(t.TempDir(), "My Game.app")
	dir := filepath.Join(app, "Contents", "Resources")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "game.conch"), zipBytes(t, deflated("index.html", plainPage)), 0o644); err != nil {
		t.Fatal(err)
	}
	if b := open(t, app, Options{}); b.Kind != Program || read(t, b.FS, "index.html") != plainPage {
		t.Errorf("kind %s", b.Kind)
	}
}

func TestProgramIsNotSigned(t *testing.T) {
	file := diskFile(t, "game", packed(t, images["linux"]))
	before, _ := os.ReadFile(file)
	_, err := Sign(t.Context(), file, authorKey(1), SignOptions{})
	wantError(t, err, "sign the game and pack it then")
	if after, _ := os.ReadFile(file); !bytes.Equal(before, after) {
		t.Error("the program was changed")
	}
}

func FuzzReadExecutable(f *testing.F) {
	for _, image := range images {
		f.Add(packed(f, image))
		f.Add(image)
		f.Add(program(image, Payload{Length: 6, Side: true, SideSize: 9}, []byte("x.conch")))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := ReadExecutable(bytes.NewReader(data), int64(len(data)))
		if err != nil || x.Payload == nil {
			return
		}
		p := x.Payload
		if p.Offset < 0 || p.Length < 0 || p.Offset+p.Length > int64(len(data)) || p.Offset < x.End {
			t.Fatalf("payload %+v of %d bytes", p, len(data))
		}
		if p.Side && strings.ContainsAny(p.SideName, `/\`) {
			t.Fatalf("side file %q", p.SideName)
		}
	})
}
