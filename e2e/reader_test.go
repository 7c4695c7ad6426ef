//go:build e2e

package e2e

import (
	"bufio"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// reader sees native dialogs as a screen reader does (AT-SPI): names, roles, what can be pressed and where it is.
type reader struct {
	address string
	conn    *dbus.Conn
}

// newReader starts an accessibility bus; programs that were given env appear on it.
func newReader(t *testing.T) *reader {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	bus := exec.Command("dbus-daemon", "--config-file=/usr/share/defaults/at-spi2/accessibility.conf", "--nofork", "--print-address=3")
	bus.Env = append(os.Environ(), "DISPLAY="+display, "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent")
	bus.ExtraFiles = []*os.File{write}
	if err := bus.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	t.Cleanup(func() { bus.Process.Kill(); bus.Wait() })
	line, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatalf("accessibility bus: %v", err)
	}
	a := &reader{address: strings.TrimSpace(line)}
	if a.conn, err = dbus.Connect(a.address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.conn.Close() })
	// The bus could start the registry itself, but gives it the address in a way that needs a session bus.
	registry := exec.Command("/usr/libexec/at-spi2-registryd")
	registry.Env = append(bus.Env, "AT_SPI_BUS_ADDRESS="+a.address)
	if err := registry.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { registry.Process.Kill(); registry.Wait() })
	eventually(t, "an accessibility registry", func() bool {
		var there bool
		err := a.conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, "org.a11y.atspi.Registry").Store(&there)
		return err == nil && there
	})
	return a
}

// env is h's environment with the reader listening.
func (a *reader) env(h home, more ...string) []string {
	env := slices.DeleteFunc(h.env(), func(kv string) bool { return strings.HasPrefix(kv, "NO_AT_BRIDGE=") })
	return append(append(env, "AT_SPI_BUS_ADDRESS="+a.address), more...)
}

// play opens game in the real window.
func (a *reader) play(t *testing.T, h home, game string, more ...string) *process {
	t.Helper()
	return start(t, a.env(h, more...), nil, conchBin, "play", "-v", game)
}

// reference names one thing on the bus.
type reference struct {
	Bus  string
	Path dbus.ObjectPath
}

// thing is one part of a dialog.
type thing struct {
	at            reference
	name, role    string
	sensitive     bool // can be pressed
	focused       bool
	x, y          int // on the screen, in the program's own pixels
	width, height int
}

func (a *reader) call(r reference, method string, out any, args ...any) bool {
	return a.conn.Object(r.Bus, r.Path).Call(method, 0, args...).Store(out) == nil
}

func (a *reader) children(r reference) []reference {
	var list []reference
	a.call(r, "org.a11y.atspi.Accessible.GetChildren", &list)
	return list
}

func (a *reader) property(r reference, name string) string {
	v, err := a.conn.Object(r.Bus, r.Path).GetProperty("org.a11y.atspi.Accessible." + name)
	if err != nil {
		return ""
	}
	text, _ := v.Value().(string)
	return text
}

// see reads one thing; the numbers of the states are those of AtspiStateType.
func (a *reader) see(r reference) thing {
	var one thing
	one.name = a.property(r, "Name")
	a.call(r, "org.a11y.atspi.Accessible.GetRoleName", &one.role)
	var states []uint32
	if a.call(r, "org.a11y.atspi.Accessible.GetState", &states) && len(states) > 0 {
		one.focused, one.sensitive = states[0]&(1<<12) != 0, states[0]&(1<<24) != 0
	}
	one.at = r
	var at struct{ X, Y, Width, Height int32 }
	if a.call(r, "org.a11y.atspi.Component.GetExtents", &at, uint32(0)) {
		one.x, one.y, one.width, one.height = int(at.X), int(at.Y), int(at.Width), int(at.Height)
	}
	return one
}

// dialogs answers the parts of every native dialog with this title, the dialog itself first.
func (a *reader) dialogs(title string) [][]thing {
	var found [][]thing
	for _, program := range a.children(reference{"org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root"}) {
		for _, top := range a.children(program) {
			if a.property(top, "Name") != title {
				continue
			}
			if one := a.see(top); one.role == "dialog" {
				found = append(found, a.parts(top, nil))
			}
		}
	}
	return found
}

func (a *reader) parts(r reference, all []thing) []thing {
	all = append(all, a.see(r))
	for _, child := range a.children(r) {
		all = a.parts(child, all)
	}
	return all
}

// question waits for the question of the program and answers its parts.
func (a *reader) question(t *testing.T) []thing {
	t.Helper()
	var found [][]thing
	eventually(t, "a question on the screen", func() bool {
		found = a.dialogs("Conch")
		// Before it is on the screen it has no place and no size.
		return len(found) > 0 && named(found[0], "Allow") != nil && found[0][0].width > 1
	})
	if len(found) != 1 {
		t.Errorf("%d questions at once", len(found))
	}
	return found[0]
}

// allowable reports whether there is a question and its Allow can be pressed.
func (a *reader) allowable() bool {
	for _, parts := range a.dialogs("Conch") {
		if b := named(parts, "Allow"); b != nil && b.sensitive {
			return true
		}
	}
	return false
}

func named(parts []thing, name string) *thing {
	for i := range parts {
		if parts[i].name == name {
			return &parts[i]
		}
	}
	return nil
}

// button is the named button of a question.
func button(t *testing.T, parts []thing, name string) thing {
	t.Helper()
	b := named(parts, name)
	if b == nil {
		t.Fatalf("no button %q in %+v", name, parts)
	}
	return *b
}

// changes tells of every part that can be pressed from now on, true, or no longer, false.
func (a *reader) changes(t *testing.T) <-chan bool {
	t.Helper()
	match := dbus.WithMatchInterface("org.a11y.atspi.Event.Object")
	if err := a.conn.AddMatchSignal(match, dbus.WithMatchMember("StateChanged")); err != nil {
		t.Fatal(err)
	}
	registry := a.conn.Object("org.a11y.atspi.Registry", "/org/a11y/atspi/registry")
	if err := registry.Call("org.a11y.atspi.Registry.RegisterEvent", 0, "object:state-changed:sensitive", []string{}, "").Err; err != nil {
		t.Fatal(err)
	}
	signals, seen := make(chan *dbus.Signal, 256), make(chan bool, 256)
	a.conn.Signal(signals)
	go func() {
		for s := range signals {
			if kind, _ := s.Body[0].(string); kind == "sensitive" {
				on, _ := s.Body[1].(int32)
				seen <- on == 1
			}
		}
	}()
	return seen
}

// next waits for the next change to on.
func next(t *testing.T, changes <-chan bool, on bool) {
	t.Helper()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for {
		select {
		case got := <-changes:
			if got == on {
				return
			}
		case <-timeout.C:
			t.Fatalf("never: Allow changes to %v", on)
		}
	}
}

// middle is the middle of a part on the screen, for xdotool.
func (one thing) middle() []string {
	return []string{strconv.Itoa(one.x + one.width/2), strconv.Itoa(one.y + one.height/2)}
}

// letter is where one letter of a part begins on the screen.
func (a *reader) letter(one *thing, i int) int {
	var x, y, width, height int32
	call := a.conn.Object(one.at.Bus, one.at.Path).Call("org.a11y.atspi.Text.GetCharacterExtents", 0, int32(i), uint32(0))
	if call.Store(&x, &y, &width, &height) != nil {
		return -1
	}
	return int(x)
}
