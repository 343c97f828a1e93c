package config_test

import (
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/config"
)

var update = flag.Bool("update", false, "rewrite docs/configuration.md")

func TestBind(t *testing.T) {
	tests := []struct {
		name        string
		environment map[string]string
		args        []string
		want        func(*config.Config)
	}{
		{"defaults", nil, nil, func(*config.Config) {}},
		{"environment", map[string]string{"MATCHING_ADDR": ":1", "MATCHING_MAX_MATCHES": "3"}, nil, func(c *config.Config) {
			c.Addr, c.MaxMatches = ":1", 3
		}},
		{
			"a flag overrides the environment",
			map[string]string{"MATCHING_DATA": "a"},
			[]string{"-data", "b"},
			func(c *config.Config) { c.Data = "b" },
		},
		{"an empty variable is ignored", map[string]string{"MATCHING_DATA": ""}, nil, func(*config.Config) {}},
		{
			"every kind of value",
			nil,
			[]string{"-demo", "-log-level", "debug", "-log-json=true", "-request-timeout", "2s"},
			func(c *config.Config) {
				c.Demo = true
				c.LogJSON = true
				c.LogLevel = slog.LevelDebug
				c.RequestTimeout = 2 * time.Second
			},
		},
		{
			"periods in days and as durations",
			map[string]string{"MATCHING_AUDIT_RETENTION": "365d"},
			[]string{"-dead-letter-retention", "36h"},
			func(c *config.Config) { c.Retention.Audit, c.Retention.DeadLetters = 365*config.Day, 36*time.Hour },
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := config.Default()
			flags := flag.NewFlagSet("", flag.ContinueOnError)
			if err := config.Bind(&got, flags, lookup(test.environment)); err != nil {
				t.Fatal(err)
			}

			if err := flags.Parse(test.args); err != nil {
				t.Fatal(err)
			}
			want := config.Default()
			test.want(&want)

			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestBind_ReportsAllFaultsOfTheEnvironment(t *testing.T) {
	c := config.Default()
	invalid := map[string]string{
		"MATCHING_DEMO":            "perhaps",
		"MATCHING_LOG_LEVEL":       "loud",
		"MATCHING_REQUEST_TIMEOUT": "10",
		"MATCHING_MAX_MATCHES":     "many",
	}
	err := config.Bind(&c, flag.NewFlagSet("", flag.ContinueOnError), lookup(invalid))
	if err == nil {
		t.Fatal("no error")
	}
	for want := range invalid {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not name %s", err, want)
		}
	}
}

func TestValidate_ReportsAllFaults(t *testing.T) {
	c := config.Config{Addr: "8080"}
	err := c.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"addr", "data", "request-timeout", "max-matches", "sign-up", "llm-timeout"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not name %s", err, want)
		}
	}
	c = config.Default()
	if err := c.Validate(); err != nil {
		t.Errorf("the defaults are rejected: %v", err)
	}
}

// secret returns a secret that no error may contain.
func secret() *config.Secret { return config.NewSecret("secret") }

