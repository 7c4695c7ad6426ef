package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"conch/session"
)

// sessionFlags say which session is meant, for those who host it and those who join.
type sessionFlags struct {
	project, session, build string
	passwordFile            string
}

func (f *sessionFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.project, "project", "game", "project id, the same on all sides")
	c.Flags().StringVar(&f.session, "session", "lan", "session id")
	c.Flags().StringVar(&f.build, "build", "1", "build of the game, the same on all sides")
	c.Flags().StringVar(&f.passwordFile, "password-file", "", "file whose first line is the session's password")
}

func (f *sessionFlags) password() (string, error) {
	if f.passwordFile == "" {
		return "", nil
	}
	b, err := os.ReadFile(f.passwordFile)
	if err != nil {
		return "", fmt.Errorf("--password-file: %w", err)
	}
	line, _, _ := strings.Cut(string(b), "\n")
	if line = strings.TrimSuffix(line, "\r"); line == "" {
		return "", errors.New("--password-file: the first line is empty")
	}
	return line, nil
}

type hostFlags struct {
	sessionFlags
	address, code, store string
	port, peers, per     int
	open, verbose        bool
	hosts, origins       []string
}

func (p *Program) hostCommand() *cobra.Command {
	var f hostFlags
	c := &cobra.Command{
		Use:   "host",
		Short: "Host a session without a game: it lets peers in and passes on their calls",
		Long: "Host a session without a game. Whoever knows the password or the join code may join; what a peer calls without\n" +
			"an object is passed on to all others. There is no game logic here: who joins decides what calls mean.\n\n" +
			"The session is open to this computer only, unless --address says otherwise.",
		Args: nothing,
		RunE: func(c *cobra.Command, _ []string) error { return p.host(c.Context(), f) },
	}
	f.register(c)
	c.Flags().StringVar(&f.address, "address", "127.0.0.1", "address to listen on; 0.0.0.0 for the whole network")
	c.Flags().IntVar(&f.port, "port", session.FirstPort, "port to listen on; 0 for any")
	c.Flags().StringVar(&f.code, "code", "", "join code (default: a new one, printed)")
	c.Flags().BoolVar(&f.open, "open", false, "let everybody in who reaches the address")
	c.Flags().IntVar(&f.peers, "peers", 16, "most peers, up to 2000")
	c.Flags().IntVar(&f.per, "per-address", 8, "most connections from one address")
	c.Flags().StringVar(&f.store, "store", "", "file that remembers the session, so that peers come back after a crash")
	c.Flags().StringArrayVar(&f.hosts, "allow-host", nil, "HOST:PORT by which others reach this host through a proxy (repeatable)")
	c.Flags().StringArrayVar(&f.origins, "allow-origin", nil, "web page, as scheme://host, that may join (repeatable)")
	c.Flags().BoolVar(&f.verbose, "verbose", false, "log what happens")
	c.MarkFlagsMutuallyExclusive("open", "code", "password-file")
	return c
}

func (p *Program) host(ctx context.Context, f hostFlags) error {
	password, err := f.password()
	if err != nil {
		return err
	}
	if f.port < 0 {
		return wrongUse("--port %d: want 0 to 65535", f.port)
	}
	h := &session.Host{Dedicated: true, Address: f.address, MaxPeers: f.peers, MaxPerAddress: f.per, Password: password, Code: f.code,
		Open: f.open, AllowedHosts: f.hosts, Origins: f.origins, Log: p.logger(f.verbose)}
	if f.store != "" {
		if h.Restart, err = session.OpenStore(f.store); err != nil {
			return fmt.Errorf("--store: %w", err)
		}
		defer h.Restart.Close()
	}
	h.Handle = func(e session.Event) {
		switch e := e.(type) {
		case session.HostPeerConnected:
			fmt.Fprintf(p.stdout, "joined %d %q %s %s\n", e.Peer.ID, e.Peer.Name, e.Peer.Kind, e.Peer.Addr)
		case session.HostPeerDisconnected:
			fmt.Fprintf(p.stdout, "left %d %q\n", e.ID, e.Reason)
		}
	}
	h.OnRPC("", func(c *session.Call) {
		if c.Object != 0 || h.Relay(c.From, c.Name, 0, c.Args, nil) != nil {
			c.Reject()
		}
	})
	if err := h.Start(f.project, f.session, f.build, f.port); err != nil {
		return err
	}
	line := "listening on " + net.JoinHostPort(f.address, fmt.Sprint(h.Port()))
	if code := h.JoinCode(); code != "" {
		line += ", join code " + code
	}
	fmt.Fprintln(p.stdout, line)
	return pumpHost(ctx, h)
}

// pumpHost hands over what happens until the context ends, and then stops the session in order.
func pumpHost(ctx context.Context, h *session.Host) error {
	for {
		select {
		case <-h.Wake():
			h.Update(0)
		case <-ctx.Done():
			h.Close()
			h.Update(0)
			return nil
		}
	}
}
