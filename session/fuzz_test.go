package session

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"conch/session/sessiontest"
	"conch/session/wire"
)

// FuzzHost lets a hostile client, welcomed or not, send anything in any order, while an honest one plays. The host must
// neither crash nor hang nor lose the honest peer. Each byte of the script is a step: what is sent, or time that passes;
// some steps take the next bytes as they are.
func FuzzHost(f *testing.F) {
	f.Add(true, []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	f.Add(false, []byte{20, 0, 1, 2})
	f.Add(true, []byte{14, 3, 200, 0, 0, 15, 15, 4, 4, 4})
	f.Add(true, []byte{16, 17, 18, 3, 15, 19, 15, 3, 6, 6, 6})
	f.Fuzz(func(t *testing.T, welcomed bool, script []byte) {
		if len(script) > 80 {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			w := &world{T: t, log: &logLines{}}
			w.startHost(func(h *Host) { h.Rates.Frames, h.Rates.Calls = 20, 10 })
			defer w.close()
			w.host.OnRPC("x", func(c *Call) { c.Reply(c.Args) })
			w.host.OnRPC("panic", func(*Call) { panic("by request") })
			honest := w.joined(nil)
			loader(honest, within(0))
			p := w.raw("192.168.1.66:1", false)
			var token [wire.TokenSize]byte
			if welcomed {
				token = p.welcomed().Token
			}
			for i := 0; i < len(script); i++ {
				step := script[i]
				if step%32 == 21 { // bytes as they are
					n := min(int(step/32)+2, len(script)-i-1)
					p.conn.Write(script[i+1 : i+1+n])
					i += n
					continue
				}
				p = hostileStep(w, p, step, &token)
			}
			p.close()
			w.pass(100 * time.Millisecond)
			if !honest.c.IsActive() {
				t.Errorf("the honest peer was lost: %v", honest.names())
			}
			op := honest.c.SendRPCToHost("x", 0, []byte("still there?"))
			w.pass(100 * time.Millisecond)
			if r, err := result(w, op); r.Status != StatusOK || err != nil {
				t.Errorf("the honest peer's call: %v %v", r.Status, err)
			}
		})
	})
}

func hostileStep(w *world, p *rawPeer, step byte, token *[wire.TokenSize]byte) *rawPeer {
	n := uint64(step / 32)
	switch step % 32 {
	case 0:
		h := p.hello()
		p.send(&h)
	case 1:
		p.send(&wire.Auth{Build: "1.0", Name: "\u202Eevil", Kind: byte(200 + n), Loaded: n})
	case 2:
		p.send(&wire.Challenge{}, &wire.Welcome{})
	case 3:
		p.send(&wire.Loaded{Transition: n, OK: true})
	case 4:
		p.send(&wire.Loaded{Transition: n, Text: "no"})
	case 5:
		p.send(&wire.Resync{Seq: n})
	case 6:
		for range 300 {
			p.send(&wire.Resync{})
		}
	case 7:
		p.send(&wire.RPC{Call: n, Name: "x", Args: make([]byte, n*9000)})
	case 8:
		p.send(&wire.RPC{Call: n, Object: n, Name: "panic"})
	case 9:
		p.send(&wire.Result{Call: n, Status: Status(n * 37), Value: []byte("?")})
	case 10:
		p.send(&wire.Pong{Seq: n, T0: wire.MaxUint, T1: 0, T2: wire.MaxUint})
	case 11:
		p.send(&wire.Ping{Seq: wire.MaxUint, T0: wire.MaxUint})
	case 12:
		p.send(&wire.Bye{Code: "kicked", Text: "you"})
	case 13:
		p.send(&wire.Spawn{Entity: wire.Entity{Target: wire.ObjectTarget(n)}})
	case 14:
		p.conn.Write([]byte{})
	case 15:
		w.pass(time.Duration(10<<(n%6)) * time.Millisecond)
	case 16:
		w.host.HostLoadScene(bay, n%2 == 0)
	case 17:
		w.host.Spawn("crab", map[string]any{"n": int64(n)}, SpawnOptions{Owner: n % 4, Persistent: n%2 == 0})
	case 18:
		w.host.GameState().Set("n", int64(n))
	case 19: // a new connection, with the token
		p.close()
		p = w.raw("192.168.1.66:1", false)
		h := p.hello()
		p.send(&h)
		w.pass(20 * time.Millisecond)
		p.send(&wire.Auth{Resume: token[:], Loaded: n})
		w.pass(20 * time.Millisecond)
		if f := frame[*wire.Welcome](p); f != nil {
			*token = f.Token
		}
	case 20:
		p.close()
		p = w.raw("192.168.1.66:1", n%2 == 0)
	case 22:
		w.host.SendRPCMulticast("x", 0, nil, []uint64{2, 3, 4, 5})
	case 23:
		w.host.Disconnect(3, "fuzz")
	}
	return p
}

// FuzzClient lets a hostile host send anything after its welcome. The client must neither crash nor hang.
func FuzzClient(f *testing.F) {
	f.Add([]byte{6, 0, 2, 1, 1})
	f.Add(wire.Append(wire.Append(nil, &wire.SnapBegin{Size: 1}), &wire.SnapPart{Data: []byte{0}}))
	f.Add(wire.Append(wire.Append(wire.Append(nil, &wire.SnapBegin{Size: 1}), &wire.SnapPart{Data: []byte{0}}), &wire.SnapEnd{CRC: wire.CRC([]byte{0})}))
	f.Add(wire.Append(nil, &wire.Load{Transition: 1, UUID: "x"}))
	f.Add(wire.Append(nil, &wire.RPC{Call: 1, Name: "x"}))
	f.Fuzz(func(t *testing.T, message []byte) {
		synctest.Test(t, func(t *testing.T) {
			near, far := sessiontest.Pair(sessiontest.Options{})
			c, err := Join(ClientOptions{Dial: func(context.Context, Address) (Conn, error) { return near, nil }}, request(), "127.0.0.1")
			if err != nil {
				t.Fatal(err)
			}
			b, err := far.Read()
			if err != nil {
				t.Fatal(err)
			}
			all, err := wire.Decode(b)
			if err != nil {
				t.Fatal(err)
			}
			hello := all[0].(*wire.Hello)
			far.Write(wire.Append(nil, &wire.Challenge{Version: 1, Project: wire.HostProject(hello.Nonce, [16]byte{}, "skiff")}))
			far.Read()
			far.Write(append(wire.Append(nil, &wire.Welcome{ID: 2, Limits: wire.Limits{Args: 100, CallsInFlight: 4, TimeoutMillis: 1000}}), message...))
			for range 5 {
				time.Sleep(10 * time.Millisecond)
				synctest.Wait()
				c.Update(0)
				c.SendRPCToHost("x", 0, nil)
				c.NotifySceneLoaded(SceneInstance{Transition: 1}, true, "")
			}
			far.CloseNow()
			c.Close()
			c.Update(0)
			time.Sleep(time.Second)
		})
	})
}
