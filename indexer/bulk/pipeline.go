package bulk

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// Preparer turns freelancers into documents. It must be safe for concurrent use.
type Preparer interface {
	// Spaces returns the vector spaces of the documents.
	Spaces() []matching.VectorSpace
	// Prepare returns one document for each freelancer, in the same order.
	Prepare(ctx context.Context, freelancers []matching.Freelancer) ([]*engine.Document, error)
}

// documentAdder is an engine.Bulk or an engine.Update.
type documentAdder interface {
	Add(ctx context.Context, d *engine.Document) error
}

// batchSize is the number of freelancers that go through the pipeline together: enough to make the cost of channels
// negligible, and few enough to keep all batches in progress within a few megabytes.
const batchSize = 128

type batch struct {
	freelancers []matching.Freelancer
	documents   []*engine.Document
	prepared    chan struct{} // closed when documents is complete
}

// emitFunc receives one freelancer from a producer.
type emitFunc func(matching.Freelancer) error

// pipe prepares the freelancers from produce with a number of workers. It adds the documents in the order of the input,
// so that two loads of the same files build the same index.
func pipe(
	ctx context.Context, workers int, p Preparer, to documentAdder, produce func(context.Context, emitFunc) error,
) error {
	// Each batch goes to both channels. A worker may finish a later batch first; the order of the second channel decides.
	// Its length bounds how many batches are in memory.
	work := make(chan *batch, workers)
	ordered := make(chan *batch, 2*workers)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(work)
		defer close(ordered)
		return sendBatches(ctx, produce, work, ordered)
	})

	for range workers {
		g.Go(func() error {
			for b := range work {
				var err error
				if b.documents, err = p.Prepare(ctx, b.freelancers); err != nil {
					return fmt.Errorf("prepare freelancers: %w", err)
				}
				close(b.prepared)
			}

			return nil
		})
	}

	g.Go(func() error {
		for b := range ordered {
			// A worker that failed never closes the channel of its batch, but it ends the context.
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

// sendBatches collects the freelancers from produce into batches and sends each batch to all channels.
func sendBatches(ctx context.Context, produce func(context.Context, emitFunc) error, channels ...chan<- *batch) error {
	b := &batch{prepared: make(chan struct{})}
	send := func() error {
		for _, c := range channels {
			select {
			case c <- b:
			case <-ctx.Done():
				return ctx.Err()
			}
		}

		b = &batch{prepared: make(chan struct{})}
		return nil
	}

	err := produce(ctx, func(f matching.Freelancer) error {
		// The last batch is often empty, and needs no memory then.
		if b.freelancers == nil {
			b.freelancers = make([]matching.Freelancer, 0, batchSize)
		}

		if b.freelancers = append(b.freelancers, f); len(b.freelancers) < batchSize {
			return nil
		}
		return send()
	})
	if err != nil || len(b.freelancers) == 0 {
		return err
	}

	return send()
}
