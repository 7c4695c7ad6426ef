//go:build e2e

package lan

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// patience is how long an event may take on a loaded machine. It only ends a test that would hang.
const patience = 90 * time.Second

// insideEnv is set in the network and mount namespace in which all tests run.
const insideEnv = "CONCH_E2E_LAN"

const networkScript = `set -e
mount -t tmpfs lan /run
mkdir /run/netns
ip link set lo up
exec "$@"`

// TestMain moves the whole program into namespaces of its own: whatever the tests make there is gone with the program.
func TestMain(m *testing.M) {
	if options := os.Getenv(nodeEnv); options != "" {
		var o nodeOptions
		err := json.Unmarshal([]byte(options), &o)
		if err == nil {
			err = runNode(o)
		}
		fmt.Fprintln(os.Stderr, "node:", err)
		os.Exit(1)
	}
	if os.Getenv(insideEnv) == "" {
		fmt.Fprintln(os.Stderr, "e2e/lan:", enter())
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// enter replaces this program by itself in namespaces.
func enter() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	unshare, err := exec.LookPath("unshare")
	if err != nil {
		return err
	}
	args := []string{"unshare", "--net", "--mount", "--propagation", "private"}
	if os.Getuid() != 0 {
		args = append(args, "--user", "--map-root-user")
	}
	args = append(args, "sh", "-c", networkScript, "sh", self)
	args = append(args, os.Args[1:]...)
	args = append(args, "-test.parallel=16") // the tests mostly wait
	return syscall.Exec(unshare, args, append(os.Environ(), insideEnv+"=1"))
}

// sh runs a command of the network's and returns what it prints.
func sh(t *testing.T, command string, args ...any) string {
	t.Helper()
	command = fmt.Sprintf(command, args...)
	out, err := exec.Command("sh", "-ec", command).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}

var networks atomic.Int32

// network is a switch and the computers on it. Its number is in all its names and addresses.
type network struct {
	t         *testing.T
	number    int
	computers int
	gateway   bool // .254 leads to other networks
}

// newNetwork makes a network for one test, which runs beside the others: they mostly wait.
func newNetwork(t *testing.T) *network {
	t.Helper()
	t.Parallel()
	n := &network{t: t, number: int(networks.Add(1))}
	sh(t, "ip link add %[1]s type bridge; ip link set %[1]s up", n.bridge())
	t.Cleanup(func() { sh(t, "ip link del %s", n.bridge()) })
	return n
}

func (n *network) bridge() string { return fmt.Sprintf("switch%d", n.number) }

// computer is a network namespace.
type computer struct {
	t       *testing.T
	name    string // of the namespace
	port    string // the switch's end of its cable
	address string
}

// bare adds a computer without a cable.
func (n *network) bare() *computer {
	n.t.Helper()
	n.computers++
	c := &computer{t: n.t, name: fmt.Sprintf("lan%d-%d", n.number, n.computers)}
	sh(n.t, "ip netns add %[1]s; ip -n %[1]s link set lo up", c.name)
	n.t.Cleanup(func() { sh(n.t, "ip netns del %s", c.name) })
	return c
}

// computer adds a computer and plugs it in.
func (n *network) computer() *computer {
	n.t.Helper()
	c := n.bare()
	c.port = fmt.Sprintf("port%d-%d", n.number, n.computers)
	c.address = fmt.Sprintf("10.77.%d.%d", n.number, n.computers)
	sh(n.t, "ip link add %[1]s type veth peer name eth0 netns %[2]s; ip link set %[1]s master %[3]s up; ip -n %[2]s address add %[4]s/24 dev eth0; ip -n %[2]s link set eth0 up",
		c.port, c.name, n.bridge(), c.address)
	if n.gateway {
		sh(n.t, "ip -n %s route add default via 10.77.%d.254", c.name, n.number)
	}
	return c
}

// pull pulls the cable out of the switch, plug puts it back.
func (c *computer) pull() { c.t.Helper(); sh(c.t, "ip link set %s down", c.port) }
func (c *computer) plug() { c.t.Helper(); sh(c.t, "ip link set %s up", c.port) }

// deafen drops everything that comes to a computer, hear ends that.
func (c *computer) deafen() {
	c.t.Helper()
	sh(c.t, "ip netns exec %s nft 'add table ip deaf; add chain ip deaf in { type filter hook input priority 0; policy drop; }'", c.name)
}
func (c *computer) hear() { c.t.Helper(); sh(c.t, "ip netns exec %s nft delete table ip deaf", c.name) }

// process is a node that runs on a computer. It ends with its standard input, at the latest with this program.
type process struct {
	t       *testing.T
	name    string
	cmd     *exec.Cmd
	in      io.WriteCloser
	reports chan report
	seen    []report
	ended   chan struct{}

	mu  sync.Mutex
	log bytes.Buffer
}

// host starts a session host on a computer and waits until it listens.
func (c *computer) host(store string) *process {
	c.t.Helper()
	p := c.start(nodeOptions{Name: "host", Store: store})
	p.wait("Ready")
	return p
}

// client starts a client that joins the host at address, and waits until it is in.
func (c *computer) client(name, address string) *process {
	c.t.Helper()
	p := c.start(nodeOptions{Name: name, Join: address})
	p.wait("SessionStarted")
	return p
}

func (c *computer) start(o nodeOptions) *process {
	c.t.Helper()
	self, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
	options, _ := json.Marshal(o)
	p := &process{t: c.t, name: o.Name, cmd: exec.Command("ip", "netns", "exec", c.name, self), reports: make(chan report, 1<<16), ended: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), nodeEnv+"="+string(options))
	p.cmd.Stderr = p
	in, err1 := p.cmd.StdinPipe()
	out, err2 := p.cmd.StdoutPipe()
	if err1 != nil || err2 != nil {
		c.t.Fatal(err1, err2)
	}
	p.in = in
	if err := p.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		lines := bufio.NewReader(out)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				break
			}
			var r report
			if json.Unmarshal(line, &r) == nil {
				p.Write(line)
				p.reports <- r
			}
		}
		p.cmd.Wait()
	}()
	c.t.Cleanup(func() {
		p.kill()
		if c.t.Failed() {
			p.mu.Lock()
			defer p.mu.Unlock()
			c.t.Logf("%s said:\n%s", p.name, p.log.String())
		}
	})
	return p
}

