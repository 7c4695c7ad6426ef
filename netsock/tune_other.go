//go:build !linux

package netsock

import "net"

// farBuffer bounds what the far leg swallows; it is also the most that can be
// in flight, so it is larger than the loopback leg's.
const farBuffer = 512 << 10

func tuneFar(c *net.TCPConn) {
	c.SetReadBuffer(farBuffer)
	c.SetWriteBuffer(farBuffer)
}
