package resumes

import (
	"bytes"
	"strings"
	"testing"
)

func TestRun_ExitCodes(t *testing.T) {
	for _, tt := range []struct {
		args    []string
		code    int
		message string // part of what is printed
	}{
		{nil, 2, "want one command"},
		{[]string{"evla"}, 2, "did you mean eval?"},
		{[]string{"eval", "more"}, 2, "want one command"},
		{[]string{"text"}, 2, "want one command"},
		{[]string{"text", "no-such-file.pdf"}, 1, "no-such-file.pdf"},
		{[]string{"eval", "-fixtures", "no-such-folder"}, 1, "no-such-folder"},
		{[]string{"-h"}, 0, "Usage: resumes COMMAND"},
	} {
		var stdout, stderr bytes.Buffer
		if code := Run(t.Context(), tt.args, &stdout, &stderr); code != tt.code {
			t.Errorf("%q exited with %d, want %d: %s", tt.args, code, tt.code, stderr.String())
		}

		if output := stdout.String() + stderr.String(); !strings.Contains(output, tt.message) {
			t.Errorf("%q printed %q, want it to contain %q", tt.args, output, tt.message)
		}
	}
}
