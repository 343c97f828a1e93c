package interview

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/language"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview/faults"
	"github.com/freelancer-matching/service/webhook"
)

// A Mode is the kind of an interview, or of a request about one.
type Mode string

// The modes. sessions.Service.Conduct describes them.
const (
	Questions  Mode = "ai_questions"
	Full       Mode = "ai_full"
	CustomFull Mode = "custom_full"
	Hybrid     Mode = "hybrid"
	Adaptive   Mode = "adaptive"
	Report     Mode = "report"
)

// Modes returns all modes.
func Modes() []Mode { return []Mode{Questions, Full, CustomFull, Hybrid, Adaptive, Report} }

// The limits of a request. Lengths are in characters, and total lengths in bytes of UTF-8.
const (
	MaxProject      = 20_000
	MaxJobTitle     = 200
	MaxSkills       = 50
	MaxSkill        = 100
	MaxQuestions    = 20 // generated questions, and separately the client's own
	MaxQuestion     = 2_000
	MaxExpected     = 4_000
	MaxFollowUps    = 10
	MaxFollowUp     = 500
	MaxAnswer       = 10_000
	MaxAnswers      = 64 << 10 // all answers of a session together, in bytes: about 10,000 words
	MaxOwnQuestions = 64 << 10 // the client's own questions with all their texts, in bytes
	MaxWeight       = 1_000    // of a criterion in scoring_criteria
	MaxFreelancerID = 200
	MaxKey          = 255 // length of an Idempotency-Key

	maxSessionID = 200 // generous: an ID has 32 characters, and any other text is an unknown ID
)

// A Request is a request of a client. Members that the client did not send are zero. For an existing session, the
// values of ProjectDescription, JobTitle, RequiredSkills, MustHaveSkills, ScoringCriteria, Language and NumQuestions
// have no effect: the session keeps the values of its first request.
type Request struct {
	Account        string    // owner of the session; other accounts cannot see it
	IdempotencyKey string    // may be ""
	Limits         Limits    `json:"-"` // of the account
	By             Requester `json:"-"`

	FreelancerID        string
	ProjectDescription  string
	JobTitle            string
	RequiredSkills      []string
	MustHaveSkills      []string `json:",omitempty"` // without them, hire is not recommended; they are also required
	Mode                Mode
	SessionID           string
	ProvidedAnswers     []string         // in the order of the questions; blank to skip one
	CustomQuestions     []CustomQuestion // in custom_full and hybrid
	AdditionalQuestions []string         // in hybrid, after CustomQuestions; only texts
	ScoringCriteria     map[string]int   // weights by the name of the criterion; scaled to a sum of 100
	Language            string           // ISO 639-1; default: that of the project description
	NumQuestions        matching.Optional[int]
	Webhook             *WebhookRequest `json:",omitempty"` // only for a new session
}

// A Requester is who makes a request, as in the audit log.
type Requester struct {
	audit.By
	Account string // "" for a key without an account
}

// A CustomQuestion is a client's own question. Only Text is required.
type CustomQuestion struct {
	Text            string
	ExpectedAnswer  string
	ScoringCriteria map[string]int // for this question, instead of those of the request
	FollowUp        []string
	Kind            Kind `json:",omitzero"` // "" if the client doesn't state it
}

// CriterionNamed returns the criterion with a name in requests. Some criteria also have a name from the older service.
func CriterionNamed(name string) (Criterion, bool) {
	switch name {
	case string(Technical), "technical_accuracy":
		return Technical, true
	case string(Experience), "experience_level":
		return Experience, true
	case string(Communication):
		return Communication, true
	default:
		return "", false
	}
}

