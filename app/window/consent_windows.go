package window

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"conch/consent"
)

// Dialog asks the player whether the game may connect to a host, in a task dialog of the system over the game's window
// that no script can draw, press or outlive.
func Dialog() consent.Dialog { return dialog{} }

type dialog struct{}

// Buttons. Escape, the close box and Alt+F4 give the system's own number for cancel, which is none of these.
const (
	buttonAllow = 101 + iota
	buttonDeny
	buttonStop
)

// The values of commctrl.h and winuser.h that are used here.
const (
	tdfAllowDialogCancellation = 0x0008
	tdfCallbackTimer           = 0x0800

	tdnCreated       = 0
	tdnButtonClicked = 2
	tdnTimer         = 4

	tdmClickButton  = 0x400 + 102
	tdmEnableButton = 0x400 + 111

	whGetMessage  = 3
	whCallWndProc = 4
	pmRemove      = 1

	wmNull          = 0x0000
	wmMove          = 0x0003
	wmSize          = 0x0005
	wmActivate      = 0x0006
	wmKeyDown       = 0x0100
	wmKeyUp         = 0x0101
	wmSysKeyDown    = 0x0104
	wmSysKeyUp      = 0x0105
	wmNCLButtonDown = 0x00a1
	wmLButtonDown   = 0x0201
	wmLButtonDouble = 0x0203
	wmRButtonDown   = 0x0204
	wmMButtonDown   = 0x0207
	wmPointerDown   = 0x0246

	vkEscape = 0x1b
	vkF4     = 0x73

	wasDown = 1 << 30 // of a key message: the key was held before it
	sFalse  = 1
)

var (
	user32                  = windows.NewLazySystemDLL("user32.dll")
	procCallNextHookEx      = user32.NewProc("CallNextHookEx")
	procClipCursor          = user32.NewProc("ClipCursor")
	procFindWindowExW       = user32.NewProc("FindWindowExW")
	procSendMessageW        = user32.NewProc("SendMessageW")
	procSetForegroundWindow = user32.NewProc("SetForegroundWindow")
	procSetWindowsHookExW   = user32.NewProc("SetWindowsHookExW")
	procUnhookWindowsHookEx = user32.NewProc("UnhookWindowsHookEx")

	kernel32             = windows.NewLazySystemDLL("kernel32.dll")
	procCreateActCtxW    = kernel32.NewProc("CreateActCtxW")
	procActivateActCtx   = kernel32.NewProc("ActivateActCtx")
	procDeactivateActCtx = kernel32.NewProc("DeactivateActCtx")

	// Loaded while version 6 is active, and by nothing else here: the first load of a name decides.
	comctl32               = windows.NewLazySystemDLL("comctl32.dll")
	procTaskDialogIndirect = comctl32.NewProc("TaskDialogIndirect")
)

// The system calls these on the thread of the dialog. They are made once: callbacks are never freed.
var (
	taskCallback    = sync.OnceValue(func() uintptr { return windows.NewCallback(onTask) })
	messageCallback = sync.OnceValue(func() uintptr { return windows.NewCallback(onMessage) })
	sentCallback    = sync.OnceValue(func() uintptr { return windows.NewCallback(onSent) })
)

// taskDialog is the one dialog on screen. Its fields belong to the dialog's thread.
type taskDialog struct {
	ctx   context.Context
	hwnd  windows.HWND
	wait  quiet
	ready bool             // Allow can be pressed
	down  map[uintptr]bool // keys whose press the dialog has seen
}

var (
	oneDialog sync.Mutex  // guards shown
	shown     *taskDialog // read by the callbacks
)

// Show puts q on the screen and waits for the answer. When ctx ends the dialog goes away and the answer is Deny.
//
// There is no way back to a plain message box where the task dialog is missing: such a box cannot wait before yes can
// be pressed. Every Windows that has WebView2 has the task dialog.
func (dialog) Show(ctx context.Context, q consent.Question) (consent.Answer, error) {
	if !oneDialog.TryLock() { // the caller asks one at a time; a second question is never merged with the first
		return consent.Deny, errors.New("another question is on the screen")
	}
	defer oneDialog.Unlock()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	done, err := activateModernControls()
	if err != nil {
		return consent.Deny, err
	}
	defer done()
	if err := procTaskDialogIndirect.Find(); err != nil {
		return consent.Deny, err
	}
	unhook, err := hookThread()
	if err != nil {
		return consent.Deny, err
	}
	defer unhook()

	restore := leaveFullscreen()
	procClipCursor.Call(0)
	shown = &taskDialog{ctx: ctx, down: map[uintptr]bool{}}
	pressed, err := taskDialogIndirect(gameWindow(), q)
	shown = nil
	if gameWindow() != 0 {
		restore()
	}
	switch {
	case ctx.Err() != nil:
		return consent.Deny, ctx.Err()
	case err != nil:
		return consent.Deny, err
	case pressed == buttonAllow:
		return consent.Allow, nil
	case pressed == buttonStop && q.OfferStop:
		return consent.DenyUntilRestart, nil
	}
	return consent.Deny, nil
}

