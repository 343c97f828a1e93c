package matches

import (
	"context"

	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
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

// record records a response, so that events about it can be checked. It keeps the brief if it may, and if the account
// has agreed.
func (h *Briefs) record(call *endpoint.Call, r *wire.MatchRequest, found *matching.Answer, mayStore bool) {
	m := events.Match{
		Account: call.Caller.Account, ID: call.ID, At: call.Start, Offset: r.PageOffset(),
		Freelancers: make([]uint64, len(found.Matches)), Scores: make([]float64, len(found.Matches)),
		Versions: found.Versions,
	}
	for i := range found.Matches {
		m.Freelancers[i] = events.Hash(found.Matches[i].Freelancer.ID)
		m.Scores[i] = found.Matches[i].Score
	}

	if mayStore && h.Events.KeepsBriefs(m.Account) {
		brief, err := wire.Encode(r)
		if err != nil {
			panic(err) // a request that was decoded can be encoded
		}
		m.Brief = brief
	}

	h.Events.Matched(m)
}

// RecordEvents handles POST /events. It stores the valid events. If none is valid, it responds with an error.
func (h *Briefs) RecordEvents(ctx context.Context, call *endpoint.Call) error {
	var request wire.EventsRequest
	var faults validate.Faults
	if err := call.Decode(&request, &faults); err != nil {
		return err
	}

	list := request.Parse(&faults)
	if err := faults.Err(); err != nil {
		return err
	}

	result, err := h.Events.Record(ctx, call.Caller.Account, list)
	if err != nil {
		return err
	}

	if len(result.Rejected) == len(list) {
		for _, e := range result.Rejected {
			faults.Add(e.Field, e.Code, "%s", e.Message)
		}
		return faults.Err()
	}

	return endpoint.WriteAnswer(call, wire.RecordedEvents{
		Recorded: result.Recorded, Duplicates: result.Duplicates, Rejected: wire.OrEmpty(result.Rejected),
	})
}
