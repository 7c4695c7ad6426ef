package update

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRefusedFeeds: none of these is believed, and none changes the program.
func TestRefusedFeeds(t *testing.T) {
	tests := []struct {
		name string
		do   func(s *shop)
		want string
	}{
		{"other author", func(s *shop) { s.publish(s.feedFor("1.2.0", []byte("x")), "thief") }, "signed by another key"},
		{"other game of the same author", func(s *shop) {
			f := s.feedFor("1.2.0", []byte("x"))
			f.ID = "com.example.other"
			s.publish(f, "author")
		}, `for the game "com.example.other"`},
		{"changed after signing", func(s *shop) {
			text := s.publish(s.feedFor("1.2.0", []byte("x")), "author")
			s.site.serveBytes("/feed.json", bytes.Replace(text, []byte("1.2.0"), []byte("1.9.0"), 1))
		}, "the signature does not fit"},
		{"other address of the program", func(s *shop) {
			text := s.publish(s.feedFor("1.2.0", []byte("x")), "author")
			s.site.serveBytes("/feed.json", bytes.Replace(text, []byte("1.2.0.conch"), []byte("1.2.1.conch"), 1))
		}, "the signature does not fit"},
		{"second key", func(s *shop) {
			text := s.publish(s.feedFor("1.2.0", []byte("x")), "author")
			s.site.serveBytes("/feed.json", bytes.Replace(text, []byte(`"version"`), []byte(`"version": "9.0.0", "version"`), 1))
		}, "not as conch release wrote it"},
		{"unknown key", func(s *shop) {
			text := s.publish(s.feedFor("1.2.0", []byte("x")), "author")
			s.site.serveBytes("/feed.json", bytes.Replace(text, []byte(`"version"`), []byte(`"run": "x", "version"`), 1))
		}, "not the text of a release feed"},
		{"other line ends", func(s *shop) {
			text := s.publish(s.feedFor("1.2.0", []byte("x")), "author")
			s.site.serveBytes("/feed.json", bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")))
		}, "without other line ends"},
		{"more after the end", func(s *shop) {
			text := s.publish(s.feedFor("1.2.0", []byte("x")), "author")
			s.site.serveBytes("/feed.json", append(bytes.Clone(text), "{}"...))
		}, "not as conch release wrote it"},
		{"page instead of a feed", func(s *shop) { s.site.serveBytes("/feed.json", []byte("<!doctype html>")) }, "not the text of a release feed"},
		{"empty", func(s *shop) { s.site.serveBytes("/feed.json", nil) }, "not the text of a release feed"},
		{"newer format", func(s *shop) { s.site.serveBytes("/feed.json", []byte(`{"format": 2, "new": true}`)) }, "a newer Conch"},
		{"absent", func(s *shop) {}, "the server answered 404"},
		{"too large", func(s *shop) { s.site.serveBytes("/feed.json", bytes.Repeat([]byte(" "), maxFeed+1)) }, "larger than 64 KiB"},
		{"endless", func(s *shop) {
			s.site.serve("/feed.json", func(w http.ResponseWriter, _ *http.Request) {
				for range 4 * maxFeed / 1024 {
					w.Write(bytes.Repeat([]byte(" "), 1024))
					w.(http.Flusher).Flush()
				}
			})
		}, "larger than 64 KiB"},
		{"cut off", func(s *shop) {
			text := s.publish(s.feedFor("1.2.0", []byte("x")), "author")
			s.site.serve("/feed.json", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", fmt.Sprint(len(text)))
				w.Write(text[:len(text)/2])
			})
		}, "unexpected EOF"},
		{"redirect to http", func(s *shop) {
			s.site.serve("/feed.json", func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://localhost:1/feed.json", http.StatusFound)
			})
		}, "needs the form https://host/path"},
		{"redirect into the player's network", func(s *shop) {
			s.site.serve("/feed.json", func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "https://192.168.1.1/feed.json", http.StatusFound)
			})
		}, "must be a name of the internet"},
		{"redirects without end", func(s *shop) {
			s.site.serve("/feed.json", func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, s.site.url("/feed.json"), http.StatusFound)
			})
		}, "too many redirects"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newShop(t)
			tt.do(s)
			r, err := s.u.Check(t.Context())
			if err == nil || r != nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %+v, %v; want an error with %q", r, err, tt.want)
			}
			if got := readState(s.u.Dir).Highest; got != "" {
				t.Errorf("version %s was remembered", got)
			}
		})
	}
}