// Check returns all faults of a request that are visible without its session as a matching.Error, or nil if there are
// none. The request may ask for up to maxQuestions generated questions, and for a webhook that is public or allowed.
func (r *Request) Check(maxQuestions int, allowed *webhook.Allowed) error {
	var f faults.List
	r.checkMode(&f)
	if r.FreelancerID == "" {
		f.Add("freelancer_id", "required", "freelancer_id is required")
	} else {
		f.NonBlank("freelancer_id", r.FreelancerID, MaxFreelancerID)
	}

	f.Text("project_description", r.ProjectDescription, MaxProject)
	f.Text("job_title", r.JobTitle, MaxJobTitle)
	f.Each("required_skills", r.RequiredSkills, MaxSkills, f.NonBlank, MaxSkill)
	f.Each("must_have_skills", r.MustHaveSkills, MaxSkills, f.NonBlank, MaxSkill)
	f.Text("session_id", r.SessionID, maxSessionID)
	checkCriteria(&f, "scoring_criteria", r.ScoringCriteria)
	f.Each("provided_answers", r.ProvidedAnswers, 2*MaxQuestions, f.Text, MaxAnswer)
	f.Total("provided_answers", TotalLength(r.ProvidedAnswers), MaxAnswers)
	r.checkCustom(&f)
	r.checkWebhook(&f, allowed)

	if r.Language != "" {
		// ParseBase also accepts three-letter codes and capitals, so the spelling is checked, too.
		_, err := language.ParseBase(r.Language)
		isShort := len(r.Language) == 2 && strings.ToLower(r.Language) == r.Language
		if err != nil || !isShort {
			f.Add("language", "unknown_value",
				"language must be a lowercase ISO 639-1 code such as en or es, got %s", faults.Shown(r.Language))
		}
	}

	if n := r.NumQuestions; isOutside(n, 1, maxQuestions) {
		f.Add("num_questions", "out_of_range", "num_questions must be between 1 and %d, got %d", maxQuestions, n.Value)
	}

	// The key arrives in a header, where other characters have no agreed encoding.
	unprintable := func(c rune) bool { return c < ' ' || c > '~' }
	if key := r.IdempotencyKey; len(key) > MaxKey || strings.ContainsFunc(key, unprintable) {
		f.Add("Idempotency-Key", "invalid", "Idempotency-Key must have at most %d characters, all printable ASCII", MaxKey)
	}

	return f.Err()
}

// checkMode checks that the members of a request fit its mode. A member without an effect is a fault.
func (r *Request) checkMode(f *faults.List) {
	if !slices.Contains(Modes(), r.Mode) {
		f.Add("mode", "unknown_value",
			"mode must be ai_questions, ai_full, custom_full, hybrid, adaptive or report, got %s", faults.Shown(string(r.Mode)))
		return
	}

	r.checkAnswers(f)

	mayAskOwn := r.Mode == CustomFull || r.Mode == Hybrid
	if len(r.CustomQuestions) > 0 && !mayAskOwn {
		f.Add("custom_questions", "not_in_mode",
			"custom_questions is allowed only in modes custom_full and hybrid, got %s", r.Mode)
	}

	if len(r.AdditionalQuestions) > 0 && r.Mode != Hybrid {
		f.Add("additional_questions", "not_in_mode", "additional_questions is allowed only in mode hybrid, got %s", r.Mode)
	}

	if r.NumQuestions.Known && r.Mode == CustomFull {
		f.Add("num_questions", "not_in_mode",
			"num_questions is not allowed in mode custom_full, which generates no questions")
	}

	// An existing session has its questions and its brief already.
	needsQuestions := r.SessionID == "" && r.Mode != Report
	if !needsQuestions {
		return
	}

	hasBrief := hasText(r.ProjectDescription) || hasText(r.JobTitle)
	switch {
	case r.Mode != CustomFull && !hasBrief:
		f.Add("project_description", "required",
			"project_description or job_title is required and must contain letters or digits")
	case r.Mode != CustomFull:
	case len(r.CustomQuestions) == 0:
		f.Add("custom_questions", "required", "custom_questions must have at least one question in mode custom_full")
	case len(r.ProvidedAnswers) > 0:
		r.CheckLength(f, len(r.CustomQuestions))
	}
}

// checkAnswers checks that a request may have answers, and a session for them.
func (r *Request) checkAnswers(f *faults.List) {
	hasAnswers := len(r.ProvidedAnswers) > 0
	isNew := r.SessionID == ""
	takesNoAnswers := r.Mode == Questions || r.Mode == Report

	// Nobody can answer generated questions before seeing them, so only the client's own may come with answers.
	needsSession := isNew && r.Mode != CustomFull
	switch {
	case hasAnswers && takesNoAnswers:
		f.Add("provided_answers", "not_in_mode",
			"provided_answers is not allowed in mode %s; send answers in mode ai_full with the session_id", r.Mode)
	case hasAnswers && needsSession:
		f.Add("session_id", "required", "session_id is required with provided_answers")
	case isNew && r.Mode == Report:
		f.Add("session_id", "required", "session_id is required in mode report")
	}

	if r.Mode == Adaptive {
		if n := len(r.ProvidedAnswers); n > 1 {
			f.Add("provided_answers", "wrong_length",
				"provided_answers must have exactly one entry in mode adaptive, the answer to the last question, got %d", n)
		}
		return
	}

	// A blank answer skips a question. If all are blank, the session would close with nothing to evaluate.
	isFilled := func(text string) bool { return strings.TrimSpace(text) != "" }
	if hasAnswers && !slices.ContainsFunc(r.ProvidedAnswers, isFilled) {
		f.Add("provided_answers", "blank", "provided_answers must have at least one answer that is not blank")
	}
}

