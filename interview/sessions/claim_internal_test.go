package sessions

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/interview"
)

func TestFingerprint(t *testing.T) {
	custom := func() interview.Request {
		return interview.Request{
			Account: "acc_1", FreelancerID: "f1", ProjectDescription: "A shop.",
			Mode: interview.CustomFull, CustomQuestions: []interview.CustomQuestion{{Text: "Why?"}},
		}
	}
	r := custom()
	same := custom()
	other := custom()
	same.IdempotencyKey = "k"
	other.CustomQuestions[0].Text = "Why not?"
	if fingerprint(r) != fingerprint(same) || fingerprint(r) == fingerprint(other) {
		t.Error("the fingerprint depends on the key, or does not depend on the questions")
	}
}

// Earlier releases stored the complete result of a request with an Idempotency-Key, and evidence twice.
func TestEarlierResult_OfAnEarlierRelease(t *testing.T) {
	stored := interview.Claim{Session: "s", Result: []byte(`{"Mode":"report","SessionID":"s","Questions":[{"ID":"q1"}],` +
		`"Answers":[],"Evaluation":{"Scores":[{"Question":"q1",` +
		`"Marks":[{"Criterion":"technical","Level":3,"Evidence":["I did"]}]}],` +
		`"Evidence":[{"Question":"q1","Criterion":"technical","Text":"I did"}]}}`)}
	got, err := (&task{}).earlierResult(t.Context(), &stored, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	want := []interview.Quotation{{Question: "q1", Criterion: interview.Technical, Text: "I did"}}
	if diff := cmp.Diff(want, got.Evaluation.Evidence); diff != "" || got.SessionID != "s" || len(got.Questions) != 1 {
		t.Errorf("got %+v; evidence -want +got:\n%s", got, diff)
	}
}
