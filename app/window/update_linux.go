package window

/*
#include <stdlib.h>
#include "update_linux.h"
*/
import "C"

import (
	"context"
	"errors"
	"sync"
	"unsafe"

	"conch/app"
)

// UpdateBox tells the player about new versions in GTK boxes of our own.
func UpdateBox() app.UpdateBox { return updateBox{} }

type updateBox struct{}

// updateAnswer is where the answer of the one box on screen goes; nil when none is awaited.
var updateAnswer struct {
	mu    sync.Mutex // guards the rest
	token uint64
	to    chan app.UpdateAnswer
}

// Ask shows the box over the game, which goes on. When ctx ends the box goes.
func (updateBox) Ask(ctx context.Context, o app.UpdateOffer) (app.UpdateAnswer, error) {
	answer := make(chan app.UpdateAnswer, 1)
	updateAnswer.mu.Lock()
	if updateAnswer.to != nil {
		updateAnswer.mu.Unlock()
		return app.UpdateLater, errors.New("a box about a new version is shown already")
	}
	updateAnswer.token++
	updateAnswer.to = answer
	token := updateAnswer.token
	updateAnswer.mu.Unlock()

	sentence, notes := C.CString(clean(updateSentence(o))), C.CString(clean(o.Notes))
	defer C.free(unsafe.Pointer(sentence))
	defer C.free(unsafe.Pointer(notes))
	C.conch_update_ask_soon(C.uint64_t(token), sentence, notes, cbool(o.CanReplace), C.int(quietWait.Milliseconds()))
	select {
	case got := <-answer:
		return got, nil
	case <-ctx.Done(): // the loop of the window may have ended: nobody waits for the box
		updateAnswer.mu.Lock()
		updateAnswer.to = nil
		updateAnswer.mu.Unlock()
		C.conch_update_dismiss_soon()
		return app.UpdateLater, ctx.Err()
	}
}

func (updateBox) Tell(text string) { notice("New version", clean(text)) }

func (updateBox) OpenPage(link string) error { return openPage(link) }

//export conchUpdateAnswered
func conchUpdateAnswered(token C.uint64_t, answer C.int) {
	updateAnswer.mu.Lock()
	defer updateAnswer.mu.Unlock()
	if updateAnswer.to == nil || uint64(token) != updateAnswer.token {
		return
	}
	updateAnswer.to <- map[C.int]app.UpdateAnswer{
		C.CONCH_UPDATE_PAGE: app.UpdatePage, C.CONCH_UPDATE_NOW: app.UpdateNow, C.CONCH_UPDATE_SKIP: app.UpdateSkip,
	}[answer]
	updateAnswer.to = nil
}
