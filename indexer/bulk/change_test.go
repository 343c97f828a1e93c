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

	"freelancer-matching/engine"
	"freelancer-matching/indexer/bulk"
	"freelancer-matching/indexer/source"
	"freelancer-matching/internal/matching"
)

// ways are a bench for each way to change an index: on an engine that changes it in place, and on one that cannot.
func ways(t *testing.T) map[string]*bench {
	t.Helper()
	return map[string]*bench{"in place": newBenchOn(t, newMemory()), "anew": newBench(t)}
}

func (b *bench) upsert(t *testing.T, inputs ...bulk.Input) *bulk.Report {
	t.Helper()
	report, err := b.loader.Upsert(t.Context(), inputs, true, b.options)
	if err != nil {
		t.Fatalf("upsert: %v", err)
	}
	return report
}

// has checks who is in the live index, in the order of the index.
func (b *bench) has(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, texts(b.freelancers(t)), cmp.Transformer("empty", func(s []string) []string { return append([]string{}, s...) })); diff != "" {
		t.Errorf("freelancers (-want +got):\n%s", diff)
	}
}

// halting is an engine whose changes in place end after some of them.
type halting struct {
	*memory
	after int
	halt  func() error
}

func (h *halting) Update(ctx context.Context, index string, refused engine.RejectFunc) (engine.Update, error) {
	u, err := h.memory.Update(ctx, index, refused)
	return &haltingUpdate{u, h}, err
}

type haltingUpdate struct {
	engine.Update
	of *halting
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
	u.of.after--
	if u.of.after < 0 {
		return u.of.halt()
	}
	return nil
}

// TestChange_HalfWayInPlace ends changes in place early: the error says how things are, and the same again completes them.
func TestChange_HalfWayInPlace(t *testing.T) {
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
			h := &halting{memory: newMemory(), after: math.MaxInt}
			b := newBenchOn(t, h)
			b.load(t, input("a", before...))
			ctx, cancel := context.WithCancel(t.Context())
			h.halt = func() error {
				if cause == "Ctrl-C" {
					cancel()
					return ctx.Err()
				}
				return errors.New("broken")
			}
			work := map[string]func(context.Context) (*bulk.Report, error){
				"upsert": func(ctx context.Context) (*bulk.Report, error) {
					return b.loader.Upsert(ctx, []bulk.Input{input("b", files...)}, true, b.options)
				},
				"delete": func(ctx context.Context) (*bulk.Report, error) {
					return b.loader.Delete(ctx, ids, false, b.options)
				},
			}
			for _, name := range []string{"upsert", "delete"} {
				h.after = people * 3 / 4
				report, err := work[name](ctx)
				partial, ok := errors.AsType[*bulk.PartialError](err)
				if !ok || !strings.Contains(partial.Error(), "Changes made so far stay; the same command again completes them") ||
					errors.Is(err, context.Canceled) != (cause == "Ctrl-C") || report == nil {
					t.Fatalf("%s: error %v", name, err)
				}
				h.after = math.MaxInt
				if _, err := b.loader.Reindex(t.Context(), "", b.options); err != nil {
					t.Errorf("reindex what is changed in part: %v", err)
				}
				if _, err := work[name](t.Context()); err != nil {
					t.Fatalf("%s again: %v", name, err)
				}
				if name == "upsert" {
					b.has(t, upserted...)
				} else {
					b.has(t, want...)
				}
				ctx, cancel = context.WithCancel(t.Context())
			}
			cancel()
		})
	}
}

// TestRebuild_FailureChangesNothing breaks what every change by a new index does.
func TestRebuild_FailureChangesNothing(t *testing.T) {
	broken := errors.New("broken")
	works := map[string]func(context.Context, *bench) (*bulk.Report, error){
		"upsert": func(ctx context.Context, b *bench) (*bulk.Report, error) {
			return b.loader.Upsert(ctx, []bulk.Input{input("b", rows("1 Ada sql", "4 Dan x")...)}, true, b.options)
		},
		"reindex": func(ctx context.Context, b *bench) (*bulk.Report, error) { return b.loader.Reindex(ctx, "", b.options) },
		"delete": func(ctx context.Context, b *bench) (*bulk.Report, error) {
			return b.loader.Delete(ctx, []string{"1"}, false, b.options)
		},
		"delete everywhere": func(ctx context.Context, b *bench) (*bulk.Report, error) {
			return b.loader.Delete(ctx, []string{"1"}, true, b.options)
		},
	}
	for name, work := range works {
		for what, f := range map[string]*failing{
			"add": {add: broken}, "close": {end: broken}, "alias": {point: broken}, "scan": {scan: broken}, "count": {refuse: 1},
			"short scan": {short: true},
		} {
			t.Run(name+", "+what, func(t *testing.T) {
				b := newBench(t)
				before := b.load(t, input("a", rows("1 Ada go", "2 Bob c", "3 Cyd r")...))
				f.Indexer, b.loader.Indexer = b.Engine, f
				b.options.MaxFailures = limit(t, "100%")
				if _, err := work(t.Context(), b); err == nil || f.refuse == 0 && !f.short && !errors.Is(err, broken) {
					t.Errorf("error %v", err)
				}
				b.untouched(t, before)
			})
		}
		t.Run(name+", another at work", func(t *testing.T) {
			b := newBench(t)
			before := b.load(t, input("a", rows("1 Ada go", "2 Bob c")...))
			release, err := b.Lock(t.Context(), "the other one")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := work(t.Context(), b); !errors.Is(err, engine.ErrConflict) || !strings.Contains(err.Error(), "the other one") {
				t.Errorf("error %v", err)
			}
			if err := release(); err != nil {
				t.Fatal(err)
			}
			b.untouched(t, before)
		})
		t.Run(name+", cancelled", func(t *testing.T) {
			b := newBench(t)
			before := b.load(t, input("a", rows("1 Ada go", "2 Bob c")...))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			b.loader.Preparer = cancelling{cancel}
			if _, err := work(ctx, b); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			b.untouched(t, before)
		})
	}
}

