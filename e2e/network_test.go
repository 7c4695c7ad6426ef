//go:build e2e

package e2e

import (
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// networkEnv names the test that runs in a network of its own.
const networkEnv = "CONCH_E2E_NETWORK"

// networkScript makes the network: it has an interface, so that engines believe they are online, and every address
// of both families leads back to this computer. Names are asked of 127.0.0.1 alone.
const networkScript = `set -e
ip link set lo up
ip link add net0 type veth peer name net1
ip address add 10.77.0.2/24 dev net0
ip link set net0 up
ip link set net1 up
ip route add local default dev lo
ip -6 route add local default dev lo 2>/dev/null || true
mount --bind "$1/resolv.conf" /etc/resolv.conf
if [ -e /etc/nsswitch.conf ]; then mount --bind "$1/nsswitch.conf" /etc/nsswitch.conf; fi
shift
exec "$@"`

// inNetwork runs the rest of a top-level test in a network and mount namespace made for it, so that everything a
// program tries to reach is seen and nothing is reached: the test starts itself once more inside.
func inNetwork(t *testing.T, f func(t *testing.T, n *network)) {
	t.Helper()
	if os.Getenv(networkEnv) == t.Name() {
		f(t, startNetwork(t))
		return
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"resolv.conf": "nameserver 127.0.0.1\n", "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"--net", "--mount", "--propagation", "private"}
	if os.Getuid() != 0 {
		args = append([]string{"--user", "--map-root-user"}, args...)
	}
	pattern := "^" + t.Name() + "$"
	if _, sub, ok := strings.Cut(flag.Lookup("test.run").Value.String(), "/"); ok {
		pattern += "/" + sub
	}
	args = append(args, "sh", "-c", networkScript, "sh", dir, self,
		"-test.run="+pattern, "-test.v", "-test.count=1", "-test.timeout=20m")
	cmd := exec.Command("unshare", args...)
	cmd.Env = append(os.Environ(), networkEnv+"="+t.Name(), "CONCH_BIN="+filepath.Dir(conchBin))
	out, err := cmd.CombinedOutput()
	text := strings.TrimSpace(string(out))
	if err != nil {
		t.Fatalf("in its own network: %v\n%s", err, text)
	}
	if !strings.Contains(text, "--- PASS: "+t.Name()) {
		t.Fatalf("the test did not run in its own network:\n%s", text)
	}
	t.Log(text)
}

// packet is the first one of a conversation: a TCP SYN or any UDP datagram.
type packet struct {
	proto string // "tcp", "udp"
	to    netip.AddrPort
}

// foreignRequest is what a server outside was asked.
type foreignRequest struct {
	host, target string
	header       http.Header
}

// network is what is seen on a network whose every address leads here.
type network struct {
	t *testing.T

	mu       sync.Mutex
	last     time.Time     // when something new was seen
	while    time.Duration // how long nothing must be seen until quiet believes it
	names    []string      // names that have an address of their own, by index
	private  map[string]netip.Addr
	queries  []string
	packets  []packet
	requests []foreignRequest
	victims  map[uint16]string // loopback listeners that nobody may reach, by port
}

// reached is what port 443 of every address says.
const reached = "reached\n"

// nameSuffix ends the names that have an address in the network.
const nameSuffix = ".leak.test"

// byName and byAddress are the two addresses of the channel with index i: the one its name leads to, and the one that
// is called without a name.
func byName(i int) netip.Addr {
	return netip.AddrFrom4([4]byte{45, 10, byte(i / 200), byte(i%200 + 1)})
}

func byAddress(i int) netip.Addr {
	return netip.AddrFrom4([4]byte{45, 20, byte(i / 200), byte(i%200 + 1)})
}

func startNetwork(t *testing.T) *network {
	t.Helper()
	n := &network{t: t, last: time.Now(), while: 5 * time.Second, private: map[string]netip.Addr{}, victims: map[uint16]string{}}
	n.watch()
	n.serveNames()
	ln, err := net.Listen("tcp", ":80")
	if err != nil {
		t.Fatal(err)
	}
	n.serveForeign(ln)
	// Nothing speaks TLS here: who comes this far is seen and told so, and that is all.
	secure, err := net.Listen("tcp", ":443")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { secure.Close() })
	go func() {
		for {
			c, err := secure.Accept()
			if err != nil {
				return
			}
			io.WriteString(c, reached)
			c.Close()
		}
	}()
	return n
}

// victim opens a listener on another loopback address that the page is not to reach and answers host:port.
func (n *network) victim(address, host string) string {
	n.t.Helper()
	ln, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		n.t.Fatal(err)
	}
	n.serveForeign(ln)
	port := ln.Addr().(*net.TCPAddr).Port
	n.mu.Lock()
	n.victims[uint16(port)] = "loopback-" + host
	n.mu.Unlock()
	return host + ":" + strconv.Itoa(port)
}

