package runtime

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

func runProxy(t *testing.T, p *WebProxy) *logBuffer {
	t.Helper()
	log := &logBuffer{}
	p.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if err := p.Listen(); err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- p.Serve() }()
	t.Cleanup(func() {
		p.Close()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return log
}

// ask sends raw text to the proxy and returns the first line of the answer.
func ask(t *testing.T, p *WebProxy, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(p.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, text)
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return strings.TrimSpace(line)
}

func TestProxyRefusesEverything(t *testing.T) {
	far := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the far server was reached") }))
	defer far.Close()
	host := strings.TrimPrefix(far.URL, "http://")
	allowed := func(host string, port int) bool { return host == "cdn.example.net" && port == 443 }
	p := &WebProxy{Allow: allowed, Control: func(netip.Addr) error { t.Error("dialled"); return errors.New("no") }}
	log := runProxy(t, p)
	requests := []string{
		"GET http://" + host + "/secret?token=1 HTTP/1.1\r\nHost: " + host + "\r\n\r\n",
		"POST http://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 0\r\n\r\n",
		"GET http://cdn.example.net/ HTTP/1.1\r\nHost: cdn.example.net\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n",
		"CONNECT " + host + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n",
		"CONNECT evil.example:443 HTTP/1.1\r\nHost: cdn.example.net:443\r\n\r\n",
		"CONNECT cdn.example.net:80 HTTP/1.1\r\nHost: cdn.example.net:80\r\n\r\n",
		"CONNECT cdn.example.net HTTP/1.1\r\nHost: cdn.example.net\r\n\r\n",
		"CONNECT cdn.example.net:70000 HTTP/1.1\r\nHost: x\r\n\r\n",
		"CONNECT :443 HTTP/1.1\r\nHost: x\r\n\r\n",
		"CONNECT user@cdn.example.net:443 HTTP/1.1\r\nHost: x\r\n\r\n",
		"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
	}
	for _, text := range requests {
		if got := ask(t, p, text); got != "HTTP/1.1 403 Forbidden" {
			t.Errorf("%q: got %q", text, got)
		}
	}
	if got := p.Refused(); got != int64(len(requests)) {
		t.Errorf("refused: got %d, want %d", got, len(requests))
	}
	if text := log.String(); strings.Contains(text, "token") || strings.Contains(text, "secret") || !strings.Contains(text, "evil.example") {
		t.Errorf("log: %s", text)
	}
	if strings.Count(log.String(), "host=evil.example") != 1 {
		t.Errorf("log: %s", log)
	}
	none := &WebProxy{}
	runProxy(t, none)
	if got := ask(t, none, "CONNECT cdn.example.net:443 HTTP/1.1\r\nHost: x\r\n\r\n"); got != "HTTP/1.1 403 Forbidden" {
		t.Errorf("without Allow: got %q", got)
	}
}

func TestProxyTunnelsToWebHosts(t *testing.T) {
	far := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "hello from %s", r.Host)
	}))
	defer far.Close()
	address := strings.TrimPrefix(far.URL, "https://")
	var dialled []netip.Addr
	p := &WebProxy{
		Allow:   func(host string, port int) bool { return net.JoinHostPort(host, itoa(port)) == address },
		Control: func(a netip.Addr) error { dialled = append(dialled, a); return nil },
	}
	runProxy(t, p)
	proxy, _ := url.Parse(p.URL())
	transport := far.Client().Transport.(*http.Transport).Clone()
	transport.Proxy = http.ProxyURL(proxy)
	transport.TLSClientConfig.MinVersion = tls.VersionTLS12
	defer transport.CloseIdleConnections()
	res, err := (&http.Client{Transport: transport}).Get(far.URL)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(res.Body)
	res.Body.Close()
	if string(b) != "hello from "+address {
		t.Errorf("got %q", b)
	}
	if len(dialled) != 1 || dialled[0].String() != "127.0.0.1" || p.Refused() != 0 {
		t.Errorf("dialled %v, refused %d", dialled, p.Refused())
	}
}

func TestProxyAsksForTheAddress(t *testing.T) {
	p := &WebProxy{
		Allow:   func(string, int) bool { return true },
		Control: func(netip.Addr) error { return errors.New("an address of this computer") },
	}
	runProxy(t, p)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if got := ask(t, p, "CONNECT "+ln.Addr().String()+" HTTP/1.1\r\nHost: x\r\n\r\n"); got != "HTTP/1.1 502 Bad Gateway" {
		t.Errorf("got %q", got)
	}
}

// What the client sends together with its CONNECT arrives, each side may finish first, and Close ends open tunnels.
func TestProxyTunnelEnds(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	p := &WebProxy{Allow: func(string, int) bool { return true }}
	runProxy(t, p)
	connect := func(early string) (near, far net.Conn, r *bufio.Reader) {
		near, err := net.Dial("tcp", strings.TrimPrefix(p.URL(), "http://"))
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(near, "CONNECT "+ln.Addr().String()+" HTTP/1.1\r\nHost: x\r\n\r\n"+early)
		if far, err = ln.Accept(); err != nil {
			t.Fatal(err)
		}
		r = bufio.NewReader(near)
		for _, want := range []string{"HTTP/1.1 200 OK\r\n", "\r\n"} {
			if got, _ := r.ReadString('\n'); got != want {
				t.Fatalf("got %q, want %q", got, want)
			}
		}
		return near, far, r
	}
	near, far, r := connect("early ")
	io.WriteString(near, "late")
	near.(*net.TCPConn).CloseWrite()
	if b, err := io.ReadAll(far); string(b) != "early late" || err != nil {
		t.Errorf("got %q, %v", b, err)
	}
	io.WriteString(far, "answer after the end")
	far.Close()
	if b, err := io.ReadAll(r); string(b) != "answer after the end" || err != nil {
		t.Errorf("got %q, %v", b, err)
	}
	near.Close()

	near, far, r = connect("")
	defer near.Close()
	defer far.Close()
	p.Close()
	if _, err := r.ReadByte(); err == nil {
		t.Error("the tunnel outlives the proxy")
	}
	if err := p.Close(); err != nil {
		t.Errorf("Close twice: %v", err)
	}
}

func TestProxyLifecycle(t *testing.T) {
	p := new(WebProxy)
	if err := p.Serve(); err == nil {
		t.Error("Serve before Listen")
	}
	if p.URL() != "" {
		t.Errorf("URL before Listen: %s", p.URL())
	}
	if err := p.Listen(); err != nil {
		t.Fatal(err)
	}
	if err := p.Listen(); err == nil {
		t.Error("Listen twice")
	}
	p.Close()
	if err := p.Serve(); err != nil {
		t.Errorf("Serve after Close: %v", err)
	}
	if err := new(WebProxy).Close(); err != nil {
		t.Error(err)
	}
}
