package certificate_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freelancer-matching/service/server/certificate"
)

// files are the files of a certificate and its key.
type files struct{ cert, key string }

func newFiles(t *testing.T) files {
	folder := t.TempDir()
	return files{filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")}
}

// write stores a new certificate for a name.
func (f files) write(t *testing.T, name string, expires time.Time) {
	t.Helper()
	cert, key := newCertificate(t, name, expires)
	f.put(t, f.cert, cert)
	f.put(t, f.key, key)
}

func (f files) put(t *testing.T, file string, content []byte) {
	t.Helper()
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func newCertificate(t *testing.T, name string, expires time.Time) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}

	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: expires.Add(-90 * 24 * time.Hour), NotAfter: expires,
	}

	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}

	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})
}

func open(t *testing.T, f files) (s *certificate.Source, log *bytes.Buffer) {
	t.Helper()
	log = &bytes.Buffer{}
	s, err := certificate.Open(f.cert, f.key, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return s, log
}

// wantServed checks the name in the certificate that a new connection gets.
func wantServed(t *testing.T, s *certificate.Source, name string) {
	t.Helper()
	served, err := s.Config().GetCertificate(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := served.Leaf.Subject.CommonName; got != name {
		t.Errorf("the certificate of %s is served, want the one of %s", got, name)
	}
}

// A replaced certificate is served within ten seconds, and at once after Reload.
func TestSource_ServesReplacedFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFiles(t)
		later := time.Now().Add(60 * 24 * time.Hour)
		f.write(t, "first", later)
		s, log := open(t, f)
		wantServed(t, s, "first")
		f.write(t, "second", later)
		time.Sleep(9 * time.Second)
		wantServed(t, s, "first")
		time.Sleep(time.Second)
		wantServed(t, s, "second")
		f.write(t, "third", later)
		s.Reload()
		wantServed(t, s, "third")
		if n := strings.Count(log.String(), "certificate loaded"); n != 3 || strings.Contains(log.String(), "level=ERROR") {
			t.Errorf("%d certificates loaded, want 3 and no error:\n%s", n, log)
		}
	})
}

// Unusable files leave the previous certificate in use, and are reported once.
func TestSource_KeepsThePreviousCertificate(t *testing.T) {
	later := time.Now().Add(60 * 24 * time.Hour)
	other, otherKey := newCertificate(t, "other", later)
	tests := []struct {
		name   string
		damage func(t *testing.T, f files)
	}{
		{"no certificate", func(t *testing.T, f files) { f.put(t, f.cert, []byte("junk")) }},
		{"empty key", func(t *testing.T, f files) { f.put(t, f.key, nil) }},
		{"the key of another certificate", func(t *testing.T, f files) { f.put(t, f.key, otherKey) }},
		{"a certificate whose key is still missing", func(t *testing.T, f files) { f.put(t, f.cert, other) }},
		{"deleted", func(_ *testing.T, f files) { _ = os.Remove(f.cert) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFiles(t)
				f.write(t, "first", later)
				s, log := open(t, f)
				tt.damage(t, f)

				for range 3 {
					time.Sleep(time.Minute)
					wantServed(t, s, "first")
				}

				if n := strings.Count(log.String(), "certificate not reloaded"); n != 1 {
					t.Errorf("reported %d times, want once:\n%s", n, log)
				}
				s.Reload()

				if n := strings.Count(log.String(), "certificate not reloaded"); n != 2 {
					t.Errorf("Reload did not report the reason:\n%s", log)
				}
				wantServed(t, s, "first")
				f.write(t, "repaired", later)
				time.Sleep(time.Minute)
				wantServed(t, s, "repaired")
			})
		})
	}
}

func TestOpen_Errors(t *testing.T) {
	f := newFiles(t)
	open := func(want string) {
		t.Helper()
		_, err := certificate.Open(f.cert, f.key, slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	open("tls-cert")
	f.write(t, "first", time.Now().Add(time.Hour))
	_ = os.Remove(f.key)
	open("tls-key")
	_, other := newCertificate(t, "other", time.Now().Add(time.Hour))
	f.put(t, f.key, other)
	open("does not match")
}

// A certificate that expires soon is a warning.
func TestOpen_ExpiresSoon(t *testing.T) {
	f := newFiles(t)
	f.write(t, "first", time.Now().Add(24*time.Hour))
	if _, log := open(t, f); !strings.Contains(log.String(), "level=WARN") {
		t.Errorf("no warning:\n%s", log)
	}
}

// Clients that support TLS 1.1 only are rejected.
func TestConfig_Versions(t *testing.T) {
	f := newFiles(t)
	f.write(t, "first", time.Now().Add(60*24*time.Hour))
	s, _ := open(t, f)
	for version, accepted := range map[uint16]bool{
		tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true,
	} {
		here, there := net.Pipe()
		go func() {
			_ = tls.Server(there, s.Config()).Handshake()
			_ = there.Close()
		}()
		client := tls.Client(here, &tls.Config{InsecureSkipVerify: true, MinVersion: version, MaxVersion: version})
		if err := client.Handshake(); (err == nil) != accepted {
			t.Errorf("%s: %v, want it accepted: %t", tls.VersionName(version), err, accepted)
		}
		_ = here.Close()
	}
}
