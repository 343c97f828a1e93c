package interview

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"

	"freelancer-matching/access/audit"
	"freelancer-matching/internal/matching"
	"freelancer-matching/webhook"
)

// A Mode is the kind of an interview, or of a request about one.
type Mode string

// The modes. Service.Conduct describes them.
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

	defaultQuestions = 5
	maxSessionID     = 200 // generous: an ID has 32 characters, and any other text is an unknown ID
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

// event returns an entry of the audit log about a session.
func (r *Requester) event(at time.Time, action audit.Action, session string) audit.Event {
	return audit.Event{
		At: at, Actor: r.Actor, Account: r.Account, Action: action, Subject: session, Address: r.Address,
	}
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

// fingerprint returns a hash of the request without its Idempotency-Key.
func (r Request) fingerprint() [sha256.Size]byte {
	r.IdempotencyKey = ""
	text, err := json.Marshal(r)
	if err != nil { // cannot happen with strings, integers, and lists and maps of these
		panic(err)
	}
	return sha256.Sum256(text)
}

// Check returns all faults of a request that are visible without its session as a matching.Error, or nil if there are
// none. Conduct does the same; Check is for callers that report faults of their own together with these.
func (s *Service) Check(r *Request) error { return r.check(s.config.MaxQuestions, &s.config.Webhooks) }

// check returns the faults of a request that may ask for up to maxQuestions generated questions, and for a webhook that
// is public or allowed.
func (r *Request) check(maxQuestions int, allowed *webhook.Allowed) error {
	var f faults
	r.checkMode(&f)
	if r.FreelancerID == "" {
		f.add("freelancer_id", "required", "freelancer_id is required")
	} else {
		f.nonBlank("freelancer_id", r.FreelancerID, MaxFreelancerID)
	}

	f.text("project_description", r.ProjectDescription, MaxProject)
	f.text("job_title", r.JobTitle, MaxJobTitle)
	f.list("required_skills", r.RequiredSkills, MaxSkills, f.nonBlank, MaxSkill)
	f.list("must_have_skills", r.MustHaveSkills, MaxSkills, f.nonBlank, MaxSkill)
	f.text("session_id", r.SessionID, maxSessionID)
	f.criteria("scoring_criteria", r.ScoringCriteria)
	f.list("provided_answers", r.ProvidedAnswers, 2*MaxQuestions, f.text, MaxAnswer)
	f.total("provided_answers", totalLength(r.ProvidedAnswers), MaxAnswers)
	r.checkCustom(&f)
	r.checkWebhook(&f, allowed)

	if r.Language != "" {
		// ParseBase also accepts three-letter codes and capitals, so the spelling is checked, too.
		_, err := language.ParseBase(r.Language)
		isShort := len(r.Language) == 2 && strings.ToLower(r.Language) == r.Language
		if err != nil || !isShort {
			f.add("language", "unknown_value",
				"language must be a lowercase ISO 639-1 code such as en or es, got %s", shown(r.Language))
		}
	}

	if n := r.NumQuestions; isOutside(n, 1, maxQuestions) {
		f.add("num_questions", "out_of_range", "num_questions must be between 1 and %d, got %d", maxQuestions, n.Value)
	}

	// The key arrives in a header, where other characters have no agreed encoding.
	unprintable := func(c rune) bool { return c < ' ' || c > '~' }
	if key := r.IdempotencyKey; len(key) > MaxKey || strings.ContainsFunc(key, unprintable) {
		f.add("Idempotency-Key", "invalid", "Idempotency-Key must have at most %d characters, all printable ASCII", MaxKey)
	}

	return f.err()
}

// checkMode checks that the members of a request fit its mode. A member without an effect is a fault.
func (r *Request) checkMode(f *faults) {
	if !slices.Contains(Modes(), r.Mode) {
		f.add("mode", "unknown_value",
			"mode must be ai_questions, ai_full, custom_full, hybrid, adaptive or report, got %s", shown(string(r.Mode)))
		return
	}

	answers := len(r.ProvidedAnswers) > 0
	isNew := r.SessionID == ""

	// Nobody can answer generated questions before seeing them, so only the client's own may come with answers.
	switch {
	case answers && (r.Mode == Questions || r.Mode == Report):
		f.add("provided_answers", "not_in_mode",
			"provided_answers is not allowed in mode %s; send answers in mode ai_full with the session_id", r.Mode)
	case answers && isNew && r.Mode != CustomFull:
		f.add("session_id", "required", "session_id is required with provided_answers")
	case isNew && r.Mode == Report:
		f.add("session_id", "required", "session_id is required in mode report")
	}

	// A blank answer skips a question. If all are blank, the session would close with nothing to evaluate.
	isFilled := func(text string) bool { return strings.TrimSpace(text) != "" }
	if r.Mode == Adaptive {
		if n := len(r.ProvidedAnswers); n > 1 {
			f.add("provided_answers", "wrong_length",
				"provided_answers must have exactly one entry in mode adaptive, the answer to the last question, got %d", n)
		}
	} else if answers && !slices.ContainsFunc(r.ProvidedAnswers, isFilled) {
		f.add("provided_answers", "blank", "provided_answers must have at least one answer that is not blank")
	}

	mayAskOwn := r.Mode == CustomFull || r.Mode == Hybrid
	if len(r.CustomQuestions) > 0 && !mayAskOwn {
		f.add("custom_questions", "not_in_mode",
			"custom_questions is allowed only in modes custom_full and hybrid, got %s", r.Mode)
	}

	if len(r.AdditionalQuestions) > 0 && r.Mode != Hybrid {
		f.add("additional_questions", "not_in_mode", "additional_questions is allowed only in mode hybrid, got %s", r.Mode)
	}

	if r.NumQuestions.Known && r.Mode == CustomFull {
		f.add("num_questions", "not_in_mode",
			"num_questions is not allowed in mode custom_full, which generates no questions")
	}

	// An existing session has its questions and its brief already.
	if !isNew || r.Mode == Report {
		return
	}

	if r.Mode == CustomFull {
		if len(r.CustomQuestions) == 0 {
			f.add("custom_questions", "required", "custom_questions must have at least one question in mode custom_full")
		} else if answers && len(r.ProvidedAnswers) != len(r.CustomQuestions) {
			f.wrongLength(len(r.CustomQuestions), len(r.ProvidedAnswers))
		}
		return
	}

	if !hasText(r.ProjectDescription) && !hasText(r.JobTitle) {
		f.add("project_description", "required",
			"project_description or job_title is required and must contain letters or digits")
	}
}

func (r *Request) checkCustom(f *faults) {
	// A list that is too long gets one fault instead of one for each entry.
	if n := len(r.CustomQuestions) + len(r.AdditionalQuestions); n > MaxQuestions {
		f.add("custom_questions", "too_many",
			"custom_questions and additional_questions must have at most %d entries together, got %d", MaxQuestions, n)
		return
	}

	for i, q := range r.CustomQuestions {
		at := fmt.Sprintf("custom_questions[%d]", i)
		f.nonBlank(at+".text", q.Text, MaxQuestion)
		f.text(at+".expected_answer", q.ExpectedAnswer, MaxExpected)
		f.list(at+".follow_up", q.FollowUp, MaxFollowUps, f.nonBlank, MaxFollowUp)
		f.criteria(at+".scoring_criteria", q.ScoringCriteria)

		if q.Kind != "" && !slices.Contains(kinds(), q.Kind) {
			f.add(at+".kind", "unknown_value",
				"%s.kind must be technical, situational or behavioural, got %s", at, shown(string(q.Kind)))
		}
	}

	for i, text := range r.AdditionalQuestions {
		f.nonBlank(fmt.Sprintf("additional_questions[%d]", i), text, MaxQuestion)
	}

	total := totalLength(r.AdditionalQuestions)
	for _, q := range r.CustomQuestions {
		total += len(q.Text) + len(q.ExpectedAnswer) + totalLength(q.FollowUp)
	}

	f.total("custom_questions", total, MaxOwnQuestions)
}

// isOutside reports whether a number was sent and is outside of a range.
func isOutside(n matching.Optional[int], lowest, highest int) bool {
	return n.Known && (n.Value < lowest || n.Value > highest)
}

// totalLength returns the length of all texts in bytes.
func totalLength(texts []string) int {
	n := 0
	for _, text := range texts {
		n += len(text)
	}
	return n
}

// clientQuestions returns all of the client's questions in order.
func (r *Request) clientQuestions() []CustomQuestion {
	own := slices.Clone(r.CustomQuestions)
	for _, text := range r.AdditionalQuestions {
		own = append(own, CustomQuestion{Text: text})
	}
	return own
}

// hasText reports whether a text contains a letter or a digit.
func hasText(text string) bool {
	return strings.ContainsFunc(text, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) })
}

// scaleWeights scales the weights of a request to a sum of 100 by the largest remainder method. It returns fallback if
// the request has none.
func scaleWeights(named map[string]int, fallback Weights) Weights {
	total := 0
	sent := map[Criterion]int{}
	for name, weight := range named {
		if c, known := CriterionNamed(name); known {
			sent[c] += weight
			total += weight
		}
	}

	if total == 0 {
		return fallback
	}
	w := Weights{}
	rest := 100
	for c, weight := range sent {
		w[c] = weight * 100 / total
		rest -= w[c]
	}

	order := criteria()
	slices.SortStableFunc(order, func(a, b Criterion) int { return sent[b]*100%total - sent[a]*100%total })
	for _, c := range order[:rest] {
		w[c]++
	}

	return w
}

// criteria returns all criteria in the order of display.
func criteria() []Criterion { return []Criterion{Technical, Experience, Communication} }

// kinds returns all kinds of questions.
func kinds() []Kind { return []Kind{KnowHow, Situational, Behavioral} }

// invalidText reports whether a text contains characters that some databases or clients cannot handle.
func invalidText(text string) bool { return !utf8.ValidString(text) || strings.ContainsRune(text, 0) }
