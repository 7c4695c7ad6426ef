package cli

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"conch/session"
)

type botFlags struct {
	sessionFlags
	code     string
	count    int
	rate     float64
	size     int
	joinRate float64
	time     time.Duration
	json     bool
	verbose  bool
}

func (p *Program) botsCommand() *cobra.Command {
	var f botFlags
	c := &cobra.Command{
		Use:   "bots ADDRESS",
		Short: "Join a session with many players that talk all the time, and measure",
		Long: "Join a session with many players. When all are in, each calls the host at the given rate, and each counts what the\n" +
			"host passes on from the others (`" + p.Name + " host` does) and how long it took.",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return wrongUse("bots takes one address: HOST:PORT or an invitation")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return p.bots(c.Context(), f, args[0]) },
	}
	f.register(c)
	c.Flags().StringVar(&f.code, "code", "", "join code")
	c.Flags().IntVar(&f.count, "count", 8, "how many bots")
	c.Flags().Float64Var(&f.rate, "rate", 30, "calls a second, each bot")
	c.Flags().IntVar(&f.size, "size", 128, "bytes of a call, at least 16")
	c.Flags().Float64Var(&f.joinRate, "join-rate", 20, "joins a second")
	c.Flags().DurationVar(&f.time, "time", 10*time.Second, "how long to talk")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON")
	c.Flags().BoolVar(&f.verbose, "verbose", false, "log what happens")
	return c
}

// botReport is what bots print.
type botReport struct {
	Bots     int            `json:"bots"`
	Joined   int            `json:"joined"`
	Sent     uint64         `json:"sent"`
	Expected uint64         `json:"expected"` // deliveries, if the host passes everything on
	Received uint64         `json:"received"`
	Dropped  int            `json:"dropped"` // bots that lost their connection or their seat
	P50      float64        `json:"p50Millis"`
	P95      float64        `json:"p95Millis"`
	P99      float64        `json:"p99Millis"`
	Max      float64        `json:"maxMillis"`
	Seconds  float64        `json:"seconds"`
	Reasons  map[string]int `json:"reasons,omitempty"` // why bots did not get in or did not stay
}

