package main

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Authority is a test certificate authority in a folder and a server certificate signed by it.
//
// The folder (0700) holds ca.pem, the file a client trusts, ca.key, server.pem and server.key; the keys
// are 0600. By its name constraints the authority is worthless for any name but this machine's own.
type Authority struct {
	CAFile      string
	Certificate tls.Certificate
}

// OpenAuthority reads the folder and makes what is missing or about to expire.
func OpenAuthority(dir string, now time.Time) (*Authority, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("test authority: %w", err)
	}
	ca, err := openCA(dir, now)
	if err != nil {
		return nil, fmt.Errorf("test authority: %w", err)
	}
	server, err := openServerCertificate(dir, ca, now)
	if err != nil {
		return nil, fmt.Errorf("server certificate: %w", err)
	}
	return &Authority{CAFile: filepath.Join(dir, "ca.pem"), Certificate: server}, nil
}

func openCA(dir string, now time.Time) (tls.Certificate, error) {
	have, err := loadPair(dir, "ca")
	if err == nil && have.Leaf.IsCA && now.AddDate(0, 1, 0).Before(have.Leaf.NotAfter) {
		return have, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return tls.Certificate{}, err // somebody's damaged file is not overwritten
	}
	template := &x509.Certificate{
		Subject:                     pkix.Name{CommonName: "Skiff test authority", Organization: []string{"Conch demo"}},
		NotAfter:                    now.AddDate(10, 0, 0),
		KeyUsage:                    x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		IsCA:                        true,
		BasicConstraintsValid:       true,
		MaxPathLenZero:              true,
		PermittedDNSDomainsCritical: true,
		PermittedDNSDomains:         []string{"localhost"},
		PermittedIPRanges: []*net.IPNet{
			{IP: net.IPv4(127, 0, 0, 1).To4(), Mask: net.CIDRMask(32, 32)},
			{IP: net.IPv6loopback, Mask: net.CIDRMask(128, 128)},
		},
	}
	return makePair(dir, "ca", template, nil, now)
}

func openServerCertificate(dir string, ca tls.Certificate, now time.Time) (tls.Certificate, error) {
	have, err := loadPair(dir, "server")
	if err == nil && have.Leaf.CheckSignatureFrom(ca.Leaf) == nil && now.AddDate(0, 1, 0).Before(have.Leaf.NotAfter) {
		return have, nil
	}
	template := &x509.Certificate{
		Subject:     pkix.Name{CommonName: "localhost"},
		NotAfter:    now.AddDate(1, 0, 0),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	return makePair(dir, "server", template, &ca, now)
}

func loadPair(dir, name string) (tls.Certificate, error) {
	return tls.LoadX509KeyPair(filepath.Join(dir, name+".pem"), filepath.Join(dir, name+".key"))
}

// makePair signs template with parent, or with its own key when parent is nil, and writes both files.
func makePair(dir, name string, template *x509.Certificate, parent *tls.Certificate, now time.Time) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return tls.Certificate{}, err
	}
	template.SerialNumber = serial
	template.NotBefore = now.Add(-time.Hour)
	signer, signerCert := crypto.Signer(key), template
	if parent != nil {
		signer, signerCert = parent.PrivateKey.(crypto.Signer), parent.Leaf
	}
	der, err := x509.CreateCertificate(rand.Reader, template, signerCert, key.Public(), signer)
	if err != nil {
		return tls.Certificate{}, err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return tls.Certificate{}, err
	}
	if err := writePEM(filepath.Join(dir, name+".key"), "PRIVATE KEY", keyDER, 0o600); err != nil {
		return tls.Certificate{}, err
	}
	if err := writePEM(filepath.Join(dir, name+".pem"), "CERTIFICATE", der, 0o644); err != nil {
		return tls.Certificate{}, err
	}
	return loadPair(dir, name)
}

// writePEM replaces the file as a whole, so that a reader never sees half of it.
func writePEM(path, kind string, der []byte, mode fs.FileMode) error {
	var text bytes.Buffer
	if err := pem.Encode(&text, &pem.Block{Type: kind, Bytes: der}); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text.Bytes())
	err = errors.Join(err, f.Chmod(mode), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
