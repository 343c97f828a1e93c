package interview

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/internal/matching"
)

// A stubJudge has only a name and an answer to IsVerdict.
type stubJudge struct{ verdict bool }

func (j stubJudge) Name() string    { return "stub" }
func (j stubJudge) IsVerdict() bool { return j.verdict }

func (j stubJudge) Judge(context.Context, string, *Subject, *Question, string) (Judgment, error) {
	panic("unexpected call")
}

// marks returns a mark for each level, in the order of the criteria. It skips level -1.
func marks(levels ...int) []Mark {
	var all []Mark
	for i, level := range levels {
		if level >= 0 {
			all = append(all, Mark{Criterion: criteria()[i], Level: level})
		}
	}
	return all
}

func scoreOf(t *testing.T, q Question, levels ...int) Score {
	t.Helper()
	sc, err := newScore(&q, &Judgment{Marks: marks(levels...)}, "an answer", "stub")
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

func TestNewScore_Value(t *testing.T) {
	tests := []struct {
		name       string
		weights    Weights
		levels     []int
		want       matching.Optional[int]
		unmeasured []Criterion
	}{
		{"best", DefaultWeights(), []int{5, 5, 5}, matching.Some(100), nil},
		{"worst", DefaultWeights(), []int{0, 0, 0}, matching.Some(0), nil},
		// 40 + 18 + 6
		{"weighted", DefaultWeights(), []int{5, 3, 1}, matching.Some(64), nil},
		// (40·100 + 30·60) / 70
		{"a criterion without a mark", DefaultWeights(), []int{5, -1, 3}, matching.Some(83), []Criterion{Experience}},
		{"one mark", DefaultWeights(), []int{-1, 4, -1}, matching.Some(80), []Criterion{Technical, Communication}},
		{"no mark", DefaultWeights(), nil, matching.Optional[int]{}, criteria()},
		{"two criteria without a weight", Weights{Technical: 100}, []int{3, 0, 0}, matching.Some(60), nil},
		{
			"marks only without a weight",
			Weights{Technical: 100},
			[]int{-1, 5, 5},
			matching.Optional[int]{},
			[]Criterion{Technical},
		},
		{"half rounded up", Weights{Technical: 50, Experience: 50}, []int{5, 0, -1}, matching.Some(50), nil},
		// 66.8
		{"rounded", Weights{Technical: 34, Experience: 33, Communication: 33}, []int{4, 3, 3}, matching.Some(67), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sc := scoreOf(t, Question{Weights: tt.weights}, tt.levels...)
			if sc.Value != tt.want {
				t.Errorf("score %v, want %v", sc.Value, tt.want)
			}

			if diff := cmp.Diff(tt.unmeasured, sc.Unmeasured); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// sessionOf returns a session with as many questions as there are scores, all of medium difficulty.
func sessionOf(kind Mode, q Question, scores []Score) *session {
	se := &session{Kind: kind, Questions: slices.Repeat([]Question{q}, len(scores))}
	for i := range scores {
		se.Questions[i].ID = fmt.Sprintf("q%d", i+1)
		scores[i].Question = se.Questions[i].ID
	}
	return se
}

func TestNewEvaluation(t *testing.T) {
	q := Question{Weights: DefaultWeights(), Difficulty: Medium}
	same := func(n, level int) []Score { return slices.Repeat([]Score{scoreOf(t, q, level, level, level)}, n) }
	with := func(scores []Score, r Remark) []Score {
		scores[1].Remarks = []Remark{r}
		return scores
	}

	blank := func(scores []Score, n int) []Score { return append(scores, slices.Repeat([]Score{noAnswer(&q)}, n)...) }
	unmeasured := func(n int) []Score { return slices.Repeat([]Score{scoreOf(t, q)}, n) }
	type optional = matching.Optional[int]
	yes := matching.Some(true)
	no := matching.Some(false)
	unknown := matching.Optional[bool]{}
	tests := []struct {
		name       string
		scores     []Score
		verdict    bool
		overall    optional
		recommend  matching.Optional[bool]
		confidence float64 // 0: unknown
		reason     string
	}{
		{"strong", same(5, 4), true, matching.Some(80), yes, .99, "at least 70"},
		{"weak", same(5, 2), true, matching.Some(40), no, .98, "below 50"},
		{"in between", same(5, 3), true, matching.Some(60), unknown, .5, "from 50 to 69, so a person must decide"},
		{"strong, without verdict", same(5, 4), false, matching.Some(80), unknown, 0, "not a verdict"},
		{"weak, without verdict", same(5, 1), false, matching.Some(20), unknown, 0, "not a verdict"},
		{"barely strong", append(same(2, 4), same(2, 3)...), true, matching.Some(70), yes, .84, "at least 70"},
		{"barely strong, two questions", append(same(1, 4), same(1, 3)...), true, matching.Some(70), unknown, .76, "error"},
		{"barely not weak", append(same(2, 2), same(2, 3)...), true, matching.Some(50), unknown, .83, "decide"},
		{"one question", same(1, 5), true, matching.Some(100), unknown, .99, "only 1 answer could"},
		{"two questions", same(2, 5), true, matching.Some(100), yes, .99, "at least"},
		{"mostly unanswered", blank(same(2, 5), 3), true, matching.Some(40), unknown, .98, "only 2 answers could"},
		{"partly unanswered", blank(same(3, 4), 2), true, matching.Some(48), no, .9, "below"},
		{"unanswered", blank(nil, 5), true, matching.Some(0), unknown, .99, "no answer could"},
		{"nothing measured", unmeasured(5), true, optional{}, unknown, 0, "no answer could be measured"},
		{"partly measured", append(same(4, 4), unmeasured(1)...), true, matching.Some(80), yes, .98, "at least"},
		{
			"strong, may address a model", with(same(5, 5), RemarkInstructions), true,
			matching.Some(100), unknown, .99, "the answer to q2 may address a language model",
		},
		{"weak, may address a model", with(same(5, 1), RemarkInstructions), true, matching.Some(20), no, .99, "below"},
		{"strong, one answer off topic", with(same(5, 5), RemarkOffTopic), true, matching.Some(100), yes, .99, "at least"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := newEvaluation(sessionOf(Full, q, tt.scores), tt.scores, stubJudge{verdict: tt.verdict}, nil)
			if e.Overall != tt.overall || e.Recommendation != tt.recommend || e.Confidence.Value != tt.confidence ||
				!strings.Contains(e.Reason, tt.reason) || e.Confidence.Known != (tt.confidence > 0) {
				t.Errorf("got total %v ± %v, recommendation %v, confidence %v, reason %q",
					e.Overall, e.StandardError, e.Recommendation, e.Confidence, e.Reason)
			}
		})
	}
}

// A higher mark never lowers the total, an answer is never worth less than a missing one, and totals are from 0 to 100.
func TestNewEvaluation_IsMonotonic(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		n := 1 + random.IntN(6)
		questions := make([]Question, n)
		scores := make([]Score, n)
		levels := make([][]int, n)
		for i := range questions {
			questions[i].Difficulty = difficulties()[random.IntN(3)]
			questions[i].Weights = scaleWeights(map[string]int{
				"technical": random.IntN(5), "experience": random.IntN(5), "communication": 1 + random.IntN(5),
			}, nil)
			levels[i] = []int{random.IntN(6), random.IntN(6), random.IntN(6)}
			scores[i] = scoreOf(t, questions[i], levels[i]...)
		}

		kind := []Mode{Full, Adaptive}[random.IntN(2)]
		total := func(scores []Score) int {
			return newEvaluation(&session{Kind: kind, Questions: questions}, scores, stubJudge{}, nil).Overall.Value
		}
		before := total(scores)
		if before < 0 || before > 100 {
			t.Fatalf("total %d", before)
		}

		at := random.IntN(n)
		criterion := random.IntN(3)
		better := slices.Clone(scores)
		missing := slices.Clone(scores)

		if levels[at][criterion] < BestLevel {
			levels[at][criterion]++
		}
		better[at] = scoreOf(t, questions[at], levels[at]...)
		missing[at] = noAnswer(&questions[at])
		if total(better) < before || total(missing) > before {
			t.Fatalf("total %d, with a better mark %d, without an answer %d", before, total(better), total(missing))
		}
	}
}

func TestScaleWeights(t *testing.T) {
	fallback := Weights{Technical: 100}
	tests := []struct {
		named map[string]int
		want  Weights
	}{
		{nil, fallback},
		{map[string]int{"technical": 40, "experience": 30, "communication": 30}, DefaultWeights()},
		{map[string]int{"technical_accuracy": 40, "experience_level": 30, "communication": 30}, DefaultWeights()},
		{
			map[string]int{"technical": 1, "experience": 1, "communication": 1},
			Weights{Technical: 34, Experience: 33, Communication: 33},
		},
		{map[string]int{"technical": 2, "communication": 1}, Weights{Technical: 67, Communication: 33}},
		{map[string]int{"experience": 7}, Weights{Experience: 100}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, scaleWeights(tt.named, fallback)); diff != "" {
			t.Errorf("%v: %s", tt.named, diff)
		}
	}
}

func TestFindPassage(t *testing.T) {
	const answer = "I wrote  the\n\tparser, the parser of 2019, in Zürich. a a ab"
	tests := []struct{ quotation, want string }{
		{"I wrote  the", "I wrote  the"},
		{" I wrote the parser ", "I wrote  the\n\tparser"},
		{"the parser of", "the parser of"}, // after an earlier "the" with a different continuation
		{"Zürich", "Zürich"},
		{"a ab", "a ab"},
		{"arser, th", "arser, th"},
		{"i wrote the", ""},
		{"I wrotethe", ""},
		{"parser.", ""},
		{"", ""},
		{" \n", ""},
	}
	for _, tt := range tests {
		got, ok := findPassage(answer, tt.quotation)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("passage for %q is %q, %t", tt.quotation, got, ok)
		}
	}
}

// A passage is part of the answer and has the words of the quotation.
func FuzzFindPassage(f *testing.F) {
	f.Add("I wrote  the parser", "wrote the")
	f.Add("a a a b", "a a b")
	f.Add("é\u00a0é", "é é")
	f.Fuzz(func(t *testing.T, answer, quotation string) {
		passage, ok := findPassage(answer, quotation)
		words := strings.Join(strings.Fields(quotation), " ")
		if ok && (!strings.Contains(answer, passage) || strings.Join(strings.Fields(passage), " ") != words) {
			t.Errorf("got passage %q for quotation %q", passage, quotation)
		}
		if !ok && words != "" && strings.Contains(answer, words) {
			t.Errorf("did not find %q, which is in the answer", words)
		}
	})
}

func TestNextDifficulty(t *testing.T) {
	none := matching.Optional[int]{}
	some := matching.Some[int]
	for from, cases := range map[Difficulty]map[matching.Optional[int]]Difficulty{
		Easy:   {none: Easy, some(0): Easy, some(40): Easy, some(69): Easy, some(70): Medium},
		Medium: {none: Medium, some(39): Easy, some(40): Medium, some(69): Medium, some(100): Hard},
		Hard:   {none: Hard, some(39): Medium, some(40): Hard, some(100): Hard},
	} {
		for score, want := range cases {
			if got := nextDifficulty(from, score); got != want {
				t.Errorf("after %s with score %v: got %s, want %s", from, score, got, want)
			}
		}
	}
}

func TestSpread(t *testing.T) {
	skills := []Skill{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "e"}}
	for _, tt := range []struct {
		skills, questions int
		want              string
	}{
		{0, 5, ""},
		{1, 1, "a"},
		{1, 4, "aaaa"},
		{1, 5, "aaaa"},
		{3, 5, "abca"},
		{4, 5, "abcd"},
		{5, 5, "abcde"},
		{5, 3, "abc"},
		{2, 10, "abababab"},
	} {
		var got string
		for _, s := range spread(skills[:tt.skills], tt.questions) {
			got += s.Name
		}

		if got != tt.want {
			t.Errorf("%d skills, %d questions: got %s, want %s", tt.skills, tt.questions, got, tt.want)
		}
	}
}

