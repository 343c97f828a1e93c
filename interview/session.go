package interview

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"freelancer-matching/internal/matching"
)

// sessionFormat is the form of stored sessions. It goes up when those of an earlier one can no longer be read.
const sessionFormat = 1

// session is an interview from its beginning on. It is stored as JSON by the names of its fields.
type session struct {
	Format        int
	Kind          Mode // as began says
	Subject       Subject
	Planned       int // questions that there will be
	Questions     []Question
	Answers       []Answer
	Scores        []Score // of Answers; in Adaptive only
	Evaluation    *Evaluation
	DerivedSkills []string
	UnknownSkills []string
	Notices       []Notice
	Begun         time.Time

	record Record // as it was read; its Version is 0 of one that is not stored yet
}

// kind is the kind of session that a mode begins, and goes on with.
func (m Mode) kind() Mode {
	if m == Questions {
		return Full
	}
	return m
}

// newID is the id of a session: 128 bits that nobody can guess, as 32 hexadecimal digits.
func newID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}

// isID reports whether a text can be the id of a session.
func isID(id string) bool {
	raw, err := hex.DecodeString(id)
	return err == nil && len(raw) == 16 && strings.ToLower(id) == id
}

// seedOf is what the choices of a session depend on.
func seedOf(id string) uint64 {
	raw, err := hex.DecodeString(id)
	if err != nil || len(raw) < 8 {
		panic("not an id of a session: " + id)
	}
	return binary.BigEndian.Uint64(raw)
}

// decode reads a stored session.
func decode(r Record) (*session, error) {
	se := &session{record: r}
	if err := json.Unmarshal(r.Data, se); err != nil {
		return nil, fmt.Errorf("read session %s: %w", r.ID, err)
	}
	if se.Format != sessionFormat {
		return nil, fmt.Errorf("read session %s: its format is %d, this program knows %d", r.ID, se.Format, sessionFormat)
	}
	return se, nil
}

// encode is the session as its next version is stored.
func (se *session) encode() (Record, error) {
	data, err := json.Marshal(se)
	if err != nil {
		return Record{}, fmt.Errorf("write session %s: %w", se.record.ID, err)
	}
	r := se.record
	r.Version, r.Open, r.Data = r.Version+1, se.Evaluation == nil, data
	return r, nil
}

// result is how the session stands, for a request with a mode.
func (se *session) result(m Mode) Result {
	f := &se.Subject.Freelancer
	r := Result{
		Freelancer: Person{ID: f.ID, Name: f.Name, JobTitle: f.JobTitle},
		Mode:       m, SessionID: se.record.ID, State: Open, Language: se.Subject.Language,
		Questions: se.Questions, Answers: se.Answers, Evaluation: se.Evaluation, GeneratedBy: se.generatedBy(),
		DerivedSkills: se.DerivedSkills, UnknownSkills: se.UnknownSkills, Remarks: se.Notices,
		Begun: se.Begun, Expires: se.record.Expires,
	}
	if se.Evaluation != nil {
		r.State = Evaluated
	}
	return r
}

// byClient is what Question.By says of the client's own.
const byClient = "client"

// generatedBy is who made the generated questions. Of several it is the last one asked, who needs no model: the weaker claim.
func (se *session) generatedBy() string {
	for _, q := range slices.Backward(se.Questions) {
		if q.By != byClient {
			return q.By
		}
	}
	return byClient
}

// add adds a question, under the next ID.
func (se *session) add(q Question) Question {
	q.ID = fmt.Sprintf("q%d", len(se.Questions)+1)
	se.Questions = append(se.Questions, q)
	return q
}

// own are the texts of the client's questions.
func (se *session) own() []string {
	var texts []string
	for _, q := range se.Questions {
		if q.By == byClient {
			texts = append(texts, q.Text)
		}
	}
	return texts
}

// notice remembers that something happened. It reports whether that is new.
func (se *session) notice(n Notice) bool {
	if slices.Contains(se.Notices, n) {
		return false
	}
	se.Notices = append(se.Notices, n)
	return true
}

// has reports whether answers are those that were given: in Adaptive, the last one.
func (se *session) has(answers []string) bool {
	given := se.Answers
	if se.Kind == Adaptive {
		given = given[max(0, len(given)-1):]
	}
	return slices.EqualFunc(given, answers, func(a Answer, text string) bool { return a.Text == text })
}

// check is every fault of a request that shows beside its session, as a matching.Error; nil without any.
func (se *session) check(r *Request) error {
	var f faults
	if id := se.Subject.Freelancer.ID; r.FreelancerID != id {
		f.add("freelancer_id", "wrong_freelancer",
			"freelancer_id must be that of the session, %s, got %s", shown(id), shown(r.FreelancerID))
	}
	if r.Mode != Report && r.Mode.kind() != se.Kind {
		f.add("mode", "wrong_mode", "mode must be %s or report for this session, got %s", se.Kind, r.Mode)
		return f.err() // the rest is judged by the mode
	}
	if own := r.ownQuestions(); len(own) > 0 {
		same := func(q CustomQuestion, text string) bool { return q.Text == text }
		if !slices.EqualFunc(own, se.own(), same) {
			f.add("custom_questions", "different",
				"custom_questions and additional_questions must be those that the session began with, or left out")
		}
	}
	if n := len(r.ProvidedAnswers); n > 0 && se.Kind != Adaptive && n != len(se.Questions) {
		f.wrongLength(len(se.Questions), n)
	}
	return f.err()
}

// errNotFound is the answer for a session that there is not, or not for this account.
func errNotFound() error {
	return &matching.Error{
		Code:    CodeSessionNotFound,
		Message: "there is no such session: begin one without session_id; sessions end after 30 days",
		Cause:   ErrNotFound,
	}
}
