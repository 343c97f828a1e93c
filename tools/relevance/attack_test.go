package relevance

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// attackRow matches a row of the table: name, share, attackers in the first ten, briefs reached and first places.
var attackRow = regexp.MustCompile(`(?m)^(\S.*?) +(\S+)% \((\d+)/\d+\) +(\d+)/18 +(\d+) +\S.* 0\.\d{3} +0\.\d{3}$`)

// Copying a brief into a profile of another trade must not reach the first ten.
func TestAttack_CopiesDontReachTheFirstTen(t *testing.T) {
	for _, name := range []string{"nothing", "paste at the end", "paste shuffled words", "copy everything"} {
		out := must(t, "attack", "-judged", committed, "-attackers", "1", "-only", name)
		row := attackRow.FindStringSubmatch(out)
		if row == nil || row[1] != name || row[3] != "0" || row[5] != "0" {
			t.Errorf("attackers reach the first ten:\n%s", out)
		}
	}
}

func TestAttack_UsageErrors(t *testing.T) {
	for _, args := range [][]string{{"-only", "bribe"}, {"-attackers", "0"}} {
		var out, stderr bytes.Buffer
		code := Run(t.Context(), append([]string{"attack", "-judged", committed}, args...), &out, &stderr)
		if code != 2 || !strings.Contains(stderr.String(), strings.TrimPrefix(args[0], "-")) &&
			!strings.Contains(stderr.String(), args[1]) {
			t.Errorf("%v: exit %d, %s", args, code, &stderr)
		}
	}
}