func TestValidate(t *testing.T) {
	embeddings := config.Embeddings{URL: "http://127.0.0.1:1/v1", Model: "m", Dimensions: 384, Timeout: time.Second}
	const needsAPI = "need embeddings-url"
	tests := []struct {
		name   string
		change func(*config.Config)
		want   string // part of the error; "" if the configuration is valid
	}{
		{"public URL with a path", func(c *config.Config) { c.PublicURL = "https://example.com/matching" }, "public-url"},
		{"public URL without scheme", func(c *config.Config) { c.PublicURL = "example.com" }, "public-url"},
		{"public URL with another scheme", func(c *config.Config) { c.PublicURL = "ftp://example.com" }, "public-url"},
		{"public URL with a user", func(c *config.Config) { c.PublicURL = "https://me@example.com" }, "public-url"},
		{
			"exchange rates without an age",
			func(c *config.Config) { c.ExchangeRates.MaxAge = time.Hour }, "exchange-rates-max-age",
		},
		{"certificate without a key", func(c *config.Config) { c.TLS.Cert = "cert.pem" }, "tls-cert and tls-key"},
		{"key without a certificate", func(c *config.Config) { c.TLS.Key = "key.pem" }, "tls-cert and tls-key"},
		{"plain public URL with a certificate", func(c *config.Config) {
			c.TLS = config.TLS{Cert: "cert.pem", Key: "key.pem"}
			c.PublicURL = "http://match.example.com"
		}, "use https://"},
		{"host with a port", func(c *config.Config) { c.Hosts = []string{"matching:8080"} }, `"matching:8080"`},
		{"pattern of hosts", func(c *config.Config) { c.Hosts = []string{"*.example.com"} }, `"*.example.com"`},
		{"negative delay", func(c *config.Config) { c.DrainDelay = -time.Second }, "drain-delay is -1s"},
		{"no delay", func(c *config.Config) { c.DrainDelay = 0 }, ""},
		{"invalid host of webhooks", func(c *config.Config) { c.WebhookAllow = []string{"a.b", "http://c"} }, `"http://c"`},
		{"port of webhooks that is 0", func(c *config.Config) { c.WebhookAllow = []string{"a.b:0"} }, `"a.b:0"`},
		{"large port of webhooks", func(c *config.Config) { c.WebhookAllow = []string{"a.b:70000"} }, `"a.b:70000"`},
		{"path of webhooks", func(c *config.Config) { c.WebhookAllow = []string{"a.b:80/c"} }, `"a.b:80/c"`},
		{"invalid proxy", func(c *config.Config) { c.TrustedProxies = []string{"10.0.0.0/8", "nginx"} }, `"nginx"`},
		{"invalid sign-up", func(c *config.Config) { c.SignUp = "everyone" }, "open, invitation or closed"},
		{"OTLP endpoint without a scheme", func(c *config.Config) { c.OTLPEndpoint = "127.0.0.1:4318" }, "otlp-endpoint"},
		{
			"OTLP endpoint with a password", func(c *config.Config) { c.OTLPEndpoint = "http://me:secret@127.0.0.1:4318" },
			"otlp-endpoint",
		},
		{"pprof without an address", func(c *config.Config) { c.Pprof = true }, "pprof needs metrics-addr on loopback"},
		{
			"pprof for other machines", func(c *config.Config) { c.Pprof, c.MetricsAddr = true, "0.0.0.0:9090" },
			"pprof needs metrics-addr on loopback",
		},
		{"metrics address without a host", func(c *config.Config) { c.MetricsAddr = "9090" }, "metrics-addr"},
		{"database password without a database", func(c *config.Config) { c.Database.Password = secret() }, "database-url"},
		{"Redis password without Redis", func(c *config.Config) { c.Quota.RedisPassword = secret() }, "redis-url"},
		{"demo with a database", func(c *config.Config) { c.Demo, c.Database.URL = true, "postgres://db/x" }, "demo"},
		{"demo with Elasticsearch", func(c *config.Config) {
			c.Demo = true
			c.Elasticsearch.URLs = []string{"http://127.0.0.1:9200"}
		}, "demo"},

		{"unknown encoder", func(c *config.Config) { c.Encoder = "yes" }, "encoder is"},
		{"encoder", func(c *config.Config) { c.Encoder = config.EncoderOn }, ""},
		{"encoder and embeddings", func(c *config.Config) {
			c.Encoder = config.EncoderOn
			c.Embeddings = embeddings
		}, "encoder on works"},
		{"encoder and Elasticsearch", func(c *config.Config) {
			c.Encoder = config.EncoderOn
			c.Elasticsearch.URLs = []string{"http://127.0.0.1:9200"}
		}, ""},
		{"embeddings", func(c *config.Config) { c.Embeddings = embeddings }, ""},
		{"embeddings without a model", func(c *config.Config) {
			c.Embeddings = embeddings
			c.Embeddings.Model = ""
		}, "needs embeddings-model"},
		{"embeddings without dimensions", func(c *config.Config) {
			c.Embeddings = embeddings
			c.Embeddings.Dimensions = 0
		}, "needs embeddings-model"},
		{"no time for embeddings", func(c *config.Config) { c.Embeddings.Timeout = 0 }, "embeddings-timeout is 0s"},
		{"embeddings model without an API", func(c *config.Config) { c.Embeddings.Model = "m" }, needsAPI},
		{"embeddings dimensions without an API", func(c *config.Config) { c.Embeddings.Dimensions = 384 }, needsAPI},
		{"embeddings key without an API", func(c *config.Config) { c.Embeddings.Key = secret() }, needsAPI},

		{"language model", func(c *config.Config) { c.LLM.URL, c.LLM.Model = "http://127.0.0.1:1/v1", "m" }, ""},
		{"language model without a limit", func(c *config.Config) { c.LLM.TokensADay = 0 }, ""},
		{"language model API without a model", func(c *config.Config) { c.LLM.URL = "http://a:1/v1" }, "needs llm-model"},
		{"language model without an API", func(c *config.Config) { c.LLM.Model = "m" }, "need llm-url"},
		{"language model key without an API", func(c *config.Config) { c.LLM.Key = secret() }, "need llm-url"},
		{"no time for the model", func(c *config.Config) { c.LLM.Timeout = 0 }, "llm-timeout is 0s"},
		{"more time than an interview has", func(c *config.Config) { c.LLM.Timeout = time.Minute }, "at most 25s"},
		{"negative words", func(c *config.Config) { c.LLM.WordsADay = -1 }, "llm-words-a-day is -1"},
		{"negative tokens of all accounts", func(c *config.Config) {
			c.LLM.ServiceTokensADay = -1
		}, "llm-service-tokens-a-day is -1"},
		{"negative tokens", func(c *config.Config) { c.LLM.TokensADay = -1 }, "llm-tokens-a-day is -1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := config.Default()
			test.change(&c)
			wantError(t, c.Validate(), test.want)
		})
	}
}

