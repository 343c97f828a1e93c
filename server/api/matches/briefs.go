// Package matches has the handlers of the operations that match briefs, and of the events about matches.
package matches

import (
	"context"
	"net/http"
	"strconv"

	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/limits"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
)

// Matcher finds freelancers for briefs. Errors in a brief that only it can find, such as an unknown feature, are a
// matching.Error with the code CodeInvalid.
type Matcher interface {
	Match(ctx context.Context, b *matching.Brief) (*matching.Answer, error)
}

// Records reads single freelancers. If there is no such freelancer, the error has the code CodeFreelancerUnknown.
type Records interface {
	Get(ctx context.Context, id string) (freelancers.Stored, error)
}

// Briefs handles single briefs.
type Briefs struct {
	Matcher   Matcher
	Explainer Explainer
	Records   Records
	Events    Events
	Views     *limits.Views
}

// Match handles POST /match.
func (h *Briefs) Match(ctx context.Context, call *endpoint.Call) error {
	var request wire.MatchRequest
	var faults validate.Faults
	if err := call.Decode(&request, &faults); err != nil {
		return err
	}
	form := readUnknown(call, &faults)
	answer, err := h.answer(ctx, call, &request, &faults, briefOptions{form: form, mayStore: true})
	if err != nil {
		return err
	}
	return call.WriteJSON(http.StatusOK, endpoint.JSONType, answer)
}

// readUnknown returns how the response writes unknown values. Other parameters are ignored: clients of the older
// service may send some.
func readUnknown(call *endpoint.Call, faults *validate.Faults) wire.UnknownForm {
	parameters := map[string]string{}
	if query := call.Request.URL.Query(); query.Has(wire.ParameterUnknown) {
		parameters[wire.ParameterUnknown] = query.Get(wire.ParameterUnknown)
	}
	return wire.ReadUnknown(parameters, faults)
}

// briefOptions say what happens with a brief and its matches.
type briefOptions struct {
	form     wire.UnknownForm
	mayStore bool // false for a brief that was uploaded in a file
}

// answer returns the response to a brief, whose errors in single fields may already be in faults. It counts the
// freelancers against the limits of the caller's account and sets the headers of that limit.
func (h *Briefs) answer(
	ctx context.Context, call *endpoint.Call, r *wire.MatchRequest, faults *validate.Faults, o briefOptions,
) (wire.MatchAnswer, error) {
	brief := r.Brief(call.Caller.Plan, faults)
	browser := call.Caller.Browser
	if browser != nil {
		r.CheckBrowser(browser, faults)
	}
	if err := faults.Err(); err != nil {
		return wire.MatchAnswer{}, err
	}
	brief.Ranking = rankingFor(call, r)
	brief.Explore = h.coinFor(call, r)
	if browser != nil {
		if err := bind(brief, browser); err != nil {
			return wire.MatchAnswer{}, err
		}
	}

	found, err := h.Matcher.Match(ctx, brief)
	if err != nil {
		return wire.MatchAnswer{}, err
	}
	if err := h.Views.Show(ctx, call, idsOf(found.Matches)...); err != nil {
		return wire.MatchAnswer{}, err
	}

	// Only what is shown is recorded: clients report events about responses that they have received.
	h.record(call, r, brief.Explore, found, o.mayStore)
	if browser != nil {
		conceal(found, browser)
	}
	return newAnswer(call, brief, found, o.form), nil
}

// rankingFor returns the published ranking of the caller's account; nil for a request that names a profile or weights.
func rankingFor(call *endpoint.Call, r *wire.MatchRequest) *matching.Ranking {
	if r.Profile != "" || len(r.Weights) > 0 {
		return nil
	}
	return call.Caller.Key.Ranking
}

// newAnswer returns the response to a call.
func newAnswer(
	call *endpoint.Call, brief *matching.Brief, found *matching.Answer, form wire.UnknownForm,
) wire.MatchAnswer {
	answer := wire.NewMatchAnswer(brief, found, form)
	answer.SetNextPage(brief, call.Caller.Plan.MaxDepth)
	answer.RequestID = call.ID
	answer.TookMS = call.TookMS()
	return answer
}

// Similar handles GET /freelancers/{id}/similar. It responds with matches for a brief that says what the freelancer's
// record says. The freelancer counts as seen, too, because explanations quote the record.
func (h *Briefs) Similar(ctx context.Context, call *endpoint.Call) error {
	id, err := call.PathID()
	if err != nil {
		return err
	}

	var faults validate.Faults
	query := wire.ReadListQuery(call.Request.URL.RawQuery, &faults, "offset", "explain", wire.ParameterUnknown)
	form := wire.ReadUnknown(query.Others, &faults)
	page := wire.MatchRequest{Explain: validate.Boolean(&faults, "explain", query.Others)}
	for name, into := range map[string]**int{"limit": &page.Limit, "offset": &page.Offset} {
		if text, ok := query.Others[name]; ok {
			n := int(validate.WholeNumber(&faults, name, text, 0, 1<<20))
			*into = &n
		}
	}

	page.CheckPage(call.Caller.Plan, &faults)
	if err := faults.Err(); err != nil {
		return err
	}

	stored, err := h.Records.Get(ctx, id)
	if err != nil {
		return err
	}

	// The brief comes with one excluded ID, the freelancer's own, which the filters of the query must not replace.
	brief := freelancers.Like(&stored.Freelancer)
	excluded := brief.Filters.ExcludeIDs
	brief.Filters = query.Filters
	brief.Filters.ExcludeIDs = append(excluded, brief.Filters.ExcludeIDs...)
	brief.Limit = page.PageLimit()
	brief.Offset = page.PageOffset()
	brief.Explain = page.Explain

	found, err := h.Matcher.Match(ctx, brief)
	if err != nil {
		return err
	}
	if err := h.Views.Show(ctx, call, append(idsOf(found.Matches), id)...); err != nil {
		return err
	}

	answer := newAnswer(call, brief, found, form)
	if answer.NextOffset.Known {
		call.LinkNext("offset", strconv.Itoa(answer.NextOffset.Value))
	}
	return call.WriteJSON(http.StatusOK, endpoint.JSONType, answer)
}

func idsOf(matches []matching.Match) []string {
	ids := make([]string, len(matches))
	for i := range matches {
		ids[i] = matches[i].Freelancer.ID
	}
	return ids
}
