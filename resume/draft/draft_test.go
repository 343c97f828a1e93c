package draft

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/lexicon"
)

// write returns the draft of a resume and its notes as "field kind: reason".
func write(t *testing.T, r resume.Resume) (matching.Freelancer, []string) {
	t.Helper()
	record, notes := NewWriter(lexicon.New()).Write(&r, &resume.Document{})
	var texts []string
	for _, n := range notes {
		texts = append(texts, n.Field+" "+string(n.Kind)+": "+n.Reason)
	}
	return record, texts
}

func TestWrite_Title(t *testing.T) {
	positions := []resume.Position{
		{Title: "Clerk", Start: "2010", End: "2014"},
		{Title: "Data engineer", Start: "2018", Current: true},
		{Title: "Analyst", Start: "2014", End: "2018"},
	}
	const derived = "job_title derived: The job title comes from the newest position."
	for title, kept := range map[string]bool{
		"Backend developer":                    true,
		"Web 2.0 designer":                     true,
		"Berater (m/w/d)":                      true,
		"Head of Search":                       true,
		"Level 3 support engineer":             true,
		"":                                     false,
		"12 Elm Street":                        false,
		"Kurweg 154":                           false,
		"67435 Neustadt":                       false,
		"Berlin, Germany":                      false,
		"mara@example.com":                     false,
		"github.com/mara":                      false,
		"+44 20 7946 0123":                     false,
		"2019 – 2023":                          false,
		"***":                                  false,
		"Work experience":                      false,
		"Lebenslauf":                           false,
		"Seeking a position as developer":      false,
		"Developer looking for new challenges": false,
		"Auf der Suche nach einer Stelle":      false,
		"En recherche d'un poste de développeur":  false,
		"Busco trabajo de camarero":               false,
		"Welcome desk agent":                      true,
		"Technician I":                            true,
		"Hi-fi engineer":                          true,
		"Engineer at Yahoo!":                      true,
		"Welcome to my portfolio":                 false,
		"Welcome!":                                false,
		"Hello, I'm a data engineer":              false,
		"I am a developer from Leeds":             false,
		"Herzlich willkommen":                     false,
		"Willkommen auf meiner Seite":             false,
		"Bienvenue sur mon CV de développeur":     false,
		"Bienvenidos a mi página":                 false,
		strings.Repeat("Manager of managers ", 8): false,
	} {
		record, notes := write(t, resume.Resume{JobTitle: title, Experience: positions})
		want := "Data engineer"
		if kept {
			want = title
		}
		if record.JobTitle != want || slices.Contains(notes, derived) == kept {
			t.Errorf("%q became %q with the notes %q", title, record.JobTitle, notes)
		}
	}
}

func TestWrite_TitleOfPositions(t *testing.T) {
	for _, c := range []struct {
		want      string
		positions []resume.Position
	}{
		{"", nil},
		{"now", []resume.Position{
			{Title: "past", Start: "2010", End: "2019"},
			{Title: "now", Start: "2015", Current: true},
			{Title: "also now", Start: "2020", Current: true},
		}},
		{"last", []resume.Position{
			{Title: "first", Start: "2010-01", End: "2012-05"},
			{Title: "last", Start: "2012-06", End: "2019"},
			{Title: "before", Start: "2012", End: "2018-12"},
		}},
		{"the year's end", []resume.Position{
			{Title: "spring", Start: "2018-01", End: "2019-03"},
			{Title: "the year's end", Start: "2018", End: "2019"},
		}},
		{"named", []resume.Position{
			{Start: "2020", Current: true},
			{Title: "named"},
		}},
		{"a title", []resume.Position{
			{Title: "Kurweg 154", Start: "2020", Current: true},
			{Title: "a title", Start: "2015", End: "2016"},
		}},
	} {
		record, notes := write(t, resume.Resume{Experience: c.positions})
		if record.JobTitle != c.want {
			t.Errorf("the title is %q, want %q", record.JobTitle, c.want)
		}

		unknown := slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, "job_title unknown: ") })
		if unknown != (c.want == "") {
			t.Errorf("title %q has the notes %q", record.JobTitle, notes)
		}
	}
}

func TestWrite_Years(t *testing.T) {
	for want, r := range map[string]resume.Resume{
		"": {ExperienceYears: matching.Some(4.5)},
		"No positions were found, so the years are unknown.": {},
		"No position has a start and an end, so the years are unknown.": {
			Experience: []resume.Position{{Title: "Engineer"}},
		},
	} {
		record, notes := write(t, r)
		if record.Experience != r.ExperienceYears {
			t.Errorf("%v years, want %v", record.Experience, r.ExperienceYears)
		}

		at := slices.IndexFunc(notes, func(n string) bool { return strings.HasPrefix(n, "experience ") })
		if want == "" && at >= 0 || want != "" && (at < 0 || notes[at] != "experience unknown: "+want) {
			t.Errorf("notes %q, want %q", notes, want)
		}
	}
}

