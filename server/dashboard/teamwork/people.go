package teamwork

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/spreadsheet"
	"github.com/freelancer-matching/service/projects"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// personView is a person of a project with what is stored about them now.
type personView struct {
	projects.Person
	matching.Freelancer
	Gone    bool   // nothing is stored about the person any more
	Action  string // address of the buttons
	Profile string // address of the page about the person in the matches, or without them if these have expired
	Facts   []string
	Web     string // address of the profile on the web, "" unless it is one
	Buttons []button
	Message message

	Text, Before string // of the form for the note
	Unsaved      bool   // the text was rejected
}

// A button changes something about a person.
type button struct{ Action, Label string }

// Name returns what to call the person.
func (p *personView) Name() string { return cmp.Or(p.Freelancer.Name, p.Person.Freelancer) }

// ID returns the ID of the person.
func (p *personView) ID() string { return p.Person.Freelancer }

// Anchor returns the ID of the element about the person.
func (p *personView) Anchor() string { return anchor(p.Person.Freelancer) }

// anchor returns the ID of the element about a person. IDs of freelancers can have spaces and anything else.
func anchor(freelancer string) string { return "p-" + strconv.FormatUint(events.Hash(freelancer), 36) }

// Percent returns the score as a whole number.
func (p *personView) Percent() int { return int(p.Match.Score*100 + .5) }

// people returns the people of a project with their records.
func (h *Handler) people(v *page.Visit, p *projects.Project, people []projects.Person) ([]*personView, error) {
	ids := make([]string, len(people))
	for i := range people {
		ids[i] = people[i].Freelancer
	}
	records, err := h.Records.GetAll(v.Context(), ids)
	if err != nil {
		return nil, err
	}

	list := make([]*personView, len(people))
	currency, _ := h.Currencies(v.Context())
	exists := map[string]bool{} // results
	for i, person := range people {
		view := &personView{Person: person}
		list[i] = view
		view.Action = projectURL(p.ID) + "/people/" + url.PathEscape(person.Freelancer)

		record, stored := records[person.Freelancer]
		view.Gone = !stored
		if stored {
			view.Freelancer = record.Freelancer
			view.Facts = facts(&record.Freelancer, currency)
		}

		result := person.Match.Result
		if _, known := exists[result]; !known {
			exists[result] = h.exists(v, result)
		}
		if exists[result] {
			view.Profile = page.ResultURL(result) + "/freelancers/" + url.PathEscape(person.Freelancer)
		}

		if view.Profile == "" && !view.Gone {
			view.Profile = page.FreelancerURL(person.Freelancer)
		}

		view.Web = page.WebProfile(view.ProfileURL)
		view.Text = person.Note
		view.Before = person.Note
		view.Buttons = buttonsFor(person.State)
		view.Message = newMessage(p, view)
	}
	return list, nil
}

// facts returns the terms of a person in a few words. Rates are in a currency.
func facts(f *matching.Freelancer, currency string) (known []string) {
	free := page.Availability(f)
	if free == "" && f.Availability.Known {
		free = "not available"
	}
	rating := ""
	if f.Rating.Known {
		rating = "rated " + page.Decimal(2, f.Rating.Value)
	}

	known = []string{page.HourlyRate(f, currency), free, rating, page.Place(f)}
	return slices.DeleteFunc(known, func(fact string) bool { return fact == "" })
}

// buttonsFor returns the changes of state that are offered to people in a state, the likely ones first.
func buttonsFor(state projects.State) (buttons []button) {
	for _, to := range []projects.State{
		projects.Contacted, projects.Interested, projects.Hired, projects.Declined, projects.Shortlisted,
	} {
		if to != state {
			label := stateLabel(to)
			if to == projects.Shortlisted {
				label = "Back to shortlist"
			}
			buttons = append(buttons, button{string(to), label})
		}
	}
	return append(buttons, button{actionReject, "Not suitable"}, button{actionRemove, "Remove"})
}

// An exportedPerson is a person in a file.
type exportedPerson struct {
	ID            string         `json:"id"`
	Name          string         `json:"name"`
	JobTitle      string         `json:"job_title"`
	State         projects.State `json:"state"`
	Rank          int            `json:"rank"`
	Score         float64        `json:"score"`
	MatchedSkills []string       `json:"matched_skills"`
	MissingSkills []string       `json:"missing_skills"`
	HourlyRate    *float64       `json:"hourly_rate"`
	Location      string         `json:"location"`
	ProfileURL    string         `json:"profile_url"`
	Note          string         `json:"note"`
	Added         time.Time      `json:"added"`
	Changed       time.Time      `json:"changed"`
}

func exportPerson(p *personView) exportedPerson {
	e := exportedPerson{
		p.ID(), p.Freelancer.Name, p.JobTitle, p.State, p.Match.Rank, p.Match.Score, p.Match.Has, p.Match.Lacks, nil,
		cmp.Or(p.Location, p.Country), p.ProfileURL, p.Note, p.Added, p.Changed,
	}
	if p.HourlyRate.Known {
		e.HourlyRate = &p.HourlyRate.Value
	}
	return e
}

// csvHeader returns the names of the columns of people as CSV.
func csvHeader() []string {
	return []string{
		"id", "name", "job_title", "state", "rank", "score", "matched_skills", "missing_skills", "hourly_rate",
		"location", "profile_url", "note", "added", "changed",
	}
}

// csvRow returns the row of a person, in the order of csvHeader.
func csvRow(e *exportedPerson) []string {
	rate := ""
	if e.HourlyRate != nil {
		rate = plainNumber(*e.HourlyRate)
	}
	row := []string{
		e.ID, e.Name, e.JobTitle, string(e.State), strconv.Itoa(e.Rank), plainNumber(e.Score),
		strings.Join(e.MatchedSkills, ", "), strings.Join(e.MissingSkills, ", "), rate, e.Location, e.ProfileURL, e.Note,
		e.Added.Format(time.RFC3339), e.Changed.Format(time.RFC3339),
	}
	for i := range row {
		row[i] = spreadsheet.Cell(row[i])
	}
	return row
}

func plainNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// exported returns the project and its people as files in a format have them, and records the export in the audit log.
func (h *Handler) exported(v *page.Visit, format string) (projects.Project, []exportedPerson, error) {
	p, people, err := h.find(v)
	if err != nil {
		return p, nil, err
	}
	shown, err := h.people(v, &p, people)
	if err != nil {
		return p, nil, err
	}

	list := make([]exportedPerson, len(shown))
	for i := range shown {
		list[i] = exportPerson(shown[i])
	}
	return p, list, h.Projects.RecordExport(v.Context(), v.By(), v.Account.ID, p.ID, format)
}

func (h *Handler) exportCSV(v *page.Visit) error {
	_, people, err := h.exported(v, "CSV")
	if err != nil {
		return err
	}
	return v.Download("people.csv", func(w io.Writer) error {
		file := csv.NewWriter(w)
		_ = file.Write(csvHeader()) // Error returns the first failure
		for i := range people {
			_ = file.Write(csvRow(&people[i]))
		}
		file.Flush()
		return file.Error()
	})
}

func (h *Handler) exportJSON(v *page.Visit) error {
	p, people, err := h.exported(v, "JSON")
	if err != nil {
		return err
	}
	return v.Download("people.json", func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(map[string]any{
			"id": p.ID, "name": p.Name, "note": p.Note, "brief": p.Brief.Form, "created": p.Created, "changed": p.Changed,
			"people": people,
		})
	})
}
