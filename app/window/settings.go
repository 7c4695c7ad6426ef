package window

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/options/windows"

	"conch/app"
)

// RunSettings opens the settings, which must be listening, under the rules of Run.
func RunSettings(ctx context.Context, s *app.Settings) error {
	if err := portable(); err != nil {
		return err
	}
	if err := prepare(app.SettingsKey); err != nil {
		return err
	}
	s.OnRaise(raiseWindow)
	width, height := fitScreen(820, 640)
	return run(ctx, newHooks(s.Logger(), downloadFolder), settingsRules(s), settingsOptions(s, width, height))
}

func settingsRules(s *app.Settings) rules {
	return rules{
		origin: s.Server.Origin(), entry: s.Server.EntryURL(), proxy: s.WebProxy.URL(),
		direct: []string{fmt.Sprintf("127.0.0.1:%d", s.Server.Port())},
	}
}

func settingsOptions(s *app.Settings, width, height int) *options.App {
	return &options.App{
		Title: "Conch settings", Width: width, Height: height, MinWidth: 320, MinHeight: 240, BackgroundColour: options.NewRGB(23, 23, 27),
		Linux:   &linux.Options{ProgramName: app.SettingsKey, WebviewGpuPolicy: linux.WebviewGpuPolicyNever},
		Windows: &windows.Options{WebviewUserDataPath: filepath.Join(s.ProfileDir(), "webview2")},
	}
}

// startSettings opens the settings of a data folder in a process of their own.
func startSettings(dataDir string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(program, "settings", "--data", dataDir)
	cmd.Env = playerEnv
	if err := cmd.Start(); err != nil {
		return err
	}
	go cmd.Wait() // so that no dead process is left behind
	return nil
}
