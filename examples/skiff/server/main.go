// Command server is the game server of Skiff, the multiplayer demo of Conch.
//
// It speaks WebSocket on two endpoints: /ws is a place in a room, /ping measures the way there and
// says how busy the room is. Both take ?room=NAME. Positions travel as small binary frames, everything
// else as JSON text frames; protocol.go has the whole protocol.
//
// With -ca DIR it also listens with TLS. The certificate comes from a test authority made in DIR at the
// first start; DIR/ca.pem is what a client has to trust (conch play --ca DIR/ca.pem). The authority can
// only vouch for localhost, 127.0.0.1 and ::1.
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

type flags struct {
	addr, tlsAddr, ca string
	rooms, origins    string
	game              string
	verbose           bool
	options           Options
}

func parseFlags(args []string, out io.Writer) (flags, error) {
	var f flags
	set := flag.NewFlagSet("skiff-server", flag.ContinueOnError)
	set.SetOutput(out)
	set.StringVar(&f.addr, "addr", "127.0.0.1:8480", "`host:port` for ws:// (empty: none)")
	set.StringVar(&f.tlsAddr, "tls-addr", "127.0.0.1:8443", "`host:port` for wss://, used when -ca is given")
	set.StringVar(&f.ca, "ca", "", "`folder` of the test authority, made at first start; empty: no TLS")
	set.StringVar(&f.rooms, "rooms", "harbour,regatta", "comma separated `names` of the rooms")
	set.StringVar(&f.origins, "origins", "", "comma separated `origins` to accept; empty: any, each is logged")
	set.StringVar(&f.game, "game", "", "`folder` with the game's files, served at / of both listeners for a plain browser")
	set.IntVar(&f.options.Bots, "bots", 0, "boats the server sails in each room")
	set.IntVar(&f.options.MaxBoats, "max", 48, "boats in one room, bots included (at most 255)")
	set.IntVar(&f.options.MaxConns, "max-conns", 512, "open connections of the whole server")
	set.IntVar(&f.options.Rate, "rate", 25, "snapshots a second")
	set.DurationVar(&f.options.Round, "round", 3*time.Minute, "length of a round")
	set.BoolVar(&f.verbose, "v", false, "log at debug level")
	if err := set.Parse(args); err != nil {
		return flags{}, err
	}
	if set.NArg() > 0 {
		return flags{}, fmt.Errorf("unexpected argument %q", set.Arg(0))
	}
	if f.addr == "" && f.ca == "" {
		return flags{}, errors.New("nothing to listen on: give -addr, or -ca for TLS")
	}
	f.options.Rooms = splitList(f.rooms)
	f.options.Origins = splitList(f.origins)
	return f, nil
}

func splitList(s string) []string {
	var out []string
	for _, part := range strings.Split(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "skiff-server:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends; it returns after the last connection and goroutine ended.
func run(ctx context.Context, args []string, out io.Writer) error {
	f, err := parseFlags(args, out)
	if err != nil {
		return err
	}
	level := slog.LevelInfo
	if f.verbose {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: level}))
	f.options.Logger = log

	srv, err := NewServer(f.options)
	if err != nil {
		return err
	}
	defer srv.Close()
	mux := http.NewServeMux()
	mux.Handle("/ws", srv)
	mux.Handle("/ping", srv)
	if f.game != "" {
		root, err := os.OpenRoot(f.game)
		if err != nil {
			return fmt.Errorf("game folder: %w", err)
		}
		defer root.Close()
		mux.Handle("/", staticFiles(root.FS()))
	}

	listeners, err := listen(f, log)
	if err != nil {
		return err
	}
	return serve(ctx, srv, mux, listeners, log)
}

func staticFiles(files fs.FS) http.Handler {
	inner := http.FileServerFS(files)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		inner.ServeHTTP(w, r)
	})
}

// listen opens every address the flags name, or none.
func listen(f flags, log *slog.Logger) ([]net.Listener, error) {
	var all []net.Listener
	closeAll := func() {
		for _, l := range all {
			l.Close()
		}
	}
	if f.addr != "" {
		l, err := net.Listen("tcp", f.addr)
		if err != nil {
			return nil, fmt.Errorf("listen ws: %w", err)
		}
		log.Info("listening", "url", "ws://"+l.Addr().String()+"/ws")
		all = append(all, l)
	}
	if f.ca == "" {
		return all, nil
	}
	authority, err := OpenAuthority(f.ca, time.Now())
	if err != nil {
		closeAll()
		return nil, err
	}
	l, err := net.Listen("tcp", f.tlsAddr)
	if err != nil {
		closeAll()
		return nil, fmt.Errorf("listen wss: %w", err)
	}
	log.Info("listening", "url", "wss://"+l.Addr().String()+"/ws", "ca", authority.CAFile)
	config := &tls.Config{
		MinVersion:   tls.VersionTLS12,
		NextProtos:   []string{"http/1.1"},
		Certificates: []tls.Certificate{authority.Certificate},
	}
	return append(all, tls.NewListener(l, config)), nil
}

// serve runs one http server over all listeners until ctx ends or one of them breaks.
func serve(ctx context.Context, srv *Server, h http.Handler, listeners []net.Listener, log *slog.Logger) error {
	web := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	broken := make(chan error, len(listeners))
	for _, l := range listeners {
		go func() { broken <- web.Serve(l) }()
	}
	var err error
	waiting := len(listeners)
	select {
	case <-ctx.Done():
		log.Info("stopping")
	case err = <-broken:
		waiting--
	}
	srv.Close() // players are told before the listeners go
	limit, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if stopErr := web.Shutdown(limit); stopErr != nil {
		web.Close()
	}
	for ; waiting > 0; waiting-- {
		if e := <-broken; err == nil && !errors.Is(e, http.ErrServerClosed) {
			err = e
		}
	}
	return err
}
