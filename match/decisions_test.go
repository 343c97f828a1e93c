package match_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

// TestMatch_Decisions checks testdata/decisions, whose README describes the format.
func TestMatch_Decisions(t *testing.T) {
	var people []matching.Freelancer
	known := map[string]bool{}
	for _, entry := range readDecisions(t, "people.txt") {
		people = append(people, entry.person(t))
		known[entry.name] = true
	}

	w := newWorld(t, people...)
	files, err := filepath.Glob("testdata/decisions/*.txt")
	if err != nil {
		t.Fatal(err)
	}

	briefs := 0
	for _, file := range files {
		for _, entry := range readDecisions(t, filepath.Base(file)) {
			if entry.kind == "brief" {
				briefs++
				entry.check(t, w, known)
			}
		}
	}

	if briefs < 40 {
		t.Errorf("only %d briefs", briefs)
	}
}

// A decisionEntry is a person or a brief.
type decisionEntry struct {
	kind, name, place string
	values            map[string]string
	expectations      []string
}

// readDecisions reads one of the files.
func readDecisions(t *testing.T, file string) []*decisionEntry {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata/decisions", file))
	if err != nil {
		t.Fatal(err)
	}

	var entries []*decisionEntry
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		kind, name, _ := strings.Cut(line, " ")
		key, value, isValue := strings.Cut(line, ": ")
		isValue = isValue && !strings.Contains(key, " ")

		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case kind == "person" || kind == "brief":
			entries = append(entries, &decisionEntry{
				kind: kind, name: name, place: fmt.Sprintf("%s:%d", file, number), values: map[string]string{},
			})
		case len(entries) == 0:
			t.Fatalf("%s:%d: expected a person or a brief", file, number)
		case isValue:
			entries[len(entries)-1].values[key] = value
		default:
			e := entries[len(entries)-1]
			e.expectations = append(e.expectations, line)
		}
	}

	return entries
}

// take removes a value from the entry, so that check finds those that nobody knows. It returns "" for a missing one.
func (e *decisionEntry) take(key string) string {
	value := e.values[key]
	delete(e.values, key)
	return value
}

// number takes a number, which is unknown if it is missing.
func (e *decisionEntry) number(t *testing.T, key string) (n matching.Optional[float64]) {
	t.Helper()
	if text := e.take(key); text != "" {
		n = matching.Some(e.parse(t, text))
	}
	return n
}

func (e *decisionEntry) parse(t *testing.T, text string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatalf("%s: %v", e.place, err)
	}
	return n
}

// list takes a list of names.
func (e *decisionEntry) list(key string) []string {
	if text := e.take(key); text != "" {
		return strings.Split(text, ", ")
	}
	return nil
}

// rest fails if the entry has keys that nothing has read.
func (e *decisionEntry) rest(t *testing.T) {
	t.Helper()
	for key := range e.values {
		t.Fatalf("%s: unknown key %q", e.place, key)
	}
}

func (e *decisionEntry) person(t *testing.T) matching.Freelancer {
	t.Helper()
	f := matching.Freelancer{
		ID: e.name, Name: e.name, JobTitle: e.take("title"), Skills: e.list("skills"), Description: e.take("text"),
	}
	f.HourlyRate, f.Experience, f.HoursPerWeek = e.number(t, "rate"), e.number(t, "years"), e.number(t, "hours")
	if rating, projects, ok := strings.Cut(strings.TrimSuffix(e.take("rating"), " projects"), " in "); ok {
		f.Rating = matching.Some(e.parse(t, rating))
		f.TotalSales = matching.Some(int(e.parse(t, projects)))
	}

	switch available := e.take("available"); available {
	case "":
	case "yes", "no":
		f.Availability = matching.Some(available == "yes")
	default:
		f.AvailableFrom = available
	}

	e.rest(t)
	return f
}

func (e *decisionEntry) brief(t *testing.T) matching.Brief {
	t.Helper()
	b := matching.Brief{
		JobTitle: e.take("title"), Description: e.take("text"), RequiredSkills: e.list("required"),
		NiceToHaveSkills: e.list("nice"), EffortHours: e.number(t, "hours"), Limit: 100,
		Filters: matching.Filters{MustHaveSkills: e.list("must"), ExcludeSkills: e.list("exclude")},
	}

	// A fixed first day keeps the calendar out of the test.
	if days := e.number(t, "days"); days.Known {
		b.TimelineDays = matching.Some(int(days.Value))
		start := time.Date(2027, 1, 4, 0, 0, 0, 0, time.UTC)
		b.StartDay = matching.Some(int(start.Unix() / 86400))
	}

	if text := e.take("budget"); text != "" {
		amounts, kind, _ := strings.Cut(text, " ")
		low, high, _ := strings.Cut(amounts, "-")
		b.Budget = matching.Some(matching.Budget{
			Low: e.parse(t, low), High: e.parse(t, high), Kind: matching.BudgetKind(kind),
		})
	}

	if available := e.take("available"); available != "" {
		b.Filters.Available = matching.Some(available == "yes")
	}

	e.rest(t)
	return b
}

// check asks for the brief and compares the answer with the expectations.
func (e *decisionEntry) check(t *testing.T, w *world, known map[string]bool) {
	t.Helper()
	if len(e.expectations) == 0 {
		t.Errorf("%s: the brief expects nothing", e.place)
	}

	a := w.match(e.brief(t))
	places := map[string]int{}
	var order []string
	for i, m := range a.Matches {
		places[m.Freelancer.ID] = i + 1
		order = append(order, fmt.Sprintf("%s %.3f", m.Freelancer.ID, m.Score))
	}

	for _, expectation := range e.expectations {
		claim, reason, _ := strings.Cut(expectation, ", because ")
		words := strings.Fields(claim)
		isOrder := len(words) == 3 && words[1] == "before" && known[words[0]] && known[words[2]]
		isAbsence := len(words) == 3 && words[1] == "is" && words[2] == "absent" && known[words[0]]

		holds := false
		switch {
		case reason == "" || !isOrder && !isAbsence:
			t.Errorf("%s: can't read %q", e.place, expectation)
			continue
		case isAbsence:
			holds = places[words[0]] == 0
		default:
			first := places[words[0]]
			second := places[words[2]]
			holds = first > 0 && (second == 0 || first < second)
		}

		if !holds {
			t.Errorf("%s: %s: %s\n\tgot %s", e.place, e.name, expectation,
				strings.Join(order[:min(12, len(order))], ", "))
		}
	}
}
