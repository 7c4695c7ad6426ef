package session

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"conch/session/wire"
)

func TestJoin(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		w.host.GameState().Set("map", "bay")
		w.hostNode().on = func(e Event) {
			if e, ok := e.(HostPeerConnected); ok {
				w.host.PlayerState(e.Peer.ID).Set("score", 3)
			}
		}
		n := w.join(func(_ *ClientOptions, r *JoinRequest) { r.UserData, r.Spectator = []byte("red"), true })
		n.on = func(e Event) {
			if _, ok := e.(SessionStarted); ok {
				if v, _ := n.c.GameState().Get("map"); v != "bay" {
					t.Errorf("game state in SessionStarted: got %v", v)
				}
				if v, _ := n.c.PlayerState(n.id()).Get("score"); v != int64(3) {
					t.Errorf("player state in SessionStarted: got %v", v)
				}
			}
		}
		if n.c.Mode() != ModeClient || n.c.IsActive() || n.c.LocalID() != 0 || n.c.SessionID() != "" {
			t.Error("a client that joins is active already")
		}
		w.pass(time.Second)
		w.hostNode().want("SessionStarted", "HostPeerConnected 2")
		n.want("SessionStarted", "ClientGameStateReplicated", "ClientPlayerStateReplicated")
		info := w.host.Peer(2)
		if info.Name != "Ada" || info.Role != RoleSpectator || info.State != PeerActive || string(info.UserData) != "red" || info.Addr.String() != "192.168.1.11" || info.Kind != KindLauncher {
			t.Errorf("got %+v", info)
		}
		if n.c.LocalID() != 2 || n.c.LocalRole() != RoleSpectator || n.c.SessionID() != "friday" || n.c.IsAuthority() || n.c.PeerCount() != 0 || n.c.Port() != 0 {
			t.Errorf("client: id %d role %s session %q", n.c.LocalID(), n.c.LocalRole(), n.c.SessionID())
		}
		if w.host.LocalID() != HostID || w.host.LocalRole() != RoleAuthority || w.host.Mode() != ModeHost || w.host.PeerCount() != 1 || len(w.host.Peers()) != 1 || !w.host.IsAuthority() {
			t.Errorf("host: id %d role %s mode %s peers %d", w.host.LocalID(), w.host.LocalRole(), w.host.Mode(), w.host.PeerCount())
		}
		if got := w.host.Peer(99); got.Valid || got.ID != 0 {
			t.Errorf("unknown peer: got %+v", got)
		}
	})
}

func TestJoinIsRefusedWithAReason(t *testing.T) {
	for _, c := range []struct {
		name string
		host func(*Host)
		join func(*JoinRequest)
		want string
	}{
		{"another project", nil, func(r *JoinRequest) { r.ProjectID = "other" }, "wrong_project"},
		{"another session", nil, func(r *JoinRequest) { r.SessionID = "monday" }, "wrong_session"},
		{"another build", nil, func(r *JoinRequest) { r.BuildHash = "2.0" }, "build_mismatch: host=1.0 you=2.0"},
		{"wrong password", func(h *Host) { h.Password = "pearl" }, func(r *JoinRequest) { r.Password = "shell" }, "bad_password"},
		{"no password", func(h *Host) { h.Password = "pearl" }, nil, "bad_password"},
		{"wrong code", func(h *Host) { h.Open = false; h.Code = "K7M2QX" }, func(r *JoinRequest) { r.JoinCode = "K7M2QY" }, "bad_code"},
		{"code made by default", func(h *Host) { h.Open = false }, func(r *JoinRequest) { r.JoinCode = "" }, "bad_code"},
		{"refused", func(h *Host) {
			h.Approve = func(context.Context, ApprovalRequest) Decision { return Decision{Reason: "not today"} }
		}, nil, "refused: not today"},
		{"zero decision", func(h *Host) {
			h.Approve = func(context.Context, ApprovalRequest) Decision { return Decision{} }
		}, nil, "refused: the host refused"},
		{"approval panics", func(h *Host) {
			h.Approve = func(context.Context, ApprovalRequest) Decision { panic("secret detail") }
		}, nil, "approval_error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, c.host, func(w *world) {
				n := w.join(func(_ *ClientOptions, r *JoinRequest) {
					if c.join != nil {
						c.join(r)
					}
				})
				w.pass(time.Second)
				n.want("ClientJoinFailed " + c.want)
				w.hostNode().want("SessionStarted")
				if n.c.Mode() != ModeNone || w.host.PeerCount() != 0 {
					t.Errorf("mode %s, peers %d", n.c.Mode(), w.host.PeerCount())
				}
			})
		})
	}
}

