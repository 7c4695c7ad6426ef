package app

import (
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	gameruntime "conch/runtime"
)

// settle is how long files must be quiet before the page reloads: an export writes many.
const settle = 150 * time.Millisecond

// changes tells the page when files of the game changed: a stream of server-sent events under /__conch/changes.
type changes struct {
	root string // folder, or the file that is the game
	log  *slog.Logger

	once    sync.Once
	mu      sync.Mutex // guards the fields below
	watcher *fsnotify.Watcher
	pages   map[chan struct{}]struct{}
	closed  bool
	running sync.WaitGroup
}

func (c *changes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page := make(chan struct{}, 1)
	if !c.join(page) {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	defer c.leave(page)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	flush := http.NewResponseController(w).Flush
	fmt.Fprint(w, ": watching\n\n")
	for flush() == nil {
		select {
		case <-r.Context().Done():
			return
		case _, open := <-page:
			if !open {
				return
			}
			fmt.Fprint(w, "data: changed\n\n")
		}
	}
}

func (c *changes) join(page chan struct{}) bool {
	c.once.Do(c.watch)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	if c.pages == nil {
		c.pages = map[chan struct{}]struct{}{}
	}
	c.pages[page] = struct{}{}
	return true
}

func (c *changes) leave(page chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pages, page)
}

// watch starts the watcher; without one, a game is played and does not reload.
func (c *changes) watch() {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		c.log.Warn("files are not watched", "err", err)
		return
	}
	c.addFolders(watcher, c.root)
	c.mu.Lock()
	c.watcher = watcher
	c.mu.Unlock()
	c.running.Add(1)
	go func() {
		defer c.running.Done()
		c.follow(watcher)
	}()
}

// addFolders watches root and every folder below it: the system's watches are not recursive.
func (c *changes) addFolders(watcher *fsnotify.Watcher, root string) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() && path != root {
			return nil
		}
		if path != root && strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" {
			return filepath.SkipDir
		}
		return watcher.Add(path)
	})
	if err != nil {
		c.log.Warn("some files are not watched", "err", err)
	}
}

func (c *changes) follow(watcher *fsnotify.Watcher) {
	quiet := time.NewTimer(time.Hour)
	quiet.Stop()
	defer quiet.Stop()
	for {
		select {
		case e, open := <-watcher.Events:
			if !open {
				return
			}
			if e.Has(fsnotify.Create) {
				c.addFolders(watcher, e.Name)
			}
			if !e.Has(fsnotify.Chmod) {
				quiet.Reset(settle)
			}
		case err, open := <-watcher.Errors:
			if !open {
				return
			}
			c.log.Warn("watch files", "err", err)
		case <-quiet.C:
			c.tell()
		}
	}
}

func (c *changes) tell() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for page := range c.pages {
		select {
		case page <- struct{}{}:
		default: // it has not reloaded since the last change
		}
	}
}

func (c *changes) close() {
	c.mu.Lock()
	c.closed = true
	for page := range c.pages {
		close(page)
		delete(c.pages, page)
	}
	watcher := c.watcher
	c.mu.Unlock()
	if watcher != nil {
		watcher.Close()
	}
	c.running.Wait()
}

// console writes one line of the page's console to the terminal, as data: control characters are shown, not obeyed.
func (a *App) console(line gameruntime.ConsoleLine) {
	if a.opts.Terminal == nil {
		return
	}
	text := strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '?'
		}
		return r
	}, line.Text)
	fmt.Fprintf(a.opts.Terminal, "%-5s %s\n", line.Level, strings.ReplaceAll(text, "\n", "\n      "))
}
