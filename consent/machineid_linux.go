package consent

import "os"

// machineID is systemd's, or the older one of D-Bus.
func machineID() (string, error) {
	text, err := os.ReadFile("/etc/machine-id")
	if err != nil {
		text, err = os.ReadFile("/var/lib/dbus/machine-id")
	}
	if err != nil {
		return "", err
	}
	return parseMachineID(string(text))
}
