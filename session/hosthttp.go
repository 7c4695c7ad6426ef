package session

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"conch/session/wire"
)

// listening is the host's listeners, which share a port, and their server.
type listening struct {
	open atomic.Int64 // connections that are not yet WebSockets

	mu        sync.Mutex
	server    *http.Server
	listeners []net.Listener
	ended     sync.WaitGroup
}

func (l *listening) addr() net.Addr {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.listeners) == 0 {
		return nil
	}
	return l.listeners[0].Addr()
}

func (l *listening) add(n net.Listener) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listeners = append(l.listeners, n)
	server := l.server
	l.ended.Go(func() { server.Serve(n) })
}

func (l *listening) close() {
	l.mu.Lock()
	server := l.server
	l.mu.Unlock()
	if server != nil {
		server.Close() // upgraded connections are not its own any more
	}
	l.ended.Wait()
}

// listenLocked binds the port: exactly the one that was asked for, or for DefaultPort the first that is free.
func (h *Host) listenLocked(port int) error {
	address := h.Address
	if address == "" {
		address = "127.0.0.1"
	}
	ports := []int{port}
	if port == DefaultPort {
		ports = nil
		for i := range 10 {
			ports = append(ports, FirstPort+i)
		}
		ports = append(ports, AnyPort)
	}
	var n net.Listener
	var err error
	for _, p := range ports {
		if n, err = net.Listen("tcp", net.JoinHostPort(address, strconv.Itoa(p))); err == nil {
			break
		}
	}
	if err != nil {
		return err
	}
	h.listening.server = &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		MaxHeaderBytes:    8 << 10,
		BaseContext:       func(net.Listener) context.Context { return h.ctx },
		ErrorLog:          slog.NewLogLogger(h.Log.Handler(), slog.LevelDebug),
	}
	h.listening.server.SetKeepAlivesEnabled(false)
	most := int64(2 * (h.MaxPeers + 8))
	h.listening.server.ConnState = func(c net.Conn, s http.ConnState) {
		switch s {
		case http.StateNew:
			if h.listening.open.Add(1) > most {
				c.Close() // more than can be in a handshake at once
			}
		case http.StateHijacked, http.StateClosed:
			h.listening.open.Add(-1)
		}
	}
	h.listening.add(n)
	return nil
}

// ListenOn also listens on another address, with the same port: the addresses of the local network, once the player has
// agreed.
func (h *Host) ListenOn(a netip.Addr) error {
	port := h.Port()
	if port == 0 {
		return ErrNotActive
	}
	n, err := net.Listen("tcp", netip.AddrPortFrom(a, uint16(port)).String())
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.phase != phaseActive {
		return errors.Join(ErrNotActive, n.Close())
	}
	h.listening.add(n)
	return nil
}

// ServeHTTP takes WebSocket handshakes. Everything else is refused, without a body.
func (h *Host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if status := h.gate(r); status != 0 {
		w.WriteHeader(status)
		return
	}
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	release, status := h.enter(remote.Addr())
	if status != 0 {
		w.WriteHeader(status)
		return
	}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		release()
		return
	}
	h.admit(newSocket(ws), release)
}

// gate answers 0, or the HTTP status of the refusal.
func (h *Host) gate(r *http.Request) int {
	switch {
	case !h.ourHost(r):
		return http.StatusMisdirectedRequest
	case r.URL.Path != wire.Path || r.Method != http.MethodGet:
		return http.StatusNotFound
	case !h.ourOrigin(r):
		return http.StatusForbidden
	case !websocket.IsWebSocketUpgrade(r):
		return http.StatusUpgradeRequired
	case !slices.Contains(websocket.Subprotocols(r), wire.Subprotocol):
		return http.StatusBadRequest
	}
	return 0
}

// ourHost says whether the Host header names this host. A name that an attacker can point here (DNS rebinding) is not
// ours: only the literal of the address that was reached, localhost on loopback, and NAME.local are.
func (h *Host) ourHost(r *http.Request) bool {
	if slices.ContainsFunc(h.AllowedHosts, func(s string) bool { return strings.EqualFold(s, r.Host) }) {
		return true
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	reached, err := netip.ParseAddrPort(local.String())
	if err != nil {
		return false
	}
	name, port, err := net.SplitHostPort(r.Host)
	if err != nil || port != strconv.Itoa(int(reached.Port())) {
		return false
	}
	at := reached.Addr().Unmap().WithZone("")
	if a, err := netip.ParseAddr(name); err == nil {
		return a == at && !at.IsUnspecified()
	}
	if strings.EqualFold(name, "localhost") {
		return at.IsLoopback()
	}
	own, err := os.Hostname()
	first, _, _ := strings.Cut(own, ".")
	return err == nil && strings.EqualFold(name, first+".local")
}

// ourOrigin refuses pages of other origins. Programs that are no browsers send none.
func (h *Host) ourOrigin(r *http.Request) bool {
	all := r.Header.Values("Origin")
	if len(all) == 0 {
		return true
	}
	return len(all) == 1 && (strings.EqualFold(all[0], "http://"+r.Host) || slices.Contains(h.Origins, all[0]))
}
