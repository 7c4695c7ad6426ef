//go:build e2e

package saves

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// countingPage counts its starts in localStorage, IndexedDB and a file of the origin, where the engine lets it write one.
const countingPage = `<!doctype html><script type="module">
const next = text => String(Number(text || 0) + 1)
const a = next(localStorage.getItem('starts'))
localStorage.setItem('starts', a)
const db = await new Promise((ok, no) => {
  const q = indexedDB.open('save', 1)
  q.onupgradeneeded = () => q.result.createObjectStore('s')
  q.onsuccess = () => ok(q.result); q.onerror = () => no(q.error)
})
const b = next(await new Promise(ok => { const q = db.transaction('s').objectStore('s').get('n'); q.onsuccess = () => ok(q.result) }))
await new Promise(ok => { const t = db.transaction('s', 'readwrite', { durability: 'strict' }); t.objectStore('s').put(b, 'n'); t.oncomplete = ok })
const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('é 1', { create: true })
const file = await folder.getFileHandle('save.sqlite3-wal', { create: true })
const c = next(await (await file.getFile()).text())
if (file.createWritable) { const w = await file.createWritable(); await w.write(c); await w.close() }
await fetch('/report', { method: 'POST', body: [a, b, c].join() })
</script>`

// serveCounting serves the page under a port of its own and answers its origin.
func serveCounting(t *testing.T, reports chan<- string) (origin string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/report":
			text, _ := io.ReadAll(r.Body)
			reports <- string(text)
		case "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(w, countingPage)
		}
	})}
	go srv.Serve(ln)
	t.Cleanup(func() { srv.Close() })
	return "http://" + ln.Addr().String()
}

// visit opens place's origin with cmd, wants the report and lets the engine end.
func visit(t *testing.T, cmd *exec.Cmd, reports <-chan string, want string) {
	t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(90*time.Second, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer timer.Stop()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case got := <-reports:
		if got != want {
			t.Errorf("starts = %s, want %s", got, want)
		}
	case err := <-ended:
		t.Fatalf("%s ended without a report: %v", cmd.Path, err)
	}
	cmd.Process.Signal(syscall.SIGTERM) // Chromium writes localStorage on the way out
	<-ended
}

// TestWebView2InChromium exports and imports the profile of headless Chromium, which has WebView2's engine and lays its
// profile out as WebView2 does below EBWebView.
func TestWebView2InChromium(t *testing.T) {
	reports := make(chan string, 1)
	origin := serveCounting(t, reports)
	play := func(p Place, want string) {
		t.Helper()
		cmd := exec.Command("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
			"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--user-data-dir="+filepath.Join(p.Profile, "EBWebView"), origin+"/")
		cmd.Env = append(cmd.Environ(), "HOME="+t.TempDir())
		visit(t, cmd, reports, want)
	}
	exportAndImport(t, WebView2, origin, origin, play)
}

// TestWebKitGTKWithFiles does the same with WebKitGTK's own browser, in which files of the origin can be switched on, and
// with another port on the other computer. WebKitGTK 2.50 can make and read such files but not write them, so the test
// does that.
func TestWebKitGTKWithFiles(t *testing.T) {
	browsers, _ := filepath.Glob("/usr/lib*/*/webkit2gtk-4.1/MiniBrowser")
	if len(browsers) == 0 {
		t.Fatal("WebKitGTK has no MiniBrowser here")
	}
	display := startDisplay(t)
	reports := make(chan string, 1)
	play := func(p Place, want string) {
		t.Helper()
		// The browser's folder is below the data folder; it is that of the place.
		data := t.TempDir()
		if err := os.MkdirAll(filepath.Join(data, "webkitgtk-4.1"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(p.Profile, filepath.Join(data, "webkitgtk-4.1", "MiniBrowser")); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(browsers[0], "--features=+FileSystem,+StorageAPI", p.Origin+"/")
		cmd.Env = append(cmd.Environ(), "DISPLAY="+display, "HOME="+t.TempDir(), "XDG_DATA_HOME="+data, "XDG_CACHE_HOME="+t.TempDir(),
			"GDK_BACKEND=x11", "NO_AT_BRIDGE=1", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent", "LIBGL_ALWAYS_SOFTWARE=1")
		visit(t, cmd, reports, want)
		salt, err := p.webkitSalt()
		if err != nil {
			t.Fatal(err)
		}
		file := p.inProfile(p.webkitStorage(salt).path + "/FileSystem/é 1/save.sqlite3-wal")
		if !exists(file) {
			t.Fatalf("the engine made no %s", file)
		}
		write(t, file, want[:1])
	}
	exportAndImport(t, WebKitGTK, serveCounting(t, reports), serveCounting(t, reports), play)
}

// exportAndImport takes saves from one place into another that has saves of its own, back to those, and into one that
// has none.
func exportAndImport(t *testing.T, engine Engine, home, away string, play func(p Place, want string)) {
	from, to := newPlace(t, engine, home), newPlace(t, engine, away)
	play(from, "1,1,1")
	play(from, "2,2,2")
	play(to, "1,1,1")
	file := export(t, from, game)
	res, err := importInto(to).Run(context.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	play(to, "3,3,3")
	if _, err := importInto(to).Run(context.Background(), res.Kept); err != nil {
		t.Fatal(err)
	}
	play(to, "2,2,2")
	empty := newPlace(t, engine, away)
	if _, err := importInto(empty).Run(context.Background(), file); err != nil {
		t.Fatal(err)
	}
	play(empty, "3,3,3")
}

// startDisplay starts Xvfb until the test ends.
func startDisplay(t *testing.T) string {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "800x600x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{write}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
	})
	line, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return ":" + strings.TrimSpace(line)
}
