package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/enginetest"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/internal/matching"
)

// bothWays returns a harness whose upserts change the index in place, and one whose upserts build a new index.
func bothWays(t *testing.T) map[string]*harness {
	t.Helper()
	return map[string]*harness{"in place": newHarness(t), "new index": newRebuilding(t)}
}

// newRebuilding returns a harness whose upserts build a new index.
func newRebuilding(t *testing.T) *harness {
	t.Helper()
	b := newHarness(t)
	b.options.NewIndex = true
	return b
}

func (b *harness) upsert(t *testing.T, inputs ...bulk.Input) *bulk.Report {
	t.Helper()
	report, err := b.loader.Upsert(t.Context(), inputs, b.options)
	if err != nil {
		t.Fatalf("upsert: %v", err)
	}
	return report
}

// wantFreelancers checks the freelancers in the live index, in its order.
func (b *harness) wantFreelancers(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, texts(b.freelancers(t)), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("freelancers (-want +got):\n%s", diff)
	}
}

// halting is an engine that fails after a number of changes in place.
type halting struct {
	enginetest.Engine
	left int          // changes until it fails
	fail func() error // returns the error
}

func (h *halting) Update(ctx context.Context, index string, refused engine.RejectFunc) (engine.Update, error) {
	u, err := h.Engine.Update(ctx, index, refused)
	return &haltingUpdate{u, h}, err
}

type haltingUpdate struct {
	engine.Update
	engine *halting
}

func (u *haltingUpdate) Add(ctx context.Context, d *engine.Document) error {
	if err := u.count(); err != nil {
		return err
	}
	return u.Update.Add(ctx, d)
}

func (u *haltingUpdate) Delete(ctx context.Context, id string) error {
	if err := u.count(); err != nil {
		return err
	}
	return u.Update.Delete(ctx, id)
}

func (u *haltingUpdate) count() error {
	u.engine.left--
	if u.engine.left < 0 {
		return u.engine.fail()
	}
	return nil
}

// An interrupted change in place says that it is incomplete, and running it again completes it.
func TestChange_InterruptedInPlace(t *testing.T) {
	const people = 500
	var before, files []source.Row
	var ids, want []string
	for i := range people {
		before = append(before, row(i, fmt.Sprintf("%d n%d go", i, i)))
		files = append(files, row(i, fmt.Sprintf("%d n%d sql", i+people/2, i+people/2)))
		ids = append(ids, fmt.Sprint(i+people/2))
		if i < people/2 {
			want = append(want, fmt.Sprintf("%d n%d go", i, i))
		}
	}

	upserted := slices.Clone(want)
	for i := range people {
		upserted = append(upserted, fmt.Sprintf("%d n%d sql", i+people/2, i+people/2))
	}

	for _, cause := range []string{"failure", "Ctrl-C"} {
		t.Run(cause, func(t *testing.T) {
			b := newHarness(t)
			h := &halting{Engine: b.Engine, left: math.MaxInt}
			b.loader.Indexer = h
			b.load(t, input("a", before...))
			ctx, cancel := context.WithCancel(t.Context())
			h.fail = func() error {
				if cause == "Ctrl-C" {
					cancel()
					return ctx.Err()
				}
				return errors.New("broken")
			}

			work := map[string]func(context.Context) (*bulk.Report, error){
				"upsert": func(ctx context.Context) (*bulk.Report, error) {
					return b.loader.Upsert(ctx, []bulk.Input{input("b", files...)}, b.options)
				},
				"delete": func(ctx context.Context) (*bulk.Report, error) {
					return b.loader.Delete(ctx, ids, b.options)
				},
			}
			for _, name := range []string{"upsert", "delete"} {
				h.left = people * 3 / 4
				report, err := work[name](ctx)
				wantError[*bulk.PartialError](t, err, "Run the same command again to complete it")

				if errors.Is(err, context.Canceled) != (cause == "Ctrl-C") || report == nil {
					t.Fatalf("%s: error %v", name, err)
				}
				h.left = math.MaxInt

				if _, err := b.loader.Reindex(t.Context(), "", b.options); err != nil {
					t.Errorf("reindex after an incomplete change: %v", err)
				}

				if _, err := work[name](t.Context()); err != nil {
					t.Fatalf("%s again: %v", name, err)
				}

				if name == "upsert" {
					b.wantFreelancers(t, upserted...)
				} else {
					b.wantFreelancers(t, want...)
				}

				ctx, cancel = context.WithCancel(t.Context())
			}

			cancel()
		})
	}
}

// TestNewIndex_FailureChangesNothing lets each step of building a new index fail, for every kind of change.
func TestNewIndex_FailureChangesNothing(t *testing.T) {
	broken := errors.New("broken")
	works := map[string]func(context.Context, *harness) (*bulk.Report, error){
		"upsert": func(ctx context.Context, b *harness) (*bulk.Report, error) {
			return b.loader.Upsert(ctx, []bulk.Input{input("b", rows("1 Ada sql", "4 Dan x")...)}, b.options)
		},
		"reindex": func(ctx context.Context, b *harness) (*bulk.Report, error) {
			return b.loader.Reindex(ctx, "", b.options)
		},
	}
	for name, work := range works {
		for what, f := range map[string]*failing{
			"add": {addErr: broken}, "close": {closeErr: broken}, "alias": {aliasErr: broken}, "scan": {scanErr: broken},
			"count": {refused: 1}, "short scan": {shortScan: true},
		} {
			t.Run(name+", "+what, func(t *testing.T) {
				b := newRebuilding(t)
				before := b.load(t, input("a", rows("1 Ada go", "2 Bob c", "3 Cyd r")...))
				f.Indexer, b.loader.Indexer = b.Engine, f
				b.options.MaxFailures = limit(t, "100%")
				if _, err := work(t.Context(), b); err == nil || f.refused == 0 && !f.shortScan && !errors.Is(err, broken) {
					t.Errorf("error %v", err)
				}

				b.wantUnchanged(t, before)
			})
		}

		t.Run(name+", locked by another", func(t *testing.T) {
			b := newRebuilding(t)
			before := b.load(t, input("a", rows("1 Ada go", "2 Bob c")...))
			release, err := b.Lock(t.Context(), "another load")
			if err != nil {
				t.Fatal(err)
			}

			_, err = work(t.Context(), b)
			if !errors.Is(err, engine.ErrConflict) || !strings.Contains(err.Error(), "another load") {
				t.Errorf("error %v", err)
			}

			if err := release(); err != nil {
				t.Fatal(err)
			}
			b.wantUnchanged(t, before)
		})

		t.Run(name+", canceled", func(t *testing.T) {
			b := newRebuilding(t)
			before := b.load(t, input("a", rows("1 Ada go", "2 Bob c")...))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()

			b.loader.Preparer = cancelingPreparer{cancel}
			if _, err := work(ctx, b); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			b.wantUnchanged(t, before)
		})
	}
}