func (n *network) serveForeign(ln net.Listener) {
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	types := map[string]string{".js": "text/javascript", ".css": "text/css", ".png": "image/png", ".svg": "image/svg+xml", ".m3u8": "application/vnd.apple.mpegurl"}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		n.mu.Lock()
		n.last = time.Now()
		n.requests = append(n.requests, foreignRequest{q.Host, q.URL.RequestURI(), q.Header})
		n.mu.Unlock()
		if websocket.IsWebSocketUpgrade(q) {
			if c, err := up.Upgrade(w, q, nil); err == nil {
				c.Close()
			}
			return
		}
		kind := types[filepath.Ext(q.URL.Path)]
		if kind == "" {
			kind = "text/html"
		}
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Access-Control-Allow-Origin", "*")
		fmt.Fprint(w, "/* reached */")
	})}
	go srv.Serve(ln)
	n.t.Cleanup(func() { srv.Close() })
}

// watch sees every packet of the network: a datagram socket below IP.
func (n *network) watch() {
	const every = 0x0300 // ETH_P_ALL in network byte order
	fd, err := syscall.Socket(syscall.AF_PACKET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, every)
	if err != nil {
		n.t.Fatalf("packet socket: %v", err)
	}
	const force = 33 // SO_RCVBUFFORCE
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, force, 256<<20); err != nil {
		syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_RCVBUF, 64<<20)
	}
	syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &syscall.Timeval{Usec: 200000})
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		defer syscall.Close(fd)
		buf := make([]byte, 256)
		for {
			select {
			case <-stop:
				return
			default:
			}
			size, from, err := syscall.Recvfrom(fd, buf, 0)
			if err != nil {
				continue
			}
			link, ok := from.(*syscall.SockaddrLinklayer)
			if !ok || link.Pkttype == syscall.PACKET_OUTGOING {
				continue // lo shows each packet twice
			}
			if p, ok := opening(buf[:size]); ok {
				n.mu.Lock()
				n.packets = append(n.packets, p)
				if !p.to.Addr().IsLoopback() {
					n.last = time.Now()
				}
				n.mu.Unlock()
			}
		}
	}()
	n.t.Cleanup(func() {
		close(stop)
		<-stopped
	})
}

// opening reads an IP packet that begins a conversation. Answers to names asked are none.
func opening(b []byte) (packet, bool) {
	if len(b) < 20 {
		return packet{}, false
	}
	var to netip.Addr
	var proto byte
	switch b[0] >> 4 {
	case 4:
		head := int(b[0]&15) * 4
		proto, to = b[9], netip.AddrFrom4([4]byte(b[16:20]))
		b = b[min(head, len(b)):]
	case 6:
		if len(b) < 40 {
			return packet{}, false
		}
		proto, to = b[6], netip.AddrFrom16([16]byte(b[24:40]))
		b = b[40:]
	default:
		return packet{}, false
	}
	if len(b) < 8 {
		return packet{}, false
	}
	from, port := binary.BigEndian.Uint16(b), binary.BigEndian.Uint16(b[2:])
	switch {
	case proto == syscall.IPPROTO_UDP && from != 53:
		return packet{"udp", netip.AddrPortFrom(to, port)}, true
	case proto == syscall.IPPROTO_TCP && len(b) > 13 && b[13]&0x12 == 0x02:
		return packet{"tcp", netip.AddrPortFrom(to, port)}, true
	}
	return packet{}, false
}

// serveNames is the only name server of the network. A channel's name leads to its own address, a name that
// resolve was given to that one, and every other name does not exist.
func (n *network) serveNames() {
	c, err := net.ListenPacket("udp", "127.0.0.1:53")
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() { c.Close() })
	go func() {
		buf := make([]byte, 1500)
		for {
			size, from, err := c.ReadFrom(buf)
			if err != nil {
				return
			}
			if answer := n.answer(buf[:size]); answer != nil {
				c.WriteTo(answer, from)
			}
		}
	}()
}

// resolve gives a name an address of the test's choice.
func (n *network) resolve(name, address string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.private[name] = netip.MustParseAddr(address)
}

