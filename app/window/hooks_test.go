package window

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

func TestExternalURL(t *testing.T) {
	for _, row := range []struct {
		raw  string
		want string // "" when it is refused
	}{
		{"https://example.net/a?b=c#d", "https://example.net/a?b=c#d"},
		{"HTTP://Example.net", "http://Example.net"},
		{"https://example.net:8443/", "https://example.net:8443/"},
		{"https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"},
		{"https://203.0.113.7/", "https://203.0.113.7/"},
		{"https://[2001:db8::7]/", "https://[2001:db8::7]/"},
		{"https://example.net./", "https://example.net./"},
		{"https://example.net/`id`\\", "https://example.net/%60id%60%5C"},

		{"", ""},
		{"example.net", ""},
		{"//example.net/", ""},
		{"javascript:alert(1)", ""},
		{"file:///etc/passwd", ""},
		{"mailto:a@example.net", ""},
		{"steam://run/1", ""},
		{"data:text/html,x", ""},
		{"https:example.net", ""},
		{"https:/example.net", ""},
		{"https:///example.net", ""},
		{"https://", ""},
		{"https://:443/", ""},
		{"https://me@example.net/", ""},
		{"https://example.net@evil.example/", ""},
		{"https://evil.example\\@example.net/", ""},
		{"https://example.net/a b", ""},
		{"https://example.net/\n--flag", ""},
		{" https://example.net/", ""},
		{"-https://example.net/", ""},
		{"https://example.net/\x00", ""},
		{"https://example.net/\x7f", ""},
		{"https://bücher.example/", ""},
		{"https://example.net:1:2/", ""},
		{"https://<b>.example/", ""},
		{"https://%65xample.net/", ""},
		{"https://example.net/" + strings.Repeat("a", 2048), ""},

		{"http://localhost/", ""},
		{"http://LocalHost:8080/", ""},
		{"http://localhost./", ""},
		{"http://game.localhost/", ""},
		{"http://127.0.0.1:631/", ""},
		{"http://127.1/", ""},
		{"http://127.0.0.1./", ""},
		{"http://2130706433/", ""},
		{"http://0x7f000001/", ""},
		{"http://0x7f.1/", ""},
		{"http://0177.0.0.1/", ""},
		{"http://%EF%BC%9127.0.0.1/", ""},
		{"http://0.0.0.0/", ""},
		{"http://[::1]/", ""},
		{"http://[::]/", ""},
		{"http://[::ffff:127.0.0.1]/", ""},
		{"http://[::ffff:10.0.0.1]/", ""},
		{"http://10.0.0.1/", ""},
		{"http://192.168.1.1/", ""},
		{"http://172.16.0.1/", ""},
		{"http://100.64.0.1/", ""},
		{"http://169.254.169.254/", ""},
		{"http://224.0.0.1/", ""},
		{"http://255.255.255.255/", ""},
		{"http://[fe80::1]/", ""},
		{"http://[fe80::1%25eth0]/", ""},
		{"http://[2001:db8::7%25eth0]/", ""},
		{"http://[fd00::1]/", ""},
		{"http://router/", ""},
		{"http://printer.local/", ""},
		{"http://Printer.LOCAL./", ""},
		{"http://./", ""},
		{"http://example../", ""},
	} {
		got, err := externalURL(row.raw)
		if got != row.want || (err == nil) != (row.want != "") {
			t.Errorf("%q: got %q, %v; want %q", row.raw, got, err, row.want)
		}
	}
}

func TestOpenExternal(t *testing.T) {
	h, log := testHooks(t)
	var opened []string
	h.open = func(link string) error { opened = append(opened, link); return nil }
	h.openExternal("https://example.net/path?token=secret")
	h.openExternal("http://127.0.0.1/path?token=secret")
	h.openExternal("https://user:secret@example.net/")
	if want := []string{"https://example.net/path?token=secret"}; !slices.Equal(opened, want) {
		t.Errorf("opened %q, want %q", opened, want)
	}
	h.open = func(string) error { return errors.New("no browser") }
	h.openExternal("https://example.net/")
	h.blocked("https://evil.example/path?token=secret")
	h.blocked("://secret")
	if text := log.String(); strings.Contains(text, "secret") || !strings.Contains(text, "no browser") || !strings.Contains(text, "evil.example") {
		t.Errorf("log:\n%s", text)
	}
}

