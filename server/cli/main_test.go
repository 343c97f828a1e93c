package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun_ExitCodes(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	tests := []struct {
		name        string
		args        []string
		environment map[string]string
		code        int
		want        string
	}{
		{"help", []string{"--help"}, nil, 0, "server -demo"},
		{"help for keys", []string{"keys", "-h"}, nil, 0, "revoke ID"},
		{"help for health", []string{"health", "-h"}, nil, 0, "server health [-addr"},
		{"version", []string{"-version"}, nil, 0, "server "},
		{"unknown flag", []string{"-adr", ":1"}, nil, 2, "did you mean -addr?"},
		{"unknown command", []string{"serve"}, nil, 2, `unknown command "serve"`},
		{"invalid address", []string{"-addr", "8080"}, nil, 2, "use host:port"},
		{"two errors", []string{"-addr", "8080", "-max-matches", "0"}, nil, 2, "max-matches is 0"},
		{"plain HTTP for other machines", []string{"-addr", ":0"}, nil, 2, "-insecure-http"},
		{"test mode for other machines", []string{"-test", "-addr", ":0"}, nil, 2, "everybody knows the API keys"},
		{
			"test mode with a database of production",
			[]string{"-test", "-database-url", "postgres://db/matching", "-redis-url", "redis://cache:6379"},
			nil, 2, "test mode can't be combined with database-url",
		},
		{
			"plain HTTP for other machines, by environment",
			nil,
			map[string]string{"MATCHING_ADDR": ":0", "MATCHING_PUBLIC_URL": "http://match.example.com"},
			2, "-public-url https://",
		},
		{"invalid variable", nil, map[string]string{"MATCHING_REQUEST_TIMEOUT": "soon"}, 2, "MATCHING_REQUEST_TIMEOUT"},
		{"health with an argument", []string{"health", "now"}, nil, 2, "takes no arguments"},
		{"keys without a command", []string{"keys"}, nil, 2, "keys needs a command: create, list,"},
		{"keys with an unknown command", []string{"keys", "make"}, nil, 2, `unknown command "make"`},
		{"revoke without a key", []string{"keys", "revoke", "-data", data}, nil, 2, "use server keys revoke ID"},
		{"revoke an unknown key", []string{"keys", "revoke", "key_x", "-data", data}, nil, 1, `There is no key "key_x".`},
		{
			"unknown plan",
			[]string{"keys", "create", "-data", data, "-plan", "gold", "-name", "A"},
			nil, 1,
			"plan must be one of",
		},
		{"no name", []string{"keys", "create", "-data", data, "-plan", "freelancer"}, nil, 1, "name must"},
		{"no keys yet", []string{"keys", "list"}, map[string]string{"MATCHING_DATA": data}, 0, "No keys yet"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			lookup := func(name string) (string, bool) {
				v, ok := test.environment[name]
				return v, ok
			}

			code := run(t.Context(), test.args, lookup, &stdout, &stderr)
			out := &stderr

			if test.code == 0 {
				out = &stdout
			}

			if code != test.code || !strings.Contains(out.String(), test.want) {
				t.Errorf("exit code %d, want %d with %q:\n%s%s", code, test.code, test.want, &stdout, &stderr)
			}
		})
	}
}

// The server starts with an unreadable index, because it switches to the next live index without a restart.
func TestServe_StartsWithAnUnreadableIndex(t *testing.T) {
	data := t.TempDir()
	indexes := filepath.Join(data, "indexes")
	if err := os.MkdirAll(indexes, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(indexes, "freelancers.alias"), []byte("not an alias"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	out := &readyThenStop{stop: cancel}
	var log bytes.Buffer
	environment := func(string) (string, bool) { return "", false }
	code := run(ctx, []string{"-data", data, "-addr", "127.0.0.1:0"}, environment, out, &log)
	if code != 0 || !strings.Contains(log.String(), "index unreadable") {
		t.Errorf("exit code %d, want 0 and a log message about the index:\n%s%s", code, out.String(), &log)
	}
}

// readyThenStop stops a server as soon as it prints that it is ready.
type readyThenStop struct {
	bytes.Buffer
	stop func()
}

func (r *readyThenStop) Write(p []byte) (int, error) {
	defer func() {
		if strings.Contains(r.String(), "Ready on") {
			r.stop()
		}
	}()
	return r.Buffer.Write(p)
}
