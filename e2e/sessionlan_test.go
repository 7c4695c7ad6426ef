//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// segment is a network of two computers: this one, and a namespace that stands for the other.
type segment struct {
	t             *testing.T
	name          string
	cable         string // this computer's end
	here, another string // addresses
}

// newSegment makes a network. It needs the right to make namespaces (root).
func newSegment(t *testing.T) *segment {
	t.Helper()
	n := os.Getpid() % 200
	s := &segment{t: t, name: fmt.Sprintf("conch%d", n), cable: fmt.Sprintf("conch%da", n), here: fmt.Sprintf("10.77.%d.1", n), another: fmt.Sprintf("10.77.%d.2", n)}
	far := fmt.Sprintf("conch%db", n)
	t.Cleanup(func() {
		exec.Command("ip", "link", "del", s.cable).Run()
		exec.Command("ip", "netns", "del", s.name).Run()
	})
	for _, line := range []string{
		"netns add " + s.name, "link add " + s.cable + " type veth peer name " + far, "link set " + far + " netns " + s.name,
		"addr add " + s.here + "/24 dev " + s.cable, "link set " + s.cable + " up", "-n " + s.name + " link set lo up",
		"-n " + s.name + " addr add " + s.another + "/24 dev " + far, "-n " + s.name + " link set " + far + " up",
	} {
		x(t, "ip", strings.Fields(line)...)
	}
	return s
}

func (s *segment) plug(up bool) {
	s.t.Helper()
	x(s.t, "ip", "link", "set", s.cable, map[bool]string{true: "up", false: "down"}[up])
}

// play opens a game on the other computer.
func (s *segment) play(h home, game string) *process {
	s.t.Helper()
	return start(s.t, h.env(), nil, "ip", "netns", "exec", s.name, conchBin, "play", "-v", game)
}

// TestSessionOverACable: a window on another computer hosts. Before its player's yes nobody else reaches it; then a browser
// and bots of this computer join it. The cable is pulled and put back, and the browser goes on.
func TestSessionOverACable(t *testing.T) {
	s := newSegment(t)
	peer, quiet := newReporter(t), newReporter(t)
	site := plainSite(t, peer, func() string {
		return joiner("Bo", s.another, allScenes+`
  report('ready')
  await once('onClientConnectionResumed')
  report('after', (await call('echo', 'again')).status)`)
	})
	p := s.play(newHome(t), quiet.hostGame(t, "hostfar", site.URL)) // its page reaches no reporter: it is another computer
	p.waitOutput("session hosted")
	if out, err := exec.Command(hostBin, "bots", s.another, "--project", "lab", "--session", "friday", "--build", "1.0", "--count", "1", "--time", "100ms").CombinedOutput(); err == nil {
		t.Errorf("a bot was let in before the player's yes: %s", out)
	}
	waitDialog(t)
	allow(t)
	p.waitOutput("people on the network can join")

	chromium(t, newHome(t), site.URL)
	peer.want("hp", "10")
	peer.want("echo", `"ok host says moo"`)
	peer.want("scene", `[1,"The Island","The Island"]`)
	peer.want("boat", "[1,true]")
	peer.wait("ready")
	screenshot(t, "session-cable")

	out, err := exec.Command(hostBin, "bots", s.another, "--project", "lab", "--session", "friday", "--build", "1.0", "--count", "4", "--time", "1s", "--json").Output()
	var report struct{ Bots, Joined int }
	if json.Unmarshal(out, &report) != nil || report.Joined != 4 {
		t.Errorf("bots: %s %v", out, err)
	}

	s.plug(false)
	peer.wait("onClientConnectionLost")
	s.plug(true)
	peer.want("after", `"ok"`)
}
