package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/usage"
	"github.com/freelancer-matching/service/store"
)

// Usage tests a usage.Store.
func Usage(t *testing.T, open func(t *testing.T) *store.DB) {
	suite[*store.DB]{
		"counts of the same kind are added":                                  addsCounts,
		"usage is read by account and day":                                   usageOfAccount,
		"the last use never moves back, nor does its address":                lastUse,
		"usage of unknown keys is skipped":                                   unknownUsage,
		"failures are listed newest first":                                   listsFailures,
		"the latest 100 failures of each key are kept":                       capsFailures,
		"old usage is deleted":                                               prunesUsage,
		"counts are kept by hour and day, code and latency":                  countsByHour,
		"a canceled batch writes nothing":                                    canceledUsage,
		"concurrent batches are all counted":                                 concurrentUsage,
		"a concurrent change keeps the last use":                             usageAndChanges,
		"a batch may be empty":                                               emptyUsage,
		"a batch may contain counts of the same kind":                        repeatedCounts,
		"failures of the same time are listed in reverse order of insertion": failuresOfOneTime,
	}.run(t, open)
}

// used returns a use some seconds after the start, from an address of its own.
func used(seconds int) usage.Use {
	return usage.Use{At: after(seconds), Address: fmt.Sprintf("192.0.2.%d", seconds)}
}

func usageOf(lastUsed map[string]usage.Use) usage.Batch { return usage.Batch{LastUsed: lastUsed} }

func day(n int) time.Time { return time.Date(2031, 5, n, 0, 0, 0, 0, time.UTC) }

func count(key, d int, operation string, status, requests int) usage.Count {
	return usage.Count{Key: testKey(key).ID, Start: day(d), Operation: operation, Status: status, Requests: requests}
}

func failure(key, n int) usage.Failure {
	return usage.Failure{
		Key: testKey(key).ID, At: after(n), RequestID: fmt.Sprintf("req-%d", n),
		Operation: "match", Status: 400, Code: "invalid",
	}
}

func counts(t *testing.T, s *store.DB, of string, since time.Time) []usage.Count {
	t.Helper()
	return must(s.Usage.Usage(t.Context(), of, since))
}

func failures(t *testing.T, s *store.DB, of string, limit int) []usage.Failure {
	t.Helper()
	return must(s.Usage.Failures(t.Context(), of, limit))
}

func addsCounts(t *testing.T, s *store.DB) {
	insertKeys(t, s, testKey(1), testKey(2))
	for _, batch := range [][]usage.Count{
		{count(1, 1, "match", 200, 3), count(1, 1, "match", 400, 1), count(2, 1, "match", 200, 5)},
		{count(1, 1, "match", 200, 4), count(1, 2, "match", 200, 1), count(1, 1, "health", 200, 2)},
	} {
		noError(t, s.Usage.AddUsage(t.Context(), usage.Batch{Counts: batch}))
	}
	wantEqual(t, []usage.Count{
		count(1, 1, "health", 200, 2), count(1, 1, "match", 200, 7), count(1, 1, "match", 400, 1),
		count(2, 1, "match", 200, 5), count(1, 2, "match", 200, 1),
	}, counts(t, s, "", day(1)))
}

func countsByHour(t *testing.T, s *store.DB) {
	insertKeys(t, s, testKey(1))
	at := func(hour int, code string, latency usage.Latency, requests int) usage.Count {
		c := count(1, 1, "match", 200, requests)
		c.Start = c.Start.Add(time.Duration(hour) * time.Hour)
		c.Code = code
		c.Latency = latency
		return c
	}
	for range 2 {
		noError(t, s.Usage.AddUsage(t.Context(), usage.Batch{
			Counts: []usage.Count{at(8, "", 5, 1), at(9, "", 5, 2), at(9, "", 6, 3), at(9, "invalid", 5, 4)},
		}))
	}
	wantEqual(t, []usage.Count{at(0, "", 5, 6), at(0, "", 6, 6), at(0, "invalid", 5, 8)}, counts(t, s, "", day(1)))
	wantEqual(t, []usage.Count{at(9, "", 5, 4), at(9, "", 6, 6), at(9, "invalid", 5, 8)},
		must(s.Usage.HourlyUsage(t.Context(), "", day(1).Add(9*time.Hour))))
}

func repeatedCounts(t *testing.T, s *store.DB) {
	insertKeys(t, s, testKey(1))
	noError(t, s.Usage.AddUsage(t.Context(), usage.Batch{
		Counts: []usage.Count{count(1, 1, "match", 200, 3), count(1, 1, "match", 200, 4)},
	}))
	wantEqual(t, []usage.Count{count(1, 1, "match", 200, 7)}, counts(t, s, "", day(1)))
}

