package interview

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview/faults"
	"github.com/freelancer-matching/service/webhook"
)

// validRequest returns a valid request for a new session.
func validRequest(m Mode) Request {
	r := Request{Account: "acc_1", FreelancerID: "f1", ProjectDescription: "A shop.", Mode: m}
	if m == CustomFull {
		r.CustomQuestions = []CustomQuestion{{Text: "Why?"}}
	}
	return r
}

// faultsOf returns the field and code of each fault of r, and checks the messages.
func faultsOf(t *testing.T, r Request) []string {
	t.Helper()
	err := r.Check(MaxQuestions, &webhook.Allowed{})
	e, _ := errors.AsType[*matching.Error](err)
	if err == nil {
		return nil
	}
	if e == nil || e.Code != matching.CodeInvalid || len(e.Details) == 0 || e.Message == "" {
		t.Fatalf("got error %v, want one with details", err)
	}
	var got []string
	for _, d := range e.Details {
		got = append(got, d.Field+" "+d.Code)
		if d.Message == "" || !utf8.ValidString(d.Field+d.Message) || len(d.Field)+len(d.Message) > 1000 {
			t.Errorf("field %q has the message %q", d.Field, d.Message)
		}
	}
	return got
}

func TestRequest_Faults(t *testing.T) {
	long := func(n int) string { return strings.Repeat("é", n) }
	many := func(n int, text string) []string { return slices.Repeat([]string{text}, n) }
	tests := []struct {
		name string
		mode Mode
		edit func(*Request)
		want []string
	}{
		{"valid", Full, func(*Request) {}, nil},
		{"everything at its limit", Hybrid, func(r *Request) {
			r.FreelancerID, r.ProjectDescription, r.JobTitle = long(MaxFreelancerID), long(MaxProject), long(MaxJobTitle)
			r.RequiredSkills = many(MaxSkills, long(MaxSkill))
			r.AdditionalQuestions = many(MaxQuestions/2, long(MaxQuestion))
			r.CustomQuestions = []CustomQuestion{{
				Text: long(MaxQuestion), ExpectedAnswer: long(MaxExpected), FollowUp: many(MaxFollowUps, long(MaxFollowUp)),
				ScoringCriteria: map[string]int{"technical": MaxWeight, "experience": 0},
			}}

			r.NumQuestions, r.Language, r.IdempotencyKey = matching.Some(MaxQuestions), "de", strings.Repeat("~", MaxKey)
		}, nil},
		{"empty", "", func(r *Request) { *r = Request{} }, []string{"mode unknown_value", "freelancer_id required"}},
		{"all texts too long", Hybrid, func(r *Request) {
			r.FreelancerID, r.ProjectDescription = long(MaxFreelancerID+1), long(MaxProject+1)
			r.JobTitle, r.SessionID = long(MaxJobTitle+1), long(maxSessionID+1)
			r.RequiredSkills, r.AdditionalQuestions = many(1, long(MaxSkill+1)), many(1, long(MaxQuestion+1))
			r.CustomQuestions = []CustomQuestion{{
				Text: long(MaxQuestion + 1), ExpectedAnswer: long(MaxExpected + 1), FollowUp: many(1, long(MaxFollowUp+1)),
			}}
			r.ProvidedAnswers, r.IdempotencyKey = many(1, long(MaxAnswer+1)), strings.Repeat("x", MaxKey+1)
		}, []string{
			"freelancer_id too_long", "project_description too_long", "job_title too_long", "required_skills[0] too_long",
			"session_id too_long", "provided_answers[0] too_long", "custom_questions[0].text too_long",
			"custom_questions[0].expected_answer too_long", "custom_questions[0].follow_up[0] too_long",
			"additional_questions[0] too_long", "Idempotency-Key invalid",
		}},
		{"all answers together at their limit", Full, func(r *Request) {
			r.SessionID, r.ProvidedAnswers = "x", many(16, strings.Repeat("é", MaxAnswers/32))
		}, nil},
		{"all answers together too long", Full, func(r *Request) {
			r.SessionID, r.ProvidedAnswers = "x", append(many(16, strings.Repeat("é", MaxAnswers/32)), "x")
		}, []string{"provided_answers too_long"}},
		{"own questions together too long", Hybrid, func(r *Request) {
			text := strings.Repeat("x", 1800)
			r.AdditionalQuestions = many(10, text)
			r.CustomQuestions = slices.Repeat([]CustomQuestion{{Text: text, ExpectedAnswer: text, FollowUp: many(3, "x")}}, 10)
			r.CustomQuestions[0].FollowUp = many(10, strings.Repeat("x", MaxFollowUp))
			r.CustomQuestions[1].FollowUp = many(10, strings.Repeat("x", MaxFollowUp))
			r.CustomQuestions[2].FollowUp = many(10, strings.Repeat("x", MaxFollowUp))
		}, []string{"custom_questions too_long"}},
		{"all lists too long", CustomFull, func(r *Request) {
			r.RequiredSkills, r.ProvidedAnswers = many(MaxSkills+1, "x"), many(2*MaxQuestions+1, "x")
			r.CustomQuestions = make([]CustomQuestion, MaxQuestions+1)
		}, []string{
			"provided_answers wrong_length", "required_skills too_many", "provided_answers too_many",
			"custom_questions too_many",
		}},
		{"invalid texts", CustomFull, func(r *Request) {
			r.FreelancerID = "\x00"
			r.ProjectDescription = "a\x00b"
			r.JobTitle = "\xff"
			r.RequiredSkills = []string{"\xc3"}
			r.CustomQuestions = []CustomQuestion{{Text: "\xff", ExpectedAnswer: "\x00", FollowUp: []string{"\x00"}}}
			r.ProvidedAnswers = []string{"a\x00"}
			r.IdempotencyKey = "a\nb"
		}, []string{
			"freelancer_id invalid_text", "project_description invalid_text", "job_title invalid_text",
			"required_skills[0] invalid_text", "provided_answers[0] invalid_text", "custom_questions[0].text invalid_text",
			"custom_questions[0].expected_answer invalid_text", "custom_questions[0].follow_up[0] invalid_text",
			"Idempotency-Key invalid",
		}},
		{"blank", Hybrid, func(r *Request) {
			r.FreelancerID = " "
			r.RequiredSkills = []string{""}
			r.AdditionalQuestions = []string{"\t"}
			r.CustomQuestions = []CustomQuestion{{FollowUp: []string{""}}}
		}, []string{
			"freelancer_id blank", "required_skills[0] blank", "custom_questions[0].text blank",
			"custom_questions[0].follow_up[0] blank", "additional_questions[0] blank",
		}},
		{"no project", Full, func(r *Request) {
			r.ProjectDescription = " … "
			r.JobTitle = "?"
		}, []string{"project_description required"}},
		{"only a job title", Full, func(r *Request) { r.ProjectDescription, r.JobTitle = "", "Übersetzer" }, nil},
		{"criteria", CustomFull, func(r *Request) {
			r.ScoringCriteria = map[string]int{"charm": 1, "technical": 5, "technical_accuracy": 5}
			r.CustomQuestions = append(r.CustomQuestions,
				CustomQuestion{Text: "x", ScoringCriteria: map[string]int{"technical": 0}},
				CustomQuestion{Text: "x", ScoringCriteria: map[string]int{"technical": -1, "experience": MaxWeight + 1}},
				CustomQuestion{Text: "x", ScoringCriteria: map[string]int{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1}})
		}, []string{
			"scoring_criteria.charm unknown_value", "scoring_criteria.technical_accuracy repeated",
			"custom_questions[1].scoring_criteria too_small", "custom_questions[2].scoring_criteria.experience out_of_range",
			"custom_questions[2].scoring_criteria.technical out_of_range", "custom_questions[3].scoring_criteria too_many",
		}},
		{"no questions", Full, func(r *Request) {
			r.NumQuestions = matching.Some(0)
		}, []string{"num_questions out_of_range"}},
		{"too many questions", Full, func(r *Request) {
			r.NumQuestions = matching.Some(MaxQuestions + 1)
		}, []string{"num_questions out_of_range"}},
		{"unknown language", Full, func(r *Request) { r.Language = "zz" }, []string{"language unknown_value"}},
		{"language with country", Full, func(r *Request) { r.Language = "en-GB" }, []string{"language unknown_value"}},
		{"language in capitals", Full, func(r *Request) { r.Language = "EN" }, []string{"language unknown_value"}},
		{"language of three letters", Full, func(r *Request) { r.Language = "deu" }, []string{"language unknown_value"}},
		{"answers in ai_questions", Questions, func(r *Request) {
			r.ProvidedAnswers = many(1, "x")
		}, []string{"provided_answers not_in_mode"}},
		{"answers without session in ai_full", Full, func(r *Request) {
			r.ProvidedAnswers = many(5, "x")
		}, []string{"session_id required"}},
		{"answers without session in hybrid", Hybrid, func(r *Request) {
			r.ProvidedAnswers = many(5, "x")
		}, []string{"session_id required"}},
		{"answer without session in adaptive", Adaptive, func(r *Request) {
			r.ProvidedAnswers = many(1, "x")
		}, []string{"session_id required"}},
		{"answers to custom questions", CustomFull, func(r *Request) { r.ProvidedAnswers = many(1, "x") }, nil},
		{"too many answers to custom questions", CustomFull, func(r *Request) {
			r.ProvidedAnswers = many(2, "x")
		}, []string{"provided_answers wrong_length"}},
		{"only blank answers", CustomFull, func(r *Request) {
			r.ProvidedAnswers = many(1, " \n")
		}, []string{"provided_answers blank"}},
		{"blank answer in adaptive", Adaptive, func(r *Request) { r.SessionID, r.ProvidedAnswers = "x", many(1, "") }, nil},
		{"several answers in adaptive", Adaptive, func(r *Request) {
			r.SessionID, r.ProvidedAnswers = "x", many(2, "x")
		}, []string{"provided_answers wrong_length"}},
		{"report without session", Report, func(*Request) {}, []string{"session_id required"}},
		{"answers in report", Report, func(r *Request) {
			r.SessionID, r.ProvidedAnswers = "x", many(1, "x")
		}, []string{"provided_answers not_in_mode"}},
		{"no custom questions", CustomFull, func(r *Request) {
			r.CustomQuestions = nil
		}, []string{"custom_questions required"}},
		{"no custom questions in a session", CustomFull, func(r *Request) { r.SessionID, r.CustomQuestions = "x", nil }, nil},
		{"custom questions in ai_full", Full, func(r *Request) {
			r.CustomQuestions = []CustomQuestion{{Text: "x"}}
		}, []string{"custom_questions not_in_mode"}},
		{"additional questions in custom_full", CustomFull, func(r *Request) {
			r.AdditionalQuestions = many(1, "x")
		}, []string{"additional_questions not_in_mode"}},
		{"num_questions in custom_full", CustomFull, func(r *Request) {
			r.NumQuestions = matching.Some(5)
		}, []string{"num_questions not_in_mode"}},
		{"hybrid without the client's questions", Hybrid, func(*Request) {}, nil},
		{"session without project", Full, func(r *Request) { r.SessionID, r.ProjectDescription = "x", "" }, nil},
		{"custom questions without project", CustomFull, func(r *Request) { r.ProjectDescription = "" }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := validRequest(tt.mode)
			tt.edit(&r)
			if diff := cmp.Diff(tt.want, faultsOf(t, r)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A request either has faults with valid messages, or all of its texts are valid and within limits.
func FuzzRequest(f *testing.F) {
	f.Add("ai_full", "f1", "A shop.", "", "React", "", "an answer", "Why?", "technical", 1, "en", 5, "k")
	f.Add("custom_full", "f1", "", "", "", "", "\x00", "\xff", "charm", -1, "EN", -1, "\n")
	f.Add("hybrid", "f1", "x", "y", "z", "s", "", "w", "experience_level", 1<<40, "", 21, "")
	f.Fuzz(func(
		t *testing.T, mode, freelancer, project, title, skill, session, answer, question, criterion string, weight int,
		language string, number int, key string,
	) {
		r := Request{
			FreelancerID:       freelancer,
			ProjectDescription: project,
			JobTitle:           title,
			Mode:               Mode(mode),
			SessionID:          session,
			Language:           language,
			NumQuestions:       matching.Some(number),
			IdempotencyKey:     key,
			ScoringCriteria:    map[string]int{criterion: weight},
		}

		if skill != "" {
			r.RequiredSkills = []string{skill}
		}

		if answer != "" {
			r.ProvidedAnswers = []string{answer}
		}

		if question != "" {
			r.CustomQuestions = []CustomQuestion{{Text: question, ExpectedAnswer: answer, FollowUp: []string{skill}}}
			r.AdditionalQuestions = []string{question}
		}

		if faultsOf(t, r) != nil {
			return
		}

		for _, text := range []string{freelancer, project, title, skill, session, answer, question, key} {
			if faults.InvalidText(text) || utf8.RuneCountInString(text) > MaxProject {
				t.Errorf("accepted the text %q", text)
			}
		}

		total := 0
		for _, weight := range ScaleWeights(r.ScoringCriteria, nil) {
			total += weight
		}

		if total != 100 {
			t.Errorf("the weights add up to %d", total)
		}

		if r.Mode == Report && len(r.ProvidedAnswers) > 0 || r.Mode == "" {
			t.Errorf("accepted %d answers in mode %q", len(r.ProvidedAnswers), r.Mode)
		}
	})
}
