package transcript

import (
	"fmt"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/server/api/wire"
)

// judged describes a question and the judgment of its answer.
type judged struct {
	points  int // of the rubric, called a, b, …
	covered []int
	level   int // of the technical mark; -1 without marks for an answer that couldn't be scored
	review  int // level of a person's review; 0 for none
	weight  int // of the technical criterion, in percent
	blank   bool
}

// reportOn returns an evaluated interview.
func reportOn(questions []judged) *Interview {
	s := &Interview{}
	s.Evaluation = &wire.Evaluation{OverallScore: matching.Some(50)}
	for i, q := range questions {
		s.InterviewData.Questions = append(s.InterviewData.Questions, wire.InterviewQuestion{
			Skill:           wire.NullableString(fmt.Sprintf("S%d", i+1)),
			Points:          strings.Split("abcdef", "")[:q.points],
			ScoringCriteria: wire.ScoringCriteria{Technical: q.weight, Communication: 100 - q.weight},
		})

		j := wire.Judgment{Answered: !q.blank, CoveredPoints: q.covered}
		if q.level >= 0 {
			j.Score = matching.Some(0)
		}

		if q.level >= 0 && !q.blank {
			technical := wire.Mark{Criterion: interview.Technical, Level: matching.Some(q.level)}
			if q.review > 0 {
				technical.Review = &wire.MarkReview{Level: q.review}
			}
			j.Marks = []wire.Mark{technical, {Criterion: interview.Communication, Level: matching.Some(3)}}
		}

		s.Evaluation.Details = append(s.Evaluation.Details, j)
	}

	return s
}

func TestMostUseful(t *testing.T) {
	for _, test := range []struct {
		name      string
		questions []judged
		want      string
	}{
		{"nothing missing", []judged{{points: 2, covered: []int{0, 1}, level: 3, weight: 40}}, ""},
		{"no rubric", []judged{{points: 0, level: 1, weight: 40}}, ""},
		{"one point", []judged{{points: 2, covered: []int{0}, level: 4, weight: 50}}, "1 S1 b 10.0"},
		{
			"shared by points",
			[]judged{{points: 4, covered: []int{2}, level: 2, weight: 50}},
			"1 S1 a 10.0, 1 S1 b 10.0, 1 S1 d 10.0",
		},
		{"largest gain first", []judged{
			{points: 3, covered: []int{0}, level: 4, weight: 40},
			{points: 3, covered: []int{0, 1}, level: 1, weight: 60},
			{points: 2, covered: []int{1}, level: 3, weight: 40},
		}, "2 S2 c 16.0, 3 S3 a 5.3, 1 S1 b 1.3"},
		{
			"no answer",
			[]judged{{points: 2, weight: 50, blank: true}, {points: 1, covered: []int{0}, level: 5, weight: 50}},
			"1 S1 a 12.5, 1 S1 b 12.5",
		},
		{"not scored", []judged{{points: 2, level: -1, weight: 50}}, ""},
		{"no technical weight", []judged{{points: 2, level: 1, weight: 0}}, ""},
		{
			"reviewed",
			[]judged{{points: 1, level: 1, review: 5, weight: 50}, {points: 1, level: 5, review: 3, weight: 50}},
			"2 S2 a 10.0",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, i := range reportOn(test.questions).MostUseful() {
				got = append(got, fmt.Sprintf("%d %s %s %.1f", i.N, i.Skill, i.Point, i.Gain))
			}

			if text := strings.Join(got, ", "); text != test.want {
				t.Errorf("got %s\nwant %s", text, test.want)
			}
		})
	}

	open := reportOn([]judged{{points: 2, level: 1, weight: 50}})
	open.Evaluation = nil
	if got := open.MostUseful(); got != nil {
		t.Errorf("an interview without an evaluation has improvements: %v", got)
	}
}
