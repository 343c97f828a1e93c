package sessions

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
)

func marks(level int) []interview.Mark {
	return []interview.Mark{{Criterion: interview.Technical, Level: level}}
}

// Sessions live for weeks, so a new version of the program must be able to read the sessions of an older one. If this
// test fails because you renamed a field, increase sessionFormat and convert the old format.
func TestSession_StoredFormat(t *testing.T) {
	at := time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC)
	se := &session{
		Format: sessionFormat, Kind: interview.Adaptive, Planned: 2, Begun: at,
		Subject: interview.Subject{
			Language: "es", Skills: []interview.Skill{{ID: "react", Name: "React", Gap: true}},
			Weights: interview.DefaultWeights(), Seed: 1<<64 - 1,
		},
		Questions: []interview.Question{
			{ID: "q1", Text: "¿?", Anchors: []interview.Anchor{{Level: 3, Text: "fair"}}, Points: []string{"p"}},
		},
		Answers: []interview.Answer{{Question: "q1", Text: "<sí> & \u2028", At: at}},
		Scores: []interview.Score{
			{Question: "q1", Answered: true, Value: matching.Some(60), Marks: marks(3), By: "offline"},
		},
		Evaluation: &interview.Evaluation{
			Overall: matching.Some(60), Recommendation: matching.Some(false), At: at,
		},
		Notices: []interview.Notice{{Code: interview.NoticeCut, Message: "cut"}},
	}

	se.Subject.Freelancer = interview.Profile{ID: "f1", Skills: []string{"React"}, Experience: matching.Some(2.5)}
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
		if _, err := decode(interview.Record{Data: []byte(data)}); err == nil {
			t.Errorf("decoded the unknown format %s", data)
		}
	}
}

func TestSession_Sample(t *testing.T) {
	for answers, want := range map[int]int{0: 0, 1: 1, 2: 1, 5: 1, 6: 2, 9: 3, 20: 3} {
		seen := map[int]bool{}
		for seed := range uint64(200) {
			se := &session{Subject: interview.Subject{Seed: seed}}
			scores := slices.Repeat([]interview.Score{{Marks: marks(3)}}, answers)
			scores = append(scores, interview.Score{}) // without an answer: never chosen
			sample := se.sample(scores)
			if len(sample) != want || !slices.Equal(sample, se.sample(scores)) {
				t.Fatalf("%d answers: sample %v, want %d of them", answers, sample, want)
			}
			for _, i := range sample {
				seen[i] = true
			}
		}
		if len(seen) != answers || seen[answers] {
			t.Errorf("%d answers: seeds chose only %v", answers, seen)
		}
	}
}
