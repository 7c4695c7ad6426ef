//go:build !windows

package netsock

import "syscall"

var (
	errRefused error = syscall.ECONNREFUSED
	errReset   error = syscall.ECONNRESET
)
