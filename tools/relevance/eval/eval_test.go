package eval

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/freelancer-matching/service/internal/matching"
)

var approx = cmpopts.EquateApprox(0, 1e-9)

func TestMetrics(t *testing.T) {
	unknown := matching.Optional[float64]{}
	some := matching.Some[float64]
	log3 := math.Log2(3)
	tests := []struct {
		name           string
		ranked, judged []Grade
		ndcg2          matching.Optional[float64]
		precision2     float64
		reciprocal     matching.Optional[float64]
		recall2        matching.Optional[float64]
	}{
		{"best order", []Grade{3, 2, 1}, []Grade{1, 2, 3}, some(1), 1, some(1), some(1)},
		// (2^1−1)/1 + (2^3−1)/log2 3, ideal (2^3−1)/1 + (2^2−1)/log2 3.
		{
			"good one second",
			[]Grade{1, 3, 2},
			[]Grade{1, 2, 3},
			some((1 + 7/log3) / (7 + 3/log3)), .5, some(.5), some(.5),
		},
		{
			"none good in the first k",
			[]Grade{0, 1, 2},
			[]Grade{1, 2},
			some((1 / log3) / (3 + 1/log3)), 0, some(1. / 3), some(0),
		},
		{"empty answer", nil, []Grade{3}, some(0), 0, some(0), some(0)},
		{"none good", []Grade{1, 0}, []Grade{1, 0}, some(1), 0, unknown, unknown},
		{"none suitable", []Grade{0}, []Grade{0, 0}, unknown, 0, unknown, unknown},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := []any{
				NDCG(test.ranked, test.judged, 2), Precision(test.ranked, 2),
				ReciprocalRank(test.ranked, test.judged), Recall(test.ranked, test.judged, 2),
			}

			want := []any{test.ndcg2, test.precision2, test.reciprocal, test.recall2}
			if diff := cmp.Diff(want, got, approx); diff != "" {
				t.Errorf("nDCG@2, P@2, reciprocal rank, recall@2:\n%s", diff)
			}
		})
	}
}

