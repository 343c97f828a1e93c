package config_test

import (
	"flag"
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
	for _, want := range []string{"addr", "data", "timeout", "max-matches"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not name %s", err, want)
		}
	}
	c = config.Default()
	if err := c.Validate(); err != nil {
		t.Errorf("the defaults are refused: %v", err)
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
