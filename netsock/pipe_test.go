package netsock

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/internal/wstest"

	"github.com/gorilla/websocket"
)

// bothLegs runs test against a plain and a TLS server.
func bothLegs(t *testing.T, test func(t *testing.T, ca *wstest.CA, cert *tls.Certificate)) {
	ca := wstest.NewCA(t)
	cert := ca.Cert("127.0.0.1")
	t.Run("plain", func(t *testing.T) { test(t, ca, nil) })
	t.Run("tls", func(t *testing.T) { test(t, ca, &cert) })
}

// openRaw opens target through a fresh relay with the raw client.
func openRaw(t *testing.T, ca *wstest.CA, target string, change func(*Relay)) (*Relay, *wstest.Exchange) {
	t.Helper()
	r, page := start(t, func(r *Relay) {
		r.RootCAs = ca.Pool()
		if change != nil {
			change(r)
		}
	})
	x := page.Open(t, target)
	if x.Status != 101 {
		t.Fatalf("status: got %d, want 101: %s", x.Status, reasonFor(t, r, x.ID))
	}
	return r, x
}

func TestEchoSizes(t *testing.T) {
	bothLegs(t, func(t *testing.T, ca *wstest.CA, cert *tls.Certificate) {
		srv := wstest.Serve(t, wstest.Options{Cert: cert})
		_, page := start(t, func(r *Relay) { r.RootCAs = ca.Pool() })
		c, _, _, err := page.Dial(srv.URL("/echo"), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for _, n := range []int{0, 1, 125, 126, 4096, 16384, 16385, 65535, 65536, 1 << 20, 3<<20 + 7} {
			want := bytes.Repeat([]byte{byte(n), 1, 2, 3, 5, 8, 13}, n/7+1)[:n]
			if err := c.WriteMessage(websocket.BinaryMessage, want); err != nil {
				t.Fatal(err)
			}
			if _, got, err := c.ReadMessage(); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%d bytes: got %d, %v", n, len(got), err)
			}
		}
	})
}

