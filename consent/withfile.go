package consent

import "log/slog"

// OpenWithFile is Open with a key in a file of the folder, whatever key store the system has: for approvals that travel
// with their folder. They still hold for one machine, account and place only; elsewhere the player is asked again.
func OpenWithFile(dir string, log *slog.Logger) (*Store, error) { return open(dir, log, true) }
