package elastic

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// tlsConfig says whom to trust: who is certified by one of the authorities of CACert or, in its place, of the system; or
// by the one with Fingerprint.
func tlsConfig(o *Options) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	switch {
	case o.CACert != nil && o.Fingerprint != "":
		return nil, errors.New("both a certificate and a fingerprint of Elasticsearch's authority; want one of them")
	case o.CACert != nil:
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(o.CACert) {
			return nil, errors.New("no certificate in the file of Elasticsearch's authority, want PEM: -----BEGIN CERTIFICATE-----")
		}
	case o.Fingerprint != "":
		fingerprint, err := hex.DecodeString(strings.ReplaceAll(o.Fingerprint, ":", ""))
		if err != nil || len(fingerprint) != sha256.Size {
			return nil, fmt.Errorf("%q is no fingerprint: want 64 hexadecimal digits, the SHA-256 of the certificate of Elasticsearch's authority", o.Fingerprint)
		}
		c.InsecureSkipVerify = true // VerifyConnection verifies
		c.VerifyConnection = func(s tls.ConnectionState) error { return verify(s.PeerCertificates, fingerprint) }
	}
	return c, nil
}

// errFingerprint is a node that has no certificate with the fingerprint, nor one by it.
var errFingerprint = errors.New("the node is not certified by the certificate with the fingerprint")

// verify checks that the certificates which a node shows begin with the one that has the fingerprint, or lead to it. Names
// are not compared: the authority is the cluster's own, and certifies nodes only.
func verify(shown []*x509.Certificate, fingerprint []byte) error {
	at := slices.IndexFunc(shown, func(c *x509.Certificate) bool {
		sum := sha256.Sum256(c.Raw)
		return bytes.Equal(sum[:], fingerprint)
	})
	if at < 0 {
		return errFingerprint
	}
	if at == 0 {
		return nil // the node's own
	}
	// Anybody can show the certificate of an authority: it must have signed the node's.
	authority, between := x509.NewCertPool(), x509.NewCertPool()
	authority.AddCert(shown[at])
	for _, c := range shown[1:] {
		between.AddCert(c)
	}
	if _, err := shown[0].Verify(x509.VerifyOptions{Roots: authority, Intermediates: between}); err != nil {
		return fmt.Errorf("%w: %w", errFingerprint, err)
	}
	return nil
}
