package app

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"conch/consent"
)

// ApprovalRow is one approval as lists show it.
type ApprovalRow struct {
	Game       string    `json:"game"`
	Kind       string    `json:"kind"` // "connect", "join" a session, "host" one
	Name       string    `json:"name"`
	Host       string    `json:"host"` // host, or host:port when the yes was for one port
	Since      time.Time `json:"since"`
	Protection string    `json:"protection"`
}

func rowOf(a consent.Approval) ApprovalRow {
	host := bracketed(a.Host)
	if a.Port != 0 {
		host = fmt.Sprintf("%s:%d", host, a.Port)
	}
	return ApprovalRow{Game: a.Game, Kind: kindOf(a.Kind), Name: a.Name, Host: host, Since: a.Since, Protection: a.Protection}
}

// What says in words what the approval is for.
func (r ApprovalRow) What() string {
	switch consent.Kind(r.Kind) {
	case consent.Join:
		return "join " + r.Host
	case consent.Host:
		return "host on " + r.Host
	}
	return r.Host
}

func kindOf(k consent.Kind) string {
	if k == consent.Connect {
		return "connect"
	}
	return string(k)
}

func bracketed(host string) string {
	if addr, err := netip.ParseAddr(host); err == nil && addr.Is6() {
		return "[" + host + "]"
	}
	return host
}

// Approvals lists what players allowed, ordered by name, game and host.
func Approvals(ctx context.Context, s *consent.Store) ([]ApprovalRow, error) {
	list, err := s.List(ctx)
	if err != nil {
		return nil, err
	}
	rows := make([]ApprovalRow, len(list))
	for i, a := range list {
		rows[i] = rowOf(a)
	}
	return rows, nil
}

// Forget takes approvals back and lets the games that run close their sockets: one host of a game, all of a game when
// host is "", everything when both are "". The host is written as a row has it, or without the port; it is forgotten on
// every port.
func Forget(ctx context.Context, s *consent.Store, dataDir, game, host string) error {
	var err error
	switch {
	case game == "":
		host, err = "", s.ForgetAll(ctx)
	case host == "":
		err = s.ForgetGame(ctx, game)
	default:
		if host, err = approvedHost(ctx, s, game, host); err == nil {
			err = s.Forget(ctx, game, host)
		}
	}
	if err != nil {
		return err
	}
	TellForgotten(ctx, dataDir, game, host)
	return nil
}

// approvedHost finds the host that text means among those of a game.
func approvedHost(ctx context.Context, s *consent.Store, game, text string) (string, error) {
	list, err := s.List(ctx)
	if err != nil {
		return "", err
	}
	for _, a := range list {
		if a.Game == game && (text == a.Host || text == bracketed(a.Host) || text == rowOf(a).Host) {
			return a.Host, nil
		}
	}
	return "", fmt.Errorf("%s: not among the hosts that this game may reach", text)
}
