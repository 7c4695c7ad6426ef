package runtime

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDerivedPorts(t *testing.T) {
	free := func(int) bool { return false }
	a, err := derivePort("conch-a-00000000", free)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := derivePort("conch-a-00000000", free); again != a {
		t.Errorf("got %d, then %d", a, again)
	}
	if next, _ := derivePort("conch-a-00000000", func(p int) bool { return p == a }); next == a || !usablePort(next) {
		t.Errorf("taken %d, got %d", a, next)
	}
	if _, err := derivePort("x", func(int) bool { return true }); err == nil {
		t.Error("no port is free, and one was found")
	}
	seen := map[int]bool{}
	for i := range 2000 {
		p, _ := derivePort("conch-game-"+itoa(i), free)
		if p < firstPort || p > lastPort || !usablePort(p) {
			t.Fatalf("port %d", p)
		}
		seen[p] = true
	}
	if len(seen) < 1800 {
		t.Errorf("only %d ports for 2000 games", len(seen))
	}
	for _, p := range []int{10080, 11434, 25565, 27017, 24642, 9999, 32768, 0, 80} {
		if usablePort(p) {
			t.Errorf("port %d was to be left alone", p)
		}
	}
}

func TestWellKnownPortsAreInOrder(t *testing.T) {
	last := 0
	for _, r := range wellKnown {
		if r[0] <= last || r[1] < r[0] {
			t.Errorf("range %v after %d", r, last)
		}
		last = r[1]
	}
}

// Case B2: when the port is taken, the error says by whom.
func TestPortTaken(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	port := ln.Addr().(*net.TCPAddr).Port
	s := &Server{Bundle: folder(t, nil)}
	err = s.Listen(port)
	var taken *PortTakenError
	if !errors.As(err, &taken) {
		t.Fatalf("got %v", err)
	}
	if taken.Port != port || taken.PID != os.Getpid() || !strings.HasPrefix(filepath.Base(os.Args[0]), taken.Program) {
		t.Errorf("got %+v", taken)
	}
	ln.Close()
	if err := s.Listen(port); err != nil { // Retry
		t.Errorf("after it was given up: %v", err)
	}
	s.Close()
}

func TestPortTakenText(t *testing.T) {
	tests := map[string]PortTakenError{
		"port 12001 of this game is in use by nginx (process 7)": {12001, 7, "nginx"},
		"port 12001 of this game is in use by process 7":         {12001, 7, ""},
		"port 12001 of this game is in use by another program":   {12001, 0, ""},
	}
	for want, e := range tests {
		if got := e.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if program, pid := PortHolder(1); program != "" || pid != 0 {
		t.Errorf("port 1: got %q %d", program, pid)
	}
}

func TestAddressRule(t *testing.T) {
	var asked netip.Addr
	rule := controlAddr(func(a netip.Addr) error { asked = a; return errors.New("no") })
	if err := rule(t.Context(), "tcp6", "[::ffff:192.0.2.1]:443", nil); err == nil || asked.String() != "192.0.2.1" {
		t.Errorf("asked for %s: %v", asked, err)
	}
	if err := rule(t.Context(), "tcp", "nonsense", nil); err == nil {
		t.Error("an address that cannot be read was accepted")
	}
	if err := controlAddr(nil)(t.Context(), "tcp", "nonsense", nil); err != nil {
		t.Errorf("no rule: %v", err)
	}
}
