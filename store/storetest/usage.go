package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/usage"
)

// Usage runs the contract of usage.Store.
func Usage(t *testing.T, open func(t *testing.T) Store) {
	suite{
		"counts of the same kind are added up":              addsCounts,
		"usage is that of an account's keys since a day":    usageOfAccount,
		"the last use never moves back":                     lastUse,
		"what names an unknown key is passed over":          unknownUsage,
		"the last failures come newest first":               listsFailures,
		"of each key the newest hundred failures are kept":  capsFailures,
		"what is older than a moment is forgotten":          prunes,
		"a batch is written whole or not at all":            cancelledUsage,
		"many writers at once lose nothing":                 concurrentUsage,
		"a key changed meanwhile keeps its last use":        usageAndChanges,
		"a batch with nothing in it is fine":                emptyUsage,
		"one batch may count the same kind more than once":  repeatedCounts,
		"failures of one moment come in the order of a log": sameMoment,
	}.run(t, open)
}

func usageOf(lastUsed map[string]time.Time) usage.Batch { return usage.Batch{LastUsed: lastUsed} }

func day(n int) time.Time { return time.Date(2031, 5, n, 0, 0, 0, 0, time.UTC) }

func count(key, d int, operation string, status, requests int) usage.Count {
	return usage.Count{Key: testKey(key).ID, Day: day(d), Operation: operation, Status: status, Requests: requests}
}

func failure(key, n int) usage.Failure {
	return usage.Failure{
		Key: testKey(key).ID, At: after(n), RequestID: fmt.Sprintf("req-%d", n), Operation: "match", Status: 400, Code: "invalid",
	}
}

func counts(t *testing.T, s Store, of string, since time.Time) []usage.Count {
	t.Helper()
	got, err := s.Usage(t.Context(), of, since)
	return get(t, got, err)
}

func failures(t *testing.T, s Store, of string, limit int) []usage.Failure {
	t.Helper()
	got, err := s.Failures(t.Context(), of, limit)
	return get(t, got, err)
}

func addsCounts(t *testing.T, s Store) {
	insertKeys(t, s, testKey(1), testKey(2))
	for _, batch := range [][]usage.Count{
		{count(1, 1, "match", 200, 3), count(1, 1, "match", 400, 1), count(2, 1, "match", 200, 5)},
		{count(1, 1, "match", 200, 4), count(1, 2, "match", 200, 1), count(1, 1, "health", 200, 2)},
	} {
		must(t, s.AddUsage(t.Context(), usage.Batch{Counts: batch}))
	}
	wantSame(t, []usage.Count{
		count(1, 1, "health", 200, 2), count(1, 1, "match", 200, 7), count(1, 1, "match", 400, 1),
		count(2, 1, "match", 200, 5), count(1, 2, "match", 200, 1),
	}, counts(t, s, "", day(1)))
}

func repeatedCounts(t *testing.T, s Store) {
	insertKeys(t, s, testKey(1))
	must(t, s.AddUsage(t.Context(), usage.Batch{Counts: []usage.Count{count(1, 1, "match", 200, 3), count(1, 1, "match", 200, 4)}}))
	wantSame(t, []usage.Count{count(1, 1, "match", 200, 7)}, counts(t, s, "", day(1)))
}

