package bulk_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"freelancer-matching/engine"
	"freelancer-matching/engine/enginetest"
	"freelancer-matching/internal/matching"
)

// memory is an in-memory engine that changes indexes in place. It searches by brute force.
type memory struct {
	mu      sync.Mutex // guards the fields below
	owner   string     // of the lock; empty if nobody holds it
	indexes map[string]*memoryIndex
	aliases map[string][2]string // the current and the previous index
}

// memoryIndex is one version of an index. A change replaces it by another version.
type memoryIndex struct {
	spec      engine.Spec
	info      engine.Info
	begun     bool
	documents []*engine.Document
}

var (
	_ enginetest.Engine = (*memory)(nil)
	_ engine.Updater    = (*memory)(nil)
	_ engine.Update     = (*memoryStream)(nil)
)

func newMemory() *memory {
	return &memory{indexes: map[string]*memoryIndex{}, aliases: map[string][2]string{}}
}

// TestMemory_Contract runs the suite for real engines on the fake.
func TestMemory_Contract(t *testing.T) {
	enginetest.Run(t, enginetest.Options{Large: 300, New: func(*testing.T) func() enginetest.Engine {
		m := newMemory()
		return func() enginetest.Engine { return m }
	}})
}

func (m *memory) Lock(_ context.Context, owner string) (func() error, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.owner != "" {
		return nil, fmt.Errorf("%w: held by %s", engine.ErrConflict, m.owner)
	}
	m.owner = owner
	return func() error {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.owner = ""
		return nil
	}, nil
}

func (m *memory) Create(_ context.Context, spec engine.Spec) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, space := range spec.Vectors {
		if err := space.Check(); err != nil {
			return err
		}
	}
	if m.indexes[spec.Name] != nil {
		return engine.ErrConflict
	}
	m.indexes[spec.Name] = &memoryIndex{spec: spec, info: engine.Info{
		Name: spec.Name, Mapping: spec.Mapping.Name, Source: spec.Source, Currency: spec.Currency, Taxonomy: spec.Taxonomy,
		Vectors: spec.Vectors, Created: spec.Created, Bytes: 1,
	}}
	return nil
}

// find returns an index, which must be finished if that is required.
func (m *memory) find(name string, finished bool) (*memoryIndex, error) {
	x := m.indexes[name]
	if x == nil {
		return nil, fmt.Errorf("index %q: %w", name, engine.ErrNotFound)
	}
	if finished && !x.info.Complete {
		return nil, fmt.Errorf("index %q: %w: it was never finished", name, engine.ErrConflict)
	}
	return x, nil
}

func (m *memory) Indexes(context.Context) ([]engine.Info, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	infos := []engine.Info{}
	for _, x := range m.indexes {
		infos = append(infos, x.info)
	}
	slices.SortFunc(infos, func(a, b engine.Info) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Name, b.Name))
	})
	return infos, nil
}

func (m *memory) Alias(_ context.Context, alias string) (index, previous string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.aliases[alias]
	if m.indexes[at[1]] == nil {
		at[1] = ""
	}
	return at[0], at[1], nil
}

func (m *memory) PointAlias(ctx context.Context, alias, index string) (string, error) {
	now, previous, err := m.Alias(ctx, alias)
	if err != nil {
		return "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	x, err := m.find(index, true)
	if err != nil {
		return "", err
	}
	if now == index {
		return previous, nil
	}
	x.info.Pending = false
	m.aliases[alias] = [2]string{index, now}
	return now, nil
}

func (m *memory) SwapAlias(ctx context.Context, alias, from, index string) (string, error) {
	now, _, err := m.Alias(ctx, alias)
	if err != nil {
		return "", err
	}
	if now != from && now != index {
		return "", &engine.MovedError{Alias: alias, Expected: from, Actual: now}
	}
	return m.PointAlias(ctx, alias, index)
}

func (m *memory) SetProvenance(_ context.Context, index string, p *engine.Provenance) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	x, err := m.find(index, true)
	if err == nil {
		x.info.Provenance = p
	}
	return err
}

func (m *memory) Drop(_ context.Context, index string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, at := range m.aliases {
		if at[0] == index {
			return engine.ErrConflict
		}
	}
	delete(m.indexes, index)
	return nil
}

