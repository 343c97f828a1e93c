package config_test

import (
	"errors"
	"flag"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/internal/config"
)

func TestBind(t *testing.T) {
	tests := []struct {
		name        string
		environment map[string]string
		args        []string
		want        func(*config.Config)
	}{
		{"nothing", nil, nil, func(*config.Config) {}},
		{"environment", map[string]string{"MATCHING_ADDR": ":1", "MATCHING_MAX_MATCHES": "3"}, nil, func(c *config.Config) {
			c.Addr, c.MaxMatches = ":1", 3
		}},
		{"a flag overrules the environment", map[string]string{"MATCHING_DATA": "a"}, []string{"-data", "b"}, func(c *config.Config) {
			c.Data = "b"
		}},
		{"an empty variable is none", map[string]string{"MATCHING_DATA": ""}, nil, func(*config.Config) {}},
		{"every kind", nil, []string{"-demo", "-log-level", "debug", "-log-json=true", "-request-timeout", "2s"}, func(c *config.Config) {
			c.Demo, c.LogJSON, c.LogLevel, c.RequestTimeout = true, true, slog.LevelDebug, 2*time.Second
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, flags := config.Default(), flag.NewFlagSet("", flag.ContinueOnError)
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

func TestBind_TellsEveryFaultOfTheEnvironment(t *testing.T) {
	c := config.Default()
	err := config.Bind(&c, flag.NewFlagSet("", flag.ContinueOnError), lookup(map[string]string{
		"MATCHING_DEMO": "perhaps", "MATCHING_LOG_LEVEL": "loud", "MATCHING_REQUEST_TIMEOUT": "10", "MATCHING_MAX_MATCHES": "many",
	}))
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"MATCHING_DEMO", "MATCHING_LOG_LEVEL", "MATCHING_REQUEST_TIMEOUT", "MATCHING_MAX_MATCHES"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not name %s", err, want)
		}
	}
}

func TestValidate_TellsEveryFault(t *testing.T) {
	c := config.Config{Addr: "8080"}
	err := c.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"addr", "data", "timeout", "max-matches", "max-interviews", "llm-timeout", "llm-concurrency"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not name %s", err, want)
		}
	}
	c = config.Default()
	if err := c.Validate(); err != nil {
		t.Errorf("the defaults are refused: %v", err)
	}
}

func TestValidate_Embeddings(t *testing.T) {
	const needs, stray, positive = "needs embeddings-model", "name it with embeddings-url", "embeddings-timeout must be"
	good := config.Embeddings{URL: "http://127.0.0.1:1/v1", Model: "m", Dimensions: 384, Batch: 64, Timeout: time.Second}
	tests := []struct {
		name   string
		change func(*config.Embeddings)
		want   string // "": no fault
	}{
		{"complete", func(*config.Embeddings) {}, ""},
		{"with key, shortened", func(e *config.Embeddings) { e.Key, e.Shorten = "secret", true }, ""},
		{"no model", func(e *config.Embeddings) { e.Model = "" }, needs},
		{"no dimensions", func(e *config.Embeddings) { e.Dimensions = 0 }, needs},
		{"dimensions below 0", func(e *config.Embeddings) { e.Dimensions = -1 }, needs},
		{"nothing but the defaults", func(e *config.Embeddings) { *e = config.Default().Embeddings }, ""},
		{"only a model", func(e *config.Embeddings) { e.URL, e.Dimensions = "", 0 }, stray},
		{"only dimensions", func(e *config.Embeddings) { e.URL, e.Model = "", "" }, stray},
		{"only a key", func(e *config.Embeddings) { *e = config.Default().Embeddings; e.Key = "secret" }, stray},
		{"only shortened", func(e *config.Embeddings) { *e = config.Default().Embeddings; e.Shorten = true }, stray},
		{"no time", func(e *config.Embeddings) { e.Timeout = 0 }, positive},
		{"no batch", func(e *config.Embeddings) { e.Batch = 0 }, positive},
		{"a batch below 0", func(e *config.Embeddings) { e.Batch = -64 }, positive},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := config.Default()
			c.Embeddings = good
			test.change(&c.Embeddings)
			err := c.Validate()
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, want %q", err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the key is told: %v", err)
			}
		})
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
				c, flags := config.Default(), flag.NewFlagSet("", flag.ContinueOnError)
				flags.SetOutput(io.Discard)
				environment, args := map[string]string{}, []string{"-embeddings-key-file", test.path}
				if from == "environment" {
					environment, args = map[string]string{"MATCHING_EMBEDDINGS_KEY_FILE": test.path}, nil
				}
				err := errors.Join(config.Bind(&c, flags, lookup(environment)), flags.Parse(args))
				if c.Embeddings.Key != test.key {
					t.Errorf("key %q, want %q", c.Embeddings.Key, test.key)
				}
				if test.fault == "" && err != nil || test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault)) {
					t.Errorf("%v, want %q", err, test.fault)
				}
			})
		}
	}
}

// The README's table is what operators read; it must tell of every setting and its default.
func TestSettings_AreInTheReadme(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range config.Settings() {
		row := "| `-" + s.Flag + "` | `" + s.Variable + "` | `" + s.Default + "` |"
		if !strings.Contains(string(readme), row) {
			t.Errorf("README.md has no row %s", row)
		}
	}
}

func lookup(m map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := m[name]
		return v, ok
	}
}
