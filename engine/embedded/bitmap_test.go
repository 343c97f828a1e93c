package embedded

import (
	"slices"
	"testing"
)

func TestBitmap(t *testing.T) {
	m := make(bitmap, words(130))
	m.fill(130)
	m.clear(0)
	m.clear(129)
	other := make(bitmap, words(130))
	for _, doc := range []int{0, 1, 64, 128} {
		other.set(doc)
	}

	if n := m.countWithout(other); n != 125 {
		t.Errorf("countWithout = %d, want 125", n)
	}

	if n := m.countWithout(nil); n != 128 || m.count() != 128 {
		t.Errorf("countWithout(nil) = %d, count = %d; want 128", n, m.count())
	}
	m.and(other)

	if got := slices.Collect(m.all()); !slices.Equal(got, []int{1, 64, 128}) {
		t.Errorf("and: %v", got)
	}
	other.andNot(m)

	if got := slices.Collect(other.all()); !slices.Equal(got, []int{0}) {
		t.Errorf("andNot: %v", got)
	}

	if other.or(m); other.count() != 4 {
		t.Errorf("or: %v", other)
	}
}
