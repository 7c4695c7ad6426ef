package session_test

import (
	"fmt"
	"time"

	"conch/session"
)

// A whole game without a window: the host keeps the score, a player scores a point and sees it come back.
func Example() {
	host := &session.Host{Open: true} // nobody is asked for a code; for players on a network leave this out
	host.Handle = func(e session.Event) {
		switch e := e.(type) {
		case session.HostPeerConnected:
			host.PlayerState(e.Peer.ID).Set("points", 0)
		}
	}
	host.OnRPC("score", func(c *session.Call) {
		player := host.PlayerState(c.From)
		points, _ := player.Get("points")
		c.Reply([]byte("well done"))
		player.Set("points", points.(int64)+1)
	})
	if err := host.Start("example", "table-1", "1.0", session.AnyPort); err != nil {
		fmt.Println(err)
		return
	}

	var player *session.Client
	scored := make(chan int64, 10)
	options := session.ClientOptions{Handle: func(e session.Event) {
		switch e := e.(type) {
		case session.SessionStarted:
			player.SendRPCToHost("score", 0, nil).OnDone(func(r session.CallResult, err error) {
				fmt.Printf("%v: %s\n", r.Status, r.Value)
			})
		case session.ClientPlayerStateReplicated:
			points, _ := e.State.Get("points")
			scored <- points.(int64)
		}
	}}
	request := session.JoinRequest{ProjectID: "example", BuildHash: "1.0", PlayerName: "Ada"}
	var err error
	if player, err = session.Join(options, request, fmt.Sprintf("127.0.0.1:%d", host.Port())); err != nil {
		fmt.Println(err)
		return
	}

	// The loop of a game: Update, then draw.
	for points := int64(0); points < 1; time.Sleep(5 * time.Millisecond) {
		host.Update(0.005)
		player.Update(0.005)
		select {
		case points = <-scored:
		default:
		}
	}
	fmt.Println("one point")
	player.Close()
	host.Close()
	// Output:
	// ok: well done
	// one point
}
