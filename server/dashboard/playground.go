package dashboard

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/results"
	"freelancer-matching/internal/matching"
	"freelancer-matching/server/api"
	"freelancer-matching/server/dashboard/snippet"
	"freelancer-matching/server/web"
)

// playgroundView is the part that all playground pages share: the keys to choose from, and the request sent last with
// its response.
type playgroundView struct {
	Keys    []option // active keys that may be used on the page
	KeyHint string   // which other active keys may not, and why; "" if there are none
	Recent  []results.Summary

	Sent      bool   // the fields below are set
	ResultID  string // "" if the result could not be saved
	Match     string // ID of the match result that a freelancer's rank belongs to; "" for none
	Title     string
	CreatedAt time.Time
	Path      string   // of the request, with its query
	Headers   []string // "Name: value", besides the key and the content type
	Request   string   // body in JSON; "" if it was a file
	Status    int      // of the response
	Response  string   // body in JSON; "" if it is not to be shown
	Snippets  []snippet.Snippet
	Failure   *failureView
	Limit     results.RateLimit

	faults *faults
}

// failureView is an error response.
type failureView struct {
	Status    int
	Code      string
	Message   string
	RequestID string
}

// FirstKey returns the ID of the key that is selected at first, or "" if there is none.
func (p playgroundView) FirstKey() string {
	if len(p.Keys) == 0 {
		return ""
	}
	return p.Keys[0].Value
}

// reject records that a form was not sent because of invalid fields.
func (p *playgroundView) reject(message string, fields []matching.FieldError) {
	p.faults = &faults{Message: message, Fields: fields}
}

// requestTo returns a request to a path of the API, to be written as code.
func (d *dashboard) requestTo(path string, body []byte, headers ...string) snippet.Request {
	return snippet.Request{URL: web.Origin(d.PublicURL) + path, Headers: headers, Body: body}
}

// operationOf returns the operation that a key must allow for a page of the playground.
func operationOf(kind results.Kind) string {
	return map[results.Kind]string{
		results.Match: "match", results.Skill: "verify-skill", results.Resume: "parse", results.Interview: "interview",
	}[kind]
}

// playgroundView returns the shared part of a playground page that has not sent a request yet.
func (d *dashboard) playgroundView(v *visit, kind results.Kind) (playgroundView, error) {
	keys, err := d.Keys.ListOf(v.r.Context(), v.account.ID)
	if err != nil {
		return playgroundView{}, err
	}
	var view playgroundView
	var others []string
	for _, k := range slices.Backward(keys) {
		if k.State(d.Now()) != apikey.Active {
			continue
		}

		switch matching.CodeOf(k.Allows(operationOf(kind), d.Address(v.r))) {
		case "":
			view.Keys = append(view.Keys, keyOption(k))
		case apikey.CodeNetwork:
			others = append(others, k.Name+" (restricted to other network addresses than yours)")
		default:
			others = append(others, k.Name+" (does not allow "+operationOf(kind)+")")
		}
	}

	if len(others) > 0 {
		view.KeyHint = "Not listed: " + strings.Join(others, ", ") + "."
	}
	view.Recent, err = d.Results.Recent(v.r.Context(), v.account.ID, v.user.ID, kind, maxRecent)

	return view, err
}

// chosenKey returns the key that the form names. A key of another account is not found.
func (d *dashboard) chosenKey(v *visit) (apikey.Key, error) {
	return d.Keys.Get(v.r.Context(), v.account.ID, v.value("key"))
}

func newAPIRequest(ctx context.Context, path, contentType string, body io.Reader) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, path, body)
	if err == nil {
		r.Header.Set("Content-Type", contentType)
	}
	return r, err
}

// send lets the API serve a request as it would a client's, and adds the response to the result.
func (d *dashboard) send(v *visit, key apikey.Key, r *http.Request, result *results.Result) error {
	r.RemoteAddr = v.r.RemoteAddr
	response := &recorder{header: http.Header{}, status: http.StatusOK}
	d.API.ServeAs(key, v.user.ID, response, r)
	result.Status, result.Response = response.status, response.body.Bytes()
	result.Limit = results.RateLimit{
		Limit:     response.header.Get("X-RateLimit-Limit"),
		Remaining: response.header.Get("X-RateLimit-Remaining"),
		Reset:     response.header.Get("X-RateLimit-Reset"),
	}
	var any json.RawMessage
	return decodeResponse(result.Response, &any)
}

// recorder is an http.ResponseWriter that keeps the response in memory.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) { r.status = status }

func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }

// readableJSON returns JSON for people to read: indented, with each list on one line.
func readableJSON(value any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		panic(err) // the values hold only strings, booleans and finite numbers
	}
	return listPattern.ReplaceAllFunc(bytes.TrimSpace(text.Bytes()), func(items []byte) []byte {
		oneLine := lineBreakPattern.ReplaceAll(items, []byte(" "))
		return slices.Concat([]byte("["), bytes.TrimSpace(oneLine[1:len(oneLine)-1]), []byte("]"))
	})
}

// These match a list in indented JSON, and a line break within it. Strings hold no line breaks: JSON writes them as \n.
var (
	listPattern      = regexp.MustCompile(`\[\n[^\[\]{}]*\n *\]`)
	lineBreakPattern = regexp.MustCompile(`\n *`)
)

// formReader reads optional values from a form. A value that is not a number is recorded in faults; all other rules are
// left to the API.
type formReader struct {
	*visit
	faults []matching.FieldError
}

func (f *formReader) addFault(field, message string) {
	f.faults = append(f.faults, matching.FieldError{Field: field, Code: "wrong_type", Message: message})
}

// text returns the value of a field, or nil if it is empty.
func (f *formReader) text(field string) *string {
	text := f.value(field)
	if text == "" {
		return nil
	}
	return &text
}

// decimal returns the number in a field, or nil if it is empty.
func (f *formReader) decimal(field string) *float64 {
	text := f.value(field)
	if text == "" {
		return nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n-n != 0 { // JSON has neither infinities nor NaN
		f.addFault(field, "enter a number such as 1500 or 4.5")
		return nil
	}
	return &n
}

// integer returns the whole number in a field, or nil if it is empty.
func (f *formReader) integer(field string) *int {
	text := f.value(field)
	if text == "" {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		f.addFault(field, "enter a whole number")
		return nil
	}
	return &n
}

// formFaults returns the details of an error response with the names of form fields, or nil if it has none.
func formFaults(failure *api.Failure) *faults {
	if len(failure.Error.Details) == 0 {
		return nil
	}
	f := &faults{Message: failure.Error.Message}
	for _, detail := range failure.Error.Details {
		detail.Field = formField(detail.Field)
		f.Fields = append(f.Fields, detail)
	}
	return f
}

// formField returns the form field that holds the value at a path of the request body.
func formField(path string) string {
	if index, ok := strings.CutPrefix(path, "provided_answers["); ok {
		if i, err := strconv.Atoi(strings.TrimSuffix(index, "]")); err == nil {
			return answerField(i)
		}
	}

	if feature, ok := strings.CutPrefix(path, "weights."); ok {
		return weightPrefix + feature
	}

	switch path {
	case "budget_range", "budget_range[0]":
		return "budget_low"
	case "filters.time_zone.zone":
		return "time_zone"
	case "filters.time_zone.within_hours":
		return "within_hours"
	case "budget_range[1]":
		return "budget_high"
	}

	return baseField(strings.TrimPrefix(path, "filters."))
}