// hostWidth is how many characters of a host stand on one line: the widest of them fill dialogWidth, in dialog units.
const (
	hostWidth   = 32
	dialogWidth = 300
)

// taskDialogIndirect builds TASKDIALOGCONFIG and its buttons by hand: they are packed to one byte, which Go's structs
// cannot be. Both 64-bit systems have the same layout.
func taskDialogIndirect(owner windows.HWND, q consent.Question) (pressed int32, err error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	text := func(s string) uint64 {
		p, problem := windows.UTF16PtrFromString(clean(s))
		if problem != nil {
			err = problem
			return 0
		}
		pin.Pin(p)
		return uint64(uintptr(unsafe.Pointer(p)))
	}
	le := binary.LittleEndian
	const buttonSize = 12
	var buttons []byte
	add := func(id uint32, label string) {
		buttons = le.AppendUint64(le.AppendUint32(buttons, id), text(label))
	}
	if q.OfferStop {
		add(buttonStop, stopLabel)
	}
	add(buttonAllow, allowLabel)
	add(buttonDeny, denyLabel)
	pin.Pin(&buttons[0])

	sentence, content := wordsFor(q, hostWidth)
	c := make([]byte, 160) // what is not set here stays empty
	le.PutUint32(c[0:], 160)
	le.PutUint64(c[4:], uint64(owner))
	le.PutUint32(c[20:], tdfAllowDialogCancellation|tdfCallbackTimer)
	le.PutUint64(c[28:], text(questionTitle))
	le.PutUint64(c[44:], text(sentence))
	le.PutUint64(c[52:], text(content))
	le.PutUint32(c[60:], uint32(len(buttons)/buttonSize))
	le.PutUint64(c[64:], uint64(uintptr(unsafe.Pointer(&buttons[0]))))
	le.PutUint32(c[72:], buttonDeny) // the default
	le.PutUint64(c[140:], uint64(taskCallback()))
	le.PutUint32(c[156:], dialogWidth)
	if err != nil {
		return 0, err
	}
	result, _, _ := procTaskDialogIndirect.Call(uintptr(unsafe.Pointer(&c[0])), uintptr(unsafe.Pointer(&pressed)), 0, 0)
	if int32(result) < 0 {
		return 0, fmt.Errorf("task dialog: error 0x%x", uint32(result))
	}
	return pressed, nil
}

// onTask is the dialog's own callback.
func onTask(hwnd windows.HWND, event uint32, wparam, lparam, data uintptr) uintptr {
	d := shown
	switch event {
	case tdnCreated:
		d.hwnd = hwnd
		d.enable(false)
		procSetForegroundWindow.Call(uintptr(hwnd))
	case tdnTimer: // comes when the thread has nothing else to do: every earlier key and click was seen, and it is painted
		d.tick(time.Now())
	case tdnButtonClicked:
		if wparam == buttonAllow && !d.ready {
			return sFalse // it stays
		}
	}
	return 0
}

func (d *taskDialog) tick(now time.Time) {
	switch {
	case d.ctx.Err() != nil:
		d.deny()
	case windows.GetForegroundWindow() != d.hwnd:
		d.hold() // the wait is for a dialog in front of the player's eyes
	case d.wait.end.IsZero():
		d.wait.restart(now)
	case !d.ready && d.wait.over(now):
		d.enable(true)
	}
}

// hold makes Allow inactive; the wait begins when the dialog is seen in front.
func (d *taskDialog) hold() {
	d.wait.end = time.Time{}
	d.enable(false)
}

// startWait makes Allow inactive until the player has left the dialog alone for a while.
func (d *taskDialog) startWait() {
	d.enable(false)
	if !d.wait.end.IsZero() {
		d.wait.restart(time.Now())
	}
}

func (d *taskDialog) deny() { d.send(tdmClickButton, buttonDeny, 0) }

func (d *taskDialog) enable(ready bool) {
	d.ready = ready
	var on uintptr
	if ready {
		on = 1
	}
	d.send(tdmEnableButton, buttonAllow, on)
}

func (d *taskDialog) send(message uint32, wparam, lparam uintptr) {
	procSendMessageW.Call(uintptr(d.hwnd), uintptr(message), wparam, lparam)
}

// queued is MSG.
type queued struct {
	hwnd    windows.HWND
	message uint32
	wparam  uintptr
	lparam  uintptr
}

// onMessage sees what the dialog's thread takes from its queue, and may make nothing of it.
func onMessage(code int32, how uintptr, m *queued) uintptr {
	if d := shown; code >= 0 && how&pmRemove != 0 && d != nil && d.hwnd != 0 && !d.passes(m) {
		m.message = wmNull
	}
	next, _, _ := procCallNextHookEx.Call(0, uintptr(code), how, uintptr(unsafe.Pointer(m)))
	return next
}

