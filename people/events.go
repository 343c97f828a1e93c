package people

import (
	"context"
	"slices"
	"time"

	"github.com/freelancer-matching/service/events"
)

// Events stores matches and events about freelancers.
type Events interface {
	// About returns the events about freelancers.
	About(ctx context.Context, ids []string) ([]events.Event, error)
	// Erase deletes the events about freelancers, and returns their number.
	Erase(ctx context.Context, ids []string) (int, error)
	// EachMatch calls yield for all matches of all accounts if account is "" and withEvents is false.
	EachMatch(ctx context.Context, account string, withEvents bool, yield func(events.Match) error) error
	// Rewrite replaces the freelancers, the brief and the lesson of a match, if it still exists.
	Rewrite(ctx context.Context, m events.Match) error
}

// An Event is an event about the subject.
type Event struct {
	Account    string      `json:"account"` // that reported it
	RequestID  string      `json:"request_id"`
	Freelancer string      `json:"freelancer"` // ID
	Type       events.Type `json:"type"`
	At         time.Time   `json:"at"`
	Rank       int         `json:"rank"` // in the response
}

// findMatchEvents looks for events, for hashes of IDs in records of matches, and for briefs that mention the subject.
func (s *Service) findMatchEvents(ctx context.Context, found *Found) error {
	list, err := s.Events.About(ctx, found.traces.subject.IDs)
	if err != nil {
		return err
	}
	for _, e := range list {
		found.Events = append(found.Events, Event{e.Account, e.Match, e.Freelancer, e.Type, e.At, e.Rank})
	}
	return s.eachTrace(ctx, &found.traces, func(_ events.Match, shown, mentioned bool) error {
		if shown {
			found.ShownIn++
		}
		if mentioned {
			found.Briefs++
		}
		return nil
	})
}

// eachTrace calls yield for the matches whose response had the subject, or whose brief mentions the subject.
func (s *Service) eachTrace(
	ctx context.Context, t *traces, yield func(m events.Match, shown, mentioned bool) error,
) error {
	var hashes []uint64
	for _, id := range t.subject.IDs {
		hashes = append(hashes, events.Hash(id))
	}

	return s.Events.EachMatch(ctx, "", false, func(m events.Match) error {
		shown := slices.ContainsFunc(m.Freelancers, func(h uint64) bool { return slices.Contains(hashes, h) })
		mentioned := m.Brief != nil && anyText(m.Brief, t.occurInRunning)
		if !shown && !mentioned {
			return nil
		}

		for i, h := range m.Freelancers {
			if slices.Contains(hashes, h) {
				m.Forget(i)
			}
		}

		if mentioned {
			m.Brief = nil
		}
		return yield(m, shown, mentioned)
	})
}

// eraseEvents deletes events, removes the subject from the records of matches, and deletes briefs that mention the
// subject.
func (s *Service) eraseEvents(ctx context.Context, found *Found, e *Erasure) (err error) {
	if e.Events, err = s.Events.Erase(ctx, found.traces.subject.IDs); err != nil {
		return err
	}
	return s.eachTrace(ctx, &found.traces, func(m events.Match, _, _ bool) error { return s.Events.Rewrite(ctx, m) })
}
