//go:build e2e && windows

// Command winquestion puts the question to the player, over a window that stands for the game's, and works on the
// store of answers, as the window program does on Windows. Under Wine there is no web view to do it in.
//
//	winquestion [-stop] [-until FILE] ask URL     shows the question until FILE is there; prints "screen WIDTH HEIGHT",
//	                                              "button LEFT TOP WIDTH HEIGHT LABEL"..., "shown", "Allow on" and
//	                                              "Allow off" at each change, and "answer ..."
//	winquestion remember|check DIR URL            prints "allowed true|false by ..."
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"conch/app/window"
	"conch/consent"
	"conch/consent/hostlist"
)

const game = "winquestion"

var user = windows.NewLazySystemDLL("user32.dll")

func main() {
	stop := flag.Bool("stop", false, "offer to stop asking")
	until := flag.String("until", "", "file whose appearance ends the question")
	flag.Parse()
	var err error
	switch flag.Arg(0) {
	case "ask":
		err = ask(flag.Arg(1), *stop, *until)
	default:
		err = store(flag.Arg(0), flag.Arg(1), flag.Arg(2))
	}
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
}

func ask(url string, stop bool, until string) error {
	t, err := hostlist.ParseTarget(url)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		for range time.Tick(50 * time.Millisecond) {
			if _, err := os.Stat(until); err == nil {
				cancel()
			}
		}
	}()
	opened := make(chan error)
	go gameWindow(opened)
	if err := <-opened; err != nil {
		return err
	}
	go describe()
	q := consent.NewQuestion(game, t)
	q.OfferStop = stop
	answer, err := window.Dialog().Show(ctx, q)
	fmt.Println("answer", [...]string{"deny", "allow", "deny until restart"}[answer], err)
	return nil
}

// describe prints where the question's buttons are, and when Allow can be pressed.
func describe() {
	findWindow, rectangle := user.NewProc("FindWindowExW"), user.NewProc("GetWindowRect")
	title, _ := windows.UTF16PtrFromString("Conch")
	class, _ := windows.UTF16PtrFromString("Button")
	var dialog uintptr
	for dialog == 0 || !windows.IsWindowVisible(windows.HWND(dialog)) {
		time.Sleep(50 * time.Millisecond)
		dialog, _, _ = findWindow.Call(0, 0, 0, uintptr(unsafe.Pointer(title)))
	}
	metric := user.NewProc("GetSystemMetrics")
	width, _, _ := metric.Call(0)
	height, _, _ := metric.Call(1)
	fmt.Println("screen", width, height)
	var allow uintptr
	for button, _, _ := findWindow.Call(dialog, 0, uintptr(unsafe.Pointer(class)), 0); button != 0; {
		var r struct{ left, top, right, bottom int32 }
		rectangle.Call(button, uintptr(unsafe.Pointer(&r)))
		var label [80]uint16
		user.NewProc("GetWindowTextW").Call(button, uintptr(unsafe.Pointer(&label)), uintptr(len(label)))
		if windows.IsWindowVisible(windows.HWND(button)) {
			fmt.Println("button", r.left, r.top, r.right-r.left, r.bottom-r.top, windows.UTF16ToString(label[:]))
			if windows.UTF16ToString(label[:]) == "Allow" {
				allow = button
			}
		}
		button, _, _ = findWindow.Call(dialog, button, uintptr(unsafe.Pointer(class)), 0)
	}
	fmt.Println("shown")
	enabled, was := user.NewProc("IsWindowEnabled"), uintptr(0)
	for range time.Tick(20 * time.Millisecond) {
		if now, _, _ := enabled.Call(allow); now != was {
			was = now
			fmt.Println("Allow", [...]string{"off", "on"}[min(now, 1)])
		}
	}
}

func store(do, dir, url string) error {
	t, err := hostlist.ParseTarget(url)
	if err != nil {
		return err
	}
	s, err := consent.Open(dir, slog.New(slog.NewTextHandler(os.Stdout, nil)))
	if err != nil {
		return err
	}
	defer s.Close()
	ctx := context.Background()
	if do == "remember" {
		if err := s.Remember(ctx, game, t); err != nil {
			return err
		}
	}
	fmt.Println("allowed", s.Allowed(ctx, game, t), "by", s.Protection())
	return nil
}

// wndClass is WNDCLASSW.
type wndClass struct {
	style              uint32
	procedure          uintptr
	classExtra, extra  int32
	instance           windows.Handle
	icon, cursor, back windows.Handle
	menu, name         *uint16
}

// gameWindow opens a window like the game's, which prints the keys that it gets, and runs it.
func gameWindow(opened chan<- error) {
	runtime.LockOSThread()
	var defaultProcedure = user.NewProc("DefWindowProcW")
	name, _ := windows.UTF16PtrFromString("ConchGame")
	title, _ := windows.UTF16PtrFromString("The game")
	class := wndClass{name: name, back: 6, procedure: windows.NewCallback(func(w windows.HWND, m uint32, wp, lp uintptr) uintptr {
		if m == 0x100 { // WM_KEYDOWN
			fmt.Println("game key", wp)
		}
		r, _, _ := defaultProcedure.Call(uintptr(w), uintptr(m), wp, lp)
		return r
	})}
	if atom, _, err := user.NewProc("RegisterClassW").Call(uintptr(unsafe.Pointer(&class))); atom == 0 {
		opened <- err
		return
	}
	const overlappedVisible = 0x10cf0000
	w, _, err := user.NewProc("CreateWindowExW").Call(0, uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(title)),
		overlappedVisible, 40, 40, 800, 500, 0, 0, 0, 0)
	if w == 0 {
		opened <- err
		return
	}
	user.NewProc("SetForegroundWindow").Call(w)
	opened <- nil
	var message [64]byte
	for {
		if more, _, _ := user.NewProc("GetMessageW").Call(uintptr(unsafe.Pointer(&message)), 0, 0, 0); int32(more) <= 0 {
			return
		}
		user.NewProc("TranslateMessage").Call(uintptr(unsafe.Pointer(&message)))
		user.NewProc("DispatchMessageW").Call(uintptr(unsafe.Pointer(&message)))
	}
}
