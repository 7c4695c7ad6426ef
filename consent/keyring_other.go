//go:build !linux

package consent

func keyringReachable() error { return nil }
