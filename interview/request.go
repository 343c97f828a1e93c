package interview

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"

	"freelancer-matching/internal/matching"
)

// Mode is what a request wants of an interview.
type Mode string

// The modes. What each does is written at Service.Conduct.
const (
	Questions  Mode = "ai_questions"
	Full       Mode = "ai_full"
	CustomFull Mode = "custom_full"
	Hybrid     Mode = "hybrid"
	Adaptive   Mode = "adaptive"
	Report     Mode = "report"
)

// Modes are all modes.
func Modes() []Mode { return []Mode{Questions, Full, CustomFull, Hybrid, Adaptive, Report} }

// The bounds of a request; lengths are in characters.
const (
	MaxProject      = 20_000
	MaxJobTitle     = 200
	MaxSkills       = 50
	MaxSkill        = 100
	MaxQuestions    = 20 // generated; and again as many of the client's own
	MaxQuestion     = 2_000
	MaxExpected     = 4_000
	MaxFollowUps    = 10
	MaxFollowUp     = 500
	MaxAnswer       = 10_000
	MaxShare        = 1_000 // of a criterion in scoring_criteria
	MaxFreelancerID = 200
	MaxKey          = 255 // of an Idempotency-Key, in printable ASCII

	defaultQuestions = 5
	maxBadID         = 200 // of a session: what is longer is no id, and not looked for
)

// Request is one request for an interview, in the shape that clients send it: what was not sent is zero. A session that exists
// keeps what it was begun with; project, title, skills, criteria, language and number that are sent along with it change nothing.
type Request struct {
	Account        string // who asks; sessions are out of reach for any other. Never "" for two who must not meet
	IdempotencyKey string // "": none

	FreelancerID        string
	ProjectDescription  string
	JobTitle            string
	RequiredSkills      []string
	Mode                Mode
	SessionID           string
	ProvidedAnswers     []string         // by position; a blank one is no answer
	CustomQuestions     []CustomQuestion // in custom_full and hybrid
	AdditionalQuestions []string         // in hybrid, behind CustomQuestions: texts without anything else
	ScoringCriteria     map[string]int   // shares by a name of a criterion; scaled to 100 together
	Language            string           // ISO 639-1; "": that of the project description
	NumQuestions        matching.Optional[int]
}

// CustomQuestion is a question of the client's own. All but Text may be empty.
type CustomQuestion struct {
	Text            string
	ExpectedAnswer  string
	ScoringCriteria map[string]int // of this question, before those of the request
	FollowUp        []string
}

// CriterionNamed is the criterion with a name on the wire: each has its own, and that of the older service's requests.
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

// fingerprint is equal for equal requests, whatever key they carry.
func (r Request) fingerprint() [sha256.Size]byte {
	r.IdempotencyKey = ""
	text, err := json.Marshal(r)
	if err != nil { // strings, whole numbers, lists and maps of these
		panic(err)
	}
	return sha256.Sum256(text)
}

// check is every fault of a request that shows without its session, as a matching.Error; nil without any. It may ask for as many
// generated questions as most.
func (r *Request) check(most int) error {
	var f faults
	r.checkMode(&f)
	f.id("freelancer_id", r.FreelancerID, MaxFreelancerID)
	f.text("project_description", r.ProjectDescription, MaxProject)
	f.text("job_title", r.JobTitle, MaxJobTitle)
	f.names("required_skills", r.RequiredSkills, MaxSkills, MaxSkill)
	f.text("session_id", r.SessionID, maxBadID)
	f.criteria("scoring_criteria", r.ScoringCriteria)
	f.list("provided_answers", r.ProvidedAnswers, 2*MaxQuestions, MaxAnswer)
	r.checkCustom(&f)
	if r.Language != "" {
		_, err := language.ParseBase(r.Language)
		if err != nil || len(r.Language) != 2 || strings.ToLower(r.Language) != r.Language {
			f.add("language", "unknown_value",
				"language must be an ISO 639-1 code in small letters such as en or es, got %s", shown(r.Language))
		}
	}
	if n := r.NumQuestions; n.Known && (n.Value < 1 || n.Value > most) {
		f.add("num_questions", "out_of_range", "num_questions must be 1 to %d, got %d", most, n.Value)
	}
	unprintable := func(c rune) bool { return c < ' ' || c > '~' }
	if key := r.IdempotencyKey; len(key) > MaxKey || strings.ContainsFunc(key, unprintable) {
		f.add("Idempotency-Key", "invalid", "Idempotency-Key must have at most %d characters, all of printable ASCII", MaxKey)
	}
	return f.err()
}

