package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// attachConsole gives a program without a console the one it was started from, so that --self-check in a terminal can
// be read. Standard output and errors that lead somewhere already, to a file or a pipe, stay.
func attachConsole() {
	const parent = ^uintptr(0) // ATTACH_PARENT_PROCESS
	attach := windows.NewLazySystemDLL("kernel32.dll").NewProc("AttachConsole")
	if goesSomewhere(windows.STD_OUTPUT_HANDLE) && goesSomewhere(windows.STD_ERROR_HANDLE) {
		return
	}
	if ok, _, _ := attach.Call(parent); ok == 0 {
		return
	}
	console, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		return
	}
	if !goesSomewhere(windows.STD_OUTPUT_HANDLE) {
		os.Stdout = console
	}
	if !goesSomewhere(windows.STD_ERROR_HANDLE) {
		os.Stderr = console
	}
}

func goesSomewhere(which uint32) bool {
	h, err := windows.GetStdHandle(which)
	return err == nil && h != 0 && h != windows.InvalidHandle
}
