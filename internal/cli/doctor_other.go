//go:build !linux

package cli

const keyringFix = "unlock the system's key store; without it, yeses are kept in a protected file"

// installedEngine: the window program of this system uses the engine that comes with it.
func installedEngine() finding {
	return finding{Name: "web engine", OK: true, Text: "the system's own (WebView2 on Windows, WKWebView on macOS)"}
}

func systemFindings() []finding { return nil }
