//go:build e2e

package lan

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// line is a bad line between two computers: packets take their time and some get lost. It passes packets from one TUN
// device to the other, because kernels without netem (sch_netem) are common where tests run.
type line struct {
	delay, jitter time.Duration
	loss          float64 // share of packets
	lost, passed  atomic.Int64
}

// lay connects two computers by a line and returns their addresses on it.
func (n *network) lay(l *line, a, b *computer) (addressA, addressB string) {
	n.t.Helper()
	addressA, addressB = fmt.Sprintf("10.78.%d.1", n.number), fmt.Sprintf("10.78.%d.2", n.number)
	endA, endB := n.tun(a, addressA, addressB), n.tun(b, addressB, addressA)
	var wg sync.WaitGroup
	wg.Go(func() { l.carry(n.t, endA, endB) })
	wg.Go(func() { l.carry(n.t, endB, endA) })
	n.t.Cleanup(func() {
		endA.Close()
		endB.Close()
		wg.Wait()
	})
	return addressA, addressB
}

// tun makes a device on a computer whose packets are read and written here.
func (n *network) tun(c *computer, local, remote string) *os.File {
	n.t.Helper()
	fd, err := syscall.Open("/dev/net/tun", syscall.O_RDWR|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		n.t.Fatalf("/dev/net/tun: %v", err)
	}
	const setInterface, plainPackets = 0x400454ca, 0x0001 | 0x1000 // TUNSETIFF, IFF_TUN|IFF_NO_PI
	request := struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}{flags: plainPackets}
	name := "line-" + c.name
	copy(request.name[:15], name)
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), setInterface, uintptr(unsafe.Pointer(&request))); errno != 0 {
		n.t.Fatalf("TUN device: %v", errno)
	}
	f := os.NewFile(uintptr(fd), "tun") // only now: before it has a device it cannot be waited for
	sh(n.t, "ip link set %[1]s netns %[2]s; ip -n %[2]s address add %[3]s peer %[4]s dev %[1]s; ip -n %[2]s link set %[1]s up", name, c.name, local, remote)
	return f
}

// carry passes packets on in their order.
func (l *line) carry(t *testing.T, from, to *os.File) {
	type packet struct {
		due  time.Time
		data []byte
	}
	under := make(chan packet, 4096)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer close(under)
	wg.Go(func() {
		for p := range under {
			time.Sleep(time.Until(p.due)) // the line's own time
			if _, err := to.Write(p.data); err != nil && !errors.Is(err, fs.ErrClosed) && !errors.Is(err, syscall.EIO) {
				t.Errorf("line: %v", err)
			}
		}
	})
	buf := make([]byte, 64<<10)
	for {
		size, err := from.Read(buf)
		if err != nil {
			return
		}
		if rand.Float64() < l.loss {
			l.lost.Add(1)
			continue
		}
		l.passed.Add(1)
		pause := l.delay
		if l.jitter > 0 {
			pause += rand.N(l.jitter)
		}
		under <- packet{time.Now().Add(pause), append([]byte(nil), buf[:size]...)}
	}
}