func usageOfAccount(t *testing.T, s Store) {
	register(t, s, 1)
	register(t, s, 2)
	insertKeys(t, s, keyOf(1, 1), keyOf(2, 2), testKey(3))
	must(t, s.AddUsage(t.Context(), usage.Batch{
		Counts: []usage.Count{
			count(1, 1, "match", 200, 1), count(1, 2, "match", 200, 2), count(2, 2, "match", 200, 3), count(3, 2, "match", 200, 4),
		},
		Failures: []usage.Failure{failure(1, 1), failure(2, 2), failure(3, 3)},
	}))
	for _, tt := range []struct {
		of    string
		since int
		want  []usage.Count
		fails []usage.Failure
	}{
		{testAccount(1).ID, 1, []usage.Count{count(1, 1, "match", 200, 1), count(1, 2, "match", 200, 2)}, []usage.Failure{failure(1, 1)}},
		{testAccount(1).ID, 2, []usage.Count{count(1, 2, "match", 200, 2)}, []usage.Failure{failure(1, 1)}},
		{testAccount(1).ID, 3, nil, []usage.Failure{failure(1, 1)}},
		{testAccount(2).ID, 1, []usage.Count{count(2, 2, "match", 200, 3)}, []usage.Failure{failure(2, 2)}},
		{"", 1, []usage.Count{count(3, 2, "match", 200, 4)}, []usage.Failure{failure(3, 3)}},
		{"acc_none", 1, nil, nil},
	} {
		wantSame(t, tt.want, counts(t, s, tt.of, day(tt.since)))
		wantSame(t, tt.fails, failures(t, s, tt.of, 10))
	}
}

func lastUse(t *testing.T, s Store) {
	insertKeys(t, s, testKey(1), testKey(2), testKey(3))
	for _, used := range []map[string]time.Time{
		{testKey(1).ID: after(60)},
		{testKey(1).ID: after(10), testKey(2).ID: after(10)},
		{testKey(2).ID: after(20)},
	} {
		must(t, s.AddUsage(t.Context(), usageOf(used)))
	}
	must(t, s.AddUsage(t.Context(), usage.Batch{Counts: []usage.Count{count(1, 1, "match", 200, 1), count(3, 1, "match", 200, 1)}}))
	for n, want := range map[int]time.Time{1: after(60), 2: after(20), 3: {}} {
		k, err := s.KeyByID(t.Context(), testKey(n).ID)
		wantSame(t, want, get(t, k, err).LastUsed)
	}
}

func unknownUsage(t *testing.T, s Store) {
	insertKeys(t, s, testKey(1))
	must(t, s.AddUsage(t.Context(), usage.Batch{
		Counts:   []usage.Count{count(9, 1, "match", 200, 1), count(1, 1, "match", 200, 2)},
		Failures: []usage.Failure{failure(9, 1), failure(1, 2)},
		LastUsed: map[string]time.Time{testKey(9).ID: after(1), testKey(1).ID: after(2)},
	}))
	insertKeys(t, s, testKey(9)) // finds nothing that was left for it
	wantSame(t, []usage.Count{count(1, 1, "match", 200, 2)}, counts(t, s, "", day(1)))
	wantSame(t, []usage.Failure{failure(1, 2)}, failures(t, s, "", 10))
	if k, err := s.KeyByID(t.Context(), testKey(1).ID); err != nil || k.LastUsed != after(2) {
		t.Errorf("last used %v (%v), want %v", k.LastUsed, err, after(2))
	}
}

func listsFailures(t *testing.T, s Store) {
	insertKeys(t, s, testKey(1), testKey(2))
	must(t, s.AddUsage(t.Context(), usage.Batch{Failures: []usage.Failure{failure(1, 2), failure(2, 3), failure(1, 1)}}))
	must(t, s.AddUsage(t.Context(), usage.Batch{Failures: []usage.Failure{failure(2, 4)}}))
	wantSame(t, []usage.Failure{failure(2, 4), failure(2, 3), failure(1, 2)}, failures(t, s, "", 3))
}

func sameMoment(t *testing.T, s Store) {
	insertKeys(t, s, testKey(1))
	first, second := failure(1, 1), failure(1, 1)
	second.RequestID = "second"
	must(t, s.AddUsage(t.Context(), usage.Batch{Failures: []usage.Failure{first, second}}))
	wantSame(t, []usage.Failure{second, first}, failures(t, s, "", 2))
}

