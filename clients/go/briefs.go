package matching

import (
	"context"
	"iter"
	"net/http"
	"net/url"
)

// Briefs manages the saved briefs of the account. The service keeps the list of the best freelancers for each, and
// tells webhook endpoints who is new on it.
type Briefs struct{ transport *transport }

// Save saves a brief.
func (s *Briefs) Save(ctx context.Context, b SavedBriefRequest) (SavedBrief, error) {
	r, err := post("/api/v1/briefs", b)
	if err != nil {
		return SavedBrief{}, err
	}
	r.repeatable = false // a second request would save another brief
	return call[SavedBrief](ctx, s.transport, r)
}

// All iterates over the saved briefs of the account, in the order of their IDs. An error comes last.
func (s *Briefs) All(ctx context.Context) iter.Seq2[SavedBrief, error] {
	return pages[SavedBrief](ctx, s.transport, "/api/v1/briefs", url.Values{"limit": {"100"}})
}

// Get returns a saved brief.
func (s *Briefs) Get(ctx context.Context, id string) (SavedBrief, error) {
	return aboutBrief[SavedBrief](ctx, s, id, request{method: http.MethodGet, repeatable: true})
}

// A SavedBriefChange says what to change about a saved brief. Fields that are nil stay as they are.
type SavedBriefChange struct {
	Name     *string       `json:"name,omitzero"`
	Match    *MatchRequest `json:"match,omitzero"`
	Top      *int64        `json:"top,omitzero"`
	MinScore *float64      `json:"min_score,omitzero"`
	MinLevel *string       `json:"min_level,omitzero"` // "" for any
	Notify   *bool         `json:"notify,omitzero"`
	Closed   *bool         `json:"closed,omitzero"`
}

// Change changes a saved brief: SavedBriefChange{Closed: Known(true)} closes it. If anything but name and notify
// changes, the list starts empty.
func (s *Briefs) Change(ctx context.Context, id string, change SavedBriefChange) (SavedBrief, error) {
	r, err := withJSON(http.MethodPatch, "", change)
	if err != nil {
		return SavedBrief{}, err
	}
	return aboutBrief[SavedBrief](ctx, s, id, r)
}

// Delete deletes a saved brief with its list.
func (s *Briefs) Delete(ctx context.Context, id string) error {
	_, err := aboutBrief[DeletedBrief](ctx, s, id, request{method: http.MethodDelete, repeatable: true})
	return err
}

// People returns the list of the best freelancers for a saved brief.
func (s *Briefs) People(ctx context.Context, id string) (BriefPeople, error) {
	return aboutBrief[BriefPeople](ctx, s, id, request{method: http.MethodGet, path: "/people", repeatable: true})
}

// ForFreelancer ranks the open saved briefs of the account for a freelancer.
func (s *Briefs) ForFreelancer(ctx context.Context, id string, wishes PersonBriefsRequest) (PersonBriefs, error) {
	path, err := pathOf("freelancers", id)
	if err != nil {
		return PersonBriefs{}, err
	}
	r, err := post(path+"/briefs", wishes)
	if err != nil {
		return PersonBriefs{}, err
	}
	return call[PersonBriefs](ctx, s.transport, r)
}

// aboutBrief sends a request about a saved brief. The path of the request is what follows the ID.
func aboutBrief[T any](ctx context.Context, s *Briefs, id string, r request) (T, error) {
	path, err := pathOf("briefs", id)
	if err != nil {
		var none T
		return none, err
	}
	r.path = path + r.path
	return call[T](ctx, s.transport, r)
}
