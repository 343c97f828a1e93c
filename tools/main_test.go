package main

import (
	"strings"
	"testing"
)

func TestRun_SelectsTheCommand(t *testing.T) {
	tests := []struct {
		name   string
		args   []string
		code   int
		stdout string // parts of the output
		stderr string
	}{
		{"no command", nil, 2, "", "relevance"},
		{"help", []string{"--help"}, 0, "evaluates the ranking", ""},
		{"help of a command", []string{"relevance", "help"}, 0, "relevance COMMAND [flags]", ""},
		{"an unknown command", []string{"relevanc"}, 2, "", `unknown command "relevanc"; did you mean relevance?`},
	}

	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr strings.Builder
			if code := run(t.Context(), tt.args, &stdout, &stderr); code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}

			if !strings.Contains(stdout.String(), tt.stdout) {
				t.Errorf("standard output %q lacks %q", stdout.String(), tt.stdout)
			}

			if !strings.Contains(stderr.String(), tt.stderr) {
				t.Errorf("standard error %q lacks %q", stderr.String(), tt.stderr)
			}
		})
	}
}
