package consent

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
)

var runtimeDirs = "/run/user" // tests look elsewhere

// keyringReachable refuses to try without a session bus: the D-Bus library would start one of its own through
// dbus-launch and wait for it.
func keyringReachable() error {
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return nil
	}
	if _, err := os.Stat(filepath.Join(runtimeDirs, strconv.Itoa(os.Getuid()), "bus")); err == nil {
		return nil
	}
	return errors.New("key store: no session bus (DBUS_SESSION_BUS_ADDRESS is not set)")
}
