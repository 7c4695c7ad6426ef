package window

/*
#cgo pkg-config: gtk+-3.0
#cgo !webkit2_41 pkg-config: webkit2gtk-4.0
#cgo webkit2_41 pkg-config: webkit2gtk-4.1
#cgo webkit2_41 CFLAGS: -DWEBKIT2_41
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "webview_linux.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/cgo"
	"unsafe"

	"conch/app"
)

// engineMissing is what the loader said about the web engine, "" when it is there. toolkit reports whether GTK can
// show a box in any case.
var (
	engineMissing string
	toolkit       = true
)

func init() {
	// GTK belongs to one thread: main keeps the one it starts on.
	runtime.LockOSThread()
	// The finished program does not insist on the engine (build/loosen), so that its absence can be said.
	if text := C.conch_load_engine(); text != nil {
		engineMissing = C.GoString(text)
		toolkit = C.conch_load_toolkit() != 0
	}
}

// EngineError says that this computer has no web engine, how it is called and how to get it.
type EngineError struct{ Loader string }

func (e *EngineError) Error() string {
	return "the web engine WebKitGTK 4.1 is missing (" + e.Loader + "); install it: Debian, Ubuntu: apt install " +
		"libwebkit2gtk-4.1-0; Fedora: dnf install webkit2gtk4.1; Arch: pacman -S webkit2gtk-4.1"
}

// prepare sets what GTK and WebKit read once, before the first of their calls.
//
// The web data folder follows the program name, so the game's key is set as that name: a renamed or moved program
// keeps its saves, and two games never share them. Without JSC_useSharedArrayBuffer WebKitGTK hides
// SharedArrayBuffer even from an isolated page. With NVIDIA's driver the DMABUF renderer shows an empty window
// (https://github.com/wailsapp/wails/pull/5295); a value the player set is kept.
func prepare(key string) error {
	if engineMissing != "" {
		return &EngineError{engineMissing}
	}
	os.Setenv("JSC_useSharedArrayBuffer", "1")
	setDefaultEnv("WEBKIT_DISABLE_DMABUF_RENDERER", nvidia("/sys/module/nvidia"))
	if session := os.Getenv("XDG_SESSION_TYPE"); session == "" || session == "x11" || session == "unspecified" {
		setDefaultEnv("GDK_BACKEND", "x11")
	}
	name := C.CString(key)
	defer C.free(unsafe.Pointer(name))
	C.conch_prepare(name)
	if C.conch_gtk_init() == 0 {
		return errors.New("no display: start the game on a desktop, or use `conch serve`")
	}
	return nil
}

// portable points the engine at the folder beside a portable program.
func portable() error {
	dir, err := app.Portable()
	if dir == "" || err != nil {
		return err
	}
	return app.UsePortableEngine(dir)
}

// nvidia answers "1" when the driver's module is loaded, else "".
func nvidia(module string) string {
	if _, err := os.Stat(module); err != nil {
		return ""
	}
	return "1"
}

func setDefaultEnv(key, value string) {
	if _, set := os.LookupEnv(key); !set && value != "" {
		os.Setenv(key, value)
	}
}

// EngineVersion is the name and version of the web engine that shows the games, or an *EngineError.
func EngineVersion() (string, error) {
	if engineMissing != "" {
		return "", &EngineError{engineMissing}
	}
	text := C.conch_engine_version()
	defer C.free(unsafe.Pointer(text))
	return "WebKitGTK " + C.GoString(text), nil
}

// attach installs rules on the webview as soon as the GTK loop runs and sends it to the entry address.
func attach(h *hooks, r rules) {
	direct := C.malloc(C.size_t(len(r.direct)+1) * C.size_t(unsafe.Sizeof(uintptr(0))))
	list := unsafe.Slice((**C.char)(direct), len(r.direct)+1)
	for i, host := range r.direct {
		list[i] = C.CString(host)
	}
	list[len(r.direct)] = nil
	c := (*C.conch_rules)(C.calloc(1, C.sizeof_conch_rules))
	*c = C.conch_rules{
		name:        C.CString(clean(r.name)),
		origin:      C.CString(r.origin),
		entry:       C.CString(r.entry),
		proxy:       C.CString(r.proxy),
		direct:      (**C.char)(direct),
		permissions: permissionBits(r.permissions),
		devtools:    cbool(r.devtools),
		console:     cbool(r.console),
		token:       C.uint64_t(cgo.NewHandle(h)),
	}
	// The rules live as long as the process: one window, and handlers may run until its end.
	C.conch_attach(c)
}

// startsByItself: attach loads the entry address.
const startsByItself = true

func cbool(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

func permissionBits(names []string) C.uint {
	bits := map[string]C.uint{
		"camera": C.CONCH_CAMERA, "microphone": C.CONCH_MICROPHONE, "geolocation": C.CONCH_GEOLOCATION,
		"notifications": C.CONCH_NOTIFICATIONS, "clipboard-read": C.CONCH_CLIPBOARD_READ,
	}
	var all C.uint
	for _, name := range names {
		all |= bits[name]
	}
	return all
}

// fitScreen makes a size smaller that the main screen has no room for, a frame around the window included. Call it after
// prepare.
func fitScreen(width, height int) (int, int) {
	w, h := C.int(width), C.int(height)
	C.conch_fit_screen(&w, &h)
	return int(w), int(h)
}

// quit lets the page save and ends the loop.
func quit() { C.conch_quit_soon() }

// beforeClose takes the end of the window over from the framework: quit lets the page save first.
func beforeClose(context.Context) (prevent bool) {
	quit()
	return true
}

// started has nothing to keep: the loop is reached through GTK itself.
func started(context.Context) {}

func raiseWindow() { C.conch_raise_soon() }

// stopPage ends the page's process: the crash screen comes as after a crash.
func stopPage() { C.conch_stop_soon() }

func notice(title, text string) {
	t, x := C.CString(title), C.CString(text)
	defer C.free(unsafe.Pointer(t))
	defer C.free(unsafe.Pointer(x))
	C.conch_notice_soon(t, x)
}

// Alert shows a native box and answers the index of the button pressed; -1 when it was closed, when ctx ended or
// when there is no display. It must be called from the main goroutine before Run.
func Alert(ctx context.Context, title, text string, buttons ...string) int {
	if !toolkit || len(buttons) == 0 || C.conch_gtk_init() == 0 {
		return -1
	}
	t, x := C.CString(title), C.CString(clean(text))
	defer C.free(unsafe.Pointer(t))
	defer C.free(unsafe.Pointer(x))
	list := make([]*C.char, len(buttons))
	for i, b := range buttons {
		list[i] = C.CString(b)
		defer C.free(unsafe.Pointer(list[i]))
	}
	stop := context.AfterFunc(ctx, func() { C.conch_cancel_alert_soon() })
	defer stop()
	return int(C.conch_alert(t, x, &list[0], C.int(len(list))))
}

// openInBrowser starts the system browser with a URL that externalURL approved.
func openInBrowser(url string) error {
	cmd := exec.Command("xdg-open", url)
	cmd.Env = playerEnv
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("open %q in the browser: %w", url, err)
	}
	go cmd.Wait()
	return nil
}

func hooksOf(token C.uint64_t) *hooks { return cgo.Handle(token).Value().(*hooks) }

//export conchAttached
func conchAttached(token C.uint64_t, ok C.int) { hooksOf(token).attached(ok == 1) }

//export conchOpenExternal
func conchOpenExternal(token C.uint64_t, uri *C.char) { hooksOf(token).openExternal(C.GoString(uri)) }

//export conchBlocked
func conchBlocked(token C.uint64_t, uri *C.char) { hooksOf(token).blocked(C.GoString(uri)) }

//export conchPermissionRefused
func conchPermissionRefused(token C.uint64_t, kind *C.char) {
	hooksOf(token).permissionRefused(C.GoString(kind))
}

//export conchCrashed
func conchCrashed(token C.uint64_t, reason C.int) { hooksOf(token).crashed(int(reason)) }

//export conchOpenSettings
func conchOpenSettings(token C.uint64_t) { hooksOf(token).openSettings() }

//export conchWindowClose
func conchWindowClose(token C.uint64_t) { hooksOf(token).windowClose() }

//export conchDownloadPath
func conchDownloadPath(token C.uint64_t, suggested *C.char) *C.char {
	path, err := hooksOf(token).downloadPath(C.GoString(suggested))
	if err != nil {
		return nil
	}
	return C.CString(path)
}

//export conchDownloadEnd
func conchDownloadEnd(token C.uint64_t, path, failure *C.char) {
	hooksOf(token).downloadEnd(C.GoString(path), C.GoString(failure))
}
