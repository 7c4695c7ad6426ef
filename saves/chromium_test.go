//go:build e2e

package saves

import (
	"context"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// chromiumPage counts its starts in localStorage, IndexedDB and a file of the origin.
const chromiumPage = `<!doctype html><script type="module">
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
const file = await (await navigator.storage.getDirectory()).getFileHandle('save 1', { create: true })
const c = next(await (await file.getFile()).text())
const w = await file.createWritable(); await w.write(c); await w.close()
await fetch('/report', { method: 'POST', body: [a, b, c].join() })
</script>`

// TestWebView2InChromium exports and imports the profile of headless Chromium, which has WebView2's engine and lays its
// profile out as WebView2 does below EBWebView.
func TestWebView2InChromium(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	origin := "http://" + ln.Addr().String()
	reports := make(chan string, 1)
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/report" {
			text, _ := io.ReadAll(r.Body)
			reports <- string(text)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, chromiumPage)
	})}
	go srv.Serve(ln)
	defer srv.Close()

	visit := func(p Place, want string) {
		t.Helper()
		cmd := exec.Command("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
			"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--user-data-dir="+filepath.Join(p.Profile, "EBWebView"), origin+"/")
		cmd.Env = append(cmd.Environ(), "HOME="+t.TempDir())
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
			t.Fatalf("chromium ended: %v", err)
		}
		cmd.Process.Signal(syscall.SIGTERM) // localStorage is written on the way out
		<-ended
	}
	from, to := newPlace(t, WebView2, origin), newPlace(t, WebView2, origin)
	visit(from, "1,1,1")
	visit(from, "2,2,2")
	visit(to, "1,1,1")
	res, err := importInto(to).Run(context.Background(), export(t, from, game))
	if err != nil {
		t.Fatal(err)
	}
	visit(to, "3,3,3")
	if _, err := importInto(to).Run(context.Background(), res.Kept); err != nil {
		t.Fatal(err)
	}
	visit(to, "2,2,2")

	empty := newPlace(t, WebView2, origin)
	if _, err := importInto(empty).Run(context.Background(), export(t, from, game)); err != nil {
		t.Fatal(err)
	}
	visit(empty, "3,3,3")
}
