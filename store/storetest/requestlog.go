package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/freelancer-matching/service/requestlog"
)

// A RequestStore is a requestlog.Store in which people can be found and erased.
type RequestStore interface {
	requestlog.Store
	IDsWith(ctx context.Context, text []byte) ([]string, error)
	IDsWithAddress(ctx context.Context, address string) ([]string, error)
	Delete(ctx context.Context, ids []string) error
	DeleteExpired(ctx context.Context, at time.Time) error
	Each(ctx context.Context, account string, yield func(requestlog.Stored) error) error
}

// RequestLog tests a requestlog.Store. The function open returns an empty store.
func RequestLog(t *testing.T, open func(t *testing.T) RequestStore) {
	suite[RequestStore]{
		"a request belongs to its account": findsRequests,
		"the newest requests are kept":     keepsNewestRequests,
		"expired requests are gone":        expiresRequests,
		"requests are found and deleted":   searchesRequests,
	}.run(t, open)
}

// newRequest returns the n-th request of an account.
func newRequest(account string, n int, data string) requestlog.Stored {
	at := resultTime().Add(time.Duration(n) * time.Minute)
	return requestlog.Stored{
		Summary: requestlog.Summary{
			ID: fmt.Sprintf("%s-%d", account, n), Account: account, Key: "k", RequestID: "r", Operation: "match", Status: 422,
			Code: "invalid", At: at, Took: 1234567 * time.Nanosecond, Expires: at.Add(time.Hour),
		},
		Data: []byte(data),
	}
}

func wantRequests(t *testing.T, s RequestStore, account string, at time.Time, want ...string) {
	t.Helper()
	var got []string
	for _, r := range must(s.List(t.Context(), account, at)) {
		got = append(got, r.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("requests of %s: %v, want %v", account, got, want)
	}
}

func findsRequests(t *testing.T, s RequestStore) {
	r := newRequest("a", 0, `{"method":"GET"}`)
	noError(t, s.Insert(t.Context(), []requestlog.Stored{r}, 10))
	wantEqual(t, r, must(s.Find(t.Context(), "a", r.ID, resultTime())))
	wantEqual(t, []requestlog.Summary{r.Summary}, must(s.List(t.Context(), "a", resultTime())))
	for _, key := range [][2]string{{"b", r.ID}, {"a", "other"}} {
		if _, err := s.Find(t.Context(), key[0], key[1], resultTime()); !errors.Is(err, requestlog.ErrNotFound) {
			t.Errorf("Find(%v): %v, want ErrNotFound", key, err)
		}
	}
}

func keepsNewestRequests(t *testing.T, s RequestStore) {
	noError(t, s.Insert(t.Context(), []requestlog.Stored{newRequest("b", 0, "{}"), newRequest("a", 0, "{}")}, 2))
	noError(t, s.Insert(t.Context(), []requestlog.Stored{newRequest("a", 1, "{}"), newRequest("a", 2, "{}")}, 2))
	wantRequests(t, s, "a", resultTime(), "a-2", "a-1")
	wantRequests(t, s, "b", resultTime(), "b-0")

	var each []string
	noError(t, s.Each(t.Context(), "a", func(r requestlog.Stored) error {
		each = append(each, r.ID)
		return nil
	}))
	wantEqual(t, []string{"a-2", "a-1"}, each)

	noError(t, s.DeleteOf(t.Context(), "a"))
	wantRequests(t, s, "a", resultTime())
	wantRequests(t, s, "b", resultTime(), "b-0")
}

func expiresRequests(t *testing.T, s RequestStore) {
	noError(t, s.Insert(t.Context(), []requestlog.Stored{newRequest("a", 0, "{}"), newRequest("a", 1, "{}")}, 10))
	end := newRequest("a", 0, "").Expires
	wantRequests(t, s, "a", end, "a-1")
	noError(t, s.DeleteExpired(t.Context(), end))
	wantRequests(t, s, "a", resultTime(), "a-1")
}

func searchesRequests(t *testing.T, s RequestStore) {
	noError(t, s.Insert(t.Context(), []requestlog.Stored{
		newRequest("a", 0, `{"id":"f1"}`), newRequest("b", 1, `{"id":"f12"}`),
		newRequest("b", 2, `{"text":"Ask Ada@example.com"}`),
	}, 10))
	wantEqual(t, []string{"a-0"}, must(s.IDsWith(t.Context(), []byte(`"f1"`))))
	found := must(s.IDsWithAddress(t.Context(), "ada@example.com"))
	wantEqual(t, []string{"b-2"}, found)
	noError(t, s.Delete(t.Context(), found))
	wantRequests(t, s, "b", resultTime(), "b-1")
}
