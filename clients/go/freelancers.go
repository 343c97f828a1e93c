package matching

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"maps"
	"net/http"
	"net/url"
)

// Freelancers reads and changes records. The key needs the permissions data:read and data:write.
type Freelancers struct{ transport *transport }

// Get returns a freelancer, with the version of the record.
func (s *Freelancers) Get(ctx context.Context, id string) (StoredFreelancer, error) {
	path, err := pathOf("freelancers", id)
	if err != nil {
		return StoredFreelancer{}, err
	}
	return call[StoredFreelancer](ctx, s.transport, get(path, unknownAsNull()))
}

// Put creates or replaces a freelancer. It takes IfMatch, IfNew, Readmit and Currency.
func (s *Freelancers) Put(
	ctx context.Context, id string, record FreelancerRecord, options ...Option,
) (FreelancerChange, error) {
	return s.change(ctx, http.MethodPut, id, record, options)
}

// Patch changes the fields that it is given, by their names in JSON. A nil makes a field unknown. It takes IfMatch and
// Lenient.
func (s *Freelancers) Patch(
	ctx context.Context, id string, fields map[string]any, options ...Option,
) (FreelancerChange, error) {
	return s.change(ctx, http.MethodPatch, id, fields, options)
}

// Erase erases a freelancer with everything stored about the person. Later loads leave the person out. It takes
// IfMatch.
func (s *Freelancers) Erase(ctx context.Context, id string, options ...Option) (FreelancerChange, error) {
	return s.change(ctx, http.MethodDelete, id, nil, options)
}

func (s *Freelancers) change(
	ctx context.Context, method, id string, body any, options []Option,
) (FreelancerChange, error) {
	path, err := pathOf("freelancers", id)
	if err != nil {
		return FreelancerChange{}, err
	}

	r := request{method: method, path: path, repeatable: true}
	if body != nil {
		r, err = withJSON(method, path, body)
	}
	if err != nil {
		return FreelancerChange{}, err
	}
	return call[FreelancerChange](ctx, s.transport, r, options...)
}

// A ListQuery selects freelancers. The zero value of a field leaves it out.
type ListQuery struct {
	Filters MatchFilters // all but MaxCost
	Limit   int64        // the size of a page
}

// List iterates over all freelancers that pass the filters. An error comes last.
func (s *Freelancers) List(ctx context.Context, q ListQuery) iter.Seq2[StoredFreelancer, error] {
	query := filterQuery(q.Filters)
	setNumber(query, "limit", q.Limit)
	query.Set("unknown", "null")
	return pages[StoredFreelancer](ctx, s.transport, "/api/v1/freelancers", query)
}

// pages iterates over the entries of a list, page after page. An error comes last.
func pages[T any](ctx context.Context, t *transport, path string, query url.Values) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		query := maps.Clone(query)
		for {
			var page answer[[]T]
			if err := t.do(ctx, get(path, query), &page); err != nil {
				var none T
				yield(none, err)
				return
			}

			for _, entry := range page.Data {
				if !yield(entry, nil) {
					return
				}
			}
			if page.NextCursor == "" {
				return
			}
			query.Set("cursor", page.NextCursor)
		}
	}
}

// A Change is a line of a bulk change.
type Change struct{ line any }

// Store returns a change that creates or replaces a freelancer. The record has the ID.
func Store(record FreelancerRecord) Change { return Change{record} }

// ChangeFields returns a change of some fields, by their names in JSON, for Bulk with the option Patches. A nil makes a
// field unknown.
func ChangeFields(id string, fields map[string]any) Change {
	line := maps.Clone(fields)
	if line == nil {
		line = map[string]any{}
	}
	line["id"] = id
	return Change{line}
}

// Row returns a line in the shape of your own data, for Bulk with the option Mapping.
func Row(fields any) Change { return Change{fields} }

// EraseID returns a change that erases a freelancer.
func EraseID(id string) Change { return Change{map[string]any{"id": id, "deleted": true}} }

