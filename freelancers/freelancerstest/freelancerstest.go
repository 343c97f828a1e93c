// Package freelancerstest has a freelancers.Service in memory, for tests.
package freelancerstest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match/labels"
)

// An Engine is an engine.Changer in memory. Its documents have nothing but records. Set its fields before use.
type Engine struct {
	Info    engine.Info
	Damaged []string // IDs of freelancers whose records are damaged
	Empty   bool     // no index is live
	Before  func()   // called before each Apply, unless nil
	Refuse  string   // an ID that the engine can't store
	Err     error    // of Apply

	mu      sync.Mutex // guards the fields below
	records map[string]matching.Freelancer
	applied int
}

var _ engine.Changer = (*Engine)(nil)

// NewEngine returns an engine with freelancers.
func NewEngine(list ...matching.Freelancer) *Engine {
	e := &Engine{
		Info:    engine.Info{Name: "freelancers-v1-x", Mapping: "freelancers.v1", Taxonomy: "t1", Currency: "USD"},
		records: map[string]matching.Freelancer{},
	}
	for _, f := range list {
		e.records[f.ID] = f
	}
	return e
}

// Open implements engine.Searcher. The snapshot only has Info, Fetch, List and Count.
func (e *Engine) Open(context.Context, string) (engine.Snapshot, error) {
	if e.Empty {
		return nil, engine.ErrNotFound
	}
	return &snapshot{info: e.Info, records: e.Records(), damaged: e.Damaged}, nil
}

// Track implements engine.Changer. It always fails.
func (e *Engine) Track(context.Context, string) (engine.Tracker, error) {
	return nil, errors.New("this fake observes no changes")
}

// Apply implements engine.Changer.
func (e *Engine) Apply(_ context.Context, _ string, changes []engine.Change) ([]engine.Outcome, error) {
	if e.Before != nil {
		e.Before()
	}

	// Before may change records like another process, which takes the lock.
	e.mu.Lock()
	defer e.mu.Unlock()

	e.applied++
	switch {
	case e.Err != nil:
		return nil, e.Err
	case e.Empty:
		return nil, engine.ErrNotFound
	}

	outcomes := make([]engine.Outcome, len(changes))
	for i, c := range changes {
		version := ""
		if f, ok := e.records[c.ID]; ok {
			version = engine.Version(&f)
		}

		o := engine.Outcome{Before: version, After: version}
		switch {
		case !c.If.Holds(version):
			o.Err = &engine.VersionError{ID: c.ID, Has: version}
		case c.Document == nil:
			delete(e.records, c.ID)
			o.After = ""
		// The cause must not reach a client, so tests look for this text.
		case c.ID == e.Refuse:
			o.Err = errors.New("secret cause")
		default:
			e.records[c.ID] = c.Document.Freelancer
			o.After = engine.Version(&c.Document.Freelancer)
		}

		outcomes[i] = o
	}

	return outcomes, nil
}

// Records returns all records by ID.
func (e *Engine) Records() map[string]matching.Freelancer {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.records)
}

// Edit changes a record as another process would.
func (e *Engine) Edit(id string, edit func(*matching.Freelancer)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f := e.records[id]
	edit(&f)
	e.records[id] = f
}

// Applied returns the number of calls of Apply.
func (e *Engine) Applied() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.applied
}

type snapshot struct {
	engine.Snapshot // nil: its methods must not be called
	info            engine.Info
	records         map[string]matching.Freelancer
	damaged         []string
}

// Info implements engine.Snapshot.
func (s *snapshot) Info() engine.Info { return s.info }

// Fetch implements engine.Snapshot.
func (s *snapshot) Fetch(_ context.Context, ids []string) ([]matching.Freelancer, error) {
	list := make([]matching.Freelancer, len(ids))
	damage := &engine.DamagedError{Err: errors.New("checksum")}
	for i, id := range ids {
		f, ok := s.records[id]
		switch {
		case slices.Contains(s.damaged, id):
			damage.IDs = append(damage.IDs, id)
		case !ok:
			return nil, fmt.Errorf("freelancer %q: %w", id, engine.ErrNotFound)
		default:
			list[i] = f
		}
	}
	if damage.IDs != nil {
		return list, damage
	}
	return list, nil
}

