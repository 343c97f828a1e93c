package dashboard

import (
	"encoding/json"
	"strings"

	"freelancer-matching/server/api"
)

// firstOpen returns the index of the first question that the form asks for an answer to.
func (s *interviewState) firstOpen() int {
	if s.Adaptive() {
		return len(s.InterviewData.Answers)
	}
	return 0
}

// interviewState is an interview in progress. The page keeps it in a hidden form field between requests.
type interviewState struct {
	api.Interview
	Planned int `json:"planned"` // questions of an adaptive interview; 0 if unknown

	review string // where forms for changing marks lead; "" for none
}

// Encode returns the state for the hidden form field: the questions without their model answers, and the answers.
func (s *interviewState) Encode() (string, error) {
	short := *s
	short.InterviewData.Questions = nil
	for _, q := range s.InterviewData.Questions {
		short.InterviewData.Questions = append(short.InterviewData.Questions, api.InterviewQuestion{
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

// decodeInterview reads what Encode wrote. The text comes from a browser: use it only to show it there again, and to
// name the session, which the API checks.
func decodeInterview(text string) (*interviewState, error) {
	var s interviewState
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return nil, errBadForm
	}
	asked := len(s.InterviewData.Questions)
	answered := len(s.InterviewData.Answers)
	if asked == 0 || asked > maxQuestions || answered >= asked || s.Evaluation != nil || !isSessionID(s.SessionID) {
		return nil, errBadForm
	}
	return &s, nil
}

// isSessionID reports whether a text is a session ID, in hexadecimal. It becomes part of a header.
func isSessionID(text string) bool {
	return text != "" && len(text) <= maxSessionLength && strings.Trim(text, "0123456789abcdef") == ""
}
