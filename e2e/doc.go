// Package e2e tries Conch from outside: the real programs, a real window under Xvfb, real pages in WebKitGTK and in
// headless Chromium, real servers. Each promise of docs/security.md and of the README has its own named test.
// Windows programs run under Wine: see wine_test.go.
//
//	go test -tags e2e ./e2e
//
// The tests build the programs themselves and need the packages that `make deps` installs.
package e2e
