package playground

import (
	"cmp"
	"context"
	"math"
	"net/url"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// The views of a match result. Any other value of the parameter view is the list.
const (
	viewCards = "cards"
	viewCode  = "code"
)

// workbenchView is the list of an answer's matches beside the profile of the selected one.
type workbenchView struct {
	Rows   []*listRow
	Person *profileView // of the selected row
	Chosen bool         // the person was selected, so a phone shows the profile in place of the list

	Columns  rowColumns
	Chips    []BriefChip // the brief in a few words
	Facets   []facetGroup
	Counted  int // the number of matches that the facets count
	Previous page.Option
	Next     page.Option // offset of the next page of matches, and the ranks it has; zero on the last one
}

// rowColumns says which facts at least one row has. Columns of unknown facts take no room.
type rowColumns struct{ Rating, Rate, Place bool }

// listRow is one match in one line of the list.
type listRow struct {
	card
	URL       string // selects the row
	Selected  bool
	Has, Of   int    // required skills
	Lacks     string // the first missing skill, and how many more there are
	ShortRate string // without its currency
	Price     string // estimated, with its currency
	Place     string
	LocalTime string
	Start     string // when the person can start: now, from a date, or not; "" if unknown
	Mark      string // what became of the person: the strongest event, or ""
}

// A BriefChip is one condition of a brief.
type BriefChip struct {
	Label string
	Class string // of the chip
	Lift  string // the filter that its button removes; "" for a part of the brief itself
}

// selectURL returns the address of a result with a person selected.
func selectURL(result, freelancer string) string {
	return resultsPath + result + "?" + url.Values{"person": {freelancer}}.Encode() + "#person"
}

// newWorkbench returns the workbench of a saved answer with at least one match.
func (h *client) newWorkbench(
	ctx context.Context, r *results.Result, answer *answerView, chosen string,
) (*workbenchView, error) {
	w := &workbenchView{Chips: briefChips(r.Form, answer.hourly(), answer.Currency)}
	marks, err := h.marks(ctx, r.Account, answer.RequestID)
	if err != nil {
		return nil, err
	}

	selected := max(0, slices.IndexFunc(answer.Cards, func(c card) bool { return c.Freelancer.ID == chosen }))
	w.Chosen = chosen != "" && answer.Cards[selected].Freelancer.ID == chosen
	for i := range answer.Cards {
		row := h.newRow(&answer.Cards[i], r.ID)
		row.Selected = i == selected
		row.Mark = marks[row.Freelancer.ID]
		row.setProject(answer.Project)

		w.Columns.Rating = w.Columns.Rating || row.HasRating() || row.Start != ""
		w.Columns.Rate = w.Columns.Rate || row.ShortRate != "" || row.Price != ""
		w.Columns.Place = w.Columns.Place || row.Place != "" || row.LocalTime != ""
		w.Rows = append(w.Rows, row)
	}

	w.Person, err = h.profileOf(ctx, r, answer.Cards, selected)
	if err != nil {
		return nil, err
	}
	w.Person.Mark = marks[w.Person.Freelancer.ID]
	w.Person.setProject(answer.Project)
	w.Facets, w.Counted = facetGroups(r, &answer.MatchAnswer)
	w.setPages(answer, len(answer.Cards))

	return w, nil
}

// newRow returns the row of a match.
func (h *client) newRow(c *card, result string) *listRow {
	row := &listRow{card: *c, URL: selectURL(result, c.Freelancer.ID)}
	row.Has = len(c.MatchedSkills)
	row.Of = row.Has + len(c.MissingSkills)

	if n := len(c.MissingSkills); n > 0 {
		row.Lacks = c.MissingSkills[0]
		if n > 1 {
			row.Lacks += " +" + page.Decimal(0, float64(n-1))
		}
	}

	if c.Rate != "" {
		row.ShortRate = page.Decimal(2, c.Freelancer.HourlyRate)
	}
	if c.Estimate.Cost.Known {
		row.Price = money(0, c.Estimate.Cost.Value, c.Estimate.Currency)
	}

	row.Place = shortPlace(c.Details)
	row.LocalTime = localTime(c.Details, h.Now())
	row.Start = strings.TrimPrefix(c.Free, "available ")
	if row.Start == "available" {
		row.Start = "now"
	}

	return row
}

// A rowInList is a row with the columns of its list.
type rowInList struct {
	Row     *listRow
	Columns rowColumns
}

// ScorePercent returns the score as a whole number from 0 to 100.
func (r *listRow) ScorePercent() int { return int(math.Round(r.Score * 100)) }

// HasRating reports whether the rating is known.
func (r *listRow) HasRating() bool { return !slices.Contains(r.UnknownFields, "rating") }

// Sales returns the number of finished projects that the rating rests on, and whether it is known.
func (r *listRow) Sales() matching.Optional[int] {
	if slices.Contains(r.UnknownFields, "total_sales") {
		return matching.Optional[int]{}
	}
	return matching.Some(r.Freelancer.TotalSales)
}

// shortPlace returns the place of a person in a word or two, or "".
func shortPlace(d *wire.Details) string {
	switch {
	case d == nil:
		return ""
	case d.Location != nil:
		city, _, _ := strings.Cut(*d.Location, ",")
		return city
	case d.Country != nil:
		return page.CountryName(*d.Country)
	default:
		return ""
	}
}

// setPages sets the offsets of the pages before and after an answer's.
func (w *workbenchView) setPages(answer *answerView, n int) {
	ranks := func(first, last int) string {
		return page.Decimal(0, float64(first)) + " to " + page.Decimal(0, float64(last))
	}
	if first := answer.Offset; first > 0 {
		start := max(0, first-n)
		w.Previous = page.Option{Value: plainNumber(float64(start)), Label: ranks(start+1, first)}
	}
	if next := answer.NextOffset; next.Known {
		last := min(next.Value+n, answer.Considered)
		w.Next = page.Option{Value: plainNumber(float64(next.Value)), Label: ranks(next.Value+1, last)}
	}
}

// marks returns what became of the people in a response, by ID: for each the last of contacted, rejected and hired that
// was reported.
func (h *client) marks(ctx context.Context, account, request string) (map[string]string, error) {
	list, err := h.Outcomes.Of(ctx, events.Match{Account: account, ID: request})
	if err != nil {
		return nil, err
	}

	slices.SortStableFunc(list, func(a, b events.Event) int { return a.At.Compare(b.At) })
	marks := map[string]string{}
	for _, e := range list {
		if word := markWord(e.Type); word != "" {
			marks[e.Freelancer] = word
		}
	}
	return marks, nil
}

// markWord returns the words for an event that decides something, or "".
func markWord(t events.Type) string {
	switch t {
	case events.Contacted:
		return "contacted"
	case events.Rejected:
		return "not suitable"
	case events.Hired:
		return "hired"
	default:
		return ""
	}
}

// briefChips returns the conditions of a brief: what it asks for, then its filters, each with a way to remove it.
func briefChips(form url.Values, hourly bool, currency string) []BriefChip {
	var chips []BriefChip
	add := func(class, label string) { chips = append(chips, BriefChip{Label: label, Class: class}) }

	for _, skill := range page.SplitList(form.Get("required_skills")) {
		add("has", skill)
	}
	for _, skill := range page.SplitList(form.Get("nice_to_have_skills")) {
		add("", skill+" (nice to have)")
	}

	chips = append(chips, termChips(form, hourly, currency)...)
	return append(chips, filterChips(form)...)
}

// termChips returns budget, time and size of a brief.
func termChips(form url.Values, hourly bool, currency string) (chips []BriefChip) {
	add := func(label string) { chips = append(chips, BriefChip{Label: label}) }
	low, high := form.Get("budget_low"), form.Get("budget_high")
	if low != "" || high != "" {
		unit := " in all"
		if hourly {
			unit = " an hour"
		}
		add(strings.TrimSpace(cmp.Or(low, "0")+"–"+high+" "+currency) + unit)
	}
	if days := form.Get("timeline"); days != "" {
		add(days + " days")
	}
	if hours := form.Get("effort_hours"); hours != "" {
		add(hours + " hours of work")
	}
	if day := form.Get("start_date"); day != "" {
		add("from " + day)
	}

	return chips
}

// filterChips returns the filters of a form.
func filterChips(form url.Values) (chips []BriefChip) {
	for _, name := range []string{
		"available", "countries", "languages", "time_zone", "min_rating", "min_experience", "max_hourly_rate",
		"must_have_skills", "exclude_skills",
	} {
		if form.Get(name) == "" {
			continue
		}
		filter := url.Values{}
		for _, field := range filterFields(name) {
			filter[field] = form[field]
		}
		chips = append(chips, BriefChip{Label: filterLabel(filter), Class: "filter", Lift: name})
	}
	return chips
}