func TestValidate_Elasticsearch(t *testing.T) {
	tests := []struct {
		name   string
		change func(*config.Elasticsearch)
		want   string // part of the error; "" if the configuration is valid
	}{
		{"address", func(*config.Elasticsearch) {}, ""},
		{"user and password", func(e *config.Elasticsearch) { e.Username, e.Password = "u", secret() }, ""},
		{"API key", func(e *config.Elasticsearch) { e.APIKey = secret() }, ""},
		{"user without password", func(e *config.Elasticsearch) { e.Username = "u" }, "elasticsearch-password-file"},
		{"password without user", func(e *config.Elasticsearch) { e.Password = secret() }, "elasticsearch-password-file"},
		{"user and API key", func(e *config.Elasticsearch) {
			e.Username, e.Password, e.APIKey = "u", secret(), secret()
		}, "elasticsearch-api-key-file alone"},
		{"prefix without address", func(e *config.Elasticsearch) { e.URLs, e.Prefix = nil, "x-" }, "need elasticsearch-url"},
		{"no shards", func(e *config.Elasticsearch) { e.Shards = 0 }, "elasticsearch-shards is 0"},
		{"no writers", func(e *config.Elasticsearch) { e.Writers = 0 }, "elasticsearch-writers is 0"},
		{"negative replicas", func(e *config.Elasticsearch) { e.Replicas = -1 }, "elasticsearch-replicas is -1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := config.Default()
			c.Elasticsearch.URLs = []string{"http://127.0.0.1:9200"}
			test.change(&c.Elasticsearch)
			wantError(t, c.Validate(), test.want)
		})
	}
}

