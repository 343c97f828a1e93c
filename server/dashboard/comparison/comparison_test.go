package comparison

import (
	"fmt"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/server/api/wire"
)

// answer returns matches with the given IDs.
func answer(ids string) []wire.Match {
	var matches []wire.Match
	for i, id := range strings.Fields(ids) {
		m := wire.Match{Score: 1 - float64(i)/10}
		m.Freelancer.ID = id
		m.Freelancer.Name = "Name of " + id
		matches = append(matches, m)
	}
	return matches
}

func TestRows(t *testing.T) {
	for _, test := range []struct{ before, after, want string }{
		{"", "", ""},
		{"a b", "a b", "a 1→1 0, b 2→2 0"},
		{"a b c", "c a d", "c 3→1 2, a 1→2 -1, d 0→3 0, b 2→0 0"},
		{"a", "", "a 1→0 0"},
	} {
		var got []string
		for _, r := range Rows(answer(test.before), answer(test.after)) {
			got = append(got, fmt.Sprintf("%s %d→%d %d", r.ID, r.Before.Rank, r.After.Rank, r.Change()))
			if r.Name != "Name of "+r.ID {
				t.Errorf("the name of %s is %q", r.ID, r.Name)
			}
		}
		if got := strings.Join(got, ", "); got != test.want {
			t.Errorf("%q and %q: %s, want %s", test.before, test.after, got, test.want)
		}
	}
}

func TestFields_NamesWhatDiffers(t *testing.T) {
	fields, err := Fields([]byte(`{"job_title":"Chef","limit":5,"weights":{"text": 1}}`),
		[]byte(`{"job_title":"Cook","limit":5,"required_skills":["Go", "SQL"]}`))
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{job_title Chef Cook} {required_skills  ["Go","SQL"]} {weights {"text":1} }]`
	if got := fmt.Sprint(fields); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if _, err := Fields([]byte("{}"), []byte("oops")); err == nil {
		t.Error("no error for a request that is not JSON")
	}
}
