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
	// AllowsSwaps reports whether an account has agreed to coins that decide the order of neighbors.
	AllowsSwaps(account string) bool
	// Record checks and stores events of an account.
	Record(ctx context.Context, account string, list []events.Event) (events.Result, error)
}

// record records a response, so that events about it can be checked. It keeps the brief if it may, and if the account
// has agreed. coin is the seed of the brief's coin, 0 for none.
func (h *Briefs) record(
	call *endpoint.Call, r *wire.MatchRequest, coin uint64, found *matching.Answer, mayStore bool,
) {
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

	m.Lesson = lesson(coin, m.Offset, found)

	h.Events.Matched(m)
}

// lesson returns what learning needs of a response; nil for one that teaches nothing: it has no first page, or the
// account doesn't allow it.
func lesson(coin uint64, offset int, found *matching.Answer) []byte {
	if coin == 0 || offset > 0 || len(found.Matches) == 0 || found.Matches[0].Parts == nil {
		return nil
	}

	l := events.Lesson{Brief: coin}
	for i := range min(len(found.Matches), events.MaxLesson) {
		l.Parts = append(l.Parts, found.Matches[i].Parts)
	}
	if e := found.Explored; e != nil && e.Rank < len(l.Parts) { // both neighbors were shown
		l.Upper = e.Rank
	}
	return l.Encode()
}

// coinFor returns the seed of the coin that decides the order of two neighbors; 0 for no coin. The same brief gets the
// same seed on each page and each day. There is no coin for briefs with a profile or weights of their own, which learn
// nothing about the account's ranking, and for web pages, whose scores lack the features of hidden fields.
func (h *Briefs) coinFor(call *endpoint.Call, r *wire.MatchRequest) uint64 {
	isOrdinary := r.Profile == "" && len(r.Weights) == 0 && call.Caller.Browser == nil
	if !isOrdinary || !h.Events.AllowsSwaps(call.Caller.Account) {
		return 0
	}

	whole := *r
	whole.Limit = nil
	whole.Offset = nil
	whole.Explain = false
	whole.Details = false
	brief, err := wire.Encode(&whole)
	if err != nil {
		panic(err) // a request that was decoded can be encoded
	}
	return events.Hash(call.Caller.Account + "\n" + string(brief))
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