func TestRetrievalRecall(t *testing.T) {
	tests := []struct {
		name            string
		all, candidates []float64
		k               int
		want            float64
	}{
		{"all found", []float64{.1, .9, .5}, []float64{.5, .9}, 2, 1},
		{"one of two missed", []float64{.1, .9, .5}, []float64{.1, .9}, 2, .5},
		{"a tie counts as found", []float64{.9, .5, .5, .5}, []float64{.9, .5}, 2, 1},
		{"more ties than ranks", []float64{.5, .5, .5}, []float64{.5, .5, .5}, 2, 1},
		{"fewer documents than ranks", []float64{.9, .5}, []float64{.9}, 10, .5},
		{"no documents", nil, nil, 10, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := RetrievalRecall(test.all, test.candidates, test.k); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestEvaluate(t *testing.T) {
	judgments := Judgments{
		"b1": {"ann": 3, "bob": 2, "cem": 0},
		"b2": {"ann": 1},
	}

	briefs := []Brief{{ID: "b1", Category: "design"}, {ID: "b2", Category: "writing"}}
	r := Evaluate(Run{"b1": {"dia", "bob", "bob", "ann"}}, judgments, briefs)

	log3 := math.Log2(3)
	ideal := 7 + 3/log3
	want := Result{
		NDCG10:     matching.Some((3/log3 + 7./2) / ideal), // the duplicate bob takes no rank
		Precision5: matching.Some(.4),
		MRR:        matching.Some(.5),
		Recall50:   matching.Some(1.),
		Unjudged10: matching.Some(1. / 3),
		Judged10:   matching.Some((3 + 7/log3) / ideal),
	}
	if diff := cmp.Diff(want, r.Result("b1"), approx); diff != "" {
		t.Errorf("b1:\n%s", diff)
	}

	want = Result{ // not in the run, and nobody is good
		NDCG10: matching.Some(0.), Precision5: matching.Some(0.), Unjudged10: matching.Some(0.), Judged10: matching.Some(0.),
	}
	if diff := cmp.Diff(want, r.Result("b2"), approx); diff != "" {
		t.Errorf("b2:\n%s", diff)
	}

	if got := r.Mean(MRR); got.N != 1 || got.Mean != .5 {
		t.Errorf("MRR over the briefs for which it is known: %+v", got)
	}

	if got := r.Mean(Precision5); got.N != 2 || got.Mean != .2 || got.Low != 0 || got.High != .4 {
		t.Errorf("P@5: %+v", got)
	}
}

func TestReport_String(t *testing.T) {
	judgments := Judgments{"b1": {"ann": 3}, "b2": {"ann": 1, "bob": 3}}
	briefs := []Brief{{ID: "b1", Category: "design"}, {ID: "b2", Category: "design"}}
	got := Evaluate(Run{"b1": {"ann"}, "b2": {"ann"}}, judgments, briefs).String()
	want := `measure            briefs  mean   95% interval
nDCG@10            2       0.566  [0.131, 1.000]
P@5                2       0.100  [0.000, 0.200]
MRR                2       0.500  [0.000, 1.000]
recall@50          2       0.500  [0.000, 1.000]
unjudged@10        2       0.000  [0.000, 0.000]
nDCG@10 of judged  2       0.566  [0.131, 1.000]

category  briefs  nDCG@10
design    2       0.566

brief  nDCG@10  P@5    MRR    recall@50  unjudged@10
b1     1.000    0.200  1.000  1.000      0.000
b2     0.131    0.000  0.000  0.000      0.000
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report:\n%s", diff)
	}
}

func TestMinus_PairsByBrief(t *testing.T) {
	judgments := Judgments{"b1": {"ann": 3}, "b2": {"ann": 3}, "b3": {"ann": 3}, "b4": {"ann": 1}}
	better := Evaluate(Run{"b1": {"ann"}, "b2": {"ann"}, "b3": {"bob", "ann"}}, judgments, nil)
	worse := Evaluate(Run{"b1": {"ann"}, "b2": {"bob", "ann"}, "b3": {"ann"}}, judgments, nil)
	d := better.Minus(worse, MRR)
	if d.N != 3 || d.Mean != 0 || d.Better != 1 || d.Worse != 1 || d.Low != -.5 || d.High != .5 {
		t.Errorf("got %+v", d)
	}
	same := better.Minus(better, NDCG10)
	if same.Mean != 0 || same.Low != 0 || same.High != 0 || same.Better+same.Worse != 0 {
		t.Errorf("a run compared with itself: %+v", same)
	}
}

func TestBootstrap_IntervalContainsTheMean(t *testing.T) {
	values := make([]float64, 100)
	for i := range values {
		values[i] = float64(i % 2)
	}
	got := bootstrap(values)
	// The standard error of a mean of 100 fair coins is .05, so the interval is about .5 ± .098.
	if got.Mean != .5 || math.Abs(got.Low-.402) > .02 || math.Abs(got.High-.598) > .02 {
		t.Errorf("got %+v", got)
	}
	if diff := cmp.Diff(got, bootstrap(values)); diff != "" {
		t.Errorf("the second call differs:\n%s", diff)
	}
	if got := bootstrap(nil); got != (Estimate{}) {
		t.Errorf("no values: %+v", got)
	}
}

func TestPlay(t *testing.T) {
	briefs := []Brief{{ID: "b1"}, {ID: "b2"}}
	run, err := Play(t.Context(), briefs, func(_ context.Context, b Brief) ([]string, error) {
		return []string{"for-" + b.ID}, nil
	})
	if diff := cmp.Diff(Run{"b1": {"for-b1"}, "b2": {"for-b2"}}, run); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	broken := errors.New("engine stopped")
	_, err = Play(t.Context(), briefs, func(context.Context, Brief) ([]string, error) { return nil, broken })
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), `"b1"`) {
		t.Errorf("got %v", err)
	}
}

func TestCompare(t *testing.T) {
	judgments := Judgments{"b1": {"ann": 3}, "b2": {"ann": 3}, "b3": {"ann": 3}, "b4": {"ann": 3}}
	before := Evaluate(Run{"b1": {"ann"}, "b2": {"bob", "ann"}, "b3": {"ann"}, "b4": {"ann"}}, judgments, nil)
	after := Evaluate(Run{"b1": {"bob", "ann"}, "b2": {"ann"}, "b3": {"bob", "bea", "ann"}, "b4": {"ann"}}, judgments, nil)
	want := `measure            difference  95% interval      better  worse  of briefs
nDCG@10            -0.125      [-0.435, +0.185]  1       2      4
P@5                +0.000      [+0.000, +0.000]  0       0      4
MRR                -0.167      [-0.583, +0.250]  1       2      4
recall@50          +0.000      [+0.000, +0.000]  0       0      4
unjudged@10        +0.167      [-0.250, +0.583]  2       1      4
nDCG@10 of judged  +0.000      [+0.000, +0.000]  0       0      4

better  nDCG@10
b2      +0.369

worse  nDCG@10
b3     -0.500
b1     -0.369
`
	if diff := cmp.Diff(want, Compare(after, before)); diff != "" {
		t.Errorf("comparison (-want +got):\n%s", diff)
	}
}

func TestRun_RoundTrip(t *testing.T) {
	want := Run{"b1": {"ann", "bob"}, "b2": {"ann"}}
	var b strings.Builder
	if err := want.Write(&b); err != nil {
		t.Fatal(err)
	}
	if text := "b1\t1\tann\nb1\t2\tbob\nb2\t1\tann\n"; b.String() != text {
		t.Errorf("wrote %q, want %q", b.String(), text)
	}
	got, err := ReadRun(strings.NewReader(b.String()))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}