func TestNotices(t *testing.T) {
	const from, hook = "matching@example.com", "https://example.com/notices"
	for _, tt := range []struct {
		name string
		n    config.Notices
		want string // part of the error; "" if the configuration is valid
	}{
		{"STARTTLS", config.Notices{SMTP: "smtp://m@mail:25", From: from, SMTPPassword: secret()}, ""},
		{"TLS and a name", config.Notices{SMTP: "smtps://mail", From: "Matching <" + from + ">"}, ""},
		{"without TLS", config.Notices{SMTP: "smtp://mail?tls=off", From: from}, ""},
		{"endpoint", config.Notices{WebhookURL: hook, WebhookSecret: secret()}, ""},
		{"no sender", config.Notices{SMTP: "smtp://mail"}, "smtp-from"},
		{"two senders", config.Notices{SMTP: "smtp://mail", From: from + ", a@example.com"}, "smtp-from"},
		{"sender with another header", config.Notices{SMTP: "smtp://mail", From: from + "\r\nBcc: a@b"}, "smtp-from"},
		{"other scheme", config.Notices{SMTP: "https://mail", From: from}, "smtp-url"},
		{"no scheme", config.Notices{SMTP: "mail.example.com:587", From: from}, "smtp-url"},
		{"no host", config.Notices{SMTP: "smtp://:25", From: from}, "smtp-url"},
		{"port", config.Notices{SMTP: "smtp://mail:99999", From: from}, "port"},
		{"path", config.Notices{SMTP: "smtp://mail/x", From: from}, "nothing but ?tls=off"},
		{"other query", config.Notices{SMTP: "smtp://mail?tls=no", From: from}, "nothing but ?tls=off"},
		{"password in the URL", config.Notices{SMTP: "smtp://m:secret@mail", From: from}, "smtp-password-file"},
		{"user without a password", config.Notices{SMTP: "smtp://m@mail", From: from}, "smtp-password-file"},
		{"password without a user", config.Notices{SMTP: "smtp://mail", From: from, SMTPPassword: secret()}, "with a user"},
		{"user without TLS", config.Notices{SMTP: "smtp://m@mail?tls=off", From: from, SMTPPassword: secret()}, "tls=off"},
		{"TLS without TLS", config.Notices{SMTP: "smtps://mail?tls=off", From: from}, "tls=off"},
		{"sender without a server", config.Notices{From: from}, "need smtp-url"},
		{"endpoint without a secret", config.Notices{WebhookURL: hook}, "notice-webhook-key-file"},
		{"secret without an endpoint", config.Notices{WebhookSecret: secret()}, "notice-webhook-url"},
		{"invalid endpoint", config.Notices{WebhookURL: "example.com", WebhookSecret: secret()}, "notice-webhook-url is"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := config.Default()
			c.Notices = tt.n
			wantError(t, c.Validate(), tt.want)
		})
	}
}

func TestMailServer(t *testing.T) {
	for url, want := range map[string]config.MailServer{
		"smtp://mail.example.com":       {Host: "mail.example.com", Port: 587},
		"smtps://m%40x@[2001:db8::1]":   {Host: "2001:db8::1", Port: 465, User: "m@x", TLS: true},
		"smtp://127.0.0.1:2525?tls=off": {Host: "127.0.0.1", Port: 2525, Plain: true},
	} {
		n := config.Notices{SMTP: url}
		got, err := n.MailServer()
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", url, got, err, want)
		}
	}
}

// wantError checks for an error with a text, or for none if the text is empty. No error may contain a secret.
func wantError(t *testing.T, err error, text string) {
	t.Helper()
	if text == "" && err != nil || text != "" && (err == nil || !strings.Contains(err.Error(), text)) {
		t.Errorf("got error %v, want %q", err, text)
	}
	if err != nil && strings.Contains(err.Error(), "secret") {
		t.Errorf("the error contains the secret: %v", err)
	}
}

func TestBind_KeyFile(t *testing.T) {
	folder := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}

	tests := []struct {
		name, path, key string
		fault           string // "": none
	}{
		{"a key", file("key", "sk-1"), "sk-1", ""},
		{"a key with the line's end", file("line", " sk-1\r\n"), "sk-1", ""},
		{"missing", filepath.Join(folder, "nowhere"), "", "no such file"},
		{"empty", file("empty", ""), "", "empty is empty; it should hold the key"},
		{"blanks", file("blank", " \n\n"), "", "blank is empty; it should hold the key"},
		{"a folder", folder, "", "is a directory"},
	}
	for _, test := range tests {
		for _, from := range []string{"flag", "environment"} {
			t.Run(test.name+" by "+from, func(t *testing.T) {
				c := config.Default()
				flags := flag.NewFlagSet("", flag.ContinueOnError)
				flags.SetOutput(io.Discard)
				environment := map[string]string{}
				args := []string{"-embeddings-key-file", test.path}

				if from == "environment" {
					environment = map[string]string{"MATCHING_EMBEDDINGS_KEY_FILE": test.path}
					args = nil
				}

				err := errors.Join(config.Bind(&c, flags, lookup(environment)), flags.Parse(args))
				if c.Embeddings.Key.Get() != test.key {
					t.Errorf("key %q, want %q", c.Embeddings.Key.Get(), test.key)
				}
				wantError(t, err, test.fault)
			})
		}
	}
}

