package netsock

import (
	"net"
	"syscall"
)

const (
	farWindow    = 512 << 10 // receive buffer: most bytes a server may be ahead of the page
	farUnsent    = 128 << 10 // most bytes we hold that are not on the way yet
	notsentLowat = 25        // TCP_NOTSENT_LOWAT
)

// tuneFar bounds what the far leg swallows. Sending, the kernel may have any
// amount in flight but only farUnsent waiting. Receiving has no such knob
// (TCP_WINDOW_CLAMP gives way to the kernel's own tuning), so the buffer is
// fixed, large enough for 5 MB/s at a round trip of 100 ms.
func tuneFar(c *net.TCPConn) {
	c.SetReadBuffer(farWindow)
	raw, err := c.SyscallConn()
	if err != nil {
		return
	}
	raw.Control(func(fd uintptr) {
		syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, notsentLowat, farUnsent)
	})
}
