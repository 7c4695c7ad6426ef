package consent

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"
)

func TestKeyringAnswers(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere") // the store is the library's own mock
	broken := errors.New("the collection is locked")
	for _, row := range []struct {
		name  string
		setup func()
		want  error
	}{
		{"no such key", keyring.MockInit, nil},
		{"key found", func() {
			keyring.MockInit()
			if err := keyring.Set("conch.doctor", "probe", "x"); err != nil {
				t.Fatal(err)
			}
		}, nil},
		{"error", func() { keyring.MockInitWithError(broken) }, broken},
		{"not supported here", func() { keyring.MockInitWithError(keyring.ErrUnsupportedPlatform) }, keyring.ErrUnsupportedPlatform},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.setup()
			err := CheckKeyring(t.Context())
			if !errors.Is(err, row.want) {
				t.Errorf("got %v, want %v", err, row.want)
			}
			if err != nil && !strings.HasPrefix(err.Error(), "key store: ") {
				t.Errorf("got %q", err)
			}
		})
	}
}

func TestKeyringCheckLeavesTheStoreAlone(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
	keyring.MockInit()
	if err := CheckKeyring(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := keyring.Get("conch.doctor", "probe"); !errors.Is(err, keyring.ErrNotFound) {
		t.Errorf("after the check: %v", err)
	}
}
