package netsock

import "syscall"

// Winsock's own numbers: syscall.ECONNREFUSED is an invented one on Windows.
var (
	errRefused error = syscall.Errno(10061) // WSAECONNREFUSED
	errReset   error = syscall.Errno(10054) // WSAECONNRESET
)
