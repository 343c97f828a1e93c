package bulk

import (
	"context"
	"fmt"
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// sampleSize is the number of freelancers that a check of an index searches for.
const sampleSize = 20

// checkNew checks a new index against what was added to it: the counts match, its records can be read, and a sample of
// its freelancers is found by their own words and skills.
func (c *change) checkNew(ctx context.Context, index string) error {
	want := c.report.Freelancers + c.report.Kept
	if err := c.checkCounts(want); err != nil {
		return err
	}
	if c.report.Indexed == 0 && want > 0 {
		return fmt.Errorf("the engine refused all %d freelancers", want)
	}

	var sample []matching.Freelancer
	for f, err := range c.Indexer.Scan(ctx, index) {
		if err != nil {
			return err
		}
		if sample = append(sample, f); len(sample) == sampleSize {
			break
		}
	}

	if want := min(sampleSize, c.report.Indexed); len(sample) != want {
		return fmt.Errorf("only %d documents can be read, want %d", len(sample), want)
	}
	snapshot, err := c.openIndex(ctx, index, c.report.Indexed)
	if err != nil {
		return err
	}

	return c.checkFindable(ctx, snapshot, sample)
}

// checkUpdated checks a live index that was changed in place.
func (c *change) checkUpdated(
	ctx context.Context, before *engine.Info, sample []matching.Freelancer, refused []string,
) error {
	if err := c.account(ctx, before, refused); err != nil {
		return err
	}
	snapshot, err := c.Indexer.OpenIndex(ctx, before.Name)
	if err != nil {
		return err
	}

	return c.checkFindable(ctx, snapshot, slices.DeleteFunc(sample, func(f matching.Freelancer) bool {
		return slices.Contains(refused, f.ID)
	}))
}

// account checks the counts of a change in place, and corrects the report's Kept and Replaced: a freelancer whom the
// engine refused keeps the old record, if there is one.
func (c *change) account(ctx context.Context, before *engine.Info, refused []string) error {
	if err := c.checkCounts(c.report.Freelancers); err != nil {
		return err
	}
	if len(refused) > 0 {
		snapshot, err := c.open(ctx, before.Name)
		if err != nil {
			return err
		}
		notReplaced, err := count(ctx, snapshot, refused)
		if err != nil {
			return err
		}
		c.report.Replaced -= notReplaced
	}
	c.report.Kept = before.Documents - c.report.Replaced
	return nil
}

// checkCounts checks that the engine accounted for all freelancers.
func (c *change) checkCounts(want int) error {
	if indexed, refused := c.report.Indexed, c.report.Refused; indexed+refused != want {
		return fmt.Errorf("the engine indexed %d documents and refused %d, of %d freelancers", indexed, refused, want)
	}
	return nil
}

// openIndex opens a finished index and checks its number of documents.
func (c *change) openIndex(ctx context.Context, index string, wantDocuments int) (engine.Snapshot, error) {
	snapshot, err := c.Indexer.OpenIndex(ctx, index)
	if err != nil {
		return nil, err
	}
	if got := snapshot.Info().Documents; got != wantDocuments {
		return nil, fmt.Errorf("the index has %d documents, want %d", got, wantDocuments)
	}
	return snapshot, nil
}

// checkFindable checks that a search for each freelancer's own words and skills finds them. A freelancer without any
// can't be found, which is no error.
func (c *change) checkFindable(ctx context.Context, snapshot engine.Snapshot, sample []matching.Freelancer) error {
	documents, err := c.Preparer.Prepare(ctx, sample)
	if err != nil {
		return err
	}
	for _, d := range documents {
		if len(d.Terms)+len(d.Skills) == 0 {
			continue
		}
		page, err := snapshot.Search(ctx, ownQuery(d))
		if err != nil {
			return err
		}
		if len(page.Hits) != 1 {
			return fmt.Errorf("a search for the words and skills of freelancer %q does not find them", d.Freelancer.ID)
		}
	}
	return nil
}

// ownQuery returns a query for a document by all its words and skills.
func ownQuery(d *engine.Document) *engine.Query {
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
	return q
}

// idsPerQuery is the number of IDs that one query asks for.
const idsPerQuery = 1000

// count returns how many of these distinct IDs an index has.
func count(ctx context.Context, snapshot engine.Snapshot, ids []string) (int, error) {
	total := 0
	for chunk := range slices.Chunk(ids, idsPerQuery) {
		n, err := snapshot.Count(ctx, engine.Filters{IDs: chunk})
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// existing returns those of these distinct IDs that an index has, in their order. An engine only counts documents, so a
// list with missing IDs is halved until they are isolated, which is cheap if few are missing.
func existing(ctx context.Context, snapshot engine.Snapshot, ids []string) ([]string, error) {
	n, err := count(ctx, snapshot, ids)
	switch {
	case err != nil || n == 0:
		return nil, err
	case n == len(ids):
		return ids, nil
	}
	first, err := existing(ctx, snapshot, ids[:len(ids)/2])
	if err != nil {
		return nil, err
	}
	second, err := existing(ctx, snapshot, ids[len(ids)/2:])
	return slices.Concat(first, second), err
}
