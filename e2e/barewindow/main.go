//go:build e2e

// Command barewindow is the yardstick of the start benchmark: the least program that shows a page in a window of the
// framework Conch uses. Its one argument is the address of the page.
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: barewindow URL")
		os.Exit(2)
	}
	err := wails.Run(&options.App{
		Title: "bare", Width: 1280, Height: 720,
		AssetServer: &assetserver.Options{Handler: moveTo(os.Args[1])},
		Linux:       &linux.Options{WebviewGpuPolicy: linux.WebviewGpuPolicyAlways},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "barewindow:", err)
		os.Exit(1)
	}
}

// moveTo answers the framework's own start address, where every window begins, with a page that moves on. A redirect
// would be less, but WebKitGTK follows none that comes from an application's scheme.
func moveTo(url string) http.Handler {
	page := fmt.Sprintf("<!doctype html><script>location.replace(%q)</script>", url)
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, page)
	})
}
