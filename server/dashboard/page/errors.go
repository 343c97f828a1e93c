package page

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/projects"
)

// The errors of handlers that have a page of their own.
var (
	ErrNotFound  = errors.New("page not found")
	ErrForbidden = errors.New("the user's role does not allow this")
	errTooLarge  = errors.New("form too large")
	ErrBadForm   = errors.New("invalid form")
	errFormType  = errors.New("form has an unexpected content type")
	ErrSlowForm  = errors.New("form not received in time")
	errBusy      = errors.New("too many large forms at a time")
)

const busyRetryAfter = 5 * time.Second

// errorView is the data of the error page.
type errorView struct {
	Message   string
	RequestID string // only of an internal error
}

// fail renders an error as a page. The text of an internal error goes to the log only.
func (s *site) fail(v *Visit, err error) {
	if errors.Is(v.Context().Err(), context.Canceled) {
		return // the client has disconnected
	}

	status := http.StatusInternalServerError
	title := "Something went wrong"
	view := errorView{}
	coded, _ := errors.AsType[*matching.Error](err)

	// The order matters: an unknown freelancer is also a refusal, but has the page of what isn't found.
	switch {
	case isNotFound(err):
		status = http.StatusNotFound
		title = "Page not found"
		view.Message = "This page doesn't exist, or it belongs to another account."

	case errors.Is(err, ErrForbidden):
		status = http.StatusForbidden
		title = "Permission denied"
		view.Message = "Your role doesn't allow this. Ask an account owner to do it or to change your role."

	case errors.Is(err, errTooLarge):
		status = http.StatusRequestEntityTooLarge
		title = "Form too large"
		view.Message = "Shorten the text you entered and submit the form again."

	case errors.Is(err, ErrBadForm):
		status = http.StatusBadRequest
		title = "Invalid form"
		view.Message = "The submitted form could not be read. Go back and submit it again."

	case errors.Is(err, errFormType):
		status = http.StatusUnsupportedMediaType
		title = "Invalid form"
		view.Message = "The submitted form has an unexpected content type. Go back and submit it again."

	case errors.Is(err, ErrSlowForm):
		status = http.StatusRequestTimeout
		title = "Form not received in time"
		view.Message = "The connection is too slow, or was interrupted. Go back and submit the form again."

	case errors.Is(err, errBusy):
		status = http.StatusServiceUnavailable
		title = "Too many large forms"
		view.Message = "Too many large forms are being processed. Wait a moment, then submit the form again."
		setRetryAfter(v.Writer, busyRetryAfter)

	case isDatabaseFault(err):
		status = http.StatusServiceUnavailable
		title, view.Message = describeFault(coded.Code)
		setRetryAfter(v.Writer, coded.RetryAfter)
		s.logFailure(v, &view, err)

	case isRefusal(err):
		status = refusalStatus(v.Writer, coded)
		title = "The request was rejected"
		view.Message = Sentence(coded.Message)

	default:
		view.Message = "Try again. If the problem persists, contact an administrator."
		s.logFailure(v, &view, err)
	}

	// The rest of a rejected form must not be received only to be thrown away.
	if isUnread(err) {
		closeUnread(v)
	}

	if err := v.Show(status, Page{Template: "error", Title: title, Data: view}); err != nil {
		s.Log.Error("rendering the error page failed", "error", err)
		http.Error(v.Writer, title, http.StatusInternalServerError)
	}
}

// isUnread reports whether an error means that a form was rejected before all of it arrived.
func isUnread(err error) bool {
	return slices.ContainsFunc([]error{ErrForbidden, errTooLarge, errFormType, ErrSlowForm, errBusy},
		func(unread error) bool { return errors.Is(err, unread) })
}

// logFailure logs an internal error, and shows the request ID that finds it in the log.
func (s *site) logFailure(v *Visit, view *errorView, err error) {
	view.RequestID = v.Writer.Header().Get("X-Request-Id")
	s.Log.Error("dashboard page failed", "request_id", view.RequestID, "route", v.Request.Pattern, "error", err)
}

func isDatabaseFault(err error) bool { return matching.CodeOf(err).IsDatabaseFault() }

// describeFault returns the title and the message of the page for a database fault.
func describeFault(code matching.Code) (title, message string) {
	switch code {
	case matching.CodeStorageFull:
		return "Disk full", "The server's disk is full, so nothing was saved. An administrator must free space."
	case matching.CodeStorageReadOnly:
		return "Database read-only", "The server's database is read-only, so nothing was saved. " +
			"An administrator must make it writable."
	case matching.CodeStorageFailed:
		return "Disk error", "The disk of the server's database reports errors. An administrator must check it."
	case matching.CodeDatabaseCorrupt:
		return "Database damaged", "The server's database is damaged. An administrator must restore a backup."
	case matching.CodeDatabaseLocked:
		return "Database locked", "Another program is using the server's database. Try again in a moment. " +
			"If the problem persists, contact an administrator."
	default:
		return "Database unavailable", "The server's database doesn't respond. Try again in a moment. " +
			"If the problem persists, contact an administrator."
	}
}

func isNotFound(err error) bool {
	return errors.Is(err, ErrNotFound) || errors.Is(err, results.ErrNotFound) || errors.Is(err, projects.ErrNotFound) ||
		errors.Is(err, apikey.ErrNotFound) ||
		errors.Is(err, account.ErrNotFound) || matching.CodeOf(err) == matching.CodeNotFound ||
		matching.CodeOf(err) == matching.CodeFreelancerUnknown || matching.CodeOf(err) == interview.CodeSessionNotFound
}

// isRefusal reports whether an error tells users what they did wrong, as opposed to an internal error.
func isRefusal(err error) bool {
	e, coded := errors.AsType[*matching.Error](err)
	return coded && e.Code != matching.CodeInternal && !isDatabaseFault(err)
}

// refusalStatus returns the status of a refusal, and sets Retry-After if there were too many attempts.
func refusalStatus(w http.ResponseWriter, e *matching.Error) int {
	if e.RetryAfter > 0 {
		setRetryAfter(w, e.RetryAfter)
		return http.StatusTooManyRequests
	}
	return http.StatusUnprocessableEntity
}

func setRetryAfter(w http.ResponseWriter, d time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(d.Seconds()))))
}

// Reject renders a form's page again, with what was entered and what is wrong with it. An error that is not a
// refusal is returned.
func (v *Visit) Reject(err error, p Page) error {
	if !isRefusal(err) || isNotFound(err) {
		return err
	}
	e, _ := errors.AsType[*matching.Error](err)
	p.Faults = &Faults{Message: e.Message}
	for _, fault := range e.Details {
		fault.Field = baseField(fault.Field)
		if fault.Field == "expires" && fault.Code == "past" {
			fault.Message = "choose a future date"
		}
		p.Faults.Fields = append(p.Faults.Fields, fault)
	}
	return v.Show(refusalStatus(v.Writer, e), p)
}
