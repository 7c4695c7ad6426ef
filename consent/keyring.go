package consent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zalando/go-keyring"
)

// keyringLimit bounds every call to the system's key store: one may wait for a locked or broken service for ever.
var keyringLimit = 3 * time.Second // tests shorten it

// CheckKeyring reports whether the system's key store answers, within three seconds. nil means it can be used. A call
// that the store never answers is left behind: the library cannot be interrupted.
func CheckKeyring(ctx context.Context) error {
	if err := keyringReachable(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, keyringLimit)
	defer cancel()
	answer := make(chan error, 1)
	go func() {
		// The answer "not found" proves that the store works and changes nothing in it.
		_, err := keyring.Get("conch.doctor", "probe")
		answer <- err
	}()
	select {
	case err := <-answer:
		if err == nil || errors.Is(err, keyring.ErrNotFound) {
			return nil
		}
		return fmt.Errorf("key store: %w", err)
	case <-ctx.Done():
		return fmt.Errorf("key store: no answer in %s; it may be locked", keyringLimit)
	}
}
