package consent

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// openLock opens the file whose lock means "a question of this game is on the screen". The lock ends with the file.
func openLock(dir, game string) (*os.File, error) {
	sum := sha256.Sum256([]byte(game))
	path := filepath.Join(dir, "asking-"+hex.EncodeToString(sum[:8])+".lock")
	f, err := openPlain(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	return f, nil
}
