package bitmap

import (
	"slices"
	"testing"
)

func TestBitmap(t *testing.T) {
	m := make(Set, Words(130))
	m.Fill(130)
	m.Remove(0)
	m.Remove(129)
	other := make(Set, Words(130))
	for _, doc := range []int{0, 1, 64, 128} {
		other.Add(doc)
	}

	if n := m.CountWithout(other); n != 125 {
		t.Errorf("countWithout = %d, want 125", n)
	}

	if n := m.CountWithout(nil); n != 128 || m.Count() != 128 {
		t.Errorf("countWithout(nil) = %d, count = %d; want 128", n, m.Count())
	}
	m.And(other)

	if got := slices.Collect(m.All()); !slices.Equal(got, []int{1, 64, 128}) {
		t.Errorf("and: %v", got)
	}
	other.AndNot(m)

	if got := slices.Collect(other.All()); !slices.Equal(got, []int{0}) {
		t.Errorf("andNot: %v", got)
	}

	if other.Or(m); other.Count() != 4 {
		t.Errorf("or: %v", other)
	}
}