func usageOfAccount(t *testing.T, s *store.DB) {
	register(t, s, 1)
	register(t, s, 2)
	insertKeys(t, s, keyOf(1, 1), keyOf(2, 2), testKey(3))
	noError(t, s.Usage.AddUsage(t.Context(), usage.Batch{
		Counts: []usage.Count{
			count(1, 1, "match", 200, 1), count(1, 2, "match", 200, 2),
			count(2, 2, "match", 200, 3), count(3, 2, "match", 200, 4),
		},
		Failures: []usage.Failure{failure(1, 1), failure(2, 2), failure(3, 3)},
	}))

	// A key without an account counts under the empty account, not under all.
	for _, tt := range []struct {
		account string
		since   int
		want    []usage.Count
	}{
		{testAccount(1).ID, 1, []usage.Count{count(1, 1, "match", 200, 1), count(1, 2, "match", 200, 2)}},
		{testAccount(1).ID, 2, []usage.Count{count(1, 2, "match", 200, 2)}},
		{testAccount(1).ID, 3, nil},
		{testAccount(2).ID, 1, []usage.Count{count(2, 2, "match", 200, 3)}},
		{"", 1, []usage.Count{count(3, 2, "match", 200, 4)}},
		{"acc_none", 1, nil},
	} {
		wantEqual(t, tt.want, counts(t, s, tt.account, day(tt.since)))
	}

	for account, want := range map[string][]usage.Failure{
		testAccount(1).ID: {failure(1, 1)}, testAccount(2).ID: {failure(2, 2)}, "": {failure(3, 3)}, "acc_none": nil,
	} {
		wantEqual(t, want, failures(t, s, account, 10))
	}
}

func lastUse(t *testing.T, s *store.DB) {
	insertKeys(t, s, testKey(1), testKey(2), testKey(3))
	for _, uses := range []map[string]usage.Use{
		{testKey(1).ID: used(60)},
		{testKey(1).ID: used(10), testKey(2).ID: used(10)},
		{testKey(2).ID: used(20)},
	} {
		noError(t, s.Usage.AddUsage(t.Context(), usageOf(uses)))
	}
	noError(t, s.Usage.AddUsage(t.Context(), usage.Batch{
		Counts: []usage.Count{count(1, 1, "match", 200, 1), count(3, 1, "match", 200, 1)},
	}))
	for n, want := range map[int]usage.Use{1: used(60), 2: used(20), 3: {}} {
		k := must(s.Keys.Find(t.Context(), testKey(n).ID))
		wantEqual(t, want, usage.Use{At: k.LastUsed, Address: k.LastFrom})
	}
}

func unknownUsage(t *testing.T, s *store.DB) {
	insertKeys(t, s, testKey(1))
	noError(t, s.Usage.AddUsage(t.Context(), usage.Batch{
		Counts:   []usage.Count{count(9, 1, "match", 200, 1), count(1, 1, "match", 200, 2)},
		Failures: []usage.Failure{failure(9, 1), failure(1, 2)},
		LastUsed: map[string]usage.Use{testKey(9).ID: used(1), testKey(1).ID: used(2)},
	}))
	insertKeys(t, s, testKey(9)) // must have no usage from before
	wantEqual(t, []usage.Count{count(1, 1, "match", 200, 2)}, counts(t, s, "", day(1)))
	wantEqual(t, []usage.Failure{failure(1, 2)}, failures(t, s, "", 10))
	wantEqual(t, after(2), must(s.Keys.Find(t.Context(), testKey(1).ID)).LastUsed)
}

func listsFailures(t *testing.T, s *store.DB) {
	insertKeys(t, s, testKey(1), testKey(2))
	noError(t, s.Usage.AddUsage(t.Context(), usage.Batch{
		Failures: []usage.Failure{failure(1, 2), failure(2, 3), failure(1, 1)},
	}))
	noError(t, s.Usage.AddUsage(t.Context(), usage.Batch{Failures: []usage.Failure{failure(2, 4)}}))
	wantEqual(t, []usage.Failure{failure(2, 4), failure(2, 3), failure(1, 2)}, failures(t, s, "", 3))
}

func failuresOfOneTime(t *testing.T, s *store.DB) {
	insertKeys(t, s, testKey(1))
	first := failure(1, 1)
	second := failure(1, 1)
	second.RequestID = "second"
	noError(t, s.Usage.AddUsage(t.Context(), usage.Batch{Failures: []usage.Failure{first, second}}))
	wantEqual(t, []usage.Failure{second, first}, failures(t, s, "", 2))
}

