//go:build !linux

package app

import "os"

// dataHome is %LocalAppData% on Windows and ~/Library/Application Support on macOS.
func dataHome() (string, error) {
	if dir := os.Getenv("LocalAppData"); dir != "" {
		return dir, nil
	}
	return os.UserConfigDir()
}