func TestJoinWithPasswordOrCode(t *testing.T) {
	for _, c := range []struct {
		name string
		host func(*Host)
		join func(*JoinRequest)
	}{
		{"password", func(h *Host) { h.Password = "pearl" }, func(r *JoinRequest) { r.Password = "pearl" }},
		{"code as typed", func(h *Host) { h.Open = false; h.Code = "K7M2QX" }, func(r *JoinRequest) { r.JoinCode = " k7m-2qx" }},
		{"code with mistaken letters", func(h *Host) { h.Open = false; h.Code = "0LV234" }, func(r *JoinRequest) { r.JoinCode = "o1u234" }},
		{"any build", func(h *Host) {
			h.AnyBuild = true
			h.Approve = func(_ context.Context, r ApprovalRequest) Decision {
				return Decision{Approved: r.ID == 2 && r.Build == "2.0" && !r.BuildMatches, PlayerState: map[string]any{"hat": "red"}}
			}
		}, func(r *JoinRequest) { r.BuildHash = "2.0" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, c.host, func(w *world) {
				n := w.joined(func(_ *ClientOptions, r *JoinRequest) { c.join(r) })
				if c.name == "any build" {
					if v, _ := n.c.PlayerState(n.id()).Get("hat"); v != "red" {
						t.Errorf("player state of the decision: got %v", v)
					}
				}
			})
		})
	}
}

// TestSecretsStayHome: neither password nor code nor anything that a game chose goes out before the host has proved that
// it plays the same project.
func TestSecretsStayHome(t *testing.T) {
	inWorld(t, func(h *Host) { h.Password = "pearl-of-great-price" }, func(w *world) {
		p := w.raw("192.168.1.50:1", false)
		defer p.close()
		h := p.hello()
		h.Project = wire.ClientProject(h.Nonce, "other")
		p.send(&h)
		w.pass(50 * time.Millisecond)
		if r := frame[*wire.Reject](p); r == nil || r.Code != "wrong_project" || frame[*wire.Challenge](p) != nil {
			t.Errorf("got %v, want wrong_project and no challenge", r)
		}
	})
}

func TestFakeHostIsNoHost(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		for _, c := range []struct {
			name   string
			answer func(*wire.Hello) wire.Frame
			want   string
		}{
			{"challenge without the project", func(*wire.Hello) wire.Frame { return &wire.Challenge{Version: 1} }, "not_a_host"},
			{"another frame", func(*wire.Hello) wire.Frame { return &wire.Ping{} }, "not_a_host"},
			{"endless work", func(h *wire.Hello) wire.Frame {
				return &wire.Challenge{Version: 1, Project: wire.HostProject(h.Nonce, [16]byte{}, "skiff"), Need: wire.NeedCode, Iterations: 1 << 40}
			}, "not_a_host"},
			{"no proof of the password", func(h *wire.Hello) wire.Frame {
				return &wire.Challenge{Version: 1, Project: wire.HostProject(h.Nonce, [16]byte{}, "skiff"), Need: wire.NeedPassword, Iterations: 1}
			}, "not_a_host"},
		} {
			host := make(chan Conn, 1)
			n := w.join(func(o *ClientOptions, r *JoinRequest) {
				o.Dial = func(context.Context, Address) (Conn, error) {
					client, far := pair()
					host <- far
					return client, nil
				}
			})
			far := <-host
			b, err := far.Read()
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(b), "skiff") || strings.Contains(string(b), "Ada") {
				t.Errorf("%s: the first message carries what a game chose: %q", c.name, b)
			}
			all, err := wire.Decode(b)
			if err != nil {
				t.Fatal(err)
			}
			far.Write(wire.Append(nil, c.answer(all[0].(*wire.Hello))))
			if c.name == "no proof of the password" {
				far.Read()
				far.Write(wire.Append(nil, &wire.Welcome{ID: 2, Proof: make([]byte, 32)}))
			}
			w.pass(100 * time.Millisecond)
			n.want("ClientJoinFailed " + c.want)
			far.CloseNow()
		}
	})
}

