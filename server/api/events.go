package api

import (
	"context"

	"github.com/gin-gonic/gin"

	"freelancer-matching/events"
	"freelancer-matching/internal/matching"
	"freelancer-matching/server/api/validate"
	"freelancer-matching/server/api/wire"
)

// Events records matches and the events about them.
type Events interface {
	// Matched records a match, without waiting.
	Matched(m events.Match)
	// KeepsBriefs reports whether an account has agreed to its briefs being kept.
	KeepsBriefs(account string) bool
	// Record checks and stores events of an account.
	Record(ctx context.Context, account string, list []events.Event) (events.Result, error)
}

// recordMatch records a response, so that events about it can be checked.
func (s *Server) recordMatch(c *gin.Context, x exchange, r *wire.MatchRequest, a *matching.Answer) {
	m := events.Match{
		Account: ownerOf(keyOf(c)), ID: x.id, At: x.start, Offset: r.PageOffset(),
		Freelancers: make([]uint64, len(a.Matches)),
	}
	for i := range a.Matches {
		m.Freelancers[i] = events.Hash(a.Matches[i].Freelancer.ID)
	}
	if !x.uploaded && s.deps.Events.KeepsBriefs(m.Account) {
		brief, err := wire.Encode(r)
		if err != nil {
			panic(err) // a request that was decoded can be encoded
		}
		m.Brief = brief
	}
	s.deps.Events.Matched(m)
}

// recordEvents stores the valid events. If none is valid, it responds with an error.
func (s *Server) recordEvents(c *gin.Context) error {
	var request wire.EventsRequest
	var faults validate.Faults
	if err := decodeBody(c, &request, &faults); err != nil {
		return err
	}

	list := request.Parse(&faults)
	if err := faults.Err(); err != nil {
		return err
	}
	result, err := s.deps.Events.Record(c.Request.Context(), ownerOf(keyOf(c)), list)
	if err != nil {
		return err
	}

	if len(result.Rejected) == len(list) {
		for _, e := range result.Rejected {
			faults.Add(e.Field, e.Code, "%s", e.Message)
		}
		return faults.Err()
	}

	return writeAnswer(c, wire.RecordedEvents{
		Recorded: result.Recorded, Duplicates: result.Duplicates, Rejected: wire.OrEmpty(result.Rejected),
	})
}
