package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// On a terminal the error stays there: no box interrupts.
func TestNoBoxesOnATerminal(t *testing.T) {
	p := newPlace(t)
	p.hold(t)
	d := newDesktop(t)
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	setStderr(t, terminal)
	if !isTerminal(terminal) {
		t.Fatal("/dev/ptmx is no terminal")
	}
	for _, args := range [][]string{{p.game, "--data", p.data}, {"play", p.game + "-missing"}} {
		if code, _, stderr := d.run(t, args...); code != 1 || stderr == "" || len(d.boxes) != 0 {
			t.Errorf("%q: code %d, stderr %q, boxes %q", args, code, stderr, d.boxes)
		}
	}
}

func TestGPUFinding(t *testing.T) {
	drm, drivers := t.TempDir(), t.TempDir()
	missing := filepath.Join(drivers, "no-nvidia")
	if f := gpuFinding(drm, missing); f.OK || f.Fix == "" {
		t.Errorf("no device: %+v", f)
	}
	for node, driver := range map[string]string{"renderD128": "i915", "renderD129": "amdgpu", "card0": "other"} {
		device := filepath.Join(drm, node, "device")
		if err := os.MkdirAll(device, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(drivers, driver), filepath.Join(device, "driver")); err != nil {
			t.Fatal(err)
		}
	}
	if f := gpuFinding(drm, missing); !f.OK || f.Text != "i915, amdgpu" {
		t.Errorf("got %+v", f)
	}
	if f := gpuFinding(drm, drivers); !strings.Contains(f.Text, "WEBKIT_DISABLE_DMABUF_RENDERER") {
		t.Errorf("with NVIDIA's module: %+v", f)
	}
}

func TestDisplayFinding(t *testing.T) {
	for _, row := range []struct{ wayland, x, want string }{
		{"wayland-0", ":0", "Wayland, wayland-0"}, {"", ":7", "X11, :7"}, {"", "", "none"},
	} {
		t.Setenv("WAYLAND_DISPLAY", row.wayland)
		t.Setenv("DISPLAY", row.x)
		if f := displayFinding(); f.Text != row.want || f.OK == (f.Fix != "") {
			t.Errorf("got %+v, want %q", f, row.want)
		}
	}
}
