package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const keyringFix = "install and unlock gnome-keyring or KWallet; without it, yeses are kept in a protected file"

// libraryDirs are where Linux distributions keep shared libraries.
func libraryDirs() []string {
	var dirs []string
	for _, pattern := range []string{"/usr/lib/*-linux-gnu", "/usr/lib64", "/usr/lib", "/lib/*-linux-gnu", "/usr/local/lib"} {
		found, _ := filepath.Glob(pattern)
		dirs = append(dirs, found...)
	}
	return dirs
}

func findFile(names ...string) string {
	for _, dir := range libraryDirs() {
		for _, name := range names {
			path := filepath.Join(dir, name)
			if _, err := os.Stat(path); err == nil {
				return path
			}
		}
	}
	return ""
}

// installedEngine looks for the web engine that the window program would load.
func installedEngine() finding {
	f := finding{Name: "web engine"}
	lib := findFile("libwebkit2gtk-4.1.so.0")
	if lib == "" {
		f.Text = "WebKitGTK 4.1 is not installed; games can be served, not shown in a window"
		f.Fix = "Debian, Ubuntu: apt install libwebkit2gtk-4.1-0; Fedora: dnf install webkit2gtk4.1; Arch: pacman -S webkit2gtk-4.1"
		return f
	}
	f.OK, f.Text = true, "WebKitGTK 4.1, "+lib
	return f
}

// systemFindings looks at the graphics driver, the display and the sound decoders.
func systemFindings() []finding {
	return []finding{gpuFinding("/sys/class/drm", "/sys/module/nvidia"), displayFinding(), codecFinding()}
}

func gpuFinding(drm, nvidia string) finding {
	f := finding{Name: "GPU", OK: true}
	nodes, _ := filepath.Glob(filepath.Join(drm, "renderD*"))
	var drivers []string
	for _, node := range nodes {
		if target, err := os.Readlink(filepath.Join(node, "device", "driver")); err == nil {
			drivers = append(drivers, filepath.Base(target))
		}
	}
	if len(drivers) == 0 {
		f.OK, f.Text = false, "no render device: WebGL runs in software, slowly"
		f.Fix = "install the graphics driver of this computer"
		return f
	}
	f.Text = strings.Join(drivers, ", ")
	if _, err := os.Stat(nvidia); err == nil {
		f.Text += "; NVIDIA driver: WEBKIT_DISABLE_DMABUF_RENDERER=1 is set for the window"
	}
	return f
}

func displayFinding() finding {
	switch {
	case os.Getenv("WAYLAND_DISPLAY") != "":
		return finding{Name: "display", OK: true, Text: "Wayland, " + os.Getenv("WAYLAND_DISPLAY")}
	case os.Getenv("DISPLAY") != "":
		return finding{Name: "display", OK: true, Text: "X11, " + os.Getenv("DISPLAY")}
	}
	return finding{Name: "display", Text: "none", Fix: "start from a desktop, or use `serve` with a browser"}
}

// codecFinding looks for the GStreamer plugins that decode a game's sounds and videos.
func codecFinding() finding {
	var missing []string
	for plugin, pack := range map[string]string{
		"libgstautodetect.so": "gstreamer1.0-plugins-good", "libgstlibav.so": "gstreamer1.0-libav", "libgstogg.so": "gstreamer1.0-plugins-base",
	} {
		if findFile(filepath.Join("gstreamer-1.0", plugin)) == "" {
			missing = append(missing, pack)
		}
	}
	slices.Sort(missing)
	if len(missing) == 0 {
		return finding{Name: "sound", OK: true, Text: "GStreamer base, good and libav plugins"}
	}
	return finding{Name: "sound", Text: "decoders are missing: some music and videos stay silent",
		Fix: "Debian, Ubuntu: apt install " + strings.Join(missing, " ")}
}
