package format

import (
	"slices"
	"testing"
)

func TestWrapList(t *testing.T) {
	for _, test := range []struct {
		items []string
		want  []string
	}{
		{nil, nil},
		{[]string{"a"}, []string{"a"}},
		{[]string{"aaa", "bbb", "ccc"}, []string{"aaa, bbb,", "ccc"}},
		{[]string{"a long item", "b"}, []string{"a long item,", "b"}},
	} {
		if got := WrapList(test.items, ", ", 9); !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.items, got, test.want)
		}
	}
}
