package freelancers_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/freelancers/freelancerstest"
	"github.com/freelancer-matching/service/internal/matching"
)

// A creator makes the index of the fixture live.
type creator struct {
	engine   *freelancerstest.Engine
	busy     int    // number of calls for which another process has the engine's lock
	other    string // the currency of the index that the other process creates; "" if it creates none
	created  int
	currency string // what the service asked for
}

// Create implements freelancers.Creator.
func (c *creator) Create(
	_ context.Context, _ audit.By, currency string, _ freelancers.Preparer, announce func(string) error,
) error {
	c.currency = currency
	if c.busy > 0 {
		if c.busy--; c.busy == 0 && c.other != "" {
			c.engine.Info.Currency = c.other
			c.engine.Empty = false
		}
		return fmt.Errorf("lock: %w", engine.ErrConflict)
	}

	if err := announce("first"); err != nil {
		return err
	}
	c.created++
	c.engine.Info.Currency = currency
	c.engine.Empty = false
	return nil
}

// newEmpty returns a service without an index that creates one in dollars, and what creates it.
func newEmpty(t *testing.T) (*fixture, *creator) {
	t.Helper()
	f := newFixture(t)
	f.Engine.Empty = true
	c := &creator{engine: f.Engine}
	f.Creator = c
	f.Currency = "USD"
	return f, c
}

// put returns the change that stores a record whose amounts are in a currency.
func (f *fixture) put(currency string) freelancers.Change {
	f.t.Helper()
	r, faults, err := f.Parse(f.t.Context(), []byte(`{"job_title":"Cook","hourly_rate":25}`), currency)
	if err != nil || len(faults) > 0 {
		f.t.Fatal(faults, err)
	}
	return freelancers.Change{Kind: freelancers.Put, ID: "f1", Record: r}
}

func TestApply_FirstChangeCreatesTheIndex(t *testing.T) {
	for given, want := range map[string]string{"": "USD", "EUR": "EUR"} {
		f, c := newEmpty(t)
		f.Engine.Info.Currency = ""
		results := f.apply(f.put(given))
		if results[0].Status != freelancers.Created || c.created != 1 || c.currency != want {
			t.Errorf("%v, %d indexes in %q, want %q", results, c.created, c.currency, want)
		}

		entries := f.Log.Lines()
		wantEntries := []string{"key_1 acc_1 index.created first " + want, "key_1 acc_1 freelancer.stored f1 "}
		if fmt.Sprint(entries) != fmt.Sprint(wantEntries) {
			t.Errorf("the audit log has %q, want %q", entries, wantEntries)
		}

		if results := f.apply(f.put("")); results[0].Status != freelancers.Unchanged || c.created != 1 {
			t.Errorf("%v, %d indexes", results, c.created)
		}
	}
}

// Changes that store nothing create no index, and neither do requests that fail.
func TestApply_CreatesNoIndex(t *testing.T) {
	for name, test := range map[string]struct {
		change func(f *fixture, c *freelancers.Change)
		want   matching.Code
	}{
		"a patch": {func(_ *fixture, c *freelancers.Change) { c.Kind = freelancers.Patch }, freelancers.CodeNoData},
		"a deletion": {
			func(_ *fixture, c *freelancers.Change) { c.Kind = freelancers.Delete }, matching.CodeFreelancerUnknown,
		},
		"a condition": {func(_ *fixture, c *freelancers.Change) { c.If = ifVersion("v") }, freelancers.CodeVersion},
		"no values": {
			func(_ *fixture, c *freelancers.Change) { c.Record = freelancers.Record{} }, matching.CodeInvalid,
		},
		"somebody who was erased": {
			func(f *fixture, _ *freelancers.Change) { f.People.List("f1", true) }, freelancers.CodeErased,
		},
		"no model": {
			func(f *fixture, _ *freelancers.Change) { f.Preparer.Err = errors.New("refused") }, freelancers.CodeEmbeddings,
		},
		"no audit log": {
			func(f *fixture, _ *freelancers.Change) { f.Log.Err = errors.New("disk full") }, matching.CodeInternal,
		},
		"several servers": {
			func(f *fixture, _ *freelancers.Change) { f.Servers = &freelancerstest.Servers{Number: 2} },
			freelancers.CodeSeveralServers,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, c := newEmpty(t)
			change := f.put("")
			test.change(f, &change)

			results, err := f.Apply(t.Context(), by, "acc_1", []freelancers.Change{change})
			if err == nil {
				err = results[0].Err
			}
			if got := matching.CodeOf(err); got != test.want || c.created != 0 {
				t.Errorf("%v, %d indexes, want %s", err, c.created, test.want)
			}
		})
	}
}

// If another server creates the index first, the change goes to that index, unless its amounts are in another currency.
func TestApply_AnotherServerCreatesTheIndex(t *testing.T) {
	for currency, want := range map[string]string{"USD": "created", "EUR": string(matching.CodeInvalid)} {
		synctest.Test(t, func(t *testing.T) {
			f, c := newEmpty(t)
			change := f.put("")
			c.busy = 3
			c.other = currency

			r := f.apply(change)[0]
			got := string(r.Status)
			if r.Err != nil {
				got = string(matching.CodeOf(r.Err))
			}
			if got != want || c.created != 0 {
				t.Errorf("%s: got %s (%v) and %d indexes, want %s", currency, got, r.Err, c.created, want)
			}
		})
	}
}

// A client waits for a short time while a load has the lock of the engine, and then is asked to come back later.
func TestApply_LoadIsRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, c := newEmpty(t)
		change := f.put("")
		c.busy = 1000

		_, err := f.Apply(t.Context(), by, "acc_1", []freelancers.Change{change})
		e, ok := errors.AsType[*matching.Error](err)
		if !ok || e.Code != freelancers.CodeNoData || e.RetryAfter == 0 || !errors.Is(err, engine.ErrConflict) {
			t.Errorf("got %v", err)
		}
	})
}

func TestParse_Currency(t *testing.T) {
	f := newFixture(t)
	_, _, err := f.Parse(t.Context(), []byte(`{"hourly_rate":25}`), "EUR")
	e, ok := errors.AsType[*matching.Error](err)
	if !ok || e.Code != matching.CodeInvalid || len(e.Details) != 1 || e.Details[0].Field != "currency" {
		t.Errorf("got %v", err)
	}
	if _, _, err := f.Parse(t.Context(), []byte(`{"hourly_rate":25}`), "USD"); err != nil {
		t.Errorf("got %v", err)
	}
}
