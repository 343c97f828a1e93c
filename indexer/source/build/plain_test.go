package build

import (
	"testing"

	"github.com/freelancer-matching/service/indexer/source/columns"
	"github.com/freelancer-matching/service/indexer/source/field"
	"github.com/freelancer-matching/service/internal/matching"
)

// A field without rules of its own is read as its kind requires.
func TestPlainField(t *testing.T) {
	for _, test := range []struct {
		field      matching.Field
		cell, want string
	}{
		{
			matching.Field{Name: "text", Pointer: func(f *matching.Freelancer) any { return &f.Location }},
			" two\n words ", "two words",
		},
		{
			matching.Field{Name: "count", Pointer: func(f *matching.Freelancer) any { return &f.TotalSales }},
			"1,234", "1234",
		},
		{
			matching.Field{Name: "flag", Pointer: func(f *matching.Freelancer) any { return &f.Verified }},
			"yes", "true",
		},
		{
			matching.Field{Name: "hours_per_week", Pointer: func(f *matching.Freelancer) any { return &f.HoursPerWeek }},
			"20 hours", "20",
		},
		{
			matching.Field{Name: "text", Pointer: func(f *matching.Freelancer) any { return &f.Location }},
			"N/A", "",
		},
	} {
		m := &columns.Mapping{}
		m.Sets[field.Plain] = []columns.Set{{Columns: []int{0}}}
		b := New([]string{"column"}, m, Options{})
		b.plainField([]string{test.cell}, field.Plain, &test.field)
		if got := test.field.Text(&b.row.Freelancer); got != test.want {
			t.Errorf("%s %q = %q, want %q", test.field.Name, test.cell, got, test.want)
		}
	}
}
