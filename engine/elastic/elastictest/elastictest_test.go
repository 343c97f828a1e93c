package elastictest_test

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/engine/elastic"
	"github.com/freelancer-matching/service/engine/elastic/elastictest"
)

// A cluster with TLS and a password is reached by tests and by engines alike.
func TestFromEnvironment(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if user != "ci" || password != "p@ss" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("X-Elastic-Product", "Elasticsearch")
		_, _ = w.Write([]byte(`{"version": {"number": "8.19.13"}}`)) // the client reports a short response
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, authority, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(elastictest.URLVariable, strings.Replace(server.URL, "https://", "https://ci:p%40ss@", 1)+"/")
	t.Setenv(elastictest.CAVariable, file)

	c, err := elastictest.FromEnvironment()
	if err != nil {
		t.Fatal(err)
	}
	if c.URL != server.URL || c.User != "ci" || c.Password != "p@ss" {
		t.Errorf("cluster %s of user %s", c.URL, c.User)
	}

	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("status %d", response.StatusCode)
	}

	e, err := elastic.Open(c.Options("test-"))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := e.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestFromEnvironment_Errors(t *testing.T) {
	t.Setenv(elastictest.URLVariable, "")
	if c, err := elastictest.FromEnvironment(); c != nil || err != nil {
		t.Errorf("without a URL: %v, %v", c, err)
	}

	t.Setenv(elastictest.URLVariable, "user:secret@host:9200")
	if _, err := elastictest.FromEnvironment(); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("without a scheme: %v", err)
	}

	t.Setenv(elastictest.URLVariable, "https://host:9200")
	t.Setenv(elastictest.CAVariable, filepath.Join(t.TempDir(), "none"))
	if _, err := elastictest.FromEnvironment(); err == nil {
		t.Error("without the file: no error")
	}
}
