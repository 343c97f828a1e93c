package elastic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/catalog"
	"github.com/freelancer-matching/service/engine/elastic/document"
	"github.com/freelancer-matching/service/engine/elastic/rest"
	"github.com/freelancer-matching/service/internal/matching"
)

const (
	// scanPage is the number of freelancers per request of a scan.
	scanPage = 1000
	// scanKeepAlive is how long Elasticsearch keeps the point in time of a scan between two pages.
	scanKeepAlive = "5m"
)

// Scan reads the index in order of position, page by page, from one point in time.
func (e *Engine) Scan(ctx context.Context, index string) iter.Seq2[matching.Freelancer, error] {
	return func(yield func(matching.Freelancer, error) bool) {
		if err := e.scan(ctx, index, yield); err != nil {
			yield(matching.Freelancer{}, fmt.Errorf("scan index %q: %w", index, err))
		}
	}
}

// scan calls yield for each freelancer or damaged record. It returns nil if yield returns false.
func (e *Engine) scan(ctx context.Context, index string, yield func(matching.Freelancer, error) bool) error {
	admin, cancel := context.WithTimeout(ctx, rest.AdminTimeout)
	defer cancel()

	d, err := e.catalog.Complete(admin, index)
	if f, ok := errors.AsType[*engine.FormatError](err); ok && !f.Later() {
		// The records of an earlier format can be read, so that the index can be converted.
		if d.Meta.State == catalog.StateComplete {
			err = nil
		}
	}
	if err != nil {
		return err
	}

	// Changes during the scan would move documents to other pages, so all pages come from one point in time.
	var pointInTime struct {
		ID string `json:"id"`
	}
	err = e.client.Do(admin, rest.Request{
		Method: http.MethodPost, Path: d.Name + "/_pit", Query: rest.Params{"keep_alive": scanKeepAlive},
	}, &pointInTime)
	if rest.IsFailure(err, 0, rest.IndexNotFound) {
		return engine.ErrNotFound
	}
	if err != nil {
		return err
	}
	defer func() { e.closePointInTime(ctx, pointInTime.ID) }()

	// A page starts after the sort value of the last hit. Elasticsearch gets slower with every page counted by offset.
	var after json.RawMessage
	for {
		page, err := e.page(ctx, pointInTime.ID, after)
		if err != nil {
			return err
		}

		if page.ID != "" {
			pointInTime.ID = page.ID // the id may change from page to page
		}

		for _, hit := range page.Hits.Hits {
			f, err := hit.Source.Decode(hit.ID)
			if err != nil {
				err = &engine.DamagedError{Index: index, IDs: []string{hit.ID}, Err: err}
			}

			if !yield(f, err) {
				return nil
			}
			after = hit.Sort
		}

		if len(page.Hits.Hits) < scanPage {
			return nil
		}
	}
}

// A page is one page of a scan.
type page struct {
	rest.Completeness
	ID   string `json:"pit_id"`
	Hits struct {
		Hits []struct {
			ID     string                `json:"_id"`
			Source document.StoredSource `json:"_source"`
			Sort   json.RawMessage
		}
	}
}

// page returns the page of a point in time after the given sort value, or the first page if after is nil.
func (e *Engine) page(ctx context.Context, id string, after json.RawMessage) (p *page, err error) {
	search := object{
		"size": scanPage, "track_total_hits": false, "_source": []string{"freelancer"}, "sort": []string{"position"},
		"pit": object{"id": id, "keep_alive": scanKeepAlive},
	}

	if after != nil {
		search["search_after"] = after
	}

	err = e.client.Retry(ctx, "fetch a page", func(ctx context.Context) error {
		body, err := rest.Body(search)
		if err != nil {
			return err
		}
		p = new(page)
		err = e.client.Do(ctx, rest.Request{
			Method: http.MethodPost, Path: "_search", Query: rest.Params{"allow_partial_search_results": "false"}, Body: body,
		}, p)
		if err != nil {
			return err
		}

		return p.CheckComplete()
	})

	return p, err
}

// closePointInTime releases the resources of a scan, even after its context was canceled. If that fails, Elasticsearch
// releases them after scanKeepAlive.
func (e *Engine) closePointInTime(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rest.AdminTimeout)
	defer cancel()
	body, err := rest.Body(object{"id": id})
	if err == nil {
		err = e.client.Do(ctx, rest.Request{Method: http.MethodDelete, Path: "_pit", Body: body}, nil)
	}
	if err != nil && !rest.IsFailure(err, 404) {
		e.options.Log.WarnContext(ctx, "point in time of a scan not closed", "error", err)
	}
}
