//go:build e2e

package e2e

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// wav is a silent sound of so many seconds, 8 kHz, 16 bit.
func wav(seconds int) []byte {
	const rate = 8000
	n := seconds * rate * 2
	b := bytes.NewBufferString("RIFF")
	write := func(values ...any) {
		for _, v := range values {
			binary.Write(b, binary.LittleEndian, v)
		}
	}
	write(uint32(36 + n))
	b.WriteString("WAVEfmt ")
	write(uint32(16), uint16(1), uint16(1), uint32(rate), uint32(2*rate), uint16(2), uint16(16))
	b.WriteString("data")
	write(uint32(n))
	b.Write(make([]byte, n))
	return b.Bytes()
}

// TestSoundSeeksInsideAZip: the audio element jumps to the end of a long sound that lies in a zip, and plays there.
func TestSoundSeeksInsideAZip(t *testing.T) {
	for name, method := range map[string]uint16{"stored": zip.Store, "deflated": zip.Deflate} {
		t.Run(name, func(t *testing.T) {
			inBoth(t, func(t *testing.T, e engine) {
				r := newReporter(t)
				dir := r.game(t, ``, nil, map[string]string{"index.html": page(`
const audio = new Audio('music/long song.wav')
audio.onerror = () => report('sought', 'error ' + audio.error.code + ' ' + audio.error.message)
audio.onloadedmetadata = () => { report('duration', Math.round(audio.duration)); audio.currentTime = 880 }
audio.onseeked = () => {
  audio.onseeked = null
  audio.ontimeupdate = () => { if (audio.currentTime > 880) { audio.ontimeupdate = null; report('sought', 'plays from ' + Math.floor(audio.currentTime / 10) * 10) } }
  audio.play().catch(e => report('sought', String(e)))
}
document.body.append(audio)`)})
				put(t, dir, "music/long song.wav", wav(900))
				e.open(t, newHome(t), zipped(t, dir, "", method))
				if got := string(r.wait("duration")); got != "900" {
					t.Errorf("duration %s, want 900", got)
				}
				if got := r.waitString("sought"); got != "plays from 880" {
					t.Errorf("after the jump: %s", got)
				}
			})
		})
	}
}

// updatable is a game in its parts: page, script, module, worker, style, data. Each says which version it is.
func updatable(version string) map[string]string {
	return map[string]string{
		"classic.js": "var classic = '" + version + "'",
		"module.js":  "export const module = '" + version + "'",
		"worker.js":  "postMessage('" + version + "')",
		"style.css":  "body { --version: " + version + " }",
		"data.json":  `"` + version + `"`,
		"index.html": `<!doctype html><html><head><meta charset="utf-8"><title>update</title><link rel="stylesheet" href="style.css"></head><body>
<script src="/report.js"></script><script src="classic.js"></script><script type="module">
import { module } from './module.js'
const worker = await new Promise(ok => { const w = new Worker('worker.js'); w.onmessage = e => ok(e.data); w.onerror = e => ok(String(e.message)) })
const style = getComputedStyle(document.body).getPropertyValue('--version').trim()
const data = await (await fetch('data.json')).json()
const plays = Number(localStorage.getItem('plays') || 0) + 1
localStorage.setItem('plays', plays)
report('plays', ['` + version + `', classic, module, worker, style, data, plays, crossOriginIsolated].join(' '))
</script></body></html>`,
	}
}

// TestUpdateShowsNewFilesAndKeepsSaves: the player starts the next version from the same place. Its files are shown at
// once, whatever their modification time, and the saves are those of before.
func TestUpdateShowsNewFilesAndKeepsSaves(t *testing.T) {
	inBoth(t, func(t *testing.T, e engine) {
		r, h := newReporter(t), newHome(t)
		dir := r.game(t, `"id": "org.example.update"`, nil, updatable("v1"))
		stamp := time.Now().Add(-time.Hour).Truncate(time.Second)
		touch := func(at time.Time) {
			t.Helper()
			for name := range updatable("") {
				if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil {
					t.Fatal(err)
				}
			}
		}
		touch(stamp)
		for i, step := range []struct {
			version string
			at      time.Time
		}{{"v1", stamp}, {"v2", stamp}, {"v3", stamp.Add(-24 * time.Hour)}, {"v4", stamp.Add(48 * time.Hour)}} {
			for name, text := range updatable(step.version) {
				put(t, dir, name, []byte(strings.ReplaceAll(text, "REPORT_PORT", fmt.Sprint(r.Port))))
			}
			touch(step.at)
			end := openUntil(t, e, h, dir)
			v := step.version
			if got, want := r.waitString("plays"), fmt.Sprintf("%s %s %s %s %s %s %d false", v, v, v, v, v, v, i+1); got != want {
				t.Errorf("page, script, module, worker, style, data, plays, isolated: %s; want %s", got, want)
			}
			end()
		}
	})
}

// TestUpdatedZipShowsNewFilesAndKeepsSaves: the same for a zip that is replaced by one of the same name.
func TestUpdatedZipShowsNewFilesAndKeepsSaves(t *testing.T) {
	inBoth(t, func(t *testing.T, e engine) {
		r, h := newReporter(t), newHome(t)
		game := filepath.Join(t.TempDir(), "game.zip")
		stamp := time.Now().Add(-time.Hour)
		for i, v := range []string{"v1", "v2"} {
			next := zipped(t, r.game(t, `"id": "org.example.updatedzip"`, nil, updatable(v)), "", zip.Deflate)
			if err := os.Rename(next, game); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(game, stamp, stamp); err != nil {
				t.Fatal(err)
			}
			end := openUntil(t, e, h, game)
			if got, want := r.waitString("plays"), fmt.Sprintf("%s %s %s %s %s %s %d false", v, v, v, v, v, v, i+1); got != want {
				t.Errorf("page, script, module, worker, style, data, plays, isolated: %s; want %s", got, want)
			}
			end()
		}
	})
}

// TestIsolationEndsWithTheUpdateThatTurnsItOff: headers of an isolated version must not stick to the next one, nor the
// other way round.
func TestIsolationEndsWithTheUpdateThatTurnsItOff(t *testing.T) {
	inBoth(t, func(t *testing.T, e engine) {
		r, h := newReporter(t), newHome(t)
		dir := r.game(t, ``, nil, updatable("v"))
		hosts := fmt.Sprintf(`"network": {"allowedHosts": ["127.0.0.1:%d"]}`, r.Port)
		for i, isolation := range []string{"on", "off", "on", "auto"} {
			put(t, dir, "conch.json", []byte(`{"format": 1, "id": "org.example.isolation", "web": {"isolation": "`+isolation+`"}, `+hosts+`}`))
			end := openUntil(t, e, h, dir)
			want := fmt.Sprintf("v v v v v v %d %t", i+1, isolation == "on")
			if got := r.waitString("plays"); got != want {
				t.Errorf("isolation %s: %s, want %s", isolation, got, want)
			}
			end()
		}
	})
}

// openUntil opens the game; what it answers closes it, so that the same home can open it again.
func openUntil(t *testing.T, e engine, h home, game string) func() {
	t.Helper()
	if e.name != "chromium" {
		return play(t, h, game).stop
	}
	s := serve(t, h, game)
	b := attach(t, s, chromium(t, h, s.URL, "--remote-debugging-port=0"))
	return func() { b.close(t) }
}
