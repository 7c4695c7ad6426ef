package consent

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"
)

// machineID is the hardware's IOPlatformUUID.
func machineID() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	text, err := exec.CommandContext(ctx, "/usr/sbin/ioreg", "-rd1", "-c", "IOPlatformExpertDevice").Output()
	if err != nil {
		return "", err
	}
	_, rest, found := strings.Cut(string(text), `"IOPlatformUUID" = "`)
	id, _, closed := strings.Cut(rest, `"`)
	if !found || !closed {
		return "", errors.New("no machine identity")
	}
	return parseMachineID(id)
}
