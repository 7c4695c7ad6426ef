package window

import (
	"testing"

	"conch/app"
)

// The settings' window has a profile of its own, reaches its own port and nothing else, and binds nothing.
func TestSettingsWindow(t *testing.T) {
	s, err := app.NewSettings(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := settingsRules(s)
	if len(r.direct) != 1 || "http://"+r.direct[0] != r.origin || r.devtools || r.console || len(r.permissions) != 0 || r.proxy == "" {
		t.Errorf("got %+v", r)
	}
	o := settingsOptions(s, 820, 640)
	if len(o.Bind) != 0 || o.Linux.ProgramName != app.SettingsKey || o.DisableResize {
		t.Errorf("got %+v", o)
	}
}
