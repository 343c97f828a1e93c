package dashboard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"freelancer-matching/access/results"
	"freelancer-matching/server/api"
	"freelancer-matching/server/dashboard/snippet"
)

const (
	resultsPath    = root + "/playground/r/"
	maxRecent      = 8  // results in the list of a playground page
	maxResultTitle = 80 // characters
)

// call is a request that a form of the playground describes.
type call struct {
	kind    results.Kind
	title   string // what is asked for, in a few words
	path    string
	headers []string // "Name: value"
	body    any      // becomes JSON
}

// newResult returns the result of a form before the request is sent.
func newResult(v *visit, kind results.Kind, title, key, path string) results.Result {
	return results.Result{
		Summary: results.Summary{Account: v.account.ID, User: v.user.ID, Kind: kind, Title: shortTitle(title)},
		Content: results.Content{Key: key, Form: v.r.PostForm, Path: path},
	}
}

// shortTitle returns the first line of a text, shortened.
func shortTitle(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	if utf8.RuneCountInString(text) > maxResultTitle {
		text = string([]rune(text)[:maxResultTitle]) + "…"
	}
	return text
}

// play posts a request to the API as a client would, and sends the browser to the page of the result.
func (d *dashboard) play(v *visit, c call) error {
	key, err := d.chosenKey(v)
	if err != nil {
		return err
	}
	body := readableJSON(c.body)
	r, err := newAPIRequest(v.r.Context(), c.path, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}

	for _, h := range c.headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}

	result := newResult(v, c.kind, c.title, key.ID, c.path)
	result.Headers = c.headers
	result.Request = body
	if err := d.send(v, key, r, &result); err != nil {
		return err
	}

	return d.finish(v, &result)
}

// finish saves a result and sends the browser to its page, so that reloading the page or going back to it doesn't send
// the form again. A result that can't be saved is shown at once, because its request has counted.
func (d *dashboard) finish(v *visit, r *results.Result) error {
	saved, err := d.Results.Save(v.r.Context(), *r)
	if err == nil {
		return v.redirect(resultsPath + saved.ID)
	}
	d.Log.Warn("playground result not saved", "account", v.account.ID, "kind", r.Kind, "error", err)
	r.ID, r.CreatedAt = "", d.Now()
	p, err := d.resultPage(v, r)
	if err != nil {
		return err
	}
	return d.show(v, r.Status, p)
}

// savedResult returns the result that the path of a request names. It returns results.ErrNotFound for one of another
// account.
func (d *dashboard) savedResult(v *visit) (results.Result, error) {
	return d.Results.Get(v.r.Context(), v.account.ID, v.r.PathValue("result"))
}

// showResult shows a saved result: the form as it was submitted, and the response below it.
func (d *dashboard) showResult(v *visit) error {
	r, err := d.savedResult(v)
	if err != nil {
		return err
	}
	p, err := d.resultPage(v, &r)
	if err != nil {
		return err
	}
	p.Compressible = true
	return d.ok(v, p)
}

// resultPage returns the page of a result.
func (d *dashboard) resultPage(v *visit, r *results.Result) (page, error) {
	if r.Form == nil {
		r.Form = url.Values{}
	}
	r.Form.Set("key", r.Key)
	switch r.Kind {
	case results.Match:
		return d.matchResult(v, r)
	case results.Skill:
		return d.skillResult(v, r)
	case results.Resume:
		return d.resumeResult(v, r)
	case results.Interview:
		return d.interviewResult(v, r)
	case results.Explain:
		return d.explainResult(r)
	default:
		return page{}, errNotFound
	}
}

// load shows a result, and decodes its response into answer unless it is an error. The details of an error appear at
// the fields of the form.
func (p *playgroundView) load(d *dashboard, r *results.Result, answer any) error {
	p.Sent = true
	p.ResultID = r.ID
	p.Title = r.Title
	p.CreatedAt = r.CreatedAt
	p.Limit = r.Limit
	p.Path = r.Path
	p.Headers = r.Headers
	p.Status = r.Status

	if r.Kind != results.Interview { // its response has the model answers
		p.Response = string(readableJSON(r.Response))
	}

	if r.Request != nil {
		p.Request = string(readableJSON(r.Request))
		p.Snippets = snippet.All(d.requestTo(r.Path, []byte(p.Request), r.Headers...))
	}

	if r.Status == http.StatusOK {
		return decodeResponse(r.Response, answer)
	}
	var failure api.Failure
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

// decodeResponse decodes a response of the API.
func decodeResponse(data []byte, answer any) error {
	if err := json.Unmarshal(data, answer); err != nil {
		return fmt.Errorf("decode the response of the API: %w", err)
	}
	return nil
}

// matchOfResult returns the form of a match of the account, or false if there is none with this ID.
func (d *dashboard) matchOfResult(v *visit, id string) (url.Values, bool, error) {
	r, err := d.Results.Get(v.r.Context(), v.account.ID, id)
	if errors.Is(err, results.ErrNotFound) || err == nil && r.Kind != results.Match {
		return nil, false, nil
	}
	return r.Form, err == nil, err
}
