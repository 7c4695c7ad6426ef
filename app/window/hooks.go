package window

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"conch/app"
)

// rules is what the webview is held to.
type rules struct {
	name        string   // what the game is called
	origin      string   // http://127.0.0.1:PORT
	entry       string   // one-time address the game starts from
	proxy       string   // http://127.0.0.1:PORT of the deny-all proxy
	direct      []string // 127.0.0.1:PORT of the game's server and its relay ports
	permissions []string // the manifest's web.permissions
	devtools    bool
	console     bool // page console on stdout
}

// downloadsPerMinute keeps a script from filling the player's folder with files.
const downloadsPerMinute = 20

// hooks answers what the webview reports. Its methods are called on the UI thread and never wait.
type hooks struct {
	log       *slog.Logger
	downloads func() string // folder for downloads, asked at the first one
	quit      func()
	onShown   func() // the window is up; nil: nobody wants to know
	onCrash   func() // nil: nobody wants to know
	notice    func(title, text string)
	open      func(url string) error
	settings  func() error // opens the settings in a process of their own; nil: there are none to open from here
	ready     chan bool    // one value: whether the rules are in place
	now       func() time.Time

	mu     sync.Mutex // guards the fields below
	recent []time.Time
	asked  time.Time       // when the settings were opened last
	taken  map[string]bool // paths given to running downloads
}

func newHooks(log *slog.Logger, downloads func() string) *hooks {
	return &hooks{
		log: log, downloads: downloads, quit: quit, notice: notice, open: openInBrowser,
		ready: make(chan bool, 1), now: time.Now, taken: map[string]bool{},
	}
}

func (h *hooks) attached(ok bool) { h.ready <- ok }

func (h *hooks) blocked(uri string) { h.log.Warn("navigation refused", "host", hostOf(uri)) }

func (h *hooks) permissionRefused(kind string) {
	h.log.Warn("permission refused: not listed in web.permissions", "kind", kind)
}

func (h *hooks) crashed(reason int) {
	if h.onCrash != nil {
		h.onCrash() // before the crash screen is asked for
	}
	h.log.Error("web process ended", "reason", [...]string{"crashed", "out of memory", "stopped"}[min(max(reason, 0), 2)])
}

// settingsPause keeps an impatient player from starting many processes; the second would only raise the first's window.
const settingsPause = 2 * time.Second

// openSettings follows the link of the crash screen.
func (h *hooks) openSettings() {
	h.mu.Lock()
	now := h.now()
	early := !h.asked.IsZero() && now.Sub(h.asked) < settingsPause
	if !early {
		h.asked = now
	}
	h.mu.Unlock()
	if early || h.settings == nil {
		return
	}
	h.log.Info("settings opened from the crash screen")
	if err := h.settings(); err != nil {
		h.log.Error("open settings", "err", err)
		h.notice("Settings", "The settings could not be opened: "+clean(err.Error()))
	}
}

// windowClose follows window.close() of the game's own page.
func (h *hooks) windowClose() { h.quit() }

func (h *hooks) openExternal(uri string) {
	link, err := externalURL(uri)
	if err != nil {
		h.log.Warn("link refused", "err", err)
		return
	}
	h.log.Info("link opened in the browser", "host", hostOf(link))
	if err := h.open(link); err != nil {
		h.log.Error("open link", "err", err)
	}
}

// externalURL approves a link for the system browser: plain http or https to a name or a public address, nothing
// a shell or a browser could read as something else.
func externalURL(raw string) (string, error) {
	if len(raw) > 2048 || strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r >= utf8.RuneSelf || r == 0x7f }) {
		return "", errors.New("link has characters that do not belong in an address")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return "", fmt.Errorf("link: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("link scheme %q: only http and https open in the browser", u.Scheme)
	}
	host := u.Hostname()
	if host == "" || u.User != nil {
		return "", errors.New("link names no host, or a user")
	}
	if err := publicHost(host); err != nil {
		return "", err
	}
	return u.String(), nil
}

var carrierNAT = netip.MustParsePrefix("100.64.0.0/10")