// Failures arrive in any order: the latest ones are kept, not the ones inserted last.
func capsFailures(t *testing.T, s *store.DB) {
	insertKeys(t, s, testKey(1), testKey(2))
	var all []usage.Failure
	for n := range 250 {
		all = append(all, failure(1, 71*n%250)) // each number once, because 71 and 250 have no common factor
	}
	noError(t, s.Usage.AddUsage(t.Context(), usage.Batch{Failures: all[:120]}))
	rest := append([]usage.Failure{failure(2, 0), failure(2, 1)}, all[120:]...)
	noError(t, s.Usage.AddUsage(t.Context(), usage.Batch{Failures: rest}))
	var want []usage.Failure
	for n := 249; n >= 150; n-- {
		want = append(want, failure(1, n))
	}
	got := failures(t, s, "", 1000)
	wantEqual(t, append(want, failure(2, 1), failure(2, 0)), got)
}

func prunesUsage(t *testing.T, s *store.DB) {
	insertKeys(t, s, testKey(1))
	old := failure(1, 1)
	edge := failure(1, 2)
	old.At, edge.At = day(3).Add(-time.Microsecond), day(3)
	noError(t, s.Usage.AddUsage(t.Context(), usage.Batch{
		Counts:   []usage.Count{count(1, 2, "match", 200, 1), count(1, 3, "match", 200, 1)},
		Failures: []usage.Failure{old, edge},
	}))
	noError(t, s.Usage.PruneUsage(t.Context(), day(3), day(4)))
	wantEqual(t, []usage.Count{count(1, 3, "match", 200, 1)}, counts(t, s, "", day(1)))
	wantEqual(t, []usage.Count(nil), must(s.Usage.HourlyUsage(t.Context(), "", day(1))))
	wantEqual(t, []usage.Failure{edge}, failures(t, s, "", 10))
}

func canceledUsage(t *testing.T, s *store.DB) {
	insertKeys(t, s, testKey(1))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Usage.AddUsage(ctx, usage.Batch{Counts: []usage.Count{count(1, 1, "match", 200, 1)}}); err == nil {
		t.Error("a canceled write returns no error")
	}
	wantEqual(t, []usage.Count(nil), counts(t, s, "", day(1)))
}

func emptyUsage(t *testing.T, s *store.DB) { noError(t, s.Usage.AddUsage(t.Context(), usage.Batch{})) }

// Several servers write batches with the same keys in different orders.
func concurrentUsage(t *testing.T, s *store.DB) {
	insertKeys(t, s, testKey(1), testKey(2), testKey(3))
	concurrently(t, func(i int) error {
		b := usageOf(map[string]usage.Use{})
		for n := range 3 {
			// Each batch begins with another key: locking the rows in this order would end in a deadlock.
			key := 1 + (i+n)%3
			b.Counts = append(b.Counts, count(key, 1, "match", 200, 1))
			for j := range 7 {
				b.Failures = append(b.Failures, failure(key, 10*i+j))
			}
			b.LastUsed[testKey(key).ID] = used(i)
		}

		return s.Usage.AddUsage(t.Context(), b)
	})

	wantEqual(t, []usage.Count{
		count(1, 1, "match", 200, callers), count(2, 1, "match", 200, callers), count(3, 1, "match", 200, callers),
	}, counts(t, s, "", day(1)))

	for _, k := range allKeys(t, s) {
		wantEqual(t, after(callers-1), k.LastUsed)
	}

	// Only the latest failures of each key are kept.
	if got := failures(t, s, "", 1000); len(got) != 300 {
		t.Errorf("%d failures of 3 keys are kept, want 300", len(got))
	}
}

func usageAndChanges(t *testing.T, s *store.DB) {
	insertKeys(t, s, testKey(1), testKey(2))
	concurrently(t, func(i int) error {
		if i%2 == 0 {
			return s.Usage.AddUsage(t.Context(), usageOf(map[string]usage.Use{testKey(1).ID: used(i), testKey(2).ID: used(i)}))
		}
		return s.Keys.Update(t.Context(), "", func(keys []apikey.Key) (apikey.Changes, error) {
			keys[0].Name, keys[1].Name = longText(i), longText(i)
			return apikey.Changes{Keys: []apikey.Key{keys[1], keys[0]}}, nil
		})
	})
	for _, k := range allKeys(t, s) {
		wantEqual(t, after(callers-2), k.LastUsed)
	}
}
