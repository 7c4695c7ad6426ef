package cli

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

func TestSentence(t *testing.T) {
	for in, want := range map[string]string{
		"open game: no such file": "Open game: no such file.", "done.": "Done.", "ärger": "Ärger.", "Already": "Already.", "port 1": "Port 1.",
	} {
		if got := sentence(errors.New(in)); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestByteSize(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1000: "1.0 kB", 1550: "1.6 kB", 999_949: "999.9 kB", 1_000_000: "1.0 MB", 2_500_000_000: "2.5 GB",
		7_000_000_000_000: "7.0 TB", 5_000_000_000_000_000: "5000.0 TB",
	} {
		if got := byteSize(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

func TestVersion(t *testing.T) {
	old := version
	defer func() { version = old }()
	version = "1.2.3"
	if got := Version(); got != "1.2.3" {
		t.Errorf("got %q", got)
	}
	version = ""
	if got := Version(); !strings.HasPrefix(got, "development") {
		t.Errorf("got %q", got)
	}
}

func TestLogger(t *testing.T) {
	for verbose, want := range map[bool]string{false: "level=WARN msg=w\n", true: "level=DEBUG msg=d\nlevel=WARN msg=w\n"} {
		var out bytes.Buffer
		p := &Program{stderr: &out}
		log := p.logger(verbose)
		log.Log(t.Context(), slog.LevelDebug, "d")
		log.Log(t.Context(), slog.LevelWarn, "w")
		var got strings.Builder
		for line := range strings.Lines(out.String()) {
			_, rest, _ := strings.Cut(line, " ") // the time
			got.WriteString(rest)
		}
		if got.String() != want {
			t.Errorf("verbose %t: got %q, want %q", verbose, got.String(), want)
		}
	}
}

func TestShownErrorIsStillThatError(t *testing.T) {
	inner := errors.New("x")
	err := error(&shownError{inner})
	var usage *usageError
	if !errors.Is(err, inner) || err.Error() != "x" || errors.As(err, &usage) {
		t.Errorf("got %v", err)
	}
}
