//go:build e2e

package e2e

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// listener is one socket of a process that others can connect or send to.
type listener struct {
	proto string // tcp, tcp6, udp, udp6
	at    netip.AddrPort
}

// listeners reads the listening sockets of a process from /proc.
func listeners(t *testing.T, pid int) []listener {
	t.Helper()
	own := map[string]bool{}
	fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil || len(fds) == 0 {
		t.Fatalf("no descriptors of process %d: %v", pid, err)
	}
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil {
			if inode, ok := strings.CutPrefix(to, "socket:["); ok {
				own[strings.TrimSuffix(inode, "]")] = true
			}
		}
	}
	var all []listener
	for _, proto := range []string{"tcp", "tcp6", "udp", "udp6"} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, proto))
		if err != nil {
			continue // a kernel without IPv6
		}
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			if len(f) < 10 || !own[f[9]] {
				continue
			}
			const listening = "0A"
			if strings.HasPrefix(proto, "tcp") && f[3] != listening {
				continue
			}
			all = append(all, listener{proto, procAddress(t, f[1])})
		}
	}
	return all
}

// procAddress reads an address as /proc/net writes it: 32-bit words in the order of the machine.
func procAddress(t *testing.T, text string) netip.AddrPort {
	t.Helper()
	host, port, _ := strings.Cut(text, ":")
	raw, err := hex.DecodeString(host)
	if err != nil {
		t.Fatalf("address %q: %v", text, err)
	}
	for i := 0; i+4 <= len(raw); i += 4 {
		slices.Reverse(raw[i : i+4])
	}
	addr, ok := netip.AddrFromSlice(raw)
	n, err := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil {
		t.Fatalf("address %q", text)
	}
	return netip.AddrPortFrom(addr, uint16(n))
}

// portsOf are the ports that a process listens on.
func portsOf(t *testing.T, pid int) []int {
	t.Helper()
	var ports []int
	for _, l := range listeners(t, pid) {
		ports = append(ports, int(l.at.Port()))
	}
	return ports
}

// descendants are the processes that a process has started, and theirs.
func descendants(pid int) []int {
	parents := map[int]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range stats {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		child, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if fields[0] != "Z" {
			parents[child], _ = strconv.Atoi(fields[1])
		}
	}
	var all []int
	for child := range parents {
		for p := parents[child]; p > 1; p = parents[p] {
			if p == pid {
				all = append(all, child)
				break
			}
		}
	}
	return all
}
