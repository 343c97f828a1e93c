// Package certificate serves TLS with a certificate whose files may be replaced while the server runs.
package certificate

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// checkEvery is how often the files are read to see whether they have changed. It needs no notifications from the
	// file system, which get lost when a folder is mounted or a symbolic link is replaced.
	checkEvery = 10 * time.Second
	// renewalDue is the remaining lifetime of a certificate from which loading it logs a warning.
	renewalDue = 7 * 24 * time.Hour
)

// A Source holds the current certificate of two PEM files.
type Source struct {
	certFile, keyFile string
	log               *slog.Logger
	current           atomic.Pointer[tls.Certificate]

	mu        sync.Mutex
	checked   time.Time // when the files were last read
	cert, key []byte    // what they contained, whether usable or not
}

// Open loads the certificate and its private key.
func Open(certFile, keyFile string, log *slog.Logger) (*Source, error) {
	s := &Source{certFile: certFile, keyFile: keyFile, log: log}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.read(); err != nil {
		return nil, err
	}
	return s, nil
}

// Config returns a configuration for TLS 1.2 and later that serves the current certificate. A replaced certificate
// applies to new connections within checkEvery.
func (s *Source) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			s.check()
			return s.current.Load(), nil
		},
	}
}

// Reload reads the files now. If they are unusable, the previous certificate stays in use, and the log has the reason.
func (s *Source) Reload() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.read()
	s.report(err)
}

// check reads the files if the last time was long enough ago. Concurrent handshakes don't wait for it.
func (s *Source) check() {
	if !s.mu.TryLock() {
		return
	}
	defer s.mu.Unlock()
	if time.Since(s.checked) < checkEvery {
		return
	}
	if changed, err := s.read(); changed {
		s.report(err)
	}
}

func (s *Source) report(err error) {
	if err != nil {
		s.log.Error("certificate not reloaded, the previous one stays in use", "error", err)
	}
}

// read loads the files if their content changed since the last time, and reports whether it did. A certificate and a
// key that don't belong together, such as while they are being replaced, leave the previous pair in use.
func (s *Source) read() (changed bool, err error) {
	s.checked = time.Now()
	cert, err := os.ReadFile(s.certFile)
	if err != nil {
		return s.note(nil, nil), fmt.Errorf("read the certificate (tls-cert): %w", err)
	}

	key, err := os.ReadFile(s.keyFile)
	if err != nil {
		return s.note(cert, nil), fmt.Errorf("read the private key (tls-key): %w", err)
	}

	changed = s.note(cert, key)

	// The files are replaced one after the other, so for a moment they may not belong together.
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return changed, fmt.Errorf("the files %s (tls-cert) and %s (tls-key) are unusable: %w", s.certFile, s.keyFile, err)
	}
	if !changed {
		return false, nil
	}

	s.current.Store(&pair)
	log := s.log.Info

	if time.Until(pair.Leaf.NotAfter) < renewalDue {
		log = s.log.Warn
	}
	log("certificate loaded", "file", s.certFile, "names", pair.Leaf.DNSNames, "expires", pair.Leaf.NotAfter)

	return true, nil
}

// note stores what the files contain and reports whether that changed.
func (s *Source) note(cert, key []byte) bool {
	changed := !bytes.Equal(s.cert, cert) || !bytes.Equal(s.key, key)
	s.cert = cert
	s.key = key
	return changed
}
