package sessions

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/faults"
	"github.com/freelancer-matching/service/interview/messages"
	"github.com/freelancer-matching/service/interview/scoring"
	"github.com/freelancer-matching/service/webhook"
)

// sessionFormat is the version of the format of stored sessions. It increases when older sessions become unreadable.
const sessionFormat = 1

// A session is an interview in progress or evaluated. It is stored as JSON under the names of its fields, so these must
// not change.
type session struct {
	Format        int
	Kind          interview.Mode // see kindOf
	Subject       interview.Subject
	Planned       int // total number of generated questions
	Questions     []interview.Question
	Answers       []interview.Answer
	Scores        []interview.Score // of Answers; only in mode Adaptive before the evaluation
	Evaluation    *interview.Evaluation
	DerivedSkills []string
	UnknownSkills []string
	Notices       []interview.Notice
	Begun         time.Time
	Invited       *invited `json:",omitempty"`
	HasWebhook    bool     `json:",omitempty"`
	Sent          []string `json:",omitempty"` // types of the messages to the webhook

	record   interview.Record  // as stored; Version is 0 before the first save
	printer  *messages.Printer // in the session's language; nil before the first message
	endpoint *webhook.Endpoint // of a new session; see Record
}

// kindOf returns the mode that identifies the sessions of m: sessions of Questions can continue as Full.
func kindOf(m interview.Mode) interview.Mode {
	if m == interview.Questions {
		return interview.Full
	}
	return m
}

// newID returns a new session ID: 128 random bits as 32 hexadecimal digits.
func newID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}

// isID reports whether id is a well-formed session ID.
func isID(id string) bool {
	raw, err := hex.DecodeString(id)
	return err == nil && len(raw) == 16 && strings.ToLower(id) == id
}

// seedOf returns the seed for the choices of a session.
func seedOf(id string) uint64 {
	raw, err := hex.DecodeString(id)
	if err != nil || len(raw) < 8 {
		panic("malformed session ID: " + id)
	}
	return binary.BigEndian.Uint64(raw)
}

// decode decodes a stored session.
func decode(r interview.Record) (*session, error) {
	se := &session{record: r}
	if err := json.Unmarshal(r.Data, se); err != nil {
		return nil, fmt.Errorf("read session %s: %w", r.ID, err)
	}
	if se.Format != sessionFormat {
		return nil, fmt.Errorf("read session %s: unsupported format %d, want %d", r.ID, se.Format, sessionFormat)
	}
	if se.Evaluation != nil {
		scoring.Derive(se.Evaluation, se.Questions)
	}
	return se, nil
}

// encode returns the record of the session's next version.
func (se *session) encode() (interview.Record, error) {
	// The message comes first, because creating it marks it as sent in the session that is encoded below.
	message, err := se.message()
	if err != nil {
		return interview.Record{}, err
	}

	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false) // an escaped "<" takes six bytes
	if err := encoder.Encode(se); err != nil {
		return interview.Record{}, fmt.Errorf("encode session %s: %w", se.record.ID, err)
	}

	r := se.record
	r.Version++
	r.Open = se.Evaluation == nil
	r.Data = bytes.TrimSpace(data.Bytes())
	r.Freelancer = se.Subject.Freelancer.ID
	r.Begun = se.Begun

	if i := se.Invited; i != nil {
		r.Invitation = &interview.InvitationKey{Token: [sha256.Size]byte(i.Token), Due: i.Due}
	}
	r.Endpoint = se.endpoint
	r.Message = message

	return r, nil
}

// result returns the session's state for a request with mode m.
func (se *session) result(m interview.Mode) interview.Result {
	f := &se.Subject.Freelancer
	r := interview.Result{
		Freelancer:    interview.Person{ID: f.ID, Name: f.Name, JobTitle: f.JobTitle},
		Brief:         interview.Brief{JobTitle: se.Subject.JobTitle, Project: se.Subject.Project, Skills: se.Subject.Skills},
		Mode:          m,
		SessionID:     se.record.ID,
		State:         interview.Open,
		Language:      se.Subject.Language,
		Questions:     se.Questions,
		Answers:       se.Answers,
		Evaluation:    se.Evaluation,
		GeneratedBy:   se.generatedBy(),
		DerivedSkills: se.DerivedSkills,
		UnknownSkills: se.UnknownSkills,
		Remarks:       se.Notices,
		Begun:         se.Begun,
		Expires:       se.record.Expires,
		Invitation:    se.invitationStatus(),
		HasWebhook:    se.HasWebhook,
	}

	if se.Evaluation != nil {
		r.State = interview.Evaluated
	}

	return r
}

// byClient is the value of Question.By for the client's own questions.
const byClient = "client"

