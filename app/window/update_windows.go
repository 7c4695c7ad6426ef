package window

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sys/windows"

	"conch/app"
)

// UpdateBox tells the player about new versions in a message box of the system. It has two answers: the better of
// updating now and opening the page, and later.
func UpdateBox() app.UpdateBox { return updateBox{} }

type updateBox struct{}

// Ask shows the box on a thread of its own. When ctx ends nobody waits for it: the program ends too, and the box with it.
func (updateBox) Ask(ctx context.Context, o app.UpdateOffer) (app.UpdateAnswer, error) {
	text, err := windows.UTF16PtrFromString(clean(updateText(o)))
	if err != nil {
		return app.UpdateLater, err
	}
	title, err := windows.UTF16PtrFromString("New version")
	if err != nil {
		return app.UpdateLater, err
	}
	type result struct {
		pressed int32
		err     error
	}
	answer := make(chan result, 1)
	go func() {
		pressed, err := windows.MessageBox(0, text, title, windows.MB_YESNO|windows.MB_DEFBUTTON2|windows.MB_ICONINFORMATION)
		answer <- result{pressed, err}
	}()
	const yes = 6
	select {
	case got := <-answer:
		switch {
		case got.pressed == 0:
			return app.UpdateLater, fmt.Errorf("message box: %w", got.err)
		case got.pressed != yes:
			return app.UpdateLater, nil
		case o.CanReplace:
			return app.UpdateNow, nil
		}
		return app.UpdatePage, nil
	case <-ctx.Done():
		return app.UpdateLater, ctx.Err()
	}
}

// Tell says nothing: a message box would take the keys from the game. The log has it.
func (updateBox) Tell(string) {}

func (updateBox) OpenPage(link string) error { return openPage(link) }

// maxBoxNotes is in characters: a message box does not scroll.
const maxBoxNotes = 600

// updateText is all that the box says.
func updateText(o app.UpdateOffer) string {
	parts := []string{updateSentence(o)}
	if notes := []rune(o.Notes); len(notes) > maxBoxNotes {
		parts = append(parts, string(notes[:maxBoxNotes])+" …")
	} else if len(notes) > 0 {
		parts = append(parts, o.Notes)
	}
	if o.CanReplace {
		parts = append(parts, "Update now? The new version is put in place when you close the game.")
	} else {
		parts = append(parts, "Open its page in your browser?")
	}
	return strings.Join(parts, "\n\n")
}