func (p *Program) bots(ctx context.Context, f botFlags, address string) error {
	password, err := f.password()
	switch {
	case err != nil:
		return err
	case f.count < 1 || f.count > 2000 || f.size < botHeader || f.size > 64<<10 || !(f.rate > 0 && f.rate <= 1000) || !(f.joinRate > 0 && f.joinRate <= 1000) || f.time <= 0:
		return wrongUse("want --count 1 to 2000, --size 16 to 65536, --rate and --join-rate up to 1000, --time above 0")
	}
	r := swarm{start: make(chan struct{}), pause: time.Duration(float64(time.Second) / f.rate), size: f.size}
	defer r.stop()
	reasons := map[string]int{}
	var joined []*bot
	for i := range f.count {
		request := session.JoinRequest{ProjectID: f.project, SessionID: f.session, BuildHash: f.build, PlayerName: fmt.Sprintf("bot %d", i+1),
			Password: password, JoinCode: f.code}
		if err := r.join(session.ClientOptions{Kind: session.KindBot, Log: p.logger(f.verbose)}, request, address); err != nil {
			return err
		}
		if !wait(ctx, time.Duration(float64(time.Second)/f.joinRate)) {
			return ctx.Err()
		}
	}
	for _, b := range r.bots {
		select {
		case reason := <-b.joined:
			if reason != "" {
				reasons[reason]++
				continue
			}
			joined = append(joined, b)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if len(joined) == 0 {
		return fmt.Errorf("no bot got in: %v", reasons)
	}
	begin := time.Now()
	close(r.start)
	whole := wait(ctx, f.time)
	r.quiet()
	took := time.Since(begin)
	if whole {
		wait(ctx, time.Second) // for what is under way
	}
	r.stop()
	report := botReport{Bots: f.count, Joined: len(joined), Seconds: took.Seconds(), Reasons: reasons}
	var all histogram
	for _, b := range joined {
		report.Sent += b.sent
		all.add(&b.latency)
		if b.ended != "" {
			report.Reasons[b.ended]++
		}
		if b.ended != "" || b.lost > 0 {
			report.Dropped++
		}
	}
	report.Expected = report.Sent * uint64(len(joined)-1)
	report.Received = all.count
	report.P50, report.P95, report.P99, report.Max = all.at(0.5), all.at(0.95), all.at(0.99), all.most
	if f.json {
		return json.NewEncoder(p.stdout).Encode(report)
	}
	fmt.Fprintf(p.stdout, "bots      %d, %d joined, %d dropped\n", report.Bots, report.Joined, report.Dropped)
	fmt.Fprintf(p.stdout, "calls     %d sent in %.1f s\n", report.Sent, report.Seconds)
	fmt.Fprintf(p.stdout, "delivered %d of %d\n", report.Received, report.Expected)
	fmt.Fprintf(p.stdout, "latency   p50 %.1f ms, p95 %.1f ms, p99 %.1f ms, max %.1f ms\n", report.P50, report.P95, report.P99, report.Max)
	for reason, n := range report.Reasons {
		fmt.Fprintf(p.stdout, "ended     %d: %s\n", n, reason)
	}
	return nil
}

// wait is false when the context ended first.
func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

const (
	botCall   = "bot"
	botHeader = 16 // time of sending, run
)

// swarm is many bots.
type swarm struct {
	start chan struct{} // closed when the bots begin to talk
	pause time.Duration
	size  int
	bots  []*bot
	wg    sync.WaitGroup
	run   uint64 // tells our calls from others'
}

// bot is one player. Its fields belong to its goroutine until that has ended.
type bot struct {
	c       *session.Client
	joined  chan string // gets "" or why not
	silent  chan struct{}
	hush    sync.Once
	sent    uint64
	lost    int
	ended   string
	latency histogram
}

func (s *swarm) join(o session.ClientOptions, r session.JoinRequest, address string) error {
	if s.run == 0 {
		s.run = rand.Uint64() | 1
	}
	b := &bot{joined: make(chan string, 1), silent: make(chan struct{})}
	o.Handle = b.handle
	c, err := session.Join(o, r, address)
	if err != nil {
		return err
	}
	b.c = c
	c.OnRPC(botCall, func(call *session.Call) {
		if len(call.Args) >= botHeader && binary.LittleEndian.Uint64(call.Args[8:]) == s.run {
			b.latency.record(time.Duration(time.Now().UnixNano() - int64(binary.LittleEndian.Uint64(call.Args))))
		}
	})
	s.bots = append(s.bots, b)
	s.wg.Go(func() { b.live(s) })
	return nil
}

func (b *bot) handle(e session.Event) {
	switch e := e.(type) {
	case session.SessionStarted:
		b.joined <- ""
	case session.ClientJoinFailed:
		b.joined <- e.Reason
	case session.ClientConnectionLost:
		b.lost++
	case session.SessionStopped:
		if e.Reason != "local_stop" {
			b.ended = e.Reason
		}
	case session.ClientSceneLoadRequested:
		if err := b.c.NotifySceneLoaded(session.SceneInstance{Transition: e.Transition}, true, ""); err != nil && !errors.Is(err, session.ErrNotActive) {
			b.ended = err.Error()
		}
	}
}

// live hands over what happens and talks at the given rate, out of step with the others.
func (b *bot) live(s *swarm) {
	args := make([]byte, s.size)
	binary.LittleEndian.PutUint64(args[8:], s.run)
	var tick <-chan time.Time
	start, silent := s.start, b.silent
	for {
		select {
		case <-b.c.Wake():
			b.c.Update(0)
		case <-start:
			start = nil
			first := time.NewTimer(rand.N(s.pause))
			tick = first.C
		case <-tick:
			if b.sent == 0 {
				ticker := time.NewTicker(s.pause)
				defer ticker.Stop()
				tick = ticker.C
			}
			binary.LittleEndian.PutUint64(args, uint64(time.Now().UnixNano()))
			if b.c.Notify(botCall, 0, args) == nil {
				b.sent++
			}
		case <-silent:
			tick, start, silent = nil, nil, nil
		case <-b.c.Done():
			b.c.Update(0)
			return
		}
	}
}

// quiet ends the talking.
func (s *swarm) quiet() {
	for _, b := range s.bots {
		b.hush.Do(func() { close(b.silent) })
	}
}

// stop ends the bots.
func (s *swarm) stop() {
	for _, b := range s.bots {
		b.c.Stop()
	}
	s.wg.Wait()
}

// histogram counts times with a relative error below 4 %.
type histogram struct {
	buckets [32 * 48]uint32
	count   uint64
	most    float64 // milliseconds
}

func (h *histogram) record(d time.Duration) {
	h.buckets[bucketOf(d)]++
	h.count++
	h.most = max(h.most, d.Seconds()*1000)
}

// bucketOf splits each power of two of microseconds into 32.
func bucketOf(d time.Duration) int {
	us := float64(max(d, time.Microsecond).Nanoseconds()) / 1000
	return min(int(32*math.Log2(us)), 32*48-1)
}

func (h *histogram) add(o *histogram) {
	for i, n := range o.buckets {
		h.buckets[i] += n
	}
	h.count += o.count
	h.most = max(h.most, o.most)
}

// at is the time in milliseconds that a share of all stay below.
func (h *histogram) at(share float64) float64 {
	seen, want := 0.0, share*float64(h.count)
	for i, n := range h.buckets {
		if seen += float64(n); seen >= want && n > 0 {
			return math.Exp2(float64(i+1)/32) / 1000
		}
	}
	return 0
}
