package pagerelay

import (
	"os"
	"testing"

	"conch/internal/leak"
)

// TestMain fails the package when a goroutine survives its tests.
func TestMain(m *testing.M) { os.Exit(leak.Run(m)) }
