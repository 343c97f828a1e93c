package playground

import (
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/requestlog"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// requestField is the parameter with the ID of a logged request, which fills in the form.
const requestField = "request"

// ReplayURL returns the address of the form with a logged request.
func ReplayURL(id string) string {
	return page.Root + "/playground?" + url.Values{requestField: {id}}.Encode()
}

// replayForm returns the form with a logged request, and what the form can't send again, as a sentence.
func (h *matchHandler) replayForm(v *page.Visit, id string) (form url.Values, note string, err error) {
	entry, err := h.Requests.Get(v.Context(), v.Account.ID, id)
	if errors.Is(err, requestlog.ErrNotFound) || err == nil && entry.Operation != "match" {
		return nil, "", page.ErrNotFound
	}
	if err != nil {
		return nil, "", err
	}

	var r wire.MatchRequest
	if err := json.Unmarshal(entry.Request.JSON, &r); err != nil {
		note = "The request isn't a brief, so only parts of it are filled in."
	}
	form = formOf(&r)
	form.Set("key", entry.Key)
	if missing := missingNote(&r); missing != "" {
		note = missing
	}
	if entry.Request.Note != "" {
		note = strings.TrimSpace(note + " The log has a part of the request: " + entry.Request.Note)
	}
	return form, note, nil
}

// formOf returns the form that sends a request.
func formOf(r *wire.MatchRequest) url.Values {
	form := url.Values{}
	set := func(name, text string) {
		if text != "" {
			form.Set(name, text)
		}
	}
	setText := func(name string, text *string) {
		if text != nil {
			set(name, *text)
		}
	}
	setNumber := func(name string, n *float64) {
		if n != nil {
			set(name, plainNumber(*n))
		}
	}
	setInteger := func(name string, n *int) {
		if n != nil {
			set(name, strconv.Itoa(*n))
		}
	}

	set("description", r.Description)
	set("job_title", r.JobTitle)
	set("required_skills", strings.Join(r.RequiredSkills, ", "))
	set("nice_to_have_skills", strings.Join(r.NiceToHaveSkills, ", "))
	setText("complexity", r.Complexity)
	setInteger("timeline", r.Timeline)
	setText("start_date", r.StartDate)
	setNumber("effort_hours", r.EffortHours)
	setText("currency", r.Currency)
	setText("budget_type", r.BudgetType)
	if len(r.BudgetRange) == 2 {
		set("budget_low", plainNumber(r.BudgetRange[0]))
		set("budget_high", plainNumber(r.BudgetRange[1]))
	}
	set("profile", r.Profile)
	for name, weight := range r.Weights {
		set(page.WeightPrefix+name, plainNumber(weight))
	}
	form.Set("limit", strconv.Itoa(r.PageLimit()))
	setInteger("offset", r.Offset)

	f := &r.Filters
	if f.Available != nil && *f.Available {
		set("available", "yes")
	}
	setNumber("min_rating", f.MinRating)
	setNumber("min_experience", f.MinExperience)
	setNumber("max_hourly_rate", f.MaxHourlyRate)
	set("countries", strings.Join(f.Countries, ", "))
	set("languages", strings.Join(languagesOf(f.Languages), ", "))
	set("must_have_skills", strings.Join(f.MustHaveSkills, ", "))
	set("exclude_skills", strings.Join(f.ExcludeSkills, ", "))
	if f.TimeZone != nil {
		set("time_zone", f.TimeZone.Zone)
		setNumber("within_hours", f.TimeZone.WithinHours)
	}
	return form
}

// languagesOf returns languages as the form has them, such as "de C1".
func languagesOf(list []wire.LanguageFilter) []string {
	texts := make([]string, len(list))
	for i, l := range list {
		texts[i] = l.Language
		if l.MinLevel != nil {
			texts[i] += " " + *l.MinLevel
		}
	}
	return texts
}

// notInForm returns the members of a request that the form has no field for.
func notInForm(r *wire.MatchRequest) (names []string) {
	f := &r.Filters
	for _, member := range []struct {
		name  string
		isSet bool
	}{
		{"filters.available: false", f.Available != nil && !*f.Available},
		{"filters.max_cost", f.MaxCost != nil},
		{"filters.available_by", f.AvailableBy != nil},
		{"filters.verified", f.Verified != nil},
		{"filters.ids", len(f.IDs) > 0},
		{"filters.exclude_ids", len(f.ExcludeIDs) > 0},
	} {
		if member.isSet {
			names = append(names, member.name)
		}
	}
	return names
}
