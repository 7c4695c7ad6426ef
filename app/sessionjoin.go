package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"conch/consent/hostlist"
	"conch/session"
	"conch/session/pagerelay"
	"conch/session/wire"
)

const (
	joinsPerMinute = 10 // to hosts that have not proved yet that they are one
	againPerMinute = 60 // to those that have: a client that resumes tries often
	maxJoins       = 16 // at once, with those under way

	// joinTime is how long a host may take to answer the handshake. An attempt that fails at a host that never proved itself is
	// over then and not before, so that its end tells nothing about what is there.
	joinTime = 3 * time.Second
)

// joins are the ways of the game's pages to session hosts.
type joins struct {
	app     *App
	serving sync.WaitGroup
	now     func() time.Time // tests set it; nil: time.Now

	mu     sync.Mutex // guards the fields below
	recent []time.Time
	again  []time.Time
	proved map[string]bool // host:port and project
	live   map[*joining]bool
	closed bool
}

// joining is one attempt, and the connection that became of it.
type joining struct {
	target hostlist.Target
	end    context.CancelFunc
}

// serveJoin connects a page's session client with a host. Whatever goes wrong, the page is told the same.
func (j *joins) serveJoin(w http.ResponseWriter, r *http.Request) {
	started := time.Now()
	t, project, err := joinTarget(r.URL.RawQuery)
	if err != nil {
		j.refuse(w, t, err)
		return
	}
	key := t.HostPort() + " " + project
	ctx, cancel := context.WithCancel(j.app.living)
	defer cancel()
	known, err := j.enter(key)
	if err != nil {
		j.refuse(w, t, err)
		return
	}
	a := &joining{t, cancel}
	if err := j.add(a); err != nil {
		j.refuse(w, t, err)
		return
	}
	defer j.remove(a)
	gone := context.AfterFunc(r.Context(), cancel)
	defer gone()
	if err := j.allow(ctx, t); err != nil {
		j.refuse(w, t, err)
		return
	}
	asked := time.Since(started)
	far, err := j.dial(ctx, t, project)
	if err != nil {
		if !known {
			wait(ctx, joinTime-(time.Since(started)-asked))
		}
		j.refuse(w, t, err)
		return
	}
	gone() // net/http ends the request's context when it hands the connection over
	log := j.app.opts.Logger.With("host", t.HostPort())
	log.Info("session host connected")
	relay := pagerelay.Relay{Project: project, Log: log, Proved: func() { j.prove(key) }}
	relay.Serve(ctx, w, r, far)
	log.Info("session host left")
}

// joinTarget reads the query of a page's client: u=<address>&project=<id>&n=<number>, each once and nothing else.
func joinTarget(query string) (t hostlist.Target, project string, err error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return t, "", errors.New("not a query")
	}
	for key, all := range values {
		if len(all) != 1 || key != "u" && key != "project" && key != "n" {
			return t, "", errors.New("not the query of a session client")
		}
	}
	if t, err = hostlist.ParseTarget(values.Get("u")); err != nil {
		return t, "", err
	}
	if t.Path != wire.Path {
		return t, "", errors.New("not the address of a session host")
	}
	return t, values.Get("project"), session.CheckID("project", values.Get("project"))
}

// enter counts an attempt; known says whether the host has proved itself before.
func (j *joins) enter(key string) (known bool, err error) {
	now := time.Now()
	if j.now != nil {
		now = j.now()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	known = j.proved[key]
	times, most := &j.recent, joinsPerMinute
	if known {
		times, most = &j.again, againPerMinute
	}
	kept := (*times)[:0]
	for _, at := range *times {
		if now.Sub(at) < time.Minute {
			kept = append(kept, at)
		}
	}
	*times = kept
	if len(kept) >= most {
		return known, fmt.Errorf("more than %d attempts to join in a minute", most)
	}
	*times = append(kept, now)
	return known, nil
}

func (j *joins) add(a *joining) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.closed:
		return errors.New("the game is closing")
	case len(j.live) >= maxJoins:
		return fmt.Errorf("%d sessions are joined already", len(j.live))
	}
	j.live[a] = true
	j.serving.Add(1)
	return nil
}

func (j *joins) remove(a *joining) {
	j.mu.Lock()
	delete(j.live, a)
	j.mu.Unlock()
	j.serving.Done()
}

func (j *joins) prove(key string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.proved) < 256 {
		j.proved[key] = true
	}
}

// allow is nil when the game may join a session at t. The question outlives an attempt that gave up: a yes is there for the
// next one.
func (j *joins) allow(ctx context.Context, t hostlist.Target) error {
	if here(t) {
		return nil
	}
	if j.app.Gate.Hosts.Match(t) {
		return j.app.Gate.AllowJoin(ctx, t)
	}
	gate, err := j.app.asking()
	if err != nil {
		return err
	}
	answer := make(chan error, 1)
	j.serving.Go(func() { answer <- gate.AllowJoin(j.app.living, t) })
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (j *joins) dial(ctx context.Context, t hostlist.Target, project string) (*pagerelay.Far, error) {
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	listed := j.app.Gate.Hosts.Match(t)
	return pagerelay.Dial(ctx, pagerelay.Destination{Host: t.Host, Port: t.Port, TLS: t.Secure, RootCAs: j.app.opts.RootCAs,
		Control: func(a netip.Addr) error { return checkJoin(t, listed, a) }})
}

// here says whether t is this computer by its text.
func here(t hostlist.Target) bool { return t.Local() || t.IP.IsValid() && t.IP.IsLoopback() }

// checkJoin decides about an address that is about to be dialled for t, after its name was looked up: a name cannot lead
// where its text does not say. Public addresses are for hosts that the author lists.
func checkJoin(t hostlist.Target, listed bool, a netip.Addr) error {
	named := !t.IP.IsValid() && (strings.HasSuffix(t.Host, ".local") || !strings.Contains(t.Host, "."))
	switch {
	case !a.IsValid() || a.Zone() != "" || t.IP.IsValid() && a != t.IP:
		return fmt.Errorf("%s: refusing to dial %s instead", t.HostPort(), a)
	case here(t):
		if a.IsLoopback() {
			return nil
		}
	case t.IP.IsValid() || named:
		if onNetwork(a) {
			return nil
		}
	}
	if listed {
		return t.CheckAddr(a)
	}
	return fmt.Errorf("%s: %s is not on the player's own network", t.HostPort(), a)
}

// refuse tells the page that there is no host, whatever the reason, and the log why.
func (j *joins) refuse(w http.ResponseWriter, t hostlist.Target, err error) {
	host := ""
	if t.Host != "" {
		host = t.HostPort()
	}
	j.app.opts.Logger.Info("session not joined", "host", host, "err", err)
	w.WriteHeader(http.StatusBadGateway)
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// forget ends what goes to a host whose approval was taken back, "" for all.
func (j *joins) forget(host string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for a := range j.live {
		if !here(a.target) && (host == "" || a.target.Host == host) && !j.app.Gate.Hosts.Match(a.target) {
			a.end()
		}
	}
}

func (j *joins) close() {
	j.mu.Lock()
	j.closed = true
	for a := range j.live {
		a.end()
	}
	j.mu.Unlock()
	j.serving.Wait()
}