func TestWrite_Country(t *testing.T) {
	const (
		town   = "The country is derived from the town or region."
		postal = "The country is derived from the form of the postal code."
		phone  = "The country is derived from the country code of the phone number."
	)
	for _, c := range []struct{ location, phone, want, derived string }{
		{"Porto, Portugal", "+49 30 901820", "PT", ""},
		{"Rotterdam", "", "NL", town},
		{"San Francisco, CA", "+49 30 901820", "US", town},
		{"Pleasantville, CA 94588", "", "US", town},
		{"Little Hamlet LS1 4AB", "", "GB", postal},
		{"Hamlet K1A 0B1", "", "CA", postal},
		{"CH-4690 Dorfheim", "+49 30 901820", "CH", postal},
		{"Dorfheim", "+43 1 5550123", "AT", phone},
		{"", "+220 762 5555", "GM", phone},
		{"", "020 7946 0123", "", ""},
		{"Dorfheim", "", "", ""},
		{"", "+881 6 1234 5678", "", ""}, // a satellite phone
		{"", "+", "", ""},
	} {
		record, notes := write(t, resume.Resume{Contact: resume.Contact{Location: c.location, Phone: c.phone}})
		if record.Country != c.want {
			t.Errorf("%q and %q: country %q, want %q", c.location, c.phone, record.Country, c.want)
		}

		at := slices.IndexFunc(notes, func(n string) bool { return strings.HasPrefix(n, "country ") })
		if c.derived == "" && at >= 0 || c.derived != "" && (at < 0 || notes[at] != "country derived: "+c.derived) {
			t.Errorf("%q: notes %q, want %q", c.location, notes, c.derived)
		}
	}
}

func TestWrite_DescriptionNamesNoEmployer(t *testing.T) {
	record, _ := write(t, resume.Resume{
		Summary: "Built tills at Kiln & Glaze for seven years.",
		Experience: []resume.Position{
			{
				Title: "Lead developer", Company: "Kiln & Glaze GmbH",
				Description: "Moved Kiln & Glaze GmbH to Go.\nKiln & Glazes were not touched.",
			},
			{Title: "Developer", Company: "Ox", Description: "Oxen and Ox."},
			{Company: "Harbor Goods", Description: "Sold Harbor Goods' wares."},
		},
	})
	const want = "Built tills at [employer] for seven years.\n\n" +
		"Lead developer\nMoved [employer] to Go.\nKiln & Glazes were not touched.\n\n" +
		"Developer\nOxen and Ox.\n\n" +
		"Sold [employer]' wares."
	if diff := cmp.Diff(want, record.Description); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWrite_DescriptionHasNoPersonalFacts(t *testing.T) {
	for in, want := range map[string]string{
		"I build shops.": "I build shops.",
		"Born May 3, 1990 in Lima. I build shops.":           "I build shops.",
		"Date of birth: 26/07/1991 | Nationality: Spanish":   "",
		"Married, 2 children, ten years of Go":               "ten years of Go",
		"Verheiratet, zwei Kinder; schreibe Go":              "schreibe Go",
		"Eltern: Birgit Quill, Diplom-Psychologin\nGo":       "Diplom-Psychologin\nGo",
		"Familienstand: ledig\nPython":                       "Python",
		"Geboren am 18.12.2003, Abitur 2022":                 "Abitur 2022",
		"Kurweg 154, 67435 Neustadt. Go":                     "Go",
		"12 Elm Street, Leeds":                               "Leeds",
		"10 rue du Moulin, Lyon":                             "Lyon",
		"Calle Mayor 5 | Go":                                 "Go",
		"Write to mara@example.com or call +44 20 7946 0123": "",
		"Adresse: Am Markt 3b, 12345 Dorf":                   "",
		"Mobile: React Native, Flutter":                      "Mobile: React Native, Flutter",
		"Mobile: 0163 2055555":                               "",
		"Location: remote; Go":                               "Location: remote; Go",
		"Taught children, adults and seniors":                "Taught children, adults and seniors",
		"Won 1st place of 30 teams":                          "Won 1st place of 30 teams",
		"1st place":                                          "1st place",
		"Ran 2 drive tests":                                  "Ran 2 drive tests",
		"Visa 3D Secure, Mastercard":                         "Visa 3D Secure, Mastercard",
		"Cut costs by 12.5 %, e.g. in 3 teams.":              "Cut costs by 12.5 %, e.g. in 3 teams.",
		"Age: 30":                                            "",
		"性别：女":                                               "",
		"单页应用, 已婚, Go":                                       "单页应用, Go",
	} {
		record, notes := write(t, resume.Resume{Summary: in})
		if record.Description != want {
			t.Errorf("%q became %q, want %q", in, record.Description, want)
		}

		noted := slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, "description left_out: ") })
		if noted != (in != want) {
			t.Errorf("%q: notes %q", in, notes)
		}
	}
}

func TestWrite_DescriptionEndsBetweenPositions(t *testing.T) {
	text := strings.Repeat("Wrote the till. ", 150)
	record, _ := write(t, resume.Resume{
		Experience: slices.Repeat([]resume.Position{{Title: "Developer", Description: text}}, 4),
	})
	if n := strings.Count(record.Description, "Developer"); n != 2 || len(record.Description) > maxDescription {
		t.Errorf("%d positions in %d bytes", n, len(record.Description))
	}
}

// Whatever a text is, what is left is in it, in order, and has no contact details.
func FuzzWithoutFacts(f *testing.F) {
	f.Add("Born May 3, 1990 in Lima. I build shops; mara@example.com | +44 20 7946 0123")
	f.Add("Kurweg 154,,67435 Neustadt.\n,\n|")
	w := NewWriter(lexicon.New())
	f.Fuzz(func(t *testing.T, text string) {
		rest, n := w.withoutFacts(text)
		if n == 0 && rest != text {
			t.Errorf("%q became %q, but nothing was left out", text, rest)
		}
		if len(rest) > len(text) || emailAddress.MatchString(rest) && n == 0 && !emailAddress.MatchString(text) {
			t.Errorf("%q became %q", text, rest)
		}
		if again, _ := w.withoutFacts(rest); len(again) > len(rest) {
			t.Errorf("%q became %q", rest, again)
		}
	})
}