// CheckLength adds a fault unless the request has one answer for each of the questions.
func (r *Request) CheckLength(f *faults.List, questions int) {
	if answers := len(r.ProvidedAnswers); answers != questions {
		f.Add("provided_answers", "wrong_length",
			"provided_answers must have one entry for each of the %d questions, blank for a skipped question, got %d",
			questions, answers)
	}
}

func (r *Request) checkCustom(f *faults.List) {
	// A list that is too long gets one fault instead of one for each entry.
	if n := len(r.CustomQuestions) + len(r.AdditionalQuestions); n > MaxQuestions {
		f.Add("custom_questions", "too_many",
			"custom_questions and additional_questions must have at most %d entries together, got %d", MaxQuestions, n)
		return
	}

	for i, q := range r.CustomQuestions {
		at := fmt.Sprintf("custom_questions[%d]", i)
		f.NonBlank(at+".text", q.Text, MaxQuestion)
		f.Text(at+".expected_answer", q.ExpectedAnswer, MaxExpected)
		f.Each(at+".follow_up", q.FollowUp, MaxFollowUps, f.NonBlank, MaxFollowUp)
		checkCriteria(f, at+".scoring_criteria", q.ScoringCriteria)

		if q.Kind != "" && !slices.Contains(kinds(), q.Kind) {
			f.Add(at+".kind", "unknown_value",
				"%s.kind must be technical, situational or behavioural, got %s", at, faults.Shown(string(q.Kind)))
		}
	}

	for i, text := range r.AdditionalQuestions {
		f.NonBlank(fmt.Sprintf("additional_questions[%d]", i), text, MaxQuestion)
	}

	total := TotalLength(r.AdditionalQuestions)
	for _, q := range r.CustomQuestions {
		total += len(q.Text) + len(q.ExpectedAnswer) + TotalLength(q.FollowUp)
	}

	f.Total("custom_questions", total, MaxOwnQuestions)
}

// checkCriteria checks that scoring criteria exist, that each occurs once, and that their weights are in range and not
// all 0.
func checkCriteria(f *faults.List, field string, named map[string]int) {
	if len(named) == 0 {
		return
	}

	// No criterion has more than two names. A longer list gets one fault instead of one for each member.
	if len(named) > 2*len(Criteria()) {
		f.Add(field, "too_many", "%s must have at most %d members, got %d", field, len(Criteria()), len(named))
		return
	}

	total := 0
	seen := map[Criterion]bool{}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		at := field + "." + faults.Shown(name)
		weight := named[name]
		c, known := CriterionNamed(name)
		switch {
		case !known:
			f.Add(at, "unknown_value",
				"the names in %s must be technical, experience or communication, got %s", field, faults.Shown(name))
		case seen[c]:
			f.Add(at, "repeated", "%s has two weights for the criterion %s", field, c)
		case weight < 0 || weight > MaxWeight:
			f.Add(at, "out_of_range", "%s must be between 0 and %d, got %d", at, MaxWeight, weight)
		}

		seen[c] = true
		// A negative weight must not cancel out a positive one.
		total += max(0, weight)
	}

	if total == 0 {
		f.Add(field, "too_small", "%s must have at least one weight above 0", field)
	}
}

// isOutside reports whether a number was sent and is outside of a range.
func isOutside(n matching.Optional[int], lowest, highest int) bool {
	return n.Known && (n.Value < lowest || n.Value > highest)
}

// TotalLength returns the length of all texts in bytes, as MaxAnswers counts it.
func TotalLength(texts []string) int {
	n := 0
	for _, text := range texts {
		n += len(text)
	}
	return n
}

// hasText reports whether a text contains a letter or a digit.
func hasText(text string) bool {
	return strings.ContainsFunc(text, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) })
}