func TestCloseCodesAsDirect(t *testing.T) {
	bothLegs(t, func(t *testing.T, ca *wstest.CA, cert *tls.Certificate) {
		srv := wstest.Serve(t, wstest.Options{Cert: cert})
		r, page := start(t, func(r *Relay) { r.RootCAs = ca.Pool() })
		for _, query := range []string{"code=1000&reason=done", "code=1005", "code=1006", "code=4001&reason=kicked", "code=1001"} {
			url := srv.URL("/close?" + query)
			d := websocket.Dialer{TLSClientConfig: &tls.Config{RootCAs: ca.Pool()}}
			direct, _, err := d.Dial(url, nil)
			if err != nil {
				t.Fatal(err)
			}
			relayed, _, _, err := page.Dial(url, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = direct.ReadMessage()
			wantCode, wantText := wstest.Closed(err)
			_, _, err = relayed.ReadMessage()
			code, text := wstest.Closed(err)
			if code != wantCode || text != wantText {
				t.Errorf("%s: got %d %q, direct %d %q", query, code, text, wantCode, wantText)
			}
			direct.Close()
			relayed.Close()
		}
		eventually(t, "sockets gone", func() bool { return r.count() == 0 })
	})
}

// The page's own close reaches the server with its code, and the answer comes
// back.
func TestCloseFromThePage(t *testing.T) {
	bothLegs(t, func(t *testing.T, ca *wstest.CA, cert *tls.Certificate) {
		frames := make(chan wstest.Frame)
		srv := wstest.ServeRaw(t, cert, wstest.Sniff(frames))
		_, page := start(t, func(r *Relay) { r.RootCAs = ca.Pool() })
		c, _, _, err := page.Dial(srv.URL("/"), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(4001, "left"), time.Time{})
		f := <-frames
		if f.Op != 8 || !f.Masked || string(f.Payload) != "\x0f\xa1left" {
			t.Errorf("frame: got %+v", f)
		}
	})
}

// The server ends its side; what the page sends afterwards still arrives.
func TestServerHalfClose(t *testing.T) {
	bothLegs(t, func(t *testing.T, ca *wstest.CA, cert *tls.Certificate) {
		got := make(chan string, 1)
		srv := wstest.ServeRaw(t, cert, func(c *wstest.Conn) {
			io.WriteString(c, c.Switch()+"last words")
			c.Conn.(interface{ CloseWrite() error }).CloseWrite()
			data, _ := io.ReadAll(c.Reader)
			got <- string(data)
		})
		r, x := openRaw(t, ca, srv.URL("/"), nil)
		if data, err := io.ReadAll(x.Reader); err != nil || string(data) != "last words" {
			t.Errorf("page: got %q, %v", data, err)
		}
		io.WriteString(x, "my answer")
		x.Conn.(*net.TCPConn).CloseWrite()
		if data := <-got; data != "my answer" {
			t.Errorf("server: got %q", data)
		}
		eventually(t, "socket gone", func() bool { return r.count() == 0 })
	})
}

// The page ends its side; what the server sends afterwards still arrives.
func TestPageHalfClose(t *testing.T) {
	bothLegs(t, func(t *testing.T, ca *wstest.CA, cert *tls.Certificate) {
		long := strings.Repeat("after the end ", 100000)
		srv := wstest.ServeRaw(t, cert, func(c *wstest.Conn) {
			io.WriteString(c, c.Switch())
			data, _ := io.ReadAll(c.Reader)
			io.WriteString(c, string(data)+long)
		})
		r, x := openRaw(t, ca, srv.URL("/"), nil)
		io.WriteString(x, "bye")
		x.Conn.(*net.TCPConn).CloseWrite()
		if data, err := io.ReadAll(x.Reader); err != nil || string(data) != "bye"+long {
			t.Errorf("page: got %d bytes, %v, want %d", len(data), err, len(long)+3)
		}
		eventually(t, "socket gone", func() bool { return r.count() == 0 })
	})
}

// After one side's end the other has its linger and not more.
func TestLingers(t *testing.T) {
	bothLegs(t, func(t *testing.T, ca *wstest.CA, cert *tls.Certificate) {
		short := func(r *Relay) {
			r.limits = limits{farLinger: 50 * time.Millisecond, pageLinger: 50 * time.Millisecond}
		}
		t.Run("server stays", func(t *testing.T) {
			srv := wstest.ServeRaw(t, cert, func(c *wstest.Conn) {
				io.WriteString(c, c.Switch())
				<-c.Done
			})
			r, x := openRaw(t, ca, srv.URL("/"), short)
			x.Conn.(*net.TCPConn).CloseWrite()
			if data, err := io.ReadAll(x.Reader); err != nil || len(data) > 0 {
				t.Errorf("page: got %q, %v", data, err)
			}
			eventually(t, "socket gone", func() bool { return r.count() == 0 })
		})
		t.Run("page stays", func(t *testing.T) {
			srv := wstest.ServeRaw(t, cert, func(c *wstest.Conn) { io.WriteString(c, c.Switch()+"x") })
			r, x := openRaw(t, ca, srv.URL("/"), short)
			if data, err := io.ReadAll(x.Reader); err != nil || string(data) != "x" {
				t.Errorf("page: got %q, %v", data, err)
			}
			eventually(t, "socket gone", func() bool { return r.count() == 0 })
		})
	})
}

func TestResetGoesThrough(t *testing.T) {
	bothLegs(t, func(t *testing.T, ca *wstest.CA, cert *tls.Certificate) {
		t.Run("from the server", func(t *testing.T) {
			srv := wstest.Serve(t, wstest.Options{Cert: cert})
			r, x := openRaw(t, ca, srv.URL("/reset"), nil)
			if _, err := io.ReadAll(x.Reader); !errors.Is(err, errReset) {
				t.Errorf("page: got %v, want a reset", err)
			}
			if got := reasonFor(t, r, x.ID); got != "the connection was lost" {
				t.Errorf("reason: got %q", got)
			}
		})
		t.Run("from the page", func(t *testing.T) {
			got := make(chan error, 1)
			srv := wstest.ServeRaw(t, cert, func(c *wstest.Conn) {
				io.WriteString(c, c.Switch())
				_, err := io.ReadAll(c.Reader)
				got <- err
			})
			r, x := openRaw(t, ca, srv.URL("/"), nil)
			x.Conn.(*net.TCPConn).SetLinger(0)
			x.Close()
			if err := <-got; !errors.Is(err, errReset) {
				t.Errorf("server: got %v, want a reset", err)
			}
			eventually(t, "socket gone", func() bool { return r.count() == 0 })
		})
	})
}

// Bytes that the page sends before the 101 are not lost.
func TestEarlyBytes(t *testing.T) {
	ca := wstest.NewCA(t)
	answer := make(chan struct{})
	srv := wstest.ServeRaw(t, nil, func(c *wstest.Conn) {
		<-answer
		io.WriteString(c, c.Switch())
		io.Copy(c, c.Reader)
	})
	r, page := start(t, func(r *Relay) { r.RootCAs = ca.Pool() })
	query, _ := page.Query(srv.URL("/"))
	c, err := net.Dial("tcp", srv127(page.Port))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "GET /?"+query+" HTTP/1.1\r\nHost: "+srv127(page.Port)+"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nOrigin: "+
		testOrigin+"\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "+wstest.Key+"\r\nCookie: "+testCookie+"\r\n\r\nearly")
	eventually(t, "dialled", func() bool { return srv.Opened() == 1 })
	close(answer)
	br := bufio.NewReader(c)
	if res, err := http.ReadResponse(br, nil); err != nil || res.StatusCode != 101 {
		t.Fatalf("answer: got %v, %v", res, err)
	}
	c.(*net.TCPConn).CloseWrite()
	if data, err := io.ReadAll(br); err != nil || string(data) != "early" {
		t.Errorf("got %q, %v", data, err)
	}
	eventually(t, "socket gone", func() bool { return r.count() == 0 })
}

