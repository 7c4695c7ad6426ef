//go:build e2e

package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// shown is a game on show, seen and touched from outside as a player does. Places are CSS pixels of the page. A button
// is kept down while a picture is taken: games look at the mouse once in a frame.
type shown interface {
	look(t *testing.T) image.Image
	click(t *testing.T, x, y int)
	drag(t *testing.T, x, y, toX, toY int)
	hold(t *testing.T, key string) // presses a key and keeps it down
	release(t *testing.T, key string)
	uncaught() []string // errors that no code of the page caught
	close(t *testing.T) // as a player does, and waits
}

// show opens game in the engine at 1280x720 and finds its window or its page.
func show(t *testing.T, e engine, h home, game, title string, args ...string) shown {
	t.Helper()
	if e.name == "chromium" {
		s := serve(t, h, game, args...)
		p := chromium(t, h, s.URL, "--remote-debugging-port=0", "--window-size=1280,720")
		return attach(t, s, p)
	}
	p := e.open(t, h, game, append(args, "--debug")...)
	return &window{p, findWindow(t, title), t.TempDir()}
}

// findWindow waits for the window with exactly this title. A search fails when some other window goes away under it,
// so it is made again.
func findWindow(t *testing.T, title string) string {
	t.Helper()
	id := ""
	eventually(t, "a window called "+title, func() bool {
		cmd := exec.Command("xdotool", "search", "--onlyvisible", "--name", "^"+regexp.QuoteMeta(title)+"$")
		cmd.Env = append(os.Environ(), "DISPLAY="+display)
		out, err := cmd.Output()
		if fields := strings.Fields(string(out)); err == nil && len(fields) > 0 {
			id = fields[0]
		}
		return id != ""
	})
	return id
}

// window is the game in the real window.
type window struct {
	*process
	id  string
	dir string
}