func TestApprovalNeverAnswers(t *testing.T) { // a callback that never answers, and one that answers too late
	late := make(chan struct{})
	inWorld(t, func(h *Host) {
		h.Approve = func(ctx context.Context, r ApprovalRequest) Decision {
			if r.Name == "Late" {
				<-ctx.Done()
				time.Sleep(time.Second) // 11 s after the request
				close(late)
				return Decision{Approved: true}
			}
			return Decision{Approved: true}
		}
	}, func(w *world) {
		begin := time.Now()
		n := w.join(func(_ *ClientOptions, r *JoinRequest) { r.PlayerName, r.Timeout = "Late", 30*time.Second })
		w.until(11*time.Second, "the end", func() bool { return len(n.events) > 0 })
		if took := time.Since(begin); took < 9500*time.Millisecond || took > 10500*time.Millisecond {
			t.Errorf("it took %v, want 10 s", took)
		}
		n.want("ClientJoinFailed approval_timeout")
		w.pass(2 * time.Second)
		<-late
		w.hostNode().want("SessionStarted")
		if w.host.PeerCount() != 0 {
			t.Errorf("peers: %d", w.host.PeerCount())
		}
		w.joined(nil)
	})
}

func TestApprovalMayChange(t *testing.T) { // for those who were not handed over yet
	inWorld(t, nil, func(w *world) {
		w.joined(nil)
		w.host.SetApprove(func(context.Context, ApprovalRequest) Decision { return Decision{Reason: "closed"} })
		n := w.join(nil)
		w.pass(100 * time.Millisecond)
		n.want("ClientJoinFailed refused: closed")
		w.host.SetApprove(nil)
		w.joined(nil)
	})
}

func TestJoinCodesAreNotEmpty(t *testing.T) {
	for _, code := range []string{"-", "---", "  - -", "ab-c"} {
		h := &Host{Code: code}
		if err := h.Start("skiff", "friday", "1.0", NoPort); err == nil {
			t.Errorf("%q was taken", code)
			h.Close()
		}
	}
}

func TestRefusalLeavesNothingBehind(t *testing.T) {
	inWorld(t, func(h *Host) {
		h.Approve = func(context.Context, ApprovalRequest) Decision { return Decision{} }
	}, func(w *world) {
		w.join(nil)
		w.pass(70 * time.Second)
		if s := w.log.String(); strings.Contains(s, "level=WARN") || strings.Contains(s, "level=ERROR") {
			t.Errorf("log:\n%s", s)
		}
	})
}

func TestClientLeavesDuringApproval(t *testing.T) {
	aborted := false
	inWorld(t, func(h *Host) {
		h.Approve = func(ctx context.Context, _ ApprovalRequest) Decision {
			<-ctx.Done()
			aborted = true
			return Decision{Approved: true}
		}
	}, func(w *world) {
		n := w.join(nil)
		w.pass(time.Second)
		n.c.Stop()
		w.pass(time.Second)
		n.want("ClientJoinFailed cancelled")
		w.hostNode().want("SessionStarted")
		if !aborted || w.host.PeerCount() != 0 {
			t.Errorf("aborted %t, peers %d", aborted, w.host.PeerCount())
		}
	})
}

