package netsock

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
)

// destination is a Dial that was checked: every text in it can go into a
// request line or a header as it is.
type destination struct {
	secure   bool
	name     string // host without brackets
	port     string
	hostPort string // as the Host header has it
	target   string
	origin   string
	control  func(netip.Addr) error
}

func newDestination(d Dial) (destination, error) {
	u := d.URL
	if u == nil || (u.Scheme != "ws" && u.Scheme != "wss") || u.Hostname() == "" || u.Opaque != "" {
		return destination{}, errors.New("not a ws:// or wss:// address with a host")
	}
	if u.User != nil {
		return destination{}, errors.New("an address with a user name or password is not allowed")
	}
	dst := destination{secure: u.Scheme == "wss", name: strings.ToLower(u.Hostname()), port: u.Port(),
		target: d.Target, origin: d.Origin, control: d.Control}
	if dst.target == "" {
		dst.target = u.RequestURI()
	}
	if !strings.HasPrefix(dst.target, "/") || !visible(dst.name) || !visible(dst.target) || !visible(dst.origin) {
		return destination{}, errors.New("not a plain address")
	}
	dst.hostPort = hostHeader(dst.name, dst.port, u.Scheme)
	if dst.port == "" {
		dst.port = defaultPort(u.Scheme)
	}
	return dst, nil
}

func defaultPort(scheme string) string {
	if scheme == "wss" {
		return "443"
	}
	return "80"
}

// hostHeader leaves the default port out, as browsers do.
func hostHeader(name, port, scheme string) string {
	if port == "" || port == defaultPort(scheme) {
		if strings.Contains(name, ":") {
			return "[" + name + "]"
		}
		return name
	}
	return net.JoinHostPort(name, port)
}

// visible reports whether s is printable ASCII without spaces.
func visible(s string) bool {
	for _, c := range []byte(s) {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return true
}

// dial connects to the server, TLS included. It uses no proxy.
func (r *Relay) dial(ctx context.Context, dst destination) (leg, error) {
	conn, err := r.dialTCP(ctx, dst)
	if err != nil {
		return nil, err
	}
	tuneFar(conn)
	if !dst.secure {
		return plainLeg{conn}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, r.limits.tls)
	defer cancel()
	w := &wire{TCPConn: conn}
	c := tls.Client(w, &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"http/1.1"},
		ServerName: dst.name,
		RootCAs:    r.RootCAs,
	})
	if err := c.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, fmt.Errorf("tls: %w", err)
	}
	return &tlsLeg{Conn: c, wire: w}, nil
}

func (r *Relay) dialTCP(ctx context.Context, dst destination) (*net.TCPConn, error) {
	ctx, cancel := context.WithTimeout(ctx, r.limits.dial)
	defer cancel()
	d := net.Dialer{Resolver: r.Resolver, ControlContext: dst.check}
	d.SetMultipathTCP(false)
	if dst.name != "localhost" {
		return dialOne(ctx, &d, net.JoinHostPort(dst.name, dst.port))
	}
	// Never looked up: a hosts file or a resolver could name another machine
	// (RFC 6761 section 6.3).
	conn, err := dialOne(ctx, &d, net.JoinHostPort("127.0.0.1", dst.port))
	if err == nil || ctx.Err() != nil {
		return conn, err
	}
	if conn, err6 := dialOne(ctx, &d, net.JoinHostPort("::1", dst.port)); err6 == nil {
		return conn, nil
	}
	return nil, err
}

func dialOne(ctx context.Context, d *net.Dialer, address string) (*net.TCPConn, error) {
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return conn.(*net.TCPConn), nil
}

// check is asked by the dialer for every address it is about to connect to,
// after the name was looked up: what counts is where the bytes really go.
func (dst destination) check(_ context.Context, _, address string, _ syscall.RawConn) error {
	if dst.control == nil {
		return nil
	}
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return &controlError{errors.New("not an address")}
	}
	if err := dst.control(ap.Addr().Unmap()); err != nil {
		return &controlError{err}
	}
	return nil
}
