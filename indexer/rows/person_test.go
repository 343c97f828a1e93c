package rows_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/value"
)

// person merges rows on the lines 2, 3 and so on of a file.
func person(list ...matching.Freelancer) *rows.Person {
	p := rows.NewPerson("f.csv", &rows.Row{Freelancer: list[0], Line: 2})
	for i, f := range list[1:] {
		p.Add("f.csv", &rows.Row{Freelancer: f, Line: i + 3})
	}
	return p
}

func TestPerson_CompletesUnknownValues(t *testing.T) {
	p := person(
		matching.Freelancer{ID: "1", Skills: []string{"Go"}, Description: "short"},
		matching.Freelancer{
			ID: "1", Name: "Ann", JobTitle: "Dev", ProfileURL: "https://a.example", Skills: []string{"go", "Rust"},
			Description: "short and longer", Signals: matching.Signals{TotalSales: matching.Some(3)},
		},
		matching.Freelancer{ID: "1", Name: "ANN", Signals: matching.Signals{Rating: matching.Some(4.5)}},
	)

	want := matching.Freelancer{
		ID: "1", Name: "Ann", JobTitle: "Dev", ProfileURL: "https://a.example", Skills: []string{"Go", "Rust"},
		Description: "short and longer",
		Signals:     matching.Signals{TotalSales: matching.Some(3), Rating: matching.Some(4.5)},
	}
	if diff := cmp.Diff(want, p.Freelancer); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}

	if conflicts := p.Conflicts(); len(conflicts) > 0 {
		t.Errorf("conflicts %v", conflicts)
	}
}

