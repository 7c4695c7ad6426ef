package main

import (
	"crypto/x509"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestAuthorityFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "ca")
	now := time.Now()
	first, err := OpenAuthority(dir, now)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{
		".": 0o700, "ca.key": 0o600, "server.key": 0o600, "ca.pem": 0o644, "server.pem": 0o644,
	} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", name, got, want)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 4 {
		t.Errorf("%d files in the folder, want 4", len(files))
	}

	pem, err := os.ReadFile(first.CAFile)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		t.Fatal("ca.pem holds no certificate")
	}
	for name, ok := range map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true, "example.net": false} {
		_, err := first.Certificate.Leaf.Verify(x509.VerifyOptions{DNSName: name, Roots: roots})
		if (err == nil) != ok {
			t.Errorf("%s: %v", name, err)
		}
	}

	second, err := OpenAuthority(dir, now)
	if err != nil {
		t.Fatal(err)
	}
	if !second.Certificate.Leaf.Equal(first.Certificate.Leaf) {
		t.Error("a good certificate was made anew")
	}
	nextYear := now.AddDate(0, 11, 20)
	later, err := OpenAuthority(dir, nextYear)
	if err != nil {
		t.Fatal(err)
	}
	if later.Certificate.Leaf.Equal(first.Certificate.Leaf) {
		t.Error("a certificate about to expire was kept")
	}
	if _, err := later.Certificate.Leaf.Verify(x509.VerifyOptions{DNSName: "localhost", Roots: roots, CurrentTime: nextYear}); err != nil {
		t.Errorf("the new certificate is from another authority: %v", err)
	}
}

// The authority's constraints hold even when somebody signs a foreign name with its key.
func TestAuthorityIsWorthlessElsewhere(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	if _, err := OpenAuthority(dir, now); err != nil {
		t.Fatal(err)
	}
	ca, err := loadPair(dir, "ca")
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{NotAfter: now.Add(time.Hour), DNSNames: []string{"example.net"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	forged, err := makePair(dir, "forged", template, &ca, now)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(ca.Leaf)
	if _, err := forged.Leaf.Verify(x509.VerifyOptions{DNSName: "example.net", Roots: roots}); err == nil {
		t.Error("a certificate for example.net verifies")
	}
}

func TestDamagedAuthorityIsNotOverwritten(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"ca.pem", "ca.key"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := OpenAuthority(dir, time.Now()); err == nil {
		t.Fatal("opened")
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "ca.key")); string(b) != "mine" {
		t.Errorf("ca.key is now %q", b)
	}
}
