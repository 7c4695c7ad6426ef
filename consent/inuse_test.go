package consent

import (
	"path/filepath"
	"strings"
	"testing"
)

// A file that another program keeps locked is said in words, and read again afterwards.
func TestFileInUse(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.db.Exec("PRAGMA busy_timeout(1)"); err != nil { // the pool has one connection
		t.Fatal(err)
	}
	other, err := connect(filepath.Join(dir, databaseName), "WAL")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	tx, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	const words = "another program is using the file, try again"
	if _, err := s.List(t.Context()); err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("list: %v", err)
	}
	if err := s.ForgetAll(t.Context()); err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("forget: %v", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if list, err := s.List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("afterwards: %v, %v", list, err)
	}
}