func TestFileName(t *testing.T) {
	long := strings.Repeat("a", 300)
	for _, row := range []struct{ in, want string }{
		{"save.json", "save.json"},
		{"My save (1).tar.gz", "My save (1).tar.gz"},
		{"Спасение.сейв", "Спасение.сейв"},
		{"", "download"},
		{".", "download"},
		{"..", "download"},
		{" . . ", "download"},
		{"../../.bashrc", "_.._.bashrc"},
		{"/etc/passwd", "_etc_passwd"},
		{`C:\Windows\x.dll`, "C__Windows_x.dll"},
		{".bashrc", "bashrc"},
		{"trailing. . ", "trailing"},
		{`a*b?c"d<e>f|g`, "a_b_c_d_e_f_g"},
		{"a\x00b\nc\td\x7fe\u0085f", "abcdef"},
		{"photo\u202egpj.exe", "photogpj.exe"},
		{"a\u2066b\u2069c\u200bd\ufeffe\u2028f\u2029g", "abcdefg"},
		{"bad\xffbytes\xc3", "badbytes"},
		{"\ufffd", "download"},
		{"CON", "_CON"},
		{"con.txt", "_con.txt"},
		{"nul.tar.gz", "_nul.tar.gz"},
		{"aux .txt", "_aux .txt"},
		{"com1.log", "_com1.log"},
		{"LPT9", "_LPT9"},
		{"com¹", "_com¹"},
		{"CONIN$", "_CONIN$"},
		{"conch.portable", "_conch.portable"},
		{" Conch.PORTABLE.", "_Conch.PORTABLE"},
		{"com0.txt", "com0.txt"},
		{"com10", "com10"},
		{"com", "com"},
		{"console.log", "console.log"},
		{"\u202enul", "_nul"},
		{"\x01..\x02", "download"},
		{long, long[:120]},
		{long + ".json", long[:115] + ".json"},
		{long + "." + long, long[:120]},
		{strings.Repeat("a", 113) + " . ." + strings.Repeat("b", 20) + ".txt", strings.Repeat("a", 113) + ".txt"},
		{strings.Repeat("é", 100), strings.Repeat("é", 60)},
		{"x" + strings.Repeat("é", 100), "x" + strings.Repeat("é", 59)},
		{strings.Repeat("世", 4000) + ".txt", strings.Repeat("世", 38) + ".txt"},
	} {
		if got := fileName(row.in); got != row.want {
			t.Errorf("%.60q: got %q, want %q", row.in, got, row.want)
		}
	}
	// A script chooses the name: megabytes of it must not hold the window up.
	began := time.Now()
	if got := fileName(strings.Repeat("é.", 4<<20)); len(got) > maxFileName || time.Since(began) > 5*time.Second {
		t.Errorf("%d bytes after %s", len(got), time.Since(began))
	}
}

func FuzzFileName(f *testing.F) {
	for _, seed := range []string{"save.json", "../x", "con.txt", "a\u202eb", strings.Repeat("é", 200) + ".txt", "\xff", "a. .", "COM¹.x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got := fileName(in)
		if got == "" || len(got) > maxFileName+1 || !utf8.ValidString(got) || filepath.Base(got) != got || strings.ContainsAny(got, "/\\:\x00\n") {
			t.Errorf("%q becomes %q", in, got)
		}
		if strings.Trim(got, " .") != got {
			t.Errorf("%q becomes %q, with a dot or a space at an end", in, got)
		}
		if again := fileName(got); again != got && len(got) <= maxFileName {
			t.Errorf("%q becomes %q, then %q", in, got, again)
		}
	})
}

// testHooks have a download folder and a log of their own.
func testHooks(t *testing.T) (*hooks, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	folder := filepath.Join(t.TempDir(), "Downloads")
	h := newHooks(slog.New(slog.NewTextHandler(&log, nil)), func() string { return folder })
	h.quit = func() {}
	h.notice = func(string, string) {}
	h.open = func(string) error { return errors.New("not in this test") }
	return h, &log
}

