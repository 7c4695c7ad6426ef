package window

/*
#include <stdlib.h>
#include "consent_linux.h"
*/
import "C"

import (
	"context"
	"errors"
	"runtime/cgo"
	"strings"
	"unsafe"

	"conch/consent"
)

// Dialog asks the player whether the game may connect to a host, in a native dialog over the game's window that no
// script can draw, press or outlive. nil: this system has none.
func Dialog() consent.Dialog { return dialog{} }

type dialog struct{}

// Show puts q on the screen and waits for the answer. When ctx ends the dialog goes away and the answer is Deny.
func (dialog) Show(ctx context.Context, q consent.Question) (consent.Answer, error) {
	if engineMissing != "" {
		return consent.Deny, errors.New("no display")
	}
	answer := make(chan C.int, 1)
	handle := cgo.NewHandle(answer)
	defer handle.Delete()
	texts := []string{q.Sentence(), q.HostPort, strings.Join(q.Notes, "\n")}
	list := make([]*C.char, len(texts))
	for i, text := range texts {
		list[i] = C.CString(clean(text))
		defer C.free(unsafe.Pointer(list[i]))
	}
	C.conch_ask_soon(C.uint64_t(handle), list[0], list[1], list[2], cbool(q.OfferStop), C.int(quietWait.Milliseconds()))
	var got C.int
	select {
	case got = <-answer:
	case <-ctx.Done():
		// The dialog still answers once, and only then may the handle go.
		C.conch_dismiss_soon(C.uint64_t(handle))
		select {
		case <-answer:
		case <-loopEnded:
		}
		return consent.Deny, ctx.Err()
	case <-loopEnded:
		return consent.Deny, errors.New("the window is closed")
	}
	switch got {
	case C.CONCH_ALLOW:
		return consent.Allow, nil
	case C.CONCH_DENY_UNTIL_RESTART:
		return consent.DenyUntilRestart, nil
	}
	return consent.Deny, nil
}

//export conchAnswered
func conchAnswered(token C.uint64_t, answer C.int) { cgo.Handle(token).Value().(chan C.int) <- answer }
