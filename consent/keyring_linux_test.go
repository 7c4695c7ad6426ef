package consent

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestNoSessionBus(t *testing.T) {
	dir := t.TempDir()
	old := runtimeDirs
	runtimeDirs = dir
	t.Cleanup(func() { runtimeDirs = old })
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the answer needs no call to the store
	if err := CheckKeyring(ctx); err == nil || !strings.Contains(err.Error(), "no session bus") {
		t.Errorf("got %v", err)
	}
	own := filepath.Join(dir, strconv.Itoa(os.Getuid()))
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(own, "bus"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := keyringReachable(); err != nil {
		t.Errorf("with a bus at its usual place: %v", err)
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/elsewhere")
	runtimeDirs = filepath.Join(dir, "none")
	if err := keyringReachable(); err != nil {
		t.Errorf("with a bus named in the environment: %v", err)
	}
}

// silentBus is a session bus that accepts and says nothing, as a locked or broken one does. accepted gets a value for
// each connection.
func silentBus(t *testing.T) (address string, accepted <-chan struct{}) {
	t.Helper()
	dir, err := os.MkdirTemp("", "bus") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "bus")
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	seen, done := make(chan struct{}, 16), make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			defer c.Close()
			seen <- struct{}{}
		}
	}()
	t.Cleanup(func() { ln.Close(); <-done })
	return "unix:path=" + path, seen
}

// The real library against a bus that never answers. It runs in a process of its own: other tests change the store for
// the whole process, and the call that hangs stays behind.
func TestSilentBus(t *testing.T) {
	if os.Getenv("CONCH_SILENT_BUS") != "" {
		checkSilentBus(t)
		return
	}
	address, accepted := silentBus(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestSilentBus$", "-test.v")
	cmd.Env = append(os.Environ(), "CONCH_SILENT_BUS=1", "DBUS_SESSION_BUS_ADDRESS="+address)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if len(accepted) == 0 {
		t.Errorf("nobody asked the bus:\n%s", out)
	}
}

func checkSilentBus(t *testing.T) {
	keyringLimit = 200 * time.Millisecond
	began := time.Now()
	err := CheckKeyring(context.Background())
	if err == nil || !strings.Contains(err.Error(), "no answer in 200ms") {
		t.Errorf("got %v", err)
	}
	if took := time.Since(began); took < keyringLimit || took > 20*time.Second {
		t.Errorf("took %s", took)
	}
	keyringLimit = time.Hour
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := CheckKeyring(ctx); err == nil {
		t.Error("the caller gave up, and the store answered")
	}
}
