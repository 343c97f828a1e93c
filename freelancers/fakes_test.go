package freelancers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"freelancer-matching/access/audit"
	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// A fakeEngine is an engine.Changer in memory.
type fakeEngine struct {
	mu        sync.Mutex
	info      engine.Info
	documents map[string]*engine.Document
	damaged   []string
	empty     bool   // no index is live
	before    func() // called before each Apply
	applied   int    // calls of Apply
	refuse    string // an ID that the engine can't store
}

func newFakeEngine(records ...matching.Freelancer) *fakeEngine {
	e := &fakeEngine{
		info:      engine.Info{Name: "freelancers-v1-x", Mapping: "freelancers.v1", Taxonomy: "t1", Currency: "USD"},
		documents: map[string]*engine.Document{},
	}
	for _, r := range records {
		e.documents[r.ID] = &engine.Document{Freelancer: r}
	}
	return e
}

func (e *fakeEngine) Open(context.Context, string) (engine.Snapshot, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.empty {
		return nil, engine.ErrNotFound
	}
	s := &fakeSnapshot{info: e.info, records: map[string]matching.Freelancer{}, damaged: e.damaged}
	for id, d := range e.documents {
		s.records[id] = d.Freelancer
	}
	return s, nil
}

func (e *fakeEngine) Track(context.Context, string) (engine.Tracker, error) {
	return nil, errors.New("not needed")
}

func (e *fakeEngine) Apply(_ context.Context, _ string, changes []engine.Change) ([]engine.Outcome, error) {
	if e.before != nil {
		e.before()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.applied++
	if e.empty {
		return nil, engine.ErrNotFound
	}
	outcomes := make([]engine.Outcome, len(changes))
	for i, c := range changes {
		version := ""
		if d := e.documents[c.ID]; d != nil {
			version = engine.Version(&d.Freelancer)
		}
		o := engine.Outcome{Before: version, After: version}
		switch {
		case !c.If.Holds(version):
			o.Err = &engine.VersionError{ID: c.ID, Has: version}
		case c.Document == nil:
			delete(e.documents, c.ID)
			o.After = ""
		case c.ID == e.refuse:
			o.Err = errors.New("secret cause")
		default:
			e.documents[c.ID] = c.Document
			o.After = engine.Version(&c.Document.Freelancer)
		}
		outcomes[i] = o
	}
	return outcomes, nil
}

// record returns the stored record with an ID, or an empty one.
func (e *fakeEngine) record(id string) matching.Freelancer {
	e.mu.Lock()
	defer e.mu.Unlock()
	if d := e.documents[id]; d != nil {
		return d.Freelancer
	}
	return matching.Freelancer{}
}

type fakeSnapshot struct {
	engine.Snapshot // nil: other methods are not needed
	info            engine.Info
	records         map[string]matching.Freelancer
	damaged         []string
}

func (s *fakeSnapshot) Info() engine.Info { return s.info }

func (s *fakeSnapshot) Fetch(_ context.Context, ids []string) ([]matching.Freelancer, error) {
	records := make([]matching.Freelancer, len(ids))
	damage := &engine.DamagedError{Err: errors.New("checksum")}
	for i, id := range ids {
		r, ok := s.records[id]
		switch {
		case slices.Contains(s.damaged, id):
			damage.IDs = append(damage.IDs, id)
		case !ok:
			return nil, fmt.Errorf("freelancer %q: %w", id, engine.ErrNotFound)
		default:
			records[i] = r
		}
	}
	if damage.IDs != nil {
		return records, damage
	}
	return records, nil
}

func (s *fakeSnapshot) List(_ context.Context, f engine.Filters, after string, limit int) ([]string, error) {
	ids := []string{}
	for id := range s.records {
		if id > after && (f.IDs == nil || slices.Contains(f.IDs, id)) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids[:min(limit, len(ids))], nil
}

// A fakePreparer makes documents with nothing but the record.
type fakePreparer struct {
	spaces []matching.VectorSpace
	err    error
}

func (p *fakePreparer) Spaces() []matching.VectorSpace { return p.spaces }

func (p *fakePreparer) Prepare(_ context.Context, list []matching.Freelancer) ([]*engine.Document, error) {
	documents := make([]*engine.Document, len(list))
	for i, f := range list {
		documents[i] = &engine.Document{Freelancer: f}
	}
	return documents, p.err
}

// fakePeople is the list of erased people, and erases from the engine.
type fakePeople struct {
	engine     *fakeEngine
	mu         sync.Mutex
	ids        map[string]bool
	interviews map[string]int
}

func (p *fakePeople) Matcher() (func(*matching.Freelancer) bool, error) {
	return func(f *matching.Freelancer) bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.ids[f.ID]
	}, nil
}

func (p *fakePeople) list(id string, listed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ids[id] = listed
}

func (p *fakePeople) EraseFreelancers(
	ctx context.Context, _ audit.By, _ string, people []Person,
) (map[string]Erasure, error) {
	erased := map[string]Erasure{}
	for _, person := range people {
		e := Erasure{Interviews: p.interviews[person.ID]}
		if person.Record != nil {
			e.Indexes = 1
		}
		if e == (Erasure{}) {
			continue
		}
		p.list(person.ID, true)
		if _, err := p.engine.Apply(ctx, "", []engine.Change{{ID: person.ID}}); err != nil {
			return nil, err
		}
		erased[person.ID] = e
	}
	return erased, nil
}

func (p *fakePeople) ReadmitFreelancer(_ context.Context, _ audit.By, f *matching.Freelancer) error {
	p.list(f.ID, false)
	return nil
}

type fakeLog struct {
	mu     sync.Mutex
	events []audit.Event
	err    error
}

func (l *fakeLog) Record(_ context.Context, events ...audit.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, events...)
	return l.err
}

