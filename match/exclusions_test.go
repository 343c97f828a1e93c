package match_test

import (
	"encoding/csv"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
)

// A wording is a line of testdata/exclusions/*.txt.
type wording struct {
	brief    string
	excluded []string
	first    []string // the ids of those who may come first; empty for anybody
}

func readWordings(t *testing.T, name string) []wording {
	t.Helper()
	file, err := os.ReadFile("testdata/exclusions/" + name)
	if err != nil {
		t.Fatal(err)
	}

	var all []wording
	for line := range strings.Lines(string(file)) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}

		cells := strings.Split(line, "|")
		if len(cells) != 4 {
			t.Fatalf("%q must have four cells", line)
		}

		all = append(all, wording{
			brief: strings.TrimSpace(cells[1]), excluded: splitCell(cells[2]), first: splitCell(cells[3]),
		})
	}

	return all
}

func splitCell(cell string) (items []string) {
	for item := range strings.SplitSeq(cell, ";") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

// peopleOfWordings returns the freelancers of testdata/exclusions/people.csv.
func peopleOfWordings(t *testing.T) []matching.Freelancer {
	t.Helper()
	file, err := os.Open("testdata/exclusions/people.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()

	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}

	var people []matching.Freelancer
	for _, row := range rows[1:] {
		people = append(people, matching.Freelancer{
			ID: row[0], JobTitle: row[1], Skills: strings.Split(row[2], ", "), Description: row[3],
			Signals: known(40, 4.6, 6, 20, true),
		})
	}

	return people
}

// faults returns what is wrong with the answer to a wording.
func (w *wording) faults(t *testing.T, service *world) (faults []string) {
	t.Helper()
	brief := matching.Brief{Description: w.brief, Limit: 50}
	answer, err := service.service.Match(t.Context(), &brief)
	if err != nil {
		t.Fatal(err)
	}

	excluded := slices.Sorted(slices.Values(answer.ExcludedSkills))
	if !slices.Equal(excluded, w.excluded) {
		faults = append(faults, "excludes "+strings.Join(excluded, "; "))
	}

	for _, skill := range w.excluded {
		if slices.Contains(answer.DerivedSkills, skill) {
			faults = append(faults, "derives "+skill)
		}
	}

	if len(answer.Matches) == 0 {
		return faults
	}

	best := answer.Matches[0].Freelancer.ID
	named := slices.ContainsFunc(w.excluded, func(skill string) bool { return strings.ToLower(skill) == best })
	if named || len(w.first) > 0 && !slices.Contains(w.first, best) {
		faults = append(faults, "begins with "+best)
	}

	return faults
}

func TestMatch_Exclusions(t *testing.T) {
	w := newWorld(t, peopleOfWordings(t)...)
	for _, c := range readWordings(t, "wordings.txt") {
		for _, fault := range c.faults(t, w) {
			t.Errorf("%s: %s", c.brief, fault)
		}
	}
}

func TestMatch_ListedSkillIsNotExcluded(t *testing.T) {
	w := newWorld(t, peopleOfWordings(t)...)
	for name, c := range map[string]struct {
		brief matching.Brief
		want  []string
	}{
		"excluded":     {matching.Brief{Description: "Shop, no WordPress"}, []string{"WordPress"}},
		"required":     {matching.Brief{Description: "Shop, no WordPress", RequiredSkills: []string{"WordPress"}}, nil},
		"nice to have": {matching.Brief{Description: "Shop, no WordPress", NiceToHaveSkills: []string{"WordPress"}}, nil},
		"in a filter": {
			matching.Brief{
				Description: "Shop, no WordPress", Filters: matching.Filters{MustHaveSkills: []string{"WordPress"}},
			}, nil,
		},
		"asked for elsewhere": {matching.Brief{JobTitle: "WordPress", Description: "no WordPress pages"}, nil},
	} {
		if answer := w.match(c.brief); !slices.Equal(answer.ExcludedSkills, c.want) {
			t.Errorf("%s: excludes %v, want %v", name, answer.ExcludedSkills, c.want)
		}
	}
}

func TestMatch_ExcludedSkillsAreSuggestedAsFilter(t *testing.T) {
	w := newWorld(t, peopleOfWordings(t)...)
	answer := w.match(matching.Brief{Description: "Back end for a shop, any language except PHP"})
	want := []matching.SuggestedFilter{{
		Filter: "exclude_skills", Value: []string{"PHP"}, Because: []string{"except PHP"},
	}}
	if diff := cmp.Diff(want, answer.SuggestedFilters); diff != "" {
		t.Errorf("suggested filters (-want +got):\n%s", diff)
	}

	filtered := w.match(matching.Brief{
		Description: "Back end for a shop, any language except PHP",
		Filters:     matching.Filters{ExcludeSkills: answer.SuggestedFilters[0].Value.([]string)},
	})
	if len(filtered.SuggestedFilters) > 0 {
		t.Errorf("suggested %v although the filter is set", filtered.SuggestedFilters)
	}

	php := func(m matching.Match) bool { return m.Freelancer.ID == "php" }
	if !slices.ContainsFunc(answer.Matches, php) || slices.ContainsFunc(filtered.Matches, php) {
		t.Error("the filter, and nothing else, must exclude the PHP developer")
	}
	if n := filtered.Filters[0]; n.Filter != "exclude_skills" || n.Excluded != 1 {
		t.Errorf("got %+v", n)
	}
}

func TestMatch_OptionalSkillIsNiceToHave(t *testing.T) {
	w := newWorld(t, peopleOfWordings(t)...)
	answer := w.match(matching.Brief{Description: "React developer. Angular is a plus but not required."})
	if !slices.Equal(answer.NiceToHaveSkills, []string{"Angular"}) || slices.Contains(answer.DerivedSkills, "Angular") {
		t.Errorf("nice to have %v, derived %v", answer.NiceToHaveSkills, answer.DerivedSkills)
	}
}

// The wordings of unseen.txt were not looked at while the cues were written, so their share says how good the cues are.
func TestMatch_UnseenExclusions(t *testing.T) {
	w := newWorld(t, peopleOfWordings(t)...)
	wordings := readWordings(t, "unseen.txt")
	right := 0
	for _, c := range wordings {
		faults := c.faults(t, w)
		if len(faults) == 0 {
			right++
		}
		for _, fault := range faults {
			t.Logf("%s: %s", c.brief, fault)
		}
	}

	t.Logf("%d of %d wordings are right", right, len(wordings))
	if right < 8 {
		t.Errorf("%d of %d wordings are right, want 8", right, len(wordings))
	}
}
