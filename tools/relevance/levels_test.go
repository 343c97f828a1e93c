package relevance

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/tools/relevance/eval"
)

func TestLevels(t *testing.T) {
	out := must(t, "levels", "-judged", committed)
	for _, want := range []string{
		"\nscore, first 50 ", "\nlevel today ", "\nlevel proposed, by the other briefs ", "\nexcellent ", "\nBrier score ",
		"\nfor the profile:\n\"levels\": {\"excellent\": 0.",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in:\n%s", want, out)
		}
	}
}

// The text printed for a profile is JSON in the format of a profile.
func TestLevels_Map(t *testing.T) {
	out := must(t, "levels", "-judged", committed, "-map", "-knots", "3", "-targets", ".8,.6,.3")
	_, printed, _ := strings.Cut(out, "for the profile:\n")
	var profile struct {
		Curve  eval.Curve
		Levels struct{ Excellent, Strong, Fair float64 }
	}
	if err := json.Unmarshal([]byte("{"+printed+"}"), &profile); err != nil {
		t.Fatalf("%v in:\n%s", err, printed)
	}
	if n := len(profile.Curve); n != 5 || profile.Curve[0] != [2]float64{0, 0} || profile.Curve[n-1] != [2]float64{1, 1} {
		t.Errorf("curve %v, want three knots between {0,0} and {1,1}", profile.Curve)
	}
	if l := profile.Levels; l.Excellent != .8 || l.Strong != .6 || l.Fair != .3 {
		t.Errorf("levels are %+v, want the targets", l)
	}
}

func TestWriteGroups(t *testing.T) {
	outcomes := []eval.Outcome{
		{Brief: "b1", Score: 1, Level: matching.LevelStrong, Judged: true, Grade: 3},
		{Brief: "b1", Score: .95, Level: matching.LevelStrong, Judged: true, Grade: 1},
		{Brief: "b2", Score: .9, Level: matching.LevelStrong},
		{Brief: "b2", Score: 0, Level: matching.LevelWeak},
	}

	level := func(o eval.Outcome) matching.Level { return o.Level }
	tests := []struct {
		name   string
		groups []group
		want   string
	}{
		{"score", byTenth(outcomes), "0.9 to 1.0\t1\t2\t0.50\t[0.50, 0.50]\t1.00\t1\t0.33\n" +
			"0.0 to 0.1\t0\t0\t-\t-\t-\t1\t-\n"},
		{"level", byLevel(outcomes, level), "excellent\t0\t0\t-\t-\t-\t0\t-\n" +
			"strong\t1\t2\t0.50\t[0.50, 0.50]\t1.00\t1\t0.33\n" +
			"fair\t0\t0\t-\t-\t-\t0\t-\nweak\t0\t0\t-\t-\t-\t1\t-\n"},
	}
	for _, test := range tests {
		var b strings.Builder
		writeGroups(&b, test.name, test.groups)
		_, got, _ := strings.Cut(b.String(), "good of all\n")
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("by %s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestWritePredicted(t *testing.T) {
	var b strings.Builder
	writePredicted(&b, []group{
		{"strong", []eval.Outcome{
			{Score: .6, Judged: true, Grade: 3}, {Score: .5, Judged: true, Grade: 1}, {Score: .1},
		}},
		{"weak", []eval.Outcome{{Score: .1}}},
	})
	if _, got, _ := strings.Cut(b.String(), "difference\n"); got != "strong\t2\t0.55\t0.50\t-0.05\n" {
		t.Errorf("got %q", got)
	}
}

func TestShares(t *testing.T) {
	var s shares
	if err := s.Set(".8, .5,.2"); err != nil {
		t.Fatal(err)
	}
	for share, want := range map[float64]matching.Level{
		1: matching.LevelExcellent, .8: matching.LevelExcellent, .79: matching.LevelStrong, .5: matching.LevelStrong,
		.49: matching.LevelFair, .2: matching.LevelFair, .19: matching.LevelWeak, 0: matching.LevelWeak,
	} {
		if got := s.level(share); got != want {
			t.Errorf("level(%v) = %s, want %s", share, got, want)
		}
	}
	for _, invalid := range []string{"", ".8,.5", ".5,.5,.2", ".2,.5,.8", "1,.5,.2", ".8,.5,0", ".8,.5,NaN"} {
		if err := s.Set(invalid); err == nil {
			t.Errorf("Set accepts %q", invalid)
		}
	}
}

func TestRounded(t *testing.T) {
	got := rounded(eval.Curve{{0, 0}, {.12345, .2222}, {.1234, .23}, {.5, .22201}, {.9999, .9}, {1, 1}})
	if diff := cmp.Diff(eval.Curve{{0, 0}, {.123, .222}, {1, 1}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
