package window

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// downloadFolder is the player's download folder as the desktop names it, else ~/Downloads.
func downloadFolder() string {
	home, _ := os.UserHomeDir()
	if out, err := exec.Command("xdg-user-dir", "DOWNLOAD").Output(); err == nil {
		dir := strings.TrimSpace(string(out))
		if filepath.IsAbs(dir) && filepath.Clean(dir) != filepath.Clean(home) {
			return dir
		}
	}
	return filepath.Join(home, "Downloads")
}
