//go:build integration

package integration

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"freelancer-matching/engine/elastic"
)

// aContainer is a node with TLS and a password. Where the run has a node of its own, none is started unless that is asked
// for.
func aContainer(t *testing.T) *node {
	t.Helper()
	if os.Getenv(nodeVariable) != "" && os.Getenv(dockerVariable) == "" {
		t.Skipf("%s names a node: set %s=1 to start a container too", nodeVariable, dockerVariable)
	}
	return theContainer(t)
}

// The programs load into, and serve from, a node with TLS and a password, as the container has them.
func TestContainer_LoadsAndServes(t *testing.T) {
	n := aContainer(t)
	lifecycle(t, deploy(t, searchEngine{"container", func(t *testing.T) []string { return n.flags(t, n.prefix(t)) }}))
}

// An API key takes the place of user and password, where it may do what the programs do.
func TestContainer_APIKey(t *testing.T) {
	n := aContainer(t)
	prefix := n.prefix(t)
	status, answer, err := n.try(http.MethodPost, "/_security/api_key", `{"name":"test","expiration":"1h"}`)
	if err != nil {
		t.Fatal(err)
	}
	if status != http.StatusOK {
		t.Skipf("this image makes no API keys: %d %s", status, answer)
	}
	var key struct{ Encoded string }
	if err := json.Unmarshal(answer, &key); err != nil {
		t.Fatal(err)
	}
	d := deploy(t, searchEngine{"container", func(t *testing.T) []string {
		return []string{
			"-elasticsearch-url", n.url, "-elasticsearch-prefix", prefix,
			"-elasticsearch-ca-file", secret(t, string(n.ca)), "-elasticsearch-api-key-file", secret(t, key.Encoded),
		}
	}})
	d.index(t, "load", generate(t, 300, 1))
	s := d.serve(t)
	s.explained(t)
	if strings.Contains(s.log.String(), key.Encoded) {
		t.Error("the log tells the key")
	}
}

// Who is not let in, or does not trust the node, is told which setting to look at, and never reads a password.
func TestContainer_RefusesClearly(t *testing.T) {
	n := aContainer(t)
	for _, c := range []struct {
		name   string
		change func(*elastic.Options)
		want   []string
	}{
		{"wrong password", func(o *elastic.Options) { o.Password = "wrong" }, []string{"password"}},
		{"no password", func(o *elastic.Options) { o.Username, o.Password = "", "" }, []string{"elasticsearch-user"}},
		{"wrong API key", func(o *elastic.Options) { o.Username, o.Password, o.APIKey = "", "", "d3Jvbmc6a2V5" }, []string{"api-key"}},
		{"another authority", func(o *elastic.Options) { o.CACert = anotherAuthority(t) }, []string{"elasticsearch-ca-file"}},
		{"no authority", func(o *elastic.Options) { o.CACert = nil }, []string{"elasticsearch-ca-file"}},
		{"without TLS", func(o *elastic.Options) { o.URLs = []string{strings.Replace(n.url, "https:", "http:", 1)} }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := n.options(n.prefix(t))
			c.change(&o)
			e, err := elastic.Open(o)
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			err = e.Ping(t.Context())
			if err == nil {
				t.Fatal("it was let in")
			}
			t.Log(err)
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v: does not tell of %s", err, want)
				}
			}
			if strings.Contains(err.Error(), n.password) {
				t.Errorf("%v: tells the password", err)
			}
		})
	}
}

// anotherAuthority is the certificate, in PEM, of an authority that signed nothing.
func anotherAuthority(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "another authority"}, IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign, NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}