// generatedBy returns the name of the asker that generated the questions. If several did, it is the last one, which
// needs no model.
func (se *session) generatedBy() string {
	for _, q := range slices.Backward(se.Questions) {
		if q.By != byClient {
			return q.By
		}
	}
	return byClient
}

// add assigns the next ID to a question and adds it.
func (se *session) add(q interview.Question) interview.Question {
	q.ID = fmt.Sprintf("q%d", len(se.Questions)+1)
	se.Questions = append(se.Questions, q)
	return q
}

// clientTexts returns the texts of the client's questions.
func (se *session) clientTexts() []string {
	var texts []string
	for _, q := range se.Questions {
		if q.By == byClient {
			texts = append(texts, q.Text)
		}
	}
	return texts
}

// messages returns the messages in the session's language.
func (se *session) messages() *messages.Printer {
	if se.printer == nil {
		se.printer = messages.In(se.Subject.Language)
	}
	return se.printer
}

// say returns a message in the session's language.
func (se *session) say(key string, args ...any) string { return se.messages().Say(key, args...) }

// newNotice returns a notice in the session's language.
func (se *session) newNotice(code interview.NoticeCode, args ...any) interview.Notice {
	return interview.Notice{Code: code, Message: se.say(string(code), args...)}
}

// addNotice adds a notice unless the session already has it, and reports whether it did.
func (se *session) addNotice(n interview.Notice) bool {
	if slices.Contains(se.Notices, n) {
		return false
	}
	se.Notices = append(se.Notices, n)
	return true
}

// hasAnswers reports whether answers are equal to the stored ones, or in mode Adaptive to the last one.
func (se *session) hasAnswers(answers []string) bool {
	stored := se.Answers
	if se.Kind == interview.Adaptive {
		stored = stored[max(0, len(stored)-1):]
	}
	return slices.EqualFunc(stored, answers, func(a interview.Answer, text string) bool { return a.Text == text })
}

// check returns all conflicts between a request and the session as a matching.Error, or nil if there are none.
func (se *session) check(r *interview.Request) error {
	var f faults.List
	if id := se.Subject.Freelancer.ID; r.FreelancerID != id {
		f.Add("freelancer_id", "wrong_freelancer",
			"freelancer_id must be the freelancer of the session, %s, got %s", faults.Shown(id), faults.Shown(r.FreelancerID))
	}

	if r.Mode != interview.Report && kindOf(r.Mode) != se.Kind {
		f.Add("mode", "wrong_mode", "mode must be %s or report for this session, got %s", se.Kind, r.Mode)
		return f.Err() // the other checks depend on the mode
	}

	if questions := clientQuestions(r); len(questions) > 0 {
		same := func(q interview.CustomQuestion, text string) bool { return q.Text == text }
		if !slices.EqualFunc(questions, se.clientTexts(), same) {
			f.Add("custom_questions", "different",
				"custom_questions and additional_questions must be the same as in the first request, or omitted")
		}
	}

	// An adaptive request answers one question. All others answer every question, or skip it with a blank answer.
	needsAll := len(r.ProvidedAnswers) > 0 && se.Kind != interview.Adaptive
	if needsAll {
		r.CheckLength(&f, len(se.Questions))
	}

	// Adaptive answers arrive one by one, so no single request shows that they exceed the limit of a session.
	if se.Kind == interview.Adaptive && se.Evaluation == nil {
		stored := 0
		for _, a := range se.Answers {
			stored += len(a.Text)
		}

		if n := interview.TotalLength(r.ProvidedAnswers); stored > 0 && stored+n > interview.MaxAnswers {
			f.Add("provided_answers", "too_long",
				"the answers of a session must have at most %d bytes in UTF-8 in total; shorten this one to %d bytes, got %d",
				interview.MaxAnswers, max(0, interview.MaxAnswers-stored), n)
		}
	}

	return f.Err()
}

// SubjectOf returns the profile of the freelancer whom a stored session is about.
func SubjectOf(r interview.Record) (interview.Profile, error) {
	se, err := decode(r)
	if err != nil {
		return interview.Profile{}, err
	}
	return se.Subject.Freelancer, nil
}

// summary returns the summary of a session.
func (se *session) summary() interview.Summary {
	r := se.result(se.Kind)
	sum := interview.Summary{
		SessionID: r.SessionID, Freelancer: r.Freelancer, JobTitle: se.Subject.JobTitle,
		Project: se.Subject.Project, Mode: r.Mode, State: r.State,
		Language: r.Language, Begun: r.Begun, Expires: r.Expires, Questions: len(r.Questions),
	}
	for _, a := range r.Answers {
		if strings.TrimSpace(a.Text) != "" {
			sum.Answered++
		}
	}
	if e := r.Evaluation; e != nil {
		sum.Evaluated = e.At
		sum.Overall = e.Overall
		sum.Points = &e.Points
		sum.Recommendation = e.Recommendation
	}
	return sum
}
