//go:build e2e && linux

package consent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/zalando/go-keyring"

	"conch/consent/hostlist"
)

// These tests run against a real Secret Service on a session bus of their own. They need Debian's dbus, dbus-x11,
// gnome-keyring, libsecret-tools and libglib2.0-bin.

func init() { runStep = secretServiceStep }

// secretServiceStep does one thing with the approvals in $CONCH_DIR and says what it saw.
func secretServiceStep(step string) int {
	if step == "silence" {
		return silence()
	}
	start := time.Now()
	s, err := Open(os.Getenv("CONCH_DIR"), nil)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer s.Close()
	opened := time.Since(start)
	label := s.Protection()
	known := time.Since(start)
	to, err := hostlist.ParseTarget("wss://other.example/")
	ctx := context.Background()
	switch {
	case err != nil:
	case step == "remember":
		err = s.Remember(ctx, "g", to)
	case step == "forget":
		err = s.Forget(ctx, "g", "other.example")
	}
	_, missing := keyringGet(ctx, keyringService, "v1:"+s.id)
	fmt.Printf("%s allowed=%v protection=%q prompt=%v key=%v err=%v\n", step, s.Allowed(ctx, "g", to), label,
		opened < keyringLimit && known < 2*keyringLimit, !errors.Is(missing, keyring.ErrNotFound) && missing == nil, err)
	return 0
}

// silence is a Secret Service that takes every call and never answers.
func silence() int {
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		fmt.Println(err)
		return 1
	}
	calls := make(chan *dbus.Message, 100)
	conn.Eavesdrop(calls)
	// Sent without waiting: the answer would land among the calls.
	conn.Send(&dbus.Message{Type: dbus.TypeMethodCall, Headers: map[dbus.HeaderField]dbus.Variant{
		dbus.FieldPath:        dbus.MakeVariant(dbus.ObjectPath("/org/freedesktop/DBus")),
		dbus.FieldDestination: dbus.MakeVariant("org.freedesktop.DBus"),
		dbus.FieldInterface:   dbus.MakeVariant("org.freedesktop.DBus"),
		dbus.FieldMember:      dbus.MakeVariant("RequestName"),
		dbus.FieldSignature:   dbus.MakeVariant(dbus.SignatureOf("", uint32(0))),
	}, Body: []any{"org.freedesktop.secrets", uint32(0)}}, nil)
	for range calls {
	}
	return 0
}

// session runs a shell script on a bus that starts nothing by itself. In it, `step NAME` runs a step.
func session(t *testing.T, script string) string {
	t.Helper()
	for _, tool := range []string{"dbus-run-session", "gnome-keyring-daemon", "secret-tool", "gdbus"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("%v: apt install dbus dbus-x11 gnome-keyring libsecret-tools libglib2.0-bin", err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	run := filepath.Join(home, "run") // sockets have short names
	config := filepath.Join(home, "bus.conf")
	err = errors.Join(os.Mkdir(run, 0o700), os.WriteFile(config, []byte(`<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:tmpdir=`+run+`</listen>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "dbus-run-session", "--config-file="+config, "--", "sh", "-c", `
		step() { CONCH_STEP=$1 "$CONCH_SELF"; }
		unlock() {
			printf pw | gnome-keyring-daemon --replace --unlock --components=secrets >/dev/null 2>&1
			gdbus wait --session org.freedesktop.secrets
		}
		lock() { gdbus call --session --dest org.freedesktop.secrets --object-path /org/freedesktop/secrets \
			--method org.freedesktop.Secret.Service.Lock "[objectpath '/org/freedesktop/secrets/collection/login']" >/dev/null; }
		`+script)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_RUNTIME_DIR="+run, "XDG_DATA_HOME="+filepath.Join(home, "data"),
		"CONCH_DIR="+filepath.Join(home, "conch"), "CONCH_SELF="+self)
	cmd.WaitDelay = 5 * time.Second // the key store's daemon keeps the output open for a moment
	out, err := cmd.CombinedOutput()
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

func wantLines(t *testing.T, out string, want ...string) {
	t.Helper()
	for _, line := range want {
		before, after, found := strings.Cut(out, line)
		if !found {
			t.Fatalf("no %q (in this order) in\n%s", line, before)
		}
		out = after
	}
}

func step(name string, allowed bool, protection string, key bool) string {
	return fmt.Sprintf("%s allowed=%v protection=%q prompt=true key=%v err=<nil>", name, allowed, protection, key)
}

// C53 and C68 with a real key store: remembered across processes, and the key is where the system shows it.
func TestSecretServiceUnlocked(t *testing.T) {
	out := session(t, `
		unlock
		step look; step remember; step look
		secret-tool search --all service conch.approvals 2>&1 | grep -c '^attribute.username = v1:'
		cp -r "$CONCH_DIR" "$HOME/old"
		step forget; step look
		rm -r "$CONCH_DIR"; mv "$HOME/old" "$CONCH_DIR"
		step look`)
	wantLines(t, out, step("look", false, ByKeychain, false), step("remember", true, ByKeychain, true), step("look", true, ByKeychain, true),
		"1\n", step("forget", false, ByKeychain, true), step("look", false, ByKeychain, true), step("look", false, ByKeychain, true))
}

// C71, C72 with a real key store: locked, it is an error and no absence; the row is good again when it is unlocked.
func TestSecretServiceLocked(t *testing.T) {
	out := session(t, `
		unlock
		step remember
		lock
		step look
		unlock
		step look`)
	wantLines(t, out, step("remember", true, ByKeychain, true), step("look", false, ByFile, false), step("look", true, ByKeychain, true))
}

// C71: a bus without a key store. Later one appears: asked again.
func TestSecretServiceAbsent(t *testing.T) {
	out := session(t, `
		step remember; step look
		unlock
		step look`)
	wantLines(t, out, step("remember", true, ByFile, false), step("look", true, ByFile, false), step("look", false, ByKeychain, false))
}

// C71: a key store that takes calls and never answers holds nothing up for more than three seconds.
func TestSecretServiceSilent(t *testing.T) {
	out := session(t, `
		CONCH_STEP=silence "$CONCH_SELF" & fake=$!
		gdbus wait --session org.freedesktop.secrets
		step remember; step look
		kill $fake`)
	wantLines(t, out, step("remember", true, ByFile, false), step("look", true, ByFile, false))
}

// No bus at all, though dbus-launch could start one: nothing waits for it and none is started.
func TestSecretServiceWithoutBus(t *testing.T) {
	if _, err := os.Stat(fmt.Sprintf("/run/user/%d/bus", os.Getuid())); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal("the machine has a session bus of its own; run this in a container")
	}
	if _, err := exec.LookPath("dbus-launch"); err != nil {
		t.Fatalf("%v: apt install dbus-x11", err)
	}
	out := session(t, `
		unset DBUS_SESSION_BUS_ADDRESS
		step remember; step look
		ls "$HOME/.dbus" 2>/dev/null | wc -l`)
	wantLines(t, out, step("remember", true, ByFile, false), step("look", true, ByFile, false), "0\n")
}
