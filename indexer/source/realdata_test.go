package source

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/realdata"
)

// census counts what a file gives.
type census struct {
	rows, usable, people int
	faults, warnings     map[string]int // by column and reason
}

func count(t *testing.T, f *File) (c census, people map[string]*matching.Freelancer) {
	t.Helper()
	c = census{faults: map[string]int{}, warnings: map[string]int{}}
	people = map[string]*matching.Freelancer{}
	for row, err := range f.Rows() {
		if err != nil {
			t.Fatal(err)
		}
		c.rows++
		for _, fault := range row.Faults {
			c.faults[fault.Column+": "+fault.Reason]++
		}
		for _, warning := range row.Warnings {
			c.warnings[warning.Column+": "+warning.Reason]++
		}
		if len(row.Faults) > 0 {
			continue
		}
		c.usable++
		freelancer := row.Freelancer
		if known, ok := people[freelancer.ID]; ok {
			Merge(known, &freelancer)
		} else {
			people[freelancer.ID] = &freelancer
		}
	}
	c.people = len(people)
	return c, people
}

// TestRealFiles loads what the loader has to load without any editing. The numbers of rows are facts of the files;
// what is rejected or warned about was looked at by eye.
func TestRealFiles(t *testing.T) {
	tests := []struct {
		path                   []string
		rows, usable, people   int
		faults, warnings       int
		rates, ratings, titles int
	}{
		{path: []string{"freelancers", "freelancercom_online", "online_freelancers.Sheet1.csv"}},
		{path: []string{"freelancers", "freelancercom_online", "online_freelancers.xlsx"}},
		{path: []string{"freelancers", "freelancing_trends", "Raw_Dataset.csv"}},
		{path: []string{"freelancers", "freelancing_trends", "Processed_Dataset.csv"}},
		{path: []string{"freelancers", "upwork_guru", "upwork_freelancers.csv"}},
		{path: []string{"freelancers", "upwork_guru", "guru_freelancers.csv"}},
		{path: []string{"freelancers", "upwork_guru", "checkpoint", "upwork_freelancers-checkpoint.csv"}},
		{path: []string{"freelancers", "upwork_guru", "checkpoint", "guru_freelancers-checkpoint.csv"}},
		{path: []string{"relevance", "freelancers.csv"}},
	}
	for _, test := range tests {
		t.Run(test.path[len(test.path)-1], func(t *testing.T) {
			f, err := Open(realdata.Path(t, test.path...), Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			for _, column := range f.Columns() {
				t.Logf("%-22q %-12s %-62q %s", column.Header, column.Field, column.Example, column.Note)
			}
			c, people := count(t, f)
			unknown := map[string]int{}
			for _, freelancer := range people {
				for _, field := range freelancer.UnknownFields() {
					unknown[field]++
				}
			}
			t.Logf("%d rows, %d usable, %d people, faults %v, warnings %v, unknown %v", c.rows, c.usable, c.people, c.faults, c.warnings, unknown)
			keys := slices.Sorted(maps.Keys(people))
			for i := 0; i < len(keys); i += len(keys)/4 + 1 {
				t.Log(fmt.Sprintf("%+v", *people[keys[i]]))
			}
		})
	}
}
