package upload

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/freelancer-matching/service/indexer/loading"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/dashboard/page"
	"github.com/freelancer-matching/service/server/uploads"
)

// view is the data of an upload's page.
type view struct {
	uploads.Upload
	URL          string
	Badge, Class string // the state, and the CSS class of its badge
	Busy         bool   // work on it runs or waits
	Waiting      bool
	Percent      int // of the file that was read; 0 if unknown
	HasFile      bool
	MayPublish   bool
	MayRollBack  bool
	Upserts      bool
	Fields       []page.Option // that a column can hold
	Columns      []column
	Doubts       int
	Coverage     []share
	Modes        []page.Option
}

// A column is a column of the file in the form.
type column struct {
	uploads.Column
	Name   string // of the form field
	Chosen string // field
}

// A share compares how often a field is known before and after.
type share struct {
	Field         string
	Before, After int // percent
	HasBefore     bool
	Falls, Rises  bool
}

// Badge returns the state of an upload in words, and the CSS class of its badge.
func Badge(u *uploads.Upload) (text, class string) {
	switch u.State {
	case uploads.Reading:
		return "Reading", "off"
	case uploads.Ready:
		return "Ready to publish", "on"
	case uploads.Publishing:
		return "Publishing", "off"
	case uploads.Live:
		return "Live", "on"
	case uploads.RolledBack:
		return "Rolled back", "off"
	case uploads.Refused:
		return "Refused", "warn"
	default:
		return "Failed", "bad"
	}
}

// Modes returns the choices of what a load does.
func Modes() []page.Option {
	return page.Options(
		string(loading.Replace), "Replace all freelancers",
		string(loading.Upsert), "Add to the freelancers, or replace those with the same IDs",
	)
}

// uploadPage returns the page of an upload, and its data. form is what was entered, or nil for the options of the
// upload.
func uploadPage(u uploads.Upload, form url.Values) (page.Page, view) {
	w := view{
		Upload: u, URL: URL(u.ID), HasFile: u.State.HasFile(), MayPublish: u.MayPublish(),
		Busy: u.State == uploads.Reading || u.State == uploads.Publishing, Upserts: u.Options.Mode == loading.Upsert,
		Modes:  Modes(),
		Fields: page.Options("", "Not used"),
	}
	w.Badge, w.Class = Badge(&u)
	w.Waiting = u.Progress.Stage == uploads.StageWaiting
	if u.Progress.Size > 0 {
		w.Percent = int(100 * u.Progress.Bytes / u.Progress.Size)
	}

	names := loading.FieldNames()
	for _, name := range slices.Sorted(slices.Values(names)) {
		w.Fields = append(w.Fields, page.Option{Value: name, Label: fieldLabel(name)})
	}
	if form == nil {
		form = formOf(&u.Options)
	}
	w.compare(form)

	return page.Page{Template: "upload", Title: u.File, Section: "data", Form: form, Compressible: true}, w
}

// compare fills in the columns and the known values.
func (w *view) compare(form url.Values) {
	p := w.Preview
	if p == nil {
		return
	}
	for _, c := range p.Columns {
		shown := column{Column: c, Name: fmt.Sprintf("column-%d", c.Number), Chosen: c.Field}
		if form.Has(shown.Name) {
			shown.Chosen = form.Get(shown.Name)
		}
		if c.Doubt != "" {
			w.Doubts++
		}
		w.Columns = append(w.Columns, shown)
	}

	if p.After == nil {
		return
	}
	for _, field := range matching.FieldNames(matching.ScopeMatch, matching.ScopeRecord, matching.ScopeDetails) {
		s := share{Field: fieldLabel(field), After: percent(p.After, field)}
		if p.Before != nil {
			s.HasBefore = true
			s.Before = percent(p.Before, field)
		}
		s.Falls = s.HasBefore && s.After < s.Before
		s.Rises = s.HasBefore && s.After > s.Before
		if s.Before+s.After > 0 {
			w.Coverage = append(w.Coverage, s)
		}
	}
}

// fieldLabel returns the name of a field in words.
func fieldLabel(name string) string {
	switch name {
	case "id":
		return "ID"
	case "profile_url":
		return "Profile URL"
	default:
		return page.Title(name)
	}
}

// percent returns the share of freelancers with a known value, rounded.
func percent(f *uploads.Figures, field string) int {
	if f.Freelancers == 0 {
		return 0
	}
	return (200*f.Known[field] + f.Freelancers) / (2 * f.Freelancers)
}

// formOf returns the form with the options of an upload.
func formOf(o *uploads.Options) url.Values {
	form := url.Values{
		"mode": {string(o.Mode)}, "currency": {o.Currency}, "max_failures": {o.MaxFailures}, "sheet": {o.Sheet},
		"encoding": {o.Encoding},
	}
	if o.SkipLines > 0 {
		form.Set("skip_lines", strconv.Itoa(o.SkipLines))
	}
	for name, on := range map[string]bool{"allow_kind": o.AllowKind, "no_header": o.NoHeader} {
		if on {
			form.Set(name, "yes")
		}
	}
	return form
}
