package match_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/exchange"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
)

// people returns freelancers who differ in what the filters ask for. The last one has no details.
func people() []matching.Freelancer {
	details := func(country, zone, from string, verified bool, languages ...matching.SpokenLanguage) matching.Details {
		return matching.Details{
			Country: country, TimeZone: zone, Languages: languages, AvailableFrom: from, Verified: matching.Some(verified),
		}
	}

	rated := func(rate float64) matching.Signals { return matching.Signals{HourlyRate: matching.Some(rate)} }
	return []matching.Freelancer{
		{
			ID: "berlin", Skills: []string{"React"}, Signals: rated(80),
			Details: details("DE", "Europe/Berlin", "2026-12-01", true,
				matching.SpokenLanguage{Tag: "de", Level: "native"}, matching.SpokenLanguage{Tag: "en", Level: "B2"}),
		},
		{
			ID: "vienna", Skills: []string{"React"}, Signals: rated(60),
			Details: details("AT", "Europe/Vienna", "2027-02-01", false,
				matching.SpokenLanguage{Tag: "de", Level: "C1"}, matching.SpokenLanguage{Tag: "en"}),
		},
		{
			ID: "recife", Skills: []string{"React"}, Signals: rated(25),
			Details: details("BR", "UTC-03:00", "2026-11-01", true, matching.SpokenLanguage{Tag: "pt-BR", Level: "native"}),
		},
		{ID: "unknown", Skills: []string{"React"}},
	}
}

