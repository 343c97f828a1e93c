package people

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
)

// Results stores what users of the dashboard's playground sent and received.
type Results interface {
	// IDsWith returns the IDs of the results whose data contains a text.
	IDsWith(ctx context.Context, text []byte) ([]string, error)
	// IDsWithAddress returns the IDs of the results whose data contains an email address in any case.
	IDsWithAddress(ctx context.Context, address string) ([]string, error)
	// Delete deletes results.
	Delete(ctx context.Context, ids []string) error
}

// resultsWith returns the IDs of the playground results that name one of the freelancers or have one of the addresses,
// sorted.
func (s *Service) resultsWith(ctx context.Context, subject Subject) ([]string, error) {
	var all []string
	for _, id := range subject.IDs {
		ids, err := s.Results.IDsWith(ctx, quoted(id))
		if err != nil {
			return nil, err
		}
		all = append(all, ids...)
	}
	for _, address := range subject.Emails {
		ids, err := s.Results.IDsWithAddress(ctx, address)
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
	found.Results, err = s.resultsWith(ctx, found.traces.subject)
	return err
}

// eraseResults deletes the playground results that name one of several people.
func (q *quickErasure) eraseResults(ctx context.Context) error {
	ids, err := q.resultsWith(ctx, Subject{IDs: q.ids})
	if err != nil {
		return err
	}
	return q.Results.Delete(ctx, ids)
}