// Failures are written in any order: the newest are kept, not those that were written last.
func capsFailures(t *testing.T, s Store) {
	insertKeys(t, s, testKey(1), testKey(2))
	var all []usage.Failure
	for n := range 250 {
		all = append(all, failure(1, 71*n%250)) // each once, as 71 and 250 have no common factor
	}
	must(t, s.AddUsage(t.Context(), usage.Batch{Failures: all[:120]}))
	must(t, s.AddUsage(t.Context(), usage.Batch{Failures: append([]usage.Failure{failure(2, 0), failure(2, 1)}, all[120:]...)}))
	var want []usage.Failure
	for n := 249; n >= 150; n-- {
		want = append(want, failure(1, n))
	}
	got := failures(t, s, "", 1000)
	wantSame(t, append(want, failure(2, 1), failure(2, 0)), got)
}

func prunes(t *testing.T, s Store) {
	insertKeys(t, s, testKey(1))
	old, edge := failure(1, 1), failure(1, 2)
	old.At, edge.At = day(3).Add(-time.Microsecond), day(3)
	must(t, s.AddUsage(t.Context(), usage.Batch{
		Counts:   []usage.Count{count(1, 2, "match", 200, 1), count(1, 3, "match", 200, 1)},
		Failures: []usage.Failure{old, edge},
	}))
	must(t, s.PruneUsage(t.Context(), day(3)))
	wantSame(t, []usage.Count{count(1, 3, "match", 200, 1)}, counts(t, s, "", day(1)))
	wantSame(t, []usage.Failure{edge}, failures(t, s, "", 10))
}

func cancelledUsage(t *testing.T, s Store) {
	insertKeys(t, s, testKey(1))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.AddUsage(ctx, usage.Batch{Counts: []usage.Count{count(1, 1, "match", 200, 1)}}); err == nil {
		t.Error("a cancelled write is no error")
	}
	wantSame(t, []usage.Count(nil), counts(t, s, "", day(1)))
}

func emptyUsage(t *testing.T, s Store) { must(t, s.AddUsage(t.Context(), usage.Batch{})) }

// Batches with the same keys in different orders, as several replicas write them.
func concurrentUsage(t *testing.T, s Store) {
	insertKeys(t, s, testKey(1), testKey(2), testKey(3))
	atOnce(t, func(i int) error {
		b := usageOf(map[string]time.Time{})
		for n := range 3 {
			key := 1 + (i+n)%3
			b.Counts = append(b.Counts, count(key, 1, "match", 200, 1))
			b.Failures = append(b.Failures, failure(key, 10*i), failure(key, 10*i+1), failure(key, 10*i+2), failure(key, 10*i+3),
				failure(key, 10*i+4), failure(key, 10*i+5), failure(key, 10*i+6))
			b.LastUsed[testKey(key).ID] = after(i)
		}
		return s.AddUsage(t.Context(), b)
	})
	wantSame(t, []usage.Count{
		count(1, 1, "match", 200, many), count(2, 1, "match", 200, many), count(3, 1, "match", 200, many),
	}, counts(t, s, "", day(1)))
	for _, k := range allKeys(t, s) {
		wantSame(t, after(many-1), k.LastUsed)
	}
	if got := failures(t, s, "", 1000); len(got) != 300 {
		t.Errorf("%d failures are kept of 3 keys, want 300", len(got))
	}
}

func usageAndChanges(t *testing.T, s Store) {
	insertKeys(t, s, testKey(1), testKey(2))
	atOnce(t, func(i int) error {
		if i%2 == 0 {
			return s.AddUsage(t.Context(), usageOf(map[string]time.Time{testKey(1).ID: after(i), testKey(2).ID: after(i)}))
		}
		return s.UpdateKeys(t.Context(), "", func(keys []apikey.Key) (apikey.Changes, error) {
			keys[0].Name, keys[1].Name = long(i), long(i)
			return apikey.Changes{Keys: []apikey.Key{keys[1], keys[0]}}, nil
		})
	})
	for _, k := range allKeys(t, s) {
		wantSame(t, after(many-2), k.LastUsed)
	}
}
