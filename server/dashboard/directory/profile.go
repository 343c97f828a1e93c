package directory

import (
	"cmp"
	"context"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/views"
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match/documents"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// Evidence tells how freelancers are known to have skills; see documents.Preparer.
type Evidence interface {
	Skills(f *matching.Freelancer) []documents.NamedSkill
}

// A Matcher matches briefs in process, without counting them; see match.Service.
type Matcher interface {
	Match(ctx context.Context, b *matching.Brief) (*matching.Answer, error)
}

const (
	maxSimilar  = 5               // similar people on a profile
	similarTime = 2 * time.Second // for finding them
)

// profileView is the page about a freelancer.
type profileView struct {
	freelancers.Stored
	Name        string
	Paragraphs  []string // of the description
	Skills      []skillGroup
	Facts       []page.Option // labels and values; the value of an unknown fact is ""
	Line        *line         // when the freelancer can work; nil if that is unknown
	Source      sourceView
	History     historyView
	Similar     []row
	Suited      *suitedView // nil without open briefs
	Web         string      // address of the profile on the web, or ""
	Interview   string      // address of the form for an interview
	Edit, Erase string      // addresses for administrators
}

// A skillGroup holds the skills with the same evidence.
type skillGroup struct {
	Title  string
	Class  string // of the chips
	Skills []string
}

// showProfile shows what is stored about a freelancer and what happened to them in the account.
func (h *Handler) showProfile(v *page.Visit) error {
	ctx := v.Context()
	stored, err := h.Freelancers.Get(ctx, v.Request.PathValue("freelancer"))
	if err != nil {
		return err
	}
	f := &stored.Freelancer
	if err := v.CountViews(h.Views, f.ID); err != nil {
		return err
	}

	currency, _ := h.Currencies(ctx)
	now := h.Now()
	view := profileView{
		Stored: stored, Name: cmp.Or(f.Name, f.ID), Skills: skillGroups(h.Evidence.Skills(f)),
		Facts: facts(f, currency, now), Line: newLine(f, now), Web: page.WebProfile(f.ProfileURL),
		Interview: page.InterviewURL(f.ID),
		Edit:      editURL(f.ID), Erase: editURL(f.ID) + "#erase",
	}
	for paragraph := range strings.Lines(f.Description) {
		if paragraph = strings.TrimSpace(paragraph); paragraph != "" {
			view.Paragraphs = append(view.Paragraphs, paragraph)
		}
	}

	source, err := h.Freelancers.Source(ctx)
	if err != nil {
		return err
	}
	view.Source = newSource(source)
	if view.History, err = h.history(ctx, v.Account.ID, f.ID); err != nil {
		return err
	}
	if view.Similar, err = h.similar(v, f, currency); err != nil {
		return err
	}
	if view.Suited, err = h.suited(v, f.ID); err != nil {
		return err
	}

	return v.OK(page.Page{
		Template: "freelancerprofile", Title: view.Name, Section: "freelancers", Data: view, Compressible: true,
	})
}

// skillGroups returns skills by their evidence, the strongest first.
func skillGroups(skills []documents.NamedSkill) []skillGroup {
	groups := []skillGroup{
		{Title: "Listed", Class: "has"},
		{Title: "Implied by listed skills"},
		{Title: "In the title"},
		{Title: "In the description"},
		{Title: "Listed, but the profile is about other work", Class: "lacks"},
	}

	for _, s := range skills {
		var g *skillGroup
		switch {
		case s.Evidence == matching.Listed:
			g = &groups[0]
		case s.Listed:
			g = &groups[4]
		case s.Evidence == matching.Implied:
			g = &groups[1]
		case s.Evidence == matching.InTitle:
			g = &groups[2]
		default:
			g = &groups[3]
		}
		g.Skills = append(g.Skills, s.Name)
	}

	return slices.DeleteFunc(groups, func(g skillGroup) bool { return len(g.Skills) == 0 })
}

// facts returns the facts about a freelancer. Amounts are in the given currency.
func facts(f *matching.Freelancer, currency string, now time.Time) []page.Option {
	var list []page.Option
	add := func(label, value string) { list = append(list, page.Option{Value: value, Label: label}) }
	number := func(n matching.Optional[float64], format func(float64) string) string {
		if !n.Known {
			return ""
		}
		return format(n.Value)
	}

	rate := page.HourlyRate(f, currency)
	if f.Currency != "" && f.Currency != currency && rate != "" {
		rate += ", charged in " + f.Currency
	}
	add("Rate", rate)
	add("Experience", number(f.Experience, page.Years))

	rating := number(f.Rating, func(n float64) string { return page.Decimal(2, n) + " of 5" })
	if f.TotalSales.Known {
		rating = strings.TrimPrefix(rating+", "+page.Plural(f.TotalSales.Value, "project", "projects"), ", ")
	}
	add("Rating", rating)

	add("Place", page.Place(f))

	zone := strings.ReplaceAll(f.TimeZone, "_", " ")
	if clock := page.LocalTime(f.TimeZone, now); clock != "" {
		zone += ", now " + clock
	}
	add("Time zone", zone)

	add("Languages", strings.Join(page.Spoken(f), ", "))

	if f.Verified.Known {
		verified := "no"
		if f.Verified.Value {
			verified = "yes"
		}
		add("Verified", verified)
	}

	return list
}

// sourceView says where the record came from. Indexes know the files of their loads, but not the row of each record.
type sourceView struct {
	Files   []string
	Rows    int // of all files
	Loaded  time.Time
	Changed time.Time // the last change of records since; zero without a change
}

func newSource(p *engine.Provenance) sourceView {
	if p == nil {
		return sourceView{}
	}
	s := sourceView{Rows: p.Rows, Loaded: p.Finished}
	for _, file := range p.Files {
		s.Files = append(s.Files, path.Base(file.Name))
	}
	if n := len(p.Changes); n > 0 {
		s.Changed = p.Changes[n-1].Finished
	}
	return s
}

// similar returns freelancers like another one. They may be missing: the rest of the page stands without them.
func (h *Handler) similar(v *page.Visit, f *matching.Freelancer, currency string) ([]row, error) {
	ctx, cancel := context.WithTimeout(v.Context(), similarTime)
	defer cancel()

	brief := freelancers.Like(f)
	brief.Limit = maxSimilar
	found, err := h.Matcher.Match(ctx, brief)
	if err != nil {
		h.Log.WarnContext(ctx, "similar freelancers not found", "error", err)
		return nil, v.Context().Err()
	}

	var rows []row
	var ids []string
	for i := range found.Matches {
		rows = append(rows, newRow(&found.Matches[i].Freelancer, currency))
		ids = append(ids, found.Matches[i].Freelancer.ID)
	}

	// An account that reaches its limit with this profile still sees the profile.
	err = v.CountViews(h.Views, ids...)
	if matching.CodeOf(err) == views.CodeLimit {
		return nil, nil
	}

	return rows, err
}

// interviewsURL returns the address of the interviews with a freelancer.
func interviewsURL(id string) string {
	return page.Root + "/interviews?" + url.Values{"freelancer_id": {id}}.Encode()
}
