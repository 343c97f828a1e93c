package playground

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
	"github.com/freelancer-matching/service/server/dashboard/snippet"
)

// offsetOf returns the offset of the request of a match.
func offsetOf(r *results.Result) (int, error) {
	var request wire.MatchRequest
	if err := decodeResponse(r.Request, &request); err != nil {
		return 0, err
	}
	return request.PageOffset(), nil
}

// hasMatches reports whether a result is a match that succeeded.
func hasMatches(r *results.Result) bool { return r.Kind == results.Match && r.Status == http.StatusOK }

// savedMatches returns a saved match result with an answer. It returns results.ErrNotFound for any other result.
func (h *client) savedMatches(v *page.Visit) (results.Result, error) {
	r, err := h.savedResult(v)
	if err == nil && !hasMatches(&r) {
		err = results.ErrNotFound
	}
	return r, err
}

// matchesOf returns a match result of the account with its matches, or results.ErrNotFound.
func (h *client) matchesOf(v *page.Visit, id string) (results.Result, []wire.Match, error) {
	r, err := h.Results.Get(v.Context(), v.Account.ID, id)
	if err == nil && !hasMatches(&r) {
		err = results.ErrNotFound
	}
	if err != nil {
		return r, nil, err
	}
	var answer wire.MatchAnswer
	err = decodeResponse(r.Response, &answer)
	return r, answer.Matches, err
}

const (
	resultsPath    = page.Root + "/playground/r/"
	maxRecent      = 8  // results in the list of a playground page
	maxResultTitle = 80 // characters
)

// savedResult returns the result that the path of a request names. It returns results.ErrNotFound for one of another
// account.
func (h *client) savedResult(v *page.Visit) (results.Result, error) {
	return h.Results.Get(v.Context(), v.Account.ID, v.Request.PathValue("result"))
}

// showResult shows a saved result: the form as it was submitted, and the response below it.
func (h *resultHandler) showResult(v *page.Visit) error {
	r, err := h.savedResult(v)
	if err != nil {
		return err
	}
	p, err := h.resultPage(v, &r)
	if err != nil {
		return err
	}
	p.Compressible = true
	return v.OK(p)
}

// resultPage returns the page of a result.
func (h *client) resultPage(v *page.Visit, r *results.Result) (page.Page, error) {
	if r.Form == nil {
		r.Form = url.Values{}
	}
	r.Form.Set("key", r.Key)
	show, known := h.pages[r.Kind]
	if !known {
		return page.Page{}, page.ErrNotFound
	}

	// Windows of different results have different titles.
	p, err := show(v, r)
	if r.Kind != results.Match && r.Title != "" {
		p.Title = r.Title + " · " + p.Title
	}
	return p, err
}

// load shows a result, and decodes its response into answer unless it is an error. The details of an error appear at
// the fields of the form.
func (p *playgroundView) load(h *client, r *results.Result, answer any) error {
	p.Sent = true
	p.ResultID = r.ID
	p.Title = r.Title
	p.CreatedAt = r.CreatedAt
	p.Limit = r.Limit
	p.Path = r.Path
	p.Headers = r.Headers
	p.Status = r.Status

	if r.Kind != results.Interview { // its response has the model answers
		p.Response = string(snippet.ReadableJSON(r.Response))
	}

	if r.Request != nil {
		p.Request = string(snippet.ReadableJSON(r.Request))
		p.Snippets = snippet.All(h.requestTo(r.Path, []byte(p.Request), r.Headers...))
	}

	if r.Status == http.StatusOK {
		return decodeResponse(r.Response, answer)
	}

	var failure wire.Failure
	if err := decodeResponse(r.Response, &failure); err != nil {
		return err
	}

	p.Failure = &failureView{
		Status:    r.Status,
		Code:      string(failure.Error.Code),
		Message:   failure.Error.Message,
		RequestID: failure.RequestID,
	}

	p.faults = formFaults(&failure)
	return nil
}

// matchOfResult returns the form of a match of the account, or false if there is none with this ID.
func (h *client) matchOfResult(v *page.Visit, id string) (url.Values, bool, error) {
	r, err := h.Results.Get(v.Context(), v.Account.ID, id)
	switch {
	case errors.Is(err, results.ErrNotFound):
		return nil, false, nil
	case err != nil:
		return r.Form, false, err
	case r.Kind != results.Match:
		return nil, false, nil
	default:
		return r.Form, true, nil
	}
}