// cancelling ends the context as soon as there is something to prepare.
type cancelling struct{ cancel func() }

func (cancelling) Spaces() []matching.VectorSpace { return nil }

func (c cancelling) Prepare(ctx context.Context, freelancers []matching.Freelancer) ([]*engine.Document, error) {
	c.cancel()
	return wordPreparer{}.Prepare(ctx, freelancers)
}

// TestChange_BothWaysAgree makes the same random changes in place and by new indexes.
func TestChange_BothWaysAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for round := range 6 {
		inPlace, anew := newBenchOn(t, newMemory()), newBench(t)
		want := map[string]string{} // skills by id
		for step := range 8 {
			var list []source.Row
			fresh := map[string][]string{}
			var ids []string
			for line := range 1 + rng.IntN(300) {
				id, skill := fmt.Sprint(rng.IntN(400)), fmt.Sprintf("s%d", rng.IntN(5))
				list = append(list, row(line, id+" n"+id+" "+skill))
				if !slices.Contains(fresh[id], skill) {
					fresh[id] = append(fresh[id], skill)
				}
				if !slices.Contains(ids, id) {
					ids = append(ids, id)
				}
			}
			deletes := step > 0 && rng.IntN(2) == 0
			for id, skills := range fresh {
				if want[id] = strings.Join(skills, ","); deletes {
					delete(want, id)
				}
			}
			for _, b := range []*bench{inPlace, anew} {
				var err error
				if deletes {
					_, err = b.loader.Delete(t.Context(), ids, false, b.options)
				} else {
					_, err = b.loader.Upsert(t.Context(), []bulk.Input{input("a", list...)}, true, b.options)
				}
				if _, unknown := errors.AsType[*bulk.UnknownError](err); err != nil && !unknown {
					t.Fatalf("round %d, step %d: %v", round, step, err)
				}
			}
			one, other := inPlace.freelancers(t), anew.freelancers(t)
			if diff := cmp.Diff(texts(one), texts(other)); diff != "" {
				t.Fatalf("round %d, step %d (-in place +anew):\n%s", round, step, diff)
			}
			got := map[string]string{}
			for _, f := range one {
				got[f.ID] = strings.Join(f.Skills, ",")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("round %d, step %d (-want +got):\n%s", round, step, diff)
			}
		}
	}
}

// lying is an engine that changes nothing in place, and claims this result.
type lying struct {
	*memory
	engine.UpdateResult
}

func (l *lying) Update(ctx context.Context, index string, refused engine.RejectFunc) (engine.Update, error) {
	u, err := l.memory.Update(ctx, index, refused)
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

// TestChange_ChecksInPlace does not take the engine's word for what it did.
func TestChange_ChecksInPlace(t *testing.T) {
	for _, test := range []struct {
		name  string
		claim engine.UpdateResult
		work  string
		want  string
	}{
		{"nothing deleted", engine.UpdateResult{}, "delete", "0 documents deleted, want 2"},
		{"deletions that were none", engine.UpdateResult{Deleted: 2}, "delete", "it has 3 documents, want 1"},
		{"nothing indexed", engine.UpdateResult{}, "upsert", "0 documents indexed and 0 refused, of 2 freelancers"},
		{"documents that are not there", engine.UpdateResult{Indexed: 2}, "upsert", "it has 3 documents, want 4"},
		{"documents that are as before", engine.UpdateResult{Indexed: 2}, "replace", `freelancer "1" is not found by the words and skills`},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBenchOn(t, &lying{newMemory(), test.claim})
			b.load(t, input("a", rows("1 Ada go", "2 Bob c", "3 Cyd r")...))
			var err error
			switch test.work {
			case "delete":
				_, err = b.loader.Delete(t.Context(), []string{"1", "2"}, false, b.options)
			case "upsert":
				_, err = b.loader.Upsert(t.Context(), []bulk.Input{input("b", rows("1 Ada sql", "4 Dan x")...)}, true, b.options)
			default:
				_, err = b.loader.Upsert(t.Context(), []bulk.Input{input("b", rows("1 Ada sql", "2 Bob d")...)}, true, b.options)
			}
			if _, ok := errors.AsType[*bulk.PartialError](err); !ok || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}
