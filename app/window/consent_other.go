//go:build !linux

package window

import "conch/consent"

// Dialog is nil: this system has no dialog yet, so a host that is not listed is refused with a text that says how to
// list it.
func Dialog() consent.Dialog { return nil }
