package people

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/freelancer-matching/service/briefs"
	"github.com/freelancer-matching/service/freelancers"
)

// Briefs stores the saved briefs of accounts.
type Briefs interface {
	// Each calls yield for all briefs of all accounts if account is "".
	Each(ctx context.Context, account string, yield func(briefs.Brief) error) error
	// ErasePeople removes freelancers from all lists, and returns how often each was on one.
	ErasePeople(ctx context.Context, ids []string) (map[string]int, error)
	// Rewrite replaces name and match of a brief.
	Rewrite(ctx context.Context, b briefs.Brief) error
}

// A Listing says that the subject is on the list of a saved brief.
type Listing struct {
	Account string        `json:"account"`
	Brief   string        `json:"brief"` // ID
	Place   briefs.Person `json:"place"`
}

// findBriefs looks for saved briefs with the subject on their lists, and for those whose texts mention the subject.
func (s *Service) findBriefs(ctx context.Context, found *Found) error {
	return s.Saved.Each(ctx, "", func(b briefs.Brief) error {
		for _, p := range b.People {
			if slices.Contains(found.traces.subject.IDs, p.ID) {
				found.Watched = append(found.Watched, Listing{b.Account, b.ID, p})
			}
		}
		mentions, err := found.traces.dropFromBrief(&b)
		if mentions {
			found.BriefTexts = append(found.BriefTexts, b.ID)
		}
		return err
	})
}

// eraseBriefs removes the subject from lists, and the lines that mention the subject from texts of briefs. It returns
// how often each ID was on a list.
func (s *Service) eraseBriefs(ctx context.Context, t *traces) (map[string]int, error) {
	removed, err := s.Saved.ErasePeople(ctx, t.subject.IDs)
	if err != nil {
		return nil, err
	}
	return removed, s.Saved.Each(ctx, "", func(b briefs.Brief) error {
		mentions, err := t.dropFromBrief(&b)
		if err != nil || !mentions {
			return err
		}
		return s.Saved.Rewrite(ctx, b)
	})
}

// eraseBriefs removes several people from saved briefs.
func (q *quickErasure) eraseBriefs(ctx context.Context) error {
	all := q.allTraces()
	removed, err := q.Service.eraseBriefs(ctx, &all)
	for id, n := range removed {
		q.count(id, func(e *freelancers.Erasure) { e.Other += n })
	}
	return err
}

// dropFromBrief removes the lines that mention the subject from name and texts of a brief, and reports whether there
// were any.
func (t *traces) dropFromBrief(b *briefs.Brief) (dropped bool, err error) {
	drop := func(text *string) { dropped = t.dropLines(text) || dropped }
	drop(&b.Settings.Name)
	if b.Settings.Name == "" {
		b.Settings.Name = "Brief"
	}

	var request map[string]any
	if err := json.Unmarshal(b.Settings.Request, &request); err != nil {
		return false, err
	}
	for _, field := range []string{"description", "job_title"} {
		if text, ok := request[field].(string); ok {
			drop(&text)
			request[field] = text
		}
	}
	for _, field := range []string{"required_skills", "nice_to_have_skills"} {
		skills, _ := request[field].([]any)
		for i := range skills {
			if text, ok := skills[i].(string); ok {
				drop(&text)
				skills[i] = text
			}
		}
	}
	if dropped {
		b.Settings.Request, err = json.Marshal(request)
	}
	return dropped, err
}