func TestFiftyJoinAtOnce(t *testing.T) {
	inWorld(t, func(h *Host) {
		h.MaxPeers = 8
		h.Approve = func(ctx context.Context, _ ApprovalRequest) Decision {
			time.Sleep(200 * time.Millisecond)
			return Decision{Approved: true}
		}
	}, func(w *world) {
		w.host.mu.Lock()
		w.host.sockets = -50 // all 50 sockets may be open: this is about seats
		w.host.mu.Unlock()
		for range 50 {
			w.join(nil)
		}
		most := 0
		for range 200 {
			w.pass(10 * time.Millisecond)
			most = max(most, w.host.PeerCount())
		}
		in, full := 0, 0
		for _, n := range w.nodes[1:] {
			in += n.count("SessionStarted")
			full += n.count("ClientJoinFailed full")
		}
		if in != 8 || full != 42 || most != 8 {
			t.Errorf("in %d, full %d, most peers %d, want 8, 42, 8", in, full, most)
		}
	})
}

func TestWrongPasswordsAreLimited(t *testing.T) {
	inWorld(t, func(h *Host) { h.Password = "pearl" }, func(w *world) {
		attempt := func(password string) string {
			w.clients = 0 // always the same address
			n := w.join(func(_ *ClientOptions, r *JoinRequest) { r.Password = password })
			w.pass(300 * time.Millisecond)
			return strings.Join(n.names()[:1], "")
		}
		for range 3 {
			if got := attempt("wrong"); got != "ClientJoinFailed bad_password" {
				t.Errorf("got %s", got)
			}
		}
		if got := attempt("pearl"); got != "ClientJoinFailed rate_limited" {
			t.Errorf("right password while blocked: got %s", got)
		}
		w.pass(61 * time.Second)
		if got := attempt("pearl"); got != "SessionStarted" {
			t.Errorf("after a minute: got %s", got)
		}
	})
}

func TestSilentAndSlowNewcomers(t *testing.T) {
	for _, c := range []struct {
		name string
		say  func(p *rawPeer)
		gone time.Duration
		want string
	}{
		{"says nothing", func(*rawPeer) {}, 3 * time.Second, "timeout"},
		{"only hello", func(p *rawPeer) { h := p.hello(); p.send(&h) }, 5 * time.Second, "timeout"},
		{"auth first", func(p *rawPeer) { p.send(&wire.Auth{}) }, 0, "protocol_error"},
		{"rubbish", func(p *rawPeer) { p.conn.Write([]byte("GET / HTTP/1.1\r\n")) }, 0, "protocol_error"},
		{"two frames at once", func(p *rawPeer) { h := p.hello(); p.send(&h, &wire.Auth{}) }, 0, "protocol_error"},
		{"other versions", func(p *rawPeer) { h := p.hello(); h.MinVersion, h.MaxVersion = 2, 9; p.send(&h) }, 0, "protocol_version"},
		{"newer and this version", func(p *rawPeer) { h := p.hello(); h.MaxVersion = 9; p.send(&h) }, 5 * time.Second, "timeout"},
		{"token of nobody", func(p *rawPeer) {
			h := p.hello()
			p.send(&h)
			p.w.pass(20 * time.Millisecond)
			p.send(&wire.Auth{Resume: make([]byte, 16)})
		}, 0, "bad_token"},
		{"token of another length", func(p *rawPeer) {
			h := p.hello()
			p.send(&h)
			p.w.pass(20 * time.Millisecond)
			p.send(&wire.Auth{Resume: make([]byte, 3)})
		}, 0, "bad_token"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, nil, func(w *world) {
				p := w.raw("192.168.1.50:1", false)
				defer p.close()
				c.say(p)
				if c.gone > 0 {
					w.pass(c.gone - 200*time.Millisecond)
					if p.over() {
						t.Error("ended too early")
					}
				}
				w.pass(time.Second)
				if r := frame[*wire.Reject](p); r == nil || r.Code != c.want || !p.over() {
					t.Errorf("got %v, over %t, want %s", r, p.over(), c.want)
				}
				w.hostNode().want("SessionStarted")
			})
		})
	}
}

func TestFirstMessagesAreShort(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		p := w.raw("192.168.1.50:1", false)
		defer p.close()
		p.conn.Write(make([]byte, maxFirstMessages+1))
		w.pass(100 * time.Millisecond)
		if !p.over() {
			t.Error("a long first message was taken")
		}
	})
}