// Sessions live for weeks, so a new version of the program must be able to read the sessions of an older one. If this
// test fails because you renamed a field, increase sessionFormat and convert the old format.
func TestSession_StoredFormat(t *testing.T) {
	at := time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC)
	se := &session{
		Format: sessionFormat, Kind: Adaptive, Planned: 2, Begun: at,
		Subject: Subject{
			Language: "es", Skills: []Skill{{ID: "react", Name: "React", Gap: true}}, Weights: DefaultWeights(), Seed: 1<<64 - 1,
		},
		Questions: []Question{{ID: "q1", Text: "¿?", Anchors: []Anchor{{Level: 3, Text: "fair"}}, Points: []string{"p"}}},
		Answers:   []Answer{{Question: "q1", Text: "<sí> & \u2028", At: at}},
		Scores: []Score{
			{Question: "q1", Answered: true, Value: matching.Some(60), Marks: marks(3), By: "offline"},
		},
		Evaluation: &Evaluation{
			Overall: matching.Some(60), Recommendation: matching.Some(false), At: at,
		},
		Notices: []Notice{{NoticeCut, "cut"}},
	}

	se.Subject.Freelancer = Profile{ID: "f1", Skills: []string{"React"}, Experience: matching.Some(2.5)}
	r, err := se.encode()
	if err != nil {
		t.Fatal(err)
	}

	const stored = `{"Format":1,"Kind":"adaptive",` +
		`"Subject":{"Project":"","JobTitle":"","Skills":[{"ID":"react","Name":"React",` +
		`"Category":"","Gap":true}],"Freelancer":{"ID":"f1","Name":"","JobTitle":"","Description":"",` +
		`"Skills":["React"],"Experience":2.5},"Language":"es","Weights":{"communication":30,"experience":30,` +
		`"technical":40},"Seed":18446744073709551615},"Planned":2,"Questions":[{"ID":"q1","Text":"¿?","Skill":"",` +
		`"Kind":"","Difficulty":"","Expected":"","Points":["p"],"Anchors":[{"Level":3,"Text":"fair"}],"FollowUps":null,` +
		`"Weights":null,"By":""}],"Answers":[{"Question":"q1","Text":"<sí> & \u2028",` +
		`"At":"2031-05-17T09:30:00Z"}],"Scores":[{"Question":"q1","Answered":true,"Value":60,` +
		`"Marks":[{"Criterion":"technical","Level":3,"Evidence":null}],"Unmeasured":null,"Feedback":"",` +
		`"Strengths":null,"Improvements":null,"Covered":null,"Remarks":null,"By":"offline"}],` +
		`"Evaluation":{"Scores":null,"Overall":60,` +
		`"Strengths":null,"Improvements":null,"Recommendation":false,"Reason":"","Method":"","Verdict":false,` +
		`"Confidence":null,"At":"2031-05-17T09:30:00Z"},"DerivedSkills":null,"UnknownSkills":null,` +
		`"Notices":[{"Code":"cut","Message":"cut"}],"Begun":"2031-05-17T09:30:00Z"}`
	if diff := cmp.Diff(stored, string(r.Data)); diff != "" || r.Open || r.Version != 1 {
		t.Errorf("open %t, version %d, -want +got:\n%s", r.Open, r.Version, diff)
	}

	decoded, err := decode(r)
	if err != nil {
		t.Fatal(err)
	}
	se.record = r
	if diff := cmp.Diff(fmt.Sprintf("%+v", se), fmt.Sprintf("%+v", decoded)); diff != "" &&
		decoded.Evaluation.Overall != se.Evaluation.Overall {
		t.Error(diff)
	}

	again, err := decoded.encode()
	if err != nil || string(again.Data) != stored || again.Version != 2 {
		t.Errorf("encoded again: version %d, %s, %v", again.Version, again.Data, err)
	}

	for _, data := range []string{`{"Format":2}`, `{}`, `{`} {
		if _, err := decode(Record{Data: []byte(data)}); err == nil {
			t.Errorf("decoded the unknown format %s", data)
		}
	}
}

// Earlier releases stored the complete result of a request with an Idempotency-Key, and evidence twice.
func TestEarlierResult_OfAnEarlierRelease(t *testing.T) {
	stored := Claim{Session: "s", Result: []byte(`{"Mode":"report","SessionID":"s","Questions":[{"ID":"q1"}],` +
		`"Answers":[],"Evaluation":{"Scores":[{"Question":"q1",` +
		`"Marks":[{"Criterion":"technical","Level":3,"Evidence":["I did"]}]}],` +
		`"Evidence":[{"Question":"q1","Criterion":"technical","Text":"I did"}]}}`)}
	got, err := (&task{}).earlierResult(t.Context(), &stored, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	want := []Quotation{{"q1", Technical, "I did"}}
	if diff := cmp.Diff(want, got.Evaluation.Evidence); diff != "" || got.SessionID != "s" || len(got.Questions) != 1 {
		t.Errorf("got %+v; evidence -want +got:\n%s", got, diff)
	}
}