// cancelingPreparer cancels the context when it is first used.
type cancelingPreparer struct{ cancel func() }

func (cancelingPreparer) Spaces() []matching.VectorSpace { return nil }

func (c cancelingPreparer) Prepare(ctx context.Context, freelancers []matching.Freelancer) ([]*engine.Document, error) {
	c.cancel()
	return wordPreparer{}.Prepare(ctx, freelancers)
}

// Random changes have the same result in place and by building new indexes.
func TestChange_SameResultBothWays(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for round := range 6 {
		inPlace := newHarness(t)
		newIndex := newRebuilding(t)
		want := map[string]string{} // skills by id
		for step := range 8 {
			var list []source.Row
			skillsByID := map[string][]string{}
			var ids []string
			for line := range 1 + rng.IntN(300) {
				id := fmt.Sprint(rng.IntN(400))
				skill := fmt.Sprintf("s%d", rng.IntN(5))
				list = append(list, row(line, id+" n"+id+" "+skill))

				if !slices.Contains(skillsByID[id], skill) {
					skillsByID[id] = append(skillsByID[id], skill)
				}

				if !slices.Contains(ids, id) {
					ids = append(ids, id)
				}
			}

			deletes := step > 0 && rng.IntN(2) == 0
			for id, skills := range skillsByID {
				if want[id] = strings.Join(skills, ","); deletes {
					delete(want, id)
				}
			}

			for _, b := range []*harness{inPlace, newIndex} {
				var err error
				if deletes {
					_, err = b.loader.Delete(t.Context(), ids, b.options)
				} else {
					_, err = b.loader.Upsert(t.Context(), []bulk.Input{input("a", list...)}, b.options)
				}

				if _, unknown := errors.AsType[*bulk.UnknownError](err); err != nil && !unknown {
					t.Fatalf("round %d, step %d: %v", round, step, err)
				}
			}

			got1 := inPlace.freelancers(t)
			got2 := newIndex.freelancers(t)
			if diff := cmp.Diff(texts(got1), texts(got2)); diff != "" {
				t.Fatalf("round %d, step %d (-in place +new index):\n%s", round, step, diff)
			}

			got := map[string]string{}
			for _, f := range got1 {
				got[f.ID] = strings.Join(f.Skills, ",")
			}

			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("round %d, step %d (-want +got):\n%s", round, step, diff)
			}
		}
	}
}

// lying is an engine that changes nothing in place but claims a result.
type lying struct {
	enginetest.Engine
	engine.UpdateResult
}

func (l *lying) Update(ctx context.Context, index string, refused engine.RejectFunc) (engine.Update, error) {
	u, err := l.Engine.Update(ctx, index, refused)
	return &lyingUpdate{u, l.UpdateResult}, err
}

type lyingUpdate struct {
	engine.Update
	claim engine.UpdateResult
}

func (*lyingUpdate) Add(context.Context, *engine.Document) error { return nil }
func (*lyingUpdate) Delete(context.Context, string) error        { return nil }

func (u *lyingUpdate) Close(ctx context.Context) (engine.UpdateResult, error) {
	_, err := u.Update.Close(ctx)
	return u.claim, err
}

// A change in place checks the index rather than trust the counts of the engine.
func TestChange_ChecksIndexInPlace(t *testing.T) {
	for _, test := range []struct {
		name  string
		claim engine.UpdateResult
		work  string
		want  string
	}{
		{"documents not deleted", engine.UpdateResult{Deleted: 2}, "delete", "the index still has 1, 2"},
		{"nothing indexed", engine.UpdateResult{}, "upsert", "the engine indexed 0 documents and refused 0, of 2"},
		{"documents not added", engine.UpdateResult{Indexed: 2}, "upsert", "does not find them"},
		{"documents not replaced", engine.UpdateResult{Indexed: 2}, "replace", `freelancer "1" does not find them`},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newHarness(t)
			b.load(t, input("a", rows("1 Ada go", "2 Bob c", "3 Cyd r")...))
			b.loader.Indexer = &lying{b.Engine, test.claim}
			var err error
			switch test.work {
			case "delete":
				_, err = b.loader.Delete(t.Context(), []string{"1", "2"}, b.options)
			case "upsert":
				_, err = b.loader.Upsert(t.Context(), []bulk.Input{input("b", rows("1 Ada sql", "4 Dan x")...)}, b.options)
			default:
				_, err = b.loader.Upsert(t.Context(), []bulk.Input{input("b", rows("1 Ada sql", "2 Bob d")...)}, b.options)
			}

			wantError[*bulk.PartialError](t, err, test.want)
		})
	}
}