// passes reports whether the dialog may see m. During the wait it sees no key but those that mean no; a key that is
// held is never pressed; and a release counts only when the press did.
func (d *taskDialog) passes(m *queued) bool {
	switch m.message {
	case wmKeyDown, wmSysKeyDown:
		repeat := m.lparam&wasDown != 0
		if m.wparam == vkEscape && !repeat { // the system's dialog takes it too, Wine's does not
			d.deny()
			return false
		}
		closes := m.wparam == vkF4 && m.message == wmSysKeyDown
		if repeat || !d.ready && !closes {
			if !d.ready {
				d.startWait()
			}
			return false
		}
		d.down[m.wparam] = true
	case wmKeyUp, wmSysKeyUp:
		pressed := d.down[m.wparam]
		delete(d.down, m.wparam)
		return pressed && d.ready
	case wmLButtonDown, wmLButtonDouble, wmRButtonDown, wmMButtonDown, wmNCLButtonDown, wmPointerDown:
		if !d.ready {
			d.startWait()
		}
	}
	return true
}

// sent is CWPSTRUCT.
type sent struct {
	lparam  uintptr
	wparam  uintptr
	message uint32
	hwnd    windows.HWND
}

// onSent sees what is sent to the windows of the dialog's thread.
func onSent(code int32, how uintptr, m *sent) uintptr {
	if d := shown; code >= 0 && d != nil && d.hwnd != 0 && m.hwnd == d.hwnd {
		switch m.message {
		case wmActivate:
			d.hold()
		case wmMove, wmSize:
			d.startWait()
		}
	}
	next, _, _ := procCallNextHookEx.Call(0, uintptr(code), how, uintptr(unsafe.Pointer(m)))
	return next
}

// hookThread lets onMessage and onSent see the messages of this thread.
func hookThread() (unhook func(), err error) {
	var hooks []uintptr
	unhook = func() {
		for _, h := range hooks {
			procUnhookWindowsHookEx.Call(h)
		}
	}
	thread := uintptr(windows.GetCurrentThreadId())
	for _, hook := range []struct{ kind, callback uintptr }{
		{whGetMessage, messageCallback()},
		{whCallWndProc, sentCallback()},
	} {
		h, _, problem := procSetWindowsHookExW.Call(hook.kind, hook.callback, 0, thread)
		if h == 0 {
			unhook()
			return nil, fmt.Errorf("hook: %w", problem)
		}
		hooks = append(hooks, h)
	}
	return unhook, nil
}

// gameWindow is the window of this process's game; 0: there is none.
func gameWindow() windows.HWND {
	class, err := windows.UTF16PtrFromString(windowClass)
	if err != nil {
		return 0
	}
	var w uintptr
	for {
		w, _, _ = procFindWindowExW.Call(0, w, uintptr(unsafe.Pointer(class)), 0)
		if w == 0 {
			return 0
		}
		var process uint32
		if _, err := windows.GetWindowThreadProcessId(windows.HWND(w), &process); err == nil && process == windows.GetCurrentProcessId() {
			return windows.HWND(w)
		}
	}
}

// modernControls asks for version 6 of the common controls, the only one with task dialogs.
const modernControls = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<assembly xmlns="urn:schemas-microsoft-com:asm.v1" manifestVersion="1.0"><dependency><dependentAssembly>
<assemblyIdentity type="win32" name="Microsoft.Windows.Common-Controls" version="6.0.0.0" processorArchitecture="*"
publicKeyToken="6595b64144ccf1df" language="*"/></dependentAssembly></dependency></assembly>`

// actCtx is ACTCTXW.
type actCtx struct {
	size         uint32
	flags        uint32
	source       *uint16
	architecture uint16
	language     uint16
	directory    *uint16
	resource     *uint16
	application  *uint16
	module       windows.Handle
}

// modernContext is made at run time and not by a manifest in the program: the question then needs nothing of how a
// program was built, named or given resources. The system reads the manifest from a file only, which may go at once.
var modernContext = sync.OnceValues(func() (uintptr, error) {
	f, err := os.CreateTemp("", "conch-*.manifest")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(modernControls)
	if err := errors.Join(err, f.Close()); err != nil {
		return 0, err
	}
	path, err := windows.UTF16PtrFromString(f.Name())
	if err != nil {
		return 0, err
	}
	c := actCtx{source: path}
	c.size = uint32(unsafe.Sizeof(c))
	h, _, err := procCreateActCtxW.Call(uintptr(unsafe.Pointer(&c)))
	if h == ^uintptr(0) {
		return 0, fmt.Errorf("common controls 6: %w", err)
	}
	return h, nil
})

// activateModernControls makes this thread use version 6 until done is called.
func activateModernControls() (done func(), err error) {
	h, err := modernContext()
	if err != nil {
		return nil, err
	}
	var cookie uintptr
	if ok, _, err := procActivateActCtx.Call(h, uintptr(unsafe.Pointer(&cookie))); ok == 0 {
		return nil, fmt.Errorf("common controls 6: %w", err)
	}
	return func() { procDeactivateActCtx.Call(0, cookie) }, nil
}
