package entries

import (
	"strings"
	"testing"

	"github.com/freelancer-matching/service/resume/dates"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/resumetest"
	"github.com/freelancer-matching/service/resume/sections"
)

func newTestEntries(tb testing.TB) *EntryReader {
	tb.Helper()
	words := lexicon.New()
	return NewEntryReader(words, dates.NewFinder(words.DateWords, resumetest.Today), resumetest.Taxonomy(tb))
}

// writtenSpan returns the ends of a span with a space between them.
func writtenSpan(s dates.Span) string {
	until := s.To.String()
	if s.Current {
		until = "now"
	}
	return strings.TrimSpace(s.From.String() + " " + until)
}

func TestStartingDate(t *testing.T) {
	r := newTestEntries(t)
	for text, want := range map[string]string{
		"Engineer, Acme (2015 – 2018)":                      "2015 2018",
		"2015 – 2018":                                       "2015 2018",
		"Engineer, 2015":                                    "2015",
		"2015\tEngineer":                                    "2015",
		"Award of 2014, Engineer, 2015 – 2018":              "2015 2018",
		"Engineer of the year 2015 at Acme":                 "",
		"since 2015 engineer":                               "2015 now",
		"Moved the ledger of 2015 to Go with all its tests": "",
		"Led 14 teams from 2015 to 2018 and grew them to twice their size within budget": "",
		"no date": "",
	} {
		got := ""
		if s, ok := r.dateLines.startingDate(text); ok {
			got = writtenSpan(s)
		}

		if got != want {
			t.Errorf("startingDate(%q) = %q, want %q", text, got, want)
		}
	}
}

// The sections are in the notation of resume/fields/testdata/resumes/README.md. Wanted are the parts of the header of
// each entry, and its description after an arrow.
func TestEntries(t *testing.T) {
	r := newTestEntries(t)
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{
			"header in the line with the date",
			"Engineer, Acme    2019 – 2020\n- Moved the ledger\nAnalyst, Initech    2015 – 2018",
			[]string{"Engineer|Acme → Moved the ledger", "Analyst|Initech → "},
		},
		{"header above the date", "Engineer\nAcme\n2019 – 2020\n- Moved the ledger\nAnalyst\nInitech\n2015 – 2018", []string{
			"Engineer|Acme → Moved the ledger", "Analyst|Initech → ",
		}},
		{"header below the date", "2019 – 2020\nEngineer\nAcme\n- Moved the ledger\n2015 – 2018\nAnalyst\nInitech", []string{
			"Engineer|Acme → Moved the ledger", "Analyst|Initech → ",
		}},
		{"employer after a preposition", "Engineer at Acme    2019 – 2020", []string{"Engineer|Acme → "}},
		{"a time on two lines", "05/2019 –\n03/2021\nEngineer, Acme", []string{"Engineer|Acme → "}},
		{"a time on two lines of a table", "05/2019 –    Engineer\n03/2021    Acme", []string{"Engineer|Acme → "}},
		{"list items", "- Engineer, Acme, 2019 – 2020\n- Analyst, Initech, 2015 – 2018", []string{
			"Engineer|Acme → ", "Analyst|Initech → ",
		}},
		{
			"a link is no part of a header",
			"Engineer, Acme    2019 – 2020\nhttps://example.org/acme\n- Moved the ledger",
			[]string{"Engineer|Acme → Moved the ledger"},
		},
		{"a wrapped item", "Engineer, Acme    2019 – 2020\n- Moved the led-\nger to Go", []string{
			"Engineer|Acme → Moved the ledger to Go",
		}},
		{"a time on three lines", "05/2019\nto\n03/2021\nEngineer, Acme", []string{"Engineer|Acme → "}},
		{"dates below each other", "2019\n2021\nEngineer\nAcme Ltd\n- Moved", []string{"Engineer|Acme Ltd → Moved"}},
		{
			"a time on three rows",
			"05/2019    Acme Ltd\nto    Engineer\n03/2021    Moved the ledger of the bank to another country",
			[]string{"Engineer|Acme Ltd → Moved the ledger of the bank to another country"},
		},
		{
			"a date beside a list item", "Acme Ltd, Engineer\n- Moved the ledger of the bank    2019 – 2021\n- Tested it",
			[]string{"Engineer|Acme Ltd → Moved the ledger of the bank\nTested it"},
		},
		{
			"employers in list items",
			"Engineer    2019 – 2020\n- Acme Ltd\n- Moved the ledger to Go\nAnalyst    2015 – 2018\n- Initech Inc.\n- Counted",
			[]string{"Engineer|Acme Ltd → Moved the ledger to Go", "Analyst|Initech Inc. → Counted"},
		},
		{"no dates", "Engineer, Acme", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := resumetest.ParseDocument(c.text)
			p := page.New(&doc)
			s := &sections.Section{Kind: lexicon.Experience}
			for i := range p.Lines {
				s.Lines = append(s.Lines, &p.Lines[i])
			}

			var got []string
			for _, it := range r.entries(p, s, &positionGrammar) {
				got = append(got, it.texts[lead]+"|"+it.texts[host]+" → "+it.description)
			}

			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("entries are %q, want %q", got, c.want)
			}
		})
	}
}
