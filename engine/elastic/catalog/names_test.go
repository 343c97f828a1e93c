package catalog

import (
	"strings"
	"testing"
)

func TestFullName(t *testing.T) {
	for _, c := range []struct{ prefix, name, want, wantErr string }{
		{"", "freelancers-v1-20260304t050607z", "freelancers-v1-20260304t050607z", ""},
		{"svc-", "_x", "svc-_x", ""},
		{"svc.", "ünicode", "svc.ünicode", ""},
		{"", strings.Repeat("x", 249), strings.Repeat("x", 249), ""},
		{"x", strings.Repeat("x", 249), "", "has 250 bytes, want at most 249"},
		{"svc-", "", "", "is not a valid index name"},
		{"", ".", "", "is not a valid index name"},
		{"", "..", "", "is not a valid index name"},
		{"", "Freelancers", "", "contains capital letters"},
		{"Svc-", "x", "", "contains capital letters"},
		{"", "-x", "", `starts with "-"`},
		{"", "_all", "", `starts with "_"`},
		{"+", "x", "", `starts with "+"`},
		{"", "*", "", "contains a space or one of"},
		{"", "a,b", "", "contains a space or one of"},
		{"", "<a-{now/d}>", "", "contains a space or one of"},
		{"", "a b", "", "contains a space or one of"},
		{"", "a/b", "", "contains a space or one of"},
		{"", `a\b`, "", "contains a space or one of"},
		{"", "cluster:a", "", "contains a space or one of"},
	} {
		names := &Catalog{Prefix: c.prefix}
		got, err := names.FullName(c.name)
		if got != c.want || (err == nil) != (c.wantErr == "") || err != nil && !strings.Contains(err.Error(), c.wantErr) {
			t.Errorf("fullName(%q) with prefix %q = %q, %v; want %q, %q", c.name, c.prefix, got, err, c.want, c.wantErr)
		}
	}
}
