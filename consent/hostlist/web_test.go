package hostlist

import (
	"errors"
	"testing"
)

func TestParseHTTPS(t *testing.T) {
	tests := []struct {
		name, raw, want string // want "": refused
	}{
		{"plain", "https://games.example.net/a/feed.json", "https://games.example.net/a/feed.json"},
		{"canonical", "HTTPS://Games.Example.net:443", "https://games.example.net/"},
		{"port and query", "https://games.example.net:8443/f?x=1", "https://games.example.net:8443/f?x=1"},
		{"this computer", "https://localhost:8443/f", "https://localhost:8443/f"},
		{"loopback", "https://127.0.0.1:8443/f", "https://127.0.0.1:8443/f"},
		{"http", "http://games.example.net/f", ""},
		{"socket", "wss://games.example.net/f", ""},
		{"scheme relative", "//games.example.net/f", ""},
		{"empty", "", ""},
		{"file", "file:///etc/passwd", ""},
		{"user", "https://me@games.example.net/f", ""},
		{"fragment", "https://games.example.net/f#x", ""},
		{"backslash", `https://games.example.net\f`, ""},
		{"space", "https://games.example.net/a b", ""},
		{"international", "https://gämes.example.net/", ""},
		{"public address", "https://93.184.216.34/f", ""},
		{"private address", "https://192.168.1.2/f", ""},
		{"private v6", "https://[fd00::1]/f", ""},
		{"number", "https://2130706433/f", ""},
		{"own network", "https://printer.local/f", ""},
		{"single label", "https://router/f", ""},
		{"blocked port", "https://games.example.net:25/f", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseHTTPS(tt.raw)
			var te *TargetError
			switch {
			case tt.want == "" && !errors.As(err, &te):
				t.Errorf("got %q, %v; want a *TargetError", got.WebURL(), err)
			case tt.want != "" && (err != nil || got.WebURL() != tt.want):
				t.Errorf("got %q, %v; want %q", got.WebURL(), err, tt.want)
			}
		})
	}
}
