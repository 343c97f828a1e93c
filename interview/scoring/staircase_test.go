package scoring

import (
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
)

func TestNextDifficulty(t *testing.T) {
	none := matching.Optional[int]{}
	some := matching.Some[int]
	for from, cases := range map[interview.Difficulty]map[matching.Optional[int]]interview.Difficulty{
		interview.Easy: {
			none: interview.Easy, some(0): interview.Easy, some(40): interview.Easy, some(69): interview.Easy,
			some(70): interview.Medium,
		},
		interview.Medium: {
			none: interview.Medium, some(39): interview.Easy, some(40): interview.Medium, some(69): interview.Medium,
			some(100): interview.Hard,
		},
		interview.Hard: {
			none: interview.Hard, some(39): interview.Medium, some(40): interview.Hard, some(100): interview.Hard,
		},
	} {
		for score, want := range cases {
			if got := NextDifficulty(from, score); got != want {
				t.Errorf("after %s with score %v: got %s, want %s", from, score, got, want)
			}
		}
	}
}
