package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

func TestAttack_Nothing(t *testing.T) {
	out := must(t, "attack", "-judged", committed, "-attackers", "2", "-only", "nothing")
	row := regexp.MustCompile(`(?m)^nothing +(\S+%) \((\d+)/36\) +(\d+)/18 +(\d+) +\S.* 0\.\d{3} +0\.\d{3}$`)
	if got := row.FindStringSubmatch(out); got == nil || got[2] != "0" || got[3] != "0" || got[4] != "0" {
		t.Errorf("profiles that copy nothing reach the first ten:\n%s", out)
	}
}

func TestAttack_UsageErrors(t *testing.T) {
	for _, args := range [][]string{{"-only", "bribe"}, {"-attackers", "0"}} {
		var out, stderr bytes.Buffer
		code := run(t.Context(), append([]string{"attack", "-judged", committed}, args...), &out, &stderr)
		if code != 2 || !strings.Contains(stderr.String(), strings.TrimPrefix(args[0], "-")) &&
			!strings.Contains(stderr.String(), args[1]) {
			t.Errorf("%v: exit %d, %s", args, code, &stderr)
		}
	}
}
