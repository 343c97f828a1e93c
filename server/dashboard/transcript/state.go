package transcript

import (
	"encoding/json"
	"strings"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// FirstOpen returns the index of the first question that the form asks for an answer to.
func (s *Interview) FirstOpen() int {
	if s.Adaptive() {
		return len(s.InterviewData.Answers)
	}
	return 0
}

// Interview is an interview in progress. The page keeps it in a hidden form field between requests.
type Interview struct {
	wire.Interview
	Planned int `json:"planned"` // questions of an adaptive interview; 0 if unknown

	Review string `json:"-"` // where forms for changing marks lead; "" for none
}

// Encode returns the state for the hidden form field: the questions without their model answers, and the answers.
func (s *Interview) Encode() (string, error) {
	short := *s
	short.InterviewData.Questions = nil
	for _, q := range s.InterviewData.Questions {
		short.InterviewData.Questions = append(short.InterviewData.Questions, wire.InterviewQuestion{
			ID:          q.ID,
			Text:        q.Text,
			Skill:       q.Skill,
			Kind:        q.Kind,
			Difficulty:  q.Difficulty,
			GeneratedBy: q.GeneratedBy,
		})
	}
	text, err := json.Marshal(short)
	return string(text), err
}

const (
	maxQuestions     = 2 * interview.MaxQuestions // generated questions plus the client's own
	maxSessionLength = 64                         // characters of a session ID
)

// Decode reads what Encode wrote. The text comes from a browser: use it only to show it there again, and to
// name the session, which the API checks.
func Decode(text string) (*Interview, error) {
	var s Interview
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return nil, page.ErrBadForm
	}
	asked := len(s.InterviewData.Questions)
	answered := len(s.InterviewData.Answers)
	validCount := 0 < asked && asked <= maxQuestions
	awaitsAnswer := answered < asked && s.Evaluation == nil
	valid := validCount && awaitsAnswer && isSessionID(s.SessionID)
	if !valid {
		return nil, page.ErrBadForm
	}
	return &s, nil
}

// isSessionID reports whether a text is a session ID, in hexadecimal. It becomes part of a header.
func isSessionID(text string) bool {
	return text != "" && len(text) <= maxSessionLength && strings.Trim(text, "0123456789abcdef") == ""
}
