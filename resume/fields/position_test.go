package fields

import (
	"strings"
	"testing"

	"freelancer-matching/resume/resumetest"
)

// The sections are in the notation of testdata/resumes/README.md.
func TestPositions(t *testing.T) {
	x := newExtractor(t)
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"the order of most headers", "Acme | Engineer    2019\nInitech | Analyst    2017\nLumen | Wizard    2015", []string{
			"Engineer at Acme", "Analyst at Initech", "Wizard at Lumen",
		}},
		{
			"several positions at one company",
			"Acme Ltd\nLead Engineer    2019 – 2020\n- Led\nEngineer    2015 – 2018\n- Moved",
			[]string{"Lead Engineer at Acme Ltd", "Engineer at Acme Ltd"},
		},
		{
			"an unknown place where other entries have one",
			"Clerk, Northwind – Lyon    2019 – 2020\n- Filed\nHead of stock, Maison Terral – Ormeville    2016 – 2018\n- Led\n" +
				"Assistant, Frigolis – Paris    2014 – 2015",
			[]string{"Clerk at Northwind", "Head of stock at Maison Terral", "Assistant at Frigolis"},
		},
		{
			"the summary of an employer",
			"Acme GmbH    2019 – 2021\na software company of 200 people\nSenior Developer\n- Moved the ledger\n" +
				"Initech GmbH    2016 – 2018\na maker of staplers\nDeveloper\n- Built it",
			[]string{"Senior Developer at Acme GmbH", "Developer at Initech GmbH"},
		},
		{
			"no dates",
			"{bold} Engineer at Acme Ltd\n- Moved the ledger of the bank to Go, with all of its tests\n" +
				"{bold} Analyst at Initech Ltd",
			[]string{"Engineer at Acme Ltd", "Analyst at Initech Ltd"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := extract(t, x, resumetest.ParseDocument("{20 bold} Marlow Quillfeather\n\n{14 bold} Experience\n"+c.text))
			var got []string
			for _, p := range r.Experience {
				got = append(got, p.Title+" at "+p.Company)
			}

			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("positions are %q, want %q", got, c.want)
			}
		})
	}
}