func (m *memory) Open(_ context.Context, alias string) (engine.Snapshot, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.snapshot(m.aliases[alias][0])
}

func (m *memory) OpenIndex(_ context.Context, index string) (engine.Snapshot, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.snapshot(index)
}

func (m *memory) snapshot(index string) (engine.Snapshot, error) {
	x, err := m.find(index, true)
	if err != nil {
		return nil, err
	}
	return &memorySnapshot{x, enginetest.NewBruteForce(x.spec.Mapping.BM25, x.documents)}, nil
}

func (m *memory) Scan(ctx context.Context, index string) iter.Seq2[matching.Freelancer, error] {
	return func(yield func(matching.Freelancer, error) bool) {
		m.mu.Lock()
		x, err := m.find(index, true)
		m.mu.Unlock()
		if err != nil {
			yield(matching.Freelancer{}, err)
			return
		}
		for _, d := range x.documents {
			if !yield(d.Freelancer, ctx.Err()) || ctx.Err() != nil {
				return
			}
		}
	}
}

func (m *memory) Bulk(_ context.Context, index string, refused engine.RejectFunc) (engine.Bulk, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x, err := m.find(index, false)
	if err != nil {
		return nil, err
	}
	if x.begun {
		return nil, engine.ErrConflict
	}
	x.begun = true
	return memoryBulk{newMemoryStream(m, index, refused)}, nil
}

func (m *memory) Update(_ context.Context, index string, refused engine.RejectFunc) (engine.Update, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.find(index, true); err != nil {
		return nil, err
	}
	return newMemoryStream(m, index, refused), nil
}

// memoryStream changes an index one document at a time.
type memoryStream struct {
	*memory
	index   string
	refused engine.RejectFunc
	err     error // set by an invalid document, and once the stream is closed

	indexed, failed, deleted, missing map[string]bool // by id
}

func newMemoryStream(m *memory, index string, refused engine.RejectFunc) *memoryStream {
	s := &memoryStream{memory: m, index: index, refused: refused}
	s.indexed, s.failed, s.deleted, s.missing = map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	return s
}

func (s *memoryStream) Add(ctx context.Context, d *engine.Document) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.indexes[s.index]
	if err := errors.Join(s.err, ctx.Err()); err != nil {
		return err
	}
	if s.err = d.CheckVectors(x.spec.Vectors); s.err != nil {
		return s.err
	}
	_, err := json.Marshal(d.Freelancer)
	if d.Freelancer.ID == "" {
		err = errors.New("no id")
	}
	if err != nil {
		s.failed[d.Freelancer.ID] = true
		if s.refused != nil {
			s.refused(d.Freelancer.ID, err)
		}
		return nil
	}
	s.put(d.Freelancer.ID, d)
	s.settle(d.Freelancer.ID, s.indexed)
	return nil
}

func (s *memoryStream) Delete(ctx context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := errors.Join(s.err, ctx.Err()); err != nil {
		return err
	}
	if s.put(id, nil) || s.deleted[id] {
		s.settle(id, s.deleted)
	} else {
		s.settle(id, s.missing)
	}
	return nil
}

// put replaces the document with an ID, or removes it if d is nil. It reports whether there was one.
func (s *memoryStream) put(id string, d *engine.Document) (existed bool) {
	next := *s.indexes[s.index]
	next.documents = slices.DeleteFunc(slices.Clone(next.documents), func(d *engine.Document) bool {
		return d.Freelancer.ID == id
	})
	existed = len(next.documents) < len(s.indexes[s.index].documents)
	if d != nil {
		next.documents = append(next.documents, d)
	}
	s.indexes[s.index] = &next
	return existed
}

// settle records the last outcome for an ID and forgets earlier ones.
func (s *memoryStream) settle(id string, as map[string]bool) {
	for _, other := range []map[string]bool{s.indexed, s.failed, s.deleted, s.missing} {
		delete(other, id)
	}
	as[id] = true
}

