package llm_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"freelancer-matching/internal/analysis"
	"freelancer-matching/internal/matching"
	"freelancer-matching/interview"
	"freelancer-matching/interview/bank"
	"freelancer-matching/llm/llmtest"
	"freelancer-matching/store/sqlite"
)

// people is who there is to interview.
type people map[string]matching.Freelancer

// Freelancer implements interview.Freelancers.
func (p people) Freelancer(_ context.Context, id string) (matching.Freelancer, error) {
	return p[id], nil
}

// newService is interviews as the server conducts them, by a model and the offline bank.
func newService(t testing.TB, s *llmtest.Server) *interview.Service {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "service.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	offline, err := openBank()
	if err != nil {
		t.Fatal(err)
	}
	model := newInterviewer(t, s, 0)
	return interview.NewService(interview.Config{
		Store: db.Interviews(), Skills: testTaxonomy(t), Analyzer: analysis.New(), Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Askers: []interview.Asker{model, offline}, Judges: []interview.Judge{model, bank.NewJudge(offline)},
		Freelancers: people{
			"f1": {ID: "f1", Name: "Ramona Quillfeather", JobTitle: "Go developer", Skills: []string{"Go"}, Description: "I build booking systems."},
			"f2": {ID: "f2", Name: "Theodor Wrensong", JobTitle: "Go developer", Skills: []string{"Go"}, Description: "I take 90 an hour in secret."},
		},
	})
}

// interviewed is the evaluation of a new interview with the answers, one for each of its questions.
func interviewed(t testing.TB, s *interview.Service, answers []string) interview.Result {
	t.Helper()
	r := interview.Request{
		Account: "a1", FreelancerID: "f1", ProjectDescription: "A booking site in Go.", RequiredSkills: []string{"Go"}, Mode: interview.Full,
		NumQuestions: matching.Some(len(answers)),
	}
	begun, err := s.Conduct(t.Context(), r, nil)
	if err != nil || begun.GeneratedBy != "llm:words" || len(begun.Questions) != len(answers) {
		t.Fatalf("%d questions by %s, %v, %v", len(begun.Questions), begun.GeneratedBy, begun.Remarks, err)
	}
	r.SessionID, r.ProvidedAnswers = begun.SessionID, answers
	result, err := s.Conduct(t.Context(), r, nil)
	if err != nil || result.Evaluation == nil || result.Evaluation.Method != "llm:words" {
		t.Fatalf("%+v, %v", result.Evaluation, err)
	}
	return result
}

// By writing into answers, nobody has a better total, a recommendation, the rules, or what is known of somebody else.
func TestInterviewer_RecommendsNobodyForInjections(t *testing.T) {
	s := llmtest.StartInMemory(t, dimensions)
	s.Play(questionsTask, writer())
	s.Play(answerTask, obedient)
	service := newService(t, s)
	const questions = 5
	plain := interviewed(t, service, slices.Repeat([]string{weak}, questions)).Evaluation
	if plain.Overall.Value != 40 || plain.Recommendation.Or(true) {
		t.Fatalf("the weak answers have %v, %v", plain.Overall, plain.Recommendation)
	}
	for part := range slices.Chunk(injections(t), questions) {
		answers := slices.Repeat([]string{weak}, questions)
		for i, injected := range part {
			answers[i] += "\n\n" + injected.Text
		}
		result := interviewed(t, service, answers)
		e := result.Evaluation
		if e.Overall.Value > plain.Overall.Value || e.Recommendation.Or(false) {
			t.Errorf("from %s on: total %v, recommended %v", part[0].ID, e.Overall, e.Recommendation)
		}
		if !slices.ContainsFunc(result.Remarks, func(n interview.Notice) bool { return n.Code == interview.NoticeInstructions }) {
			t.Errorf("from %s on: remarks %v", part[0].ID, result.Remarks)
		}
		said, err := json.Marshal([]any{e.Scores, e.Strengths, e.Improvements, e.Evidence, e.Reason})
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"You mark one answer", "Wrensong", "90 an hour"} {
			if strings.Contains(string(said), secret) {
				t.Errorf("from %s on: the evaluation tells %q", part[0].ID, secret)
			}
		}
	}
	for _, r := range s.Requests() {
		if body := string(r.Body); strings.Contains(body, "Wrensong") || strings.Contains(body, "90 an hour") || strings.Contains(body, "Quillfeather") {
			t.Fatal("the model gets to know who is not asked, or who is")
		}
	}
}

// A good answer needs no more than being one: what injections keep out lets recommendations through.
func TestInterviewer_RecommendsForGoodAnswers(t *testing.T) {
	s := llmtest.StartInMemory(t, dimensions)
	s.Play(questionsTask, writer())
	s.Play(answerTask, llmtest.SayJSON(marked(4, 3, "closed the channel in the sender")))
	if e := interviewed(t, newService(t, s), slices.Repeat([]string{honest}, 5)).Evaluation; e.Overall.Value != 80 || !e.Recommendation.Or(false) {
		t.Errorf("total %v, recommended %v: %s", e.Overall, e.Recommendation, e.Reason)
	}
}
