// Package window shows one game in a native window.
//
// It is the only place that knows Wails: the window, its loop and its end come from there. Nothing is bound and no
// event of the framework is used; the page reaches Go over loopback http alone. What a webview needs beyond that
// (navigation, permissions, downloads, proxy, full screen) is set per system from outside, in the files named after it.
package window

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/logger"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/options/mac"
	"github.com/wailsapp/wails/v2/pkg/options/windows"

	"conch/app"
)

// ErrNoWindow is returned when the webview did not come up.
var ErrNoWindow = errors.New("the window has no web view")

// playerEnv is the environment as the player set it, for other programs: a window changes its own, and a browser must
// neither get the engine's switches nor keep its data in a portable folder.
var playerEnv = os.Environ()

// Run opens the window of g, which must be listening, and returns when it is closed or ctx ends. It must be called
// from the main goroutine, once per process.
func Run(ctx context.Context, g *app.App) error {
	if err := portable(); err != nil {
		return err
	}
	if err := prepare(g.Key); err != nil {
		return err
	}
	h := newHooks(g.Logger(), downloadFolder)
	h.settings = func() error { return startSettings(g.StateDir()) }
	h.onShown, h.onCrash = g.Shown, g.Crashed
	g.OnCopy(h.copyPath)
	r := rules{
		name: g.Bundle.Title, origin: g.Server.Origin(), entry: g.Server.EntryURL(), proxy: g.WebProxy.URL(), direct: g.DirectHosts(),
		permissions: g.Bundle.Manifest.Web.Permissions, devtools: g.Devtools(), console: g.Debug(),
	}
	g.OnRaise(raiseWindow)
	g.OnStop(stopPage)
	return run(ctx, h, r, windowOptions(g))
}

// run shows what r names in a window, after prepare.
func run(ctx context.Context, h *hooks, r rules, opts *options.App) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()

	var failure error
	opts.OnStartup = func(framework context.Context) {
		started(framework)
		attach(h, r)
		select {
		case ok := <-h.ready:
			if !ok {
				failure = ErrNoWindow
				quit()
				return
			}
			if h.onShown != nil {
				h.onShown()
			}
		case <-ctx.Done():
		}
		<-ctx.Done()
		quit()
	}
	opts.OnBeforeClose = beforeClose
	opts.AssetServer = &assetserver.Options{Handler: firstPage(r)}
	opts.Logger, opts.LogLevel, opts.LogLevelProduction = wailsLog{h.log}, logger.ERROR, logger.ERROR
	defer close(loopEnded)
	if err := wails.Run(opts); err != nil {
		return fmt.Errorf("window: %w", err)
	}
	return failure
}

// loopEnded is closed when the window's loop has ended: nothing that was left to it happens any more.
var loopEnded = make(chan struct{})

// windowClass is what the game's window is found by on Windows.
const windowClass = "ConchGame"

// windowOptions is the window as the manifest wants it.
func windowOptions(g *app.App) *options.App {
	w := g.Bundle.Manifest.Window
	icon, _ := g.Bundle.Icon()
	state := options.Normal
	if w.Fullscreen {
		state = options.Fullscreen
	}
	return &options.App{
		Title: g.Bundle.Title, Width: w.Width, Height: w.Height, MinWidth: w.MinWidth, MinHeight: w.MinHeight,
		DisableResize: !w.Resizable, WindowStartState: state, BackgroundColour: colour(w.Background),
		Linux: &linux.Options{Icon: icon, WebviewGpuPolicy: linux.WebviewGpuPolicyAlways, ProgramName: g.Key},
		Windows: &windows.Options{WebviewUserDataPath: filepath.Join(g.ProfileDir(), "webview2"), DisablePinchZoom: true,
			WindowClassName: windowClass},
		Mac: &mac.Options{Preferences: &mac.Preferences{FullscreenEnabled: mac.Enabled}},
	}
}

// firstPage answers the framework's own start address. Where attach sends the webview on by itself it is never
// seen; elsewhere it moves on to the entry address.
func firstPage(r rules) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if startsByItself {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			return
		}
		http.Redirect(w, q, r.entry, http.StatusFound)
	})
}

// colour reads #rrggbb; the manifest parser has checked it.
func colour(hex string) *options.RGBA {
	if len(hex) != 7 {
		return options.NewRGB(0, 0, 0)
	}
	n, err := strconv.ParseUint(hex[1:], 16, 32)
	if err != nil {
		return options.NewRGB(0, 0, 0)
	}
	return options.NewRGB(uint8(n>>16), uint8(n>>8), uint8(n))
}

// wailsLog keeps the framework's lines in our log.
type wailsLog struct{ log *slog.Logger }

func (l wailsLog) Print(m string)   { l.log.Debug(m) }
func (l wailsLog) Trace(m string)   { l.log.Debug(m) }
func (l wailsLog) Debug(m string)   { l.log.Debug(m) }
func (l wailsLog) Info(m string)    { l.log.Debug(m) }
func (l wailsLog) Warning(m string) { l.log.Warn(m) }
func (l wailsLog) Error(m string)   { l.log.Error(m) }
func (l wailsLog) Fatal(m string)   { l.log.Error(m) }