// A 64 MiB message must not cost memory by its size.
func TestMemoryOfALargeMessage(t *testing.T) {
	bothLegs(t, func(t *testing.T, ca *wstest.CA, cert *tls.Certificate) {
		const size = 64 << 20
		srv := wstest.ServeRaw(t, cert, func(c *wstest.Conn) {
			io.WriteString(c, c.Switch())
			buf := make([]byte, 32<<10)
			io.CopyBuffer(struct{ io.Writer }{c.Conn}, struct{ io.Reader }{c.Reader}, buf)
		})
		_, x := openRaw(t, ca, srv.URL("/"), nil)
		chunk := make([]byte, 64<<10)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var wg sync.WaitGroup
		wg.Go(func() {
			x.Write([]byte{0x82, 0xff, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0}) // binary, masked, 64 MiB
			for range size / len(chunk) {
				if _, err := x.Write(chunk); err != nil {
					t.Errorf("write: %v", err)
					return
				}
			}
		})
		back := make([]byte, 64<<10)
		if n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, io.LimitReader(x.Reader, size+14), back); err != nil || n != size+14 {
			t.Errorf("echo: got %d bytes, %v", n, err)
		}
		wg.Wait()
		runtime.ReadMemStats(&after)
		// The peak of the heap, client and server included.
		if got := int64(after.HeapSys) - int64(before.HeapSys); got > 16<<20 {
			t.Errorf("heap growth for 64 MiB both ways: got %d KiB, want at most 16 MiB", got>>10)
		} else {
			t.Logf("heap growth: %d KiB, allocated %d KiB", got>>10, (after.TotalAlloc-before.TotalAlloc)>>10)
		}
	})
}

func TestLogHasNoQueriesAndNoPayloads(t *testing.T) {
	srv := wstest.Serve(t, wstest.Options{})
	var buf lockedBuffer
	r, page := start(t, func(r *Relay) { r.Logger = slog.New(slog.NewTextHandler(&buf, nil)) })
	page.Owner = "Lobby\nfake=line"
	c, _, id, err := page.Dial(srv.URL("/echo?token=sesame"), nil)
	if err != nil {
		t.Fatal(err)
	}
	c.WriteMessage(websocket.TextMessage, []byte("sesame"))
	c.ReadMessage()
	c.Close()
	eventually(t, "socket gone", func() bool { return r.count() == 0 })
	page.Dial("ws://me:sesame@127.0.0.1:1/?token=sesame", nil)
	page.Dial("ws://127.0.0.1:1/%zz?token=sesame", nil)
	log := buf.String()
	if strings.Contains(log, "sesame") {
		t.Errorf("log holds the secret:\n%s", log)
	}
	for _, want := range []string{"socket connected", "socket closed", "socket refused", "conn=" + id, "owner=\"Lobbyfake=line\"", "host=" + srv.Addr, "sent=", "received=", "duration="} {
		if !strings.Contains(log, want) {
			t.Errorf("log has no %q:\n%s", want, log)
		}
	}
	if n := strings.Count(log, "\n"); n != 4 {
		t.Errorf("lines: got %d, want 4:\n%s", n, log)
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
