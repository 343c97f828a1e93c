package elastic

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

const (
	// scanPage is how many freelancers one request of a scan fetches.
	scanPage = 1000
	// scanKept is how long Elasticsearch keeps the view of a scan between two pages.
	scanKept = "5m"
)

// Scan reads the index by position, a page at a time, all from one view of it.
func (e *Engine) Scan(ctx context.Context, index string) iter.Seq2[matching.Freelancer, error] {
	return func(yield func(matching.Freelancer, error) bool) {
		if err := e.scan(ctx, index, func(f matching.Freelancer) bool { return yield(f, nil) }); err != nil {
			yield(matching.Freelancer{}, fmt.Errorf("scan index %q: %w", index, err))
		}
	}
}

// scan ends without an error when yield wants no more.
func (e *Engine) scan(ctx context.Context, index string, yield func(matching.Freelancer) bool) error {
	admin, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	d, err := e.complete(admin, index)
	if err != nil {
		return err
	}
	var view struct {
		ID string `json:"id"`
	}
	err = e.client.do(admin, esapi.OpenPointInTimeRequest{Index: []string{d.name}, KeepAlive: scanKept}, &view)
	if failed(err, 0, indexNotFound) {
		return engine.ErrNotFound
	}
	if err != nil {
		return err
	}
	defer func() { e.closeView(ctx, view.ID) }()
	var after json.RawMessage
	for {
		page, err := e.page(ctx, view.ID, after)
		if err != nil {
			return err
		}
		if page.ID != "" {
			view.ID = page.ID // of the same view
		}
		for _, hit := range page.Hits.Hits {
			if !yield(hit.Source.Freelancer) {
				return nil
			}
			after = hit.Sort
		}
		if len(page.Hits.Hits) < scanPage {
			return nil
		}
	}
}

// page is a part of a scan.
type page struct {
	completeness
	ID   string `json:"pit_id"`
	Hits struct {
		Hits []struct {
			Source struct{ Freelancer matching.Freelancer } `json:"_source"`
			Sort   json.RawMessage
		}
	}
}

// page is the freelancers after a place in the order of a view, or the first.
func (e *Engine) page(ctx context.Context, view string, after json.RawMessage) (p *page, err error) {
	search := object{
		"size": scanPage, "track_total_hits": false, "_source": []string{"freelancer"}, "sort": []string{"position"},
		"pit": object{"id": view, "keep_alive": scanKept},
	}
	if after != nil {
		search["search_after"] = after
	}
	err = e.insist(ctx, "fetch a page", func(ctx context.Context) error {
		body, err := jsonBody(search)
		if err != nil {
			return err
		}
		p = new(page)
		if err := e.client.do(ctx, esapi.SearchRequest{Body: body, AllowPartialSearchResults: new(bool)}, p); err != nil {
			return err
		}
		return p.complete()
	})
	return p, err
}

// closeView frees what Elasticsearch keeps for a scan, also for one that was cancelled. Should that fail, it does so by
// itself after scanKept.
func (e *Engine) closeView(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), adminTimeout)
	defer cancel()
	body, err := jsonBody(object{"id": id})
	if err == nil {
		err = e.client.do(ctx, esapi.ClosePointInTimeRequest{Body: body}, nil)
	}
	if err != nil && !failed(err, 404) {
		e.options.Log.WarnContext(ctx, "the view of a scan was not closed", "error", err)
	}
}
