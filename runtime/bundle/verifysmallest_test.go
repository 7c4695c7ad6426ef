package bundle

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestVerifySmallest(t *testing.T) {
	f := signed(t, unsignedGame(), authorKey(1))
	const all, few = 1 << 30, 8 * openCost
	bad := func(name string) files { return f.with(name, "!"+f[name][1:]) }
	for _, row := range []struct {
		name  string
		files files
		limit int64
		file  string // that is named, "" when nothing is found
	}{
		{"as signed", f, all, ""},
		{"small file", bad("js/main.js"), all, "js/main.js"},
		{"small file within the limit", bad("js/main.js"), few, "js/main.js"},
		{"large file", bad("data/level.bin"), all, "data/level.bin"},
		{"large file beyond the limit", bad("data/level.bin"), few, ""},
		{"nothing may be read", bad("js/main.js"), openCost - 1, ""},
		{"not signed", unsignedGame(), all, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			eachKind(t, row.files, func(t *testing.T, b *Bundle) {
				err := b.VerifySmallest(t.Context(), row.limit)
				if row.file == "" {
					if err != nil {
						t.Errorf("got %v", err)
					}
					return
				}
				checkTampered(t, err, row.file, "was changed")
			})
		})
	}
	eachKind(t, f, func(t *testing.T, b *Bundle) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := b.VerifySmallest(ctx, all); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), b.Path) {
			t.Errorf("called off: %v", err)
		}
	})
}