// Secrets are read again on request. An unusable file leaves its secret as it was, and doesn't keep others from being
// read.
func TestReloadSecrets(t *testing.T) {
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	write := func(name, content string) {
		if err := os.WriteFile(path(name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	c := config.Default()
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	if err := config.Bind(&c, flags, lookup(nil)); err != nil {
		t.Fatal(err)
	}

	secrets := map[string]**config.Secret{
		"database-password-file": &c.Database.Password, "redis-password-file": &c.Quota.RedisPassword,
		"embeddings-key-file": &c.Embeddings.Key, "llm-key-file": &c.LLM.Key,
		"secrets-key-file":            &c.Database.Secrets,
		"smtp-password-file":          &c.Notices.SMTPPassword,
		"notice-webhook-key-file":     &c.Notices.WebhookSecret,
		"admin-password-file":         &c.AdminPassword,
		"elasticsearch-password-file": &c.Elasticsearch.Password, "elasticsearch-api-key-file": &c.Elasticsearch.APIKey,
	}

	var args []string
	for name := range secrets {
		write(name, "old "+name+"\n")
		args = append(args, "-"+name, path(name))
	}

	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}

	for name := range secrets {
		write(name, "new "+name)
	}
	write("redis-password-file", "")
	err := c.ReloadSecrets()
	wantError(t, err, "redis-password-file: ")

	if strings.Contains(err.Error(), "llm") {
		t.Errorf("the error names a secret that was read: %v", err)
	}

	for name, s := range secrets {
		want := "new " + name
		if name == "redis-password-file" {
			want = "old " + name
		}

		if got := (*s).Get(); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}

		if strings.Contains(fmt.Sprint(*s), name) {
			t.Errorf("%s can be printed", name)
		}
	}

	if empty := config.Default(); empty.ReloadSecrets() != nil || empty.LLM.Key.Get() != "" {
		t.Error("no secret is configured, but one was read")
	}
}

func TestBind_Elasticsearch(t *testing.T) {
	server := httptest.NewTLSServer(nil)
	defer server.Close()

	folder := t.TempDir()
	ca := filepath.Join(folder, "ca.pem")
	junk := filepath.Join(folder, "junk.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for name, content := range map[string][]byte{ca: certificate, junk: []byte("junk")} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	bind := func(args ...string) (config.Config, error) {
		c := config.Default()
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		flags.SetOutput(io.Discard)

		if err := config.Bind(&c, flags, lookup(nil)); err != nil {
			t.Fatal(err)
		}
		return c, flags.Parse(args)
	}

	c, err := bind("-elasticsearch-url", "https://a:9200, https://b:9200", "-elasticsearch-ca-file", ca)
	if err != nil {
		t.Fatal(err)
	}

	if want := []string{"https://a:9200", "https://b:9200"}; !slices.Equal(c.Elasticsearch.URLs, want) {
		t.Errorf("got addresses %q, want %q", c.Elasticsearch.URLs, want)
	}

	if len(c.Elasticsearch.CACert) == 0 {
		t.Error("the certificate was not read")
	}

	for _, args := range [][]string{
		{"-elasticsearch-url", "http://a:9200,"},
		{"-elasticsearch-ca-file", junk},
		{"-elasticsearch-ca-file", folder},
	} {
		if _, err := bind(args...); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}

// docs/configuration.md is generated; -update rewrites it.
func TestMarkdown_IsInTheDocumentation(t *testing.T) {
	page := filepath.Join("..", "..", "docs", "configuration.md")
	if *update {
		if err := os.WriteFile(page, []byte(config.Markdown()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(config.Markdown(), string(got)); diff != "" {
		t.Errorf("docs/configuration.md is out of date; run make golden (-want +got):\n%s", diff)
	}
}

func lookup(m map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := m[name]
		return v, ok
	}
}
