package window

/*
#cgo CFLAGS: -fobjc-arc
#cgo LDFLAGS: -framework Cocoa
#include <stdlib.h>
#include "consent_darwin.h"
*/
import "C"

import (
	"context"
	"runtime/cgo"
	"unsafe"

	"conch/consent"
)

// Dialog asks the player whether the game may connect to a host, in a sheet on the game's window that no script can
// draw, press or outlive. This file and its twin in Objective-C were never compiled: they need Apple's SDK.
func Dialog() consent.Dialog { return dialog{} }

type dialog struct{}

// hostWidth is how many characters of a host stand on one line.
const hostWidth = 32

// Show puts q on the screen and waits for the answer. When ctx ends the sheet goes away and the answer is Deny.
func (dialog) Show(ctx context.Context, q consent.Question) (consent.Answer, error) {
	defer leaveFullscreen()()
	sentence, details := wordsFor(q, hostWidth)
	texts := []string{sentence, details, denyLabel, allowLabel}
	list := make([]*C.char, len(texts)+1)
	if q.OfferStop {
		texts = append(texts, stopLabel)
	}
	for i, text := range texts {
		list[i] = C.CString(clean(text))
		defer C.free(unsafe.Pointer(list[i]))
	}
	answer := make(chan C.int, 1)
	handle := C.uint64_t(cgo.NewHandle(answer))
	C.conch_ask_soon(handle, list[0], list[1], list[2], list[3], list[4], C.int(quietWait.Milliseconds()))
	select {
	case got := <-answer:
		switch got {
		case C.CONCH_ALLOW:
			return consent.Allow, nil
		case C.CONCH_DENY_UNTIL_RESTART:
			return consent.DenyUntilRestart, nil
		}
		return consent.Deny, nil
	case <-ctx.Done():
		// Nobody waits for it: at the end of the program the main thread answers no more.
		C.conch_dismiss_soon(handle)
		return consent.Deny, ctx.Err()
	}
}

// conchAnswered is called once for each handle, which goes with it.
//
//export conchAnswered
func conchAnswered(token C.uint64_t, answer C.int) {
	handle := cgo.Handle(token)
	handle.Value().(chan C.int) <- answer
	handle.Delete()
}
