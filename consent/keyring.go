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

// keyringService is the name under which keys are found in the system's key store.
const keyringService = "conch.approvals"

// CheckKeyring reports whether the system's key store answers, within three seconds. nil means it can be used. A call
// that the store never answers is left behind: the library cannot be interrupted.
func CheckKeyring(ctx context.Context) error {
	// The answer "not found" proves that the store works and changes nothing in it.
	_, err := keyringGet(ctx, "conch.doctor", "probe")
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return err
}

// keyringGet is keyring.ErrNotFound only when the key store works and has no such entry. Every other error says
// nothing about the entry.
func keyringGet(ctx context.Context, service, user string) (secret string, err error) {
	return callKeyring(ctx, func() (string, error) { return keyring.Get(service, user) })
}

// keyringSet writes an entry and reads it back: some stores accept what they do not keep.
func keyringSet(ctx context.Context, service, user, secret string) error {
	got, err := callKeyring(ctx, func() (string, error) {
		if err := keyring.Set(service, user, secret); err != nil {
			return "", err
		}
		return keyring.Get(service, user)
	})
	if err == nil && got != secret {
		err = errors.New("key store: an entry was not kept")
	}
	return err
}

// keyringTurn lets one call in at a time. A call that never ends keeps the turn: there is no way to call it off, and
// others would only wait beside it.
var keyringTurn = make(chan struct{}, 1)

func callKeyring(ctx context.Context, call func() (string, error)) (string, error) {
	if err := keyringReachable(); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, keyringLimit)
	defer cancel()
	select {
	case keyringTurn <- struct{}{}:
	case <-ctx.Done():
		return "", keyringSilent(ctx)
	}
	type answer struct {
		secret string
		err    error
	}
	answers := make(chan answer, 1)
	go func() {
		defer func() { <-keyringTurn }()
		secret, err := call()
		answers <- answer{secret, err}
	}()
	select {
	case a := <-answers:
		if a.err != nil {
			return "", fmt.Errorf("key store: %w", a.err)
		}
		return a.secret, nil
	case <-ctx.Done():
		return "", keyringSilent(ctx)
	}
}

func keyringSilent(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("key store: no answer in %s; it may be locked", keyringLimit)
	}
	return fmt.Errorf("key store: %w", ctx.Err())
}
