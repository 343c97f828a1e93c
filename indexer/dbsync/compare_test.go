package dbsync

import (
	"errors"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/indexer/dbsync/state"
	"github.com/freelancer-matching/service/indexer/query"
)

// stream yields values, and then an error if it isn't nil.
func stream[T any](err error, values ...T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range values {
			if !yield(v, nil) {
				return
			}
		}
		if err != nil {
			var none T
			yield(none, err)
		}
	}
}

func collect(t *testing.T, found iter.Seq2[state.Pending, error]) (all []state.Pending) {
	t.Helper()
	for p, err := range found {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

func TestDisagreements(t *testing.T) {
	one, two := query.Digest{1}, query.Digest{2}
	digests := stream(nil,
		query.KeyedDigest{ID: "changed", Digest: two}, query.KeyedDigest{ID: "lost", Digest: one},
		query.KeyedDigest{ID: "me@example.com", Digest: one}, query.KeyedDigest{ID: "new", Digest: one},
		query.KeyedDigest{ID: "rejected", Digest: one}, query.KeyedDigest{ID: "returned", Digest: one},
		query.KeyedDigest{ID: "same", Digest: one})
	entries := stream(nil,
		state.Entry{ID: "changed", Digest: one}, state.Entry{ID: "deleted", Digest: one},
		state.Entry{ID: "lost", Digest: one}, state.Entry{ID: "rejected", Digest: one, Absent: true},
		state.Entry{ID: "returned", Digest: one, Absent: true}, state.Entry{ID: "same", Digest: one})
	indexed := stream(nil, "changed", "deleted", "foreign", "returned", "same")

	want := []state.Pending{
		{ID: "changed"},
		{ID: "deleted"},
		{ID: "foreign", IsForeign: true},
		{ID: "lost"}, // somebody has deleted them from the index
		{ID: "new"},
		{ID: "returned"}, // the database has them, but their rows were rejected when they were last read
	}
	if diff := cmp.Diff(want, collect(t, disagreements(digests, entries, indexed))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Whatever the three have, exactly the IDs are found that don't agree.
func TestDisagreements_Random(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	for range 500 {
		var digests []query.KeyedDigest
		var entries []state.Entry
		var indexed []string
		var want []state.Pending
		for i := range random.IntN(40) {
			id := string(rune('A'+i)) + strconv.Itoa(i)
			digest, last := query.Digest{byte(random.IntN(2))}, query.Digest{byte(random.IntN(2))}
			inDatabase, inState, inIndex := random.IntN(4) > 0, random.IntN(4) > 0, random.IntN(4) > 0
			absent := inState && random.IntN(4) == 0
			if inDatabase {
				digests = append(digests, query.KeyedDigest{ID: id, Digest: digest})
			}
			if inState {
				entries = append(entries, state.Entry{ID: id, Digest: last, Absent: absent})
			}
			if inIndex {
				indexed = append(indexed, id)
			}

			agree := inDatabase && inState && digest == last && inIndex != absent
			if !agree && (inDatabase || inState || inIndex) {
				want = append(want, state.Pending{ID: id, IsForeign: !inDatabase && !inState})
			}
		}

		got := collect(t, disagreements(stream(nil, digests...), stream(nil, entries...), stream(nil, indexed...)))
		if !slices.Equal(got, want) {
			t.Fatalf("digests %v, entries %v, index %v: got %v, want %v", digests, entries, indexed, got, want)
		}
	}
}

// A stream that breaks must not look like the end, which would delete everybody after it.
func TestDisagreements_Failure(t *testing.T) {
	failure := errors.New("broken")
	entry, digest := state.Entry{ID: "b"}, query.KeyedDigest{ID: "b"}
	for name, found := range map[string]iter.Seq2[state.Pending, error]{
		"database": disagreements(stream[query.KeyedDigest](failure), stream(nil, entry), stream(nil, "b")),
		"state":    disagreements(stream(nil, digest), stream[state.Entry](failure), stream(nil, "b")),
		"index":    disagreements(stream(nil, digest), stream(nil, entry), stream[string](failure)),
	} {
		for p, err := range found {
			if !errors.Is(err, failure) {
				t.Errorf("%s: %+v, %v, want %v", name, p, err, failure)
			}
		}
	}
}

func TestIsStorable(t *testing.T) {
	for id, want := range map[string]bool{
		"1": true, "9007199254740993": true, "a-b:c/d e": true, "1e55b1f0-7c1f-4a51-9cf2-0c2d2f4a9b11": true, "é": true,
		"1.5": true, "": false, " a": false, "a  b": false, "n/a": false, "none": false, "me@example.com": false,
		"5.00": false, "1.2E+18": false, "<b>x</b>": false,
		string(make([]byte, 300)): false,
	} {
		if got := isStorable(id); got != want {
			t.Errorf("%q: %v, want %v", id, got, want)
		}
	}
}