func (s *memoryStream) Close(ctx context.Context) (engine.UpdateResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := errors.Join(s.err, ctx.Err()); err != nil {
		return engine.UpdateResult{}, err
	}
	s.err = errors.New("the stream is closed")
	result := engine.UpdateResult{
		Indexed: len(s.indexed), Failed: len(s.failed), Deleted: len(s.deleted), Missing: len(s.missing),
	}
	next := *s.indexes[s.index]
	if next.info.Complete && result != (engine.UpdateResult{}) {
		next.info.Updated = time.Now()
	}
	next.info.Pending = next.info.Pending || !next.info.Complete
	next.info.Complete, next.info.Documents = true, len(next.documents) // an interrupted change does not get here
	s.indexes[s.index] = &next
	return result, nil
}

func (s *memoryStream) Abort() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = cmp.Or(s.err, errors.New("the stream is closed"))
}

type memoryBulk struct{ *memoryStream }

func (b memoryBulk) Close(ctx context.Context) (engine.BulkResult, error) {
	r, err := b.memoryStream.Close(ctx)
	return engine.BulkResult{Indexed: r.Indexed, Failed: r.Failed}, err
}

// memorySnapshot is one version of an index.
type memorySnapshot struct {
	*memoryIndex
	search *enginetest.BruteForce
}

func (s *memorySnapshot) Info() engine.Info { return s.info }

func (s *memorySnapshot) Search(ctx context.Context, q *engine.Query) (*engine.Page, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if q.Semantic != nil {
		if err := q.Semantic.Check(s.spec.Vectors); err != nil {
			return nil, err
		}
	}
	hits, reference := s.search.Search(q)
	page := &engine.Page{Reference: reference}
	for _, hit := range hits[:min(len(hits), q.Size)] {
		page.Hits = append(page.Hits, hit.Hit)
	}
	return page, nil
}

func (s *memorySnapshot) Statistics(_ context.Context, skills []string) (engine.Statistics, error) {
	stats := engine.Statistics{Documents: len(s.documents), SkillCount: map[string]int{}}
	for _, skill := range skills {
		stats.SkillCount[skill] = s.countIf(func(d *engine.Document) bool {
			return slices.ContainsFunc(d.Skills, func(has engine.Skill) bool { return has.ID == skill })
		})
	}
	rated, sum := 0, 0.0
	for _, d := range s.documents {
		if rating := d.Freelancer.Rating; rating.Known {
			rated++
			sum += rating.Value
		}
	}
	if rated > 0 {
		stats.MeanRating = matching.Some(sum / float64(rated))
	}
	return stats, nil
}

func (s *memorySnapshot) Fetch(ctx context.Context, ids []string) ([]matching.Freelancer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	byID := maps.Collect(func(yield func(string, matching.Freelancer) bool) {
		for _, d := range s.documents {
			if !yield(d.Freelancer.ID, d.Freelancer) {
				return
			}
		}
	})
	all := make([]matching.Freelancer, len(ids))
	for i, id := range ids {
		f, ok := byID[id]
		if !ok {
			return nil, fmt.Errorf("fetch %q: %w", id, engine.ErrNotFound)
		}
		all[i] = f
	}
	return all, nil
}

func (s *memorySnapshot) Count(ctx context.Context, f engine.Filters) (int, error) {
	return s.countIf(func(d *engine.Document) bool { return enginetest.Passes(d, f) }), ctx.Err()
}

func (s *memorySnapshot) CountUnknown(ctx context.Context, f engine.Filters) (int, error) {
	return s.countIf(func(d *engine.Document) bool { return enginetest.HasUnknown(d, f) }), ctx.Err()
}

func (s *memorySnapshot) CountEach(ctx context.Context, filters []engine.Filters) ([]int, error) {
	counts := make([]int, len(filters))
	for i, f := range filters {
		counts[i] = s.countIf(func(d *engine.Document) bool { return enginetest.Passes(d, f) })
	}
	return counts, ctx.Err()
}

func (s *memorySnapshot) List(ctx context.Context, f engine.Filters, after string, limit int) ([]string, error) {
	return enginetest.List(s.documents, f, after, limit), ctx.Err()
}

func (s *memorySnapshot) Vocabulary(ctx context.Context) (*engine.Vocabulary, error) {
	return enginetest.Vocabulary(s.documents), ctx.Err()
}

func (s *memorySnapshot) countIf(is func(*engine.Document) bool) (n int) {
	for _, d := range s.documents {
		if is(d) {
			n++
		}
	}
	return n
}