// Write keeps what the process says for when the test fails.
func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.Write(b)
}

// kill ends a node at once, as a crash would.
func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.ended
}

func (p *process) do(o order) {
	p.t.Helper()
	line, _ := json.Marshal(o)
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		p.t.Fatalf("%s: %v", p.name, err)
	}
}

// wait is the next report of that name; others are kept for later.
func (p *process) wait(name string) report {
	p.t.Helper()
	return p.waitFor(name, "")
}

// waitFor is the next report of that name whose value holds text.
func (p *process) waitFor(name, text string) report {
	p.t.Helper()
	fits := func(r report) bool { return r.Name == name && strings.Contains(string(r.Value), text) }
	for i, r := range p.seen {
		if fits(r) {
			p.seen = append(p.seen[:i:i], p.seen[i+1:]...)
			return r
		}
	}
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for {
		select {
		case r := <-p.reports:
			if fits(r) {
				return r
			}
			p.seen = append(p.seen, r)
		case <-timeout.C:
			p.t.Fatalf("%s never told %s %s", p.name, name, text)
		}
	}
}

// never fails when a report of that name has come.
func (p *process) never(name string) {
	p.t.Helper()
	for len(p.reports) > 0 {
		p.seen = append(p.seen, <-p.reports)
	}
	for _, r := range p.seen {
		if r.Name == name {
			p.t.Errorf("%s told %s %s", p.name, name, r.Value)
		}
	}
}

// read puts the value of a report into v.
func read[V any](t *testing.T, r report) (v V) {
	t.Helper()
	if err := json.Unmarshal(r.Value, &v); err != nil {
		t.Fatalf("%s: %v in %s", r.Name, err, r.Value)
	}
	return v
}
