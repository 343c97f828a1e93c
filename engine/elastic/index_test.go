package elastic

import (
	"strings"
	"testing"
)

func TestFullName(t *testing.T) {
	for _, c := range []struct{ prefix, name, want, says string }{
		{"", "freelancers-v1-20260304t050607z", "freelancers-v1-20260304t050607z", ""},
		{"svc-", "_x", "svc-_x", ""},
		{"svc.", "ünicode", "svc.ünicode", ""},
		{"", strings.Repeat("x", 249), strings.Repeat("x", 249), ""},
		{"x", strings.Repeat("x", 249), "", "has 250 bytes, want at most 249"},
		{"svc-", "", "", "is no name"},
		{"", ".", "", "is no name"},
		{"", "..", "", "is no name"},
		{"", "Freelancers", "", "has capital letters, want small ones"},
		{"Svc-", "x", "", "has capital letters"},
		{"", "-x", "", `begins with "-"`},
		{"", "_all", "", `begins with "_"`},
		{"+", "x", "", `begins with "+"`},
		{"", "*", "", "has a blank or one of"},
		{"", "a,b", "", "has a blank or one of"},
		{"", "<a-{now/d}>", "", "has a blank or one of"},
		{"", "a b", "", "has a blank or one of"},
		{"", "a/b", "", "has a blank or one of"},
		{"", `a\b`, "", "has a blank or one of"},
		{"", "cluster:a", "", "has a blank or one of"},
	} {
		e := &Engine{options: Options{Prefix: c.prefix}}
		got, err := e.fullName(c.name)
		if got != c.want || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("full name of %q after %q = %q, %v; want %q, %q", c.name, c.prefix, got, err, c.want, c.says)
		}
	}
}
