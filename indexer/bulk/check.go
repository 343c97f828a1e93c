package bulk

import (
	"context"
	"fmt"
	"slices"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// sampleSize is how many freelancers of a changed index are looked for.
const sampleSize = 20

// check holds a new index to what was put into it: the counts agree, its records can be read, and some of its freelancers
// are found by their own words and skills.
func (l *Loader) check(ctx context.Context, index string, report *Report) error {
	want := report.Freelancers + report.Kept
	if got := report.Indexed + report.Refused; got != want || report.Indexed == 0 && want > 0 {
		return fmt.Errorf("%d documents indexed and %d refused, of %d freelancers", report.Indexed, report.Refused, want)
	}
	var sample []matching.Freelancer
	for f, err := range l.Indexer.Scan(ctx, index) {
		if err != nil {
			return err
		}
		if sample = append(sample, f); len(sample) == sampleSize {
			break
		}
	}
	if want := min(sampleSize, report.Indexed); len(sample) != want {
		return fmt.Errorf("%d documents can be read, want %d", len(sample), want)
	}
	snapshot, err := l.holds(ctx, index, report.Indexed)
	if err != nil {
		return err
	}
	return l.findable(ctx, snapshot, sample)
}

// holds is a finished index, which must have so many documents.
func (l *Loader) holds(ctx context.Context, index string, documents int) (engine.Snapshot, error) {
	snapshot, err := l.Indexer.OpenIndex(ctx, index)
	if err != nil {
		return nil, err
	}
	if got := snapshot.Info().Documents; got != documents {
		return nil, fmt.Errorf("it has %d documents, want %d", got, documents)
	}
	return snapshot, nil
}

// findable looks for each of these freelancers.
func (l *Loader) findable(ctx context.Context, snapshot engine.Snapshot, sample []matching.Freelancer) error {
	documents, err := l.Preparer.Prepare(ctx, sample)
	if err != nil {
		return err
	}
	for _, d := range documents {
		if err := findAgain(ctx, snapshot, d); err != nil {
			return err
		}
	}
	return nil
}

// idsAtOnce is how many ids are asked for together.
const idsAtOnce = 1000

// count is how many of these distinct ids an index has.
func count(ctx context.Context, snapshot engine.Snapshot, ids []string) (int, error) {
	total := 0
	for some := range slices.Chunk(ids, idsAtOnce) {
		n, err := snapshot.Count(ctx, engine.Filters{IDs: some})
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// known is those of these distinct ids that an index has, in their order. An engine only tells how many it has, so a list
// with strangers in it is halved until they are found out: a few among many cost little.
func known(ctx context.Context, snapshot engine.Snapshot, ids []string) ([]string, error) {
	n, err := count(ctx, snapshot, ids)
	switch {
	case err != nil || n == 0:
		return nil, err
	case n == len(ids):
		return ids, nil
	}
	first, err := known(ctx, snapshot, ids[:len(ids)/2])
	if err != nil {
		return nil, err
	}
	second, err := known(ctx, snapshot, ids[len(ids)/2:])
	return slices.Concat(first, second), err
}

// findAgain searches for a document by all words and skills of the profile. One without cannot be found, and need not be.
func findAgain(ctx context.Context, snapshot engine.Snapshot, d *engine.Document) error {
	if len(d.Terms)+len(d.Skills) == 0 {
		return nil
	}
	q := &engine.Query{TextWeight: 1, Filters: engine.Filters{IDs: []string{d.Freelancer.ID}}, Size: 1}
	for e := matching.Sibling; e <= matching.Listed; e++ {
		q.Credit[e] = 1
	}
	for _, s := range d.Skills {
		q.Skills = append(q.Skills, engine.SkillClause{ID: s.ID, Weight: 1})
	}
	for _, term := range slices.Compact(slices.Sorted(slices.Values(d.Terms))) {
		q.Terms = append(q.Terms, engine.Term{Text: term, Weight: 1, Reference: true})
	}
	page, err := snapshot.Search(ctx, q)
	if err != nil {
		return err
	}
	if len(page.Hits) != 1 {
		return fmt.Errorf("freelancer %q is not found by the words and skills of the profile", d.Freelancer.ID)
	}
	return nil
}
