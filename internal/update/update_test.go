package update

import (
	"bytes"
	"context"
	"crypto/tls"
	"debug/elf"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"conch/internal/wstest"
	"conch/runtime/bundle"
)

func tlsConfig(ca *wstest.CA) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{ca.Cert("localhost", "127.0.0.1")}}
}

// TestUpdate is the good way: a check, the new program in the old one's place, the old one kept until the new one has
// started once.
func TestUpdate(t *testing.T) {
	s := newShop(t)
	before, err := os.ReadFile(s.program)
	if err != nil {
		t.Fatal(err)
	}
	program := s.release("1.2.0")
	r := s.check()
	if !r.Newer || r.Skipped || r.Version != "1.2.0" || !r.Replace || r.Page != "https://games.example.net/mygame" || !strings.HasPrefix(r.Notes, "New levels.") {
		t.Fatalf("release %+v", r)
	}
	var last int64
	staged, err := s.u.Stage(t.Context(), r, func(done, total int64) {
		if last = done; total != int64(len(program)) {
			t.Errorf("progress of %d", total)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != int64(len(program)) {
		t.Errorf("progress ended at %d of %d", last, len(program))
	}
	if got, _ := os.ReadFile(s.program); !bytes.Equal(got, before) {
		t.Error("staging touched the old program")
	}
	if err := s.u.Settle(t.Context()); !errors.Is(err, ErrBusy) {
		t.Errorf("a start in between: %v, want ErrBusy", err)
	}
	if err := staged.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(s.program)
	if err != nil || !bytes.Equal(got, program) {
		t.Errorf("the new program is not in place: %v", err)
	}
	if info, _ := os.Stat(s.program); info.Mode().Perm() != 0o755 {
		t.Errorf("mode %v", info.Mode())
	}
	old, _ := os.ReadFile(s.program + ".old")
	if !bytes.Equal(old, before) {
		t.Error("the old program was not kept")
	}
	// The old game, started from a copy elsewhere, settles nothing.
	if err := s.u.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"My Game.conch", "My Game.conch.old"}; !slices.Equal(s.beside(), want) {
		t.Errorf("beside the program: %q", s.beside())
	}
	s.u = s.updater() // the new version starts
	if s.u.Game.Version != "1.2.0" {
		t.Errorf("version %q", s.u.Game.Version)
	}
	if err := s.u.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"My Game.conch"}; !slices.Equal(s.beside(), want) {
		t.Errorf("beside the program: %q", s.beside())
	}
	if r := s.check(); r.Newer {
		t.Errorf("1.2.0 is offered to itself: %+v", r)
	}
}

// TestUpdatePackedProgram: what is replaced is the program with its launcher, by one for the same system only.
func TestUpdatePackedProgram(t *testing.T) {
	launcher := elfHead(elf.EM_X86_64)
	pack := func(path string, head []byte, g gameSpec) []byte {
		writeGame(t, path, g)
		game, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		program := packed(head, game)
		if err := os.WriteFile(path, program, 0o755); err != nil {
			t.Fatal(err)
		}
		return program
	}
	s := newShop(t)
	feedAt := s.site.url("/feed.json")
	pack(s.program, launcher, gameSpec{"author", gameID, "1.1.0", feedAt})
	s.u = s.updater()
	program := pack(filepath.Join(t.TempDir(), "new"), launcher, gameSpec{"author", gameID, "1.2.0", feedAt})
	s.site.serveBytes("/1.2.0.conch", program)
	f := s.feedFor("1.2.0", program)
	s.publish(f, "author")
	if r := s.check(); !r.Newer || r.Replace || !strings.Contains(r.Why, "no program to put in its place (linux-amd64)") {
		t.Errorf("a feed with a bundle only: %+v", r)
	}
	f.Targets = map[string]Target{"linux-amd64": f.Targets["bundle"]}
	s.publish(f, "author")
	staged, err := s.u.Stage(t.Context(), s.check(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := staged.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(s.program); !bytes.Equal(got, program) {
		t.Error("the program is not the new one")
	}
	if s.u = s.updater(); s.u.Game.Version != "1.2.0" {
		t.Errorf("version %s", s.u.Game.Version)
	}
	// The author mixed up the systems.
	program = pack(filepath.Join(t.TempDir(), "new"), peHead(0x8664), gameSpec{"author", gameID, "1.3.0", feedAt})
	s.site.serveBytes("/1.3.0.conch", program)
	f = s.feedFor("1.3.0", program)
	f.Targets = map[string]Target{"linux-amd64": f.Targets["bundle"]}
	s.publish(f, "author")
	if _, err := s.u.Stage(t.Context(), s.check(), nil); err == nil || !strings.Contains(err.Error(), "is for windows-amd64, the old one for linux-amd64") {
		t.Errorf("%v", err)
	}
}

// TestOldFeedsAreNotBelieved: whoever serves an old feed of the author's can neither take a player back nor hide what
// was seen, and one that is past its time is said to be.
func TestOldFeedsAreNotBelieved(t *testing.T) {
	s := newShop(t)
	old := s.publish(s.feedFor("1.2.0", []byte("x")), "author")
	if r := s.check(); r.Version != "1.2.0" {
		t.Fatalf("%+v", r)
	}
	again := s.feedFor("1.3.0", []byte("x"))
	again.Date = s.now
	middle := s.publish(again, "author")
	if r := s.check(); r.Version != "1.3.0" {
		t.Fatalf("%+v", r)
	}
	s.site.serveBytes("/feed.json", old)
	var rollback *RollbackError
	if r, err := s.u.Check(t.Context()); r != nil || !errors.As(err, &rollback) || rollback.Seen != "1.3.0" {
		t.Errorf("an older feed: %+v, %v", r, err)
	}
	again.Date = s.now.Add(-time.Minute) // the same version, signed earlier
	s.publish(again, "author")
	if r, err := s.u.Check(t.Context()); r != nil || !errors.As(err, &rollback) {
		t.Errorf("an older feed of the same version: %+v, %v", r, err)
	}
	s.site.serveBytes("/feed.json", middle)
	if r := s.check(); !r.Newer {
		t.Errorf("%+v", r)
	}
	// A version below the player's own is nothing to take, whatever was seen.
	if err := os.Remove(filepath.Join(s.u.Dir, stateName)); err != nil {
		t.Fatal(err)
	}
	s.publish(s.feedFor("1.0.0", []byte("x")), "author")
	r := s.check()
	if r.Newer {
		t.Errorf("1.0.0 is newer than 1.1.0: %+v", r)
	}
	if staged, err := s.u.Stage(t.Context(), r, nil); err == nil {
		staged.Discard()
		t.Error("a downgrade was staged")
	}
	// A feed that nobody renews.
	frozen := s.feedFor("1.2.0", []byte("x"))
	until := s.now.Add(24 * time.Hour)
	frozen.Expires = &until
	s.publish(frozen, "author")
	s.check()
	s.now = s.now.Add(48 * time.Hour)
	var expired *ExpiredError
	if r, err := s.u.Check(t.Context()); r == nil || !r.Newer || !errors.As(err, &expired) {
		t.Errorf("an expired feed: %+v, %v", r, err)
	}
}

// TestDue: once in 20 hours, not when it is off, and a hanging server counts as asked.
func TestDue(t *testing.T) {
	s := newShop(t)
	due := func(name string, want bool) {
		t.Helper()
		if got := s.u.Due(); got != want {
			t.Errorf("%s: due %t, want %t", name, got, want)
		}
	}
	due("never asked", true)
	if _, err := s.u.Check(t.Context()); err == nil {
		t.Fatal("there is no feed")
	}
	due("just asked in vain", false)
	s.now = s.now.Add(between - time.Second)
	due("almost a day", false)
	s.now = s.now.Add(time.Second)
	due("a day", true)
	s.now = s.now.Add(-365 * 24 * time.Hour)
	due("the clock went back", true)
	if err := s.u.SetOff(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	due("off", false)
	if !s.u.Off() {
		t.Error("off is not remembered")
	}
	if err := s.u.SetOff(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	due("on again", true)
	if err := os.WriteFile(filepath.Join(s.u.Dir, stateName), []byte("{nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	due("state that makes no sense", true)
}

func TestSkip(t *testing.T) {
	s := newShop(t)
	s.publish(s.feedFor("1.2.0", []byte("x")), "author")
	if r := s.check(); r.Skipped {
		t.Error("skipped before it was")
	}
	if err := s.u.Skip(t.Context(), "1.2.0"); err != nil {
		t.Fatal(err)
	}
	if r := s.check(); !r.Skipped {
		t.Error("not skipped")
	}
	s.publish(s.feedFor("1.2.1", []byte("x")), "author")
	if r := s.check(); r.Skipped {
		t.Error("the next version is skipped too")
	}
}

// TestRequestTellsNothing: what a check sends is the same for every player.
func TestRequestTellsNothing(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	t.Setenv("https_proxy", "http://127.0.0.1:1")
	s := newShop(t)
	text := s.publish(s.feedFor("1.2.0", []byte("x")), "author")
	s.site.serve("/feed.json", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "player", Value: "1"})
		http.Redirect(w, r, s.site.url("/moved.json?x=1"), http.StatusFound)
	})
	s.site.serveBytes("/moved.json", text)
	for range 2 {
		s.check()
	}
	for _, h := range s.site.head {
		var names []string
		for name := range h {
			names = append(names, name)
		}
		slices.Sort(names)
		if want := []string{"Accept", "Cache-Control", "Connection", "User-Agent"}; !slices.Equal(names, want) || h.Get("User-Agent") != "Conch" {
			t.Errorf("request headers %v", h)
		}
	}
}

// TestPlacesThatAreNotAsked: this computer, without the switch for tries; a certificate that nobody vouches for.
func TestPlacesThatAreNotAsked(t *testing.T) {
	s := newShop(t)
	s.release("1.2.0")
	s.u.RootCAs = nil
	if _, err := s.u.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "this computer") {
		t.Errorf("localhost: %v", err)
	}
	s.u.RootCAs = wstest.NewCA(t).Pool()
	if _, err := s.u.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("unknown authority: %v", err)
	}
	if n := s.site.count("/feed.json"); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// TestTwoAtOnce: the second of two updates of one game is told so, and the first goes on.
func TestTwoAtOnce(t *testing.T) {
	s := newShop(t)
	program := s.release("1.2.0")
	asked, go_ := make(chan bool), make(chan bool)
	s.site.serve("/1.2.0.conch", func(w http.ResponseWriter, _ *http.Request) {
		asked <- true
		<-go_
		w.Write(program)
	})
	r := s.check()
	type result struct {
		staged *Staged
		err    error
	}
	first := make(chan result, 1)
	go func() {
		staged, err := s.u.Stage(context.Background(), r, nil)
		first <- result{staged, err}
	}()
	<-asked
	if _, err := s.u.Stage(t.Context(), r, nil); !errors.Is(err, ErrBusy) {
		t.Errorf("second: %v", err)
	}
	if err := s.updater().Settle(t.Context()); err != nil && !errors.Is(err, ErrBusy) {
		t.Errorf("a start meanwhile: %v", err)
	}
	close(go_)
	got := <-first
	if got.err != nil {
		t.Fatal(got.err)
	}
	if err := got.staged.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v := s.updater().Game.Version; v != "1.2.0" {
		t.Errorf("version %s", v)
	}
}

// TestEndedInTheMiddle: a process that was killed between fetching and putting in place leaves a file that the next
// start removes, and the player is asked again at once.
func TestEndedInTheMiddle(t *testing.T) {
	s := newShop(t)
	s.release("1.2.0")
	staged, err := s.u.Stage(t.Context(), s.check(), nil)
	if err != nil {
		t.Fatal(err)
	}
	staged.lock.Close() // what the end of the process does
	if s.u.Due() {
		t.Error("due before the next start")
	}
	if err := s.u.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"My Game.conch"}; !slices.Equal(s.beside(), want) {
		t.Errorf("beside the program: %q", s.beside())
	}
	if !s.u.Due() {
		t.Error("not offered again")
	}
}

// TestCancelled: closing the game ends a download and leaves nothing.
func TestCancelled(t *testing.T) {
	s := newShop(t)
	program := s.release("1.2.0")
	ctx, cancel := context.WithCancel(t.Context())
	s.site.serve("/1.2.0.conch", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(program)))
		w.Write(program[:100])
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
	})
	if _, err := s.u.Stage(ctx, s.check(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if want := []string{"My Game.conch"}; !slices.Equal(s.beside(), want) {
		t.Errorf("beside the program: %q", s.beside())
	}
}

// TestCommitFails: the new program vanished, or the folder did: the old one stays and is the one that starts.
func TestCommitFails(t *testing.T) {
	s := newShop(t)
	s.release("1.2.0")
	staged, err := s.u.Stage(t.Context(), s.check(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(staged.path); err != nil {
		t.Fatal(err)
	}
	if err := staged.Commit(t.Context()); err == nil {
		t.Error("no error")
	}
	if want := []string{"My Game.conch"}; !slices.Equal(s.beside(), want) || s.updater().Game.Version != "1.1.0" {
		t.Errorf("beside the program: %q", s.beside())
	}
	if st := readState(s.u.Dir); st.Installed != "" || st.Old != "" || !s.u.Due() {
		t.Errorf("state %+v", st)
	}
}

// TestSwapWithLibrary is the way of Windows and of disks without hard links.
func TestSwapWithLibrary(t *testing.T) {
	dir := t.TempDir()
	program, old := filepath.Join(dir, "game"), filepath.Join(dir, "game.old")
	put := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	content := func(path string) string { text, _ := os.ReadFile(path); return string(text) }
	put(program, "one")
	put(stagedName(program), "two")
	put(old, "zero")
	if err := swapRenaming(program, old); err != nil || content(program) != "two" || content(old) != "one" {
		t.Errorf("%v: program %q, old %q", err, content(program), content(old))
	}
	if err := swapRenaming(program, old); err == nil || content(program) != "two" {
		t.Errorf("without a new program: %v, program %q", err, content(program))
	}
}

// TestSwapOfTheRunningProgram: a program takes its own file's place while it runs, as a packed game does at its end.
func TestSwapOfTheRunningProgram(t *testing.T) {
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "game.exe")
	if err := os.WriteFile(program, self, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stagedName(program), []byte("the next version"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "CONCH_TEST_SWAP=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if text, err := os.ReadFile(program); string(text) != "the next version" {
		t.Errorf("in place: %d bytes, %v", len(text), err)
	}
	if text, err := os.ReadFile(oldName(program)); !bytes.Equal(text, self) {
		t.Errorf("kept: %d bytes, %v", len(text), err)
	}
}

func TestGameOf(t *testing.T) {
	dir := t.TempDir()
	feed := "https://games.example.net/feed.json"
	writeGame(t, filepath.Join(dir, "unsigned.zip"), gameSpec{"", gameID, "1.0.0", feed})
	writeGame(t, filepath.Join(dir, "good.zip"), gameSpec{"author", gameID, "1.0.0", feed})
	if err := os.Symlink("good.zip", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"index.html": "<title>x</title>", "conch.json": `{"format":1,"id":"a.b","version":"1.0.0","update":{"feed":"` + feed + `"}}`} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := bundle.Sign(t.Context(), folder, keyOf("author"), bundle.SignOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, path, want string }{
		{"good", "good.zip", ""}, {"through a link", "link", ""},
		{"not signed", "unsigned.zip", "not signed"}, {"folder", "folder", "a folder is not replaced"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, err := bundle.Open(filepath.Join(dir, tt.path), bundle.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			g, err := GameOf(b)
			if tt.want == "" && (err != nil || filepath.Base(g.Path) != "good.zip") {
				t.Errorf("%+v, %v", g, err)
			}
			if tt.want != "" && (!errors.Is(err, ErrNotOffered) || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func TestAutomatic(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "conch")
	for _, on := range []bool{true, false, false, true, true} {
		if err := SetAutomatic(dir, on); err != nil {
			t.Fatal(err)
		}
		if got := Automatic(dir); got != on {
			t.Errorf("got %t, want %t", got, on)
		}
	}
}
