package fields

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/resume/resumetest"
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
			"a text above that is cut between two words", // after 140 bytes
			"Clerk, Acme Ltd    2019 – 2021\n" + strings.Repeat("Word ", 100) + "\nAnalyst, Initech Ltd    2016 – 2018",
			[]string{"Clerk at Acme Ltd", "Analyst at Initech Ltd"},
		},
		{
			"employers with dates above positions",
			"{12 bold} Quellbach AG    2012 – 2021\nPlatform Lead    2018 – 2021\n- Ran it\n" +
				"Developer    2012 – 2018\n- Wrote it\n" +
				"{12 bold} Maison Terral    2009 – 2012\nTrainee    2010 – 2012\n- Learned\nIntern    2009 – 2010\n- Helped",
			[]string{
				"Platform Lead at Quellbach AG", "Developer at Quellbach AG", "Trainee at Maison Terral", "Intern at Maison Terral",
			},
		},
		{
			"the same without looks",
			"Quellbach AG, Bern    2012 – 2021\nPlatform Lead    2018 – 2021\n- Ran it\n" +
				"Developer    2012 – 2018\n- Wrote it\n" +
				"Terral & Sons Ltd, Lyon    2009 – 2012\nTrainee    2009 – 2012\n- Learned",
			[]string{"Platform Lead at Quellbach AG", "Developer at Quellbach AG", "Trainee at Terral & Sons Ltd"},
		},
		{
			"promotions in an export of a profile",
			"{12} Rádica\n2 years 5 months\n{11} Wizard of Cards\nFebruary 2026 - Present (2 months)\n" +
				"Modules of a platform.\n\n" +
				"{11} Developer\nNovember 2023 - February 2026 (2 years 4 months)\nRemote\nScreens in React.\n\n" +
				"{12} Acme Consultoria\n{11} Consultant\nOctober 2006 - September 2009 (3 years)",
			[]string{"Wizard of Cards at Rádica", "Developer at Rádica", "Consultant at Acme Consultoria"},
		},
		{
			"employers that start like titles",
			"Treasurer, Student Union Bremen    2021 – 2022\nDeveloper, Assistant Robotics GmbH    2019 – 2020\n" +
				"Designer, Manager Magazin    2017 – 2018\nEditor, Architect Weekly    2015 – 2016\n" +
				"Treasurer, Student Data Club    2014 – 2015",
			[]string{
				"Treasurer at Student Union", "Developer at Assistant Robotics GmbH", "Designer at Manager Magazin",
				"Editor at Architect Weekly", "Treasurer at Student Data Club",
			},
		},
		{
			"titles with commas",
			"Director, Product Engineering, Northmole Systems    2019 – 2020\n- Led\n" +
				"Vice President, Data & AI - Bank of Lindow    2017 – 2018\n- Modeled\n" +
				"Founder, Head of Product, Quell Software    2013 – 2014\n- Shipped\n" +
				"Engineer, Partner Platforms, Northmole    2012 – 2013",
			[]string{
				"Director, Product Engineering at Northmole Systems", "Vice President, Data & AI at Bank of Lindow",
				"Founder, Head of Product at Quell Software", "Engineer, Partner Platforms at Northmole",
			},
		},
		{
			"clients of a freelancer",
			"{bold} Freelance Data Engineer (self-employed)    Jan 2018 – Present\nClients:\n" +
				"Client: Northmole Systems (Mar 2021 – Dec 2022)\n- Moved the warehouse\n" +
				"Client: Tidewater Analytics (Feb 2019 – Jan 2021)\n- Built an ingest",
			[]string{"Freelance Data Engineer at ", " at Northmole Systems", " at Tidewater Analytics"},
		},
		{
			"labels in cells",
			"{bold} GOLDEN CAFÉ\nDuration:    March (2021) – November (2021)\nPosition:    Retail Assistant\n" +
				"Responsibilities:    Stock and sales.\n\n{bold} Brightpost\nDuration:    March 2019 – January 2021\n" +
				"Position:    Wizard",
			[]string{"Retail Assistant at GOLDEN CAFÉ", "Wizard at Brightpost"},
		},
		{
			"labels",
			"Wisdel Tech, Pune\nDesignation: Wizard\nDuration: Oct 2018 – Oct 2019\n- Conjured\nCompany: Northwind\n" +
				"Role: Wrangler of Data\nPeriod: 2016 – 2018\n- Wrangled",
			[]string{"Wizard at Wisdel Tech", "Wrangler of Data at Northwind"},
		},
		{
			"two positions at the same time",
			"{bold} Freelance Designer    2015 – Present\n{bold} Teacher, Harbor School    2018 – 2019\n- Taught",
			[]string{"Freelance Designer at ", "Teacher at Harbor School"},
		},
		{
			"no dates",
			"{bold} Engineer at Acme Ltd\n- Moved the ledger of the bank to Go, with all of its tests\n" +
				"{bold} Analyst at Initech Ltd",
			[]string{"Engineer at Acme Ltd", "Analyst at Initech Ltd"},
		},
		{
			"no dates, and more bold text than other text",
			"{bold} Computer Science & Mathematics Tutor - Lindow University, Leeds\nAid in courses including:\n- Algorithms\n" +
				"{bold} Chief Technical Officer & Webmaster - Lindow Ambassador Ltd, Leeds\n- Ran a site\n" +
				"{bold} Lead Backend Developer - Nimbrel Inc., Leeds\nAt Nimbrel\nEngineer at Acme Ltd",
			[]string{
				"Computer Science & Mathematics Tutor at Lindow University",
				"Chief Technical Officer & Webmaster at Lindow Ambassador Ltd", "Lead Backend Developer at Nimbrel Inc.",
			},
		},
		{
			"no dates, and a title without a usual word",
			"{bold} Engineer - Acme Ltd, Leeds\n- Moved the ledger of the bank to Go, with all of its tests\n" +
				"{bold} Wizard - Puppetry\n- Pulled the strings of eleven puppets in a play about a ledger",
			[]string{"Engineer at Acme Ltd", "Wizard at Puppetry"},
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

// Fields of work in brackets look like a place: "Springfield, Evergreen".
func TestPositionsWithRemarks(t *testing.T) {
	const text = `{20 bold} Marlow Quillfeather

{14 bold} Experience
{bold} Engineer (Search, Ranking) - Tidewater Analytics    2015 – 2016
- Ranked
{bold} Clerk (Berlin, Germany), Harbor Goods    2012 – 2013
- Filed`
	want := []string{"Engineer (Search, Ranking) at Tidewater Analytics in ", "Clerk at Harbor Goods in Berlin, Germany"}
	var got []string
	for _, p := range extract(t, newExtractor(t), resumetest.ParseDocument(text)).Experience {
		got = append(got, p.Title+" at "+p.Company+" in "+p.Location)
	}
	if !slices.Equal(got, want) {
		t.Errorf("positions are %q, want %q", got, want)
	}
}

// A date that the reader doesn't understand would hide the position beside it.
func TestPositionsWithDatesOfAllForms(t *testing.T) {
	x := newExtractor(t)
	const text = `{20 bold} Marlow Quillfeather

{14 bold} Experience
{bold} Head of Stock, Northwind Ltd    04/09/2019 -
- Led
{bold} Buyer, Maison Terral    Oct. 15 – Juin 19
- Bought
{bold} Clerk, Harbor Goods    21/11/2013–30/06/2015
- Filed
{bold} Driver, Lindow Logistics    2012 Aug – Dec
- Drove
{bold} Volunteer Coach, Kiel Docks    March 2010 onwards
- Coached
{bold} Porter, Hotel Alster    until 2009
- Carried`
	want := []string{
		"Head of Stock 2019-09  true", "Buyer 2015-10 2019-06 false", "Clerk 2013-11 2015-06 false",
		"Driver 2012-08 2012-12 false", "Volunteer Coach 2010-03  true", "Porter  2009 false",
	}
	var got []string
	for _, p := range extract(t, x, resumetest.ParseDocument(text)).Experience {
		got = append(got, fmt.Sprintf("%s %s %s %t", p.Title, p.Start, p.End, p.Current))
	}
	if !slices.Equal(got, want) {
		t.Errorf("positions are %q, want %q", got, want)
	}
}

// People list what they do beside their jobs among them, and tell what happened in between.
func TestPositionsWithoutActivities(t *testing.T) {
	x := newExtractor(t)
	for _, line := range []string{
		"Program committee, ABC 2018–2020",
		"ABC Conference, committee member    2018 – 2020",
		"Member of the works council    2016 – 2018",
		"2016 – 2018    Member of the student council, Harbor School",
		"Society of Surveyors | Member    2014 – 2018",
		"Poster, Graph Rewriting, SIGX 2019, Lyon    12/2019",
		"Poster presentation: Graph Rewriting, Lyon    12/2019",
		"Mitglied im Betriebsrat    2016 – 2018",
		"Membre du comité scientifique, ABC    2016 – 2018",
		"Miembro del comité de programa, ABC    2016 – 2018",
		"In 2019 I moved to Lyon and learned to sail.",
		"From 2010 to 2012 I lived in Porto.",
		"I taught chess 2010 – 2012.",
		"Von 2010 bis 2012 lebte ich in Porto.",
	} {
		t.Run(line, func(t *testing.T) {
			r := extract(t, x, resumetest.ParseDocument("{20 bold} Marlow Quillfeather\n\n{14 bold} Experience\n"+
				"{bold} Clerk, Acme Ltd    2019 – 2021\n- Filed\n"+line+"\n{bold} Analyst, Initech Ltd    2015 – 2016\n- Counted"))
			var got []string
			for _, p := range r.Experience {
				got = append(got, p.Title+" at "+p.Company)
			}
			if want := []string{"Clerk at Acme Ltd", "Analyst at Initech Ltd"}; !slices.Equal(got, want) {
				t.Errorf("positions are %q, want %q", got, want)
			}
			if years := r.ExperienceYears; years.Or(9) > 5 {
				t.Errorf("the positions cover %v years, want up to 5", years)
			}
		})
	}
}

// Some jobs have the words of committees, posters and memberships.
func TestPositionsLikeActivities(t *testing.T) {
	x := newExtractor(t)
	for line, want := range map[string]string{
		"Member of Technical Staff, Quell Software    2016 – 2018":          "Member of Technical Staff at Quell Software",
		"Member of the Executive Committee | Lindow AG    2018":             "Member of the Executive Committee at Lindow AG",
		"Poster designer, Quell Ltd    2016 – 2018":                         "Poster designer at Quell Ltd",
		"Engineer, Quell Ltd (council member)    2016 – 2018":               "Engineer at Quell Ltd",
		"Committee secretary, Lindow Council    2016 – 2018":                "Committee secretary at Lindow Council",
		"Developer, Student Union Bremen    2016 – 2018":                    "Developer at Student Union",
		"Team member, Burger Harbor Ltd    2016 – 2018":                     "Team member at Burger Harbor Ltd",
		"EU project manager, Quell Ltd    2016 – 2018":                      "EU project manager at Quell Ltd",
		"Analityk i planista, Quell Ltd    2016 – 2018":                     "Analityk i planista at Quell Ltd",
		"Engineer I at Quell Ltd    2016 – 2018":                            "Engineer I at Quell Ltd",
		"Engineer, Quell Ltd    2016 – 2018\nMember of the works council":   "Engineer at Quell Ltd",
		"Engineer, Quell Ltd    2016 – 2018\n- Member of the works council": "Engineer at Quell Ltd",
	} {
		t.Run(line, func(t *testing.T) {
			r := extract(t, x, resumetest.ParseDocument("{20 bold} Marlow Quillfeather\n\n{14 bold} Experience\n"+line))
			if len(r.Experience) != 1 {
				t.Fatalf("positions are %+v, want one", r.Experience)
			}
			if got := r.Experience[0].Title + " at " + r.Experience[0].Company; got != want {
				t.Errorf("the position is %q, want %q", got, want)
			}
		})
	}
}

// Sections about volunteering list memberships.
func TestVolunteeringKeepsMemberships(t *testing.T) {
	r := extract(t, newExtractor(t), resumetest.ParseDocument("{20 bold} Marlow Quillfeather\n\n"+
		"{14 bold} Experience\n{bold} Clerk, Acme Ltd    2019 – 2021\n- Filed\n\n"+
		"{14 bold} Volunteering\nMember of the student council, Harbor School    2016 – 2018"))
	if len(r.Volunteering) != 1 || r.Volunteering[0].Title != "Member of the student council" {
		t.Errorf("volunteering is %+v, want the student council", r.Volunteering)
	}
}
