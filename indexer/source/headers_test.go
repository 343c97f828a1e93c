package source

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
		for _, line := range dataLines(headerFiles, l.name+".txt") {
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
				words := headerWords(strings.TrimPrefix(header, "?"))
				key := strings.Join(words, " ")
				if other, ok := seen[key]; ok {
					t.Errorf("%s.txt: %q is under %q and %q", l.name, header, other, label)
				}

				seen[key] = label
			}
		}

		for label := range vocabulary().labels {
			if !labels[label] && !isOptional[label] {
				t.Errorf("%s.txt has no headers for %q", l.name, label)
			}
		}
	}
}

// TestHeaders checks the ways to write a header, apart from the words of each language.
func TestHeaders(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]field{
		// Case, punctuation and the order of words.
		"hourlyRateUSD": fieldHourlyRate, "HOURLY RATE": fieldHourlyRate, "rate, hourly": fieldHourlyRate,
		"$/hr": fieldHourlyRate, "# of reviews": fieldTotalSales, "Rating (1-5)": fieldRating, "job-title": fieldJobTitle,
		"rate (Rs)": fieldHourlyRate, "Skill(s)": fieldSkills, "(name)": fieldName,
		// Accents and umlauts.
		"ubicacion": fieldLocation, "Verfuegbarkeit": fieldAvailability, "VERFÜGBARKEIT": fieldAvailability,
		"Strasse": fieldNone, "Umiejetnosci": fieldSkills, "Ubicacio\u0301n": fieldLocation,
		// Nested keys, prefixes, suffixes and numbers.
		"attributes.hourlyRate.amount": fieldHourlyRate, "data.user.profile.title": fieldJobTitle,
		"person.name.first": fieldName, "skills.0.name": fieldSkills, "Skill 3": fieldSkills, "rating.average": fieldRating,
		"candidate_location": fieldLocation, "user.company.name": fieldNone,
		// Questions of forms.
		"What is your hourly rate?": fieldHourlyRate, "What's your hourly rate in USD? (numbers only)": fieldHourlyRate,
		"How many years of experience do you have?": fieldExperience, "¿Cuál es tu tarifa por hora?": fieldHourlyRate,
		"Wie hoch ist Ihr Stundensatz?": fieldHourlyRate, "Quel est votre taux horaire (HT) ?": fieldHourlyRate,
		// Two languages in one header.
		"Skills / Habilidades": fieldSkills, "Name | Nombre": fieldName, "Skills / Stadt": fieldNone,
		// Similar words for other things.
		"TJM": fieldNone, "Tagessatz (EUR)": fieldNone, "Daily rate": fieldNone, "Max hourly rate": fieldNone,
		"Experience level": fieldNone, "Number of employees": fieldNone, "Job success on time": fieldNone,
		"Status": fieldNone, "Level": fieldNone, "Type": fieldNone, "Score": fieldNone, "Price": fieldNone, "Note": fieldNone,
		"": fieldNone, "???": fieldNone, strings.Repeat("name ", 100): fieldNone,
	} {
		got := fieldNone
		if h, ok := lookup(header); ok {
			got = h.field
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
		for _, h := range lookupAll(test.headers) {
			got = append(got, h.label)
		}

		if diff := cmp.Diff(test.labels, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.name, diff)
		}
	}
}