// TestRefusedPrograms: nothing of these gets into the place of the old program, and nothing is left behind.
func TestRefusedPrograms(t *testing.T) {
	serve := func(s *shop, g gameSpec, feedVersion string) {
		program := s.build(g)
		s.site.serveBytes("/"+feedVersion+".conch", program)
		s.publish(s.feedFor(feedVersion, program), "author")
	}
	tests := []struct {
		name string
		do   func(s *shop)
		want string
	}{
		{"other bytes", func(s *shop) {
			program := s.release("1.2.0")
			program[len(program)/2] ^= 1
			s.site.serveBytes("/1.2.0.conch", program)
		}, "(sha256)"},
		{"cut off", func(s *shop) {
			program := s.release("1.2.0")
			s.site.serve("/1.2.0.conch", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", fmt.Sprint(len(program)))
				w.Write(program[:len(program)/2])
			})
		}, "unexpected EOF"},
		{"short without a length", func(s *shop) {
			program := s.release("1.2.0")
			s.site.serve("/1.2.0.conch", func(w http.ResponseWriter, _ *http.Request) {
				w.Write(program[:100])
				w.(http.Flusher).Flush()
			})
		}, "the server sent 100 of"},
		{"longer", func(s *shop) {
			program := s.release("1.2.0")
			s.site.serve("/1.2.0.conch", func(w http.ResponseWriter, _ *http.Request) {
				w.Write(program)
				w.(http.Flusher).Flush()
				w.Write(program)
			})
		}, "the server sent more than"},
		{"other size announced", func(s *shop) {
			program := s.release("1.2.0")
			s.site.serveBytes("/1.2.0.conch", program[1:])
		}, "the server offers"},
		{"absent", func(s *shop) {
			s.release("1.2.0")
			s.site.serve("/1.2.0.conch", http.NotFound)
		}, "the server answered 404"},
		{"server dies in the middle", func(s *shop) {
			program := s.release("1.2.0")
			s.site.serve("/1.2.0.conch", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", fmt.Sprint(len(program)))
				w.Write(program[:len(program)/2])
				w.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			})
		}, "fetch: "},
		{"server stops sending", func(s *shop) {
			program := s.release("1.2.0")
			s.u.limits.stall = 200 * time.Millisecond
			s.site.serve("/1.2.0.conch", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", fmt.Sprint(len(program)))
				w.Write(program[:100])
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			})
		}, "stopped sending"},
		{"redirect to http", func(s *shop) {
			s.release("1.2.0")
			s.site.serve("/1.2.0.conch", func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://localhost:1/x", http.StatusFound)
			})
		}, "needs the form https"},
		{"not a program", func(s *shop) {
			s.site.serveBytes("/1.2.0.conch", []byte("hello, this is no program"))
			s.publish(s.feedFor("1.2.0", []byte("hello, this is no program")), "author")
		}, "not a packed program"},
		{"signed by another key", func(s *shop) { serve(s, gameSpec{"thief", gameID, "1.2.0", s.site.url("/feed.json")}, "1.2.0") }, "signed by another key"},
		{"not signed", func(s *shop) { serve(s, gameSpec{"", gameID, "1.2.0", s.site.url("/feed.json")}, "1.2.0") }, "not signed"},
		{"other game of the same author", func(s *shop) {
			serve(s, gameSpec{"author", "com.example.other", "1.2.0", s.site.url("/feed.json")}, "1.2.0")
		}, `the game "com.example.other"`},
		{"old program under a new number", func(s *shop) { serve(s, gameSpec{"author", gameID, "1.0.0", s.site.url("/feed.json")}, "1.2.0") }, `is version "1.0.0"`},
		{"changed inside", func(s *shop) {
			program := s.build(gameSpec{"author", gameID, "1.2.0", s.site.url("/feed.json")})
			program = bytes.Replace(program, []byte("1.2.0 la la la 1.2.0"), []byte("1.2.0 la la LA 1.2.0"), 1)
			s.site.serveBytes("/1.2.0.conch", program)
			s.publish(s.feedFor("1.2.0", program), "author")
		}, "music.bin"},
		{"old name is taken", func(s *shop) {
			s.release("1.2.0")
			if err := os.WriteFile(s.program+".old", []byte("the player's own"), 0o600); err != nil {
				s.t.Fatal(err)
			}
		}, "is in the way"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newShop(t)
			before, err := os.ReadFile(s.program)
			if err != nil {
				t.Fatal(err)
			}
			tt.do(s)
			files := s.beside()
			staged, err := s.u.Stage(t.Context(), s.check(), nil)
			if err == nil || staged != nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v; want an error with %q", err, tt.want)
			}
			if got, _ := os.ReadFile(s.program); !bytes.Equal(got, before) {
				t.Error("the old program was touched")
			}
			if got := s.beside(); !slices.Equal(got, files) {
				t.Errorf("left behind: %q, before %q", got, files)
			}
			lock, err := s.u.lock()
			if err != nil {
				t.Fatalf("the lock was kept: %v", err)
			}
			lock.Close()
		})
	}
}
