package session

import (
	"context"
	"net/netip"
)

// Dial connects to a host without joining, for those who pass a client's messages on. allow decides about each address
// that is about to be dialled.
func Dial(ctx context.Context, a Address, allow func(netip.AddrPort) error) (Conn, error) {
	return dialSocket(ctx, a, allow)
}
