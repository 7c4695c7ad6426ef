package app

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"conch/internal/whole"
)

// ErrAlreadyRunning is returned by Listen when the same game runs already; that window was raised.
var ErrAlreadyRunning = errors.New("the game is already running")

// instance lets a second start of the same game raise the window of the first instead of failing. The first one
// listens on loopback and leaves port and secret in a file that only the player's account can read.
type instance struct {
	file   string
	secret string
	server *http.Server
	done   chan struct{}

	calls calls

	mu    sync.Mutex // guards raise
	raise func()
}

// calls is what other processes of the player's may want of a running one, besides its window.
type calls struct {
	forget   func(game, host string) // "" for all
	identity func() string           // what the player's answers to this game belong to; "" while it is not known
}

type runFile struct {
	PID    int    `json:"pid"`
	Port   int    `json:"port"`
	Secret string `json:"secret"`
}

const runHeader = "X-Conch-Run"

// raiseRunning asks the instance named in dir's run file to show its window. It reports false when none answers.
func raiseRunning(ctx context.Context, dir string) bool {
	_, status := tellRunning(ctx, dir, "/raise", nil)
	return status == http.StatusNoContent
}

// TellForgotten lets the games that run close their sockets to a host whose approval was taken back. An empty game or
// host means all of them.
func TellForgotten(ctx context.Context, dataDir, game, host string) {
	for _, dir := range gameDirs(dataDir) {
		tellRunning(ctx, dir, "/forget", url.Values{"game": {game}, "host": {host}})
	}
}

// RunningGames lists the identities of the games that run, as far as they are known: that of an unsigned game is its
// digest, which takes a while.
func RunningGames(ctx context.Context, dataDir string) []string {
	dirs := gameDirs(dataDir)
	all := make([]string, len(dirs))
	var asking sync.WaitGroup
	for i, dir := range dirs {
		asking.Go(func() {
			if text, status := tellRunning(ctx, dir, "/identity", nil); status == http.StatusOK {
				all[i] = text
			}
		})
	}
	asking.Wait()
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(s string) bool { return s == "" })
}

func gameDirs(dataDir string) []string {
	folder := filepath.Join(dataDir, "games")
	entries, _ := os.ReadDir(folder) // none before the first game
	dirs := make([]string, len(entries))
	for i, e := range entries {
		dirs[i] = filepath.Join(folder, e.Name())
	}
	return dirs
}

// tellRunning sends form to the instance named in dir's run file and returns its answer; 0 when there is none.
func tellRunning(ctx context.Context, dir, path string, form url.Values) (string, int) {
	text, err := os.ReadFile(filepath.Join(dir, "run.json"))
	if err != nil {
		return "", 0
	}
	var run runFile
	if json.Unmarshal(text, &run) != nil || run.Port <= 0 {
		return "", 0
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	address := "http://127.0.0.1:" + strconv.Itoa(run.Port) + path
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return "", 0
	}
	req.Header.Set(runHeader, run.Secret)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	client := &http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		return "", 0
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, 1024))
	if err != nil {
		return "", 0
	}
	return string(answer), res.StatusCode
}

// listenInstance starts the listener and writes the run file into dir.
func listenInstance(dir string, c calls) (*instance, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("instance: %w", err)
	}
	in := &instance{file: filepath.Join(dir, "run.json"), secret: rand.Text(), calls: c, done: make(chan struct{})}
	text, err := json.Marshal(runFile{PID: os.Getpid(), Port: ln.Addr().(*net.TCPAddr).Port, Secret: in.secret})
	if err == nil {
		err = whole.Write(in.file, text, 0o600)
	}
	if err != nil {
		ln.Close()
		return nil, fmt.Errorf("instance: %w", err)
	}
	in.server = &http.Server{Handler: in, ReadTimeout: 5 * time.Second, MaxHeaderBytes: 4096}
	go func() {
		defer close(in.done)
		in.server.Serve(ln)
	}()
	return in, nil
}

func (in *instance) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// A web page cannot send this header across origins, and another account cannot read the file.
	if subtle.ConstantTimeCompare([]byte(r.Header.Get(runHeader)), []byte(in.secret)) != 1 || r.Method != http.MethodPost {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	switch {
	case r.URL.Path == "/forget" && in.calls.forget != nil:
		r.Body = http.MaxBytesReader(w, r.Body, 4096)
		in.calls.forget(r.PostFormValue("game"), r.PostFormValue("host"))
	case r.URL.Path == "/identity" && in.calls.identity != nil:
		io.WriteString(w, in.calls.identity())
		return
	case r.URL.Path == "/raise":
		in.mu.Lock()
		raise := in.raise
		in.mu.Unlock()
		if raise != nil {
			raise()
		}
	default:
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (in *instance) onRaise(f func()) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.raise = f
}

func (in *instance) close() {
	in.server.Close()
	<-in.done
	if text, err := os.ReadFile(in.file); err == nil && bytes.Contains(text, []byte(in.secret)) {
		os.Remove(in.file)
	}
}
