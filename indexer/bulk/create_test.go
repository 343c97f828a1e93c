package bulk_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/bulk"
)

func TestCreate(t *testing.T) {
	b := newHarness(t)
	b.options.Run = engine.Run{Command: "create", User: "key_1"}
	announced := ""
	report, err := b.loader.Create(t.Context(), b.options, func(index string) error {
		announced = index
		if live, _, err := b.Alias(t.Context(), alias); live != "" || err != nil {
			t.Errorf("the index %q is live before it is announced (%v)", live, err)
		}
		return nil
	})
	if err != nil || report.Index == "" || announced != report.Index {
		t.Fatalf("index %q, announced %q, error %v", report.Index, announced, err)
	}

	b.wantFreelancers(t)
	infos, err := b.Indexes(t.Context())
	if err != nil || len(infos) != 1 || infos[0].Provenance == nil {
		t.Fatalf("%+v, %v", infos, err)
	}
	run := infos[0].Provenance.Run
	if infos[0].Currency != "USD" || run.Command != "create" || run.User != "key_1" || run.Started.IsZero() {
		t.Errorf("%+v", infos[0])
	}

	// A second call finds the index, with whatever it has by then.
	first := report.Index
	if _, err := b.loader.Upsert(t.Context(), []bulk.Input{input("a", rows("1 Ada go")...)}, b.options); err != nil {
		t.Fatal(err)
	}
	report, err = b.loader.Create(t.Context(), b.options, refuseToAnnounce(t))
	if err != nil || report.Index != "" {
		t.Errorf("index %q, error %v", report.Index, err)
	}
	b.wantFreelancers(t, "1 Ada go")
	b.wantIndexes(t, first)
}

// refuseToAnnounce returns a function that must not be called.
func refuseToAnnounce(t *testing.T) func(string) error {
	return func(index string) error {
		t.Errorf("announced %s", index)
		return nil
	}
}

func TestCreate_LeavesNothingHalf(t *testing.T) {
	b := newHarness(t)
	full := errors.New("disk full")
	if _, err := b.loader.Create(t.Context(), b.options, func(string) error { return full }); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	b.wantIndexes(t)

	// A process that was killed before the alias moved has left a complete index, and one that was killed earlier an
	// incomplete one.
	for _, name := range []string{"complete", "incomplete"} {
		spec := engine.Spec{Name: name, Mapping: b.options.Mapping, Currency: "USD", Created: b.loader.Now()}
		if err := b.Create(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
	}
	filled, err := b.Bulk(t.Context(), "complete", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := filled.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	report, err := b.loader.Create(t.Context(), b.options, func(string) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	b.wantIndexes(t, report.Index)
}

// While a load runs, and if the alias was lost, nothing is created.
func TestCreate_Refused(t *testing.T) {
	b := newHarness(t)
	release, err := b.Lock(t.Context(), "a load")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.loader.Create(t.Context(), b.options, refuseToAnnounce(t)); !errors.Is(err, engine.ErrConflict) {
		t.Errorf("got %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}

	b.load(t, input("a", rows("1 Ada go")...))
	before := b.indexNames(t)
	o := b.options
	o.Alias = "lost" // points nowhere, although there is a finished index
	if _, err := b.loader.Create(t.Context(), o, refuseToAnnounce(t)); !errors.Is(err, bulk.ErrAliasLost) {
		t.Errorf("got %v", err)
	}
	if after := b.indexNames(t); !slices.Equal(before, after) {
		t.Errorf("indexes %v, want %v", after, before)
	}
}
