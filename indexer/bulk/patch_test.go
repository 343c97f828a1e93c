package bulk_test

import (
	"slices"
	"testing"

	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/internal/matching"
)

// deletion returns a row that deletes a freelancer.
func deletion(id string) source.Row {
	return source.Row{Freelancer: matching.Freelancer{ID: id}, Deleted: true, Line: 2}
}

// rate returns a row with an ID and an hourly rate.
func rate(id string, amount float64) source.Row {
	r := row(3, id)
	r.Freelancer.HourlyRate = matching.Some(amount)
	return r
}

func (b *harness) patch(t *testing.T, inputs ...bulk.Input) (*bulk.Report, error) {
	t.Helper()
	return b.loader.Patch(t.Context(), inputs, b.options)
}

func TestPatch(t *testing.T) {
	b := newHarness(t)
	b.load(t, input("a", rows("1 Ada go,sql", "2 Bob c", "3 Cyd r")...))
	b.options.MaxFailures = limit(t, "1")
	in := input("b", rate("1", 50), rate("2", 60), rate("9", 70), deletion("3"))
	open := in.Open
	passes := 0
	in.Open = func() (bulk.File, error) {
		if passes++; passes == 2 { // another client renames a freelancer after the patch has been checked
			b.put(t, "2 Bo c")
		}
		return open()
	}

	report, err := b.patch(t, in)
	if err != nil {
		t.Fatal(err)
	}
	all := b.freelancers(t)
	slices.SortFunc(all, func(x, y matching.Freelancer) int { return int(x.HourlyRate.Value - y.HourlyRate.Value) })

	if got := texts(all); !slices.Equal(got, []string{"1 Ada go,sql", "2 Bo c"}) ||
		all[0].HourlyRate.Value != 50 || all[1].HourlyRate.Value != 60 {
		t.Errorf("freelancers %+v", all)
	}

	if report.Replaced != 2 || report.Deleted != 1 || report.Rejected != 1 || report.Kept != 0 || !report.InPlace ||
		!exists(report.DeadLetters) {
		t.Errorf("report %+v", report)
	}
}

// Nothing changes if too many rows are about nobody.
func TestPatch_LimitExceeded(t *testing.T) {
	b := newHarness(t)
	b.load(t, input("a", rows("1 Ada go")...))
	b.options.MaxFailures = limit(t, "0")
	report, err := b.patch(t, input("b", rate("1", 50), rate("9", 70)))
	wantError[*bulk.LimitError](t, err, "1 of 2 rows rejected")
	if all := b.freelancers(t); all[0].HourlyRate.Known || !exists(report.DeadLetters) {
		t.Errorf("freelancers %+v, report %+v", all, report)
	}
}

func TestPatch_NeedsReindex(t *testing.T) {
	b := newHarness(t)
	b.load(t, input("a", rows("1 Ada go")...))
	b.options.Taxonomy = "t2"
	_, err := b.patch(t, input("b", rate("1", 50)))
	wantError[*bulk.StaleError](t, err, "the taxonomy changed")
}

// A row that deletes a freelancer wins over other rows, wherever it is.
func TestLoad_DeletedRows(t *testing.T) {
	b := newHarness(t)
	report := b.load(t, input("a", append(rows("1 Ada go", "2 Bob c"), deletion("1"), deletion("7"))...))
	b.wantFreelancers(t, "2 Bob c")
	if report.Indexed != 1 || report.Deleted != 1 || report.Deletions != 2 || report.Coverage["name"] != 1 {
		t.Errorf("report %+v", report)
	}
	report = b.upsert(t, input("b", append(rows("3 Cyd r"), deletion("2"))...))
	b.wantFreelancers(t, "3 Cyd r")
	if report.Kept != 0 || report.Deleted != 1 || report.Coverage["name"] != 1 {
		t.Errorf("report %+v", report)
	}
	if report = b.upsert(t, input("c", deletion("3"))); report.Deleted != 1 || len(b.freelancers(t)) != 0 {
		t.Errorf("report %+v", report)
	}
}
