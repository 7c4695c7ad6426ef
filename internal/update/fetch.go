package update

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"conch/consent/hostlist"
)

// Times that a server has. They are fields of the client so that tests need not wait for them.
type limits struct {
	connect time.Duration // to connect and to agree on TLS
	answer  time.Duration // until the head of the answer
	stall   time.Duration // without a single byte
}

var usual = limits{connect: 15 * time.Second, answer: 30 * time.Second, stall: 45 * time.Second}

const maxRedirects = 5

// fetcher gets feeds and programs: https only, from names of the internet that lead to public addresses, redirects by
// the same rules, no cookies, no proxy from the environment, nothing in the request that tells players apart.
type fetcher struct {
	roots  *x509.CertPool // nil: the system's; else names of this computer are allowed too
	limits limits
}

// get asks for raw and answers its body, which the caller must close. The size is -1 when the server does not say it.
func (f *fetcher) get(ctx context.Context, raw, accept string) (io.ReadCloser, int64, error) {
	if _, err := f.target(raw); err != nil {
		return nil, 0, err
	}
	transport := &http.Transport{
		Proxy: nil, DialContext: f.dial, DisableCompression: true, DisableKeepAlives: true,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: f.roots},
		TLSHandshakeTimeout: f.limits.connect, ResponseHeaderTimeout: f.limits.answer, MaxResponseHeaderBytes: 64 << 10,
	}
	client := &http.Client{Transport: transport, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		r.Header.Del("Referer")
		if len(via) > maxRedirects {
			return errors.New("too many redirects")
		}
		_, err := f.target(r.URL.String())
		return err
	}}
	ctx, cancel := context.WithCancelCause(ctx)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, raw, nil)
	if err != nil {
		cancel(nil)
		return nil, 0, fmt.Errorf("get: %w", err)
	}
	req.Header.Set("User-Agent", "Conch")
	req.Header.Set("Accept", accept)
	req.Header.Set("Cache-Control", "no-cache")
	res, err := client.Do(req)
	if err != nil {
		cancel(nil)
		return nil, 0, fmt.Errorf("get: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		res.Body.Close()
		cancel(nil)
		return nil, 0, fmt.Errorf("get %s: the server answered %d", raw, res.StatusCode)
	}
	b := &watchedBody{body: res.Body, ctx: ctx, cancel: cancel, wait: f.limits.stall}
	b.timer = time.AfterFunc(b.wait, func() { cancel(errStalled) })
	return b, res.ContentLength, nil
}

// target reads an address and refuses what may not be asked.
func (f *fetcher) target(raw string) (hostlist.Target, error) {
	t, err := hostlist.ParseHTTPS(raw)
	if err != nil {
		return t, err
	}
	if t.Local() && f.roots == nil {
		return t, fmt.Errorf("%s: updates do not come from this computer (--ca allows it, for tries)", t.HostPort())
	}
	return t, nil
}

// dial connects to a host that target let through, and checks every address that its name leads to.
func (f *fetcher) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	t, err := f.target("https://" + host + ":" + port + "/")
	if err != nil {
		return nil, err
	}
	if t.Host == "localhost" { // never looked up, as in package netsock
		address = net.JoinHostPort("127.0.0.1", port)
	}
	d := net.Dialer{Timeout: f.limits.connect, ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		ap, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return t.CheckAddr(ap.Addr().Unmap())
	}}
	return d.DialContext(ctx, network, address)
}

var errStalled = errors.New("the server stopped sending")

// watchedBody ends when no byte comes for a while.
type watchedBody struct {
	body   io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	wait   time.Duration
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	if n > 0 {
		b.timer.Reset(b.wait)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		if cause := context.Cause(b.ctx); cause != nil {
			err = cause
		}
	}
	return n, err
}

func (b *watchedBody) Close() error {
	b.timer.Stop()
	b.cancel(nil)
	return b.body.Close()
}

// feed gets and reads the feed at an address.
func (f *fetcher) feed(ctx context.Context, address string) (*Feed, error) {
	ctx, cancel := context.WithTimeout(ctx, f.limits.connect+f.limits.answer+f.limits.stall)
	defer cancel()
	body, size, err := f.get(ctx, address, "application/json")
	if err != nil {
		return nil, err
	}
	defer body.Close()
	if size > maxFeed {
		return nil, fmt.Errorf("feed: larger than %d KiB", maxFeed>>10)
	}
	text, err := io.ReadAll(io.LimitReader(body, maxFeed+1))
	if err != nil {
		return nil, fmt.Errorf("feed: %w", err)
	}
	return ParseFeed(text)
}