// lines returns the entries as "actor account action subject detail".
func (l *fakeLog) lines() []string {
	var lines []string
	for _, e := range l.events {
		lines = append(lines, fmt.Sprintf("%s %s %s %s %s", e.Actor, e.Account, e.Action, e.Subject, e.Detail))
	}
	return lines
}

// A fixture is a service on fakes.
type fixture struct {
	*Service
	engine   *fakeEngine
	people   *fakePeople
	log      *fakeLog
	preparer *fakePreparer
}

var by = audit.By{Actor: "key_1", Address: "192.0.2.1"}

func newFixture(t *testing.T, records ...matching.Freelancer) *fixture {
	t.Helper()
	e := newFakeEngine(records...)
	f := &fixture{
		engine: e, log: &fakeLog{}, preparer: &fakePreparer{},
		people: &fakePeople{engine: e, ids: map[string]bool{}, interviews: map[string]int{}},
	}
	f.Service = New(Config{
		Engine: e, Alias: "freelancers", Mapping: "freelancers.v1", Taxonomy: "t1",
		Prepare: func(context.Context) (Preparer, error) { return f.preparer, f.preparer.err },
		Filters: func(m *matching.Filters) (engine.Filters, error) { return engine.Filters{IDs: m.IDs}, nil },
		Erased:  f.people, Eraser: f.people, Log: f.log,
		Now:    func() time.Time { return time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC) },
		Logger: slog.New(slog.DiscardHandler),
	})
	return f
}

// record parses an object that must have no faults.
func record(t *testing.T, object string) Record {
	t.Helper()
	r, faults := parse([]byte(object), "USD")
	if len(faults) > 0 {
		t.Fatalf("%s: %v", object, faults)
	}
	return r
}

// apply makes changes, which must not fail as a whole.
func (f *fixture) apply(t *testing.T, changes ...Change) []Result {
	t.Helper()
	results, err := f.Apply(t.Context(), by, "acc_1", changes)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func put(t *testing.T, id, object string) Change {
	t.Helper()
	return Change{Kind: Put, ID: id, Record: record(t, object)}
}

func patch(t *testing.T, id, object string) Change {
	t.Helper()
	return Change{Kind: Patch, ID: id, Record: record(t, object)}
}
