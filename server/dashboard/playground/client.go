package playground

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/server/dashboard/page"
	"github.com/freelancer-matching/service/server/dashboard/snippet"
	"github.com/freelancer-matching/service/server/web"
)

// A client sends the requests of the playground's forms to the API, and keeps the results.
type client struct {
	Config
	pages    map[results.Kind]resultPage
	analyzer *analysis.Analyzer // finds the words of briefs in descriptions
}

// A resultPage returns the page that shows a kind of result.
type resultPage func(*page.Visit, *results.Result) (page.Page, error)

// API serves a request to /api/v1/… in process, as if it had been sent with key: quotas, limits and usage apply. The
// audit log has the user's ID.
type API interface {
	ServeAs(key apikey.Key, user string, w http.ResponseWriter, r *http.Request)
}

// call is a request that a form of the playground describes.
type call struct {
	kind    results.Kind
	title   string // what is asked for, in a few words
	path    string
	headers []string // "Name: value"
	body    any      // becomes JSON
	// succeeded adds to a result whose status is 200, before it is saved; nil for nothing.
	succeeded func(plan string, r *results.Result)
}

// newResult returns the result of a form before the request is sent.
func newResult(v *page.Visit, kind results.Kind, title, key, path string) results.Result {
	return results.Result{
		Summary: results.Summary{Account: v.Account.ID, User: v.User.ID, Kind: kind, Title: shortTitle(title)},
		Content: results.Content{Key: key, Form: v.Request.PostForm, Path: path},
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
func (h *client) play(v *page.Visit, c call) error {
	key, err := h.chosenKey(v)
	if err != nil {
		return err
	}

	body := snippet.ReadableJSON(c.body)
	r, err := newAPIRequest(v.Context(), c.path, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}

	for _, h := range c.headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}

	// The result keeps the request as sent, so its page can show it as code for the user's own program.
	result := newResult(v, c.kind, c.title, key.ID, c.path)
	result.Headers = c.headers
	result.Request = body
	if err := h.send(v, key, r, &result); err != nil {
		return err
	}

	if c.succeeded != nil && result.Status == http.StatusOK {
		c.succeeded(key.Plan, &result)
	}

	return h.finish(v, &result)
}

// finish saves a result and sends the browser to its page, so that reloading the page or going back to it doesn't send
// the form again. A result that can't or must not be saved is shown at once, because its request has counted.
func (h *client) finish(v *page.Visit, r *results.Result) error {
	if !v.Account.ResultsOff.IsZero() {
		return h.showOnce(v, r)
	}
	saved, err := h.Results.Save(v.Context(), *r)
	if err == nil {
		return v.Redirect(resultsPath + saved.ID)
	}
	h.Log.Warn("playground result not saved", "account", v.Account.ID, "kind", r.Kind, "error", err)
	return h.showOnce(v, r)
}

// showOnce shows a result that isn't saved.
func (h *client) showOnce(v *page.Visit, r *results.Result) error {
	r.ID = ""
	r.CreatedAt = h.Now()
	p, err := h.resultPage(v, r)
	if err != nil {
		return err
	}
	return v.Show(r.Status, p)
}

// decodeResponse decodes a response of the API.
func decodeResponse(data []byte, answer any) error {
	if err := json.Unmarshal(data, answer); err != nil {
		return fmt.Errorf("decode the response of the API: %w", err)
	}
	return nil
}

// requestTo returns a request to a path of the API, to be written as code.
func (h *client) requestTo(path string, body []byte, headers ...string) snippet.Request {
	return snippet.Request{Origin: web.Origin(h.PublicURL), Path: path, Headers: headers, Body: body}
}

// chosenKey returns the key that the form names. A key of another account is not found, and a test key is refused.
func (h *client) chosenKey(v *page.Visit) (apikey.Key, error) {
	k, err := h.Keys.Get(v.Context(), v.Account.ID, v.Value("key"))
	if err == nil && k.Test() {
		err = page.ErrBadForm
	}
	return k, err
}

func newAPIRequest(ctx context.Context, path, contentType string, body io.Reader) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, path, body)
	if err == nil {
		r.Header.Set("Content-Type", contentType)
	}
	return r, err
}

// send lets the API serve a request as it would a client's, and adds the response to the result.
func (h *client) send(v *page.Visit, key apikey.Key, r *http.Request, result *results.Result) error {
	r.RemoteAddr = v.Request.RemoteAddr
	response := web.NewRecorder()
	h.API.ServeAs(key, v.User.ID, response, r)
	result.Status, result.Response = response.Status, response.Body.Bytes()
	result.Limit = results.RateLimit{
		Limit:     response.Header().Get("X-RateLimit-Limit"),
		Remaining: response.Header().Get("X-RateLimit-Remaining"),
		Reset:     response.Header().Get("X-RateLimit-Reset"),
	}
	var any json.RawMessage
	return decodeResponse(result.Response, &any)
}