// Changes iterates over changes that are known beforehand, for Bulk.
func Changes(changes ...Change) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		for _, change := range changes {
			if !yield(change, nil) {
				return
			}
		}
	}
}

// Bulk makes many changes in one stream and iterates over a result for each, in the same order, while it sends further
// changes. A change that fails has the outcome "failed" and affects no other. It takes Patches, Lenient, Readmit,
// Currency and Mapping.
//
// An error comes last; an error of the source of changes ends the stream. The last changes without a result may have
// been made, and it is safe to send them again. Another goroutine iterates over the changes. If the loop over the
// results ends early, that goroutine ends with the next change.
func (s *Freelancers) Bulk(
	ctx context.Context, changes iter.Seq2[Change, error], options ...Option,
) iter.Seq2[BulkResult, error] {
	return func(yield func(BulkResult, error) bool) {
		// The end of the loop also ends the other goroutine.
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()

		body, lines := io.Pipe()
		defer body.Close()
		failed := make(chan error, 1)
		sent := &window{places: make(chan struct{}, maxAhead), patience: s.transport.patience}
		go func() {
			err := writeLines(ctx, lines, changes, sent)
			if err != nil {
				failed <- err
			}
			_ = lines.CloseWithError(err)
		}()

		for result, err := range s.sendLines(ctx, body, options) {
			// A failed source is also why the request fails, but the error of the request doesn't say so.
			if err != nil {
				select {
				case err = <-failed:
				default:
				}
			}
			sent.leave()
			if !yield(result, err) || err != nil {
				return
			}
		}
	}
}

// writeLines writes changes, each as soon as there is one and the window has room. It returns the error of their
// source.
func writeLines(ctx context.Context, w io.Writer, changes iter.Seq2[Change, error], sent *window) error {
	for change, err := range changes {
		if err != nil {
			return err
		}
		if !sent.enter(ctx) {
			return nil
		}
		line, err := json.Marshal(change.line)
		if err != nil {
			return err
		}

		// Nobody reads any more, and the reader knows why.
		if _, err := w.Write(append(line, '\n')); err != nil {
			return nil
		}
	}
	return nil
}

// sendLines sends lines, and iterates over the results. An error comes last.
func (s *Freelancers) sendLines(
	ctx context.Context, lines io.Reader, options []Option,
) iter.Seq2[BulkResult, error] {
	return func(yield func(BulkResult, error) bool) {
		header := http.Header{"Content-Type": {"application/x-ndjson"}, "Accept": {"application/x-ndjson"}}
		r := request{
			method: http.MethodPost, path: "/api/v1/freelancers/bulk", header: header,
			stream: lines, untimed: true, // the source of the changes may be slow
		}
		for _, apply := range options {
			apply(&r)
		}

		// The response begins with the first result, while lines are still being sent.
		opened, err := s.transport.open(ctx, r)
		if err != nil {
			yield(BulkResult{}, err)
			return
		}
		defer opened.Close()

		for result, err := range bulkResults(opened) {
			if !yield(result, err) {
				return
			}
		}
	}
}

// bulkResults iterates over the results in a response. The last line of a complete response has a status. An error
// comes last.
func bulkResults(r *response) iter.Seq2[BulkResult, error] {
	return func(yield func(BulkResult, error) bool) {
		for line, err := range r.lines() {
			var result struct {
				BulkResult
				Status string `json:"status"`
			}
			if err == nil {
				err = json.Unmarshal([]byte(line), &result)
			}

			switch {
			case err != nil:
				yield(BulkResult{}, err)
				return
			case result.Status == "error":
				yield(BulkResult{}, newStreamError([]byte(line)))
				return
			case result.Status != "":
				return
			}
			if !yield(result.BulkResult, nil) {
				return
			}
		}
		yield(BulkResult{}, connectionError(errors.New("the stream ended before all changes had a result")))
	}
}
