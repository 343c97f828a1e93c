package directory

import (
	"context"
	"slices"
	"time"

	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

const (
	maxEvents     = 500 // that a history counts, the latest
	maxEntries    = 20  // that a history lists, the latest
	maxInterviews = 20
)

// Outcomes reads what became of freelancers; see store.MatchEvents.
type Outcomes interface {
	Latest(ctx context.Context, account, freelancer string, limit int) ([]events.Event, error)
}

// Interviews lists interviews; see sessions.Service.
type Interviews interface {
	List(ctx context.Context, s interview.Selection, after interview.Place, limit int) (interview.Page, error)
}

// historyView says what happened to a freelancer in an account.
type historyView struct {
	Shown      int // matches
	LastShown  time.Time
	Entries    []entry // apart from those matches, the newest first
	Interviews string  // address of the list of interviews; "" without interviews
}

// An entry is one event in a history.
type entry struct {
	At   time.Time
	Text string
	URL  string // where it leads; "" for nowhere
}

// history returns what happened to a freelancer in an account: events about matches, and interviews.
func (h *Handler) history(ctx context.Context, account, freelancer string) (historyView, error) {
	var view historyView
	list, err := h.Outcomes.Latest(ctx, account, freelancer, maxEvents)
	if err != nil {
		return view, err
	}
	for _, e := range list {
		if e.Type == events.Shown {
			view.Shown++
			if e.At.After(view.LastShown) {
				view.LastShown = e.At
			}
			continue
		}
		view.Entries = append(view.Entries, entry{At: e.At, Text: eventText(&e)})
	}

	found, err := h.Interviews.List(ctx, interview.Selection{Account: account, FreelancerID: freelancer},
		interview.Place{}, maxInterviews)
	if err != nil {
		return view, err
	}
	for i := range found.Sessions {
		s := &found.Sessions[i]
		view.Entries = append(view.Entries, entry{
			At: s.Begun, Text: interviewText(s), URL: page.Root + "/interviews/" + s.SessionID,
		})
		view.Interviews = interviewsURL(freelancer)
	}

	slices.SortStableFunc(view.Entries, func(a, b entry) int { return b.At.Compare(a.At) })
	view.Entries = view.Entries[:min(len(view.Entries), maxEntries)]

	return view, nil
}

// eventText describes an event about a match.
func eventText(e *events.Event) string {
	rank := ", number " + page.Decimal(0, float64(e.Rank)) + " of a match"
	switch e.Type {
	case events.Clicked:
		return "Profile opened" + rank
	case events.Contacted:
		return "Contacted" + rank
	case events.Hired:
		return "Hired" + rank
	case events.Rejected:
		return "Not suitable" + rank
	default:
		return page.Title(e.Type) + rank
	}
}

// interviewText describes an interview and its outcome.
func interviewText(s *interview.Summary) string {
	text := "Interview"
	if s.JobTitle != "" {
		text += " for " + s.JobTitle
	}
	switch {
	case s.State == interview.Open:
		return text + ", open"
	case !s.Recommendation.Known:
		return text + ", no recommendation"
	case s.Recommendation.Value:
		return text + ", recommended"
	default:
		return text + ", not recommended"
	}
}