// answer is one reply of the name server (RFC 1035 section 4).
func (n *network) answer(q []byte) []byte {
	if len(q) < 17 {
		return nil
	}
	var labels []string
	i := 12
	for i < len(q) && q[i] != 0 {
		end := i + 1 + int(q[i])
		if end > len(q) {
			return nil
		}
		labels = append(labels, strings.ToLower(string(q[i+1:end])))
		i = end
	}
	if i+5 > len(q) {
		return nil
	}
	name, kind := strings.Join(labels, "."), binary.BigEndian.Uint16(q[i+1:])
	question := q[12 : i+5]
	address, known := n.lookup(name)
	head := []byte{q[0], q[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}
	if !known {
		head[3] |= 3 // no such name
		return append(head, question...)
	}
	if kind != 1 {
		return append(head, question...)
	}
	head[7] = 1
	ip := address.As4()
	return append(append(append(head, question...), 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4), ip[:]...)
}

func (n *network) lookup(name string) (netip.Addr, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.queries = append(n.queries, name)
	n.last = time.Now()
	if a, ok := n.private[name]; ok {
		return a, true
	}
	label, ok := strings.CutSuffix(name, nameSuffix)
	i := slices.Index(n.names, label)
	if !ok || i < 0 {
		return netip.Addr{}, false
	}
	return byName(i), true
}

// shows waits, in a run without Conch, until every channel of names has been seen, and makes quiet wait at least twice as
// long as that took: a run that is to show nothing is watched for longer than the same page needed to show everything
// on the same computer under the same load.
func (n *network) shows(t *testing.T, own []int, names []string) {
	t.Helper()
	began := time.Now()
	var left []string
	for {
		s := n.look(own)
		left = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return s.hits[name] != nil })
		if len(left) == 0 || time.Since(began) > patience {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	for _, name := range left {
		t.Errorf("the channel %s was not seen without Conch: the test would not notice it either", name)
	}
	took := time.Since(began)
	t.Logf("all channels were seen %s after the page had begun", took.Round(time.Millisecond))
	n.mu.Lock()
	n.while = max(n.while, 2*took)
	n.mu.Unlock()
}

// quiet waits until nothing new was seen for a while. What the programs do after their page has said that it has
// begun everything is announced by nothing else; shows measures how long the while must be.
func (n *network) quiet() {
	n.t.Helper()
	n.mu.Lock()
	while := n.while
	n.mu.Unlock()
	began := time.Now()
	deadline := began.Add(patience + 2*while)
	for {
		n.mu.Lock()
		last := n.last
		n.mu.Unlock()
		if last.Before(began) {
			last = began
		}
		left := while - time.Since(last)
		if left <= 0 {
			return
		}
		if time.Now().After(deadline) {
			n.t.Fatal("the network never became quiet")
		}
		time.Sleep(left)
	}
}

// seen is what was seen since forget.
type seen struct {
	hits     map[string][]string // by channel: "dns", "tcp", "udp"; "http" when a request came
	strange  []string            // packets and queries that belong to no channel
	requests []foreignRequest
}

// channels are the names of what was seen, sorted.
func (s seen) channels() []string {
	var all []string
	for name := range s.hits {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// look answers what was seen. Ports of 127.0.0.1 in own are the program's and the test's and do not count.
func (n *network) look(own []int) seen {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := seen{hits: map[string][]string{}, requests: slices.Clone(n.requests)}
	hit := func(name, how string) {
		if !slices.Contains(s.hits[name], how) {
			s.hits[name] = append(s.hits[name], how)
		}
	}
	for _, q := range n.queries {
		if label, ok := strings.CutSuffix(q, nameSuffix); ok && slices.Contains(n.names, label) {
			hit(label, "dns")
		} else {
			s.strange = append(s.strange, "dns "+q)
		}
	}
	for _, p := range n.packets {
		addr, port := p.to.Addr().Unmap(), p.to.Port()
		switch {
		case p.proto == "udp" && port == 53 && addr == netip.AddrFrom4([4]byte{127, 0, 0, 1}):
		case addr.IsLoopback() && n.victims[port] != "":
			hit(n.victims[port], p.proto)
		case addr == netip.AddrFrom4([4]byte{127, 0, 0, 1}) && p.proto == "tcp" && slices.Contains(own, int(port)):
		default:
			if name := n.channelLocked(addr); name != "" {
				hit(name, p.proto)
			} else {
				s.strange = append(s.strange, p.proto+" "+p.to.String())
			}
		}
	}
	for _, q := range n.requests {
		host, port, _ := net.SplitHostPort(q.host)
		if host == "" {
			host = q.host
		}
		label, named := strings.CutSuffix(host, nameSuffix)
		number, _ := strconv.ParseUint(port, 10, 16)
		if addr, err := netip.ParseAddr(host); err == nil && !addr.IsLoopback() {
			label, named = n.channelLocked(addr), true
		}
		switch victim := n.victims[uint16(number)]; {
		case victim != "":
			hit(victim, "http")
		case named && label != "":
			hit(label, "http")
		}
	}
	return s
}

func (n *network) channelLocked(a netip.Addr) string {
	for i, name := range n.names {
		if a == byName(i) || a == byAddress(i) {
			return name
		}
	}
	return ""
}

// forget begins anew.
func (n *network) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.queries, n.packets, n.requests = nil, nil, nil
	n.last = time.Now()
}
