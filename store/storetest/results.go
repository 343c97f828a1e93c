package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/results"
)

// A ResultStore is a results.Store in which people can be found and erased.
type ResultStore interface {
	results.Store
	IDsWith(ctx context.Context, text []byte) ([]string, error)
	IDsWithAddress(ctx context.Context, address string) ([]string, error)
	Delete(ctx context.Context, ids []string) error
}

// Results tests a results.Store. The function open returns an empty store.
func Results(t *testing.T, open func(t *testing.T) ResultStore) {
	suite[ResultStore]{
		"a result belongs to its account":       findsResults,
		"the newest results of a user are kept": keepsNewestResults,
		"expired results are gone":              expiresResults,
		"results are found by a text":           searchesResults,
		"results are found by an address":       searchesAddresses,
	}.run(t, open)
}

// resultTime returns the time of the first result of a test.
func resultTime() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 8000, time.UTC) }

// newResult returns the n-th result of a user.
func newResult(account string, n int) results.Summary {
	at := resultTime().Add(time.Duration(n) * time.Minute)
	return results.Summary{
		ID: fmt.Sprintf("%s-u-%d", account, n), Account: account, User: "u", Kind: results.Match,
		Title: "A shop", Status: 200, CreatedAt: at, Expires: at.Add(time.Hour),
	}
}

func insertResult(t *testing.T, s results.Store, r results.Summary, content string, keep int) {
	t.Helper()
	noError(t, s.Insert(t.Context(), r, []byte(content), keep))
}

func findsResults(t *testing.T, s ResultStore) {
	r := newResult("a", 0)
	insertResult(t, s, r, `{"path":"/x"}`, 10)
	got, content, err := s.Find(t.Context(), "a", r.ID, resultTime())
	noError(t, err)
	if got != r || string(content) != `{"path":"/x"}` {
		t.Errorf("Find = %+v, %s; want %+v", got, content, r)
	}
	for _, key := range [][2]string{{"b", r.ID}, {"a", "other"}} {
		if _, _, err := s.Find(t.Context(), key[0], key[1], resultTime()); !errors.Is(err, results.ErrNotFound) {
			t.Errorf("Find(%v): %v, want ErrNotFound", key, err)
		}
	}
}

func wantRecent(t *testing.T, s results.Store, user string, kind results.Kind, at time.Time, want ...string) {
	t.Helper()
	var got []string
	for _, r := range must(s.Recent(t.Context(), "a", user, kind, at, 10)) {
		got = append(got, r.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the newest results of %s of kind %q: %v, want %v", user, kind, got, want)
	}
}

func keepsNewestResults(t *testing.T, s ResultStore) {
	insertResult(t, s, newResult("b", 0), "{}", 2)
	for n := range 3 {
		insertResult(t, s, newResult("a", n), "{}", 2)
	}
	wantRecent(t, s, "u", "", resultTime(), "a-u-2", "a-u-1")
	wantRecent(t, s, "u", results.Match, resultTime(), "a-u-2", "a-u-1")
	wantRecent(t, s, "u", results.Skill, resultTime())
	wantRecent(t, s, "somebody", "", resultTime())

	stored := must(s.Newest(t.Context(), "a", results.Match, resultTime(), 1, 2))
	if len(stored) != 1 || stored[0].Summary != newResult("a", 2) || string(stored[0].Data) != "{}" {
		t.Errorf("Newest = %+v", stored)
	}
	wantEqual(t, 0, len(must(s.Newest(t.Context(), "a", results.Match, resultTime(), 5, 1))))
	wantEqual(t, 0, len(must(s.Newest(t.Context(), "a", results.Skill, resultTime(), 5, 9))))
	if _, _, err := s.Find(t.Context(), "b", "b-u-0", resultTime()); err != nil {
		t.Errorf("the result of another account: %v", err)
	}
}

func expiresResults(t *testing.T, s ResultStore) {
	for n := range 2 {
		insertResult(t, s, newResult("a", n), "{}", 10)
	}
	end := newResult("a", 0).Expires
	if _, _, err := s.Find(t.Context(), "a", "a-u-0", end); !errors.Is(err, results.ErrNotFound) {
		t.Errorf("an expired result: %v, want ErrNotFound", err)
	}
	wantRecent(t, s, "u", "", end, "a-u-1")
	noError(t, s.DeleteExpired(t.Context(), end))
	wantRecent(t, s, "u", "", resultTime(), "a-u-1")
}

func searchesResults(t *testing.T, s ResultStore) {
	insertResult(t, s, newResult("a", 0), `{"id":"f1"}`, 10)
	insertResult(t, s, newResult("b", 1), `{"id":"f1"}`, 10)
	insertResult(t, s, newResult("b", 2), `{"id":"f12"}`, 10)
	ids := must(s.IDsWith(t.Context(), []byte(`"f1"`)))
	if want := []string{"a-u-0", "b-u-1"}; !slices.Equal(ids, want) {
		t.Errorf("results with f1: %v, want %v", ids, want)
	}
	noError(t, s.Delete(t.Context(), ids))
	if left := must(s.IDsWith(t.Context(), []byte(`"f1`))); !slices.Equal(left, []string{"b-u-2"}) {
		t.Errorf("after deleting: %v", left)
	}
}

func searchesAddresses(t *testing.T, s ResultStore) {
	insertResult(t, s, newResult("a", 0), `{"email":"Dana.Müller@Example.COM"}`, 10)
	insertResult(t, s, newResult("b", 1), `{"text":"Ask dana.müller@example.com."}`, 10)
	insertResult(t, s, newResult("b", 2), `{"email":"dana@example.com"}`, 10)
	ids := must(s.IDsWithAddress(t.Context(), "DANA.müller@example.com"))
	if want := []string{"a-u-0", "b-u-1"}; !slices.Equal(ids, want) {
		t.Errorf("results with the address: %v, want %v", ids, want)
	}
}
