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

	"github.com/freelancer-matching/service/engine/elastic"
)

// requireContainer returns a node with TLS and a password: the one in nodeVariable, if it has both, or a container. If
// nodeVariable names another node, the test is skipped unless dockerVariable is set, too.
func requireContainer(t *testing.T) *node {
	t.Helper()
	n := namedNode(t)
	if n != nil && n.ca != nil && n.user != "" {
		return n
	}
	if n != nil && os.Getenv(dockerVariable) == "" {
		t.Skipf("%s is set: set %s=1 to start a container too", nodeVariable, dockerVariable)
	}
	return testContainer(t)
}

// The programs load into and serve from a node with TLS and a password.
func TestContainer_LoadsAndServes(t *testing.T) {
	n := requireContainer(t)
	lifecycle(t, deploy(t, searchEngine{
		name:  "container",
		flags: func(t *testing.T) []string { return n.flags(t, n.prefix(t)) },
	}))
}

// The programs accept an API key instead of a user name and password.
func TestContainer_APIKey(t *testing.T) {
	n := requireContainer(t)
	prefix := n.prefix(t)
	status, answer, err := n.try(http.MethodPost, "/_security/api_key", `{"name":"test","expiration":"1h"}`)
	if err != nil {
		t.Fatal(err)
	}

	if status != http.StatusOK {
		t.Skipf("this image does not create API keys: %d %s", status, answer)
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

	if strings.Contains(s.Log.String(), key.Encoded) {
		t.Error("the log contains the key")
	}
}

// If the node rejects the credentials, or its certificate is not trusted, the error names the setting to check and does
// not contain the password.
func TestContainer_ErrorsNameTheSetting(t *testing.T) {
	n := requireContainer(t)
	for _, c := range []struct {
		name   string
		change func(*elastic.Options)
		want   []string
	}{
		{"wrong password", func(o *elastic.Options) { o.Password = always("wrong") }, []string{"password"}},
		{"no password", func(o *elastic.Options) { o.Username, o.Password = "", nil }, []string{"elasticsearch-user"}},
		{"wrong API key", func(o *elastic.Options) {
			o.Username, o.Password, o.APIKey = "", nil, always("d3Jvbmc6a2V5")
		}, []string{"api-key"}},
		{"wrong authority", func(o *elastic.Options) {
			o.CACert = unrelatedAuthority(t)
		}, []string{"elasticsearch-ca-file"}},
		{"no authority", func(o *elastic.Options) { o.CACert = nil }, []string{"elasticsearch-ca-file"}},
		{"without TLS", func(o *elastic.Options) {
			o.URLs = []string{strings.Replace(n.url, "https:", "http:", 1)}
		}, nil},
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
				t.Fatal("the node accepted the connection")
			}

			t.Log(err)

			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v: does not name %s", err, want)
				}
			}

			if strings.Contains(err.Error(), n.password) {
				t.Errorf("%v: contains the password", err)
			}
		})
	}
}

// unrelatedAuthority returns the PEM certificate of an authority that has not signed the node's certificate.
func unrelatedAuthority(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "unrelated authority"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign,
		NotAfter:              time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}