func TestDownloadPath(t *testing.T) {
	h, _ := testHooks(t)
	folder := h.downloads()
	take := func(suggested, want string) string {
		t.Helper()
		path, err := h.downloadPath(suggested)
		if err != nil || path != filepath.Join(folder, want) {
			t.Errorf("%q: got %q, %v; want %q", suggested, path, err, want)
		}
		return path
	}
	first := take("save.json", "save.json")
	take("save.json", "save (1).json") // the first is still being written
	if err := os.WriteFile(filepath.Join(folder, "save (2).json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	take("save.json", "save (3).json")
	h.downloadEnd(first, "cancelled") // nothing was written, so the name is free again
	take("save.json", "save.json")
	take("no extension", "no extension")
	take("no extension", "no extension (1)")
	take("../../escape", "_.._escape")
	if err := os.Symlink(filepath.Join(folder, "nowhere"), filepath.Join(folder, "link")); err != nil {
		t.Fatal(err)
	}
	take("link", "link (1)")
	if err := os.Mkdir(filepath.Join(folder, "dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	take("dir", "dir (1)")
}

func TestDownloadsPerMinute(t *testing.T) {
	h, log := testHooks(t)
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	h.now = func() time.Time { return now }
	take := func(n int) (given int) {
		for i := range n {
			if _, err := h.downloadPath(fmt.Sprintf("%d", i)); err == nil {
				given++
			}
		}
		return given
	}
	if got := take(downloadsPerMinute - 5); got != downloadsPerMinute-5 {
		t.Errorf("at first: %d", got)
	}
	now = now.Add(30 * time.Second)
	if got := take(10); got != 5 {
		t.Errorf("after half a minute: %d", got)
	}
	if !strings.Contains(log.String(), "too many") {
		t.Error("nothing in the log")
	}
	now = now.Add(30*time.Second - time.Nanosecond)
	if got := take(1); got != 0 {
		t.Errorf("just before the minute: %d", got)
	}
	now = now.Add(time.Nanosecond)
	if got := take(100); got != downloadsPerMinute-5 {
		t.Errorf("after a minute: %d", got)
	}
	now = now.Add(time.Hour)
	if got := take(100); got != downloadsPerMinute {
		t.Errorf("after an hour: %d", got)
	}
}

func TestDownloadsAtOnce(t *testing.T) {
	h, _ := testHooks(t)
	var mu sync.Mutex
	seen := map[string]bool{}
	var wg sync.WaitGroup
	for range downloadsPerMinute {
		wg.Go(func() {
			path, err := h.downloadPath("save.json")
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			seen[path] = true
		})
	}
	wg.Wait()
	if len(seen) != downloadsPerMinute {
		t.Errorf("%d paths for %d downloads", len(seen), downloadsPerMinute)
	}
}

func TestDownloadFolderThatCannotBe(t *testing.T) {
	h, log := testHooks(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h.downloads = func() string { return filepath.Join(file, "x") }
	if path, err := h.downloadPath("a"); err == nil || log.Len() == 0 {
		t.Errorf("got %q, log %q", path, log)
	}
}

func TestDownloadEnd(t *testing.T) {
	h, _ := testHooks(t)
	var said []string
	h.notice = func(title, text string) { said = append(said, title+": "+text) }
	h.downloadEnd("/d/save\xff.json", "")
	h.downloadEnd("/d/save.json", "disk\x00full")
	want := []string{"Download: Saved as /d/save?.json", "Download: The file could not be saved: disk?full"}
	if !slices.Equal(said, want) {
		t.Errorf("got %q, want %q", said, want)
	}
}

func TestReportsOfTheWebview(t *testing.T) {
	h, log := testHooks(t)
	closed := 0
	h.quit = func() { closed++ }
	if h.windowClose(); closed != 1 {
		t.Errorf("closed %d times", closed)
	}
	if h.attached(true); !<-h.ready {
		t.Error("the rules are in place, and it was not said")
	}
	for _, reason := range []int{-1, 0, 1, 2, 99} {
		h.crashed(reason)
	}
	h.permissionRefused("camera")
	for _, want := range []string{"out of memory", "kind=camera"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %q in the log:\n%s", want, log)
		}
	}
}

// The link of the crash screen starts one process at a time, and says when it cannot.
func TestSettingsFromTheCrashScreen(t *testing.T) {
	h, log := testHooks(t)
	h.openSettings() // nothing to open, nothing happens
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	h.now = func() time.Time { return now }
	opened := 0
	h.settings = func() error { opened++; return nil }
	h.asked = time.Time{}
	for range 50 {
		h.openSettings()
	}
	if opened != 1 {
		t.Errorf("opened %d times at once", opened)
	}
	now = now.Add(settingsPause)
	if h.openSettings(); opened != 2 {
		t.Errorf("opened %d times, want 2", opened)
	}
	var said string
	h.notice = func(title, text string) { said = title + ": " + text }
	h.settings = func() error { return errors.New("no\x00program") }
	now = now.Add(settingsPause)
	if h.openSettings(); said != "Settings: The settings could not be opened: no?program" || !strings.Contains(log.String(), "open settings") {
		t.Errorf("said %q, log %s", said, log)
	}
}