func newService(t *testing.T, w *world, rates *exchange.Table) {
	t.Helper()
	var err error
	w.service, err = match.New(match.Config{
		Engine: w.engine, Taxonomy: w.taxonomy, Analyzer: w.analyzer, Embedder: w.vectors,
		Rates:  func() *exchange.Table { return rates },
		Now:    func() time.Time { return time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC) },
		Window: match.DefaultWindow, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Each filter leaves the right freelancers, and the response counts the others.
func TestMatch_Filters(t *testing.T) {
	speaks := func(tag string, level matching.LanguageLevel) matching.Filters {
		return matching.Filters{Languages: []matching.LanguageFilter{{Tag: tag, MinLevel: level}}}
	}
	near := func(zone string, hours float64) matching.Filters {
		return matching.Filters{TimeZone: matching.Some(matching.TimeZoneFilter{Zone: zone, WithinHours: hours})}
	}
	by := func(date string) matching.Filters {
		day, _ := matching.Day(date)
		return matching.Filters{AvailableBy: matching.Some(day)}
	}

	w := newWorld(t, people()...)
	newService(t, w, nil)
	for _, c := range []struct {
		name    string
		filters matching.Filters
		want    string
		count   matching.FilterCount
	}{
		{"country", matching.Filters{Countries: []string{"DE", "AT"}}, "berlin vienna", matching.FilterCount{
			Filter: "countries", Excluded: 2, Unknown: 1,
			Message: "the country DE or AT: 2 of 4 freelancers excluded, 1 of them because their country is unknown",
		}},
		{"language", speaks("de", ""), "berlin vienna", matching.FilterCount{
			Filter: "languages", Excluded: 2, Unknown: 1,
			Message: "the language de: 2 of 4 freelancers excluded, 1 of them because their languages are unknown",
		}},
		{"level", speaks("de", "C2"), "berlin", matching.FilterCount{
			Filter: "languages", Excluded: 3, Unknown: 1,
			Message: "the language de C2: 3 of 4 freelancers excluded, 1 of them because their languages or levels are " +
				"unknown",
		}},
		{"unknown level", speaks("en", "A1"), "berlin", matching.FilterCount{
			Filter: "languages", Excluded: 3, Unknown: 2,
			Message: "the language en A1: 3 of 4 freelancers excluded, 2 of them because their languages or levels are " +
				"unknown",
		}},
		{"language of a region", speaks("pt", "C1"), "recife", matching.FilterCount{
			Filter: "languages", Excluded: 3, Unknown: 1,
			Message: "the language pt C1: 3 of 4 freelancers excluded, 1 of them because their languages or levels are " +
				"unknown",
		}},
		{"time zone", near("Africa/Cairo", 1), "berlin vienna", matching.FilterCount{
			Filter: "time_zone", Excluded: 2, Unknown: 1,
			Message: "a time zone within 1 hour of Africa/Cairo: 2 of 4 freelancers excluded, 1 of them because their time " +
				"zone is unknown",
		}},
		{"fixed offset", near("America/New_York", 2), "recife", matching.FilterCount{
			Filter: "time_zone", Excluded: 3, Unknown: 1,
			Message: "a time zone within 2 hours of America/New_York: 3 of 4 freelancers excluded, 1 of them because their " +
				"time zone is unknown",
		}},
		{"start", by("2026-12-01"), "berlin recife", matching.FilterCount{
			Filter: "available_by", Excluded: 2, Unknown: 1,
			Message: "availability by 2026-12-01: 2 of 4 freelancers excluded, 1 of them because their first available day " +
				"is unknown",
		}},
		{"verified", matching.Filters{Verified: matching.Some(true)}, "berlin recife", matching.FilterCount{
			Filter: "verified", Excluded: 2, Unknown: 1,
			Message: "verified freelancers: 2 of 4 freelancers excluded, 1 of them because their verification is unknown",
		}},
		{"cost", matching.Filters{MaxCost: matching.Some(6000.)}, "recife vienna", matching.FilterCount{
			Filter: "max_cost", Excluded: 2, Unknown: 1,
			Message: "an estimated cost of at most 6000 USD: 2 of 4 freelancers excluded, 1 of them because their rate is " +
				"unknown",
		}},
		{"rate", matching.Filters{MaxHourlyRate: matching.Some(60.)}, "recife vienna", matching.FilterCount{
			Filter: "max_hourly_rate", Excluded: 2, Unknown: 1,
			Message: "a rate of at most 60 USD: 2 of 4 freelancers excluded, 1 of them because their rate is unknown",
		}},
		{
			"excluded ids",
			matching.Filters{ExcludeIDs: []string{"vienna", "nobody"}},
			"berlin recife unknown",
			matching.FilterCount{
				Filter: "exclude_ids", Excluded: 1, Message: "none of 2 ids: 1 of 4 freelancers excluded",
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer := w.match(matching.Brief{
				RequiredSkills: []string{"React"}, EffortHours: matching.Some(100.), Filters: c.filters,
			})
			if got := sorted(ids(answer)); got != c.want {
				t.Errorf("matches %s, want %s", got, c.want)
			}

			if diff := cmp.Diff([]matching.FilterCount{c.count}, answer.Filters); diff != "" {
				t.Errorf("filters (-want +got):\n%s", diff)
			}
		})
	}

	t.Run("none", func(t *testing.T) {
		if answer := w.match(matching.Brief{RequiredSkills: []string{"React"}}); answer.Filters != nil {
			t.Errorf("filters %+v without any", answer.Filters)
		}
	})

	t.Run("several", func(t *testing.T) {
		answer := w.match(matching.Brief{RequiredSkills: []string{"React"}, Filters: matching.Filters{
			Countries: []string{"AT"}, Languages: []matching.LanguageFilter{{Tag: "de"}, {Tag: "en", MinLevel: "A1"}},
			Available: matching.Some(true),
		}})

		var counts []int
		for _, f := range answer.Filters {
			counts = append(counts, f.Excluded, f.Unknown)
		}

		// Each filter alone: a country leaves vienna; languages leave berlin; nobody's availability is known.
		if diff := cmp.Diff([]int{3, 1, 3, 2, 4, 4}, counts); diff != "" {
			t.Errorf("excluded and unknown (-want +got):\n%s", diff)
		}

		if answer.Reason != "filter:languages" || len(answer.ReasonDetail) != 2 {
			t.Errorf("reason %s, %+v", answer.Reason, answer.ReasonDetail)
		}
	})
}

func sorted(ids []string) string { return strings.Join(slices.Sorted(slices.Values(ids)), " ") }

// 100 euros are 125 dollars here. Budget and limits count as dollars in the ranking; the client reads euros.
func TestMatch_Currency(t *testing.T) {
	table, err := exchange.Parse([]byte(
		`{"date": "2026-11-20", "base": "EUR", "source": "Example Bank", "rates": {"USD": 1.25}}`))
	if err != nil {
		t.Fatal(err)
	}

	w := newWorld(t, people()...)
	newService(t, w, table)
	brief := matching.Brief{
		RequiredSkills: []string{"React"}, EffortHours: matching.Some(100.), Explain: true,
		Budget: matching.Some(matching.Budget{Low: 4000, High: 8000}),
		Filters: matching.Filters{
			MaxHourlyRate: matching.Some(80.), MaxCost: matching.Some(8000.), Countries: []string{"DE", "AT"},
		},
	}

	dollars := w.match(brief)
	if dollars.Currency != "USD" || dollars.DataCurrency != "USD" || dollars.Conversion != nil {
		t.Errorf("without a currency: %q, %q, %v", dollars.Currency, dollars.DataCurrency, dollars.Conversion)
	}

	inEuros := brief
	inEuros.Currency = "EUR"
	inEuros.Budget = matching.Some(matching.Budget{Low: 3200, High: 6400})
	inEuros.Filters.MaxHourlyRate, inEuros.Filters.MaxCost = matching.Some(64.), matching.Some(6400.)
	euros := w.match(inEuros)
	want := matching.Conversion{Date: "2026-11-20", Source: "Example Bank", From: "USD", To: "EUR", Rate: .8}
	if euros.Currency != "EUR" || euros.DataCurrency != "USD" || euros.Conversion == nil || *euros.Conversion != want {
		t.Errorf("in euros: %q, %q, %+v", euros.Currency, euros.DataCurrency, euros.Conversion)
	}

	if got := sorted(ids(euros)); got != "berlin vienna" || got != sorted(ids(dollars)) {
		t.Fatalf("matches %s, want those of the same amounts in dollars: %s", got, sorted(ids(dollars)))
	}

	for i, m := range euros.Matches {
		same := dollars.Matches[i]
		if m.Score != same.Score || m.Freelancer.HourlyRate != same.Freelancer.HourlyRate {
			t.Errorf("%s: score %v and rate %v, want %v and %v", m.Freelancer.ID, m.Score, m.Freelancer.HourlyRate,
				same.Score, same.Freelancer.HourlyRate)
		}

		if m.Estimate.Currency != "EUR" || m.Estimate.Cost.Value != same.Estimate.Cost.Value*.8 {
			t.Errorf("%s: estimate %+v, want .8 of %+v", m.Freelancer.ID, m.Estimate, same.Estimate)
		}
	}

	var summaries []string
	for _, f := range find(t, euros, "vienna").Explanation {
		if f.Name == "budget" {
			summaries = append(summaries, f.Summary)
		}
	}

	for _, f := range euros.Filters[1:] {
		summaries = append(summaries, f.Message)
	}

	if diff := cmp.Diff([]string{
		"100 h at 48 EUR/h (60 USD/h) cost 4,800 EUR, within the budget up to 6,400 EUR",
		"a rate of at most 64 EUR: 1 of 4 freelancers excluded, 1 of them because their rate is unknown",
		"an estimated cost of at most 6400 EUR: 1 of 4 freelancers excluded, 1 of them because their rate is unknown",
	}, summaries); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}

	if brief.Budget.Value.High != 8000 || inEuros.Filters.MaxCost.Value != 6400 {
		t.Error("Match changed the brief")
	}
}

func TestMatch_RejectsWhatItCannotConvertOrMeasure(t *testing.T) {
	parse := func(text string) *exchange.Table {
		table, err := exchange.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return table
	}

	w := newWorld(t, people()...)
	for _, c := range []struct {
		name  string
		rates *exchange.Table
		brief matching.Brief
		field string
		want  []string
	}{
		{
			"no rates", nil,
			matching.Brief{Currency: "EUR"},
			"currency",
			[]string{"currency is EUR", "amounts of this data set are in USD", "Use USD", "exchange-rates"},
		},
		{
			"unknown currency", parse(`{"date": "2026-11-20", "base": "EUR", "rates": {"USD": 1.25}}`),
			matching.Brief{Currency: "INR"},
			"currency",
			[]string{"rates of 2026-11-20 lack INR", "Use one of EUR, USD", "exchange-rates"},
		},
		{
			"data set's currency unknown", parse(`{"date": "2026-11-20", "base": "EUR", "rates": {"GBP": 0.8}}`),
			matching.Brief{Currency: "EUR"},
			"currency",
			[]string{"lack USD, the currency of the data set", "Use one of USD,"},
		},
		{
			"unknown time zone", nil,
			matching.Brief{Filters: matching.Filters{TimeZone: matching.Some(matching.TimeZoneFilter{Zone: "Mars"})}},
			"filters.time_zone.zone",
			[]string{"Mars", "Europe/Berlin"},
		},
	} {
		newService(t, w, c.rates)
		c.brief.RequiredSkills = []string{"React"}
		_, err := w.service.Match(t.Context(), &c.brief)
		fault, ok := errors.AsType[*matching.Error](err)
		if !ok || fault.Code != matching.CodeInvalid || len(fault.Details) != 1 || fault.Details[0].Field != c.field {
			t.Errorf("%s: error %v, want one about %s", c.name, err, c.field)
			continue
		}

		for _, want := range c.want {
			if !strings.Contains(fault.Message, want) {
				t.Errorf("%s: %q lacks %q", c.name, fault.Message, want)
			}
		}
	}
}

// The response suggests filters in the form of a request, but applies none and repeats none that the client set.
func TestMatch_SuggestsFilters(t *testing.T) {
	table, err := exchange.Parse([]byte(`{"date": "2026-11-20", "base": "EUR", "rates": {"USD": 1.25}}`))
	if err != nil {
		t.Fatal(err)
	}

	w := newWorld(t, people()...)
	newService(t, w, table)
	brief := matching.Brief{
		JobTitle: "React developer (native German speaker)",
		Description: "We sell tea on the French market.\nYou must be based in Mexico or the US, and work CET hours. " +
			"We pay up to 50 €/hour. Spanish is not required.",
	}

	encode := func(a *matching.Answer) string {
		text, err := json.Marshal(a.SuggestedFilters)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}

	answer := w.match(brief)
	want := `[{"filter":"countries","value":["MX","US"],"because":["must be based in Mexico or the US"]},` +
		`{"filter":"languages","value":[{"language":"de","min_level":"native"}],"because":["native German speaker"]},` +
		`{"filter":"time_zone","value":{"zone":"Europe/Paris","within_hours":3},"because":["work CET hours"]},` +
		`{"filter":"max_hourly_rate","value":62.5,"because":["pay up to 50 €/hour"]}]`
	if got := encode(answer); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}

	if len(answer.Matches) != 4 || answer.Filters != nil {
		t.Errorf("%d matches, filters %v: suggestions must change nothing", len(answer.Matches), answer.Filters)
	}

	brief.Filters.Countries, brief.Filters.MaxHourlyRate = []string{"DE"}, matching.Some(90.)
	brief.Filters.Languages = []matching.LanguageFilter{{Tag: "en"}}
	got := encode(w.match(brief))
	if !strings.HasPrefix(got, `[{"filter":"time_zone"`) || strings.Count(got, "filter") != 1 {
		t.Errorf("with filters set: %s, want the time zone only", got)
	}

	newService(t, w, nil)
	brief.Filters = matching.Filters{}
	if got := encode(w.match(brief)); strings.Contains(got, "max_hourly_rate") {
		t.Errorf("without exchange rates: %s, want no rate in euros", got)
	}

	// A language that nobody's data has can't be a useful filter.
	w = newWorld(t, matching.Freelancer{ID: "unknown", Skills: []string{"React"}})
	newService(t, w, table)
	if got := encode(w.match(brief)); strings.Contains(got, "languages") || !strings.Contains(got, "time_zone") {
		t.Errorf("without languages in the data: %s", got)
	}

	if got := encode(w.match(matching.Brief{Description: "React dashboard"})); got != "null" {
		t.Errorf("suggestions for a brief that asks for nothing: %s", got)
	}
}