func TestHalfOpenConnections(t *testing.T) { // they must not take the seats of others, nor more than their share
	inWorld(t, nil, func(w *world) {
		var all []*rawPeer
		for range 12 {
			p := w.raw("192.168.1.50:1", false)
			defer p.close()
			all = append(all, p)
		}
		refused := 0
		for _, p := range all {
			if p.over() {
				refused++
			}
		}
		if refused != 4 {
			t.Errorf("of 12 connections from one address %d were refused, want 4", refused)
		}
		w.joined(nil)
		w.pass(4 * time.Second)
		w.host.mu.Lock()
		left := w.host.sockets
		w.host.mu.Unlock()
		if left != 1 {
			t.Errorf("%d connections are left, want the one that joined", left)
		}
	})
}

func TestConnectionsOfOneAddressDoNotUseUpAll(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		refused := 0
		for range 200 {
			p := w.raw("192.168.1.50:1", false)
			if p.over() {
				refused++
			}
			p.close()
			synctest.Wait()
		}
		if refused < 170 {
			t.Errorf("of 200 connections at once from one address %d were refused", refused)
		}
		w.joined(nil)
		w.pass(15 * time.Second)
		w.host.mu.Lock()
		defer w.host.mu.Unlock()
		if n := len(w.host.acceptsBy); n != 0 {
			t.Errorf("%d addresses are remembered", n)
		}
	})
}

func TestPendingPerAddress(t *testing.T) {
	inWorld(t, func(h *Host) {
		h.Approve = func(ctx context.Context, _ ApprovalRequest) Decision { <-ctx.Done(); return Decision{} }
	}, func(w *world) {
		var last *node
		for range 3 {
			w.clients = 0
			last = w.join(nil)
			w.pass(50 * time.Millisecond)
		}
		last.want("ClientJoinFailed rate_limited")
	})
}

func TestJoinFailures(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		n := w.join(func(o *ClientOptions, _ *JoinRequest) {
			o.Dial = func(context.Context, Address) (Conn, error) { return nil, context.DeadlineExceeded }
		})
		w.pass(100 * time.Millisecond)
		n.want("ClientJoinFailed unreachable")
		n = w.join(func(o *ClientOptions, r *JoinRequest) {
			r.Timeout = 2 * time.Second
			o.Dial = func(ctx context.Context, _ Address) (Conn, error) { <-ctx.Done(); return nil, ctx.Err() }
		})
		w.pass(1900 * time.Millisecond)
		n.want()
		w.pass(200 * time.Millisecond)
		n.want("ClientJoinFailed timeout")
		n = w.join(func(o *ClientOptions, r *JoinRequest) { // connects and then says nothing
			r.Timeout = 2 * time.Second
			o.Dial = func(context.Context, Address) (Conn, error) {
				client, far := pair()
				t.Cleanup(far.CloseNow)
				return client, nil
			}
		})
		w.pass(2100 * time.Millisecond)
		n.want("ClientJoinFailed timeout")
	})
}

func TestKickedBeforeItStarted(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		w.hostNode().on = func(e Event) {
			if e, ok := e.(HostPeerConnected); ok {
				w.host.Disconnect(e.Peer.ID, "banned here")
			}
		}
		n := w.join(nil)
		w.pass(time.Second)
		n.want("ClientJoinFailed kicked: banned here")
		w.hostNode().want("SessionStarted", "HostPeerConnected 2", "HostPeerDisconnected 2 kicked: banned here")
	})
}

func TestWelcomeDoesNotWaitForUpdateForever(t *testing.T) { // the host's window is hidden
	inWorld(t, nil, func(w *world) {
		w.hostNode().asleep = true
		n := w.join(nil)
		w.pass(1900 * time.Millisecond)
		n.want()
		w.pass(300 * time.Millisecond)
		n.want("SessionStarted", "ClientGameStateReplicated", "ClientPlayerStateReplicated")
	})
}
