package elastic

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freelancer-matching/service/engine/elastic/rest"
)

// An authority signs the certificates of nodes.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a := &authority{}
	a.certificate, a.key = sign(t, template, nil)
	return a
}

// sign returns a certificate signed by an authority, or by itself if by is nil.
func sign(t *testing.T, template *x509.Certificate, by *authority) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if by == nil {
		by = &authority{template, key}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by.certificate, &key.PublicKey, by.key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return certificate, key
}

// node starts a server whose certificate this authority signed for an address.
func (a *authority) node(t *testing.T, address string) *httptest.Server {
	t.Helper()
	certificate, key := sign(t, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "node"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.ParseIP(address)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, a)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Elastic-Product", "Elasticsearch")
		io.WriteString(w, `{"version":{"number":"8.19.13"}}`)
	}))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{certificate.Raw}, PrivateKey: key}}}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func (a *authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})
}

// The engine trusts only the configured authority. Errors name the setting to check.
func TestClient_TLS(t *testing.T) {
	ours := newAuthority(t)
	theirs := newAuthority(t)
	node, elsewhere := ours.node(t, "127.0.0.1"), ours.node(t, "192.0.2.1")
	plain := answering(t, says(200, `{}`)).options.URLs[0]
	for _, c := range []struct {
		name string
		url  string
		set  func(*Options)
		want string
	}{
		{"its authority", node.URL, func(o *Options) { o.CACert = ours.pem() }, ""},
		{"another authority", node.URL, func(o *Options) { o.CACert = theirs.pem() }, "elasticsearch-ca-file"},
		{"the system's authorities", node.URL, func(*Options) {}, "elasticsearch-ca-file"},
		{"its authority, other address", elsewhere.URL, func(o *Options) { o.CACert = ours.pem() }, "elasticsearch-url"},
		{"https to a plain node", strings.Replace(plain, "http:", "https:", 1), func(*Options) {}, "put http://"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := DefaultOptions()
			o.URLs = []string{c.url}
			c.set(&o)
			e, err := Open(o)
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()

			err = e.Ping(t.Context())
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got error %v, want %q", err, c.want)
			}
		})
	}
}

func TestOpen_InvalidOptions(t *testing.T) {
	for name, c := range map[string]struct {
		urls []string
		cert []byte
		want string
	}{
		"no address":                      {nil, nil, "no address"},
		"host without scheme":             {[]string{"localhost:9200"}, nil, "want one such as"},
		"wrong scheme":                    {[]string{"ftp://localhost"}, nil, "want one such as"},
		"password in the address":         {[]string{"http://u:secret@localhost:9200"}, nil, "localhost:9200"},
		"invalid address with a password": {[]string{"http://u:sec%ret@localhost:9200"}, nil, "contains an @"},
		"invalid certificate":             {[]string{"http://127.0.0.1:9200/"}, []byte("secret"), "in PEM format"},
	} {
		o := DefaultOptions()
		o.URLs = c.urls
		o.CACert = c.cert
		_, err := Open(o)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "sec") {
			t.Errorf("%s: got error %v, want %q without the secret", name, err, c.want)
		}
	}
}

// always returns a function that returns a secret.
func always(secret string) func() string { return func() string { return secret } }

// A request carries the credentials of its moment.
func TestClient_ChangedPassword(t *testing.T) {
	password, got := "first", ""
	e := answering(t, func(w http.ResponseWriter, r *http.Request) {
		_, got, _ = r.BasicAuth()
		io.WriteString(w, `{}`)
	}, func(o *Options) { o.Username, o.Password = "u", func() string { return password } })
	for _, password = range []string{"first", "second"} {
		if err := e.client.Ask(t.Context(), rest.Request{Method: http.MethodPost, Path: "_search"}, nil); err != nil {
			t.Fatal(err)
		}
		if got != password {
			t.Errorf("password %q, want %q", got, password)
		}
	}
}

// Requests carry the credentials, and large bodies are compressed. Answers are never compressed.
func TestClient_Requests(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*Options)
		want string // header Authorization
	}{
		{"no credentials", func(*Options) {}, ""},
		{
			"a user", func(o *Options) { o.Username, o.Password = "Aladdin", always("open sesame") },
			"Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
		},
		{"an API key", func(o *Options) { o.APIKey = always("aWQ6a2V5") }, "APIKey aWQ6a2V5"},
	} {
		for _, large := range []bool{false, true} {
			sent := `{"size":1}` + strings.Repeat(" ", map[bool]int{true: rest.CompressFrom}[large])
			var got *http.Request
			var body []byte
			e := answering(t, func(w http.ResponseWriter, r *http.Request) {
				got = r
				body, _ = io.ReadAll(r.Body)
				io.WriteString(w, `{}`)
			}, c.set)

			search := rest.Request{Method: http.MethodPost, Path: "_search", Body: strings.NewReader(sent)}
			if err := e.client.Ask(t.Context(), search, nil); err != nil {
				t.Fatal(err)
			}

			if large {
				z, err := gzip.NewReader(bytes.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				body, _ = io.ReadAll(z)
			}

			if got.Header.Get("Authorization") != c.want || string(body) != sent || got.Header.Get("Accept-Encoding") != "" {
				t.Errorf("%s, large=%v: got header %v, body of %d bytes", c.name, large, got.Header, len(body))
			}
		}
	}
}

// If one node fails, another one gets the request with its body. The path of an address is kept.
func TestClient_Failover(t *testing.T) {
	for name, first := range map[string]http.HandlerFunc{
		"connection broken": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"unavailable":       says(503, `{"error":{"type":"x","reason":"y"}}`),
		"bad gateway":       says(502, "<html>"),
	} {
		t.Run(name, func(t *testing.T) {
			var failures, answers atomic.Int64
			bad := answering(t, func(w http.ResponseWriter, r *http.Request) { failures.Add(1); first(w, r) })
			good := answering(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if r.URL.Path != "/es/x/_search" || string(body) != `{"size":1}` {
					t.Errorf("%s %s", r.URL.Path, body)
				}
				answers.Add(1)
				io.WriteString(w, `{}`)
			})

			o := DefaultOptions()
			o.URLs = []string{bad.options.URLs[0] + "/es/", good.options.URLs[0] + "/es/"}
			e, err := Open(o)
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()

			for range 4 {
				search := rest.Request{Method: http.MethodPost, Path: "x/_search", Body: strings.NewReader(`{"size":1}`)}
				if err := e.client.Ask(t.Context(), search, nil); err != nil {
					t.Error(err)
				}
			}

			if failures.Load() == 0 || answers.Load() != 4 {
				t.Errorf("got %d failures and %d answers, want some failures and 4 answers", failures.Load(), answers.Load())
			}
		})
	}
}

// The client does not retry with a single node. Its callers decide about retries.
func TestClient_NoRetryWithOneNode(t *testing.T) {
	var asked atomic.Int64
	e := answering(t, func(w http.ResponseWriter, r *http.Request) { asked.Add(1); says(503, `{}`)(w, r) })
	if err := e.Ping(context.WithoutCancel(t.Context())); err == nil || asked.Load() != 1 {
		t.Errorf("got error %v after %d requests, want an error after 1", err, asked.Load())
	}
}