// Nothing that a brief says lifts the filters that it is bound to.
func TestMatch_BoundFilters(t *testing.T) {
	all := people()
	for i := range all {
		all[i].Rating, all[i].Experience = matching.Some(float64(i)+1), matching.Some(float64(i)+1)
	}
	all[0].Availability, all[1].Availability = matching.Some(true), matching.Some(false)
	all[1].Skills = append(all[1].Skills, "WordPress")

	w := newWorld(t, all...)
	rates, err := exchange.Parse([]byte(`{"base": "USD", "date": "2026-11-20", "rates": {"KWD": 0.25}}`))
	if err != nil {
		t.Fatal(err)
	}
	newService(t, w, rates)

	const anybody = "berlin recife unknown vienna"
	countries := func(list ...string) matching.Filters { return matching.Filters{Countries: list} }
	ids := func(list ...string) matching.Filters { return matching.Filters{IDs: list} }
	zone := func(name string) matching.Filters {
		return matching.Filters{TimeZone: matching.Some(matching.TimeZoneFilter{Zone: name, WithinHours: 1})}
	}
	available := func(value bool) matching.Filters { return matching.Filters{Available: matching.Some(value)} }
	rated := func(x float64) matching.Filters { return matching.Filters{MinRating: matching.Some(x)} }
	years := func(x float64) matching.Filters { return matching.Filters{MinExperience: matching.Some(x)} }
	rate := func(x float64) matching.Filters { return matching.Filters{MaxHourlyRate: matching.Some(x)} }
	verified := func(value bool) matching.Filters { return matching.Filters{Verified: matching.Some(value)} }
	speaks := func(tag string) matching.Filters {
		return matching.Filters{Languages: []matching.LanguageFilter{{Tag: tag}}}
	}
	by := func(date string) matching.Filters {
		day, _ := matching.Day(date)
		return matching.Filters{AvailableBy: matching.Some(day)}
	}

	for name, c := range map[string]struct {
		bound, set matching.Filters
		text       string
		timeline   int
		currency   string
		want       string
	}{
		"none":            {want: anybody},
		"country":         {bound: countries("DE"), want: "berlin"},
		"wider countries": {bound: countries("DE"), set: countries("DE", "AT", "BR"), want: "berlin"},
		"other country":   {bound: countries("DE"), set: countries("AT"), want: ""},
		"country in the text": {
			bound: countries("DE"), text: "React developer from Austria, not from Germany", want: "berlin",
		},
		"ids":       {bound: ids("berlin"), set: ids("berlin", "vienna"), want: "berlin"},
		"other ids": {bound: ids("berlin"), set: ids("vienna"), want: ""},
		"excluded ids": {
			bound: matching.Filters{ExcludeIDs: []string{"berlin"}}, set: matching.Filters{ExcludeIDs: []string{"recife"}},
			want: "unknown vienna",
		},
		"id of somebody outside":   {bound: countries("DE"), set: ids("vienna"), want: ""},
		"near zone":                {bound: zone("Europe/Berlin"), set: zone("Europe/Vienna"), want: "berlin vienna"},
		"far zone":                 {bound: zone("Europe/Berlin"), set: zone("UTC-03:00"), want: ""},
		"available":                {bound: available(true), want: "berlin"},
		"not available":            {bound: available(true), set: available(false), want: ""},
		"available by timeline":    {bound: available(true), timeline: 3000, want: "berlin"},
		"lower rating":             {bound: rated(3), set: rated(1), want: "recife unknown"},
		"higher rating":            {bound: rated(3), set: rated(4), want: "unknown"},
		"less experience":          {bound: years(3), set: years(0), want: "recife unknown"},
		"higher rate":              {bound: rate(60), set: rate(500), want: "recife vienna"},
		"lower rate":               {bound: rate(60), set: rate(30), want: "recife"},
		"rate in another currency": {bound: rate(60), set: rate(60), currency: "KWD", want: "recife vienna"},
		"verified":                 {bound: verified(true), set: verified(false), want: ""},
		"language":                 {bound: speaks("de"), set: speaks("en"), want: "berlin vienna"},
		"other language":           {bound: speaks("de"), set: speaks("pt"), want: ""},
		"later day":                {bound: by("2026-12-01"), set: by("2030-01-01"), want: "berlin recife"},
		"must have": {
			bound: matching.Filters{MustHaveSkills: []string{"WordPress"}}, text: "React, no WordPress", want: "vienna",
		},
		"excluded skill": {
			bound: matching.Filters{ExcludeSkills: []string{"WordPress"}},
			set:   matching.Filters{MustHaveSkills: []string{"WordPress"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			brief := &matching.Brief{
				Description: c.text, RequiredSkills: []string{"React"}, Bound: c.bound, Filters: c.set, Limit: 10,
				Currency: c.currency,
			}
			if c.timeline > 0 {
				brief.TimelineDays = matching.Some(c.timeline)
			}
			answer, err := w.service.Match(t.Context(), brief)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range answer.Matches {
				got = append(got, m.Freelancer.ID)
			}
			slices.Sort(got)
			if ids := strings.Join(got, " "); ids != c.want {
				t.Errorf("%q, want %q", ids, c.want)
			}
		})
	}
}
