package source

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/indexer/source/build"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/internal/realdata"
)

// census has the counts of a file.
type census struct {
	rows, usable, people int            // by id: TestCheck_RealPeople counts who is one person
	faults, warnings     map[string]int // by column and reason
}

func count(t *testing.T, f *File) (c census, people map[string]*rows.Person) {
	t.Helper()
	c = census{faults: map[string]int{}, warnings: map[string]int{}}
	people = map[string]*rows.Person{}
	for row, err := range f.Rows(t.Context()) {
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
			known.Add("", &row)
		} else {
			people[freelancer.ID] = rows.NewPerson("", &row)
		}
	}

	c.people = len(people)
	return c, people
}

// TestRealFiles reads real files unedited. The counts of rows and people are facts about the files; the faults and
// warnings were checked one by one.
func TestRealFiles(t *testing.T) {
	const (
		shifted = "Joined: " + build.RemarkNotDate
		nothing = ": " + build.ReasonNothing
		congo   = "Country: several countries have this name; use an ISO 3166 code, such as CD"
	)

	none := map[string]int{}
	online := census{
		rows: 10914, usable: 10914, people: 3826, faults: none, warnings: map[string]int{shifted: 18, congo: 1},
	}
	tests := []struct {
		folder, name string
		want         census
	}{
		{"freelancers/freelancercom_online", "online_freelancers.Sheet1.csv", online},
		{"freelancers/freelancercom_online", "online_freelancers.xlsx", online},
		{"freelancers/freelancing_trends", "Raw_Dataset.csv", census{1000, 1000, 947, none, none}},
		// Most columns have numbers scaled to 0–1 and are not used.
		{"freelancers/freelancing_trends", "Processed_Dataset.csv", census{946, 946, 946, none, none}},
		{"freelancers/upwork_guru", "upwork_freelancers.csv", census{650, 650, 296, none, none}},
		{"freelancers/upwork_guru", "guru_freelancers.csv", census{1000, 998, 955, map[string]int{nothing: 2}, none}},
		{"freelancers/upwork_guru/checkpoint", "upwork_freelancers-checkpoint.csv", census{150, 150, 143, none, none}},
		{"freelancers/upwork_guru/checkpoint", "guru_freelancers-checkpoint.csv", census{100, 100, 81, none, none}},
		{"relevance", "freelancers.csv", census{5125, 5125, 5125, none, none}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f, err := Open(input.FromPath(realdata.Path(t, test.folder, test.name)), Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()

			for _, column := range f.Columns() {
				t.Logf("%-22q %-12s %s", column.Header, column.Field, column.Note)
			}
			got, people := count(t, f)
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(census{})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}

			unknown := map[string]int{}
			for _, freelancer := range people {
				for _, field := range freelancer.Freelancer.UnknownFields() {
					unknown[field]++
				}
			}

			t.Logf("unknown of %d people: %v", got.people, unknown)
		})
	}
}