// publicHost refuses this computer, the player's own network, and what only a browser would read as an address of
// them: 127.1, 0x7f000001, digits outside ASCII.
func publicHost(host string) error {
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip = ip.Unmap(); !ip.IsGlobalUnicast() || ip.IsPrivate() || carrierNAT.Contains(ip) || ip.Zone() != "" {
			return errors.New("link points into the local network")
		}
		return nil
	}
	name := strings.TrimSuffix(strings.ToLower(host), ".")
	if strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')
	}) {
		return errors.New("link names no host of the internet")
	}
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case name == "localhost" || strings.HasSuffix(name, ".localhost"):
		return errors.New("link points to this computer")
	case last == name || last == "local":
		return errors.New("link points into the local network")
	case last == "" || last[0] >= '0' && last[0] <= '9': // no top level domain begins with a digit
		return errors.New("link names no host of the internet")
	}
	return nil
}

func hostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "?"
	}
	return u.Host
}

// downloadPath picks where a download goes: the cleaned name in the player's download folder, " (1)" and so on when
// the name is taken. Nothing is ever overwritten.
func (h *hooks) downloadPath(suggested string) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	kept := h.recent[:0]
	for _, t := range h.recent {
		if now.Sub(t) < time.Minute {
			kept = append(kept, t)
		}
	}
	h.recent = kept
	if len(h.recent) >= downloadsPerMinute {
		h.log.Warn("download refused: too many in a minute")
		return "", errors.New("too many downloads")
	}
	h.recent = append(h.recent, now)
	folder := h.downloads()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		h.log.Error("download folder", "err", err)
		return "", err
	}
	name := fileName(suggested)
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for i := 0; i < 1000; i++ {
		path := filepath.Join(folder, name)
		if i > 0 {
			path = filepath.Join(folder, fmt.Sprintf("%s (%d)%s", stem, i, ext))
		}
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) && !h.taken[path] {
			h.taken[path] = true
			return path, nil
		}
	}
	return "", errors.New("no free name")
}

// maxFileName is in bytes; systems allow 255, and " (1)" may follow.
const maxFileName = 120

// fileName turns a name chosen by a script into one plain file name that every system can hold.
func fileName(suggested string) string {
	if len(suggested) > 4096 { // what matters is at its ends
		suggested = suggested[:2048] + suggested[len(suggested)-2048:]
	}
	name := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) || r == utf8.RuneError:
			return -1
		case strings.ContainsRune(`/\:*?"<>|`, r):
			return '_'
		}
		return r
	}, suggested)
	name = strings.Trim(name, " .")
	if len(name) > maxFileName {
		ext := filepath.Ext(name)
		if len(ext) > 20 {
			ext = ""
		}
		stem := strings.ToValidUTF8(name[:maxFileName-len(ext)], "") // a character may have been cut
		name = strings.TrimRight(stem, " .") + ext
	}
	base, _, _ := strings.Cut(strings.ToUpper(name), ".")
	// A file of that name would make a program in the same folder look for its saves elsewhere.
	if reservedName(strings.TrimRight(base, " ")) || strings.EqualFold(name, app.PortableFile) {
		name = "_" + name
	}
	if name == "" {
		return "download"
	}
	return name
}

// reservedName reports the device names that Windows does not allow for files, in upper case.
func reservedName(base string) bool {
	switch base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	number, ok := strings.CutPrefix(base, "COM")
	if !ok {
		number, ok = strings.CutPrefix(base, "LPT")
	}
	return ok && number != "" && strings.Contains("123456789¹²³", number) && utf8.RuneCountInString(number) == 1
}

// copyPath is downloadPath for a file that this program writes itself at once.
func (h *hooks) copyPath(name string) (string, error) {
	path, err := h.downloadPath(name)
	h.mu.Lock()
	delete(h.taken, path)
	h.mu.Unlock()
	return path, err
}

func (h *hooks) downloadEnd(path, failure string) {
	h.mu.Lock()
	delete(h.taken, path)
	h.mu.Unlock()
	if failure != "" {
		h.log.Error("download", "err", failure)
		h.notice("Download", "The file could not be saved: "+clean(failure))
		return
	}
	h.log.Info("download saved", "path", path)
	h.notice("Download", "Saved as "+clean(path))
}

// clean makes text safe for a native label: valid UTF-8 without NUL.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "?"), "\x00", "?")
}