func (w *window) look(t *testing.T) image.Image {
	t.Helper()
	path := filepath.Join(w.dir, "look.png")
	x(t, "import", "-window", w.id, path)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func (w *window) click(t *testing.T, at, down int) {
	t.Helper()
	x(t, "xdotool", "windowactivate", "--sync", w.id, "mousemove", "--window", w.id, fmt.Sprint(at), fmt.Sprint(down))
	x(t, "xdotool", "mousedown", "1")
	w.look(t)
	x(t, "xdotool", "mouseup", "1")
}

func (w *window) drag(t *testing.T, at, down, toX, toY int) {
	t.Helper()
	x(t, "xdotool", "windowactivate", "--sync", w.id, "mousemove", "--window", w.id, fmt.Sprint(at), fmt.Sprint(down))
	x(t, "xdotool", "mousedown", "1")
	x(t, "xdotool", "mousemove", "--window", w.id, fmt.Sprint(toX), fmt.Sprint(toY))
	x(t, "xdotool", "mouseup", "1")
}

func (w *window) hold(t *testing.T, key string) {
	x(t, "xdotool", "windowactivate", "--sync", w.id, "keydown", key)
}
func (w *window) release(t *testing.T, key string) { x(t, "xdotool", "keyup", key) }
func (w *window) close(*testing.T)                 { w.stop() }

func (w *window) uncaught() []string {
	var found []string
	for line := range strings.SplitSeq(w.output(), "\n") {
		if strings.Contains(line, "CONSOLE JS ERROR") {
			found = append(found, line)
		}
	}
	return found
}

// tab is the game in headless Chromium, through its debugging protocol.
type tab struct {
	server  *served
	browser *process
	ws      *websocket.Conn

	mu     sync.Mutex // guards the rest, and writing to ws
	last   int
	calls  map[int]chan json.RawMessage
	errors []string
}

var debugPort = regexp.MustCompile(`DevTools listening on ws://(127\.0\.0\.1:\d+)/`)

// attach finds the page of a Chromium that was started with a debugging port.
func attach(t *testing.T, s *served, p *process) *tab {
	t.Helper()
	p.waitOutput("DevTools listening on ")
	var target struct {
		Type, URL            string
		WebSocketDebuggerURL string
	}
	eventually(t, "Chromium names its page", func() bool {
		m := debugPort.FindStringSubmatch(p.output())
		if m == nil {
			return false
		}
		answer, err := http.Get("http://" + m[1] + "/json/list")
		if err != nil {
			return false
		}
		defer answer.Body.Close()
		list := []struct {
			Type, URL            string
			WebSocketDebuggerURL string
		}{}
		if json.NewDecoder(answer.Body).Decode(&list) != nil {
			return false
		}
		for _, one := range list {
			if one.Type == "page" && strings.HasPrefix(one.URL, s.Origin) && !strings.HasPrefix(one.URL, s.Origin+"/__conch/") {
				target = one
				return true
			}
		}
		return false
	})
	ws, _, err := websocket.DefaultDialer.Dial(target.WebSocketDebuggerURL, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &tab{server: s, browser: p, ws: ws, calls: map[int]chan json.RawMessage{}}
	ended := make(chan struct{})
	go func() { defer close(ended); b.read() }()
	t.Cleanup(func() { ws.Close(); <-ended })
	b.call(t, "Runtime.enable", nil)
	b.resize(t, 1280, 720)
	return b
}

func (b *tab) resize(t *testing.T, width, height int) {
	t.Helper()
	b.call(t, "Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false})
}

// read takes answers and uncaught errors until the browser ends.
func (b *tab) read() {
	for {
		var m struct {
			ID     int
			Method string
			Result json.RawMessage
			Params struct {
				ExceptionDetails struct {
					Text      string
					URL       string
					Exception struct{ Description string }
				}
			}
		}
		if err := b.ws.ReadJSON(&m); err != nil {
			return
		}
		b.mu.Lock()
		if answer, ok := b.calls[m.ID]; ok {
			delete(b.calls, m.ID)
			answer <- m.Result
		}
		if m.Method == "Runtime.exceptionThrown" {
			d := m.Params.ExceptionDetails
			b.errors = append(b.errors, d.URL+": "+d.Text+" "+d.Exception.Description)
		}
		b.mu.Unlock()
	}
}

func (b *tab) call(t *testing.T, method string, params any) json.RawMessage {
	t.Helper()
	answer := make(chan json.RawMessage, 1)
	b.mu.Lock()
	b.last++
	b.calls[b.last] = answer
	err := b.ws.WriteJSON(map[string]any{"id": b.last, "method": method, "params": params})
	b.mu.Unlock()
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	select {
	case result := <-answer:
		return result
	case <-time.After(patience):
		t.Fatalf("no answer to %s", method)
		return nil
	}
}

func (b *tab) look(t *testing.T) image.Image {
	t.Helper()
	var shot struct{ Data string }
	if err := json.Unmarshal(b.call(t, "Page.captureScreenshot", map[string]any{"format": "png"}), &shot); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(shot.Data)))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func (b *tab) click(t *testing.T, at, down int) { b.drag(t, at, down, at, down) }

func (b *tab) drag(t *testing.T, at, down, toX, toY int) {
	t.Helper()
	mouse := func(kind string, x, y, buttons int) {
		b.call(t, "Input.dispatchMouseEvent", map[string]any{"type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1})
	}
	mouse("mouseMoved", at, down, 0)
	mouse("mousePressed", at, down, 1)
	b.look(t)
	if at != toX || down != toY {
		mouse("mouseMoved", toX, toY, 1)
	}
	mouse("mouseReleased", toX, toY, 0)
}

// keyCodes are the numbers that pages still read from key events.
var keyCodes = map[string]int{"Left": 37, "Up": 38, "Right": 39, "Down": 40, "1": 49}

func (b *tab) key(t *testing.T, kind, key string) {
	t.Helper()
	name, code := key, "Digit"+key
	if len(key) > 1 {
		name, code = "Arrow"+key, "Arrow"+key
	}
	b.call(t, "Input.dispatchKeyEvent", map[string]any{"type": kind, "key": name, "code": code, "windowsVirtualKeyCode": keyCodes[key]})
}

func (b *tab) hold(t *testing.T, key string)    { b.key(t, "rawKeyDown", key) }
func (b *tab) release(t *testing.T, key string) { b.key(t, "keyUp", key) }

func (b *tab) uncaught() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string{}, b.errors...)
}

// close ends the browser as its own menu would, so that it writes its profile down.
func (b *tab) close(t *testing.T) {
	t.Helper()
	b.call(t, "Browser.close", nil)
	b.browser.waitExit()
	b.server.stop()
}

// palette counts the pixels of each colour.
func palette(img image.Image) map[uint32]int {
	counts := map[uint32]int{}
	area := img.Bounds()
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			counts[pixel(img, x, y)]++
		}
	}
	return counts
}

// changed is the share of the area's pixels that differ between two pictures; an empty area is all of them.
func changed(a, b image.Image, area image.Rectangle) float64 {
	if area.Empty() {
		area = a.Bounds()
	}
	area = area.Intersect(a.Bounds()).Intersect(b.Bounds())
	n := 0
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			if pixel(a, x, y) != pixel(b, x, y) {
				n++
			}
		}
	}
	return float64(n) / float64(area.Dx()*area.Dy())
}

func pixel(img image.Image, x, y int) uint32 {
	r, g, b, _ := img.At(x, y).RGBA()
	return r>>8<<16 | g>>8<<8 | b>>8
}

// keepPicture writes a picture to $CONCH_SHOTS when that folder is given.
func keepPicture(t *testing.T, img image.Image, name string) {
	t.Helper()
	dir := os.Getenv("CONCH_SHOTS")
	if dir == "" {
		return
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(dir, name+".png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, img); err != nil {
		t.Fatal(err)
	}
}
