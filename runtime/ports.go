package runtime

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	psnet "github.com/shirou/gopsutil/v4/net"
	"github.com/shirou/gopsutil/v4/process"
)

// Ports of games lie below the ranges that systems hand out by themselves (Linux from 32768, others from 49152), so
// that no outgoing connection happens to sit on a game's port.
const (
	firstPort = 10000
	lastPort  = 32767
)

// wellKnown are the ports in that range where players and authors commonly run something else, and those that
// browsers refuse to open (WHATWG Fetch, "bad port": 10080). Pairs are first and last.
var wellKnown = [][2]int{
	{10000, 10010}, // Webmin, NDMP, browsers' test servers
	{10050, 10051}, // Zabbix
	{10080, 10080}, // bad port (Amanda)
	{10243, 10259}, // Windows media sharing, kubelet
	{11211, 11211}, // memcached
	{11311, 11311}, // ROS
	{11434, 11434}, // Ollama
	{12000, 12001}, // emulators' net play
	{12345, 12345}, // everybody's example
	{13306, 13306}, // MySQL in containers
	{15672, 15672}, // RabbitMQ
	{16379, 16379}, // Redis cluster
	{16992, 16995}, // Intel AMT
	{17500, 17500}, // Dropbox
	{18080, 18081}, // Monero, web servers
	{19000, 19006}, // Expo
	{19132, 19133}, // Minecraft
	{20000, 20000}, // Usermin
	{21025, 21025}, // Starbound
	{22000, 22000}, // Syncthing
	{22500, 22501}, // Flashpoint
	{24454, 24454}, // Minecraft voice
	{24642, 24651}, // Conch sessions
	{24800, 24800}, // Synergy, Barrier
	{25565, 25575}, // Minecraft
	{26257, 26257}, // CockroachDB
	{26379, 26379}, // Redis Sentinel
	{26900, 26905}, // 7 Days to Die
	{27000, 27060}, // Steam, MongoDB, FlexLM
	{28015, 28017}, // Rust, RethinkDB, MongoDB
	{28960, 28960}, // Call of Duty
	{29070, 29070}, // Jedi Academy
	{30000, 30120}, // first Kubernetes node ports, TeamSpeak, FiveM
	{31337, 31337}, // security tools look here
	{32400, 32414}, // Plex
	{32764, 32764}, // routers' back door, blocked by firewalls
}

// usablePort reports whether a game may have the port for its own.
func usablePort(port int) bool {
	if port < firstPort || port > lastPort {
		return false
	}
	for _, r := range wellKnown {
		if r[0] <= port && port <= r[1] {
			return false
		}
	}
	return true
}

// derivePort is the port of a game: the same for the same key on every computer, unless taken says that another game
// here has it already.
func derivePort(key string, taken func(port int) bool) (int, error) {
	sum := sha256.Sum256([]byte("conch port " + key))
	const count = lastPort - firstPort + 1
	start := int(binary.BigEndian.Uint64(sum[:8]) % count)
	for i := range count {
		if port := firstPort + (start+i)%count; usablePort(port) && !taken(port) {
			return port, nil
		}
	}
	return 0, errors.New("no port is left for another game")
}

// PortTakenError says who holds the game's port.
type PortTakenError struct {
	Port    int
	PID     int    // 0: unknown
	Program string // name of the program, "" when the system does not tell
}

func (e *PortTakenError) Error() string {
	switch {
	case e.Program != "":
		return fmt.Sprintf("port %d of this game is in use by %s (process %d)", e.Port, e.Program, e.PID)
	case e.PID != 0:
		return fmt.Sprintf("port %d of this game is in use by process %d", e.Port, e.PID)
	}
	return fmt.Sprintf("port %d of this game is in use by another program", e.Port)
}

// listenLoopback listens on 127.0.0.1 and nowhere else.
func listenLoopback(port int) (net.Listener, error) {
	lc := net.ListenConfig{Control: exclusive}
	ln, err := lc.Listen(context.Background(), "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err == nil {
		return ln, nil
	}
	if !isTaken(err) {
		return nil, fmt.Errorf("listen on 127.0.0.1:%d: %w", port, err)
	}
	program, pid := PortHolder(port)
	return nil, &PortTakenError{Port: port, PID: pid, Program: program}
}

// PortHolder names the program that listens on a TCP port of this computer. Programs of other users may stay unnamed:
// then pid is 0. It may take a second on a computer with many processes.
func PortHolder(port int) (program string, pid int) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	conns, err := psnet.ConnectionsWithContext(ctx, "tcp")
	if err != nil {
		return "", 0
	}
	for _, c := range conns {
		if c.Status != "LISTEN" || int(c.Laddr.Port) != port || c.Pid == 0 {
			continue
		}
		p, err := process.NewProcessWithContext(ctx, c.Pid)
		if err != nil {
			return "", int(c.Pid)
		}
		name, err := p.NameWithContext(ctx)
		if err != nil {
			return "", int(c.Pid)
		}
		return name, int(c.Pid)
	}
	return "", 0
}
