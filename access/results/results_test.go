package results_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/store/sqlite"
	"github.com/freelancer-matching/service/store/sqlite/sqlitetest"
)

func newService(t *testing.T, now *time.Time) *results.Service {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlitetest.NewFile(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return results.New(db.Results, func() time.Time { return *now })
}

func result(kind results.Kind) results.Result {
	return results.Result{
		Summary: results.Summary{Account: "acc_1", User: "usr_1", Kind: kind, Title: "A <shop>", Status: 200},
		Content: results.Content{
			Key: "key_1", Form: url.Values{"description": {"A <shop> & é"}}, Path: "/api/v1/match",
			Headers: []string{"Name: value"}, Request: json.RawMessage(`{"b":1,"a":"<é>"}`),
			Response: json.RawMessage(`{"score":0.10000000000000001}`), Limit: results.RateLimit{Limit: "60"},
		},
	}
}

func TestService(t *testing.T) {
	now := time.Date(2031, 5, 17, 23, 59, 59, 0, time.UTC)
	s := newService(t, &now)
	saved, err := s.Save(t.Context(), result(results.Match))
	if err != nil || len(saved.ID) != 20 || saved.Expires.Sub(now) != results.Lifetime {
		t.Fatalf("Save = %+v, %v", saved.Summary, err)
	}

	got, err := s.Get(t.Context(), "acc_1", saved.ID)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(saved, got); diff != "" {
		t.Error(diff)
	}

	for _, other := range [][2]string{{"acc_2", saved.ID}, {"", saved.ID}, {"acc_1", saved.ID[1:]}, {"acc_1", ""}} {
		if _, err := s.Get(t.Context(), other[0], other[1]); !errors.Is(err, results.ErrNotFound) {
			t.Errorf("Get(%q): %v, want ErrNotFound", other, err)
		}
	}

	list, err := s.Recent(t.Context(), "acc_1", "usr_1", results.Match, 5)
	if diff := cmp.Diff([]results.Summary{saved.Summary}, list); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

// A result about a resume expires before the others.
func TestService_Expires(t *testing.T) {
	now := time.Date(2031, 5, 17, 0, 0, 0, 0, time.UTC)
	s := newService(t, &now)
	for _, kind := range []results.Kind{results.Resume, results.Skill} {
		if _, err := s.Save(t.Context(), result(kind)); err != nil {
			t.Fatal(err)
		}
	}

	want := func(n int) {
		t.Helper()
		if err := s.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}

		if list, err := s.Recent(t.Context(), "acc_1", "usr_1", "", 5); err != nil || len(list) != n {
			t.Errorf("%d results, %v; want %d", len(list), err, n)
		}
	}

	want(2)
	now = now.Add(results.ResumeLifetime)
	want(1)
	now = now.Add(results.Lifetime)
	want(0)
}

func TestService_LimitsTheSize(t *testing.T) {
	now := time.Date(2031, 5, 17, 0, 0, 0, 0, time.UTC)
	s := newService(t, &now)
	r := result(results.Match)
	r.Response = json.RawMessage(`"` + strings.Repeat("x", results.MaxSize) + `"`)
	if _, err := s.Save(t.Context(), r); !errors.Is(err, results.ErrTooLarge) {
		t.Errorf("Save: %v, want ErrTooLarge", err)
	}
}
