package config_test

import (
	"encoding/pem"
	"flag"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"freelancer-matching/internal/config"
)

func TestValidate_Elasticsearch(t *testing.T) {
	tests := []struct {
		name   string
		change func(*config.Config)
		want   string // "": no fault
	}{
		{"an address", func(*config.Config) {}, ""},
		{"user and password", func(c *config.Config) { c.Elasticsearch.Username, c.Elasticsearch.Password = "u", "secret" }, ""},
		{"a key", func(c *config.Config) { c.Elasticsearch.APIKey = "secret" }, ""},
		{"a user without password", func(c *config.Config) { c.Elasticsearch.Username = "u" }, "with elasticsearch-password-file"},
		{"a password without user", func(c *config.Config) { c.Elasticsearch.Password = "secret" }, "with elasticsearch-password-file"},
		{"user and key", func(c *config.Config) {
			c.Elasticsearch.Username, c.Elasticsearch.Password, c.Elasticsearch.APIKey = "u", "secret", "secret"
		}, "elasticsearch-api-key-file alone"},
		{"a prefix without address", func(c *config.Config) { c.Elasticsearch.URLs, c.Elasticsearch.Prefix = nil, "x-" }, "name it with elasticsearch-url"},
		{"the demo", func(c *config.Config) { c.Demo = true }, "leave out elasticsearch-url"},
		{"no shards", func(c *config.Config) { c.Elasticsearch.Shards = 0 }, "elasticsearch-shards must be at least 1"},
		{"no writers", func(c *config.Config) { c.Elasticsearch.Writers = 0 }, "elasticsearch-writers is 0"},
		{"replicas below 0", func(c *config.Config) { c.Elasticsearch.Replicas = -1 }, "elasticsearch-replicas at least 0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := config.Default()
			c.Elasticsearch.URLs = []string{"http://127.0.0.1:9200"}
			test.change(&c)
			err := c.Validate()
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, want %q", err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("a secret is told: %v", err)
			}
		})
	}
}

func TestBind_Elasticsearch(t *testing.T) {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	folder := t.TempDir()
	ca, junk := filepath.Join(folder, "ca.pem"), filepath.Join(folder, "junk.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for name, content := range map[string][]byte{ca: certificate, junk: []byte("junk")} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	bind := func(args ...string) (config.Config, error) {
		c, flags := config.Default(), flag.NewFlagSet("", flag.ContinueOnError)
		flags.SetOutput(new(strings.Builder))
		if err := config.Bind(&c, flags, lookup(nil)); err != nil {
			t.Fatal(err)
		}
		return c, flags.Parse(args)
	}
	c, err := bind("-elasticsearch-url", "https://a:9200, https://b:9200", "-elasticsearch-ca-file", ca)
	if err != nil || !slices.Equal(c.Elasticsearch.URLs, []string{"https://a:9200", "https://b:9200"}) || len(c.Elasticsearch.CACert) == 0 {
		t.Errorf("%+v, %v; want two addresses and a certificate", c.Elasticsearch, err)
	}
	for _, bad := range [][]string{
		{"-elasticsearch-url", "http://a:9200,"}, {"-elasticsearch-ca-file", junk}, {"-elasticsearch-ca-file", folder},
	} {
		if _, err := bind(bad...); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}
