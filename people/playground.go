package people

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
)

// Results stores requests and their responses: what users of the dashboard's playground sent and received, or the
// request log.
type Results interface {
	// IDsWith returns the IDs of the results whose data contains a text.
	IDsWith(ctx context.Context, text []byte) ([]string, error)
	// IDsWithAddress returns the IDs of the results whose data contains an email address in any case.
	IDsWithAddress(ctx context.Context, address string) ([]string, error)
	// Delete deletes results.
	Delete(ctx context.Context, ids []string) error
}

// resultsWith returns the IDs of the results that name one of the freelancers or have one of the addresses, sorted.
func resultsWith(ctx context.Context, stored Results, subject Subject) ([]string, error) {
	var all []string
	for _, id := range subject.IDs {
		ids, err := stored.IDsWith(ctx, quoted(id))
		if err != nil {
			return nil, err
		}
		all = append(all, ids...)
	}
	for _, address := range subject.Emails {
		ids, err := stored.IDsWithAddress(ctx, address)
		if err != nil {
			return nil, err
		}
		all = append(all, ids...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// quoted returns a text as it is in a result: a string of JSON, with characters of HTML as they are.
func quoted(text string) []byte {
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		return []byte(text) // can't happen: every string has an encoding
	}
	return bytes.TrimSpace(data.Bytes())
}

func (s *Service) findResults(ctx context.Context, found *Found) (err error) {
	if found.Results, err = resultsWith(ctx, s.Results, found.traces.subject); err != nil {
		return err
	}
	found.Requests, err = resultsWith(ctx, s.Requests, found.traces.subject)
	return err
}

// eraseResults deletes the playground results and the logged requests that name one of several people.
func (q *quickErasure) eraseResults(ctx context.Context) error {
	for _, stored := range []Results{q.Results, q.Requests} {
		ids, err := resultsWith(ctx, stored, Subject{IDs: q.ids})
		if err != nil {
			return err
		}
		if err := stored.Delete(ctx, ids); err != nil {
			return err
		}
	}
	return nil
}
