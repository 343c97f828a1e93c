package headers

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/indexer/source/field"
)

// TestHeaderFiles checks that no file of headers contradicts itself. Two languages may use a word differently; then the
// language that groups.txt lists first decides.
func TestHeaderFiles(t *testing.T) {
	t.Parallel()
	isOptional := map[string]bool{
		"middle name": true, "project parts": true, "origin": true, "german": true, "dutch": true,
	}
	for _, l := range vocabulary().languages {
		seen := make(map[string]string) // label by words
		labels := make(map[string]bool)
		for _, line := range Lines(headerFiles, l.name+".txt") {
			label, items, _ := strings.Cut(line, ": ")
			if _, ok := vocabulary().labels[label]; !ok {
				continue // a list of words
			}
			labels[label] = true
			for item := range strings.SplitSeq(items, "; ") {
				header, label := cutLabel(item, label)
				if _, ok := vocabulary().labels[label]; !ok {
					t.Errorf("%s.txt: %q has an unknown label", l.name, item)
				}
				labels[label] = true
				words := Words(strings.TrimPrefix(header, "?"))
				key := strings.Join(words, " ")
				if other, ok := seen[key]; ok {
					t.Errorf("%s.txt: %q is under %q and %q", l.name, header, other, label)
				}

				seen[key] = label
			}
		}

		for _, line := range Lines(headerFiles, "groups.txt") {
			names, _, isGroup := strings.Cut(line, " = ")
			for label := range strings.SplitSeq(names, "; ") {
				if isGroup && !labels[label] && !isOptional[label] {
					t.Errorf("%s.txt has no headers for %q", l.name, label)
				}
			}
		}
	}
}

// A new field needs no line in groups.txt, and not a header in every language.
func TestParseHeaders_FieldWithoutGroup(t *testing.T) {
	t.Parallel()
	v := parseHeaders(fstest.MapFS{
		"groups.txt": {Data: []byte("languages: en\nweekly hours = hours_per_week\n")},
		"en.txt":     {Data: []byte("weekly hours: hours\nverified: vetted\n")},
	})
	if got := v.exact["vetted"]; got.Group == nil || got.Field.String() != "verified" {
		t.Errorf("vetted = %+v, want the field verified", got)
	}
	if _, ok := v.labels["hours_per_week"]; ok {
		t.Error("hours_per_week is a label, although weekly hours is its label")
	}
}

// TestHeaders checks the ways to write a header, apart from the words of each language.
func TestHeaders(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]field.Field{
		// Case, punctuation and the order of words.
		"hourlyRateUSD": field.HourlyRate, "HOURLY RATE": field.HourlyRate, "rate, hourly": field.HourlyRate,
		"$/hr": field.HourlyRate, "# of reviews": field.TotalSales, "Rating (1-5)": field.Rating, "job-title": field.JobTitle,
		"rate (Rs)": field.HourlyRate, "Skill(s)": field.Skills, "(name)": field.Name,
		// Accents and umlauts.
		"ubicacion": field.Location, "Verfuegbarkeit": field.Availability, "VERFÜGBARKEIT": field.Availability,
		"Strasse": field.None, "Umiejetnosci": field.Skills, "Ubicacio\u0301n": field.Location,
		// Nested keys, prefixes, suffixes and numbers.
		"attributes.hourlyRate.amount": field.HourlyRate, "data.user.profile.title": field.JobTitle,
		"person.name.first": field.Name, "skills.0.name": field.Skills, "Skill 3": field.Skills,
		"rating.average":     field.Rating,
		"candidate_location": field.Location, "user.company.name": field.None,
		// Questions of forms.
		"What is your hourly rate?": field.HourlyRate, "What's your hourly rate in USD? (numbers only)": field.HourlyRate,
		"How many years of experience do you have?": field.Experience, "¿Cuál es tu tarifa por hora?": field.HourlyRate,
		"Wie hoch ist Ihr Stundensatz?": field.HourlyRate, "Quel est votre taux horaire (HT) ?": field.HourlyRate,
		// Rates for other units.
		"TJM": field.HourlyRate, "Tagessatz (EUR)": field.HourlyRate, "Daily rate": field.HourlyRate,
		// Two languages in one header.
		"Skills / Habilidades": field.Skills, "Name | Nombre": field.Name, "Skills / Stadt": field.None,
		// Similar words for other things.
		"Max hourly rate": field.None, "Daily standup": field.None,
		"Experience level": field.None, "Number of employees": field.None, "Job success on time": field.None,
		"Status": field.None, "Level": field.None, "Type": field.None, "Score": field.None, "Price": field.None,
		"Note": field.None,
		"":     field.None, "???": field.None, strings.Repeat("name ", 100): field.None,
	} {
		got := field.None
		if h, ok := Lookup(header); ok {
			got = h.Field
		}

		if got != want {
			t.Errorf("lookup(%q) = %v, want %v", header, got, want)
		}
	}
}

// TestHeadersTogether checks headers whose meaning depends on the other headers of the file.
func TestHeadersTogether(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		headers []string
		labels  []string
	}{
		{"ambiguous alone", []string{"name", "note"}, []string{"name", "notes"}},
		{"ambiguous in French", []string{"ville", "note"}, []string{"location", "rating"}},
		{
			"ambiguous in two languages",
			[]string{"Ort", "Beruf", "voto", "Stelle"},
			[]string{"location", "profession", "rating", "title"},
		},
		{"last name only called name", []string{"Vorname", "Name"}, []string{"first name", "last name"}},
		{"first name only called name", []string{"Nombre", "Apellidos"}, []string{"first name", "last name"}},
		{"all parts of a name", []string{"Name", "First name", "Last name"}, []string{"name", "first name", "last name"}},
		{"full name and a part", []string{"Full name", "First name"}, []string{"name", "first name"}},
	} {
		var got []string
		for _, h := range LookupAll(test.headers) {
			got = append(got, h.label)
		}

		if diff := cmp.Diff(test.labels, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.name, diff)
		}
	}
}