// checkMode holds the members of a request to its mode. Nothing is taken and then ignored.
func (r *Request) checkMode(f *faults) {
	if !slices.Contains(Modes(), r.Mode) {
		f.add("mode", "unknown_value", "mode must be one of ai_questions, ai_full, custom_full, hybrid, adaptive, report, got %s",
			shown(string(r.Mode)))
		return
	}
	answers, begins := len(r.ProvidedAnswers) > 0, r.SessionID == ""
	switch {
	case answers && (r.Mode == Questions || r.Mode == Report):
		f.add("provided_answers", "not_in_mode",
			"provided_answers cannot be sent in %s; send them in ai_full with this session_id", r.Mode)
	case answers && begins && r.Mode != CustomFull:
		f.add("session_id", "required", "session_id must name the session whose questions the answers are to")
	case begins && r.Mode == Report:
		f.add("session_id", "required", "session_id must name the session to report on")
	}
	if answers && r.Mode == Adaptive && len(r.ProvidedAnswers) != 1 {
		f.add("provided_answers", "wrong_length",
			"provided_answers must hold the newest answer alone in adaptive, got %d", len(r.ProvidedAnswers))
	}
	blank := func(text string) bool { return strings.TrimSpace(text) == "" }
	if answers && r.Mode != Adaptive && len(slices.DeleteFunc(slices.Clone(r.ProvidedAnswers), blank)) == 0 {
		f.add("provided_answers", "blank", "provided_answers must hold at least one answer that is not blank")
	}
	if len(r.CustomQuestions) > 0 && r.Mode != CustomFull && r.Mode != Hybrid {
		f.add("custom_questions", "not_in_mode", "custom_questions belong to custom_full and hybrid, not to %s", r.Mode)
	}
	if len(r.AdditionalQuestions) > 0 && r.Mode != Hybrid {
		f.add("additional_questions", "not_in_mode", "additional_questions belong to hybrid, not to %s", r.Mode)
	}
	if r.NumQuestions.Known && r.Mode == CustomFull {
		f.add("num_questions", "not_in_mode", "num_questions belongs to generated questions; custom_full has only yours")
	}
	if !begins || r.Mode == Report {
		return
	}
	if r.Mode == CustomFull {
		if len(r.CustomQuestions) == 0 {
			f.add("custom_questions", "required", "custom_questions must hold at least one question in custom_full")
		} else if answers && len(r.ProvidedAnswers) != len(r.CustomQuestions) {
			f.wrongLength(len(r.CustomQuestions), len(r.ProvidedAnswers))
		}
		return
	}
	if !says(r.ProjectDescription) && !says(r.JobTitle) {
		f.add("project_description", "required", "project_description or job_title must say what the questions are to be about")
	}
}

func (r *Request) checkCustom(f *faults) {
	if n := len(r.CustomQuestions) + len(r.AdditionalQuestions); n > MaxQuestions {
		f.add("custom_questions", "too_many",
			"custom_questions and additional_questions must be at most %d together, got %d", MaxQuestions, n)
		return
	}
	for i, q := range r.CustomQuestions {
		at := fmt.Sprintf("custom_questions[%d]", i)
		f.needed(at+".text", q.Text, MaxQuestion)
		f.text(at+".expected_answer", q.ExpectedAnswer, MaxExpected)
		f.names(at+".follow_up", q.FollowUp, MaxFollowUps, MaxFollowUp)
		f.criteria(at+".scoring_criteria", q.ScoringCriteria)
	}
	for i, text := range r.AdditionalQuestions {
		f.needed(fmt.Sprintf("additional_questions[%d]", i), text, MaxQuestion)
	}
}

// ownQuestions is the client's questions, in their order.
func (r *Request) ownQuestions() []CustomQuestion {
	own := slices.Clone(r.CustomQuestions)
	for _, text := range r.AdditionalQuestions {
		own = append(own, CustomQuestion{Text: text})
	}
	return own
}

// says reports whether a text has a letter or a digit.
func says(text string) bool {
	return strings.ContainsFunc(text, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) })
}

// shares are the weights that names and shares mean: scaled so that they are 100 together, what is left over going to the largest
// remainders; the defaults where there are none.
func shares(named map[string]int, fallback Weights) Weights {
	total, sent := 0, map[Criterion]int{}
	for name, share := range named {
		if c, known := CriterionNamed(name); known {
			sent[c] += share
			total += share
		}
	}
	if total == 0 {
		return fallback
	}
	w, left := Weights{}, 100
	for c, share := range sent {
		w[c] = share * 100 / total
		left -= w[c]
	}
	order := criteria()
	slices.SortStableFunc(order, func(a, b Criterion) int { return sent[b]*100%total - sent[a]*100%total })
	for _, c := range order[:left] {
		w[c]++
	}
	return w
}

// criteria are all criteria, in the order in which they are told.
func criteria() []Criterion { return []Criterion{Technical, Experience, Communication} }

// invalidText reports what no text of a request may have: it could not be stored by every database, or not be told again.
func invalidText(text string) bool { return !utf8.ValidString(text) || strings.ContainsRune(text, 0) }
