package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestChoose_TakesTheNameOfTheFileBeforeTheFirstArgument(t *testing.T) {
	for _, c := range []struct {
		args, program, rest string
	}{
		{"server -demo", "server", "-demo"},
		{"/usr/local/bin/indexer load -", "indexer", "load -"},
		{"matching match", "matching", "match"},
		{"./server.exe -version", "server", "-version"},
		{"/usr/bin/matching-server indexer", "server", "indexer"},
		{"matching-indexer", "indexer", ""},
		{"freelancer-matching matching-server", "matching-server", ""},
		{"freelancer-matching server server", "server", "server"},
		{"/opt/freelancer-matching indexer load people.csv", "indexer", "load people.csv"},
		{"freelancer-matching.exe matching me", "matching", "me"},
		{"freelancer-matching", "", ""},
		{"", "", ""},
	} {
		program, rest := choose(strings.Fields(c.args))
		if program != c.program || !slices.Equal(rest, strings.Fields(c.rest)) {
			t.Errorf("%q: got %q with %q, want %q with %q", c.args, program, rest, c.program, c.rest)
		}
	}
}

func TestRun_SaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		args           string
		code           int
		stdout, stderr string // contained
	}{
		{"freelancer-matching", 2, "", "Usage: freelancer-matching PROGRAM"},
		{"freelancer-matching servr", 2, "", `unknown program "servr"; the programs are server, indexer and matching`},
		{"freelancer-matching -h", 0, "Usage: freelancer-matching PROGRAM", ""},
		{"freelancer-matching -version", 0, "freelancer-matching ", ""},
	} {
		var stdout, stderr bytes.Buffer
		code := run(strings.Fields(c.args), &stdout, &stderr)
		isExpected := code == c.code &&
			strings.Contains(stdout.String(), c.stdout) && strings.Contains(stderr.String(), c.stderr)
		if !isExpected || (c.stdout == "") != (stdout.Len() == 0) || (c.stderr == "") != (stderr.Len() == 0) {
			t.Errorf("%q: got code %d, %q and %q", c.args, code, stdout.String(), stderr.String())
		}
	}
}
