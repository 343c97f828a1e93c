package storetest

import (
	"bytes"
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/freelancer-matching/service/people"
)

// ErasedList tests a people.ListStore.
func ErasedList(t *testing.T, open func(t *testing.T) people.ListStore) {
	suite[people.ListStore]{
		"a new list is empty":                         startsWithoutErased,
		"entries are kept":                            keepsErased,
		"the later times of an entry are kept":        mergesErased,
		"concurrent changes are all kept":             mergesErasedConcurrently,
		"every change has a revision of its own":      countsErasedRevisions,
		"equal hashes of other kinds and keys differ": distinguishesErased,
	}.run(t, open)
}

func testErased(n int) people.Entry {
	return people.Entry{
		Key: bytes.Repeat([]byte{7}, 32), Kind: people.KindID, Hash: string(rune('a' + n)), Erased: after(n),
	}
}

// wantErased fails the test unless the list has exactly some entries, in any order.
func wantErased(t *testing.T, s people.ListStore, want ...people.Entry) {
	t.Helper()
	got, _, err := s.ErasedPeople(t.Context())
	noError(t, err)
	byHash := func(a, b people.Entry) int {
		return cmp.Or(slices.Compare(a.Key, b.Key), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Hash, b.Hash))
	}
	slices.SortFunc(got, byHash)
	slices.SortFunc(want, byHash)
	wantEqual(t, want, got)
}

func startsWithoutErased(t *testing.T, s people.ListStore) {
	wantErased(t, s)
	wantEqual(t, int64(0), must(s.ErasedRevision(t.Context())))
}

func keepsErased(t *testing.T, s people.ListStore) {
	readmitted := testErased(2)
	readmitted.Readmitted = after(9)
	noError(t, s.MergeErased(t.Context(), []people.Entry{testErased(1), readmitted}))
	noError(t, s.MergeErased(t.Context(), []people.Entry{testErased(3)}))
	wantErased(t, s, testErased(1), readmitted, testErased(3))
}

func mergesErased(t *testing.T, s people.ListStore) {
	times := func(erased, readmitted time.Time) people.Entry {
		e := testErased(1)
		e.Erased, e.Readmitted = erased, readmitted
		return e
	}
	for _, e := range []people.Entry{
		times(after(5), time.Time{}), times(after(4), after(6)), times(after(3), after(2)), times(after(1), time.Time{}),
	} {
		noError(t, s.MergeErased(t.Context(), []people.Entry{e}))
	}
	wantErased(t, s, times(after(5), after(6)))
}

func mergesErasedConcurrently(t *testing.T, s people.ListStore) {
	concurrently(t, func(i int) error {
		return s.MergeErased(t.Context(), []people.Entry{testErased(i), testErased(callers)})
	})
	var want []people.Entry
	for i := range callers + 1 {
		want = append(want, testErased(i))
	}
	wantErased(t, s, want...)
	wantEqual(t, int64(callers), must(s.ErasedRevision(t.Context())))
}

func countsErasedRevisions(t *testing.T, s people.ListStore) {
	before := must(s.ErasedRevision(t.Context()))
	for range 2 {
		noError(t, s.MergeErased(t.Context(), []people.Entry{testErased(1)}))
		_, after, err := s.ErasedPeople(t.Context())
		noError(t, err)
		wantEqual(t, after, must(s.ErasedRevision(t.Context())))
		if after <= before {
			t.Errorf("revision %d after %d", after, before)
		}
		before = after
	}
}

func distinguishesErased(t *testing.T, s people.ListStore) {
	email, key := testErased(1), testErased(1)
	email.Kind = people.KindEmail
	key.Key = bytes.Repeat([]byte{8}, 32)
	noError(t, s.MergeErased(t.Context(), []people.Entry{testErased(1), email, key}))
	wantErased(t, s, testErased(1), email, key)
}