// List implements engine.Snapshot.
func (s *snapshot) List(_ context.Context, f engine.Filters, after string, limit int) ([]string, error) {
	ids := []string{}
	for id := range s.records {
		if s.passes(id, &f) && id > after {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids[:min(limit, len(ids))], nil
}

// Count implements engine.Snapshot.
func (s *snapshot) Count(ctx context.Context, f engine.Filters) (int, error) {
	ids, err := s.List(ctx, f, "", len(s.records))
	return len(ids), err
}

// passes reports whether a freelancer passes filters by IDs, listed skills and labels.
func (s *snapshot) passes(id string, f *engine.Filters) bool {
	record := s.records[id]
	has := labels.Of(&record)
	if f.IDs != nil && !slices.Contains(f.IDs, id) {
		return false
	}
	for _, skill := range f.MustHave {
		if !slices.Contains(record.Skills, skill) {
			return false
		}
	}
	for _, set := range f.Labels {
		if !slices.ContainsFunc(set, func(label string) bool { return slices.Contains(has, label) }) {
			return false
		}
	}
	return true
}

// A Preparer makes documents that have nothing but records.
type Preparer struct {
	Vectors []matching.VectorSpace
	Err     error // of Prepare
}

// Spaces implements freelancers.Preparer.
func (p *Preparer) Spaces() []matching.VectorSpace { return p.Vectors }

// Prepare implements freelancers.Preparer.
func (p *Preparer) Prepare(_ context.Context, list []matching.Freelancer) ([]*engine.Document, error) {
	documents := make([]*engine.Document, len(list))
	for i, f := range list {
		documents[i] = &engine.Document{Freelancer: f}
	}
	return documents, p.Err
}

// People is a list of erased people, and erases from an Engine.
type People struct {
	Interviews map[string]int // about freelancers, by ID; set before use

	engine *Engine
	mu     sync.Mutex // guards erased
	erased map[string]bool
}

// Matcher implements freelancers.Erased.
func (p *People) Matcher(context.Context) (func(*matching.Freelancer) bool, error) {
	return func(f *matching.Freelancer) bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.erased[f.ID]
	}, nil
}

// List puts somebody on the list, or takes them off.
func (p *People) List(id string, erased bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erased[id] = erased
}

// EraseFreelancers implements freelancers.Eraser.
func (p *People) EraseFreelancers(
	ctx context.Context, _ audit.By, _ string, people []freelancers.Person,
) (map[string]freelancers.Erasure, error) {
	erased := map[string]freelancers.Erasure{}
	for _, person := range people {
		e := freelancers.Erasure{Interviews: p.Interviews[person.ID]}
		if person.Record != nil {
			e.Indexed = true
		}
		if e == (freelancers.Erasure{}) {
			continue
		}
		p.List(person.ID, true)
		if _, err := p.engine.Apply(ctx, "", []engine.Change{{ID: person.ID}}); err != nil {
			return nil, err
		}
		erased[person.ID] = e
	}
	return erased, nil
}

// ReadmitFreelancer implements freelancers.Eraser.
func (p *People) ReadmitFreelancer(_ context.Context, _ audit.By, f *matching.Freelancer) error {
	p.List(f.ID, false)
	return nil
}

// Servers are the servers that share the database.
type Servers struct {
	Number int // of their indexes
	On     *freelancers.ErasedOn
	Err    error
}

// Indexes implements freelancers.Servers.
func (s *Servers) Indexes(context.Context) (int, error) { return s.Number, s.Err }

// Erasures implements freelancers.Servers.
func (s *Servers) Erasures(context.Context) (*freelancers.ErasedOn, error) { return s.On, s.Err }

// A Log is an audit log.
type Log struct {
	Err error // of Record; set before use

	mu     sync.Mutex
	events []audit.Event
}

// Record implements freelancers.Log.
func (l *Log) Record(_ context.Context, events ...audit.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, events...)
	return l.Err
}

// Lines returns the entries as "actor account action subject detail".
func (l *Log) Lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var lines []string
	for _, e := range l.events {
		lines = append(lines, fmt.Sprintf("%s %s %s %s %s", e.Actor, e.Account, e.Action, e.Subject, e.Detail))
	}
	return lines
}

// A World is a service with everything that it uses.
type World struct {
	*freelancers.Service
	Engine   *Engine
	People   *People
	Log      *Log
	Preparer *Preparer
}

// New returns a service with freelancers.
func New(list ...matching.Freelancer) *World {
	e := NewEngine(list...)
	w := &World{
		Engine: e, Log: &Log{}, Preparer: &Preparer{},
		People: &People{engine: e, erased: map[string]bool{}, Interviews: map[string]int{}},
	}
	w.Service = freelancers.New(freelancers.Config{
		Engine: e, Alias: "freelancers", Mapping: "freelancers.v1", Taxonomy: "t1",
		Prepare: func(context.Context) (freelancers.Preparer, error) { return w.Preparer, w.Preparer.Err },
		Filters: func(f *matching.Filters) (engine.Filters, error) {
			return engine.Filters{IDs: f.IDs, MustHave: f.MustHaveSkills}, nil
		},
		Erased: w.People, Eraser: w.People, Log: w.Log,
		Now:    func() time.Time { return time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC) },
		Logger: slog.New(slog.DiscardHandler),
	})
	return w
}
