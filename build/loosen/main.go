// Command loosen takes the web engine out of the list of libraries that the Linux loader insists on.
//
// A program linked to WebKitGTK does not even start where that library is missing, and a player who double-clicked
// it sees nothing. After loosen has changed the finished program, the loader starts it without those libraries;
// the program opens them itself (app/window) and can say what is missing. Calls into them are bound at their first
// use, so nothing else changes.
//
//	go run ./build/loosen PROGRAM
package main

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"strings"
)

// kept are the libraries that every system has; all others are opened by the program.
var kept = []string{"libc.so.", "libm.so.", "libpthread.so.", "libdl.so.", "libresolv.so.", "ld-linux"}

// DT_DEBUG is ignored by the loader in a library entry's place.
const ignoredTag = uint64(elf.DT_DEBUG)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "loosen: usage: loosen PROGRAM")
		os.Exit(2)
	}
	if err := loosen(os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "loosen: %s: %s\n", os.Args[1], err)
		os.Exit(1)
	}
}

func loosen(name string) error {
	f, err := elf.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if f.Class != elf.ELFCLASS64 || f.ByteOrder.String() != "LittleEndian" {
		return errors.New("only 64-bit little-endian programs are known here")
	}
	dynamic, symbols, strs := f.Section(".dynamic"), f.Section(".dynsym"), f.Section(".dynstr")
	if dynamic == nil || symbols == nil || strs == nil {
		return errors.New("not a dynamically linked program")
	}
	text, err := strs.Data()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := dropLibraries(f, dynamic, text, out); err != nil {
		return err
	}
	if err := weaken(f, symbols, text, out); err != nil {
		return err
	}
	return out.Close()
}

// dropLibraries makes the loader skip each DT_NEEDED entry that is not kept.
func dropLibraries(f *elf.File, dynamic *elf.Section, text []byte, out *os.File) error {
	data, err := dynamic.Data()
	if err != nil {
		return err
	}
	for at := 0; at+16 <= len(data); at += 16 {
		if elf.DynTag(f.ByteOrder.Uint64(data[at:])) != elf.DT_NEEDED {
			continue
		}
		if isKept(stringAt(text, f.ByteOrder.Uint64(data[at+8:]))) {
			continue
		}
		f.ByteOrder.PutUint64(data[at:], ignoredTag)
		f.ByteOrder.PutUint64(data[at+8:], 0)
	}
	_, err = out.WriteAt(data, int64(dynamic.Offset))
	return err
}

func isKept(library string) bool {
	for _, prefix := range kept {
		if strings.HasPrefix(library, prefix) {
			return true
		}
	}
	return false
}

// weaken lets the loader go on without the functions whose address is asked for at start; those of the C library
// carry a version and stay as they are.
func weaken(f *elf.File, symbols *elf.Section, text []byte, out *os.File) error {
	data, err := symbols.Data()
	if err != nil {
		return err
	}
	versions := f.Section(".gnu.version")
	if versions == nil {
		return errors.New("no symbol versions")
	}
	version, err := versions.Data()
	if err != nil {
		return err
	}
	if len(version)/2 < len(data)/24 {
		return errors.New("fewer symbol versions than symbols")
	}
	for i := 0; i+24 <= len(data); i += 24 {
		undefined := f.ByteOrder.Uint16(data[i+6:]) == uint16(elf.SHN_UNDEF)
		unversioned := f.ByteOrder.Uint16(version[i/24*2:]) <= 1
		global := elf.ST_BIND(data[i+4]) == elf.STB_GLOBAL
		if undefined && unversioned && global && stringAt(text, uint64(f.ByteOrder.Uint32(data[i:]))) != "" {
			data[i+4] = elf.ST_INFO(elf.STB_WEAK, elf.ST_TYPE(data[i+4]))
		}
	}
	_, err = out.WriteAt(data, int64(symbols.Offset))
	return err
}

func stringAt(text []byte, at uint64) string {
	if at >= uint64(len(text)) {
		return ""
	}
	s, _, _ := strings.Cut(string(text[at:]), "\x00")
	return s
}