func TestPerson_Conflicts(t *testing.T) {
	sales := func(n int, rating float64) matching.Freelancer {
		return matching.Freelancer{Name: "Ann", Signals: matching.Signals{
			TotalSales: matching.Some(n), Rating: matching.Some(rating),
		}}
	}

	rich := sales(5, 3)
	rich.JobTitle = "Welder"
	at := func(line int, value string) rows.Place { return rows.Place{File: "f.csv", Line: line, Value: value} }
	for _, test := range []struct {
		name string
		rows []matching.Freelancer
		want []rows.Conflict
	}{
		{"most known fields", []matching.Freelancer{sales(9, 4), rich}, []rows.Conflict{
			{Field: "rating", Kept: at(3, "3"), Lost: at(2, "4")}, {Field: "total_sales", Kept: at(3, "5"), Lost: at(2, "9")},
		}},
		{"most projects", []matching.Freelancer{sales(5, 5), sales(9, 4)}, []rows.Conflict{
			{Field: "rating", Kept: at(3, "4"), Lost: at(2, "5")}, {Field: "total_sales", Kept: at(3, "9"), Lost: at(2, "5")},
		}},
		{"highest number", []matching.Freelancer{sales(5, 4), sales(5, 4.5)}, []rows.Conflict{
			{Field: "rating", Kept: at(3, "4.5"), Lost: at(2, "4")},
		}},
		{
			"alphabetical order",
			[]matching.Freelancer{{JobTitle: "Welder"}, {JobTitle: "cook"}, {JobTitle: "Cook"}},
			[]rows.Conflict{{Field: "job_title", Kept: at(4, "Cook"), Lost: at(2, "Welder")}},
		},
		{
			"longest description",
			[]matching.Freelancer{{Description: "I weld"}, {Description: "I cook for people"}},
			[]rows.Conflict{{Field: "description", Kept: at(3, "I cook for people"), Lost: at(2, "I weld")}},
		},
		{
			"the beginning of a description",
			[]matching.Freelancer{{Description: "I cook…"}, {Description: "I cook for people"}},
			nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := person(test.rows...).Conflicts()
			if len(got) == 0 {
				got = nil
			}

			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// The order of rows changes neither values nor the fields that conflict, and every value comes from a row.
func TestPerson_OrderDoesNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	number := func() (v matching.Optional[float64]) {
		if n := rng.IntN(4); n > 0 {
			v = matching.Some(float64(n))
		}
		return v
	}
	for round := range 2000 {
		list := make([]matching.Freelancer, 2+rng.IntN(5))
		for i := range list {
			f := matching.Freelancer{
				ID: "1", Name: pick("", "ann", "Ann", "ANN", "Bob"), JobTitle: pick("", "", "Cook", "Welder"),
				Description: pick("", "a", "ab", "b", "b…"), ProfileURL: pick("", "", "https://a", "https://b"),
				Skills: []string{pick("go", "Go", "GO"), pick("sql", "C")},
			}

			f.Rating, f.HourlyRate, f.Experience = number(), number(), number()
			if n := rng.IntN(3); n > 0 {
				f.TotalSales, f.Availability = matching.Some(n), matching.Some(n == 1)
			}
			list[i] = f
		}

		want := outcome(list)
		rng.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
		if diff := cmp.Diff(want, outcome(list)); diff != "" {
			t.Fatalf("round %d, rows %+v (-want +got)\n%s", round, list, diff)
		}
	}
}

// outcome formats a person with sorted skills, and the fields that conflict.
func outcome(list []matching.Freelancer) string {
	clones := slices.Clone(list)
	for i := range clones {
		clones[i].Skills = slices.Clone(clones[i].Skills)
	}
	p := person(clones...)
	slices.Sort(p.Freelancer.Skills)
	text := fmt.Sprintf("%+v", p.Freelancer)
	for _, c := range p.Conflicts() {
		if c.Kept.Value == c.Lost.Value {
			text += fmt.Sprintf(" (lost the value that was kept: %+v)", c)
		}
		text += " " + c.Field
	}
	return text
}

func TestPerson_TooManySkills(t *testing.T) {
	var list []matching.Freelancer
	for i := range value.MaxSkills + 50 {
		list = append(list, matching.Freelancer{Skills: []string{fmt.Sprintf("s%03d", i)}})
	}
	forward := person(list...)
	slices.Reverse(list)
	backward := person(list...)
	slices.Sort(backward.Freelancer.Skills)
	if diff := cmp.Diff(forward.Freelancer.Skills, backward.Freelancer.Skills); diff != "" || !forward.SkillsCut ||
		!backward.SkillsCut || !strings.HasPrefix(backward.Freelancer.Skills[value.MaxSkills-1], "s199") {
		t.Errorf("(-forward +backward)\n%s", diff)
	}
}

// Derived values follow the details that are kept, so that a country and a time zone never come from different rows.
func TestPerson_Details(t *testing.T) {
	row := func(changes func(d *matching.Details)) *rows.Row {
		r := &rows.Row{Freelancer: matching.Freelancer{ID: "1"}, Line: 2}
		changes(&r.Freelancer.Details)
		r.Derived = rows.Derive(&r.Freelancer.Details)
		return r
	}

	languages := func(l ...matching.SpokenLanguage) []matching.SpokenLanguage { return l }
	for _, test := range []struct {
		name      string
		a, b      func(d *matching.Details)
		want      matching.Details
		conflicts []string
	}{
		{
			"a stated country replaces a derived one",
			func(d *matching.Details) { d.Location = "Paris, France" },
			func(d *matching.Details) { d.Country = "DE" },
			matching.Details{Location: "Paris, France", Country: "DE", TimeZone: "Europe/Berlin"},
			nil,
		},
		{
			"a stated zone replaces a derived one",
			func(d *matching.Details) { d.Country = "DE" },
			func(d *matching.Details) { d.TimeZone = "UTC" },
			matching.Details{Country: "DE", TimeZone: "UTC"},
			nil,
		},
		{
			"countries that disagree",
			func(d *matching.Details) { d.Country = "DE" },
			func(d *matching.Details) { d.Country = "FR" },
			matching.Details{Country: "DE", TimeZone: "Europe/Berlin"},
			[]string{"country"},
		},
		{
			"languages are collected",
			func(d *matching.Details) { d.Languages = languages(matching.SpokenLanguage{Tag: "de"}) },
			func(d *matching.Details) {
				d.Languages = languages(matching.SpokenLanguage{Tag: "de", Level: "B2"}, matching.SpokenLanguage{Tag: "en"})
			},
			matching.Details{
				Languages: languages(matching.SpokenLanguage{Tag: "de", Level: "B2"}, matching.SpokenLanguage{Tag: "en"}),
			},
			nil,
		},
		{
			"others complete each other, and disagree",
			func(d *matching.Details) { d.Currency, d.AvailableFrom = "EUR", "2027-01-01" },
			func(d *matching.Details) {
				d.Currency, d.HoursPerWeek, d.Verified = "USD", matching.Some(30.0), matching.Some(true)
			},
			matching.Details{
				Currency: "EUR", AvailableFrom: "2027-01-01", HoursPerWeek: matching.Some(30.0), Verified: matching.Some(true),
			},
			[]string{"currency"},
		},
	} {
		for range 2 {
			p := rows.NewPerson("f.csv", row(test.a))
			p.Add("f.csv", row(test.b))
			if diff := cmp.Diff(test.want, p.Freelancer.Details); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.name, diff)
			}

			var conflicts []string
			for _, c := range p.Conflicts() {
				conflicts = append(conflicts, c.Field)
				if c.Kept.Value == "" || c.Lost.Value == "" {
					t.Errorf("%s: conflict %+v", test.name, c)
				}
			}

			if !slices.Equal(conflicts, test.conflicts) {
				t.Errorf("%s: conflicts %v, want %v", test.name, conflicts, test.conflicts)
			}
			test.a, test.b = test.b, test.a
		}
	}
}
