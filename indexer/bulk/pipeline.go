package bulk

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// Preparer turns freelancers into documents. It must be safe for concurrent use.
type Preparer interface {
	// Spaces are the spaces of the documents' vectors.
	Spaces() []matching.VectorSpace
	// Prepare is the documents of freelancers, in their order.
	Prepare(ctx context.Context, freelancers []matching.Freelancer) ([]*engine.Document, error)
}

// sink takes documents: into a new index, or into one that is changed in place.
type sink interface {
	Add(ctx context.Context, d *engine.Document) error
}

// batchSize is how many freelancers travel through the pipeline together: enough that the channels cost nothing, few
// enough that the batches under way stay within some megabytes.
const batchSize = 128

// batch is a run of freelancers on their way through the pipeline.
type batch struct {
	freelancers []matching.Freelancer
	documents   []*engine.Document
	prepared    chan struct{} // closed when documents are complete
}

// pipe prepares what produce emits with a number of workers, and adds the documents in the order of the input: two
// loads of the same files number their documents alike.
func pipe(ctx context.Context, workers int, p Preparer, to sink, produce func(context.Context, emit) error) error {
	work := make(chan *batch, workers)
	ordered := make(chan *batch, 2*workers)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(work)
		defer close(ordered)
		return batches(ctx, produce, work, ordered)
	})
	for range workers {
		g.Go(func() error {
			for b := range work {
				var err error
				if b.documents, err = p.Prepare(ctx, b.freelancers); err != nil {
					return fmt.Errorf("prepare the freelancers: %w", err)
				}
				close(b.prepared)
			}
			return nil
		})
	}
	g.Go(func() error {
		for b := range ordered {
			select {
			case <-b.prepared:
			case <-ctx.Done():
				return ctx.Err()
			}
			for _, d := range b.documents {
				if err := to.Add(ctx, d); err != nil {
					return fmt.Errorf("add freelancer %q: %w", d.Freelancer.ID, err)
				}
			}
		}
		return nil
	})
	return g.Wait()
}

// batches collects what produce emits and sends each batch to both channels.
func batches(ctx context.Context, produce func(context.Context, emit) error, channels ...chan<- *batch) error {
	var b *batch
	send := func() error {
		for _, c := range channels {
			select {
			case c <- b:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		b = nil
		return nil
	}
	err := produce(ctx, func(f matching.Freelancer) error {
		if b == nil {
			b = &batch{
				freelancers: make([]matching.Freelancer, 0, batchSize),
				prepared:    make(chan struct{}),
			}
		}
		b.freelancers = append(b.freelancers, f)
		if len(b.freelancers) < batchSize {
			return nil
		}
		return send()
	})
	if err != nil || b == nil {
		return err
	}
	return send()
}
