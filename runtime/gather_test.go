package runtime

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// kept is a connection that is used for several requests.
func (g *player) kept() net.Conn {
	g.t.Helper()
	c, err := net.Dial("tcp", g.launch.host)
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(30 * time.Second)) // a response that is held back for ever ends the test here
	return c
}

func (g *player) request(method, path string, headers ...string) string {
	lines := append([]string{method + " " + path + " HTTP/1.1", "Host: " + g.launch.host, "Cookie: " + g.cookie}, headers...)
	return strings.Join(lines, "\r\n") + "\r\n\r\n"
}

// Every size around the buffers of net/http and of the gathering comes whole and at once on a kept connection, also
// when the next requests are already there.
func TestSmallFilesOnAKeptConnection(t *testing.T) {
	f := files{}
	var names []string
	for _, n := range []int{0, 1, 100, 1700, 2000, 2048, 2100, 4000, 4095, 4096, 4097, 6000, 6100, 8191, 8192, 8193, 10000, maxSmallFile - 1, maxSmallFile} {
		name := itoa(n) + ".bin"
		f[name] = strings.Repeat(string(rune('a'+n%26)), n)
		names = append(names, name)
	}
	test := func(t *testing.T, g *player) {
		for _, name := range names {
			path, etag := "/"+name, g.get("/"+name).header.Get("Etag")
			c := g.kept()
			r := bufio.NewReader(c)
			read := func(method string, status int, body string) {
				t.Helper()
				res, err := http.ReadResponse(r, &http.Request{Method: method})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				b, err := io.ReadAll(res.Body)
				if err != nil || res.StatusCode != status || string(b) != body {
					t.Errorf("%s %s: got %d with %d bytes (%v), want %d with %d", method, name, res.StatusCode, len(b), err, status, len(body))
				}
			}
			for range 2 {
				io.WriteString(c, g.request("GET", path))
				read("GET", http.StatusOK, f[name])
			}
			io.WriteString(c, g.request("GET", path)+g.request("HEAD", path)+g.request("GET", path, "If-None-Match: "+etag)+
				g.request("GET", path)+g.request("GET", "/none")+g.request("GET", path, "Connection: close"))
			read("GET", http.StatusOK, f[name])
			read("HEAD", http.StatusOK, "")
			read("GET", http.StatusNotModified, "")
			read("GET", http.StatusOK, f[name])
			read("GET", http.StatusNotFound, "404 not found\n")
			read("GET", http.StatusOK, f[name])
			if _, err := r.ReadByte(); !errors.Is(err, io.EOF) {
				t.Errorf("%s: after Connection: close: got %v, want EOF", name, err)
			}
		}
	}
	t.Run("folder", func(t *testing.T) { test(t, play(t, &Server{Bundle: folder(t, f), small: smallFiles{age: 1}})) })
	t.Run("zip", func(t *testing.T) { test(t, play(t, &Server{Bundle: zipped(t, f)})) })
}

func TestSmallFileLeavesInOnePiece(t *testing.T) {
	g := play(t, &Server{Bundle: zipped(t, files{"a.bin": strings.Repeat("x", 4<<10)})})
	g.get("/a.bin")
	c := g.kept()
	buf := make([]byte, 64<<10)
	for range 5 {
		io.WriteString(c, g.request("GET", "/a.bin"))
		n, err := c.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		if _, body, _ := bytes.Cut(buf[:n], []byte("\r\n\r\n")); len(body) != 4<<10 {
			t.Fatalf("first piece has %d bytes of the body, want all %d", len(body), 4<<10)
		}
	}
}

// gathering is a connection that holds its writes, and its other end.
func gathering(t *testing.T) (near *gatherConn, far net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	far, err = net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c, err := gatherListener{ln}.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { far.Close(); c.Close() })
	far.SetDeadline(time.Now().Add(30 * time.Second))
	near = c.(*gatherConn)
	near.on = true
	return near, far
}

func TestGatherKeepsOrder(t *testing.T) {
	large := strings.Repeat("L", 3*gatherSize)
	tests := []struct {
		name string
		send func(c *gatherConn)
		want string
	}{
		{"small writes", func(c *gatherConn) { c.Write([]byte("a")); c.Write([]byte("b")); c.release() }, "ab"},
		{"nothing", func(c *gatherConn) { c.release(); c.Write([]byte("a")) }, "a"},
		{"large after small", func(c *gatherConn) { c.Write([]byte("a")); c.Write([]byte(large)); c.Write([]byte("b")) }, "a" + large + "b"},
		{"large alone", func(c *gatherConn) { c.Write([]byte(large)); c.Write([]byte("b")) }, large + "b"},
		{"file after small", func(c *gatherConn) { c.Write([]byte("a")); c.ReadFrom(strings.NewReader(large)) }, "a" + large},
		{"used again", func(c *gatherConn) {
			c.Write([]byte("a"))
			c.release()
			c.on = true
			c.Write([]byte("b"))
			c.release()
		}, "ab"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			near, far := gathering(t)
			tt.send(near)
			near.CloseWrite()
			got, err := io.ReadAll(far)
			if err != nil || string(got) != tt.want {
				t.Errorf("got %d bytes %.20q (%v), want %d bytes %.20q", len(got), got, err, len(tt.want), tt.want)
			}
		})
	}
}

func TestGatherReportsALostConnection(t *testing.T) {
	near, _ := gathering(t)
	near.Close()
	if n, err := near.Write([]byte("a")); n != 1 || err != nil {
		t.Errorf("held write: got %d, %v", n, err)
	}
	if n, err := near.Write(make([]byte, 2*gatherSize)); n != 0 || err == nil {
		t.Errorf("write that goes out: got %d, %v, want an error", n, err)
	}
	near.on = true
	near.Write([]byte("a"))
	near.release()
	if len(near.held) != 0 || near.on {
		t.Errorf("after release: %d bytes held, on %v", len(near.held), near.on)
	}
}
