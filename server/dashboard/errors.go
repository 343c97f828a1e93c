package dashboard

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"freelancer-matching/access/account"
	"freelancer-matching/access/apikey"
	"freelancer-matching/internal/matching"
)

var (
	errNotFound  = errors.New("there is no such page")
	errForbidden = errors.New("the role is not enough for this page")
	errTooLarge  = errors.New("the form is too large")
	errBadForm   = errors.New("the form cannot be read")
)

// errorView is what the page of an error shows.
type errorView struct {
	Message   string
	RequestID string // of an error inside the service; "" of others
}

// fail is the one place where errors become pages. The text of an internal error goes to the log only.
func (d *dashboard) fail(v *visit, err error) {
	if errors.Is(v.r.Context().Err(), context.Canceled) {
		return // nobody waits for an answer
	}
	status, title, view := http.StatusInternalServerError, "Something went wrong", errorView{}
	known, isExpected := errors.AsType[*matching.Error](err)
	switch {
	case isNotFound(err):
		status, title = http.StatusNotFound, "Nothing here"
		view.Message = "There is no such page, or it belongs to another account."
	case errors.Is(err, errForbidden):
		status, title = http.StatusForbidden, "Not for your role"
		view.Message = "Your role does not include this. An owner of the account can do it, or change your role."
	case errors.Is(err, errTooLarge):
		status, title = http.StatusRequestEntityTooLarge, "Too much text"
		view.Message = "The form holds more than is accepted here. Shorten what you typed and send it again."
	case errors.Is(err, errBadForm):
		status, title = http.StatusBadRequest, "The form cannot be read"
		view.Message = "What was sent is not a form of this page. Go back and send it again."
	case isUnanswered(err):
		status, title = http.StatusServiceUnavailable, "The database does not answer"
		view.Message = "The service cannot show or change anything at the moment. Try again in a little while; if it stays like this, " +
			"tell whoever runs it."
		waitFor(v.w, known.RetryAfter)
		d.blame(v, &view, err)
	case isExpected && expected(err):
		status, title = statusOf(v.w, known), "That did not work"
		view.Message = sentence(known.Message)
	default:
		view.Message = "The service could not answer. Try again; if it stays like this, tell whoever runs it."
		d.blame(v, &view, err)
	}
	if err := d.show(v, status, page{Template: "error", Title: title, Data: view}); err != nil {
		d.Log.Error("the page of an error failed", "error", err)
		http.Error(v.w, title, http.StatusInternalServerError)
	}
}

// blame logs an error inside the service, and shows by which request id it is found.
func (d *dashboard) blame(v *visit, view *errorView, err error) {
	view.RequestID = v.w.Header().Get("X-Request-Id")
	d.Log.Error("dashboard page failed", "request_id", view.RequestID, "route", v.r.Pattern, "error", err)
}

// isUnanswered reports whether an error is that the database does not answer.
func isUnanswered(err error) bool { return matching.CodeOf(err) == matching.CodeDatabaseUnavailable }

func isNotFound(err error) bool {
	return errors.Is(err, errNotFound) || errors.Is(err, apikey.ErrNotFound) || errors.Is(err, account.ErrNotFound) ||
		matching.CodeOf(err) == matching.CodeNotFound
}

// expected reports whether an error is one that people are told: a refusal, not a failure inside the service.
func expected(err error) bool {
	e, coded := errors.AsType[*matching.Error](err)
	return coded && e.Code != matching.CodeInternal && !isUnanswered(err)
}

// statusOf is the status of a refusal. Where it is one of too many attempts it says when to come back.
func statusOf(w http.ResponseWriter, e *matching.Error) int {
	if e.RetryAfter > 0 {
		waitFor(w, e.RetryAfter)
		return http.StatusTooManyRequests
	}
	return http.StatusUnprocessableEntity
}

// waitFor says when to come back.
func waitFor(w http.ResponseWriter, d time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(d.Seconds()))))
}

// faults is what is wrong with a form that was sent: told on top of the page and at each field.
type faults struct {
	Message string
	Fields  []matching.FieldError // Field is the name of a form's field
}

// At is what is wrong with a field; "" for nothing.
func (f *faults) At(name string) string {
	if f == nil {
		return ""
	}
	for _, fault := range f.Fields {
		if fault.Field == name {
			return fault.Message
		}
	}
	return ""
}

// again answers a form with its page, what was typed, and what is wrong with it. Errors that are no refusal come back.
func (d *dashboard) again(v *visit, err error, p page) error {
	e, _ := errors.AsType[*matching.Error](err)
	if !expected(err) || isNotFound(err) {
		return err
	}
	p.Faults = &faults{Message: e.Message}
	for _, fault := range e.Details {
		fault.Field = fieldOf(fault.Field)
		p.Faults.Fields = append(p.Faults.Fields, fault)
	}
	return d.show(v, statusOf(v.w, e), p)
}

// fieldOf is the form's field that holds a part of a request: networks, of networks[3].
func fieldOf(path string) string {
	name, _, _ := strings.Cut(path, "[")
	return name
}
