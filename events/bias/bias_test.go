package bias

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/internal/matching"
)

func TestReadGroups_RejectsInvalidFiles(t *testing.T) {
	for file, want := range map[string]string{
		"":                                     "empty",
		"id,sex\nf1,x\n":                       "must name the column freelancer_id",
		"freelancer_id\nf1\n":                  "1 to 4 columns with groups, got 0",
		"freelancer_id,a,b,c,d,e\n":            "1 to 4 columns with groups, got 5",
		"freelancer_id,sex\n,female\n":         "line 2 has no freelancer_id",
		"freelancer_id,sex\nf1,a\nf1,b\n":      "line 3 repeats",
		"freelancer_id,sex\nf1,a,b\n":          "wrong number of fields",
		"freelancer_id,sex\nf1,\"unfinished\n": "line 2",
	} {
		if _, err := ReadGroups(strings.NewReader(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", file, err, want)
		}
	}
}

// audited returns the report on 100 women and 100 men, of whom 20 and 40 are in the first place of a response and the
// others at the 11th place, on one person of a third category, and on one whose category is unknown.
func audited(t *testing.T) Report {
	t.Helper()
	var file strings.Builder
	file.WriteString("\ufeffsex,freelancer_id,origin\n")
	var matches []events.Match
	add := func(sex, origin string, n, first int) {
		for i := range n {
			id := fmt.Sprint(sex, origin, i)
			fmt.Fprintf(&file, "%s,%s,%s\n", sex, id, origin)
			m := events.Match{ID: id, At: time.Unix(int64(i), 0), Freelancers: []uint64{events.Hash(id)}}
			m.Scores = []float64{.9}
			if i >= first {
				m.Offset = 10
				m.Scores = []float64{.4}
			}
			matches = append(matches, m)
		}
	}
	add("female", "north", 50, 10)
	add("female", "south", 50, 10)
	add("male", "north", 50, 30)
	add("male", "south", 50, 10)
	add("other", "north", 1, 1)
	add("", "south", 1, 1)

	groups, err := ReadGroups(strings.NewReader(file.String()))
	if err != nil {
		t.Fatal(err)
	}
	a := New(groups, 5)
	for _, m := range matches {
		var list []events.Event
		if strings.HasPrefix(m.ID, "female") && m.Offset == 0 {
			list = []events.Event{{Freelancer: m.ID, Type: events.Hired}, {Freelancer: "unlisted", Type: events.Hired}}
		}
		a.Add(m, list)
	}
	a.Add(events.Match{At: time.Unix(9, 0), Freelancers: []uint64{0, events.Hash("unlisted")}}, nil)
	return a.Report(0.02)
}

// The figures of the example can be computed by hand.
func TestAudit_ImpactRatios(t *testing.T) {
	r := audited(t)
	if r.Matches != 203 || r.WithEvents != 20 || r.People != 202 || r.Unlisted != 1 || len(r.Tables) != 3*4 {
		t.Errorf("got %d matches, %d with events, %d people, %d unlisted, %d tables",
			r.Matches, r.WithEvents, r.People, r.Unlisted, len(r.Tables))
	}

	top := r.Tables[0]
	if top.Measure != Top || top.Unknown != 1 || len(top.Rows) != 3 {
		t.Fatalf("got %+v", top)
	}

	// The rate of one person is the highest, but a category below 2 percent is no reference.
	if other := top.Rows[0]; !other.Excluded || other.Ratio.Known || other.Rate != 1 {
		t.Errorf("other: %+v", other)
	}
	if male := top.Rows[1]; male.Selected != 40 || male.Ratio != matching.Some(1.0) || male.Low.Known {
		t.Errorf("male: %+v", male)
	}

	// Katz: the logarithm of the ratio has the variance 1/20 - 1/100 + 1/40 - 1/100.
	female := top.Rows[2]
	spread := math.Exp(1.96 * math.Sqrt(1./20-1./100+1./40-1./100))
	isNear := func(got matching.Optional[float64], want float64) bool {
		return got.Known && math.Abs(got.Value-want) < 1e-9
	}
	if !isNear(female.Ratio, .5) || !isNear(female.Low, .5/spread) || !isNear(female.High, .5*spread) {
		t.Errorf("female: %+v", female)
	}

	chosen := r.Tables[1]
	if chosen.Rows[0].Category != "female" || chosen.Rows[0].Selected != 20 || chosen.Rows[1].Ratio.Value != 0 {
		t.Errorf("chosen: %+v", chosen)
	}

	// 62 of 202 people are at the first place, so the median is the score of the 11th.
	scoring := r.Tables[2]
	if scoring.Measure != Scoring || scoring.Rows[2].Selected != 20 {
		t.Errorf("scoring: %+v", scoring)
	}

	exposure := r.Tables[3]
	first, eleventh := 1., 1/math.Log2(12)
	if want := (20*first + 80*eleventh) / (40*first + 60*eleventh); !isNear(exposure.Rows[2].Ratio, want) {
		t.Errorf("exposure: %+v, want the ratio %v", exposure, want)
	}

	intersection := r.Tables[8]
	if got := intersection.Rows[1]; got.Category != "male, north" || got.People != 50 || got.Selected != 30 {
		t.Errorf("intersection: %+v", intersection)
	}
}

func TestReport_Write(t *testing.T) {
	r := audited(t)
	var text strings.Builder
	if err := r.Write(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"203 matches from 1970-01-01 to 1970-01-01, 20 of them with events",
		"other   1       1         1.000  excluded      –",
		"male    100     40        0.400  1.00          –",
		"female  100     20        0.200  0.50 <        0.32–0.79",
		"male, north    50      30        0.600  1.00", "Left out, because their category is unknown: 1",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}

// Without matches there is nothing to compare, and nothing is divided by zero.
func TestAudit_WithoutMatches(t *testing.T) {
	groups, err := ReadGroups(strings.NewReader("freelancer_id,sex\nf1,female\nf2,male\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := New(groups, 10).Report(0.02)
	for _, table := range r.Tables {
		for _, row := range table.Rows {
			if row.Rate != 0 || row.Ratio.Known {
				t.Errorf("%s: %+v", table.Measure, row)
			}
		}
	}
}
