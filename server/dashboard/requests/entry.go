package requests

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/requestlog"
	"github.com/freelancer-matching/service/server/dashboard/page"
	"github.com/freelancer-matching/service/server/dashboard/playground"
)

// entryView is the data of the page about one request.
type entryView struct {
	row
	Method, Route     string
	Values            []namedValue // in the path and the query
	Warnings          []string
	Request, Response bodyView
	Replay            string // address of the form that has the request; "" if none can have it
}

// namedValue is a parameter of the path or the query.
type namedValue struct{ Name, Value string }

// bodyView is a body for people.
type bodyView struct {
	Text string // "" if there is none
	Note string
}

func newBodyView(b requestlog.Body) bodyView {
	var text bytes.Buffer
	if err := json.Indent(&text, b.JSON, "", "  "); err != nil {
		text.Reset()
	}
	return bodyView{text.String(), b.Note}
}

func (h *Handler) entryPage(v *page.Visit) (page.Page, error) {
	entry, err := h.Requests.Get(v.Context(), v.Account.ID, v.Request.PathValue("request"))
	if errors.Is(err, requestlog.ErrNotFound) {
		return page.Page{}, page.ErrNotFound
	}
	if err != nil {
		return page.Page{}, err
	}
	keys, err := h.Keys.ListOf(v.Context(), v.Account.ID)
	if err != nil {
		return page.Page{}, err
	}

	view := entryView{
		row: newRow(&entry.Summary, keys), Method: entry.Method, Route: entry.Route,
		Warnings: warnings(entry.Response.JSON),
		Request:  newBodyView(entry.Request), Response: newBodyView(entry.Response),
	}
	for _, name := range slices.Sorted(maps.Keys(entry.Params)) {
		view.Values = append(view.Values, namedValue{name, entry.Params[name]})
	}
	for _, name := range slices.Sorted(maps.Keys(entry.Query)) {
		view.Values = append(view.Values, namedValue{name, strings.Join(entry.Query[name], ", ")})
	}
	if entry.Operation == "match" && entry.Request.JSON != nil {
		view.Replay = playground.ReplayURL(entry.ID)
	}

	return page.Page{
		Template: "request", Title: "Request " + entry.Operation, Section: "requests", Data: view,
	}, nil
}

// warnings returns what a response says about its limits and faults, as sentences.
func warnings(response []byte) (list []string) {
	var r struct {
		Skipped       []matching.Skipped      `json:"skipped"`
		UnknownSkills []matching.UnknownSkill `json:"unknown_skills"`
		Reason        string                  `json:"reason"`
		Detail        string                  `json:"detail"`
		Errors        []matching.FieldError   `json:"errors"` // of problem details
		Error         struct {
			Message string                `json:"message"`
			Details []matching.FieldError `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(response, &r) != nil {
		return nil
	}

	if failure := cmp.Or(r.Error.Message, r.Detail); failure != "" {
		list = append(list, failure)
	}
	for _, f := range append(r.Error.Details, r.Errors...) {
		list = append(list, f.Field+": "+f.Message)
	}
	for _, s := range r.UnknownSkills {
		if s.CorrectedTo != "" {
			list = append(list, "The skill "+s.Skill+" was read as "+s.CorrectedTo+".")
			continue
		}
		list = append(list, "The skill "+s.Skill+" is unknown.")
	}
	for _, s := range r.Skipped {
		list = append(list, "The feature "+s.Feature+" was skipped: "+s.Reason)
	}
	if r.Reason != "" {
		list = append(list, r.Reason)
	}
	return list
}
